# SPDX-License-Identifier: Apache-2.0
"""The debugger at a SPARC V8 core: state at a stop is compared with the simulator of its instructions."""

import random
from collections.abc import Iterator

import pytest
from runs import seeds, some
from sparc_debugged import G3, G4, Reference, built, check, symbols

import nsoc
from nsoc.machine import memory_map, regs
from nsoc.machine.debug import STATE, WINDOWS, Debugger, Halt, Point

pytestmark = pytest.mark.slow

DATA, LOCAL = 0x4020_0000, 0x5000_0200
BYTES = 32
ICC = 0xF << 20
Booted = tuple[nsoc.Soc, Debugger, Reference]


@pytest.fixture(params=some([0], [2]), ids=lambda bits: "overlapping" if bits else "blocking")
def booted(request: pytest.FixtureRequest) -> Iterator[Booted]:
    """The SoC before main(), and the reference."""
    elf = built(request.param)
    iss = Reference(elf)
    with nsoc.Soc("ajit-nic12-fast", elf, checks=True) as soc:
        debugger = soc.debugger()
        main = symbols(elf)["main"]
        debugger.insert(main)
        while debugger.run() is Halt.NOT:
            pass
        debugger.remove(main)
        while iss.state.pc != main:
            iss.one()
        state = iss.state
        for n in range(128):  # reset leaves them as they are
            state.r[n] = debugger.csr(WINDOWS + n)
        for number, value in ((G3, 0x1234_5678), (G4, 0x9ABC_DEF1)):
            debugger.set_x(number, value)
            state.r[128 + number] = value
        iss.state = state
        for memory in (DATA, LOCAL):
            soc.load(memory, bytes(BYTES))
            iss.write(memory, bytes(BYTES))
        yield soc, debugger, iss


def test_every_stop_shows_the_state_between_two_instructions(booted: Booted) -> None:
    soc, debugger, iss = booted
    done = symbols(soc.elf)["done"]
    check(debugger, iss)
    while iss.state.pc != done:
        debugger.step()
        stored = iss.one()
        check(debugger, iss)
        assert debugger.read(stored.start, len(stored)) == iss.read(stored.start, len(stored)), hex(iss.state.pc)
    assert iss.done > 800


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_what_is_written_at_any_stop_is_what_the_firmware_finds(booted: Booted, seed: int) -> None:
    soc, debugger, iss = booted
    rng = random.Random(seed)
    done = symbols(soc.elf)["done"]
    while iss.state.pc != done:
        state = iss.state
        match rng.randrange(14):
            case 0 | 1:
                number, value = rng.choice((G3, G4)), rng.getrandbits(32)
                debugger.set_x(number, value)
                state.r[128 + number] = value
            case 2:
                address, data = rng.choice((DATA, LOCAL)) + rng.randrange(20), rng.randbytes(rng.randrange(1, 9))
                debugger.write(address, data)
                iss.write(address, data)
                assert debugger.read(address, len(data)) == data
            case 3:
                debugger.pc = state.pc
                debugger.set_csr(STATE["npc"], state.npc)
            case 4:
                debugger.set_csr(STATE["psr"], other := state.psr ^ rng.getrandbits(32) & ICC)
                assert debugger.csr(STATE["psr"]) == other
                debugger.set_csr(STATE["psr"], state.psr)
            case 5:
                state.y = rng.getrandbits(32)
                debugger.set_csr(STATE["y"], state.y)
            case 6:
                for name in ("wim", "tbr"):
                    debugger.set_csr(STATE[name], getattr(state, name))
        iss.state = state
        debugger.step()
        iss.one()
        check(debugger, iss)
    for address in (DATA, LOCAL):
        assert debugger.read(address, BYTES) == iss.read(address, BYTES)


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_a_halt_at_any_time_is_between_two_instructions(booted: Booted, seed: int) -> None:
    soc, debugger, iss = booted
    rng = random.Random(seed)
    awake = True
    while awake:
        assert debugger.run(rng.randrange(1, 60)) is Halt.NOT
        awake = debugger.halt()
        retired = debugger.csr(STATE["asr27"])
        while iss.done < retired or iss.state.pc != debugger.pc:
            assert iss.done <= retired, "the reference went past the halt"
            iss.one()
        check(debugger, iss)
    assert iss.state.pc == symbols(soc.elf)["done"]


def test_a_step_at_a_sleep_goes_to_the_next_instruction(booted: Booted) -> None:
    soc, debugger, _ = booted
    done = symbols(soc.elf)["done"]
    assert debugger.run() is Halt.NOT and not debugger.halt() and debugger.pc == done
    cycle = debugger.csr(STATE["asr31"])
    assert not debugger.halt() and debugger.csr(STATE["asr31"]) == cycle, "who sleeps is at a stop already"
    assert debugger.run(instructions=1) is Halt.STEPPED and debugger.pc == done + 4
    assert debugger.run(instructions=3) is Halt.STEPPED and debugger.pc == done + 4, "jump, slot and sleep"
    debugger.insert(done + 4)
    debugger.pc = done
    assert debugger.run(instructions=1) is Halt.BREAKPOINT and debugger.pc == done + 4
    debugger.remove(done + 4)
    assert debugger.run() is Halt.NOT and not debugger.halt() and debugger.pc == done, "to run on is to wait"


def test_breakpoints_and_steps_in_slots(booted: Booted) -> None:
    soc, debugger, _ = booted
    at = symbols(soc.elf)
    for name in ("slot", "slot_taken", "annulled"):
        debugger.insert(at[name])
    # slot: of bgu, with what stands behind it or the target behind; slot_taken: be,a is taken; annulled: bne,a is not.
    for name in ("slot", "slot_taken") * 2:
        assert debugger.run() is Halt.BREAKPOINT and debugger.pc == at[name]
        before = debugger.x(G4)
        npc = debugger.csr(STATE["npc"])
        if name == "slot_taken":
            assert npc == at["annulled"] - 4
        debugger.step()
        assert debugger.pc == npc and debugger.x(G4) != before
        if name == "slot_taken":
            debugger.step()
            assert debugger.pc == at["annulled"] + 4, "one step over branch and annulled slot"
    assert debugger.run() is Halt.NOT and not debugger.halt() and debugger.pc == at["done"]


def test_a_watchpoint_stops_right_after_the_access(booted: Booted) -> None:
    _, debugger, iss = booted
    points = {
        (Point.WRITE, DATA + 5, 1), (Point.READ, DATA + 4, 2), (Point.ACCESS, LOCAL, 4), (Point.WRITE, LOCAL + 12, 4),
        (Point.READ, LOCAL + 4, 4), (Point.ACCESS, DATA + 20, 1), (Point.READ, 0x6000_0000, 4),
    }  # fmt: skip
    for point, address, length in points:
        debugger.insert(address, point, length)
    hits = 0
    while debugger.run() is Halt.WATCHPOINT:
        point, hit = debugger.hit
        while iss.state.pc != debugger.pc or iss.done != debugger.csr(STATE["asr27"]):
            step = iss.step()
            iss.done += step.kind == 0
        access = step.access
        kinds = {Point.WRITE: {2, 3, 4}, Point.READ: {1, 3, 4}, Point.ACCESS: {1, 2, 3, 4}}[point]
        assert access.kind in kinds and access.address <= hit < access.address + access.bytes, hex(iss.state.pc)
        assert any(at <= hit < at + length for kind, at, length in points if kind is point)
        hits += 1
    # In each of two rounds: stb; ldub, ldd; std, ldd, swap, std; ldstub
    assert hits == 2 * 8


def test_device_registers_through_the_bus(booted: Booted) -> None:
    _, debugger, iss = booted
    timer = regs.BLOCKS["timer"]
    compare, msip = (memory_map.TIMER_BASE + timer.registers[name].offset for name in ("mtimecmp_low", "msip"))
    for _ in range(40):  # each at another place of the program
        debugger.step()
        iss.one()
        debugger.store(compare, 4, 0x1234_5678)
        assert debugger.load(compare, 4) == 0x1234_5678
        before = iss.state
        with pytest.raises(nsoc.NsocError, match="answers the access to 0xFF000400 with an error"):
            debugger.load(memory_map.TOE_BASE, 4)
        with pytest.raises(nsoc.NsocError, match="answers the access to 0xFF000400 with an error"):
            debugger.store(memory_map.TOE_BASE, 4, 0)
        iss.state = before
        check(debugger, iss)
    assert debugger.load(msip, 4) == 0


def test_psr_and_wim_that_are_nonsense(booted: Booted) -> None:
    _, debugger, iss = booted
    psr = debugger.csr(STATE["psr"])
    for window in (8, 31):
        with pytest.raises(nsoc.NsocError, match="bits 4 to 0 of psr are a window, of which there are 0 to 7"):
            debugger.set_csr(STATE["psr"], psr | window)
    check(debugger, iss)
    debugger.set_csr(STATE["psr"], 0xFF0F_F007 | psr)
    assert debugger.csr(STATE["psr"]) == psr | 7, "the rest of it cannot be written"
    debugger.set_csr(STATE["wim"], 0xFFFF_FFFF)
    assert debugger.csr(STATE["wim"]) == 0xFF, "of eight windows"
    debugger.set_csr(STATE["tbr"], 0xFFFF_FFFF)
    assert debugger.csr(STATE["tbr"]) & 0xFFFF_F00F == 0xFFFF_F000
    for name in ("asr21", "asr29", "asr31"):
        with pytest.raises(nsoc.NsocError, match="this state register is read-only"):
            debugger.set_csr(STATE[name], 0)
    for wrong in (0x1000 + 32, 35, 0x7C0):
        with pytest.raises(nsoc.NsocError, match="does not show"):
            debugger.csr(wrong)
    for name in ("pc", "npc"):
        with pytest.raises(nsoc.NsocError, match="multiple of 4"):
            debugger._sim.debug_set(0, {"pc": 0x7B1, "npc": 0x7B2}[name], 2)
    # Traps go to where no table is: error mode, in a sentence.
    with pytest.raises(nsoc.NsocError, match=r"stopped for good at 0x[0-9a-f]{8}"):
        while True:
            debugger.step()
    assert debugger.pc and debugger.csr(STATE["psr"])
