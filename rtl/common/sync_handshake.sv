// SPDX-License-Identifier: Apache-2.0
//
// A word at a time from one clock to another: the word waits in a register while a change of level crosses, and so
// does the answer (two-phase handshake). For words that come seldom or of which only the newest counts; a stream needs
// fifo_async.
//
//   wr_data  | a | b ...                      wr_ready low until the answer is back
//   wr_valid | 1 | 1 ...
//   wr_ready | 1 | 0     0     0     0   1    b is taken
//   rd_valid             | 1 |                one cycle, taken at once
//   rd_data              | a |
//
// Latency: from the clock edge that takes a word to rd_valid, two to three rd_clk edges. The next word is taken after
// three further rd_clk cycles and three to four wr_clk cycles at most.
//
// Both resets must be asserted together, each long enough for the slower clock to see it (reset_sync does this).
// Timing constraint: that of sync_bits for the levels; rd_data changes at least one rd_clk cycle before rd_valid rises
// (set_max_delay -datapath_only of one rd_clk period from word_q).
module sync_handshake #(
  parameter int unsigned WIDTH = 8
) (
  input  logic             wr_clk,
  input  logic             wr_rst,
  input  logic [WIDTH-1:0] wr_data,
  input  logic             wr_valid,
  output logic             wr_ready,

  input  logic             rd_clk,
  input  logic             rd_rst,
  output logic [WIDTH-1:0] rd_data,
  output logic             rd_valid
);

  logic [WIDTH-1:0] word_q;
  logic             sent_q, sent_in_rd, seen_q, seen_in_wr;

  assign wr_ready = sent_q == seen_in_wr;
  assign rd_valid = sent_in_rd != seen_q;
  assign rd_data  = word_q;

  always_ff @(posedge wr_clk) begin
    if (wr_valid && wr_ready && !wr_rst) word_q <= wr_data;  // in reset, too, it stands while it is seen
    sent_q <= !wr_rst && (sent_q ^ (wr_valid && wr_ready));
  end

  always_ff @(posedge rd_clk) seen_q <= !rd_rst && sent_in_rd;

  sync_bits u_sent_in_rd (.clk(rd_clk), .rst(rd_rst), .d(sent_q), .q(sent_in_rd));
  sync_bits u_seen_in_wr (.clk(wr_clk), .rst(wr_rst), .d(seen_q), .q(seen_in_wr));

  // What must hold: the word stands still from the cycle before it is taken.
  a_stable : assert property (@(posedge rd_clk) disable iff (rd_rst) rd_valid -> $stable(rd_data));

endmodule
