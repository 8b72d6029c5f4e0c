# SPDX-License-Identifier: Apache-2.0
"""Several SoCs on one simulated network, with hosts, TAP devices and switches beside them; cables join them.

All share one simulated time, which passes in Network.run(). The same network, seeds and frames give the same cycles on
any machine. Only what a TAP device brings is from outside: Tap.record() keeps it, Network.replay() sends it again.
"""

import ctypes
import fcntl
import math
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.files import cannot_write
from nsoc.machine.c_library import filled
from nsoc.machine.presets import DEFAULT, Preset
from nsoc.machine.sim import BAD_FCS, LONGEST_FS, LONGEST_SEND, PAD, RAW
from nsoc.machine.soc import Soc, check_cores
from nsoc.network import faults as faults_
from nsoc.network import pcapng
from nsoc.network.ethernet import IFG_BYTES, PREAMBLE_BYTES
from nsoc.network.faults import Faults, Ways
from nsoc.network.network_library import Arrival, Departure, Fate, NetworkHandle, StampsFs
from nsoc.network.timing import check_speed, since_first_ps
from nsoc.renamed import old_names

DELAY_NS = 500.0
"""From an octet at one end of a cable to the same octet at the other: two 1000BASE-T PHYs and some metres."""
SWITCH_LATENCY_NS = 1000.0
SWITCH_QUEUE_BYTES = 131072
SLICE_US = 10.0
"""How often run() asks whether it should stop, unless told otherwise."""
FATES_AT_ONCE = 100

_FS_PER_NS, _FS_PER_US, _FS_PER_PS = 10**6, 10**9, 1000
_HEAD_BYTES = PREAMBLE_BYTES + 1
"""From the beginning of the preamble until the first byte of the destination address is whole."""
_ADDRESS_TIME = 8
"""A flag of a departure: its time is that of the destination address."""
TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000


@dataclass(frozen=True, slots=True)
class Arrived:
    """A frame that came to a host."""

    data: bytes
    """Destination address to payload (with padding), without FCS."""
    start_ps: int
    """Network time of the first byte of the destination address."""
    end_ps: int
    """... of the last byte of the FCS."""
    fcs_ok: bool
    """Its FCS is right."""
    error: bool
    """No start delimiter among its first nine bytes, an error on the line, or too few bytes to be a frame."""
    gap: int
    """Idle byte times before its preamble."""

    @property
    def good(self) -> bool:
        """Whether a receiver would keep it."""
        return self.fcs_ok and not self.error


@dataclass(frozen=True, slots=True)
class Departed:
    """When a frame that a host sends is on its line, network time in picoseconds."""

    start_ps: int
    """First byte of the destination address."""
    end_ps: int
    """Last byte of the FCS."""


class _Link:
    """An end of a line that is not a SoC."""

    def __init__(self, network: "Network", number: int) -> None:
        self._network, self._number = network, number

    def _take(self) -> Arrived | None:
        arrival = Arrival()
        if not self._network._call("nsoc_network_next", self._number, ctypes.byref(arrival)):
            return None
        buffer = ctypes.create_string_buffer(arrival.bytes)
        self._network._call("nsoc_network_take", self._number, buffer, len(buffer))
        stamps = (arrival.start_fs // _FS_PER_PS, arrival.end_fs // _FS_PER_PS)
        return Arrived(buffer.raw, *stamps, bool(arrival.fcs_ok), bool(arrival.error), arrival.gap)

    def _counts(self, function: str, names: tuple[str, ...]) -> dict[str, int]:
        values = (ctypes.c_uint64 * len(names))()
        self._network._call(function, self._number, values, len(names))
        return dict(zip(names, values, strict=True))

    def _take_all(self) -> list[Arrived]:
        return list(iter(self._take, None))


@public
class NetworkHost(_Link):
    """A program's end of a cable: whole frames, without preamble and FCS."""

    def send(
        self, frame: bytes, *, at_us: float = 0.0, ifg: int = IFG_BYTES, pad: bool = True, bad_fcs: bool = False,
        raw: bool = False,
    ) -> Departed:  # fmt: skip
        """Queues a frame; its preamble begins when the line is free, not before network time `at_us`.

        It is padded to 60 bytes (not with pad=False) and gets its FCS (a wrong one with bad_fcs=True; none with
        raw=True: then the bytes go as they are). `ifg`: idle bytes before the preamble.
        """
        flags = (BAD_FCS if bad_fcs else 0) | (RAW if raw else 0) | (PAD if pad and not raw else 0)
        return self._queue(bytes(frame), _fs(at_us, _FS_PER_US, "at_us"), ifg, flags)

    def _queue(self, data: bytes, not_before_fs: int, ifg: int = IFG_BYTES, flags: int = PAD) -> Departed:
        if not 1 <= len(data) <= LONGEST_SEND:
            raise NsocError(f"a frame of {len(data)} bytes cannot be sent, only 1 to {LONGEST_SEND}")
        departure, stamps = filled(Departure, not_before_fs=not_before_fs, ifg=ifg, flags=flags), StampsFs()
        references = (ctypes.byref(departure), ctypes.byref(stamps))
        self._network._call("nsoc_network_send", self._number, data, len(data), *references)
        return Departed(stamps.start_fs // _FS_PER_PS, stamps.end_fs // _FS_PER_PS)

    def queue_at_ps(self, frame: bytes, time_ps: int, *, bad_fcs: bool = False) -> Departed:
        """As send() with a time, which is exact here: what a record has is sent as it was."""
        return self._queue(frame, time_ps * _FS_PER_PS, flags=PAD | (BAD_FCS if bad_fcs else 0))

    def receive(self, timeout_us: float = 1000.0) -> Arrived | None:
        """The oldest frame that waits; when none does, simulates until one comes, at most `timeout_us`, then None."""
        if not self.pending:
            self._network.run(timeout_us, until=lambda: self.pending > 0)
        return self._take()

    def receive_all(self) -> list[Arrived]:
        """Everything that waits now."""
        return self._take_all()

    @property
    def pending(self) -> int:
        """Frames that came and wait."""
        return int(self._network._call("nsoc_network_pending", self._number))

    @property
    def queued(self) -> int:
        """Frames given to send() that have not begun to go out."""
        return int(self._network._call("nsoc_network_queued", self._number))


@public
class Tap(_Link):
    """A TAP device of Linux, as a link: its frames meet the simulated network.

    Simulated time does not follow the clock on the wall.
    """

    def __init__(self, network: "Network", number: int, name: str, descriptor: int) -> None:
        super().__init__(network, number)
        self.name = name
        """Of the network interface."""
        self._descriptor = descriptor
        self._record: list[Arrived] = []

    @property
    def descriptor(self) -> int:
        """Readable when frames wait outside."""
        return self._descriptor

    def take_record(self) -> list[Arrived]:
        """What of record() is new since the last call; it is forgotten."""
        return self._take_all()

    def record(self) -> list[Arrived]:
        """All that came from outside, with the network time at which it went on the line."""
        self._record += self._take_all()
        return list(self._record)

    def counts(self) -> dict[str, int]:
        """Frames from the network that did not go out: `bad` (FCS, error), `refused` (the device is down, or full)."""
        return self._counts("nsoc_network_tap_counts", ("bad", "refused"))

    def write_record(self, file: str | os.PathLike[str]) -> None:
        """Writes record() to a pcapng file, for Network.replay() with start_us=None."""
        head_fs = _HEAD_BYTES * self._network._call("nsoc_network_octet_fs", self._number)
        packets = [
            # The sum is a whole nanosecond, but for what start_ps is rounded down by.
            pcapng.Packet(round((frame.start_ps * _FS_PER_PS + head_fs) / _FS_PER_NS) * 1000, True, frame.data)
            for frame in self.record()
        ]
        try:
            pcapng.write(file, packets)
        except OSError as problem:
            raise NsocError(f"cannot write the record {file} ({problem.strerror}); give another file") from None


@public
class Cable:
    """What joins two links."""

    def __init__(self, network: "Network", number: int, faults: Ways) -> None:
        self._network, self._number = network, number
        self.faults = faults
        """From the first end to the second, and back."""
        self._taps: list[_Link] = []

    def tap(self) -> None:
        """From here on sent() and came() have the frames that cross the cable. Way 0 is from the first end."""
        if not self._taps:
            first = self._network._call("nsoc_network_tap_cable", self._number)
            self._taps = [_Link(self._network, first + i) for i in range(4)]

    def sent(self, way: int) -> list[Arrived]:
        """All that went in, since the last call. The first is frame 0 in a log."""
        return self._tapped(way, 0)

    def came(self, way: int) -> list[Arrived]:
        """All that came out, since the last call."""
        return self._tapped(way, 1)

    def _tapped(self, way: int, end: int) -> list[Arrived]:
        if way not in (0, 1):
            raise NsocError(f"a cable has the ways 0 and 1, not {way}")
        if not self._taps:
            raise NsocError("sent() and came() have what crosses a cable behind tap(): call that first")
        return self._taps[2 * way + end]._take_all()

    def counts(self) -> list[dict[str, int]]:
        """What has become of frames: from the first end to the second, and back.

        A frame that went in counts as `passed`, `lost`, `corrupted` (bits flipped, the FCS is wrong), `changed` (other
        bytes, the FCS is right), `reordered` (came behind later ones), `cut` (in its middle the cable went down),
        `down` (began while it was), `overflowed` (did not fit into the queue of the receiver), or `held` (the cable has
        it now). Copies that came besides are `duplicated`.
        """
        names = faults_.COUNTS
        values = (ctypes.c_uint64 * len(names))()
        both = []
        for way in (0, 1):
            self._network._call("nsoc_network_cable_counts", self._number, way, values, len(names))
            both.append(dict(zip(names, values, strict=True)))
        return both


@public
class Switch:
    """A learning switch: stores frames and forwards them."""

    def __init__(self, network: "Network", ports: list[_Link]) -> None:
        self._network = network
        self.ports: Sequence[_Link] = ports
        """Its ends of cables."""

    def counts(self) -> dict[str, int]:
        """Frames by what became of them: `forwarded`, `flooded`, `filtered` (its destination is where it came from);
        dropped: `bad` (FCS, error, too short), `reserved` (for the switch itself, as PAUSE), `full` (for each port)."""
        names = ("forwarded", "flooded", "filtered", "bad", "reserved", "full")
        return self.ports[0]._counts("nsoc_network_switch_counts", names)


End = Soc | _Link
"""What a cable joins."""


class _LogFile:
    """The file that a log of faults goes to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "w", encoding="ascii")  # noqa: SIM115 (it lives as long as the network)
        except OSError as problem:
            raise self._failed(problem) from None
        self.write(faults_.header())

    def write_fate(self, fate: Fate) -> None:
        if fate.fate < len(faults_.FATES):  # of a queue it follows from these what it has no room for
            self.write(faults_.fate_line(fate))

    def write(self, line: str) -> None:
        try:
            self._file.write(line)
        except OSError as problem:
            raise self._failed(problem) from None

    def close(self) -> None:
        try:
            self._file.close()  # what has waited is written here
        except OSError as problem:
            raise self._failed(problem) from None

    def _failed(self, problem: OSError) -> NsocError:
        return cannot_write(self._path, "the log of faults", "--log", problem)


@public
class Network:
    """SoCs, hosts, TAP devices and switches in one simulated time.

    - `seed`: draws the faults of the cables and, differently for each SoC, the phases of its clocks
    - `log`: a file to which goes what cables do to frames, as time passes
    - `replay`: such a file; cables draw nothing, but have the faults of the cables in it and do to each frame what they
      did there. With the same ends and frames the run is the same to the last octet.

        with nsoc.Network() as network:
            soc, host = network.soc(), network.host()
            network.cable(host, soc)
            network.run(us=100)
            host.send(frame)
            answer = host.receive()

    Raises NsocError for what the user can mend.
    """

    def __init__(
        self, seed: int = 1, *, log: str | os.PathLike[str] | None = None, replay: str | os.PathLike[str] | None = None
    ) -> None:
        self.seed: int = seed
        """What faults and phases are drawn from."""
        self._handle = NetworkHandle(seed)
        self._call: Callable[..., Any] = self._handle._call
        self._replay = None if replay is None else faults_.read(replay)
        if self._replay is not None:
            fates = (Fate * len(self._replay.fates))(*self._replay.fates)
            self._call("nsoc_network_replay", fates, len(fates))
        self._listeners: list[Callable[[Fate], None]] = []
        self._told = (Fate * FATES_AT_ONCE)()
        self._log = None if log is None else _LogFile(Path(log))
        if self._log is not None:
            self.listen(self._log.write_fate)
        self._cables = 0
        self._socs: dict[Soc, int] = {}
        self._descriptors: list[int] = []

    def __enter__(self) -> "Network":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees the network, its SoCs and its TAP devices."""
        self._handle.close()
        if self._log is not None:
            self._log.close()
        for soc in self._socs:
            soc.close()
        while self._descriptors:
            os.close(self._descriptors.pop())

    def soc(
        self, preset: str | os.PathLike[str] | Preset = DEFAULT, firmware: str | os.PathLike[str] | None = None,
        seed: int | None = None, *, defines: Mapping[str, int | str] | None = None, checks: bool = False,
        trace: bool = False, waves: bool = False, secret: bytes | None = None,
    ) -> Soc:  # fmt: skip
        """A new SoC, which boots as time passes; arguments are those of Soc. Its frames come and go by cables: its
        run(), its wire and its debugger's run() refuse."""
        soc = Soc(
            preset, firmware, self.seed + len(self._socs) if seed is None else seed, defines=defines, checks=checks,
            trace=trace, waves=waves, secret=secret,
        )  # fmt: skip
        self._socs[soc] = self._call("nsoc_network_soc", soc.simulation.handle, soc.simulation.soc_calls())
        return soc

    def host(self) -> NetworkHost:
        """A new end for a program."""
        return NetworkHost(self, self._call("nsoc_network_host"))

    def tap(self, name: str = "nsoc%d") -> Tap:
        """A TAP device, made when it is not there; Linux fills %d in. Needs root, or an own network namespace."""
        try:
            descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        except OSError as problem:
            raise NsocError(f"a TAP device needs /dev/net/tun: {problem.strerror}") from None
        self._descriptors.append(descriptor)
        try:
            answer = fcntl.ioctl(descriptor, TUNSETIFF, tap_request(name))
        except OSError as problem:
            raise NsocError(
                f"the TAP device {name} cannot be made ({problem.strerror}): be root, or run in a network namespace of "
                "your own (`unshare --net --map-root-user`)"
            ) from None
        number = self._call("nsoc_network_tap", descriptor)
        return Tap(self, number, answer[:16].rstrip(b"\0").decode(), descriptor)

    def replay(
        self, file: str | os.PathLike[str], start_us: float | None = 0.0, speed: float = 1.0, *,
        truncated: Literal["skip", "pad"] = "skip",
    ) -> NetworkHost:  # fmt: skip
        """A host that sends the frames of a capture for the SoC: the first at network time `start_us`, the others as
        long after it as in the capture, or `speed` times as fast.

        `start_us=None`: the times in the capture are those of this network, as in captures and records that it has
        made; each destination address is on the line at its time, at every rate of the line. A frame that had a wrong
        FCS gets one. What is said of the file, and `truncated`, are as in pcapng.read().
        """
        check_speed(speed, "speed")
        capture = pcapng.load(file, truncated=truncated)
        capture.check_timed("send what nsoc.pcapng.read_frames() gives yourself, back to back")
        capture.warn('truncated="pad"')
        first_ps = capture.packets[0].time_ps
        # A stamp of a capture is that of the destination address.
        start_ps = first_ps if start_us is None else _fs(start_us, _FS_PER_US, "start_us") // _FS_PER_PS
        times_ps = [start_ps + after_ps for after_ps in since_first_ps(capture.packets, speed)]
        if (first_ps < 0 and start_us is None) or times_ps[-1] > LONGEST_FS // _FS_PER_PS:
            raise NsocError(
                f"the frames of {file} would go out from {start_ps / 1e12:,.0f} to {times_ps[-1] / 1e12:,.0f} s, and "
                f"simulated time is from 0 to {LONGEST_FS / 1e15:,.0f} s: give the first one a start_us, or more speed"
            )
        host = self.host()
        for packet, time_ps in zip(capture.packets, times_ps, strict=True):
            flags = PAD | (BAD_FCS if packet.bad_fcs else 0) | (_ADDRESS_TIME if start_us is None else 0)
            host._queue(packet.data, time_ps * _FS_PER_PS, flags=flags)
        return host

    def switch(
        self, *ends: End, ports: int | None = None, latency_ns: float = SWITCH_LATENCY_NS,
        queue_bytes: int = SWITCH_QUEUE_BYTES, delay_ns: float = DELAY_NS, faults: Faults | Ways | None = None,
    ) -> Switch:  # fmt: skip
        """A new switch with a cable to each of `ends`, and `ports` in all (as many as ends, at least 2). All these
        cables have the same `faults`; from an end to the switch is the first way.

        It sends a frame on `latency_ns` after the last byte came. A port where more than `queue_bytes` would wait drops
        the frame.
        """
        count = max(2, len(ends)) if ports is None else ports
        if count < len(ends):
            raise NsocError(f"a switch with {count} ports has no room for {len(ends)} cables")
        latency_fs = _fs(latency_ns, _FS_PER_NS, "latency_ns")
        first = self._call("nsoc_network_switch", count, latency_fs, queue_bytes)
        made = Switch(self, [_Link(self, first + i) for i in range(count)])
        for end, port in zip(ends, made.ports, strict=False):
            self.cable(end, port, delay_ns=delay_ns, faults=faults)
        return made

    def cable(self, a: End, b: End, *, delay_ns: float = DELAY_NS, faults: Faults | Ways | None = None) -> Cable:
        """Joins two ends. `faults`: what it does to frames both ways, or a pair: from `a` to `b`, and back."""
        ways = self._faults(faults)
        options = [ctypes.byref(way.options()) for way in ways]
        numbers = (self._link_number(a), self._link_number(b), _fs(delay_ns, _FS_PER_NS, "delay_ns"))
        number = self._call("nsoc_network_cable", *numbers, *options)
        self._cables += 1
        if self._log is not None:
            self._log.write(faults_.cable_line(number, ways))
        return Cable(self, number, ways)

    def _faults(self, given: Faults | Ways | None) -> Ways:
        """Of the next cable."""
        ways = faults_.both_ways(given)
        if self._replay is None:
            return ways
        logged = self._replay.cables.get(self._cables)
        if logged is None:
            raise NsocError(f"the log of faults has no cable {self._cables}: it is of another network")
        if given is not None and ways != logged:
            raise NsocError(f"cable {self._cables} had other faults in the log: give it the same, or none")
        return logged

    @property
    def time_ps(self) -> int:
        """Picoseconds since the network was made."""
        return int(self._call("nsoc_network_time_fs")) // _FS_PER_PS

    @property
    def time_us(self) -> float:
        """Microseconds since the network was made."""
        return self.time_ps / 1e6

    def run(self, us: float = 1e6, *, until: Callable[[], bool] | None = None, every_us: float = SLICE_US) -> bool:
        """Lets `us` microseconds pass, a simulated second when not given.

        Stops earlier when `until` says so, which is asked every `every_us` of network time; True when it did. `until`
        may look at anything: `lambda: "ready" in soc.uart.text`.
        """
        now: int = self._call("nsoc_network_time_fs")
        end = now + _fs(us, _FS_PER_US, "us")
        if end > LONGEST_FS:
            raise NsocError(f"simulated time ends at {LONGEST_FS // _FS_PER_US} us")
        slice_fs = max(1, _fs(every_us, _FS_PER_US, "every_us"))
        while True:
            if until is not None and until():
                return True
            if now >= end:
                return False
            # The same moments whoever asked for less before.
            now = end if until is None else min(end, (now // slice_fs + 1) * slice_fs)
            self.run_to(now)

    def _pass(self, name: str, *arguments: Any) -> Any:
        """A call that lets time pass. When it fails because of a core in error mode, the NsocError says so."""
        try:
            return self._call(name, *arguments)
        except NsocError:
            for soc in self._socs:
                check_cores(soc)
            raise

    @property
    def time_fs(self) -> int:
        """Femtoseconds since the network was made."""
        return int(self._call("nsoc_network_time_fs"))

    @property
    def quiet_until_fs(self) -> int:
        """Unless something comes from outside, nothing is sent before this time; time_fs when that is not known."""
        return int(self._call("nsoc_network_quiet_until_fs"))

    def run_to(self, time_fs: int) -> None:
        """Lets time pass to `time_fs`; the keyboard is looked at now and then."""
        while self.time_fs < time_fs:
            self._pass("nsoc_network_run_to", time_fs)
            self._tell_fates()

    def work_to(self, time_fs: int) -> None:
        """Lets time pass to `time_fs`, or until all SoCs rest and nothing is on its way."""
        self._pass("nsoc_network_work_to", time_fs)
        self._tell_fates()

    def pass_to(self, time_fs: int) -> None:
        """Lets time pass to `time_fs` without a look at the TAP devices."""
        self._pass("nsoc_network_pass_to", time_fs)
        self._tell_fates()

    def await_frame(self, hosts: Sequence[NetworkHost], us: float, *, every_us: float = SLICE_US) -> bool:
        """Lets time pass until a frame waits at one of the hosts, at most `us`: whether one does.

        It stops as run() does that asks every `every_us`, but does not look when nothing can have come.
        """
        end = self.time_fs + _fs(us, _FS_PER_US, "us")
        numbers = (ctypes.c_uint64 * len(hosts))(*(host._number for host in hosts))
        slice_fs = max(1, _fs(every_us, _FS_PER_US, "every_us"))
        while True:
            came = bool(self._pass("nsoc_network_await", numbers, len(hosts), end, slice_fs))
            self._tell_fates()
            if came or self.time_fs >= end:
                return came

    def listen(self, listener: Callable[[Fate], None]) -> None:
        """Has `listener` called with each frame that a cable, made from here on, does something to or has no room
        for."""
        self._call("nsoc_network_log")
        self._listeners.append(listener)

    def _tell_fates(self) -> None:
        if not self._listeners:
            return
        fates = self._told
        while count := self._call("nsoc_network_fates", fates, len(fates)):
            for fate in fates[:count]:
                for listener in self._listeners:
                    listener(fate)

    def _link_number(self, end: End) -> int:
        if isinstance(end, _Link) and end._network is self:
            return end._number
        if isinstance(end, Soc) and end in self._socs:
            return self._socs[end]
        raise NsocError("a cable joins what this network has made: soc(), host(), tap(), ports of a switch()")


def tap_request(name: str) -> bytes:
    """For TUNSETIFF: a TAP device of that name without headers of its own. An empty name: Linux makes one."""
    return struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI)


def _fs(value: float, unit_fs: int, name: str) -> int:
    if not (math.isfinite(value) and 0 <= value * unit_fs <= LONGEST_FS):
        raise NsocError(f"{name} must be a time from 0 to {LONGEST_FS / unit_fs:g}, not {value}")
    return round(value * unit_fs)


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, {"Host": "nsoc.NetworkHost"})
