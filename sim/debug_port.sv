// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: the debugger's hands and eyes inside one rv_slot, with debug_lsu_port beside it. sim_top binds one
// into each, so that the names below are those of the core around it.
//
// Hands: cpu_view.cpp raises debug_clk between two edges of cpu_clk, and `what` says what is done then:
//
//   DIVERT   FETCH goes on at `value`, with an empty pipeline, which is what makes writing registers and memory sound.
//            Right after an edge at which an instruction left MEM, or at any time when no memory operation is in MEM.
//   LOOK     the CSR `number` is chosen as an instruction in EX chooses it, and
//   LOOKED   `csr` becomes what that instruction would read. EX is as it was before LOOK.
//   WAKE     the wfi in EX does not wait
//   CSR      with an empty pipeline: EX has a csrw of `value` to the CSR `number`
//   LOAD     ... a load, whose bus access is answered before it is done, from `value`; number[1:0]: log2 of its bytes
//   STORE    ... such a store of `data`
//   SEE      before the edge at which that access leaves MEM: `loaded` and `faulted` are what has become of it
//   ACCESSED after that edge: what a trap of it has changed, and how accesses are made, is again as before
//
// DIVERT: a fence.i that goes on at debug_pc takes the place of whatever is in MEM, and with it in the load/store unit. The
// core then does itself what is to be done: it waits until every store has been answered, drops DECODE and EX, stops the
// divider, clears the reservation, drops the instruction cache, and fetches from debug_pc. Nothing it drops has left a
// trace: debug_lsu_port says why. Neither the fence.i nor what is put into EX is counted as an instruction.
module debug_port
  import cpu_core_pkg::*;
  import rv_pkg::*;
(
  input logic        debug_clk,
  input logic [3:0]  what,
  input logic [11:0] number,
  input logic [31:0] value,
  input logic [31:0] data
);

  localparam logic [3:0] DIVERT = 4'd0, LOOK = 4'd1, LOOKED = 4'd2, WAKE = 4'd3, CSR = 4'd4, LOAD = 4'd5, STORE = 4'd6,
                         SEE = 4'd7, ACCESSED = 4'd8;

  logic [31:0] csr, loaded;
  logic        faulted;

  // What LOOK and an access put something else in the place of.
  logic [11:0] offset;
  logic [31:0] mtval;
  logic [31:1] mepc;
  cause_t      mcause;
  logic        mie_bit, mpie, precise_stores, overlap_loads;

  // Another clock than their own, in the middle of nothing.
  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_clk) begin
    case (what)
      DIVERT: begin
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
        u_core.m_next_pc_q <= value[31:1];
        u_core.u_csr.instret_written_q <= 1'b1;
      end
      LOOK: begin
        offset            <= u_core.x_offset_q;
        u_core.x_offset_q <= number;
      end
      LOOKED: begin
        csr               <= u_core.u_csr.read_data;
        u_core.x_offset_q <= offset;
      end
      WAKE: u_core.x_ctrl_q.wfi <= 1'b0;
      CSR, LOAD, STORE: begin
        u_core.x_valid_q           <= 1'b1;
        u_core.x_ctrl_q            <= '0;
        u_core.x_trap_q            <= 1'b0;
        u_core.x_use_alu_q         <= 1'b0;
        u_core.x_defer_q           <= 1'b0;
        u_core.x_alias_q           <= 1'b0;
        u_core.x_pred_hit_q        <= 1'b0;
        u_core.x_pred_taken_q      <= 1'b0;
        u_core.x_wrong_taken_q     <= 1'b0;
        u_core.x_wrong_not_taken_q <= 1'b0;
        u_core.x_a_q               <= value;
        u_core.x_b_q               <= data;
        u_core.x_offset_q          <= what == CSR ? number : '0;
        u_core.u_csr.instret_written_q <= 1'b1;
        if (what == CSR) begin
          u_core.x_ctrl_q.csr        <= 1'b1;
          u_core.x_ctrl_q.csr_write  <= 1'b1;
          u_core.x_ctrl_q.mem.funct3 <= 3'b001;
        end else begin
          u_core.x_ctrl_q.mem.kind   <= what == LOAD ? MEM_LOAD : MEM_STORE;
          u_core.x_ctrl_q.mem.funct3 <= {1'b1, number[1:0]};
          precise_stores <= u_core.u_csr.precise_stores_q;
          overlap_loads  <= u_core.u_csr.overlap_loads_q;
          mie_bit        <= u_core.u_csr.mie_bit_q;
          mpie           <= u_core.u_csr.mpie_q;
          mepc           <= u_core.u_csr.mepc_q;
          mcause         <= u_core.u_csr.mcause_q;
          mtval          <= u_core.u_csr.mtval_q;
          u_core.u_csr.precise_stores_q <= 1'b1;
          u_core.u_csr.overlap_loads_q  <= 1'b0;
        end
      end
      SEE: begin
        loaded  <= u_core.lsu_result;
        faulted <= u_core.m_trap;
      end
      ACCESSED: begin
        u_core.u_csr.instret_written_q <= 1'b0;
        u_core.u_csr.precise_stores_q  <= precise_stores;
        u_core.u_csr.overlap_loads_q   <= overlap_loads;
        u_core.u_csr.mie_bit_q         <= mie_bit;
        u_core.u_csr.mpie_q            <= mpie;
        u_core.u_csr.mepc_q            <= mepc;
        u_core.u_csr.mcause_q          <= mcause;
        u_core.u_csr.mtval_q           <= mtval;
      end
      default: ;
    endcase
  end
  /* verilator lint_on MULTIDRIVEN */

endmodule
