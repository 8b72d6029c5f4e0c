# SPDX-License-Identifier: Apache-2.0
"""The figures that a system is known by, beside those of its publication: the least favourable ratio of each kind.

Ours come from docs/data/figures.json, published ones with their clocks from published/*.toml. A ratio is above 1 where
ours is better: published over ours for cycles and times, ours over published for rates.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from nsoc import figures
from nsoc.figures import HIGH, Key
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.published import load

NIC_TABLE, NIC_PAYLOAD = "7.2", 1486
LATENCY_MODE = "stream-verified"
PNIC_MODE = "published-set-update"
LONGEST, SHORTEST = 1518, 64
"""Frames of the programmable NIC with FCS, in bytes."""


@dataclass(frozen=True)
class Headline:
    """One figure of ours beside a published one, measured at the same points."""

    what: str
    key: Key
    """Our figure: bench, preset, mode, metric, payload."""
    unit: str
    published: float
    """In our unit; a throughput taken as 2^20 bit/s where the source does not say, the less favourable to us."""
    source: str
    published_clock: str
    ours: float | None
    """None when it was not measured."""
    digits: int = 0
    """Behind the point, where it is shown."""

    @property
    def preset(self) -> str:
        return self.key[1] or ""

    @property
    def payload(self) -> int:
        return self.key[4] or 0

    @property
    def ratio(self) -> float | None:
        """How many times better ours is."""
        if not self.ours or not self.published:
            return None
        way = figures.BETTER[self.key[3]]
        return self.ours / self.published if way == HIGH else self.published / self.ours

    @property
    def clock(self) -> str:
        """The clocks of our system."""
        return clock_of(presets.load(self.preset))

    @property
    def clocks(self) -> str:
        """Published and ours; one where both are the same."""
        return self.clock if self.clock == self.published_clock else f"{self.published_clock} / {self.clock}"


def clock_of(preset: Preset) -> str:
    """Clocks of processor and NIC, of engine and MAC, or of a programmable NIC's cores, written as published ones."""
    if preset.top == "lat_node":
        return f"{preset.nic_mhz:g} and {preset.xgmii_mhz:g} MHz"
    if preset.top == "pnic_node":
        return f"{preset.cores} x {preset.cpu_mhz:g} MHz"
    return f"{preset.cpu_mhz:g} and {preset.nic_mhz:g} MHz"


def of(system: str) -> list[Headline]:
    """The headlines of the system of that name; none while it is to come. The least ratio decides among candidates."""
    found = []
    for kind in KINDS.get(system, ()):
        candidates = list(kind())
        measured = [one for one in candidates if one.ratio is not None]
        found.append(min(measured, key=lambda one: one.ratio or 0.0) if measured else candidates[0])
    return found


def _ours(key: Key) -> float | None:
    row = figures.load().get(key)
    return None if row is None or row.value is None else float(row.value)


def _throughput(system: str) -> Iterator[Headline]:
    """The throughputs of the columns that are presets of that system."""
    from nsoc import systems
    from nsoc.bench.thesis import published_tables

    table = published_tables.published()[NIC_TABLE]
    clock = load("thesis.toml")["clock"]
    for column in table.columns:
        owner = systems.of_preset(column.preset)
        if owner is None or owner.name != system:
            continue
        key: Key = ("thesis", column.preset, column.mode, "throughput_mbps", NIC_PAYLOAD)
        theirs = table.converted(column, NIC_PAYLOAD)
        yield Headline(
            f"throughput, {NIC_PAYLOAD} B", key, "Mb/s", theirs, table.source, clock, _ours(key), digits=1
        )  # fmt: skip


def echoes(way: str) -> Iterator[Headline]:
    """Echoes of every size by one way of a program, `dca` or `socket`, UDP and TCP."""
    theirs = load("sockets.toml")
    words = {"dca": "direct cache access", "socket": "sockets"}[way]
    for protocol in ("udp", "tcp"):
        mode = f"{way}-{protocol}"
        for payload, cycles in zip(theirs["payloads"], theirs["cycles"][mode], strict=True):
            key: Key = ("sockets", "toe", mode, "echo_cycles", payload)
            what = f"{protocol.upper()} echo by {words}, {payload} B"
            yield Headline(what, key, "cycles", cycles, theirs["source"], theirs["clock"], _ours(key))


def doors(preset: str = "lat-10g") -> Iterator[Headline]:
    """Door to door, of every published payload; the preset has the clocks and the width of the publication."""
    theirs = load("latency.toml")
    table = theirs["published"]
    for payload, ns in table["ns"].items():
        key: Key = ("latency", preset, LATENCY_MODE, "latency_ns", int(payload))
        what = f"door to door, verified, {payload} B"
        yield Headline(what, key, "ns", ns, table["source"], theirs["clock"], _ours(key), digits=1)


def frames(length: int) -> Headline:
    """Frames a second through six cores, both directions together."""
    theirs = load("pnic.toml")
    most = {LONGEST: theirs["full_frames_per_s"], SHORTEST: theirs["saturated_frames_per_s"]}[length]
    key: Key = ("pnic", "pnic-rice", PNIC_MODE, "frames_per_s", length)
    return Headline(f"frames, {length} B", key, "frames/s", most, theirs["source"], theirs["clock"], _ours(key))


KINDS: Mapping[str, tuple[Callable[[], Iterator[Headline]], ...]] = {
    "nic": (lambda: _throughput("nic"),),
    "tcp": (lambda: echoes("dca"), lambda: echoes("socket")),
    "latency": (doors,),
    "pnic": (lambda: iter([frames(LONGEST)]), lambda: iter([frames(SHORTEST)])),
    "v8": (lambda: _throughput("v8"),),
}
"""By system: each gives candidates, of which the least favourable is a headline."""
