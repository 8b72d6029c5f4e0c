// SPDX-License-Identifier: Apache-2.0
//
// A small core: rv_core without divider and interrupts and with a small predictor, its instruction cache over the
// shared instruction memory, and in the data cache's place the port to the banks (pnic_lsu).
//
// Cycles: rv_core, with pnic_lsu's in MEM.
// Run and halt as in rv_slot: with `run` low nothing leaves DECODE, and `halted` rises when nothing is under way to
// memory.
// Borders: pad_req, far_req and fetch_address out of registers.
module pnic_core
  import cpu_core_pkg::*;
  import pnic_pkg::*;
  import rv_pkg::*;
#(
  parameter logic [31:0] HART_ID       = 32'd0,
  parameter int unsigned ICACHE_BYTES  = 8192,
  parameter bit          COUNTERS      = 1'b0,  // cycles, instructions, stalls by cause: for who measures
  parameter bit          RETIRE        = 1'b0,
  parameter bit          RVFI          = 1'b0   // the signal `rvfi` in here is for a bench to look at
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        run,
  output logic        halted,
  output pad_req_t    pad_req,
  input  pad_rsp_t    pad_rsp,
  output far_req_t    far_req,
  input  far_rsp_t    far_rsp,
  output logic        fetch_valid,
  input  logic        fetch_ready,
  output logic [31:3] fetch_address,
  input  logic        fetch_rsp_valid,
  input  logic        fetch_rsp_err,
  input  logic [63:0] fetch_rsp_data,
  output cpu_slot_pkg::cpu_retire_t retire
);

  logic        ic_read, ic_redirect, ic_valid, ic_fault, ic_invalidate;
  logic [31:2] ic_address;
  logic [31:0] ic_instr;

  why_t        lsu_why_busy;
  logic        lsu_issue, lsu_drained, lsu_busy, lsu_fault, lsu_fault_store, drop_reservation;
  mem_op_t     lsu_op;
  logic [31:0] lsu_address, lsu_data, lsu_result, lsu_fault_address;
  logic        lsu_overlap, loads_pending, load_rsp_valid, bus_error;
  logic [2:0]  loads_funct3;
  /* verilator lint_off UNUSEDSIGNAL */  // words have 32 bits: bit 2 of an address does not matter
  logic [2:0]  loads_first;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] load_value, bus_error_address;

  logic        run_q, halted_q, core_idle, fetch_wanted;

  rvfi_t       rvfi;
  logic        unused_rvfi;
  assign unused_rvfi = &{1'b0, rvfi};

  always_ff @(posedge clk) begin
    run_q    <= run;
    halted_q <= !run_q && core_idle && lsu_drained;
    if (rst) halted_q <= 1'b0;
  end

  assign halted      = halted_q && !run_q;  // not still from the time before a short run
  assign fetch_valid = fetch_wanted && run_q;

  rv_core #(
    .HART_ID      (HART_ID),
    .DIVIDER      (1'b0),
    .ZBB          (1'b0),
    .INTERRUPTS   (1'b0),
    .BTB_ENTRIES  (16),
    .FORWARD_LOADS(1'b1),
    .RAS_DEPTH    (2),
    .COUNTERS     (COUNTERS),
    .PERF_COUNTERS(COUNTERS),
    .ORDER        (1'b1),
    .RETIRE       (RETIRE),
    .RVFI         (RVFI)
  ) u_core (
    .cpu_clk           (clk),
    .cpu_rst           (rst),
    .run               (run_q),
    .idle              (core_idle),
    .ic_read,
    .ic_redirect,
    .ic_address,
    .ic_valid,
    .ic_instr,
    .ic_fault,
    .ic_invalidate,
    .lsu_issue,
    .lsu_op,
    .lsu_address,
    .lsu_data,
    .lsu_overlap,
    .lsu_busy,
    .lsu_why_busy,
    .lsu_drained,
    .lsu_result,
    .lsu_fault,
    .lsu_fault_store,
    .lsu_fault_address,
    .lsu_drop_reservation(drop_reservation),
    .loads_pending,
    .loads_first,
    .loads_funct3,
    .load_rsp_valid,
    .load_value,
    .bus_error,
    .bus_error_address,
    .irq               ('0),
    .unit_rsp          ('0),
    .retire,
    .rvfi,
    /* verilator lint_off PINCONNECTEMPTY */  // without a cache, a unit, or a choice about stores
    .lsu_offer         (),
    .lsu_drop_all      (),
    .lsu_precise_stores(),
    .unit_req          ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  icache #(.BYTES(ICACHE_BYTES), .WAYS(2)) u_icache (
    .cpu_clk     (clk),
    .cpu_rst     (rst),
    .read        (ic_read),
    .redirect    (ic_redirect),
    .read_address(ic_address),
    .valid       (ic_valid),
    .instr       (ic_instr),
    .fault       (ic_fault),
    .invalidate  (ic_invalidate),
    .bus_valid   (fetch_wanted),
    .bus_ready   (fetch_ready && run_q),
    .bus_address (fetch_address),
    .rsp_valid   (fetch_rsp_valid),
    .rsp_err     (fetch_rsp_err),
    .rsp_data    (fetch_rsp_data)
  );

  pnic_lsu u_lsu (
    .clk,
    .rst,
    .issue        (lsu_issue),
    .issue_op     (lsu_op),
    .issue_address(lsu_address),
    .issue_data   (lsu_data),
    .issue_overlap(lsu_overlap),
    .busy         (lsu_busy),
    .why_busy     (lsu_why_busy),
    .drained      (lsu_drained),
    .result       (lsu_result),
    .fault        (lsu_fault),
    .fault_store  (lsu_fault_store),
    .fault_address(lsu_fault_address),
    .loads_pending,
    .loads_first  (loads_first[1:0]),
    .loads_funct3,
    .load_rsp_valid,
    .load_value,
    .bus_error,
    .bus_error_address,
    .drop_reservation,
    .pad_req,
    .pad_rsp,
    .far_req,
    .far_rsp
  );

endmodule
