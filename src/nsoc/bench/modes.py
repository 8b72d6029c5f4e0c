# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench modes`: the round trip in each mode of the NIC, and what of it is the processor's, the NIC's, the MAC's.

One SoC is switched from mode to mode while it runs, and at the end every buffer must be where it belongs. As published,
the processor's share is normal mode less NIC loopback, the NIC's is NIC loopback less MAC loopback.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsoc.bench.nic import PAYLOADS, RoundTrip, published, published_cycles, round_trip
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.machine.selftest import MODES, Session
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "modes"
PARTS = {
    "processor": ("normal", "nic_loopback"),
    "nic": ("nic_loopback", "mac_loopback"),
    "mac": ("mac_loopback", None),
}
"""What a part of the round trip is: the first mode less the second."""


@dataclass
class ModesResult:
    """Everything `nsoc bench modes` found."""

    preset: Preset
    round_trips: list[RoundTrip]

    def cycles(self, mode: str, payload: int) -> float:
        """Mean of the round trips."""
        return next(trip.mean for trip in self.round_trips if (trip.mode, trip.payload) == (mode, payload))


@public
def run(
    payloads: Sequence[int] = PAYLOADS,
    *,
    preset: str | Preset = presets.DEFAULT,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ModesResult:
    """Measure each payload in each mode, switching in between. Raises NsocError when a buffer or a frame is lost."""
    system = presets.load(preset)
    trips: list[RoundTrip] = []
    with Session(system, seed) as session:
        for payload in payloads:
            for mode in MODES:
                trips.append(round_trip(session, mode, payload))
                progress(len(trips), len(MODES) * len(payloads))
        if lost := session.lost():
            raise NsocError(f"after {len(trips)} switches of the mode: {lost}")
    return ModesResult(system, trips)


def parts(cycles: Callable[[str, int], float | None], payload: int) -> dict[str, float]:
    """The shares of processor, NIC and MAC in a round trip; empty when a mode is not known."""
    found = {}
    for part, (whole, less) in PARTS.items():
        first, second = cycles(whole, payload), 0.0 if less is None else cycles(less, payload)
        if first is None or second is None:
            return {}
        found[part] = round(first - second, 6)
    return found


@public
def records(result: ModesResult) -> list[Record]:
    """Round trips by mode, shares by part."""
    source = published()["rtt_us"]["source"]
    made = []
    for trip in result.round_trips:
        theirs = published_cycles(trip.mode, trip.payload)
        made.append(
            Record(
                SUITE, result.preset.name, "rtt_cycles", trip.mean, trip.mode, trip.payload, "cycles",
                published=theirs, source=None if theirs is None else source,
            )
        )  # fmt: skip
    for payload in sorted({trip.payload for trip in result.round_trips}):
        theirs_parts = parts(published_cycles, payload)
        for part, cycles in parts(result.cycles, payload).items():
            made.append(
                Record(
                    SUITE, result.preset.name, "share_cycles", cycles, part, payload, "cycles",
                    published=theirs_parts.get(part), source=source if theirs_parts else None,
                )
            )  # fmt: skip
    return made


def table(result: ModesResult) -> "Table":
    """A row for each payload; below it the published one where there is one."""
    from rich.table import Table

    shown = Table(title=f"Round trip on {result.preset.name}, cycles of the NIC's clock", title_justify="left")
    for column in ("payload", *(mode.replace("_", " ") for mode in MODES), *PARTS):
        shown.add_column(column, justify="right")
    for payload in sorted({trip.payload for trip in result.round_trips}):
        ours = [result.cycles(mode, payload) for mode in MODES] + list(parts(result.cycles, payload).values())
        shown.add_row(f"{payload}", *(f"{value:,.1f}" for value in ours))
        theirs = parts(published_cycles, payload)
        if theirs:
            values = [published_cycles(mode, payload) or 0.0 for mode in MODES] + list(theirs.values())
            shown.add_row("published", *(f"{value:,.1f}" for value in values), style="dim")
    return shown


def lines(result: ModesResult) -> list[str]:
    """What the table leaves to say."""
    return [
        f"Mean over phases of the clocks; {len(result.round_trips)} switches of the mode in one run, every buffer "
        "accounted for at its end. Processor = normal - NIC loopback, NIC = NIC loopback - MAC loopback.",
        f"Published: {published()['rtt_us']['source']}, by packet length, at 10 ns a cycle (ours: 8 ns).",
    ]
