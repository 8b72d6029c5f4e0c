// SPDX-License-Identifier: Apache-2.0
//
// The processor slot as the bench sees it: with RVFI, every retired instruction of which is handed to C++, and on
// request with a unit for custom-0 instructions.
module cpu_tb
  import rv_pkg::*;
#(
  parameter int unsigned ICACHE_BYTES = 8192,
  parameter int unsigned DCACHE_BYTES = 8192,
  parameter bit          COMPRESSED   = 1'b0,
  parameter bit          UNIT         = 1'b0
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
  input  logic              irq_software
);

  logic        custom_req_valid, custom_req_ready, custom_rsp_valid, probe_valid, probe_ready, probe_rsp_valid;
  custom_req_t custom_req;
  probe_rsp_t  probe_rsp;
  logic [31:0] custom_rsp;
  logic [31:3] probe_address;

  if (UNIT) begin : g_unit
    custom_unit u_unit (
      .cpu_clk,
      .cpu_rst,
      .custom_req_valid,
      .custom_req_ready,
      .custom_req,
      .custom_rsp_valid,
      .custom_rsp,
      .probe_valid,
      .probe_ready,
      .probe_address,
      .probe_rsp_valid,
      .probe_rsp
    );
  end else begin : g_no_unit
    logic unused;
    assign unused = &{1'b0, custom_req_valid, custom_req, probe_ready, probe_rsp_valid, probe_rsp};
    assign {custom_req_ready, custom_rsp_valid, custom_rsp, probe_valid, probe_address} = '0;
  end

  cpu_slot #(
    .ICACHE_BYTES(ICACHE_BYTES),
    .DCACHE_BYTES(DCACHE_BYTES),
    .COMPRESSED  (COMPRESSED),
    .CUSTOM0     (UNIT),
    .PROBE_PORT  (UNIT),
    .RVFI        (1'b1)
  ) u_slot (
    .cpu_clk,
    .cpu_rst,
    .acb_req,
    .acb_req_valid,
    .acb_req_ready,
    .acb_rsp,
    .acb_rsp_valid,
    .acb_rsp_ready,
    .snoop_valid,
    .snoop_address,
    .irq_external,
    .irq_timer,
    .irq_software,
    .custom_req_valid,
    .custom_req_ready,
    .custom_req,
    .custom_rsp_valid,
    .custom_rsp,
    .probe_valid,
    .probe_ready,
    .probe_address,
    .probe_rsp_valid,
    .probe_rsp
  );

  import "DPI-C" function void rvfi_retire(
    input longint order, input int flags, input int insn, input int pc, input int next_pc,
    input int rs, input int rs1, input int rs2, input int rd, input int rd_data,
    input int address, input int masks, input int read_data, input int write_data);

  rvfi_t r;
  assign r = u_slot.rvfi;
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
