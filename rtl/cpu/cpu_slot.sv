// SPDX-License-Identifier: Apache-2.0
//
// The processor slot: everything that the rest of the SoC knows of its processor, whatever core is in it (CORE). A core
// of another instruction set comes in as one more branch below, with a module of these ports.
//
// What a core must do at this boundary:
//   bus         one ACB master. Lanes are the bus's: a little-endian core swaps at its own port. Outputs are registered,
//               responses are taken at once.
//   snoop       a line that somebody else writes: no load that begins three cycles later finds the old one. Code is not
//               followed.
//   reserved    with SHARED: the word of the last LR, from the cycle on in which its request leaves the core; and from
//               cpu_reservations that it was written. Without, and of a core that has no LR, neither is looked at.
//   irq         levels, in cpu_clk.
//   run         low: no further instruction is begun, those under way are finished, and `halted` rises when nothing is
//               left on the bus; no request is made while it is high. High again: the program goes on where it was. Low
//               from reset on: nothing is fetched. In both directions a few cycles pass.
//   unit        for instructions of a coprocessor; without UNIT there are none of these.
//   line        the unit's way into the data cache and to memory; never ready without UNIT.
//   retire      what the program did (cpu_slot_pkg); constant without RETIRE.
//   error       the core has stopped for good, until reset, at the instruction at error_pc, for error_cause (as the core
//               numbers its causes). Low of a core that never does.
//
// HART_ID is the core's number, BOOT_ADDRESS where it begins after reset. Both are parameters, as a core whose number is
// a constant has no logic for it; several slots of one top have values of their own.
module cpu_slot
  import acb_pkg::*;
  import cpu_slot_pkg::*;
#(
  parameter string       CORE          = "rv32",
  parameter logic [31:0] BOOT_ADDRESS  = 32'h0,
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter int unsigned ICACHE_BYTES  = 8192,
  parameter int unsigned DCACHE_BYTES  = 8192,
  parameter bit          COMPRESSED    = 1'b0,  // rv32: 16-bit instructions as well
  parameter bit          PERF_COUNTERS = 1'b1,  // counters for the causes of stalls
  parameter bit          UNIT          = 1'b0,
  parameter bit          SHARED        = 1'b0,  // there are other harts
  parameter bit          RETIRE        = 1'b0,
  parameter bit          RVFI          = 1'b0   // rv32: the signal `rvfi` in the core is for a bench to look at
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
  output cpu_retire_t    retire,
  output logic           error,
  output logic [7:0]     error_cause,
  output logic [31:0]    error_pc
);

  if (CORE == "rv32") begin : g_rv32
    rv_slot #(
      .BOOT_ADDRESS (BOOT_ADDRESS),
      .HART_ID      (HART_ID),
      .ICACHE_BYTES (ICACHE_BYTES),
      .DCACHE_BYTES (DCACHE_BYTES),
      .COMPRESSED   (COMPRESSED),
      .PERF_COUNTERS(PERF_COUNTERS),
      .UNIT         (UNIT),
      .SHARED       (SHARED),
      .RETIRE       (RETIRE),
      .RVFI         (RVFI)
    ) u_rv_slot (
      .cpu_clk,
      .cpu_rst,
      .run,
      .halted,
      .acb_m2s,
      .acb_s2m,
      .snoop,
      .reserved,
      .reserved_lost,
      .irq,
      .unit_req,
      .unit_rsp,
      .line_req,
      .line_rsp,
      .retire
    );

    assign error       = 1'b0;
    assign error_cause = '0;
    assign error_pc    = '0;
  end else if (CORE == "sparc") begin : g_sparc
    // The levels of the AJIT processor's system for timer and UART; the others' are ours (docs/sparc.md).
    logic [15:1] levels;
    always_comb begin
      levels     = '0;
      levels[9]  = irq.software;
      levels[10] = irq.timer;
      levels[11] = irq.external.nic || irq.external.dma || irq.external.toe;
      levels[12] = irq.external.uart;
    end

    if (COMPRESSED || UNIT) begin : g_not_there
      $error("cpu_slot: the core \"sparc\" has neither COMPRESSED nor a UNIT");
    end

    v8_slot #(
      .BOOT_ADDRESS (BOOT_ADDRESS),
      .HART_ID      (HART_ID),
      .ICACHE_BYTES (ICACHE_BYTES),
      .DCACHE_BYTES (DCACHE_BYTES),
      .PERF_COUNTERS(PERF_COUNTERS),
      .RETIRE       (RETIRE),
      .STEPS        (RVFI)
    ) u_v8_slot (
      .cpu_clk,
      .cpu_rst,
      .run,
      .halted,
      .error,
      .error_type(error_cause),
      .error_pc,
      .acb_m2s,
      .acb_s2m,
      .snoop,
      .irq_levels(levels),
      .retire
    );

    logic unused;
    assign unused   = &{1'b0, unit_rsp, line_req, reserved_lost, SHARED};
    assign reserved = '0;
    assign unit_req = '0;
    assign line_rsp = '0;
  end else begin : g_unknown
    $error("cpu_slot: there is no core of the name in CORE; there are \"rv32\" and \"sparc\"");
  end

endmodule
