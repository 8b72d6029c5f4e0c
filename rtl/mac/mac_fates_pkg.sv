// SPDX-License-Identifier: Apache-2.0
//
// What becomes of frames in the MAC: the ends that are counted.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package mac_fates_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // What becomes of a carrier event on the line. By precedence: one that fits several counts as the first.
  localparam int unsigned RX_FATES = 9;

  typedef enum logic [3:0] {
    // Began while the MAC was not enabled.
    RX_DROP_DISABLED,
    // Receive error signalled by the PHY, or no SFD among the first nine bytes (XGMII: in its place).
    RX_DROP_ERROR,
    // Longer than the longest legal frame.
    RX_DROP_OVERSIZE,
    // Shorter than 64 bytes with FCS.
    RX_DROP_RUNT,
    // Wrong FCS (a truncated frame of legal length ends here too).
    RX_DROP_FCS,
    // A pause frame, obeyed and consumed (setting rx_pause). Not a drop.
    RX_PAUSE,
    // A good frame for somebody else (settings promiscuous and broadcast, MAC address, multicast hash).
    RX_DROP_FILTERED,
    // No room in the receive FIFO for the whole frame.
    RX_DROP_OVERFLOW,
    // A good frame, stored in the receive FIFO. Not a drop: each of them goes on to the MAC's user.
    RX_GOOD
  } rx_disposition_t;

  // Ends on the line, and on the way into the transmit FIFO.
  typedef struct packed {
    // A pause frame sent of its own accord (setting tx_pause). Not a drop, and not one of the frames that the MAC
    // was given to send.
    logic tx_pause;
    // Begun before it was whole, as its sender had promised the rest in time (steady), and its next word came too
    // late: it ended on the line with an error and a wrong FCS. The NIC keeps its promises: with it this stays 0.
    logic tx_drop_underrun;
    // The last byte of a frame left the MAC.
    logic tx_sent;
  } tx_line_fates_t;

  typedef struct packed {
    // Aborted by the sender, because the memory refused the read of a part of it. If a sender other than the NIC
    // let it begin on the line before (steady), it ended there with an error and a wrong FCS, for this reason or
    // because it had run dry before (it does not count as an underrun then).
    logic tx_drop_abort;
    // Longer than the longest legal frame.
    logic tx_drop_oversize;
  } tx_admit_fates_t;

  // Pulses, one for each end. From the lowest bit: rx_disposition_t, tx_line_fates_t, tx_admit_fates_t.
  typedef struct packed {
    logic tx_drop_abort;
    logic tx_drop_oversize;
    logic tx_pause;
    logic tx_drop_underrun;
    logic tx_sent;
    logic rx_good;
    logic rx_drop_overflow;
    logic rx_drop_filtered;
    logic rx_pause;
    logic rx_drop_fcs;
    logic rx_drop_runt;
    logic rx_drop_oversize;
    logic rx_drop_error;
    logic rx_drop_disabled;
  } mac_stat_t;

  function automatic mac_stat_t mac_stat_pulses(
    input logic rx_valid, input rx_disposition_t rx, input tx_line_fates_t line, input tx_admit_fates_t admit
  );
    return {admit, line, rx_valid ? RX_FATES'(1) << rx : '0};
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
