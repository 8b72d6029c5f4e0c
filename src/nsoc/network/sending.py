# SPDX-License-Identifier: Apache-2.0
"""Frames that commands send with --send, as hexadecimal digits or captures, and when each goes out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from nsoc.errors import NsocError
from nsoc.machine.sim import LONGEST_FS
from nsoc.network import pcapng
from nsoc.network.timing import check_speed, since_first_ps

_LONGEST_PS = LONGEST_FS // 1000


Timing = Literal["back-to-back", "capture"]
"""When the frames of a capture go out: as soon as the line is free, or as far apart as in the capture."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A frame that is to be sent."""

    data: bytes
    bad_fcs: bool = False
    after_ps: int | None = None
    """Not before so long after the first one; None: as soon as the line is free."""


@dataclass(frozen=True, kw_only=True)
class Sending:
    """How frames are sent."""

    timing: Timing = "back-to-back"
    speed: float | None = None
    """So many times as fast as in the capture; None: as fast."""
    loop: int = 1
    """So many times, each behind the one before."""
    truncated: Literal["skip", "pad"] = "skip"
    """As pcapng.read() has it."""

    def __post_init__(self) -> None:
        if self.speed is not None:
            check_speed(self.speed, "--speed")
            if self.timing != "capture":
                raise NsocError("frames that go back to back have no other speed: add --timing capture to --speed")


def frames_to_send(
    what: Sequence[str], how: Sending | None = None, say: Callable[[str], None] = lambda _: None
) -> list[Outgoing]:
    """Each of `what` is hex bytes of one frame (spaces and colons are skipped) or a capture file. With times, each file
    begins when the last frame of the one before goes out. `say` gets a line about each file that is not as one would
    think.

    Raises NsocError.
    """
    how = how or Sending()
    items = [_frames_of(item, how, say) for item in what] * how.loop
    if how.timing == "back-to-back":
        return [frame for item in items for frame in item]
    frames: list[Outgoing] = []
    for item in items:
        begin_ps = (frames[-1].after_ps or 0) if frames else 0
        frames += [replace(frame, after_ps=begin_ps + (frame.after_ps or 0)) for frame in item]
    last_ps = (frames[-1].after_ps or 0) if frames else 0
    if last_ps > _LONGEST_PS:
        raise NsocError(
            f"the last frame of --send would go out after {last_ps / 1e12:,.0f} s, and simulated time ends after "
            f"{_LONGEST_PS / 1e12:,.0f} s: give more --speed"
        )
    return frames


def _frames_of(item: str, how: Sending, say: Callable[[str], None]) -> list[Outgoing]:
    digits = "".join(item.split()).replace(":", "")
    if all(c in "0123456789abcdefABCDEF" for c in digits) and not Path(item).is_file():
        if len(digits) % 2 or not digits:
            raise NsocError(f"--send {item!r} is not whole bytes in hex; give two digits a byte")
        if how.timing == "capture":
            raise NsocError(f"--send {item!r} has no time: leave --timing capture out, or send captures alone")
        return [Outgoing(bytes.fromhex(digits))]
    capture = pcapng.load(item, truncated=how.truncated, way_out="--truncated pad")
    if how.timing == "capture":
        capture.check_timed("leave --timing capture out, and they go back to back")
    if note := capture.note("--truncated pad"):
        say(note)
    if how.timing == "back-to-back":
        return [Outgoing(packet.data, packet.bad_fcs) for packet in capture.packets]
    times = since_first_ps(capture.packets, how.speed or 1)
    return [Outgoing(p.data, p.bad_fcs, after_ps) for p, after_ps in zip(capture.packets, times, strict=True)]
