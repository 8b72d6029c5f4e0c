# SPDX-License-Identifier: Apache-2.0
"""Line and toggle coverage of rtl/nic and rtl/mac by the random test (tests/support/nic_mac).

    python tests/coverage.py [--seeds 4] [--frames 10000] [--keep]

Runs some seeds with Verilator's coverage counters in the RTL, prints a table by file, then everything that no seed came
to: with its reason from coverage_reasons.toml, or without one. A line is a block or branch as Verilator counts them; a
toggle is one bit of a signal, covered when it went up and down in any instance. Exits 1 when something is not covered
without a reason, or a reason is no longer true: what it names is covered now, or gone. The data are in build/coverage;
--keep takes those that are there.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REASONS = ROOT / "tests" / "coverage_reasons.toml"
DATA = ROOT / "build" / "coverage"
MEASURED = ("rtl/nic", "rtl/mac")
MANY_LINES = 8
RECORD = re.compile(r"C '(.*)' (\d+)$")

sys.path.insert(0, str(ROOT / "tests" / "support"))


@dataclass(frozen=True)
class Point:
    """Something that a run comes to, or not: a block or branch (`what` empty for a block), or a bit of a signal."""

    file: str
    line: int
    toggle: bool
    what: str


@dataclass
class Reason:
    """Why some points cannot be covered: see coverage_reasons.toml, whose entries these are."""

    file: str
    why: str
    line: str = ""
    bits: str = ""
    signal: str = ""
    some: bool = False
    points: list[Point] = field(default_factory=list)

    @cached_property
    def named(self) -> dict[str, list[tuple[int, int]]]:
        """Signals in `bits` with their ranges of bits; without any: all of the signal."""
        out = {}
        for name, ranges in re.findall(r"([\w.]+)(?:\[([\d:,]+)\])?", self.bits):
            ends = [[int(end) for end in part.split(":")] for part in ranges.split(",") if part]
            out[name] = [(end[-1], end[0]) for end in ends]
        return out

    def fits(self, point: Point, text: str) -> bool:
        if not fnmatch(point.file, self.file):
            return False
        if not point.toggle:
            return bool(self.line) and self.line in text
        if self.signal and re.fullmatch(self.signal, point.what):
            return True
        name, _, bit = point.what.partition("[")
        if (ranges := self.named.get(name)) is None:
            return False
        return not ranges or any(low <= int(bit.rstrip("]")) <= high for low, high in ranges)

    def __str__(self) -> str:
        return f"{self.file}: {self.line or self.bits or self.signal}"


def measure(seeds: int, frames: int) -> list[Path]:
    """Run the random test with coverage counters; one file of counts for each seed."""
    import nic_mac_harness

    DATA.mkdir(parents=True, exist_ok=True)
    for old in DATA.glob("*.dat"):
        old.unlink()
    program = nic_mac_harness.build(coverage=True)
    files = [DATA / f"{seed}.dat" for seed in range(1, seeds + 1)]
    for seed, file in enumerate(files, 1):
        environment = {**os.environ, "NSOC_COVERAGE_FILE": str(file)}
        command = nic_mac_harness.command(program, seed, frames)
        print(f"seed {seed} of {seeds}: {frames} frames", file=sys.stderr)
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return files


def read(files: list[Path]) -> dict[Point, bool]:
    """All points of the measured folders, and whether any run came to them."""
    counts: dict[tuple[Point, str], int] = defaultdict(int)
    for file in files:
        for text in file.read_text().splitlines():
            if not (record := RECORD.match(text)):
                continue
            key = dict(part.split("\x02", 1) for part in record[1].split("\x01")[1:])
            path = os.path.relpath(key["f"], ROOT)
            if not path.startswith(MEASURED):
                continue
            toggle = key["t"] == "toggle"
            what, _, direction = key["o"].partition(":") if toggle else (key["o"].replace("block", ""), "", "")
            point = Point(path, int(key["l"]), toggle, what if toggle else f"{what} {key['n']}".strip())
            counts[point, direction] += int(record[2])
    covered: dict[Point, bool] = {}
    for (point, _), count in counts.items():
        covered[point] = covered.get(point, True) and count > 0
    return covered


def _bits(points: list[Point]) -> str:
    """Signals by name, with ranges of bits: `address_q[3,35:20]`."""
    out = []
    split = [(*p.what.partition("["), p) for p in points]
    for name, group in groupby(sorted(split, key=lambda part: part[0]), key=lambda part: part[0]):
        tails = sorted({("[" + tail) if mark else "" for _, mark, tail, _ in group}, key=_numbers)
        plain = [int(t[1:-1]) for t in tails if re.fullmatch(r"\[\d+\]", t)]
        if len(plain) != len(tails):
            out.append(name + (f" ({len(tails)} bits)" if len(tails) > 4 else " ".join(tails)))
            continue
        runs = []
        for _, run in groupby(enumerate(plain), key=lambda pair: pair[1] - pair[0]):
            values = [value for _, value in run]
            runs.append(str(values[0]) if len(values) == 1 else f"{values[-1]}:{values[0]}")
        out.append(name + (f"[{','.join(reversed(runs))}]" if runs else ""))
    return ", ".join(out)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _show(points: list[Point], source: dict[str, list[str]]) -> None:
    """Uncovered points of one file, lines with their text."""
    name = Path(points[0].file).name
    lines = sorted({(p.line, p.what.split(" ")[0]) for p in points if not p.toggle})
    if len(lines) > MANY_LINES:
        print(f"    {name}: {len(lines)} lines between {lines[0][0]} and {lines[-1][0]}")
        lines = []
    for line, branch in lines:
        text = source[points[0].file][line - 1].strip()
        print(f"    {name}: line {line}{f' ({branch})' if branch.isalpha() else ''}: {text}")
    if toggles := [p for p in points if p.toggle]:
        print(f"    {name}: {_bits(toggles)}")


def main() -> int:
    """Measure, compare with the reasons, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--frames", type=int, default=10_000, help="carrier events for each seed")
    parser.add_argument("--keep", action="store_true", help="take the data of the last run")
    args = parser.parse_args()
    files = sorted(DATA.glob("*.dat")) if args.keep else measure(args.seeds, args.frames)
    if not files:
        print("No data in build/coverage: run it without --keep.", file=sys.stderr)
        return 1
    covered = read(files)
    source = {file: (ROOT / file).read_text().splitlines() for file in {p.file for p in covered}}
    reasons = [Reason(**entry) for entry in tomllib.loads(REASONS.read_text()).get("reason", [])]
    explained: dict[Point, Reason] = {}
    wrong = []
    for reason in reasons:
        reason.points = [p for p in covered if reason.fits(p, source[p.file][p.line - 1])]
        explained |= {p: reason for p in reason.points}
        if not reason.points:
            wrong.append(f"{reason}: there is no such thing (any more)")
        elif not reason.some and (over := [p for p in reason.points if covered[p]]):
            named = f"bits {_bits(over)}" if over[0].toggle else f"line {over[0].line}"
            if over[0].toggle or len(over) == len(reason.points):
                wrong.append(f"{reason}: covered: {named}")
    missing = [p for p in covered if not covered[p]]

    def row(name: str, points: list[Point]) -> str:
        cells = [f"{name:28}"]
        for toggle in (False, True):
            these = [p for p in points if p.toggle == toggle]
            seen = sum(covered[p] for p in these)
            reason = sum(not covered[p] and p in explained for p in these)
            cells.append(f"{seen:6} of {len(these):6} {100 * seen / max(1, len(these)):6.1f}%  {reason:6}"
                         f"  {len(these) - seen - reason:6}")  # fmt: skip
        return " ".join(cells)

    heads = ("lines covered           reason  neither ", "bits toggled            reason  neither")
    print(f"{'file':28}   {heads[0]}   {heads[1]}")
    for file in sorted(source):
        print(row(file, [p for p in covered if p.file == file]))
    print(row("all", list(covered)))
    print("\nNot covered, with a reason:")
    for why in dict.fromkeys(reason.why for reason in reasons):
        these = [p for p in missing if p in explained and explained[p].why == why]
        if these:
            print(f"  {why}")
        for file in sorted({p.file for p in these}):
            _show([p for p in these if p.file == file], source)
    rest_of = [p for p in missing if p not in explained]
    print(f"\nNot covered, without a reason: {len(rest_of)}")
    for file in sorted({p.file for p in rest_of}):
        _show([p for p in rest_of if p.file == file], source)
    present = {str(p.relative_to(ROOT)) for folder in MEASURED for p in (ROOT / folder).glob("*.sv")}
    if rest := sorted(present - source.keys()):
        print(f"\nNot in the random test, or nothing to count: {', '.join(rest)}")
    for text in wrong:
        print(f"coverage_reasons.toml: {text}", file=sys.stderr)
    return 1 if wrong or rest_of else 0


if __name__ == "__main__":
    sys.exit(main())
