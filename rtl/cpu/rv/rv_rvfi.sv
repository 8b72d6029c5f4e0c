// SPDX-License-Identifier: Apache-2.0
//
// RVFI: the report of each instruction, collected along the pipeline. An instruction that an interrupt takes the place
// of is not reported. Reports of instructions behind an overlapped load are held until its data is there. For checkers:
// the report is registered, and nothing of the core depends on it. rv_core has the whole of the pipeline.
module rv_rvfi
  import cpu_core_pkg::*;
  import rv_pkg::*;
#(
  parameter bit ORDER = 1'b0  // set and update, see rv_decode
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // FETCH, DECODE
  input  logic        d_ready,
  input  logic [15:0] f_half,         // of an instruction of 16 bits: as it was fetched
  input  logic [31:1] d_pc,
  input  logic [31:0] d_instr,
  input  logic        d_fault,
  input  logic        d_short,
  input  logic        d_rs1_used,
  input  logic        d_rs2_used,
  input  logic [31:0] d_rs1,
  input  logic [31:0] d_rs2,
  // EX
  input  logic        x_ready,
  /* verilator lint_off UNUSEDSIGNAL */
  input  ctrl_t       x_ctrl,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0] x_address,
  input  logic [31:0] x_data,
  input  logic        x_overlaps,     // a load that leaves without its data
  input  logic [31:1] x_goes_to,      // the next instruction's pc, ...
  // MEM, WB
  input  logic        mem_stall,
  input  logic        m_valid,
  input  logic        m_trap,
  input  logic        m_interrupted,  // ... by an interrupt
  input  logic        m_defer,        // a branch on w_result, which was not there when it was in EX: ...
  input  logic        m_defer_rs2,    // ... its second operand
  input  logic [31:1] m_goes_to,      // ... if it is judged here
  input  logic        m_mret,
  input  logic [31:0] m_did,          // its result, or what it read
  input  logic [31:0] w_result,
  input  logic [31:2] trap_vector,
  input  logic [31:1] return_pc,
  // The data of overlapped loads, in order
  input  logic        load_rsp_valid,
  input  logic [31:0] load_value,
  output rvfi_t       rvfi
);

  localparam int unsigned HELD = 4096, ANSWERS = 16;
  typedef struct packed {
    logic  waits;  // for the next answer
    rvfi_t what;
  } held_step_t;
  held_step_t  held [HELD];
  held_step_t  oldest;
  logic [31:0] answers [ANSWERS];
  logic [31:0] answer;
  logic [12:0] held_head_q, held_tail_q;
  logic [4:0]  answers_head_q, answers_tail_q;
  logic        m_overlap_q, report;
  logic [63:0] order_q;
  rvfi_t       x_rvfi_q, m_rvfi_q, m_rvfi, rvfi_q;
  logic        retires, handler_q;
  logic [3:0]  size_mask;
  logic [15:0] d_half_q;  // of an instruction of 16 bits: as it was fetched
  logic        d_reads;   // it is not one that says nothing of registers

  assign d_reads = !d_fault && d_instr[1:0] == 2'b11;

  always_ff @(posedge cpu_clk) begin
    if (d_ready) d_half_q <= f_half;
  end

  always_comb begin
    case (x_ctrl.mem.funct3[1:0])
      2'b00:   size_mask = 4'b0001;
      2'b01:   size_mask = 4'b0011;
      default: size_mask = 4'b1111;
    endcase
  end

  always_ff @(posedge cpu_clk) begin
    if (x_ready) begin
      x_rvfi_q           <= '0;
      x_rvfi_q.mode      <= 2'd3;
      x_rvfi_q.ixl       <= 2'd1;
      x_rvfi_q.insn      <= d_fault ? '0 : d_short ? {16'b0, d_half_q} : d_instr;
      x_rvfi_q.pc_rdata  <= {d_pc, 1'b0};
      if (d_rs1_used && d_reads) begin
        x_rvfi_q.rs1_addr  <= d_instr[19:15];
        x_rvfi_q.rs1_rdata <= d_rs1;
      end
      if (d_rs2_used && d_reads) begin
        x_rvfi_q.rs2_addr  <= d_instr[24:20];
        x_rvfi_q.rs2_rdata <= d_rs2;
      end
    end
    if (!mem_stall) begin
      m_overlap_q       <= x_overlaps;
      m_rvfi_q          <= x_rvfi_q;
      m_rvfi_q.pc_wdata <= {x_goes_to, 1'b0};
      m_rvfi_q.rd_addr  <= x_ctrl.rd_we ? x_ctrl.rd : '0;
      case (x_ctrl.mem.kind)
        MEM_LOAD, MEM_LR, MEM_AMO: begin
          if (!(ORDER && x_ctrl.mem.kind == MEM_AMO && x_ctrl.mem.quiet)) begin  // pnic_lsu does not wait for it
            m_rvfi_q.mem_addr  <= x_address;
            m_rvfi_q.mem_rmask <= size_mask;
          end
        end
        MEM_STORE: begin
          m_rvfi_q.mem_addr  <= x_address;
          m_rvfi_q.mem_wmask <= size_mask;
          m_rvfi_q.mem_wdata <= x_data;
        end
        default: ;
      endcase
    end
  end

  function automatic logic [31:0] enabled(input logic [31:0] data, input logic [3:0] mask);
    return data & {{8{mask[3]}}, {8{mask[2]}}, {8{mask[1]}}, {8{mask[0]}}};
  endfunction

  assign retires = m_valid && !mem_stall && !(m_trap && m_interrupted);
  always_comb begin
    m_rvfi       = m_rvfi_q;
    m_rvfi.valid = retires;
    m_rvfi.trap  = m_trap;
    m_rvfi.intr  = handler_q;
    m_rvfi.order = order_q;
    if (m_defer) begin
      m_rvfi.pc_wdata = {m_goes_to, 1'b0};
      if (m_defer_rs2) m_rvfi.rs2_rdata = w_result;
      else m_rvfi.rs1_rdata = w_result;
    end
    if (m_trap) begin
      m_rvfi.rd_addr   = '0;
      m_rvfi.mem_rmask = '0;
      m_rvfi.mem_wmask = '0;
      m_rvfi.pc_wdata  = {trap_vector, 2'b00};
    end else if (m_mret) begin
      m_rvfi.pc_wdata = {return_pc, 1'b0};
    end
    m_rvfi.mem_wdata = enabled(m_rvfi_q.mem_wdata, m_rvfi.mem_wmask);
    m_rvfi.mem_rdata = enabled(m_did, m_rvfi.mem_rmask);
    m_rvfi.rd_wdata  = (m_rvfi.rd_addr == '0) ? '0 : m_did;
    if (m_rvfi.mem_rmask == '0 && m_rvfi.mem_wmask == '0) m_rvfi.mem_addr = '0;
  end

  assign oldest = held[held_head_q[11:0]];
  assign answer = answers[answers_head_q[3:0]];
  assign report = held_head_q != held_tail_q && (!oldest.waits || answers_head_q != answers_tail_q);

  always_ff @(posedge cpu_clk) begin
    if (retires) begin
      held[held_tail_q[11:0]] <= '{waits: m_overlap_q, what: m_rvfi};
      held_tail_q <= held_tail_q + 13'd1;
      order_q     <= order_q + 64'd1;
    end
    if (load_rsp_valid) begin
      answers[answers_tail_q[3:0]] <= load_value;
      answers_tail_q <= answers_tail_q + 5'd1;
    end
    rvfi_q       <= oldest.what;
    rvfi_q.valid <= report;
    if (oldest.waits) begin
      rvfi_q.mem_rdata <= enabled(answer, oldest.what.mem_rmask);
      rvfi_q.rd_wdata  <= (oldest.what.rd_addr == '0) ? '0 : answer;
      if (report) answers_head_q <= answers_head_q + 5'd1;
    end
    if (report) held_head_q <= held_head_q + 13'd1;
    if (m_valid && m_trap) handler_q <= 1'b1;
    else if (retires) handler_q <= 1'b0;
    if (cpu_rst) begin
      held_head_q    <= '0;
      held_tail_q    <= '0;
      answers_head_q <= '0;
      answers_tail_q <= '0;
      order_q        <= '0;
      rvfi_q         <= '0;
      handler_q      <= 1'b0;
    end
  end

  a_held : assert property (@(posedge cpu_clk) disable iff (cpu_rst) 13'(held_tail_q - held_head_q) < 13'(HELD));
  a_answers : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    5'(answers_tail_q - answers_head_q) < 5'(ANSWERS));

  assign rvfi = rvfi_q;

endmodule
