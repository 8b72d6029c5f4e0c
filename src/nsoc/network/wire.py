# SPDX-License-Identifier: Apache-2.0
"""The Ethernet cable to the SoC: whole frames in, whole frames out, each with exact stamps.

Frames are without preamble and FCS: the simulator makes and checks both. Stamps are taken at the first byte of the
destination address and at the last FCS byte, in nic-clock cycles and in picoseconds since reset.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine.c_library import filled
from nsoc.machine.sim import BAD_FCS, LONGEST_FS, LONGEST_SEND, PAD, RAW, Frame, SendOptions, Simulation
from nsoc.network.ethernet import IFG_BYTES, PREAMBLE_BYTES

SFD = 0xD5
MAX_SEND_BYTES = LONGEST_SEND
_MOST = {"ifg": 2**32 - 1, "preamble": LONGEST_SEND, "sfd": 255, "not_before": LONGEST_FS, "at": 2**31 - 1}


@dataclass(frozen=True, slots=True)
class Received:
    """A frame that the SoC sent."""

    data: bytes
    """Destination address to payload (with padding), without FCS."""
    start_cycle: int
    """nic-clock cycle of the first byte of the destination address."""
    end_cycle: int
    """nic-clock cycle of the last FCS byte."""
    start_ps: int
    """Picoseconds since reset of the first byte of the destination address."""
    end_ps: int
    """Picoseconds since reset of the last FCS byte."""
    fcs_ok: bool
    """Its FCS is right."""
    error: bool
    """No start delimiter among its first nine bytes, gmii_tx_er, or too few bytes to be a frame."""
    gap: int
    """Idle byte times before its preamble."""

    @property
    def good(self) -> bool:
        """Whether a receiver would keep it."""
        return self.fcs_ok and not self.error


class Sent:
    """A frame on its way to the SoC. Its stamps are None until its last byte has left."""

    __slots__ = ("_sim", "_stamps", "data", "fcs_ok", "number")

    def __init__(self, sim: Simulation, number: int, data: bytes, fcs_ok: bool) -> None:
        self._sim = sim
        self._stamps: Frame | None = None
        self.number = number
        """0 for the first frame sent, then 1, ..."""
        self.data = data
        """What was given to send()."""
        self.fcs_ok = fcs_ok
        """False when a fault was asked for, or the bytes were raw."""

    def _stamp(self) -> Frame | None:
        if self._stamps is None:
            self._stamps = self._sim.sent(self.number)
        return self._stamps

    @property
    def done(self) -> bool:
        """Whether it has left completely."""
        return self._stamp() is not None

    @property
    def start_cycle(self) -> int | None:
        """nic-clock cycle of the first byte of the destination address."""
        stamps = self._stamp()
        return None if stamps is None else int(stamps.start_cycle)

    @property
    def end_cycle(self) -> int | None:
        """nic-clock cycle of the last FCS byte."""
        stamps = self._stamp()
        return None if stamps is None else int(stamps.end_cycle)

    @property
    def start_ps(self) -> int | None:
        """Picoseconds since reset of the first byte of the destination address."""
        stamps = self._stamp()
        return None if stamps is None else int(stamps.start_ps)

    @property
    def end_ps(self) -> int | None:
        """Picoseconds since reset of the last FCS byte."""
        stamps = self._stamp()
        return None if stamps is None else int(stamps.end_ps)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A frame that went over the wire."""

    start_ps: int
    """Picoseconds since reset of the first byte of the destination address."""
    end_ps: int
    """Picoseconds since reset of the last FCS byte."""
    to_soc: bool
    """It went to the SoC, else it came from there."""
    data: bytes
    """Destination address to payload, without FCS."""
    fcs_ok: bool
    """Its FCS is right, and nothing else was wrong."""


@public
class Wire:
    """Both directions of the cable. `send` only queues: simulated time passes in Soc.run() and in receive()."""

    def __init__(self, sim: Simulation, run_until_frame: Callable[[float], None], log: bool) -> None:
        self._sim = sim
        self._run_until_frame = run_until_frame
        self._log_sent: list[Sent] | None = [] if log else None
        self._log_received: list[Received] = []

    def send(
        self,
        frame: bytes,
        *,
        not_before: int = 0,
        ifg: int = IFG_BYTES,
        preamble: int = PREAMBLE_BYTES - 1,
        sfd: int = SFD,
        pad: bool = True,
        bad_fcs: bool = False,
        raw: bool = False,
        error_at: int | None = None,
        cut_at: int | None = None,
    ) -> Sent:
        """Queues a frame to go out after those already queued.

        `frame` is destination address to payload. It is padded to 60 bytes and gets its FCS.

        - `not_before`: nic cycle before which the destination address does not start
        - `ifg`: idle bytes before the preamble, at least 1
        - `preamble`: how many bytes 0x55 come before the delimiter `sfd`, up to 65535; the MAC takes up to 8
        - `pad`: False sends a short frame as it is
        - `raw`: True sends the bytes as they are, without padding and FCS

        Faults:

        - `bad_fcs`: a wrong FCS
        - `error_at`: gmii_rx_er at that byte of the frame
        - `cut_at`: the carrier drops after that many bytes
        """
        if not 1 <= len(frame) <= MAX_SEND_BYTES:
            raise NsocError(f"a frame of {len(frame)} bytes cannot be sent, only 1 to {MAX_SEND_BYTES}")
        ranges = (("ifg", ifg, 1), ("preamble", preamble, 0), ("sfd", sfd, 0), ("not_before", not_before, 0))
        for name, value, least in ranges:
            most = _MOST[name]
            if not least <= value <= most:
                raise NsocError(
                    f"ifg must be 1 to {_MOST['ifg']}, preamble 0 to {_MOST['preamble']}, sfd a byte, not_before a nic "
                    f"cycle that can come; {name} is {value}"
                )
        for name, at in (("error_at", error_at), ("cut_at", cut_at)):
            if at is not None and not 0 <= at <= _MOST["at"]:
                raise NsocError(f"{name} must be the number of a byte, or None for never, not {at}")
        never = -1
        flags = (BAD_FCS if bad_fcs else 0) | (RAW if raw else 0) | (PAD if pad and not raw else 0)
        options = filled(
            SendOptions,
            not_before=not_before,
            ifg=ifg,
            preamble=preamble,
            sfd=sfd,
            flags=flags,
            error_at=never if error_at is None else error_at,
            cut_at=never if cut_at is None else cut_at,
        )
        data = bytes(frame)
        number = self._sim.send(data, options)
        sent = Sent(self._sim, number, data, not (bad_fcs or raw) and error_at is None and cut_at is None)
        if self._log_sent is not None:
            self._log_sent.append(sent)
        return sent

    def receive(self, timeout_us: float = 1000.0) -> Received | None:
        """The oldest frame that waits; when none does, simulates until one comes, at most `timeout_us`.

        None when none came.
        """
        taken = self._sim.take()
        if taken is None:
            self._run_until_frame(timeout_us)
            taken = self._sim.take()
        return None if taken is None else self._received(*taken)

    def receive_all(self) -> list[Received]:
        """Everything that waits now."""
        frames = []
        while (taken := self._sim.take()) is not None:
            frames.append(self._received(*taken))
        return frames

    @property
    def pending(self) -> int:
        """Received frames that wait."""
        return self._sim.pending

    @property
    def queued(self) -> int:
        """Frames given to send() that have not left completely."""
        return self._sim.queued

    @property
    def log(self) -> list[LogEntry]:
        """With Soc(log=True): the frames sent and received so far, by start time."""
        entries = [LogEntry(f.start_ps, f.end_ps, False, f.data, f.good) for f in self._log_received]
        for sent in self._log_sent or ():
            start, end = sent.start_ps, sent.end_ps
            if start is not None and end is not None:
                entries.append(LogEntry(start, end, True, sent.data, sent.fcs_ok))
        return sorted(entries, key=lambda entry: entry.start_ps)

    def _received(self, frame: Frame, data: bytes) -> Received:
        received = Received(
            data,
            frame.start_cycle,
            frame.end_cycle,
            frame.start_ps,
            frame.end_ps,
            bool(frame.fcs_ok),
            bool(frame.error),
            frame.gap,
        )
        if self._log_sent is not None:
            self._log_received.append(received)
        return received
