# SPDX-License-Identifier: Apache-2.0
"""Threads (firmware/lib/os) on the simulator of the SPARC V8 core: the programs of tests/support/os, as in the SoC."""

import re
import shutil
from pathlib import Path

import pytest
from os_programs import MISTAKES, ORDER, PRESET, PROGRAMS

from nsoc import sparc
from nsoc.machine import firmware
from nsoc.sparc import Reason

STEPS = 20_000_000
INTERRUPT = """\
#ifndef OS_INTERRUPT_H
#define OS_INTERRUPT_H
#include "arch.h"
#include "nsoc_regs.h"
static inline void interrupt_prepare(void) {}
static inline void interrupt_raise(void) { NSOC_INTC->enable = 1u << NSOC_IRQ_UART; }
static inline void interrupt_end(void) { NSOC_INTC->enable = 0; }
#endif
"""
"""In the place of the NIC's interrupt: a byte that the UART has received."""


def run(folder: Path, name: str, until: str = "", **defines: int | str) -> tuple[Reason, list[str]]:
    shutil.copy(PROGRAMS / f"{name}.c", folder)
    (folder / "os_interrupt.h").write_text(INTERRUPT, encoding="utf-8")
    symbols = {**PRESET.firmware_defines(), **defines}
    elf = firmware.build(folder / f"{name}.c", symbols, arch="sparc", flags=["-Werror"])
    ended = sparc.run(elf, typed=b"k", until=until, steps=STEPS)
    return ended.reason, ended.output.splitlines(keepends=True)


@pytest.mark.parametrize("wrap_in", [900, 20_000])
def test_threads_run_in_the_order_that_is_promised(tmp_path: Path, wrap_in: int) -> None:
    reason, lines = run(tmp_path, "os_checks", "done\n", OS_SLICE_US=40, WRAP_IN=f"{wrap_in}u")
    assert reason == Reason.PRINTED
    assert re.fullmatch(ORDER, "".join(lines)), "".join(lines)


def test_nothing_is_lost_while_threads_and_interrupts_hand_over_to_each_other(tmp_path: Path) -> None:
    reason, lines = run(tmp_path, "os_stress", "done\n", ITEMS="100u", SEED="5u")
    assert reason == Reason.PRINTED
    count = {word: int(value) for word, value in (line.split() for line in lines[:-1])}
    assert (count["put"], count["taken"], count["booked"]) == (400, 400, 400)
    assert (count["difference"], count["wrong"], count["unserved"]) == (0, 0, 0)
    assert count["interrupts"] > 100 and count["limits"] > 100, "what it is about"


@pytest.mark.parametrize("mistake", range(len(MISTAKES)))
def test_mistakes_are_found(tmp_path: Path, mistake: int) -> None:
    said = f"os: {MISTAKES[mistake]}\n"
    assert run(tmp_path, "os_mistakes", said, MISTAKE=mistake) == (Reason.PRINTED, [said])


def test_threads_sleep_as_long_as_they_want(tmp_path: Path) -> None:
    assert run(tmp_path, "os_sleepers", "done\n") == (Reason.PRINTED, ["ready\n", "done\n"])
