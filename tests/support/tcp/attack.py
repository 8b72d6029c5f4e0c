# SPDX-License-Identifier: Apache-2.0
"""Peers that mean harm: segments and ICMP errors that are wrong in every way, at open connections and beside them.

An attacker has connections of its own, of which it sees all numbers: nothing that it sends there may do harm to others.
Of the connections of others it knows the ends at most: what it sends there is blind.
"""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

from nsoc.network.inet.packet import TCP, checksum, pseudo_header
from tcp.events import Flag
from tcp.record import WORD

End = tuple[bytes, int]
"""Address and port."""
_HEADER = struct.Struct("!HHIIBBHHH")
_MOST = 12
"""Connections of its own at most."""


@dataclass(frozen=True)
class Notice:
    """An ICMP error about a segment of the engine's."""

    destination: bytes
    ports: tuple[int, int]
    """The engine's, and the other one."""
    seq: int
    kind: int
    code: int
    mtu: int


@dataclass
class Known:
    """What an attacker has seen of a connection of its own."""

    seq: int = 0
    """The engine's: behind all that it has sent."""
    first: int = 0
    """Its first one."""
    wanted: int = 0
    """What it has acknowledged."""
    window: int = 0
    stamp: int | None = None
    iss: int = 0
    """Of the attacker's SYN."""
    open: bool = False
    begun: int = 0
    """The number of its SYN among all that the attacker has sent."""
    resets: int = 0
    """In a row, from the engine."""
    last: bytes = b""
    """The attacker's last segment."""


def segment(
    source: End,
    to: End,
    seq: int,
    ack: int,
    flags: int,
    *,
    window: int = 65535,
    urgent: int = 0,
    options: bytes = b"",
    payload: bytes = b"",
    offset: int | None = None,
) -> bytes:
    """With the right sum. `offset`: another one than the options have, in 4 bytes."""
    words = 5 + len(options) // 4 if offset is None else offset
    head = _HEADER.pack(
        source[1], to[1], seq % WORD, ack % WORD, words << 4 & 0xF0, flags & 0xFF, window & 0xFFFF, 0, urgent & 0xFFFF
    )
    return summed(source[0], to[0], head + options + payload)


def summed(source: bytes, to: bytes, data: bytes) -> bytes:
    """The segment with its right sum."""
    data = data[:16] + bytes(2) + data[18:]
    return data[:16] + checksum(pseudo_header(source, to, TCP, len(data)) + data).to_bytes(2) + data[18:]


class Attacker:
    """`at` are the ends that listen, `others` connections of good peers: theirs and the engine's end."""

    def __init__(self, rng: random.Random, address: bytes, at: int, others: list[tuple[End, int]]) -> None:
        self.rng, self.address, self.at, self.others = rng, address, at, others
        self.mine: dict[End, Known] = {}
        self.replies: list[tuple[bytes, bytes]] = []
        self._count = 0
        self._kinds: list[tuple[Callable[[], tuple[bytes, bytes] | Notice], int]] = [
            (self._spoiled_field, 30),
            (self._data, 10),
            (self._overlap, 12),
            (self._option_soup, 12),
            (self._lengths, 8),
            (self._windows, 8),
            (self._acknowledgements, 8),
            (self._byte, 6),
            (self._again, 4),
            (self._flip, 8),
            (self._noise, 3),
            (self._syn, 8),
            (self._reset, 2),
            (self._notice, 4),
            (self._blind, 20),
            (self._blind_notice, 3),
        ]

    # ---- What it sees ------------------------------------------------------------------------------------------------

    def see(self, to: bytes, data: bytes) -> None:
        """A segment of the engine's to an attacker; an answer may follow."""
        from_port, port, seq, ack, offset, flags, window, _, _ = _HEADER.unpack_from(data)
        end = to, port
        known = self.mine.get(end)
        if flags & Flag.RST:  # one alone may answer a segment for nobody
            if known is not None and from_port == self.at:
                known.resets += 1
                if known.resets == 3:
                    del self.mine[end]
            return
        if known is None and flags & Flag.SYN and self.rng.random() < 0.9:  # else it stays half open
            known = self.mine[end] = Known(wanted=ack, iss=ack - 1)
        if known is None:
            return
        known.resets = 0
        length = len(data) - (offset >> 4 << 2) + bool(flags & Flag.SYN) + bool(flags & Flag.FIN)
        if flags & Flag.SYN and not known.open:
            known.first, known.seq = seq, (seq + 1) % WORD
        if (seq + length - known.seq) % WORD < WORD // 2:
            known.seq = (seq + length) % WORD
        known.wanted, known.window = ack, window
        known.stamp = int.from_bytes(data[24:28]) if data[20:24] == b"\x01\x01\x08\x0a" else known.stamp
        here = self.address, from_port
        if flags & Flag.SYN:
            what = self.rng.random()
            if what < 0.75 and sum(one.open for one in self.mine.values()) < _MOST:
                known.open = True
                self._answer(end, segment(end, here, known.wanted, known.seq, Flag.ACK, options=self._stamp(known)))
            elif what < 0.95:
                self._answer(end, segment(end, here, known.wanted, known.seq, Flag.RST))
                del self.mine[end]
        elif length and self.rng.random() < 0.4:
            window = self.rng.choice((0, 1, 100, 1460, 65535))
            self._answer(
                end,
                segment(end, here, known.wanted, known.seq, Flag.ACK, window=window, options=self._stamp(known)),
            )

    def _answer(self, end: End, data: bytes) -> None:
        self.replies.append((end[0], data))

    # ---- What it sends -----------------------------------------------------------------------------------------------

    def next(self) -> tuple[bytes, bytes] | Notice:
        """From where, and a segment; or an error."""
        self._count += 1
        if self.replies:
            return self.replies.pop(0)
        if self._count % 64 == 0:
            self.mine = {end: one for end, one in self.mine.items() if one.open or self._count - one.begun < 64}
        if len(self.mine) < _MOST and self.rng.random() < 0.2:
            return self._syn()
        kinds, weights = zip(*self._kinds, strict=True)
        return self.rng.choices(kinds, weights)[0]()

    def _pick(self) -> tuple[End, Known]:
        """A connection of its own, or none that there is."""
        opened = [one for one in self.mine.items() if one[1].open]
        if opened and self.rng.random() < 0.95:
            return self.rng.choice(opened)
        nobody = bytes((10, 0, 1, self.rng.randrange(8))), self.rng.getrandbits(16)
        return nobody, Known(wanted=self.rng.getrandbits(32))

    def _near(self, *numbers: int) -> int:
        """One at, beside or far from one of these."""
        rng = self.rng
        off = rng.choice((
            0, 0, 0, 1, -1, 2, rng.randrange(-10, 10), rng.randrange(-1500, 1500), 1460, 65535, 65536, -65535, -65536,
            WORD // 2, WORD // 2 - 1, WORD // 2 + 1, rng.getrandbits(32),
        ))  # fmt: skip
        return (rng.choice(numbers) + off) % WORD

    def _stamp(self, known: Known, value: int | None = None) -> bytes:
        if known.stamp is None:
            return b""
        value = self.rng.randrange(1 << 20) if value is None else value
        return struct.pack("!BBBBII", 1, 1, 8, 10, value % WORD, known.stamp)

    def _text(self, most: int = 1400) -> bytes:
        rng = self.rng
        return rng.randbytes(rng.choice((0, 0, 1, 2, rng.randrange(1, 64), rng.randrange(1, most))))

    def _to(self) -> End:
        return self.address, self.at

    def _sent(self, end: End, known: Known, data: bytes) -> tuple[bytes, bytes]:
        known.last = data
        return end[0], data

    def _seq(self, known: Known) -> int:
        edge = known.wanted + known.window
        return self._near(known.wanted, known.wanted, edge, known.iss)

    def _spoiled_field(self) -> tuple[bytes, bytes]:
        """All fields but one or two are those that belong there."""
        rng = self.rng
        end, known = self._pick()
        seq, ack, flags, window, urgent = known.wanted, known.seq, int(Flag.ACK), 65535, 0
        options, payload = self._stamp(known), self._text()
        to, offset = self._to(), None
        for _ in range(rng.choice((1, 1, 2))):
            match rng.randrange(9):
                case 0:
                    seq = self._seq(known)
                case 1:
                    ack = self._near(known.seq, known.first)
                case 2:
                    flags = rng.getrandbits(8)
                case 3:
                    window = rng.choice((0, 1, 63, 64, 65535, rng.getrandbits(16)))
                case 4:
                    urgent, flags = rng.choice((0, 1, 65535, rng.getrandbits(16))), flags | Flag.URG
                case 5:
                    options = self._stamp(known, self._near(0, WORD // 2))
                case 6:
                    to = to[0], rng.choice((0, to[1] ^ 1, rng.getrandbits(16)))
                case 7:
                    end = end[0], rng.choice((0, end[1] ^ 1, rng.getrandbits(16)))
                case _:
                    offset = rng.randrange(16)
        return self._sent(
            end, known,
            segment(
                end, to, seq, ack, flags, window=window, urgent=urgent, options=options, payload=payload, offset=offset
            ),
        )  # fmt: skip

    def _data(self) -> tuple[bytes, bytes]:
        """As a good peer does."""
        end, known = self._pick()
        flags = Flag.ACK | (Flag.FIN if self.rng.random() < 0.05 else 0)
        options, payload = self._stamp(known), self._text()
        data = segment(end, self._to(), known.wanted, known.seq, flags, options=options, payload=payload)
        return self._sent(end, known, data)

    def _overlap(self) -> tuple[bytes, bytes]:
        """Other bytes where some are held, or were."""
        end, known = self._pick()
        seq = known.wanted + self.rng.randrange(-3000, 6000)
        flags = Flag.ACK | (Flag.FIN if self.rng.random() < 0.1 else 0)
        data = segment(end, self._to(), seq, known.seq, flags, options=self._stamp(known), payload=self._text(3000))
        return self._sent(end, known, data)

    def _option_soup(self) -> tuple[bytes, bytes]:
        """Kinds and lengths of all sorts, also such that end behind the header."""
        rng = self.rng
        end, known = self._pick()
        soup = b""
        wanted = 4 * rng.randrange(1, 11)
        while len(soup) < wanted:
            match rng.randrange(6):
                case 0:
                    soup += bytes((rng.choice((0, 1, 1)),))
                case 1:
                    soup += bytes((rng.randrange(2, 9), rng.choice((0, 1, 255))))
                case 2:
                    count = rng.randrange(5)
                    edges = [self._near(known.first, known.seq, known.seq) for _ in range(2 * count)]
                    soup += bytes((5, 2 + 8 * count)) + b"".join(one.to_bytes(4) for one in edges)
                case 3:
                    soup += bytes((8, 10)) + self._near(0).to_bytes(4) + rng.randbytes(4)
                case 4:
                    soup += bytes((2, 4)) + rng.randbytes(2) + bytes((3, 3, rng.randrange(256), 4, 2))
                case _:
                    soup += rng.randbytes(rng.randrange(1, 8))
        flags = rng.choice((Flag.ACK, Flag.ACK, Flag.ACK, Flag.SYN, Flag.SYN | Flag.ACK))
        data = segment(end, self._to(), known.wanted, known.seq, flags, options=soup[:wanted], payload=self._text(100))
        return self._sent(end, known, data)

    def _lengths(self) -> tuple[bytes, bytes]:
        """The offset against the segment's length, the segment cut anywhere."""
        rng = self.rng
        end, known = self._pick()
        data = segment(
            end, self._to(), known.wanted, known.seq, Flag.ACK, options=rng.randbytes(4 * rng.randrange(11)),
            payload=self._text(60), offset=rng.randrange(16),
        )  # fmt: skip
        data = data[: rng.choice((len(data), rng.randrange(1, len(data) + 1), 20, 19, 21))]
        return self._sent(end, known, summed(end[0], self.address, data) if len(data) >= 20 else data)

    def _windows(self) -> tuple[bytes, bytes]:
        """They shrink, close, and open by a byte."""
        rng = self.rng
        end, known = self._pick()
        window = rng.choice((0, 0, 1, 2, 63, 64, 100, rng.getrandbits(16)))
        ack = rng.choice((known.seq, known.first + 1, self._near(known.seq, known.first)))
        return self._sent(
            end, known, segment(end, self._to(), known.wanted, ack, Flag.ACK, window=window, options=self._stamp(known))
        )

    def _acknowledgements(self) -> tuple[bytes, bytes]:
        """Of half segments, of nothing, over and over; with blocks that cannot be."""
        rng = self.rng
        end, known = self._pick()
        span = max((known.seq - known.first) % WORD, 1)
        ack = known.first + rng.choice((rng.randrange(span), min(1, span), span, span + 1))
        edges = [self._near(known.first, known.seq) for _ in range(2 * rng.randrange(1, 4))]
        blocks = struct.pack("!BBBB", 1, 1, 5, 2 + 4 * len(edges)) + b"".join(one.to_bytes(4) for one in edges)
        data = segment(end, self._to(), known.wanted, ack, Flag.ACK, options=self._stamp(known) + blocks)
        return self._sent(end, known, data)

    def _byte(self) -> tuple[bytes, bytes]:
        """One, each ahead of a gap."""
        end, known = self._pick()
        seq = known.wanted + 2 * self.rng.randrange(1, 200)
        data = segment(end, self._to(), seq, known.seq, Flag.ACK, options=self._stamp(known), payload=b"x")
        return self._sent(end, known, data)

    def _again(self) -> tuple[bytes, bytes]:
        end, known = self._pick()
        return end[0], known.last or self._data()[1]

    def _flip(self) -> tuple[bytes, bytes]:
        """Some bits, and sometimes the right sum."""
        rng = self.rng
        end, known = self._pick()
        data = bytearray(segment(
            end, self._to(), known.wanted, known.seq, Flag.ACK, options=self._stamp(known), payload=self._text(200)
        ))  # fmt: skip
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(min(len(data), 40) if rng.random() < 0.7 else len(data))] ^= 1 << rng.randrange(8)
        return end[0], summed(end[0], self.address, bytes(data)) if rng.random() < 0.6 else bytes(data)

    def _noise(self) -> tuple[bytes, bytes]:
        end, _ = self._pick()
        data = self.rng.randbytes(self.rng.randrange(1, 120))
        return end[0], summed(end[0], self.address, data) if len(data) >= 20 and self.rng.random() < 0.7 else data

    def _syn(self) -> tuple[bytes, bytes]:
        """Of a connection of its own to be, or one of many that are never heard of again."""
        rng = self.rng
        end = bytes((10, 0, 1, rng.randrange(8))), rng.randrange(1024, 65536)
        iss = rng.choice((rng.getrandbits(32), WORD - rng.randrange(1, 3000)))
        options = b""
        if rng.random() < 0.8:
            options += struct.pack("!BBH", 2, 4, rng.choice((0, 1, 64, 536, 1460, 1460, 65535)))
        if rng.random() < 0.5:
            options += bytes((1, 3, 3, rng.choice((0, 2, 7, 14, 15, 255))))
        if rng.random() < 0.5:
            options += bytes((1, 1, 4, 2))
        if rng.random() < 0.4:
            options += struct.pack("!BBBBII", 1, 1, 8, 10, rng.getrandbits(32), 0)
        if len(self.mine) < _MOST:
            self.mine[end] = Known(iss=iss, wanted=(iss + 1) % WORD, begun=self._count)
        flags = Flag.SYN | (Flag.FIN if rng.random() < 0.05 else 0)
        payload = self._text(100) if rng.random() < 0.1 else b""
        window = rng.choice((0, 1000, 65535))
        return end[0], segment(end, self._to(), iss, 0, flags, window=window, options=options, payload=payload)

    def _reset(self) -> tuple[bytes, bytes]:
        end, known = self._pick()
        return end[0], segment(end, self._to(), known.wanted, known.seq, Flag.RST)

    def _error(self) -> tuple[int, int, int]:
        rng = self.rng
        kind, code = rng.choice(((3, rng.randrange(16)), (3, 4), (3, 2), (3, 3), (11, 0), (12, 0), (5, 1)))
        return kind, code, rng.choice((0, 1, 68, 296, 551, 552, 576, 1400, 65535))

    def _notice(self) -> Notice:
        end, known = self._pick()
        return Notice(end[0], (self.at, end[1]), self._near(known.first, known.seq), *self._error())

    # ---- At others' connections --------------------------------------------------------------------------------------

    def _blind(self) -> tuple[bytes, bytes]:
        """It knows no numbers: a reset or a SYN may hit the window, data not with a good acknowledgement."""
        rng = self.rng
        end, port = rng.choice(self.others)
        resets, syns = (Flag.RST, Flag.RST | Flag.ACK), (Flag.SYN, Flag.SYN | Flag.ACK)
        flags = rng.choice((*resets, *syns, Flag.ACK, Flag.ACK | Flag.FIN, 0))
        seq, ack = self.guess(end, flags)
        data = segment(end, (self.address, port), seq, ack, flags, options=b"", payload=self._text(200))
        return end[0], data

    def _blind_notice(self) -> Notice:
        end, port = self.rng.choice(self.others)
        return Notice(end[0], (port, end[1]), self.guess(end, 0)[1], *self._error())

    def guess(self, end: End, flags: int) -> tuple[int, int]:
        """Sequence and acknowledgement number; to be replaced by who knows what must not be hit."""
        return self.rng.getrandbits(32), self.rng.getrandbits(32)
