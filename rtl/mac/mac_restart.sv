// SPDX-License-Identifier: Apache-2.0
//
// Soft reset of the MAC: all of mac_core, on both sides of every crossing, but not the line fronts, which go on to the
// end of what is on the line. `restart` is a level in user_clk, of a cycle or more.
//
//   restart      | 1 |
//   user side    |     reset ...                               | out
//   line sides             |    reset ...                           | out, a crossing later
//                          ^ all that crosses is 0, and the front sends nothing any more: the answer goes back
//
// The user's side is in reset from the cycle behind `restart` until both line sides have answered that they are, too,
// so that neither side ever sees the other's state of before. For sending that answer waits until the front is between
// frames: a frame that was on its way out is without words from now on, so the front cuts it short with an error. A
// line clock that stands still holds the user's side in reset until it runs again.
//
// Latency: to both line sides in reset, three cycles of each of their clocks and up to 75 byte times of the line (a
// frame that has all its words already is sent to its end); back to the user, four cycles of user_clk. A restart that
// comes before the last one is over waits for that.
module mac_restart (
  input  logic user_clk,
  input  logic user_rst,
  input  logic restart,
  output logic user_side_rst,

  input  logic line_rx_clk,
  input  logic line_rx_rst,
  output logic line_rx_side_rst,

  input  logic line_tx_clk,
  input  logic line_tx_rst,
  input  logic line_tx_idle,      // the front is between frames
  output logic line_tx_side_rst
);

  logic wanted_q, ask_q, rx_answered, tx_answered;

  always_ff @(posedge user_clk) begin
    wanted_q <= restart || (wanted_q && !(ask_q && rx_answered && tx_answered));
    ask_q    <= wanted_q && (ask_q ? !(rx_answered && tx_answered) : !rx_answered && !tx_answered);
    if (user_rst) begin
      wanted_q <= 1'b0;
      ask_q    <= 1'b0;
    end
  end

  assign user_side_rst = user_rst || wanted_q;

  logic ask_in_rx, ask_in_tx, rx_reset_q, tx_reset_q, rx_answer_q, tx_answer_q;

  sync_bits u_ask_in_rx (.clk(line_rx_clk), .rst(line_rx_rst), .d(ask_q), .q(ask_in_rx));
  sync_bits u_ask_in_tx (.clk(line_tx_clk), .rst(line_tx_rst), .d(ask_q), .q(ask_in_tx));

  // The answer is a cycle behind the reset: by then all registers have seen it.
  always_ff @(posedge line_rx_clk) begin
    rx_reset_q  <= ask_in_rx && !line_rx_rst;
    rx_answer_q <= rx_reset_q && !line_rx_rst;
  end

  logic tx_was_reset_q;
  always_ff @(posedge line_tx_clk) begin
    tx_reset_q     <= ask_in_tx && !line_tx_rst;
    tx_was_reset_q <= tx_reset_q && !line_tx_rst;
    tx_answer_q    <= tx_reset_q && tx_was_reset_q && (line_tx_idle || tx_answer_q) && !line_tx_rst;
  end

  assign line_rx_side_rst = line_rx_rst || rx_reset_q;
  assign line_tx_side_rst = line_tx_rst || tx_reset_q;

  sync_bits u_rx_answered (.clk(user_clk), .rst(user_rst), .d(rx_answer_q), .q(rx_answered));
  sync_bits u_tx_answered (.clk(user_clk), .rst(user_rst), .d(tx_answer_q), .q(tx_answered));

endmodule
