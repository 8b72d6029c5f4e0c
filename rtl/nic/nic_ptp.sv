// SPDX-License-Identifier: Apache-2.0
//
// PTP time: 64 bits of nanoseconds and 28 of their fraction, growing by `increment` (4.28) each cycle.
//
// `set`: the time in the second cycle after it is `value` to the fraction. `step`: `value` (two's complement) is
// added on top of the increment, seen two cycles later, too. Neither loses a fraction of what the clock has counted
// otherwise. A change of `increment` is seen in the growth two cycles later.
module nic_ptp (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] increment,  // nanoseconds, 28 bits of fraction
  input  logic [63:0] value,      // nanoseconds
  input  logic        set,        // pulse; goes before `step`
  input  logic        step,       // pulse
  output logic [91:0] now         // nanoseconds, 28 bits of fraction
);

  import nic_regs_pkg::*;

  logic [91:0] now_q, addend_q;
  logic [63:0] value_q;
  logic        set_q;

  always_ff @(posedge clk) begin
    addend_q <= {(step ? value : 64'b0) + 64'(increment[31:28]), increment[27:0]};
    value_q  <= value;
    set_q    <= set;
    now_q    <= set_q ? {value_q, 28'b0} : now_q + addend_q;
    if (rst) begin
      addend_q <= 92'(PTP_INCREMENT_RESET);
      set_q    <= 1'b0;
      now_q    <= '0;
    end
  end

  assign now = now_q;

endmodule
