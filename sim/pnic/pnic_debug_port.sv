// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: the debugger's hands and eyes inside one pnic_core (debugger.h). pnic_top binds one into each, so
// that the names below are those of the core around it.
//
// Hands. `debug_clk` rises between two edges of the core's clock:
//
//   HOLD    at the next edge nothing leaves DECODE: run_q is low for that one cycle, as if it had been low before
//   PC      FETCH goes on at `value`, with an empty instruction cache: a fence.i takes its way through MEM, uncounted
//   X       register `number` becomes `value`
//   LOOK    the CSR `number` is chosen as an instruction in EX chooses it, for `csr` to be seen
//   LOOKED  EX is as it was before LOOK
//   CSR     EX has a csrw of `value` to the CSR `number`, uncounted
//
// PC, X and CSR only while the core rests: it is held, and `busy` is low.
//
// Eyes see when `look` rises: who does not look does not pay for them. The instruction in DECODE is the program's next
// one when nothing else is under way. What goes from there to EX in this cycle: `goes`. An operation of memory in EX:
// `offers`, and `issues` when it goes on. So a debugger that holds DECODE while an address it waits for is in EX has
// stopped right behind the instruction that accesses it.
module pnic_debug_port
  import cpu_core_pkg::*;
(
  input  logic        debug_clk,
  input  logic        look,
  input  logic [2:0]  what,
  input  logic [11:0] number,       // of a register, of a CSR to look at
  input  logic [31:0] value,
  output logic        busy,         // an instruction is behind DECODE, or has left something undone
  output logic [31:0] next_pc,      // of the first instruction that is not done
  output logic        decodes,
  output logic [31:0] decode_pc,
  output logic        goes,
  output logic        offers,
  output logic        issues,
  output logic        faults,       // the operation that was issued last ends with a trap
  output logic [31:0] address,
  output logic [2:0]  bytes,
  output logic        reads,
  output logic        writes,
  output logic [31:0] x,            // register `number`
  output logic [31:0] csr           // the CSR that LOOK has chosen
);

  localparam logic [2:0] HOLD = 3'd0, PC = 3'd1, X = 3'd2, LOOK = 3'd3, LOOKED = 3'd4, CSR = 3'd5;

  logic [11:0] offset;  // in EX, before LOOK

  always @(posedge look) begin
    busy      <= u_core.x_valid_q || u_core.m_valid_q || u_core.w_rd_we_q || u_core.flush_q || !u_core.lsu_drained ||
                 u_core.u_loads.head_q != u_core.u_loads.tail_q;
    decodes   <= u_core.d_valid_q;
    decode_pc <= {u_core.d_pc_q, 1'b0};
    goes      <= u_core.d_go;
    offers    <= u_core.lsu_offer;
    issues    <= u_core.lsu_issue;
    faults    <= u_core.lsu_fault;
    // `set` writes the word of flags that its count is in. Of `update`, which writes one too, the position is what is
    // told.
    address   <= u_core.lsu_op.kind == MEM_AMO && u_core.lsu_op.amo == AMO_SET
                 ? {u_core.lsu_address[31:pnic_pkg::ROW_W+2], 1'b1, u_core.lsu_data[pnic_pkg::FLAG_W-1:5], 2'b00}
                 : u_core.lsu_address;
    bytes     <= 3'd1 << u_core.lsu_op.funct3[1:0];
    reads     <= u_core.lsu_op.kind inside {MEM_LOAD, MEM_LR, MEM_AMO};
    writes    <= u_core.lsu_op.kind inside {MEM_STORE, MEM_SC, MEM_AMO};
    x         <= u_core.u_issue.u_regfile.regs[number[4:0]];
    csr       <= u_core.u_csr.read_data;

    if (u_core.flush_q) next_pc <= {u_core.flush_target_q, 1'b0};
    else if (u_core.m_valid_q) next_pc <= {u_core.m_pc_q, 1'b0};
    else if (u_core.x_valid_q) next_pc <= {u_core.x_pc_q, 1'b0};
    else if (u_core.d_valid_q) next_pc <= {u_core.d_pc_q, 1'b0};
    else next_pc <= {u_core.f_pc, 1'b0};
  end

  // Another clock than their own, in the middle of nothing.
  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_clk) begin
    case (what)
      HOLD: pnic_core.run_q <= 1'b0;
      PC: begin
        u_core.m_valid_q   <= 1'b1;
        u_core.m_fence_i_q <= 1'b1;
        u_core.m_mem_q     <= 1'b0;
        u_core.m_mul_q     <= 1'b0;
        u_core.m_mret_q    <= 1'b0;
        u_core.m_trap_q    <= 1'b0;
        u_core.m_rd_we_q   <= 1'b0;
        u_core.m_defer_q   <= 1'b0;
        u_core.m_alias_q   <= 1'b0;
        u_core.m_branch_q  <= 1'b0;
        u_core.m_taken_q   <= 1'b0;
        u_core.m_pred_taken_q <= 1'b0;
        u_core.m_next_pc_q <= value[31:1];
        u_core.u_csr.instret_written_q <= 1'b1;
        pnic_core.run_q              <= 1'b0;
      end
      X: u_core.u_issue.u_regfile.regs[number[4:0]] <= value;
      LOOK: begin
        offset            <= u_core.x_offset_q;
        u_core.x_offset_q <= number;
      end
      LOOKED: u_core.x_offset_q <= offset;
      CSR: begin
        u_core.x_valid_q           <= 1'b1;
        u_core.x_ctrl_q            <= '0;
        u_core.x_ctrl_q.csr        <= 1'b1;
        u_core.x_ctrl_q.csr_write  <= 1'b1;
        u_core.x_ctrl_q.mem.funct3 <= 3'b001;
        u_core.x_trap_q            <= 1'b0;
        u_core.x_use_alu_q         <= 1'b0;
        u_core.x_defer_q           <= 1'b0;
        u_core.x_alias_q           <= 1'b0;
        u_core.x_pred_hit_q        <= 1'b0;
        u_core.x_pred_taken_q      <= 1'b0;
        u_core.x_wrong_taken_q     <= 1'b0;
        u_core.x_wrong_not_taken_q <= 1'b0;
        u_core.x_a_q               <= value;
        u_core.x_offset_q          <= number;
        u_core.u_csr.instret_written_q <= 1'b1;
        pnic_core.run_q            <= 1'b0;
      end
      default: ;
    endcase
  end
  /* verilator lint_on MULTIDRIVEN */

endmodule
