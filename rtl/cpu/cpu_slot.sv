// SPDX-License-Identifier: Apache-2.0
//
// The processor slot: everything that the rest of the SoC knows of its processor. One ACB master, three interrupt
// levels, a reset. Another core takes over by taking over this boundary. Beside it, for a unit that works closely with
// this core, a channel for custom-0 instructions (CUSTOM0) and a second port into the data cache (PROBE_PORT).
//
// Here: our RV32IMA_Zba_Zbb core (rv_core; COMPRESSED: with 16-bit instructions as well) with instruction cache,
// load/store unit with data cache, and bus interface.
// The core is little-endian, the bus big-endian: memory accesses are byte-invariant (the byte at address a travels in
// lane a), device accesses (address[31:24] = 0xFF) value-preserving (bit 31 of a register is the bus's most significant
// bit). The load/store unit does that; the instruction cache holds bus lanes and swaps on the way out.
//
// The data cache follows memory: whoever writes to DRAM beside this core shows the lines on the snoop channel, as the
// writes get their order; three cycles later (rv_lsu) no load finds the old line. The instruction cache does not follow:
// code that another master has written needs fence.i, as code does that this core has written.
//
// ACB outputs are registered; responses are used in the cycle in which they arrive.
module cpu_slot
  import rv_pkg::*;
#(
  parameter logic [31:0] RESET_VECTOR  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter int unsigned ICACHE_BYTES  = 8192,
  parameter int unsigned DCACHE_BYTES  = 8192,
  parameter bit          COMPRESSED    = 1'b0,
  parameter bit          PERF_COUNTERS = 1'b1,
  parameter bit          CUSTOM0       = 1'b0,
  parameter bit          PROBE_PORT    = 1'b0,
  parameter bit          RVFI          = 1'b0   // the signal `rvfi` in here is for a bench to look at
) (
  input  logic              cpu_clk,
  input  logic              cpu_rst,
  output acb_pkg::acb_req_t acb_req,
  output logic              acb_req_valid,
  input  logic              acb_req_ready,
  input  acb_pkg::acb_rsp_t acb_rsp,
  input  logic              acb_rsp_valid,
  output logic              acb_rsp_ready,
  input  logic              snoop_valid,
  input  logic [31:5]       snoop_address,
  input  logic              irq_external,
  input  logic              irq_timer,
  input  logic              irq_software,
  // Unit for custom-0 instructions, see rv_core; without CUSTOM0 they are illegal
  output logic              custom_req_valid,
  input  logic              custom_req_ready,
  output custom_req_t       custom_req,
  input  logic              custom_rsp_valid,
  input  logic [31:0]       custom_rsp,
  // Its look into the data cache, see rv_lsu; never ready without PROBE_PORT
  input  logic              probe_valid,
  output logic              probe_ready,
  input  logic [31:3]       probe_address,
  output logic              probe_rsp_valid,
  output probe_rsp_t        probe_rsp
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

  logic        rsp_err, bus_error;
  logic [63:0] rsp_data;
  logic [31:0] bus_error_address;

  rvfi_t       rvfi;
  logic        unused_rvfi;
  assign unused_rvfi = &{1'b0, rvfi};

  rv_core #(
    .RESET_VECTOR (RESET_VECTOR),
    .HART_ID      (HART_ID),
    .COMPRESSED   (COMPRESSED),
    .PERF_COUNTERS(PERF_COUNTERS),
    .CUSTOM0      (CUSTOM0),
    .RVFI         (RVFI)
  ) u_core (
    .cpu_clk,
    .cpu_rst,
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
    .irq_external,
    .irq_timer,
    .irq_software,
    .custom_req_valid,
    .custom_req_ready,
    .custom_req,
    .custom_rsp_valid,
    .custom_rsp,
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
    .bus_valid   (i_valid),
    .bus_ready   (i_ready),
    .bus_address (i_address),
    .rsp_valid   (i_rsp_valid),
    .rsp_err,
    .rsp_data
  );

  rv_lsu #(.CACHE_BYTES(DCACHE_BYTES), .PROBE_PORT(PROBE_PORT)) u_lsu (
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
    .bus_valid    (d_valid),
    .bus_ready    (d_ready),
    .bus_req      (d_req),
    .rsp_valid    (d_rsp_valid),
    .rsp_err,
    .rsp_data,
    .stores_pending,
    .snoop_valid,
    .snoop_address,
    .probe_valid,
    .probe_ready,
    .probe_address,
    .probe_rsp_valid,
    .probe_rsp
  );

  rv_biu u_biu (
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
    .acb_req,
    .acb_req_valid,
    .acb_req_ready,
    .acb_rsp,
    .acb_rsp_valid,
    .acb_rsp_ready
  );

endmodule
