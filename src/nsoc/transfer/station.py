# SPDX-License-Identifier: Apache-2.0
"""All transfers of one station: hands each message to the end that it is for, and answers what is for none.

Like its ends it has neither clock nor transport: frames go in (`receive`) and come out (`poll`).
"""

import random
from collections import Counter, deque
from collections.abc import Callable

from nsoc.transfer.end import PATIENCE_US, End
from nsoc.transfer.message import (
    NOBODY,
    Accept,
    Cancel,
    Cancellation,
    Finish,
    Message,
    Open,
    Packet,
    Progress,
    Refusal,
    Refuse,
    Reject,
    decode,
    encode,
)
from nsoc.transfer.published import State, ethernet_header
from nsoc.transfer.receiver import MakeStore, Receiver
from nsoc.transfer.sender import Sender
from nsoc.transfer.storage import Source

_REPLIES = 64
"""So many answers to strangers wait at most; the oldest is dropped."""


def _nothing_to_serve(peer: bytes, open: Open) -> Source | Refusal:
    return Refusal.NOTHING_TO_SERVE


def _nothing_is_taken(peer: bytes, open: Open) -> MakeStore | Refusal:
    return Refusal.CANNOT_BE_STORED


class Station:
    """The station with that MAC address.

    `serve` says what an Open that gets gets, `take` where one that puts puts it; either may refuse. At most `transfers`
    run at once; those that are over stay until there is no room for another one. `random` draws what must be unique.
    `slowness`: the peers answer so many times later than those on a line of 1 Gb/s.
    """

    def __init__(
        self,
        address: bytes,
        random: random.Random,
        *,
        serve: Callable[[bytes, Open], Source | Refusal] = _nothing_to_serve,
        take: Callable[[bytes, Open], MakeStore | Refusal] = _nothing_is_taken,
        transfers: int = 16,
        credit: int = 32,
        patience_us: float = PATIENCE_US,
        slowness: float = 1.0,
    ) -> None:
        self.address = address
        self.boot = random.getrandbits(32)
        self.ends: dict[tuple[bytes, int], End] = {}
        """By the peer's address and the number of the transfer, the oldest first."""
        self.ignored: Counter[str] = Counter()
        """Frames that were for no end, by reason."""
        self._random = random
        self._serve = serve
        self._take = take
        self._transfers = transfers
        self._credit = credit
        self._times = {"patience_us": patience_us, "slowness": slowness}
        self._turns: deque[tuple[bytes, int]] = deque()
        self._replies: deque[tuple[bytes, Message]] = deque(maxlen=_REPLIES)

    @property
    def deadline(self) -> float:
        """When `poll` should be called again at the latest."""
        return min((end.deadline for end in self.ends.values()), default=float("inf"))

    def put(self, peer: bytes, source: Source, name: str, now: float, *, station: bytes = NOBODY) -> Sender:
        """Offer the source's bytes to `peer`, or to a station behind it."""
        number = self._draw(peer)
        sender = Sender.put(source, transfer=number, name=name, station=station, now=now, **self._times)
        self._add(peer, sender)
        return sender

    def get(self, peer: bytes, name: str, make_store: MakeStore, now: float, *, station: bytes = NOBODY) -> Receiver:
        """Ask `peer`, or a station behind it, for what `name` names."""
        receiver = Receiver.get(
            name,
            make_store,
            transfer=self._draw(peer),
            boot=self.boot,
            credit=self._credit,
            station=station,
            now=now,
            **self._times,
        )
        self._add(peer, receiver)
        return receiver

    def receive(self, frame: bytes, now: float) -> None:
        """Take a frame (no FCS)."""
        if frame[:6] != self.address:
            self.ignored["other_address"] += 1
            return
        message = decode(frame)
        if isinstance(message, Reject):
            self.ignored[message] += 1
            return
        peer = frame[6:12]
        end = self.ends.get((peer, message.transfer))
        if end is not None:
            end.receive(message, now)
        elif isinstance(message, Open):
            self._opened(peer, message, now)
        elif isinstance(message, Packet | Finish | Progress | Accept):
            self.ignored["unknown_transfer"] += 1
            self._replies.append((peer, Cancel(message.transfer, 1, Cancellation.UNKNOWN)))
        else:
            self.ignored["unknown_transfer"] += 1

    def poll(self, now: float) -> bytes | None:
        """The next frame to send at time `now`, or None when it is time to wait. The transfers take turns."""
        if self._replies:
            return self._frame(*self._replies.popleft())
        for _ in range(len(self._turns)):
            key = self._turns[0]
            self._turns.rotate(-1)
            message = self.ends[key].poll(now)
            if message is not None:
                return self._frame(key[0], message)
        return None

    def _frame(self, peer: bytes, message: Message) -> bytes:
        return encode(message, ethernet_header(peer, self.address))

    def _draw(self, peer: bytes) -> int:
        while True:
            number = self._random.getrandbits(32)
            if (peer, number) not in self.ends:
                return number

    def _add(self, peer: bytes, end: End) -> None:
        self._make_room()
        key = peer, end.transfer
        self.ends[key] = end
        self._turns.append(key)

    def _make_room(self) -> bool:
        """Whether there is room for one more, where the oldest that is over goes if need be."""
        if len(self.ends) >= self._transfers:
            over = next((key for key, end in self.ends.items() if end.state is not State.RUNNING), None)
            if over is None:
                return False
            del self.ends[over]
            self._turns.remove(over)
        return True

    def _opened(self, peer: bytes, open: Open, now: float) -> None:
        end = self._accept(peer, open, now)
        if isinstance(end, Refusal):
            self.ignored["refused"] += 1
            self._replies.append((peer, Refuse(open.transfer, 1, end)))
        else:
            self._add(peer, end)

    def _accept(self, peer: bytes, open: Open, now: float) -> End | Refusal:
        if open.station not in (NOBODY, self.address):
            return Refusal.NO_SUCH_STATION
        if not self._make_room():
            return Refusal.BUSY
        if open.get:
            source = self._serve(peer, open)
            if isinstance(source, Refusal):
                return source
            return Sender.serve(source, open, boot=self.boot, now=now, **self._times)
        make_store = self._take(peer, open)
        if isinstance(make_store, Refusal):
            return make_store
        return Receiver.accept(open, make_store, boot=self.boot, credit=self._credit, now=now, **self._times)
