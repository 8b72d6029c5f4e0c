// SPDX-License-Identifier: Apache-2.0
//
// Two-flop synchronizer for WIDTH independent level signals (or one Gray-coded value).
// Latency: two to three clk edges. Timing constraint: set_max_delay -datapath_only of one clk period from the source
// registers to meta_q (and a bus-skew bound of one source period where the bits are a Gray code).
module sync_bits #(
  parameter int unsigned      WIDTH = 1,
  parameter logic [WIDTH-1:0] RESET = '0
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [WIDTH-1:0] d,
  output logic [WIDTH-1:0] q
);

  (* ASYNC_REG = "TRUE" *) logic [WIDTH-1:0] meta_q;
  (* ASYNC_REG = "TRUE" *) logic [WIDTH-1:0] sync_q;

  always_ff @(posedge clk) begin
    if (rst) begin
      meta_q <= RESET;
      sync_q <= RESET;
    end else begin
      meta_q <= d;
      sync_q <= meta_q;
    end
  end

  assign q = sync_q;

endmodule
