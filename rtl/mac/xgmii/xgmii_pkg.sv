// SPDX-License-Identifier: Apache-2.0
//
// XGMII as IEEE 802.3 clause 46 has it, 64 data and 8 control bits a clock: two columns of four lanes, lane 0 is bits
// 7:0 and the first on the line. A set control bit says that its lane has a control character.
package xgmii_pkg;

  localparam logic [7:0] IDLE_CHAR      = 8'h07;
  localparam logic [7:0] SEQUENCE_CHAR  = 8'h9C;
  localparam logic [7:0] START_CHAR     = 8'hFB;
  localparam logic [7:0] TERMINATE_CHAR = 8'hFD;
  localparam logic [7:0] ERROR_CHAR     = 8'hFE;
  localparam logic [7:0] PREAMBLE_BYTE  = 8'h55;
  localparam logic [7:0] SFD_BYTE       = 8'hD5;

  localparam logic [31:0] LOCAL_FAULT  = {24'h01_0000, SEQUENCE_CHAR};  // a column: ordered set 0, 0, 1
  localparam logic [31:0] REMOTE_FAULT = {24'h02_0000, SEQUENCE_CHAR};

  typedef struct packed {
    logic [7:0]  control;
    logic [63:0] data;
  } xgmii_t;

  // A column of four lanes is a fault sequence, which is one of two kinds.
  function automatic logic is_local_fault(input logic [3:0] control, input logic [31:0] data);
    return control == 4'b0001 && data == LOCAL_FAULT;
  endfunction

  function automatic logic is_remote_fault(input logic [3:0] control, input logic [31:0] data);
    return control == 4'b0001 && data == REMOTE_FAULT;
  endfunction

  // What link fault signaling has found (46.3.4). With neither bit the link is good.
  typedef struct packed {
    logic any;
    logic local_fault;  // with `any`: the other end hears nothing of us unless this is set
  } link_fault_t;

  // When a frame passes the borders of mac_xgmii_cut, which says what and in which clock.
  typedef struct packed {
    logic mac_in;
    logic mac_in_marked;
    logic line_first;
    logic line_last;
    logic line_marked;
    logic mac_out;
    logic core_in;
  } mac_cut_taps_t;

  localparam crc32_words_pkg::crc32_rows_t CRC_ROWS = crc32_words_pkg::crc32_rows();

  // crc32_pkg::crc32_step over eight bytes, lane 0 first.
  function automatic logic [31:0] crc32_lanes(input logic [31:0] crc, input logic [63:0] lanes);
    logic [63:0] bytes;
    for (int n = 0; n < 8; n++) bytes[8*(7-n)+:8] = lanes[8*n+:8] ^ (n < 4 ? crc[8*(n%4)+:8] : 8'h00);
    for (int i = 0; i < 32; i++) crc32_lanes[i] = ^(bytes & CRC_ROWS[i]);
  endfunction

  // ---- Words of a sent frame, COLUMNS times 8 bytes each: shared by xgmii_wide_tx and who makes them

  localparam int unsigned MIN_BYTES = 60;  // of a frame, without FCS

  // Index of the last word that the shortest frame has.
  function automatic int unsigned pad_word(input int unsigned columns);
    return (MIN_BYTES - 1) / (8 * columns);
  endfunction

  // A tail has at most so many bytes: behind them FCS, gap and another frame's first byte fit into the same word of the
  // line. FCS 4, gap 12 of which 7 may be owed, from the start to the first byte 8, a unit of up to 8. With two columns
  // there are no tails: 1, as a port has a bit at least.
  function automatic int unsigned tail_max(input int unsigned columns);
    return columns == 2 ? 1 : 8 * columns - (4 + 12 - 7 + 8 + 8);
  endfunction

endpackage
