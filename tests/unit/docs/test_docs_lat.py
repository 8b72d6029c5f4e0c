# SPDX-License-Identifier: Apache-2.0
"""Figures of nodes: what is kept of records, and what docs/latency.md shows of them."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from nsoc.docs import lat
from nsoc.docs.rtl_tree import Module
from nsoc.docs.sections import Facts, lat_blocks, lat_nodes, lat_placed
from nsoc.errors import NsocError
from nsoc.records import Record, to_json


def synth(system: str, part: str, **values: float) -> list[Record]:
    return [Record("synth", system, metric, value, mode=f"xc7:{part}") for metric, value in values.items()]


def placed(block: str, mhz: float, preset: str = "lat") -> list[Record]:
    values = {"fmax_mhz": mhz, "lut": 1234, "ff": 10, "bram": 0.5}
    return [Record("pnr", preset, metric, value, mode=f"ecpix5:{block}") for metric, value in values.items()]


def read(folder: Path, *records: list[Record]) -> lat.Figures:
    file = folder / "records.json"
    file.write_text(to_json([record for some in records for record in some]))
    return lat.read(file)


def shown(figures: lat.Figures) -> tuple[list[str], list[str]]:
    facts = Facts(cast("Module", None), {}, {}, figures)
    return lat_nodes(facts).splitlines()[2:], lat_placed(facts).splitlines()[2:]


def test_systems_stand_by_rate_and_too_many_levels_stand_out(tmp_path: Path) -> None:
    wide, narrow = (
        synth("lat-100g", "net", lut=7000, ff=5, bram=1.5, levels=9),
        synth("lat-10g", "net", lut=8, levels=10),
    )
    nodes, _ = shown(lat.merged([], read(tmp_path, wide, narrow)))
    assert nodes == ["| `lat-10g` | net | 8 | - | - | **10** |", "| `lat-100g` | net | 7,000 | 5 | 1.5 | 9 |"]


def test_blocks_have_a_table_of_their_own(tmp_path: Path) -> None:
    whole = [Record("synth", "lat-blocks", "lut", 9, mode="xc7")]
    blocks = synth("lat-blocks", "tcp_fast_tx 512-512", lut=8000, ff=5, bram=1.5, levels=9)
    figures = lat.merged([], read(tmp_path, synth("lat-10g", "net", lut=8, levels=10), whole, blocks))
    facts = Facts(cast("Module", None), {}, {}, figures)
    assert lat_blocks(facts).splitlines()[2:] == ["| tcp_fast_tx 512-512 | 8,000 | 5 | 1.5 | 9 |"]
    assert shown(figures)[0] == ["| `lat-10g` | net | 8 | - | - | **10** |"]


def test_what_nobody_has_measured_is_said() -> None:
    facts = Facts(cast("Module", None), {}, {})
    assert "`nsoc synth lat --json FILE`" in lat_nodes(facts)
    assert "`nsoc synth lat-blocks --target xc7 --json FILE`" in lat_blocks(facts)


def test_what_is_measured_again_replaces_what_was(tmp_path: Path) -> None:
    old = lat.merged(
        [], read(tmp_path, synth("lat-10g", "tcp, 32 bits", lut=1), synth("lat-25g", "tcp", lut=2), placed("net", 99))
    )
    new = lat.merged(
        old,
        read(tmp_path, synth("lat-10g", "tcp, 64 bits", lut=3), placed("net", 101.25, "net"), placed("tcp_rx", 120)),
    )
    nodes, blocks = shown(new)
    assert [row.split("|")[1:4] for row in nodes] == [
        [" `lat-10g` ", " tcp, 64 bits ", " 3 "], [" `lat-25g` ", " tcp ", " 2 "],
    ]  # fmt: skip
    assert blocks == ["| net | 1,234 | 10 | 0.5 | 101.2 |", "| tcp_rx | 1,234 | 10 | 0.5 | 120.0 |"]


def test_it_is_written_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lat, "checkout", lambda: tmp_path)
    assert lat.load() == []
    (tmp_path / "docs" / "data").mkdir(parents=True)
    figures = read(tmp_path, synth("lat-10g", "net", lut=8), placed("net", 99))
    lat.write(figures)
    assert lat.load() == figures


@pytest.mark.parametrize("text", ["", "[{}]", json.dumps({"suite": 1})])
def test_a_file_that_is_something_else_is_one_sentence(tmp_path: Path, text: Any) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(NsocError, match="cannot read the records"):
        lat.read(tmp_path / "x.json")
