// SPDX-License-Identifier: Apache-2.0
//
// frame_pack, and frame_unpack (frame_split, frame_in_turn) behind it, or behind packed beats of the test's own.
module frame_packed_tb #(
  parameter int unsigned WIDTH     = 256,
  parameter int unsigned DEPTH     = 64,
  parameter int unsigned MAX_BYTES = 400,
  localparam int unsigned UNITS    = WIDTH / 64
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   in_tdata,
  input  logic [WIDTH/8-1:0] in_tkeep,
  input  logic               in_tlast,
  input  logic               in_bad,
  input  logic               in_two,
  input  logic [WIDTH-1:0]   in_rest_tdata,
  input  logic [WIDTH/8-1:0] in_rest_tkeep,
  input  logic               in_valid,
  output logic               in_ready,

  input  logic               own,         // these, and not those of frame_pack
  input  logic [WIDTH-1:0]   own_tdata,
  input  logic [WIDTH/8-1:0] own_tkeep,
  input  logic [UNITS-1:0]   own_starts,
  input  logic [UNITS-1:0]   own_ends,
  input  logic               own_bad,
  input  logic               own_valid,

  output logic [WIDTH-1:0]   packed_tdata,
  output logic [WIDTH/8-1:0] packed_tkeep,
  output logic [UNITS-1:0]   packed_starts,
  output logic [UNITS-1:0]   packed_ends,
  output logic               packed_bad,
  output logic               packed_valid,

  output logic [WIDTH-1:0]   out_tdata,
  output logic [WIDTH/8-1:0] out_tkeep,
  output logic               out_tlast,
  output logic               out_bad,
  output logic               out_valid,
  input  logic               out_ready,
  output logic               dropped
);

  frame_pack #(.WIDTH(WIDTH)) u_pack (
    .clk, .rst, .in_tdata, .in_tkeep, .in_tlast, .in_bad, .in_two, .in_rest_tdata, .in_rest_tkeep, .in_valid, .in_ready,
    .out_tdata(packed_tdata), .out_tkeep(packed_tkeep), .out_starts(packed_starts), .out_ends(packed_ends),
    .out_bad(packed_bad), .out_valid(packed_valid)
  );

  frame_unpack #(.WIDTH(WIDTH), .DEPTH(DEPTH), .MAX_BYTES(MAX_BYTES)) u_unpack (
    .clk, .rst, .in_tdata(own ? own_tdata : packed_tdata), .in_tkeep(own ? own_tkeep : packed_tkeep),
    .in_starts(own ? own_starts : packed_starts), .in_ends(own ? own_ends : packed_ends),
    .in_bad(own ? own_bad : packed_bad), .in_valid(own ? own_valid : packed_valid), .out_tdata, .out_tkeep, .out_tlast,
    .out_bad, .out_valid, .out_ready, .dropped
  );

endmodule
