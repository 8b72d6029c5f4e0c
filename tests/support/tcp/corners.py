# SPDX-License-Identifier: Apache-2.0
"""Events at records in any condition that a connection can be in: numbers lie at, beside or far from those they meet.

A transfer comes to few of these in a million events. What is drawn here holds what Engine's `check` asks of a record;
beyond that anything goes, whether or not a peer could bring it about.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from tcp.engine import Logged
from tcp.events import Arrival, Chain, Command, Event, Flag, Icmp, IcmpKind, Leave, Op, Settings, Spawn, Timer, Turn
from tcp.pairs import QUICK
from tcp.record import GAPS, LEAST_RING, OPTIONS, WORD, Blocks, Record, State, Why
from tcp.step import SACK_MSS, diff, le, step

OPENED = tuple(one for one in State if one not in (State.CLOSED, State.LISTEN, State.SYN_SENT, State.SYN_RCVD))
FINISHING = (State.FIN_WAIT_1, State.FIN_WAIT_2, State.CLOSING, State.LAST_ACK, State.TIME_WAIT)
ENDED = (State.CLOSE_WAIT, State.CLOSING, State.LAST_ACK, State.TIME_WAIT)
"""The peer's FIN has been taken."""


class Corners:
    """A source of them, for records 0 to `count` - 1."""

    def __init__(self, seed: int, count: int) -> None:
        self.rng = random.Random(seed)
        self.count = count
        self.settings = self._settings()
        self.records = [Record() for _ in range(count)]
        self.now = 0

    def log(self, events: int) -> list[Logged]:
        """`events`, each at another record, and those that follow from them."""
        log: list[Logged] = []
        for _ in range(events):
            index = self.rng.randrange(self.count)
            self.now = self._some_time()
            self.records[index] = self._record(index)
            log += self._step(index, self._event(self.records[index]), self.now)
        return log

    def sequence(self, events: int) -> list[Logged]:
        """The same, but each event finds what the one before has left; often several in a row have the same record."""
        log: list[Logged] = []
        self.now = self._some_time()
        self.records = [self._record(index) for index in range(self.count)]
        index = 0
        for _ in range(events):
            index = self.rng.choice((index, index, self.rng.randrange(self.count)))
            self.now += self.rng.choice((0, 0, 1, 500, 100_000))
            log += self._step(index, self._event(self.records[index]), self.now)
            if self.flag(0.1):
                stray = self._arrival(self.records[index])
                log.append(Logged(-1, Record(), stray, self.now, *step(Record(), stray, self.now, self.settings)))
        return log

    def _some_time(self) -> int:
        rng = self.rng
        return rng.choice((0, 5, 1 << 32, (1 << 32) - 3, 1 << 40, rng.getrandbits(48), rng.getrandbits(55)))

    def _step(self, index: int, event: Event, now: int) -> Iterator[Logged]:
        before = self.records[index]
        after, actions = step(before, event, now, self.settings)
        self.records[index] = after
        yield Logged(index, before, event, now, after, actions)
        if actions.chain == Chain.SPAWN and isinstance(event, Arrival):
            child = (index + self.rng.randrange(1, self.count)) % self.count
            options = tuple(getattr(after, name) for name in OPTIONS)
            isn, ts_offset = self.rng.getrandbits(32), self.rng.getrandbits(32)
            yield from self._step(child, Spawn(event, isn, ts_offset, index, options), now)
        elif actions.chain == Chain.LEAVE:
            yield from self._step(after.parent, Leave(), now)

    # ---- Numbers -----------------------------------------------------------------------------------------------------

    def few(self, most: int) -> int:
        """0 to `most`, the ends and small ones more often."""
        rng = self.rng
        return min(max(rng.choice((0, 0, 1, 2, most, most - 1, rng.randint(0, most), rng.randint(0, 3000))), 0), most)

    def near(self, *numbers: int) -> int:
        """At one of these, beside it, or a segment from it."""
        rng = self.rng
        by = rng.choice((0, 0, 0, 1, -1, 2, rng.randint(-3000, 3000), rng.choice((1, -1)) * rng.getrandbits(18)))
        if rng.random() < 0.02:
            by = rng.getrandbits(32)
        return (rng.choice(numbers) + by) % WORD

    def inside(self, first: int, last: int, *numbers: int) -> int:
        """Near one of them, and neither before `first` nor behind `last`."""
        at = self.near(first, last, *numbers)
        return at if le(first, at) and le(at, last) else self.rng.choice((first, last))

    def flag(self, share: float = 0.5) -> int:
        return int(self.rng.random() < share)

    def blocks(self, first: int, span: int, *, touching: bool = False) -> Blocks:
        """Ascending ones that do not touch, in [first, first + span]; the first may begin at `first` if `touching`."""
        rng = self.rng
        wanted = rng.choice((0, 0, 1, 2, 3, GAPS, GAPS))
        if span < 4 * GAPS:
            return ()
        cuts = sorted(rng.sample(range(1 - touching, span + 1), 2 * wanted))
        if wanted and rng.random() < 0.3:
            cuts[-1] = span
        pairs = [(cuts[2 * at], cuts[2 * at + 1]) for at in range(wanted)]
        apart = [one for at, one in enumerate(pairs) if at == 0 or one[0] > pairs[at - 1][1]]
        return tuple(((first + begin) % WORD, (first + end) % WORD) for begin, end in apart if begin < end)

    def _settings(self) -> Settings:
        rng = self.rng
        return replace(
            QUICK,
            scale=rng.random() < 0.8,
            stamps=rng.random() < 0.8,
            sack=rng.random() < 0.9,
            least_rto_us=rng.choice((1, 1000, 200_000)),
            longest_rto_us=rng.choice((300_000, 60_000_000, (1 << 27) - 1)),
            challenges=rng.choice((0, 1, 10, 15)),
            keep_probes=rng.choice((0, 1, 9)),
            challenge_ms=rng.choice((0, 5, 4883)),
        )

    # ---- Records -----------------------------------------------------------------------------------------------------

    def _record(self, index: int) -> Record:
        rng, few, near, flag = self.rng, self.few, self.near, self.flag
        us, ms, s = self.now % WORD, (self.now >> 10) % WORD, (self.now >> 20) % (1 << 28)
        state = rng.choice((*State, *OPENED, *OPENED, *([State.ESTABLISHED] * 6)))
        r = Record(state=state, why=rng.choice(tuple(Why)) if state == State.CLOSED else 0)
        r.rx_ring, r.tx_ring = rng.randrange(8), rng.randrange(8)
        for name in ("pooled", "passive", "deaf", "nagle_off", "ack_at_once", "quiet", "keep_on"):
            setattr(r, name, flag(0.3))
        r.owned = flag(0.7) if state == State.CLOSED else int(state != State.SYN_RCVD or not r.passive)
        r.counted = flag(0.4) if r.passive else 0
        r.parent = (index + rng.randrange(1, self.count)) % self.count
        r.children, r.backlog = rng.choice((0, 0, 1, 2, 255)), rng.choice((0, 1, 2, 255))
        r.closing = flag(0.3) if state == State.LISTEN else 0
        r.keep_idle, r.patience = rng.choice((0, 1, 600, 65535)), rng.choice((0, 1, 96, 65535))
        r.ttl, r.dscp, r.mtu = rng.choice((1, 64, 255)), few(63), rng.choice((552, 1500, 1500, 9000, 16383))
        if flag(0.03):
            return r if state in (State.CLOSED, State.LISTEN) else Record()
        r.ts_ok, r.sack_ok, r.scale_ok = flag(), flag(0.8), flag()
        r.rcv_scale = max(r.rx_ring - 5, 0) if r.scale_ok else 0
        r.snd_scale = rng.choice((0, 1, 7, 14)) if r.scale_ok else 0
        r.snd_mss = rng.choice((20, 63, 64, 100, 536, 1460, 1460, min(9000, r.mtu - 40), r.mtu - 40))
        r.snd_mss = min(r.snd_mss, r.mtu - 40)
        r.sack_ok &= r.snd_mss >= SACK_MSS
        r.fragments = flag(0.1)
        self._sending(r)
        self._receiving(r)
        r.srtt = rng.choice((0, 8, rng.getrandbits(20), ((1 << 26) - 1) << 3))
        r.rttvar = rng.choice((0, 1, 3, rng.getrandbits(20), (1 << 27) + 5))
        longest = self.settings.longest_rto_us
        r.rto = min(rng.choice((1, 1000, 3_000_000, longest)), longest)
        r.backoff = rng.choice((0, 0, 0, 1, 2, 3, 14, 25, 31))
        r.since = near(ms) if flag() else (ms - (rng.choice((1, 2, 4, 96, 172)) << 10) + rng.randint(-1, 1)) % WORD
        r.last_sent = near(ms, ms - (r.rto >> 10))
        r.timed, r.timed_at = flag(), near(us - 1, us - (1 << 26), us - 20_000)
        r.timed_seq = self.inside(r.una, r.max)
        r.ts_recent = near(ms) if flag() else rng.getrandbits(32)
        r.ts_offset = rng.choice((0, 1, WORD - 1, rng.getrandbits(32)))
        r.ts_at = rng.choice((s, s - 1, s - 1977539, s - 1977538, s - 1977540)) % (1 << 28)
        r.challenges = few(15)
        r.challenged = (ms - rng.choice((0, 1, 4, 5, 4882, 4883))) % (1 << 22)
        r.soft_error = rng.getrandbits(8)
        r.idle_on, r.idle, r.keep_count = flag(0.4), near(ms), rng.choice((0, 1, 8, 9, 15))
        for name, share in (("rexmt", 0.6), ("delack", 0.3), ("push", 0.2)):
            setattr(r, f"{name}_on", flag(share))
            setattr(r, name, near(us))
        if state in (State.CLOSED, State.LISTEN):
            r.rexmt_on = r.delack_on = r.push_on = r.idle_on = 0
        return r

    def _sending(self, r: Record) -> None:
        rng, few, near, flag = self.rng, self.few, self.near, self.flag
        ring = 1 << (LEAST_RING + r.tx_ring)
        r.iss = rng.choice((0, WORD - 1, WORD - 2000, 1 << 31, rng.getrandbits(32)))
        first = (r.iss + 1) % WORD
        if r.state in (State.SYN_SENT, State.SYN_RCVD, State.CLOSED, State.LISTEN):
            r.una = r.iss
            r.max = r.nxt = (r.iss + flag(0.8)) % WORD
            r.tail = (first + few(ring)) % WORD
            r.fin_queued = flag(0.2)
            r.syn_due, r.syn_lost = flag(), flag(0.3)
        else:
            r.una = (first + rng.choice((0, 1, 100_000, (1 << 31) - 5, 3 << 30))) % WORD
            given = few(ring)
            r.tail = (r.una + given) % WORD
            r.fin_queued = int(r.state in FINISHING) or int(flag(0.0))
            if r.state in (State.FIN_WAIT_2, State.TIME_WAIT) or (r.state in FINISHING and flag(0.05)):
                r.una = r.nxt = r.max = (r.tail + 1) % WORD
            else:
                sent = given + r.fin_queued if flag(0.3) else few(given)
                r.max = (r.una + sent) % WORD
                r.nxt = (r.una + (sent if flag(0.6) else few(sent))) % WORD
                if r.sack_ok:
                    r.sacked = self.blocks(r.una, sent, touching=flag(0.2) == 1)
        # What the engine keeps the lower bits of lies where it can be: between una and max.
        edges = [one for block in r.sacked for one in block]
        r.high_rxt, r.rxt_mark = (self.inside(r.una, r.max, r.nxt, *edges) for _ in range(2))
        flight = (r.max - r.una) % WORD
        r.recovering, r.partial, r.dup_acks = flag(0.4) if flight else 0, flag(), rng.randrange(4)
        r.recover = (
            (r.una + rng.choice((flight, rng.randint(1, flight)))) % WORD if r.recovering else near(r.una, r.max)
        )
        full = r.snd_mss - 12 * r.ts_ok
        r.cwnd = min(rng.choice((64, full, 10 * full, few((1 << 20) - 1), (1 << 20) - 1, few(ring))), (1 << 20) - 1)
        r.ssthresh = rng.choice((2 * full, r.cwnd, max(r.cwnd - 1, 0), min(r.cwnd + 1, (1 << 20) - 1), (1 << 20) - 1))
        r.counted_bytes = min(rng.choice((0, r.cwnd - 1, rng.getrandbits(15), (1 << 20) - 1)), (1 << 20) - 1)
        r.counted_bytes = max(r.counted_bytes, 0)
        r.snd_wnd = rng.choice((0, 1, full, few(65535) << r.snd_scale, (r.max - r.una) % WORD, 65535 << r.snd_scale))
        r.snd_wnd %= 1 << 30
        r.max_wnd = max(r.snd_wnd, few(65535) << r.snd_scale)
        r.urgent_out, r.snd_up = flag(0.2), near(r.una, r.tail, r.nxt)
        if abs(diff(r.snd_up, r.una)) >= 1 << 18:
            r.snd_up = r.tail
        for name in ("resend_due", "probing", "probe_due", "keep_due", "push_due"):
            setattr(r, name, flag(0.15) if r.state in OPENED else 0)

    def _receiving(self, r: Record) -> None:
        rng, few, near, flag = self.rng, self.few, self.near, self.flag
        if r.state == State.SYN_SENT:
            return
        ring = 1 << (LEAST_RING + r.rx_ring)
        r.rcv_base = rng.choice((0, WORD - 1, WORD - 2000, 1 << 31, rng.getrandbits(32)))
        r.rcv_read = (r.rcv_base + rng.choice((0, 1, 100_000, 3 << 30))) % WORD
        unread = few(ring)
        r.rcv_nxt = (r.rcv_read + unread) % WORD
        room = rng.choice((0, 1, ring - unread, few(ring - unread), few(ring - unread)))
        r.rcv_edge = (r.rcv_nxt + room) % WORD
        if r.state in ENDED:
            r.fin_seen, r.rcv_fin = 1, r.rcv_nxt
            r.rcv_nxt = (r.rcv_nxt + 1) % WORD
            r.rcv_edge = (r.rcv_nxt + max(room - 1, 0)) % WORD
        elif room:
            held = list(self.blocks((r.rcv_nxt + 1) % WORD, room - 1, touching=True))
            rng.shuffle(held)
            r.held = tuple(held)
            if flag(0.2):  # behind all that is held
                stops = [(end - r.rcv_nxt) % WORD for _, end in held]
                r.fin_seen, r.rcv_fin = 1, (r.rcv_nxt + rng.randint(max([1, *stops]), room)) % WORD
        r.wl1, r.wl2 = near(r.rcv_nxt), near(r.una)
        r.urgent_in, r.rcv_up = flag(0.2), near(r.rcv_nxt)
        r.last_ack = (r.rcv_nxt - few(1 << 18)) % WORD if flag(0.2) else r.rcv_nxt
        r.ack_now, r.ack_each, r.unacked = flag(0.3), rng.choice((0, 0, 0, 1, 6, 7)), flag()
        r.quick = rng.choice((0, 0, 1, 2, 15))

    # ---- Events ------------------------------------------------------------------------------------------------------

    def _event(self, r: Record) -> Event:
        rng, near = self.rng, self.near
        kind = rng.choices((Arrival, Turn, Timer, Command, Icmp), (14, 8, 2, 5, 1))[0]
        if kind is Arrival:
            return self._arrival(r)
        if kind is Command:
            return self._command(r)
        if kind is Icmp:
            mtu = rng.choice((0, 551, 552, 553, r.snd_mss + 39, r.snd_mss + 40, r.snd_mss + 41, 65535))
            return Icmp(rng.choice(tuple(IcmpKind)), near(r.una, r.max), rng.getrandbits(8), mtu)
        return Turn() if kind is Turn else Timer(gives_up=rng.random() < 0.3)

    def _command(self, r: Record) -> Command:
        rng, near = self.rng, self.near
        op = rng.choice((*Op, *[Op.SEND] * 5, Op.READ, Op.CLOSE))
        if op == Op.SEND:
            ring = 1 << (LEAST_RING + r.tx_ring)
            last = (r.una + ring) % WORD
            at = self.inside(r.tail, last) if self.flag(0.7) else near(r.tail, r.una, last)
            return Command(op, (at - r.iss - 1) % WORD, rng.getrandbits(1), turns=rng.random() < 0.7)
        if op == Op.READ:
            return Command(op, (near(r.rcv_read, r.rcv_nxt) - r.rcv_base) % WORD)
        if op == Op.OPTION:
            values = (0, 1, 2, 63, 64, 255, 256, 551, 552, 1500, 16383, 16384, 65535, 65536, WORD - 1)
            return Command(op, rng.choice((*range(len(OPTIONS) + 1), 16, 1 << 16)), rng.choice(values))
        b = rng.getrandbits(32) if op == Op.OPEN else rng.getrandbits(1)
        return Command(op, near(0, 63, 255, 1 << 31), b, turns=rng.random() < 0.2)

    def _arrival(self, r: Record) -> Arrival:
        rng, near, flag = self.rng, self.near, self.flag
        mtu = r.mtu or 1500
        held = [one for block in r.held for one in block]
        sacked = [one for block in r.sacked for one in block]
        flags = rng.choice((Flag.ACK,) * 10 + (Flag.ACK | Flag.FIN, Flag.SYN, Flag.SYN | Flag.ACK, Flag.RST, None))
        if flags is None:
            flags = rng.getrandbits(6)
        elif flag(0.1):
            flags |= Flag.URG
        if r.state in (State.LISTEN, State.SYN_SENT) and flag(0.6):
            flags = Flag.SYN | (Flag.ACK if r.state == State.SYN_SENT and flag(0.7) else 0)
        if r.state == State.TIME_WAIT and flag(0.2):  # it may end it
            flags = Flag.SYN
        crossed = r.state == State.SYN_RCVD and flag(0.3)  # both have opened at once
        if crossed:
            flags = Flag.SYN | Flag.ACK | rng.choice((0, 0, 0, Flag.FIN, Flag.PSH))
        length = rng.choice((0, 0, 0, 1, mtu - 40, rng.randint(0, 1500), rng.randint(0, 65535)))
        seq = near(r.rcv_nxt, r.rcv_nxt, r.rcv_nxt, r.rcv_edge, r.rcv_fin, *held, *held) if flag() else r.rcv_nxt
        if held and flag(0.6):  # from one number to another
            begin, end = sorted((one - r.rcv_nxt) % WORD for one in (near(*held), near(*held, r.rcv_nxt, r.rcv_edge)))
            if end - begin < 65536:
                seq, length = (r.rcv_nxt + begin) % WORD, end - begin
        if len(r.held) == GAPS and flag(0.4):
            seq, length = (rng.choice(r.held)[1] + rng.choice((0, 1, 2, 5))) % WORD, rng.choice((1, 2, 20))
        if flag(0.1) and (r.rcv_edge - seq) % WORD < 65536:
            length = (r.rcv_edge - seq) % WORD
        if flag(0.1) and r.fin_seen and (r.rcv_fin - seq) % WORD < 65536:
            length = (r.rcv_fin - seq) % WORD
        ack = near(r.una, r.max, r.nxt, r.recover, r.timed_seq, r.tail, *sacked) if flag(0.6) else r.una
        if ack != r.una and (r.max - ack) % WORD >= 1 << 31 and flag(0.8):
            ack = r.max
        if flag(0.05):
            ack = near(r.una - max(r.max_wnd, 65535), r.snd_up, r.high_rxt)
        if crossed and flag(0.8):
            seq, ack, length = (r.rcv_nxt - 1) % WORD, rng.choice((r.max, r.max, r.una)), rng.choice((0, 0, 0, 1))
        stamp = None
        if flag(0.97 if r.ts_ok else 0.2):
            stamp = (near(r.ts_recent) if flag(0.2) else r.ts_recent), rng.getrandbits(32)
        told = []
        for _ in range(rng.choice((0, 1, 2, 3, 4)) if r.sack_ok or flag(0.1) else 0):
            begin, end = near(r.una, r.max, *sacked, *sacked), near(r.una, r.max, *sacked, *sacked)
            if flag(0.8) and (begin - r.una) % WORD > (end - r.una) % WORD:
                begin, end = end, begin
            told.append((begin, end))
        return Arrival(
            seq,
            ack,
            flags,
            rng.choice((r.snd_wnd >> r.snd_scale, 0, 1, 65535, rng.getrandbits(16))) & 0xFFFF,
            length,
            rng.choice((0, 0, 1, rng.getrandbits(16))),
            rng.choice((None, None, 0, 19, 20, 63, 64, 65, mtu - 41, mtu - 40, mtu - 39, 65535)),
            rng.choice((None, None, 0, 3, 14, 15, 255)),
            flag() == 1,
            stamp,
            tuple(told),
            flag(0.9) == 1,
            flag(0.3) == 1,
            flag(0.5) == 1,
        )
