# SPDX-License-Identifier: Apache-2.0
"""A SPARC V8 core in error mode ends a run, in a sentence (tests/support/sparc/error_mode.c)."""

import pytest

from nsoc import sparc
from nsoc.bench import core_alone
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import firmware, presets
from nsoc.machine.soc import Soc
from nsoc.network.cabled import CabledSoc

pytestmark = pytest.mark.slow

PRESET = "ajit-nic12-fast"
PROGRAM = str(firmware.checkout() / "tests" / "support" / "sparc" / "error_mode.c")
WAYS = {
    "a stack pointer that is odd": r"0x07 \(mem_address_not_aligned\) at 0x[0-9a-f]+ \(window_overflow\+0x[0-9a-f]+\)",
    "a stack that is nowhere": r"0x2b \(data_store_error\) at 0x[0-9a-f]+ \(window_overflow\+0x[0-9a-f]+\)",
    "a trap with traps disabled": r"0x07 \(mem_address_not_aligned\) at 0x[0-9a-f]+ \(bad\+0x[0-9a-f]+\)",
    "a jump to nowhere, so": r"0x01 \(instruction_access_exception\) at 0x90000000",
    "a table of traps that is nowhere": r"0x01 \(instruction_access_exception\) at 0x90000830",
    "a table of traps that is empty": r"0x02 \(illegal_instruction\) at 0x40100830",
}
HOW = {name: number for number, name in enumerate(WAYS)}
MEMORY_OF_ISS = 4
"""So many of the last instructions are compared: what was before is how long the UART took."""


def last(sentence: str) -> list[str]:
    """The last instructions of a sentence."""
    return sentence.partition("; last instructions: ")[2].split(", ")


@pytest.mark.parametrize("way", WAYS)
def test_error_mode_ends_a_run_at_once(way: str) -> None:
    with Soc(PRESET, PROGRAM, defines={"HOW": HOW[way]}) as soc:
        soc.boot("ready")
        sentence = rf"^error_mode on {PRESET}: error mode: trap {WAYS[way]} with traps disabled; last instructions: "
        with pytest.raises(NsocError, match=sentence) as ended:
            soc.run(us=1e6)
        assert soc.time_us < 100, "the rest is not simulated"
        with pytest.raises(NsocError, match=sentence):
            soc.run(us=1)
        assert "\n" not in str(ended.value)
        with pytest.raises(NsocError) as of_iss:
            sparc.run(soc.elf)
        said, wanted = last(str(ended.value)), last(str(of_iss.value))
        fetched = [one for one in said if "no memory" not in one]  # the simulator has none of these
        assert fetched[-MEMORY_OF_ISS:] == wanted[-MEMORY_OF_ISS:]


def test_the_command_line_says_so_behind_what_was_printed(capsys: pytest.CaptureFixture[str]) -> None:
    elf = firmware.build(PROGRAM, {"HOW": 2}, arch="sparc")
    assert call(["run", str(elf), "--preset", PRESET]) == 1
    out, err = capsys.readouterr()
    assert out == "ready\n"
    (line,) = err.strip().splitlines()
    assert "error mode: trap 0x07 (mem_address_not_aligned)" in line


def test_on_a_network_too() -> None:
    with CabledSoc(PRESET, PROGRAM, defines={"HOW": 2}) as soc:
        with pytest.raises(NsocError, match=rf"^error_mode on {PRESET}: error mode: trap 0x07 .* \(bad\+0x"):
            soc.run(us=1000)
        assert soc.uart.text == "ready\n"


def test_of_several_cores_it_says_which() -> None:
    preset = presets.load(PRESET).with_(cores=2)
    sentence = r"^error_mode on ajit-nic12-fast[^:]*, core 1: error mode: trap 0x07 "
    with (
        Soc(preset, PROGRAM, defines={"HOW": 2, "HART": 1}, checks=True) as soc,
        pytest.raises(NsocError, match=sentence),
    ):
        soc.run(us=1000)


def test_of_the_core_alone() -> None:
    elf = firmware.build(PROGRAM, {"HOW": 2}, arch="sparc")
    with pytest.raises(NsocError, match=r"^error_mode\.elf on the core alone: error mode: trap 0x07 .* \(bad\+0x18\)"):
        core_alone.run(elf, "never", 1_000_000, "sparc")
