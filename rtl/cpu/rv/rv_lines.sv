// SPDX-License-Identifier: Apache-2.0
//
// The line port (cpu_slot_pkg): whole lines between a unit and the data cache, or memory behind it, while the unit's
// instruction holds EX and nothing is in MEM. A part of rv_lsu, which lends it the cache's memories and its way to the bus.
//
//     line_req --write--> cache (whole line: with its tag; else the bytes, if the line is there)
//              \------> u_behind, 64 lines --> behind: posted stores of dwords, before any later access
//              --read---> cache --hit---------------------------> line_rsp
//                              \-miss--> ask: 4 dwords ... rsp --/         no line enters the cache
//
//     cycle            0    1    2    3    4
//     write, whole     w0   w1   w2                       taken as they come: written in that cycle
//     write, in part        w    .                        in the second cycle: the tag is looked at in the first
//     read, hit        r0   r1   r2
//     line_rsp              d0   d1   d2
//
// Order. Writes wait until every store that is older has left; what is younger waits for them in rv_lsu (`pending`). A miss
// waits for both. So memory sees program order, and what hits is what program order says, too. A line written whole is
// valid at once: another master's write that comes before ours in memory's order is written over there as it is here. One
// that comes later is snooped as ever. A tag is not written while another is cleared.
//
// A read that misses does not fill the cache: what is sent is seldom read again. Several are under way; a hit behind them
// waits for their answers.
//
// Latency: read 1 cycle in the cache; a line's four dwords each take the bus for one cycle. Throughput: a line a cycle; of
// lines written in part one in two cycles; of misses one in four, with LINES_ASKED under way.
// Borders: rsp out of the cache's memories or with the bus's answer through a multiplexer; the bus adds its register.
module rv_lines
  import cpu_regions_pkg::*;
  import cpu_slot_pkg::*;
  import rv_pkg::*;
#(
  parameter int unsigned LINES_BEHIND = 64,    // on their way to memory: more than a datagram has
  parameter int unsigned LINES_ASKED  = 4      // in flight: what rv_biu has room for
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
  output logic          read,            // the line of line_req is looked up
  output logic [31:5]   compared,        // in the cycles behind that: the line that `hit` is about
  input  logic          hit,
  input  logic [255:0]  found,
  output logic          write,           // the bytes of line_req.mask into the cache
  output logic          tag_write,       // and its tag: the line is valid
  // Bus
  output logic          behind_valid,    // goes before what waits in the store buffer
  output bus_req_t      behind,
  input  logic          behind_go,
  output logic          ask_valid,       // goes behind all stores
  output bus_req_t      ask,
  input  logic          ask_go,
  input  logic          rsp_valid,
  input  logic          rsp_err,
  input  logic [63:0]   rsp_data,
  output logic          asking,          // an answer is for this unit
  output logic          pending          // lines are on their way to memory
);

  localparam int unsigned PTR_W   = $clog2(LINES_BEHIND);
  localparam int unsigned ASKED_W = $clog2(LINES_ASKED + 1);

  if (LINES_BEHIND < 2 || (LINES_BEHIND & (LINES_BEHIND - 1)) != 0) begin : g_bad_lines_behind
    $error("rv_lines: LINES_BEHIND must be a power of two of at least 2");
  end

  typedef struct packed {
    logic [7:0]  mask;
    logic [63:0] data;
  } dword_t;

  // ---- Reads -------------------------------------------------------------------------------------------------------

  logic               look_q;        // a read has been looked up
  logic [31:5]        look_address_q;
  logic [1:0]         asked_q;       // dwords of it that were asked for
  logic [ASKED_W-1:0] flying_q;      // lines that were asked for and not answered
  logic               take_read, in_cache, found_now, looked, whole_now;

  assign in_cache  = is_cached(look_address_q[31:28]) && hit;
  assign found_now = look_q && in_cache && flying_q == '0;
  assign looked    = found_now || (ask_go && asked_q == 2'd3);
  assign take_read = line_req.valid && !line_req.write && free && (!look_q || looked);
  assign ask_valid = look_q && !in_cache && !pending && !stores_waiting && flying_q != ASKED_W'(LINES_ASKED);
  assign ask       = '{lock: 1'b0, read: 1'b1, posted: 1'b0, mask: '1, address: {look_address_q, asked_q, 3'b0},
                       data: '0};
  assign asking    = flying_q != '0 || asked_q != '0;

  always_ff @(posedge cpu_clk) begin
    if (take_read) look_address_q <= line_req.address;
    if (take_read || looked) look_q <= take_read;
    if (ask_go) asked_q <= asked_q + 1'b1;
    flying_q <= flying_q + ASKED_W'(ask_go && asked_q == 2'd3) - ASKED_W'(whole_now);
    if (cpu_rst) begin
      look_q   <= 1'b0;
      asked_q  <= '0;
      flying_q <= '0;
    end
  end

  logic [2:0][63:0] come_q;
  logic [1:0]       come_count_q;
  logic             come_err_q;

  assign whole_now = asking && rsp_valid && come_count_q == 2'd3;

  always_ff @(posedge cpu_clk) begin
    if (asking && rsp_valid) begin
      come_q       <= {come_q[1:0], rsp_data};
      come_count_q <= come_count_q + 1'b1;
      come_err_q   <= rsp_err || (come_err_q && come_count_q != '0);
    end
    if (cpu_rst) come_count_q <= '0;
  end

  // ---- Writes ------------------------------------------------------------------------------------------------------

  logic looked_q;                    // in the cycle before, for a write in part
  logic may_write, whole, cached, room, take_write;

  assign whole     = line_req.mask == '1;
  assign cached    = is_cached(line_req.address[31:28]);
  assign may_write = line_req.valid && line_req.write && free && !look_q && !stores_waiting && room;
  always_comb begin
    take_write = may_write;
    if (cached) take_write = may_write && (whole ? !clear : looked_q);
  end
  assign write     = take_write && cached && (whole || hit);
  assign tag_write = take_write && cached && whole;

  always_ff @(posedge cpu_clk) looked_q <= may_write && !whole && !take_write && !cpu_rst;

  assign active   = line_req.valid || look_q;
  assign read     = take_read || (may_write && cached && !whole && !looked_q);
  assign compared = look_q ? look_address_q : line_req.address;

  assign line_rsp = '{ready: take_read || take_write, valid: found_now || whole_now,
                      err: whole_now && (rsp_err || (come_err_q && come_count_q != '0)),
                      data: whole_now ? {come_q, rsp_data} : found};

  // ---- Behind: the lines go to memory, a dword a cycle ----------------------------------------------------------------

  // Lines are written whole and read by dwords.
  (* ram_style = "block", no_rw_check *) dword_t      dwords [4 * LINES_BEHIND];
  (* ram_style = "block", no_rw_check *) logic [31:5] addresses [LINES_BEHIND];
  dword_t          front_q;
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
  a_one_answer : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !(found_now && whole_now));

endmodule
