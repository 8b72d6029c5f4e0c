# SPDX-License-Identifier: Apache-2.0
"""Device registers by their addresses, and which of them do something when they are read (regs/ says it)."""

from collections.abc import Iterator
from typing import NamedTuple

from nsoc.errors import NsocError
from nsoc.machine.regs import BLOCKS, Block, Register

WORD_BYTES = 4


class Place(NamedTuple):
    """A register at its address. `device` is the block with its number where there are several alike: `intc0`."""

    device: str
    block: Block
    register: Register
    address: int

    @property
    def name(self) -> str:
        return f"{self.device}.{self.register.name}"


def places() -> Iterator[Place]:
    """All registers of all devices."""
    for block in BLOCKS.values():
        for number in range(block.count):
            device = block.name if block.count == 1 else f"{block.name}{number}"
            for register in block.registers.values():
                yield Place(device, block, register, block.base + number * block.stride + register.offset)


_BY_ADDRESS = {place.address: place for place in places()}


def check_read(address: int, effects: bool, way_out: str) -> None:
    """Raises NsocError where no register is, and unless `effects` for one whose read does something."""
    if address & -WORD_BYTES not in _BY_ADDRESS:
        raise NsocError(f"there is no device register at address 0x{address:08X}")
    place = _BY_ADDRESS[address & -WORD_BYTES]
    if place.register.read_acts and not effects:
        raise NsocError(f"a read of {place.name} does something in the device: {way_out}")


def accesses(address: int, length: int) -> Iterator[tuple[int, int]]:
    """How so many bytes of device registers are accessed: address and size of each access. Raises NsocError where that
    is no whole registers, nor one access to a part of one."""
    if length in (1, 2) and address % length == 0:
        yield address, length
        return
    if address % WORD_BYTES or length % WORD_BYTES:
        raise NsocError(f"device registers are accessed as 1, 2 or 4 bytes at a multiple of that, not as {length}")
    for place in range(address, address + length, WORD_BYTES):
        yield place, WORD_BYTES
