# SPDX-License-Identifier: Apache-2.0
"""A stand-in for what firmware wants of an instruction set, for SPARC V8: enough to compile and link, not to run.

Headers in plain C of tests/unit/machine/firmware_arch, and a start-up that calls main().
"""

import shutil
from pathlib import Path

from nsoc.machine.build import checkout

HEADERS = checkout() / "tests" / "unit" / "machine" / "firmware_arch"
CRT0 = """\
    .section .text.0start, "ax"
    .globl _start
_start:
    set __stack_top, %sp
    call main
    sub %sp, 96, %sp
    ba _start
    nop
    .word trap_handler
    .globl arch_os_switch, arch_os_on_interrupt_stack
arch_os_switch:
arch_os_on_interrupt_stack:
    retl
    nop
"""
COUNTERS = """\
#include "counters.h"
#include "arch.h"
volatile uint32_t arch_state;
void counters_init(void) {}
void counters_read(counters_t *now) { now->cycles = arch_cycles(); }
"""


def tree(folder: Path) -> Path:
    """A checkout whose firmware has such an architecture `sparc`, and else is that of the tree."""
    root = folder / "tree"
    shutil.copytree(checkout() / "firmware", root / "firmware")
    arch = root / "firmware" / "arch" / "sparc"
    shutil.rmtree(arch, ignore_errors=True)
    shutil.copytree(HEADERS, arch)
    (arch / "crt0.S").write_text(CRT0, encoding="utf-8")
    (arch / "counters.c").write_text(COUNTERS, encoding="utf-8")
    order = root / "firmware" / "link_order.txt"
    lines = [line for line in order.read_text(encoding="utf-8").splitlines() if not line.startswith("arch/sparc/")]
    order.write_text("\n".join([*lines, "arch/sparc/crt0.S", "arch/sparc/counters.c", ""]), encoding="utf-8")
    return root
