# SPDX-License-Identifier: Apache-2.0
"""Blocks that are placed on their own: which ones, and what is read of nextpnr. tests/hw places one."""

import pytest

from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.hardware import pnr, synth
from nsoc.hardware.pnr import ALONE, Alone, Path_
from nsoc.hardware.synth import Area

LOG = """
Info: Max frequency for clock '$glbnet$clk$TRELLIS_IO_IN': 125.63 MHz (PASS at 125.00 MHz)
Info: Max frequency for clock         '$glbnet$cpu_clk': 90.00 MHz (FAIL at 125.00 MHz)
Info: Routing..
Warning: Max frequency for clock '$glbnet$clk$TRELLIS_IO_IN': 116.63 MHz (FAIL at 125.00 MHz)
"""


def one(block: str, fmax: float) -> Alone:
    path = Path_("clk", "a_q", "b_q", 1.5, 6.0, 7)
    return Alone(block, Area(1000, 500, 2, 0), 125.5, fmax, path, pnr.load_board("ecpix5"), 1)


def test_what_is_placed_is_there() -> None:
    modules = {path.stem for path in synth.sources()}
    for blocks in ALONE.values():
        for block, configuration in blocks:
            assert block in modules
            assert not configuration or configuration in synth.CONFIGURATIONS[block]


def test_a_name_is_a_preset_or_blocks_or_a_module() -> None:
    assert pnr.blocks_of("toe") == [], "a preset, whatever modules there are"
    assert pnr.blocks_of("lat") == list(ALONE["lat"])
    assert pnr.blocks_of("tcp_engine", "lat") == [("tcp_engine", "lat")]
    assert pnr.blocks_of("tcp_pkg") == pnr.blocks_of("nothing") == []


def test_a_clock_is_read_as_placed_and_not_as_routed() -> None:
    assert pnr.placed_mhz(LOG, "clk") == 125.63
    assert pnr.placed_mhz(LOG, "cpu_clk") == 90.0
    with pytest.raises(NsocError, match="nothing about the clock nic_clk"):
        pnr.placed_mhz(LOG, "nic_clk")


def test_a_block_below_100_mhz_is_missed() -> None:
    found = [one("net", 100.0), one("tcp_core", 99.9)]
    assert [block.met for block in found] == [True, False]
    values = {(r.metric, r.mode): (r.value, r.limit) for r in pnr.alone_records("lat", found)}
    assert values["fmax_mhz", "ecpix5:tcp_core"] == (99.9, 100.0)
    assert values["lut", "ecpix5:net"] == (1000, None)
    assert pnr.alone_table("lat", found).row_count == 2


def test_what_cannot_be_placed_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["pnr", "tcp_table", "--configuration", "wide"]) == 1
    assert "tcp_table has no configuration 'wide', only its default" in capsys.readouterr().err
    assert call(["pnr", "tcp_rx", "--board", "kc705"]) == 1
    assert "kc705 is built with vivado: no block is placed for it from here" in capsys.readouterr().err
