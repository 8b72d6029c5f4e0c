// SPDX-License-Identifier: Apache-2.0
//
// Flow control by pause frames (IEEE 802.3, Annex 31B), both ways; lies between mac_rx with its RX frame_fifo and
// mac_tx, which read and write the frames themselves.
//
// Obeying: a pause frame received starts a timer of so many quanta of 512 bit times, whatever the timer was; 0 ends it.
// `paused` is high while it runs: exactly 64 byte times for each quantum.
// Sending: the RX FIFO is crowded from the moment when it is more than half full until it is less than a quarter full.
// While it is, the other end is told to stop (XOFF, all quanta), again after half of that time if it still is by
// then; when it no longer is, to go on (XON, no quanta). With `send` cleared it counts as not crowded, so whoever was
// stopped is not forgotten.
//
//   crowded       ____/--------------------------\______________
//   pause_request ____/-\__________________/-\___/-\____________      until mac_tx begins the frame
//   pause_xoff           /--------------------------\___________      what the frame last begun says
//
// Latency: pause_valid to `paused`, one rx_clk cycle and four to five tx_clk edges; fifo_used to pause_request, one
// rx_clk cycle and three to four tx_clk edges.
module mac_pause #(
  parameter int unsigned FIFO_DEPTH = 2048,  // words of the RX FIFO
  parameter int unsigned LINE_BYTES = 1      // byte times in a step of the front
) (
  input  logic                        rx_clk,
  input  logic                        rx_rst,
  input  logic                        pause_valid,  // pulse: a pause frame was received
  input  logic [15:0]                 pause_quanta,
  input  logic [$clog2(FIFO_DEPTH):0] fifo_used,    // words in the RX FIFO

  input  logic                        tx_clk,
  input  logic                        tx_rst,
  input  logic                        tx_forget,      // with tx_rst: forget, too, that the other end was stopped
  input  logic                        step,           // one cycle for each LINE_BYTES byte times on the line
  input  logic                        obey,           // settings, in tx_clk
  input  logic                        send,
  output logic                        paused,         // begin no frame of the user
  output logic                        pause_request,  // send a pause frame
  output logic                        pause_xoff,     // the pause frame last begun: all quanta, else none
  input  logic                        pause_begun     // pulse: the preamble of a pause frame begins
);

  localparam int unsigned QUANTUM_W = 6 - $clog2(LINE_BYTES);   // a quantum is 64 byte times
  localparam int unsigned REPEAT_W  = 21 - $clog2(LINE_BYTES);  // half of 65536 quanta

  if (LINE_BYTES > 32 || (LINE_BYTES & (LINE_BYTES - 1)) != 0) begin : g_bad_line_bytes
    $error("mac_pause: LINE_BYTES must be a power of two of at most 32");
  end

  typedef logic [$clog2(FIFO_DEPTH):0] fifo_words_t;

  // Receive clock. Of pause frames that come faster than they can cross the newest counts.
  logic [15:0] quanta_q, news;
  logic        quanta_pending_q, crossing_ready, news_valid, crowded_q, crowded_in_tx;

  always_ff @(posedge rx_clk) begin
    if (pause_valid) quanta_q <= pause_quanta;
    quanta_pending_q <= !rx_rst && (pause_valid || (quanta_pending_q && !crossing_ready));
    crowded_q        <= !rx_rst && (fifo_used > fifo_words_t'(FIFO_DEPTH / 2)
                                    || (crowded_q && fifo_used >= fifo_words_t'(FIFO_DEPTH / 4)));
  end

  sync_handshake #(.WIDTH(16)) u_quanta (
    .wr_clk  (rx_clk),
    .wr_rst  (rx_rst),
    .wr_data (quanta_q),
    .wr_valid(quanta_pending_q),
    .wr_ready(crossing_ready),
    .rd_clk  (tx_clk),
    .rd_rst  (tx_rst),
    .rd_data (news),
    .rd_valid(news_valid)
  );
  sync_bits u_crowded (.clk(tx_clk), .rst(tx_rst), .d(crowded_q), .q(crowded_in_tx));

  // Obeying
  logic [15+QUANTUM_W:0] left_q;  // steps
  logic                  running, paused_q;

  assign running = left_q != '0;
  assign paused  = paused_q;

  always_ff @(posedge tx_clk) begin
    if (tx_rst || !obey) left_q <= '0;
    else if (news_valid) left_q <= {news, QUANTUM_W'(0)};
    else if (running && step) left_q <= left_q - 1'b1;
    paused_q <= running && !tx_rst;
  end

  // Sending. `told_q` is what the other end was told last; `xoff_q` is what the request means to tell it.
  logic [REPEAT_W:0] age_q;  // steps since then, stops when it is time to repeat it
  logic              xoff_q, told_q, request_q;

  assign pause_request = request_q;
  assign pause_xoff    = told_q;

  always_ff @(posedge tx_clk) begin
    xoff_q    <= crowded_in_tx && send;
    request_q <= crowded_in_tx && send ? !told_q || age_q[REPEAT_W] : told_q;
    if (pause_begun) begin
      told_q <= xoff_q;
      age_q  <= '0;
    end else if (step && !age_q[REPEAT_W]) begin
      age_q <= age_q + 1'b1;
    end
    if (tx_rst) request_q <= 1'b0;
    if (tx_forget) told_q <= 1'b0;
  end

  // What must hold: only a request is answered, and XON goes only to somebody who was stopped.
  a_requested : assert property (@(posedge tx_clk) disable iff (tx_rst)
    pause_begun -> request_q && (xoff_q || told_q));

endmodule
