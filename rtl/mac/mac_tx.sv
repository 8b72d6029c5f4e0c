// SPDX-License-Identifier: Apache-2.0
//
// What a front sends next, and what became of it: words of the TX frame_fifo and pause frames of our own in, the line
// stream (mac_pkg) out. In the transmit clock of the line.
//
// A frame may begin when its first word is there, which store-and-forward means all of it. Where frames are shown
// earlier one may have to be cut short, at any word: the next word is not there when the front wants it (an underrun),
// or it is `bad`, which ends a frame that its sender gave up. The words that an underrun leaves behind are drained; no
// frame of the FIFO begins before the last of them.
//
// Every frame of the FIFO ends in exactly one of `sent`, `underrun` and a word with `bad`, which tx_admit has counted:
// a frame that ran dry and then was given up is not an underrun.
//
// `enable` is looked at where a frame would begin, and so is `paused` (see mac_pause): while there is a reason to wait
// frames stay in the FIFO. A pause frame of our own (three words, made here) goes before them and takes no notice of
// `paused`.
//
// Stamps: `time_gray` as it was at the clock edge that puts the SFD on the line (at MII its second nibble; what comes
// out of sync_bits two edges later). It is given with `sent` or `underrun`, one for each frame that asked for one.
//
// Latency: none, FIFO to front (combinational, one mux). Throughput: a word a cycle.
module mac_tx
  import mac_pkg::*;
(
  input  logic            clk,
  input  logic            rst,

  input  fifo_word_t      word,
  input  logic            word_valid,
  output logic            word_ready,

  output line_tx_t        line,
  /* verilator lint_off UNUSEDSIGNAL */  // `step` is for mac_pause
  input  line_tx_status_t status,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic            enable,
  input  logic            mii,
  output logic            sent,           // pulse: the last FCS byte (nibble) goes to the line with the next clock edge
  output logic            underrun,       // pulse: the last word of a frame that had to be cut short was drained

  input  logic            paused,         // begin no frame of the FIFO
  input  logic            pause_request,  // begin a pause frame
  input  logic            pause_xoff,     // from the cycle behind pause_begun on: all quanta, else none
  input  logic [47:0]     mac_address,    // its source
  output logic            pause_begun,    // pulse
  output logic            pause_sent,     // pulse, as `sent`

  input  logic [31:0]     time_gray,      // from sync_bits
  output logic [31:0]     stamp_gray,
  output logic            stamp_valid     // pulse, with `sent` or `underrun`
);

  localparam logic [47:0] PAUSE_ADDRESS = 48'h01_80_C2_00_00_01;
  localparam logic [31:0] PAUSE_TYPE    = 32'h8808_0001;  // MAC control, PAUSE

  logic        own_q;      // a pause frame is the one on the line, or was the last
  logic [2:0]  turn_q;     // of the pause frame's words
  logic        drain_q;    // words of a frame that was cut short are still to come
  logic        take;       // the front takes a word of the FIFO
  logic        stamped_q;  // the frame wants a stamp
  logic [31:0] stamp_q;
  logic [63:0] own_data;

  assign take       = status.take && !own_q;
  assign word_ready = take || drain_q;

  assign own_data = ({64{turn_q[0]}} & {PAUSE_ADDRESS, mac_address[47:32]})
                  | ({64{turn_q[1]}} & {mac_address[31:0], PAUSE_TYPE})
                  | ({64{turn_q[2]}} & {{16{pause_xoff}}, 48'b0});

  assign line = '{
    request:   enable && (pause_request || (word_valid && !paused && !drain_q)),
    valid:     own_q || word_valid,
    bad:       !own_q && word.bad,
    last:      own_q ? turn_q[2] : word.last,
    last_lane: own_q ? {{2{!turn_q[2]}}, 1'b1} : word.last_lane,  // 7, or 1 where the quanta end the frame
    data:      own_q ? own_data : word.data,
    mii:       mii
  };

  assign pause_begun = status.begins && pause_request;
  assign pause_sent  = status.ended && own_q;
  assign sent        = status.ended && !own_q;
  assign underrun    = drain_q && word_valid && word.last && !word.bad;
  assign stamp_gray  = stamp_q;
  assign stamp_valid = stamped_q && (sent || underrun);

  always_ff @(posedge clk) begin
    if (status.begins) own_q <= pause_request;
    if (status.begins) turn_q <= 3'b001;
    else if (status.take) turn_q <= turn_q << 1;
    drain_q <= take ? !word_valid : drain_q && !(word_valid && word.last);
    if (take && word_valid) stamped_q <= word.stamp;
    if (status.sfd && !own_q) stamp_q <= time_gray;
    if (rst) begin
      own_q   <= 1'b0;  // a pause frame on the line is cut short, too
      drain_q <= 1'b0;
    end
  end

  // What must hold: conservation. `open_q` is high from a frame's first word to its one end.
  logic open_q, given_up;
  assign given_up = word_ready && word_valid && word.bad;
  always_ff @(posedge clk) open_q <= !rst && (open_q || take) && !(sent || underrun || given_up);
  a_one_end : assert property (@(posedge clk) disable iff (rst)
    $onehot0({sent, underrun, given_up}) && (sent || underrun -> open_q) && (given_up -> open_q || take));
  a_end_first : assert property (@(posedge clk) disable iff (rst) status.begins && !pause_begun -> !open_q);
  a_bad_ends : assert property (@(posedge clk) disable iff (rst) word_valid && word.bad -> word.last);
  a_own_words : assert property (@(posedge clk) disable iff (rst) status.take && own_q -> $onehot(turn_q));

endmodule
