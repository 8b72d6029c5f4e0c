// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a received frame: the line stream of a front in, words for the RX frame_fifo out, and one disposition
// for each carrier event. In the receive clock of the line.
//
// Dispositions: rx_disposition in mac_pkg says which one applies. RX_PAUSE is a pause frame (Ethertype 0x8808, opcode
// 1) to its group address or our own while `rx_pause` is set: consumed, `pause_valid` tells. For want of room: at one
// of the frame's words the FIFO was full. RX_GOOD is committed in this cycle.
//
// Words of a frame: a header with the receive stamp in data[31:0] (Gray code, as it crossed), then the frame without
// its FCS, the last one with `last`. A stamp in front of its own frame needs no second FIFO and vanishes with a dropped
// frame.
//
// Cut-through: what the front calls sound, more than 64 bytes without an error so far, is written with `show` if the
// frame is wanted and no pause frame to be consumed, so that the reader need not wait for the end (mac_core asks for
// that only where the frame would be read at once). What turns out bad behind that (any disposition but RX_GOOD) ends
// with a word that is `last` and `bad`; what turns out bad earlier leaves no trace. Minimum frames, and with them the
// remains of collisions, are never shown before they are judged.
//
// Latency: none from the front's word to the FIFO's and from `last` to the disposition (combinational). Throughput: a
// word a cycle; nothing here ever waits.
module mac_rx
  import mac_pkg::*;
  import mac_fates_pkg::*;
(
  input  logic            clk,
  input  logic            rst,

  input  line_rx_t        line,

  input  logic            enable,
  input  mac_settings_t   settings,

  output fifo_word_t      word,
  output logic            word_valid,
  input  logic            word_ready,  // low: the word is lost, and with it the frame
  output logic            rewind,      // the words since the last commit are to be forgotten
  output logic            show,        // with a word: those up to this one may be read
  input  logic            shown,       // they may have been: no rewind

  output rx_disposition_t disposition,
  output logic            disposition_valid,

  output logic            pause_valid,  // pulse, with RX_PAUSE
  output logic [15:0]     pause_quanta  // stands until the third word of the next frame has come
);

  // Whose frame it is and what it is, from its first three words. A frame with fewer is a runt, whatever these say.
  localparam logic [31:0] PAUSE_TYPE = 32'h8808_0001;  // Ethertype MAC control, opcode PAUSE

  logic [2:0]  turn_q;  // the next word is the first, second, third
  logic [15:0] quanta_q;
  logic        wanted, may_pause, pause_type_q, pause;

  assign pause = may_pause && pause_type_q;

  mac_filter u_filter (
    .clk,
    .settings,
    .judge  (line.valid && turn_q[0]),
    .address(line.data[63:16]),
    .hash   (line.hash),
    .wanted,
    .may_pause
  );

  always_ff @(posedge clk) begin
    if (line.start) turn_q <= 3'b001;
    else if (line.valid) turn_q <= turn_q << 1;
    if (line.valid && turn_q[1]) pause_type_q <= line.data[31:0] == PAUSE_TYPE;
    if (line.valid && turn_q[2]) quanta_q <= line.data[63:48];
  end

  // What is to be done with it. By the time a frame can be shown or be good, all that is known.
  logic disabled_q;
  logic refused_q;   // not for the user, whatever the front says of it
  logic overflow_q;  // an earlier word of this frame was lost: the others are not written either
  logic bad;         // it ends, and not for want of room, nor as RX_GOOD
  logic spoilt;      // the frame is not to be read

  always_ff @(posedge clk) begin
    if (rst) disabled_q <= 1'b1;  // the rest of a frame, the beginning of which nobody has seen
    else if (!line.carrier) disabled_q <= !enable;
    refused_q  <= disabled_q || pause || !wanted;
    overflow_q <= !rst && !line.last && ((word_valid && !word_ready) || overflow_q);
  end

  assign bad    = line.last && (line.fate != LINE_GOOD || refused_q);
  assign spoilt = overflow_q || (line.last && !word_ready) || bad;
  assign show   = line.sound && !refused_q;

  assign disposition = rx_disposition(disabled_q, line.fate, pause, wanted, overflow_q || !word_ready);

  assign disposition_valid = line.last;
  assign pause_valid       = line.last && disposition == RX_PAUSE;
  assign pause_quanta      = quanta_q;

  always_comb begin
    word.bad       = line.last && spoilt;
    word.stamp     = 1'b0;
    word.last      = line.last;
    word.last_lane = line.last_lane;
    word.data      = {line.data[63:32], line.start ? line.stamp : line.data[31:0]};
    word_valid     = (line.start || line.valid) && (line.last || !overflow_q);
  end

  // A frame is forgotten with its last word at the latest: the next one's stamp may be the word behind it.
  assign rewind = !shown && spoilt;

  // What must hold of the front.
  a_last : assert property (@(posedge clk) disable iff (rst) line.last -> line.valid && !line.carrier);
  a_start_alone : assert property (@(posedge clk) disable iff (rst) line.start -> !line.valid);

  // What must hold: conservation. Where a carrier event ends there is a disposition, and nowhere else; only a good one
  // commits a frame, and none of whose words was lost; one that was shown has its end in the FIFO, bad unless it is
  // good.
  a_commit_good : assert property (@(posedge clk) disable iff (rst)
    word_valid && word.last && word_ready && !rewind && !word.bad -> disposition_valid && disposition == RX_GOOD);
  a_good_commits : assert property (@(posedge clk) disable iff (rst)
    disposition_valid && disposition == RX_GOOD -> word_valid && word.last && word_ready && !rewind && !word.bad);
  a_shown_ends : assert property (@(posedge clk) disable iff (rst)
    disposition_valid && shown -> word_valid && word.last && !rewind && word.bad == (disposition != RX_GOOD));
  a_shown_wanted : assert property (@(posedge clk) disable iff (rst)
    disposition_valid && shown -> !disabled_q && line.fate != LINE_RUNT
    && (line.fate != LINE_GOOD || (wanted && disposition != RX_PAUSE)));
  a_bad_ends : assert property (@(posedge clk) disable iff (rst) word_valid && word.bad -> word.last);
  a_header_kept : assert property (@(posedge clk) disable iff (rst) line.start -> word_valid && !rewind);
  a_loss_noticed : assert property (@(posedge clk) disable iff (rst)
    $past(word_valid && !word_ready && !word.last) && !$past(rst) -> overflow_q);

endmodule
