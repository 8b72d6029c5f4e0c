// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the MAC agree on, and what the MAC tells the world about frames.
package mac_pkg;

  // ---- Words of a frame FIFO. Byte order as on the frame stream: the first byte is in the most significant lane. The
  // 64-bit one has 70 bits, for a 72-bit wide block RAM; frame_fifo carries any type that has `last` and `bad`.

  typedef struct packed {
    logic        bad;        // with last: discard the frame (its words could be read before that was known)
    logic        stamp;      // transmit, the same in all words of a frame: a stamp is wanted
    logic        last;
    logic [2:0]  last_lane;  // in the last word: index of the frame's last byte, 0 = data[63:56]; else 7
    logic [63:0] data;
  } fifo_word_t;

  // Of a frame's last beat.
  function automatic logic [2:0] last_lane_of(input logic [7:0] tkeep);
    last_lane_of = 3'd0;
    for (int unsigned lane = 0; lane < 8; lane++) if (tkeep[7-lane]) last_lane_of = 3'(lane);
  endfunction

  // ---- The line stream, between mac_core and a line front (gmii_rx and gmii_tx are one). Preamble, FCS, padding and the
  // gap are the front's business: here frames are what they are on the frame stream, words without FCS, the first byte in
  // the most significant lane. Each direction is in the clock of its half of the front.
  //
  // Receive: the front never waits. A carrier event is whatever a line takes for the attempt at a frame, however short.
  //
  //   carrier  ____/-----------------------------\______       at least one cycle of 0 between events
  //   start    ______/-\________________________________       behind the SFD; not where there is none
  //   valid    ____________/-\___/-\___/-\___/-\___/-\__       words of eight bytes; together with `last` once more
  //   sound    ____________________________/-\___________       (if at all)
  //   last     _______________________________________/-\__      each event has exactly one, when carrier falls
  //
  // `start` is in a cycle of its own, before the frame's words: its stamp takes a word's place in the RX FIFO. It may be in
  // the cycle behind a `last`: at GMII where nothing is before an SFD and the gap is one byte; at 10 Gb/s frames of 65
  // bytes behind gaps of five leave no other. (For words of 256 bits and more a minimum frame has no cycle to spare: there
  // the stamp goes beside the first word, in a FIFO word of its own type.)

  // How dense events may be: each disposition takes a user_clk cycle, and eight may wait. On transmit two frames must not
  // end within three user_clk cycles, nor two that want a stamp within twelve cycles of the slower clock. At GMII nothing
  // comes near that (one-byte events apart, see mac.sv), at 10 Gb/s in words of 64 bits neither.

  typedef enum logic [2:0] {  // what the front can tell of an event at its end, the first that applies
    LINE_GOOD,
    LINE_ERROR,     // the line said so, or there was no SFD in one of its places
    LINE_OVERSIZE,  // more than MAX_FRAME_BYTES with FCS, of which the excess comes in no word, but for what fills one;
                    // or more than the settings' max_frame
    LINE_RUNT,      // fewer than 64 bytes with FCS
    LINE_FCS        // the FCS does not fit
  } line_end_t;

  // What becomes of an event at its end. The first that applies counts:
  //   RX_DROP_DISABLED  the MAC was not enabled when it began
  //   RX_DROP_ERROR, _OVERSIZE, _RUNT, _FCS  the front says so (line_end_t)
  //   RX_PAUSE          a pause frame to be obeyed: consumed
  //   RX_DROP_FILTERED  a good frame for somebody else (see mac_filter)
  //   RX_DROP_OVERFLOW  a good frame for us, but for one of its words there was no room
  //   RX_GOOD           a good frame
  function automatic mac_fates_pkg::rx_disposition_t rx_disposition(
    input logic disabled, input line_end_t fate, input logic pause, input logic wanted, input logic lost
  );
    if (disabled) return mac_fates_pkg::RX_DROP_DISABLED;
    unique case (fate)
      LINE_ERROR:    return mac_fates_pkg::RX_DROP_ERROR;
      LINE_OVERSIZE: return mac_fates_pkg::RX_DROP_OVERSIZE;
      LINE_RUNT:     return mac_fates_pkg::RX_DROP_RUNT;
      LINE_FCS:      return mac_fates_pkg::RX_DROP_FCS;
      default:
        if (pause) return mac_fates_pkg::RX_PAUSE;
        else if (!wanted) return mac_fates_pkg::RX_DROP_FILTERED;
        else return lost ? mac_fates_pkg::RX_DROP_OVERFLOW : mac_fates_pkg::RX_GOOD;
    endcase
  endfunction

  typedef struct packed {
    logic        carrier;    // an event is under way: whether the MAC is enabled is looked at until then
    logic        start;      // a frame begins, ...
    logic [31:0] stamp;      // ... at this time (Gray code, as line_rx_control_t gave it at the SFD)
    logic        valid;      // a word
    logic        last;       // with valid: the last one, or all there is of an event that was no frame
    logic [2:0]  last_lane;  // with last: index of the last byte, 0 = data[63:56]; else 7
    logic [63:0] data;       // bytes behind the last are 0
    logic        sound;      // with valid but not last: more than 64 bytes with FCS and no error so far
    logic [5:0]  hash;       // with the first word: crc32_words_pkg::address_hash of the destination
    line_end_t   fate;       // with last
  } line_rx_t;

  typedef struct packed {    // to the front
    logic        mii;        // of the settings
    logic [10:0] max_frame;  // of the settings
    logic [31:0] time_gray;  // for the stamp
  } line_rx_control_t;

  // Transmit: the front pulls. It may begin a frame while `request` is high, and says so with `begins`, one cycle. From then
  // on it takes a word whenever one is due (`take`), the first with the SFD's last byte at the latest, until it took one
  // with last. Where a word is due and is not valid, or is bad, there is nothing more to come of this frame: the front ends
  // it on the line as a broken one. `ended` is for a whole frame only. Frames of fewer than 60 bytes the front pads with
  // zeros, whatever lies behind the last byte of the last word.
  //
  //   request  __/-----\____________________________________/--     (another may wait meanwhile)
  //   begins   _______/-\______________________________________
  //   take     ______________/-\_____/-\_____/-\______________      one of them takes the last word
  //   sfd      ________________/-\_____________________________
  //   ended    ______________________________________/-\_______

  typedef struct packed {
    logic        request;    // a frame waits and may begin
    logic        valid;      // the next word is there
    logic        bad;        // with last: the frame was given up by its sender, this word is none of it
    logic        last;
    logic [2:0]  last_lane;
    logic [63:0] data;
    logic        mii;        // of the settings
  } line_tx_t;

  localparam int unsigned LINE_TICK_BYTES = 64;  // byte times of the line between two turns of `line_tick`

  typedef struct packed {    // from the front
    logic step;              // once for each LINE_BYTES byte times of the line, for pauses
    logic begins;
    logic take;
    logic sfd;               // the second clock edge behind the one that puts the SFD's last part on the line takes it
    logic ended;             // the last byte of the FCS goes to the line
    logic idle;              // between frames, and none begins
  } line_tx_status_t;

  // ---- What the MAC is told, and what it tells. Ends of frames: mac_fates_pkg, made from regs/mac_fates.rdl, where each has
  // its name and its text.

  // What the registers say to the MAC besides enable and loopback, in the user's clock. Changes take effect between
  // frames; `mii` changes only while the MAC is not enabled.
  typedef struct packed {
    logic [10:0] max_frame;       // bytes with FCS of the longest frame received, up to MAX_FRAME_BYTES; 0: that
    logic [47:0] mac_address;     // source of pause frames, and what the address filter takes for its own
    logic [63:0] multicast_hash;  // bit ether_crc(6, address) >> 26 set: a group address is accepted
    logic        rx_store;        // received frames leave the FIFO whole: no cut-through
    logic        broadcast;
    logic        promiscuous;
    logic        tx_pause;        // send pause frames when the RX FIFO fills
    logic        rx_pause;        // obey pause frames
    logic        mii;             // nibbles at gmii_*xd[3:0], 10 or 100 Mb/s
  } mac_settings_t;

  // One-cycle pulses in the user's clock: exactly one `rx_*` pulse for each carrier event of the line (at GMII an assertion
  // of gmii_rx_dv, however short), exactly one `tx_*` pulse for each frame handed to the MAC for transmission (but tx_pause:
  // that frame is the MAC's own).
  typedef mac_fates_pkg::mac_stat_t mac_stat_t;

  // ---- Taps (trace_pkg), by the clock they belong to. A frame meets them in the order line_in_begin, line_in_end,
  // rx_first, rx_last on receive and tx_first, tx_last, line_out_begin, line_out_end on transmit. They have no pointer:
  // frames pass the MAC in order.

  typedef struct packed {  // the line's receive clock
    trace_pkg::tap_t line_in_begin;  // two clocks behind the edge that takes the SFD from the pins
    trace_pkg::tap_t line_in_end;    // three behind that of the last byte; detail [3:0] rx_disposition_t, [4] the
                                     // frame was shown to the reader of the RX FIFO
    logic [15:0]     rx_words;       // in the RX FIFO, as its writer knows
  } mac_rx_taps_t;

  typedef struct packed {  // the clock of the frame streams
    trace_pkg::tap_t rx_first;  // the header leaves the RX FIFO, ...
    trace_pkg::tap_t rx_last;   // ... the last word; detail [0] the frame is bad
    trace_pkg::tap_t tx_first;  // the first word goes to the TX FIFO; detail [0] in MAC loopback, ...
    trace_pkg::tap_t tx_last;   // ... the last; detail [1:0] 0 stored, 1 oversize, 2 aborted, 3 bad in loopback,
                                // [2] the line has begun it
    logic [15:0]     tx_words;  // in the TX FIFO, as its writer knows
  } mac_user_taps_t;

  typedef struct packed {  // the line's transmit clock
    trace_pkg::tap_t line_out_begin;  // a frame's first word is taken while the SFD goes to the pins
    trace_pkg::tap_t line_out_end;    // the last byte goes to the pins (detail 0); 1 underrun, 2 given up: cut short
  } mac_tx_taps_t;

  typedef struct packed {
    mac_rx_taps_t   rx;
    mac_user_taps_t user;
    mac_tx_taps_t   tx;
  } mac_taps_t;

endpackage
