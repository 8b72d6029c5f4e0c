# SPDX-License-Identifier: Apache-2.0
"""The record of a TCP connection: each field with its width, as it lies in the engine's memory.

All numbers are unsigned. Sequence numbers are modulo 2^32 and are compared by the sign of their difference. Time is one
counter of microseconds; a field holds a slice of it: `us` is the counter, `ms` the counter without its lowest 10 bits
(1.024 ms, also the tick of timestamps), `s` that without the lowest 20 (1.049 s).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any

GAPS = 4
"""Blocks that are held ahead of a gap, and blocks that the peer has told of, at most."""
LEAST_RING = 11
"""Rings have 2 KB times 2 to the power of 0 to 7."""
WORD = 1 << 32

NEAR = 20
"""Bits of a sequence number that lie in memory where others tell the rest: it is within two rings of them."""

Block = tuple[int, int]
"""Begin and end: sequence numbers."""
Blocks = tuple[Block, ...]


class State(IntEnum):
    """As in RFC 9293, section 3.3.2."""

    CLOSED = 0
    LISTEN = 1
    SYN_SENT = 2
    SYN_RCVD = 3
    ESTABLISHED = 4
    FIN_WAIT_1 = 5
    FIN_WAIT_2 = 6
    CLOSE_WAIT = 7
    CLOSING = 8
    LAST_ACK = 9
    TIME_WAIT = 10


class Why(IntEnum):
    """Why a connection is closed."""

    NOT = 0
    FINISHED = 1  # both sides have closed
    RESET = 2  # by the peer
    REFUSED = 3  # by the peer, before it was open
    TIMEOUT = 4  # no answer
    UNREACHABLE = 5  # ICMP said so, before it was open
    ABORTED = 6  # by a command, or by data that nobody was there to read


def _bits(width: int, meaning: str) -> Any:
    return field(default=0, metadata={"bits": width, "meaning": meaning})


def _near(meaning: str) -> Any:
    return field(default=0, metadata={"bits": NEAR, "meaning": meaning, "near": True})


def _blocks(meaning: str) -> dict[str, Any]:
    return {"bits": 2 * NEAR * GAPS + 3, "meaning": meaning}


@dataclass(slots=True)
class Record:
    """The order is that of `record_t` in rtl/tcp/common/tcp_pkg.sv, the first field in the highest bits."""

    # ---- Row 0 ----
    pooled: int = _bits(1, "a SYN may take it, and it goes back to the pool when it is released")
    owned: int = _bits(1, "the processor knows of it: it is told the end, and releases")
    passive: int = _bits(1, "opened by the peer")
    closing: int = _bits(1, "a listener that takes no more")
    deaf: int = _bits(1, "the processor has closed: nobody reads")
    parent: int = _bits(10, "its listener")
    children: int = _bits(8, "of a listener: connections that nobody has accepted yet")
    backlog: int = _bits(8, "of a listener: the most of these")
    rx_ring: int = _bits(3, "receive ring: 2 KB << this")
    tx_ring: int = _bits(3, "send ring: 2 KB << this")
    nagle_off: int = _bits(1, "small segments go at once")
    ack_at_once: int = _bits(1, "acknowledgements do not wait")
    quiet: int = _bits(1, "soft errors are not told")
    keep_on: int = _bits(1, "keep-alive")
    keep_idle: int = _bits(16, "s without a segment before keep-alive asks")
    patience: int = _bits(16, "s without progress before it gives up (R2); 0: never")
    ttl: int = _bits(8, "of IP")
    dscp: int = _bits(6, "of IP")
    mtu: int = _bits(14, "bytes of an IP packet at most")
    iss: int = _bits(32, "our first sequence number; the send ring begins behind it")
    una: int = _bits(32, "the oldest that is not acknowledged")
    tail: int = _bits(32, "behind what the processor has given")
    fin_queued: int = _bits(1, "a FIN stands at tail")
    urgent_out: int = _bits(1, "snd_up counts")
    rcv_read: int = _bits(32, "the next that the processor reads")
    wl1: int = _bits(32, "sequence number of the segment that the window is from")
    wl2: int = _bits(32, "its acknowledgement")
    max_wnd: int = _bits(30, "the largest that was")
    snd_mss: int = _bits(14, "bytes of TCP options and payload together")
    snd_scale: int = _bits(4, "of the window that the peer tells")
    rcv_scale: int = _bits(2, "of ours")
    scale_ok: int = _bits(1, "both scale")
    ts_ok: int = _bits(1, "both have timestamps")
    sack_ok: int = _bits(1, "both acknowledge selectively")
    ts_recent: int = _bits(32, "the peer's timestamp")
    challenges: int = _bits(4, "acknowledgements of what may be forged, since")
    soft_error: int = _bits(8, "the last soft error: ICMP type and code, 4 bits each")
    syn_lost: int = _bits(1, "the SYN timed out")
    keep_count: int = _bits(4, "keep-alive probes without an answer")
    urgent_in: int = _bits(1, "rcv_up counts")
    dup_acks: int = _bits(2, "in a row, stays at 3")
    backoff: int = _bits(5, "doublings")
    fragments: int = _bits(1, "routers may fragment what is sent: the path takes less than a segment may have")
    # ---- Row 1 ----
    state: int = _bits(4, "RFC 9293, 3.3.2")
    nxt: int = _bits(32, "the next to send; goes back after a timeout")
    max: int = _bits(32, "behind all that was sent")
    ts_offset: int = _bits(32, "of our timestamps: what they are more than ms")
    snd_wnd: int = _bits(30, "bytes from una")
    sacked: Blocks = field(default=(), metadata=_blocks("blocks that the peer has beyond una, ascending"))
    high_rxt: int = _near("in recovery: holes below it are resent")
    recovering: int = _bits(1, "from a loss, without a timeout")
    partial: int = _bits(1, "an acknowledgement has come in recovery")
    syn_due: int = _bits(1, "the SYN, or the answer to one")
    resend_due: int = _bits(1, "the segment at una")
    probing: int = _bits(1, "the peer's window is closed: the timer is that of probes")
    probe_due: int = _bits(1, "a window probe")
    keep_due: int = _bits(1, "a keep-alive probe")
    push_due: int = _bits(1, "a small segment, now")
    rcv_nxt: int = _bits(32, "the next that is wanted")
    rcv_edge: int = _bits(32, "right edge of the window, never left of what the peer was told")
    rcv_fin: int = _near("where the FIN stands")
    fin_seen: int = _bits(1, "rcv_fin counts")
    # ---- Row 2 ----
    ack_now: int = _bits(1, "an acknowledgement, with data or without")
    ack_each: int = _bits(3, "acknowledgements without data, one for each segment out of order, stays at 7")
    quick: int = _bits(4, "how many more segments do not wait for it")
    held: Blocks = field(default=(), metadata=_blocks("blocks beyond rcv_nxt, the newest first"))
    rcv_base: int = _bits(32, "the sequence number at offset 0 of the receive ring")
    last_ack: int = _bits(32, "the acknowledgement sent last")
    ts_at: int = _bits(28, "s when it was taken")
    recover: int = _bits(32, "max when the last loss was seen")
    cwnd: int = _bits(20, "bytes")
    ssthresh: int = _bits(20, "bytes")
    counted_bytes: int = _bits(20, "acknowledged since cwnd grew last (congestion avoidance)")
    last_sent: int = _bits(32, "ms when data was sent last")
    snd_up: int = _bits(32, "behind our urgent data")
    # ---- Row 3 ----
    why: int = _bits(3, "why it is closed")
    counted: int = _bits(1, "is one of its listener's children")
    unacked: int = _bits(1, "a data segment waits for its acknowledgement")
    rexmt_on: int = _bits(1, "")
    delack_on: int = _bits(1, "")
    push_on: int = _bits(1, "")
    idle_on: int = _bits(1, "")
    rxt_mark: int = _near("max when the last of them was")
    srtt: int = _bits(29, "us << 3; 0: none yet")
    rttvar: int = _bits(28, "us << 2")
    rto: int = _bits(27, "us, before doubling")
    timed: int = _bits(1, "a segment is timed")
    timed_seq: int = _bits(32, "its end")
    timed_at: int = _bits(32, "us when it was sent")
    since: int = _bits(32, "ms of the last progress of what waits for the peer")
    rcv_up: int = _bits(32, "behind the peer's urgent data")
    challenged: int = _bits(22, "this ms")
    rexmt: int = _bits(32, "us: retransmission, or window probe")
    delack: int = _bits(32, "us: delayed acknowledgement")
    push: int = _bits(32, "us: a small segment after all (3.8.6.2.1)")
    idle: int = _bits(32, "ms: keep-alive, the end of TIME-WAIT, of FIN-WAIT-2 without an owner, of a handshake")


@dataclass(frozen=True)
class Field:
    """Of the record."""

    name: str
    bits: int
    meaning: str


FIELDS = tuple(Field(one.name, one.metadata["bits"], one.metadata["meaning"]) for one in fields(Record))
BITS = sum(one.bits for one in FIELDS)
OPTIONS = ("nagle_off", "ack_at_once", "quiet", "keep_on", "keep_idle", "patience", "ttl", "dscp", "mtu")
"""What a connection inherits from its listener."""
_BLOCK_FIELDS = ("held", "sacked")
_NEAR_FIELDS = frozenset(one.name for one in fields(Record) if one.metadata.get("near"))
_NEAR_MASK = (1 << NEAR) - 1


def _numbers(record: Record) -> Iterator[tuple[Field, int]]:
    for one in FIELDS:
        value = getattr(record, one.name)
        if one.name in _BLOCK_FIELDS:
            number = len(value)
            for begin, end in reversed((*value, *((0, 0),) * (GAPS - len(value)))):
                number = (number << 2 * NEAR) | ((begin & _NEAR_MASK) << NEAR) | (end & _NEAR_MASK)
            value = number
        elif one.name in _NEAR_FIELDS:
            value &= _NEAR_MASK
        yield one, int(value)


def pack(record: Record) -> int:
    """As it lies in memory. Raises ValueError when a field does not fit."""
    word = 0
    for one, value in _numbers(record):
        if not 0 <= value < 1 << one.bits:
            raise ValueError(f"{one.name} = {value:#x} does not fit into {one.bits} bits")
        word = (word << one.bits) | value
    return word


def unpack(word: int) -> Record:
    """The record that lies there; of near numbers (`NEAR`) the lower bits."""
    record = Record()
    for one in reversed(FIELDS):
        value = word & ((1 << one.bits) - 1)
        word >>= one.bits
        if one.name in _BLOCK_FIELDS:
            blocks = [(value >> 2 * NEAR * at) & ((1 << 2 * NEAR) - 1) for at in range(value >> 2 * NEAR * GAPS)]
            setattr(record, one.name, tuple(divmod(block, 1 << NEAR) for block in blocks))
        else:
            setattr(record, one.name, value)
    return record
