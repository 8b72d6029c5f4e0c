// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: the debugger's eyes inside one v8_slot, as debug_port has them inside an rv_slot: where the pipeline
// is, and what the operation in MEM does to memory, in terms that do not depend on how the core numbers its operations.
// It has no hands yet.
module v8_debug_port
  import cpu_core_pkg::*;
();

  logic        flush, mem_stall, m_valid, x_valid, d_valid, w_rd_we;
  logic [31:2] flush_target, m_pc, x_pc, d_pc, f_pc;
  logic [7:0]  w_rd;
  logic [31:0] w_result;
  assign flush        = u_core.flush_q;
  assign flush_target = u_core.flush_target;
  assign mem_stall    = u_core.lsu_busy;
  assign m_valid      = u_core.m_q.valid;
  assign m_pc         = u_core.m_q.pc;
  assign x_valid      = u_core.x_q.valid;
  assign x_pc         = u_core.x_q.pc;
  assign d_valid      = u_core.d_valid;
  assign d_pc         = u_core.u_issue.d_pc_q;
  assign f_pc         = u_core.f.pc[31:2];
  assign w_rd_we      = u_core.w_rd_we;
  assign w_rd         = u_core.w_rd;
  assign w_result     = u_core.w_result;

  logic       reads, writes;
  logic [3:0] bytes;
  assign reads  = u_lsu.op_q.kind == MEM_LOAD || u_lsu.op_q.kind == MEM_AMO;
  assign writes = u_lsu.op_q.kind == MEM_STORE || u_lsu.op_q.kind == MEM_AMO;
  assign bytes  = 4'd1 << u_lsu.op_q.funct3[1:0];

endmodule
