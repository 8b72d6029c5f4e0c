# SPDX-License-Identifier: Apache-2.0
"""Device registers by their addresses, and which of them do something when they are read (regs/ says it)."""

from collections.abc import Iterator

from nsoc.errors import NsocError
from nsoc.machine.regs import BLOCKS, Register

WORD_BYTES = 4


def places() -> Iterator[tuple[str, int, Register, str]]:
    """All registers: name with that of the block (`nic.control`, of several blocks alike `intc0.enable`), address,
    register, name of the block (`intc`)."""
    for block in BLOCKS.values():
        for number in range(block.count):
            name, base = block.name if block.count == 1 else f"{block.name}{number}", block.base + number * block.stride
            for register in block.registers.values():
                yield f"{name}.{register.name}", base + register.offset, register, block.name


_BY_ADDRESS = {address: (name, register) for name, address, register, _ in places()}


def check_read(address: int, effects: bool, way_out: str) -> None:
    """Raises NsocError where no register is, and unless `effects` for one whose read does something."""
    if address & -WORD_BYTES not in _BY_ADDRESS:
        raise NsocError(f"there is no device register at address 0x{address:08X}")
    name, register = _BY_ADDRESS[address & -WORD_BYTES]
    if register.read_acts and not effects:
        raise NsocError(f"a read of {name} does something in the device: {way_out}")


def accesses(address: int, length: int) -> Iterator[tuple[int, int]]:
    """How so many bytes of device registers are accessed: address and size of each access. Raises NsocError where that
    is no whole registers, nor one access to a part of one."""
    if length in (1, 2) and address % length == 0:
        yield address, length
        return
    if address % WORD_BYTES or length % WORD_BYTES:
        raise NsocError(
            f"device registers are accessed as 1, 2 or 4 bytes at a multiple of that, not as {length}"
        )
    for place in range(address, address + length, WORD_BYTES):
        yield place, WORD_BYTES
