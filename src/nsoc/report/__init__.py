# SPDX-License-Identifier: Apache-2.0
"""`nsoc report`: what was measured, beside what was published, as one HTML file that works without network.

`facts` takes curves, tables and key figures from records; `page` makes the file of them; `page.js` draws the plots in
the reader's browser, as wide as it is.
"""

from pathlib import Path

from nsoc.errors import NsocError
from nsoc.report import facts
from nsoc.report.facts import Facts
from nsoc.report.page import page

STAGE_PAYLOADS = (64, 1024)

__all__ = ["Facts", "from_records", "page", "write"]


def from_records(path: Path, seed: int = 1) -> Facts:
    """The facts in a file of records, as `nsoc bench thesis --json` writes it."""
    found = Facts(facts.read(path))
    if not found.records:
        raise NsocError(f"there is no record in {path}")
    found.about = {"records": f"from {path.name}", **facts.surroundings(seed)}
    return complete(found)


def complete(found: Facts) -> Facts:
    """With what does not come from records: stages, area."""
    if not found.stages:
        found.stages = {payload: facts.parts(found, payload) for payload in STAGE_PAYLOADS}
        found.stages_how = (
            "One frame alone, by the differences of the round trips of the modes: MAC loopback is the MAC's, what NIC "
            "loopback takes longer is the NIC's and the memory's, what normal mode takes longer is the processor's."
        )
    found.tables = found.tables or facts.tables_of(found.records)
    found.area = found.area or facts.measured_area()
    return found


def write(found: Facts, path: Path) -> int:
    """The page to a file; its size in bytes."""
    text = page(found)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise NsocError(f"cannot write the report {path}: {problem.strerror}; give --out another file") from None
    return len(text.encode())
