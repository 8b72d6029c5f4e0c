# SPDX-License-Identifier: Apache-2.0
"""From the taps that say a level to counters over time: queues, MAC FIFOs, buses."""

from collections.abc import Callable

from nsoc.trace.frames import FS_PER_NS, Counter

WORD_BYTES = 8
SERVERS = 4
"""Rx queues, and as many Tx queues."""
BUS_WINDOW = 64
"""Cycles that a bus's use is counted over: WINDOW of sim/trace_use.sv."""

_QUEUES = (
    *(f"Rx queue {server}" for server in range(SERVERS)), *(f"Tx queue {server}" for server in range(SERVERS)),
    "free queue",
)  # fmt: skip
_FIFOS = {"rx_fifo_words": "RX FIFO", "tx_fifo_words": "TX FIFO"}
_OTHER_CORES = {f"cpu_acb{core}": f"processor {core}, ACB" for core in range(1, 4)}
"""Taps of the buses of a preset's second to fourth core."""
_BUSES = {"nic_acb": "NIC, ACB", "cpu_acb": "processor, ACB", **_OTHER_CORES, "dram": "DRAM port"}


def counters(levels: dict[str, list[tuple[int, int]]]) -> list[Counter]:
    """Those that ever were other than zero."""
    made = []

    def add(group: str, name: str, unit: str, tap: str, value: Callable[[int], float]) -> None:
        points = [(time / FS_PER_NS, value(level)) for time, level in levels.get(tap, [])]
        if any(level for _, level in points):
            made.append(Counter(group, name, unit, points))

    for index, name in enumerate(_QUEUES):
        add("queues", name, "buffers", f"queue{index}", float)
    for tap, name in _FIFOS.items():
        add("MAC FIFOs", name, "bytes", tap, lambda words: words * WORD_BYTES)
    for tap, name in _BUSES.items():
        add("buses", f"{name}: busy", "%", tap, lambda both: 100 * (both & 0xFFFF) / BUS_WINDOW)
        add("buses", f"{name}: waiting", "%", tap, lambda both: 100 * (both >> 16) / BUS_WINDOW)
    return made
