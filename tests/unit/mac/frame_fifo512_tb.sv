// SPDX-License-Identifier: Apache-2.0
//
// frame_fifo with words of 512 bits.
module frame_fifo512_tb #(
  parameter int unsigned DEPTH = 16,
  localparam type word_t = struct packed {
    logic bad; logic stamp; logic last; logic [5:0] last_lane; logic [511:0] data;
  }
) (
  input  logic                   wr_clk,
  input  logic                   wr_rst,
  input  word_t                  wr_word,
  input  logic                   wr_valid,
  output logic                   wr_ready,
  input  logic                   wr_rewind,
  input  logic                   wr_show,
  output logic                   wr_shown,
  output logic [$clog2(DEPTH):0] wr_used,
  input  logic                   rd_clk,
  input  logic                   rd_rst,
  output word_t                  rd_word,
  output logic                   rd_valid,
  input  logic                   rd_ready
);

  frame_fifo #(.DEPTH(DEPTH), .word_t(word_t)) dut (.*);

endmodule
