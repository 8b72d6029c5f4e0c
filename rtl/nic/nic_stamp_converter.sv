// SPDX-License-Identifier: Apache-2.0
//
// A stamp of the MAC, the free-running counter's low word, becomes PTP time:
//
//     converted = ptp_now - (time_now - stamp - LAG) * increment
//
// exact to the fraction and then cut to whole nanoseconds. That is the PTP time of the stamped moment as if the present
// rate had always held: what was set or stepped since then applies to the stamp as well. `ptp_now`, `time_now`
// and `increment` are those in the cycle of convert_valid.
//
// LAG is by how many cycles the MAC's stamp is earlier than what it stands for. A stamp may be LAG to 2^32 - 1 cycles old
// (34 s at 125 MHz).
//
// Latency: `converted_valid` rises four cycles after convert_valid and stays until the next one. A convert_valid before
// that begins anew.
module nic_stamp_converter #(
  parameter int unsigned LAG = 0
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] time_now,
  input  logic [91:0] ptp_now,         // nanoseconds, 28 bits of fraction
  input  logic [31:0] increment,       // of ptp_now, a cycle
  input  logic        convert_valid,   // pulse
  input  logic [31:0] convert_stamp,
  output logic        converted_valid,
  output logic [63:0] converted        // nanoseconds
);

  logic [91:0] base_q;
  /* verilator lint_off UNUSEDSIGNAL */  // the fraction
  logic [91:0] difference;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] age_q, increment_q;
  logic [63:0] age_ns_q;               // 36.28
  logic [31:0] low_low_q, low_high_q, high_low_q, high_high_q;
  logic [32:0] middle;
  logic [63:0] converted_q;
  logic [2:0]  stage_q;                // one-hot: age, partial products, their sum
  logic        converted_valid_q;

  // Four products of 16 x 16 bits, a DSP block each (as in rv_muldiv), and their sum.
  assign middle     = low_high_q + high_low_q;
  assign difference = base_q - 92'(age_ns_q);

  always_ff @(posedge clk) begin
    if (convert_valid) begin
      age_q       <= time_now - convert_stamp - 32'(LAG);
      base_q      <= ptp_now;
      increment_q <= increment;  // a register of its own beside the multipliers
    end
    low_low_q   <= age_q[15:0] * increment_q[15:0];
    low_high_q  <= age_q[15:0] * increment_q[31:16];
    high_low_q  <= age_q[31:16] * increment_q[15:0];
    high_high_q <= age_q[31:16] * increment_q[31:16];
    age_ns_q    <= {high_high_q, low_low_q} + {15'b0, middle, 16'b0};
    if (stage_q[2]) converted_q <= difference[91:28];
    stage_q           <= convert_valid ? 3'b001 : stage_q << 1;
    converted_valid_q <= !convert_valid && (stage_q[2] || converted_valid_q);
    if (rst) begin
      stage_q           <= '0;
      converted_valid_q <= 1'b0;
    end
  end

  assign converted       = converted_q;
  assign converted_valid = converted_valid_q;

endmodule
