# SPDX-License-Identifier: Apache-2.0
"""Programs for SPARC V8 from object files that a test makes, by our linker."""

from collections.abc import Mapping
from pathlib import Path

from elf32 import Elf

from nsoc.machine.sparc_ld import link

PLAIN = """
ENTRY(_start)
SECTIONS {
  . = 0x1000;
  .text : { *(.text .text.*) }
  . = 0x40012000;
  .data : { *(.data .data.*) *(.bss COMMON) }
}
"""


def linked(folder: Path, files: Mapping[str, bytes], script: str = PLAIN, **included: str) -> Elf:
    """The program of `files`, object files and archives in this order, by a script. `included`: further scripts, by
    their names without .ld."""
    paths = []
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        paths.append(path)
    (folder / "script.ld").write_text(script, encoding="utf-8")
    for name, text in included.items():
        (folder / f"{name}.ld").write_text(text, encoding="utf-8")
    return Elf(link(paths, folder / "script.ld", [folder]))
