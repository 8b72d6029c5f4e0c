# SPDX-License-Identifier: Apache-2.0
"""What everybody knows of an Ethernet frame on a line of 1 Gb/s (IEEE 802.3, clauses 3 and 4). Lengths are in bytes,
those of frames without FCS."""

HEADER_BYTES = 14
"""Destination, source and type."""
FCS_BYTES = 4
PREAMBLE_BYTES = 8
"""With the start delimiter."""
IFG_BYTES = 12
SLOT_BYTES = PREAMBLE_BYTES + FCS_BYTES + IFG_BYTES
"""So many more than the frame's own bytes it takes on the line."""
SHORTEST, LONGEST = 60, 1514
"""Shorter ones are padded."""
LINE_MBPS = 1000.0
BYTE_PS = 8000
"""A byte on the line."""


def line_limit(payload: int) -> float:
    """Frame bytes that the line carries at most, in Mb/s, with frames of that payload back to back."""
    frame = max(payload + HEADER_BYTES, SHORTEST)
    return LINE_MBPS * frame / (frame + SLOT_BYTES)


def described(data: bytes) -> str:
    """A frame for people: how long it is, from whom, to whom, of which type."""
    return f"{len(data)} bytes  {data[6:12].hex(':')} > {data[:6].hex(':')}  type 0x{data[12:14].hex()}"
