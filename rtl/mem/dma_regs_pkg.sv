// SPDX-License-Identifier: Apache-2.0
//
// The registers of dma: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package dma_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 6;
  localparam logic [5:0] ID_SOURCE = 6'd0;
  localparam logic [5:0] ID_DESTINATION = 6'd1;
  localparam logic [5:0] ID_COMMAND = 6'd2;
  localparam logic [5:0] ID_RESULT = 6'd3;
  localparam logic [5:0] ID_RESULT_CRC = 6'd4;
  localparam logic [5:0] ID_STATUS = 6'd5;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] SOURCE_RESET = 32'h00000000;
  localparam logic [31:0] SOURCE_WRITABLE = 32'hffffffff;
  localparam logic [31:0] DESTINATION_RESET = 32'h00000000;
  localparam logic [31:0] DESTINATION_WRITABLE = 32'hffffffff;
  localparam logic [31:0] COMMAND_RESET = 32'h00000000;
  localparam logic [31:0] COMMAND_WRITABLE = 32'h0fffffff;
  localparam logic [31:0] RESULT_RESET = 32'h00000000;
  localparam logic [31:0] RESULT_CRC_RESET = 32'h00000000;
  localparam logic [31:0] STATUS_RESET = 32'h00000000;
  localparam logic [31:0] STATUS_WRITABLE = 32'h00010000;

  // Registers of several fields.
  typedef struct packed {
    logic [3:0] reserved0;
    logic irq;  // [27]
    logic no_write;  // [26]
    logic sum;  // [25]
    logic crc;  // [24]
    logic [23:0] bytes;  // [23:0]
  } command_t;

  typedef struct packed {
    logic valid;  // [31]
    logic failed;  // [30]
    logic write;  // [29]
    logic with_crc;  // [28]
    logic [11:0] reserved0;
    logic [15:0] sum;  // [15:0]
  } result_t;

  typedef struct packed {
    logic [14:0] reserved0;
    logic refused;  // [16]
    logic [2:0] reserved1;
    logic [4:0] results;  // [12:8]
    logic [2:0] reserved2;
    logic [4:0] commands;  // [4:0]
  } status_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
