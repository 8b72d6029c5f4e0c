// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: lets a debugger send the processor to an address with an empty pipeline, which is what makes writing
// its registers and its memory sound. cpu_view.cpp raises debug_clk between two edges of cpu_clk, right after one at
// which an instruction left MEM (or at any time when no memory operation is in MEM).
//
// How: a fence.i that goes on at debug_pc takes the place of whatever is in MEM, and with it in the load/store unit. The
// core then does itself what is to be done: it waits until every store has been answered, drops DECODE and EX, stops the
// divider, clears the reservation, drops the instruction cache, and fetches from debug_pc. Nothing it drops has left a
// trace: what was in MEM was there for its first cycle, in which the one thing a memory operation can have done is to
// have put a load's request into the register of the bus interface, and that is taken back, as is its place among the
// overlapped loads. The fence.i is not counted as an instruction.
module debug_port (
  input logic        debug_clk,
  input logic [31:0] debug_pc
);

  localparam logic [2:0] LOOK = 3'd0;  // of rv_lsu's state_t

  // Another clock than their own, in the middle of nothing: these are the debugger's hands.
  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_clk) begin
    sim_top.u_nsoc.u_cpu_slot.u_core.x_valid_q   <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_valid_q   <= 1'b1;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_fence_i_q <= 1'b1;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_mem_q     <= 1'b1;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_mul_q     <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_mret_q    <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_trap_q    <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_rd_we_q   <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_defer_q   <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_alias_q   <= 1'b0;
    sim_top.u_nsoc.u_cpu_slot.u_core.m_next_pc_q <= debug_pc[31:1];
    sim_top.u_nsoc.u_cpu_slot.u_core.u_csr.instret_written_q <= 1'b1;

    sim_top.u_nsoc.u_cpu_slot.u_lsu.valid_q <= 1'b1;
    sim_top.u_nsoc.u_cpu_slot.u_lsu.op_q    <= '{kind: rv_pkg::MEM_FENCE, default: '0};
    sim_top.u_nsoc.u_cpu_slot.u_lsu.state_q[2:0] <= LOOK;
    sim_top.u_nsoc.u_cpu_slot.u_lsu.overlap_q <= 1'b0;
    if (sim_top.u_nsoc.u_cpu_slot.u_lsu.valid_q && sim_top.u_nsoc.u_cpu_slot.u_lsu.state_q != LOOK) begin
      sim_top.u_nsoc.u_cpu_slot.u_biu.req_valid_q <= 1'b0;
      sim_top.u_nsoc.u_cpu_slot.u_biu.tail_q      <= sim_top.u_nsoc.u_cpu_slot.u_biu.tail_q - 5'd1;
      if (sim_top.u_nsoc.u_cpu_slot.u_lsu.overlap_q)
        sim_top.u_nsoc.u_cpu_slot.u_biu.loads_q <= sim_top.u_nsoc.u_cpu_slot.u_biu.loads_q - 5'd1;
    end
    if (sim_top.u_nsoc.u_cpu_slot.u_lsu.valid_q && sim_top.u_nsoc.u_cpu_slot.u_lsu.overlap_q) begin
      sim_top.u_nsoc.u_cpu_slot.u_core.u_loads.tail_q <= sim_top.u_nsoc.u_cpu_slot.u_core.u_loads.tail_q - 3'd1;
      sim_top.u_nsoc.u_cpu_slot.u_core.u_loads.waits_q[sim_top.u_nsoc.u_cpu_slot.u_core.u_loads.tail_q[1:0] - 2'd1] <=
        1'b0;
    end
  end
  /* verilator lint_on MULTIDRIVEN */

endmodule
