# SPDX-License-Identifier: Apache-2.0
"""A host around the step function: the blocks beside `tcp_core` (docs/tcp.md), thin, and without a clock of their own.

After each event it checks what must always hold. Addresses are four bytes; times are whole microseconds.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from tcp.events import (
    Actions,
    Answer,
    Arrival,
    Chain,
    Command,
    Event,
    Flag,
    Icmp,
    Index,
    Leave,
    Notify,
    Op,
    Settings,
    Spawn,
    Timer,
    Turn,
)
from tcp.record import LEAST_RING, OPTIONS, WORD, Record, State, Why, pack
from tcp.siphash import siphash
from tcp.step import GIVEN_UP, UNOPENED, diff, le, lt, step
from tcp.wire import build, parse

End = tuple[bytes, int]
"""Address and port."""
Tuple = tuple[End, End]
"""Ours, theirs."""
LEAST_HANDSHAKE_MS = 8
"""So long a handshake is not given up for another one: a burst of good peers must not reset itself."""


@dataclass(frozen=True)
class Logged:
    """An event and what came of it."""

    index: int
    before: Record
    event: Event
    now: int
    after: Record
    actions: Actions


class Engine:
    """`count` connections, set up by `setup`. `isn` overrides the initial sequence numbers."""

    def __init__(
        self,
        address: bytes,
        count: int = 8,
        *,
        settings: Settings | None = None,
        seed: int = 1,
        isn: Callable[[Tuple], int] | None = None,
        log: list[Logged] | None = None,
    ) -> None:
        self.address = address
        self.settings = settings or Settings()
        self.records = [Record() for _ in range(count)]
        self.rx = [bytearray() for _ in range(count)]
        self.tx = [bytearray() for _ in range(count)]
        self.tuples: list[Tuple | None] = [None] * count
        self.table: dict[Tuple, int] = {}
        self.listeners: dict[int, int] = {}
        self.pool: deque[int] = deque()
        self.begun: dict[int, int] = {}
        """Of those of the pool that are in TIME-WAIT or half open: since when, ms."""
        self.deadlines: dict[int, int] = {}
        self.scheduled: deque[int] = deque()
        self.told: dict[int, Notify] = {}
        """Bits that nobody has read."""
        self.out: deque[tuple[bytes, bytes]] = deque()
        """Answers that leave with an arrival or a command: destination and segment."""
        self.counts: Counter[str] = Counter()
        self.log = log
        self._key = seed.to_bytes(16)
        self._isn = isn
        self._ahead = 0
        """So much the clock of initial sequence numbers has been set forward."""

    # ---- The processor -----------------------------------------------------------------------------------------------

    def setup(self, index: int, rx_ring: int, tx_ring: int, now: int, *, pooled: bool = False) -> None:
        """Rings of 2 KB times 2 to the power of these."""
        self.rx[index] = bytearray(1 << (LEAST_RING + rx_ring))
        self.tx[index] = bytearray(1 << (LEAST_RING + tx_ring))
        assert self.command(index, Op.SETUP, now, rx_ring | tx_ring << 3, int(pooled)) == Answer.DONE

    def option(self, index: int, name: str, value: int, now: int = 0) -> Answer:
        return self.command(index, Op.OPTION, now, OPTIONS.index(name), value)

    def open(self, index: int, local_port: int, remote: End, now: int) -> Answer:
        """No connection to a broadcast or multicast address; no two with the same ends."""
        ends = (self.address, local_port), remote
        if ends in self.table or remote[0][0] >= 224 or remote[0][0] == 0:
            return Answer.BAD_VALUE
        kept, self.tuples[index] = self.tuples[index], ends
        answer = self.command(index, Op.OPEN, now, self.initial(ends, now), self.ts_offset(ends))
        if answer != Answer.DONE:
            self.tuples[index] = kept
        return answer

    def listen(self, index: int, port: int, backlog: int, now: int) -> Answer:
        if port in self.listeners:
            return Answer.BAD_VALUE
        kept, self.tuples[index] = self.tuples[index], ((self.address, port), (bytes(4), 0))
        answer = self.command(index, Op.LISTEN, now, backlog)
        if answer != Answer.DONE:
            self.tuples[index] = kept
        return answer

    def command(self, index: int, op: Op, now: int, a: int = 0, b: int = 0) -> Answer:
        turns = op == Op.SEND and not self.scheduled and not self.out
        return self._do(index, Command(op, a, b, turns), now).answer

    def send(self, index: int, data: bytes, now: int, *, urgent: bool = False) -> int:
        """As much as there is room for; how much that was."""
        r = self.records[index]
        ring = self.tx[index]
        first = (r.iss + 1) % WORD
        room = len(ring) - diff(r.tail, first if r.una == r.iss and r.state in UNOPENED else r.una)
        data = data[: max(room, 0)]
        at = diff(r.tail, first) % WORD
        ring_write(ring, at, data)
        if data and self.command(index, Op.SEND, now, (at + len(data)) % WORD, int(urgent)) != Answer.DONE:
            return 0
        return len(data)

    def available(self, index: int) -> int:
        r = self.records[index]
        fin = bool(r.fin_seen) and r.rcv_nxt == (r.rcv_fin + 1) % WORD
        return diff(r.rcv_nxt, r.rcv_read) - fin

    def receive(self, index: int, most: int, now: int) -> bytes:
        count = min(self.available(index), most)
        if count <= 0:
            return b""
        r, ring = self.records[index], self.rx[index]
        at = diff(r.rcv_read, r.rcv_base) % WORD
        data = ring_read(ring, at, count)
        return data if self.command(index, Op.READ, now, (at + count) % WORD) == Answer.DONE else b""

    def events(self, index: int) -> Notify:
        """What the processor is told of a connection; it is told once."""
        return self.told.pop(index, Notify(0))

    # ---- The line ----------------------------------------------------------------------------------------------------

    def take(self, source: bytes, data: bytes, now: int) -> None:
        """A TCP segment whose FCS held, with its IP payload as `data`."""
        if source[0] >= 224 or source[0] in (0, 127) or source == self.address:
            self.counts["bad source"] += 1
            return
        parsed = parse(data, source, self.address)
        if isinstance(parsed, str):
            self.counts[parsed] += 1
            return
        from_port, to_port, seg, payload = parsed
        self._arrive(((self.address, to_port), (source, from_port)), seg, payload, now)

    def _arrive(self, ends: Tuple, seg: Arrival, payload: bytes, now: int) -> None:
        index = self.table.get(ends, self.listeners.get(ends[0][1], -1))
        listens = index >= 0 and self.records[index].state == State.LISTEN
        seg = replace(seg, spare=listens and bool(self.pool))
        actions = self._do(index, seg, now, ends, payload)
        if actions.chain == Chain.AGAIN and listens:
            oldest = self._oldest(index, now)
            if oldest is not None:
                self._do(oldest, Timer(gives_up=True), now)
            self._arrive(ends, replace(seg, tried=True), payload, now)
        elif actions.chain == Chain.AGAIN:
            self._arrive(ends, seg, payload, now)
        elif actions.chain == Chain.SPAWN:
            child, parent = self.pool.popleft(), index
            self.tuples[child] = ends
            options = tuple(getattr(self.records[parent], name) for name in OPTIONS)
            self._do(child, Spawn(seg, self.initial(ends, now), self.ts_offset(ends), parent, options), now)

    def _oldest(self, listener: int, now: int) -> int | None:
        """Who is given up for a SYN: with an empty pool anyone, TIME-WAIT first; else a child of the listener."""
        spare = bool(self.pool)
        waits = [index for index in self.begun if self.records[index].state == State.TIME_WAIT and not spare]
        half = [
            index for index, begun in self.begun.items()
            if self.records[index].state == State.SYN_RCVD and (now >> 10) - begun >= LEAST_HANDSHAKE_MS
            and (not spare or self.records[index].parent == listener)
        ]  # fmt: skip
        return min(waits or half, key=lambda index: (self.begun[index], index), default=None)

    def icmp(self, ends: Tuple, event: Icmp, now: int) -> None:
        """An error about a segment between these ends."""
        if ends in self.table:
            self._do(self.table[ends], event, now)

    @property
    def deadline(self) -> int | None:
        """The earliest, when nobody wants a turn before."""
        return min(self.deadlines.values(), default=None)

    def poll(self, now: int) -> tuple[bytes, bytes] | None:
        """The next segment and where it goes, or None when it is time to wait."""
        for index in [index for index, at in self.deadlines.items() if at <= now]:
            self._do(index, Timer(), now)
        if self.out:
            return self.out.popleft()
        while self.scheduled:
            index = self.scheduled.popleft()
            self._do(index, Turn(), now)
            if self.out:
                return self.out.popleft()
        return None

    # ---- The core and what stands around it --------------------------------------------------------------------------

    def initial(self, ends: Tuple, now: int) -> int:
        """Initial sequence number (RFC 9293, 3.4.1)."""
        if self._isn is not None:
            return self._isn(ends)
        return (self._hash(ends) + now // 4 + self._ahead) % WORD

    def ts_offset(self, ends: Tuple) -> int:
        """Of timestamps: always the same for these ends, so they never go back (RFC 7323, 7.1)."""
        return self._hash(ends) >> 32

    def _hash(self, ends: Tuple) -> int:
        return siphash(self._key, b"".join(address + port.to_bytes(2) for address, port in ends))

    def _do(self, index: int, event: Event, now: int, ends: Tuple | None = None, payload: bytes = b"") -> Actions:
        before = self.records[index] if index >= 0 else Record()
        after, actions = step(before, event, now, self.settings)
        if self.log is not None:
            self.log.append(Logged(index, before, event, now, after, actions))
        check(before, event, after, actions)
        self.counts[f"drop {actions.drop.name}"] += 1
        if index < 0:
            self._out(actions, -1, ends)
            return actions
        self.records[index] = after
        if not after.pooled or after.state not in GIVEN_UP:
            self.begun.pop(index, None)
        elif after.state != before.state:
            self.begun[index] = now >> 10
        if actions.place is not None:
            place = actions.place
            ring_write(self.rx[index], place.offset, payload[place.begin : place.begin + place.length])
        self._out(actions, index, self.tuples[index])
        if actions.notify:
            self.told[index] = self.told.get(index, Notify(0)) | actions.notify
        self.deadlines.pop(index, None)
        if actions.deadline is not None:
            self.deadlines[index] = actions.deadline
        if actions.schedule and index not in self.scheduled:
            self.scheduled.append(index)
        elif not actions.schedule and index in self.scheduled:
            self.scheduled.remove(index)
        mine = self.tuples[index]
        if actions.index == Index.INSERT:
            assert mine is not None and mine not in self.table
            self.table[mine] = index
        elif actions.index == Index.LISTEN:
            assert mine is not None
            self.listeners[mine[0][1]] = index
        elif actions.index == Index.REMOVE:
            assert mine is not None
            if self.listeners.get(mine[0][1]) == index:
                del self.listeners[mine[0][1]]
            elif self.table.get(mine) == index:
                del self.table[mine]
                if self._isn is None:  # the next one with these ends begins behind it (RFC 9293, 3.6.1)
                    self._ahead += max(diff(after.max, self.initial(mine, now)), 0)
        if actions.pool:
            assert index not in self.pool
            self.pool.append(index)
        if actions.chain == Chain.LEAVE:
            assert self.records[after.parent].state == State.LISTEN
            self._do(after.parent, Leave(), now)
        return actions

    def _out(self, actions: Actions, index: int, ends: Tuple | None) -> None:
        send = actions.send
        if send is None:
            return
        assert ends is not None
        payload = ring_read(self.tx[index], send.offset, send.length) if send.length else b""
        self.counts["sent again" if send.again else "sent"] += 1
        self.out.append((ends[1][0], build(send, ends[0], ends[1], payload)))


def ring_write(ring: bytearray, at: int, data: bytes) -> None:
    """At a stream offset, round the end."""
    at &= len(ring) - 1
    first = data[: len(ring) - at]
    ring[at : at + len(first)] = first
    ring[: len(data) - len(first)] = data[len(first) :]


def ring_read(ring: bytearray, at: int, count: int) -> bytes:
    """From a stream offset on, round the end."""
    at &= len(ring) - 1
    return bytes(ring[at : at + count] + ring[: max(at + count - len(ring), 0)])


def check(before: Record, event: Event, after: Record, actions: Actions) -> None:
    """What holds for each event."""
    pack(after)
    if after.state in (State.CLOSED, State.LISTEN):
        assert actions.deadline is None and not actions.schedule
        assert after.state == State.LISTEN or before.state == State.CLOSED or after.why != Why.NOT
        return
    end = (after.tail + after.fin_queued) % WORD
    assert le(after.una, after.nxt) and le(after.nxt, after.max) and le(after.max, end)
    assert all(lt(after.rcv_nxt, begin) and lt(begin, stop) and le(stop, after.rcv_edge) for begin, stop in after.held)
    assert all(lt(after.una, stop) and lt(begin, stop) for begin, stop in after.sacked)
    going_on = before.state not in (State.CLOSED, State.LISTEN, State.SYN_SENT) and not isinstance(event, Spawn)
    if going_on:
        assert le(before.una, after.una) and le(before.rcv_nxt, after.rcv_nxt), "what is acknowledged stays"
        assert le(before.rcv_edge, after.rcv_edge), "the right edge has moved left"
        for begin, stop in before.held:
            kept = any(le(a, begin) and le(stop, b) for a, b in after.held) or le(stop, after.rcv_nxt)
            assert kept, "held bytes are forgotten"
    if actions.place is not None:
        assert isinstance(event, Arrival) and going_on
        size = 1 << (LEAST_RING + after.rx_ring)
        begin = (event.seq + actions.place.begin) % WORD
        stop = (begin + actions.place.length) % WORD
        assert actions.place.begin >= 0 and actions.place.begin + actions.place.length <= event.length
        assert le(before.rcv_nxt, begin) and lt(begin, stop), "bytes are overwritten"
        assert diff(stop, before.rcv_read) <= size, "the ring is overrun"
        assert not any(lt(begin, b) and lt(a, stop) for a, b in before.held), "held bytes are overwritten"
        assert actions.place.offset == diff(begin, before.rcv_base) % size
    if actions.send is not None and isinstance(event, Turn | Command) and not actions.send.flags & Flag.RST:
        send = actions.send
        assert 0 <= send.length <= after.snd_mss
        if send.length:
            assert le(before.una, send.seq) and le((send.seq + send.length) % WORD, after.tail)
    pure = isinstance(event, Arrival) and event.length == 0 and event.flags & 7 == 0 and event.seq == before.rcv_nxt
    if pure and going_on and isinstance(event, Arrival) and event.ack == before.una and event.flags & Flag.ACK:
        assert after.ack_now <= before.ack_now and after.ack_each <= before.ack_each, "an ACK is answered"
