// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: the debugger's eyes inside one v8_slot, as debug_port has them inside an rv_slot: what the operation in
// MEM does to memory, in terms that do not depend on how the core numbers its operations. It has no hands yet.
module v8_debug_port
  import cpu_core_pkg::*;
;

  logic       reads, writes;
  logic [3:0] bytes;
  assign reads  = u_lsu.op_q.kind == MEM_LOAD || u_lsu.op_q.kind == MEM_AMO;
  assign writes = u_lsu.op_q.kind == MEM_STORE || u_lsu.op_q.kind == MEM_AMO;
  assign bytes  = 4'd1 << u_lsu.op_q.funct3[1:0];

endmodule
