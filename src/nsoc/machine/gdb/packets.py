# SPDX-License-Identifier: Apache-2.0
"""Packets of the protocol: what stands around the contents, and the fields inside."""

PACKET_BYTES = 0x4000
"""The longest that GDB may send."""
DATA_BYTES = PACKET_BYTES // 2
"""What fits into a packet as hex digits."""

_ESCAPE, _ESCAPE_XOR = 0x7D, 0x20
_HEX_DIGITS = "0123456789abcdefABCDEF"


class Malformed(Exception):
    """A packet that is not one."""


def checksum(contents: bytes) -> bytes:
    """The two hex digits behind the `#`."""
    return b"%02x" % (sum(contents) & 0xFF)


def frame_packet(contents: bytes) -> bytes:
    """A packet around `contents`."""
    escaped = b"".join(bytes([_ESCAPE, c ^ _ESCAPE_XOR]) if c in b"#$}*" else bytes([c]) for c in contents)
    return b"$" + escaped + b"#" + checksum(escaped)


def unescape(data: bytes) -> bytes:
    """The bytes that GDB sent as they are, but for those it had to escape."""
    out = bytearray()
    escaped = False
    for byte in data:
        if escaped:
            out.append(byte ^ _ESCAPE_XOR)
        elif byte != _ESCAPE:
            out.append(byte)
        escaped = byte == _ESCAPE and not escaped
    return bytes(out)


def split(text: str, at: str) -> tuple[str, str]:
    """The fields before and behind the first `at`, which must be there."""
    first, found, second = text.partition(at)
    if not found:
        raise Malformed
    return first, second


def number(digits: str) -> int:
    """A number in hex."""
    if not digits or len(digits) > 16 or any(c not in _HEX_DIGITS for c in digits):
        raise Malformed
    return int(digits, 16)


def hex_bytes(digits: str) -> bytes:
    """Bytes, each in two hex digits."""
    if any(c not in _HEX_DIGITS for c in digits):
        raise Malformed  # fromhex would skip spaces
    return bytes.fromhex(digits)
