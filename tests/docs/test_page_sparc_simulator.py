# SPDX-License-Identifier: Apache-2.0
"""docs/sparc.md, of the simulator: its example prints what it shows, its tables are those of the simulator."""

from pathlib import Path

from docs_pages import check_same, example, run_python, table
from sparc_bench import DATA, Bench
from sparc_facts import ET
from sparc_words import L, word

PAGE = "docs/sparc.md"


def numbers(cell: str) -> list[int]:
    """Of `3`, `3, 4` and `3 to 5`."""
    first, _, last = cell.partition(" to ")
    return list(range(int(first, 0), int(last, 0) + 1)) if last else [int(part, 0) for part in cell.split(", ")]


def test_the_example_prints_what_is_shown(tmp_path: Path) -> None:
    check_same(example(PAGE, "The simulator", 2), run_python(example(PAGE, "The simulator", 1).text, tmp_path))


def test_ancillary_registers_are_those_of_the_table() -> None:
    bench = Bench()
    rows = {n: row for row in table(PAGE, "What the manual leaves open", 2) for n in numbers(row[0])}
    for number in range(1, 32):
        _, mode, read, write = rows.get(number, ("", "any", "illegal", "illegal"))
        for psr, name, says in ((0, "rdasr", read), (0, "wrasr", write), (0x80, "rdasr", read), (0x80, "wrasr", write)):
            one = word("rdasr", L[0], number) if name == "rdasr" else word("wrasr", number, L[0], 0)
            expected = 3 if mode == "supervisor" and not psr else 2 if says == "illegal" else 0
            assert bench.step(one, bench.state(psr=psr | ET)).step.trap == expected, (number, name, psr)


def test_address_spaces_are_those_of_the_table() -> None:
    bench = Bench()
    known = {n for row in table(PAGE, "What the manual leaves open", 3) for n in numbers(row[0])}
    for space in range(256):
        state = bench.state(r={L[0]: DATA, L[1]: 0})
        trap = bench.step(word("lda", L[2], L[0], L[1], space), state).step.trap
        assert trap == (0 if space in known and not 0x20 < space < 0x30 else 9), space
