# SPDX-License-Identifier: Apache-2.0
"""Runs the reliable protocol across a SoC that echoes frames: both ends on the host, every frame through the SoC.

    sender --data, summary--> cable -> SoC (swaps the MAC addresses) -> cable --> receiver; its echo credits the sender
    receiver --acks---------> cable -> SoC (swaps the MAC addresses) -> cable --> sender

Simulated time passes in slices that end when a few frames have come back, early enough that the sender's window never
runs dry: the wire into the SoC carries frames back to back.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from nsoc.network.channel import Channel, Fate, Faults
from nsoc.network.ethernet import BYTE_PS, HEADER_BYTES, IFG_BYTES, SLOT_BYTES
from nsoc.network.pcapng import Packet
from nsoc.transfer.published import (
    MAX_PAYLOAD_BYTES,
    Ack,
    Data,
    Message,
    Receiver,
    Reject,
    Sender,
    State,
    Timing,
    decode,
    encode,
    ethernet_header,
)

HOST_ADDRESS = bytes.fromhex("020000000001")
SOC_ADDRESS = bytes.fromhex("020000000002")
_TO_SOC = ethernet_header(SOC_ADDRESS, HOST_ADDRESS)
_SWAPPED = HOST_ADDRESS + SOC_ADDRESS

QUIET_US = 100.0
"""The wires have been quiet for so long: nothing is under way any more."""
DRAIN_US = 20_000.0
"""That must happen within this time of the end of a transfer."""


class SentFrame(Protocol):
    """A frame handed to the wire; the stamps are None until it has left."""

    @property
    def start_ps(self) -> int | None: ...
    @property
    def end_ps(self) -> int | None: ...


class ReceivedFrame(Protocol):
    """A frame that came out of the SoC. Stamps: first byte of the destination address, last byte of the FCS."""

    @property
    def data(self) -> bytes: ...
    @property
    def good(self) -> bool: ...
    @property
    def start_ps(self) -> int: ...
    @property
    def end_ps(self) -> int: ...


class WireLike(Protocol):
    """The part of `nsoc.network.wire.Wire` that a transfer needs."""

    def send(self, frame: bytes, *, ifg: int = ..., raw: bool = ...) -> SentFrame: ...
    def receive_all(self) -> Sequence[ReceivedFrame]: ...


class SocLike(Protocol):
    """The part of `nsoc.Soc` that a transfer needs."""

    @property
    def wire(self) -> WireLike: ...
    @property
    def time_us(self) -> float: ...
    def run(self, us: float | None = ..., *, frames: int | None = ..., idle_us: float | None = ...) -> object: ...


@dataclass
class LineUse:
    """What the data frames of one direction were on the GMII pins."""

    frames: int = 0
    frame_bytes: int = 0
    """Without preamble and FCS."""
    first_ps: int = 0
    """First byte of the destination address of the first data frame."""
    last_ps: int = 0
    """End of the last byte of the FCS of the last data frame."""

    def add(self, start_ps: int, end_ps: int, frame_bytes: int) -> None:
        """Count one more data frame, by the stamps of its first and last byte."""
        if not self.frames:
            self.first_ps = start_ps
        self.frames += 1
        self.frame_bytes += frame_bytes
        self.last_ps = end_ps + BYTE_PS

    @property
    def seconds(self) -> float:
        """Simulated time from the first data frame's first byte to the last one's end."""
        return (self.last_ps - self.first_ps) / 1e12

    @property
    def throughput_mbps(self) -> float:
        """Frame bytes without preamble and FCS over that time, in 10^6 bit/s."""
        return self.frame_bytes * 8 / self.seconds / 1e6 if self.seconds > 0 else 0.0


@dataclass
class Outcome:
    """How a transfer went."""

    data: bytes | None = None
    """What the receiver has, None when it has not all."""
    failure: str = ""
    """Why it failed, the rest of a sentence; empty when it did not."""
    packets: int = 0
    data_frames: int = 0
    """Data frames sent, repeats included."""
    retransmissions: int = 0
    summaries: int = 0
    acks: int = 0
    duration_us: float = 0.0
    """Simulated time from the first frame's start to the OK's arrival at the sender."""
    send: LineUse = field(default_factory=LineUse)
    """Data frames into the SoC: throughput on GMII RX."""
    receive: LineUse = field(default_factory=LineUse)
    """Data frames out of the SoC: throughput on GMII TX."""
    to_soc: dict[Fate, int] = field(default_factory=dict)
    """Frames of the host by what the cable to the SoC did to them."""
    to_host: dict[Fate, int] = field(default_factory=dict)
    """Frames of the SoC by what the cable to the host did to them."""
    ignored: Counter[str] = field(default_factory=Counter)
    """What either end ignored, by reason."""
    capture: list[Packet] = field(default_factory=list)
    """Every frame on the GMII pins, in both directions."""

    @property
    def frames_sent(self) -> int:
        """Frames of either end, data, summaries and acks."""
        return sum(self.to_soc.values())

    @property
    def frames_dropped_in_soc(self) -> int:
        """Frames that entered the SoC whole and did not leave it."""
        return self.to_soc[Fate.PASSED] - sum(self.to_host.values())

    @property
    def frames_lost(self) -> int:
        """Frames sent that did not reach the other end, for whatever reason."""
        return self.frames_sent - self.to_host[Fate.PASSED]


class Transfer:
    """One transfer of `data` through `soc`, which must already be echoing."""

    def __init__(
        self,
        soc: SocLike,
        data: bytes,
        *,
        faults: Faults | None = None,
        seed: int = 1,
        window: int = 32,
        payload_bytes: int = MAX_PAYLOAD_BYTES,
        timing: Timing | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """`progress(packets received, packets in all)` is called now and then; times are simulated."""
        faults = faults or Faults()
        now = soc.time_us
        self._soc = soc
        self._wire = soc.wire
        self._window = window
        self._sender = Sender(data, window=window, payload_bytes=payload_bytes, timing=timing, now=now)
        self._receiver = Receiver(timing=timing, now=now)
        self._to_soc = Channel(faults, seed, "to SoC")
        self._to_host = Channel(faults, seed, "to host")
        self._progress = progress
        self._gap = IFG_BYTES
        self._sent: list[tuple[SentFrame, bytes, bool, bool]] = []
        self._received: list[tuple[ReceivedFrame, Fate]] = []
        self._ignored: Counter[str] = Counter()

    def run(self) -> Outcome:
        """Run until the sender has its OK or gives up, then until nothing is under way."""
        start_us = self._soc.time_us
        while True:
            self._fill_wire()
            if self._sender.state is not State.RUNNING:
                break
            deadline = min(self._sender.deadline, self._receiver.deadline)
            # Most of the window stays on its way while a slice runs, though many be lost; at the end, frame by frame.
            enough = max(1, min(self._window // 4, self._sender.in_flight - self._window // 2))
            self._soc.run(us=max(1.0, deadline - self._soc.time_us), frames=enough)
            self._collect()
            if self._progress:
                self._progress(self._receiver.packets, self._sender.packets)
        duration_us = self._soc.time_us - start_us
        # What is still under way belongs to the books: repeats that were not needed, a second OK.
        self._soc.run(us=DRAIN_US, idle_us=QUIET_US)
        self._collect()
        return self._outcome(duration_us)

    def _fill_wire(self) -> None:
        now = self._soc.time_us
        while (ack := self._receiver.poll(now)) is not None:
            self._transmit(ack)
        while (message := self._sender.poll(now)) is not None:
            self._transmit(message)

    def _transmit(self, message: Message) -> None:
        frame = encode(message, _TO_SOC)
        fate = self._to_soc.fate()
        if fate is Fate.LOST:
            # It vanishes half-way, but it has occupied the line: the next frame starts so much later.
            self._gap += len(frame) + SLOT_BYTES
            return
        if fate is Fate.CORRUPTED:
            damaged = self._to_soc.corrupted(frame)
            sent = self._wire.send(damaged, ifg=self._gap, raw=True)
            frame = damaged[:-4]
        else:
            sent = self._wire.send(frame, ifg=self._gap)
        self._gap = IFG_BYTES
        self._sent.append((sent, frame, isinstance(message, Data), fate is Fate.CORRUPTED))

    def _collect(self) -> None:
        now = self._soc.time_us
        for received in self._wire.receive_all():
            fate = self._to_host.fate()
            self._received.append((received, fate))
            if fate is not Fate.PASSED:
                continue  # lost, or dropped by the host for its FCS
            if not received.good:
                self._ignored["bad_frame_from_soc"] += 1
            elif received.data[:12] != _SWAPPED:
                self._ignored["addresses_not_swapped"] += 1
            else:
                self._deliver(decode(received.data), now)

    def _deliver(self, message: Message | Reject, now: float) -> None:
        if isinstance(message, Reject):
            self._ignored[message] += 1
        elif isinstance(message, Ack):
            self._sender.receive(message, now)
        else:
            self._sender.receive(message, now)
            self._receiver.receive(message, now)

    def _outcome(self, duration_us: float) -> Outcome:
        sender, receiver = self._sender, self._receiver
        outcome = Outcome(
            data=receiver.data if receiver.state is State.DONE else None,
            failure=sender.failure,
            packets=sender.packets,
            data_frames=sender.data_sent,
            retransmissions=sender.retransmissions,
            summaries=sender.summaries_sent,
            acks=receiver.acks_sent,
            duration_us=duration_us,
            to_soc=self._to_soc.counts,
            to_host=self._to_host.counts,
            ignored=self._ignored + sender.ignored + receiver.ignored,
        )
        for sent, frame, is_data, damaged in self._sent:
            if sent.start_ps is None or sent.end_ps is None:
                continue  # still queued when the transfer gave up
            if is_data:
                outcome.send.add(sent.start_ps, sent.end_ps, len(frame))
            comment = "corrupted on the cable to the SoC" if damaged else ""
            outcome.capture.append(Packet(sent.start_ps, True, frame, damaged, comment))
        for received, fate in self._received:
            if received.data[HEADER_BYTES : HEADER_BYTES + 1] == b"\x01":
                outcome.receive.add(received.start_ps, received.end_ps, len(received.data))
            comment = "" if fate is Fate.PASSED else f"{fate} on the cable to the host"
            outcome.capture.append(Packet(received.start_ps, False, received.data, not received.good, comment))
        return outcome
