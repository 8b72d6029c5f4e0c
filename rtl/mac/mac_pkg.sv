// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the MAC agree on, and what the MAC tells the world about frames.
package mac_pkg;

  // One word of a frame FIFO: 70 bits, for a 72-bit wide block RAM. Byte order as on the frame stream: the first byte is
  // data[63:56].
  typedef struct packed {
    logic        bad;        // with last: discard the frame (its words could be read before that was known)
    logic        stamp;      // transmit, the same in all words of a frame: a stamp is wanted
    logic        last;
    logic [2:0]  last_lane;  // in the last word: index of the frame's last byte, 0 = data[63:56]; else 7
    logic [63:0] data;
  } fifo_word_t;

  // What the registers say to the MAC besides enable and loopback, in the NIC's clock. Changes take effect between
  // frames; `mii` changes only while the MAC is not enabled.
  typedef struct packed {
    logic [47:0] mac_address;     // source of pause frames, and what the address filter takes for its own
    logic [63:0] multicast_hash;  // bit ether_crc(6, address) >> 26 set: a group address is accepted
    logic [7:0]  tx_start;        // words in the TX FIFO with which a frame may begin on the line; 0: when it is whole
    logic        broadcast;
    logic        promiscuous;
    logic        tx_pause;        // send pause frames when the RX FIFO fills
    logic        rx_pause;        // obey pause frames
    logic        mii;             // nibbles at gmii_*xd[3:0], 10 or 100 Mb/s
  } mac_settings_t;

  // One-cycle pulses in the NIC clock domain: exactly one `rx_*` pulse for each carrier event on GMII (an assertion of
  // gmii_rx_dv, however short), exactly one `tx_*` pulse for each frame handed to the MAC for transmission (but tx_pause:
  // that frame is the MAC's own).
  // regs/mac_fates.rdl lists the ends; mac_fates_pkg is made from it.
  import mac_fates_pkg::mac_stat_t;
  export mac_fates_pkg::mac_stat_t;

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
