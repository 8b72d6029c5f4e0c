// SPDX-License-Identifier: Apache-2.0
//
// Simulation only: the debugger's hands and eyes inside one v8_slot, as debug_port has them inside an rv_slot, with
// debug_lsu_port beside it.
//
// Hands: what debug_port does, with these differences.
//
//   DIVERT   as a FLUSH that goes on at `value`; the window is that of the instruction whose place it takes
//   BEHIND   with an empty pipeline: the instruction that FETCH goes on at is in the slot of a transfer to `value`
//   LOOK     chooses the state register `number`, as v8_pkg numbers them
//   WAKE     the sleep in EX does not wait
//   CSR      with an empty pipeline: the state register `number` becomes `value`, as a WR instruction would leave it.
//            There is no instruction.
//   SEE      an answer with an error is no trap, so that nothing is to be taken back but how accesses are made
//
// Eyes: where the pipeline is. `x_early`: as the instruction in EX leaves it, it writes a state register, a cycle ahead
// of its end in MEM.
module v8_debug_port
  import cpu_core_pkg::*;
  import v8_pkg::*;
(
  input logic        debug_clk,
  input logic [3:0]  what,
  input logic [11:0] number,
  input logic [31:0] value,
  input logic [31:0] data
);

  localparam logic [3:0] DIVERT = 4'd0, LOOK = 4'd1, LOOKED = 4'd2, WAKE = 4'd3, CSR = 4'd4, LOAD = 4'd5, STORE = 4'd6,
                         SEE = 4'd7, ACCESSED = 4'd8, BEHIND = 4'd9;

  logic        flush, mem_stall, m_valid, m_ends, m_annulled, m_mul, x_valid, x_annulled, x_early, d_valid, w_rd_we;
  logic [31:2] flush_target, m_pc, m_npc, x_pc, x_npc, d_pc, f_pc;
  logic [2:0]  m_cwp, x_cwp;
  logic [7:0]  w_rd;
  logic [31:0] product_high, w_result;
  assign flush        = u_core.flush_q;
  assign flush_target = u_core.flush_target;
  assign mem_stall    = u_core.lsu_busy;
  assign m_valid      = u_core.m_q.valid;
  assign m_ends       = u_core.m_q.last || u_core.m_trap;
  assign m_annulled   = u_core.m_q.annulled;
  assign m_mul        = u_core.m_q.mul;
  assign m_pc         = u_core.m_q.pc;
  assign m_npc        = u_core.m_q.npc;
  assign m_cwp        = u_core.m_q.cwp;
  assign x_valid      = u_core.x_q.valid;
  assign x_annulled   = u_core.x_q.annulled;
  assign x_early      = u_core.x_q.ctrl.state_write || u_core.x_q.ctrl.rett;
  assign x_pc         = u_core.x_q.pc;
  assign x_npc        = u_core.x_q.npc;
  assign x_cwp        = u_core.x_q.cwp;
  assign d_valid      = u_core.d_valid;
  assign d_pc         = u_core.u_issue.d_pc_q;
  assign f_pc         = u_core.f.pc[31:2];
  assign product_high = 32'(u_core.product >> 32);  // .product[ is a method to Verible
  assign w_rd_we      = u_core.w_rd_we;
  assign w_rd         = u_core.w_rd;
  assign w_result     = u_core.w_result;

  logic [31:0] csr, loaded;
  logic        faulted;

  // What LOOK and an access put something else in the place of.
  logic [5:0]  state;
  logic        precise_stores, overlap_loads;

  // The window of the oldest instruction, and where FETCH goes on if there is none.
  logic [2:0]  cwp;
  logic [31:2] fetched;
  assign cwp     = u_core.m_q.valid ? u_core.m_q.cwp : u_core.x_q.valid ? u_core.x_q.cwp : u_core.u_issue.cwp_q;
  assign fetched = u_core.flush_q ? u_core.flush_target : u_core.f.pc[31:2];

  // Another clock than their own, in the middle of nothing.
  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_clk) begin
    case (what)
      DIVERT: begin
        u_core.x_q.valid               <= 1'b0;
        u_core.x_q.ctrl                <= '0;
        u_core.u_commit.m_q            <= '0;
        u_core.u_commit.m_q.valid      <= 1'b1;
        u_core.u_commit.m_q.annulled   <= 1'b1;
        u_core.u_commit.m_q.last       <= 1'b1;
        u_core.u_commit.m_q.mem        <= 1'b1;
        u_core.u_commit.m_q.drop_code  <= 1'b1;
        u_core.u_commit.m_q.pc         <= value[31:2];
        u_core.u_commit.m_q.npc        <= value[31:2];
        u_core.u_commit.m_q.cwp        <= cwp;
        u_core.u_commit.m_q.cwp_after  <= cwp;
      end
      BEHIND: begin
        u_core.u_issue.u_flow.jump_q   <= 1'b1;
        u_core.u_issue.u_flow.target_q <= value[31:2];
      end
      LOOK: begin
        state                 <= u_core.x_q.ctrl.state;
        u_core.x_q.ctrl.state <= number[5:0];
      end
      LOOKED: begin
        csr                   <= u_core.u_state.read_data;
        u_core.x_q.ctrl.state <= state;
      end
      WAKE: u_core.x_q.ctrl.state_write <= 1'b0;
      CSR: begin
        case (number[5:0])
          ST_Y:               u_core.u_state.y_q <= value;
          ST_BUS_CONTROL:     {u_core.u_state.overlap_loads_q, u_core.u_state.precise_stores_q} <= value[1:0];
          ST_IRQ_MASK:        u_core.u_state.mask_q <= value[15:1];
          ST_COUNTER_CONTROL: {u_core.u_state.stop_q, u_core.u_state.selected_q} <= {value[31], value[3:0]};
          ST_WIM:             u_core.u_state.wim_q <= value[7:0];
          ST_TBR:             u_core.u_state.tba_q <= value[31:12];
          ST_PSR: begin
            u_core.u_state.icc_q <= value[23:20];
            u_core.x_icc_q       <= value[23:20];
            u_core.u_state.pil_q <= value[11:8];
            {u_core.u_state.s_q, u_core.u_state.ps_q, u_core.u_state.et_q} <= value[7:5];
            u_core.u_issue.cwp_q <= value[2:0];
          end
          default: ;
        endcase
      end
      LOAD, STORE: begin
        u_core.x_q                 <= '0;
        u_core.x_q.valid           <= 1'b1;
        u_core.x_q.annulled        <= 1'b1;  // does not count
        u_core.x_q.ctrl.last       <= 1'b1;
        u_core.x_q.ctrl.mem.kind   <= what == LOAD ? MEM_LOAD : MEM_STORE;
        u_core.x_q.ctrl.mem.funct3 <= {1'b1, number[1:0]};
        u_core.x_q.pc              <= fetched;
        u_core.x_q.npc             <= fetched;
        u_core.x_q.a               <= value;
        u_core.x_q.b               <= data;
        u_core.x_q.cwp             <= cwp;
        u_core.x_q.cwp_after       <= cwp;
        precise_stores <= u_core.u_state.precise_stores_q;
        overlap_loads  <= u_core.u_state.overlap_loads_q;
        u_core.u_state.precise_stores_q <= 1'b1;
        u_core.u_state.overlap_loads_q  <= 1'b0;
      end
      SEE: begin
        loaded  <= u_core.lsu_result;
        faulted <= u_lsu.state_q == LSU_FAULT;
        if (u_lsu.state_q == LSU_FAULT) u_lsu.state_q <= LSU_SENT;
      end
      ACCESSED: begin
        u_core.u_state.precise_stores_q <= precise_stores;
        u_core.u_state.overlap_loads_q  <= overlap_loads;
      end
      default: ;
    endcase
  end
  /* verilator lint_on MULTIDRIVEN */

endmodule
