# SPDX-License-Identifier: Apache-2.0
"""Speaks with the firmware `monitor` over a link: a host of a simulated network, or an interface of this machine.

A request goes out again until it is answered. The monitor keeps its last answer, so what it is asked is done once.
Blocks of a program are many under way at once; each is answered, in any order.
"""

import os
import random
import struct
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import firmware, memory_map
from nsoc.machine.presets import Preset
from nsoc.machine.regs import BLOCKS
from nsoc.monitor.message import ANSWER, CONFIRM, Message, Request, Status, decode, encode
from nsoc.network.network import Arrived, Departed
from nsoc.transfer.message import MAX_BODY_BYTES
from nsoc.transfer.published import ethernet_header
from nsoc.transfer.timer import RetryTimer

WINDOW = 16
"""Blocks under way at once; the SoC has 64 buffers."""
PATIENCE_US = 10e6
"""So long nobody answers before that is a failure."""
CHECK_US = 1.0
"""So much longer for each byte of a program, while the monitor computes its CRC-32."""
REACTION_US = 5.0
"""How often the program looks at least whether frames have come, simulated; of a longer wait"""
LOOKS = 50
"""so many times."""
MOST_BYTES = 8 << 20
"""Of a program: no monitor takes a longer one."""
OWN_COUNTERS = ("other", "bad_length", "bad_crc", "stale")
"""The monitor's own, behind the NIC's."""

_HELLO = struct.Struct(">5I")
_ACCESS = struct.Struct(">HH")
_BEGIN = struct.Struct(">3I")
_PROBLEMS = {
    Status.UNKNOWN_SESSION: "it does not know this session any more: it was restarted, or others have asked since",
    Status.MALFORMED: "it does not understand the request",
    Status.BUS_ERROR: "nobody answers at {0:#010x}",
    Status.OWN: "{0:#010x} is not for others: the monitor works with what is there",
    Status.OUTSIDE: "programs do not lie there",
    Status.BAD_ENTRY: "the program's entry is not in it",
    Status.NO_PROGRAM: "it has no program, or somebody else's",
    Status.INCOMPLETE: "a part of the program is missing",
    Status.WRONG_CRC: "what arrived has another CRC-32 than the program",
}

Progress = Callable[[int, int], None]


class Link(Protocol):
    """What the monitor's client needs of a line: nsoc.transfer.runner.Link has it."""

    def send(self, frame: bytes) -> Departed: ...
    def receive_all(self) -> Sequence[Arrived]: ...
    @property
    def pending(self) -> int: ...


class Clock(Protocol):
    """Where time passes: nsoc.transfer.runner.Clock."""

    @property
    def time_us(self) -> float: ...
    def run(self, us: float = ..., *, until: Callable[[], bool] | None = ..., every_us: float = ...) -> bool: ...


@dataclass(frozen=True)
class About:
    """What a monitor says of itself."""

    version: int
    """Of the protocol."""
    base: int
    """Where programs may lie: from here on,"""
    room: int
    """so many bytes."""
    most: int
    """Of a program, in bytes."""
    block_bytes: int
    """Of a program, in one frame."""


@dataclass(frozen=True)
class Program:
    """What an ELF file wants in memory, as one piece."""

    name: str
    """For people."""
    base: int
    """Address of its first byte."""
    data: bytes
    """Its bytes, from there on."""
    entry: int
    """Address of its first instruction."""


@dataclass(frozen=True)
class Loaded:
    """What it took to load and start a program."""

    name: str
    """The program's."""
    bytes: int
    """Of the program."""
    entry: int
    """Address of its first instruction."""
    blocks: int
    """How many it took."""
    repeats: int
    """Blocks that went once more."""
    us: float
    """Time of the link's clock."""


@public
class Monitor:
    """The monitor at MAC address `station`, for who has `address` on `link`, in the time of `clock`.

    `random` draws the number of the session; `patience_us` is how long nobody answers before that is a failure.
    A simulated SoC on a real line answers so many times slower than others: its `slowness`.
    """

    def __init__(
        self,
        clock: Clock,
        link: Link,
        address: bytes,
        station: bytes = bytes.fromhex("020000000002"),
        *,
        random: random.Random | None = None,
        patience_us: float = PATIENCE_US,
        slowness: float = 1.0,
    ) -> None:
        self._clock, self._link, self._patience_us, self._slowness = clock, link, patience_us, slowness
        for name, mac in (("address", address), ("station", station)):
            if len(mac) != 6:
                raise NsocError(f"{name} must be a MAC address of 6 bytes, not {len(mac)}")
        self._header = ethernet_header(station, address)
        self._pair = address + station
        self._random = random or _system_random()
        self._session = self._serial = 0
        self._about: About | None = None
        self._timer = RetryTimer(clock.time_us, slowness)
        self.ignored: Counter[str] = Counter()
        """Frames that were no answers to what was asked, by reason."""

    def about(self) -> About:
        """What it is; begins a session at the first call. Raises NsocError when nobody answers."""
        if self._about is None:
            self._session = self._random.getrandbits(32)
            self._about = About(*_HELLO.unpack(self._ask(Request.HELLO).body))
        return self._about

    def peek(self, address: int, count: int = 1, width: int = 4) -> list[int]:
        """`count` values of 1, 2 or 4 bytes from a multiple of that on, each by one access. Raises NsocError."""
        self.about()
        if width not in (1, 2, 4) or address % width:
            raise NsocError(f"there is no access of {width} bytes at {address:#x}, only of 1, 2 or 4 at a multiple")
        values: list[int] = []
        while len(values) < count:
            some = min(count - len(values), MAX_BODY_BYTES // width)
            body = self._ask(Request.PEEK, address + width * len(values), _ACCESS.pack(width, some)).body
            values += (int.from_bytes(body[at : at + width], "big") for at in range(0, len(body), width))
        return values

    def read(self, address: int, length: int) -> bytes:
        """Bytes of memory. Raises NsocError."""
        return bytes(self.peek(address, length, 1))

    def poke(self, address: int, values: Sequence[int], width: int = 4) -> None:
        """Writes values of 1, 2 or 4 bytes from a multiple of that on, each by one access, once. Raises NsocError."""
        self.about()
        if width not in (1, 2, 4) or address % width:
            raise NsocError(f"there is no access of {width} bytes at {address:#x}, only of 1, 2 or 4 at a multiple")
        at_once = (MAX_BODY_BYTES - _ACCESS.size) // width
        for at in range(0, len(values), at_once):
            data = b"".join(value.to_bytes(width, "big") for value in values[at : at + at_once])
            self._ask(Request.POKE, address + width * at, _ACCESS.pack(width, 0) + data)

    def counters(self) -> dict[str, int]:
        """The NIC's counters by the name of their register, and the monitor's own as `monitor.NAME`."""
        self.about()
        answer = self._ask(Request.COUNTERS)
        values = struct.unpack(f">{len(answer.body) // 4}I", answer.body)
        names = [register.name for register in BLOCKS["nic"].registers.values() if register.counter]
        own = [f"monitor.{name}" for name in OWN_COUNTERS]
        return dict(zip([*names[: answer.number], *own], values, strict=True))

    def boot(self, program: Program, progress: Progress = lambda done, total: None) -> Loaded:
        """Loads a program and starts it. Raises NsocError when it cannot be loaded; then the monitor goes on."""
        began = self._clock.time_us
        about = self.about()
        repeats = self._load(program, about, progress)
        answer = self._ask(Request.RUN, more_us=len(program.data) * CHECK_US * self._slowness)
        # Nobody answers that. Should it get lost, the monitor waits for a while and starts the program, too.
        self._send(Message(Request.RUN, self._session, self._serial, flags=CONFIRM))
        return Loaded(
            program.name, len(program.data), answer.number, -(-len(program.data) // about.block_bytes), repeats,
            self._clock.time_us - began,
        )  # fmt: skip

    def _load(self, program: Program, about: About, progress: Progress) -> int:
        data = program.data
        if not about.base <= program.base <= program.base + len(data) <= about.base + about.room:
            raise NsocError(
                f"{program.name} lies at {program.base:#x} to {program.base + len(data):#x}, and programs are loaded "
                f"from {about.base:#x} to {about.base + about.room:#x}: link it into DRAM (place='dram')"
            )
        if len(data) > about.most:
            raise NsocError(f"{program.name} is {len(data)} bytes long, and a program at most {about.most}")
        image = self._ask(Request.BEGIN, program.base, _BEGIN.pack(len(data), zlib.crc32(data), program.entry)).serial
        total = -(-len(data) // about.block_bytes)
        waiting, under_way = deque(range(total)), dict[int, float]()
        repeated: set[int] = set()
        repeats = arrived = 0
        heard = self._clock.time_us
        timer = RetryTimer(heard, self._slowness)  # a block takes longer than what else is asked
        progress(0, total)
        while arrived < total:
            while waiting and len(under_way) < WINDOW:
                block = waiting.popleft()
                offset = block * about.block_bytes
                body = data[offset : offset + about.block_bytes]
                self._send(Message(Request.BLOCK, self._session, image, offset, body))
                under_way[block] = self._clock.time_us
            for answer in self._answers(timer.deadline):
                block = answer.number // about.block_bytes
                if answer.kind != Request.BLOCK | ANSWER or answer.serial != image or block not in under_way:
                    self.ignored["late"] += 1
                    continue
                self._check(answer)
                heard = self._clock.time_us
                if block not in repeated:
                    timer.sample(heard - under_way[block])
                timer.restart(heard)
                del under_way[block]
                arrived += 1
                progress(arrived, total)
            if timer.expired(self._clock.time_us) and under_way:
                self._still_patient(heard)
                repeats += len(under_way)
                repeated |= under_way.keys()
                waiting.extendleft(sorted(under_way, reverse=True))
                under_way.clear()
        return repeats

    def _ask(self, kind: Request, number: int = 0, body: bytes = b"", more_us: float = 0.0) -> Message:
        """The answer to a new request, which may take so much longer. Raises NsocError for a refusal."""
        self._serial += 1
        message = Message(kind, self._session, self._serial, number, body)
        began = self._clock.time_us
        tries = 0
        while True:
            self._send(message)
            tries += 1
            sent = self._clock.time_us
            self._timer.restart(sent)
            while not self._timer.expired(self._clock.time_us):
                for answer in self._answers(self._timer.deadline):
                    if answer.kind == kind | ANSWER and answer.serial == self._serial:
                        if tries == 1:
                            self._timer.sample(self._clock.time_us - sent)
                        return self._check(answer)
                    self.ignored["late"] += 1
            self._still_patient(began + more_us)

    def _send(self, message: Message) -> None:
        self._link.send(encode(message, self._header))

    def _answers(self, until_us: float) -> Iterator[Message]:
        """What of this session came, when something has come; at most until that time."""
        wait = max(until_us - self._clock.time_us, REACTION_US)
        every = max(wait / LOOKS, REACTION_US)
        self._clock.run(wait, until=lambda: self._link.pending > 0, every_us=every)
        for arrived in self._link.receive_all():
            message = decode(arrived.data) if arrived.good and arrived.data[:12] == self._pair else None
            if message is None or message.session != self._session:
                self.ignored["other"] += 1
            else:
                yield message

    def _still_patient(self, heard_us: float) -> None:
        if self._clock.time_us - heard_us >= self._patience_us:
            station = self._pair[6:].hex(":")
            raise NsocError(
                f"nobody answers at {station}: the firmware `monitor` must run there (`nsoc up --firmware monitor`), "
                "and a program that it has started has taken its place"
            )

    def _check(self, answer: Message) -> Message:
        if answer.flags != Status.DONE:
            known = answer.flags in set(Status)
            what = _PROBLEMS[Status(answer.flags)] if known else f"reason {answer.flags}"
            raise NsocError(f"the monitor refuses: {what.format(answer.number)}")
        return answer


@public
def program(name: str | os.PathLike[str], preset: Preset, defines: Mapping[str, int | str] | None = None) -> Program:
    """An ELF file, or an application of firmware/apps linked into DRAM and told `defines`, for Monitor.boot().

    Raises NsocError for a file that is linked to the boot ROM, where the monitor is.
    """
    elf = firmware.build_for(preset, name, defines, place="dram")
    image = firmware.image(elf, preset.core)
    if any(segment.address < memory_map.DRAM_BASE for segment in image.segments):
        raise NsocError(
            f"{elf.name} is linked to the boot ROM, where the monitor is: give the name of an application, which is "
            "linked into DRAM then, or link it so yourself (nsoc.machine.firmware.compile_program, place='dram')"
        )
    base = min(segment.address for segment in image.segments)
    end = max(segment.address + len(segment.data) for segment in image.segments)
    if end - base > MOST_BYTES:
        raise NsocError(f"{elf.name} lies in {end - base} bytes of memory, and a program in at most {MOST_BYTES}")
    data = bytearray(end - base)
    for segment in image.segments:
        data[segment.address - base : segment.address - base + len(segment.data)] = segment.data
    return Program(elf.stem, base, bytes(data), image.entry)


def _system_random() -> random.Random:
    return random.SystemRandom()
