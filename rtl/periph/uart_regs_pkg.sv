// SPDX-License-Identifier: Apache-2.0
//
// The registers of uart: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package uart_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 6;
  localparam logic [5:0] ID_TX_DATA = 6'd0;
  localparam logic [5:0] ID_RX_DATA = 6'd1;
  localparam logic [5:0] ID_STATUS = 6'd2;
  localparam logic [5:0] ID_DIVISOR = 6'd3;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] TX_DATA_RESET = 32'h00000000;
  localparam logic [31:0] TX_DATA_WRITABLE = 32'h000000ff;
  localparam logic [31:0] RX_DATA_RESET = 32'h00000000;
  localparam logic [31:0] STATUS_RESET = 32'h00000002;
  localparam logic [31:0] STATUS_WRITABLE = 32'h00000038;
  localparam logic [31:0] DIVISOR_RESET = 32'h00000008;
  localparam logic [31:0] DIVISOR_WRITABLE = 32'h0000ffff;

  // Registers of several fields.
  typedef struct packed {
    logic [22:0] reserved0;
    logic valid;  // [8]
    logic [7:0] data;  // [7:0]
  } rx_data_t;

  typedef struct packed {
    logic [25:0] reserved0;
    logic framing_error;  // [5]
    logic tx_overflow;  // [4]
    logic rx_overrun;  // [3]
    logic rx_valid;  // [2]
    logic tx_idle;  // [1]
    logic tx_full;  // [0]
  } status_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
