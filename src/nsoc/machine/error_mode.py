# SPDX-License-Identifier: Apache-2.0
"""Error mode of a SPARC V8 core, in a sentence: a trap while traps are disabled stops the core until reset."""

from collections.abc import Sequence
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine import elf32
from nsoc.machine.sim import Simulation

PROBE = "stopped"
"""The simulator's probe of a core that stops for good: the first such core's number, its cause, its PC, then address
and word of each of the last instructions."""
NO_WORD = 2**64 - 1
"""The probe's word for an instruction that is in no memory."""

TRAPS = {
    0x00: "reset",
    0x01: "instruction_access_exception",
    0x02: "illegal_instruction",
    0x03: "privileged_instruction",
    0x04: "fp_disabled",
    0x05: "window_overflow",
    0x06: "window_underflow",
    0x07: "mem_address_not_aligned",
    0x09: "data_access_exception",
    0x0A: "tag_overflow",
    0x24: "cp_disabled",
    0x2A: "division_by_zero",
    0x2B: "data_store_error",
    0x60: "overlapped load answered with an error",
}


def trap_name(trap: int) -> str:
    """The manual's name of a type of trap."""
    if trap >= 0x80:
        return f"trap instruction {trap - 0x80}"
    if 0x11 <= trap <= 0x1F:
        return f"interrupt of level {trap - 0x10}"
    return TRAPS.get(trap, "no trap of this processor")


def sentence(trap: int, pc: int, last: Sequence[tuple[int, int | None]] | None = None, elf: Path | None = None) -> str:
    """About the trap that ended in error mode. `last`: address and word of the last instructions, the newest last, if
    they are known; no word: it is in no memory. With `elf`, the program, PC is also where it is in a function."""
    where = "" if elf is None else place(elf, pc)
    what = f"trap {trap:#04x} ({trap_name(trap)}) at {pc:#x}{where and f' ({where})'} with traps disabled"
    if last is None:
        return f"error mode: {what}"
    listed = ", ".join(f"{'no memory' if word is None else f'{word:08x}'} at {at:#x}" for at, word in last)
    return f"error mode: {what}; last instructions: {listed or 'none'}"


def check(simulation: Simulation, elf: Path, system: str, cores: int) -> None:
    """Raises NsocError when a core of the simulation is in error mode."""
    if simulation.closed or PROBE not in simulation.probes():
        return
    values = simulation.probe(PROBE)
    if not values:
        return
    core, trap, pc, *pairs = values
    last = [(at, None if word == NO_WORD else word) for at, word in zip(pairs[::2], pairs[1::2], strict=True)]
    which = f", core {core}" if cores > 1 else ""
    raise NsocError(f"{elf.stem} on {system}{which}: {sentence(trap, pc, last, elf)}")


def place(elf: Path, address: int) -> str:
    """The function that has code at this address, as `name+0x10`; nothing when none has. A label of assembly is one,
    though it has no length."""
    content = elf.read_bytes()
    here = {
        number
        for number, section in enumerate(elf32.sections(content))
        if section.address <= address < section.address + section.length
    }
    found = [
        (symbol.place.start, symbol.kind, symbol.name)
        for symbol in elf32.code_symbols(content)
        if symbol.section in here
        and symbol.place.start <= address
        and (not symbol.place or address in symbol.place)
    ]
    if not found:
        return ""
    start, _, name = max(found)
    return name + (f"+{address - start:#x}" if address > start else "")
