// SPDX-License-Identifier: Apache-2.0
//
// Registers of the programmable NIC that belong to no assist, block 0 of pnic_far:
//   0  TIME        read: cycles of this clock since reset, 32 bits
//   1  MESSAGE     written: a message to the host, of 32 bits and by whom, shown for a cycle. Read: the last one
//   2  INTERRUPT   written: the host should be interrupted. Read: [0] the interrupt is there, [1] another one waits
//   3  MODERATION  cycles from one interrupt until the next one may come, at least; 0 after reset. Many that are asked
//                  for meanwhile are one
// `irq` stays until `seen`, and is low for at least LOW cycles then: a host's clock of 250 MHz sees that up to 800 MHz.
//
// Latency as assist_reg_t wants it: data in the cycle behind. Borders: registers.
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
  output logic [31:0] message,
  output logic        irq,
  input  logic        seen
);

  localparam logic [31:0] LOW = 32'd8;
  localparam logic [5:0] MESSAGE = 6'd1, INTERRUPT = 6'd2, MODERATION = 6'd3;

  logic [31:0] time_q, moderation_q, quiet_q;  // cycles until an interrupt may come
  logic        asked_q, write;

  assign write = regs.valid && regs.write;

  always_ff @(posedge clk) begin
    time_q        <= time_q + 32'd1;
    message_valid <= write && regs.number == MESSAGE;
    case (regs.number)
      MESSAGE:    regs_data <= message;
      INTERRUPT:  regs_data <= {30'b0, asked_q, irq};
      MODERATION: regs_data <= moderation_q;
      default:    regs_data <= time_q;
    endcase
    if (write && regs.number == MESSAGE) begin
      message      <= regs.data;
      message_core <= regs_core;
    end
    if (write && regs.number == MODERATION) moderation_q <= regs.data;

    if (quiet_q != '0) quiet_q <= quiet_q - 32'd1;
    if (seen) begin
      irq <= 1'b0;
      if (quiet_q < LOW) quiet_q <= LOW;
    end
    if (asked_q && !irq && quiet_q == '0) begin
      irq <= 1'b1;
      asked_q   <= 1'b0;
      quiet_q   <= moderation_q;
    end
    if (write && regs.number == INTERRUPT) asked_q <= 1'b1;

    if (rst) begin
      time_q        <= '0;
      message_valid <= 1'b0;
      message       <= '0;
      moderation_q  <= '0;
      quiet_q       <= '0;
      asked_q       <= 1'b0;
      irq           <= 1'b0;
    end
  end

endmodule
