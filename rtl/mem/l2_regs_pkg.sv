// SPDX-License-Identifier: Apache-2.0
//
// The registers of l2: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package l2_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 6;
  localparam logic [5:0] ID_HITS = 6'd0;
  localparam logic [5:0] ID_MISSES = 6'd1;
  localparam logic [5:0] ID_WRITE_BACKS = 6'd2;
  localparam logic [5:0] ID_SIZE = 6'd3;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] HITS_RESET = 32'h00000000;
  localparam logic [31:0] MISSES_RESET = 32'h00000000;
  localparam logic [31:0] WRITE_BACKS_RESET = 32'h00000000;
  localparam logic [31:0] SIZE_RESET = 32'h00000000;

  /* verilator lint_on UNUSEDPARAM */

endpackage
