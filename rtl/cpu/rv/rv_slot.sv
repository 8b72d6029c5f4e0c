// SPDX-License-Identifier: Apache-2.0
//
// The RV32 core as cpu_slot holds it: rv_core (RV32IMA_Zba_Zbb; COMPRESSED: with 16-bit instructions as well) with
// instruction cache, load/store unit with data cache, and bus interface.
//
// Byte order. The core is little-endian, the bus big-endian: memory accesses are byte-invariant (the byte at address a
// travels in lane a), device accesses (address[31:24] = 0xFF) value-preserving (bit 31 of a register is the bus's most
// significant bit). The load/store unit does that; the instruction cache holds bus lanes and swaps on the way out.
//
// Caches. The data cache follows memory: what another master writes is shown on the snoop channel, as the writes get
// their order; three cycles later (cpu_lsu) no load finds the old line. The instruction cache does not follow: code
// that another master has written needs fence.i, as code does that this core has written.
//
// Run and halt. With `run` low nothing leaves DECODE and the instruction cache asks for nothing. EX, MEM and the stores
// behind them go on until they are done; a wfi stays where it is. `halted` rises when nothing is left on the way to the bus
// or under way there. A line that the instruction cache has begun to fetch is finished when `run` is high again.
//
// ACB outputs are registered; responses are used in the cycle in which they arrive.
module rv_slot
  import cpu_core_pkg::*;
  import acb_pkg::*;
  import cpu_slot_pkg::*;
  import rv_pkg::*;
#(
  parameter logic [31:0] BOOT_ADDRESS  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter int unsigned ICACHE_BYTES  = 8192,
  parameter int unsigned DCACHE_BYTES  = 8192,
  parameter bit          COMPRESSED    = 1'b0,
  parameter bit          PERF_COUNTERS = 1'b1,
  parameter bit          UNIT          = 1'b0,
  parameter bit          SHARED        = 1'b0,  // see cpu_slot
  parameter bit          RETIRE        = 1'b0,
  parameter bit          RVFI          = 1'b0   // the signal `rvfi` in here is for a bench to look at
) (
  input  logic           cpu_clk,
  input  logic           cpu_rst,
  input  logic           run,
  output logic           halted,
  output acb_m2s_t       acb_m2s,
  input  acb_s2m_t       acb_s2m,
  input  cpu_snoop_t     snoop,
  output logic [31:2]    reserved,
  input  logic           reserved_lost,
  input  cpu_irq_t       irq,
  output cpu_unit_req_t  unit_req,
  input  cpu_unit_rsp_t  unit_rsp,
  input  cpu_line_req_t  line_req,
  output cpu_line_rsp_t  line_rsp,
  output cpu_retire_t    retire
);

  logic        ic_read, ic_redirect, ic_valid, ic_fault, ic_invalidate;
  logic [31:2] ic_address;
  logic [31:0] ic_instr;
  logic        i_valid, i_ready, i_rsp_valid;
  logic [31:3] i_address;

  why_t        lsu_why_busy;
  logic        lsu_offer, lsu_issue, lsu_drained, lsu_busy, lsu_fault, lsu_fault_store;
  logic        drop_all, drop_reservation, precise_stores;
  mem_op_t     lsu_op;
  logic [31:0] lsu_address, lsu_data, lsu_result, lsu_fault_address;
  logic        lsu_overlap, loads_pending, load_rsp_valid;
  logic [2:0]  loads_first, loads_funct3;
  logic [31:0] load_value;
  logic        d_valid, d_ready, d_rsp_valid, stores_pending;
  bus_req_t    d_req;

  logic        run_q, halted_q, core_idle, bus_idle, i_wanted;
  logic        rsp_err, bus_error;
  logic [63:0] rsp_data;
  logic [31:0] bus_error_address;

  rvfi_t       rvfi;
  logic        unused_rvfi;
  assign unused_rvfi = &{1'b0, rvfi};

  always_ff @(posedge cpu_clk) begin
    run_q    <= run;
    halted_q <= !run_q && core_idle && lsu_drained && bus_idle;
    if (cpu_rst) halted_q <= 1'b0;
  end

  assign halted  = halted_q && !run_q;  // not still from the time before a short run
  assign i_valid = i_wanted && run_q;

  a_halted_is_quiet : assert property (@(posedge cpu_clk) disable iff (cpu_rst) halted_q -> !acb_m2s.req_valid);

  rv_core #(
    .BOOT_ADDRESS (BOOT_ADDRESS),
    .HART_ID      (HART_ID),
    .COMPRESSED   (COMPRESSED),
    .PERF_COUNTERS(PERF_COUNTERS),
    .UNIT         (UNIT),
    .RETIRE       (RETIRE),
    .RVFI         (RVFI)
  ) u_core (
    .cpu_clk,
    .cpu_rst,
    .run        (run_q),
    .idle       (core_idle),
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
    .lsu_fault,
    .lsu_fault_store,
    .lsu_fault_address,
    .lsu_drop_all        (drop_all),
    .lsu_drop_reservation(drop_reservation),
    .lsu_precise_stores  (precise_stores),
    .loads_pending,
    .loads_first,
    .loads_funct3,
    .load_rsp_valid,
    .load_value,
    .bus_error,
    .bus_error_address,
    .irq,
    .unit_req,
    .unit_rsp,
    .retire,
    .rvfi
  );

  icache #(.BYTES(ICACHE_BYTES)) u_icache (
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

  cpu_lsu #(.CACHE_BYTES(DCACHE_BYTES), .LINE(UNIT), .SHARED(SHARED)) u_lsu (
    .cpu_clk,
    .cpu_rst,
    .offer        (lsu_offer),
    .issue        (lsu_issue),
    .issue_op     (lsu_op),
    .issue_address(lsu_address),
    .issue_data   ({32'b0, lsu_data}),
    .issue_overlap(lsu_overlap),
    .busy         (lsu_busy),
    .why_busy     (lsu_why_busy),
    .drained      (lsu_drained),
    .result       (lsu_result),
    .fault        (lsu_fault),
    .fault_store  (lsu_fault_store),
    .fault_address(lsu_fault_address),
    .loads_pending,
    .loads_first,
    .loads_funct3,
    .load_value,
    .precise_stores,
    .drop_all,
    .drop_reservation,
    .reserved,
    .reserved_lost,
    .bus_valid    (d_valid),
    .bus_ready    (d_ready),
    .bus_req      (d_req),
    .rsp_valid    (d_rsp_valid),
    .rsp_err,
    .rsp_data,
    .stores_pending,
    .snoop,
    .line_req,
    .line_rsp,
    /* verilator lint_off PINCONNECTEMPTY */  // without dwords
    .result_second()
    /* verilator lint_on PINCONNECTEMPTY */
  );

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
    .bus_error_address,
    .i_valid,
    .i_ready,
    .i_address,
    .i_rsp_valid,
    .rsp_err,
    .rsp_data,
    .idle            (bus_idle),
    .acb_m2s,
    .acb_s2m,
    /* verilator lint_off PINCONNECTEMPTY */  // one interrupt for both
    .bus_error_load  ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

endmodule
