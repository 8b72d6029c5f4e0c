# SPDX-License-Identifier: Apache-2.0
"""Streams between two nodes: what was taken in a window, and where each frame that came has ended."""

from dataclasses import dataclass

from nsoc.machine import fates
from nsoc.machine.regs import BLOCKS

GOODPUT, UDP, RECEIVED = "goodput", "udp", "received"
"""Segments, or datagrams, both ways at once; segments from a sender that is no engine."""
MINIMUM_MODES = {
    UDP: "udp-minimum",
    RECEIVED: "tcp-minimum-received",
    f"{RECEIVED}-one": "tcp-minimum-received-one",
    f"{RECEIVED}-paced": "tcp-minimum-paced",
    f"{RECEIVED}-paced-one": "tcp-minimum-paced-one",
}
"""Loads of frames of 64 bytes by how they are called for users. Received: the line is full of them, through all
connections in turn or through one, whatever becomes of them. Paced: as many as node 1 shows to take."""

_TOE = list(BLOCKS["toe"].registers)


def _counters(first: str, last: str) -> tuple[str, ...]:
    return tuple(_TOE[_TOE.index(first) : _TOE.index(last) + 1])


NODE = (
    "tx_fast", "tx_broken", "tx_left", "tx_again", "rx_fast", "rx_aborted", "rx_left_out", "rx_taken", "rx_stale",
    "rx_no_room", "rx_foreign", "drop_length", "drop_closed", "udp_no_room",
)  # fmt: skip
"""In the order of lat_stat_t in rtl/soc/lat_pkg.sv."""
MAC_RX = tuple(fate.name for fate in fates.MAC_RX)
MAC = tuple(fate.name for fate in reversed((*fates.MAC_RX, *fates.MAC_TX_LINE, *fates.MAC_TX_ADMIT)))
NET = _counters("net_rx_nic", "net_refusal_saved")
NET_RX = _counters("net_rx_nic", "net_rx_drop_busy")
STATS = (*NODE, *MAC, *NET)
"""What the node tells of in pulses, in the order of sim/lat/lat_pair.sv."""
ENGINE = _counters("tcp_drop_no_connection", "command_refused")
"""Counters that are read from registers."""

_LOSSES = (
    *(fate.name for fate in fates.MAC_RX if fate.loss),
    "rx_stale",
    "rx_no_room",
    *(name for name in NET_RX if "_drop_" in name and name != "net_rx_drop_bad"),
    "udp_no_room",
    *(name for name in ENGINE if name.startswith(("segment_drop", "tcp_drop")) and name != "segment_drop_bad"),
)
"""Causes for which the application does not get what a frame brought. One that was bad on the line counts at the MAC,
and once more at net or tcp if it came so far: that is left out."""


@dataclass(frozen=True)
class Load:
    """What one node has received under one kind of load."""

    what: str
    payload: int
    """Bytes a segment or datagram."""
    node: int
    in_window: int
    """Bytes that its application has taken in the window, or datagrams."""
    sent: int
    """Frames that the node has sent in it."""
    given: int
    """From quiet to quiet, as all that follows: bytes or datagrams that went in at the other node; 0 where that does
    not send."""
    taken: int
    frames: int
    """That came on the line."""
    counts: dict[str, int]
    """STATS; with a sender that is no engine ENGINE, too."""

    @property
    def lost(self) -> dict[str, int]:
        """Frames that came and brought the application nothing, by cause."""
        return {name: count for name in _LOSSES if (count := self.counts.get(name, 0))}

    @property
    def frames_in_window(self) -> float:
        """Those whose payload its application has taken in the window, and that were on the line in it: less one, as
        the first that was taken had come before."""
        return max(0.0, (self.in_window if self.what == UDP else self.in_window / self.payload) - 1)

    @property
    def unaccounted(self) -> int:
        """Frames, or datagrams, of which no counter knows."""
        counts = self.counts
        at_mac = self.frames - sum(counts[name] for name in MAC_RX)
        to_net = sum(counts[name] for name in NET_RX if name not in ("net_rx_nic", "net_rx_drop_bad"))
        # What net drops as bad, or has for nobody, was no good frame to the MAC.
        behind_mac = max(0, counts["rx_good"] - to_net - counts["rx_taken"] - counts["rx_no_room"])
        behind_net = counts["net_rx_udp"] - counts["udp_no_room"] - (self.taken if self.what == UDP else 0)
        return abs(at_mac) + behind_mac + abs(behind_net)


def parse_load(words: list[str]) -> Load:
    """Of a line that sim/lat/latency.cpp prints, without its first word."""
    what, *numbers = words
    payload, node, in_window, sent, given, taken, frames, *counts = map(int, numbers)
    names = STATS if len(counts) == len(STATS) else (*STATS, *ENGINE)
    return Load(what, payload, node, in_window, sent, given, taken, frames, dict(zip(names, counts, strict=True)))
