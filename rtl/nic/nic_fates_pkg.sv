// SPDX-License-Identifier: Apache-2.0
//
// What becomes of frames in the NIC: the ends that are counted.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package nic_fates_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Receive engine, pulses.
  typedef struct packed {
    // No free buffer for longer than rx_patience.
    logic rx_drop_no_buffer;
    // No enabled server with room in its queue for longer than rx_patience. Also a frame whose control word is
    // written already, with status 0, when the processor itself has filled the queue chosen for it: its buffer goes
    // back to the free queue.
    logic rx_drop_no_server;
    // The memory refused a write of the frame.
    logic rx_drop_memory_error;
    // Longer than the packet buffer.
    logic rx_drop_too_long;
    // A frame was delivered into a receive queue (NIC loopback: into a transmit queue).
    logic rx_delivered;
  } nic_rx_fates_t;

  // Transmit engine, pulses.
  typedef struct packed {
    // A sum was asked for that this frame cannot have (no IPv4, no TCP or UDP, a fragment, lengths that do not
    // fit): it went to the MAC as it was. One that was aborted is not counted. Not a drop.
    logic tx_sum_unfit;
    // A transmit stamp was asked for while 16 were outstanding or unread: the frame went to the MAC whole, without
    // a stamp. One that was aborted is not counted. Not a drop.
    logic tx_stamp_lost;
    // The memory refused the read of the control word; nothing was handed to the MAC.
    logic tx_drop_memory_error;
    // Length in the control word below 14, above max_frame less 4 or beyond the packet buffer.
    logic tx_drop_bad_length;
    // A frame was handed to the MAC. Not a drop: each of them is sent, or dropped by the MAC, in the end.
    logic tx_taken;
  } nic_tx_fates_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
