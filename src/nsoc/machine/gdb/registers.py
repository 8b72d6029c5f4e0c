# SPDX-License-Identifier: Apache-2.0
"""The registers as GDB numbers them: x0 to x31 are 0 to 31, then comes pc; the CSRs follow from FIRST_CSR on."""

from nsoc.errors import NsocError
from nsoc.machine.gdb.packets import Malformed
from nsoc.machine.gdb.target import Core
from nsoc.machine.memory_map import CSRS

PC = 32
FIRST_CSR = 65
"""The number of the CSR 0."""

_NAMES = ("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", *(f"a{n}" for n in range(8)))
_NAMES += (*(f"s{n}" for n in range(2, 12)), "t3", "t4", "t5", "t6")


_ROLES = {"pc": "pc", "sp": "sp", "fp": "fp", "ra": "ra", **{f"a{n}": f"arg{n + 1}" for n in range(8)}}
"""Names by which other debuggers than GDB find a register in any instruction set."""


def _role(name: str) -> str:
    return f' generic="{_ROLES[name]}"' if name in _ROLES else ""


def target_description() -> str:
    """target.xml: which registers there are."""
    kinds = {"ra": "code_ptr", "sp": "data_ptr", "gp": "data_ptr", "tp": "data_ptr", "fp": "data_ptr"}
    cpu = [
        f'<reg name="{n}" bitsize="32" type="{kinds.get(n, "int")}" regnum="{i}"{_role(n)}/>'
        for i, n in enumerate(_NAMES)
    ]
    cpu.append(f'<reg name="pc" bitsize="32" type="code_ptr" regnum="{PC}"{_role("pc")}/>')
    csrs = [f'<reg name="{name}" bitsize="32" type="int" regnum="{FIRST_CSR + n}"/>' for name, n in CSRS.items()]
    return (
        '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">'
        "<architecture>riscv:rv32</architecture>"
        f'<feature name="org.gnu.gdb.riscv.cpu">{"".join(cpu)}</feature>'
        f'<feature name="org.gnu.gdb.riscv.csr">{"".join(csrs)}</feature></target>'
    )


def get(core: Core, number: int) -> int:
    """What is in a register."""
    if number < PC:
        return core.x(number)
    if number == PC:
        return core.pc
    return core.csr(_csr(number))


def put(core: Core, number: int, value: int) -> None:
    """Writes a register."""
    if value >= 2**32:
        raise Malformed
    if number == PC:
        core.pc = value
    elif number < PC:
        core.set_x(number, value)
    else:
        core.set_csr(_csr(number), value)


def _csr(number: int) -> int:
    if number - FIRST_CSR not in CSRS.values():
        raise NsocError(f"GDB's register {number} is not shown: there is no such CSR")
    return number - FIRST_CSR
