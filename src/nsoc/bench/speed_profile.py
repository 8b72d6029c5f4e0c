# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench speed --profile`: where a simulator's time goes, by clock and by module.

The simulator is built once more, with the line of the generated C++ that each instruction comes from; the instructions
are the same. Linux's perf looks some thousand times a second where the load is. A line says two things:

- **The clock.** Verilator's eval_nba() has a block for each set of clocks, and its functions are called in there.
- **The module.** Of the statement that the line belongs to, the first hierarchical name is where it was written: mostly
  what is assigned. Statements that name no place are those of temporaries; what the compiler has joined has no line.

What of this is in functions of Verilator's library, inlined or not, is told besides: for wide words, most of it.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nsoc import needs
from nsoc.bench import speed_load
from nsoc.bench.speed import SUITE, Row, own_tree, rows
from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.progress import waiting
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

WHAT = "nsoc bench speed --profile"
SAMPLES_A_SECOND = 1999
LOOP, LIBRARY = "clock loop, wire, terminal", "Verilator's library"
"""Of samples, besides clocks: sim/ and models/; functions of Verilator's."""
OTHER = "eval() and the like"
TEMPORARY = ("(temporaries, joined code)",)
LEAST_SHARE = 0.01
"""Of modules that are shown."""

Place = tuple[str, int]
"""A file and a line, 0 where the compiler has joined code of several lines."""
Frame = tuple[str, Place]
"""A function and the place in it."""


# ---- The generated code ----------------------------------------------------------------------------------------------

_FUNCTION = re.compile(rf"^\S.*?\b(V{build.TOP}___\w+)\(")
_CALL = re.compile(rf"\b(V{build.TOP}___\w+)\(")
_TRIGGER = re.compile(r"trigger index (\d+) is active: @\(posedge (?:\S+\.)?(\w+)\)")
_MASK = re.compile(r"(0x[0-9a-f]+|\d+)ULL\s*&\s*vlSelfRef\.__VnbaTriggered\[0U?\]")
_PLACE = re.compile(rf"({build.TOP}(?:__DOT__\w+?)+)(?!\w)")


class Generated:
    """What Verilator made: which clocks and which module a line is of."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """`files`: name and text."""
        self._lines = {name: text.splitlines() for name, text in files.items()}
        self._function: dict[str, list[str]] = {}
        bits = {int(bit): clock for text in files.values() for bit, clock in _TRIGGER.findall(text)}
        self._of_line: dict[Place, frozenset[str]] = {}
        self._of_function: dict[str, frozenset[str]] = {}
        calls: list[tuple[str, str]] = []
        for name, lines in self._lines.items():
            self._function[name] = list(_functions(lines))
            for number, clocks in _blocks(lines, self._function[name], bits):
                self._of_line[name, number] = clocks
            for number, (function, line) in enumerate(zip(self._function[name], lines, strict=True), 1):
                for called in _CALL.findall(line) if function else ():
                    if (name, number) in self._of_line:
                        self._add(called, self._of_line[name, number])
                    elif called != function:
                        calls.append((function, called))
        while any([self._add(called, self._of_function.get(function, frozenset())) for function, called in calls]):
            pass

    @classmethod
    def read(cls, folder: Path) -> "Generated":
        """All of a build that was kept."""
        files = sorted(folder.glob(f"V{build.TOP}*.cpp"))
        return cls({file.name: file.read_text(encoding="utf-8") for file in files})

    def __contains__(self, file: str) -> bool:
        return file in self._lines

    def _add(self, function: str, clocks: frozenset[str]) -> bool:
        before = self._of_function.get(function, frozenset())
        self._of_function[function] = before | clocks
        return before != before | clocks

    def clocks(self, frame: Frame) -> frozenset[str]:
        """Whose rising edges it runs at; none for what no clock triggers."""
        function, place = frame
        return self._of_line.get(place) or self._of_function.get(function, frozenset())

    def module(self, place: Place) -> tuple[str, ...]:
        """The instances from the top down to that in which the line's statement was written; none for a temporary."""
        lines, at = self._lines[place[0]], place[1] - 1
        if at < 0:
            return ()
        begin = at
        while begin > 0 and not lines[begin - 1].rstrip().endswith((";", "{", "}", ":")):
            begin -= 1
        for line in lines[begin : at + 1]:
            if found := _PLACE.search(line):
                return _instances(found[1])
        return ()


def _functions(lines: Sequence[str]) -> Iterator[str]:
    """The function that each line is in, or nothing."""
    head = inside = ""
    for line in lines:
        if found := _FUNCTION.match(line):
            head = found[1]
        if head and line.endswith("{"):
            inside, head = head, ""
        elif head and line.endswith(";"):
            head = ""
        yield inside
        if line == "}":
            inside = ""


def _blocks(
    lines: Sequence[str], functions: Sequence[str], bits: Mapping[int, str]
) -> Iterator[tuple[int, frozenset[str]]]:
    """The lines of eval_nba() that are in a block of some clocks."""
    clocks: frozenset[str] | None = None
    condition = ""
    for number, (line, function) in enumerate(zip(lines, functions, strict=True), 1):
        if not function.endswith("___eval_nba"):
            continue
        if line.startswith("    if (") or condition:
            condition += line
            if line.endswith("{"):
                masks = [int(mask, 0) for mask in _MASK.findall(condition)]
                mentioned = {clock for bit, clock in bits.items() if any(mask >> bit & 1 for mask in masks)}
                clocks = frozenset(mentioned - set(build.LEFT_TO_EVAL)) if masks else None
                condition = ""
        elif line == "    }":
            clocks = None
        elif clocks is not None:
            yield number, clocks


def _instances(name: str) -> tuple[str, ...]:
    """`sim_top__DOT__u_nsoc__DOT__g_slot__BRA__0__KET____DOT__x_q` is in sim_top, u_nsoc, g_slot[0]."""
    plain = name.replace("__BRA__", "[").replace("__KET__", "]")
    return tuple(plain.split("__DOT__")[:-1])


# ---- Samples ---------------------------------------------------------------------------------------------------------


@dataclass
class Profile:
    """Where the samples are."""

    row: Row
    samples: int = 0
    """In the simulator."""
    outside: int = 0
    """In Python, the network, the kernel, before the load and in it."""
    clocks: Counter[str] = field(default_factory=Counter)
    modules: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Of the model: by instances from the top down."""
    library: int = 0
    """In functions of Verilator's library that the model calls."""

    def within(self, module: tuple[str, ...]) -> int:
        """Samples in that instance, and in those in it."""
        return sum(count for one, count in self.modules.items() if one[: len(module)] == module)

    def add(self, frames: Sequence[Frame], generated: Generated, count: int) -> None:
        """Samples in the simulator: from the function that is inlined into others to these. Only libraries, which are
        the same for all simulators, have no files."""
        self.samples += count
        of_model = [frame for frame in frames if frame[1][0] in generated]
        from_library = not frames or frames[0][1][0].startswith("verilated")
        if not of_model and not from_library:
            self.clocks[LOOP] += count
            return
        self.library += count * from_library
        clocks = next((found for frame in of_model if (found := generated.clocks(frame))), frozenset())
        module = next((inside for _, place in of_model if (inside := generated.module(place))), ())
        self.clocks[", ".join(sorted(clocks)) or (OTHER if of_model else LIBRARY)] += count
        self.modules[module or (TEMPORARY if of_model else (LIBRARY,))] += count


def run(names: Sequence[str], *, against: Path | None = None, part: float = 1.0) -> list[Profile]:
    """Those rows under perf, all that are loads of a SoC when none is named. Raises NsocError for another row, for
    another tree, and where perf is missing or refused."""
    if against is not None:
        raise NsocError(f"--profile looks at this tree alone: leave out --against {against}")
    wanted = [row for row in rows(names) if names or _is_soc(row)]
    for row in wanted:
        if not _is_soc(row):
            raise NsocError(f"--profile is for the loads of a SoC, not for {row.name}")
    perf, *_ = (needs.program(name, WHAT) for name in ("perf", "addr2line", "readelf"))
    return [_run(row, part, perf) for row in wanted]


def _is_soc(row: Row) -> bool:
    return not row.is_job and row.preset is not None and presets.load(row.preset).has_processor


def _run(row: Row, part: float, perf: str) -> Profile:
    with _kept():
        library = build.simulator(presets.load_soc(row.preset or ""))
        with tempfile.TemporaryDirectory() as folder, waiting(f"Looking where the time of {row.name} goes"):
            kept = Path(folder) / "perf.data"
            load = [sys.executable, speed_load.__file__, row.name, f"{part:g}"]
            _call([perf, "record", "-q", "-F", str(SAMPLES_A_SECOND), "-o", str(kept), "--", *load])
            said = _call([perf, "script", "-i", str(kept), "-F", "comm,ip,dso", "--show-mmap-events"])
            return profile(row, said, library)


def profile(row: Row, said: str, library: Path) -> Profile:
    """From what `perf script` says of a run with that simulator."""
    generated = Generated.read(library.parent)
    inside, outside = addresses(said, library.name, segments(_call(["readelf", "-lW", str(library)])))
    found = Profile(row, outside=outside)
    asked = "".join(f"{address:#x}\n" for address in inside)
    for address, frames in places(_call(["addr2line", "-a", "-i", "-f", "-C", "-e", str(library)], asked)):
        found.add(frames, generated, inside[address])
    return found


_MAPPED = re.compile(r"PERF_RECORD_MMAP2? .*?\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*?\]: \S+ (\S+)")
_SAMPLE = re.compile(r"\s([0-9a-f]+) \((.*)\)$")


def addresses(said: str, name: str, loaded: Sequence[tuple[int, int, int]]) -> tuple[Counter[int], int]:
    """Samples by address in the library of that name, and how many are elsewhere. `loaded`: segments()."""
    inside: Counter[int] = Counter()
    outside = 0
    mapped: list[tuple[int, int, int]] = []
    for line in said.splitlines():
        if found := _MAPPED.search(line):
            if Path(found[4]).name == name:
                start, size, offset = (int(value, 16) for value in found.groups()[:3])
                mapped.append((start, start + size, offset))
        elif found := _SAMPLE.search(line):
            at = int(found[1], 16)
            offsets = [at - start + offset for start, end, offset in reversed(mapped) if start <= at < end]
            if offsets and Path(found[2]).name == name:
                inside[_address(offsets[0], loaded)] += 1
            else:
                outside += 1
    return inside, outside


def segments(said: str) -> list[tuple[int, int, int]]:
    """What `readelf -lW` says of an ELF file's loaded parts: offset in the file, address, bytes."""
    rows = re.findall(r"^ *LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", said, re.MULTILINE)
    return [(int(offset, 16), int(address, 16), int(size, 16)) for offset, address, size in rows]


def _address(offset: int, loaded: Sequence[tuple[int, int, int]]) -> int:
    return next((address + offset - first for first, address, size in loaded if first <= offset < first + size), offset)


def places(said: str) -> Iterator[tuple[int, list[Frame]]]:
    """What `addr2line -a -i -f -C` says: for each address where it is, and where that is inlined into."""
    for part in re.split(r"^(?=0x)", said, flags=re.MULTILINE)[1:]:
        address, *lines = part.splitlines()
        frames = [
            (function.partition("(")[0], (Path(found[1]).name, int(found[2] if found[2] != "?" else 0)))
            for function, place in zip(lines[::2], lines[1::2], strict=True)
            if (found := re.match(r"([^?]+):(\d+|\?)", place))
        ]
        yield int(address, 16), frames


@contextmanager
def _kept() -> Iterator[None]:
    """What is built keeps its generated code and knows its lines."""
    before = os.environ.get(build.KEEP)
    os.environ[build.KEEP] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[build.KEEP]
        else:
            os.environ[build.KEEP] = before


def _call(command: Sequence[str], given: str | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(own_tree().packages), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(command, env=environment, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise NsocError(f"{WHAT}: {Path(command[0]).name} failed: {last[0] if last else done.returncode}")
    return done.stdout


# ---- What is shown ---------------------------------------------------------------------------------------------------


def records(found: Sequence[Profile]) -> list[Record]:
    """Shares by clock and by module; `mode` is the row and one of these."""
    made = []
    for one in found:
        shares = [*one.clocks.most_common(), *((".".join(module), one.within(module)) for module in _shown(one))]
        made += [
            Record(SUITE, one.row.preset, "time_share", count / max(1, one.samples), f"{one.row.name}:{name}")
            for name, count in shares
        ]
    return made


def tables(found: Sequence[Profile]) -> list["Table"]:
    """For each row one by clock, one by module."""
    made = []
    for one in found:
        modules = [("  " * depth + name, count) for name, count, depth in _tree(one)]
        made.append(_table(f"{one.row.name}, by clock", one.clocks.most_common(), one.samples))
        made.append(_table(f"{one.row.name}, by module", modules, one.samples))
    return made


def _table(title: str, rows: Iterable[tuple[str, int]], samples: int) -> "Table":
    from rich import box
    from rich.table import Table

    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    shown.add_column("share", justify="right")
    for name, count in rows:
        shown.add_row(name.replace("[", r"\["), f"{count / max(1, samples):.1%}")
    return shown


def lines(found: Sequence[Profile]) -> list[str]:
    """What the tables leave to say."""

    def shares(counts: Sequence[tuple[int, int]]) -> str:
        named = zip(found, counts, strict=True)
        return ", ".join(f"{one.row.name} {part / max(1, whole):.0%}" for one, (part, whole) in named)

    return [
        f"Of {sum(one.samples for one in found):,} samples in the simulator, {SAMPLES_A_SECOND:,} a second. A module's "
        f"share has that of those in it; below {LEAST_SHARE:.0%} it is left out.",
        "In functions of Verilator's library, inlined or not, for wide words most of them: "
        f"{shares([(one.library, one.samples) for one in found])}.",
        "Outside of the simulator, in Python, the network and the kernel, of all samples, also those before the load: "
        f"{shares([(one.outside, one.outside + one.samples) for one in found])}.",
    ]


def _shown(found: Profile) -> list[tuple[str, ...]]:
    """Instances that take long enough, but for those in which all is in one other."""
    whole = {module[:depth] for module in found.modules for depth in range(1, len(module) + 1)}
    wanted = [module for module in whole if found.within(module) >= LEAST_SHARE * found.samples]
    alone = {module[:-1] for module in wanted if len(module) > 1 and found.within(module) == found.within(module[:-1])}
    return sorted(set(wanted) - alone)


def _tree(found: Profile) -> Iterator[tuple[str, int, int]]:
    """Instances, their samples, and how deep they are among those shown; those that take longest first."""
    shown = _shown(found)

    def below(above: tuple[str, ...], depth: int) -> Iterator[tuple[str, int, int]]:
        inner = [one for one in shown if one != above and one[: len(above)] == above]
        nearest = [one for one in inner if not any(one != other and one[: len(other)] == other for other in inner)]
        for one in sorted(nearest, key=found.within, reverse=True):
            yield ".".join(one[len(above) :]), found.within(one), depth
            yield from below(one, depth + 1)

    return below((), 0)
