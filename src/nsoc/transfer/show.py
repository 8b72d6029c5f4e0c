# SPDX-License-Identifier: Apache-2.0
"""What became of transfers, for people and for machines."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nsoc.records import Record
from nsoc.transfer.transfers import Delivery

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "transfer"


def table(deliveries: Sequence[Delivery]) -> "Table":
    """A row for each transfer, and one for all."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("file", overflow="fold")
    for heading in ("station", "bytes", "packets", "repeats", "ms", "Mb/s", "of the line"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("")
    for one in deliveries:
        end = "[green]delivered[/]" if one.delivered else f"[red]failed:[/] {one.failure}"
        shown.add_row(one.name or "(the latest)", f"{one.station[-1]}", *_figures(one), end)
    return shown


def _figures(one: Delivery) -> list[str]:
    counts = [f"{one.size:,}", f"{one.packets:,}", f"{one.repeats:,}"]
    return [*counts, f"{one.duration_us / 1000:,.3f}", f"{one.throughput_mbps:,.1f}", f"{one.line_share:.1%}"]


def lines(deliveries: Sequence[Delivery], drops: Mapping[str, int], *, simulated: bool) -> list[str]:
    """What the table leaves to say; `drops`: of the SoCs on a simulated line, of this machine on a real one."""
    dropped = ", ".join(f"{name} {count:,}" for name, count in drops.items() if count) or "nothing"
    time, who = ("simulated", "the SoC") if simulated else ("that of the clock on the wall", "this machine")
    delivered = sum(one.delivered for one in deliveries)
    return [
        f"{delivered} of {len(deliveries)} delivered. Station: the last byte of the address. Time is {time}, from "
        "the first byte to the confirmation. Mb/s are frame bytes of the packets, each counted once; of the line: with "
        "preamble, FCS and gap.",
        f"Dropped by {who}: {dropped}.",
    ]


def records(deliveries: Sequence[Delivery], preset: str, mode: str, *, simulated: bool) -> list[Record]:
    """Every figure in the machine format; `mode` is followed by the transfer's name where there are several."""
    made = []
    for one in deliveries:
        what = mode if len(deliveries) == 1 else f"{mode}:{one.name}:{one.station.hex('-')}"
        rows: list[tuple[str, float | bool, str | None]] = [
            ("delivered", one.delivered, None),
            ("transfer_bytes", one.size, "bytes"),
            ("packets", one.packets, None),
            ("retransmissions", one.repeats, None),
            ("sim_time_us" if simulated else "wall_time_us", one.duration_us, "us"),
            ("throughput_mbps", one.throughput_mbps, "Mb/s"),
            ("line_share", one.line_share, None),
        ]
        made += [Record(SUITE, preset, metric, value, what, unit=unit) for metric, value, unit in rows]
    return made


def failure(deliveries: Sequence[Delivery]) -> str:
    """One sentence on what was not delivered; empty when all was."""
    failed = [one for one in deliveries if not one.delivered]
    if not failed:
        return ""
    others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"the transfer of {failed[0].name or 'what was asked for'} failed{others}: {failed[0].failure}"
