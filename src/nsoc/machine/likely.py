# SPDX-License-Identifier: Apache-2.0
"""Which way the branches of a simulator go, told to its C++ compiler.

Verilator's code has thousands of conditions, and most hardly ever hold: a reset, an error, the start of a frame. With
that code out of the way, the same instructions take a fifth less time. A compiler can count, but then everything is
compiled twice. So it is counted once, for all: KEPT says how often a condition holds. One that is not in there is new,
or holds as often as is expected: without an `else` never, as most of these do, with one half the time. Nothing but
speed depends on it.

A condition goes by its text, with only the last PLACES of its signals' places in the hierarchy, and by the first
assignment that depends on it: what is counted in one preset is known of others.

`make likely` counts again: with $NSOC_COUNT set to a folder simulators are built that count, and write there what they
have when they end (nsoc.machine.training runs them). `python -m nsoc.machine.likely FOLDER` makes KEPT of that.
"""

import argparse
import functools
import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nsoc.machine import by_clock

KEPT = Path(__file__).with_name("likely.json")
COUNT = "NSOC_COUNT"
"""Environment variable, see above."""
TOLERANCE = 5
"""Percent: a condition that differs less from what is expected is not in KEPT."""
NEVER = 0.0005
"""The share that a compiler is told of a condition that never holds; what a program has not met is not impossible."""
DIGITS = 8
"""Of the hash that stands for a condition's text."""

PLACES = 3
_IF = re.compile(r"\bif \(")
_NUMBERED = re.compile(r"_*h[0-9a-f]{8}(_\d+)*|__\d+(?!\d)")
"""Numbers that Verilator gives its temporaries."""
_LEFT = ("VL_LIKELY", "VL_UNLIKELY", "__VnbaTriggered")
"""Conditions of which Verilator knows more, or evaluate.h."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Of an `if` in generated code."""

    first: int
    end: int
    """Where its text is, without the parentheses."""
    key: str
    has_else: bool


def conditions(code: str) -> Iterator[Condition]:
    """The conditions of generated code of which something can be told, in their order."""
    for found in _IF.finditer(code):
        end = _closed(code, found.end(), "()")
        text = code[found.end() : end]
        if any(word in text for word in _LEFT) or not code.startswith(") {", end):
            continue
        behind = _closed(code, end + 3, "{}") + 1
        then = code[end : code.find("=", end)]
        yield Condition(found.end(), end, key(text + then), code.startswith(" else", behind))


def key(text: str) -> str:
    """What stands for a condition with this text, which the text up to the first assignment behind it follows."""
    bare = re.sub(r"\w+", lambda word: _NUMBERED.sub("", "".join(word[0].split("__DOT__")[-PLACES:])), text)
    return hashlib.sha256("".join(bare.split()).encode()).hexdigest()[:DIGITS]


def _closed(code: str, start: int, pair: str) -> int:
    """Where that pair of brackets closes of which the first is just before `start`."""
    depth = 1
    for found in re.compile(rf"[{re.escape(pair)}]").finditer(code, start):
        depth += 1 if found[0] == pair[0] else -1
        if not depth:
            return found.start()
    raise AssertionError("generated code with brackets that do not close")


@functools.cache
def kept() -> dict[str, int]:
    """KEPT: in how many of 100 cases a condition holds."""
    shares: dict[str, int] = json.loads(KEPT.read_text(encoding="ascii"))
    return shares


def recipe() -> tuple[object, ...]:
    """Part of the key of what was made with tell()."""
    return Path(__file__).read_bytes(), KEPT.read_bytes(), COUNT in os.environ


def tell(work: Path, top: str) -> None:
    """Writes into the generated code for `top` in `work` what is known of its conditions. Lines stay where they are.
    Where COUNT is set the code counts instead."""
    for path in by_clock.running_files(work, top):
        code = path.read_text(encoding="utf-8")
        code = _counting(code, path.stem) if COUNT in os.environ else told(code)
        path.write_text(code, encoding="utf-8")


def told(code: str) -> str:
    """The code with what is known of its conditions."""
    parts, at = [], 0
    for one in conditions(code):
        share = kept().get(one.key, _expected(one.has_else)) / 100
        told_share = min(max(share, NEVER), 1 - NEVER)
        condition = f"__builtin_expect_with_probability(!!({code[one.first : one.end]}), 1, {told_share:g})"
        parts += [code[at : one.first], condition]
        at = one.end
    return "".join([*parts, code[at:]])


def _expected(has_else: bool) -> int:
    """Percent of a condition that is not in KEPT."""
    return 50 if has_else else 0


# ---- Counting --------------------------------------------------------------------------------------------------------

_COUNTER = """
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
namespace {{
const char *const KEYS[] = {{{keys}}};
unsigned long counts[{number}][2];
inline bool counted(unsigned number, bool holds) {{
    ++counts[number][holds];
    return holds;
}}
struct AtTheEnd {{
    ~AtTheEnd() {{
        char name[4096];
        std::snprintf(name, sizeof name, "%s/{name}-%d", std::getenv("{variable}"), int(getpid()));
        if (std::FILE *file = std::fopen(name, "w")) {{
            for (unsigned n = 0; n < {number}; ++n)
                std::fprintf(file, "%s %lu %lu\\n", KEYS[n], counts[n][0], counts[n][1]);
            std::fclose(file);
        }}
    }}
}} at_the_end;
}}
"""


def _counting(code: str, name: str) -> str:
    found = list(conditions(code))
    parts, at = [], 0
    for number, one in enumerate(found):
        parts += [code[at : one.first], f"counted({number}, {code[one.first : one.end]})"]
        at = one.end
    keys = ", ".join(f'"{one.key}{"+" if one.has_else else "-"}"' for one in found) or '""'
    counter = _COUNTER.format(keys=keys, number=max(len(found), 1), name=name, variable=COUNT) if found else ""
    return "".join([counter, *parts, code[at:]])


def gathered(files: Iterable[Path]) -> dict[str, int]:
    """What KEPT is by these counts."""
    counts: dict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    for file in files:
        for line in file.read_text(encoding="ascii").splitlines():
            name, *times = line.split()
            of_condition = counts[name[:DIGITS], name.endswith("+")]
            for holds, count in enumerate(times):
                of_condition[holds] += int(count)
    shares = {}
    for (name, has_else), (does_not, does) in sorted(counts.items()):
        share = round(100 * does / ((does + does_not) or 1))
        if abs(share - _expected(has_else)) >= TOLERANCE:
            shares[name] = share
    return shares


def main() -> None:
    """Writes KEPT."""
    parser = argparse.ArgumentParser(description="Writes which way branches go, as simulators counted.")
    parser.add_argument("folder", type=Path, help=f"the folder that ${COUNT} named when they ran")
    shares = gathered(sorted(parser.parse_args().folder.iterdir()))
    KEPT.write_text(json.dumps(shares, indent=0) + "\n", encoding="ascii")
    print(f"{len(shares)} conditions hold more or less often than is expected of one that nobody has counted")


if __name__ == "__main__":
    main()
