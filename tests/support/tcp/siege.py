# SPDX-License-Identifier: Apache-2.0
"""The engine in RTL between good peers and attackers (attack.py), on a line of its own speed.

The program behind the engine talks with good peers at GOOD_PORT, both ways, and checks every byte; at VICTIM_PORT it
takes whoever comes, and does what programs do, at any time. Times are microseconds, of the engine's counter.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from nsoc.network.inet.connection import Settings as InetSettings
from tcp.attack import Attacker, End, Notice, segment
from tcp.events import Answer, Flag, Notify, Op, Settings
from tcp.hw_engine import CONNECTIONS, HwEngine
from tcp.pipe import AROUND, LEAST_FRAME, InetHost
from tcp.record import WORD, State
from tcp.wire import parse

OURS = bytes((10, 0, 0, 2))
GOOD_PORT, VICTIM_PORT = 7, 9
GOOD_AT, VICTIM_AT, FIRST_POOLED = 0, 1, 2
POOL = CONNECTIONS - FIRST_POOLED
BACKLOG = 6
"""Of the victims: less than there are, or a flood of SYNs shuts out everybody."""
SETTINGS = Settings(
    least_rto_us=1000, first_rto_us=20_000, delayed_ack_us=200, override_us=2000, msl_ms=1000, child_patience_s=3,
    fin_wait_2_ms=2000,
)  # fmt: skip
INET = InetSettings(least_rto_us=1000.0, delayed_ack_us=200.0, msl_us=1e6)
PERIOD = 65521
DROPS = {"short": "segment_drop_short", "offset": "segment_drop_offset", "checksum": "segment_drop_sum"}
"""What wire.parse says of a segment, and the counter for it."""


@dataclass
class Stream:
    """Bytes one way; what comes is compared as it comes."""

    block: bytes
    sent: int = 0
    got: int = 0

    def piece(self, count: int) -> bytes:
        at = self.sent % PERIOD
        return self.block[at : at + count]

    def check(self, data: bytes) -> None:
        at = self.got % PERIOD
        assert data == self.block[at : at + len(data)], f"a wrong byte behind {self.got}"
        self.got += len(data)


@dataclass
class Good:
    """A peer and its two streams; `index` is its record, when it has been accepted."""

    host: InetHost
    up: Stream
    down: Stream
    index: int | None = None
    finishing: bool = False
    told: Notify = field(default_factory=lambda: Notify(0))

    @property
    def end(self) -> End:
        return self.host.address, self.host.port


class Siege(Attacker):
    """`speed` is the line's, in Gb/s; `out` that of its way out, if it is another one."""

    def __init__(
        self, seed: int, *, goods: int = 2, speed: int = 1, out: int | None = None, stall_percent: int = 0
    ) -> None:
        rng = random.Random(seed)
        block = rng.randbytes(PERIOD)
        self.engine = HwEngine(OURS, settings=SETTINGS, seed=rng.getrandbits(32), stall_percent=stall_percent)
        self.engine.setup(GOOD_AT, 0, 0)
        self.engine.setup(VICTIM_AT, 0, 0)
        for index in range(FIRST_POOLED, CONNECTIONS):
            self.engine.setup(index, 3, 3, pooled=True)
        assert self.engine.listen(GOOD_AT, GOOD_PORT, 20) == Answer.DONE
        assert self.engine.listen(VICTIM_AT, VICTIM_PORT, BACKLOG) == Answer.DONE
        self.engine.line(speed, out)
        self.speed = speed
        self.good: dict[End, Good] = {}
        for number in range(goods):
            end = bytes((10, 0, 0, 10 + number)), 5000
            host = InetHost(*end, (OURS, GOOD_PORT), INET, rng.getrandbits(32))
            one = Good(host, Stream(block * 2), Stream(block[::-1] * 2))
            host.open(self.engine.now)
            self.good[end] = one
        super().__init__(rng, OURS, VICTIM_PORT, [(end, GOOD_PORT) for end in self.good])
        self.victims: set[int] = set()
        self.put: Counter[str] = Counter()
        """Segments that went in, by what is to become of them; `notice`: errors."""
        self.left = 0
        """Segments of the engine's."""
        self.attacked = 0
        """Bytes of the line."""
        self.gives = True
        """The victims' program sends, which takes its part of the line."""
        self.ends: Counter[str] = Counter()
        """What the victims were told, and did."""

    # ---- The line ----------------------------------------------------------------------------------------------------

    def _in(self, source: bytes, data: bytes) -> None:
        parsed = parse(data, source, OURS)
        self.put[parsed if isinstance(parsed, str) else "taken"] += 1
        self.engine.take(source, data)

    def _attack(self) -> None:
        what = self.next()
        if isinstance(what, Notice):
            self.put["notice"] += 1
            self.engine.icmp(what.destination, what.ports, what.seq, what.kind, what.code, what.mtu)
            self.attacked += LEAST_FRAME
        else:
            self._in(*what)
            self.attacked += max(len(what[1]) + AROUND, LEAST_FRAME)

    def guess(self, end: End, flags: int) -> tuple[int, int]:
        """In the window, behind all that may be on its way; or anywhere."""
        of = self.good[end].host.of
        if of is None or self.rng.random() < 0.3:
            return super().guess(end, flags)
        far = self.rng.choice((1, -1)) * self.rng.randrange(1 << 20, 1 << 30)
        return (of.next_sequence + 6000 + self.rng.randrange(6000)) % WORD, (of.next_expected + far) % WORD

    def _out(self) -> None:
        """What has left goes to whom it is for."""
        now = self.engine.now
        while (one := self.engine.next()) is not None:
            to, data = one
            self.left += 1
            parsed = parse(data, OURS, to)
            assert not isinstance(parsed, str), f"a bad segment is sent: {parsed}"
            from_port, port, seen, _ = parsed
            if (to, port) in self.good and from_port == GOOD_PORT:
                self.good[to, port].host.take(OURS, data, now)
            else:
                assert not (seen.flags & Flag.SYN and seen.flags & Flag.RST)
                self.see(to, data)

    def _polled(self) -> bool:
        """Whether a good peer had something to send, which goes."""
        for one in self.rng.sample(list(self.good.values()), len(self.good)):
            data = one.host.poll(self.engine.now)
            if data is not None:
                self._in(one.host.address, data)
                return True
        return False

    # ---- Programs ----------------------------------------------------------------------------------------------------

    def _peers(self) -> None:
        """The good peers' programs."""
        now = self.engine.now
        for one in self.good.values():
            host = one.host
            one.down.check(host.read(PERIOD, now))
            if host.opened and not one.finishing:
                one.up.sent += host.write(one.up.piece(8192), now)
            assert not host.failure, f"a good peer is told: {host.failure}"

    def _events(self) -> None:
        engine = self.engine
        for index, bits in engine.events():
            good = next((one for one in self.good.values() if one.index == index), None)
            if bits & Notify.ACCEPT:
                engine.write("connection", index)
                end = engine.read("peer_address").to_bytes(4), (ports := engine.read("ports")) >> 16
                good = self.good.get(end) if ports & 0xFFFF == GOOD_PORT else None
                if good is not None:
                    good.index = index
                else:
                    self.victims.add(index)
                engine.command(index, Op.ACCEPT)
            if good is not None:
                good.told |= bits
                assert good.finishing or not bits & Notify.CLOSED, "a good peer's connection is closed"
            elif index in self.victims:
                self._victim(index, bits)
        for one in self.good.values():
            if one.index is not None:
                self._serve(one, one.index)

    def _serve(self, one: Good, index: int) -> None:
        one.up.check(self.engine.receive(index, PERIOD))
        if not one.finishing:
            one.down.sent += self.engine.send(index, one.down.piece(8192))

    def _victim(self, index: int, bits: Notify) -> None:
        """What programs do: read, or not; send, or not; close at once, late or never."""
        rng, engine = self.rng, self.engine
        if bits & Notify.CLOSED:
            self.ends["closed"] += 1
            self._release(index)
            return
        if rng.random() < 0.5:
            engine.receive(index, rng.choice((1, 1000, PERIOD)))
        if self.gives and rng.random() < 0.5:
            engine.send(index, rng.randbytes(rng.choice((1, 500, 5000))), urgent=rng.random() < 0.1)
        if bits & Notify.FINISHED or rng.random() < 0.05:
            op = rng.choice((Op.SHUTDOWN, Op.CLOSE, Op.CLOSE, Op.ABORT))
            self.ends[op.name] += 1
            engine.command(index, op)

    def _release(self, index: int) -> None:
        assert self.engine.command(index, Op.RELEASE) == Answer.DONE
        self.victims.discard(index)

    # ---- The course of it --------------------------------------------------------------------------------------------

    def _round(self) -> None:
        self._out()
        if self.engine.irq:
            self._events()
        self._peers()

    def open(self) -> None:
        """All good peers are connected."""
        self.until(lambda: all(one.host.opened and one.index is not None for one in self.good.values()))

    def until(self, done: Callable[[], bool], most_us: int = 1_000_000) -> None:
        """Good peers alone."""
        end = self.engine.now + most_us
        while not done():
            assert self.engine.now < end, "it hangs"
            if self.engine.waiting or not self._polled():
                self.engine.advance(500, 0) if self.engine.waiting else self.engine.clock(125)
            self._round()
            self._events()

    def flood(self, count: int) -> None:
        """So many attacks, as fast as they go in; for each ten of them the good peers send a segment."""
        for number in range(count):
            if number % 32 == 0 and self.victims:
                self._victim(self.rng.choice(sorted(self.victims)), Notify(0))
            if self.rng.random() < 0.1:
                self._polled()
            self._attack()
            self.engine.advance(3000, 1)
            self._round()

    def share(self, us: int, percent: int) -> tuple[int, int]:
        """For so long, attacks have that part of the line. Bytes that the good peers have got, and given."""
        self.gives = False
        begin, cycles = self.engine.now, self.engine.cycle
        before = [(one.up.got, one.down.got) for one in self.good.values()]
        attacked = self.attacked
        while self.engine.now < begin + us:
            if (self.attacked - attacked) * 100 < (self.engine.cycle - cycles) * percent * self.speed:
                self._attack()
            elif not self._polled():
                self.engine.clock(50)
            self.engine.advance(3000, 1)
            self._round()
        after = [(one.up.got, one.down.got) for one in self.good.values()]
        return (
            sum(new[0] - old[0] for new, old in zip(after, before, strict=True)),
            sum(new[1] - old[1] for new, old in zip(after, before, strict=True)),
        )

    def _state(self, one: Good) -> State:
        assert one.index is not None
        return State(self.engine.status(one.index).state)

    def _drained(self) -> bool:
        return all(
            one.up.got == one.up.sent and one.down.got == one.down.sent and one.host.of is not None
            and not one.host.of.unsent for one in self.good.values()
        )  # fmt: skip

    def sleep(self, us: int) -> None:
        """The good peers have nothing to say, the attackers are quiet: timers run."""
        for one in self.good.values():
            one.finishing = True
        self.until(self._drained)
        end = self.engine.now + us
        while self.engine.now < end:
            self.engine.run(end)
            self._round()
        self._events()
        for one in self.good.values():
            one.finishing = False

    def finish(self) -> None:
        """The good peers end as they should, all victims by force. All that was lent is back then."""
        engine = self.engine
        self.sleep(1000)
        for one in self.good.values():
            one.finishing = True
            one.host.finish(engine.now)
            assert one.index is not None and engine.command(one.index, Op.SHUTDOWN) == Answer.DONE
        self.until(lambda: all(one.host.ended and one.host.gone for one in self.good.values()))
        self.until(lambda: all(self._state(one) in (State.CLOSED, State.TIME_WAIT) for one in self.good.values()))
        for index in list(self.victims):
            if engine.command(index, Op.ABORT) != Answer.DONE:
                assert engine.status(index).state == State.CLOSED
        # Handshakes and TIME-WAIT end by their timers.
        self.replies.clear()
        end = engine.now + 8_000_000
        while engine.now < end:
            engine.run(end)
            self._out()
            for index, bits in engine.events():
                if bits & Notify.CLOSED:
                    assert engine.command(index, Op.RELEASE) == Answer.DONE
                elif bits & Notify.ACCEPT:
                    engine.command(index, Op.ABORT)
        self._check()
        engine.close()

    def _check(self) -> None:
        engine = self.engine
        engine.clock(2000)
        for index in range(CONNECTIONS):
            record = engine.status(index)
            listens = index < FIRST_POOLED
            assert record.state == (State.LISTEN if listens else State.CLOSED), f"{index} is {State(record.state).name}"
            assert record.owned == listens and record.pooled == (not listens) and not record.children, index
        assert engine.buffered == 0, "words of tcp_rx's buffer are lost"
        counted = {name: engine.read(name) for name in ("segment_taken", "segment_drop_room", *DROPS.values())}
        for cause, name in DROPS.items():
            assert counted[name] == self.put[cause], f"{name} is {counted[name]}, {self.put[cause]} such segments came"
        assert counted["segment_taken"] + counted["segment_drop_room"] == self.put["taken"], counted
        assert engine.read("tcp_sent") == self.left, "each segment that left is counted"
        self._whole_pool()

    def _whole_pool(self) -> None:
        """As many strangers as there are records find one each; the next one none."""
        full = self.engine.read("tcp_drop_listen_full")
        answered = 0
        for number in range(POOL + 1):
            source = bytes((10, 0, 2, number))
            self.engine.take(source, segment((source, 1000), (OURS, GOOD_PORT), number, 0, Flag.SYN))
            self.engine.clock(2000)
            while (one := self.engine.next()) is not None:
                answered += one[1][13] == Flag.SYN | Flag.ACK
        assert answered == POOL, f"{answered} of {POOL} records are left"
        assert self.engine.read("tcp_drop_listen_full") == full + 1
