# SPDX-License-Identifier: Apache-2.0
"""The simulator's C interface holds whatever it is called with: nothing ends the process, nothing is cut to fit."""

import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from runs import some

import nsoc
from nsoc.machine import build, c_library, firmware, presets, sim
from nsoc.machine.debug import Point
from nsoc.machine.soc import boot_config
from nsoc.network import network_library

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("c_boundary_child.py")
NETWORK_CHILD = Path(__file__).with_name("network_boundary_child.py")
SEEDS, CALLS = 3, 1500

WILD = """
#include "nsoc_regs.h"
#include "uart.h"
int main(void) {
    NSOC_NIC->queue_free_base = 0x12345678;
    uart_puts("wild\\n");
    return 0;
}
"""


@pytest.mark.parametrize(
    ("header_file", "functions"),
    [("nsoc_sim.h", sim.FUNCTIONS), ("network/nsoc_network.h", network_library.FUNCTIONS)],
)
def test_python_declares_every_function_as_the_header_does(header_file: str, functions: c_library.Functions) -> None:
    header = re.sub(r"//[^\n]*", "", (ROOT / "sim" / header_file).read_text())
    found = {}
    for result, name, parameters in re.findall(r"^(\w[\w ]*?[ *]+)(nsoc_\w+)\(([^)]*)\);", header, re.M):
        names = [] if parameters == "void" else re.findall(r"(\w+)(?:,|$)", parameters)
        integers = re.findall(r"(u?int\d+)_t \w+(?:,|$)", parameters)
        found[name] = (result.replace(" ", ""), names, integers)
    assert set(found) == set(functions)
    for name, (result, names, integers) in found.items():
        declared, parameters = functions[name]
        assert list(parameters) == names, name
        numbers = [kind for kind in parameters.values() if kind in c_library.INTEGERS and kind is not sim.c_int]
        assert [_c_names(kind)[0] for kind in numbers] == integers, name
        assert result.removesuffix("_t").removeprefix("const") in _c_names(declared), name


def _c_names(kind: object) -> tuple[str, ...]:
    return {
        sim.c_int: ("int",), sim.c_uint32: ("uint32",), sim.c_uint64: ("uint64",), sim.c_int64: ("int64",),
        sim.c_void_p: ("nsoc_sim_t*", "nsoc_network_t*"),
        sim.c_char_p: ("char*",), sim.SocCalls: ("nsoc_soc_calls_t*",),
    }[kind]  # fmt: skip


def _child_calls(program: Path, *arguments: str) -> dict[str, Counter[str]]:
    done = subprocess.run([sys.executable, str(program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments} ended with {done.returncode}: {done.stderr[-2000:]}"
    return {name: Counter(went) for name, went in json.loads(done.stdout).items()}


@pytest.mark.parametrize("preset", some(["nic12-fast"], ["nic11-fast"]))
def test_no_call_with_whatever_arguments_ends_the_process(preset: str) -> None:
    build.simulator(presets.load(preset))
    went = {name: Counter[str]() for name in sim.FUNCTIONS}
    for seed in range(SEEDS):
        for name, counts in _child_calls(CHILD, preset, str(seed), str(CALLS)).items():
            went[name] += counts
    never_fails = {"nsoc_abi_version", "nsoc_error", "nsoc_soc_calls"}
    never_does = {"nsoc_waves", "nsoc_trace"}  # not in this build
    assert {name for name, counts in went.items() if not counts["failed"]} == never_fails
    assert {name for name, counts in went.items() if not counts["did"]} == never_does


def test_no_call_of_the_network_ends_the_process() -> None:
    went = {name: Counter[str]() for name in network_library.FUNCTIONS}
    for seed in range(2 * SEEDS):
        for name, counts in _child_calls(NETWORK_CHILD, str(seed), str(2 * CALLS)).items():
            went[name] += counts
    no_tap = {f"nsoc_network_{name}" for name in ("soc", "tap", "tap_counts")}
    never_fails = {f"nsoc_network_{name}" for name in ("abi_version", "create", "error")}
    assert {name for name, counts in went.items() if not counts["failed"]} == never_fails
    assert {name for name, counts in went.items() if not counts["did"]} == no_tap


def test_a_queue_where_no_memory_is_is_an_error_with_its_name(tmp_path: Path) -> None:
    source = tmp_path / "wild.c"
    source.write_text(WILD)
    preset = presets.load("nic11-fast")
    elf = firmware.compile_program("wild", [source], preset.firmware_defines())
    with nsoc.Soc(preset, elf, checks=True) as soc:
        soc.run(us=2000, text="wild\n")
        assert soc.uart.text == "wild\n"
        try:
            assert soc.pointers()["freeq"] == []  # not asked: its length is 0 without nic_init
        except nsoc.NsocError as problem:
            pytest.fail(str(problem))
    source.write_text(WILD.replace("NSOC_NIC->queue_free", "NSOC_NIC->queue_setup = 64; NSOC_NIC->queue_free"))
    elf = firmware.compile_program("wild", [source], preset.firmware_defines())
    with nsoc.Soc(preset, elf, checks=True) as soc:
        soc.run(us=2000, text="wild\n")
        with pytest.raises(nsoc.NsocError, match=r"queue freeq where there is no memory .* 0x12345678"):
            soc.pointers()
        assert soc.run(us=1) == "time" and soc.fifos()["mac_rx"].frames == 0, "the SoC goes on"


BEYOND = 2**70


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (lambda soc: soc.peek(BEYOND, 4), "address must be"),
        (lambda soc: soc.peek(-1, 4), "address must be"),
        (lambda soc: soc.peek(0, -1), "length must be"),
        (lambda soc: soc.peek(0, BEYOND), "length must be"),
        (lambda soc: soc.peek(0.5, 4), "address must be a whole number"),
        (lambda soc: soc.load(BEYOND, b"x"), "address must be"),
        (lambda soc: soc.load(0, "text"), "data must be bytes"),
        (lambda soc: soc.run(us=math.nan), "microseconds, not nan"),
        (lambda soc: soc.run(us=math.inf), "microseconds, not inf"),
        (lambda soc: soc.run(us=1, idle_us=math.nan), "microseconds, not nan"),
        (lambda soc: soc.run(us=1e30), "cycles must be"),
        (lambda soc: soc.run(cycles=2**63), "simulated time ends"),
        (lambda soc: soc.run(cycles=1.5), "cycles must be a whole number"),
        (lambda soc: soc.run(us=1, frames=BEYOND), "frames must be"),
        (lambda soc: soc.run(us=1, frames=-1), "frames must be"),
        (lambda soc: soc.run(us=1, sent=-1), "sent must be"),
        (lambda soc: soc.run(us=1, sent=BEYOND), "queued must be"),
        (lambda soc: soc.run(us=1, text="a\0b"), "zero byte"),
        (lambda soc: soc.wire.send(bytes(60), preamble=2**32), "preamble is 4294967296"),
        (lambda soc: soc.wire.send(bytes(60), preamble=65536), "preamble is 65536"),
        (lambda soc: soc.wire.send(bytes(60), ifg=2**32), "ifg is 4294967296"),
        (lambda soc: soc.wire.send(bytes(60), not_before=2**60), "not_before must be"),
        (lambda soc: soc.wire.send(bytes(60), not_before=BEYOND), "not_before is"),
        (lambda soc: soc.wire.send(bytes(60), error_at=-2), "error_at must be"),
        (lambda soc: soc.wire.send(bytes(60), cut_at=2**31), "cut_at must be"),
        (lambda soc: soc.wire.send(bytes(60), ifg=12.5), "ifg must be a whole number"),
        (lambda soc: soc.wire.receive(timeout_us=math.nan), "microseconds, not nan"),
        (lambda soc: soc.debugger().x(32), "no register x32"),
        (lambda soc: soc.debugger().set_x(1, 2**32), "value must be"),
        (lambda soc: soc.debugger().csr(-1), "number must be"),
        (lambda soc: soc.debugger().insert(2**32), "address must be"),
        (lambda soc: soc.debugger().insert(0xFFFF_FFFF, Point.WRITE, 2), "behind the last address"),
        (lambda soc: soc.debugger().read(0, -1), "length must be"),
        (lambda soc: soc.debugger().write(0x4000_0000, BEYOND), "data must be bytes"),
        (lambda soc: soc.debugger().run(cycles=2**63), "simulated time ends"),
        (lambda soc: soc._sim.probe("no such"), "there is no probe no such"),
    ],
)
def test_a_value_out_of_range_is_a_sentence_and_changes_nothing(soc: nsoc.Soc, what, says: str) -> None:
    with pytest.raises(nsoc.NsocError, match=says):
        what(soc)
    assert soc.wire.queued == 0
    soc.wire.send(bytes(60))
    assert soc.run(us=10, sent=0) == "sent"


@pytest.fixture(scope="module")
def soc() -> nsoc.Soc:
    return nsoc.Soc()


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_a_sentence(seed: int) -> None:
    with pytest.raises(nsoc.NsocError, match="seed must be"):
        nsoc.Soc(seed=seed)


@pytest.mark.parametrize(
    "field", ["cpu_period_fs", "nic_period_fs", "dram_period_fs", "rx_period_fs", "tx_period_fs", "uart_divisor"]
)
@pytest.mark.parametrize("value", [0, 1, 2**32 - 1])
def test_a_configuration_that_cannot_run_is_a_sentence(field: str, value: int) -> None:
    preset = presets.load()
    config = boot_config(preset, 1)
    setattr(config, field, value)
    with pytest.raises(nsoc.NsocError, match=r"the SoC cannot start: .* must be \d+ to \d+, not"):
        sim.Simulation(build.simulator(preset), config)


def test_a_system_without_room_for_the_memory_is_a_sentence() -> None:
    code = (
        "import resource, nsoc; from nsoc.machine import build, presets, sim, soc as socs\n"
        "soc = nsoc.Soc(); preset = presets.load()\n"
        "config = socs.boot_config(preset, 1); built = build.simulator(preset)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (192 << 20),) * 2)\n"
        "try: sim.Simulation(built, config)\n"
        "except nsoc.NsocError as problem: print(problem)\n"
        "soc.run(us=1)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (
        0, "the SoC cannot start: the system has no room for 256 MB of simulated DRAM\n"
    ), done.stderr  # fmt: skip
