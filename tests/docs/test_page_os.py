# SPDX-License-Identifier: Apache-2.0
"""docs/os.md: its program prints what the page says, FreeRTOS takes the cycles of its table.

tests/system/test_os.py compares the columns of the kernel's own scheduler.
"""

import re
from pathlib import Path

import pytest
from docs_pages import ROOT, example, run, says, table, tree_with

from nsoc.machine import freertos, presets

PAGE = "docs/os.md"
CYCLES = "What it costs"
COMMAND = "nsoc run os_cycles --us 5000"


def test_twenty_lines_print_their_three_lines_by_the_command_below_them(tmp_path: Path) -> None:
    """Saved where the page says, run as it says: it is not over between two of its items."""
    block = example(PAGE, "Twenty lines", 1)
    lines = [line.strip() for line in block.text.splitlines()]
    assert len([line for line in lines if line not in ("", "}") and not line.startswith(("//", "#"))]) <= 20
    says(PAGE, "Save this as `firmware/apps/adder.c`", "`nsoc run adder` prints three lines, the last is `3 items, 6`.")
    here = tree_with(tmp_path / "tree", {"firmware/apps/adder.c": block.text})
    assert run("nsoc run adder", tmp_path, variables=here) == "1 items, 1\n2 items, 3\n3 items, 6\n"


def measured(printed: str) -> dict[str, list[str]]:
    """Least and most, by what was measured."""
    return {what: [least, most] for what, least, most in re.findall(r"^(.+): (\d+) (\d+)$", printed, re.MULTILINE)}


@pytest.mark.slow
def test_the_table_has_the_cycles_on_freertos(tmp_path: Path) -> None:
    sources = freertos.source()
    if sources is None:
        pytest.skip(freertos.why_not())
    (command,) = example(PAGE, "On FreeRTOS").commands
    assert command == f"FREERTOS_DIR=~/FreeRTOS-Kernel {COMMAND}"
    says(PAGE, f"on `nic12-fast` (`{COMMAND}`)")
    home = tmp_path / "home"
    home.mkdir()
    (home / "FreeRTOS-Kernel").symlink_to(sources)
    printed = run(command, tmp_path, variables={"HOME": str(home)})
    assert {row[0]: row[3:5] for row in table(PAGE, CYCLES)} == measured(printed)
    most = max(int(row[4]) for row in table(PAGE, CYCLES))
    says(PAGE, f"{most:,} is a single round of the 16.")


def test_what_it_says_of_the_library_is_in_the_sources() -> None:
    header = (ROOT / "firmware/lib/os/os.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"^[\w *]*\b(os_\w+)\(", header, re.MULTILINE))
    listed = {name for row in table(PAGE, "The ten functions") for name in re.findall(r"`(os_\w+)`", row[0])}
    assert listed == functions and len(listed) == 10
    rounds = re.search(r"#define ROUNDS (\d+)u", (ROOT / "firmware/apps/os_cycles.c").read_text(encoding="utf-8"))
    assert rounds is not None
    says(PAGE, f"Cycles of an {presets.load().cpu_mhz:g} MHz processor, least and most of {rounds[1]} rounds")
    highest = re.search(r"OS_PRIORITIES (\d+)u", header)
    assert highest is not None
    says(PAGE, f"**Priorities** are strict, {int(highest[1]) - 1} is the highest.")
    own, rtos = (
        re.findall(r"^LATE_CYCLES = (\d+)$", (ROOT / f"tests/system/{name}.py").read_text("utf-8"), re.MULTILINE)[0]
        for name in ("test_os", "test_os_freertos")
    )
    says(PAGE, f"is awake within {own} cycles of its deadline; on FreeRTOS within {rtos}.")
