# SPDX-License-Identifier: Apache-2.0
"""What GDB knows of a core: its registers by GDB's numbers, its byte order, its memory. RISC-V is here, sparc_registers
has SPARC V8."""

from abc import ABC, abstractmethod
from typing import Literal, Protocol

from nsoc.errors import NsocError
from nsoc.machine.memory_map import CSRS


class Core(Protocol):
    """A core at a stop. What cannot be done raises NsocError."""

    pc: int

    def x(self, number: int) -> int:
        """A register, x0 to x31."""

    def set_x(self, number: int, value: int) -> None:
        """Writes a register."""

    def csr(self, number: int) -> int:
        """A CSR by number."""

    def set_csr(self, number: int, value: int) -> None:
        """Writes a CSR as `csrw` does."""

    def read(self, address: int, length: int) -> bytes:
        """Memory."""

    def write(self, address: int, data: bytes) -> None:
        """Memory; code, too."""


class Registers(ABC):
    """Of an instruction set."""

    order: Literal["little", "big"]
    """Of words in packets."""
    pc: int
    """Its number."""
    shown: int
    """How many are in the answer to `g`: those of the lowest numbers."""

    @abstractmethod
    def description(self) -> str:
        """target.xml: which registers there are."""

    @abstractmethod
    def get(self, core: Core, number: int) -> int | None:
        """What is in a register; None of one that GDB knows and the core has not."""

    @abstractmethod
    def put(self, core: Core, number: int, value: int) -> None:
        """Writes a register."""

    @abstractmethod
    def retired(self, core: Core) -> int:
        """Instructions that the core has done."""

    def read(self, core: Core, address: int, length: int) -> bytes:
        """Memory, as GDB is to find it."""
        return core.read(address, length)

    def write(self, core: Core, address: int, data: bytes) -> None:
        """Writes memory."""
        core.write(address, data)


def row(name: str, number: int, kind: str = "int", role: str | None = None) -> str:
    """A register's line of target.xml. `role`: a name by which other debuggers than GDB find it in any instruction
    set."""
    generic = f' generic="{role}"' if role else ""
    return f'<reg name="{name}" bitsize="32" type="{kind}" regnum="{number}"{generic}/>'


def described(architecture: str, features: dict[str, list[str]]) -> str:
    """target.xml around rows."""
    inside = "".join(f'<feature name="{name}">{"".join(rows)}</feature>' for name, rows in features.items())
    return (
        '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">'
        f"<architecture>{architecture}</architecture>{inside}</target>"
    )


_NAMES = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1"),
    *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
_KINDS = {"ra": "code_ptr", "sp": "data_ptr", "gp": "data_ptr", "tp": "data_ptr", "fp": "data_ptr"}
_ROLES = {"sp": "sp", "fp": "fp", "ra": "ra", **{f"a{n}": f"arg{n + 1}" for n in range(8)}}


class RiscvRegisters(Registers):
    """x0 to x31 are 0 to 31, then comes pc; the CSRs follow from FIRST_CSR on."""

    order = "little"
    pc = 32
    shown = 33
    FIRST_CSR = 65
    """The number of the CSR 0."""

    def description(self) -> str:
        """target.xml: which registers there are."""
        cpu = [row(n, i, _KINDS.get(n, "int"), _ROLES.get(n)) for i, n in enumerate(_NAMES)]
        cpu.append(row("pc", self.pc, "code_ptr", "pc"))
        csrs = [row(name, self.FIRST_CSR + n) for name, n in CSRS.items()]
        return described("riscv:rv32", {"org.gnu.gdb.riscv.cpu": cpu, "org.gnu.gdb.riscv.csr": csrs})

    def get(self, core: Core, number: int) -> int:
        """What is in a register."""
        if number < self.pc:
            return core.x(number)
        if number == self.pc:
            return core.pc
        return core.csr(self._csr(number))

    def put(self, core: Core, number: int, value: int) -> None:
        """Writes a register."""
        if number == self.pc:
            core.pc = value
        elif number < self.pc:
            core.set_x(number, value)
        else:
            core.set_csr(self._csr(number), value)

    def retired(self, core: Core) -> int:
        """Instructions that the core has done."""
        return core.csr(CSRS["minstreth"]) << 32 | core.csr(CSRS["minstret"])

    def _csr(self, number: int) -> int:
        if number - self.FIRST_CSR not in CSRS.values():
            raise NsocError(f"GDB's register {number} is not shown: there is no such CSR")
        return number - self.FIRST_CSR
