// SPDX-License-Identifier: Apache-2.0
//
// SPARC V8 integer unit: the pipeline and its control. Memories are outside: an instruction cache on the fetch port,
// the load/store unit (cpu_lsu, with the data cache) on the memory port. docs/sparc.md says what the manual leaves
// open.
//
//   stage   owns                                                             leaves when
//   FETCH   fetch address, branch target buffer, the cache's output          DECODE is free
//           (cpu_fetch)
//   DECODE  instruction, micro-operations, CWP, operands (v8_issue);         EX is free, no operand is missing
//           is FETCH on the right way behind this instruction (v8_flow)?
//           interrupts attach to an instruction here
//   EX      ALU, branch decision, targets, address adder, divider, first     divider done, MEM is free
//           half of the multiplier, what traps by operands (v8_execute);
//           state registers (v8_state)
//   MEM     data cache, bus accesses, second half of the multiplier,         the access is done
//           comparisons of what was loaded just before (v8_commit);
//           the commit point: traps are taken here, and nowhere else
//   WB      register write                                                   always
//
// PC and nPC. An instruction in DECODE is the one at PC; v8_flow says its nPC by the instruction before it. So a
// transfer is judged when its delay slot is in DECODE: did FETCH go on behind the slot where it should? If not, FETCH
// is sent there, and one cycle is lost. The branch target buffer is trained by the slot: an entry is at the slot's
// address, and a right prediction costs nothing. BA,a has no slot: it is at its own address, and is judged in EX.
// Couples of transfers and RETT need nothing of their own. A slot that is annulled goes through as a bubble.
//
// Windows. CWP is DECODE's: SAVE and RESTORE change it as they leave it. Each instruction carries the number it began
// with, by which a trap gets it back. Registers go down the pipeline by physical numbers.
//
// Condition codes. Those behind the instruction that left EX last are in x_icc_q, those of what has left MEM in
// v8_state. A trap gets them back from there. A comparison of what the load just before it brings is made in MEM,
// beside EX where the branch is that asks for it.
//
// Hazards
//   load, multiply, LDSTUB, SWAP in EX, used in DECODE   one cycle of waiting (`late`), but not for the data of a store
//                                                        nor for a comparison
//   UMULcc, SMULcc                                       DECODE waits until it has left MEM
//   division                                             36 more cycles in EX
//   WRWIM, WRTBR, RETT                                   `holds`: DECODE waits until it has left EX
//   RDASR, RDPSR, WRASR, WRPSR, MULScc, control spaces   `serial`: issued when EX and MEM are empty, too
//   RDY, RDWIM, RDTBR, used in DECODE                    one cycle of waiting, as a load
//   register of an overlapped load, read or written      DECODE, until the cycle after its answer
//   memory not ready                                     MEM holds, and with it EX and DECODE (`lsu_busy`)
//
// Traps travel as a mark with their instruction to MEM. An interrupt is a mark as well, which counts there only if the
// instruction has no trap of its own by then; the instruction does nothing. A late error takes the place of an
// instruction, whatever it is. Taking a trap drops DECODE and EX and restarts FETCH in the next cycle; PC and nPC go to
// l1 and l2 of the new window by way of MEM and WB meanwhile. A trap with ET = 0 is error mode: the core stops until
// reset.
//
// Cycles: 1; load 1 and one more if the next instruction uses it, multiply likewise; LDD, STD 2; store or SWAP with two
// registers one more; division 37; control transfer 1 (its slot is an instruction) if predicted, else 2, BA,a 3; trap
// to the first instruction of the handler 5; `holds` 2; `serial` 2 to 4.
module v8_core
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
  import cpu_slot_pkg::*;
  import v8_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter int unsigned LOADS         = 4,    // overlapped loads under way, a power of two
  parameter int unsigned BTB_ENTRIES   = 64,
  parameter int unsigned RAS_DEPTH     = 8,
  parameter bit          PERF_COUNTERS = 1'b1,
  parameter bit          RETIRE        = 1'b0, // the retire port is used; without, `retire` is constant
  parameter bit          STEPS         = 1'b0  // for checkers; without, `step` and `written` are constant
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        run,             // low: nothing leaves DECODE, and nothing ends a sleep
  output logic        idle,            // nothing is in EX or MEM but a sleep
  output logic        error,           // error mode
  output logic [7:0]  error_type,
  output logic [31:0] error_pc,
  // Instruction cache: address in one cycle, answer in the next or later, held until the next read
  output logic        ic_read,
  output logic        ic_redirect,
  output logic [31:2] ic_address,
  input  logic        ic_valid,
  input  logic [31:0] ic_instr,
  input  logic        ic_fault,
  output logic        ic_invalidate,
  // Load/store unit: the operation is handed over as its instruction moves from EX to MEM
  output logic        lsu_offer,
  output logic        lsu_issue,
  output mem_op_t     lsu_op,
  output logic [31:0] lsu_address,
  output logic [63:0] lsu_data,
  output logic        lsu_overlap,
  input  logic        lsu_busy,
  input  why_t        lsu_why_busy,
  input  logic        lsu_drained,
  input  logic [31:0] lsu_result,
  input  logic [31:0] lsu_result_second,
  input  logic        lsu_fault,
  input  logic [31:0] lsu_fault_address,
  output logic        lsu_drop_all,
  output logic        lsu_precise_stores,
  output logic        loads_pending,
  output logic [2:0]  loads_first,
  output logic [2:0]  loads_funct3,
  input  logic        load_rsp_valid,
  input  logic [31:0] load_value,
  input  logic        bus_error,
  input  logic        bus_error_load,
  input  logic [31:0] bus_error_address,
  input  logic [15:1] irq_levels,
  output cpu_retire_t retire,
  output step_t       step,
  output write_t      written
);

  // ---- Signals between the stages; d_ DECODE, x_ EX, m_ MEM, w_ WB
  exec_t       to_x, x_q;
  mem_t        to_m, m_q;
  logic        x_again_q;            // MULScc has made its operands
  logic [31:0] x_even_q;             // the first word of a STD
  icc_t        x_icc_q;              // behind what left EX last

  logic        d_ready, d_valid, d_fault, d_between, d_load_wait, d_serial_wait, d_muldiv_wait;
  logic [31:0] d_instr;
  reg_t        d_rs1, d_port, d_rd;

  logic        m_trap, m_taken, m_stops, m_retires, m_links, m_idle, m_mul_icc;
  logic [7:0]  m_type;
  logic [2:0]  m_cwp;
  icc_t        m_icc;
  order_t      m_order;
  logic [31:0] m_early_result;

  logic        w_rd_we, w_late;
  reg_t        w_rd;
  logic [31:0] w_result;

  logic        loads_full, loads_almost_full, rs1_waits, port_waits, rd_waits, rs1_comes, port_comes;
  logic        overlap_loads, x_may_overlap, late_write, late_we;
  reg_t        late_rd;
  logic [31:0] late_value;

  // A flush of everything: reset, trap, FLUSH. FETCH restarts in the cycle after.
  logic        flush, flush_q;
  logic [31:2] flush_target;
  logic        x_go, x_ready;

  // State registers
  icc_t        icc;
  logic [31:0] y, tbr, x_state;
  logic [31:3] psr;
  logic [7:0]  wim;
  logic        supervisor, traps_enabled, irq_pending, irq_wake, late_store, late_load;
  logic [3:0]  irq_level;
  logic [2:0]  cwp;

  // ---- FETCH
  logic        redirect, fetch_valid;
  logic [31:2] redirect_target;
  fetched_t    f;
  btb_update_t btb_update;
  ras_update_t ras_update;

  assign ic_redirect = flush_q || redirect;

  cpu_fetch #(.BTB_ENTRIES(BTB_ENTRIES), .RAS_DEPTH(RAS_DEPTH)) u_fetch (
    .cpu_clk,
    .cpu_rst,
    .restart        (flush_q),
    .restart_target ({flush_target, 1'b0}),
    .redirect,
    .redirect_target({redirect_target, 1'b0}),
    .out_valid      (fetch_valid),
    .out_ready      (d_ready),
    .out            (f),
    .read           (ic_read),
    .read_address   (ic_address),
    .ic_valid,
    .ic_instr,
    .ic_fault,
    .update         (btb_update),
    .ras_update
  );

  // ---- DECODE
  logic        x_condition, x_alone, x_alone_astray, x_state_write, x_writes_psr, x_returns;
  logic [31:0] x_address, x_alu_result, x_data;

  v8_issue u_issue (
    .cpu_clk,
    .cpu_rst,
    .run,
    .stopped      (error),
    .flush,
    .flush_q,
    .f_valid      (fetch_valid),
    .f,
    .ready        (d_ready),
    .redirect,
    .redirect_target,
    .x            (x_q),
    .x_ready,
    .x_condition,
    .x_alone,
    .astray       (x_alone_astray),
    .x_may_overlap,
    .x_sum        (x_address[31:2]),
    .x_alu_result,
    .x_cwp_write  (x_q.valid && (x_writes_psr || x_q.ctrl.rett)),
    .x_cwp        (x_q.ctrl.rett ? x_q.cwp_after : x_alu_result[2:0]),
    .to_x,
    .m            (m_q),
    .m_mul_icc,
    .m_early_result,
    .lsu_result,
    .m_cwp,
    .w_rd_we_q    (w_rd_we),
    .w_rd_q       (w_rd),
    .w_result_q   (w_result),
    .rs1          (d_rs1),
    .port         (d_port),
    .rd           (d_rd),
    .rs1_waits,
    .port_waits,
    .rd_waits,
    .rs1_comes,
    .port_comes,
    .late_value,
    .loads_full,
    .loads_almost_full,
    .wim,
    .supervisor,
    .traps_enabled,
    .irq_pending,
    .irq_level,
    .late_store,
    .late_load,
    .cwp,
    .valid        (d_valid),
    .instr        (d_instr),
    .fault        (d_fault),
    .between      (d_between),
    .load_wait    (d_load_wait),
    .serial_wait  (d_serial_wait),
    .muldiv_wait  (d_muldiv_wait)
  );

  // ---- EX
  always_ff @(posedge cpu_clk) begin
    if (x_ready) begin
      x_q       <= to_x;
      x_again_q <= 1'b0;
    end else if (x_q.ctrl.mulscc && !x_again_q) begin
      // MULScc makes its operands in a first cycle.
      x_again_q <= 1'b1;
      x_q.a     <= {x_icc_q.n ^ x_icc_q.v, x_q.a[31:1]};
      if (!y[0]) x_q.b <= '0;
    end
    if (x_go && x_q.ctrl.keeps_even) x_even_q <= x_data;
    if (cpu_rst || flush) begin
      x_q.valid <= 1'b0;
      x_q.ctrl  <= '0;
    end
  end

  logic        x_busy, x_own_trap, x_access_good;
  logic        x_acts, x_div_busy, x_sleeps, x_low_q;
  logic [7:0]  x_type;
  logic [31:0] x_result;
  logic [63:0] product;
  icc_t        x_icc;

  v8_execute u_execute (
    .cpu_clk,
    .cpu_rst,
    .flush,
    .ready      (x_ready),
    .valid      (x_q.valid),
    .ctrl       (x_q.ctrl),
    .marked     (x_q.trap),
    .marked_type(x_q.trap_type),
    .interrupted(x_q.irq),
    .irq_level  (x_q.irq_level),
    .use_alu    (x_q.use_alu),
    .pc         (x_q.pc),
    .a          (x_q.a),
    .b          (x_q.b),
    .offset     (x_q.offset),
    .carry      (x_icc_q.c),
    .icc_in     (x_icc_q),
    .compared   (m_q.defer),
    .order      (m_order),
    .y,
    .state      (x_state),
    .acts       (x_acts),
    .own_trap   (x_own_trap),
    .trap_type  (x_type),
    .access_good(x_access_good),
    .condition  (x_condition),
    .address    (x_address),
    .alu_result (x_alu_result),
    .result     (x_result),
    .icc        (x_icc),
    .div_busy   (x_div_busy),
    .product
  );

  assign x_alone = x_q.ctrl.branch && x_q.ctrl.annul && !x_q.ctrl.conditional && x_q.ctrl.condition[3];

  // BA,a that FETCH has not followed; once.
  logic x_alone_done_q;
  always_ff @(posedge cpu_clk) x_alone_done_q <= x_alone && !x_ready && !flush && !cpu_rst;
  assign x_alone_astray = x_q.valid && x_alone && !x_q.alone_right && !x_alone_done_q;

  assign ras_update = '{push: x_go && x_q.ctrl.call, pop: x_go && x_q.ctrl.ret, address: {x_q.pc + 30'd2, 1'b0}};

  // Only those traps are asked for that these instructions can have: they are early. The window and the
  // condition codes ask for none: a trap gets them back.
  assign x_writes_psr  = x_q.ctrl.state_write && x_q.ctrl.state == ST_PSR;
  assign x_state_write = x_q.ctrl.state_write && x_q.valid && !x_q.irq && !(x_writes_psr && x_alu_result[4:3] != '0);
  assign x_returns     = x_q.ctrl.rett && x_acts && x_go;
  assign x_sleeps      = x_q.valid && x_q.ctrl.state_write && x_q.ctrl.state == ST_SLEEP && !x_q.irq;

  always_ff @(posedge cpu_clk) begin
    if (!x_again_q) x_low_q <= x_q.a[0];
    if (m_mul_icc || m_q.defer) x_icc_q <= m_icc;
    if (x_go && x_q.ctrl.sets_icc && !x_q.ctrl.mul && !x_q.defer) x_icc_q <= x_icc;
    if (x_q.valid && x_writes_psr) x_icc_q <= x_alu_result[23:20];
    if (flush) x_icc_q <= icc;
    if (cpu_rst) x_icc_q <= '0;
  end

  assign x_busy  = x_div_busy || (x_sleeps && !(irq_wake && run)) || (x_q.ctrl.mulscc && !x_again_q);
  assign x_go    = x_q.valid && !x_busy && !lsu_busy && !flush;
  assign x_ready = !lsu_busy && !(x_q.valid && x_busy);
  assign idle    = m_idle && (!x_q.valid || x_sleeps) && d_between;

  always_comb begin
    lsu_op = x_q.ctrl.mem;
    if (x_q.ctrl.control) lsu_op.kind = x_q.ctrl.drop_code ? MEM_FENCE : MEM_NONE;
  end
  assign lsu_offer    = x_access_good && !flush && lsu_op.kind != MEM_NONE;
  assign lsu_issue    = lsu_offer && !lsu_busy;
  assign lsu_address  = x_address;
  assign lsu_data     = {x_even_q, x_data};
  assign lsu_drop_all = x_go && x_acts && x_q.ctrl.drop_data;

  assign x_data = x_q.data_late ? lsu_result : x_q.b;

  // DECODE cannot wait for the address: the register that it is made of decides as well.
  assign x_may_overlap = overlap_loads && x_q.ctrl.mem.kind == MEM_LOAD && !x_q.ctrl.control && !x_q.ctrl.mem.bypass &&
                         x_q.ctrl.mem.funct3[1:0] != 2'b11 && !is_cached(x_q.a[31:28]);
  assign lsu_overlap   = x_may_overlap && !is_cached(x_address[31:28]);

  cpu_load_queue #(.DEPTH(LOADS), .REG_W(8)) u_loads (
    .cpu_clk,
    .cpu_rst,
    .add        (lsu_issue && lsu_overlap),
    .add_rd_we  (x_q.ctrl.rd_we),
    .add_rd     (x_q.rd),
    .add_first  (x_address[2:0]),
    .add_funct3 (x_q.ctrl.mem.funct3),
    .full       (loads_full),
    .almost_full(loads_almost_full),
    .rs1        (d_rs1),
    .rs2        (d_port),
    .rd         (d_rd),
    .rs1_waits,
    .rs2_waits  (port_waits),
    .rd_waits,
    .rs1_comes,
    .rs2_comes  (port_comes),
    .unanswered (loads_pending),
    .first      (loads_first),
    .funct3     (loads_funct3),
    .rsp_valid  (load_rsp_valid),
    .rsp_value  (load_value),
    .overtake   (m_links),
    .overtake_rd(m_q.rd),
    .port_free  (!m_q.rd_we),
    .write      (late_write),
    .write_we   (late_we),
    .write_rd   (late_rd),
    .write_value(late_value)
  );

  // ---- MEM, WB
  assign to_m = '{
    valid:        x_go,
    annulled:     x_q.annulled,
    last:         x_q.ctrl.last,
    trap:         x_own_trap || x_q.irq,
    irq:          x_q.irq && !x_own_trap,
    late_store:   x_q.late_store,
    late_load:    x_q.late_load,
    fetch_fault:  x_q.trap && x_q.fetch_fault && !x_q.late_store && !x_q.late_load,
    forbidden:    !x_q.trap && x_own_trap && x_type == TT_DATA,
    nowhere:      x_q.ctrl.nowhere,
    trap_type:    x_type,
    pc:           x_q.pc,
    npc:          x_q.npc,
    result:       x_result,
    rd:           x_q.rd,
    rd_we:        x_q.ctrl.rd_we && x_go && !x_own_trap && !x_q.irq && !lsu_overlap,
    mem:          lsu_op.kind != MEM_NONE,
    store:        x_q.ctrl.mem.kind == MEM_STORE,
    writes:       x_q.ctrl.mem.kind == MEM_STORE || x_q.ctrl.mem.kind == MEM_AMO,
    overlapped:   lsu_overlap,
    second:       x_q.ctrl.second,
    drop_code:    x_q.ctrl.drop_code,
    rett:         x_q.ctrl.rett,
    serial:       x_q.ctrl.serial,
    mul:          x_q.ctrl.mul,
    icc_we:       x_q.ctrl.sets_icc,
    icc:          x_icc,
    defer:        x_q.defer && x_q.ctrl.compare && x_go,
    defer_second: x_q.defer_second,
    cwp:          x_q.cwp,
    cwp_after:    x_q.cwp_after,
    target:       x_alone ? x_q.target : x_q.npc,
    jumps:        x_q.jump || x_alone,
    conditional:  x_q.after_conditional && !x_alone,
    returns:      x_q.after_return && !x_alone,
    pred:         x_q.pred
  };

  v8_commit #(.BOOT_ADDRESS(BOOT_ADDRESS)) u_commit (
    .cpu_clk,
    .cpu_rst,
    .from_x       (to_m),
    .m            (m_q),
    .lsu_busy,
    .lsu_drained,
    .lsu_fault,
    .lsu_result,
    .lsu_result_second,
    .product      (product[31:0]),
    .traps_enabled,
    .trap_base    (tbr[31:12]),
    .flush,
    .flush_q,
    .flush_target,
    .ic_invalidate,
    .m_trap,
    .m_taken,
    .m_stops,
    .m_type,
    .m_cwp,
    .m_retires,
    .m_links,
    .idle         (m_idle),
    .error,
    .error_type,
    .error_pc,
    .m_mul_icc,
    .m_icc,
    .m_order,
    .m_early_result,
    .late_write,
    .late_we,
    .late_rd,
    .late_value,
    .w_rd_we,
    .w_late,
    .w_rd,
    .w_result,
    .btb_update
  );

  // ---- Causes of stalls. The first micro-operations of an instruction count as the loads and stores that they are of.
  why_t why, d_why, m_why;
  always_comb begin
    if (d_load_wait) d_why = WHY_UNCACHED;
    else if (d_serial_wait) d_why = WHY_SERIAL;
    else if (d_muldiv_wait) d_why = WHY_MULDIV;
    else d_why = WHY_LOAD_USE;
    if (m_q.annulled) m_why = WHY_BRANCH;
    else if (m_q.last) m_why = WHY_OTHER;
    else m_why = WHY_LOAD_USE;
  end

  cpu_stalls u_stalls (
    .cpu_clk,
    .cpu_rst,
    .run,
    .flush,
    .flush_why   (m_trap ? WHY_OTHER : WHY_SERIAL),
    .flush_again (flush_q),
    .redirect,
    .drops_decode(x_alone_astray),
    .d_ready,
    .d_valid,
    .d_why,
    .x_ready,
    .x_valid     (x_q.valid),
    .x_sleeps,
    .m_stall     (lsu_busy),
    .m_valid     (m_q.valid),
    .m_busy      (lsu_why_busy),
    .m_why,
    .why
  );

  logic [1:0] m_fault_access;
  always_comb begin
    if (m_q.late_store) m_fault_access = 2'd2;
    else if (m_q.late_load) m_fault_access = 2'd0;
    else if (m_q.fetch_fault) m_fault_access = 2'd1;
    else m_fault_access = {m_q.writes, 1'b0};
  end

  v8_state #(.HART_ID(HART_ID), .PERF_COUNTERS(PERF_COUNTERS)) u_state (
    .cpu_clk,
    .cpu_rst,
    .number           (x_q.ctrl.state),
    .at_status        (is_sum(x_q.a, x_q.offset, 31'(32'h300 >> 1), 1'b0)),  // an access by less than words traps
    .at_address       (is_sum(x_q.a, x_q.offset, 31'(32'h400 >> 1), 1'b0)),
    .cwp              (cwp),
    .read_data        (x_state),
    .write            (x_state_write && x_go),
    .write_data       (x_alu_result),
    .y_write          (x_q.ctrl.mulscc && x_go && !x_q.irq),
    .y_data           ({x_low_q, y[31:1]}),
    .rett             (x_returns),
    .icc,
    .y,
    .psr,
    .wim,
    .tbr,
    .supervisor,
    .traps_enabled,
    .retire           (m_retires && m_q.last && !m_q.annulled),
    .icc_write        (m_retires && m_q.icc_we),
    .icc_data         (m_icc),
    .product_write    (m_retires && m_q.mul),
    .product_high     (product[63:32]),
    .why,
    .trap             (flush && m_trap),
    .type_write       (flush && (m_taken || (m_stops && m_q.rett))),
    .trap_type        (m_type),
    .fault            (m_q.late_store || m_q.late_load || m_q.fetch_fault || m_q.forbidden || !m_q.trap),
    .fault_access     (m_fault_access),
    .fault_type       ((m_q.forbidden && !m_q.nowhere) ? FAULT_FORBIDDEN : FAULT_ANSWER),
    .fault_address    (m_q.fetch_fault ? {m_q.pc, 2'b00} : m_q.trap ? m_q.result : lsu_fault_address),
    .late_store_taken (flush && m_q.late_store),
    .late_load_taken  (flush && m_q.late_load),
    .irq_levels,
    .irq_pending,
    .irq_level,
    .irq_wake,
    .late_store,
    .late_load,
    .bus_error,
    .bus_error_load,
    .bus_error_address,
    .precise_stores   (lsu_precise_stores),
    .overlap_loads
  );

  v8_report #(.RETIRE(RETIRE), .STEPS(STEPS)) u_report (
    .cpu_clk,
    .cpu_rst,
    .d_instr      (d_instr),
    .d_fault      (d_fault),
    .x_ready,
    .m_stall      (lsu_busy),
    .m_event      (m_q.valid && !lsu_busy && (m_q.last || m_trap)),
    .m_annulled   (m_q.annulled),
    .m_trap,
    .m_interrupted(m_q.irq),
    .m_stops,
    .m_type,
    .m_pc         (m_q.pc),
    .m_npc        (m_q.npc),
    .m_cwp        ((m_q.serial && !m_trap) ? cwp : m_cwp),
    .m_overlapped (m_q.overlapped && m_q.mem),
    .m_y          ((m_q.mul && !m_trap) ? product[63:32] : y),
    .psr,
    .wim,
    .tbr,
    .w_we         (w_rd_we),
    .w_late       (w_late),
    .w_rd         (w_rd),
    .w_result     (w_result),
    .retire,
    .step,
    .written
  );

  a_fault_in_mem : assert property (@(posedge cpu_clk) disable iff (cpu_rst) lsu_fault -> m_q.valid && m_q.mem);
  a_no_flush_stalled : assert property (@(posedge cpu_clk) disable iff (cpu_rst) flush -> !lsu_busy);
  a_g0_is_never_written : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    !(w_rd_we && w_rd == G0 && w_result != '0));
  a_serial_alone : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    !(x_q.valid && x_q.ctrl.serial && m_q.valid));

endmodule
