# SPDX-License-Identifier: Apache-2.0
"""The list of requirements in docs/tcp.md: complete, and true about tests and methods."""

import re

import pytest
from bench import ROOT
from tcp import step
from tcp.record import BITS

TEXT = (ROOT / "docs/tcp.md").read_text()
ROWS = re.findall(r"^\| (\d+) \| (.*) \| (.*) \| (.*) \|$", TEXT, re.M)
TESTS = set(
    re.findall(r"^def (test_\w+)", "\n".join(p.read_text() for p in (ROOT / "tests/unit/tcp").glob("*.py")), re.M)
)
NAME = re.compile(r"`(\w+)`")


def test_no_number_is_missing() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 55))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_number_has_tests_that_exist_or_says_why_not(row: tuple[str, str, str, str]) -> None:
    _, _, where, tests = row
    if tests == "-":
        assert where.startswith(("not done: ", "not here: "))
        return
    named = NAME.findall(tests)
    assert named and set(named) <= TESTS
    assert tests == ", ".join(f"`{name}`" for name in named)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_method_that_is_named_exists(row: tuple[str, str, str, str]) -> None:
    for name in NAME.findall(row[2]):
        assert hasattr(step._Core, name) or name in step.Record.__slots__


def test_the_width_of_the_record_is_what_the_page_says() -> None:
    assert f"({BITS} bits, `record_t`)" in TEXT and f"four rows of {-(-BITS // 4)} bits" in TEXT
