// SPDX-License-Identifier: Apache-2.0
//
// Segments that the core has told to send, each with its ends, until their headers are made. First of tcp_tx on a segment's
// way.
//
// The answer to an arrival goes to its sender; the ends of any other segment are asked of tcp_table at once, not when its
// turn comes: then its record could be another connection's already.
//
//     cycle         0   1   2   3   4
//     told_valid    1
//     send_valid        1                      ends_known too, if it answers an arrival
//     read_valid        1                      until read_ready
//     ends_valid                1
//     ends_known                    1
//
// `room`: 3 more find room. When it falls, there is room for 2 events that are under way. A segment each 8 cycles at most,
// so that the table has answered before the next.
//
// Borders: `send` and `ends` out of distributed memory, the others registers.
module tcp_tx_queue
  import tcp_pkg::*;
#(
  parameter int unsigned DEPTH = 8
) (
  input  logic   clk,
  input  logic   rst,

  input  logic   told_valid,  // pulse
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  input  told_t  told,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic   room,

  output logic   read_valid,
  input  logic   read_ready,
  output index_t read_index,
  input  logic   ends_valid,  // pulse
  input  ends_t  ends,

  output logic   send_valid,
  output send_t  send,
  output logic   send_known,  // its ends are there
  output ends_t  send_ends,
  input  logic   take         // it is done with
);

  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("tcp_tx_queue: DEPTH must be a power of two of at least 4");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);
  localparam int unsigned SPARE = 3;

  typedef logic [PTR_W:0] ptr_t;  // one bit more than the place: equal means empty

  (* ram_style = "distributed" *) send_t sends [DEPTH];
  (* ram_style = "distributed" *) ends_t all_ends [DEPTH];
  ptr_t   write_q, write_d, known_q, read_q, read_d;
  logic   push, known, room_q, asks_q;
  index_t index_q;

  assign push    = told_valid && told.actions.send_valid;
  assign known   = ends_valid || (push && told.kind == ARRIVAL);
  assign write_d = write_q + ptr_t'(push);
  assign read_d  = read_q + ptr_t'(take);

  always_ff @(posedge clk) if (push) sends[write_q[PTR_W-1:0]] <= told.actions.send;
  always_ff @(posedge clk) if (known) all_ends[known_q[PTR_W-1:0]] <= ends_valid ? ends : told.ends;

  always_ff @(posedge clk) begin
    write_q <= write_d;
    read_q  <= read_d;
    known_q <= known_q + ptr_t'(known);
    room_q  <= write_d - read_d <= ptr_t'(DEPTH - SPARE);
    if (push) index_q <= told.index;
    if (push && told.kind != ARRIVAL) asks_q <= 1'b1;
    else if (read_ready) asks_q <= 1'b0;
    if (rst) begin
      write_q <= '0;
      read_q  <= '0;
      known_q <= '0;
      room_q  <= 1'b0;
      asks_q  <= 1'b0;
    end
  end

  assign room       = room_q;
  assign read_valid = asks_q;
  assign read_index = index_q;
  assign send_valid = write_q != read_q;
  assign send       = sends[read_q[PTR_W-1:0]];
  assign send_known = known_q != read_q;
  assign send_ends  = all_ends[read_q[PTR_W-1:0]];

  a_room : assert property (@(posedge clk) disable iff (rst) push -> write_q - read_q < ptr_t'(DEPTH));
  a_take : assert property (@(posedge clk) disable iff (rst) take -> send_valid && send_known);
  a_answered : assert property (@(posedge clk) disable iff (rst) push -> known_q == write_q && !ends_valid);
  a_asked : assert property (@(posedge clk) disable iff (rst) ends_valid -> known_q != write_q && !asks_q);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && read_valid && !read_ready) -> read_valid && $stable(read_index));

endmodule
