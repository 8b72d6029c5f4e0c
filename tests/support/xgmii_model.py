# SPDX-License-Identifier: Apache-2.0
"""What XGMII is, by IEEE 802.3 clause 46: characters, lane by lane, each its 8 bits and 0x100 for a control one."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from mac_model import fcs

CONTROL = 0x100
IDLE, SEQUENCE, START, TERMINATE, ERROR = (CONTROL | code for code in (0x07, 0x9C, 0xFB, 0xFD, 0xFE))
PREAMBLE = [START, *[0x55] * 6, 0xD5]
SFD_AT = 7  # behind a start in [0]
LOCAL_FAULT, REMOTE_FAULT = [SEQUENCE, 0, 0, 1], [SEQUENCE, 0, 0, 2]


def with_fcs(frame: bytes) -> bytes:
    return frame + fcs(frame)


def characters(body: bytes, preamble: Iterable[int] = PREAMBLE) -> list[int]:
    """Preamble, `body` (FCS included) and terminate."""
    return [*preamble, *body, TERMINATE]


def garbled(rng: random.Random) -> list[int]:
    """A preamble whose six bytes are any, a delimiter among them too, and the SFD in its place."""
    return [START, *rng.choices((0x55, 0xD5, rng.randrange(256)), k=SFD_AT - 1), 0xD5]


def begins_well(head: list[int]) -> bool:
    """So many bytes behind the start, whatever they are, and the SFD."""
    return head[SFD_AT:] == [0xD5] and not any(char & CONTROL for char in head[1:])


def place(
    line: list[int], event: Iterable[int], gap: int, lane: int | None = None, *, lanes: int = 8, step: int = 4
) -> None:
    """`event` behind at least `gap` characters, terminate and idle, with its start in `lane` (or in any that `step`
    divides)."""
    last = next((at for at in range(len(line) - 1, -1, -1) if line[at] == TERMINATE), len(line))
    while len(line) - last < gap or (len(line) % step if lane is None else len(line) % lanes != lane):
        line.append(IDLE)
    line += event


def words(line: list[int], lanes: int = 8) -> list[tuple[int, int]]:
    """Data and control of so many lanes, idle up to a whole word."""
    full = line + [IDLE] * (-len(line) % lanes)
    return [
        (
            sum((full[at + n] & 0xFF) << 8 * n for n in range(lanes)),
            sum((full[at + n] >> 8) << n for n in range(lanes)),
        )
        for at in range(0, len(full), lanes)
    ]


@dataclass
class Event:
    fate: str  # as line_end_t
    body: bytes  # what is between SFD and terminate, where there is no error
    end: int  # index of the word that it ends in


def events(line: list[int], max_bytes: int) -> list[Event]:
    """The carrier events of a line, as the header of xgmii_rx defines them, and what a receiver says of each."""
    line = line + [IDLE] * (-len(line) % 8)
    out: list[Event] = []
    begun: int | None = None
    again = -1  # the last event that began in the word of another's end
    for word in range(len(line) // 8):
        now = line[8 * word : 8 * word + 8]
        if begun is None:
            begun = next((8 * word + lane for lane in (0, 4) if now[lane] == START), None)
        elif any(char & CONTROL and char not in (ERROR, START) for char in now):
            first = next(at for at in range(begun + 1, len(line)) if line[at] & CONTROL)
            clean = begins_well(line[begun : begun + 8]) and line[first] == TERMINATE
            body = bytes(line[begun + 8 : first]) if clean else b""
            if not clean:
                fate = "error"
            elif len(body) > max_bytes:
                fate = "oversize"
            elif len(body) < 64:
                fate = "runt"
            else:
                fate = "good" if with_fcs(body[:-4]) == body else "fcs"
            out.append(Event(fate, body, word))
            behind = any(char & CONTROL and char not in (ERROR, START) for char in now[:4]) and now[4] == START
            begun = 8 * word + 4 if behind and again != 8 * word - 4 else None
            again = begun or again
    return out


@dataclass
class Sent:
    start: int  # index of the start's character
    end: int  # index of the terminate
    body: bytes
    cut: bool


def sent(line: list[int], step: int = 4) -> list[Sent]:
    """Take apart what a transmitter put out, and check what every frame must have; it starts where `step` divides."""
    out: list[Sent] = []
    at = 0
    while at < len(line):
        if line[at] != START:
            assert line[at] & CONTROL or line[at - at % 4] == SEQUENCE, f"data outside of a frame, at {at}"
            at += 1
            continue
        assert at % step == 0 and line[at : at + 8] == PREAMBLE
        end = line.index(TERMINATE, at)
        inside = line[at + 8 : end]
        body = bytes(char for char in inside if not char & CONTROL)
        cut = len(body) < len(inside)
        assert inside[: len(body)] == list(body) and all(char == ERROR for char in inside[len(body) :])
        assert cut or (len(body) >= 64 and with_fcs(body[:-4]) == body)
        assert not out or at - out[-1].end > 12 - step, "gap too short"
        out.append(Sent(at, end, body, cut))
        at = end + 1
    return out
