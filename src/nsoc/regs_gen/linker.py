# SPDX-License-Identifier: Apache-2.0
"""The memories of the linker script, firmware/lib/link.ld."""

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Soc

_ATTRIBUTES = {"boot_rom": ("rom", "rx"), "dram": ("dram", "rwx")}
"""Name and attributes of the memories that sections go into."""


def regions(soc: Soc) -> str:
    lines = [
        f"  {name:<4} ({attributes:<3}) : ORIGIN = 0x{tree.base(memory):08X}, LENGTH = 0x{memory.size:X}"
        for memory in soc.memories
        for name, attributes in [_ATTRIBUTES.get(memory.inst_name, ("", ""))]
        if name
    ]
    return "\n".join(["/* SPDX-License-Identifier: Apache-2.0 */", f"/* {tree.NOTE} */", "MEMORY {", *lines, "}", ""])
