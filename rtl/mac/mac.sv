// SPDX-License-Identifier: Apache-2.0
//
// Ethernet MAC for 10, 100 and 1000 Mb/s: GMII or MII to the PHY on one side, the frame stream to its user on the
// other. Full duplex; cut-through on receive, store-and-forward or cut-through on transmit. It is mac_core with the
// GMII front; between them is the line stream of mac_pkg, so that a front for another line is another module like
// gmii_rx and gmii_tx.
//
//   gmii_rx* -> gmii_rx -> | mac_core: FIFO, loopback ... | -> rx_frame     (gmii_rx_clk | user_clk)
//   gmii_tx* <- gmii_tx <- |                              | <- tx_frame     (gmii_tx_clk | user_clk)
//
// ---- Frames
// Receive: preamble and FCS come off; what happens to every carrier event is defined in mac_rx. A frame of n bytes
// takes 1 + ceil(n / 8) words of the RX FIFO, which has RX_FIFO_BYTES / 8, one of them in reserve. Frames of more than
// 64 bytes with FCS come to the user while they arrive, so rx_frame.valid may fall between two beats; one that then
// turns out bad (it is counted as what it is) has `user.bad` with its last beat. Minimum frames come whole and are
// good.
// Transmit: frames of 1 to MAX_FRAME_BYTES - 4 bytes; padding to 60 and FCS are added. tx_frame_ready is low while the
// TX FIFO is full. `user.bad` with the last beat discards the frame. A frame begins on the line when it is whole in the
// TX FIFO, or earlier when its sender knows that the rest comes in time and says so: with the first beat that is
// `user.steady`.
// The promise: the k-th beat behind that one is taken no later than 8 k + 4 byte times of the line less 3 user_clk
// cycles behind the clock edge that takes it (while the MAC is not ready, time stands still), and the frame is neither
// bad nor too long. Then no word comes too late: the line takes the first beat's word a user_clk cycle and 12 byte
// times behind that edge at the earliest, the others 8 byte times apart, and a word is there at most 3 user_clk cycles
// and 7 byte times behind the edge that takes its beat: one crossing of frame_fifo, behind one that is under way. A
// sender that breaks the promise gets the frame cut short on the line, and counted (as an underrun, or as given up; see
// mac_tx and gmii_tx). `line_tick` turns every 64 byte times of the line: by it and its own clock a sender knows how
// fast the line is. Pause frames: see mac_pause. A pause begins and ends for frames whose first preamble byte comes to
// the pins 8 to 10 gmii_tx_clk cycles behind the clock edge that takes the last FCS byte of the pause frame, by the
// phase of the clocks.
//
// ---- Settings
// `enable`, `loopback` and `settings` may change at any time (settings.mii only while disabled) and take effect between
// frames, for receiving within ten cycles of the slower of user_clk and gmii_rx_clk, for sending (to the pins) within
// twelve of user_clk and gmii_tx_clk. Without `enable` received frames are dropped (and counted), frames to send wait
// in the TX FIFO. The rules of the loopback switch are in mac_streams, those of the address filter in mac_filter.
//
// ---- Stamps
// rx_frame.user.stamp is `time_now` as it was one user_clk cycle and one gmii_rx_clk cycle before the clock edge that
// takes the SFD (at MII its second nibble) from the pins: with clocks of 125 MHz always two less than `time_now` at
// that edge.
//
// `tx_stamp` is `time_now` as it was one user_clk cycle before the clock edge that puts the SFD (at MII its second
// nibble) on the pins: with clocks of 125 MHz always one less than `time_now` at that edge, and two less than at the
// next one, with which the PHY takes the SFD. Each frame with user.stamp_wanted that is sent, or cut short by an
// underrun, gives one stamp when it has ended, in order. One that is aborted or too long gives none, wherever it had
// got to: so whoever hands frames over knows which give one.
//
// ---- Latency, all clocks 125 MHz, any phase
//   clock edge that takes the last FCS byte from the GMII RX pins to the last beat at rx_frame: 7 to 12 cycles by phase
//     and length (7 to 8 where it is a multiple of 8); the other beats come before it, as their bytes do
//   the same to the first beat, for a frame of 64 bytes: 8 to 9 cycles
//   the same for every frame with settings.rx_store: no beat of it comes before
//   clock edge that takes the last beat of tx_frame (or the first steady one) to the first preamble byte at the GMII TX
//     pins: 6 to 7 cycles
// Throughput: line rate both ways at once, minimum frames too; one beat (64 bits) a user_clk cycle on the frame
// streams, but for one cycle between received frames.
//
// ---- What the user must know
// `stat` pulses: one for each carrier event received and one for each frame handed over (see mac_pkg). user_clk must
// have more than half the rate of gmii_rx_clk, or a babble of one-byte events would outrun their counting.
//
// gmii_rx_clk must run while the MAC is in use: a frame that was shown ends with it, and nothing else ends it.
//
// `restart` resets all of it but what has to do with the carrier on the line (mac_restart): FIFOs are empty after it,
// settings have to cross again. A frame on its way out is cut short with an error, as in an underrun, or ends well
// where all of it had left the FIFO; what is left of a frame on its way in counts as of a MAC that is off. Other frames
// that were in here are gone without a count. Behind it rx_frame begins with a frame's first beat, and tx_frame is
// expected to.
//
// All resets must be asserted together, each for three cycles of the slowest clock at least (reset_sync does this).
module mac
  import frame_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned MAX_FRAME_BYTES = 1522,   // with FCS
  parameter bit          TRACE           = 1'b0    // taps, see trace_pkg
) (
  input  logic               gmii_rx_clk,
  input  logic               gmii_rx_rst,
  input  logic [7:0]         gmii_rxd,
  input  logic               gmii_rx_dv,
  input  logic               gmii_rx_er,

  input  logic               gmii_tx_clk,
  input  logic               gmii_tx_rst,
  output logic [7:0]         gmii_txd,
  output logic               gmii_tx_en,
  output logic               gmii_tx_er,

  input  logic               user_clk,
  input  logic               user_rst,
  input  logic               enable,
  input  logic               loopback,
  input  mac_pkg::mac_settings_t settings,
  input  logic [31:0]        time_now,        // a counter, +1 each user_clk
  input  logic               restart,         // soft reset, a level in user_clk

  output rx_frame_t          rx_frame,
  input  logic               rx_frame_ready,
  input  tx_frame_t          tx_frame,
  output logic               tx_frame_ready,
  output logic               line_tick,       // turns every 64 byte times of the line
  output logic [31:0]        tx_stamp,        // time_now when the SFD left, in the order of the frames that want it
  output logic               tx_stamp_valid,  // pulse

  output mac_pkg::mac_stat_t stat,
  output mac_pkg::mac_taps_t taps
);

  mac_pkg::line_rx_t         line_rx;
  mac_pkg::line_rx_control_t line_rx_control;
  mac_pkg::line_tx_t         line_tx;
  mac_pkg::line_tx_status_t  line_tx_status;

  gmii_rx #(
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES)
  ) u_gmii_rx (
    .clk    (gmii_rx_clk),
    .rst    (gmii_rx_rst),
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .control(line_rx_control),
    .line   (line_rx)
  );

  gmii_tx u_gmii_tx (
    .clk   (gmii_tx_clk),
    .rst   (gmii_tx_rst),
    .line  (line_tx),
    .status(line_tx_status),
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er
  );

  mac_core #(
    .RX_FIFO_BYTES  (RX_FIFO_BYTES),
    .TX_FIFO_BYTES  (TX_FIFO_BYTES),
    .MAX_FRAME_BYTES(MAX_FRAME_BYTES),
    .TRACE          (TRACE)
  ) u_core (
    .line_rx_clk(gmii_rx_clk),
    .line_rx_rst(gmii_rx_rst),
    .line_rx,
    .line_rx_control,
    .line_tx_clk(gmii_tx_clk),
    .line_tx_rst(gmii_tx_rst),
    .line_tx,
    .line_tx_status,
    .user_clk,
    .user_rst,
    .enable,
    .loopback,
    .settings,
    .time_now,
    .restart,
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready,
    .line_tick,
    .tx_stamp,
    .tx_stamp_valid,
    .stat,
    .taps
  );

endmodule
