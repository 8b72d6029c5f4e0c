// SPDX-License-Identifier: Apache-2.0
//
// One reset for one clock domain: asserted as soon as `arst` is (the clock need not run), released on the STAGES-th
// clk edge after it. Timing constraint: set_false_path to the asynchronous preset pins.
module reset_sync #(
  parameter int unsigned STAGES = 4
) (
  input  logic clk,
  input  logic arst,
  output logic rst
);

  (* ASYNC_REG = "TRUE" *) logic [STAGES-1:0] stages_q;

  always_ff @(posedge clk or posedge arst) begin
    if (arst) stages_q <= '1;
    else stages_q <= {stages_q[STAGES-2:0], 1'b0};
  end

  assign rst = stages_q[STAGES-1];

endmodule
