// SPDX-License-Identifier: Apache-2.0
//
// The processor slot as the bench sees it: with loose ports, with RVFI and the retire port, whose events are handed to
// C++, and on request with a unit for custom-0 instructions, or with a small core in its place (small_slot).
module cpu_tb
  import cpu_slot_pkg::*;
#(
  parameter int unsigned ICACHE_BYTES = 8192,
  parameter int unsigned DCACHE_BYTES = 8192,
  parameter bit          COMPRESSED   = 1'b0,
  parameter bit          UNIT         = 1'b0,
  parameter bit          SMALL        = 1'b0
) (
  input  logic              cpu_clk,
  input  logic              cpu_rst,
  input  logic              run,
  output logic              halted,
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
  input  logic              irq_software
);

  acb_pkg::acb_m2s_t acb_m2s;
  acb_pkg::acb_s2m_t acb_s2m;
  cpu_unit_req_t     unit_req;
  cpu_unit_rsp_t     unit_rsp;
  cpu_line_req_t     line_req;
  cpu_line_rsp_t     line_rsp;
  cpu_retire_t       retire;

  assign acb_req       = acb_m2s.req;
  assign acb_req_valid = acb_m2s.req_valid;
  assign acb_rsp_ready = acb_m2s.rsp_ready;
  assign acb_s2m       = '{req_ready: acb_req_ready, rsp: acb_rsp, rsp_valid: acb_rsp_valid};

  if (UNIT) begin : g_unit
    custom_unit u_unit (.cpu_clk, .cpu_rst, .unit_req, .unit_rsp, .line_req, .line_rsp);
  end else begin : g_no_unit
    logic unused;
    assign unused   = &{1'b0, unit_req, line_rsp};
    assign unit_rsp = '0;
    assign line_req = '0;
  end

  rv_pkg::rvfi_t   r;
  logic [7:0][31:0] csrs;  // in the order of slot_retire

  // In the cycle of `retire` the CSRs hold what they hold after the instruction: the next one to write any is not past
  // EX yet.
  `define CSRS(CSR) \
    {{24'b0, CSR.mpie_q, 3'b0, CSR.mie_bit_q, 3'b0}, CSR.enabled, {CSR.mtvec_base_q, 1'b0, CSR.mtvec_vectored_q}, \
     CSR.mscratch_q, {CSR.mepc_q, 1'b0}, {CSR.mcause_q.irq, 26'b0, CSR.mcause_q.code}, CSR.mtval_q, \
     {30'b0, CSR.overlap_loads_q, CSR.precise_stores_q}}

  if (SMALL) begin : g_small
    logic unused;
    assign unused   = &{1'b0, snoop_valid, snoop_address, irq_external, irq_timer, irq_software, unit_rsp, line_req};
    assign unit_req = '0;
    assign line_rsp = '0;

    small_slot #(.ICACHE_BYTES(ICACHE_BYTES)) u_slot (.cpu_clk, .cpu_rst, .run, .halted, .acb_m2s, .acb_s2m, .retire);

    assign r    = u_slot.u_core.rvfi;
    assign csrs = `CSRS(u_slot.u_core.u_core.u_csr);
  end else begin : g_slot
    logic        error, unused;
    logic [7:0]  error_cause;
    logic [31:0] error_pc;
    logic [1:0]  line_q;  // of the interrupt controller: each in its turn
    logic [31:2] reserved;
    assign unused = &{1'b0, error_cause, error_pc, reserved};

    always_ff @(posedge cpu_clk) if (!irq_external) line_q <= line_q + 2'd1;

    a_no_error : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !error);

    cpu_slot #(
      .ICACHE_BYTES(ICACHE_BYTES),
      .DCACHE_BYTES(DCACHE_BYTES),
      .COMPRESSED  (COMPRESSED),
      .UNIT        (UNIT),
      .RETIRE      (1'b1),
      .RVFI        (1'b1)
    ) u_slot (
      .cpu_clk,
      .cpu_rst,
      .run,
      .halted,
      .acb_m2s,
      .acb_s2m,
      .snoop('{valid: snoop_valid, address: snoop_address}),
      .reserved,
      .reserved_lost(1'b0),
      .irq  ('{external: 4'(irq_external) << line_q, timer: irq_timer, software: irq_software}),
      .unit_req,
      .unit_rsp,
      .line_req,
      .line_rsp,
      .retire,
      .error,
      .error_cause,
      .error_pc
    );

    assign r    = u_slot.g_rv32.u_rv_slot.rvfi;
    assign csrs = `CSRS(u_slot.g_rv32.u_rv_slot.u_core.u_csr);
  end

  import "DPI-C" function void slot_retire(
    input int flags, input int cause, input int pc, input int instr,
    input int mstatus, input int mie, input int mtvec, input int mscratch, input int mepc, input int mcause,
    input int mtval, input int mbusctl);

  always_ff @(posedge cpu_clk) begin
    if (retire.valid && !cpu_rst) begin
      slot_retire({30'b0, retire.interrupted, retire.trap}, {24'b0, retire.cause}, retire.pc, retire.instr,
                  csrs[7], csrs[6], csrs[5], csrs[4], csrs[3], csrs[2], csrs[1], csrs[0]);
    end
  end

  import "DPI-C" function void rvfi_retire(
    input longint order, input int flags, input int insn, input int pc, input int next_pc,
    input int rs, input int rs1, input int rs2, input int rd, input int rd_data,
    input int address, input int masks, input int read_data, input int write_data);

  always_ff @(posedge cpu_clk) begin
    if (r.valid && !cpu_rst) begin
      rvfi_retire(r.order, {30'b0, r.intr, r.trap}, r.insn, r.pc_rdata, r.pc_wdata,
                  {16'b0, 3'b0, r.rs2_addr, 3'b0, r.rs1_addr}, r.rs1_rdata, r.rs2_rdata, {27'b0, r.rd_addr}, r.rd_wdata,
                  r.mem_addr, {24'b0, r.mem_wmask, r.mem_rmask}, r.mem_rdata, r.mem_wdata);
    end
  end

  a_fixed : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    r.valid -> r.mode == 2'd3 && r.ixl == 2'd1 && !r.halt);

endmodule
