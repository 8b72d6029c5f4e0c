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
// LAG is by how many cycles the MAC's stamp is earlier than what it stands for. A stamp may be LAG to 2^32 - 1 cycles
// old (34 s at 125 MHz).
//
// A serial multiplier, two bits of the age a cycle, and no more than it has: stamps are mostly young.
// Latency: `converted_valid` rises 3 + n cycles after convert_valid for an age of n pairs of bits, at least one: nine
// cycles for a stamp that came up to 2047 cycles ago, 19 at most. It stays until the next convert_valid; a
// convert_valid before that begins anew.
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
  logic [31:0] age_q;                  // what is left of it
  logic [63:0] once_q, product_q;      // 36.28: the increment, times what stands in front of the rest of the age
  logic [63:0] thrice_q;               // three times that
  logic [63:0] part;
  logic        begin_q, multiply_q, end_q;
  logic [63:0] converted_q;
  logic        converted_valid_q;

  always_comb begin
    unique case (age_q[1:0])
      2'd0:    part = '0;
      2'd1:    part = once_q;
      2'd2:    part = once_q << 1;
      default: part = thrice_q;
    endcase
  end

  assign difference = base_q - 92'(product_q);

  always_ff @(posedge clk) begin
    if (convert_valid) begin
      age_q     <= time_now - convert_stamp - 32'(LAG);
      base_q    <= ptp_now;
      once_q    <= 64'(increment);
      product_q <= '0;
    end else if (multiply_q) begin
      age_q     <= age_q >> 2;
      once_q    <= once_q << 2;
      thrice_q  <= thrice_q << 2;
      product_q <= product_q + part;
    end
    if (begin_q) thrice_q <= once_q + (once_q << 1);
    if (end_q) converted_q <= difference[91:28];
    begin_q           <= convert_valid;
    multiply_q        <= !convert_valid && (begin_q || (multiply_q && age_q[31:2] != '0));
    end_q             <= !convert_valid && multiply_q && age_q[31:2] == '0;
    converted_valid_q <= !convert_valid && (end_q || converted_valid_q);
    if (rst) begin
      begin_q           <= 1'b0;
      multiply_q        <= 1'b0;
      end_q             <= 1'b0;
      converted_valid_q <= 1'b0;
    end
  end

  assign converted       = converted_q;
  assign converted_valid = converted_valid_q;

endmodule
