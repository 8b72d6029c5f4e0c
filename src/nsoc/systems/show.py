# SPDX-License-Identifier: Apache-2.0
"""The systems as tables for people and as records for machines."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nsoc.records import Record
from nsoc.systems import SYSTEMS, TO_COME, System, headlines
from nsoc.systems.headlines import Headline

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "systems"
NOT_MEASURED = "not measured"
WIDTH = 50
"""The column of figures is so wide, so that tables of systems stand in line."""
RATIO = (
    "A ratio is above 1 where ours is better. Cycles are compared with cycles; clocks, published / ours where they "
    "differ, are those of processor and NIC, of engine and MAC, of a programmable NIC's cores."
)
LEAST = "Each figure is the one with the least ratio of its kind: over all columns, sizes and protocols of its tables."


def number(value: float | None, digits: int) -> str:
    """A figure of ours for people."""
    return NOT_MEASURED if value is None else f"{value:,.{digits}f}"


def ratio(value: float | None) -> str:
    """`2.05 x`; nothing where there is none."""
    return "" if value is None else f"{value:.2f} x"


def table(system: System, found: Sequence[Headline], *, ours: str = "ours", seconds: float | None = None) -> "Table":
    """A system with its figures beside the published ones. `ours` heads the column of our figures; `seconds`: what
    the main job took, that of systems.toml when not given."""
    from rich import box
    from rich.table import Table

    took = system.seconds if seconds is None else seconds
    runs = f"{system.preset}, {system.command}, {took:.0f} s" if system.preset else TO_COME
    made = Table(
        title=f"[bold]{system.title}[/]: {runs}", title_justify="left", title_style="",
        caption=f"{system.what}\nPublished: {system.publication}", caption_justify="left", box=box.SIMPLE_HEAD,
    )  # fmt: skip
    made.add_column("figure", min_width=WIDTH)
    for head in ("published", ours, "ratio"):
        made.add_column(head, justify="right", no_wrap=True, min_width=9)
    made.add_column("clock")
    for one in found:
        made.add_row(
            f"{one.what}, {one.unit}", number(one.published, one.digits), number(one.ours, one.digits),
            ratio(one.ratio), one.clocks,
        )  # fmt: skip
    if not found:
        made.add_row(TO_COME)
    return made


def records(chosen: Iterable[System] = SYSTEMS) -> list[Record]:
    """Each system and its headlines, as docs/data/figures.json has them."""
    found = []
    for system in chosen:
        about = {"title": system.title, "publication": str(system.publication), "command": system.command or TO_COME}
        found += [Record(SUITE, system.preset or None, what, text, mode=system.name) for what, text in about.items()]
        found += [record_of(one, system.name, one.ours) for one in headlines.of(system.name) if one.ours is not None]
    return found


def record_of(one: Headline, system: str, value: float) -> Record:
    """A figure beside the published one."""
    mode = system if one.key[2] is None else f"{system}:{one.key[2]}"
    return Record(
        SUITE, one.preset, one.key[3], value, mode=mode, payload=one.payload, unit=one.unit, published=one.published,
        source=one.source,
    )  # fmt: skip


def lines() -> list[str]:
    """Below the table."""
    there = " ".join(system.name for system in SYSTEMS if not system.to_come)
    return [
        LEAST,
        RATIO,
        f"Ours are from docs/data/figures.json, which [bold]make figures[/] measures; [bold]nsoc systems --run[/] runs "
        f"each system's main job now ({there}).",
    ]
