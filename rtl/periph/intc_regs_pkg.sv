// SPDX-License-Identifier: Apache-2.0
//
// The registers of intc: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package intc_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 3;
  localparam logic [2:0] ID_PENDING = 3'd0;
  localparam logic [2:0] ID_ENABLE = 3'd1;
  localparam logic [2:0] ID_HIGHEST = 3'd2;

  // They are there once for each hart, HARTS at most: the bits of the address above the ID say whose,
  // [2 + ID_W +: HART_W].
  localparam int unsigned HARTS = 8;
  localparam int unsigned HART_W = 3;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] PENDING_RESET = 32'h00000000;
  localparam logic [31:0] ENABLE_RESET = 32'h00000000;
  localparam logic [31:0] ENABLE_WRITABLE = 32'hffffffff;
  localparam logic [31:0] HIGHEST_RESET = 32'hffffffff;

  /* verilator lint_on UNUSEDPARAM */

endpackage
