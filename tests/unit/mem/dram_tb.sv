// SPDX-License-Identifier: Apache-2.0
//
// dram_controller in front of ddr3_model, as in sim_top, on one clock.
module dram_tb
  import acb_pkg::*;
  import ddr3_pkg::*;
#(
  parameter int unsigned CLK_PS = 5000
) (
  input  logic          clk,
  input  logic          rst,
  input  acb_m2s_t      acb_m2s,
  output acb_s2m_t      acb_s2m,
  output command_code_t code,
  output logic          idle
);

  dram_command_t      command;
  logic [BURST_W-1:0] write_data, read_data;
  logic [MASK_W-1:0]  write_mask;
  logic               read_data_valid;

  assign code = command.code;

  dram_controller #(
    .CLK_PS      (CLK_PS),
    .RESET_CYCLES(20),
    .CKE_CYCLES  (20)
  ) u_controller (
    .clk,
    .rst,
    .acb_m2s,
    .acb_s2m,
    .command,
    .write_data,
    .write_mask,
    .read_data,
    .read_data_valid,
    .idle
  );

  ddr3_model #(
    .CLK_PS(CLK_PS)
  ) u_memory (
    .clk,
    .rst,
    .command,
    .write_data,
    .write_mask,
    .read_data,
    .read_data_valid
  );

endmodule
