# SPDX-License-Identifier: Apache-2.0
"""The tricky cases of the RTL, its cover points: each is one that a test must come to, or says why none does."""

import re
from pathlib import Path

from bench import cover_points

TESTS = Path(__file__).resolve().parents[1]
UNREACHED = {
    "net_arp_table.c_replaces": "all four ways of a newcomer are taken, and the table is not full: at 16 places never",
    "net_arp_table.c_refuses": "as c_replaces",
    "net_arp_table.c_spoiled": "a use of the one that a walk has found, within the few cycles until it goes",
    "net_arp_table.c_walk_again": "a use of the row that a walk looks at, within the same few cycles",
}
"""Points that no bench asserts, and why."""


def test_each_cover_point_is_asserted_by_a_bench_or_has_its_reason() -> None:
    named = {name for file in TESTS.rglob("test_*.py") for name in re.findall(r'"(\w+\.c_\w+)"', file.read_text())}
    assert cover_points() - (named - set(UNREACHED)) == set(UNREACHED), "a point is new, gone, or not asserted"
    assert named <= cover_points(), "a bench asserts a point that is not there"
