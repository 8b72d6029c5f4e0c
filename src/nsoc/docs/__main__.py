# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.docs`: brings docs/architecture.md up to date. `make docs` runs it.

Areas are measured again where the RTL behind them has changed, latencies always; then every part of the page between
`<!-- generated: NAME -->` and `<!-- end -->` is written anew. With --check nothing is measured and nothing is written.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from nsoc.build import checkout
from nsoc.docs import area, latency
from nsoc.docs.rtl_tree import elaborate
from nsoc.docs.sections import SECTIONS, Facts
from nsoc.errors import NsocError

PAGE = Path("docs") / "architecture.md"
LATENCY = Path("docs") / "data" / "latency.json"
COMMAND = "make docs"


def fill(page: str, facts: Facts) -> str:
    """The page with its generated parts written anew. Raises NsocError for a part nobody knows, or one that is gone."""
    found = []

    def write(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in SECTIONS:
            raise NsocError(f"{PAGE} wants {name!r} generated, there are only {', '.join(SECTIONS)}")
        found.append(name)
        return f"<!-- generated: {name} -->\n{SECTIONS[name](facts)}\n<!-- end -->"

    text = re.sub(r"<!-- generated: (\S+) -->\n.*?<!-- end -->", write, page, flags=re.DOTALL)
    missing = [name for name in SECTIONS if name not in found]
    if missing:
        raise NsocError(f"{PAGE} has no place for {', '.join(missing)}")
    return text


def load() -> Facts:
    """The RTL as it is and the figures as they were measured."""
    path = checkout() / LATENCY
    if not path.exists():
        raise NsocError(f"{LATENCY} is missing: run `{COMMAND}`")
    return Facts(elaborate(), area.load(), json.loads(path.read_text(encoding="utf-8")))


def problems() -> list[str]:
    """What is not up to date, a sentence each."""
    facts = load()
    found = []
    old = area.stale(facts.area, facts.tree)
    if old:
        found.append(f"{area.FILE}: the RTL has changed since these were measured: {', '.join(old)}")
    page = (checkout() / PAGE).read_text(encoding="utf-8")
    if fill(page, facts) != page:
        found.append(f"{PAGE} does not show what the RTL and docs/data/ say")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 when everything is, or now is, up to date."""
    parser = argparse.ArgumentParser(prog="python -m nsoc.docs", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="measure and write nothing; exit status 1 when out of date"
    )
    parser.add_argument("--text", action="store_true", help="measure nothing, write the page from the figures kept")
    parser.add_argument("--fresh", action="store_true", help="measure all areas again, not only those out of date")
    parser.add_argument("--processes", type=int, default=area.PROCESSES, metavar="N", help="at once, default 2")
    parser.add_argument("--board", type=Path, metavar="FILE", help="take a board's figures from `nsoc pnr --json FILE`")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            for problem in (found := problems()):
                print(f"{problem}. Run `{COMMAND}`.", file=sys.stderr)
            return 1 if found else 0
        if not options.text:
            _measure(options.fresh, options.processes)
        if options.board:
            area.write(area.with_board(area.load(), options.board, elaborate()))
        path = checkout() / PAGE
        path.write_text(fill(path.read_text(encoding="utf-8"), load()), encoding="utf-8")
    except NsocError as problem:
        print(f"nsoc.docs: {problem}", file=sys.stderr)
        return 1
    return 0


def _measure(fresh: bool, processes: int) -> None:
    path = checkout() / LATENCY
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(latency.measure(), indent=1) + "\n", encoding="utf-8")
    area.write(area.measure(elaborate(), fresh=fresh, processes=processes))


if __name__ == "__main__":
    sys.exit(main())
