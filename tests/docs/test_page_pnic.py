# SPDX-License-Identifier: Apache-2.0
"""docs/pnic.md: its commands run, its example and its trace print what stands there, its numbers are those of the
sources. The figures of its bench are those of docs/data/figures.json."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs_pages import ROOT, check_same, check_words, defined, environment, example, needs, run, run_python, says, table
from docs_tables import header, parameter, source

from nsoc.machine import presets

PAGE = "docs/pnic.md"
COMMANDS = example(PAGE, "The programmable NIC", 1)
RICE, LOCK = presets.load("pnic-rice"), presets.load("pnic-rice-lock")
HANG_S = 900


@pytest.mark.slow
def test_the_driver_in_python_prints_what_stands_below_it(tmp_path: Path) -> None:
    said = run_python(example(PAGE, "A driver in Python", 1).text, tmp_path)
    check_same(example(PAGE, "A driver in Python", 2), said)


@pytest.mark.slow
def test_a_trace_shows_the_stages_that_stand_there(tmp_path: Path) -> None:
    (command,) = [line for line in COMMANDS.commands if line.startswith("nsoc trace")]
    says(PAGE, f"`{command}` sends frames both ways, one by one")
    pytest.importorskip("perfetto")
    check_words(example(PAGE, "Following a frame", 1), run(command, tmp_path))


@pytest.mark.slow
def test_gdb_stops_six_cores_as_shown() -> None:
    """Which core takes the first frames depends on when GDB lets them run."""
    needs("gdb-multiarch")
    (command,) = [line for line in COMMANDS.commands if line.startswith("nsoc gdb")]
    assert "[default: 3333]" in " ".join(run("nsoc gdb --help").split())
    session = example(PAGE, "Debugging six cores", 1)
    prompt = "(gdb) "
    typed = [line.removeprefix(prompt) for line in session.commands if line.startswith(prompt)]
    (hit,) = [line for line in session.commands if not line.startswith(prompt)]
    served = subprocess.Popen(
        [sys.executable, "-m", *command.split(), "--port", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    try:
        assert served.stderr is not None
        waiting = next(line for line in served.stderr if line.startswith("waiting: "))
        port, elf = waiting.split("remote :")[1].split("'")[0], waiting.split()[-1]
        assert typed[0] == "target remote :3333"
        commands = ["set pagination off", typed[0].replace("3333", port), *typed[1:], "continue", "kill"]
        parts = [part for one in commands for part in ("-ex", one)]
        done = subprocess.run(
            ["gdb-multiarch", "-nx", "-batch", *parts, elf],
            capture_output=True, text=True, check=False, timeout=HANG_S,
        )  # fmt: skip
    finally:
        served.kill()
        served.communicate()
    said = done.stdout + done.stderr
    pattern = re.escape(hit).replace(r"Thread\ 2", r"Thread \d").replace(r"\.\.\./", r"\S*/")
    assert re.search(f"^{pattern}$", said, re.MULTILINE), said
    assert len(re.findall(r"Thread \d \(core \d\)", said)) == RICE.cores and "watchpoint 2: news.read" in said


LONG = [line for line in COMMANDS.commands if line.split()[1] in ("bench", "sweep")]


@pytest.mark.long
@pytest.mark.parametrize("command", LONG, ids=lambda command: command.split(" --")[0])
def test_each_command_of_the_bench_runs(command: str, tmp_path: Path) -> None:
    said = run(command, tmp_path)
    assert "pnic" in said
    for file in re.findall(r"--json (\S+)", command):
        assert json.loads((tmp_path / file).read_text(encoding="utf-8"))


def test_the_list_has_no_other_commands() -> None:
    others = [line for line in COMMANDS.commands if line not in LONG]
    assert [line.split()[:2] for line in others] == [["nsoc", "trace"], ["nsoc", "gdb"]] and len(LONG) == 5


# ---- Numbers ---------------------------------------------------------------------------------------------------------


def test_the_presets_are_as_it_says() -> None:
    assert (RICE.order, LOCK.order, RICE.host_latency_ns, LOCK.host_latency_ns) == ("set-update", "lock", 0, 0)
    assert RICE.cores == LOCK.cores and RICE.banks == LOCK.banks
    says(
        PAGE,
        f"{RICE.cores} cores at {RICE.cpu_mhz:g} MHz with set and update, at {LOCK.cpu_mhz:g} MHz with locks, "
        f"{RICE.banks} banks, a host without latency",
    )
    frames = [line for line in COMMANDS.text.splitlines() if "--only frames" in line]
    assert len(frames) == 2
    for line, preset in zip(frames, (RICE, LOCK), strict=True):
        order = {"set-update": "set/update", "lock": "locks"}[preset.order]
        assert line.split()[3] == preset.name
        assert line.partition("# ")[2].startswith(f"{preset.cores} x {preset.cpu_mhz:g} MHz, {order}")


def test_numbers_of_the_firmware_are_those_of_its_sources() -> None:
    stages, run_h, published = "firmware/pnic/lib/stages.h", "firmware/pnic/lib/run.h", "firmware/pnic/apps/published.c"
    lean = "firmware/pnic/apps/lean.c"
    slot = (ROOT / run_h).read_text(encoding="utf-8")
    large = re.search(r"SLOT_BYTES 2048u .*; (\d+) for frames of up to (\d+)", slot)
    assert large and defined(stages, "TX_FETCH") == defined(lean, "TX_FETCH")
    says(
        PAGE,
        f"has them brought, {defined(stages, 'TX_FETCH')} a DMA",
        f"`receive_frames` takes up to {defined(lean, 'BATCH')} of them",
        f"| `lean` | batches of up to {defined(lean, 'BATCH')}, descriptors",
        f"when it has waited for {defined(published, 'PATIENCE')} rounds of the loop",
        f"Frames have 64 to {large[2]} bytes with FCS; beyond {defined(run_h, 'SLOT_BYTES')} firmware is compiled with "
        f"`SLOT_BYTES` {large[1]}, as `nsoc bench pnic --bytes {large[2]}` does",
    )
    pnic = (ROOT / "firmware/pnic/lib/pnic.h").read_text(encoding="utf-8")
    for name, operands in (("set", "x0, %0, %1"), ("update", "%0, %1, x0")):
        (kind,) = re.findall(rf"\.insn r 0x0B, 2, (\d), {operands}", pnic)
        assert re.search(rf"`{name} r[^`]+` \(`\.insn r 0x0B,\s2, {kind}`\)", (ROOT / PAGE).read_text(encoding="utf-8"))


def test_numbers_of_the_blocks_are_those_of_the_rtl() -> None:
    rows = {name: what for names, what in table(PAGE, "Blocks") for name in re.findall(r"\[(\w+)\]", names)}
    assert all((ROOT / f"rtl/pnic/{name}.sv").exists() for name in rows)
    core = (ROOT / "rtl/pnic/pnic_core.sv").read_text(encoding="utf-8")
    targets, ways = re.search(r"\.BTB_ENTRIES +\((\d+)\)", core), re.search(r"\.WAYS\((\d+)\)", core)
    assert targets and ways and ways[1] == "2"
    icache = int(parameter("pnic_core", "ICACHE_BYTES")) // 1024
    assert f"{targets[1]} branch targets, {icache} KB instruction cache of two ways" in rows["pnic_core"]
    assert f"{int(parameter('pnic_imem', 'BYTES')) // 1024} KB of instructions" in rows["pnic_imem"]
    banks = re.search(r"BANKS banks \((\d) to (\d), any number\)", header("pnic_crossbar"))
    assert banks
    row = 1 << int(parameter("pnic_pkg", "ROW_W"))
    assert rows["pnic_crossbar"] == f"{banks[1]} to {banks[2]} banks, round robin; a row of {row} words is in one bank"
    steps = re.findall(r"^//   (?:set|AMO|update).*? {2,}(\d)", source("pnic_bank"), re.MULTILINE)
    kept = [int(cycles) for cycles in steps]
    assert f"keeps the bank for {min(kept)} to {max(kept)} cycles" in rows["pnic_bank"]
    assert f"{1 << int(parameter('pnic_pkg', 'TAG_W'))} tags" in rows["pnic_dma_read"]
    words = {5: "five"}
    assert rows["pnic_frame_memory"].startswith(f"{words[int(parameter('pnic_frame_memory', 'CLIENTS'))]} clients")
    says(
        PAGE,
        f"or of more than {parameter('pnic_ring', 'MAX_BYTES')} | not done",
        f"crossbar with four banks and {parameter('pnic_crossbar', 'MASTERS')} masters",
    )


def test_cycles_of_a_core_are_those_of_its_unit() -> None:
    unit = source("pnic_lsu").split("Cycles in MEM")[1].split("Order:")[0]
    cycles = {kind: int(count) for kind, count in re.findall(r"//   ([a-z].*?) {2,}(\d)", unit)}
    says(
        PAGE,
        f"load {cycles['overlapped load']} if it overlaps (the register can be used three cycles later), store and "
        f"set {cycles['store, set, and AMO']}; AMO, LR, SC {cycles['load, AMO, LR, SC']} and update "
        f"{cycles['update']} in MEM",
    )


def test_bounds_of_the_proofs_are_those_of_their_table() -> None:
    listed = run(f"{sys.executable} tests/formal/run.py --list")
    depths = {name: int(depth) for name, depth in re.findall(r"^(pnic_bank_\w+) +bmc (\d+)", listed, re.MULTILINE)}
    proof = (ROOT / "tests/formal/fv_pnic_crossbar.sv").read_text(encoding="utf-8")
    wait = re.search(r"MOST = (\d) \+ (\d) \* \(MASTERS - 1\)", proof)
    assert wait and re.search(r"^pnic_crossbar +prove", listed, re.MULTILINE)
    says(
        PAGE,
        f"({min(depths.values())} to {max(depths.values())} cycles from reset on",
        f"nobody waits for longer than {wait[1]} + {wait[2]} cycles for each other master",
    )
