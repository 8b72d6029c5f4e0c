// SPDX-License-Identifier: Apache-2.0
//
// MEM and WB: the end of an access, the second half of a multiplication, comparisons of what a load has just brought;
// the commit point, where traps are taken; what the branch predictor learns. v8_core has the whole of the pipeline.
//
// As a trap is taken, everything younger is dropped (`flush`), and FETCH restarts in the next cycle. PC and nPC go to
// l1 and l2 of the new window by way of MEM and WB meanwhile (m_link_q).
module v8_commit
  import cpu_core_pkg::*;
  import v8_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS = 32'h0
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  mem_t        from_x,
  output mem_t        m,
  // Load/store unit
  input  logic        lsu_busy,
  input  logic        lsu_drained,
  input  logic        lsu_fault,
  input  logic [31:0] lsu_result,
  input  logic [31:0] lsu_result_second,
  input  logic [31:0] product,
  // Traps and flushes
  input  logic        traps_enabled,
  input  logic [31:12] trap_base,
  output logic        flush,
  output logic        flush_q,
  output logic [31:2] flush_target,
  output logic        ic_invalidate,
  output logic        m_trap,
  output logic        m_taken,
  output logic        m_stops,       // error mode begins
  output logic [7:0]  m_type,
  output logic [2:0]  m_cwp,         // behind the instruction
  output logic        m_retires,
  output logic        m_links,       // no instruction, but l1 or l2 of a trap
  output logic        idle,
  output logic        error,
  output logic [7:0]  error_type,
  output logic [31:0] error_pc,
  // Results
  output logic        m_mul_icc,     // the condition codes of a multiplication
  output icc_t        m_icc,
  output order_t      m_order,       // of the comparison here, if there is one
  output logic [31:0] m_early_result,
  input  logic        late_write,    // an overlapped load's register, if there is nothing else
  input  logic        late_we,
  input  reg_t        late_rd,
  input  logic [31:0] late_value,
  output logic        w_rd_we,
  output logic        w_late,
  output reg_t        w_rd,
  output logic [31:0] w_result,
  output btb_update_t btb_update
);

  mem_t        m_q;
  logic [1:0]  m_link_q;  // not an instruction: pc or nPC of one that has trapped, on its way to l1 or l2
  logic        m_restart, error_q, w_rd_we_q, w_late_q, links;
  reg_t        w_rd_q, link_rd;
  logic [31:0] m_result, w_result_q;
  logic [31:2] flush_target_q;

  assign m            = m_q;
  assign m_mul_icc    = m_q.valid && m_q.mul && m_q.icc_we && !m_q.trap;
  assign m_cwp        = m_taken ? m_q.cwp - 3'd1 : m_stops ? m_q.cwp : m_q.cwp_after;
  assign idle         = !m_q.valid && m_link_q == '0;
  assign flush_target = flush_target_q;
  assign w_rd_we      = w_rd_we_q;
  assign w_late       = w_late_q;
  assign w_rd         = w_rd_q;
  assign w_result     = w_result_q;

  // ---- MEM
  assign m_links = m_link_q != '0;
  assign links   = (m_taken && flush) || m_link_q[0];  // in the next cycle
  assign link_rd = m_link_q[0] ? m_q.rd + 8'd1 : physical(5'd17, m_q.cwp - 3'd1, m_q.cwp);

  always_ff @(posedge cpu_clk) begin
    if (!lsu_busy) m_q <= from_x;
    if (cpu_rst || flush) begin
      m_q.valid   <= 1'b0;
      m_q.defer   <= 1'b0;
      m_q.rd_we   <= 1'b0;
    end
    // A trap was taken: l1 and l2 of its window go the way of results.
    m_link_q <= {m_link_q[0], m_taken && flush && !cpu_rst};
    if (links) begin
      m_q.rd_we  <= 1'b1;
      m_q.rd     <= link_rd;
      m_q.result <= {m_link_q[0] ? m_q.npc : m_q.pc, 2'b00};
      m_q.mem    <= 1'b0;
      m_q.mul    <= 1'b0;
      m_q.second <= 1'b0;
      m_q.npc    <= m_q.npc;
    end
    if (cpu_rst) begin
      m_link_q  <= '0;
      m_q.rd_we <= 1'b0;
    end
  end

  assign m_trap    = m_q.valid && (m_q.trap || lsu_fault);
  assign m_type    = m_q.trap ? m_q.trap_type : m_q.store ? TT_STORE : TT_DATA;
  assign m_taken   = m_trap && traps_enabled;
  assign m_stops   = m_trap && !traps_enabled;

  always_comb begin
    if (m_q.mul) m_early_result = product;
    else if (m_q.second) m_early_result = lsu_result_second;
    else m_early_result = m_q.result;
    m_icc = m_q.defer ? difference(m_order) : m_q.icc;
    if (m_q.mul) m_icc = '{n: product[31], z: product == '0, v: 1'b0, c: 1'b0};
  end

  // The access before has brought its word to WB by now, as both left their stages together.
  v8_compare u_compare (
    .loaded(w_result_q),
    .other (m_q.result),
    .second(m_q.defer_second),
    .order (m_order)
  );

  // WB takes an overlapped load's data when there is nothing else.
  assign m_result = (m_q.mem && m_q.rd_we) ? lsu_result : m_q.rd_we ? m_early_result : late_value;

  // Training, see cpu_fetch. What is known of an instruction is where it goes on, and why.
  always_comb begin
    btb_update           = trained(m_q.pred.hit, m_q.pred.taken, m_q.pred.count, m_q.jumps, m_q.conditional);
    btb_update.last      = {m_q.pc, 1'b0};
    btb_update.target    = {m_q.target, 1'b0};
    btb_update.is_return = m_q.returns;
    if (!m_q.valid || !m_q.last) btb_update.write = 1'b0;
  end

  // Only FLUSH and its like stall in MEM, until `lsu_drained`: spelled out, because lsu_busy comes late.
  assign m_restart     = m_trap || (m_q.drop_code && lsu_drained);
  assign flush         = m_q.valid && m_restart;
  assign ic_invalidate = m_q.valid && !m_trap && m_q.drop_code && lsu_drained;
  assign m_retires     = m_q.valid && !lsu_busy && !m_trap;

  always_ff @(posedge cpu_clk) begin
    flush_q        <= flush && !m_stops;
    flush_target_q <= m_trap ? {trap_base, m_type, 2'b00} : m_q.npc;
    if (cpu_rst) begin
      flush_q        <= 1'b1;  // the way out of reset is a flush to the boot address
      flush_target_q <= BOOT_ADDRESS[31:2];
    end
  end

  always_ff @(posedge cpu_clk) begin
    if (m_stops && !error_q) begin
      error_q    <= 1'b1;
      error_type <= m_type;
      error_pc   <= {m_q.pc, 2'b00};
    end
    if (cpu_rst) begin
      error_q    <= 1'b0;
      error_type <= '0;
      error_pc   <= '0;
    end
  end
  assign error = error_q;

  // ---- WB
  always_ff @(posedge cpu_clk) begin
    w_rd_we_q  <= (m_q.rd_we && (m_q.valid || m_links) && !lsu_busy && !m_trap) || (late_write && late_we);
    w_rd_q     <= m_q.rd_we ? m_q.rd : late_rd;
    w_result_q <= m_result;
    w_late_q   <= !m_q.rd_we;
    if (cpu_rst) begin  // g0 becomes zero
      w_rd_we_q  <= 1'b1;
      w_rd_q     <= G0;
      w_result_q <= '0;
    end
  end

endmodule
