# SPDX-License-Identifier: Apache-2.0
"""Instruction tests of the processor slot: programs that check themselves, and random programs against a simulator.

The bench (tests/support/cpu/tb.cpp) clocks cpu_slot in C++; nothing here runs per cycle. Each program runs without
stalls and with three levels of random stalls on both bus channels, each with its own seed and memory latency; a
directed one in the default run at two of these four.

The default run has caches so small that hardly anything stays in them. The whole SoC's tests have them as they are by
default; here they are in the long run.
"""

import hashlib
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import compressed
import generate
import pytest
from bench import ROOT, RTL, SUPPORT, WAIVERS, _environment, locked
from iss import Iss
from runs import seeds, some

HERE = SUPPORT / "cpu"
PROGRAMS = HERE / "programs"

BENCH = [HERE / "cpu_tb.sv", HERE / "tb.cpp", HERE / "custom_unit.sv", HERE / "small_slot.sv"]
CPU = RTL / "cpu"
SOURCES = [
    RTL / "bus" / "acb_pkg.sv", CPU / "core" / "cpu_slot_pkg.sv", CPU / "core" / "cpu_regions_pkg.sv",
    CPU / "core" / "cpu_core_pkg.sv", CPU / "rv" / "rv_csr_pkg.sv", CPU / "rv" / "rv_pkg.sv",
    RTL / "soc" / "map" / "memory_map_pkg.sv", RTL / "pnic" / "pnic_pkg.sv",
]  # fmt: skip
FOLDERS = [CPU, CPU / "core", CPU / "rv", RTL / "pnic", RTL / "common", RTL / "bus"]
# What a random program works on: the DRAM data area and log, and local memory.
DRAM_BYTES, LOCAL_BYTES = 0x20000, 0x1000
LOCAL = 0x5000_0000
# Programs that neither let an uncached load fail nor count in one slave what happens in another.
OVERLAPPING = ("atomics.S", "interrupts.S", "cache_stress.c", "simple.c")


def build_once(name: str, inputs: list[Path], command: Callable[[Path], list[str]]) -> Path:
    """The folder with what `command` makes of `inputs`, made on the first call for this content."""
    digest = hashlib.sha256()
    for path in inputs:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(repr(command(Path("."))).encode())
    folder = ROOT / "build" / "unit" / f"{name}-{digest.hexdigest()[:16]}"
    with locked(folder):
        if not (folder / "done").exists():
            run = subprocess.run(command(folder), env={**os.environ, **_environment()}, capture_output=True, text=True)
            assert run.returncode == 0, f"{name}: {run.stdout}{run.stderr}"
            (folder / "done").touch()
    return folder


def test_nothing_outside_the_core_knows_its_instruction_set() -> None:
    """Packages of the core in rtl/cpu/rv are for that folder only, and for the small core that is made of it."""
    core = RTL / "cpu" / "rv"
    small = [RTL / "pnic" / name for name in ("pnic_core.sv", "pnic_lsu.sv")]
    packages = [path.stem for path in core.glob("*_pkg.sv")]
    assert "rv_pkg" in packages
    for path in RTL.rglob("*.sv"):
        if path.parent != core and path not in small:
            assert not [name for name in packages if f"{name}::" in path.read_text(encoding="utf-8")], path


# The slot as it is by default, and with caches so small that hardly anything stays in them.
CACHES = {"default_caches": [], "tiny_caches": ["-GICACHE_BYTES=128", "-GDCACHE_BYTES=128"]}


@pytest.fixture(scope="session", params=some(["tiny_caches"], ["default_caches"]))
def bench(request: pytest.FixtureRequest) -> Path:
    """The Verilated slot with its bench."""
    return build_bench(CACHES[request.param])


@pytest.fixture(scope="session")
def unit_bench() -> Path:
    """The slot with a unit for custom-0 instructions, which reads and writes lines of the data cache as well."""
    return build_bench(["-GUNIT=1", "-GICACHE_BYTES=512", "-GDCACHE_BYTES=512"])


@pytest.fixture(scope="session")
def small_bench() -> Path:
    """The small core with its scratchpad, and a cache that is hardly one."""
    return build_bench(["-GSMALL=1", "-GICACHE_BYTES=256"])


@pytest.fixture(scope="session")
def short_bench() -> Path:
    """The slot with instructions of 16 bits, and such small caches that lines miss all the time."""
    return build_bench(["-GCOMPRESSED=1", *CACHES["tiny_caches"]])


def build_bench(parameters: list[str]) -> Path:
    """The bench with these parameters of cpu_tb. Registers start with random values."""
    inputs = [*SOURCES, *(path for folder in FOLDERS for path in sorted(folder.glob("*.sv"))), *BENCH]
    optimization = "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"

    def command(folder: Path) -> list[str]:
        return [
            "verilator", "-Wall", "--cc", "--exe", "--build", "-j", "1", "--output-split", "0", "--assert",
            "--x-assign", "unique", "--x-initial", "unique", *parameters,
            "-CFLAGS", "-std=c++17", "-MAKEFLAGS", optimization, "--Mdir", str(folder), "-o", "cpu_bench",
            str(WAIVERS), *map(str, SOURCES), *(word for folder in FOLDERS for word in ("-y", str(folder))),
            "--top-module", "cpu_tb", "--prefix", "Vcpu_slot",
            *map(str, BENCH),
        ]  # fmt: skip

    return build_once("cpu", inputs, command) / "cpu_bench"


def compile_program(out: Path, *sources: Path, core: str = "", code: str = "", overlap: bool = False) -> Path:
    """Link C and assembly files into an ELF file that starts at address 0.

    `core` "c" is the core that has instructions of 16 bits; `code` "c": the compiler is to use them wherever it can.
    `overlap`: the program begins with switching overlapped loads on.
    """
    command = [
        sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding",
        f"-mcpu=generic_rv32+m+a+zba+zbb+zicsr+zifencei{'+c' if code else ''}", *(["-DCOMPRESSED"] if core else []),
        *(["-DOVERLAP"] if overlap else []),
        "-O1", "-g0", "-ffreestanding", "-fno-builtin", "-nostdlib",
        "-rtlib=compiler-rt", "-mno-relax", f"-Wl,-T,{PROGRAMS / 'link.ld'}", f"-I{PROGRAMS}",
        "-o", str(out), *map(str, sources),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return out


def run_program(bench: Path, elf: Path, stall: int, seed: int, *options: str) -> None:
    """Run to its end; fails with what the bench says."""
    latency = 1 + seed * 5 % 17
    command = [str(bench), str(elf), "--stall", str(stall), "--seed", str(seed), "--latency", str(latency),
               "--cycles", "3000000", *options]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    assert run.returncode == 0, f"{' '.join(command)}\n{run.stdout}{run.stderr}"


# Interrupts, the most urgent one first: mcause, place among the bench's lines (of the bus error: none).
INTERRUPTS = {0x8000_0010: None, 0x8000_000B: 2, 0x8000_0003: 0, 0x8000_0007: 1}
# CSRs in the trace, with what is compared of each (mstatus.MPP is a constant).
TRACED = {0x300: 0x88, **dict.fromkeys((0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0x7C1), 0xFFFF_FFFF)}
SOON = 4  # an interrupt that has been pending and enabled for so many instructions is taken


class InterruptCheck:
    """Each interrupt that is taken is enabled, was pending a moment ago, and the most urgent one; none is forgotten."""

    def __init__(self) -> None:
        self.enabled = dict.fromkeys(INTERRUPTS, 0)  # for how many instructions, one behind the other
        self.taken = 0

    def before(self, iss: Iss, taken: int, were_high: int, high_for: int) -> None:
        """Before each instruction; `taken` is the interrupt that comes first, or 0."""
        for cause, line in INTERRUPTS.items():
            self.enabled[cause] = self.enabled[cause] + 1 if iss.enables(cause) else 0
            if cause == taken:
                assert iss.enables(cause), f"interrupt {cause:#x} is not enabled"
                pending = iss.bus_error if line is None else were_high >> line & 1
                assert pending, f"interrupt {cause:#x} is not pending"
                self.taken += 1
                break
            if line is not None and min(high_for >> 4 * line & 15, self.enabled[cause]) > SOON:
                raise AssertionError(f"interrupt {cause:#x} waits for {hex(taken) if taken else 'nothing'}")


def check_trace(
    elf: Path, trace: Path, writes: Path, about: str, unit: bool = False, core: str = "", small: bool = False
) -> int:
    """Every retired instruction must have done what the ISS does: operands, result, access, next address, trap, CSRs.

    The trace tells when which interrupt was taken and what a counter held; everything else is the ISS's own. `writes`
    are those that the bus has seen, of stores, atomics and SC. Returns the number of interrupts taken.
    """
    iss = Iss(unit=unit, compressed=bool(core), small=small)
    iss.load_elf(elf)
    interrupts = InterruptCheck()
    for number, record in enumerate(struct.iter_unpack("<24I", trace.read_bytes())):
        found, (taken, were_high, high_for, *csrs) = record[:13], record[13:]
        where = f"{about}: instruction {number} at {found[2]:#x}"
        try:
            interrupts.before(iss, taken, were_high, high_for)
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}") from None
        expected = iss.retire(interrupt=taken, counter=found[8])
        assert found == expected, f"{where}\ncore {list(map(hex, found))}\nISS  {list(map(hex, expected))}"
        for csr, held in zip(TRACED, csrs, strict=True):
            wanted = iss.csr[csr] & TRACED[csr]
            assert held == wanted, f"{where}: CSR {csr:#x} holds {held:#x}, in the ISS {wanted:#x}"
    assert iss.ended, f"{about}: the trace ends too early"
    on_bus = [write for write in iss.writes if not small or write[0] >> 18 != LOCAL >> 18]
    expected_writes = [on_the_bus(*write) for write in on_bus]
    found_writes = [
        (address, mask, bytes(byte if mask & 0x80 >> i else 0 for i, byte in enumerate(data)))
        for address, mask, data in struct.iter_unpack("<II8s", writes.read_bytes())
    ]
    for number, (seen, wanted_write) in enumerate(zip(found_writes, expected_writes, strict=False)):
        assert seen == wanted_write, f"{about}: write {number} on the bus is {seen}, in the ISS {wanted_write}"
    assert len(found_writes) == len(expected_writes), f"{about}: writes on the bus"
    return interrupts.taken


def on_the_bus(address: int, size: int, value: int) -> tuple[int, int, bytes]:
    """Dword, mask and lanes of a write: memory has a byte in the lane of its address, a device its word as a number."""
    lanes = bytearray(8)
    at = address & 7
    if address >> 24 == 0xFF:
        at = (address & 4) + 4 - (address & 3) - size
        data = value.to_bytes(size, "big")
    else:
        data = value.to_bytes(size, "little")
    lanes[at : at + size] = data
    return address & ~7, ((1 << size) - 1) << (8 - at - size), bytes(lanes)


SOME_STALLS = (0, 3)
"""Levels of stalls in the default run: none, and the most."""


def run_at_stalls(bench: Path, elf: Path, stalls: Iterable[int] = SOME_STALLS) -> None:
    for stall in stalls:
        run_program(bench, elf, stall, seed=stall + 1)


def check_directed_program(
    text: str,
    bench: Path,
    folder: Path,
    stalls: Iterable[int] = SOME_STALLS,
    core: str = "",
    code: str = "",
    overlap: bool = False,
) -> None:
    """Every instruction as in the ISS."""
    source, trace, writes = folder / "program.S", folder / "trace.bin", folder / "writes.bin"
    source.write_text(text)
    elf = compile_program(folder / "program.elf", source, core=core, code=code, overlap=overlap)
    for stall in stalls:
        run_program(bench, elf, stall, stall + 1, "--trace", str(trace), "--writes", str(writes))
        check_trace(elf, trace, writes, f"stall {stall}", core=core)


@pytest.mark.parametrize("stalls", some([SOME_STALLS], [((1, 2),)]), ids=str)
@pytest.mark.parametrize("name", generate.DIRECTED)
def test_directed_program_does_in_every_instruction_what_the_iss_does(
    name: str, stalls: tuple[int, ...], bench: Path, tmp_path: Path
) -> None:
    check_directed_program(generate.DIRECTED[name](), bench, tmp_path, stalls)


@pytest.mark.parametrize("stalls", some([SOME_STALLS], [((1, 2),)]), ids=str)
@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.S") if p.stem != "start"))
def test_self_checking_program(name: str, stalls: tuple[int, ...], bench: Path, tmp_path: Path) -> None:
    run_at_stalls(bench, compile_program(tmp_path / "program.elf", PROGRAMS / f"{name}.S"), stalls)


@pytest.mark.parametrize("stalls", some([SOME_STALLS], [((1, 2),)]), ids=str)
@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.c")))
def test_c_program(name: str, stalls: tuple[int, ...], bench: Path, tmp_path: Path) -> None:
    sources = PROGRAMS / "start.S", PROGRAMS / f"{name}.c"
    run_at_stalls(bench, compile_program(tmp_path / "program.elf", *sources), stalls)


def check_random_program(
    seed: int,
    interrupts: bool,
    length: int,
    bench: Path,
    folder: Path,
    unit: bool = False,
    core: str = "",
    code: str = "",
    overlap: bool = False,
    halt: int = 0,
    small: bool = False,
) -> None:
    """Every instruction as in the ISS; registers, trap log, memories and the count of instructions end as there."""
    source = folder / "program.S"
    source.write_text(generate.RandomProgram(seed, interrupts, length, unit, overlap, small).text())
    elf = compile_program(folder / "program.elf", source, core=core, code=code)
    iss = Iss(unit=unit, compressed=bool(core), small=small)
    iss.load_elf(elf)
    iss.run()
    for stall in range(4):
        dram, local, trace, writes = (folder / f"{name}.bin" for name in ("dram", "local", "trace", "writes"))
        run_program(bench, elf, stall, 4 * seed + stall,
                    "--dump", "0x40000000", str(DRAM_BYTES), str(dram),
                    "--dump", "0x50000000", str(LOCAL_BYTES), str(local),
                    "--trace", str(trace), "--writes", str(writes), *(["--snoop"] if stall % 2 else []),
                    *(["--halt", str(halt)] if halt else []))  # fmt: skip
        taken = check_trace(elf, trace, writes, f"seed {seed}, stall {stall}", unit, core, small)
        assert (taken > 2) == interrupts, f"seed {seed}, stall {stall}: {taken} interrupts"
        memories = [("DRAM", dram, iss.dram)]
        if not small:  # its local memory is not the bench's: the trace has what was read there
            memories += [("local memory", local, iss.local)]
        for name, file, expected in memories:
            found = file.read_bytes()
            wrong = [i for i in range(0, len(found), 4) if found[i : i + 4] != expected[i : i + 4]]
            assert not wrong, f"seed {seed}, stall {stall}: {name} differs from the ISS at {list(map(hex, wrong[:8]))}"


@pytest.mark.parametrize("seed", seeds(4, 20))
def test_random_program_ends_as_in_the_instruction_set_simulator(seed: int, bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, False, 300, bench, tmp_path)


@pytest.mark.parametrize("seed", seeds(2, 14, first=100))
def test_random_interrupts_leave_no_trace_in_a_random_program(seed: int, bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, True, 300, bench, tmp_path)


@pytest.mark.slow  # a simulator of its own; in `make test` this core runs the programs of test_pnic_system
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("seed", seeds(2, 20, first=700))
def test_random_program_on_the_small_core(seed: int, overlap: bool, small_bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, False, 300, small_bench, tmp_path, overlap=overlap, halt=seed % 2 * 30, small=True)


ELSEWHERE = ("every_amo_on_corner_operands",)
"""Directed programs that count on atomics in DRAM."""


@pytest.mark.slow
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("name", [name for name in generate.SMALL_DIRECTED if name not in ELSEWHERE])
def test_directed_program_on_the_small_core(name: str, overlap: bool, small_bench: Path, tmp_path: Path) -> None:
    source, trace, writes = tmp_path / "program.S", tmp_path / "trace.bin", tmp_path / "writes.bin"
    source.write_text(generate.SMALL_DIRECTED[name]())
    elf = compile_program(tmp_path / "program.elf", source, overlap=overlap)
    for stall in SOME_STALLS:
        run_program(small_bench, elf, stall, stall + 1, "--trace", str(trace), "--writes", str(writes))
        check_trace(elf, trace, writes, f"stall {stall}", small=True)


# ---- Run and halt: a program that is stopped again and again ends as one that is not.


@pytest.mark.parametrize("every", some([3], [20, 200]))
@pytest.mark.parametrize("seed", seeds(2, 6, first=600))
def test_random_program_that_is_halted_again_and_again(seed: int, every: int, bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 2 == 0, 300, bench, tmp_path, overlap=seed % 3 == 0, halt=every)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 4, first=610))
def test_short_instructions_that_are_halted_again_and_again(seed: int, short_bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 2 == 0, 300, short_bench, tmp_path, core="c", code="c", halt=30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 4, first=620))
def test_custom_instructions_that_are_halted_again_and_again(seed: int, unit_bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 2 == 0, 300, unit_bench, tmp_path, unit=True, halt=30)


# What these count are moments: a stop is in the way.
MOMENTS = ("counters", "interrupts", "overlap")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.S") if p.stem not in ("start", *MOMENTS)))
def test_self_checking_program_that_is_halted_again_and_again(name: str, bench: Path, tmp_path: Path) -> None:
    elf = compile_program(tmp_path / "program.elf", PROGRAMS / f"{name}.S")
    for stall in (0, 2):
        run_program(bench, elf, stall, stall + 1, "--halt", "25")


# ---- Overlapped loads (mbusctl)


@pytest.mark.parametrize("seed", seeds(4, 40, first=400))
def test_random_program_with_overlapped_loads(seed: int, bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 3 == 0, 400, bench, tmp_path, overlap=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 10, first=500))
def test_random_program_with_overlapped_loads_and_short_instructions(
    seed: int, short_bench: Path, tmp_path: Path
) -> None:
    code = "c" if seed % 2 else ""
    check_random_program(seed, seed % 3 == 0, 400, short_bench, tmp_path, core="c", code=code, overlap=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 6, first=520))
def test_random_program_with_overlapped_loads_and_custom_instructions(
    seed: int, unit_bench: Path, tmp_path: Path
) -> None:
    check_random_program(seed, seed % 2 == 1, 400, unit_bench, tmp_path, unit=True, overlap=True)


@pytest.mark.parametrize("name", generate.DIRECTED)
def test_directed_program_with_overlapped_loads(name: str, bench: Path, tmp_path: Path) -> None:
    check_directed_program(generate.DIRECTED[name](), bench, tmp_path, [1], overlap=True)


@pytest.mark.parametrize("name", OVERLAPPING)
def test_program_that_need_not_know_of_overlapped_loads(name: str, bench: Path, tmp_path: Path) -> None:
    sources = [PROGRAMS / name] if name.endswith(".S") else [PROGRAMS / "start.S", PROGRAMS / name]
    run_at_stalls(bench, compile_program(tmp_path / "program.elf", *sources, overlap=True), [2])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2000, 2300))
def test_many_random_programs_with_overlapped_loads(seed: int, bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 3 == 0, 800, bench, tmp_path, overlap=True)


@pytest.mark.slow
def test_custom_instructions_and_the_line_port(unit_bench: Path, tmp_path: Path) -> None:
    run_at_stalls(unit_bench, compile_program(tmp_path / "program.elf", PROGRAMS / "custom" / "custom.S"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 8, first=200))
def test_random_program_with_custom_instructions(seed: int, unit_bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 2 == 1, 300, unit_bench, tmp_path, unit=True)


# ---- The core with instructions of 16 bits: programs without any, and the same compiled with them (`code`).


def test_each_halfword_is_expanded_as_the_specification_says() -> None:
    rtl, bench = RTL / "cpu" / "rv" / "rv_expand.sv", HERE / "expand_tb.cpp"

    def command(folder: Path) -> list[str]:
        options = ["-Wall", "--cc", "--exe", "--build", "-j", "1", "-CFLAGS", "-std=c++17"]
        return ["verilator", *options, "--Mdir", str(folder), "-o", "expand_bench", str(rtl), str(bench)]

    program = build_once("expand", [rtl, bench], command) / "expand_bench"
    words = struct.unpack("<65536I", subprocess.run([str(program)], capture_output=True, check=True).stdout)
    for half in range(1 << 16):
        if half & 3 != 3:
            expected = compressed.expand(half)
            assert words[half] == (half if expected is None else expected), f"{half:#06x} becomes {words[half]:#010x}"


@pytest.mark.slow
@pytest.mark.parametrize("code", some(["c"], [""]))
@pytest.mark.parametrize("name", generate.DIRECTED)
def test_directed_program_on_the_core_with_short_instructions(
    name: str, code: str, short_bench: Path, tmp_path: Path
) -> None:
    check_directed_program(generate.DIRECTED[name](), short_bench, tmp_path, [0 if code else 1], "c", code)


@pytest.mark.slow
@pytest.mark.parametrize("name", generate.SHORT)
def test_directed_program_of_short_instructions(name: str, short_bench: Path, tmp_path: Path) -> None:
    check_directed_program(generate.SHORT[name](), short_bench, tmp_path, core="c", code="c")


@pytest.mark.slow
@pytest.mark.parametrize("code", some(["c"], [""]))
@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.S") if p.stem != "start"))
def test_self_checking_program_on_the_core_with_short_instructions(
    name: str, code: str, short_bench: Path, tmp_path: Path
) -> None:
    elf = compile_program(tmp_path / "program.elf", PROGRAMS / f"{name}.S", core="c", code=code)
    for stall in (0, 3) if code else (1,):
        run_program(short_bench, elf, stall, seed=stall + 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(p.stem for p in (PROGRAMS / "compressed").glob("*.S")))
def test_self_checking_program_of_short_instructions(name: str, short_bench: Path, tmp_path: Path) -> None:
    source = PROGRAMS / "compressed" / f"{name}.S"
    run_at_stalls(short_bench, compile_program(tmp_path / "program.elf", source, core="c", code="c"))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.c")))
def test_c_program_of_short_instructions(name: str, short_bench: Path, tmp_path: Path) -> None:
    sources = PROGRAMS / "start.S", PROGRAMS / f"{name}.c"
    run_at_stalls(short_bench, compile_program(tmp_path / "program.elf", *sources, core="c", code="c"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(4, 24, first=300))
def test_random_program_on_the_core_with_short_instructions(seed: int, short_bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 3 == 0, 300, short_bench, tmp_path, core="c", code="c" if seed % 4 else "")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_many_random_programs_on_the_core_with_short_instructions(seed: int, short_bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 3 == 0, 800, short_bench, tmp_path, core="c", code="c" if seed % 4 else "")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_many_random_programs(seed: int, bench: Path, tmp_path: Path) -> None:
    check_random_program(seed, seed % 3 == 0, 800, bench, tmp_path)
