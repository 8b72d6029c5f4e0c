// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: what debug_port and v8_debug_port have in common, at the load/store unit of either slot.
//
// Hands: of DIVERT (see debug_port). The place of whatever is in MEM is taken by a fence. What was there, was there for
// its first cycle, in which the one thing a memory operation can have done is to have put a load's request into the
// register of the bus interface; that is taken back, as is its place among the overlapped loads.
//
// Eyes: what the operation in MEM does to memory, in terms that do not depend on how the core numbers its operations.
module debug_lsu_port
  import cpu_core_pkg::*;
(
  input logic       debug_clk,
  input logic [3:0] what
);

  localparam logic [3:0] DIVERT = 4'd0;

  logic       reads, writes;
  logic [3:0] bytes;
  assign reads  = u_lsu.op_q.kind == MEM_LOAD || u_lsu.op_q.kind == MEM_LR || u_lsu.op_q.kind == MEM_AMO;
  assign writes = u_lsu.op_q.kind == MEM_STORE || u_lsu.op_q.kind == MEM_SC || u_lsu.op_q.kind == MEM_AMO;
  assign bytes  = 4'd1 << u_lsu.op_q.funct3[1:0];

  // Another clock than their own, in the middle of nothing.
  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_clk) begin
    if (what == DIVERT) begin
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
  end
  /* verilator lint_on MULTIDRIVEN */

endmodule
