// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the MAC agree on, and what the MAC tells the world about frames.
package mac_pkg;

  // One word of a frame FIFO: 68 bits, so that a 72-bit wide block RAM has four bits left (a later cut-through mode
  // needs one, for "this frame turned out bad"). Byte order as on the frame stream: the first byte is data[63:56].
  typedef struct packed {
    logic        last;
    logic [2:0]  last_lane;  // in the last word: index of the frame's last byte, 0 = data[63:56]; else 7
    logic [63:0] data;
  } fifo_word_t;

  // What became of a carrier event on GMII RX. Listed by precedence: an event that fits several counts as the first.
  typedef enum logic [2:0] {
    RX_DISABLED,
    RX_ERROR,
    RX_OVERSIZE,
    RX_RUNT,
    RX_FCS,
    RX_OVERFLOW,
    RX_GOOD
  } rx_disposition_t;

  // One-cycle pulses in the NIC clock domain: exactly one `rx_*` pulse for each carrier event on GMII (an assertion of
  // gmii_rx_dv, however short), exactly one `tx_*` pulse for each frame handed to the MAC for transmission.
  typedef struct packed {
    logic rx_good;           // stored in the RX FIFO
    logic rx_drop_fcs;       // FCS wrong (a truncated frame of legal length ends here too)
    logic rx_drop_runt;      // shorter than 64 bytes with FCS
    logic rx_drop_oversize;  // longer than MAX_FRAME_BYTES with FCS
    logic rx_drop_error;     // gmii_rx_er during the frame, or a broken preamble
    logic rx_drop_overflow;  // a good frame, but the RX FIFO had no room for the whole of it
    logic rx_drop_disabled;  // MAC not enabled
    logic tx_sent;           // last FCS byte left on GMII
    logic tx_drop_oversize;  // longer than MAX_FRAME_BYTES - 4 before FCS, discarded whole
    logic tx_drop_abort;     // sender aborted it (read error on its memory), discarded whole
  } mac_stat_t;

endpackage
