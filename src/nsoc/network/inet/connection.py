# SPDX-License-Identifier: Apache-2.0
"""One TCP connection (RFC 9293, 5681, 5961, 6298, 6582, 7323), without clock and transport.

Segments go in (`take`) and come out (`poll`); `deadline` is when `poll` wants to be asked again. Times are
microseconds. Sequence numbers are whole numbers in here and do not wrap: those of a segment are taken for the nearest.

Left out: urgent data (its bytes come in order with the others), selective acknowledgements, keep-alive.
"""

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.network.inet.reassembly import Reassembly
from nsoc.network.inet.segment import LARGEST_SCALE, MODULUS, TIMESTAMPS_BYTES, Flag, Segment
from nsoc.network.inet.timing import FIRST_RTO_US, Congestion, Timeout

NEVER = float("inf")
DEFAULT_MSS = 536
"""Of a peer that names none."""
MOST_MSS = 65495
"""What a datagram has room for."""
MOST_WINDOW = 0xFFFF << LARGEST_SCALE
AFTER_LOST_SYN_US = 3e6
"""The first timeout then (RFC 6298, 5.7)."""
OVERRIDE_US = 200e3
"""A sender with too small a window to be sensible waits so long."""
CHALLENGES, CHALLENGE_US = 10, 5e6
"""At most so many acknowledgements of segments that may be forged, in that time."""
WINDOW_MOST = 0xFFFF
_TICK_US = 1000
"""Of timestamps."""
_PAWS_US = 24 * 86400 * 1e6


class State(Enum):
    """As in RFC 9293."""

    SYN_SENT = auto()
    """It opens, and has asked."""
    SYN_RECEIVED = auto()
    """It opens, and has been asked."""
    ESTABLISHED = auto()
    """It is open both ways."""
    FIN_WAIT_1 = auto()
    """It has said that it has no more to send."""
    FIN_WAIT_2 = auto()
    """... which is acknowledged."""
    CLOSE_WAIT = auto()
    """The other end has no more to send."""
    CLOSING = auto()
    """Both have said so, and this end has no acknowledgement yet."""
    LAST_ACK = auto()
    """The other end was first, and this end has no acknowledgement yet."""
    TIME_WAIT = auto()
    """It is over, and remembered."""
    CLOSED = auto()
    """It is over."""


_SENDING = (State.ESTABLISHED, State.CLOSE_WAIT)
_FLUSHING = (*_SENDING, State.FIN_WAIT_1, State.CLOSING, State.LAST_ACK)
_RECEIVING = (State.ESTABLISHED, State.FIN_WAIT_1, State.FIN_WAIT_2)


@public
@dataclass(frozen=True)
class Settings:
    """Of a connection's own end."""

    mss: int = 1460
    """Payload bytes of a segment, without options, both ways."""
    window: int = 65535
    """Bytes that wait for the program at most. More than 65535 asks for window scaling."""
    timestamps: bool = False
    """Offers them (RFC 7323)."""
    delayed_ack_us: float = 0.0
    """How long an acknowledgement may wait for a second full segment; 0: none waits."""
    nagle: bool = True
    """A small segment waits while another one is not acknowledged."""
    least_rto_us: float = 200e3
    """RFC 6298 would have a second; 200 ms is what is usual."""
    first_rto_us: float = FIRST_RTO_US
    """Until there is a round trip to go by."""
    msl_us: float = 30e6
    """A closed connection is remembered for twice as long."""
    patience_us: float = 100e6
    """A peer that does not answer for so long is given up."""

    def __post_init__(self) -> None:
        for name, value, most in (("mss", self.mss, MOST_MSS), ("window", self.window, MOST_WINDOW)):
            if not 1 <= value <= most:
                raise NsocError(f"{name} must be 1 to {most} bytes, not {value}")
        for name in ("delayed_ack_us", "least_rto_us", "first_rto_us", "msl_us", "patience_us"):
            if not 0 <= getattr(self, name) < NEVER:
                raise NsocError(f"{name} must be a time of at least 0 us, not {getattr(self, name)}")


class Connection:
    """`iss` is the first sequence number. `syn`: that of the peer, when it is the one that opens."""

    def __init__(self, settings: Settings, iss: int, now: float, syn: Segment | None = None) -> None:
        self.settings = settings
        self.failure = ""
        """Why it is over, when it did not end as it should."""
        self.ended = False
        """The peer has sent all."""
        self.passive = syn is not None
        self.segments: Counter[str] = Counter()
        """`sent` and `received` are all; besides what was special, by kind."""
        self._now = now
        self._una = self._next = self._max = iss  # acknowledged up to, next to send, sent up to
        self._iss = iss
        self._outgoing = bytearray()  # from _una; that of the SYN has no byte
        self._finishing = False
        self._window = 0
        self._window_from: tuple[int, int] | None = None
        self._largest_window = 0
        self._timeout = Timeout(settings.least_rto_us, settings.first_rto_us)
        self._congestion = Congestion(DEFAULT_MSS, iss, syn_was_lost=False)
        self._timed: tuple[int, float] | None = None
        self._expires = NEVER  # the retransmission timer, or that of window probes
        self._probing = self._resend = self._push_small = False
        self._heard = now
        self._last_sent = now
        self._lost_syn = False
        self._incoming = bytearray()
        self._ahead = Reassembly()
        self._received = 0  # the next one that is wanted
        self._edge = 0  # the right edge of the window that the peer knows
        self._fin: int | None = None
        self._acknowledge = False
        self._repeats = 0
        self._full_segments = 0
        self._ack_due = self._small_due = self._forget = NEVER
        self._replies: list[Segment] = []
        self._challenges: list[float] = []
        self._reader_gone = False
        self._mss = min(settings.mss, DEFAULT_MSS)
        self._our_scale = self._their_scale = 0
        self._with_scale = settings.window > WINDOW_MOST
        self._with_timestamps = settings.timestamps
        self._recent = 0
        self._recent_at = now
        self.state = State.SYN_SENT
        if syn is not None:
            self.state = State.SYN_RECEIVED
            self._take_syn(syn)

    # ---- The program's side ------------------------------------------------------------------------------------------

    @property
    def established(self) -> bool:
        """Data may go, at least one way."""
        return self.state not in (State.SYN_SENT, State.SYN_RECEIVED, State.CLOSED)

    @property
    def unsent(self) -> int:
        """Bytes given to send() that the peer has not acknowledged."""
        return len(self._outgoing)

    @property
    def available(self) -> int:
        """Bytes that wait for receive()."""
        return len(self._incoming)

    @property
    def smoothed_us(self) -> float | None:
        """The round-trip time as it is seen here."""
        return self._timeout.smoothed_us

    @property
    def next_sequence(self) -> int:
        """The number of what is sent next."""
        return self._max % MODULUS

    @property
    def next_expected(self) -> int:
        """The number of what the peer sends next."""
        return self._received % MODULUS

    def send(self, data: bytes) -> None:
        """Append to what is to be sent."""
        if not self._finishing and self.state is not State.CLOSED:
            self._outgoing += data

    def receive(self, most: int | None = None) -> bytes:
        """What has come, at most so many bytes."""
        count = len(self._incoming) if most is None else min(most, len(self._incoming))
        data = bytes(self._incoming[:count])
        del self._incoming[:count]
        if self.state in _RECEIVING and self._new_edge() - self._edge >= min(2 * self._mss, self.settings.window // 2):
            self._acknowledge = True
        return data

    def finish(self) -> None:
        """Nothing more will be sent."""
        self._finishing = True
        if self.state is State.SYN_SENT:
            self._end("")

    def close(self) -> None:
        """Neither will anything be read. What the peer has sent and nobody has read breaks the connection."""
        self._reader_gone = True
        if self._incoming:
            self.abort()
        else:
            self.finish()

    def abort(self) -> None:
        """Breaks it."""
        if self.state not in (State.SYN_SENT, State.TIME_WAIT, State.CLOSED):
            self._replies.append(Segment(self._max, self._received, Flag.RST | Flag.ACK))
        self._end("aborted")

    def is_newer(self, segment: Segment) -> bool:
        """Whether it is behind all that has come."""
        return self._absolute(segment.sequence, self._received) > self._received

    def unreachable(self, sequence: int, reason: str) -> None:
        """An ICMP error about a segment of this connection: it counts when nothing has been heard (RFC 5927)."""
        if self.state is State.SYN_SENT and self._una <= self._absolute(sequence, self._una) < self._max:
            self._end(reason)

    # ---- The line's side ---------------------------------------------------------------------------------------------

    @property
    def deadline(self) -> float:
        """When poll() should be called again at the latest, if nothing else happens before."""
        return min(self._expires, self._ack_due, self._small_due, self._forget)

    def poll(self, now: float) -> Segment | None:
        """The next segment to send, or None when it is time to wait."""
        self._now = now
        if self._replies:
            return self._count(self._replies.pop(0))
        if self.state is State.CLOSED:
            return None
        self._pass_timers()
        segment = self._next_segment()
        return None if segment is None else self._count(segment)

    def take(self, segment: Segment, now: float) -> None:
        """A segment for this connection has come (RFC 9293, section 3.10.7)."""
        self._now = now
        self.segments["received"] += 1
        if self.state is State.CLOSED:
            return
        if self.state is State.SYN_SENT:
            self._take_in_syn_sent(segment)
            return
        sequence = self._absolute(segment.sequence, self._received)
        if not self._old_timestamp(segment):
            if segment.flags & Flag.RST:
                self._take_reset(sequence)
                return
            if self._acceptable(sequence, segment.length):
                self._take_acceptable(segment, sequence)
                return
        self.segments["unacceptable"] += 1
        if segment.flags & Flag.RST:
            return
        if self.state is State.SYN_RECEIVED and segment.flags & Flag.SYN:
            if segment.flags & Flag.ACK:  # both have opened
                self._acknowledge = True
            else:  # our answer was lost
                self._resend = True
        elif self.state is State.TIME_WAIT:
            self._forget = now + 2 * self.settings.msl_us
            self._acknowledge = True
        elif segment.length:
            self._repeats += 1  # every copy tells the peer
        elif self._challenge():
            self._acknowledge = True

    # ---- Arrival -----------------------------------------------------------------------------------------------------

    def _take_in_syn_sent(self, segment: Segment) -> None:
        flags, ack = segment.flags, self._absolute(segment.ack, self._una)
        if flags & Flag.ACK and not self._iss < ack <= self._max:
            if not flags & Flag.RST:
                self._replies.append(Segment(segment.ack, 0, Flag.RST))
        elif flags & Flag.RST:
            if flags & Flag.ACK:
                self._end("refused")
        elif flags & Flag.SYN:
            self._take_syn(segment)
            if flags & Flag.ACK:
                self._establish(ack)
                self._acknowledge = True
                self._take_text(segment, self._received)
            else:  # both open
                self.state = State.SYN_RECEIVED
                self._next = self._iss

    def _take_syn(self, segment: Segment) -> None:
        settings = self.settings
        self._received = segment.sequence + 1
        self._edge = self._received + min(settings.window, WINDOW_MOST)
        their_mss = DEFAULT_MSS if segment.mss is None else segment.mss
        self._with_timestamps = settings.timestamps and segment.timestamps is not None
        if segment.timestamps is not None:
            self._recent = segment.timestamps[0]
            self._recent_at = self._now
        self._mss = max(1, min(settings.mss, their_mss) - (TIMESTAMPS_BYTES if self._with_timestamps else 0))
        if segment.scale is not None and (self._with_scale or self.passive):
            self._their_scale = segment.scale
            self._our_scale = _scale(settings.window)
            self._with_scale = True
        else:
            self._with_scale = False
        self._take_window(segment, self._received - 1)

    def _establish(self, ack: int) -> None:
        self.state = State.ESTABLISHED
        self._congestion = Congestion(self._mss, self._iss, syn_was_lost=self._lost_syn)
        self._advance(ack, 0)
        if self._lost_syn:
            self._timeout.assume(AFTER_LOST_SYN_US)

    def _acceptable(self, sequence: int, length: int) -> bool:
        """Whether a part of it is in the window."""
        edge = max(self._edge, self._received)
        if length == 0 or edge == self._received:
            return self._received <= sequence <= edge  # at the edge: all in front of it may be on its way
        return sequence < edge and sequence + length > self._received

    def _take_acceptable(self, segment: Segment, sequence: int) -> None:
        flags = segment.flags
        if flags & Flag.SYN:
            if self.state is State.SYN_RECEIVED and self.passive:
                self._end("")  # the listener is there
            elif self._challenge():
                self._acknowledge = True
            return
        if not flags & Flag.ACK:
            return
        if self._with_timestamps and segment.timestamps and sequence <= self._received:
            self._recent = segment.timestamps[0]
            self._recent_at = self._now
        if self._take_ack(segment, sequence):
            self._take_text(segment, sequence)

    def _take_reset(self, sequence: int) -> None:
        """Only one that is exactly where it should be is obeyed (RFC 5961)."""
        if sequence == self._received:
            self.segments["reset"] += 1
            refused = self.state is State.SYN_RECEIVED and not self.passive
            quiet = self.state is State.TIME_WAIT or (self.state is State.SYN_RECEIVED and self.passive)
            self._end("refused" if refused else "" if quiet else "reset by the peer")
        elif self._received < sequence < self._edge and self._challenge():
            self._acknowledge = True

    def _take_ack(self, segment: Segment, sequence: int) -> bool:
        """Whether the rest of the segment is to be looked at."""
        ack = self._absolute(segment.ack, self._una)
        if self.state is State.SYN_RECEIVED:
            if not self._una < ack <= self._max:
                self._replies.append(Segment(segment.ack, 0, Flag.RST))
                return False
            self._establish(ack)
        if ack > self._max or ack < self._una - max(self._largest_window, WINDOW_MOST):
            self.segments["unacceptable"] += 1
            if self._challenge():
                self._acknowledge = True
            return False
        self._heard = self._now
        window = self._window
        self._take_window(segment, sequence)
        if ack > self._una:
            self._sample(segment, ack)
            self._advance(ack, ack - self._una)
        elif (
            ack == self._una < self._max and not segment.length and not self._probing
            and window == self._window
        ):  # fmt: skip
            self.segments["duplicate_ack"] += 1
            if self._congestion.duplicate(self._una, self._max):
                self.segments["fast_retransmission"] += 1
                self._resend = True
                self._timed = None
        if self._window and self._probing:
            self._probing, self._expires = False, NEVER
            self._timeout.progressed()
            self._next = self._una
        elif self._window and not window:  # what was sent into the closed one is lost
            self._next = self._una
        return True

    def _sample(self, segment: Segment, ack: int) -> None:
        if self._with_timestamps and segment.timestamps and segment.timestamps[1]:
            ticks = (int(self._now / _TICK_US) + 1 - segment.timestamps[1]) % MODULUS
            self._timeout.sample(max(float(ticks * _TICK_US), 1.0))
        elif self._timed is not None and ack >= self._timed[0]:
            self._timeout.sample(max(self._now - self._timed[1], 1.0))
            self._timed = None

    def _advance(self, ack: int, count: int) -> None:
        """Everything before `ack` has come."""
        if self._una == self._iss:  # that was the SYN
            self._una += 1
            if self._timed is not None:
                self._timeout.sample(max(self._now - self._timed[1], 1.0))
                self._timed = None
        data = min(ack - self._una, len(self._outgoing))
        del self._outgoing[:data]
        fin = ack - self._una > data
        self._una = ack
        self._next, self._max = max(self._next, ack), max(self._max, ack)
        self._timeout.progressed()
        if count and self._congestion.acknowledged(count, ack, self._max - ack):
            self._resend = True
        self._expires = self._now + self._timeout.us if self._max > self._una else NEVER
        self._small_due = NEVER
        if fin:
            self._fin_acknowledged()

    def _fin_acknowledged(self) -> None:
        if self.state is State.FIN_WAIT_1:
            self.state = State.FIN_WAIT_2
        elif self.state is State.CLOSING:
            self._wait()
        elif self.state is State.LAST_ACK:
            self._end("")

    def _take_window(self, segment: Segment, sequence: int) -> None:
        """Not from a segment that is older than the one that it is known from."""
        ack = self._absolute(segment.ack, self._una)
        if self._window_from is None or (sequence, ack) >= self._window_from:
            scale = 0 if segment.flags & Flag.SYN else self._their_scale
            self._window = segment.window << scale
            self._window_from = sequence, ack
            self._largest_window = max(self._largest_window, self._window)

    def _take_text(self, segment: Segment, sequence: int) -> None:
        if self.state is State.CLOSED:
            return
        if segment.flags & Flag.SYN:
            sequence = self._received
        data = segment.payload
        if self.state not in _RECEIVING:
            if segment.length:
                self._acknowledge = True
            return
        if data and self._reader_gone:
            self._replies.append(Segment(self._max, self._received, Flag.RST | Flag.ACK))
            self._end("the peer sent data after close()")
            return
        end = sequence + len(data)
        if segment.flags & Flag.FIN and end <= self._edge:
            self._fin = end
        if data:
            begin, limit = max(self._received - sequence, 0), max(self._edge - sequence, 0)
            if begin < limit:
                self._take_data(sequence + begin, data[begin:limit])
            else:
                self._repeats += 1  # it asks whether there is room
        if self._fin is not None and self._received >= self._fin:
            self._take_fin()
        elif segment.flags & Flag.FIN and not data:
            self._repeats += 1

    def _take_data(self, sequence: int, data: bytes) -> None:
        if sequence > self._received:
            self.segments["out_of_order"] += 1
            self._ahead.add(sequence, data)
            self._repeats += 1
            return
        filled = len(self._ahead) > 0
        self._incoming += data
        self._received += len(data)
        if filled:
            more = self._ahead.take(self._received)
            self._incoming += more
            self._received += len(more)
        if filled or self.settings.delayed_ack_us == 0:
            self._acknowledge = True
            return
        self._full_segments += len(data) >= self._mss
        if self._full_segments >= 2:
            self._acknowledge = True
        else:
            self._ack_due = min(self._ack_due, self._now + self.settings.delayed_ack_us)

    def _take_fin(self) -> None:
        self.ended = True
        self._received += 1
        self._edge = max(self._edge, self._received)
        self._acknowledge = True
        if self.state is State.ESTABLISHED:
            self.state = State.CLOSE_WAIT
        elif self.state is State.FIN_WAIT_1:
            self.state = State.CLOSING
        else:
            self._wait()

    def _wait(self) -> None:
        self.state = State.TIME_WAIT
        self._expires = NEVER
        self._forget = self._now + 2 * self.settings.msl_us

    def _end(self, failure: str) -> None:
        self.state, self.failure = State.CLOSED, failure
        self._outgoing.clear()
        self._expires = self._ack_due = self._small_due = self._forget = NEVER

    def _old_timestamp(self, segment: Segment) -> bool:
        """PAWS: it is a copy of an earlier time."""
        if not self._with_timestamps or segment.timestamps is None or segment.flags & Flag.RST:
            return False
        age = (segment.timestamps[0] - self._recent) % MODULUS
        return age >= MODULUS // 2 and self._now - self._recent_at < _PAWS_US

    def _challenge(self) -> bool:
        """Whether one more acknowledgement may be provoked by what may be forged."""
        self._challenges = [when for when in self._challenges if self._now - when < CHALLENGE_US]
        if len(self._challenges) >= CHALLENGES:
            self.segments["challenge_limited"] += 1
            return False
        self._challenges.append(self._now)
        return True

    def _absolute(self, number: int, near: int) -> int:
        return near + (number - near + MODULUS // 2) % MODULUS - MODULUS // 2

    # ---- Sending -----------------------------------------------------------------------------------------------------

    def _pass_timers(self) -> None:
        now = self._now
        if now >= self._forget:
            self._end("")
        if now >= self._ack_due:
            self._ack_due, self._acknowledge = NEVER, True
        if now >= self._small_due:
            self._small_due, self._push_small = NEVER, True
        if now < self._expires:
            return
        if now - self._heard >= self.settings.patience_us:
            self._end("no answer")
            return
        first = not self._timeout.doubled
        self._timeout.expired()
        self._expires = now + self._timeout.us
        if self._probing:
            self._push_small = True
            return
        self.segments["timeout"] += 1
        if self._una == self._iss:
            self._lost_syn = True
        else:
            self._congestion.expired(self._max - self._una, self._max, first=first)
        self._timed = None
        self._resend = False
        self._next = self._una

    def _next_segment(self) -> Segment | None:
        if self.state is State.CLOSED:
            return None
        if self.state in (State.SYN_SENT, State.SYN_RECEIVED):
            return self._syn() or (self._plain() if self._acknowledge else None)
        if self.state in _FLUSHING:
            if self._resend:
                self._resend = False
                segment = self._text(self._una, self._mss, again=True)
                if segment is not None:
                    return segment
            segment = self._new_text()
            if segment is not None:
                return segment
        if self._repeats:
            self._repeats -= 1
            return self._plain()
        if self._acknowledge:
            return self._plain()
        return None

    def _syn(self) -> Segment | None:
        if self._next != self._iss and not self._resend:
            return None
        self._resend = False
        settings = self.settings
        flags = Flag.SYN
        if self.state is State.SYN_RECEIVED:
            flags |= Flag.ACK
        if self._max == self._iss:
            self._timed = self._iss + 1, self._now
        elif self._timed is not None:
            self._timed = None
        self._next = self._max = self._iss + 1
        self._start_timer()
        self._acknowledge = False
        window = min(settings.window, WINDOW_MOST)
        return Segment(
            self._iss, self._received if flags & Flag.ACK else 0, flags, window, mss=settings.mss,
            scale=_scale(settings.window) if self._with_scale else None, timestamps=self._stamp(),
        )  # fmt: skip

    def _new_text(self) -> Segment | None:
        """What is to be sent first, if the windows let it."""
        offset = self._next - self._una
        waiting = len(self._outgoing) - offset
        if waiting < 0 or (waiting == 0 and not self._finishing):
            return None  # all is sent, the FIN too
        if offset == 0 and self._max == self._una and self._now - self._last_sent > self._timeout.us:
            self._congestion.idle()
        allowed = min(self._congestion.window + self._congestion.limited_transmit, self._window) - offset
        count = min(waiting, self._mss, max(allowed, 0))
        if waiting == 0:
            return self._text(self._next, 0)
        if count == 0 or not self._sensible(count, waiting, offset):
            self._wait_for_window(offset)
            if not self._push_small:
                return None
            count = max(count, 1)
        self._push_small = False
        return self._text(self._next, count)

    def _sensible(self, count: int, waiting: int, offset: int) -> bool:
        """Not a small segment without need (RFC 9293, section 3.8.6.2.1)."""
        if count == self._mss or count >= self._largest_window // 2 or self._next < self._max:
            return True
        return count == waiting and (offset == 0 or not self.settings.nagle or self._finishing)

    def _wait_for_window(self, offset: int) -> None:
        if self._push_small or offset > 0:
            return
        if self._window == 0:
            if not self._probing:
                self._probing, self._expires, self._heard = True, self._now + self._timeout.us, self._now
        elif self._small_due == NEVER:
            self._small_due = self._now + OVERRIDE_US

    def _text(self, sequence: int, count: int, *, again: bool = False) -> Segment | None:
        """Data from `sequence`, with the FIN if it is behind them."""
        offset = sequence - self._una
        payload = bytes(self._outgoing[offset : offset + count])
        last = offset + len(payload) == len(self._outgoing)
        flags = Flag.ACK
        if last and self._finishing:
            flags |= Flag.FIN
        elif not payload:
            return None
        if last or len(payload) < self._mss:
            flags |= Flag.PSH
        end = sequence + len(payload) + bool(flags & Flag.FIN)
        if again or sequence < self._max:
            self.segments["repeated"] += 1
            if self._timed is not None:
                self._timed = None
        elif self._timed is None and not self._probing:
            self._timed = end, self._now
        self._max = max(self._max, end)
        if not self._probing:
            self._next = max(self._next, end)
        if flags & Flag.FIN:
            if self.state is State.ESTABLISHED:
                self.state = State.FIN_WAIT_1
            elif self.state is State.CLOSE_WAIT:
                self.state = State.LAST_ACK
        if self._probing:
            self.segments["window_probe"] += 1
        self._start_timer()
        self._last_sent = self._now
        return self._with_ack(Segment(sequence, 0, flags, payload=payload))

    def _plain(self) -> Segment:
        return self._with_ack(Segment(self._next if self._probing else self._max, 0, Flag.ACK))

    def _with_ack(self, segment: Segment) -> Segment:
        self._edge = max(self._edge, self._new_edge())
        segment.ack = self._received
        segment.window = (self._edge - self._received) >> self._our_scale
        segment.timestamps = self._stamp()
        self._acknowledge, self._full_segments, self._ack_due = False, 0, NEVER
        return segment

    def _new_edge(self) -> int:
        """Of the window; not a little further than what the peer knows (RFC 9293, section 3.8.6.2.2)."""
        room = self.settings.window - len(self._incoming)
        most = WINDOW_MOST << self._our_scale
        edge = self._received + (min(room, most) >> self._our_scale << self._our_scale)
        return edge if edge - self._edge >= min(self.settings.window // 2, self._mss) else self._edge

    def _stamp(self) -> tuple[int, int] | None:
        if not self._with_timestamps:
            return None
        return (int(self._now / _TICK_US) + 1) % MODULUS, self._recent

    def _start_timer(self) -> None:
        """Unless it runs."""
        if self._expires == NEVER:
            self._heard = self._now
            self._expires = self._now + self._timeout.us

    def _count(self, segment: Segment) -> Segment:
        """As it goes out."""
        self.segments["sent"] += 1
        segment.sequence %= MODULUS
        segment.ack %= MODULUS
        return segment


def _scale(window: int) -> int:
    """The least with which the window can be told."""
    return next((shift for shift in range(LARGEST_SCALE) if window >> shift <= WINDOW_MOST), LARGEST_SCALE)
