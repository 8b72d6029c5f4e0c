# SPDX-License-Identifier: Apache-2.0
"""docs/fifo.md: its command is a target that measures and writes it, what stands around the figures holds.

tests/unit/docs/test_docs_fifo.py compares the figures with docs/data/fifo.csv.
"""

import shlex
import sys
from pathlib import Path

from docs_pages import ROOT, example, run, says

from nsoc.docs import fifo
from nsoc.machine import presets

PAGE = "docs/fifo.md"
COMMAND = example(PAGE, "How much MAC FIFO does one need?", 1)
NUMBERS = {6: "six"}


def test_its_command_is_the_target_that_writes_the_page() -> None:
    assert COMMAND.commands == [fifo.COMMAND]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.split("\nfifo: ")[1].splitlines()[1].strip().removeprefix("@$(BIN)/")
    program, *arguments = shlex.split(recipe.replace("$(JOBS)", "2").replace("$(ARGS)", ""))
    assert program == "python" and arguments[:2] == ["-m", fifo.__name__]
    assert "--text" in run(f"{sys.executable} {' '.join(arguments)} --help")


def test_what_it_writes_is_what_the_page_is() -> None:
    page = (ROOT / fifo.PAGE).read_text(encoding="utf-8")
    assert fifo.fill(page, fifo.load()) == page and Path(PAGE) == fifo.PAGE


def test_what_stands_around_the_figures_is_what_is_measured() -> None:
    small, large = (size // 1024 for size in fifo.PUBLISHED_STEP)
    says(
        PAGE,
        f"from {small} to {large} KB, and left open",
        f"most of them for building {NUMBERS[len(fifo.FIFOS)]} simulators",
        "`nsoc bench clock` measures the `forward` of this tree, which keeps the line full from 29 MHz on at this",
    )
    assert presets.load(fifo.PRESET).firmware == "forward"
    says("docs/architecture.md", f"from 29 MHz on at {fifo.PAYLOAD}.")
