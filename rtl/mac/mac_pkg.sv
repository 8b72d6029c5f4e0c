// SPDX-License-Identifier: Apache-2.0
//
// What the MAC tells about frames: one-cycle pulses in the NIC clock domain, at most one `rx_*` pulse for each frame
// that entered on GMII and exactly one in the end; the same for `tx_*` and frames handed to the MAC for transmission.
package mac_pkg;

  typedef struct packed {
    logic rx_good;           // stored in the RX FIFO
    logic rx_drop_fcs;       // FCS wrong (a truncated frame of legal length ends here too)
    logic rx_drop_runt;      // shorter than 64 bytes with FCS
    logic rx_drop_oversize;  // longer than MAX_FRAME_BYTES with FCS
    logic rx_drop_error;     // gmii_rx_er during the frame, or a broken preamble
    logic rx_drop_overflow;  // RX FIFO had no room for the whole frame
    logic rx_drop_disabled;  // MAC not enabled
    logic tx_sent;           // last FCS byte left on GMII
    logic tx_drop_oversize;  // longer than MAX_FRAME_BYTES - 4 before FCS, discarded whole
    logic tx_drop_abort;     // sender aborted it (read error on its memory), discarded whole
  } mac_stat_t;

endpackage
