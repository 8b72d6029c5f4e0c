# SPDX-License-Identifier: Apache-2.0
"""What a debugger shows of a SPARC V8 core, against the simulator of its instructions."""

from pathlib import Path

from nsoc.machine import elf32, firmware
from nsoc.machine.debug import STATE, WINDOWS, Debugger
from nsoc.sparc import Access, Iss, Kind

PROGRAM = Path(__file__).parent / "sparc" / "stops.c"
GLOBALS, WINDOWED = 128, 128
G3, G4 = 3, 4


def built(bus_control: int) -> Path:
    """The program's ELF file."""
    return firmware.build(PROGRAM, {"BUS_CONTROL": bus_control}, arch="sparc")


def symbols(elf: Path) -> dict[str, int]:
    """Where the program's labels are."""
    return {symbol.name: symbol.place.start for symbol in elf32.symbols(elf.read_bytes())}


class Reference(Iss):
    """The simulator, an instruction at a time. An annulled slot is part of the branch before it."""

    def __init__(self, elf: Path) -> None:
        super().__init__()
        for segment in firmware.segments(elf, "sparc"):
            self.write(segment.address, segment.data)
        self.reset()
        self.done = 0

    def one(self) -> range:
        """One instruction or trap. Returns the addresses of a store."""
        step = self.step()
        assert step.kind is not Kind.ERROR_MODE, self.error_mode()
        self.done += step.kind == Kind.RETIRED
        stored = range(
            step.access.address, step.access.address + step.access.bytes * (step.access.kind >= Access.WRITE)
        )
        if self.state.annul:
            self.step()
        return stored


def check(debugger: Debugger, iss: Reference) -> None:
    """Everything the debugger shows is what the reference has."""
    state = iss.state
    here = f"before {state.pc:#x}"
    assert (hex(debugger.pc), hex(debugger.csr(STATE["npc"]))) == (hex(state.pc), hex(state.npc))
    for name in ("psr", "wim", "tbr", "y"):
        assert hex(debugger.csr(STATE[name])) == hex(getattr(state, name)), f"{name} {here}"
    shown = [debugger.csr(WINDOWS + n) for n in range(WINDOWED)]
    assert shown == list(state.r[:WINDOWED]), here
    assert [debugger.x(n) for n in range(8)] == list(state.r[GLOBALS : GLOBALS + 8]), here
    window = state.psr % 8
    assert [debugger.x(n) for n in range(8, 16)] == shown[16 * window + 8 : 16 * window + 16], here
    assert [debugger.x(n) for n in range(16, 24)] == shown[16 * window : 16 * window + 8], here
    above = (window + 1) % 8
    assert [debugger.x(n) for n in range(24, 32)] == shown[16 * above + 8 : 16 * above + 16], here
    assert debugger.csr(STATE["asr26"]) << 32 | debugger.csr(STATE["asr27"]) == iss.done, here
