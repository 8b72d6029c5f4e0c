# SPDX-License-Identifier: Apache-2.0
"""What an Ethernet MAC should make of GMII and MII symbols, written on whole frames and with zlib's CRC."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PREAMBLE = b"\x55" * 7 + b"\xd5"
SFD_PLACES = 9  # bytes of a carrier event that may be the SFD; at MII so many pairs of nibbles
DV, ER = 0x100, 0x200
BROADCAST = b"\xff" * 6
PAUSE_ADDRESS = bytes.fromhex("0180C2000001")


def fcs(frame: bytes) -> bytes:
    return struct.pack("<I", zlib.crc32(frame))


def on_wire(frame: bytes) -> bytes:
    """The bytes of a carrier event that carries `frame`, which is long enough not to be padded."""
    return PREAMBLE + frame + fcs(frame)


def symbols(event: bytes, gap: int = 12, errors: Iterable[int] = ()) -> list[int]:
    """A carrier event as GMII symbols with `gap` idle ones behind it; `errors` are indices of bytes with rx_er."""
    out = [DV | byte for byte in event] + [0] * gap
    for index in errors:
        out[index] |= ER
    return out


def mii_symbols(event: bytes, gap: int = 24, *, skip: int = 0, dribble: int | None = None) -> list[int]:
    """A carrier event as MII symbols, without its first `skip` nibbles and with an odd one behind it."""
    nibbles = [nibble for byte in event for nibble in (byte & 15, byte >> 4)][skip:]
    return [DV | n for n in nibbles + ([] if dribble is None else [dribble])] + [0] * gap


@dataclass(frozen=True)
class Settings:
    """Of the receiver; names and values as in mac_settings_t."""

    mac_address: int = 0
    multicast_hash: int = 0
    promiscuous: int = 1
    broadcast: int = 1
    rx_pause: int = 0
    mii: int = 0
    max_frame: int = 0

    def pauses(self, frame: bytes) -> bool:
        """A pause frame to be obeyed and consumed."""
        to_us = frame[:6] in (PAUSE_ADDRESS, self.mac_address.to_bytes(6, "big"))
        return bool(self.rx_pause) and to_us and frame[12:16] == b"\x88\x08\x00\x01"

    def wants(self, frame: bytes) -> bool:
        to = frame[:6]
        if self.promiscuous or to == self.mac_address.to_bytes(6, "big"):
            return True
        if to == BROADCAST:
            return bool(self.broadcast)
        return bool(to[0] & 1) and bool(self.multicast_hash >> (ether_crc(to) >> 26) & 1)


def ether_crc(data: bytes) -> int:
    """The CRC as drivers write it, highest bit first: as Linux' ether_crc."""
    crc = 0xFFFF_FFFF
    for byte in data:
        for bit in range(8):
            crc = crc << 1 & 0xFFFF_FFFF ^ (0x04C1_1DB7 if crc >> 31 ^ byte >> bit & 1 else 0)
    return crc


@dataclass
class Event:
    start: int  # index of its first symbol
    end: int  # index of the symbol behind it
    cause: str  # what a MAC with room and enabled says of it
    frame: bytes  # what it delivers when that is "good"
    sfd: int  # index of the SFD (at MII: of its second nibble), or -1
    body: bytes  # what is behind the SFD, all of it
    shown: bool  # a MAC with room and enabled delivers its begin before it knows the end


def _bytes(run: list[int], mii: bool) -> tuple[int, list[bytes]]:
    """Take a carrier event apart: the index of the SFD's (last) symbol, -1 where there is none in its places, and the
    symbols behind it, in groups that make bytes (an odd nibble is a group of its own)."""
    data = bytes(symbol & (0x0F if mii else 0xFF) for symbol in run)
    width = 2 if mii else 1
    places = data[: SFD_PLACES * width]
    sfd = places.find(b"\x05\x0d") + 1 or -1 if mii else places.find(b"\xd5")
    return sfd, [data[at : at + width] for at in range(sfd + 1, len(data), width)]


def carrier_events(stream: list[int], max_bytes: int, settings: Settings | None = None) -> list[Event]:
    """Find and judge the carrier events of a symbol stream."""
    settings = settings or Settings()
    max_bytes = min(max_bytes, settings.max_frame or max_bytes)
    width = 2 if settings.mii else 1  # symbols a byte
    events = []
    at, n = 0, len(stream)
    while at < n:
        if not stream[at] & DV:
            at += 1
            continue
        end = at
        while end < n and stream[end] & DV:
            end += 1
        run = stream[at:end]
        sfd, groups = _bytes(run, bool(settings.mii))
        body = bytes(g[0] | g[1] << 4 if settings.mii else g[0] for g in groups if len(g) == width)
        first_error = next((i for i, symbol in enumerate(run) if symbol & ER), len(run))
        frame = b""
        if first_error < len(run) or sfd < 0:
            cause = "error"
        elif len(body) > max_bytes:
            cause = "oversize"
        elif len(body) < 64:
            cause = "runt"
        elif fcs(body[:-4]) != body[-4:]:
            cause = "fcs"
        elif settings.pauses(body):
            cause = "pause"
        elif not settings.wants(body):
            cause = "filtered"
        else:
            cause, frame = "good", body[:-4]
        # The eighth word goes out when the byte behind it and an FCS is there; only what is wrong later is too late.
        clean = first_error >= sfd + 69 * width
        shown = sfd >= 0 and len(body) >= 69 and clean and settings.wants(body) and not settings.pauses(body)
        events.append(Event(at, end, cause, frame, at + sfd if sfd >= 0 else -1, body, shown))
        at = end
    return events


@dataclass
class Sent:
    start: int  # index of the first preamble byte
    end: int  # index behind the last FCS byte
    frame: bytes  # without preamble and FCS, with padding
    cut: bool = False  # it was cut short behind `frame`


def sent_frames(stream: Iterable[int], cut: bool = False) -> list[Sent]:
    """Take apart what a transmitter put on GMII, and check what every frame must have; `cut`: some may be cut short."""
    stream = list(stream)
    out: list[Sent] = []
    for event in carrier_events(stream, 1 << 30):
        assert bytes(symbol & 0xFF for symbol in stream[event.start : event.start + 8]) == PREAMBLE
        assert not out or event.start - out[-1].end >= 12, "gap too short"
        is_cut = any(symbol & ER for symbol in stream[event.start : event.end])
        if is_cut:
            # Where the FCS of what was sent would be is something else, with an error all along it and nowhere before.
            assert cut, f"frame {len(out)} on GMII TX is cut short"
            assert [bool(symbol & ER) for symbol in stream[event.start : event.end]].index(True) == (
                event.end - event.start - 4
            ) and all(symbol & ER for symbol in stream[event.end - 4 : event.end])
            body = bytes(symbol & 0xFF for symbol in stream[event.sfd + 1 : event.end])
            assert fcs(body[:-4]) != body[-4:]
            event.frame = body[:-4]
        else:
            assert event.cause == "good", f"frame {len(out)} on GMII TX: {event.cause}"
        out.append(Sent(event.start, event.end, event.frame, is_cut))
    assert not any(symbol & ER and not symbol & DV for symbol in stream)
    return out


def bytes_of_nibbles(stream: Sequence[int]) -> list[int]:
    """What a transmitter put on MII as GMII symbols: byte i is nibbles 2i and 2i + 1, both with the same flags.

    An odd nibble before the first frame is left out, so that bytes begin where frames do.
    """
    first = next((index for index, symbol in enumerate(stream) if symbol & DV), 0)
    pairs = zip(stream[first % 2 :: 2], stream[first % 2 + 1 :: 2], strict=False)
    out = []
    for low, high in pairs:
        assert low >> 4 == high >> 4, "flags change in the middle of a byte, or an upper pin is not 0"
        assert not low & 0xF0, "an upper pin is not 0"
        out.append(low & ~0xFF | (high & 0xF) << 4 | low & 0xF)
    return out


def padded(frame: bytes) -> bytes:
    return frame.ljust(60, b"\0")
