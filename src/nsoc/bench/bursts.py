# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench bursts`: the longest bursts (scheme 2) that a MAC FIFO bears, 0.1 ms of pause between them.

The NIC of this SoC keeps up with the line, so no burst is too long for it. The published one does not. So the receiver
here is a SoC slowed down to the published rate: its firmware idles before each look at the receive queue, and it has
three buffers, one to receive into, one to work on and one to send. What it cannot take waits in the MAC's FIFO.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsoc.bench.image_figures import figures
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.records import Record
from nsoc.transfer.line_use import LIMIT_MBPS, PAYLOAD
from nsoc.transfer.plan import Plan, To
from nsoc.transfer.published import MAX_FRAME_BYTES
from nsoc.transfer.scheme import PAUSE_US, Scheme
from nsoc.transfer.session import Session
from nsoc.transfer.storage import MemorySource
from nsoc.transfer.transfers import Delivery, Item

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "images"
FIFOS = {"burst-4k": 4096, "burst-16k": 16384}
"""Mode, and bytes of the MAC's receive FIFO."""
BUFFERS = 3
RATE_MBPS = 659.12
"""Of the receiver: what is published for scheme 3 (Table 6.7, as printed)."""
LOOP_CYCLES = 32
"""What the firmware does for a frame besides idling, cycles of the processor."""
MOST = 64
"""Frames of the longest burst that is tried."""
SIZE = 355_840
"""Bytes sent for each try: the small image's."""
PATIENCE_US = 100_000.0


@dataclass(frozen=True)
class Found:
    """The longest burst without loss, for one FIFO."""

    preset: str
    mode: str
    fifo_bytes: int
    frames: int
    """0: even single frames are lost."""
    throughput_mbps: float
    """With that burst, from the first byte to the last frame's return; 0 when there is none."""
    line_share: float
    lost_beyond: int
    """Frames lost of those of one try when bursts are one frame longer."""
    cause: str
    """The counter that counted them."""
    receiver_mbps: float
    """Rate of the receiver, measured as frames come without pause."""


@dataclass(frozen=True)
class Try:
    """One run of scheme 2."""

    delivery: Delivery
    drops: dict[str, int]


@public
def run(
    modes: dict[str, int] | None = None,
    *,
    preset: str | Preset = presets.DEFAULT,
    rate_mbps: float = RATE_MBPS,
    pause_us: float = PAUSE_US,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Found]:
    """The longest burst for each FIFO. Raises NsocError when the preset cannot be used."""
    modes = FIFOS if modes is None else modes
    found = []
    for mode, fifo_bytes in modes.items():
        found.append(_longest(presets.load_soc(preset), mode, fifo_bytes, rate_mbps, pause_us, seed))
        progress(len(found), len(modes))
    return found


def _longest(preset: Preset, mode: str, fifo_bytes: int, rate_mbps: float, pause_us: float, seed: int) -> Found:
    system = preset.with_(rx_fifo_bytes=fifo_bytes)
    if system.queues_in_memory or system.packets != "local":
        raise NsocError(f"bursts are measured with queues in the NIC and packets in local memory, not on {preset.name}")

    def burst(frames: int) -> Try:
        return _send(system, Plan(Scheme.BURST, burst=frames, pause_us=pause_us), rate_mbps, seed)

    saturated = _send(system, Plan(Scheme.BURST, burst=MOST, pause_us=0.0), rate_mbps, seed)
    least, above = 0, MOST + 1
    tries: dict[int, Try] = {}
    while above - least > 1:
        middle = (least + above) // 2
        tries[middle] = burst(middle)
        least, above = (middle, above) if tries[middle].delivery.delivered else (least, middle)
    best, worse = tries.get(least), tries.get(above)
    return Found(
        preset.name, mode, fifo_bytes, least, best.delivery.throughput_mbps if best else 0.0,
        best.delivery.line_share if best else 0.0, sum(worse.drops.values()) if worse else 0,
        ", ".join(worse.drops) if worse else "", saturated.delivery.received.throughput_mbps,
    )  # fmt: skip


def _send(system: Preset, plan: Plan, rate_mbps: float, seed: int) -> Try:
    cycles = MAX_FRAME_BYTES * 8 / rate_mbps * system.cpu_mhz
    defines = {"NIC_BUFFERS": BUFFERS, "DELAY": max(0, round(cycles) - LOOP_CYCLES)}
    with Session.to(To.ECHO, system, seed=seed, patience_us=PATIENCE_US, defines=defines) as session:
        (delivery,) = session.echo([Item("burst", MemorySource(bytes(SIZE)))], plan)
        return Try(delivery, session.drops)


@public
def records(found: list[Found]) -> list[Record]:
    """What was found, in the machine format; `published` is the larger one printed."""
    made = []
    for one in found:
        theirs = published(one.fifo_bytes)
        source = figures()["bursts"]["source"] if theirs else None
        made += [
            Record(
                SUITE, one.preset, "loss_free_burst", one.frames, one.mode, PAYLOAD, "frames",
                published=theirs[1] if theirs else None, source=source,
            ),
            Record(SUITE, one.preset, "throughput_mbps", one.throughput_mbps, one.mode, PAYLOAD, "Mb/s", LIMIT_MBPS),
            Record(SUITE, one.preset, "line_share", one.line_share, one.mode, PAYLOAD, limit=1.0),
            Record(SUITE, one.preset, "lost_beyond", one.lost_beyond, one.mode, PAYLOAD, "frames"),
            Record(SUITE, one.preset, "receiver_mbps", one.receiver_mbps, one.mode, PAYLOAD, "Mb/s"),
        ]  # fmt: skip
    return made


def table(found: list[Found]) -> "Table":
    """A row for each FIFO."""
    from rich import box
    from rich.table import Table

    title = "The longest bursts without loss, frames of 1500 bytes"
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("FIFO", "frames", "published", "Mb/s", "of the line", "one more loses", "counted as"):
        shown.add_column(heading, justify="left" if heading == "counted as" else "right")
    for one in found:
        theirs = published(one.fifo_bytes)
        words = f"{theirs[0]} to {theirs[1]}" if theirs else ""
        beyond = (f"{one.lost_beyond:,} frames", one.cause) if one.cause else ("", "")
        rate = (f"{one.throughput_mbps:,.1f}", f"{one.line_share:.1%}")
        shown.add_row(f"{one.fifo_bytes:,} bytes", f"{one.frames}", words, *rate, *beyond)
    return shown


def lines(found: list[Found], pause_us: float) -> list[str]:
    """What the table leaves to say."""
    rates = ", ".join(f"{one.receiver_mbps:,.0f}" for one in found)
    return [
        f"Pauses of {pause_us / 1000:g} ms, {SIZE:,} bytes a try. The receiver is a SoC whose firmware idles before "
        f"each frame, with {BUFFERS} buffers; it takes {rates} Mb/s when frames come without pause.",
        f"Published: {figures()['bursts']['source']}; how fast the receiver was is not said there.",
    ]


def published(fifo_bytes: int) -> tuple[int, int] | None:
    """Frames of the published bursts for that FIFO, from and to."""
    row = figures()["bursts"].get(str(fifo_bytes))
    return (row[0], row[1]) if row else None
