// SPDX-License-Identifier: Apache-2.0
//
// The registers of timer: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package timer_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 3;
  localparam logic [2:0] ID_MTIME_LOW = 3'd0;
  localparam logic [2:0] ID_MTIME_HIGH = 3'd1;
  localparam logic [2:0] ID_MTIMECMP_LOW = 3'd2;
  localparam logic [2:0] ID_MTIMECMP_HIGH = 3'd3;
  localparam logic [2:0] ID_MSIP = 3'd4;

  // They are there once for each hart, HARTS at most: the bits of the address above the ID say whose,
  // [2 + ID_W +: HART_W].
  localparam int unsigned HARTS = 8;
  localparam int unsigned HART_W = 3;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] MTIME_LOW_RESET = 32'h00000000;
  localparam logic [31:0] MTIME_LOW_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MTIME_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] MTIME_HIGH_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MTIMECMP_LOW_RESET = 32'hffffffff;
  localparam logic [31:0] MTIMECMP_LOW_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MTIMECMP_HIGH_RESET = 32'hffffffff;
  localparam logic [31:0] MTIMECMP_HIGH_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MSIP_RESET = 32'h00000000;
  localparam logic [31:0] MSIP_WRITABLE = 32'h00000001;

  /* verilator lint_on UNUSEDPARAM */

endpackage
