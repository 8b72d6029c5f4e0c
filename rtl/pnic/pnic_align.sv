// SPDX-License-Identifier: Apache-2.0
//
// Shifts pieces of bytes from where they begin in beats of 16 bytes to where they are to begin. The first byte of a
// piece is in lane `cmd_from` of its first beat (0: the top one) and comes out in lane `cmd_to`.
//
//   cmd      |   from 2, to 0, 20 bytes     | ...          stays until the piece's last beat is made
//   in_data  |  b0  |  b1  |                               (2 + 20 + 15) / 16 beats
//   out_data        |  o0  |  o1  |                        (0 + 20 + 15) / 16 beats
//
// A beat that goes out is the end of one that came in and the begin of the next: the two side by side, shifted. Where
// the piece begins later in its beat than it is to, its first beat only fills prev_q (`fills`); behind the last one the
// rest of prev_q may still have to go out. `out_mask`: lanes that have bytes of the piece; in others is anything.
//
// Latency: one cycle from a beat to what it completes. Throughput: a beat a cycle; one cycle more for a piece that
// fills.
// Borders: out of registers; cmd_ready and in_ready through gates.
module pnic_align #(
  parameter int unsigned BYTES_W = 9,
  parameter int unsigned SIDE    = 1    // bits that go along with each beat
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               cmd_valid,
  output logic               cmd_ready,
  input  logic [3:0]         cmd_from,
  input  logic [3:0]         cmd_to,
  input  logic [BYTES_W-1:0] cmd_bytes,  // 1 at least
  input  logic [SIDE-1:0]    cmd_side,
  input  logic               in_valid,
  output logic               in_ready,
  input  logic [127:0]       in_data,
  output logic               out_valid,
  input  logic               out_ready,
  output logic [127:0]       out_data,
  output logic [15:0]        out_mask,
  output logic               out_first,
  output logic               out_last,
  output logic [SIDE-1:0]    out_side
);

  localparam int unsigned COUNT_W = BYTES_W + 1 - 4;

  typedef logic [COUNT_W-1:0] count_t;

  // Beats that hold the piece when it begins in lane `first`.
  function automatic count_t beats(input logic [3:0] first, input logic [BYTES_W-1:0] bytes);
    return count_t'(((BYTES_W + 1)'(first) + (BYTES_W + 1)'(bytes) + (BYTES_W + 1)'(15)) >> 4);
  endfunction

  count_t       taken_q, made_q;  // beats of this piece
  logic [127:0] prev_q, shifted;
  logic [3:0]   shift, end_lane;
  logic         wants, fills, out_free, goes, makes, first, last;
  logic [15:0]  mask;

  assign shift    = cmd_to - cmd_from;
  assign end_lane = 4'(cmd_to + 4'(cmd_bytes) - 4'd1);
  assign wants    = taken_q != beats(cmd_from, cmd_bytes);
  assign fills    = cmd_from > cmd_to && taken_q == '0;
  assign out_free = !out_valid || out_ready;
  assign goes     = cmd_valid && (!wants || in_valid) && (fills || out_free);
  assign makes    = goes && !fills;
  assign first    = made_q == '0;
  assign last     = made_q == beats(cmd_to, cmd_bytes) - 1'b1;

  assign in_ready  = cmd_valid && wants && (fills || out_free);
  assign cmd_ready = makes && last;

  always_comb begin
    shifted = 128'({prev_q, in_data} >> {shift, 3'b000});
    for (int unsigned lane = 0; lane < 16; lane++) begin
      mask[15 - lane] = !(first && lane < 32'(cmd_to)) && !(last && lane > 32'(end_lane));
    end
  end

  always_ff @(posedge clk) begin
    if (goes && wants) prev_q <= in_data;
    if (goes) taken_q <= cmd_ready ? '0 : taken_q + count_t'(wants);
    if (makes) made_q <= last ? '0 : made_q + 1'b1;
    if (out_free) begin
      out_valid <= makes;
      out_data  <= shifted;
      out_mask  <= mask;
      out_first <= first;
      out_last  <= last;
      out_side  <= cmd_side;
    end
    if (rst) begin
      taken_q   <= '0;
      made_q    <= '0;
      out_valid <= 1'b0;
    end
  end

  a_all_taken : assert property (@(posedge clk) disable iff (rst)
    cmd_ready -> taken_q + count_t'(wants) == beats(cmd_from, cmd_bytes));

endmodule
