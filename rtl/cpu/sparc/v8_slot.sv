// SPDX-License-Identifier: Apache-2.0
//
// The SPARC V8 core as cpu_slot holds it: v8_core with instruction cache, load/store unit with data cache, and bus
// interface. docs/sparc.md says what it does where the manual leaves a choice.
//
// Byte order. The core and the bus are big-endian: the byte at address a travels in lane a, of memory and of devices,
// and a word means the same to both.
//
// Caches, run and halt: as in rv_slot. FLUSH and stores to control spaces drop what fence.i and mcachectl drop there. A
// sleep stays where it is while `run` is low. In error mode `error` is high until reset, and `halted` follows `run` as
// ever.
//
// `irq_levels`: bit n is interrupt level n, in cpu_clk.
//
// ACB outputs are registered; responses are used in the cycle in which they arrive.
module v8_slot
  import acb_pkg::*;
  import cpu_core_pkg::*;
  import cpu_slot_pkg::*;
  import v8_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter int unsigned ICACHE_BYTES  = 8192,
  parameter int unsigned DCACHE_BYTES  = 8192,
  parameter bit          PERF_COUNTERS = 1'b1,
  parameter bit          RETIRE        = 1'b0,
  parameter bit          STEPS         = 1'b0   // the signals `step` and `written` in here are for a bench to look at
) (
  input  logic           cpu_clk,
  input  logic           cpu_rst,
  input  logic           run,
  output logic           halted,
  output logic           error,
  output logic [7:0]     error_type,
  output logic [31:0]    error_pc,
  output acb_m2s_t       acb_m2s,
  input  acb_s2m_t       acb_s2m,
  input  cpu_snoop_t     snoop,
  input  logic [15:1]    irq_levels,
  output cpu_retire_t    retire
);

  logic        ic_read, ic_redirect, ic_valid, ic_fault, ic_invalidate;
  logic [31:2] ic_address;
  logic [31:0] ic_instr;
  logic        i_valid, i_ready, i_rsp_valid;
  logic [31:3] i_address;

  why_t        lsu_why_busy;
  logic        lsu_offer, lsu_issue, lsu_drained, lsu_busy, lsu_fault, lsu_fault_store;
  logic        drop_all, precise_stores;
  mem_op_t     lsu_op;
  logic [31:0] lsu_address, lsu_result, lsu_result_second, lsu_fault_address;
  logic [63:0] lsu_data;
  logic        lsu_overlap, loads_pending, load_rsp_valid;
  logic [2:0]  loads_first, loads_funct3;
  logic [31:0] load_value;
  logic        d_valid, d_ready, d_rsp_valid, stores_pending;
  bus_req_t    d_req;

  logic        run_q, halted_q, core_idle, bus_idle, i_wanted;
  logic        rsp_err, bus_error, bus_error_load;
  logic [63:0] rsp_data;
  logic [31:0] bus_error_address;

  step_t         step;
  write_t        written;
  cpu_line_rsp_t unused_line;
  logic          unused;
  assign unused = &{1'b0, step, written, unused_line};

  always_ff @(posedge cpu_clk) begin
    run_q    <= run;
    halted_q <= !run_q && core_idle && lsu_drained && bus_idle;
    if (cpu_rst) halted_q <= 1'b0;
  end

  assign halted  = halted_q && !run_q;  // not still from the time before a short run
  assign i_valid = i_wanted && run_q;

  a_halted_is_quiet : assert property (@(posedge cpu_clk) disable iff (cpu_rst) halted_q -> !acb_m2s.req_valid);

  v8_core #(
    .BOOT_ADDRESS (BOOT_ADDRESS),
    .HART_ID      (HART_ID),
    .PERF_COUNTERS(PERF_COUNTERS),
    .RETIRE       (RETIRE),
    .STEPS        (STEPS)
  ) u_core (
    .cpu_clk,
    .cpu_rst,
    .run        (run_q),
    .idle       (core_idle),
    .error,
    .error_type,
    .error_pc,
    .ic_read,
    .ic_redirect,
    .ic_address,
    .ic_valid,
    .ic_instr,
    .ic_fault,
    .ic_invalidate,
    .lsu_offer,
    .lsu_issue,
    .lsu_op,
    .lsu_address,
    .lsu_data,
    .lsu_overlap,
    .lsu_busy,
    .lsu_why_busy,
    .lsu_drained,
    .lsu_result,
    .lsu_result_second,
    .lsu_fault,
    .lsu_fault_address,
    .lsu_drop_all      (drop_all),
    .lsu_precise_stores(precise_stores),
    .loads_pending,
    .loads_first,
    .loads_funct3,
    .load_rsp_valid,
    .load_value,
    .bus_error,
    .bus_error_load,
    .bus_error_address,
    .irq_levels,
    .retire,
    .step,
    .written
  );

  icache #(.BYTES(ICACHE_BYTES), .LITTLE_ENDIAN(1'b0)) u_icache (
    .cpu_clk,
    .cpu_rst,
    .read        (ic_read),
    .redirect    (ic_redirect),
    .read_address(ic_address),
    .valid       (ic_valid),
    .instr       (ic_instr),
    .fault       (ic_fault),
    .invalidate  (ic_invalidate),
    .bus_valid   (i_wanted),
    .bus_ready   (i_ready && run_q),
    .bus_address (i_address),
    .rsp_valid   (i_rsp_valid),
    .rsp_err,
    .rsp_data
  );

  cpu_lsu #(
    .CACHE_BYTES    (DCACHE_BYTES),
    .BIG_ENDIAN     (1'b1),
    .DWORDS         (1'b1),
    .RISCV_ATOMICS  (1'b0)
  ) u_lsu (
    .cpu_clk,
    .cpu_rst,
    .offer        (lsu_offer),
    .issue        (lsu_issue),
    .issue_op     (lsu_op),
    .issue_address(lsu_address),
    .issue_data   (lsu_data),
    .issue_overlap(lsu_overlap),
    .busy         (lsu_busy),
    .why_busy     (lsu_why_busy),
    .drained      (lsu_drained),
    .result       (lsu_result),
    .result_second(lsu_result_second),
    .fault        (lsu_fault),
    .fault_store  (lsu_fault_store),
    .fault_address(lsu_fault_address),
    .loads_pending,
    .loads_first,
    .loads_funct3,
    .load_value,
    .precise_stores,
    .drop_all,
    .drop_reservation(1'b0),
    .reserved_lost   (1'b0),
    /* verilator lint_off PINCONNECTEMPTY */  // no LR
    .reserved        (),
    /* verilator lint_on PINCONNECTEMPTY */
    .bus_valid    (d_valid),
    .bus_ready    (d_ready),
    .bus_req      (d_req),
    .rsp_valid    (d_rsp_valid),
    .rsp_err,
    .rsp_data,
    .stores_pending,
    .snoop,
    .line_req     ('0),
    .line_rsp     (unused_line)
  );

  logic unused_fault_store;
  assign unused_fault_store = lsu_fault_store;

  cpu_biu u_biu (
    .cpu_clk,
    .cpu_rst,
    .d_valid,
    .d_ready,
    .d_req,
    .d_rsp_valid,
    .d_load_rsp_valid(load_rsp_valid),
    .stores_pending,
    .bus_error,
    .bus_error_load,
    .bus_error_address,
    .i_valid,
    .i_ready,
    .i_address,
    .i_rsp_valid,
    .rsp_err,
    .rsp_data,
    .idle            (bus_idle),
    .acb_m2s,
    .acb_s2m
  );

endmodule
