# SPDX-License-Identifier: Apache-2.0
"""What happens to a connection, and what follows from it: the two sides of `tcp_core` (rtl/tcp/common/tcp_pkg.sv)."""

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

from tcp.record import Blocks


class Flag:
    """Control bits of the header."""

    FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32


# ---- Events ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arrival:
    """A segment whose FCS and checksum held. Its payload waits in the receive buffer."""

    seq: int
    ack: int
    flags: int
    window: int
    length: int
    """Of the payload, bytes."""
    urgent: int = 0
    mss: int | None = None
    scale: int | None = None
    sack_permitted: bool = False
    stamp: tuple[int, int] | None = None
    """Timestamp and echo."""
    sack: Blocks = ()
    """At most four."""
    spare: bool = False
    """The table has a record for a new connection."""
    delivered: bool = False
    """The application has the payload: what is taken in order is read, too."""
    tried: bool = False
    """For this SYN a place has been sought: there is one now, or none can be made."""


@dataclass(frozen=True, slots=True)
class Spawn:
    """A SYN for a listener, at the record that becomes the connection. It follows Chain.SPAWN at once."""

    syn: Arrival
    isn: int
    ts_offset: int
    """Of its timestamps."""
    parent: int
    options: tuple[int, ...]
    """In the order of record.OPTIONS."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A child of this listener is accepted, or is no more. It follows Chain.LEAVE at once."""


@dataclass(frozen=True, slots=True)
class Timer:
    """The connection's deadline has passed."""

    gives_up: bool = False
    """Its record is wanted: TIME-WAIT ends now, and so does a handshake."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The transmitter has nothing to do, and this connection's turn has come."""


class Op(IntEnum):
    """Commands of the processor."""

    SETUP = 0  # a: rings (rx_ring + 8 tx_ring), b: 1 into the pool
    OPTION = 1  # a: place in record.OPTIONS, b: value
    OPEN = 2  # a: initial sequence number, b: offset of timestamps (from the table; it refuses a tuple that is in use)
    LISTEN = 3  # a: backlog
    ACCEPT = 4
    SEND = 5  # a: bytes given since the opening, modulo 2^32; b: 1 they end with urgent data
    READ = 6  # a: bytes read since the opening, modulo 2^32
    SHUTDOWN = 7  # nothing more will be sent
    CLOSE = 8  # nor read
    ABORT = 9
    RELEASE = 10  # the processor is done with a closed connection
    STATUS = 11  # changes nothing; the record is shown as it is written back


@dataclass(frozen=True, slots=True)
class Command:
    op: Op
    a: int = 0
    b: int = 0
    turns: bool = False
    """A SEND has the connection's turn with it: the transmitter has nothing to do."""


class IcmpKind(IntEnum):
    SOFT = 0  # 3/0, 3/1, 3/5, 11, 12
    HARD = 1  # 3/2, 3/3
    TOO_BIG = 2  # 3/4


@dataclass(frozen=True, slots=True)
class Icmp:
    """An error about a segment of ours. Types that mean nothing (quench) do not get here."""

    kind: IcmpKind
    seq: int
    """That was quoted."""
    code: int = 0
    """Type and code, 4 bits each."""
    mtu: int = 0


Event = Arrival | Spawn | Leave | Timer | Turn | Command | Icmp


# ---- Actions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """A segment to send. The transmitter adds ports, addresses and sums."""

    seq: int
    ack: int
    flags: int
    window: int = 0
    offset: int = 0
    """Of the payload, in the send ring."""
    length: int = 0
    urgent: int = 0
    mss: int | None = None
    scale: int | None = None
    sack_permitted: bool = False
    stamp: tuple[int, int] | None = None
    sack: Blocks = ()
    again: bool = False
    """Some of it was sent before."""
    ttl: int = 64
    """Of IP, as `dscp`: the record's, 64 where that has none."""
    dscp: int = 0
    df: bool = True
    """Of IP: do not fragment."""


@dataclass(frozen=True, slots=True)
class Place:
    """Payload bytes [begin, begin + length) of the segment go to the receive ring, from `offset` on, round its end."""

    begin: int
    length: int
    offset: int


class Notify(IntFlag):
    """What the processor is told; a bit that it has not read yet is set once."""

    ACCEPT = 1
    CONNECTED = 2
    READABLE = 4
    WRITABLE = 8
    FINISHED = 16  # the peer has sent all
    URGENT = 32
    SOFT = 64
    TROUBLE = 128  # R1: three retransmissions; the ARP entry is doubted
    CLOSED = 256  # record.why says why


class Index(IntEnum):
    """What the table does."""

    KEEP = 0
    INSERT = 1
    LISTEN = 2
    REMOVE = 3


class Chain(IntEnum):
    """An event of another record that follows at once."""

    NONE = 0
    SPAWN = 1
    LEAVE = 2
    AGAIN = 3  # the same segment is looked up again: its connection is no more, or a listener seeks a place for a SYN


class Answer(IntEnum):
    """To a command."""

    DONE = 0
    BAD_STATE = 1
    BAD_VALUE = 2


class Drop(IntEnum):
    """Why a segment, or what was in it, went nowhere: one of these an event."""

    NOT = 0
    NO_CONNECTION = 1
    LISTEN_REFUSED = 2  # not a SYN
    LISTEN_FULL = 3  # backlog or pool
    OUT_OF_WINDOW = 4
    OLD_STAMP = 5
    NO_STAMP = 6
    BAD_ACK = 7
    BAD_RESET = 8
    SYN_IN_CONNECTION = 9
    NO_ACK = 10
    NO_GAP = 11  # a fifth block
    DUPLICATE = 12
    DEAF = 13
    SMALL_MSS = 14  # of a SYN: less than LEAST_MSS


@dataclass(slots=True)
class Actions:
    """What follows from an event: at most one of each."""

    send: Send | None = None
    place: Place | None = None
    notify: Notify = field(default_factory=lambda: Notify(0))
    deadline: int | None = None
    """us modulo 2^40; None: there is none. Always told."""
    schedule: bool = False
    """Whether the connection wants a turn. Always told."""
    index: Index = Index.KEEP
    chain: Chain = Chain.NONE
    pool: bool = False
    """The record goes to the pool of those that a SYN may take."""
    answer: Answer = Answer.DONE
    drop: Drop = Drop.NOT
    received: int = 0
    """Stream position behind what the processor may read, modulo 2^32. Always told."""
    acknowledged: int = 0
    """Stream position behind what the peer has, modulo 2^32: so much of the send ring is free again. Always told."""
    all_read: bool = True
    """Nothing that is received is unread. Always told."""


@dataclass(frozen=True)
class Settings:
    """Registers of the engine, for all connections. us, ms and s are those of the record."""

    least_rto_us: int = 200_000
    """RFC 6298 would have a second."""
    longest_rto_us: int = 60_000_000
    first_rto_us: int = 1_000_000
    delayed_ack_us: int = 40_000
    override_us: int = 200_000
    msl_ms: int = 117_188
    """2 minutes."""
    syn_patience_s: int = 172
    """3 minutes."""
    child_patience_s: int = 30
    """For the end of a handshake that the peer has begun."""
    fin_wait_2_ms: int = 58_594
    """A minute."""
    keep_interval_ms: int = 73_242
    """75 s between keep-alive probes."""
    keep_probes: int = 9
    challenges: int = 10
    challenge_ms: int = 4883
    """5 s."""
    scale: bool = True
    stamps: bool = True
    sack: bool = True
    """These three are offered and taken."""
    reset_full: bool = False
    """A SYN that finds no place is reset."""
