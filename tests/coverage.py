# SPDX-License-Identifier: Apache-2.0
"""Line and toggle coverage of rtl/nic and rtl/mac by the random test (tests/unit/nic_mac_harness.cpp).

    python tests/coverage.py [--seeds 4] [--frames 10000] [--keep]

Runs some seeds with Verilator's coverage counters in the RTL, prints a table by file, then everything that no seed came
to: with its reason from coverage_reasons.toml, or without one. A line is a block or branch as Verilator counts them; a
toggle is one bit of a signal, covered when it went up and down in any instance. Exits 1 when a reason is no longer
true: what it names is covered now, or gone. The data are in build/coverage; --keep takes those that are there.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REASONS = ROOT / "tests" / "coverage_reasons.toml"
DATA = ROOT / "build" / "coverage"
MEASURED = ("rtl/nic", "rtl/mac")
RECORD = re.compile(r"C '(.*)' (\d+)$")

sys.path.insert(0, str(ROOT / "tests" / "unit"))


@dataclass(frozen=True)
class Point:
    """Something that a run comes to, or not: a block or branch (`what` empty for a block), or a bit of a signal."""

    file: str
    line: int
    toggle: bool
    what: str


@dataclass
class Reason:
    """Why some points cannot be covered: those of `file` whose line contains `line`, or whose bit fits `signal`."""

    file: str
    why: str
    line: str = ""
    signal: str = ""
    points: list[Point] = field(default_factory=list)

    def fits(self, point: Point, text: str) -> bool:
        if point.file != self.file:
            return False
        if point.toggle:
            return bool(self.signal) and re.fullmatch(self.signal, point.what) is not None
        return bool(self.line) and self.line in text

    def __str__(self) -> str:
        return f"{self.file}: {self.line or self.signal}"


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
    for line, branch in sorted({(p.line, p.what.split(" ")[0]) for p in points if not p.toggle}):
        text = source[points[0].file][line - 1].strip()
        print(f"    line {line}{f' ({branch})' if branch.isalpha() else ''}: {text}")
    if toggles := [p for p in points if p.toggle]:
        print(f"    bits: {_bits(toggles)}")


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
        elif over := [p for p in reason.points if covered[p]]:
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
    for title, having in (("Not covered, with a reason", True), ("Not covered, without a reason", False)):
        print(f"\n{title}:")
        for file in sorted(source):
            these = [p for p in missing if p.file == file and (p in explained) == having]
            if not these:
                continue
            print(f"  {file}")
            if not having:
                _show(these, source)
            for reason in (r for r in reasons if having and r.file == file):
                _show([p for p in these if explained[p] is reason], source) if any(
                    explained[p] is reason for p in these
                ) else None
                print(f"      {reason.why}")
    present = {str(p.relative_to(ROOT)) for folder in MEASURED for p in (ROOT / folder).glob("*.sv")}
    if rest := sorted(present - source.keys()):
        print(f"\nNot in the random test, or nothing to count: {', '.join(rest)}")
    for text in wrong:
        print(f"coverage_reasons.toml: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
