# SPDX-License-Identifier: Apache-2.0
"""A transfer to a peer, by the numbered types, or by the published ones when the peer does not know the others."""

from collections import Counter

from nsoc.network.ethernet import HEADER_BYTES
from nsoc.transfer import message, published
from nsoc.transfer.message import NOBODY, PACKET_BYTES
from nsoc.transfer.published import State
from nsoc.transfer.runner import Runner, Traffic
from nsoc.transfer.storage import Source

PUBLISHED_HEADER_BYTES = published.MAX_FRAME_BYTES - HEADER_BYTES - published.MAX_PAYLOAD_BYTES


class Outgoing:
    """Offers `source` to `peer`, or to the station `behind` it, as soon as the runner runs.

    A peer that leaves its Opens unanswered gets the published types: one transfer at a time, and nothing behind it.
    """

    def __init__(
        self, runner: Runner, peer: bytes, source: Source, name: str, now: float, timing: published.Timing,
        *, behind: bytes = NOBODY,
    ) -> None:  # fmt: skip
        self.peer, self.name = peer, name
        self._runner = runner
        self._source = source
        self._timing = timing
        self._behind = behind
        self._numbered = runner.station.put(peer, source, name, now, station=behind)
        self._published: published.Sender | None = None

    def turn(self, now: float) -> None:
        """To be called now and then: changes to the published types when it must."""
        numbered = self._numbered
        if self._published is not None or self._behind != NOBODY or numbered.state is not State.RUNNING:
            return
        if not numbered.unanswered:
            return
        numbered.cancel("the peer does not answer")
        self._published = published.Sender(whole(self._source), timing=self._timing, now=now)
        self._runner.add(self.peer, self._published)

    def leave(self) -> None:
        """What comes for it is for nobody."""
        if self._published is not None:
            self._runner.remove(self._published)

    @property
    def state(self) -> State:
        """Where it is."""
        return self._numbered.state if self._published is None else self._published.state

    @property
    def failure(self) -> str:
        """Why it failed, as the rest of a sentence."""
        return self._numbered.failure if self._published is None else self._published.failure

    @property
    def size(self) -> int:
        """Bytes."""
        return self._source.total

    @property
    def packets(self) -> int:
        """Of the transfer."""
        return self._numbered.packets if self._published is None else self._published.packets

    @property
    def arrived(self) -> int:
        """Packets that the peer has; of the published types none is known before all are."""
        if self._published is None:
            return self._numbered.arrived
        return self._published.packets if self._published.state is State.DONE else 0

    @property
    def repeats(self) -> int:
        """Packets that went again."""
        return self._numbered.retransmissions if self._published is None else self._published.retransmissions

    @property
    def ignored(self) -> Counter[str]:
        """What came and changed nothing, by reason."""
        return self._numbered.ignored if self._published is None else self._published.ignored

    @property
    def traffic(self) -> Traffic:
        """What it was on the line."""
        number = self._numbered.transfer if self._published is None else None
        return self._runner.traffic[self.peer, number]

    @property
    def overhead(self) -> tuple[int, int]:
        """Bytes of the transfer in a full packet, and of the protocol's header before them."""
        if self._published is None:
            return PACKET_BYTES, message.MESSAGE_HEADER_BYTES
        return published.MAX_PAYLOAD_BYTES, PUBLISHED_HEADER_BYTES


def whole(source: Source) -> bytes:
    """All bytes of a source."""
    return b"".join(map(source.read, range(-(-source.total // PACKET_BYTES))))
