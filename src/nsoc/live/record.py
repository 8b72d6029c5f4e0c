# SPDX-License-Identifier: Apache-2.0
"""A session's record: all that came from outside, so that it can be repeated without Linux.

It is a pcapng file, written as time passes. One interface has the frames of Linux, with the simulated time at which
each went on the line. The other has facts, a JSON object each: at first the Setup, then what was typed on which SoC's
console, in the end the state that the session came to.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from nsoc.errors import NsocError
from nsoc.live.world import FORMAT, Setup, World
from nsoc.network import captures, pcapng
from nsoc.network.network import Arrived, Network, NetworkHost

INTERFACES = (("Linux to the network", captures.ETHERNET), (captures.FACTS, captures.USER))
_FRAMES, _FACTS = range(len(INTERFACES))
FS_PER_PS = 1000
AFTER_US = 1000.0
"""How long a replay goes on after the last event of a record that has no end."""


class Recorder:
    """Writes a record. Raises NsocError when the file cannot be written."""

    def __init__(self, path: Path, setup: Setup) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pcapng.Writer(path, INTERFACES)
        except OSError as problem:
            raise self._failed(problem) from None
        self._fact(0, {"setup": msgspec.to_builtins(setup)})

    def frames(self, frames: Sequence[Arrived]) -> None:
        """These came from Linux."""
        self._write([(_FRAMES, frame.start_ps, frame.data) for frame in frames])

    def typed(self, time_ps: int, number: int, data: bytes) -> None:
        """This was typed on the console of SoC `number`."""
        self._fact(time_ps, {"console": number, "typed": data.hex()})

    def end(self, world: World) -> None:
        """The session is over."""
        self._fact(world.network.time_ps, {"end": world.state()})
        self._writer.close()

    def _fact(self, time_ps: int, fact: dict[str, Any]) -> None:
        self._write([(_FACTS, time_ps, json.dumps(fact).encode())])

    def _write(self, packets: list[tuple[int, int, bytes]]) -> None:
        if not packets:
            return
        try:
            for packet in packets:
                self._writer.packet(*packet)
            self._writer.flush()
        except OSError as problem:
            raise self._failed(problem) from None

    def _failed(self, problem: OSError) -> NsocError:
        return NsocError(f"cannot write the record {self._path} ({problem.strerror}); give --record another file")


@dataclass
class Record:
    """What a record says."""

    setup: Setup
    frames: list[pcapng.Packet] = field(default_factory=list)
    typed: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Picoseconds, number of the SoC, bytes."""
    end: dict[str, Any] | None = None
    """World.state(); None when the session broke off."""


def read(path: Path) -> Record:
    """The record in a file; what follows a damaged place is left out. Raises NsocError when it is none."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise NsocError(f"cannot read the record {path} ({problem.strerror})") from None
    record: Record | None = None
    try:
        for packet in captures.records(data):
            time_ps = packet.time_ps or 0
            if packet.link_type == captures.ETHERNET:
                if record is not None:
                    record.frames.append(pcapng.Packet(time_ps, True, packet.data))
                continue
            fact = json.loads(packet.data)
            if "setup" in fact:
                record = Record(_setup(path, fact["setup"]))
            elif record is not None and "end" in fact:
                record.end = fact["end"]
            elif record is not None:
                record.typed.append((time_ps, int(fact["console"]), bytes.fromhex(fact["typed"])))
    except (ValueError, KeyError, TypeError):
        pass  # it broke off here
    if record is None:
        raise NsocError(f"{path} is no record of a session: give --replay a file that --record has written")
    return record


def _setup(path: Path, fields: dict[str, Any]) -> Setup:
    if fields.get("format") != FORMAT:
        raise NsocError(f"{path} is a record of another version of nsoc: replay it with the one that wrote it")
    try:
        return msgspec.convert(fields, Setup)
    except msgspec.ValidationError as problem:
        raise NsocError(f"the record {path} is damaged: {problem}") from None


@dataclass(frozen=True)
class Replayed:
    """What a replay came to."""

    record: Record
    state: dict[str, Any]

    @property
    def difference(self) -> str:
        """Where it differs from the session, in one sentence; empty when it is the same to the last cycle."""
        ended = self.record.end
        if ended is None or ended == self.state:
            return ""
        for number, (then, now) in enumerate(zip(ended["socs"], self.state["socs"], strict=True)):
            for name, value in then.items():
                if now[name] != value:
                    return f"the replay differs from the session in the {name} of SoC {number}"
        return "the replay ends at another time than the session"


def replay(path: Path) -> Replayed:
    """Repeats the session in a file. Raises NsocError, also when it cannot be the same here."""
    record = read(path)
    setup = record.setup
    present = setup.digested()
    if present.system != setup.system:
        raise NsocError(
            f"the session in {path} ran on another {setup.preset}: replay it in the tree that it was made with"
        )
    if present.programs != setup.programs:
        raise NsocError(
            f"the session in {path} ran another {setup.firmware}: replay it in the tree that it was made with"
        )

    def outside(network: Network) -> NetworkHost:
        host = network.host()
        for frame in record.frames:
            host.queue_at_ps(frame.data, frame.time_ps)
        return host

    world = World(setup, outside)
    try:
        for time_ps, number, data in record.typed:
            world.network.run_to(time_ps * FS_PER_PS)
            world.socs[number].uart.write(data)
        if record.end is not None:
            world.network.run_to(record.end["time_fs"])
        else:
            last_ps = max([0, *(frame.time_ps for frame in record.frames), *(time for time, _, _ in record.typed)])
            world.network.run(last_ps / 1e6 + AFTER_US - world.network.time_us)
        return Replayed(record, world.state())
    finally:
        world.close()
