# SPDX-License-Identifier: Apache-2.0
"""`nsoc selftest`: tests of the NIC from the processor's side, from inside the NIC, and with frames from the wire.

The firmware `selftest` takes a command a line on its UART and answers each with a line; `Session` speaks to it.
"""

import difflib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.network.ethernet import LONGEST, SHORTEST
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "selftest"
FIRMWARE = "selftest"
CHECK_NIC = "check_nic"
TESTS = {
    "check_queues": "processor: each queue empty, full, in order; the free queue's lock",
    "debug_registers": "NIC itself: patterns in a register, errors where there is none",
    "debug_queue": "NIC itself: each place of each queue with both values of each bit, full, empty; the lock",
    "check_queue_sequence": "processor: 64 pointers from free to receive to transmit to free queue, each server",
    "debug_queue_sequence": "NIC itself: the same, six operations back to back",
    "check_memory_access": "processor: packet memory by bytes, halves, words; a bus error outside",
    "debug_memory_access": "NIC itself: addresses, walking ones, byte masks in all packet memory; an error outside",
    CHECK_NIC: "frames of many lengths through receive queue, processor, transmit queue; both loopbacks",
}
"""What each test checks, in the order in which they run."""

OF_OWN_QUEUES = ("debug_queue", "debug_queue_sequence")
"""Tests that a NIC_1.1 refuses, as it has no queues inside."""

MODES = ("normal", "nic_loopback", "mac_loopback")
"""What becomes of a frame; the firmware's commands."""

BUFFERS = 64
SLICE_US = 20.0
LIMIT_US = 200_000.0
QUIET_US = 500.0
"""Longer than the firmware looks at the bytes of the longest frame."""
HOST, SOC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
RANDOM_LENGTHS = 12


class Session:
    """A SoC with the firmware `selftest`, ready for commands; `defines` are the firmware's build options."""

    def __init__(
        self,
        preset: str | Preset = presets.DEFAULT,
        seed: int = 1,
        checks: bool = False,
        defines: Mapping[str, int | str] | None = None,
        trace: bool = False,
        waves: bool = False,
    ) -> None:
        self.soc = Soc(preset, FIRMWARE, seed, defines=defines, checks=checks, trace=trace, waves=waves)
        self.mode = ""
        self.soc.boot("ready\n")

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.soc.close()

    def ask(self, command: str) -> str:
        """The line that the firmware answers a command with."""
        seen = len(self.soc.uart.text)
        until = self.soc.time_us + LIMIT_US
        self.soc.uart.write(f"{command}\n")
        while "\n" not in self.soc.uart.text[seen:]:
            if self.soc.time_us > until:
                raise NsocError(f"the firmware {FIRMWARE} did not answer {command!r}: {self.soc.uart.text[seen:]!r}")
            self.soc.run(us=SLICE_US)
        return self.soc.uart.text[seen:].partition("\n")[0]

    def enter(self, mode: str) -> None:
        """Switch to a mode, or to `check`, which is `normal` with a look at every byte. Frames may be under way."""
        if self.ask(mode) != f"mode {mode}":
            raise NsocError(f"the firmware {FIRMWARE} does not know the mode {mode!r}")
        self.mode = mode

    def lost(self, before: Mapping[str, int] | None = None) -> str:
        """What is not where it should be, with the SoC at rest and frames forwarded; empty when all is well.

        Every buffer must be in exactly one place, no frame dropped since the counters were `before`, or since reset.
        """
        places = self.soc.pointers()
        everywhere = [pointer for pointers in places.values() for pointer in pointers]
        if len(everywhere) != BUFFERS or len(set(everywhere)) != BUFFERS:
            return f"{len(everywhere)} buffers in sight of {BUFFERS}, {len(set(everywhere))} different"
        old = before or {}
        since = {name: count - old.get(name, 0) for name, count in self.soc.counters.items() if "_drop_" in name}
        drops = {name: count for name, count in since.items() if count}
        return ", ".join(f"{name} {count}" for name, count in drops.items())


def patterned(length: int, first: int, step: int) -> bytes:
    """A frame without FCS whose bytes the firmware can check: byte j from 16 on is first + j * step."""
    head = SOC + HOST + b"\x88\xb5" + bytes((first & 0xFF, step & 0xFF))
    return head + bytes((first + j * step) & 0xFF for j in range(16, length))


def came_back(frame: bytes, mode: str) -> bytes:
    """What the SoC must make of a frame in a mode."""
    return frame if mode.endswith("loopback") else frame[6:12] + frame[:6] + frame[12:]


# ---- Running ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """How a test went."""

    name: str
    ok: bool
    cycles: int
    """Of the NIC clock, printing included."""
    where: str = ""
    """What failed."""


def find(names: Sequence[str]) -> list[str]:
    """The tests of these names, all when there are none; raises NsocError with the closest match on an unknown one."""
    found = []
    for name in names:
        if name.lower() not in TESTS:
            close = difflib.get_close_matches(name.lower(), TESTS, n=1, cutoff=0.3)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise NsocError(f"there is no self-test {name!r}, only {', '.join(TESTS)}{hint}")
        found.append(name.lower())
    return [name for name in TESTS if name in found] if found else list(TESTS)


def run(
    names: Sequence[str] = (),
    preset: str | Preset = presets.DEFAULT,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Outcome]:
    """Boot `preset` and run the tests of these names, all that its NIC has when there are none."""
    wanted = find(names)
    system = presets.load_soc(preset)
    if system.queues_in_memory and not names:
        wanted = [name for name in wanted if name not in OF_OWN_QUEUES]
    outcomes = []
    with Session(system, seed) as session:
        for done, name in enumerate(wanted):
            progress(done, len(wanted))
            outcomes.append(_check_nic(session, seed) if name == CHECK_NIC else _ask(session, name))
        progress(len(wanted), len(wanted))
    return outcomes


def _ask(session: Session, name: str) -> Outcome:
    began = session.soc.cycles
    answer = session.ask(name)
    ok = answer.startswith(f"{name} PASS ")
    where = "" if ok else answer.removeprefix(f"{name} FAIL ").partition(" cycles ")[0]
    return Outcome(name, ok, session.soc.cycles - began, where)


def lengths_to_check(seed: int) -> list[int]:
    """Frame lengths round every border of the data path, and some at random."""
    borders = [64, 128, 256, 512, 1024]
    near = [at + off for at in borders for off in (-1, 0, 1)]
    drawn = random.Random(seed).choices(range(SHORTEST, LONGEST + 1), k=RANDOM_LENGTHS)
    return [*range(SHORTEST, SHORTEST + 10), *near, *drawn, LONGEST - 1, LONGEST]


def _check_nic(session: Session, seed: int) -> Outcome:
    began, soc = session.soc.cycles, session.soc
    rng = random.Random(seed)
    where = ""
    soc.wire.receive_all()
    before = dict(soc.counters)
    for mode in ("check", "nic_loopback", "mac_loopback"):
        session.enter(mode)
        frames = [patterned(length, rng.randrange(256), rng.randrange(256)) for length in lengths_to_check(seed)]
        for frame in frames:
            soc.wire.send(frame)
        soc.run(us=LIMIT_US, idle_us=QUIET_US)
        back = soc.wire.receive_all()
        for number, (frame, received) in enumerate(zip(frames, back, strict=False)):
            if not received.good or received.data != came_back(frame, mode):
                where = where or f"{mode}: frame {number} of {len(frame)} bytes came back changed"
        if len(back) != len(frames):
            where = where or f"{mode}: {len(frames)} frames sent, {len(back)} came back"
        if mode == "check":
            report = session.ask("report")
            if report != f"check PASS {len(frames)} frames":
                where = where or f"the processor says: {report}"
    where = where or session.lost(before)
    return Outcome(CHECK_NIC, not where, soc.cycles - began, where)


def access_cycles(session: Session) -> dict[str, int]:
    """The self-test's own times in cycles of the NIC clock: register_access, queue_op, traversal."""
    answer = ""
    for name in ("debug_registers", "debug_queue", "debug_queue_sequence"):
        answer = session.ask(name)
        if not answer.startswith(f"{name} PASS "):
            raise NsocError(f"the self-test fails: {answer}")
    match = re.search(r"cycles 0x([0-9a-f]{8})$", answer)
    if match is None:
        raise NsocError(f"the self-test did not say its cycles: {answer!r}")
    word = int(match[1], 16)
    return {"register_access": word & 0xFF, "queue_op": word >> 8 & 0xFF, "traversal": word >> 16 & 0xFF}


# ---- Showing ---------------------------------------------------------------------------------------------------------


def records(outcomes: Sequence[Outcome], preset: str) -> list[Record]:
    """Two records a test: whether it passed, how long it took."""
    made = []
    for outcome in outcomes:
        made.append(Record(SUITE, preset, "passed", outcome.ok, outcome.name))
        made.append(Record(SUITE, preset, "sim_cycles", outcome.cycles, outcome.name, unit="cycles"))
    return made


def table(outcomes: Sequence[Outcome]) -> "Table":
    """Result, duration and subject of each test."""
    from rich.table import Table

    shown = Table(title="Self-test", title_justify="left")
    for column, justify in (("test", "left"), ("result", "left"), ("cycles", "right"), ("what it checks", "left")):
        shown.add_column(column, justify="right" if justify == "right" else "left")
    for outcome in outcomes:
        words = "PASS" if outcome.ok else f"FAIL: {outcome.where}"
        shown.add_row(outcome.name, words, f"{outcome.cycles:,}", TESTS[outcome.name])
    return shown


def list_table() -> "Table":
    """The tests that there are."""
    from rich.table import Table

    shown = Table(title="Self-tests", title_justify="left")
    shown.add_column("test")
    shown.add_column("what it checks")
    for name, what in TESTS.items():
        shown.add_row(name, what)
    return shown
