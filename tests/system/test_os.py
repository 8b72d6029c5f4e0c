# SPDX-License-Identifier: Apache-2.0
"""Threads (firmware/lib/os) in the SoC: who runs when, which wait ends when, and that nothing is lost meanwhile.

The programs are tests/support/os/*.c. What they print follows from os.h.
"""

import re
from pathlib import Path

import pytest
from runs import seeds, slow, some

from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow

PROGRAMS = checkout() / "tests" / "support" / "os"
PAGE = (checkout() / "docs" / "os.md").read_text(encoding="utf-8")
PRESET = presets.load("nic12-fast")
S = 1e6
LATE_CYCLES = 480
"""A thread that sleeps is awake after so many at most, with no line of it in a cache; and has read the time again."""

ORDER = """\
priorities: cdba
yields: abcabcabc
slices: abcabca?b?c?\\.
interrupt: ihl
interrupt in sleep: ih
inversion: LHMl
chain: LKHMl
two: LHNmKMl
takes back: Tab
takes nothing else: aT
equals wait in order: dabc
everybody: sucbBa
one: scu-a
no gap: iyn
in time: tynnn
late:( \\d+){8}
nobody woke them: 
done
"""
"""Letters in the order in which they were written. Small ones are of lower priority, but for `i`, the interrupt.
The end of the slices depends on where in its loop a thread lost its last turn."""

MISTAKES = [
    "clumsy has too small a stack",  # a little at a time
    "clumsy has too small a stack",  # far behind the guard
    "clumsy waits for itself: round a circle of mutexes",  # twice
    "clumsy waits for itself: round a circle of mutexes",  # by another thread
    "clumsy gives a mutex away that it does not have",
    "main has started no thread",
    "clumsy has a priority above 31",
    "clumsy has too small a stack",  # from the beginning
]

EXAMPLE = """\
1 items, 1
2 items, 3
3 items, 6
"""


def boot(source: Path, defines: dict[str, int | str]) -> Soc:
    symbols = {**PRESET.firmware_defines(), **defines}
    elf = firmware.compile_program(source.stem, [source], symbols, flags=["-Werror"])
    return Soc(PRESET, str(elf))


def printed(name: str, defines: dict[str, int | str], until: str = "done\n", us: float = S) -> str:
    """What a program prints until then."""
    with boot(PROGRAMS / f"{name}.c", defines) as soc:
        soc.run(us=us, text=until)
        return soc.uart.text


@pytest.mark.parametrize("wrap_in", some([20_000], [1, 900, 5000, 31_000]))
def test_threads_run_in_the_order_that_is_promised(wrap_in: int) -> None:
    """The low word of the time wraps while deadlines are measured, so many cycles from the first on."""
    text = printed("os_checks", {"OS_SLICE_US": 40, "WRAP_IN": f"{wrap_in}u"})
    assert re.fullmatch(ORDER, text), text
    late = [int(word) for word in text.partition("late:")[2].splitlines()[0].split()]
    assert all(0 <= cycles <= LATE_CYCLES for cycles in late), late


@pytest.mark.parametrize(("items", "seed"), [(6, 1), pytest.param(40, 2, marks=pytest.mark.slow)])
def test_nothing_is_lost_among_eight_threads_and_interrupts(items: int, seed: int) -> None:
    stress(items, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(0, 6, 10))
def test_nor_in_a_long_run(seed: int) -> None:
    stress(300, seed)


def stress(items: int, seed: int) -> None:
    text = printed("os_stress", {"ITEMS": f"{items}u", "SEED": f"{seed}u"}, us=10 * S)
    assert text.endswith("done\n"), text
    count = {word: int(value) for word, value in (line.split() for line in text.splitlines()[:-1])}
    total = 4 * items
    assert (count["put"], count["taken"], count["booked"]) == (total, total, 8 * (items // 2))
    assert (count["difference"], count["wrong"], count["unserved"]) == (0, 0, 0)
    assert count["interrupts"] > items and count["limits"] > items, "what it is about"
    assert count["stack"] <= 512, "bytes of a stack, the thread's own functions among them"


@pytest.mark.parametrize("mistake", [0, *slow(range(1, len(MISTAKES)))])
def test_a_mistake_ends_with_one_sentence(mistake: int) -> None:
    text = printed("os_mistakes", {"MISTAKE": mistake}, until="never", us=2000)
    assert text == f"os: {MISTAKES[mistake]}\n"


def test_time_in_which_all_threads_sleep_is_left_out() -> None:
    with boot(PROGRAMS / "os_sleepers.c", {}) as soc:
        soc.run(us=S, text="ready\n")
        before = soc.simulation.evaluations
        assert soc.run(us=20 * S, text="done\n") == "text"
        assert soc.time_us == pytest.approx(10 * S, abs=2000)
        assert soc.simulation.evaluations - before < 250_000, "of 800,000,000 cycles, eleven times awake"


def test_the_table_of_the_page_is_what_is_measured() -> None:
    with Soc(PRESET, "os_cycles") as soc:
        soc.run(us=S, text="done\n")
        lines = soc.uart.text.splitlines()
    rows = [
        f"| {what} | {least} | {most} |" for what, least, most in (re.split(r": | (?=\d+$)", x) for x in lines[:-1])
    ]
    assert lines[-1] == "done" and "\n".join(rows) in PAGE, "\n".join(rows)


def test_the_example_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    (code,) = re.findall(r"as `firmware/apps/adder.c`:\n\n```c\n(.*?)```", PAGE, re.DOTALL)
    lines = [line.strip() for line in code.splitlines()]
    assert len([line for line in lines if line not in ("", "}") and not line.startswith(("//", "#"))]) <= 20
    source = tmp_path / "adder.c"
    source.write_text(code, encoding="utf-8")
    with boot(source, {}) as soc:
        soc.run(us=S, text="3 items, 6\n")
        assert soc.uart.text == EXAMPLE
