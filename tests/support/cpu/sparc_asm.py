# SPDX-License-Identifier: Apache-2.0
"""Assembles SPARC programs that lie at one address: clang's assembler, of which the bytes of .text are taken."""

import functools
import struct
import subprocess
import tempfile
from pathlib import Path

from nsoc.machine import firmware

FLAGS = ("-target", "sparc-freestanding", "-mcpu=v8")


@functools.cache
def assemble(source: str) -> bytes:
    """The code of `source`, which must not want a linker."""
    arch = firmware.ARCHITECTURES[firmware.DEFAULT_ARCHITECTURE]  # of any: zig compiles for all
    compiler = firmware.compiler(firmware.DEFAULT_TOOLCHAIN, arch)
    with tempfile.TemporaryDirectory(prefix="nsoc-sparc-") as folder:
        text, made = Path(folder) / "program.S", Path(folder) / "program.o"
        text.write_text(source, encoding="ascii")
        command = [*compiler, *FLAGS, "-c", str(text), "-o", str(made)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=firmware.zig_environment(), cwd=folder
        )
        assert done.returncode == 0, done.stderr
        return _text(made.read_bytes())


def _text(elf: bytes) -> bytes:
    """The section .text, in which nothing is left to relocate."""
    (table,) = struct.unpack_from(">I", elf, 32)
    size, count, names = struct.unpack_from(">3H", elf, 46)
    sections = [struct.unpack_from(">10I", elf, table + i * size) for i in range(count)]
    name_table = sections[names][4]

    def name(section: tuple[int, ...]) -> bytes:
        start = name_table + section[0]
        return elf[start : elf.index(b"\0", start)]

    by_name = {name(section): section for section in sections}
    assert b".rela.text" not in by_name, "the program wants a linker: it refers to a symbol by its address"
    _, _, _, _, offset, length, *_ = by_name[b".text"]
    return elf[offset : offset + length]
