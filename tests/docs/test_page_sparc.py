# SPDX-License-Identifier: Apache-2.0
"""docs/sparc.md: its program is compiled and linked by the commands shown, and its lists are those of the code."""

import re
from pathlib import Path

from docs_pages import ROOT, example, run, says
from elf32 import Elf

from nsoc.machine import firmware
from nsoc.machine.sparc_ld import relocate

PAGE = "docs/sparc.md"
SECTION = "The tool chain"
NO_FILE = "sparc_ld: cannot read none.o: No such file or directory"


def test_the_two_commands_make_the_program(tmp_path: Path) -> None:
    (tmp_path / "answer.c").write_text(example(PAGE, SECTION, 1).text, encoding="utf-8")
    (tmp_path / "answer.ld").write_text(example(PAGE, SECTION, 2).text, encoding="utf-8")
    compiles, links = example(PAGE, SECTION, 3).commands
    caches = {name: value for name, value in firmware.zig_environment().items() if name.startswith("ZIG_")}
    assert run(compiles, tmp_path, variables=caches) == ""
    assert run(links, tmp_path) == ""
    says(PAGE, "whose entry is 0x40000000")
    elf = Elf.read(tmp_path / "answer.elf")
    assert elf.entry == 0x40000000
    assert elf.section(".data").contents == bytes([0, 0, 0, 40, 0, 0, 0, 2])
    wrong = run(f"{links.replace('answer.o', 'none.o')} 2>&1", tmp_path, status=1)
    assert wrong == f"{NO_FILE}\n"
    assert "cannot write /nowhere/a.elf" in run(
        f"{links.replace('answer.elf', '/nowhere/a.elf')} 2>&1", tmp_path, status=1
    )


def test_flags_and_relocations_are_those_of_the_code() -> None:
    row = firmware.ARCHITECTURES["sparc"]
    says(PAGE, f"`{' '.join(row.zig_flags)}`; of gcc `-m32 -mcpu=v8 -fno-pic -msoft-float`", row.gcc_package)
    assert {"-m32", "-mcpu=v8", "-fno-pic", "-msoft-float"} <= {*row.gcc_flags, *firmware.COMMON_FLAGS}
    (listed,) = re.findall(r"\*\*Relocations\*\*: ([^.]*)\.", (ROOT / PAGE).read_text(encoding="utf-8"))
    assert {f"R_SPARC_{name}" for name in listed.split(", ")} == {kind.name for kind in relocate.KINDS.values()}
