# SPDX-License-Identifier: Apache-2.0
"""What `tcp_core` does with one event (RFC 9293, 5681, 5961, 6298, 6582, 6675, 7323 and others; docs/tcp.md).

Written as the hardware does it: adds, shifts, comparisons modulo 2^32, loops over the four entries of a small array, at
most one action of each kind. The order inside an event is that of RFC 9293, section 3.10.7.
"""

import copy
from dataclasses import replace

from tcp.events import (
    Actions,
    Answer,
    Arrival,
    Chain,
    Command,
    Drop,
    Event,
    Flag,
    Icmp,
    IcmpKind,
    Index,
    Leave,
    Notify,
    Op,
    Place,
    Send,
    Settings,
    Spawn,
    Timer,
    Turn,
)
from tcp.record import FIELDS, GAPS, LEAST_RING, OPTIONS, WORD, Blocks, Record, State, Why

DEFAULT_MSS, LEAST_MSS = 536, 20
"""From the least on there are 8 bytes of payload beside timestamps."""
SACK_MSS = 64
"""From here on there is room for blocks, too."""
HEADERS = 40
"""Of IP and TCP without options."""
DEFAULT_TTL = 64
LEAST_MTU = 552
"""ICMP cannot make segments smaller than that; routers may fragment them then."""
LARGEST_SCALE = 14
WINDOW_MOST = 0xFFFF
CWND_MOST = (1 << 20) - 1
AFTER_LOST_SYN_US = 3_000_000
PAWS_S = 1977539
"""24 days."""
R1 = 3
QUICK = 15
"""Segments behind a filled gap that are acknowledged one by one: the peer's window is small then."""
STAMP_BYTES = 12
UNOPENED = frozenset({State.CLOSED, State.LISTEN, State.SYN_SENT, State.SYN_RCVD})
FLUSHING = frozenset({State.ESTABLISHED, State.CLOSE_WAIT, State.FIN_WAIT_1, State.CLOSING, State.LAST_ACK})
"""Data or the FIN may have to be sent."""
RECEIVING = frozenset({State.ESTABLISHED, State.FIN_WAIT_1, State.FIN_WAIT_2})
GIVING = frozenset({State.SYN_SENT, State.SYN_RCVD, State.ESTABLISHED, State.CLOSE_WAIT})
"""The processor may add data."""
GIVEN_UP = frozenset({State.TIME_WAIT, State.SYN_RCVD})
"""For a SYN that finds no place."""
_DEFAULTS = {"keep_idle": 6867, "patience": 96, "ttl": DEFAULT_TTL, "mtu": 1500}
"""Two hours, 100 s."""
_WIDTHS = {one.name: one.bits for one in FIELDS}


def diff(a: int, b: int) -> int:
    """a - b as the nearest: negative when `a` is before `b`."""
    return (a - b + WORD // 2) % WORD - WORD // 2


def lt(a: int, b: int) -> bool:
    return diff(a, b) < 0


def le(a: int, b: int) -> bool:
    return not lt(b, a)


def later(a: int, b: int) -> int:
    """The later one."""
    return b if lt(a, b) else a


def earlier(a: int, b: int) -> int:
    return a if lt(a, b) else b


def add(a: int, b: int) -> int:
    return (a + b) % WORD


def merged(blocks: Blocks, begin: int, end: int) -> tuple[int, int, Blocks]:
    """A block together with those that it touches, and the ones that it does not touch."""
    apart = []
    for one in blocks:
        if lt(one[1], begin) or lt(end, one[0]):
            apart.append(one)
        else:
            begin, end = earlier(begin, one[0]), later(end, one[1])
    return begin, end, tuple(apart)


def step(record: Record, event: Event, now: int, settings: Settings) -> tuple[Record, Actions]:
    """The record after `event` and what follows. `now` is the counter of microseconds; it does not wrap."""
    core = _Core(copy.copy(record), now, settings)
    match event:
        case Arrival():
            core.arrival(event)
        case Spawn():
            core.spawn(event)
        case Leave():
            core.leave()
        case Timer():
            core.timer(event)
        case Turn():
            core.turn()
        case Command():
            core.command(event)
        case Icmp():
            core.icmp(event)
    core.actions.deadline = core.deadline()
    if not core.turned or core.actions.send is not None:
        core.actions.schedule = core.wants_turn()
    if core.actions.send is not None:
        r = core.r
        core.actions.send = replace(core.actions.send, ttl=r.ttl or DEFAULT_TTL, dscp=r.dscp, df=not r.fragments)
    core.actions.received = add(core.data_nxt, -core.r.rcv_base)
    core.actions.acknowledged = add(core.data_una, -core.first)
    core.actions.all_read = core.r.rcv_read == core.data_nxt
    return core.r, core.actions


class _Core:
    """One event."""

    def __init__(self, record: Record, now: int, settings: Settings) -> None:
        self.r = record
        self.actions = Actions()
        self.turned = False
        """It was the connection's turn."""
        self.settings = settings
        self.us = now % WORD
        self.ms = (now >> 10) % WORD
        self.s = (now >> 20) % (1 << _WIDTHS["ts_at"])
        self.now = now

    # ---- Small parts -------------------------------------------------------------------------------------------------

    @property
    def rx_size(self) -> int:
        return 1 << (LEAST_RING + self.r.rx_ring)

    @property
    def tx_size(self) -> int:
        return 1 << (LEAST_RING + self.r.tx_ring)

    @property
    def end(self) -> int:
        """Behind all that is to be sent, the FIN too."""
        return add(self.r.tail, self.r.fin_queued)

    @property
    def stamp(self) -> tuple[int, int]:
        return add(self.ms, self.r.ts_offset), self.r.ts_recent

    @property
    def smss(self) -> int:
        """Of RFC 5681: payload bytes of a full segment. SACK blocks, which come and go, do not count."""
        return self.r.snd_mss - (STAMP_BYTES if self.r.ts_ok else 0)

    @property
    def first_window(self) -> int:
        """RFC 6928; one segment when the SYN was lost."""
        return self.smss if self.r.syn_lost else (self.smss << 3) + (self.smss << 1)

    @property
    def timeout_us(self) -> int:
        return min(self.r.rto << self.r.backoff, self.settings.longest_rto_us)

    @property
    def fin_taken(self) -> bool:
        return bool(self.r.fin_seen) and self.r.rcv_nxt == add(self.r.rcv_fin, 1)

    @property
    def data_nxt(self) -> int:
        """Behind the data that has come: without the FIN."""
        return add(self.r.rcv_nxt, -self.fin_taken)

    @property
    def first(self) -> int:
        """The first byte of the send ring's stream."""
        return add(self.r.iss, 1)

    @property
    def data_una(self) -> int:
        """Behind the data that the peer has: without SYN and FIN. In a long stream una comes to iss again."""
        r = self.r
        return self.first if r.una == r.iss and r.state in UNOPENED else earlier(r.una, r.tail)

    @property
    def is_set_up(self) -> bool:
        """The record has rings: no MTU is zero behind SETUP."""
        return self.r.mtu != 0

    @property
    def our_mss(self) -> int:
        return self.r.mtu - HEADERS

    def notify(self, what: Notify) -> None:
        if self.r.owned:
            self.actions.notify |= what

    def deadline(self) -> int | None:
        """The earliest of the timers, microseconds modulo 2^40."""
        r = self.r
        fast = ((r.rexmt_on, r.rexmt), (r.delack_on, r.delack), (r.push_on, r.push))
        waits = [max(diff(at, self.us), 0) for on, at in fast if on]
        if r.idle_on:
            waits.append(max((diff(r.idle, self.ms) << 10) - (self.now & 1023), 0))
        return (self.now + min(waits)) % (1 << 40) if waits else None

    def wants_turn(self) -> bool:
        """Whether there may be something to send. A turn that finds nothing ends it until the next event."""
        r = self.r
        if r.state in (State.CLOSED, State.LISTEN):
            return False
        if r.state in (State.SYN_SENT, State.SYN_RCVD):
            return bool(r.syn_due or ((r.ack_now or r.ack_each) and r.state == State.SYN_RCVD))
        due = r.ack_now or r.ack_each or r.resend_due or r.probe_due or r.keep_due or r.push_due
        return bool(due) or (r.state in FLUSHING and (r.nxt != self.end or (bool(r.recovering) and bool(r.sacked))))

    def acknowledge_each(self) -> None:
        """An acknowledgement for this very segment."""
        self.r.ack_each = min(self.r.ack_each + 1, 7)

    def challenge(self, seg: Arrival) -> None:
        """An acknowledgement of what may be forged: not more than some in a time (RFC 5961, section 7).

        Half of them are left for SYNs and resets. An acknowledgement may be the answer of a peer that challenges, too.
        """
        r, width = self.r, 1 << _WIDTHS["challenged"]
        most = self.settings.challenges
        if not seg.flags & (Flag.SYN | Flag.RST):
            most = (most + 1) >> 1
        if (self.ms - r.challenged) % width >= self.settings.challenge_ms:
            r.challenged, r.challenges = self.ms % width, 0
        if r.challenges < most:
            r.challenges += 1
            r.ack_now = 1

    def start_rexmt(self) -> None:
        """Unless it runs."""
        if not self.r.rexmt_on:
            self.r.since = self.ms
            self.restart_rexmt()

    def restart_rexmt(self) -> None:
        self.r.rexmt_on, self.r.rexmt = 1, add(self.us, self.timeout_us)

    def keep_awake(self) -> None:
        """A segment has come, or data goes: keep-alive begins anew."""
        r = self.r
        if r.keep_on and r.state in (State.ESTABLISHED, State.CLOSE_WAIT):
            r.idle_on, r.idle, r.keep_count = 1, add(self.ms, r.keep_idle << 10), 0

    def stop_timers(self) -> None:
        self.r.rexmt_on = self.r.delack_on = self.r.push_on = self.r.idle_on = 0

    # ---- The end -----------------------------------------------------------------------------------------------------

    def over(self, why: Why) -> None:
        """The connection is no more."""
        r = self.r
        r.state, r.why = State.CLOSED, why
        self.stop_timers()
        r.syn_due = r.resend_due = r.probe_due = r.keep_due = r.push_due = r.ack_now = r.ack_each = 0
        self.actions.index = Index.REMOVE
        if r.owned:
            self.notify(Notify.CLOSED)
        else:
            self.uncount()
            self.actions.pool = bool(r.pooled)

    def uncount(self) -> None:
        if self.r.counted:
            self.r.counted = 0
            self.actions.chain = Chain.LEAVE

    def abort(self, why: Why) -> None:
        """With a reset, where there is a peer that knows of the connection."""
        r = self.r
        if r.state not in (State.CLOSED, State.LISTEN, State.SYN_SENT, State.TIME_WAIT):
            self.actions.send = Send(r.max, r.rcv_nxt, Flag.RST | Flag.ACK)
        self.over(why)

    def wait_twice(self) -> None:
        r = self.r
        r.state = State.TIME_WAIT
        r.rexmt_on = r.delack_on = r.push_on = 0
        r.resend_due = r.probe_due = r.keep_due = r.push_due = 0
        self.restart_time_wait()

    def restart_time_wait(self) -> None:
        self.r.idle_on, self.r.idle = 1, add(self.ms, self.settings.msl_ms << 1)

    def refuse(self, seg: Arrival) -> None:
        """A reset for a segment that belongs to nothing."""
        if seg.flags & Flag.RST:
            return
        if seg.flags & Flag.ACK:
            self.actions.send = Send(seg.ack, 0, Flag.RST)
        else:
            self.actions.send = Send(0, add(seg.seq, _length(seg)), Flag.RST | Flag.ACK)

    # ---- Commands ----------------------------------------------------------------------------------------------------

    def command(self, command: Command) -> None:
        r = self.r
        a, b = command.a, command.b
        answer = Answer.BAD_STATE
        match command.op:
            case Op.SETUP:
                if r.state == State.CLOSED and not r.owned and not r.pooled:
                    answer = Answer.DONE
                    self.setup(a & 7, (a >> 3) & 7, pooled=b & 1)
            case Op.OPTION:
                answer = self.option(a, b)
            case Op.OPEN:
                if self.is_set_up and r.state == State.CLOSED and not r.owned and not r.pooled:
                    answer = Answer.DONE
                    self.begin(a, b)
                    self.r.state, self.r.owned = State.SYN_SENT, 1
                    self.actions.index = Index.INSERT
            case Op.LISTEN:
                if self.is_set_up and r.state == State.CLOSED and not r.owned and not r.pooled:
                    answer = Answer.DONE
                    r.state, r.owned, r.why = State.LISTEN, 1, Why.NOT
                    r.backlog, r.children, r.closing = min(a, 255), 0, 0
                    self.actions.index = Index.LISTEN
            case Op.ACCEPT:
                if r.counted and r.owned:
                    answer = Answer.DONE
                    self.uncount()
            case Op.SEND:
                if r.owned and r.state in GIVING and not r.fin_queued:
                    answer = self.give(a, urgent=b & 1)
                    if answer == Answer.DONE and command.turns:
                        self.turn()
            case Op.READ:
                if r.owned and r.state not in (State.LISTEN, State.SYN_SENT):
                    answer = self.read(a)
            case Op.SHUTDOWN | Op.CLOSE:
                answer = self.close(deaf=command.op == Op.CLOSE)
            case Op.ABORT:
                if r.owned and r.state != State.CLOSED:
                    answer = Answer.DONE
                    if r.state == State.LISTEN:
                        self.close_listener()
                    else:
                        self.abort(Why.ABORTED)
                        self.uncount()
            case Op.RELEASE:
                if r.owned and r.state == State.CLOSED and not r.children:
                    answer = Answer.DONE
                    self.uncount()
                    r.owned = 0
                    self.actions.pool = bool(r.pooled)
            case Op.STATUS:
                answer = Answer.DONE
        self.actions.answer = answer

    def setup(self, rx_ring: int, tx_ring: int, pooled: int) -> None:
        self.r = Record(rx_ring=rx_ring, tx_ring=tx_ring, pooled=pooled)
        for name, value in _DEFAULTS.items():
            setattr(self.r, name, value)
        self.actions.pool = bool(pooled)

    def option(self, which: int, value: int) -> Answer:
        if which >= len(OPTIONS):
            return Answer.BAD_VALUE
        name = OPTIONS[which]
        if value >> _WIDTHS[name] or (name == "mtu" and value < LEAST_MTU) or (name == "ttl" and not value):
            return Answer.BAD_VALUE
        if not self.is_set_up or (name == "mtu" and self.r.state not in (State.CLOSED, State.LISTEN)):
            return Answer.BAD_STATE
        setattr(self.r, name, value)
        if name == "keep_on" and not value and self.r.state in (State.ESTABLISHED, State.CLOSE_WAIT):
            self.r.idle_on = 0
        self.keep_awake()
        return Answer.DONE

    def begin(self, isn: int, ts_offset: int) -> None:
        """A connection with nothing in it; rings and options stay."""
        old = self.r
        self.r = r = Record()
        for name in ("rx_ring", "tx_ring", "pooled", *OPTIONS):
            setattr(r, name, getattr(old, name))
        r.iss = r.una = r.nxt = r.max = r.recover = r.high_rxt = isn
        r.tail = add(isn, 1)
        r.ts_offset = ts_offset
        r.rto = max(self.settings.first_rto_us, self.settings.least_rto_us)
        r.cwnd, r.ssthresh = LEAST_MSS, CWND_MOST
        r.snd_mss = min(DEFAULT_MSS, self.our_mss)
        r.syn_due = 1
        r.challenged = self.ms % (1 << _WIDTHS["challenged"])
        r.last_sent = r.since = self.ms

    def give(self, position: int, urgent: int) -> Answer:
        r = self.r
        tail = add(self.first, position)
        if lt(tail, r.tail) or add(tail, -self.data_una) > self.tx_size:
            return Answer.BAD_VALUE
        r.tail = tail
        if urgent:
            r.urgent_out, r.snd_up = 1, tail
        return Answer.DONE

    def read(self, position: int) -> Answer:
        r = self.r
        to = add(r.rcv_base, position)
        if lt(to, r.rcv_read) or lt(self.data_nxt, to):
            return Answer.BAD_VALUE
        self.has_read(to)
        return Answer.DONE

    def has_read(self, to: int) -> None:
        """Where that makes much room the peer is told at once (RFC 9293, 3.8.6.2.2)."""
        r = self.r
        r.rcv_read = to
        if r.state in RECEIVING:
            closed = le(r.rcv_edge, r.rcv_nxt)
            least = min(self.rx_size >> 1, self.our_mss << (not closed))
            if diff(self.new_edge(), r.rcv_edge) >= least:
                r.ack_now = 1

    def close(self, *, deaf: bool) -> Answer:
        r = self.r
        if not r.owned or r.state == State.CLOSED or (r.fin_queued and (r.deaf or not deaf)):
            return Answer.BAD_STATE
        if r.state == State.LISTEN:
            self.close_listener()
            return Answer.DONE
        if r.state == State.SYN_SENT:
            self.over(Why.FINISHED)
            return Answer.DONE
        self.uncount()
        if deaf and r.rcv_read != self.data_nxt:
            self.abort(Why.ABORTED)
            return Answer.DONE
        r.deaf |= deaf
        if not r.fin_queued:
            r.fin_queued = 1
            if r.state == State.ESTABLISHED:
                r.state, r.idle_on = State.FIN_WAIT_1, 0
            elif r.state == State.CLOSE_WAIT:
                r.state, r.idle_on = State.LAST_ACK, 0
        if r.state == State.FIN_WAIT_2:
            self.forget_later()
        return Answer.DONE

    def forget_later(self) -> None:
        """FIN-WAIT-2 does not last for ever when nobody reads."""
        if self.r.deaf:
            self.r.idle_on, self.r.idle = 1, add(self.ms, self.settings.fin_wait_2_ms)

    def close_listener(self) -> None:
        self.actions.index = Index.REMOVE
        self.r.closing = 1
        self.listener_over()

    def listener_over(self) -> None:
        r = self.r
        if r.closing and not r.children:
            r.state, r.why, r.closing = State.CLOSED, Why.FINISHED, 0
            self.notify(Notify.CLOSED)

    # ---- Listening ---------------------------------------------------------------------------------------------------

    def at_listener(self, seg: Arrival) -> None:
        r, actions = self.r, self.actions
        actions.drop = Drop.LISTEN_REFUSED
        if seg.flags & Flag.RST:
            return
        if r.closing or seg.flags & Flag.ACK:
            self.refuse(seg)
        elif seg.flags & Flag.SYN and _is_small(seg):
            actions.drop = Drop.SMALL_MSS
            self.refuse(seg)
        elif seg.flags & Flag.SYN:
            if r.children >= r.backlog or not seg.spare:
                actions.drop = Drop.LISTEN_FULL if seg.tried else Drop.NOT
                actions.chain = Chain.NONE if seg.tried else Chain.AGAIN
                if seg.tried and self.settings.reset_full:
                    self.refuse(seg)
                return
            actions.drop = Drop.NOT
            r.children += 1
            actions.chain = Chain.SPAWN

    def spawn(self, event: Spawn) -> None:
        self.begin(event.isn, event.ts_offset)
        r = self.r
        for name, value in zip(OPTIONS, event.options, strict=True):
            setattr(r, name, value)
        r.state, r.passive, r.counted, r.parent = State.SYN_RCVD, 1, 1, event.parent
        self.take_syn(event.syn)
        if self.settings.child_patience_s:
            r.idle_on, r.idle = 1, add(self.ms, self.settings.child_patience_s << 10)
        self.actions.index = Index.INSERT

    def leave(self) -> None:
        self.r.children = max(self.r.children - 1, 0)
        self.listener_over()

    # ---- Arrival -----------------------------------------------------------------------------------------------------

    def arrival(self, seg: Arrival) -> None:
        r = self.r
        if r.state == State.CLOSED:
            self.actions.drop = Drop.NO_CONNECTION
            self.refuse(seg)
        elif r.state == State.LISTEN:
            self.at_listener(seg)
        elif r.state == State.SYN_SENT:
            self.in_syn_sent(seg)
        else:
            self.in_connection(seg)

    def in_syn_sent(self, seg: Arrival) -> None:
        r, flags = self.r, seg.flags
        if flags & Flag.ACK and not (lt(r.una, seg.ack) and le(seg.ack, r.max)):
            self.actions.drop = Drop.BAD_ACK
            self.refuse(seg)
        elif flags & Flag.RST:
            if flags & Flag.ACK:
                self.over(Why.REFUSED)
            else:
                self.actions.drop = Drop.BAD_RESET
        elif not flags & Flag.SYN:
            self.actions.drop = Drop.NO_ACK
        elif _is_small(seg):
            self.actions.drop = Drop.SMALL_MSS
            if flags & Flag.ACK:
                self.refuse(seg)
                self.over(Why.REFUSED)
        else:
            self.take_syn(seg)
            if flags & Flag.ACK:
                self.establish(seg)
                r.ack_now = 1
            else:
                r.state, r.syn_due = State.SYN_RCVD, 1

    def take_syn(self, seg: Arrival) -> None:
        """The peer's numbers and options."""
        r, settings = self.r, self.settings
        r.rcv_nxt = r.rcv_base = r.rcv_read = r.last_ack = add(seg.seq, 1)
        r.rcv_edge = add(r.rcv_nxt, min(self.rx_size, WINDOW_MOST))
        mss = DEFAULT_MSS if seg.mss is None else seg.mss
        r.snd_mss = min(mss, self.our_mss)
        r.scale_ok = seg.scale is not None and settings.scale
        r.snd_scale = min(seg.scale or 0, LARGEST_SCALE) if r.scale_ok else 0
        r.rcv_scale = self.ring_scale() if r.scale_ok else 0
        r.ts_ok = seg.stamp is not None and settings.stamps
        if seg.stamp is not None and r.ts_ok:
            r.ts_recent, r.ts_at = seg.stamp[0], self.s
        r.sack_ok = seg.sack_permitted and settings.sack and mss >= SACK_MSS
        r.snd_wnd = r.max_wnd = seg.window
        r.wl1, r.wl2 = seg.seq, seg.ack

    def ring_scale(self) -> int:
        return max(self.r.rx_ring - (16 - LEAST_RING), 0)

    def establish(self, seg: Arrival) -> None:
        """Our SYN is acknowledged."""
        r = self.r
        if r.timed:
            self.sample()
        elif r.syn_lost and not r.srtt:
            r.rto = max(AFTER_LOST_SYN_US, self.settings.least_rto_us)
        r.cwnd = min(self.first_window, CWND_MOST)
        r.una = add(r.iss, 1)
        r.nxt, r.max = later(r.nxt, r.una), later(r.max, r.una)
        r.recover = r.iss
        r.backoff = r.rexmt_on = r.idle_on = r.syn_due = 0
        r.state = State.FIN_WAIT_1 if r.fin_queued else State.ESTABLISHED
        if r.passive:
            r.owned = 1
            self.notify(Notify.ACCEPT)
        else:
            self.notify(Notify.CONNECTED)
        self.keep_awake()

    def in_connection(self, seg: Arrival) -> None:
        r, flags = self.r, seg.flags
        if r.state == State.TIME_WAIT and flags & (Flag.SYN | Flag.ACK | Flag.RST) == Flag.SYN and self.is_newer(seg):
            self.over(Why.FINISHED)
            self.actions.chain = Chain.AGAIN
            return
        if r.ts_ok and not flags & Flag.RST and not self.stamp_holds(seg):
            return
        if flags & Flag.RST:
            self.take_reset(seg)
            return
        if not self.acceptable(seg):
            self.reject(seg)
            return
        if flags & Flag.SYN:
            self.actions.drop = Drop.SYN_IN_CONNECTION
            if r.state == State.SYN_RCVD and r.passive:
                self.over(Why.REFUSED)
            else:
                self.challenge(seg)
            return
        if not flags & Flag.ACK:
            self.actions.drop = Drop.NO_ACK
            return
        if not self.take_ack(seg):
            return
        self.keep_awake()
        if r.state in RECEIVING:
            if flags & Flag.URG and seg.urgent:
                self.take_urgent(add(seg.seq, seg.urgent))
            if _length(seg):
                self.take_text(seg)
        elif r.state != State.CLOSED and _length(seg):
            self.actions.drop = Drop.DUPLICATE
            if seg.length:
                self.acknowledge_each()
            else:
                self.challenge(seg)

    def is_newer(self, seg: Arrival) -> bool:
        """A SYN that TIME-WAIT lets in (RFC 6191)."""
        r = self.r
        if r.ts_ok and seg.stamp is not None:
            return lt(r.ts_recent, seg.stamp[0])
        return lt(r.rcv_nxt, seg.seq)

    def stamp_holds(self, seg: Arrival) -> bool:
        """PAWS. Nothing is taken of a segment that may be discarded yet."""
        r = self.r
        if seg.stamp is None:
            self.actions.drop = Drop.NO_STAMP
            return False
        age = (self.s - r.ts_at) % (1 << _WIDTHS["ts_at"])
        if not lt(seg.stamp[0], r.ts_recent) or age >= PAWS_S:
            return True
        self.actions.drop = Drop.OLD_STAMP
        if seg.length:
            self.acknowledge_each()
        elif _length(seg) or seg.seq != r.rcv_nxt:  # two sides must not answer each other for ever
            self.challenge(seg)
        return False

    def acceptable(self, seg: Arrival) -> bool:
        """Whether a part of it is in the window.

        Without text it may stand at the right edge: all in front of it may be on its way.
        """
        r = self.r
        length = _length(seg)
        if length == 0 or le(r.rcv_edge, r.rcv_nxt):
            return le(r.rcv_nxt, seg.seq) and (le(seg.seq, r.rcv_edge) or seg.seq == r.rcv_nxt)
        return lt(seg.seq, r.rcv_edge) and lt(r.rcv_nxt, add(seg.seq, length))

    def take_reset(self, seg: Arrival) -> None:
        r = self.r
        if seg.seq == r.rcv_nxt:
            if r.state == State.SYN_RCVD:
                self.over(Why.REFUSED)
            else:
                self.over(Why.FINISHED if r.state == State.TIME_WAIT else Why.RESET)
            return
        self.actions.drop = Drop.BAD_RESET
        if lt(r.rcv_nxt, seg.seq) and lt(seg.seq, r.rcv_edge):
            self.challenge(seg)

    def reject(self, seg: Arrival) -> None:
        """Nothing of it is in the window."""
        r, flags = self.r, seg.flags
        self.actions.drop = Drop.OUT_OF_WINDOW
        before = seg.seq == add(r.rcv_nxt, -1)
        fin_again = flags & Flag.FIN and add(seg.seq, _length(seg)) == r.rcv_nxt
        if r.state == State.SYN_RCVD and flags & (Flag.SYN | Flag.ACK) == Flag.SYN and before:
            r.syn_due = 1  # our answer was lost
        elif (
            r.state == State.SYN_RCVD
            and not r.passive
            and before
            and _length(seg) == 1
            and (flags & (Flag.SYN | Flag.ACK) == Flag.SYN | Flag.ACK and lt(r.una, seg.ack) and le(seg.ack, r.max))
        ):  # both have opened at once, and this acknowledges our SYN; its window is that of the SYN before
            self.actions.drop = Drop.NOT
            self.establish(seg)
            self.take_stamp(seg)
            r.ack_now = 1  # it may have come before our answer has gone
        elif flags & Flag.SYN:
            self.challenge(seg)
        elif seg.length or fin_again:
            if r.state == State.TIME_WAIT and fin_again:
                self.restart_time_wait()
            self.acknowledge_each()
        else:  # keep-alive, too
            self.challenge(seg)

    # ---- Acknowledgements --------------------------------------------------------------------------------------------

    def take_ack(self, seg: Arrival) -> bool:
        """Whether the rest of the segment is looked at."""
        r, ack = self.r, seg.ack
        if r.state == State.SYN_RCVD:
            if not (lt(r.una, ack) and le(ack, r.max)):
                self.actions.drop = Drop.BAD_ACK
                self.refuse(seg)
                return False
            self.establish(seg)
        if lt(r.max, ack) or lt(ack, add(r.una, -max(r.max_wnd, WINDOW_MOST))):
            self.actions.drop = Drop.BAD_ACK
            self.challenge(seg)
            return False
        self.take_stamp(seg)
        window_was = r.snd_wnd
        self.take_window(seg)
        news = self.take_sack(seg)
        if lt(r.una, ack):
            self.advance(ack)
            if r.state == State.CLOSED:
                return False
        elif (
            ack == r.una != r.max and not _length(seg) and not r.probing
            and (news if r.sack_ok else r.snd_wnd == window_was)
        ):  # fmt: skip
            self.duplicate()
        if r.rexmt_on and not r.snd_wnd:  # answered: patience begins with the next probe
            r.since = add(self.ms, max(diff(r.rexmt, self.us), 0) >> 10)
        if r.probing and r.snd_wnd:
            r.probing = r.probe_due = r.rexmt_on = r.backoff = 0
            r.nxt = r.una
            if r.una != r.max:
                self.restart_rexmt()
        return True

    def take_stamp(self, seg: Arrival) -> None:
        """Of a segment that is good, so its time stamp is not older than the last one, or that one is void."""
        r = self.r
        if seg.stamp is not None and r.ts_ok and le(seg.seq, r.last_ack):
            r.ts_recent, r.ts_at = seg.stamp[0], self.s

    def take_window(self, seg: Arrival) -> None:
        """Not from a segment that is older than the one that it is known from."""
        r = self.r
        if le(r.una, seg.ack) and (lt(r.wl1, seg.seq) or (r.wl1 == seg.seq and le(r.wl2, seg.ack))):
            r.snd_wnd = seg.window << r.snd_scale
            r.max_wnd = max(r.max_wnd, r.snd_wnd)
            r.wl1, r.wl2 = seg.seq, seg.ack

    def take_sack(self, seg: Arrival) -> bool:
        """Whether it tells of something new."""
        r = self.r
        if not r.sack_ok:
            return False
        una = later(r.una, seg.ack)
        news = False
        for begin, end in seg.sack[:GAPS]:
            if not (lt(una, begin) and lt(begin, end) and lt(una, end) and le(end, r.max)):
                continue  # also one that goes round the numbers
            if any(le(one[0], begin) and le(end, one[1]) for one in r.sacked):
                continue
            news = True
            begin, end, apart = merged(r.sacked, begin, end)
            lower = tuple(one for one in apart if lt(one[0], begin))
            upper = tuple(one for one in apart if lt(begin, one[0]))
            r.sacked = (*lower, (begin, end), *upper)[:GAPS]  # the highest is forgotten
        return news

    def sample(self) -> None:
        """A round trip is over (RFC 6298)."""
        r = self.r
        r.timed = 0
        took = min(max((self.us - r.timed_at) % WORD, 1), (1 << 26) - 1)
        if not r.srtt:
            r.srtt, r.rttvar = took << 3, took << 1
        else:
            error = took - (r.srtt >> 3)
            r.srtt += error
            r.rttvar += abs(error) - (r.rttvar >> 2)
        base = (r.srtt >> 3) + max(r.rttvar, 1)
        r.rto = min(max(base, self.settings.least_rto_us), self.settings.longest_rto_us)

    def advance(self, ack: int) -> None:
        """New data is acknowledged."""
        r = self.r
        count = diff(ack, r.una)
        if r.timed and le(r.timed_seq, ack):
            self.sample()
        r.una, r.nxt = ack, later(r.nxt, ack)
        r.backoff, r.since, r.push_on = 0, self.ms, 0
        r.sacked = tuple((later(begin, ack), end) for begin, end in r.sacked if lt(ack, end))
        if r.urgent_out and le(r.snd_up, ack):
            r.urgent_out = 0
        restart = True
        if r.recovering:
            if le(r.recover, ack):
                self.recovered()
            else:
                restart = not r.partial
                self.partly(count)
        else:
            self.grow(count)
        r.dup_acks = 0
        if r.una == r.max:
            r.rexmt_on = r.probing = r.probe_due = 0
        elif restart:
            self.restart_rexmt()
        self.notify(Notify.WRITABLE)
        if r.fin_queued and ack == self.end:
            self.fin_acknowledged()

    def grow(self, count: int) -> None:
        r = self.r
        if r.cwnd < r.ssthresh:
            r.cwnd += min(count, self.smss)
        else:
            r.counted_bytes = min(r.counted_bytes + count, CWND_MOST)
            if r.counted_bytes >= r.cwnd:
                r.counted_bytes -= r.cwnd
                r.cwnd += self.smss
        r.cwnd = min(r.cwnd, CWND_MOST)

    def recovered(self) -> None:
        r = self.r
        r.recovering = r.partial = r.resend_due = 0
        flight = diff(r.max, r.una)
        r.cwnd = r.ssthresh if r.sack_ok else min(r.ssthresh, max(flight, self.smss) + self.smss)

    def partly(self, count: int) -> None:
        """A partial acknowledgement: without SACK the next hole is resent (RFC 6582)."""
        r = self.r
        r.partial = 1
        r.high_rxt = later(r.high_rxt, r.una)
        if not r.sack_ok:
            r.cwnd = max(r.cwnd - count, 0) + (self.smss if count >= self.smss else 0)
            r.resend_due = 1
        elif not r.sacked and r.high_rxt == r.una:
            r.resend_due = 1

    def duplicate(self) -> None:
        r = self.r
        r.dup_acks = min(r.dup_acks + 1, 3)
        if r.recovering:
            if not r.sack_ok:
                r.cwnd = min(r.cwnd + self.smss, CWND_MOST)
            elif lt(r.una, r.high_rxt) and not r.resend_due and self.sacked_beyond(r.rxt_mark):
                self.begin_recovery()  # what was sent behind the retransmissions has come, but not the first of them
            return
        behind = lt(r.recover, r.una) or (r.sack_ok and r.recover == r.una)  # RFC 6582; RFC 6675, section 5.1
        if (r.dup_acks == 3 or (r.sack_ok and self.is_lost(0))) and behind:
            self.begin_recovery()

    def begin_recovery(self) -> None:
        """The segment at una is lost."""
        r = self.r
        r.ssthresh = self.half_flight()
        r.cwnd = r.ssthresh if r.sack_ok else min(r.ssthresh + (self.smss << 1) + self.smss, CWND_MOST)
        r.recovering, r.partial, r.recover, r.high_rxt = 1, 0, r.max, r.una
        r.resend_due, r.timed, r.counted_bytes = 1, 0, 0

    def half_flight(self) -> int:
        """Of what is on its way; limited transmit has gone beyond the window and does not count (RFC 5681)."""
        r = self.r
        return max(min(diff(r.nxt, r.una), r.cwnd) >> 1, self.smss << 1)

    def is_lost(self, hole: int) -> bool:
        """The hole in front of that block of `sacked` (RFC 6675)."""
        above = self.r.sacked[hole:]
        return len(above) >= 3 or sum(diff(end, begin) for begin, end in above) > self.smss << 1

    def sacked_beyond(self, seq: int) -> bool:
        """More than two full segments."""
        return sum(diff(end, later(begin, seq)) for begin, end in self.r.sacked if lt(seq, end)) > self.smss << 1

    def holes(self) -> list[tuple[int, int, bool]]:
        """What is between the blocks and not yet resent, and whether it is lost."""
        r, at, found = self.r, self.r.una, []
        for number, (begin, end) in enumerate(r.sacked):
            at = later(at, r.high_rxt)
            if lt(at, begin):
                found.append((at, begin, self.is_lost(number)))
            at = end
        return found

    def pipe(self) -> int:
        """Bytes that are on their way (RFC 6675)."""
        r = self.r
        total = diff(r.nxt, r.una)
        total -= sum(diff(earlier(end, r.nxt), begin) for begin, end in r.sacked if lt(begin, r.nxt))
        if r.recovering:
            total -= sum(diff(end, begin) for begin, end, lost in self.holes() if lost and le(end, r.nxt))
        return max(total, 0)

    def fin_acknowledged(self) -> None:
        r = self.r
        if r.state == State.FIN_WAIT_1:
            r.state = State.FIN_WAIT_2
            self.forget_later()
        elif r.state == State.CLOSING:
            self.wait_twice()
        elif r.state == State.LAST_ACK:
            self.over(Why.FINISHED)

    # ---- Text --------------------------------------------------------------------------------------------------------

    def take_urgent(self, pointer: int) -> None:
        r = self.r
        if not r.urgent_in or lt(r.rcv_up, pointer):
            r.urgent_in, r.rcv_up = 1, pointer
            self.notify(Notify.URGENT)

    def take_text(self, seg: Arrival) -> None:
        r = self.r
        if seg.length and r.deaf:
            self.actions.drop = Drop.DEAF
            self.abort(Why.ABORTED)
            return
        stop = add(seg.seq, seg.length)
        behind_held = all(le(end, stop) for _, end in r.held)
        if seg.flags & Flag.FIN and le(stop, r.rcv_edge) and le(r.rcv_nxt, stop) and behind_held and not r.fin_seen:
            r.fin_seen, r.rcv_fin = 1, stop
        if seg.length:
            self.take_data(seg, stop)
        elif r.fin_seen and r.rcv_nxt != r.rcv_fin:
            self.acknowledge_each()  # a FIN ahead of data
        if r.fin_seen and r.rcv_nxt == r.rcv_fin:
            self.take_fin()
        elif seg.flags & Flag.FIN:
            r.ack_now = 1

    def take_data(self, seg: Arrival, stop: int) -> None:
        """Of a segment the first bytes that are in the window and not held."""
        r = self.r
        begin = later(seg.seq, r.rcv_nxt)
        end = earlier(stop, r.rcv_edge)
        if r.fin_seen:
            end = earlier(end, r.rcv_fin)
        for one in r.held:
            if le(one[0], begin) and lt(begin, one[1]):
                begin = one[1]
                r.held = (one, *(other for other in r.held if other != one))  # the newest (RFC 2018)
                break
        for one in r.held:
            if lt(begin, one[0]):
                end = earlier(end, one[0])
        if not lt(begin, end):
            self.actions.drop = Drop.DUPLICATE
            self.acknowledge_each()
            return
        low, high, apart = merged(r.held, begin, end)
        if low != r.rcv_nxt and len(apart) == GAPS:
            self.actions.drop = Drop.NO_GAP
            self.acknowledge_each()
            return
        offset = diff(begin, r.rcv_base) & (self.rx_size - 1)
        self.actions.place = Place(diff(begin, seg.seq), diff(end, begin), offset)
        if begin != r.rcv_nxt:
            r.held = ((low, high), *apart)
            self.acknowledge_each()
            return
        gaps_were = bool(r.held)
        if seg.delivered:
            self.has_read(end)
        r.held, r.rcv_nxt = apart, high
        self.notify(Notify.READABLE)
        if gaps_were:
            r.quick = QUICK
        if gaps_were or r.unacked or r.ack_at_once or r.quick:
            r.ack_now, r.quick = 1, max(r.quick - 1, 0)
        else:
            r.unacked = 1
            r.delack_on, r.delack = 1, add(self.us, self.settings.delayed_ack_us)

    def take_fin(self) -> None:
        r = self.r
        r.rcv_nxt = add(r.rcv_fin, 1)
        r.rcv_edge = later(r.rcv_edge, r.rcv_nxt)
        r.held = ()
        r.ack_now = 1
        self.notify(Notify.FINISHED)
        if r.state == State.ESTABLISHED:
            r.state = State.CLOSE_WAIT
        elif r.state == State.FIN_WAIT_1:
            r.state = State.CLOSING
        else:
            self.wait_twice()

    # ---- Timers ------------------------------------------------------------------------------------------------------

    def timer(self, event: Timer) -> None:
        r = self.r
        if r.delack_on and le(r.delack, self.us):
            r.delack_on, r.ack_now = 0, 1
        if r.push_on and le(r.push, self.us):
            r.push_on, r.push_due = 0, 1
        passed = r.state in GIVEN_UP if event.gives_up else r.idle_on and le(r.idle, self.ms)
        if passed:
            self.idle_over(silent=event.gives_up)
        if r.state != State.CLOSED and r.rexmt_on and le(r.rexmt, self.us):
            self.rexmt_over()

    def idle_over(self, *, silent: bool) -> None:
        r = self.r
        r.idle_on = 0
        if r.state == State.TIME_WAIT:
            self.over(Why.FINISHED)
        elif r.state == State.FIN_WAIT_2 or (r.state == State.SYN_RCVD and silent):
            self.over(Why.TIMEOUT)
        elif r.state == State.SYN_RCVD:
            self.abort(Why.TIMEOUT)
        elif r.una != r.max or r.rexmt_on:  # the other timer is at work
            self.keep_awake()
        elif r.keep_count >= self.settings.keep_probes:
            self.abort(Why.TIMEOUT)
        else:
            r.keep_count += 1
            r.keep_due = 1
            r.idle_on, r.idle = 1, add(self.ms, self.settings.keep_interval_ms)

    def rexmt_over(self) -> None:
        r = self.r
        opening = r.state in (State.SYN_SENT, State.SYN_RCVD)
        patience = r.patience
        if opening:  # a child has a deadline of its own (`spawn`)
            patience = 0 if r.passive else max(patience, self.settings.syn_patience_s)
        if patience and diff(self.ms, r.since) >= patience << 10:
            self.abort(Why.TIMEOUT)
            return
        first = r.backoff == 0
        r.backoff += self.timeout_us < self.settings.longest_rto_us
        if r.backoff == R1:
            self.notify(Notify.TROUBLE)
        r.timed = 0
        self.restart_rexmt()
        if opening:
            r.syn_due = r.syn_lost = 1
            return
        r.sacked = ()
        r.resend_due = r.recovering = r.partial = r.dup_acks = r.counted_bytes = 0
        if not r.snd_wnd:
            r.probing = r.probe_due = 1
        else:
            r.probing = 0
            if first:
                r.ssthresh = self.half_flight()
            r.cwnd = self.smss
        r.recover, r.nxt = r.max, r.una

    # ---- ICMP --------------------------------------------------------------------------------------------------------

    def icmp(self, event: Icmp) -> None:
        r = self.r
        if r.state in (State.CLOSED, State.LISTEN) or lt(event.seq, r.una) or not lt(event.seq, r.max):
            return
        if event.kind == IcmpKind.TOO_BIG:
            mss, fragments = max(event.mtu, LEAST_MTU) - HEADERS, event.mtu < LEAST_MTU
            if mss < r.snd_mss or (fragments and not r.fragments):
                r.snd_mss = min(mss, r.snd_mss)
                r.fragments |= fragments
                r.nxt, r.timed = r.una, 0
            return
        r.soft_error = event.code
        if event.kind == IcmpKind.HARD and r.state in (State.SYN_SENT, State.SYN_RCVD):
            self.over(Why.UNREACHABLE)
        elif not r.quiet:
            self.notify(Notify.SOFT)

    # ---- Sending -----------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """At most one segment: of a TURN, or of a SEND that has one with it."""
        self.turned = True
        r = self.r
        if r.state in (State.SYN_SENT, State.SYN_RCVD):
            if r.syn_due:
                self.send_syn()
            elif (r.ack_now or r.ack_each) and r.state == State.SYN_RCVD:
                r.ack_each = 0
                self.send(r.max, 0, Flag.ACK)
        elif r.state not in (State.CLOSED, State.LISTEN):
            sent = r.state in FLUSHING and self.send_text()
            if not sent and (r.ack_now or r.ack_each):
                r.ack_each = max(r.ack_each - 1, 0)
                self.send(r.nxt if r.probing else r.max, 0, Flag.ACK)

    def send_syn(self) -> None:
        r, settings = self.r, self.settings
        answer = r.state == State.SYN_RCVD
        again = r.max != r.iss
        if again:
            r.timed = 0
        else:
            r.timed, r.timed_seq, r.timed_at = 1, add(r.iss, 1), self.us
        r.nxt = r.max = add(r.iss, 1)
        r.syn_due = r.ack_now = r.ack_each = 0
        self.start_rexmt()
        r.last_sent = self.ms
        self.actions.send = Send(
            r.iss, r.rcv_nxt if answer else 0, Flag.SYN | (Flag.ACK if answer else 0), min(self.rx_size, WINDOW_MOST),
            mss=self.our_mss,
            scale=self.ring_scale() if (r.scale_ok if answer else settings.scale) else None,
            stamp=self.stamp if (r.ts_ok if answer else settings.stamps) else None,
            sack_permitted=bool(r.sack_ok if answer else settings.sack), again=again,
        )  # fmt: skip

    def sack_blocks(self) -> Blocks:
        r = self.r
        return r.held[: 3 if r.ts_ok else 4] if r.sack_ok else ()

    def full(self) -> int:
        """Payload bytes of a full segment, now."""
        blocks = len(self.sack_blocks())
        return self.smss - (4 + (blocks << 3) if blocks else 0)

    def send_text(self) -> bool:
        """Data or FIN, the most urgent first; whether there was some."""
        r = self.r
        if r.probe_due:
            r.probe_due = 0
            if r.una != self.end:
                self.send_data(r.una, min(diff(r.tail, r.una), 1))
                return True
            r.probing = r.rexmt_on = 0
        if r.keep_due:
            r.keep_due = 0
            self.send(add(r.max, -1), 0, Flag.ACK)
            return True
        if r.resend_due:
            r.resend_due = 0
            if r.una != r.max and r.snd_wnd and self.resend(r.una, r.sacked[0][0] if r.sacked else r.max):
                return True
        if r.recovering and r.sack_ok:
            return self.send_selected()
        allowed = r.cwnd - self.pipe()
        if not r.recovering and not r.sack_ok and r.nxt == r.max:  # limited transmit; the pipe knows it with SACK
            allowed += (0, self.smss, self.smss << 1, self.smss << 1)[r.dup_acks]
        return self.send_next(allowed)

    def resend(self, begin: int, end: int) -> bool:
        """A segment from `begin` on, and not beyond `end`."""
        r = self.r
        room = diff(add(r.una, r.snd_wnd), begin)
        count = min(self.full(), diff(end, begin), room, diff(r.tail, begin))
        if count <= 0 and begin != r.tail:
            return False
        count = max(count, 0)
        r.high_rxt, r.rxt_mark = later(r.high_rxt, add(begin, count)), r.max
        self.send_data(begin, count)
        return True

    def send_selected(self) -> bool:
        """In recovery, by what the peer has told (RFC 6675, NextSeg)."""
        r = self.r
        pipe = self.pipe()
        if pipe and r.cwnd - pipe < self.full():
            return False
        holes = self.holes()
        for begin, end, lost in holes:
            if lost:
                return self.resend(begin, end)
        if self.send_next(r.cwnd - pipe):
            return True
        return bool(holes) and self.resend(*holes[0][:2])

    def send_next(self, allowed: int) -> bool:
        """What comes next, if the windows let it and it is not silly (RFC 9293, section 3.8.6.2.1)."""
        r = self.r
        limit = WORD // 2 - 1
        if lt(r.nxt, r.max):  # after a timeout
            for begin, end in r.sacked:
                if le(begin, r.nxt) and lt(r.nxt, end):
                    r.nxt = end
            limit = min([limit, *(diff(begin, r.nxt) for begin, _ in r.sacked if lt(r.nxt, begin))])
        if r.nxt == self.end:
            return False
        waiting = diff(r.tail, r.nxt)
        if waiting == 0:  # the FIN; into a closed window it goes again by the timer alone
            if r.probing:
                return False
            self.send_data(r.nxt, 0)
            return True
        alone = r.nxt == r.una == r.max
        if alone and diff(self.ms, r.last_sent) << 10 > r.rto:
            r.cwnd = min(r.cwnd, self.first_window)
            allowed = r.cwnd
        room = diff(add(r.una, r.snd_wnd), r.nxt)
        full = self.full()
        whole = min(waiting, full, room, limit)
        count = max(min(whole, allowed), 0)
        sensible = count and (
            count == full or count >= r.max_wnd >> 1 or (lt(r.nxt, r.max) and count == whole) or r.push_due
            or (count == waiting and (alone or r.nagle_off or r.fin_queued))
        )  # fmt: skip
        if sensible:
            r.push_due = r.push_on = 0
            self.send_data(r.nxt, count)
            return True
        r.push_due = 0
        if alone and not count and not r.probing:
            r.probing = 1
            self.start_rexmt()
        elif alone and count and not r.push_on:
            r.push_on, r.push = 1, add(self.us, self.settings.override_us)
        return False

    def send_data(self, begin: int, count: int) -> None:
        """Data, with the FIN if it is behind them."""
        r = self.r
        flags = Flag.ACK
        end = add(begin, count)
        if end == r.tail:
            if count:
                flags |= Flag.PSH
            if r.fin_queued:
                flags |= Flag.FIN
                end = add(end, 1)
        again = lt(begin, r.max)
        if again:
            r.timed = 0
        elif not r.timed and not r.probing:
            r.timed, r.timed_seq, r.timed_at = 1, end, self.us
        r.max = later(r.max, end)
        if not r.probing:
            r.nxt = later(r.nxt, end)
        self.start_rexmt()
        r.last_sent = self.ms
        self.send(begin, count, flags, again=again)

    def new_edge(self) -> int:
        """Where the right edge could be."""
        r = self.r
        room = self.rx_size - diff(r.rcv_nxt, r.rcv_read)
        room = max(min(room, WINDOW_MOST << r.rcv_scale), 0)
        return add(r.rcv_nxt, room >> r.rcv_scale << r.rcv_scale)

    def send(self, seq: int, length: int, flags: int, *, again: bool = False) -> None:
        """A segment with the acknowledgement of all that has come."""
        r = self.r
        edge = self.new_edge()
        if diff(edge, r.rcv_edge) >= min(self.rx_size >> 1, self.our_mss):
            r.rcv_edge = edge
        window = max(diff(r.rcv_edge, r.rcv_nxt), 0) >> r.rcv_scale
        urgent = 0
        if r.urgent_out and lt(seq, r.snd_up):
            flags |= Flag.URG
            urgent = min(diff(r.snd_up, seq), WINDOW_MOST)
        self.actions.send = Send(
            seq, r.rcv_nxt, flags, min(window, WINDOW_MOST), diff(seq, add(r.iss, 1)) & (self.tx_size - 1), length,
            urgent, stamp=self.stamp if r.ts_ok else None, sack=self.sack_blocks(), again=again,
        )  # fmt: skip
        r.last_ack = r.rcv_nxt
        r.ack_now = r.unacked = r.delack_on = 0


def _is_small(seg: Arrival) -> bool:
    """A SYN with a segment size of less than LEAST_MSS."""
    return seg.mss is not None and seg.mss < LEAST_MSS


def _length(seg: Arrival) -> int:
    """In sequence numbers."""
    return seg.length + bool(seg.flags & Flag.SYN) + bool(seg.flags & Flag.FIN)
