// SPDX-License-Identifier: Apache-2.0
//
// Beats of a frame, FROM bits, as beats of TO bits, the first part first. Behind a frame's last byte nothing comes.
// FROM = TO: wires.
//
// Latency: none (combinational, one multiplexer). Throughput: a part a cycle; a beat is taken with its last one.
module frame_narrow #(
  parameter int unsigned FROM = 128,
  parameter int unsigned TO   = 64
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [FROM-1:0]   in_tdata,   // the first byte on top
  input  logic [FROM/8-1:0] in_tkeep,
  input  logic              in_tlast,
  input  logic              in_bad,     // with in_tlast
  input  logic              in_valid,
  output logic              in_ready,
  output logic [TO-1:0]     out_tdata,
  output logic [TO/8-1:0]   out_tkeep,
  output logic              out_tlast,
  output logic              out_bad,
  output logic              out_valid,
  input  logic              out_ready
);

  localparam int unsigned PARTS = FROM / TO;

  if (PARTS < 1 || PARTS * TO != FROM) begin : g_bad
    $error("frame_narrow: FROM must be a multiple of TO");
  end

  assign out_valid = in_valid;

  if (PARTS == 1) begin : g_wires
    assign out_tdata = in_tdata;
    assign out_tkeep = in_tkeep;
    assign out_tlast = in_tlast;
    assign out_bad   = in_bad;
    assign in_ready  = out_ready;

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = clk ^ rst;
    /* verilator lint_on UNUSEDSIGNAL */
  end else begin : g_parts
    localparam int unsigned PART_W = $clog2(PARTS);

    logic [PART_W-1:0]          part_q;
    logic [PARTS-1:0][TO-1:0]   parts;   // [PARTS-1] first
    logic [PARTS-1:0][TO/8-1:0] keeps;
    logic [PARTS:0]             filled;  // such a part has bytes; one behind the last has none
    logic                       final_part;

    assign parts = in_tdata;
    assign keeps = in_tkeep;

    always_comb begin
      filled = '0;
      for (int unsigned i = 0; i < PARTS; i++) filled[i] = keeps[PARTS-1-i] != '0;
    end

    assign final_part = !filled[32'(part_q) + 1];
    assign out_tdata  = parts[PART_W'(PARTS - 1) - part_q];
    assign out_tkeep  = keeps[PART_W'(PARTS - 1) - part_q];
    assign out_tlast  = in_tlast && final_part;
    assign out_bad    = in_bad && out_tlast;
    assign in_ready   = out_ready && final_part;

    always_ff @(posedge clk) begin
      if (in_valid && out_ready) part_q <= final_part ? '0 : part_q + 1'b1;
      if (rst) part_q <= '0;
    end
  end

endmodule
