# SPDX-License-Identifier: Apache-2.0
"""Accesses of a SPARC V8 core to all regions of the memory map (tests/support/sparc/wild.c), and what docs/sparc.md
says of each."""

import struct
from dataclasses import dataclass
from pathlib import Path

from nsoc.machine import firmware
from nsoc.machine.memory_map import (
    BOOT_ROM_BYTES,
    DRAM_BASE,
    DRAM_BYTES,
    INTC_BASE,
    L2_BASE,
    NIC_BASE,
    PACKET_MEMORY_BASE,
    PACKET_MEMORY_BYTES,
    TIMER_BASE,
    TOE_BASE,
    UART_BASE,
)

RECORDS = DRAM_BASE + 0x20_0000
RECORD = struct.Struct(">8I")
PATTERN, REGISTER = 0x8182_8384, 0xA1A2_A3A4
OTHER = REGISTER ^ 0xFFFF_FFFF
WAYS = ("precise stores", "posted stores", "overlapped loads")

ALIGNMENT, DATA_ACCESS, STORE_ERROR, LATE_LOAD = 0x07, 0x09, 0x2B, 0x60
NO_SPACE = 0x21
"""An address space in which nothing is."""


@dataclass(frozen=True)
class Access:
    """An instruction of one access."""

    name: str
    size: int
    """Bytes."""
    loads: bool
    stores: bool
    signed: bool = False
    space: int | None = None

    @property
    def assembly(self) -> str:
        """For wild.c: %2 is the address, %0 and %1 a pair of registers."""
        where = "[%2]" if self.space is None else f"[%2] {self.space:#x}"
        return f"{self.name} %0, {where}" if self.stores and not self.loads else f"{self.name} {where}, %0"

    def __str__(self) -> str:
        return self.name if self.space is None else f"{self.name} {self.space:#x}"


def _accesses() -> list[Access]:
    found = []
    for space in (None, 0x0B, 0x20, NO_SPACE):
        a = "" if space is None else "a"
        for size, letters in ((1, "ub"), (1, "sb"), (2, "uh"), (2, "sh"), (4, ""), (8, "d")):
            found.append(Access(f"ld{letters}{a}", size, True, False, letters.startswith("s"), space))
        found += [
            Access(f"st{letters}{a}", size, False, True, False, space)
            for size, letters in ((1, "b"), (2, "h"), (4, ""), (8, "d"))
        ]
        found += [Access(f"{name}{a}", size, True, True, False, space) for name, size in (("ldstub", 1), ("swap", 4))]
    return found


ACCESSES = _accesses()

NIC_DEBUG1, NIC_DEBUG2, NIC_QUEUE, NIC_HOLE = NIC_BASE + 0x08, NIC_BASE + 0x0C, NIC_BASE + 0x20, NIC_BASE + 0x3F8
DEVICES = {
    NIC_DEBUG1: "rw words",
    NIC_DEBUG2: "ro",
    NIC_QUEUE: "queue",
    NIC_HOLE: "",
    TOE_BASE: "",
    INTC_BASE + 0x00: "ignored",
    INTC_BASE + 0x04: "narrow",
    INTC_BASE + 0x0C: "",
    TIMER_BASE + 0x08: "rw",
    TIMER_BASE + 0x0C: "rw",
    TIMER_BASE + 0x14: "",
    UART_BASE + 0x08: "ignored",
    UART_BASE + 0x10: "",
    L2_BASE: "ignored",
    0xFF80_0000: "",
    0xFFFF_FFF8: "",
}
"""Words of devices: written by bytes or by words; read only, and a write is an error or ignored; with fewer bits; a
queue, which is read by words; nothing there."""
RESET = {NIC_DEBUG1: 0, TIMER_BASE + 0x08: 0xFFFF_FFFF, TIMER_BASE + 0x0C: 0xFFFF_FFFF}
"""What those can hold that are written."""
NOT_ON_ISS = (NIC_BASE, L2_BASE)
"""A KB from there."""
MEMORIES = (
    0x1000,
    BOOT_ROM_BYTES - 8,
    RECORDS - 0x1000,
    DRAM_BASE + DRAM_BYTES - 16,
    PACKET_MEMORY_BASE + 0x100,
    PACKET_MEMORY_BASE + PACKET_MEMORY_BYTES - 16,
)
HOLES = (
    BOOT_ROM_BYTES,
    DRAM_BASE - 8,
    PACKET_MEMORY_BASE + PACKET_MEMORY_BYTES,
    0x5FFF_FFF8,
    0x6000_0000,
    0x9000_0000,
    0xFEFF_FFF8,
)
PLACES = [
    base + offset
    for bases, offsets in ((MEMORIES, (0, 1, 2, 3, 4, 6)), (HOLES, (0, 2, 3)), (DEVICES, (0, 1, 2, 3)))
    for base in bases
    for offset in offsets
]


def program(folder: Path) -> Path:
    """A copy of wild.c in the folder, with what it is to do."""
    accesses = " ".join(f'case {n}: ACCESS("{access.assembly}")' for n, access in enumerate(ACCESSES))
    places = ", ".join(f"{place:#x}u" for place in PLACES)
    constants = {
        "PLACES": places, "ACCESSES": accesses, "ACCESS_COUNT": len(ACCESSES), "WAYS": len(WAYS),
        "RECORDS": f"{RECORDS:#x}u", "PATTERN": f"{PATTERN:#x}u", "REGISTER": f"{REGISTER:#x}u",
    }  # fmt: skip
    (folder / "wild.h").write_text("".join(f"#define {name} {value}\n" for name, value in constants.items()))
    source = firmware.checkout() / "tests" / "support" / "sparc" / "wild.c"
    copy = folder / "wild.c"
    copy.write_text(source.read_text())
    return copy


@dataclass(frozen=True)
class Result:
    """What became of an access."""

    trap: int
    address: int
    registers: tuple[int, int]
    memory: bytes

    @classmethod
    def of(cls, record: bytes) -> "Result":
        """As wild.c has it."""
        trap, address, *registers = struct.unpack_from(">4I", record)
        return cls(trap, address, (registers[0], registers[1]), record[16:])

    def __str__(self) -> str:
        registers = " ".join(f"{value:08x}" for value in self.registers)
        return f"trap {self.trap:#04x} at {self.address:#010x}, registers {registers}, memory {self.memory.hex(' ', 4)}"


Key = tuple[str, int, str]
"""Way, address, access."""
KEYS: list[Key] = [(way, place, str(access)) for way in WAYS for place in PLACES for access in ACCESSES]
RECORDS_BYTES = len(KEYS) * RECORD.size


def results(records: bytes) -> dict[Key, Result]:
    """Of all accesses."""
    each = struct.iter_unpack(f"{RECORD.size}s", records)
    return {key: Result.of(record) for key, (record,) in zip(KEYS, each, strict=True)}


def is_on_iss(key: Key) -> bool:
    """The simulator of the instructions has the device that is accessed, if one is."""
    return not any(base <= key[1] < base + 0x400 for base in NOT_ON_ISS)


def differences(found: dict[Key, Result], expected: dict[Key, Result]) -> str:
    """A line for each access that did not do as expected; empty: there is none."""
    return "\n".join(
        f"{way}, {place:#010x}, {access}: {result}; expected: {expected[way, place, access]}"
        for (way, place, access), result in found.items()
        if not same(result, expected[way, place, access])
    )


def expected(rom: bytes) -> dict[Key, Result]:
    """What docs/sparc.md says. `rom`: what is in the boot ROM."""
    held = dict(RESET)
    return {(w, p, str(a)): _expected(w, p, a, rom, held) for w in WAYS for p in PLACES for a in ACCESSES}


def _memory(address: int) -> bool:
    return 0 <= address - DRAM_BASE < DRAM_BYTES or 0 <= address - PACKET_MEMORY_BASE < PACKET_MEMORY_BYTES


def _expected(way: str, place: int, access: Access, rom: bytes, held: dict[int, int]) -> Result:
    untouched = struct.pack(">4I", *(PATTERN + i * 0x0404_0404 for i in range(4))) if _memory(place) else bytes(16)
    registers = (REGISTER, OTHER)

    def trap(number: int, *, late: bool = False) -> Result:
        return Result(number, 0 if number == ALIGNMENT else place, (0, OTHER) if late else registers, untouched)

    def read(content: bytes, at: int) -> tuple[int, int]:
        if access.size == 8:
            first, second = struct.unpack_from(">2I", content, at)
            return first, second
        value = int.from_bytes(content[at : at + access.size], "big", signed=access.signed)
        return value & 0xFFFF_FFFF, OTHER

    if place % access.size:
        return trap(ALIGNMENT)
    if access.space == NO_SPACE:
        return trap(DATA_ACCESS)
    in_rom = place < BOOT_ROM_BYTES
    if in_rom and not access.stores:
        return Result(0, 0, read(rom, place), untouched)
    if _memory(place):
        at, memory = place & 7, bytearray(untouched)
        if access.loads:
            registers = read(untouched, at)
        if access.name.startswith("ldstub"):
            memory[at] = 0xFF
        elif access.stores:
            both = struct.pack(">2I", REGISTER, OTHER)
            memory[at : at + access.size] = both if access.size == 8 else both[4 - access.size : 4]
        return Result(0, 0, registers, bytes(memory))
    kind = "" if in_rom else DEVICES.get(place & ~3, "")
    if access.size <= 4 and not access.name.startswith("ldstub"):
        at, word = place % 4, place & ~3
        if access.stores and (kind in ("rw", "narrow", "ignored") or (kind == "rw words" and access.size == 4)):
            if word in held:
                content = bytearray(held[word].to_bytes(4, "big"))
                content[at : at + access.size] = REGISTER.to_bytes(4, "big")[4 - access.size :]
                held[word] = int.from_bytes(content, "big")
            # A swap gives what the bus answers to a write.
            return Result(0, 0, (0, OTHER) if access.loads else registers, untouched)
        if not access.stores and kind and (kind != "queue" or access.size == 4):
            found = read(held[word].to_bytes(4, "big"), at) if word in held else ANY
            return Result(0, 0, found, untouched)
    if not access.loads:
        return trap(STORE_ERROR)
    cached = place < DRAM_BASE + DRAM_BYTES and access.space != 0x20
    plain = not access.stores and access.size <= 4 and access.space in (None, 0x0B)
    if way == "overlapped loads" and plain and not cached:
        return trap(LATE_LOAD, late=True)
    return trap(DATA_ACCESS)


ANY = (-1, -1)
"""A register's content that is not the same at all times."""


def same(one: Result, expected: Result) -> bool:
    """It is as expected."""
    registers = one.registers if expected.registers == ANY else expected.registers
    return (one.trap, one.address, one.registers, one.memory) == (
        expected.trap, expected.address, registers, expected.memory,
    )  # fmt: skip
