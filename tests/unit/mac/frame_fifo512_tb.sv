// SPDX-License-Identifier: Apache-2.0
//
// frame_fifo with words of 512 bits.
module frame_fifo512_tb
  import mac_pkg::*;
#(
  parameter int unsigned DEPTH = 16
) (
  input  logic                   wr_clk,
  input  logic                   wr_rst,
  input  fifo_word512_t          wr_word,
  input  logic                   wr_valid,
  output logic                   wr_ready,
  input  logic                   wr_rewind,
  input  logic                   wr_show,
  output logic                   wr_shown,
  output logic [$clog2(DEPTH):0] wr_used,
  input  logic                   rd_clk,
  input  logic                   rd_rst,
  output fifo_word512_t          rd_word,
  output logic                   rd_valid,
  input  logic                   rd_ready
);

  frame_fifo #(.DEPTH(DEPTH), .word_t(fifo_word512_t)) dut (.*);

endmodule
