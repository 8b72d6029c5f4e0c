# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.docs`: brings README's table and picture, docs/architecture.md and its tables up to date.

`make docs` runs it.

Areas are measured again where the RTL behind them has changed, latencies always, seconds of a build where there is no
figure; then every part of PAGES between `<!-- generated: NAME -->` and `<!-- end -->` is written anew. With --check
nothing is measured and nothing is written.
"""

import argparse
import functools
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from nsoc import figures
from nsoc.docs import area, build_seconds, figure_sections, lat, latency, systems
from nsoc.docs.rtl_tree import elaborate
from nsoc.docs.sections import SECTIONS, Facts
from nsoc.errors import NsocError
from nsoc.hardware import pnr
from nsoc.machine import build_time
from nsoc.machine.build import checkout

PAGES = (
    Path("README.md"),
    *(
        Path("docs") / f"{name}.md"
        for name in (
            "architecture", "blocks", "timing", "latency", "benchmarks", "dca", "sockets", "pnic", "tcp",
            "presets", "api",
        )
    ),
)  # fmt: skip
LATENCY = Path("docs") / "data" / "latency.json"
COMMAND = "make docs"


def read() -> dict[Path, str]:
    """The pages as they are."""
    return {page: (checkout() / page).read_text(encoding="utf-8") for page in PAGES}


def fill(pages: Mapping[Path, str], facts: Facts | None) -> dict[Path, str]:
    """The pages with their generated parts written anew. Raises NsocError for a part nobody knows, or one that no page
    has, or two.

    Without `facts` only those that are made of figures are. A part of which a figure was not measured yet stays.
    """
    found: dict[str, Path] = {}
    every = [*SECTIONS, *figure_sections.SECTIONS]

    def write(page: Path, match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in every:
            raise NsocError(f"{page} wants {name!r} generated, there are only {', '.join(every)}")
        if name in found:
            raise NsocError(f"{page} wants {name!r} generated, {found[name]} has it")
        found[name] = page
        if name in SECTIONS:
            text = None if facts is None else SECTIONS[name](facts)
        else:
            try:
                text = figure_sections.SECTIONS[name]()
            except figures.Missing:
                text = None
        return match.group(0) if text is None else f"<!-- generated: {name} -->\n{text}\n<!-- end -->"

    part = re.compile(r"<!-- generated: (\S+) -->\n.*?<!-- end -->", re.DOTALL)
    filled = {page: part.sub(functools.partial(write, page), text) for page, text in pages.items()}
    missing = [name for name in every if name not in found]
    if missing:
        raise NsocError(f"{', '.join(map(str, pages))}: no place for {', '.join(missing)}")
    return filled


def write_pages(facts: Facts | None = None) -> None:
    """Writes the generated parts anew; without `facts` those that are made of figures."""
    for page, text in fill(read(), facts).items():
        (checkout() / page).write_text(text, encoding="utf-8")


def load() -> Facts:
    """The RTL as it is and the figures as they were measured."""
    path = checkout() / LATENCY
    if not path.exists():
        raise NsocError(f"{LATENCY} is missing: run `{COMMAND}`")
    return Facts(elaborate(), area.load(), json.loads(path.read_text(encoding="utf-8")), lat.load())


def problems() -> list[str]:
    """What is not up to date, a sentence each."""
    facts = load()
    found = []
    old = area.stale(facts.area, facts.tree)
    if old:
        found.append(f"{area.FILE}: the RTL has changed since these were measured: {', '.join(old)}")
    pages = read()
    for page, text in fill(pages, facts).items():
        if text != pages[page]:
            found.append(f"{page} does not show what the RTL and docs/data/ say")
    return found


def picture_problems() -> list[str]:
    """Which pictures are not up to date, a sentence each."""
    return [
        f"{path} does not show what docs/data/ and src/nsoc/published/ say"
        for path, text in systems.drawn().items()
        if (checkout() / path).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 when everything is, or now is, up to date."""
    parser = argparse.ArgumentParser(prog="python -m nsoc.docs", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="measure and write nothing; exit status 1 when out of date"
    )
    parser.add_argument("--text", action="store_true", help="measure nothing, write the pages from the figures kept")
    parser.add_argument("--fresh", action="store_true", help="measure all areas again, not only those out of date")
    parser.add_argument("--processes", type=int, default=area.PROCESSES, metavar="N", help="at once, default 2")
    parser.add_argument("--board", type=Path, metavar="FILE", help="take a board's figures from `nsoc pnr --json FILE`")
    parser.add_argument(
        "--lat", type=Path, action="append", default=[], metavar="FILE",
        help="take nodes' figures from what `nsoc synth lat --json FILE` or `nsoc pnr lat --json FILE` wrote",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        if options.check:
            for problem in (found := [*problems(), *picture_problems()]):
                print(f"{problem}. Run `{COMMAND}`.", file=sys.stderr)
            return 1 if found else 0
        if not options.text:
            _measure(options.fresh, options.processes)
        if options.board:
            area.write(area.with_board(area.load(), options.board, elaborate()))
        for records in options.lat:
            lat.write(lat.merged(lat.load(), lat.read(records)))
        write_pages(load())
        systems.draw()
    except NsocError as problem:
        print(f"nsoc.docs: {problem}", file=sys.stderr)
        return 1
    return 0


def _measure(fresh: bool, processes: int) -> None:
    pnr.check_tools()
    build_seconds.measure(build_seconds.missing(build_time.figures()))
    path = checkout() / LATENCY
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(latency.measure(), indent=1) + "\n", encoding="utf-8")
    area.write(area.measure(elaborate(), fresh=fresh, processes=processes))


if __name__ == "__main__":
    sys.exit(main())
