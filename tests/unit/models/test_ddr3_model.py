# SPDX-License-Identifier: Apache-2.0
"""ddr3_model: the first command that DDR3 forbids ends the simulation with its rule; one cycle later it is fine.

Limits in controller cycles of 5 ns, four of the memory's, from the data sheets that ddr3_pkg names.
"""

import ctypes
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import bench
import pytest

MODELS = bench.ROOT / "models"
SOURCE = Path(__file__).with_name("ddr3_harness.cpp")
BYTES = 1 << 28

MRS, REFRESH, PRECHARGE, ACTIVATE, WRITE, READ, ZQCL, NOP = range(8)  # RAS#, CAS#, WE#
ALL = 1 << 10
Command = tuple[int, int, int, int]  # cycles after the last, code, bank, address

# DDR3-1600: CWL 8; DLL on, RZQ/7, RZQ/4; BL8, CL 11, write recovery 12, DLL reset.
MODES = [(2, 0x018), (3, 0x000), (1, 0x006), (0, 0xD70)]


def packed(code: int, bank: int = 0, address: int = 0, cke: int = 1, reset_n: int = 1) -> int:
    """command_t"""
    return reset_n << 21 | cke << 20 | code << 17 | bank << 14 | address


def power_up(xpr: int = 24, modes: Sequence[tuple[int, int]] = MODES, mod: int = 3) -> list[tuple[int, int]]:
    """Up to ZQCL."""
    found = [(1, packed(NOP, cke=0, reset_n=0)), (2, packed(NOP, cke=0)), (3, packed(NOP))]
    for number, value in modes:
        found.append((3 + xpr if found[-1][0] == 3 else found[-1][0] + 3, packed(MRS, number, value)))
    return [*found, (found[-1][0] + mod, packed(ZQCL, 0, ALL))]


@pytest.fixture(scope="module")
def program() -> Path:
    """The harness with DDR3-1600."""
    return harness(5000)


def harness(clk_ps: int) -> Path:
    """The harness for a period of the controller's clock."""
    program = bench.BUILDS / f"ddr3_harness-{clk_ps}" / "ddr3_harness"
    sources = [bench.RTL / "mem" / "ddr3_pkg.sv", MODELS / "ddr3_model.sv", MODELS / "dram_store.cpp", SOURCE]
    # As the simulator is built: what stops the simulation must not be an assertion.
    command = ["verilator", "-Wall", "--no-assert", "--top-module", "ddr3_model", f"-GCLK_PS={clk_ps}"]
    command += [str(bench.WAIVERS), *map(str, sources), "--cc", "--exe", "--build", "-j", "1", "-o", program.name]
    command += ["--Mdir", str(program.parent), "-CFLAGS", "-std=c++17", "--output-split", "0"]
    command += ["-MAKEFLAGS", "OPT_FAST=-O0"]  # it runs for milliseconds
    return bench.build_harness(program, sources, command)


def play(program: Path, commands: Sequence[tuple[int, int]]) -> str:
    """The sentence the simulation ended with, empty when it did not."""
    text = "".join(f"{cycle} {command}\n" for cycle, command in commands)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    said = next((line for line in done.stdout.splitlines() if "DDR3 rule broken" in line), "")
    assert done.returncode == (1 if said else 0), done.stdout + done.stderr
    return said


def after_power_up(commands: Sequence[Command], start: int = 128) -> list[tuple[int, int]]:
    """Power-up and then commands, each so many cycles after the last one."""
    script = power_up()
    cycle = script[-1][0] + start
    for gap, code, bank, address in commands:
        cycle += gap
        script.append((cycle, packed(code, bank, address)))
    return script


OPEN: Command = (0, ACTIVATE, 2, 5)

# Rule, bank of the sentence, least cycles between the last two commands, and the commands; the last gap is replaced.
TIMES: list[tuple[str, int, int, list[Command]]] = [
    ("tRCD", 2, 3, [OPEN, (0, READ, 2, 8)]),
    ("tRCD", 2, 3, [OPEN, (0, WRITE, 2, 8)]),
    ("tRAS", 2, 7, [OPEN, (0, PRECHARGE, 2, 0)]),
    ("tRAS", 2, 7, [OPEN, (0, PRECHARGE, 7, ALL)]),
    ("tRP", 2, 3, [OPEN, (7, PRECHARGE, 2, 0), (0, ACTIVATE, 2, 6)]),
    ("tRP", 2, 3, [OPEN, (7, PRECHARGE, 2, 0), (0, REFRESH, 0, 0)]),
    ("tRRD", 3, 2, [OPEN, (0, ACTIVATE, 3, 5)]),
    ("tRTP", 2, 2, [OPEN, (7, READ, 2, 0), (0, PRECHARGE, 2, 0)]),
    ("tWR", 2, 6, [OPEN, (7, WRITE, 2, 0), (0, PRECHARGE, 2, 0)]),
    ("tWTR", 2, 5, [OPEN, (3, WRITE, 2, 0), (0, READ, 2, 0)]),
    ("turnaround", 2, 3, [OPEN, (3, READ, 2, 0), (0, WRITE, 2, 0)]),
    ("tRFC", 0, 22, [(0, REFRESH, 0, 0), (0, ACTIVATE, 0, 0)]),
    ("tRFC", 0, 22, [(0, REFRESH, 0, 0), (0, REFRESH, 0, 0)]),
]


@pytest.mark.parametrize(("rule", "bank", "least", "commands"), TIMES)
def test_a_command_too_early_by_a_cycle_is_refused(
    program: Path, rule: str, bank: int, least: int, commands: list[Command]
) -> None:
    def last_after(cycles: int) -> str:
        return play(program, after_power_up([*commands[:-1], (cycles, *commands[-1][1:])]))

    assert last_after(least) == ""
    said = last_after(least - 1)
    cycle = after_power_up([*commands[:-1], (least - 1, *commands[-1][1:])])[-1][0]
    assert f"DDR3 rule broken: {rule}, " in said and said.endswith(f", bank {bank}, cycle {cycle}")


def test_four_activates_in_their_window_are_all_there_may_be() -> None:
    # DDR3-1600 keeps the window of six cycles with tRRD alone, which is two. DDR3-1333: one, and five.
    slower = harness(6000)
    modes = [(2, 0x010), (3, 0x000), (1, 0x006), (0, 0xB60)]  # CWL 7, CL 10, write recovery 10

    def five(last_after: int) -> str:
        script = power_up(modes=modes)
        begin = script[-1][0] + 128
        script += [(begin + bank, packed(ACTIVATE, bank)) for bank in range(4)]
        return play(slower, [*script, (begin + 3 + last_after, packed(ACTIVATE, 4))])

    assert five(2) == ""
    assert "rule broken: tFAW, the fifth ACTIVATE too soon after the first, bank 4" in five(1)


@pytest.mark.parametrize(
    ("rule", "commands"),
    [
        ("bank state, ACTIVATE of a bank that is open", [OPEN, (20, ACTIVATE, 2, 5)]),
        ("bank state, READ or WRITE of a bank that is closed", [OPEN, (20, READ, 3, 0)]),
        ("bank state, READ or WRITE of a bank that is closed", [OPEN, (20, PRECHARGE, 2, 0), (20, WRITE, 2, 0)]),
        ("bank state, REFRESH with a bank open", [OPEN, (20, REFRESH, 0, 0)]),
        ("bank state, MRS with a bank open", [OPEN, (20, MRS, 1, 6)]),
        ("bank state, ZQCL with a bank open", [OPEN, (20, ZQCL, 0, ALL)]),
        ("size, ACTIVATE of a row that is not there", [(0, ACTIVATE, 0, 4096)]),
        ("auto-precharge, ", [OPEN, (20, READ, 2, ALL)]),
        ("burst, READ or WRITE within a burst", [OPEN, (20, WRITE, 2, 4)]),
        ("mode register, ", [(0, MRS, 0, 0xD60)]),
    ],
)
def test_a_command_that_the_bank_is_not_ready_for_is_refused(program: Path, rule: str, commands: list[Command]) -> None:
    assert f"DDR3 rule broken: {rule}" in play(program, after_power_up(commands))
    assert play(program, after_power_up(commands[:-1])) == ""


def test_a_refresh_may_be_put_off_for_nine_intervals_and_no_longer(program: Path) -> None:
    limit = 9 * 1560

    def second_after(cycles: int) -> str:
        return play(program, after_power_up([(0, REFRESH, 0, 0), (cycles, REFRESH, 0, 0)]))

    assert second_after(limit) == ""
    assert "tREFI, REFRESH was put off for more than 9 tREFI" in second_after(limit + 1)
    # Any command finds it.
    assert "tREFI" in play(program, after_power_up([(0, REFRESH, 0, 0), (limit + 1, ACTIVATE, 0, 0)]))
    # Refreshes put off must be made good: one in two intervals is not enough for long.
    slow: list[Command] = [(2 * 1560, REFRESH, 0, 0)] * 12
    assert "tREFI" in play(program, after_power_up(slow))
    assert play(program, after_power_up(slow[:6])) == ""
    # One done in advance is one that need not be made good later.
    ahead: list[Command] = [(100, REFRESH, 0, 0)] * 4
    assert play(program, after_power_up([*ahead, *slow[:9]])) == ""


def test_the_power_up_has_its_order(program: Path) -> None:
    assert play(program, power_up()) == ""
    assert "rule broken: tXPR, " in play(program, power_up(xpr=23))
    assert "rule broken: tMOD, " in play(program, power_up(mod=2))
    assert "rule broken: power-up, ZQCL" in play(program, power_up(modes=MODES[:3]))
    early = power_up()[:-1]
    assert "rule broken: power-up, a command before" in play(program, [*early, (early[-1][0] + 3, packed(ACTIVATE))])
    assert "rule broken: tZQinit, " in play(program, after_power_up([OPEN], 127))
    assert "rule broken: CKE, " in play(program, [(1, packed(NOP, cke=0)), (2, packed(MRS, 2, 0x18, cke=0))])
    assert "rule broken: RESET#, " in play(program, [(1, packed(NOP, reset_n=0))])


def words(data: bytes) -> ctypes.Array:
    """A burst as the model hands it over: of each 8 bytes the last is the least significant one."""
    turned = b"".join(data[n : n + 8][::-1] for n in range(0, 64, 8))
    return (ctypes.c_uint32 * 16).from_buffer_copy(turned)


def test_the_store_holds_bytes_in_bus_order_and_several_do_not_mix(tmp_path: Path) -> None:
    library = tmp_path / "dram_store.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-o", library, MODELS / "dram_store.cpp"], check=True)
    c = ctypes.CDLL(str(library))
    c.nsoc_dram_new.restype = c.nsoc_dram_bytes.restype = ctypes.c_void_p
    c.nsoc_dram_new.argtypes = [ctypes.c_ulonglong]
    c.nsoc_dram_read.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_void_p]
    c.nsoc_dram_write.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_void_p, ctypes.c_ulonglong]
    c.nsoc_dram_delete.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong]

    stores = []
    for _ in range(3):
        handle = c.nsoc_dram_new(BYTES)
        stores.append((handle, (ctypes.c_ubyte * BYTES).from_address(c.nsoc_dram_bytes())))
    rng = random.Random(5)
    for n, (handle, view) in enumerate(stores):
        data, more = rng.randbytes(64), rng.randbytes(64)
        c.nsoc_dram_write(handle, 64 * n, words(data), 2**64 - 1)
        assert bytes(view[64 * n : 64 * n + 64]) == data
        c.nsoc_dram_write(handle, 64 * n, words(more), 0x80 | 1 << 56)  # the first byte and the last
        assert bytes(view[64 * n : 64 * n + 64]) == more[:1] + data[1:63] + more[63:]
        view[BYTES - 64 : BYTES] = data
        got = words(bytes(64))
        c.nsoc_dram_read(handle, BYTES - 64, got)
        assert bytes(got) == bytes(words(data))
    for n, (handle, view) in enumerate(stores):
        assert [any(view[64 * m : 64 * m + 64]) for m in range(3)] == [m == n for m in range(3)]
        c.nsoc_dram_delete(handle, BYTES)
