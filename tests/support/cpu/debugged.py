# SPDX-License-Identifier: Apache-2.0
"""What a debugger shows of a core, and of the NIC's small ones, against an instruction-set simulator."""

import random
from typing import Protocol

import iss as simulator
import pytest
from iss import Iss, Trap

from nsoc.errors import NsocError
from nsoc.machine.memory_map import CSRS

UART_PAGE = 0xFFFF_3200


class Shown(Protocol):
    """A core at a stop."""

    @property
    def pc(self) -> int: ...

    def x(self, number: int) -> int: ...

    def csr(self, number: int) -> int: ...


class Reference(Iss):
    """The instruction-set simulator; a device register reads as what the SoC read."""

    device = False

    def read(self, address: int, size: int, cause: int = 5) -> int:
        if address & ~0xFF == UART_PAGE:
            self.device = True
            return 0
        return super().read(address, size, cause)

    def one(self, seen: Shown | None = None) -> int | None:
        """One instruction or trap. Returns the address of a store."""
        memory, at = self._region(self.pc)
        instr = int.from_bytes(memory[at : at + 4], "little") if memory is not None else 0
        stored = None
        if instr & 0x7F == 0x23:
            offset = instr >> 25 << 5 | instr >> 7 & 31
            stored = self.x[instr >> 15 & 31] + (offset - 0x1000 if offset & 0x800 else offset)
        try:
            self.device = False
            self.step()
            self.retired += 1
            if self.device and seen is not None:
                self.x[instr >> 7 & 31] = seen.x(instr >> 7 & 31)
        except Trap as trap:
            stored = None
            self.csr[0x341], self.csr[0x342], self.csr[0x343] = self.pc, trap.cause, trap.value
            self.csr[0x300] = (self.csr[0x300] >> 3 & 1) << 7
            self.pc = self.csr[0x305] & ~3
            self.reservation = None
        return stored


def check(debugger: Shown, iss: Reference) -> None:
    """Everything the debugger shows is what the reference has."""
    assert debugger.pc == iss.pc
    assert [debugger.x(n) for n in range(32)] == iss.x, f"before {iss.pc:#x}"
    assert debugger.csr(CSRS["minstret"]) == iss.retired
    for name in ("mtvec", "mscratch", "mepc", "mcause", "mtval", "mie"):
        assert debugger.csr(CSRS[name]) == iss.csr[CSRS[name]], f"{name} before {iss.pc:#x}"
    assert debugger.csr(CSRS["mstatus"]) == iss.csr[CSRS["mstatus"]] | 0x1800


class Writable(Shown, Protocol):
    """A core whose CSRs can be written."""

    def set_csr(self, number: int, value: int) -> None: ...


def check_csrs(core: Writable, reference: Iss, rng: random.Random) -> None:
    """All CSRs can be read, and hold what the specification wants after random values have been written to them."""
    core.set_csr(CSRS["mcountinhibit"], 0xFFFF_FFFF)
    core.set_csr(CSRS["mbusctl"], 0)
    for name, number in CSRS.items():
        value = rng.getrandbits(32)
        if number in simulator.CONSTANT_CSRS and name != "mhartid":
            assert core.csr(number) == reference.constant(number), name
        if number >> 10 == 3:
            with pytest.raises(NsocError, match="this CSR is read-only"):
                core.set_csr(number, value)
            continue
        before = core.csr(number)
        core.set_csr(number, value)
        if number in simulator.CONSTANT_CSRS or name in ("mip", "mbuserr", "mcachectl"):
            assert core.csr(number) == before, name
        elif number in simulator.CSRS:
            fixed = reference.read_mpp() if name == "mstatus" else 0
            assert core.csr(number) == reference.legal(number, value) | fixed, name
            core.set_csr(number, before)
            assert core.csr(number) == before, name
        elif not reference.small:  # counters, which stand still
            assert core.csr(number) == value, name
            if name.removeprefix("m") in CSRS:
                assert core.csr(CSRS[name.removeprefix("m")]) == value, f"{name}, to read"
