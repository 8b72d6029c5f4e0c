// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: the debugger's hands and eyes inside one rv_slot. sim_top binds one into each, so that the names below
// are those of the core around it.
//
// Hands: lets a debugger send the processor to an address with an empty pipeline, which is what makes writing
// its registers and its memory sound. cpu_view.cpp raises debug_clk between two edges of cpu_clk, right after one at
// which an instruction left MEM (or at any time when no memory operation is in MEM).
//
// How: a fence.i that goes on at debug_pc takes the place of whatever is in MEM, and with it in the load/store unit. The
// core then does itself what is to be done: it waits until every store has been answered, drops DECODE and EX, stops the
// divider, clears the reservation, drops the instruction cache, and fetches from debug_pc. Nothing it drops has left a
// trace: what was in MEM was there for its first cycle, in which the one thing a memory operation can have done is to
// have put a load's request into the register of the bus interface, and that is taken back, as is its place among the
// overlapped loads. The fence.i is not counted as an instruction.
//
// Eyes: what the operation in MEM does to memory, in terms that do not depend on how the core numbers its operations.
module debug_port
  import cpu_core_pkg::*;
(
  input logic        debug_clk,
  input logic [31:0] debug_pc
);

  logic       reads, writes;
  logic [3:0] bytes;
  assign reads  = u_lsu.op_q.kind == MEM_LOAD || u_lsu.op_q.kind == MEM_LR || u_lsu.op_q.kind == MEM_AMO;
  assign writes = u_lsu.op_q.kind == MEM_STORE || u_lsu.op_q.kind == MEM_SC || u_lsu.op_q.kind == MEM_AMO;
  assign bytes  = 4'd1 << u_lsu.op_q.funct3[1:0];

  // Another clock than their own, in the middle of nothing.
  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_clk) begin
    u_core.x_valid_q   <= 1'b0;
    u_core.m_valid_q   <= 1'b1;
    u_core.m_fence_i_q <= 1'b1;
    u_core.m_mem_q     <= 1'b1;
    u_core.m_mul_q     <= 1'b0;
    u_core.m_mret_q    <= 1'b0;
    u_core.m_trap_q    <= 1'b0;
    u_core.m_rd_we_q   <= 1'b0;
    u_core.m_defer_q   <= 1'b0;
    u_core.m_alias_q   <= 1'b0;
    u_core.m_next_pc_q <= debug_pc[31:1];
    u_core.u_csr.instret_written_q <= 1'b1;

    u_lsu.valid_q   <= 1'b1;
    u_lsu.op_q      <= '{kind: MEM_FENCE, default: '0};
    u_lsu.state_q   <= LSU_LOOK;
    u_lsu.overlap_q <= 1'b0;
    if (u_lsu.valid_q && u_lsu.state_q != LSU_LOOK) begin
      u_biu.req_valid_q <= 1'b0;
      u_biu.tail_q      <= u_biu.tail_q - 5'd1;
      if (u_lsu.overlap_q) u_biu.loads_q <= u_biu.loads_q - 5'd1;
    end
    if (u_lsu.valid_q && u_lsu.overlap_q) begin
      u_core.u_loads.tail_q <= u_core.u_loads.tail_q - 3'd1;
      u_core.u_loads.waits_q[u_core.u_loads.tail_q[1:0] - 2'd1] <= 1'b0;
    end
  end
  /* verilator lint_on MULTIDRIVEN */

endmodule
