// SPDX-License-Identifier: Apache-2.0
//
// Registers of the programmable NIC that belong to no assist, block 0 of pnic_far:
//   0  read: cycles of this clock since reset, 32 bits
//   1  written: a message to the host, of 32 bits and by whom; shown for a cycle. Read: the last one
// Latency as assist_reg_t wants it: data in the cycle behind.
module pnic_system
  import pnic_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  /* verilator lint_off UNUSEDSIGNAL */  // the registers that there are
  input  assist_reg_t regs,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]  regs_core,
  output logic [31:0] regs_data,
  output logic        message_valid,
  output logic [2:0]  message_core,
  output logic [31:0] message
);

  logic [31:0] time_q;

  always_ff @(posedge clk) begin
    time_q        <= time_q + 32'd1;
    message_valid <= regs.valid && regs.write && regs.number == 6'd1;
    regs_data     <= regs.number == 6'd1 ? message : time_q;
    if (regs.valid && regs.write && regs.number == 6'd1) begin
      message      <= regs.data;
      message_core <= regs_core;
    end
    if (rst) begin
      time_q        <= '0;
      message_valid <= 1'b0;
      message       <= '0;
    end
  end

endmodule
