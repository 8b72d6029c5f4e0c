# SPDX-License-Identifier: Apache-2.0
"""Runs the reliable protocol across a SoC that echoes frames: both ends on the host, every frame through the SoC.

    sender --data, summary--> wire -> SoC (swaps the MAC addresses) -> wire --> receiver; its echo credits the sender
    receiver --acks---------> wire -> SoC (swaps the MAC addresses) -> wire --> sender

What the wire does to frames is the network's (cabled.py). Simulated time passes in slices that end when a few frames
have come back, early enough that the sender's window never runs dry: the wire into the SoC carries frames back to back.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from nsoc.transfer.published import (
    MAX_PAYLOAD_BYTES,
    Ack,
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


class ReceivedFrame(Protocol):
    """A frame on the SoC's line. Stamps: first byte of the destination address, last byte of the FCS."""

    @property
    def data(self) -> bytes: ...
    @property
    def good(self) -> bool: ...
    @property
    def start_ps(self) -> int: ...
    @property
    def end_ps(self) -> int: ...


class WireLike(Protocol):
    """What a transfer needs of a SoC's wire, or of the host at the other end of its cable."""

    def send(self, frame: bytes) -> object: ...
    def receive_all(self) -> Sequence[ReceivedFrame]: ...


class SocLike(Protocol):
    """The part of Soc and CabledSoc that a transfer needs."""

    @property
    def wire(self) -> WireLike: ...
    @property
    def time_us(self) -> float: ...
    def run(self, us: float = ..., *, frames: int | None = ..., idle_us: float | None = ...) -> object: ...


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
    ignored: Counter[str] = field(default_factory=Counter)
    """What either end ignored, by reason."""

    @property
    def frames_sent(self) -> int:
        """Frames of either end, data, summaries and acks."""
        return self.data_frames + self.summaries + self.acks


class Transfer:
    """One transfer of `data` through `soc`, which must already be echoing."""

    def __init__(
        self,
        soc: SocLike,
        data: bytes,
        *,
        window: int = 32,
        payload_bytes: int = MAX_PAYLOAD_BYTES,
        timing: Timing | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """`progress(packets received, packets in all)` is called now and then; times are simulated."""
        now = soc.time_us
        self._soc = soc
        self._wire = soc.wire
        self._window = window
        self._sender = Sender(data, window=window, payload_bytes=payload_bytes, timing=timing, now=now)
        self._receiver = Receiver(timing=timing, now=now)
        self._progress = progress
        self._ignored: Counter[str] = Counter()
        self._done_us = 0.0

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
        duration_us = (self._done_us or self._soc.time_us) - start_us
        # What is still under way belongs to the books: repeats that were not needed, a second OK.
        self._soc.run(us=DRAIN_US, idle_us=QUIET_US)
        self._collect()
        return self._outcome(duration_us)

    def _fill_wire(self) -> None:
        now = self._soc.time_us
        while (ack := self._receiver.poll(now)) is not None:
            self._wire.send(encode(ack, _TO_SOC))
        while (message := self._sender.poll(now)) is not None:
            self._wire.send(encode(message, _TO_SOC))

    def _collect(self) -> None:
        now = self._soc.time_us
        for received in self._wire.receive_all():
            if not received.good:
                self._ignored["bad_frame"] += 1  # as a network card drops it
            elif received.data[:12] != _SWAPPED:
                self._ignored["addresses_not_swapped"] += 1
            else:
                self._deliver(decode(received.data), now)
            if self._sender.state is State.DONE and not self._done_us:
                self._done_us = received.end_ps / 1e6

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
        return Outcome(
            data=receiver.data if receiver.state is State.DONE else None,
            failure=sender.failure,
            packets=sender.packets,
            data_frames=sender.data_sent,
            retransmissions=sender.retransmissions,
            summaries=sender.summaries_sent,
            acks=receiver.acks_sent,
            duration_us=duration_us,
            ignored=self._ignored + sender.ignored + receiver.ignored,
        )
