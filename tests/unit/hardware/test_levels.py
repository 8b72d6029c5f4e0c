# SPDX-License-Identifier: Apache-2.0
"""Levels of logic of a netlist that is small enough to count by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from nsoc.hardware.levels import Longest, longest


def cell(kind: str, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    directions = dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    connections = {port: [net] for port, net in (inputs | outputs).items()}
    return {"type": kind, "port_directions": directions, "connections": connections}


def register(d: int, q: int) -> dict[str, Any]:
    return cell("FDRE", {"D": d, "C": 1}, {"Q": q})


def netlist(folder: Path, **cells: dict[str, Any]) -> Path:
    names = {f"net{n}": {"bits": [n]} for n in range(2, 30)}
    module = {"cells": cells, "ports": {"y": {"direction": "output", "bits": [29, "0"]}}, "netnames": names}
    path = folder / "netlist.json"
    path.write_text(json.dumps({"modules": {"top": module}}), encoding="utf-8")
    return path


def test_a_lut_is_a_level_and_what_sits_behind_it_is_none(tmp_path: Path) -> None:
    found = netlist(
        tmp_path,
        a=register(2, 3),
        b=cell("LUT6", {"I0": 3}, {"O": 4}),
        c=cell("MUXF7", {"I0": 4, "S": 3}, {"O": 5}),
        d=cell("LUT2", {"I0": 5, "I1": "1"}, {"O": 6}),
        e=register(6, 7),
    )
    assert longest(found, "top") == Longest(2, "net3", "net6 (e.D)")


def test_a_carry_chain_is_one_level_however_long(tmp_path: Path) -> None:
    found = netlist(
        tmp_path,
        a=register(2, 3),
        b=cell("LUT1", {"I0": 3}, {"O": 4}),
        c=cell("CARRY4", {"S": 4, "CI": "0"}, {"CO": 5}),
        d=cell("CARRY4", {"S": "0", "CI": 5}, {"CO": 6}),
        e=cell("CARRY4", {"S": "0", "CI": 6}, {"O": 7}),
        f=register(7, 8),
    )
    assert longest(found, "top").levels == 2


def test_the_read_of_a_lut_ram_is_a_level_and_its_write_an_end(tmp_path: Path) -> None:
    found = netlist(
        tmp_path,
        a=register(2, 3),
        b=cell("LUT3", {"I0": 3}, {"O": 4}),
        c=cell("LUT3", {"I0": 4}, {"O": 5}),
        d=cell("RAM32X1D", {"D": 5, "DPRA0": 3}, {"DPO": 6}),
        e=register(6, 7),
    )
    assert longest(found, "top") == Longest(2, "net3", "net5 (d.D)")


@pytest.mark.parametrize(
    ("kind", "write_address", "read_address", "output"),
    [("RAM64X1D", "A0", "DPRA0", "DPO"), ("RAM64M", "ADDRD", "ADDRA", "DOA")],
)
def test_a_lut_ram_is_not_read_where_it_is_written(
    tmp_path: Path, kind: str, write_address: str, read_address: str, output: str
) -> None:
    found = netlist(
        tmp_path,
        a=register(2, 3),
        b=cell("LUT3", {"I0": 3}, {"O": 4}),
        c=cell("LUT3", {"I0": 4}, {"O": 5}),
        d=cell("LUT3", {"I0": 5}, {"O": 6}),
        e=cell(kind, {write_address: 6, read_address: 3}, {output: 7}),
        f=cell("LUT3", {"I0": 7}, {"O": 8}),
        g=register(8, 9),
    )
    assert longest(found, "top") == Longest(3, "net3", f"net6 (e.{write_address})")


def test_a_lut_ram_with_one_address_is_read_there_too(tmp_path: Path) -> None:
    found = netlist(
        tmp_path,
        a=register(2, 3),
        b=cell("LUT3", {"I0": 3}, {"O": 4}),
        c=cell("RAM64M", {"ADDRD": 4}, {"DOD": 5}),
        d=register(5, 6),
    )
    assert longest(found, "top") == Longest(2, "net3", "net5 (d.D)")


def test_ports_are_ends_too(tmp_path: Path) -> None:
    found = netlist(tmp_path, a=cell("LUT3", {"I0": 3}, {"O": 4}), b=cell("LUT3", {"I0": 4}, {"O": 29}))
    assert longest(found, "top") == Longest(2, "net3", "net29 (y)")


def test_a_loop_is_said(tmp_path: Path) -> None:
    found = netlist(
        tmp_path, a=cell("LUT2", {"I0": 3}, {"O": 4}), b=cell("LUT2", {"I0": 4}, {"O": 3}), c=register(4, 5)
    )
    with pytest.raises(ValueError, match="depends on itself"):
        longest(found, "top")
