# SPDX-License-Identifier: Apache-2.0
"""The programs tests/support/os/*.c, and what they print on either kernel: it follows from os.h."""

import re
from collections.abc import Mapping
from pathlib import Path

from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc

PROGRAMS = checkout() / "tests" / "support" / "os"
PAGE = (checkout() / "docs" / "os.md").read_text(encoding="utf-8")
PRESET = presets.load("nic12-fast")
S = 1e6
STACK_BYTES = {"rv32": 512, "sparc": 512 + 800}
"""The most that a thread of os_stress takes: calls take more with windows, as docs/sparc.md says."""

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


def boot(source: Path, defines: Mapping[str, int | str], preset: Preset = PRESET) -> Soc:
    symbols = {**preset.firmware_defines(), **defines}
    elf = firmware.compile_program(source.stem, [source], symbols, flags=["-Werror"], arch=preset.core)
    return Soc(preset, str(elf))


def printed(
    name: str, defines: Mapping[str, int | str], until: str = "done\n", us: float = S, preset: Preset = PRESET
) -> str:
    """What a program prints until then."""
    with boot(PROGRAMS / f"{name}.c", defines, preset) as soc:
        soc.run(us=us, text=until)
        return soc.uart.text


def threads_run_in_order(late_cycles: int, wrap_in: int, preset: Preset = PRESET, **defines: int) -> None:
    """`late_cycles`: a thread that sleeps is awake after so many at most, with no line of it in a cache; and has read
    the time again."""
    text = printed("os_checks", {"OS_SLICE_US": 40, "WRAP_IN": f"{wrap_in}u", **defines}, preset=preset)
    assert re.fullmatch(ORDER, text), text
    late = [int(word) for word in text.partition("late:")[2].splitlines()[0].split()]
    assert all(0 <= cycles <= late_cycles for cycles in late), late


def stress(items: int, seed: int, preset: Preset = PRESET, **defines: int) -> None:
    text = printed("os_stress", {"ITEMS": f"{items}u", "SEED": f"{seed}u", **defines}, us=10 * S, preset=preset)
    assert text.endswith("done\n"), text
    count = {word: int(value) for word, value in (line.split() for line in text.splitlines()[:-1])}
    total = 4 * items
    assert (count["put"], count["taken"], count["booked"]) == (total, total, 8 * (items // 2))
    assert (count["difference"], count["wrong"], count["unserved"]) == (0, 0, 0)
    assert count["interrupts"] > items and count["limits"] > items, "what it is about"
    assert count["stack"] <= STACK_BYTES[preset.core], "bytes of a stack, the thread's own functions among them"


def a_mistake_ends_with_its_sentence(mistake: int, preset: Preset = PRESET, **defines: int) -> None:
    text = printed("os_mistakes", {"MISTAKE": mistake, **defines}, until="never", us=2000, preset=preset)
    assert text == f"os: {MISTAKES[mistake]}\n"


def time_asleep_is_left_out(preset: Preset = PRESET, **defines: int) -> None:
    with boot(PROGRAMS / "os_sleepers.c", defines, preset) as soc:
        soc.run(us=S, text="ready\n")
        before = soc.simulation.evaluations
        assert soc.run(us=20 * S, text="done\n") == "text"
        assert 10 * S <= soc.time_us <= 10 * S + 2000
        assert soc.simulation.evaluations - before < 250_000, "of 800,000,000 cycles, eleven times awake"


def measured(preset: Preset = PRESET, **defines: int) -> dict[str, tuple[str, str]]:
    """Least and most cycles of each row, by what the application `os_cycles` prints."""
    with Soc(preset, "os_cycles", defines=defines) as soc:
        soc.run(us=S, text="done\n")
        *lines, last = soc.uart.text.splitlines()
    assert last == "done"
    return {what: (least, most) for what, least, most in (re.split(r": | (?=\d+$)", line) for line in lines)}


def on_the_page() -> dict[str, list[str]]:
    """The table of the page: figures by row, ours and then FreeRTOS's."""
    rows = re.findall(r"^\| ([^|]+) \|((?: \d+ \|){4})$", PAGE, re.MULTILINE)
    return {what: figures.replace("|", " ").split() for what, figures in rows}
