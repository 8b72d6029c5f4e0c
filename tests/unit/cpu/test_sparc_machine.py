# SPDX-License-Identifier: Apache-2.0
"""The SPARC V8 core's simulator as a machine: what the manual leaves open, memories and devices, runs, random words."""

import dataclasses
import itertools
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import sparc_programs as programs
from sparc_asm import assemble
from sparc_bench import DATA, HERE, OVERLAPPED_LOADS, PRECISE_STORES, SUPERVISOR, TABLE, Bench
from sparc_facts import ET, S, register
from sparc_words import ALTERNATE, NOP, G, L, Reg, branch, packed, word

from nsoc import NsocError, sparc
from nsoc.machine import build, firmware, memory_map, regs
from nsoc.sparc import Access, Answer, Effect, Iss, Kind, Reason

UART, TIMER, INTC = memory_map.UART_BASE, memory_map.TIMER_BASE, memory_map.INTC_BASE


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


def offset(block: str, name: str) -> int:
    return regs.BLOCKS[block].registers[name].offset


# Ancillary registers and alternate spaces.


@pytest.mark.parametrize("hart", [0, 3, 7])
def test_the_number_of_the_processor(hart: int) -> None:
    bench = Bench()
    bench.iss = Iss(hart=hart, dram_bytes=1 << 20)
    for psr in (SUPERVISOR, ET):
        done = bench.step(word("rdasr", L[0], 29), bench.state(psr=psr))
        done.expect(r={register(0, L[0]): 0x5052_0000 | hart << 8})


def test_the_counter_counts_steps_in_64_bits(bench: Bench) -> None:
    low, high = word("rdasr", L[0], 31), word("rdasr", L[0], 30)
    for psr in (SUPERVISOR, ET):
        bench.iss.write(HERE, packed([low, high, low]))
        bench.iss.state = bench.state(psr=psr)
        step = bench.iss.step_with(counter=0x1234_FFFF_FFFF)
        assert step.written == {register(0, L[0]): 0xFFFF_FFFF}
        assert bench.iss.step_with().written == {register(0, L[0]): 0x1235}
        assert bench.iss.step_with().written == {register(0, L[0]): 1}
    iss = Iss()
    iss.write(0, packed([branch("a", 2, True), NOP, low]))  # an annulled one counts
    assert [iss.step().written for _ in range(3)] == [{}, {}, {register(0, L[0]): 2}]


def test_sleep_is_told_and_ends_with_the_next_step(bench: Bench) -> None:
    done = bench.step(word("wrasr", 19, G[0], 0))
    done.expect(sleeping=1)
    assert done.step.sleeps
    again = bench.iss.step_with()
    assert not again.sleeps and not bench.iss.state.sleeping


SUPERVISORS = (16, 19, 20, 21, 24, 25, 26, 27)
ONLY_READ, ONLY_WRITTEN = (21, 25, 26, 27, 29, 30, 31), (19,)


def test_registers_of_ones_own_are_the_supervisors(bench: Bench) -> None:
    """In user mode it comes first that they are privileged, then that they cannot be read or written so."""
    for number in (*SUPERVISORS, 29, 30, 31):
        for mode, written in itertools.product((0, S), (False, True)):
            one = word("wrasr", number, L[0], 0) if written else word("rdasr", L[1], number)
            done = bench.step(one, bench.state(psr=ET | mode, r={L[0]: 0}))
            if number in SUPERVISORS and not mode:
                done.expect_trap(3)
            elif number in (ONLY_READ if written else ONLY_WRITTEN):
                done.expect_trap(2)
            else:
                assert done.step.kind == Kind.RETIRED


@pytest.mark.parametrize(
    ("number", "name", "bits", "after_reset"),
    [(16, "bus_control", 3, 0), (20, "interrupt_mask", 0xFFFE, 0xFFFE), (24, "counter_control", 0x8000_000F, 0)],
)
def test_control_registers_keep_the_bits_that_exist(number: int, name: str, bits: int, after_reset: int) -> None:
    bench = Bench()
    bench.iss.reset()
    assert getattr(bench.iss.state, name) == after_reset
    for value in (0, 0xFFFF_FFFF, 0xAAAA_5555, 0x5555_AAAA, bits):
        done = bench.step(word("wrasr", number, L[0], L[1]), bench.state(r={L[0]: value ^ 0xFF, L[1]: 0xFF}))
        done.expect(**{name: value & bits})
        done = bench.step(word("rdasr", L[0], number), bench.state(**{name: value & bits}))
        done.expect(r={register(0, L[0]): value & bits})


def test_levels_that_are_pending_are_read_whether_masked_or_not(bench: Bench) -> None:
    for levels, mask in itertools.product((0, 1 << 15, 0b110, 0xFFFE), (0, 0xFFFE, 1 << 9)):
        state = bench.state(psr=S, interrupt_mask=mask)
        bench.iss.write(HERE, word("rdasr", L[0], 21).to_bytes(4, "big"))
        bench.iss.state = state
        assert bench.iss.step_with(levels).written == {register(0, L[0]): levels}


def test_retired_instructions_are_counted_in_64_bits_not_their_slots_and_traps() -> None:
    bench = Bench()
    bench.iss.reset()
    low, high = word("rdasr", L[0], 27), word("rdasr", L[1], 26)
    bench.iss.write(HERE, packed([NOP, branch("a", 2, True), NOP, low, high, low]))
    bench.iss.state = bench.state()
    steps = [bench.iss.step_with(levels) for levels in (0, 0, 0, 0, 0, 1 << 15)]
    assert [step.kind for step in steps] == [0, 0, 1, 0, 0, 2]
    assert steps[3].written == {register(0, L[0]): 2} and steps[4].written == {register(0, L[1]): 0}
    bench.step(low, bench.state()).expect(r={register(0, L[0]): 4})


def test_all_counters_stand_still_together() -> None:
    """Which instructions count is as of the RISC-V core's mcountinhibit: not the one that stops them, but the one that
    lets them go on."""
    bench = Bench()
    bench.iss.reset()
    both = [word("rdasr", L[0], 27), word("rdasr", L[1], 31)]
    stop, go = (word("wrasr", 24, G[0], value) for value in (L[7], G[0]))
    bench.iss.write(HERE, packed([NOP, *both, stop, NOP, *both, go, *both]))
    bench.iss.state = bench.state(r={L[7]: 0x8000_0000})
    counted = [value for _ in range(10) for value in bench.iss.step().written.values()]
    assert counted == [1, 2, 3, 3, 4, 5]


def test_a_counter_of_stalls_is_the_one_that_is_selected() -> None:
    for there in (False, True):
        bench = Bench()
        bench.iss = Iss(dram_bytes=1 << 20, stall_counters=there)
        for selected in range(16):
            state = bench.state(counter_control=selected)
            bench.step(word("rdasr", L[0], 24), state).expect(r={register(0, L[0]): selected | there << 30})
            bench.iss.write(HERE, word("rdasr", L[0], 25).to_bytes(4, "big"))
            bench.iss.state = state
            shown = 77 if there and 3 <= selected <= 11 else 0
            assert bench.iss.step_with(stalls=77).written == {register(0, L[0]): shown}


# Stores that are posted, loads that overlap.

POSTED = (memory_map.DRAM_BASE + (1 << 20), 0x4FFF_FFFC, 0x5000_0000 + (1 << 19), 0x5FFF_FFFC, 0xFF00_0000, 0xFFFF_FFFC)
NOT_POSTED = (0, 0x3FFF_FFFC, 0x6000_0000, 0xFEFF_FFFC)
CACHED = (0x0001_0000, 0x3FFF_FFFC, memory_map.DRAM_BASE + (1 << 20), 0x4FFF_FFFC)
NOT_CACHED = (0x5000_0000 + (1 << 19), 0x6000_0000, 0xFEFF_FFFC, 0xFFFF_FFFC)
"""Ends of the ranges in the core's view of the memory map, which nothing answers."""


def test_the_ranges_of_addresses_are_those_of_the_memory_map() -> None:
    text = (build.checkout() / "rtl" / "cpu" / "core" / "cpu_regions_pkg.sv").read_text(encoding="utf-8")
    assert "cache may hold. 0x00000000-0x4FFFFFFF." in text
    assert "need not wait for its response. 0x40000000-0x5FFFFFFF,\n  // 0xFF000000-0xFFFFFFFF." in text or (
        "need not wait for its response. 0x40000000-0x5FFFFFFF, 0xFF000000-0xFFFFFFFF." in text
    )


@pytest.mark.parametrize("control", range(4))
@pytest.mark.parametrize("name", ["st", "stb", "std", "swap", "ldstub"])
def test_a_refused_store_is_late_where_it_is_posted(name: str, control: int) -> None:
    bench = Bench()
    for address in (*POSTED, *NOT_POSTED):
        at = address & ~7
        late = address in POSTED and not control & PRECISE_STORES and name.startswith("st")
        state = bench.state(r={L[0]: at}, bus_control=control)
        bench.iss.write(HERE, word(name, L[2], L[0], 0).to_bytes(4, "big"))
        bench.iss.state = state
        first = bench.iss.step()
        if not late:
            assert (first.kind, first.trap) == (Kind.TRAPPED, 0x2B if name.startswith("st") else 9), hex(address)
            continue
        assert (first.kind, first.access.answer) == (Kind.RETIRED, Answer.LATE_ERROR), hex(address)
        bench.step(NOP, bench.state(psr=S, bus_control=control)).expect()  # it waits for traps
        bench.step(NOP, bench.state(bus_control=control)).expect_trap(0x2B)
        faults(bench, 5, at)


@pytest.mark.parametrize("control", range(4))
@pytest.mark.parametrize("name", ["ld", "ldub", "ldsh", "ldd", "swap", "lda"])
def test_a_refused_load_is_late_where_it_overlaps(name: str, control: int) -> None:
    """Past the caches, and of a pair, it waits."""
    bench = Bench()
    for address in (*CACHED, *NOT_CACHED):
        at = address & ~7
        late = address in NOT_CACHED and control & OVERLAPPED_LOADS and name not in ("ldd", "swap", "lda")
        one = word(name, L[2], L[0], L[1], 0x20) if name == "lda" else word(name, L[2], L[0], 0)
        bench.iss.write(HERE, one.to_bytes(4, "big"))
        bench.iss.state = bench.state(r={L[0]: at, L[1]: 0}, bus_control=control)
        first = bench.iss.step()
        if not late:
            assert (first.kind, first.trap) == (Kind.TRAPPED, 9), hex(address)
            continue
        assert first.kind == Kind.RETIRED and first.written == {register(0, L[2]): 0}
        bench.step(NOP, bench.state(bus_control=control)).expect_trap(0x60)
        faults(bench, 1, at)


def faults(bench: Bench, access: int, address: int) -> None:
    """Status and address of the last fault are of an answer of the bus."""
    for where, value in ((0x300, access << 5 | 5 << 2 | 2), (0x400, address)):
        state = bench.state(r={L[0]: where, L[1]: 0})
        bench.step(word("lda", L[2], L[0], L[1], 0x04), state).expect(r={register(0, L[2]): value})


def test_late_errors_are_events_where_events_are_given(bench: Bench) -> None:
    """For who compares another core: it says when the error comes."""
    state = bench.state(r={L[0]: 0xFF00_0000, L[2]: 5}, bus_control=OVERLAPPED_LOADS)
    bench.step(word("st", L[2], L[0], 0), state).expect()
    bench.step(word("ld", L[2], L[0], 4), state).expect(r={register(0, L[2]): 0})
    bench.step(NOP, bench.state()).expect()
    bench.iss.state = bench.state()
    assert bench.iss.step_with(store_error=True, address=0xFF00_0000).trap == 0x2B
    faults(bench, 5, 0xFF00_0000)


def test_normal_and_bypass_spaces_reach_memory(bench: Bench) -> None:
    for space in (0x08, 0x09, 0x0A, 0x0B, 0x20):
        bench.iss.write(DATA, space.to_bytes(4, "big"))
        state = bench.state(r={L[0]: DATA, L[1]: 0})
        done = bench.step(word("lda", L[2], L[0], L[1], space), state)
        done.expect(r={register(0, L[2]): space})
        assert (done.step.access.asi, done.step.access.address) == (space, DATA)
        bench.step(word("stba", L[0], L[0], L[1], space), bench.state(r={L[0]: DATA, L[1]: 1})).expect()
        assert bench.iss.read(DATA, 4) == bytes([0, DATA & 0xFF, 0, space])


def test_nothing_is_above_32_bits_of_the_address(bench: Bench) -> None:
    """As of AJIT's bypass, but that no access is made: not even a posted store is late."""
    for space, control in itertools.product(range(0x21, 0x30), range(4)):
        for name in ALTERNATE:
            state = bench.state(r={L[0]: DATA, L[1]: 0}, bus_control=control)
            done = bench.step(word(name, L[2], L[0], L[1], space), state, level=15)
            done.expect_trap(9)
            assert done.step.access.kind == Access.NONE
    bench.step(NOP, bench.state()).expect()


@pytest.mark.parametrize("space", [0x03, 0x04, *range(0x10, 0x15), *range(0x18, 0x1D)])
def test_control_spaces_take_words_and_read_zero(bench: Bench, space: int) -> None:
    state = bench.state(r={L[0]: 0x500, L[1]: 0})
    done = bench.step(word("lda", L[2], L[0], L[1], space), state)
    done.expect(r={register(0, L[2]): 0})
    assert not done.step.effects
    done = bench.step(word("sta", L[2], L[0], L[1], space), state)
    done.expect()
    both = Effect.DROPS_INSTRUCTIONS | Effect.DROPS_DATA
    assert done.step.effects == {0: Effect.NONE, 2: both, 3: Effect.DROPS_INSTRUCTIONS}[space >> 3]
    for name in ("ldsba", "lduba", "lduha", "ldsha", "stba", "stha", "ldda", "stda", "swapa", "ldstuba"):
        bench.step(word(name, L[2], L[0], L[1], space), state).expect_trap(9)


def test_all_other_spaces_are_unknown(bench: Bench) -> None:
    known = {0x03, 0x04, *range(0x08, 0x0C), *range(0x10, 0x15), *range(0x18, 0x1D), *range(0x20, 0x30)}
    for space in sorted(set(range(256)) - known):
        for name in ("lda", "stda", "swapa"):
            bench.step(word(name, L[2], L[0], L[1], space), bench.state(r={L[0]: DATA, L[1]: 0})).expect_trap(9)


# Memories and devices.


def test_memories_are_where_the_map_has_them() -> None:
    iss = Iss()
    for base, size in (
        (memory_map.BOOT_ROM_BASE, memory_map.BOOT_ROM_BYTES),
        (memory_map.DRAM_BASE, memory_map.DRAM_BYTES),
        (memory_map.PACKET_MEMORY_BASE, memory_map.PACKET_MEMORY_BYTES),
    ):
        iss.write(base + size - 8, b"12345678")
        iss.write(base, b"abcd")
        assert iss.read(base + size - 8, 8) == b"12345678" and iss.read(base, 4) == b"abcd"
        for address in (base + size - 4, base - 4):
            with pytest.raises(NsocError, match="there is no memory at all of these addresses"):
                iss.read(address % 2**32, 8)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(NsocError, match="hart must be 0 to 7, not 8"):
        Iss(hart=8)
    with pytest.raises(NsocError, match="dram_bytes must be 4096 to 268435456, not 17"):
        Iss(dram_bytes=17)
    iss = Iss(dram_bytes=4096)
    for levels in (1, 1 << 16):
        with pytest.raises(NsocError, match="levels has bits other than 1 to 15"):
            iss.step_with(levels)
    for name, value in (
        ("psr", 8), ("psr", 0x1000), ("wim", 256), ("tbr", 1), ("pc", 2), ("npc", 1), ("bus_control", 4),
        ("interrupt_mask", 1), ("counter_control", 0x10), ("counter_control", 1 << 30),
    ):  # fmt: skip
        state = iss.state
        setattr(state, name, value)
        with pytest.raises(NsocError, match=f"{name} has bits that do not exist"):
            iss.state = state
    state = iss.state
    state.annul = 2
    with pytest.raises(NsocError, match="a flag must be 0 to 1, not 2"):
        iss.state = state


def load(address: int, name: str = "ld") -> list[int]:
    """To l2, by l0."""
    return [*programs.constant(L[0], address), word(name, L[2], L[0], 0)]


@pytest.mark.parametrize("name", ["ldd", "ldstub", "std"])
def test_devices_refuse_dwords_and_ldstub(bench: Bench, name: str) -> None:
    address = UART + offset("uart", "status")
    done = bench.step(word(name, L[2], L[0], 0), bench.state(r={L[0]: address}))
    done.expect_trap(0x2B if name.startswith("st") else 9)


def test_bytes_of_devices_are_those_of_the_word_the_highest_first() -> None:
    bench, compare = Bench(), TIMER + offset("timer", "mtimecmp_low")

    def get(name: str, at: int) -> int:
        done = bench.step(word(name, L[2], L[0], at), bench.state(r={L[0]: compare}))
        return done.step.written[register(0, L[2])]

    def put(name: str, at: int, value: int) -> None:
        bench.step(word(name, L[2], L[0], at), bench.state(r={L[0]: compare, L[2]: value})).expect()

    put("st", 0, 0x8182_8384)
    assert [get("ldub", at) for at in range(4)] == [0x81, 0x82, 0x83, 0x84]
    assert [get("ldsh", at) for at in (0, 2)] == [0xFFFF_8182, 0xFFFF_8384]
    put("stb", 1, 0xFFFF_FF55)
    assert get("ld", 0) == 0x8155_8384
    put("sth", 2, 0xFFFF_6677)
    assert get("ld", 0) == 0x8155_6677


def test_the_uart_sends_and_receives_at_its_lowest_byte() -> None:
    bench = Bench()
    bench.iss.type(b"kl")
    at = {L[0]: UART, L[2]: ord("s")}
    send, receive = offset("uart", "tx_data"), offset("uart", "rx_data")
    for name, place in (("stb", 0), ("stb", 2), ("sth", 0), ("stb", 3), ("sth", 2)):
        bench.step(word(name, L[2], L[0], send + place), bench.state(r=at)).expect()
    assert bench.iss.sent() == b"ss"
    found = []
    for name, place in (("ldub", 2), ("lduh", 0), ("ldub", 3), ("lduh", 2), ("ldub", 2)):
        done = bench.step(word(name, L[2], L[0], receive + place), bench.state(r=at))
        found.append(done.step.written[register(0, L[2])])
    assert found == [1, 0, ord("k"), 0x100 | ord("l"), 0]


def test_a_swap_with_a_device_writes_and_reads_the_answer(bench: Bench) -> None:
    state = bench.state(r={L[0]: UART, L[2]: ord("s")})
    done = bench.step(word("swap", L[2], L[0], offset("uart", "tx_data")), state)
    done.expect(r={register(0, L[2]): 0})
    assert done.step.access.kind == Access.SWAP and bench.iss.sent() == b"s"


def test_offsets_without_a_register_are_refused(bench: Bench) -> None:
    for address in (UART + 0x10, TIMER + 0x14, TIMER + 0x20, INTC + 0x0C, memory_map.NIC_BASE, 0xFF00_0000):
        bench.step(word("ld", L[2], L[0], 0), bench.state(r={L[0]: address})).expect_trap(9)
        bench.step(word("st", L[2], L[0], 0), bench.state(r={L[0]: address})).expect_trap(0x2B)


def test_a_queue_of_a_device_of_ones_own_is_pushed_by_swap_and_popped_by_a_load() -> None:
    """As a queue of the NIC: a swap gives back whether there was room."""
    bench, queue = Bench(), []

    def access(made: sparc.AccessMade) -> int | None:
        if made.bytes != 4 or made.kind == Access.LDSTUB:
            return None
        if made.kind == Access.READ:
            return queue.pop(0) if queue else 1
        if len(queue) == 2:
            return 2
        queue.append(made.written)
        return 0

    bench.iss.device(memory_map.NIC_BASE, 8, access)
    at = {L[0]: memory_map.NIC_BASE, L[2]: 0x4000_0040}
    for status in (0, 0, 2):
        bench.step(word("swap", L[2], L[0], 4), bench.state(r=at)).expect(r={register(0, L[2]): status})
    for value in (0x4000_0040, 0x4000_0040, 1):
        bench.step(word("ld", L[2], L[0], 4), bench.state(r=at)).expect(r={register(0, L[2]): value})
    bench.step(word("st", L[2], L[0], 0), bench.state(r=at)).expect()
    assert queue == [0x4000_0040]
    for name, trap in (("ldstub", 9), ("ldd", 9), ("sth", 0x2B)):
        bench.step(word(name, L[2], L[0], 0), bench.state(r=at)).expect_trap(trap)
    bench.step(word("ld", L[2], L[0], 8), bench.state(r=at)).expect_trap(9)


def test_what_a_device_raises_comes_out_of_the_step() -> None:
    bench = Bench()

    def access(made: sparc.AccessMade) -> int:
        raise ValueError(f"read {made.address:#x}")

    bench.iss.device(UART, 1, access)
    with pytest.raises(ValueError, match="read 0xffff3200"):
        bench.step(word("ld", L[2], L[0], 0), bench.state(r={L[0]: UART}))
    bench.step(NOP).expect()


@pytest.mark.parametrize("hart", [0, 2])
def test_timer_uart_and_software_interrupt_at_their_levels(hart: int) -> None:
    bench = Bench()
    iss = bench.iss = Iss(hart=hart, dram_bytes=1 << 20)
    timer, intc = TIMER + 0x20 * hart, INTC + 0x20 * hart

    def put(address: int, value: int) -> None:
        bench.step(word("st", L[2], L[0], 0), bench.state(psr=S, r={L[0]: address, L[2]: value})).expect()

    def get(address: int) -> int:
        done = bench.step(word("ld", L[2], L[0], 0), bench.state(psr=S, r={L[0]: address}))
        return done.after.r[register(0, L[2])]

    def taken(pil: int = 0) -> int:
        iss.write(HERE, packed([NOP]))
        iss.state = bench.state(psr=SUPERVISOR | pil << 8)
        return iss.step().trap

    assert taken() == 0
    put(timer + offset("timer", "msip"), 0xFF)
    assert get(timer + offset("timer", "msip")) == 1
    assert (taken(), taken(9)) == (0x19, 0)
    put(timer + offset("timer", "mtimecmp_high"), 0)
    put(timer + offset("timer", "mtimecmp_low"), 1000)
    assert taken() == 0x19 and get(timer + offset("timer", "mtimecmp_low")) == 1000
    put(timer + offset("timer", "mtime_low"), 996)
    assert [taken() for _ in range(5)] == [0x19] * 4 + [0x1A]
    assert (taken(10), taken(9)) == (0, 0x1A)
    iss.type(b"k")
    assert get(intc + offset("intc", "pending")) == 1 << memory_map.IRQ_UART and taken() == 0x1A
    assert get(intc + offset("intc", "highest")) == 0xFFFF_FFFF
    put(intc + offset("intc", "enable"), 1 << memory_map.IRQ_UART)
    assert (taken(), taken(12)) == (0x1C, 0)
    assert get(intc + offset("intc", "highest")) == memory_map.IRQ_UART
    assert get(UART + offset("uart", "status")) == 0b110
    assert get(UART + offset("uart", "rx_data")) == 0x100 | ord("k")
    assert get(UART + offset("uart", "rx_data")) == 0 and get(UART + offset("uart", "status")) == 0b010
    assert taken() == 0x1A
    iss.write(HERE, word("rdasr", L[0], 21).to_bytes(4, "big"))
    iss.type(b"l")
    iss.state = bench.state(psr=S)
    assert iss.step().written == {register(0, L[0]): 1 << 12 | 1 << 10 | 1 << 9}
    put(timer + offset("timer", "mtime_high"), 0)
    put(timer + offset("timer", "mtimecmp_high"), 5)
    put(intc + offset("intc", "enable"), 0)
    assert taken() == 0x19 and get(timer + offset("timer", "mtime_high")) == 0


# Runs.

HELLO = f"""
  set {UART:#x}, %g1
  mov 12, %g2
  call 1f
  nop
  .ascii "Hello, SoC!\\n"
1:
  add %o7, 8, %g3
2:
  ldub [%g3], %g4
  st %g4, [%g1]
  subcc %g2, 1, %g2
  bne 2b
  add %g3, 1, %g3
3:
  wr %g0, %asr19
  ba 3b
  nop
"""


def test_a_program_prints_and_sleeps() -> None:
    ended = sparc.run(assemble(HELLO))
    assert (ended.reason, ended.output) == (Reason.ASLEEP, "Hello, SoC!\n")
    assert sparc.run(assemble(HELLO), address=DATA).output == "Hello, SoC!\n"


def test_a_run_ends_where_it_is_told_to() -> None:
    code = assemble(HELLO)
    ended = sparc.run(code, until="lo,")
    assert (ended.reason, ended.output) == (Reason.PRINTED, "Hello,")
    assert sparc.run(code, until="nothing").reason == Reason.ASLEEP
    ended = sparc.run(code, steps=50)
    assert (ended.reason, ended.steps) == (Reason.LIMIT, 50)
    ended = sparc.run(code, stop_at=0x20)
    assert (ended.reason, ended.iss.state.pc, ended.output) == (Reason.STOPPED, 0x20, "")


def test_a_run_does_not_stop_at_an_annulled_instruction() -> None:
    code = packed([branch("a", 2, True), NOP, branch("a", 0), NOP])
    assert sparc.run(code, stop_at=4, steps=50).reason == Reason.LIMIT


def test_the_timer_ends_a_sleep() -> None:
    """Time goes on to the interrupt, whose handler prints the type."""
    wake = assemble(f"""
  set {TIMER:#x}, %g1
  set 1000000, %g2
  st %g0, [%g1 + {offset("timer", "mtimecmp_high")}]
  st %g2, [%g1 + {offset("timer", "mtimecmp_low")}]
  set {TABLE:#x}, %g3
  wr %g3, %tbr
  wr %g0, 0xe0, %psr
  wr %g0, %asr19
  nop
""")
    handler = assemble(f"""
  rd %tbr, %l3
  srl %l3, 4, %l3
  set {UART:#x}, %g1
  st %l3, [%g1]
""")
    segments = [firmware.Segment(0, wake), firmware.Segment(TABLE + 0x1A0, handler)]
    ended = sparc.run(firmware.Image(0, segments), until="\x1a", steps=1000)
    assert ended.reason == Reason.PRINTED


PAIRS = ("l0", "l2", "l4", "l6", "i0", "i2", "i4", "i6")
RECURSION = f"""
  ba start
  nop
  nop
  nop
  .org 0x50
  ba overflow
  nop
  .org 0x60
  ba underflow
  nop
  .org 0x100
overflow:  ! the window below the invalid one is the oldest
  rd %wim, %l3
  srl %l3, 1, %l4
  sll %l3, 7, %l5
  mov %g1, %l7
  or %l4, %l5, %g1
  save
  wr %g1, %wim
{"".join(f"  std %{name}, [%sp + {8 * i}]{chr(10)}" for i, name in enumerate(PAIRS))}
  restore
  mov %l7, %g1
  jmp %l1
  rett %l2
underflow:
  rd %wim, %l3
  sll %l3, 1, %l4
  srl %l3, 7, %l5
  or %l4, %l5, %l4
  wr %l4, %wim
  restore
  restore
{"".join(f"  ldd [%sp + {8 * i}], %{name}{chr(10)}" for i, name in enumerate(PAIRS))}
  save
  save
  jmp %l1
  rett %l2
start:
  wr %g0, 2, %wim
  wr %g0, 0xe0, %psr
  set {DATA:#x}, %sp
  call fibonacci
  mov 15, %o0
  ta 0
fibonacci:
  save %sp, -96, %sp
  cmp %i0, 2
  bl 1f
  nop
  call fibonacci
  sub %i0, 1, %o0
  mov %o0, %l0
  call fibonacci
  sub %i0, 2, %o0
  add %l0, %o0, %i0
1:
  ret
  restore
"""


def test_a_recursion_deeper_than_the_windows_finds_its_way_back() -> None:
    """Handlers spill and fill a window each, as firmware's will."""
    ended = sparc.run(assemble(RECURSION), stop_at=0x800)
    assert ended.reason == Reason.STOPPED
    state = ended.iss.state
    assert state.r[register((state.psr + 1) % 8, 8)] == 610


def sleeper(mask: int, compare: int | None, after: str = "") -> str:
    """Sleeps with traps disabled, and prints the pending levels when it goes on."""
    timer = f"st %g0, [%g1 + {offset('timer', 'mtimecmp_high')}]\n st %g2, [%g1 + {offset('timer', 'mtimecmp_low')}]"
    return f"""
  set {TIMER:#x}, %g1
  set {compare or 0}, %g2
  set {mask:#x}, %g3
  wr %g3, %asr20
  {timer if compare is not None else ""}
  wr %g0, %asr19
  rd %asr21, %g4
  set {UART:#x}, %g1
  srl %g4, 8, %g4
  st %g4, [%g1]
{after}
1:
  ba 1b
  nop
"""


def test_a_level_that_the_mask_lets_in_ends_a_sleep_without_traps() -> None:
    ended = sparc.run(assemble(sleeper(1 << 10, 1_000_000)), until="\x04", steps=1000)
    assert ended.reason == Reason.PRINTED
    assert sparc.run(assemble(sleeper(1 << 10, 0)), until="\x04", steps=1000).reason == Reason.PRINTED


@pytest.mark.parametrize(("mask", "compare"), [(1 << 9, 1_000_000), (1 << 9, 0), (0, 0), (0xFFFE, None)])
def test_who_sleeps_and_hears_none_of_the_levels_that_come_stays_asleep(mask: int, compare: int | None) -> None:
    assert sparc.run(assemble(sleeper(mask, compare)), steps=1000).reason == Reason.ASLEEP


def test_what_is_typed_is_received() -> None:
    echo = assemble(f"""
  set {UART:#x}, %g1
1:
  ld [%g1 + {offset("uart", "rx_data")}], %g2
  andcc %g2, 0x100, %g0
  bne,a 1b
  st %g2, [%g1 + {offset("uart", "tx_data")}]
  wr %g0, %asr19
""")
    assert sparc.run(echo, typed=b"typed").output == "typed"


def test_a_program_runs_with_devices_of_ones_own() -> None:
    iss, written = Iss(), []

    def access(made: sparc.AccessMade) -> int:
        written.append((made.address, made.written))
        return 0

    iss.device(UART, 4, access)
    first, second = (sparc.run(assemble(HELLO), iss=iss) for _ in range(2))
    assert first.output == second.output == "" and first.steps == second.steps
    assert written == [(UART, byte) for byte in b"Hello, SoC!\n" * 2]


def test_error_mode_is_one_sentence_with_trap_place_and_last_instructions() -> None:
    code = packed([NOP] * 20 + [word("or", G[1], G[0], 2), word("ld", G[2], G[1], 0)])
    last = ", ".join(f"01000000 at {4 * i:#x}" for i in range(6, 20))
    with pytest.raises(NsocError) as problem:
        sparc.run(code)
    assert str(problem.value) == (
        "error mode: trap 0x07 (mem_address_not_aligned) at 0x54 with traps disabled; last instructions: "
        f"{last}, 82102002 at 0x50, c4006000 at 0x54"
    )


def test_a_jump_to_nowhere_ends_in_error_mode() -> None:
    code = packed([*programs.constant(G[1], 0x6000_0000), word("jmpl", G[0], G[1], 0), NOP])
    with pytest.raises(NsocError, match=r"trap 0x01 \(instruction_access_exception\) at 0x60000000"):
        sparc.run(code)


def elf(machine: int, order: str, entry: int, address: int, code: bytes) -> bytes:
    """One segment."""
    ident = b"\x7fELF" + bytes([1, 2 if order == ">" else 1, 1]) + bytes(9)
    header = struct.pack(f"{order}HHIIIIIHHHHHH", 2, machine, 1, entry, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    program = struct.pack(f"{order}8I", 1, 84, address, address, len(code), len(code), 5, 4)
    return ident + header + program + code


def test_an_elf_file_runs_at_its_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = dataclasses.replace(
        firmware.ARCHITECTURES["rv32"], folder="sparc", title="SPARC", byte_order="big", elf_machine=2
    )
    monkeypatch.setitem(firmware.ARCHITECTURES, "sparc", row)
    file = tmp_path / "hello.elf"
    file.write_bytes(elf(2, ">", DATA + 4, DATA, packed([0]) + assemble(HELLO)))
    assert sparc.run(file).output == "Hello, SoC!\n"
    file.write_bytes(elf(243, "<", 0, 0, b""))
    with pytest.raises(NsocError, match="is not for SPARC, 32-bit and big-endian, but for RISC-V, "):
        sparc.run(file)
    file.write_bytes(elf(243, ">", 0, 0, b""))
    with pytest.raises(NsocError, match="not for SPARC"):
        sparc.run(file)


# Traces and random words.


def replayed(iss: Iss, steps: int) -> None:
    """What steps say of themselves makes the states between them, and memory."""
    state = iss.state
    for _ in range(steps):
        step = iss.step_with()
        assert (step.pc, step.npc) == (state.pc, state.npc)
        assert (step.kind == Kind.ANNULLED) == bool(state.annul)
        for number, value in step.written.items():
            state.r[number] = value
        state.pc, state.npc, state.annul = step.next_pc, step.next_npc, step.annuls
        state.psr, state.wim, state.tbr, state.y = step.psr, step.wim, step.tbr, step.y
        state.sleeping = step.sleeps
        assert bytes(state) == bytes(iss.state)
        if step.access.kind in (Access.WRITE, Access.SWAP, Access.LDSTUB) and step.kind == Kind.RETIRED:
            size = step.access.bytes
            assert iss.read(step.access.address, size) == step.access.written.to_bytes(size, "big")


def test_a_step_tells_all_that_it_changes() -> None:
    iss = Iss(dram_bytes=1 << 20)
    iss.write(0, programs.image(programs.Body(7, 1000).words))
    replayed(iss, 3000)


def random_words(seed: int, words: int) -> None:
    """Random words as instructions, from both modes, with interrupts and errors at random steps. Nothing hangs or
    crashes, and what must always hold does."""
    print(f"seed {seed}")
    draw = random.Random(seed)
    iss = Iss(dram_bytes=1 << 20)
    bench = Bench()
    count = 2000
    for _ in range(0, words, count):
        iss.write(HERE, draw.randbytes(4 * count))
        for number in range(count):
            if number % 20 == 0:  # anew: jumps lead away
                mode = draw.choice([0, S])
                psr = draw.getrandbits(32) & 0x00F0_0F67 | mode
                r = {i: draw.choice([draw.getrandbits(32), DATA + draw.getrandbits(8)]) for i in range(1, 32)}
                pc = HERE + 4 * number
                iss.state = bench.state(
                    psr=psr, r=r, pc=pc, npc=pc + 4, wim=draw.getrandbits(8), y=draw.getrandbits(32),
                    annul=draw.getrandbits(1), tbr=draw.choice([TABLE, HERE & 0xFFFF_F000]),
                    bus_control=draw.getrandbits(2), interrupt_mask=draw.getrandbits(15) << 1,
                )  # fmt: skip
            event = draw.random()
            step = iss.step_with(1 << int(event * 150) + 1 if event < 0.1 else 0, store_error=event > 0.99)
            assert step.psr & ~0x00F0_0FE7 == 0 and step.wim < 256 and step.tbr & 15 == 0
            assert (step.next_pc | step.next_npc) % 4 == 0 and 128 not in step.written
            if step.kind == Kind.TRAPPED:
                assert step.psr & (S | ET) == S and step.next_pc == step.tbr == step.tbr & ~15
            elif step.kind == Kind.RETIRED:
                assert step.trap == 0
    assert iss.state.r[128] == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_random_words_break_nothing(seed: int) -> None:
    random_words(seed, 20_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 20))
def test_a_million_random_words_break_nothing(seed: int) -> None:
    random_words(seed, 100_000)


@pytest.mark.slow
def test_random_words_have_no_undefined_behaviour() -> None:
    """In a process of its own, with a library that the sanitizer ends at the first one."""
    compiler = f"{os.environ.get('CXX', 'g++')} -fsanitize=undefined -fno-sanitize-recover=all"
    environment = {**os.environ, "CXX": compiler, "PYTHONPATH": os.pathsep.join(sys.path)}
    code = "import test_sparc_machine as t; t.random_words(3, 50_000); t.test_a_step_tells_all_that_it_changes()"
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=Path(__file__).parent, check=True)


def test_the_same_program_takes_the_same_way() -> None:
    traces = []
    for _ in range(2):
        iss = Iss(dram_bytes=1 << 20)
        iss.write(0, programs.image(programs.Body(11, 500).words))
        traces.append(iss.trace(2000))
    assert traces[0] == traces[1] and len(traces[0]) == 2000


def test_the_trace_has_rows_of_what_is_visible(bench: Bench) -> None:
    state = bench.state(psr=SUPERVISOR | 3, annul=1, npc=HERE + 0x40, y=9, wim=0x80)
    bench.iss.write(HERE + 0x40, packed([word("or", L[0], G[0], 5), NOP]))
    bench.iss.state = state
    rows = bench.iss.trace(2)
    visible = [0 if i == 0 else state.r[register(3, i)] for i in range(32)]
    assert rows[0] == (HERE + 0x40, HERE + 0x44, *visible, SUPERVISOR | 3, 0x80, 9)
    visible[L[0]] = 5
    assert rows[1] == (HERE + 0x44, HERE + 0x48, *visible, SUPERVISOR | 3, 0x80, 9)


def test_answers_given_later_go_first() -> None:
    bench = Bench()
    bench.iss.answer(DATA, 8, Answer.REFUSED)
    bench.iss.answer(DATA + 4, 4, Answer.OK)
    for at, trap in ((-4, 0), (0, 9), (4, 0), (8, 0)):
        done = bench.step(word("ld", L[2], L[0], at), bench.state(r={L[0]: DATA}))
        assert done.step.trap == trap
    done = bench.step(word("ldd", L[2], L[0], Reg(G[0])), bench.state(r={L[0]: DATA}))
    assert done.step.kind == Kind.RETIRED
