# SPDX-License-Identifier: Apache-2.0
"""Published tables of the programmable NIC from what a run has found: sums by function, a frame of its direction."""

from dataclasses import replace
from pathlib import Path

import pytest

from nsoc.bench import pnic, pnic_published
from nsoc.bench.pnic_published import FIGURE_7, FIGURE_8, HEADERS, PARTS, VARIANTS, PublishedResult
from nsoc.machine import presets
from nsoc.pnic import firmware, nic
from nsoc.pnic.nic import CLIENTS, MASTERS, Found, Places, Setup, Spent
from nsoc.pnic.trace import Access, Retired, Trace
from nsoc.report import add, beside
from nsoc.report import published as published_tables
from nsoc.report.facts import Facts

LOCK = nic.setup_of(presets.load(VARIANTS["lock"]))


def found(setup: Setup = LOCK, **changes: object) -> Found:
    """10 frames sent and 20 received in 100 us."""
    made = Found(
        setup=setup, bytes=1518, window_us=100, sent=10, received=20, core_cycles=2000, interrupts=0,
        words=dict.fromkeys(MASTERS, 100), beats=dict.fromkeys(CLIENTS, 200), retired=9000, rows=50, mac={}, shown={},
        given=0, total_sent=0, offered=0, delivered=0, profile={}, idle=Spent(),
        trapped=(), trace=Trace(), places=Places(*range(6)),
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


SOME = Spent(instructions=100, accesses=40, cycles=150, fetch=5, load=20, conflict=10, pipeline=15)


def test_each_function_counts_once_for_frames_of_its_direction() -> None:
    profile = {name: SOME for functions in PARTS.values() for name in functions} | {"dispatch": SOME, "show": SOME}
    parts = pnic_published.by_part(found(profile=profile))
    assert parts["send-frame"].instructions == 100 * len(PARTS["send-frame"])
    assert parts["send-dispatch-ordering"].cycles == 150 * len(PARTS["send-dispatch-ordering"]) + 75
    assert parts["receive-dispatch-ordering"].accesses == 40 * len(PARTS["receive-dispatch-ordering"]) + 20
    one = found(profile={"fetch_send": SOME, "fetch_receive": SOME})
    parts = pnic_published.by_part(one)
    assert pnic_published.per_frame(one, "fetch-send-bd", parts["fetch-send-bd"], "accesses") == 4
    assert pnic_published.per_frame(one, "fetch-receive-bd", parts["fetch-receive-bd"], "accesses") == 2
    names = [name for functions in PARTS.values() for name in functions]
    assert len(names) == len(set(names))


def test_shares_are_of_all_cycles_and_add_up() -> None:
    shares = pnic_published.shares(found(profile={"send_frames": SOME}, idle=replace(SOME, pipeline=165, cycles=300)))
    assert shares["execution"] == pytest.approx(200 / 450) and shares["pipeline"] == pytest.approx(180 / 450)
    assert sum(shares.values()) == pytest.approx(1)


def test_bandwidths_are_of_the_setup_s_clocks_and_widths() -> None:
    bandwidths = pnic_published.bandwidths(found())
    assert bandwidths["instruction-memory"] == pytest.approx((25.6, 0.064))  # 50 rows of 128 bits in 100 us
    assert bandwidths["scratchpad"] == pytest.approx((25.6, 0.192))
    assert bandwidths["frame-memory"] == pytest.approx((64, 1.28))
    for memory, theirs in pnic_published.published()["bandwidth_gbps"].items():
        assert bandwidths[memory][0] == pytest.approx(theirs["peak"])


def test_records_have_the_published_value_beside_where_there_is_one() -> None:
    everything = PublishedResult(
        {kind: found(profile={"send_frames": SOME}) for kind in ("ideal", "lock", "set-update", "task")},
        {(kind, cores, mhz): found() for kind in VARIANTS for cores, clocks in FIGURE_7.items() for mhz in clocks},
        {(kind, datagram + HEADERS): found() for kind in VARIANTS for datagram in FIGURE_8},
    )
    records = list(pnic_published.records(everything))
    by_key = {(r.preset, r.mode, r.metric, r.payload): r for r in records}
    assert len(by_key) == len(records)
    assert by_key["pnic-rice", "ideal/send-frame", "instructions_per_frame", 1518].published == 256.9
    record = by_key["pnic-rice-lock", "published-lock/send-frame", "cycles_per_frame", 1518]
    assert (record.value, record.published, record.unit) == (15, 427.4, "cycles")
    assert by_key["pnic-rice", "task/send-frame", "cycles_per_frame", 1518].published is None
    assert by_key["pnic-rice-lock-6x175", "published-lock", "line_share", 1518].published == 0.963
    assert by_key["pnic-rice-6x175", "published-set-update", "line_share", 1518].published is None
    assert by_key["pnic-rice", "published-set-update", "frames_per_s", 64].published == 2.2e6
    assert all((r.published is None) == (r.source is None) for r in records)
    assert not [r for r in records if r.mode and "/io" in r.mode]
    titles = [str(table.title) for table in pnic_published.tables(everything)]
    assert [title.split(":")[0] for title in titles] == [
        "Table 1", "Table 3", "Table 4", "Table 5", "Table 5", "Table 6", "Figure 7", "Figure 8",
    ]  # fmt: skip
    assert len(pnic_published.lines(everything)) == 5 + 6


def test_table_2_and_figure_3_come_from_traces() -> None:
    chain = tuple(Retired(i, 0, 4 * i, 0x0010_8093) for i in range(8))  # addi x1, x1, 1
    shared = tuple(Access(i, i % 2, 0, i % 2 == 1, 0) for i in range(8))
    mine = tuple(Access(i, 0, 100, False, 0) for i in range(8))
    traced = Trace((), mine + shared, descriptors=(range(4, 8), range(96, 101)))
    result = PublishedResult({"ideal": found(trace=Trace(chain)), "set-update": found(trace=traced)})
    records = {(r.mode, r.metric): r for r in pnic_published.records(result) if r.mode and r.metric in {"ipc", "hits"}}
    assert records["ideal/ooo-4-stalls-pbp1", "ipc"].value == 1
    assert records["ideal/ooo-4-stalls-pbp1", "ipc"].published == 2.0
    assert records["ideal/io-1-stalls-none", "ipc"].published == 0.87
    assert len([mode for mode, metric in records if mode.startswith("ideal/")]) == 30
    # The reader loses its line each time: four hits are the writer's but the first. A quarter does not count.
    assert records["published-set-update/everything/cache-32768", "hits"].value == (4 + 3) / 12
    assert records["published-set-update/descriptors/cache-32768", "hits"].value == 1
    titles = [str(table.title).split(":")[0] for table in pnic_published.tables(result)]
    assert {"Table 2", "Figure 3, everything", "Figure 3, descriptors"} <= set(titles)


def test_what_was_measured_is_kept_for_the_report_by_part_and_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    published = PublishedResult({"ideal": found(profile={"send_frames": SOME})}, {("lock", 6, 200): found()})
    result = pnic.PnicResult([("pnic-rice", found())], least_mhz={1518: 115}, published=published)
    assert pnic.kept() == []
    pnic.keep(result, ["clock", "tables"], 1)
    kept = pnic.kept()
    assert {"core_mhz", "cycles_per_frame", "line_share"} <= {r.metric for r in kept}
    assert not [r for r in kept if r.preset == "pnic-rice-lock-6x200"]
    assert pnic.kept(2) == []
    pnic.keep(result, pnic.PARTS, 1)
    assert pnic.kept() == pnic.records(result)


def test_the_report_has_tables_of_it() -> None:
    result = PublishedResult({"ideal": found(profile={"send_frames": SOME})})
    facts = Facts([])
    own = pnic.records(pnic.PnicResult([("pnic-rice", found(replace(LOCK, program="lean")))]))
    add.add_pnic(facts, [*pnic_published.records(result), *own])
    (table,) = published_tables.tables("pnic")[:1]
    shown = beside.shown(table, facts.book())
    (row,) = [row for row in shown.rows if row[:3] == ["send frame", "ideal", "instructions"]]
    assert row[3:] == ["10", "256.9", "0.0389"]
    (lean,) = facts.tables
    assert lean.system == "pnic"
    assert {row[3] for row in lean.rows} >= {"frames/s, both ways", "share of the line"}
    add.add_pnic(empty := Facts([]), [])
    assert empty.tables == []


def test_the_firmware_has_all_functions_that_are_counted() -> None:
    """A function that is renamed would be missing in a sum without a word."""
    names = firmware.symbols(firmware.build("published", {"PIECES": 2}), functions=True).keys()
    absent = {name for functions in PARTS.values() for name in functions} - names
    assert not absent - {"receive_descriptors", "receive_push"}, "the compiler may put these into their only caller"
    assert set(nic.ROUND.values()) <= names
