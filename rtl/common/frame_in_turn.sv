// SPDX-License-Identifier: Apache-2.0
//
// A frame's last two words, which frame_split gives at once, one behind the other. A last one of at most TAIL_MAX bytes
// stays beside the one before where the frame is not bad: `out_tail`.
//
// Latency: none (combinational, one multiplexer). Throughput: a word a cycle.
module frame_in_turn #(
  parameter int unsigned WIDTH    = 512,
  parameter int unsigned TAIL_MAX = 0
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   in_tdata,  // the first byte on top
  input  logic [WIDTH/8-1:0] in_tkeep,
  input  logic               in_tlast,
  input  logic               in_bad,    // the frame's, with in_tlast or in_two
  input  logic               in_two,    // the frame's last word is in_rest_*, and not this one
  input  logic [WIDTH-1:0]   in_rest_tdata,
  input  logic [WIDTH/8-1:0] in_rest_tkeep,
  input  logic               in_valid,
  output logic               in_ready,

  output logic [WIDTH-1:0]   out_tdata,
  output logic [WIDTH/8-1:0] out_tkeep,
  output logic               out_tlast,
  output logic               out_bad,   // with out_tlast
  output logic               out_tail,  // in_rest_* is the frame's end, and goes with this word
  output logic               out_valid,
  input  logic               out_ready
);

  localparam int unsigned LANES = WIDTH / 8;

  logic second_q;  // in_rest_* is next

  assign out_tail  = in_two && !second_q && TAIL_MAX != 0 && !in_bad && !in_rest_tkeep[LANES-1-TAIL_MAX];
  assign out_tdata = second_q ? in_rest_tdata : in_tdata;
  assign out_tkeep = second_q ? in_rest_tkeep : in_tkeep;
  assign out_tlast = second_q || in_tlast;
  assign out_bad   = out_tlast && in_bad;
  assign out_valid = in_valid;
  assign in_ready  = out_ready && (second_q || !in_two || out_tail);

  always_ff @(posedge clk) begin
    if (in_valid && out_ready) second_q <= !in_ready;
    if (rst) second_q <= 1'b0;
  end

endmodule
