// SPDX-License-Identifier: Apache-2.0
//
// The SPARC V8 core alone: instructions, when they come, answers of accesses, late errors and interrupts are free. What
// it reports of each step is checked, one thing in each proof (CHECK):
//
//   STATE      window number, condition codes, Y, PSR, WIM and TBR behind a step are what they were before it, but for
//              what its instruction or trap writes: what was done early behind a step that traps is taken back
//   FLOW       each step is where the one before it went, and a branch goes by the condition codes that are reported:
//              those that EX has recover, too
//   INTERRUPT  an interrupt is taken only of a level that was there, that PIL lets in, with ET = 1: so none is taken
//              twice
//   ERROR      error mode begins with a trap while ET is 0 and only then, and ends by reset: no step, no access before
//
// Left out: overlapped loads, and masks of interrupts; what JMPL and RETT add up; the load/store unit, of which only
// the order of its answers is here.
module fv_v8_core
  import cpu_core_pkg::*;
  import v8_pkg::*;
#(
  parameter int unsigned CHECK = 0
) (
  input logic        clk,
  input logic        again,
  input logic        fetch_answers,
  input logic [31:0] fetch_word,
  input logic        fetch_fault,
  input logic        lsu_busy,
  input logic        lsu_fault,
  input logic [31:0] lsu_result,
  input logic        bus_error,
  input logic [15:1] irq_levels
);

  localparam int unsigned STATE = 0, FLOW = 1, INTERRUPT = 2, ERROR = 3;

  logic first = 1'b1;
  logic rst;
  always_ff @(posedge clk) first <= 1'b0;
  assign rst = first || (CHECK == ERROR && again);

  // ---- Instructions
  logic        ic_read, ic_valid, ic_fault;
  logic [31:0] ic_instr;

  free_fetch u_fetch (
    .cpu_clk  (clk),
    .cpu_rst  (rst),
    .read     (ic_read),
    .asked    (),
    .valid    (ic_valid),
    .instr    (ic_instr),
    .fault    (ic_fault),
    .answers  (fetch_answers),
    .any_word (fetch_word),
    .any_fault(fetch_fault)
  );

  // ---- Accesses: one is in MEM from the cycle after `lsu_issue` on, busy for as long as it likes; its error comes
  // last.
  logic    lsu_issue, active_q, fence_q;
  mem_op_t lsu_op;
  always_ff @(posedge clk) begin
    if (!lsu_busy) begin
      active_q <= lsu_issue && !rst;
      fence_q  <= lsu_op.kind == MEM_FENCE;
    end
    if (rst) active_q <= 1'b0;
  end
  m_busy : assume property (@(posedge clk) lsu_busy -> active_q && !rst);
  m_fault : assume property (@(posedge clk) lsu_fault -> active_q && !fence_q && !lsu_busy && core.m_q.mem);
  m_no_overlap : assume property (@(posedge clk) !core.overlap_loads);
  m_all_levels : assume property (@(posedge clk) first || core.u_state.mask_q == '1);

  logic                      error;
  logic [7:0]                error_type;
  logic [31:0]               error_pc;
  cpu_slot_pkg::cpu_retire_t retire;
  step_t                     s;
  write_t                    written;

  v8_core #(.BTB_ENTRIES(4), .RAS_DEPTH(2), .LOADS(2), .PERF_COUNTERS(1'b0), .RETIRE(1'b1), .STEPS(1'b1)) core (
    .cpu_clk(clk), .cpu_rst(rst), .run(1'b1), .idle(), .error, .error_type, .error_pc,
    .ic_read, .ic_redirect(), .ic_address(), .ic_valid, .ic_instr, .ic_fault, .ic_invalidate(),
    .lsu_offer(), .lsu_issue, .lsu_op, .lsu_address(), .lsu_data(), .lsu_overlap(), .lsu_busy, .lsu_why_busy(WHY_OTHER),
    .lsu_drained(!lsu_busy), .lsu_result, .lsu_result_second(lsu_result), .lsu_fault, .lsu_fault_address('0),
    .lsu_drop_all(), .lsu_precise_stores(), .loads_pending(), .loads_first(), .loads_funct3(),
    .load_rsp_valid(1'b0), .load_value('0), .bus_error, .bus_error_load(1'b0), .bus_error_address('0),
    .irq_levels, .retire, .step(s), .written
  );

  // ---- The step before, and what reset leaves
  step_t p_q;
  logic  begins_q;  // nothing before it
  always_ff @(posedge clk) begin
    if (s.valid) begin
      p_q      <= s;
      begins_q <= 1'b0;
    end
    if (rst) begin
      p_q      <= '0;
      p_q.psr  <= 32'h80;
      begins_q <= 1'b1;
    end
  end

  logic       done, stops, taken;  // what became of the step
  logic [1:0] op;
  logic [5:0] op3;
  logic       arithmetic;
  assign done       = s.valid && !s.annulled && !s.trap;
  assign taken      = s.valid && s.trap && !s.error;
  assign stops      = s.valid && s.error;
  assign op         = s.instr[31:30];
  assign op3        = s.instr[24:19];
  assign arithmetic = done && op == 2'b10;

  if (CHECK == STATE) begin : g_state
    logic       writes_psr, writes_icc, writes_y;
    logic [2:0] cwp;
    assign writes_psr = arithmetic && op3 == 6'h31;
    assign writes_icc = writes_psr || (arithmetic && (op3[5:4] == 2'b01 || op3[5:2] == 4'b1000 || op3 == 6'h24));
    assign writes_y   = arithmetic && (op3 == 6'h24 || (!op3[5] && op3[3:1] == 3'b101) ||
                                       (op3 == 6'h30 && s.instr[29:25] == '0));
    always_comb begin
      cwp = p_q.psr[2:0];
      if (taken) cwp = cwp - 3'd1;
      else if (arithmetic && op3 == 6'h3C) cwp = cwp - 3'd1;
      else if (arithmetic && (op3 == 6'h3D || op3 == 6'h39)) cwp = cwp + 3'd1;
    end
    a_cwp : assert property (@(posedge clk) s.valid && !rst && !writes_psr -> s.psr[2:0] == cwp);
    a_icc : assert property (@(posedge clk) s.valid && !rst && !writes_icc -> s.psr[23:20] == p_q.psr[23:20]);
    a_y : assert property (@(posedge clk) s.valid && !rst && !writes_y -> s.y == p_q.y);
    // A trap, or a FLUSH, has dropped what was behind it: DECODE and EX go on with what is reported.
    a_cwp_recovers : assert property (@(posedge clk) core.flush_q && s.valid && !rst -> core.cwp == s.psr[2:0]);
    a_icc_recovers : assert property (@(posedge clk) core.flush_q && s.valid && !rst -> core.x_icc_q == s.psr[23:20]);
    a_level : assert property (@(posedge clk) s.valid && !rst && !writes_psr -> s.psr[11:8] == p_q.psr[11:8]);
    a_modes : assert property (@(posedge clk) s.valid && !rst && !writes_psr -> s.psr[7:5] ==
      (taken ? {1'b1, p_q.psr[7], 1'b0} : arithmetic && op3 == 6'h39 ? {p_q.psr[6], p_q.psr[6], 1'b1} : p_q.psr[7:5]));
    a_wim : assert property (@(posedge clk)
      s.valid && !rst && !(arithmetic && op3 == 6'h32) -> s.wim == p_q.wim);
    a_base : assert property (@(posedge clk)
      s.valid && !rst && !(arithmetic && op3 == 6'h33) -> s.tbr[31:12] == p_q.tbr[31:12]);
    a_type : assert property (@(posedge clk) taken && !rst -> s.tbr[11:4] == s.tt);
  end

  if (CHECK == FLOW) begin : g_flow
    logic        branch, call, adds, holds, goes, alone;
    logic [3:0]  icc;  // n, z, v, c
    logic [31:0] target;
    assign branch = p_q.valid && !p_q.annulled && !p_q.trap && p_q.instr[31:30] == 2'b00 && p_q.instr[24:22] == 3'd2;
    assign call   = p_q.valid && !p_q.annulled && !p_q.trap && p_q.instr[31:30] == 2'b01;
    assign adds   = p_q.valid && !p_q.annulled && !p_q.trap && p_q.instr[31:30] == 2'b10 &&
                    (p_q.instr[24:19] == 6'h38 || p_q.instr[24:19] == 6'h39);
    assign icc    = p_q.psr[23:20];
    always_comb begin
      case (p_q.instr[27:25])
        3'd0: holds = 1'b0;
        3'd1: holds = icc[2];
        3'd2: holds = icc[2] || (icc[3] ^ icc[1]);
        3'd3: holds = icc[3] ^ icc[1];
        3'd4: holds = icc[0] || icc[2];
        3'd5: holds = icc[0];
        3'd6: holds = icc[3];
        default: holds = icc[1];
      endcase
    end
    assign goes   = holds ^ p_q.instr[28];
    assign alone  = branch && p_q.instr[29] && p_q.instr[28:25] == 4'd8;  // BA,a: its slot is not reported
    assign target = p_q.pc + (call ? {p_q.instr[29:0], 2'b00} : {{8{p_q.instr[21]}}, p_q.instr[21:0], 2'b00});

    logic [31:0] pc, npc;
    logic        annulled, known;
    always_comb begin
      known    = !adds;
      annulled = branch && p_q.instr[29] && !goes;
      pc       = p_q.npc;
      npc      = p_q.npc + 32'd4;
      if (begins_q) begin
        pc  = '0;
        npc = 32'd4;
      end else if (p_q.trap) begin
        pc  = {p_q.tbr[31:4], 4'd0};
        npc = {p_q.tbr[31:4], 4'd4};
      end else if (alone) begin
        pc  = target;
        npc = target + 32'd4;
      end else if (call || (branch && goes)) begin
        npc = target;
      end
    end
    a_pc : assert property (@(posedge clk) s.valid && !rst -> s.pc == pc);
    a_npc : assert property (@(posedge clk) s.valid && !rst && known -> s.npc == npc);
    a_annulled : assert property (@(posedge clk) s.valid && !rst -> s.annulled == annulled);
  end

  if (CHECK == INTERRUPT) begin : g_interrupt
    // Levels that were there while this step and the AHEAD before it ended: an instruction takes its interrupt along
    // from DECODE, a cycle after the level comes, to the report, four stages on.
    localparam int unsigned AHEAD = 4;
    logic [AHEAD:0][15:1] seen_q;
    logic [15:1] seen;
    logic [3:0]  level;
    logic        interrupted;
    assign interrupted = s.valid && s.trap && s.tt[7:4] == 4'h1 && s.tt[3:0] != '0;
    assign level       = s.tt[3:0];
    always_ff @(posedge clk) begin
      seen_q[0] <= seen_q[0] | irq_levels;
      if (s.valid) seen_q <= {seen_q[AHEAD-1:0], irq_levels};
      if (rst) seen_q <= '0;
    end
    always_comb begin
      seen = '0;
      for (int i = 0; i <= int'(AHEAD); i++) seen |= seen_q[i];
    end
    a_was_there : assert property (@(posedge clk) interrupted && !rst -> seen[level]);
    a_let_in : assert property (@(posedge clk)
      interrupted && !rst -> p_q.psr[5] && (level > p_q.psr[11:8] || level == 4'd15));
    a_reported : assert property (@(posedge clk) s.valid && !s.annulled && !rst ->
      retire.interrupted == interrupted && retire.valid);
    a_not_again : assert property (@(posedge clk) interrupted && !rst -> !s.psr[5]);
  end

  if (CHECK == ERROR) begin : g_error
    logic       stopped_q;
    logic [7:0] type_q;
    always_ff @(posedge clk) begin
      if (stops) begin
        stopped_q <= 1'b1;
        type_q    <= s.tt;
      end
      if (rst) stopped_q <= 1'b0;
    end
    a_only_with_et : assert property (@(posedge clk) s.valid && s.trap && !rst -> s.error == !p_q.psr[5]);
    a_begins : assert property (@(posedge clk) stops && !rst -> error && error_type == s.tt && error_pc == s.pc);
    a_stays : assert property (@(posedge clk) stopped_q && !first -> error && error_type == type_q);
    a_not_else : assert property (@(posedge clk) error && !first -> stopped_q || stops);
    a_no_step : assert property (@(posedge clk) stopped_q && !rst -> !s.valid && !retire.valid);
    a_no_access : assert property (@(posedge clk) stopped_q && !rst -> !lsu_issue && !written.valid);
  end

endmodule
