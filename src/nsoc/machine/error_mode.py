# SPDX-License-Identifier: Apache-2.0
"""Error mode of a SPARC V8 core, in a sentence: a trap while traps are disabled stops the core until reset."""

import struct
from collections.abc import Sequence
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine.sim import Simulation

PROBE = "stopped"
"""Of the simulator, where a core may stop for good: number of the first core that has, its cause, its PC, and of the
last instructions address and word each."""
NO_WORD = 2**64 - 1
"""What it says of an instruction that is in no memory."""

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

STT_NOTYPE, STT_FUNC = 0, 2
SHF_EXECINSTR = 4


def trap_name(trap: int) -> str:
    """Of a type of trap."""
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
    """The function of a big-endian program that has code at this address, as `name+0x10`; nothing when none has."""
    content = elf.read_bytes()
    (table,) = struct.unpack_from(">I", content, 32)
    size, count = struct.unpack_from(">2H", content, 46)
    if not table or table + size * count > len(content):
        return ""  # stripped, or cut off behind what is loaded
    sections = [struct.unpack_from(">10I", content, table + index * size) for index in range(count)]
    code = [
        number
        for number, (_, _, flags, start, _, length, *_) in enumerate(sections)
        if flags & SHF_EXECINSTR and start <= address < start + length
    ]
    best: tuple[int, int, str] | None = None
    for _, kind, _, _, at, length, link, *_ in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        for name_at, value, extent, info, _, section in struct.iter_unpack(">IIIBBH", content[at : at + length]):
            # Of assembly, labels have neither type nor length.
            if section not in code or info & 15 not in (STT_NOTYPE, STT_FUNC) or value > address:
                continue
            if extent and address >= value + extent:
                continue
            begin = sections[link][4] + name_at
            name = content[begin : content.index(0, begin)].decode(errors="replace")
            rank = (value, info & 15, name)
            if name and not name.startswith((".", "$")) and (best is None or rank > best):
                best = rank
    if best is None:
        return ""
    return best[2] + (f"+{address - best[0]:#x}" if address > best[0] else "")
