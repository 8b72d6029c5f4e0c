# SPDX-License-Identifier: Apache-2.0
"""Compiles programs for the small cores of the programmable NIC, and makes of them what the host loads.

A program is firmware/pnic/apps/<name>.c with firmware/pnic/lib: text in the instruction memory, everything else in the
scratchpad. Small cores have no divider, and of Zbb only ctz (RV32I, Zmmul, A, Zba).
"""

import shutil
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine import debug_info, elf32, memory_map
from nsoc.machine.build import cache_folder, checkout, content_hash, locked, tool_version
from nsoc.machine.firmware import (
    ARCHITECTURES,
    COMMON_FLAGS,
    as_clang,
    check_defines,
    compiler,
    first_use,
    image,
    zig_environment,
)
from nsoc.machine.tool import run_tool

SMALL = replace(
    ARCHITECTURES["rv32"],
    title="small cores",
    zig_flags=(
        "-target", "riscv32-freestanding", "-mcpu=generic_rv32+zmmul+a+zba+zicsr+zifencei", "-mno-relax",
        "-rtlib=compiler-rt", "-fomit-frame-pointer",
    ),
)  # fmt: skip


LIBRARY = ("start.S",)
"""What is linked behind a program, of firmware/pnic/lib, in this order. A new file goes to the end."""
PLACES = "places.ld"
"""What firmware/pnic/lib/link.ld includes."""


class Order(IntEnum):
    """How frames are put back in order: ORDER_KIND of firmware/pnic/lib/order.h."""

    LOCK = 0
    AMO = 1
    SET_UPDATE = 2

    @property
    def label(self) -> str:
        """As in records and tables."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def of(cls, label: str) -> "Order":
        """The one of that label. Raises NsocError when there is none."""
        try:
            return cls[label.upper().replace("-", "_")]
        except KeyError:
            labels = ", ".join(kind.label for kind in cls)
            raise NsocError(f"there is no order {label!r}; these there are: {labels}") from None


def source_of(name: str) -> Path:
    """The file of a program. Raises NsocError when there is none of that name."""
    source = checkout() / "firmware" / "pnic" / "apps" / f"{name}.c"
    if not source.is_file():
        known = ", ".join(sorted(path.stem for path in source.parent.glob("*.c")))
        raise NsocError(f"there is no program {name!r} for the programmable NIC, only {known}")
    return source


def build(name: str, defines: Mapping[str, int] | None = None) -> Path:
    """The ELF file of a program, compiled when needed. Raises NsocError when there is none of that name."""
    folder = checkout() / "firmware" / "pnic"
    source = source_of(name)
    check_defines(defines or {})
    library = [folder / "lib" / name for name in LIBRARY]
    script = folder / "lib" / "link.ld"
    places = f"__scratchpad = {memory_map.PACKET_MEMORY_BASE:#x};\n"
    options = _options(defines)
    inputs = [source, *library, script, *(folder / "lib").glob("*.h"), _headers()[1] / "rv_csr.h"]
    version = tool_version("ziglang", f"the program {name}")
    digest = content_hash(inputs, options, places, LIBRARY, version, debug_info.digest())
    elf = cache_folder() / "firmware" / f"pnic-{name}-{digest}" / f"{name}.elf"
    with locked(elf.parent):
        if not elf.exists():
            shutil.rmtree(elf.parent, ignore_errors=True)
            elf.parent.mkdir(parents=True)
            unfinished = elf.with_suffix(".new")
            (elf.parent / PLACES).write_text(places, encoding="ascii")  # zig looks for it nowhere else
            command = [
                *_command(options), "-T", str(script), str(source), *map(str, library), "-o", str(unfinished),
            ]  # fmt: skip
            with first_use("zig"):
                run_tool(command, elf.parent, f"compiling the program {name}", zig_environment())
            debug_info.clean(unfinished)
            unfinished.rename(elf)
    return elf


def compile_commands(name: str, defines: Mapping[str, int] | None = None) -> dict[Path, list[str]]:
    """How build() compiles each file of a program."""
    files = [source_of(name), *(checkout() / "firmware" / "pnic" / "lib" / file for file in LIBRARY)]
    command = as_clang(_command(_options(defines)))
    return {file: [*command, "-c", str(file)] for file in files}


def _options(defines: Mapping[str, int] | None) -> tuple[str, ...]:
    symbols_ = {"PNIC_REGISTERS": f"{memory_map.NIC_BASE:#x}", **(defines or {})}
    return (*COMMON_FLAGS, *SMALL.zig_flags, *(f"-D{key}={value}" for key, value in sorted(symbols_.items())))


def _headers() -> tuple[Path, Path]:
    """Folders with headers."""
    root = checkout() / "firmware"
    return root / "pnic" / "lib", root / "arch" / SMALL.folder


def _command(options: Sequence[str]) -> list[str]:
    """The compiler with its options, without files."""
    return [*compiler("zig", SMALL), *options, *(f"-I{folder}" for folder in _headers())]


def words(elf: Path) -> dict[int, int]:
    """What the host writes before the cores begin: words by address, zeros of uninitialized data too."""
    found: dict[int, int] = {}
    for segment in image(elf).segments:
        data = segment.data + bytes(-len(segment.data) % 4)
        for at in range(0, len(data), 4):
            found[segment.address + at] = int.from_bytes(data[at : at + 4], "little")
    for address, size in _uninitialized(elf.read_bytes()):
        found |= dict.fromkeys(range(address - address % 4, address + size, 4), 0) | found
    return found


def _uninitialized(content: bytes) -> list[tuple[int, int]]:
    """Whole segments, as large as they are in memory."""
    table = struct.unpack_from("<I", content, 28)[0]
    entry_bytes, entries = struct.unpack_from("<HH", content, 42)
    rows = [struct.unpack_from("<6I", content, table + index * entry_bytes) for index in range(entries)]
    return [(physical, in_memory) for kind, _, _, physical, _, in_memory in rows if kind == 1 and physical >> 28 == 5]


def symbols(elf: Path, *, functions: bool = False) -> dict[str, int]:
    """Addresses of functions and variables by name; of functions only, if that is asked for."""
    found = elf32.symbols(elf.read_bytes())
    return {symbol.name: symbol.place.start for symbol in found if symbol.kind == elf32.STT_FUNC or not functions}


def variables(elf: Path) -> dict[str, range]:
    """Addresses of the bytes of each variable by name."""
    found = elf32.symbols(elf.read_bytes())
    return {symbol.name: symbol.place for symbol in found if symbol.kind == elf32.STT_OBJECT}
