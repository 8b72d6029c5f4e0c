# SPDX-License-Identifier: Apache-2.0
"""The SPARC V8 core in lock step with its simulator, instruction by instruction (v8_tb.cpp says what is compared)."""

import itertools
from pathlib import Path

import pytest
import sparc_programs
import v8_bench
import v8_coverage
from bench import RTL, WAIVERS
from runs import some
from sparc_programs import BODY, constant
from sparc_words import CONDITIONS, NOP, G, I, L, O, Reg, branch, call, packed, sethi, trap, word
from test_cpu import CPU, FOLDERS, HERE, SOURCES, build_once
from v8_bench import BAD, LIES, RESETS, Program
from v8_coverage import INTERRUPT, LATE_LOAD, OWN, STORE, TRAP, directed, error_modes
from v8_programs import random_program, random_words, sharing_program

MODELS = RTL.parent / "models" / "sparc"
V8 = CPU / "sparc"
PACKAGES = [*(path for path in SOURCES if path.parent.name != "rv"), V8 / "v8_pkg.sv"]
V8_FOLDERS = [CPU / "core", V8, *(folder for folder in FOLDERS if folder.name in ("common", "bus"))]
BENCH = [HERE / "v8_tb.sv", HERE / "v8_tb.cpp"]
SIMULATOR = [MODELS / name for name in ("cpu.cpp", "implementation.cpp", "plan.cpp", "plan_memory.cpp")]
CACHES = {"tiny_caches": 128, "default_caches": 8192}


def build_bench(cache_bytes: int) -> Path:
    """The bench of a core with such caches. Registers start with random values."""
    headers = [HERE / "v8_bus.h", MODELS / "cpu.h", MODELS / "nsoc_sparc.h"]
    inputs = [
        *PACKAGES,
        *(p for folder in V8_FOLDERS for p in sorted(folder.glob("*.sv"))),
        *BENCH,
        *SIMULATOR,
        *headers,
    ]

    def command(folder: Path) -> list[str]:
        return [
            "verilator", "-Wall", "--cc", "--exe", "--build", "-j", "1", "--output-split", "0", "--assert",
            "--x-assign", "unique", "--x-initial", "unique", f"-GICACHE_BYTES={cache_bytes}",
            f"-GDCACHE_BYTES={cache_bytes}", "-CFLAGS", f"-std=c++17 -I{MODELS} -I{HERE}",
            "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1", "--Mdir", str(folder), "-o", "v8_bench",
            str(WAIVERS), *map(str, PACKAGES), *(word for folder in V8_FOLDERS for word in ("-y", str(folder))),
            "--top-module", "v8_tb", "--prefix", "Vv8_tb", *map(str, BENCH), *map(str, SIMULATOR),
        ]  # fmt: skip

    return build_once("v8", inputs, command) / "v8_bench"


@pytest.fixture(scope="session", params=some(["tiny_caches"], ["default_caches"]))
def bench(request: pytest.FixtureRequest) -> Path:
    """The Verilated slot with its bench."""
    return build_bench(CACHES[request.param])


RANDOM, MILLION = 18, 340
"""Programs of 3000 instructions each: 50,000, a million."""


def test_random_programs(bench: Path, tmp_path: Path) -> None:
    totals = v8_bench.run(bench, [random_program(seed) for seed in range(1, 1 + RANDOM)], tmp_path).totals
    assert totals["instructions"] >= 50_000
    for what in ("interrupts", "late", "overlapped"):
        assert totals[what] > 20, (what, totals)


@pytest.mark.parametrize("name", sparc_programs.DIRECTED)
def test_the_core_does_a_directed_program_as_the_simulator_does(bench: Path, name: str, tmp_path: Path) -> None:
    body = sparc_programs.DIRECTED[name]()
    v8_bench.run(bench, [directed(body, seed=1), directed(body, seed=2, stall=2, latency=11)], tmp_path)


def causes() -> list[Program]:
    """Each instruction with each trap of its own at each place and in both modes, and error modes."""
    bodies = [v8_coverage.every_cause(precise=precise) for precise in (True, False)]
    return [
        *(directed(body, seed=seed, stall=seed - 1, flags=BAD) for body in bodies for seed in (1, 2)),
        *error_modes(),
    ]


def test_each_instruction_has_each_trap_of_its_own_at_each_place(bench: Path, tmp_path: Path) -> None:
    """In place, in slots of jumps that are taken and that are not, and annulled; in both modes; with ET = 0."""
    result = v8_bench.run(bench, causes(), tmp_path)
    gaps = v8_coverage.missing(result, v8_coverage.wanted())
    assert not gaps, "\n".join(gaps)
    assert result.totals["errors"] > 400


def test_random_words(bench: Path, tmp_path: Path) -> None:
    totals = v8_bench.run(bench, [random_words(seed) for seed in range(1, 41)], tmp_path).totals
    assert totals["body"] > 2000 and totals["errors"] > 5, totals


def test_loads_find_what_another_master_writes(bench: Path, tmp_path: Path) -> None:
    totals = v8_bench.run(bench, [sharing_program(seed) for seed in range(1, 6)], tmp_path).totals
    assert totals["instructions"] >= 15_000


def rounds(count: int) -> Program:
    """A loop of 13 instructions, each with what is ahead of it: ALU, load, store, flags, jumps and their slots."""
    start = [sethi(L[0], 0x4000_9000 >> 10), word("or", O[1], G[0], count)]
    start += constant(L[1], BODY + 4 * (len(start) + 5))  # the first jump goes to 4 below, behind its slot
    loop = [
        word("jmpl", G[0], L[1], -4), word("add", O[6], O[6], O[0]),
        word("add", O[0], O[0], O[1]), word("ld", O[2], L[0], 0), word("smul", L[2], O[0], O[0]),
        word("xor", O[3], O[0], O[0]), word("ld", L[3], L[0], 8), word("st", L[3], L[0], 12),
        word("add", O[4], O[2], O[3]), word("st", O[4], L[0], 4), word("subcc", O[1], O[1], 1), branch("ne", -11),
        word("or", O[5], O[4], O[0]),
    ]  # fmt: skip
    return directed([*start, *loop])


def test_a_loop_in_the_caches_takes_a_cycle_for_each_instruction(bench: Path, tmp_path: Path) -> None:
    fewer, more = (v8_bench.run(bench, [rounds(count)], tmp_path).totals for count in (100, 300))
    assert more["cycles"] - fewer["cycles"] == more["instructions"] - fewer["instructions"] == 200 * 13


def calls(count: int) -> Program:
    """A loop of 32 instructions that calls two functions from two places each. They return by o7 and by i7."""
    leaf = [*[NOP] * 3, word("jmpl", G[0], O[7], 8), NOP]
    framed = [word("save", G[0], G[0], G[0]), NOP, NOP, word("jmpl", G[0], I[7], 8), word("restore", G[0], G[0], G[0])]
    start = [word("or", O[1], G[0], count)]
    start += constant(L[1], BODY + 4 * (len(start) + 2))  # a jump by it, with 8 more, is no return
    loop = [
        word("jmpl", G[0], L[1], 8), word("subcc", O[1], O[1], 1), call(11), NOP, call(9), NOP, call(12), NOP, call(10),
        NOP, branch("ne", -10), NOP, branch("a", 11),
    ]  # fmt: skip
    return directed([*start, *loop, *leaf, *framed])


def test_returns_to_two_places_take_a_cycle_for_each_instruction(bench: Path, tmp_path: Path) -> None:
    fewer, more = (v8_bench.run(bench, [calls(count)], tmp_path).totals for count in (100, 300))
    assert more["cycles"] - fewer["cycles"] == more["instructions"] - fewer["instructions"] == 200 * 32


def seldom(count: int) -> Program:
    """A loop that jumps over an instruction each eighth time, and is predicted not to."""
    loop = [
        word("andcc", G[0], O[1], 7), branch("e", 3), NOP, NOP,
        word("subcc", O[1], O[1], 1), branch("ne", -5), NOP,
    ]  # fmt: skip
    return directed([word("or", O[1], G[0], count), *loop])


def test_a_branch_that_is_taken_against_its_prediction_takes_a_cycle_more(bench: Path, tmp_path: Path) -> None:
    fewer, more = (v8_bench.run(bench, [seldom(count)], tmp_path).totals for count in (80, 240))
    assert more["instructions"] - fewer["instructions"] == 20 * (8 * 7 - 1)
    assert more["cycles"] - fewer["cycles"] == 20 * 8 * 7


def compared_loads() -> Program:
    """Comparisons with what the load before them brings, as either operand, by each condition."""
    values = (0, 1, 5, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
    body = []
    for loaded, other in itertools.product(values, values):
        body += [*constant(O[0], loaded), *constant(O[1], other), word("st", O[0], G[1], 0)]
        for condition, operands in itertools.product(CONDITIONS, ((O[2], O[1]), (O[1], O[2]))):
            annul = len(body) % 2 == 1
            body += [word("ld", O[2], G[1], 0), word("subcc", G[0], *operands), branch(condition, 3, annul)]
            body += [word("add", O[3], O[3], 1), word("add", O[4], O[4], 1)]
    # SUBCC that writes a register is no comparison.
    body += [word("or", L[1], G[1], 0), word("ld", O[2], G[1], 0), word("subcc", G[1], O[2], 5)]
    return directed([*body, word("or", L[2], G[1], 0), word("or", G[1], L[1], 0)])


def test_a_branch_sees_what_the_load_before_its_comparison_brings(bench: Path, tmp_path: Path) -> None:
    assert v8_bench.run(bench, [compared_loads()], tmp_path).totals["instructions"] > 5000


def changing_code() -> Program:
    """A first instruction that is written anew, after what was there has been predicted."""
    code = [NOP, *(word("add", O[3], O[3], 1 << i) for i in range(3)), word("jmpl", G[0], O[7], 8), NOP]
    jumps = [branch("a", 2), branch("a", 3), branch("a", 2, True), branch("a", 3, True)]
    firsts = [*jumps, word("addcc", I[0], G[0], 1), *reversed(jumps), NOP, jumps[2], word("addcc", I[0], I[0], 2)]
    body = []
    for i, value in enumerate(code):
        body += [*constant(O[0], value), word("st", O[0], G[1], 4 * i)]
    for value in firsts:
        body += [*constant(O[0], value), word("st", O[0], G[1], 0), word("flush", 0, G[1], 0)]
        body += [word("jmpl", O[7], G[1], 0), NOP] * 3
    return directed(body)


def test_code_that_changes_is_not_what_was_predicted(bench: Path, tmp_path: Path) -> None:
    v8_bench.run(bench, [changing_code()], tmp_path)


def causes_of_faults() -> Program:
    """A load from each address space, and what the last fault's cause is then."""
    body = [word("or", O[0], G[0], 0x300)]
    for space in range(256):
        body += [word("lda", L[2], G[1], G[0], space), word("lda", L[3], O[0], G[0], 4)]
    return directed(body)


def test_the_cause_of_a_fault_is_that_of_its_space(bench: Path, tmp_path: Path) -> None:
    assert v8_bench.run(bench, [causes_of_faults()], tmp_path).totals["traps"] > 200


def overtaken_loads() -> Program:
    """Registers that overlapped loads are to bring are written by what is close behind them, and read later."""
    body = [word("wrasr", 16, G[0], 2), sethi(L[0], 0x5000_8000 >> 10)]
    for gap in range(4):
        for behind in (word("or", O[0], G[0], 77), word("ld", O[0], L[0], 4), word("ldd", O[0], G[1], 0)):
            body += [word("ld", O[0], L[0], 0), *[NOP] * gap, behind, *[NOP] * 20, word("add", O[1], O[0], 1)]
    return directed(body, latency=11)


def test_an_instruction_overtakes_no_load_of_its_register(bench: Path, tmp_path: Path) -> None:
    assert v8_bench.run(bench, [overtaken_loads()], tmp_path).totals["overlapped"] >= 12


def written_state() -> Program:
    """Each state register written behind each kind of instruction, and again at once: nobody else may see it early."""
    ahead = [NOP, word("ld", O[0], G[1], 0), word("st", O[0], G[1], 8), word("umul", O[0], O[1], O[2]), branch("a", 2)]
    values = [*constant(L[0], 0x9ABC_D000), *constant(L[1], 0xA5)]
    writes = {
        "wrtbr": [word("wrtbr", 0, L[0], G[0]), word("wrtbr", 0, G[0], 0)],
        "wrwim": [word("wrwim", 0, L[1], G[0]), word("wrwim", 0, G[0], 4)],
        "wry": [word("wrasr", 0, L[0], G[0]), word("wrasr", 0, G[0], -1)],
        "wrpsr": [word("wrpsr", 0, L[2], 0xA5), word("wrpsr", 0, L[2], 0xE0)],
    }
    body = [*values, sethi(L[2], 0x00F0_0000 >> 10)]
    for (first, second), one, other in itertools.product(writes.values(), ahead, ahead):
        body += [one, first, one, other, second, second, first, second, other]
    return directed(body)


def test_a_written_state_register_is_seen_by_what_is_behind_it_only(bench: Path, tmp_path: Path) -> None:
    assert v8_bench.run(bench, [written_state()], tmp_path).totals["instructions"] > 800


def test_a_slot_is_halted_when_its_last_store_is_answered(bench: Path, tmp_path: Path) -> None:
    """A store to a device waits for those to memory, and the bus has nothing to do for a moment."""
    body = [word("wrasr", 16, G[0], 0), sethi(L[0], 0xFF00_0000 >> 10)]
    body += [word("st", O[0], G[1], 0), word("st", O[0], L[0], 0), word("st", O[1], G[1], 8), NOP] * 60
    v8_bench.run(bench, [directed(body, seed=seed, latency=7, halts=20) for seed in range(1, 5)], tmp_path)


def late_errors() -> Program:
    """Posted stores and overlapped loads where nothing is, in both halves of the addresses, and where the fault was."""
    body = [word("wrasr", 16, G[0], 2), word("or", O[0], G[0], 0x400)]
    for base, name in itertools.product((0xFF00_0400, 0x5000_0000 + 0x8_0000), ("st", "ld")):
        body += [*constant(L[0], base), word(name, L[2], L[0], 0), *[NOP] * 30, word("lda", L[3], O[0], G[0], 4)]
    return directed(body)


def test_the_address_of_a_late_error_is_the_whole_one(bench: Path, tmp_path: Path) -> None:
    assert v8_bench.run(bench, [late_errors()], tmp_path).totals["late"] == 4


def sleeping() -> list[int]:
    """Sleeps that one level, some or all may end, with interrupts taken and held off."""
    body = []
    for psr, mask in itertools.product((0xE0, 0xFE0), (-1, 0x200, 0x800, 0x5A)):
        body += [word("wrpsr", 0, G[0], psr), word("wrasr", 20, G[0], mask), word("wrasr", 19, G[0], 0)]
        body += [word("add", O[0], O[0], 1)]
    return [*body, word("wrpsr", 0, G[0], 0xE0), word("wrasr", 20, G[0], -1)]


def test_a_sleep_ends_when_a_level_comes(bench: Path, tmp_path: Path) -> None:
    programs = [directed(sleeping(), seed=seed, levels=levels) for seed, levels in ((1, 0), (2, 0), (3, 40))]
    assert v8_bench.run(bench, programs, tmp_path).totals["slept"] >= 16


LOAD_USE, SERIAL, OTHER = 3, 10, 11
"""Counters of stalls, the first and the last ones."""
TAKEN, MISTAKE = 9, 16
"""Trap instructions: something to count; from there on, a counter is not as it should be."""


def counted() -> list[int]:
    """Each stall counter around two loads that are used at once, a product and, of one, a trap: three times, the last
    time with code and data in the caches and no wrong prediction. A trap says of which one the difference is wrong."""
    body = []
    for counter in range(16):
        read = [word("rdasr", L[i], 25, Reg(0)) for i in range(2)]
        loads = [word("ld", O[2], G[1], 0), word("add", O[3], O[2], 1)] * 2
        counts = [*loads, word("umul", O[2], O[2], O[3]), *([trap("a", G[0], TAKEN)] if counter == OTHER else [])]
        loop = [read[0], *counts, read[1], word("subcc", L[2], L[2], 1)]
        body += [word("wrasr", 24, G[0], counter), word("or", L[2], G[0], 3)]
        body += [*loop, branch("ne", -len(loop)), word("sub", L[1], L[1], L[0])]
        body += [word("subcc", G[0], L[1], 2 if counter == LOAD_USE else 0)]
        if counter not in (SERIAL, OTHER):
            body.append(trap("ne", G[0], MISTAKE + counter))
        elif counter == OTHER:
            body.append(trap("e", G[0], MISTAKE + counter))
    return body


def test_each_counter_of_stalls_counts_what_is_its_own(bench: Path, tmp_path: Path) -> None:
    """The bench believes what the core reads: so the program compares."""
    traps = {trap - 0x80 for trap, _ in v8_bench.run(bench, [directed(counted())], tmp_path).windows}
    assert traps == {TAKEN}


def test_a_reset_ends_a_division(bench: Path, tmp_path: Path) -> None:
    """Before any trap: the first instruction divides again."""
    code = [word("udiv", O[0], G[0], 5), *constant(O[1], 0x1234_5678), *[word("udiv", O[2], O[1], 7)] * 12]
    image = packed([*code, branch("a", 0), NOP])
    programs = [Program(image, seed=seed, flags=RESETS, steps=len(code)) for seed in range(1, 41)]
    assert v8_bench.run(bench, programs, tmp_path).totals["instructions"] >= 40 * len(code)


def test_a_difference_is_found(bench: Path, tmp_path: Path) -> None:
    """It ends the run with the last instructions and the seed."""
    body = [sethi(L[0], 0xFF00_0000 >> 10), *[word("ld", L[1], L[0], 0)] * 6]
    with pytest.raises(AssertionError, match=r"core 0000201[04](?s:.*)the core writes r1 = (?s:.*)seed 5,"):
        v8_bench.run(bench, [directed(body, seed=5, flags=LIES)], tmp_path)


@pytest.mark.slow
def test_a_million_instructions_of_random_programs(bench: Path, tmp_path: Path) -> None:
    """Each trap is taken at each CWP, and where an interrupt or a late error would have been taken; all levels of
    interrupts count as one, and divisions by 0 are put there."""
    divisions = [w for cwp in range(8) for w in (word("wrpsr", 0, G[0], 0xE0 + cwp), word("udiv", O[0], G[0], G[0]))]
    result = v8_bench.run(bench, [*causes(), directed([*divisions, word("wrpsr", 0, G[0], 0xE0)])], tmp_path)
    for first in range(1000, 1000 + MILLION, 20):
        result.add(v8_bench.run(bench, [random_program(seed) for seed in range(first, first + 20)], tmp_path))
    assert result.totals["instructions"] >= 1_000_000
    windows = {(INTERRUPT if 0x11 <= trap <= 0x1F else min(trap, TRAP), cwp) for trap, cwp in result.windows}
    gaps = [
        f"{trap:#04x} at CWP {cwp}" for trap, _ in sorted(windows) for cwp in range(8) if (trap, cwp) not in windows
    ]
    gaps += [f"{trap:#04x} with another cause" for trap in sorted(OWN - v8_coverage.with_another(result))]
    assert not gaps, "\n".join(gaps)


@pytest.mark.slow
def test_interrupts_and_late_errors_meet_each_kind_of_instruction_at_each_place(bench: Path, tmp_path: Path) -> None:
    result = v8_bench.Result()
    for what, seeds in ((INTERRUPT, 36), (STORE, 12), (LATE_LOAD, 16)):
        result.add(v8_bench.run(bench, [v8_coverage.met(seed, what) for seed in range(1, 1 + seeds)], tmp_path))
    gaps = v8_coverage.missing(result, v8_coverage.wanted_outside())
    assert not gaps, "\n".join(gaps)


@pytest.mark.slow
def test_many_loads_find_what_another_master_writes(bench: Path, tmp_path: Path) -> None:
    v8_bench.run(bench, [sharing_program(seed) for seed in range(1000, 1150)], tmp_path)


@pytest.mark.slow
def test_a_hundred_thousand_random_words(bench: Path, tmp_path: Path) -> None:
    result = v8_bench.Result()
    for first in range(1000, 2200, 100):
        result.add(v8_bench.run(bench, [random_words(seed) for seed in range(first, first + 100)], tmp_path))
    assert result.totals["body"] >= 100_000, result.totals


@pytest.mark.long
@pytest.mark.parametrize("shard", range(20))
def test_half_a_million_instructions_of_random_programs(bench: Path, shard: int, tmp_path: Path) -> None:
    """All shards and both sizes of the caches are twenty million."""
    first, result = 100_000 + 1000 * shard, v8_bench.Result()
    for start in range(first, first + 180, 20):
        result.add(v8_bench.run(bench, [random_program(seed) for seed in range(start, start + 20)], tmp_path))
    assert result.totals["instructions"] >= 480_000


@pytest.mark.long
@pytest.mark.parametrize("shard", range(12))
def test_many_random_words(bench: Path, shard: int, tmp_path: Path) -> None:
    """All shards are a million, from both modes."""
    first = 200_000 + 2000 * shard
    for start in range(first, first + 1000, 100):
        v8_bench.run(bench, [random_words(seed) for seed in range(start, start + 100)], tmp_path)
