# SPDX-License-Identifier: Apache-2.0
"""Boards, what is read from nextpnr's report, and place and route itself: what takes minutes is marked long."""

import json
import re
import shutil
from pathlib import Path

import needs
import pytest

from nsoc.cli import call
from nsoc.hardware import pnr, synth, yosys
from nsoc.machine import build, presets

REPORT = {
    "fmax": {
        "$glbnet$nic_clk": {"achieved": 130.5, "constraint": 125.0},
        "$glbnet$rgmii_rxc$TRELLIS_IO_IN": {"achieved": 120.0, "constraint": 125.0},
    },
    "utilization": {
        "TRELLIS_COMB": {"available": 43848, "used": 100},
        "TRELLIS_FF": {"available": 43848, "used": 50},
        "DP16KD": {"available": 108, "used": 4},
        "MULT18X18D": {"available": 72, "used": 0},
    },
    "critical_paths": [
        {
            "from": "posedge $glbnet$nic_clk",
            "to": "posedge $glbnet$nic_clk",
            "path": [
                {"type": "clk-to-q", "delay": 0.5, "from": {"cell": "a_q"}, "to": {"cell": "a_q"}},
                {"type": "routing", "delay": 2.0, "from": {"cell": "a_q"}, "to": {"cell": "lut"}},
                {"type": "logic", "delay": 0.25, "from": {"cell": "lut"}, "to": {"cell": "lut"}},
                {"type": "setup", "delay": 0.1, "from": {"cell": "lut"}, "to": {"cell": "b_q"}},
            ],
        },
        {"from": "<async>", "to": "posedge $glbnet$nic_clk", "path": []},
    ],
}


def test_a_report_becomes_clocks_and_paths(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(REPORT))
    board = pnr.load_board("colorlight-i9")
    routed = pnr._read("p", board, 1, tmp_path, board.clocks)
    assert {c.name: (c.fmax_mhz, c.met) for c in routed.clocks} == {
        "nic_clk": (130.5, True),
        "rgmii_rxc": (120.0, False),
    }
    assert not routed.met and routed.area == synth.Area(100, 50, 4, 0)
    (path,) = routed.paths
    assert (path.clock, path.source, path.sink, path.steps) == ("nic_clk", "a_q", "b_q", 1)
    assert path.ns == pytest.approx(2.85)
    assert {r.mode for r in pnr.records(routed) if r.metric == "fmax_mhz"} == {
        "colorlight-i9:nic_clk",
        "colorlight-i9:rgmii_rxc",
    }


@pytest.mark.parametrize("name", ["colorlight-i9", "ecpix5"])
def test_a_board_has_a_pin_for_every_port(name: str) -> None:
    board = pnr.load_board(name)
    source = (build.checkout() / "rtl" / "soc" / f"{board.top}.sv").read_text()
    port_line = r"^  (?:input|output) +logic +(?:\[(\d+):0\])? *(\w+),?(?: *//.*)?$"
    ports = set()
    for width, port in re.findall(port_line, source, re.MULTILINE):
        ports |= {f"{port}[{bit}]" for bit in range(int(width) + 1)} if width else {port}
    pins = (build.checkout() / "boards" / name / board.pins).read_text()
    located = re.findall(r'^LOCATE COMP "(.+?)" SITE "(\w+)";$', pins, re.MULTILINE)
    assert {port for port, _ in located} == ports
    assert len({site for _, site in located}) == len(located)
    assert set(re.findall(r'^IOBUF PORT "(.+?)"', pins, re.MULTILINE)) == ports


@pytest.mark.parametrize("name", ["colorlight-i9", "ecpix5", "kc705"])
def test_a_board_is_built_as_the_preset_says(name: str) -> None:
    board = pnr.load_board(name)
    parameters = pnr._parameters(presets.load("toe"), board)
    source = (build.checkout() / "rtl" / "soc" / f"{board.top}.sv").read_text()
    known = set(re.findall(r"^  parameter .*?(\w+) +=", source, re.MULTILINE))
    assert set(parameters) | {"BOOT_ROM_INIT"} <= known
    soc = source[source.index("nsoc #(") : source.index(") u_nsoc")]
    passed = dict(re.findall(r"\.(\w+) *\((\w+)\)", soc))
    of_soc = known & set(presets.RTL_PARAMETERS)
    assert {parameter: passed.get(parameter) for parameter in of_soc} == {one: one for one in of_soc}
    assert (parameters["CONNECTIONS"], parameters["UNIT"], parameters["NIC_HZ"]) == (64, "dca", 125_000_000)
    assert parameters["LOCAL_MEM_BYTES"] == board.parameters["LOCAL_MEM_BYTES"], "a megabyte is too much"
    small = presets.load("toe").with_(local_memory_bytes=131072)
    assert pnr._parameters(small, board)["LOCAL_MEM_BYTES"] == min(131072, board.parameters["LOCAL_MEM_BYTES"])
    assert pnr._symbols(small, board)["CPU_MHZ"] == f"{round(board.clocks['cpu_clk'])}u"


def test_a_preset_that_no_board_is_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["pnr", "nic12-dram", "--board", "kc705"]) == 1
    assert 'packets = "dram" is not for a board' in capsys.readouterr().err


def test_the_uart_of_a_board_runs_at_115200_baud() -> None:
    for name in pnr.board_names():
        board = pnr.load_board(name)
        baud = board.clocks["cpu_clk"] * 1e6 / board.parameters["UART_DIVISOR"]
        assert baud == pytest.approx(115200, rel=0.01)


def test_an_unknown_board_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["pnr", "nic12-fast", "--board", "colorlight-i8"]) == 1
    assert "did you mean colorlight-i9?" in capsys.readouterr().err


def test_harness_has_a_register_for_every_bit_but_the_clocks() -> None:
    ports = [("clk", 1, True), ("tx_clk", 1, True), ("a", 3, True), ("b", 2, False), ("c", 1, False)]
    source = yosys.harness_source("block", "clk", ports)
    assert "input clk, input tx_clk, input shift_in, output shift_out" in source
    assert "reg [2:0] in_q;" in source and "reg [2:0] out_q, chain_q;" in source
    assert ".a(in_q[2:0]), .b(out[1:0]), .c(out[2:2])" in source


@needs.nextpnr
@pytest.mark.long
@pytest.mark.parametrize(("name", "least"), [("mac", 120), ("nic", 115)])
def test_network_blocks_alone_on_the_slower_device(name: str, least: float) -> None:
    """MHz, on speed grade 6. In the MAC (121.7 to 125 by five seeds) the slow paths are a read of a block RAM, 5.8 ns,
    and a wire, without logic. Half a minute of placing and routing, the same for the same seed on any machine."""
    assert min(pnr.block_fmax(name).values()) >= least


@needs.nextpnr
@pytest.mark.long
def test_the_board_gets_a_bitstream_with_every_clock_met() -> None:
    routed = pnr.run(presets.load(), pnr.load_board("ecpix5"), tries=3)
    assert routed.bitstream.stat().st_size > 100_000
    assert shutil.which("ecppack") or routed.bitstream.with_suffix(".svf").exists()
    assert {clock.name for clock in routed.clocks if not clock.met} == set()


@pytest.mark.parametrize("name", pnr.board_names())
def test_a_board_has_the_processor_of_the_preset(name: str) -> None:
    board = pnr.load_board(name)
    top = next(path for path in (build.checkout() / "rtl" / "soc").glob("*.sv") if path.stem == board.top)
    text = top.read_text(encoding="utf-8")
    for preset in ("nic12-fast", "ajit-nic12-fast"):
        parameters = pnr._parameters(presets.load(preset), board)
        assert parameters["CORE"] == presets.load(preset).core
        for parameter in parameters:
            assert re.search(rf"parameter [^;)]*\b{parameter} +=", text), parameter
            assert board.parameters.get(parameter) is not None or re.search(rf"\.{parameter} *\({parameter}\)", text)


def test_vivado_reads_all_folders_of_the_processors_and_the_engine() -> None:
    script = (build.checkout() / "boards" / "kc705" / "build.tcl").read_text(encoding="utf-8")
    listed = re.search(r"foreach folder \{(.*?)\}", script, re.DOTALL)
    assert listed is not None
    rtl = build.checkout() / "rtl"
    files = [file for folder in ("cpu", "tcp", "toe", "soc") for file in (rtl / folder).rglob("*.sv")]
    nodes = {"tcp/fast", "tcp/stream"}  # for nodes without a processor
    assert {file.parent.relative_to(rtl).as_posix() for file in files} - nodes <= set(listed[1].split())
