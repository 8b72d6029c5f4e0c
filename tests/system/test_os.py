# SPDX-License-Identifier: Apache-2.0
"""Threads (firmware/lib/os) in the SoC: who runs when, which wait ends when, and that nothing is lost meanwhile.

The programs are tests/support/os/*.c. What they print follows from os.h.
"""

import re
from pathlib import Path

import pytest
from os_programs import (
    MISTAKES,
    PAGE,
    S,
    a_mistake_ends_with_its_sentence,
    boot,
    measured,
    on_the_page,
    stress,
    threads_run_in_order,
    time_asleep_is_left_out,
)
from runs import seeds, slow, some

pytestmark = pytest.mark.slow

LATE_CYCLES = 480

EXAMPLE = """\
1 items, 1
2 items, 3
3 items, 6
"""


@pytest.mark.parametrize("wrap_in", some([20_000], [1, 900, 5000, 31_000]))
def test_threads_run_in_the_order_that_is_promised(wrap_in: int) -> None:
    """The low word of the time wraps while deadlines are measured, so many cycles from the first on."""
    threads_run_in_order(LATE_CYCLES, wrap_in)


@pytest.mark.parametrize(("items", "seed"), [(6, 1), pytest.param(40, 2, marks=pytest.mark.slow)])
def test_nothing_is_lost_among_eight_threads_and_interrupts(items: int, seed: int) -> None:
    stress(items, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(0, 6, 10))
def test_nor_in_a_long_run(seed: int) -> None:
    stress(300, seed)


@pytest.mark.parametrize("mistake", [0, *slow(range(1, len(MISTAKES)))])
def test_a_mistake_ends_with_one_sentence(mistake: int) -> None:
    a_mistake_ends_with_its_sentence(mistake)


def test_time_in_which_all_threads_sleep_is_left_out() -> None:
    time_asleep_is_left_out()


def test_the_table_of_the_page_is_what_is_measured() -> None:
    assert measured() == {what: tuple(figures[:2]) for what, figures in on_the_page().items()}


def test_the_example_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    (code,) = re.findall(r"as `firmware/apps/adder.c`:\n\n```c\n(.*?)```", PAGE, re.DOTALL)
    lines = [line.strip() for line in code.splitlines()]
    assert len([line for line in lines if line not in ("", "}") and not line.startswith(("//", "#"))]) <= 20
    source = tmp_path / "adder.c"
    source.write_text(code, encoding="utf-8")
    with boot(source, {}) as soc:
        soc.run(us=S, text="3 items, 6\n")
        assert soc.uart.text == EXAMPLE
