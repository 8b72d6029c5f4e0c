// SPDX-License-Identifier: Apache-2.0
//
// The line port (cpu_slot_pkg): whole lines between a unit and the data cache, or memory behind it, while the unit's
// instruction holds EX and nothing is in MEM. A part of cpu_lsu, which lends it the cache's memories and its way to the
// bus.
//
//     line_req --write--> cache (whole line: with its tag; else the bytes, if the line is there)
//              \------> u_behind, 64 lines --> behind: posted stores of dwords, before any later access
//              --read---> cache --hit----------------------------------> line_rsp
//                              \-miss--> ask: 4 dwords ... spare row --/         no line enters the cache
//
//     cycle            0    1    2    3    4
//     write, whole     w0   w1   w2                       taken as they come: written in that cycle
//     write, in part        w    .                        in the second cycle: the tag is looked at in the first
//     read, hit        r0   r1   r2
//     line_rsp              d0   d1   d2
//
// Order. Writes wait until every store that is older has left; what is younger waits for them in cpu_lsu (`pending`). A
// miss waits for both. So memory sees program order, and what hits is what program order says, too. A line written
// whole is valid at once: another master's write that comes before ours in memory's order is written over there as it
// is here. One that comes later is snooped as ever. A tag is not written while another is cleared.
//
// A read that misses does not fill the cache: what is sent is seldom read again. Its dwords are put together in a row
// of the cache's memories that no line has, and read from there. Several are under way; a hit behind them waits for
// their answers, and is read again if one of them came out of the memories meanwhile.
//
//     cycle            0    1    2
//     rsp_valid        x                                  of the line's last dword
//     spare row             read                          a cycle later if the next read is looked up just then
//     line_rsp                   d
//
// Latency: read 1 cycle in the cache, else 2 behind the answer to its last dword; a line's four dwords each take the
// bus for one cycle. Throughput: a line a cycle; of lines written in part one in two cycles; of misses one in four,
// with LINES_ASKED under way. Borders: rsp out of the cache's memories; the bus adds its register.
module cpu_lines
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
  import cpu_slot_pkg::*;
#(
  parameter int unsigned LINES_BEHIND = 64,    // on their way to memory: more than a datagram has
  parameter int unsigned LINES_ASKED  = 4      // in flight: what cpu_biu has room for
) (
  input  logic          cpu_clk,
  input  logic          cpu_rst,
  input  cpu_line_req_t line_req,
  output cpu_line_rsp_t line_rsp,

  input  logic          free,            // MEM is empty, and the cache neither fills nor drops
  input  logic          stores_waiting,  // in the store buffer
  input  logic          clear,           // a tag is being cleared
  // Cache
  output logic          active,          // the cache's read port is this unit's
  output logic          read,            // the line of line_req is looked up; its address stands in cpu_lsu then
  output logic          again,           // that line is looked up again
  output logic          fetch,           // the row that no line has is read
  output logic          row,             // the one (of two) where answers go; the other one is read
  output logic [1:0]    place,           // of the next dword that comes
  input  logic          cached,          // the line that was looked up may be in the cache ...
  input  logic          hit,             // ... and is
  input  logic [255:0]  found,
  output logic          write,           // the bytes of line_req.mask into the cache
  output logic          tag_write,       // and its tag: the line is valid
  // Bus
  output logic          behind_valid,    // goes before what waits in the store buffer
  output bus_req_t      behind,
  input  logic          behind_go,
  output logic          ask_valid,       // goes behind all stores
  output logic [1:0]    asked,           // this dword of the line that was looked up
  input  logic          ask_go,
  input  logic          rsp_valid,
  input  logic          rsp_err,
  output logic          asking,          // an answer is for this unit
  output logic          pending          // lines are on their way to memory
);

  localparam int unsigned PTR_W   = $clog2(LINES_BEHIND);
  localparam int unsigned ASKED_W = $clog2(LINES_ASKED + 1);

  if (LINES_BEHIND < 2 || (LINES_BEHIND & (LINES_BEHIND - 1)) != 0) begin : g_bad_lines_behind
    $error("cpu_lines: LINES_BEHIND must be a power of two of at least 2");
  end

  typedef struct packed {
    logic [7:0]  mask;
    logic [63:0] data;
  } masked_dword_t;

  // ---- Reads -------------------------------------------------------------------------------------------------------

  logic               look_q;    // a read has been looked up
  logic               fresh_q;   // what the memories show is of that
  logic [1:0]         asked_q;   // dwords of it that were asked for
  logic [ASKED_W-1:0] flying_q;  // lines that were asked for and have not come
  logic [1:0]         place_q;   // of the dword that comes next
  logic               row_q, err_q;
  logic               whole_q, whole_err_q;  // a line has come
  logic               answer_q;  // and is what the memories show
  logic               take_read, in_cache, found_now, looked, whole_now;

  assign in_cache  = cached && hit;
  assign found_now = look_q && fresh_q && in_cache && flying_q == '0 && !whole_q;
  assign looked    = found_now || (ask_go && asked_q == 2'd3);
  assign take_read = line_req.valid && !line_req.write && free && (!look_q || looked);
  assign again     = look_q && !fresh_q;
  assign asked     = asked_q;
  assign ask_valid = look_q && (asked_q != '0 || (fresh_q && !in_cache)) && !pending && !stores_waiting
                     && flying_q != ASKED_W'(LINES_ASKED);
  assign asking    = flying_q != '0 || asked_q != '0;

  always_ff @(posedge cpu_clk) begin
    if (take_read || looked) look_q <= take_read;
    fresh_q <= !fetch;
    if (ask_go) asked_q <= asked_q + 1'b1;
    flying_q <= flying_q + ASKED_W'(ask_go && asked_q == 2'd3) - ASKED_W'(whole_now);
    if (cpu_rst) begin
      look_q   <= 1'b0;
      asked_q  <= '0;
      flying_q <= '0;
    end
  end

  assign whole_now = asking && rsp_valid && place_q == 2'd3;
  assign fetch     = whole_q && !take_read;
  assign row       = row_q;
  assign place     = place_q;

  always_ff @(posedge cpu_clk) begin
    if (asking && rsp_valid) begin
      place_q <= place_q + 1'b1;
      err_q   <= rsp_err || (err_q && place_q != '0);
    end
    if (whole_now) begin
      row_q       <= !row_q;
      whole_err_q <= rsp_err || err_q;
    end
    if (whole_now || fetch) whole_q <= whole_now;
    answer_q <= fetch && !cpu_rst;
    if (cpu_rst) begin
      place_q <= '0;
      row_q   <= 1'b0;
      whole_q <= 1'b0;
    end
  end

  // ---- Writes ------------------------------------------------------------------------------------------------------

  logic looked_q;                    // in the cycle before, for a write in part
  logic may_write, whole, may_be_there, room, take_write;

  assign whole        = line_req.mask == '1;
  assign may_be_there = is_cached(line_req.address[31:28]);
  assign may_write    = line_req.valid && line_req.write && free && !look_q && !asking && !whole_q && !stores_waiting
                        && room;
  always_comb begin
    take_write = may_write;
    if (may_be_there) take_write = may_write && (whole ? !clear : looked_q);
  end
  assign write        = take_write && may_be_there && (whole || hit);
  assign tag_write    = take_write && may_be_there && whole;

  always_ff @(posedge cpu_clk) looked_q <= may_write && !whole && !take_write && !cpu_rst;

  assign active = line_req.valid || look_q || fetch;
  assign read   = take_read || (may_write && may_be_there && !whole && !looked_q);

  assign line_rsp = '{ready: take_read || take_write, valid: found_now || answer_q, err: answer_q && whole_err_q,
                      data: found};

  // ---- Behind: the lines go to memory, a dword a cycle ----------------------------------------------------------------

  // Lines are written whole and read by dwords.
  (* ram_style = "block", no_rw_check *) masked_dword_t dwords [4 * LINES_BEHIND];
  (* ram_style = "block", no_rw_check *) logic [31:5] addresses [LINES_BEHIND];
  masked_dword_t   front_q;
  logic [31:5]     front_address_q;
  logic            front_valid_q, leaves, load;
  logic [1:0]      front_dword_q;
  logic [PTR_W:0]  tail_q;   // lines
  logic [PTR_W+2:0] head_q;  // dwords

  assign room    = tail_q - head_q[PTR_W+2:2] != (PTR_W + 1)'(LINES_BEHIND);
  assign load    = head_q != {tail_q, 2'd0} && (!front_valid_q || leaves);
  assign pending = front_valid_q || head_q != {tail_q, 2'd0};

  // A dword without a byte is passed over.
  assign behind_valid = front_valid_q && front_q.mask != '0;
  assign behind       = '{lock: 1'b0, read: 1'b0, posted: 1'b1, mask: front_q.mask,
                          address: {front_address_q, front_dword_q, 3'b0}, data: front_q.data};
  assign leaves       = front_valid_q && (behind_go || front_q.mask == '0);

  always_ff @(posedge cpu_clk) begin
    if (take_write) begin
      for (int unsigned i = 0; i < 4; i++) begin
        dwords[{tail_q[PTR_W-1:0], 2'(i)}] <= '{mask: line_req.mask[8*(3-i) +: 8], data: line_req.data[64*(3-i) +: 64]};
      end
      addresses[tail_q[PTR_W-1:0]] <= line_req.address;
    end
  end
  always_ff @(posedge cpu_clk) begin
    if (load) begin
      front_q         <= dwords[head_q[PTR_W+1:0]];
      front_address_q <= addresses[head_q[PTR_W+1:2]];
      front_dword_q   <= head_q[1:0];
    end
  end

  always_ff @(posedge cpu_clk) begin
    if (take_write) tail_q <= tail_q + 1'b1;
    if (load) head_q <= head_q + 1'b1;
    if (load || leaves) front_valid_q <= load;
    if (cpu_rst) begin
      tail_q        <= '0;
      head_q        <= '0;
      front_valid_q <= 1'b0;
    end
  end

  a_alone : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    $past(!cpu_rst && line_req.valid && !line_rsp.ready) -> line_req.valid && $stable(line_req));
  a_go : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    (behind_go -> behind_valid) && (ask_go -> ask_valid) && !(behind_go && ask_go));
  a_order : assert property (@(posedge cpu_clk) disable iff (cpu_rst) ask_go -> !pending && !stores_waiting);
  a_one_answer : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !(found_now && answer_q));
  a_fetched : assert property (@(posedge cpu_clk) disable iff (cpu_rst) whole_now -> !whole_q);

endmodule
