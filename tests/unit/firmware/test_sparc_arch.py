# SPDX-License-Identifier: Apache-2.0
"""firmware/arch/sparc on the simulator of the SPARC V8 core: windows, traps, interrupts, sleep, start-up; and
applications. Programs are tests/support/sparc/*.c, compiled as applications are.
"""

import functools
import random
from pathlib import Path

import needs
import pytest
from elf32 import Elf
from runs import slow, some

from nsoc import NsocError, sparc
from nsoc.machine import firmware, memory_map, presets, regs
from nsoc.machine.build import checkout
from nsoc.sparc import Access, AccessMade, Iss, Kind, Reason

PROGRAMS = checkout() / "tests" / "support" / "sparc"
MASK = 0xFFFF_FFFF
OVERFLOW, UNDERFLOW, EXTERNAL_LEVELS = 5, 6, (11, 12)
PIL, ET = 0xF00, 0x20
WAKES = 0x80
"""Bytes of that function of switches.c, at most."""
RETT = 0x81C8_0000
"""Bits of op and op3, of rd and i 0."""
HANDLERS = 80
"""Steps of an overflow and an underflow of the windows together, at most."""


@functools.cache
def built(name: str, place: firmware.Place = "rom", *defines: tuple[str, int | str]) -> Path:
    return firmware.build(PROGRAMS / f"{name}.c", dict(defines), arch="sparc", flags=["-Werror"], place=place)


def output(name: str, typed: bytes = b"", **defines: int | str) -> str:
    """What a program prints until it sleeps for good."""
    ended = sparc.run(built(name, "rom", *defines.items()), typed=typed)
    assert ended.reason == Reason.ASLEEP
    return ended.output


def deep(depth: int, a: int, b: int) -> int:
    """Of windows.c."""
    below = deep(depth - 1, (a * 3 + depth) & MASK, b ^ a) if depth else a - b
    return (below * 5 + a + (b >> 1) + depth) & MASK


@functools.cache
def of_windows(rounds: int = 21) -> str:
    """How its output begins."""
    total = 0
    for depth in range(rounds):
        for _ in range(2):
            total = (total * 7 + deep(20, depth, 0x1234_5678)) & MASK
    return f"0x{total:08x} 0x{deep(10, 7, 9):08x} "


# Windows and interrupts.


def test_an_interrupt_at_every_depth_of_calls_leaves_all_windows_as_they_were() -> None:
    """Its handler in C is deeper than the windows, as is what it interrupts."""
    assert output("windows") == of_windows() + "42 0 0\n"


@pytest.mark.parametrize("seed", some([1], [2, 3, 4, 5, 6, 7]))
def test_interrupts_at_any_instruction_leave_all_windows_as_they_were(seed: int) -> None:
    """From outside, at both levels of the external line. And so do errors that come late, also in the handler."""
    draw = random.Random(seed)
    iss = started(elf := built("windows", "rom", ("OUTSIDE", 1), ("ROUNDS", "8u")))
    assert iss.run(100_000, stop_at=Elf.read(elf).symbol("main").value) == Reason.STOPPED
    taken, late, wait, depth = 0, 0, 0, 0
    for _ in range(400_000):
        wait -= depth == 0  # while the program itself runs, not a handler
        errors = {error: draw.random() < 0.0001 for error in ("store_error", "load_error")}
        step = iss.step_with(1 << draw.choice(EXTERNAL_LEVELS) if wait <= 0 else 0, **errors)
        assert step.kind != Kind.ERROR_MODE, iss.error_mode()
        if step.kind == Kind.TRAPPED:
            depth += 1
            late += step.trap in (0x2B, 0x60)
            if step.trap & ~0xF == 0x10:
                taken, wait = taken + 1, draw.randrange(1, draw.choice((10, 1000)))
        depth -= step.word & 0xFFF8_0000 == RETT
        if step.sleeps:
            break
    *printed, told, wrong = iss.sent().decode().split()
    assert " ".join(printed) == f"{of_windows(8)}{taken}" and wrong == "0" and taken > 15
    assert 5 < int(told) <= late


@pytest.mark.parametrize("every", [1, 2, 3, 7, 11, 13, 1000])
def test_interrupts_leave_all_that_instructions_see(every: int) -> None:
    """At every instruction, at every second one, and so on: then windows go to the stack by one trap or the other."""
    iss = started(elf := built("keeps"))
    assert iss.run(100_000, stop_at=Elf.read(elf).symbol("main").value) == Reason.STOPPED
    depth, own = 0, 0
    for _ in range(100_000):
        step = iss.step_with(1 << 11 if own >= every else 0)
        assert step.kind != Kind.ERROR_MODE, iss.error_mode()
        own = 0 if step.trap == 0x1B else own + (step.kind == Kind.RETIRED and depth == 0)
        depth += step.kind == Kind.TRAPPED
        depth -= step.word & 0xFFF8_0000 == RETT
        if step.sleeps:
            break
    assert iss.sent() == (b"0 many\n" if every == 1 else b"0 few\n")


@pytest.mark.parametrize("every", [7, *slow([1]), *some([], [2, 3, 5, 11, 13, 17, 19, 23])])
def test_an_interrupt_at_every_instruction_leaves_threads_as_they_were(every: int) -> None:
    """Also at those of a switch and of an underflow, where it waits: it is pending while they hold it off. It wakes a
    thread that goes first, so there is a switch at every other instruction, at each depth of calls."""
    iss = started(elf := built("switches", "rom", *presets.load("ajit-nic12-fast").firmware_defines().items()))
    ways = {Elf.read(elf).symbol(name).value: name for name in ("v8_os_switch", "window_underflow")}
    higher = Elf.read(elf).symbol("wakes").value
    own, waited, taken, psr = 0, dict.fromkeys(ways.values(), 0), 0, 0
    for _ in range(1_000_000):
        pending = own >= every
        step = iss.step_with(1 << 11 if pending else 0)
        assert step.kind != Kind.ERROR_MODE, iss.error_mode()
        if pending and step.pc in ways:
            waited[ways[step.pc]] += 1
        if step.trap == 0x1B:
            own, taken = 0, taken + 1
        else:
            own += step.kind == Kind.RETIRED and psr & (PIL | ET) == ET and not higher <= step.pc < higher + WAKES
        psr = step.psr
        if step.sleeps:
            break
    assert iss.sent() == b"0 many\n" and taken > 30
    assert every > 1 or all(waited.values()), waited


def started(elf: Path, iss: Iss | None = None) -> Iss:
    """The simulator before the first instruction of a program."""
    iss = iss or Iss(dram_bytes=1 << 20)
    for segment in firmware.segments(elf, "sparc"):
        iss.write(segment.address, segment.data)
    iss.reset()
    return iss


def test_overflow_and_underflow_take_few_steps() -> None:
    iss = started(built("windows", "rom", ("OUTSIDE", 1)))
    seen: dict[int, set[int]] = {OVERFLOW: set(), UNDERFLOW: set()}
    number, since = 0, 0
    for _ in range(30_000):
        step = iss.step_with()
        since += 1
        if step.kind == Kind.TRAPPED:
            number, since = step.trap, 1
        elif number and step.word & 0xFFF8_0000 == RETT:
            seen[number].add(since)
            number = 0
    assert all(len(steps) == 1 for steps in seen.values()), "the same each time"
    assert sum(map(sum, seen.values())) <= HANDLERS


def test_a_stack_pointer_that_is_wrong_when_a_window_spills_ends_in_error_mode(tmp_path: Path) -> None:
    source, code = tmp_path / "spills.c", "add %%sp, 4, %%sp" + r"\n save" * 7
    source.write_text(f'int main(void) {{ __asm__ volatile("{code}" ::: "memory"); return 0; }}\n', encoding="utf-8")
    with pytest.raises(NsocError, match=r"error mode: trap 0x07 \(mem_address_not_aligned\) at 0x[0-9a-f]+ with traps"):
        sparc.run(firmware.build(source, arch="sparc"))


# Traps.


def test_each_error_of_an_access_is_told_as_it_is() -> None:
    """A trap in a delay slot is left by the way that the slot's transfer goes."""
    assert output("traps").splitlines() == [
        "load: 1 tt 0x00000009 at 0xff0f0000 there, 0x0000004e",
        "load in a slot: 1 tt 0x00000009 at 0xff0f0004 there, 0x00000058",
        "store: 1 tt 0x0000002b at 0xff0f0008 later, 0x00000005",
        "precise store: 1 tt 0x0000002b at 0xff0f000c there, 0x00000005",
        "store: 1 tt 0x0000002b at 0xff0f0010 later, 0x00000005",
        "overlapped load: 1 tt 0x00000060 at 0xff0f0014 later, 0x00000001",
        "swap: 1 tt 0x00000009 at 0xff0f0018 there, 0x00000000",
        "fresh load: 0 tt 0x00000000 at 0x00000000 there, 0x11223344",
        "swap: 0 tt 0x00000000 at 0x00000000 there, 0x444444cc",
    ]


@pytest.mark.parametrize(
    ("code", "type_"),
    [
        ("unimp 5", 2), ("ta 3", 0x83), ("ta 127", 0xFF), ("ld [%%g0+2], %%g1", 7), ("udiv %%g1, %%g0, %%g1", 0x2A),
        ("fadds %%f0, %%f1, %%f2", 4), ("jmp %%g0+2\\n nop", 7), ("wr %%g0, 0x1f, %%psr", 2), ("rd %%asr17, %%g1", 2),
    ],
)  # fmt: skip
def test_a_trap_that_nobody_handles_is_reported(tmp_path: Path, code: str, type_: int) -> None:
    source = tmp_path / "trap.c"
    source.write_text(f'int main(void) {{ __asm__ volatile("{code}" ::: "g1"); return 0; }}\n', encoding="utf-8")
    ended = sparc.run(firmware.build(source, arch="sparc"))
    assert ended.reason == Reason.ASLEEP
    assert ended.output.startswith(f"trap: tt 0x{type_:08x} pc 0x000") and ended.output.endswith("\n")


def test_a_jump_to_nowhere_is_reported_where_there_is_a_table_of_traps(tmp_path: Path) -> None:
    """Without one, the trap within that trap ends in error mode."""
    source, jump = tmp_path / "jump.c", "((void (*)(void))0x60000000u)();"
    source.write_text(f"int main(void) {{ {jump} return 0; }}\n", encoding="utf-8")
    assert sparc.run(firmware.build(source, arch="sparc")).output.startswith("trap: tt 0x00000001 pc 0x60000000 ")
    no_table = '__asm__ volatile("sethi 0x1c0000, %g1; wr %g1, %tbr");'
    source.write_text(f"int main(void) {{ {no_table} {jump} return 0; }}\n", encoding="utf-8")
    with pytest.raises(NsocError, match=r"error mode: trap 0x01 \(instruction_access_exception\) at 0x70000010 with"):
        sparc.run(firmware.build(source, arch="sparc"))


@pytest.mark.slow
@needs.program("sparc64-linux-gnu-gcc")
@pytest.mark.parametrize("name", ["windows", "traps", "wakes", "keeps"])
def test_programs_of_gcc_do_the_same(name: str) -> None:
    elf = firmware.build(PROGRAMS / f"{name}.c", toolchain="gcc", arch="sparc", flags=["-Werror"])
    assert sparc.run(elf, typed=b"k").output == output(name, b"k")


def test_every_entry_of_the_table_leads_to_the_handler() -> None:
    """By its type, but that both levels of the external line are one."""
    elf = Elf.read(built("traps"))
    table = elf.section(".text").contents[: 16 * 256]
    mov_l3 = 0xA610_2000
    for type_ in range(1, 256):
        words = [int.from_bytes(table[16 * type_ + 4 * i :][:4], "big") for i in range(4)]
        if type_ not in (OVERFLOW, UNDERFLOW):
            assert words[2] == mov_l3 | (0x1B if type_ == 0x1C else type_), hex(type_)


# Sleep, other programs, harts.


def test_sleep_and_the_rest_of_the_interface() -> None:
    assert output("wakes", typed=b"k").split("\n") == [
        "slept: yes", "typed: no", "pending: yes", "on before: no", "trap 0x0000001b", "pending: no", "on before: yes",
        "on before: no", "added: yes", "replaced: no", "replaced: yes", "hart 0: yes", "counted: yes", "stalls: no",
        "done", "",
    ]  # fmt: skip


FOUND = f"table and sum 0x{memory_map.DRAM_BASE + 210:08x} bus control 0 mask 0 level 15\n"


def test_a_program_in_dram_has_its_own_table_of_traps() -> None:
    """From the boot ROM, which jumps to it."""
    elf = built("entered", "dram")
    ended = sparc.run(firmware.Image(0, firmware.segments(elf, "sparc")))
    assert (ended.reason, ended.output) == (Reason.ASLEEP, FOUND)
    assert Elf.read(elf).section(".text").address == firmware.image(elf, "sparc").entry == memory_map.DRAM_BASE


def test_a_program_is_entered_as_after_reset() -> None:
    first, second = firmware.image(built("enters"), "sparc"), firmware.image(built("entered", "dram"), "sparc")
    ended = sparc.run(firmware.Image(0, [*first.segments, *second.segments]))
    assert (ended.reason, ended.output) == (Reason.ASLEEP, "enters\n" + FOUND)


def test_an_image_in_dram_may_lie_behind_code_that_is_there_already(tmp_path: Path) -> None:
    """Its table is at a multiple of 4 KB."""
    source, text = tmp_path / "behind.c", (PROGRAMS / "entered.c").read_text(encoding="utf-8")
    call = "uint32_t table = deep(20);"
    assert call in text
    kept = '__attribute__((section(".text.dram.kept"), noinline)) static void kept(void) { uart_puts("kept "); }\n'
    source.write_text(text.replace("int main", kept + "int main").replace(call, f"{call} kept();"), encoding="utf-8")
    elf = firmware.build(source, arch="sparc", place="dram")
    entry, first = firmware.image(elf, "sparc").entry, memory_map.DRAM_BASE
    assert entry == first + 4096 and Elf.read(elf).symbol("kept").value == first
    ended = sparc.run(firmware.Image(0, firmware.segments(elf, "sparc")))
    assert ended.output == "kept " + FOUND.replace(f"{first + 210:08x}", f"{entry + 210:08x}")


def test_a_hart_that_is_not_there_is_not_asked_for() -> None:
    """Its timer would answer with an error, which is a trap here."""
    ended = sparc.run(firmware.build("harts", {"NSOC_CORES": 1}, arch="sparc"), until="done\n")
    assert ended.output == "hart 0 is the first\nadded 200 200 exchanged 200 200\ndone\n"
    assert presets.load("nic12-fast").with_(cores=3).firmware_defines()["NSOC_CORES"] == "3u"


def test_another_hart_sleeps_until_it_is_started_and_sleeps_again() -> None:
    elf = Elf.read(path := firmware.build("harts", arch="sparc"))
    iss = started(path, Iss(hart=1, dram_bytes=1 << 20))
    assert iss.run(10_000) == Reason.ASLEEP and iss.sent() == b""
    row = elf.symbol("harts_rows").value + 8
    entry, stack = elf.symbol("other_hart").value, memory_map.DRAM_BASE + 0x8_0000
    for _ in range(2):
        iss.write(row, entry.to_bytes(4, "big") + (stack + 4).to_bytes(4, "big"))
        steps = [iss.step_with() for _ in range(20)]  # woken for no reason
        assert entry not in [step.pc for step in steps]
        for _ in range(40):
            if iss.state.pc == entry:
                break
            iss.step_with(1 << 9)
        assert iss.state.pc == entry and iss.read(row, 4) == bytes(4)
        assert iss.run(100_000, until="hart 1 finds 0\n") == Reason.PRINTED
        iss.write(memory_map.PACKET_MEMORY_BASE + 8, (1).to_bytes(4, "big"))  # go
        assert iss.run(1_000_000) == Reason.ASLEEP and iss.sent() == b"hart 1 finds 0\n"
        iss.write(elf.symbol("line").value, bytes(32))
    assert iss.read(memory_map.PACKET_MEMORY_BASE, 4) == (1).to_bytes(4, "big")
    assert iss.read(memory_map.PACKET_MEMORY_BASE + 12, 4) == (400).to_bytes(4, "big")


# Applications.


def test_hello_prints_its_line() -> None:
    ended = sparc.run(firmware.build("hello", arch="sparc"))
    assert (ended.reason, ended.output) == (Reason.ASLEEP, "Hello from the N-SoC.\n")


class Nic:
    """Of the NIC as much as bench_cpu wants: queues, and frames when they are asked for."""

    def __init__(self) -> None:
        registers = regs.BLOCKS["nic"].registers
        self.offset = {name: registers[name].offset for name in registers}
        self.free: list[int] = []
        self.received: list[int] = []
        self.sent: list[int] = []

    def access(self, made: AccessMade) -> int:
        offset, names = made.address - memory_map.NIC_BASE, self.offset
        if made.kind == Access.READ:
            if offset == names["rxq0.occupancy"]:
                while len(self.received) < 48 and self.free:
                    self.received.append(self.free.pop(0))
                return len(self.received)
            if offset == names["rxq0.pointer"]:
                return self.received.pop(0) if self.received else 1
            return 0
        if offset == names["freeq.pointer"]:
            self.free.append(made.written)
        elif offset == names["txq0.pointer"]:
            self.sent.append(made.written)
            self.free.append(made.written)
        return 0


def test_bench_cpu_finds_the_results_of_all_its_loops() -> None:
    nic, iss = Nic(), Iss(dram_bytes=1 << 20)
    iss.device(memory_map.NIC_BASE, memory_map.NIC_BYTES, nic.access)
    ended = sparc.run(firmware.build("bench_cpu", arch="sparc"), iss=iss)
    assert ended.reason == Reason.ASLEEP
    lines = ended.output.splitlines()
    assert lines[0] == "core counts no stalls" and lines[-1] == "end"
    loops = [line.split() for line in lines if line.startswith("loop ")]
    assert len(loops) == 12 and {loop[2] for loop in loops} == {"ok"}
    for loop in loops:
        cycles, instructions = int(loop[5]), int(loop[7])
        assert (
            instructions > 500 and instructions <= cycles < 1.2 * instructions
        )  # a step each, also a slot that is annulled
    assert len(nic.sent) == 96
