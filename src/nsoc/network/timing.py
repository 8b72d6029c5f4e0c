# SPDX-License-Identifier: Apache-2.0
"""When the frames of a capture go out: in exact integers, since a float of seconds since 1970 has no nanoseconds."""

import math
from collections.abc import Sequence
from fractions import Fraction

from nsoc.errors import NsocError
from nsoc.network.pcapng import Packet


def check_speed(speed: float, name: str) -> None:
    """Raises NsocError unless time can pass so many times as fast. `name`: what the caller calls it."""
    if not 0 < speed < math.inf:
        raise NsocError(f"{name} must be a number above 0, 1 for the time in the capture, not {speed:g}")


def since_first_ps(packets: Sequence[Packet], speed: float) -> list[int]:
    """When each goes out behind the first one, of packets that have times and are sorted by them; at least one."""
    first, factor = packets[0].time_ps, Fraction(speed)
    return [round((packet.time_ps - first) / factor) for packet in packets]
