# SPDX-License-Identifier: Apache-2.0
"""What is said of a core in error mode."""

from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.machine import error_mode, firmware


class Stopped:
    """Of a simulation what check() looks at."""

    def __init__(self, values: list[int] | None, *, closed: bool = False) -> None:
        self.values, self.closed = values, closed

    def probes(self) -> list[str]:
        return ["counters"] if self.values is None else ["counters", error_mode.PROBE]

    def probe(self, name: str) -> list[int]:
        assert name == error_mode.PROBE and self.values is not None
        return self.values


@pytest.fixture(scope="module")
def elf() -> Path:
    return firmware.build("hello", arch="sparc")


def check(values: list[int] | None, elf: Path, cores: int = 1) -> None:
    error_mode.check(Stopped(values), elf, "a-preset", cores)  # type: ignore[arg-type]


def test_an_address_is_a_place_in_a_function(elf: Path) -> None:
    assert error_mode.place(elf, 0) == "trap_table"
    assert error_mode.place(elf, 8).startswith("trap_table+0x8")
    found = {error_mode.place(elf, address).partition("+")[0] for address in range(0x1000, 0x1400, 4)}
    assert {"start", "window_overflow", "window_underflow", "trap_entry", "main"} <= found
    assert error_mode.place(elf, 0xFFF0_0000) == ""
    assert error_mode.place(elf, 0x4000_0000) == "", "data"


def test_a_program_without_symbols_has_no_places(elf: Path, tmp_path: Path) -> None:
    content = bytearray(elf.read_bytes())
    content[32:36] = bytes(4)
    stripped = tmp_path / "stripped.elf"
    stripped.write_bytes(content)
    assert error_mode.place(stripped, 0) == ""


def test_the_sentence_names_trap_place_and_last_instructions(elf: Path) -> None:
    with pytest.raises(NsocError) as said:
        check([0, 5, 8, 4, 0x0100_0000, 0x9000_0000, error_mode.NO_WORD], elf)
    assert str(said.value) == (
        "hello on a-preset: error mode: trap 0x05 (window_overflow) at 0x8 (trap_table+0x8) with traps disabled; "
        "last instructions: 01000000 at 0x4, no memory at 0x90000000"
    )


def test_of_several_cores_it_names_the_one(elf: Path) -> None:
    with pytest.raises(NsocError, match=r"^hello on a-preset, core 2: error mode: .*; last instructions: none$"):
        check([2, 0x83, 0x9000_0000], elf, cores=4)


@pytest.mark.parametrize("values", [None, []])
def test_a_core_that_goes_on_is_no_error(values: list[int] | None, elf: Path) -> None:
    check(values, elf)


def test_a_simulation_that_is_closed_is_not_asked(elf: Path) -> None:
    stopped = Stopped([0, 5, 8], closed=True)
    error_mode.check(stopped, elf, "a-preset", 1)  # type: ignore[arg-type]


def test_each_type_of_trap_has_a_name() -> None:
    assert error_mode.trap_name(0x83) == "trap instruction 3"
    assert error_mode.trap_name(0x1F) == "interrupt of level 15"
    assert error_mode.trap_name(0x0B) == "no trap of this processor"
