# SPDX-License-Identifier: Apache-2.0
"""One instruction on the simulator of the SPARC V8 core, in a state of one's own, and all that it may change."""

from dataclasses import dataclass

from sparc_facts import ET, MASK, PS, S, register

from nsoc.sparc import Iss, Kind, State, Step

HERE = 0x4000_2000
"""Where the instruction is."""
TABLE = 0x4000_0000
"""Of traps."""
DATA = 0x4000_8000
SUPERVISOR = S | ET
PRECISE_STORES, OVERLAPPED_LOADS = 1, 2


@dataclass
class Done:
    """A step, and the states around it."""

    before: State
    step: Step
    after: State

    def expect(self, *, r: dict[int, int] | None = None, **changes: int) -> None:
        """The instruction has retired and changed this, and nothing else. `r`: by physical number."""
        assert self.step.kind == Kind.RETIRED, show(self.step)
        self._compare(r or {}, {"pc": self.before.npc, "npc": self.before.npc + 4 & MASK, **changes})

    def expect_trap(self, trap: int) -> None:
        """It was taken, precisely."""
        before = self.before
        assert (self.step.kind, self.step.trap) == (Kind.TRAPPED, trap), show(self.step)
        window = (before.psr - 1) % 8
        psr = before.psr & ~(ET | PS | 7) | S | (PS if before.psr & S else 0) | window
        tbr = before.tbr & 0xFFFF_F000 | trap << 4
        r = {register(window, 17): before.pc, register(window, 18): before.npc}
        self._compare(r, {"pc": tbr, "npc": tbr + 4, "psr": psr, "tbr": tbr})

    def expect_error_mode(self, trap: int, *, keeps_type: bool = False) -> None:
        """All stays, but TBR's type if `keeps_type`."""
        assert (self.step.kind, self.step.trap) == (Kind.ERROR_MODE, trap), show(self.step)
        tbr = self.before.tbr & 0xFFFF_F000 | trap << 4 if keeps_type else self.before.tbr
        self._compare({}, {"error_mode": 1, "error_trap": trap, "tbr": tbr})

    def _compare(self, r: dict[int, int], changes: dict[str, int]) -> None:
        expected = State.from_buffer_copy(self.before)
        for number, value in r.items():
            expected.r[number] = value
        for name, value in changes.items():
            setattr(expected, name, value)
        assert not (wrong := differences(self.after, expected)), wrong
        assert self.step.written == r, show(self.step)
        state = {name: getattr(expected, name) for name in ("psr", "wim", "tbr", "y")}
        assert state == {name: getattr(self.step, name) for name in state}
        came, went = (self.step.pc, self.step.npc), (self.step.next_pc, self.step.next_npc)
        assert came == (self.before.pc, self.before.npc) and went == (expected.pc, expected.npc)


def show(step: Step) -> str:
    return f"{step.word:#010x}: {Kind(step.kind).name}, trap {step.trap:#x}, writes {step.written}"


def differences(found: State, expected: State) -> list[str]:
    """Between two states; empty if there are none."""
    if bytes(found) == bytes(expected):
        return []
    pairs = {f"r{i}": (found.r[i], expected.r[i]) for i in range(136)}
    pairs |= {str(name): (getattr(found, name), getattr(expected, name)) for name, _ in State._fields_ if name != "r"}
    return [f"{name} is {a:#x}, not {b:#x}" for name, (a, b) in pairs.items() if a != b]


class Bench:
    """A simulator, and the memory that all tests share: each writes what it reads."""

    def __init__(self) -> None:
        self.iss = Iss(dram_bytes=1 << 20)
        self.fresh = self.iss.state
        for i in range(136):
            self.fresh.r[i] = 0x0100_0000 + 0x0001_0101 * i if i != 128 else 0
        self.fresh.pc, self.fresh.npc, self.fresh.tbr = HERE, HERE + 4, TABLE
        self.fresh.bus_control = PRECISE_STORES

    def state(self, *, psr: int = SUPERVISOR, r: dict[int, int] | None = None, **fields: int) -> State:
        """Registers of different values but for those named; `r`: by their numbers in the window of `psr`."""
        state = State.from_buffer_copy(self.fresh)
        state.psr = psr
        for number, value in (r or {}).items():
            if number:
                state.r[register(psr % 8, number)] = value & MASK
        for name, value in fields.items():
            setattr(state, name, value)
        return state

    def step(self, word: int, state: State | None = None, level: int = 0) -> Done:
        """`word` where the state says, with an interrupt of that level."""
        before = self.state() if state is None else state
        self.iss.write(before.pc, word.to_bytes(4, "big"))
        self.iss.state = before
        step = self.iss.step_with(1 << level & ~1)
        return Done(before, step, self.iss.state)
