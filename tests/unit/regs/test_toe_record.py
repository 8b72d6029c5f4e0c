# SPDX-License-Identifier: Apache-2.0
"""What firmware is told of the engine's record and its numbers, against the model beside the RTL."""

import re

from tcp.events import Answer, Op
from tcp.record import BITS, FIELDS, OPTIONS, State, Why

from nsoc.regs_gen import toe


def test_the_record_lies_in_the_header_as_the_model_has_it() -> None:
    at = 0
    lines = re.findall(r"^#define TOE_RECORD_(\w+) (\d+)u(?:, (\d+)u)?", toe.header(), re.MULTILINE)[1:]
    assert int(re.search(r"ROW_BITS (\d+)u", toe.header())[1]) == -(-BITS // 4)  # type: ignore[index]
    for field, (name, begin, bits) in zip(FIELDS, lines, strict=True):
        assert (field.name.upper(), at) == (name, int(begin))
        assert field.bits == int(bits) if bits else field.bits > 32
        at += field.bits


def test_numbers_have_the_values_of_the_model() -> None:
    enums = [re.split(r",\s*", body) for body in re.findall(r"enum \{\s*([^}]*)\}", toe.header())]
    assert enums == [
        [f"TOE_STATE_{one.name}" for one in State],
        [f"TOE_WHY_{one.name}" for one in Why],
        [f"TOE_OP_{one.name}" for one in Op],
        [f"TOE_{one.name}" for one in Answer],
        [f"TOE_OPTION_{name.upper()}" for name in OPTIONS],
    ]
    assert all(list(one) == sorted(one) for one in (State, Why, Op, Answer)), "each counts up from 0"
