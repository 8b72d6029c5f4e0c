// SPDX-License-Identifier: Apache-2.0
//
// Cores and scratchpad of the programmable NIC by themselves: a host that loads them and looks into the scratchpad, and
// the registers that belong to no assist. There is no frame memory.
module cluster_top
  import pnic_pkg::*;
#(
  parameter int unsigned CORES  = 6,
  parameter int unsigned BANKS  = 4,
  parameter bit          RETIRE = 1'b0
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        run,
  output logic        halted,
  input  logic        imem_write,
  input  logic [16:2] imem_address,
  input  logic [31:0] imem_data,
  input  logic        pad_valid,
  input  logic        pad_write,
  input  logic [17:2] pad_address,
  input  logic [31:0] pad_data,
  output logic        pad_ready,
  output logic        pad_answer,
  output logic [31:0] pad_found,
  output logic        message_valid,
  output logic [2:0]  message_core,
  output logic [31:0] message,
  output logic [CORES-1:0]       retire_valid,
  output logic [CORES-1:0][31:0] retire_pc
);

  pad_req_t [0:0]    host_req;
  pad_rsp_t [0:0]    host_rsp;
  assist_reg_t [0:0] regs;
  logic [0:0][31:0]  regs_data;
  logic [2:0]        regs_core;
  far_req_t          frames;
  far_rsp_t          frames_rsp;
  logic [CORES:0]    granted;
  logic              imem_used, answer_q, irq, unused;
  cpu_slot_pkg::cpu_retire_t [CORES-1:0] retire;

  assign host_req[0] = '{valid: pad_valid, op: pad_write ? PAD_STORE : PAD_LOAD, address: pad_address, mask: '1,
                         data: pad_data};
  assign pad_ready  = host_rsp[0].ready;
  assign pad_answer = host_rsp[0].valid;
  assign pad_found  = host_rsp[0].data;

  pnic_cluster #(
    .CORES(CORES), .BANKS(BANKS), .OTHERS(1), .BLOCKS(1), .COUNTERS(1'b1), .RETIRE(RETIRE)
  ) u_cluster (
    .clk,
    .rst,
    .run,
    .halted,
    .imem_write,
    .imem_address,
    .imem_data,
    .others_req(host_req),
    .others_rsp(host_rsp),
    .regs,
    .regs_data,
    .regs_core,
    .frames,
    .frames_rsp,
    .granted,
    .imem_used,
    .retire
  );

  always_ff @(posedge clk) answer_q <= frames.valid && !answer_q;
  assign frames_rsp = '{ready: !answer_q, valid: answer_q, error: 1'b1, data: '0};

  pnic_system u_system (
    .clk, .rst, .regs(regs[0]), .regs_core, .regs_data(regs_data[0]), .message_valid, .message_core, .message,
    .irq, .seen(irq)
  );

  for (genvar c = 0; c < CORES; c++) begin : g_retire
    assign retire_valid[c] = retire[c].valid;
    assign retire_pc[c]    = retire[c].pc;
  end

  assign unused = &{1'b0, granted, imem_used, retire, frames};

endmodule
