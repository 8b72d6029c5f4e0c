# SPDX-License-Identifier: Apache-2.0
"""`nsoc export`: what it writes is plain Verilog-2005, and what it refuses it refuses in one sentence."""

import re
import subprocess
from pathlib import Path

import needs
import pytest
from exported import EXPORTS, exported
from typer.testing import CliRunner

from nsoc.cli import app
from nsoc.errors import NsocError
from nsoc.hardware.export import elaborate, export

ROOT = Path(__file__).resolve().parents[3]


def test_a_port_of_a_struct_is_a_port_for_each_field() -> None:
    fields = {field.name: (field.path, field.is_input, field.width) for field in elaborate("mac", {}).fields}
    assert fields["gmii_rxd"] == ("gmii_rxd", True, 8)
    assert fields["rx_frame_tdata"] == ("rx_frame.beat.tdata", False, 64)
    assert fields["tx_frame_stamp_wanted"] == ("tx_frame.user.stamp_wanted", True, 1)
    assert fields["taps_user_rx_first_valid"][0] == "taps.user.rx_first.valid", "`valid` alone would be of many"


@needs.yosys
@pytest.mark.parametrize(
    ("block", "parameters", "sentence"),
    [
        ("mak", {}, r"there is no block 'mak', only the modules of \S+; did you mean mac\?"),
        ("mac_pkg", {}, r"there is no block 'mac_pkg', .*"),
        ("fifo_sync", {"DEPHT": "4"}, "fifo_sync has no parameter 'DEPHT', only WIDTH, DEPTH"),
        ("fifo_sync", {"DEPTH": "four"}, "'four' is no value for DEPTH of fifo_sync: give a number such as .*"),
        pytest.param(
            "mac", {"RX_FIFO_BYTES": "64"}, "mac with RX_FIFO_BYTES=64 cannot be made: mac: RX_FIFO_BYTES is too .*",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "net_udp", {"WIDTH": "3"}, "net_udp with WIDTH=3 cannot be made: net: WIDTH must be 64, 128, 256 or 512",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "mac", {"TRACE": "2"}, "2 is no value that TRACE of mac can have: it becomes 0", marks=pytest.mark.slow
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(
    block: str, parameters: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(NsocError) as refused:
        export(block, parameters, tmp_path / "made.v")
    assert re.fullmatch(sentence, str(refused.value))
    assert not [*tmp_path.iterdir()]


def test_the_command_says_what_a_parameter_and_a_file_look_like(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["export", "mac", "-p", "TRACE", "-o", str(tmp_path / "mac.v")])
    assert said.exit_code == 2 and "'TRACE' is no PARAM=VALUE" in said.output
    missing = tmp_path / "none" / "mac.v"
    missing.parent.touch()
    said = CliRunner().invoke(app, ["export", "mac", "-o", str(missing)])
    assert said.exit_code != 0 and not missing.exists()


@pytest.mark.slow
@needs.yosys
@needs.icarus
@pytest.mark.parametrize("block", EXPORTS)
def test_an_export_is_plain_verilog(block: str, tmp_path: Path) -> None:
    from nsoc.hardware import yosys

    made, file = exported(block)
    text = file.read_text(encoding="utf-8")
    head = text.partition("\n\n")[0]
    assert head.startswith("// SPDX-License-Identifier: Apache-2.0\n") and "commit " in head
    for name, value in {"mac": {"MAX_FRAME_BYTES": 1522}, "nic_axi": {"AXI_CACHE": 2}}.get(block, {}).items():
        assert re.search(rf"^// Parameters: .*\b{name}={value}\b", head, re.MULTILINE)
    assert len(re.findall("^module ", text, re.MULTILINE)) == 1
    ports = re.findall(r"^  (?:in|out)put (?:\[\d+:0\] )?(\w+);", text, re.MULTILINE)
    assert set(ports) == {field.name for field in made.fields}
    assert not re.search(r"^ +\\\$", text, re.MULTILINE), "a cell of Yosys"
    assert not re.search(r"^  reg [^=\n]*;\n(?!  initial)", text, re.MULTILINE), "a register that begins as X"
    assert not re.search(r"\[\$signed.*\+: ", text), "a part select beyond its vector"
    checked = ["iverilog", "-g2005", "-Wall", "-t", "null", "-s", block, file]
    assert not subprocess.run(checked, check=True, capture_output=True, text=True).stderr
    if block != "toe":  # minutes: Yosys unrolls the loops that fill arrays
        again = [(f"read_verilog {file}", 1.0), (f"hierarchy -check -top {block}", 1.0)]
        yosys.run(again, tmp_path, "reading it again")
