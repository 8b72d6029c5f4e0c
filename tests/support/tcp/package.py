# SPDX-License-Identifier: Apache-2.0
"""The types of tcp_pkg, read from its text: how an event lies in bits, and what the bits of actions say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench import ROOT

TEXT = (ROOT / "rtl/tcp/common/tcp_pkg.sv").read_text()


def _constants() -> dict[str, int]:
    """Plain numbers, of the bus too: a ring's base is an address of it."""
    texts = {"": TEXT, "acb_pkg::": (ROOT / "rtl/bus/acb_pkg.sv").read_text()}
    known = {
        prefix + name: int(value)
        for prefix, text in texts.items()
        for name, value in re.findall(r"localparam int unsigned (\w+)\s*= (\d+);", text)
    }
    for name, minuend, subtrahend in re.findall(r"localparam int unsigned (\w+) = ([\w:]+) - (\w+);", TEXT):
        known[name] = known[minuend] - known[subtrahend]
    return known


@dataclass(frozen=True)
class Member:
    """Of a packed struct."""

    name: str
    kind: str
    bits: int


def _width(kind: str, range_: str, known: Mapping[str, int]) -> int:
    width = known.get(kind, 1)
    for high in re.findall(r"\[([^:\]]+):0\]", range_):
        words = [_CONSTANTS.get(word, word) for word in re.split(r"\s*-\s*", high)]
        width *= int(words[0]) - sum(map(int, words[1:])) + 1
    return width


def _structs() -> tuple[dict[str, tuple[Member, ...]], dict[str, int]]:
    structs: dict[str, tuple[Member, ...]] = {}
    widths = {"logic": 1}
    for one in re.finditer(
        r"typedef (?:struct packed \{(?P<body>[^{}]*)\}|enum logic (?P<of>\[\d+:0\]) \{[^{}]*\}"
        r"|logic (?P<range>\[[^\]]*\])) *(?P<name>\w+);",
        TEXT,
    ):
        if one["body"] is None:
            widths[one["name"]] = _width("logic", one["of"] or one["range"], widths)
            continue
        found = re.findall(r"^ +(\w+) *((?:\[[^\]]*\])*) +(\w+);", one["body"], re.M)
        members = tuple(Member(name, kind, _width(kind, range_, widths)) for kind, range_, name in found)
        structs[one["name"]], widths[one["name"]] = members, sum(member.bits for member in members)
    return structs, widths


_CONSTANTS = _constants()
STRUCTS, WIDTHS = _structs()


def pack(kind: str, value: Any) -> int:
    """`value` as a `kind`: a number, or a mapping from names of members; what it does not name is zero."""
    if not isinstance(value, Mapping):
        number = int(value)
        if not 0 <= number < 1 << WIDTHS.get(kind, 1 << 12):
            raise ValueError(f"{number:#x} does not fit into {kind}")
        return number
    unknown = set(value) - {member.name for member in STRUCTS[kind]}
    if unknown:
        raise ValueError(f"{kind} has no {sorted(unknown)}")
    word = 0
    for member in STRUCTS[kind]:
        inner = member.kind in STRUCTS and WIDTHS[member.kind] == member.bits
        number = pack(member.kind if inner else "", value.get(member.name, 0))
        if number >> member.bits:
            raise ValueError(f"{kind}.{member.name} = {number:#x} does not fit into {member.bits} bits")
        word = word << member.bits | number
    return word


def unpack(kind: str, word: int) -> dict[str, Any]:
    """The members of a `kind`, structs as dictionaries."""
    members: dict[str, Any] = {}
    for member in reversed(STRUCTS[kind]):
        value = word & ((1 << member.bits) - 1)
        word >>= member.bits
        inner = member.kind in STRUCTS and WIDTHS[member.kind] == member.bits
        members[member.name] = unpack(member.kind, value) if inner else value
    return dict(reversed(members.items()))


def enum_names(kind: str) -> list[str]:
    """Of an enum, in the order of their numbers."""
    body = re.search(rf"typedef enum logic \[\d+:0\] \{{([^}}]*)\}} {kind};", TEXT)
    assert body is not None
    return re.findall(r"\w+", body[1])
