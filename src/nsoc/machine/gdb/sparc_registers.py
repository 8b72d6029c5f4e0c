# SPDX-License-Identifier: Apache-2.0
"""What GDB knows of the SPARC V8 core.

**Windows.** GDB looks for locals and ins of an outer frame where a window trap would have spilled them: at that frame's
stack pointer. They are still in the register file as long as WIM does not say otherwise. So memory is read, and
written, as if all windows but the current one were on the stack, and the core goes on as it is.
"""

from collections.abc import Iterator

from nsoc.errors import NsocError
from nsoc.machine.debug import STATE, WINDOWS
from nsoc.machine.gdb.registers import Core, Registers, described, row

_COUNT, _LOCALS, _REGISTERS, _OUT_SP = 8, 8, 16, 14
_SAVED = 4 * _REGISTERS
"""Bytes of a window on the stack: locals, then ins."""

_NAMES = tuple(f"{kind}{n}" for kind in "goli" for n in range(8))
_NAMES = tuple({"o6": "sp", "i6": "fp"}.get(name, name) for name in _NAMES)
_CONTROL = ("y", "psr", "wim", "tbr", "pc", "npc", "fsr", "csr")
_ABSENT = ("fsr", "csr")


class SparcRegisters(Registers):
    """As GDB numbers those of 32-bit SPARC: 0 to 31 are globals, outs, locals and ins of the current window, then come
    f0 to f31, which are not there, and those of _CONTROL. Ancillary state registers are behind them."""

    order = "big"
    _FIRST_CONTROL = 64
    pc = _FIRST_CONTROL + _CONTROL.index("pc")
    shown = _FIRST_CONTROL + len(_CONTROL)
    _ANCILLARY = tuple(name for name in STATE if name not in _CONTROL)

    def description(self) -> str:
        """target.xml: which registers there are."""
        roles = {"sp": "sp", "fp": "fp", "o7": "ra", "pc": "pc", **{f"o{n}": f"arg{n + 1}" for n in range(6)}}
        kinds = {"sp": "data_ptr", "fp": "data_ptr", "pc": "code_ptr", "npc": "code_ptr"}

        def rows(names: tuple[str, ...], first: int) -> list[str]:
            return [row(name, first + n, kinds.get(name, "int"), roles.get(name)) for n, name in enumerate(names)]

        floats = [row(f"f{n}", len(_NAMES) + n, "ieee_single") for n in range(32)]
        return described(
            "sparc",
            {
                "org.gnu.gdb.sparc.cpu": rows(_NAMES, 0),
                "org.gnu.gdb.sparc.fpu": floats,
                "org.gnu.gdb.sparc.cp0": rows(_CONTROL, self._FIRST_CONTROL),
                "org.nsoc.sparc.asr": rows(self._ANCILLARY, self.shown),
            },
        )

    def get(self, core: Core, number: int) -> int | None:
        """What is in a register; None of those of units that there are not."""
        if number < len(_NAMES):
            return core.x(number)
        name = self._name(number)
        if name == "pc":
            return core.pc
        return None if name in _ABSENT else core.csr(STATE[name])

    def put(self, core: Core, number: int, value: int) -> None:
        """Writes a register."""
        if number < len(_NAMES):
            core.set_x(number, value)
            return
        name = self._name(number)
        if name in _ABSENT:
            raise NsocError("this core has neither a floating-point unit nor a coprocessor")
        if name == "pc":
            core.pc = value
        else:
            core.set_csr(STATE[name], value)

    def retired(self, core: Core) -> int:
        """Instructions that the core has done."""
        return core.csr(STATE["asr26"]) << 32 | core.csr(STATE["asr27"])

    def read(self, core: Core, address: int, length: int) -> bytes:
        """Memory, with the windows that are in the register file."""
        data = bytearray(core.read(address, length))
        for place, register in _windowed(core, address, length):
            for n, byte in enumerate(core.csr(register).to_bytes(4, self.order), place - address):
                if 0 <= n < length:
                    data[n] = byte
        return bytes(data)

    def write(self, core: Core, address: int, data: bytes) -> None:
        """Writes memory, and windows that are in the register file."""
        for place, register in _windowed(core, address, len(data)):
            before = core.csr(register)
            old = before.to_bytes(4, self.order)
            new = bytes(data[n] if 0 <= n < len(data) else old[n - place + address]
                        for n in range(place - address, place - address + 4))  # fmt: skip
            if new != old:
                core.set_csr(register, int.from_bytes(new, self.order))
        core.write(address, data)

    def _name(self, number: int) -> str:
        names = (*_CONTROL, *self._ANCILLARY)
        if len(_NAMES) <= number < self._FIRST_CONTROL:
            return _ABSENT[0]
        if number >= self._FIRST_CONTROL + len(names):
            raise NsocError(f"GDB's register {number} is not shown: there is no such register")
        return names[number - self._FIRST_CONTROL]


def _windowed(core: Core, address: int, length: int) -> Iterator[tuple[int, int]]:
    """Where these bytes of memory are registers of a window that is not spilled: address and number of each."""
    wim, window = core.csr(STATE["wim"]), core.csr(STATE["psr"]) % _COUNT
    if not wim:
        return  # nothing has set the windows up
    for _ in range(_COUNT - 1):
        window = (window + 1) % _COUNT
        if wim >> window & 1:
            return
        stack = core.csr(WINDOWS + _REGISTERS * window + _OUT_SP)
        if stack % 8 or stack + _SAVED <= address or address + length <= stack:
            continue
        above = (window + 1) % _COUNT
        for n in range(_REGISTERS):
            at = stack + 4 * n
            if address - 4 < at < address + length:
                # The ins are the outs of the window above, which stand behind its locals.
                yield at, WINDOWS + _REGISTERS * (window if n < _LOCALS else above) + n
