# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench mac`: what the MACs for 25, 50 and 100 Gb/s lose of a full line, and the gaps that they leave.

The MAC (rtl/mac/wide/mac_xgmii_wide.sv) runs alone in a simulator of its own (sim/mac_line), both ways at once. Good
frames come back to back with a mean gap of 12 bytes. Its user takes a beat a cycle, and always has the next frame to
send. Every byte of either way is compared.

**Loss** is the share of frames on the line that did not come to the user. **Mean gap** is that of the frames that the
MAC sends, from the terminate to the next start, in bytes.

With **packed** beats one frame may end and the next one begin in a beat (rtl/common/frame_pkg.sv). Behind the MAC is
then what makes beats of one frame for blocks like `net` (rtl/common/frame_unpack.sv), its *door*: what that drops is
measured by itself.
"""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nsoc.bench.program import program, rtl
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset, start_lanes
from nsoc.network.ethernet import SLOT_BYTES
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "mac"
TOP = "mac_line_top"
SYSTEMS = {128: "lat-25g", 256: "lat-50g", 512: "lat-100g"}
"""By bits of the line's word: whose clocks and beats the MAC has."""
PACKED_BITS = 512
"""Of the line's word and of a beat, where beats are packed."""
SHORTEST, LONGEST = 60, 1518
"""Frames without FCS."""
FRAMES = 2000
FS_PER_US = 10**9

Show = Callable[[str], None]


@dataclass(frozen=True)
class Mix:
    """Lengths without FCS: that of each frame is drawn between these two, of all with the same chance."""

    least: int
    most: int

    @property
    def name(self) -> str:
        return f"{self.least}" if self.least == self.most else f"{self.least}-{self.most}"


@dataclass(frozen=True)
class Measured:
    """What one MAC made of one mix. Gaps are in bytes."""

    preset: Preset
    mix: Mix
    came: int
    """Frames on the line, all of them good."""
    good: int
    """Those of them that the user has got."""
    overflow: int
    """Those that the MAC counts as lost."""
    mean_gap: float
    least_gap: int
    most_gap: int
    short: int
    """What sent gaps were too short by at most, all together; what one is too long does not count against it."""
    packed: bool = False
    dropped: int = 0
    """Of `good`, by the door; packed beats only."""
    absorbed: int = 0
    """Frames that had come to the door when it dropped the first one, or all."""

    @property
    def loss(self) -> float:
        return 1 - self.good / self.came

    @property
    def door_loss(self) -> float:
        return self.dropped / self.good

    @property
    def label(self) -> str:
        """The width, like `512` or `512 packed`."""
        return f"{self.preset.line_bits}{' packed' if self.packed else ''}"


def need(preset: Preset, mix: Mix) -> float:
    """Beats of the user's stream that a full line of that mix needs, of those that there are: more than 1 is lost.

    A frame begins in a beat of its own; of packed beats those behind the door.
    """
    lengths = range(mix.least, mix.most + 1)
    beats = sum(-(-length // (preset.width // 8)) for length in lengths)
    bits = 8 * sum(length + SLOT_BYTES for length in lengths)
    return beats / preset.nic_mhz / (bits / preset.line_mbps)


def parse_mixes(text: str) -> list[Mix]:
    """Mixes from text like `61,60-200`. Raises NsocError for what is not like that or not a frame's length."""
    made = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (not dash or last.isdecimal())):
            raise NsocError(f"--length {text!r} is not like 61,60-200")
        mix = Mix(int(first), int(last if dash else first))
        if not SHORTEST <= mix.least <= mix.most <= LONGEST:
            raise NsocError(
                f"--length must be frame lengths without FCS, {SHORTEST} to {LONGEST}, not {part.strip()!r}"
            )
        made.append(mix)
    return made


def systems(
    widths: Sequence[int] = (), *, core_mhz: float | None = None, beat_bits: int | None = None, packed: bool = False
) -> list[Preset]:
    """The presets of lines with so many bits, all when none is named, with another clock or beats of other width.

    With `packed` that of 512 bits; raises NsocError for another one.
    """
    if packed and ({*widths, *([beat_bits] if beat_bits else [])} - {PACKED_BITS}):
        raise NsocError(f"--packed is for lines and beats of {PACKED_BITS} bits: leave --width and --beat-bits out")
    if packed:
        widths = [PACKED_BITS]
    for width in widths:
        if width not in SYSTEMS:
            raise NsocError(f"--width wants some of {', '.join(map(str, SYSTEMS))}, not {width}")
    changes = {"nic_mhz": core_mhz, "width": beat_bits}
    said = {"nic_mhz": f"--core-mhz {core_mhz:g}" if core_mhz else "", "width": f"--beat-bits {beat_bits}"}
    fields = {name: value for name, value in changes.items() if value is not None}
    loaded = [presets.load(SYSTEMS[width]) for width in widths or SYSTEMS]
    return [presets.changed(preset, fields, said) if fields else preset for preset in loaded]


@public
def run(
    chosen: Sequence[Preset], mixes: Sequence[Mix], *, frames: int = FRAMES, seed: int = 1, packed: bool = False,
    show: Show = lambda what: None,
) -> list[Measured]:  # fmt: skip
    """`frames` frames of each mix each way through the MAC of each preset, with `packed` in packed beats.

    Raises NsocError when a frame was wrong, or was lost and is in no counter.
    """
    made = []
    for preset in chosen:
        show(f"{preset.line_bits} bits")
        made += _simulate(preset, mixes, frames, seed, packed)
    return made


def _simulate(preset: Preset, mixes: Sequence[Mix], frames: int, seed: int, packed: bool) -> list[Measured]:
    periods = [round(FS_PER_US / mhz) for mhz in (preset.xgmii_mhz, preset.nic_mhz)]
    numbers = [preset.line_bits // 64, start_lanes(preset.line_bits), preset.width // 8, int(packed)]
    numbers += [*periods, frames, seed]
    numbers += [length for mix in mixes for length in (mix.least, mix.most)]
    command = [str(_program(preset, packed)), *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != len(mixes):
        raise NsocError(f"the simulation of the MAC with {preset.line_bits} bits failed: {done.stderr.strip()}")
    return [parse(preset, mix, line, frames, packed=packed) for mix, line in zip(mixes, lines, strict=True)]


def parse(preset: Preset, mix: Mix, line: str, frames: int, *, packed: bool = False) -> Measured:
    """What the simulator prints of a mix (sim/mac_line/mac_line.cpp)."""
    numbers = map(int, line.split())
    came, good, counted, overflow, wrong, sent, starts, total, least, most, short, door, dropped, absorbed = numbers
    where = f"the MAC with {preset.line_bits} bits, frames of {mix.name} bytes"
    if wrong:
        raise NsocError(f"{where}: {wrong} frames came out wrong")
    if counted != good or came != good + overflow:
        raise NsocError(
            f"{where}: of {came} frames {good} came, and it counted {counted} good and {overflow} lost ones"
        )
    if not sent == starts == frames:
        raise NsocError(f"{where}: of {frames} frames {starts} were begun on the line and {sent} were whole")
    if packed and good != door + dropped:
        raise NsocError(
            f"{where}: of {good} frames {door} came through the door, and it counted {dropped} dropped ones"
        )
    mean = total / max(starts - 1, 1)
    return Measured(preset, mix, came, good, overflow, mean, least, most, short, packed, dropped, absorbed)


def built(preset: Preset, *, packed: bool = False) -> str:
    """The hash of everything that the simulator of `preset` is made of; builds it when it is not there."""
    return _program(preset, packed).parent.name


def _program(preset: Preset, packed: bool) -> Path:
    harness = checkout() / "sim" / "mac_line"
    columns = preset.line_bits // 64
    parameters = {"COLUMNS": columns, "START_LANES": start_lanes(preset.line_bits), "WIDTH": preset.width}
    parameters["PACKED"] = int(packed)
    name = f"mac-{preset.line_bits}{'-packed' if packed else ''}"
    sources = [*rtl("common", "mac/**"), harness / f"{TOP}.sv"]
    return program(harness / "mac_line.cpp", TOP, sources, parameters, name, name)


# ---- Showing ---------------------------------------------------------------------------------------------------------


@public
def records(result: Sequence[Measured]) -> list[Record]:
    """`loss` and `mean_gap` (bytes) of each width and mix; `mode` is `WIDTH:LENGTHS`. With packed beats `door_loss` and
    `absorbed` (frames), too."""
    made = []
    for one in result:
        mode = f"{one.label}:{one.mix.name}"
        made.append(Record(SUITE, one.preset.name, "loss", one.loss, mode))
        made.append(Record(SUITE, one.preset.name, "mean_gap", one.mean_gap, mode, unit="bytes"))
        if one.packed:
            made.append(Record(SUITE, one.preset.name, "door_loss", one.door_loss, mode))
            made.append(Record(SUITE, one.preset.name, "absorbed", one.absorbed, mode, unit="frames"))
    return made


def tables(result: Sequence[Measured]) -> "list[Table]":
    """A table for each width."""
    from rich import box
    from rich.table import Table

    made = []
    for preset, packed in dict.fromkeys((one.preset, one.packed) for one in result):
        table = Table(
            title=f"{preset.line_bits} bits at {preset.xgmii_mhz:g} MHz, {preset.line_mbps / 1000:g} Gb/s; "
            f"{'packed ' if packed else ''}beats of {preset.width} bits at {preset.nic_mhz:g} MHz",
            title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False,
        )  # fmt: skip
        door = ("at the door", "absorbed") if packed else ()
        gaps = ("mean gap", "least", "most", "short by at most")
        for heading in ("bytes", "frames", "beats", "lost", *door, *gaps):
            table.add_column(heading, justify="right", no_wrap=True)
        for one in result:
            if (one.preset, one.packed) == (preset, packed):
                lost = [_share(one.loss)]
                if packed:
                    lost += [_share(one.door_loss), f"{one.absorbed:,}" if one.dropped else "all"]
                found = (f"{one.mean_gap:.2f}", f"{one.least_gap}", f"{one.most_gap}", f"{one.short}")
                table.add_row(one.mix.name, f"{one.came:,}", f"{need(preset, one.mix):.0%}", *lost, *found)
        made.append(table)
    return made


def _share(loss: float) -> str:
    return f"{100 * loss:.1f}%" if loss else "none"


def lines() -> list[str]:
    """What the tables leave to say."""
    return [
        "Lengths are without FCS. Frames come with a mean gap of 12 bytes; what is lost the MAC counts as rx_overflow. "
        "Beats: those that a full line of these frames needs, of those that the user's side has: what is more than "
        "100% is lost. Of packed beats that is lost at the door, where beats with one frame are made of them, and when "
        "its store is full: `absorbed` frames had come then. The gaps are those of the frames that it sends, from the "
        "terminate to the next start."
    ]
