# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.docs.figures`: measures the exact figures again, writes docs/data/figures.json and the pages' tables.

`make figures` runs it. What the result store has for this tree is only recalled, so a second run takes seconds. The
file is written behind each bench: a run that is stopped keeps what it has. What moved is printed, old and new.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from nsoc import figures
from nsoc.bench.suites import SUITES, Suite
from nsoc.docs import __main__ as docs
from nsoc.errors import NsocError
from nsoc.figures import Moved, Row
from nsoc.machine.build import checkout
from nsoc.progress import progress_bar
from nsoc.records import Record

HASH_DIGITS = 8
INTERRUPTED = 130
"""Exit status on Ctrl-C."""
Say = Callable[[str], None]


def commit() -> str:
    """The tree that is measured: the last commit, short."""
    return git("rev-parse", f"--short={HASH_DIGITS}", "HEAD")


def git(*arguments: str) -> str:
    """What git says of this checkout. Raises NsocError where it is none."""
    try:
        done = subprocess.run(["git", *arguments], cwd=checkout(), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise NsocError("figures are kept with the commit they are of: work in a clone of the repository") from None
    return done.stdout.strip()


def keep(records: Sequence[Record], *, whole: Suite | None = None) -> list[Moved]:
    """Writes figures; what moved. `whole`: the suite of which they are all: its other rows are gone."""

    def gone(row: Row) -> bool:
        return whole is not None and row.bench == whole.name

    rows, moved = figures.merged(figures.load(), records, commit(), gone=gone)
    figures.write(rows.values())
    return moved


def take(file: Path) -> list[Record]:
    """The figures in a file that `nsoc bench ... --json` wrote."""
    try:
        found = msgspec.convert(json.loads(file.read_text(encoding="utf-8")), list[Record])
    except (OSError, ValueError) as problem:
        raise NsocError(f"cannot read the records of `nsoc bench` in {file}: {problem}") from None
    return [record for suite in SUITES.values() for record in suite.kept(of_suite(found, suite))]


def of_suite(records: Sequence[Record], suite: Suite) -> list[Record]:
    """Those of one suite."""
    return [record for record in records if record.suite == suite.name]


def measure(suites: Sequence[Suite], say: Say) -> list[Moved]:
    """Measures and keeps suite by suite."""
    moved = []
    for suite in suites:
        say(f"{suite.name}: about {suite.minutes:g} min of an idle core and its simulators, if nothing is kept")
        with progress_bar(suite.name, "parts") as progress:
            records = suite.records(progress)
        here = keep(records, whole=suite)
        say(f"{suite.name}: {len(records)} figures, {len(here)} moved")
        for one in here:
            say(f"  {one.text}")
        moved += here
    return moved


def chosen(text: str | None) -> list[Suite]:
    """Suites by name, all when there is no name."""
    names = list(SUITES) if text is None else text.split(",")
    if unknown := [name for name in names if name not in SUITES]:
        raise NsocError(f"--only wants some of {', '.join(SUITES)}, not {unknown[0]!r}")
    return [SUITES[name] for name in names]


def main(arguments: list[str] | None = None) -> int:
    """Exit status 1 when a goal is missed that is not on the list, or something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m nsoc.docs.figures", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="LIST", help=f"some of {', '.join(SUITES)}; default: all")
    parser.add_argument(
        "--take", type=Path, action="append", default=[], metavar="FILE",
        help="measure nothing, take figures of this tree from what `nsoc bench ... --json FILE` wrote",
    )  # fmt: skip
    options = parser.parse_args(arguments)

    def say(text: str) -> None:
        print(text, flush=True)

    try:
        if options.take:
            for one in keep([record for file in options.take for record in take(file)]):
                say(one.text)
        else:
            measure(chosen(options.only), say)
        docs.write_pages()
        missed = figures.problems(figures.load(), figures.excuses())
    except NsocError as problem:
        print(f"{figures.COMMAND}: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{figures.COMMAND}: what was measured is kept, the same command goes on there", file=sys.stderr)
        return INTERRUPTED
    for sentence in missed:
        print(f"{figures.COMMAND}: {sentence}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
