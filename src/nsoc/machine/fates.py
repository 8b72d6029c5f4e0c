# SPDX-License-Identifier: Apache-2.0
"""What becomes of frames: the ends that are counted, by block and group, each group in the order of its numbers.

Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
"""

# ruff: noqa: E501 - one line an end
# fmt: off
from dataclasses import dataclass


@dataclass(frozen=True)
class Fate:
    """An end of frames. `loss`: something was lost or refused. `counter`: the NIC's register that counts it."""

    name: str
    loss: bool
    counter: str
    description: str


MAC_RX: tuple[Fate, ...] = (
    Fate("rx_drop_disabled", True, "rx_drop_disabled", "Began while the MAC was not enabled."),
    Fate("rx_drop_error", True, "rx_drop_error", "Receive error signalled by the PHY, or no SFD among the first nine bytes (XGMII: in its place)."),
    Fate("rx_drop_oversize", True, "rx_drop_oversize", "Longer than the longest legal frame."),
    Fate("rx_drop_runt", True, "rx_drop_runt", "Shorter than 64 bytes with FCS."),
    Fate("rx_drop_fcs", True, "rx_drop_fcs", "Wrong FCS (a truncated frame of legal length ends here too)."),
    Fate("rx_pause", False, "rx_pause", "A pause frame, obeyed and consumed (setting rx_pause). Not a drop."),
    Fate("rx_drop_filtered", True, "rx_drop_filtered", "A good frame for somebody else (settings promiscuous and broadcast, MAC address, multicast hash)."),
    Fate("rx_drop_overflow", True, "rx_drop_overflow", "No room in the receive FIFO for the whole frame."),
    Fate("rx_good", False, "rx_good", "A good frame, stored in the receive FIFO. Not a drop: each of them goes on to the MAC's user."),
)
"""Receive: each carrier event on the line ends in exactly one. An event that fits several counts as the first."""
MAC_TX_LINE: tuple[Fate, ...] = (
    Fate("tx_sent", False, "packets_transmitted", "The last byte of a frame left the MAC."),
    Fate("tx_drop_underrun", True, "tx_drop_underrun", "Begun before it was whole, as its sender had promised the rest in time (steady), and its next word came too late: it ended on the line with an error and a wrong FCS. The NIC keeps its promises: with it this stays 0."),
    Fate("tx_pause", False, "tx_pause", "A pause frame sent of its own accord (setting tx_pause). Not a drop, and not one of the frames that the MAC was given to send."),
)
"""Transmit, on the line."""
MAC_TX_ADMIT: tuple[Fate, ...] = (
    Fate("tx_drop_oversize", True, "tx_drop_oversize", "Longer than the longest legal frame."),
    Fate("tx_drop_abort", True, "tx_drop_abort", "Aborted by the sender, because the memory refused the read of a part of it. If a sender other than the NIC let it begin on the line before (steady), it ended there with an error and a wrong FCS, for this reason or because it had run dry before (it does not count as an underrun then)."),
)
"""Transmit, on the way into the transmit FIFO. Each frame that is given to the MAC ends here or is sent or underruns, once."""
NIC_RX: tuple[Fate, ...] = (
    Fate("rx_delivered", False, "packets_received", "A frame was delivered into a receive queue (NIC loopback: into a transmit queue)."),
    Fate("rx_drop_too_long", True, "rx_drop_too_long", "Longer than the packet buffer."),
    Fate("rx_drop_memory_error", True, "rx_drop_memory_error", "The memory refused a write of the frame."),
    Fate("rx_drop_no_server", True, "rx_drop_no_server", "No enabled server with room in its queue for longer than rx_patience. Also a frame whose control word is written already, with status 0, when the processor itself has filled the queue chosen for it: its buffer goes back to the free queue."),
    Fate("rx_drop_no_buffer", True, "rx_drop_no_buffer", "No free buffer for longer than rx_patience."),
)
"""Receive engine: each frame that the MAC hands over whole ends in exactly one."""
NIC_TX: tuple[Fate, ...] = (
    Fate("tx_taken", False, "tx_taken", "A frame was handed to the MAC. Not a drop: each of them is sent, or dropped by the MAC, in the end."),
    Fate("tx_drop_bad_length", True, "tx_drop_bad_length", "Length in the control word below 14, above max_frame less 4 or beyond the packet buffer."),
    Fate("tx_drop_memory_error", True, "tx_drop_memory_error", "The memory refused the read of the control word; nothing was handed to the MAC."),
    Fate("tx_stamp_lost", True, "tx_stamp_lost", "A transmit stamp was asked for while 16 were outstanding or unread: the frame went to the MAC whole, without a stamp. One that was aborted is not counted. Not a drop."),
    Fate("tx_sum_unfit", True, "tx_sum_unfit", "A sum was asked for that this frame cannot have (no IPv4, no TCP or UDP, a fragment, lengths that do not fit): it went to the MAC as it was. One that was aborted is not counted. Not a drop."),
)
"""Transmit engine: each pointer that it takes ends in one of the first three."""
