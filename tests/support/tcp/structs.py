# SPDX-License-Identifier: Apache-2.0
"""The structs and enums of tcp_pkg and net_pkg, from their text alone: fields by dotted name."""

import re
from functools import cache

from bench import ROOT
from net_hw import Layout

from tcp.record import BITS, GAPS

_CONSTANTS = {
    "INDEX_W": 10,
    "RING_W": 18,
    "NEAR_W": 20,
    "NOW_W": 56,
    "DEADLINE_W": 40,
    "GAPS": GAPS,
    "RING_BASE_W": 36 - 11,
    "DIRECT_W": 4,
}
BEATS = 4
BEAT_BITS = (BITS + BEATS - 1) // BEATS


@cache
def _text() -> str:
    files = [ROOT / "rtl" / path for path in ("net/net_pkg.sv", "tcp/common/tcp_pkg.sv")]
    return re.sub(r"//.*", "", "\n".join(file.read_text() for file in files))


def _number(text: str) -> int:
    for name, value in _CONSTANTS.items():
        text = re.sub(rf"\b{name}\b", str(value), text)
    first, *rest = text.split("-")
    return int(first) - sum(map(int, rest))


@cache
def enum(name: str) -> dict[str, int]:
    """Names with their numbers."""
    body = re.search(rf"enum logic(?: \[\d+:0\])? \{{([^}}]*)\}} {name};", _text())
    assert body is not None, name
    return {member: number for number, member in enumerate(re.findall(r"\w+", body[1]))}


@cache
def fields(name: str) -> tuple[tuple[str, int], ...]:
    """The simple fields of a struct with their widths, those of structs in it as `outer.inner`."""
    body = re.search(rf"struct packed \{{((?:(?!struct packed)[\s\S])*?)\}} {name};", _text())
    assert body is not None, name
    found: list[tuple[str, int]] = []
    for kind, high, field in re.findall(r"(\w+(?:::\w+)?)\s*(?:\[([^\]:]+):0\])?\s+(\w+);", body[1]):
        several = _number(high) + 1 if high else 1
        scalar = re.search(rf"typedef logic(?: \[([^\]:]+):0\])?\s+{kind};", _text())
        number = re.search(rf"typedef enum logic(?: \[(\d+):0\])? \{{[^}}]*\}} {kind};", _text())
        if kind == "logic":
            found.append((field, several))
        elif match := scalar or number:
            found.append((field, several * (_number(match[1]) + 1 if match[1] else 1)))
        else:
            inner = fields(kind.split("::")[-1])
            for at in reversed(range(several)):
                place = f"[{at}]" if high else ""
                found += [(f"{field}{place}.{name}", width) for name, width in inner]
    return tuple(found)


def layout(name: str) -> Layout:
    return Layout(**dict(fields(name)))
