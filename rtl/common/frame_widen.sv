// SPDX-License-Identifier: Apache-2.0
//
// Beats of a frame, FROM bits, into beats of TO bits: each is there with its last part. A frame's last beat has what
// there is. TO = FROM: wires.
//
// Latency: none from the last part of a beat (combinational, one multiplexer). Throughput: a part a cycle.
module frame_widen #(
  parameter int unsigned FROM = 64,
  parameter int unsigned TO   = 128
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

  localparam int unsigned PARTS = TO / FROM;

  if (PARTS < 1 || PARTS * FROM != TO) begin : g_bad
    $error("frame_widen: TO must be a multiple of FROM");
  end

  assign out_tlast = in_tlast;
  assign out_bad   = in_bad;

  if (PARTS == 1) begin : g_wires
    assign out_tdata = in_tdata;
    assign out_tkeep = in_tkeep;
    assign out_valid = in_valid;
    assign in_ready  = out_ready;

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = clk ^ rst;
    /* verilator lint_on UNUSEDSIGNAL */
  end else begin : g_parts
    localparam int unsigned PART_W = $clog2(PARTS);

    logic [PART_W-1:0] part_q;           // of the beat, that comes next
    logic [TO-1:0]     data_q;
    logic              whole;

    assign whole     = in_tlast || part_q == PART_W'(PARTS - 1);
    assign out_valid = in_valid && whole;
    assign in_ready  = !whole || out_ready;

    always_comb begin
      out_tdata = data_q;
      out_tkeep = '0;
      for (int unsigned i = 0; i < PARTS; i++) begin
        if (part_q == PART_W'(i)) begin
          out_tdata[TO-1 - FROM*i -: FROM]       = in_tdata;
          out_tkeep[TO/8-1 - FROM/8*i -: FROM/8] = in_tkeep;
        end
        if (int'(part_q) > int'(i)) out_tkeep[TO/8-1 - FROM/8*i -: FROM/8] = '1;
      end
    end

    always_ff @(posedge clk) begin
      if (in_valid && in_ready) begin
        part_q <= whole ? '0 : part_q + 1'b1;
        data_q <= out_tdata;
      end
      if (rst) part_q <= '0;
    end
  end

endmodule
