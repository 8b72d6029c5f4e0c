# SPDX-License-Identifier: Apache-2.0
"""Python and C find each field of a connection's record in the registers where the model of the engine has put it."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from bench import ROOT
from tcp.events import Answer, Op
from tcp.record import BITS, FIELDS, OPTIONS, State, Why

sys.path.insert(0, str(ROOT / "src"))

from nsoc.machine import toe_record

ROWS, ROW_BITS = 4, -(-BITS // 4)
PROGRAM = r"""
#include "toe_record.h"
#include <stdio.h>
static struct { const char *name; uint32_t at, bits; } fields[] = {
%s};
int main(void) {
    static nsoc_toe_t toe;
    for (int n = 0; n < 64; n++)
        if (scanf("%%x", (unsigned *)&toe.record[n].word) != 1) return 1;
    for (unsigned n = 0; n < sizeof fields / sizeof *fields; n++)
        printf("%%s %%u\n", fields[n].name, nsoc_toe_record(&toe, fields[n].at, fields[n].bits));
    return 0;
}
"""


def words_of(record: int) -> list[int]:
    """The registers: each row begins at the highest bit of a word, and has 16 words."""
    text = f"{record:0{BITS}b}".ljust(ROWS * ROW_BITS, "0")
    rows = [text[ROW_BITS * row : ROW_BITS * (row + 1)].ljust(512, "0") for row in range(ROWS)]
    return [int(row[at : at + 32], 2) for row in rows for at in range(0, 512, 32)]


def fields_of(record: int) -> dict[str, int]:
    found, left = {}, BITS
    for one in FIELDS:
        left -= one.bits
        found[one.name] = record >> left & (1 << one.bits) - 1
    return found


def test_python_finds_each_field() -> None:
    rng = Random(1)
    for _ in range(50):
        record = rng.getrandbits(BITS)
        assert toe_record.unpack(words_of(record)) == fields_of(record)


def test_c_finds_each_field(tmp_path: Path) -> None:
    small = [one.name for one in FIELDS if one.bits <= 32]
    rows = "".join(f'    {{"{name}", NSOC_TOE_RECORD_{name.upper()}}},\n' for name in small)
    (tmp_path / "fields.c").write_text(PROGRAM % rows)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-int-to-pointer-cast", f"-I{ROOT / 'firmware' / 'lib'}"]
    subprocess.run(["cc", *flags, "-o", tmp_path / "fields", tmp_path / "fields.c"], check=True)
    rng = Random(2)
    for _ in range(20):
        record = rng.getrandbits(BITS)
        text = " ".join(f"{word:x}" for word in words_of(record))
        run = subprocess.run([tmp_path / "fields"], input=text, capture_output=True, text=True, check=True)
        found = {name: int(value) for name, value in (line.split() for line in run.stdout.splitlines())}
        expected = fields_of(record)
        assert found == {name: expected[name] for name in small}


@pytest.mark.parametrize(("prefix", "numbers"), [("STATE", State), ("WHY", Why), ("OP", Op), ("ANSWER", Answer)])
def test_numbers_are_those_of_the_model(prefix: str, numbers: type[State]) -> None:
    for one in numbers:
        assert toe_record.NUMBERS[f"{prefix}_{one.name}"] == one.value


def test_options_are_those_of_the_model() -> None:
    assert toe_record.OPTIONS == OPTIONS
