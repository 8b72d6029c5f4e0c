# SPDX-License-Identifier: Apache-2.0
"""The record of a connection: the same in the model and in rtl/tcp/common/tcp_pkg.sv, and small enough."""

import re

import pytest
from bench import ROOT
from hypothesis import given
from hypothesis import strategies as st
from tcp.record import BITS, FIELDS, GAPS, NEAR, OPTIONS, Record, State, Why, pack, unpack

PACKAGE = (ROOT / "rtl/tcp/common/tcp_pkg.sv").read_text()
WIDTHS = {
    "seq_t": 32,
    "tcp_state_t": 4,
    "end_why_t": 3,
    "index_t": 10,
    "near_t": NEAR,
    "near_blocks_t": 2 * NEAR * GAPS + 3,
    "logic": 1,
}


def struct_fields(name: str) -> list[tuple[str, int]]:
    """Of a packed struct of the package, with their widths; those of options for the field that has them."""
    body = re.search(rf"struct packed \{{((?:(?!struct packed)[\s\S])*?)\}} {name};", PACKAGE)
    assert body is not None
    fields = []
    for kind, high, field in re.findall(r"^    (\w+)\s*(?:\[(\d+):0\])?\s+(\w+);", body[1], re.M):
        if kind == "options_t":
            fields += struct_fields(kind)
        else:
            fields.append((field, int(high) + 1 if high else WIDTHS[kind]))
    return fields


def enum_names(name: str) -> list[str]:
    body = re.search(rf"typedef enum logic \[\d+:0\] \{{([^}}]*)\}} {name};", PACKAGE)
    assert body is not None
    return re.findall(r"\w+", body[1])


def test_the_record_of_the_package_has_the_fields_of_the_model_in_their_order() -> None:
    assert struct_fields("record_t") == [(one.name, one.bits) for one in FIELDS]


def test_the_options_of_the_package_are_those_of_the_model() -> None:
    widths = {one.name: one.bits for one in FIELDS}
    assert struct_fields("options_t") == [(name, widths[name]) for name in OPTIONS]


def test_states_and_reasons_have_the_same_numbers() -> None:
    assert enum_names("tcp_state_t") == [one.name for one in State]
    assert enum_names("end_why_t") == [f"WHY_{one.name}" for one in Why]


def test_the_record_has_at_most_two_kilobits() -> None:
    assert BITS <= 2048


@st.composite
def records(draw: st.DrawFn) -> Record:
    record = Record()
    number = st.integers(0, (1 << NEAR) - 1)
    for one in FIELDS:
        if one.name in ("held", "sacked"):
            value = tuple(draw(st.lists(st.tuples(number, number), max_size=GAPS)))
            setattr(record, one.name, value)
        else:
            setattr(record, one.name, draw(st.integers(0, (1 << one.bits) - 1)))
    return record


@given(records())
def test_what_is_packed_comes_out_again(record: Record) -> None:
    word = pack(record)
    assert word < 1 << BITS
    assert unpack(word) == record


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="rcv_scale"):
        pack(Record(rcv_scale=4))
