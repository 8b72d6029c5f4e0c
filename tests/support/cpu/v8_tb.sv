// SPDX-License-Identifier: Apache-2.0
//
// The SPARC V8 core in its slot as the bench sees it: with loose ports, and with what became of each instruction and
// each register that is written handed to C++.
module v8_tb
  import cpu_slot_pkg::*;
#(
  parameter int unsigned ICACHE_BYTES = 128,
  parameter int unsigned DCACHE_BYTES = 128
) (
  input  logic              cpu_clk,
  input  logic              cpu_rst,
  input  logic              run,
  output logic              halted,
  output logic              error,
  output logic [7:0]        error_type,
  output logic [31:0]       error_pc,
  output acb_pkg::acb_req_t acb_req,
  output logic              acb_req_valid,
  output logic              acb_req_fetch,  // the request is the instruction cache's
  input  logic              acb_req_ready,
  input  acb_pkg::acb_rsp_t acb_rsp,
  input  logic              acb_rsp_valid,
  output logic              acb_rsp_ready,
  input  logic              snoop_valid,
  input  logic [31:5]       snoop_address,
  input  logic [15:1]       irq_levels
);

  acb_pkg::acb_m2s_t acb_m2s;
  acb_pkg::acb_s2m_t acb_s2m;
  cpu_retire_t       retire;

  assign acb_req       = acb_m2s.req;
  assign acb_req_valid = acb_m2s.req_valid;
  assign acb_rsp_ready = acb_m2s.rsp_ready;
  assign acb_s2m       = '{req_ready: acb_req_ready, rsp: acb_rsp, rsp_valid: acb_rsp_valid};

  v8_slot #(
    .HART_ID     (32'd3),
    .ICACHE_BYTES(ICACHE_BYTES),
    .DCACHE_BYTES(DCACHE_BYTES),
    .RETIRE      (1'b1),
    .STEPS       (1'b1)
  ) u_slot (
    .cpu_clk,
    .cpu_rst,
    .run,
    .halted,
    .error,
    .error_type,
    .error_pc,
    .acb_m2s,
    .acb_s2m,
    .snoop('{valid: snoop_valid, address: snoop_address}),
    .irq_levels,
    .retire
  );

  always_ff @(posedge cpu_clk) begin
    if (u_slot.u_biu.d_take || u_slot.u_biu.i_take) acb_req_fetch <= !u_slot.u_biu.d_take;
  end

  v8_pkg::step_t  s;
  v8_pkg::write_t w;
  assign s = u_slot.step;
  assign w = u_slot.written;

  a_quiet_in_reset : assert property (@(posedge cpu_clk)
    $past(cpu_rst) && cpu_rst -> !retire.valid && !s.valid && !w.valid);

  import "DPI-C" function void v8_retire(input int flags, input int cause, input int pc, input int instr);
  import "DPI-C" function void v8_step(
    input int flags, input int tt, input int pc, input int npc, input int instr,
    input int psr, input int wim, input int tbr, input int y);
  import "DPI-C" function void v8_written(input int late, input int number, input int value);

  always_ff @(posedge cpu_clk) begin
    if (retire.valid && !cpu_rst) begin
      v8_retire({30'b0, retire.interrupted, retire.trap}, {24'b0, retire.cause}, retire.pc, retire.instr);
    end
    if (s.valid && !cpu_rst) begin
      v8_step({28'b0, s.overlapped, s.error, s.trap, s.annulled}, {24'b0, s.tt}, s.pc, s.npc, s.instr,
              s.psr, s.wim, s.tbr, s.y);
    end
    if (w.valid && !cpu_rst) v8_written({31'b0, w.late}, {24'b0, w.number}, w.value);
  end

endmodule
