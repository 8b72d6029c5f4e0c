// SPDX-License-Identifier: Apache-2.0
//
// What each connection has received and sent, for `ss -i`: eight counters of 32 bits a connection in one memory, which
// wrap around. (Bytes received and acknowledged are positions: tcp_notify.) From what tcp_core tells of each event.
//
//     told --> which of the eight change --> queue --> one after the other: memory --> + --> memory
//
//     cycle          0         1         2
//     counter        read      added     written
//
// An event takes a cycle for each counter that changes: 5 at most for a segment out, 3 for one in, 8 when a connection
// begins and all are set. One that was read and is not written yet is waited for. A read by the processor takes a
// cycle, of four. Events come 8 cycles apart; those that come while another is not done wait: DEPTH have room.
//
// Latency: `count` follows `read` by a cycle; what is told is in it 4 cycles later when no other is in front.
module tcp_counters
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        told_valid,  // pulse, at most every 8 cycles
  /* verilator lint_off UNUSEDSIGNAL */  // only what is counted
  input  told_t       told,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        begins,      // the command that is told begins a connection, if it is done

  input  logic        read,
  /* verilator lint_off UNUSEDSIGNAL */  // bits of connections that are not there
  input  index_t      read_index,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]  read_number,
  output logic [31:0] count        // in the next cycle
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_counters: CONNECTIONS must be 4 to 1024");
  end

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);
  localparam int unsigned DEPTH  = 8;

  typedef struct packed {      // bit i is that of counter i
    logic bytes_again;
    logic bytes_sent;
    logic segments_again;
    logic data_segments_out;
    logic segments_out;
    logic drops;
    logic data_segments_in;
    logic segments_in;
  } which_t;

  typedef struct packed {
    logic [SHORT_W-1:0] index;
    which_t            counts;
    logic              clear;
    logic [15:0]       length;
  } change_t;

  typedef struct packed {
    logic [SHORT_W-1:0] index;
    logic [2:0]        number;
  } place_of_t;

  which_t  counts;
  change_t change, head;
  logic    data, head_valid, change_ready, changes;

  assign data   = told.actions.send.length != '0;
  assign counts = '{
    bytes_again:       told.actions.send_valid && told.actions.send.again && data,
    bytes_sent:        told.actions.send_valid && data,
    segments_again:    told.actions.send_valid && told.actions.send.again,
    data_segments_out: told.actions.send_valid && data,
    segments_out:      told.actions.send_valid,
    drops:             told.kind == ARRIVAL && told.actions.drop != DROP_NOT,
    data_segments_in:  told.kind == ARRIVAL && told.actions.place_valid,
    segments_in:       told.kind == ARRIVAL
  };
  assign change = '{
    index:  SHORT_W'(told.index),
    counts: counts,
    clear:  told.kind == SPAWN || (told.kind == COMMAND && begins && told.actions.answer == DONE),
    length: told.actions.send.length
  };
  assign changes = told_valid && !told.nobody && (counts != '0 || change.clear);

  // ---- One event after the other, of it one counter after the other ------------------------------------------------

  logic [7:0] wanted, left, done_q;  // counters of the event that change; that are to do; that are done
  logic [2:0] number;
  logic       works, last;
  place_of_t  place, adds_q, writes_q;
  logic       add_valid_q, write_valid_q;

  assign wanted = head.counts;
  assign left   = (head.clear ? '1 : wanted) & ~done_q;
  assign place  = '{index: head.index, number: number};
  assign works  = head_valid && !read && !(add_valid_q && adds_q == place) && !(write_valid_q && writes_q == place);
  assign last   = works && (left & (left - 1'b1)) == '0;

  always_comb begin
    number = '0;
    for (int unsigned i = 8; i > 0; i--) if (left[i-1]) number = 3'(i - 1);
  end

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH($bits(change_t)), .DEPTH(DEPTH)) u_changes (
    .clk,
    .rst,
    .in_data  (change),
    .in_valid (changes),
    .in_ready (change_ready),
    .out_data (head),
    .out_valid(head_valid),
    .out_ready(last),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- The memory --------------------------------------------------------------------------------------------------

  (* ram_style = "block" *) logic [31:0] counters [CONNECTIONS * 8];
  logic [31:0] count_q, sum_q;
  logic [15:0] amount_q;
  place_of_t   looks;
  logic        clear_q;

  assign looks = read ? '{index: SHORT_W'(read_index), number: read_number} : place;
  assign count = count_q;

  always_ff @(posedge clk) begin
    if (write_valid_q) counters[writes_q] <= sum_q;
    count_q <= counters[looks];
  end

  always_ff @(posedge clk) begin
    add_valid_q   <= works;
    adds_q        <= place;
    amount_q      <= number >= 3'd6 ? head.length : 16'd1;
    if (!wanted[number]) amount_q <= '0;
    clear_q       <= head.clear;
    write_valid_q <= add_valid_q;
    writes_q      <= adds_q;
    sum_q         <= (clear_q ? '0 : count_q) + 32'(amount_q);
    if (works) done_q <= last ? '0 : done_q | (8'd1 << number);
    if (rst) begin
      add_valid_q   <= 1'b0;
      write_valid_q <= 1'b0;
      done_q        <= '0;
    end
  end

  a_room : assert property (@(posedge clk) disable iff (rst) changes -> change_ready && 32'(told.index) < CONNECTIONS);

endmodule
