# SPDX-License-Identifier: Apache-2.0
"""published/tables.toml: every table of the publications is in the report, beside ours or with its reason."""

import html
import re
from functools import cache

import pytest

from nsoc import systems
from nsoc.errors import NsocError
from nsoc.published import at
from nsoc.records import Record
from nsoc.report import beside, kept, page, published
from nsoc.report.book import MARK, Book
from nsoc.report.facts import Facts
from nsoc.report.published import Table

WANTED = {
    "nic": ["2.1", "2.2", *(f"6.{n}" for n in range(1, 9)), "7.1", "7.2", "B.1", "B.2", "C.1", "utilization"],
    "tcp": ["I", "II", "III", "IV", "V", "VI", "VII"],
    "latency": ["latency"],
    "pnic": [f"{n}" for n in range(1, 7)],
    "v8": ["6.1", "7.1", "7.2"],
}
"""As the publications number them."""
TABLES = published.tables()


@cache
def _page(system: str) -> str:
    return page(Facts([], kept=list(kept.rows()), systems=(system,)))


def _id(table: Table) -> str:
    return f"{table.system} {table.number}"


def test_the_tables_of_the_publications_are_named() -> None:
    assert {name: [table.number for table in published.tables(name)] for name in WANTED} == WANTED
    assert len(TABLES) == 30 + 3 and published.systems() == list(WANTED)


@pytest.mark.parametrize("table", TABLES, ids=_id)
def test_each_stands_in_the_report_beside_ours_or_with_its_reason(table: Table) -> None:
    """With the figures that are kept with the sources: no measurement is needed for it."""
    shown = beside.shown(table, Book([], kept.rows()))
    assert shown.rows and all(len(row) == len(shown.head) for row in shown.rows)
    theirs = shown.head.index("published")
    assert all(row[theirs] != beside.NOTHING for row in shown.rows), "a published figure is missing"
    ours = [row[theirs - 1] for row in shown.rows]
    words = " ".join(shown.lines)
    if all(cell == beside.NOTHING for cell in ours):
        assert f"Nothing of it was measured: {table.command} does it." in words
    assert published.publications()[table.publication] in words and table.clock in words, "what is published is named"
    for cell in ours:
        assert cell == beside.NOTHING or cell.endswith(MARK), "a kept figure looks like one of this tree"
    assert f"<summary>{html.escape(shown.title)}</summary>" in _page(table.system)


def test_most_tables_have_ours_among_the_figures_kept_with_the_sources() -> None:
    """Only the host's clock and the size of the whole TCP/IP SoC have to be measured first."""
    book = Book([], kept.rows())
    empty = [
        _id(table)
        for table in TABLES
        if all(line.ours is None or book.get(line.ours) is None for line in beside.LINES[table.shown](table).lines)
    ]
    assert empty == ["nic C.1", "tcp I"]


def test_a_figure_of_this_tree_stands_in_for_a_kept_one_and_is_not_marked() -> None:
    (table,) = [one for one in TABLES if one.number == "III"]
    fresh = Record("sockets", "toe", "echo_cycles", 100.0, "dca-tcp", 32)
    shown = beside.shown(table, Book([fresh], kept.rows()))
    row = next(row for row in shown.rows if row[:3] == ["direct cache access", "TCP", "32"])
    assert row[3:] == ["100", "242", "0.413"]
    assert any("measured on this tree; pale or with" in line for line in shown.lines)


def test_a_published_rate_is_compared_as_the_less_favourable_of_its_two_readings() -> None:
    (table,) = [one for one in TABLES if one.number == "6.6"]
    fresh = Record("thesis", "nic12-fast", "throughput_mbps", 800.0, "normal", 1486)
    shown = beside.shown(table, Book([fresh]))
    row = next(row for row in shown.rows if row[1:3] == ["nic12-fast", "1486"])
    assert row[3:] == ["800", "731.89", "767.4", "1.04"]  # 731.89 x 1.048576
    assert any("2^20" in line for line in shown.lines)


def test_what_was_not_measured_says_so_with_the_command() -> None:
    (table,) = [one for one in TABLES if one.number == "I"]
    shown = beside.shown(table, Book([]))
    assert "Nothing of it was measured: nsoc synth toe --target xc7 does it." in shown.lines
    assert {row[1] for row in shown.rows} == {beside.NOTHING}


def test_a_ratio_of_two_figures_needs_both() -> None:
    (table,) = [one for one in TABLES if one.number == "V"]
    off, on = (
        Record("sockets", preset, "echo_cycles", cycles, mode, 32)
        for preset, cycles, mode in (("toe-nodca", 150.0, "nodca-udp"), ("toe", 50.0, "dca-udp"))
    )

    def gain(records: list[Record]) -> list[str]:
        rows = beside.shown(table, Book(records)).rows
        return next(row for row in rows if row[:3] == ["direct cache access off / on", "UDP", "32"])

    assert gain([off, on])[3:] == ["3", "1.74", "1.72"]
    assert gain([off])[3] == beside.NOTHING


def test_sizes_of_the_tcp_soc_are_those_of_its_tables() -> None:
    """Table I in percent of the device that utilization.toml has, Table II by its sum below the whole."""
    board = at("utilization.toml:board.kc705")
    whole, percent = at("tcp_soc.toml:soc"), at("tcp_soc.toml:percent")
    for metric in whole:
        assert 100 * whole[metric] / board[metric] == pytest.approx(percent[metric], abs=0.01)
    parts = [line.printed for line in beside.LINES["component_area"](_tcp("II")).lines if line.labels[2] == "LUTs"]
    assert parts == [22984, 577, 288, 44287, 1111] and sum(parts) < whole["lut"]


def _tcp(number: str) -> Table:
    return next(table for table in TABLES if (table.system, table.number) == ("tcp", number))


def test_systems_with_tables_are_systems_of_the_platform() -> None:
    there = [system.name for system in systems.SYSTEMS if not system.to_come]
    assert published.systems() == there
    for table in TABLES:
        for preset in table.presets:
            assert (found := systems.of_preset(preset)) is not None and found.name == table.system


def test_commands_are_ones_that_there_are() -> None:
    for table in TABLES:
        assert re.match(r"nsoc (bench (thesis|images|sockets|latency|pnic)|synth)|make figures", table.command)


def test_a_place_that_no_file_has_is_one_sentence() -> None:
    with pytest.raises(NsocError, match=r"there is nothing at nic\.toml:rtt_us\.sideways"):
        at("nic.toml:rtt_us.sideways")
