# SPDX-License-Identifier: Apache-2.0
"""Compiles firmware and reads the ELF files that come out.

An application is firmware/apps/<name>.c, linked with everything in firmware/lib by firmware/lib/link.ld. The compiler
is clang as it comes with the `ziglang` package; `toolchain="gcc"` takes an installed riscv64-unknown-elf-gcc instead.
"""

import difflib
import importlib.util
import os
import shutil
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from nsoc.build import cache_folder, checkout, content_hash, locked, progress, run_tool
from nsoc.errors import NsocError

GCC = "riscv64-unknown-elf-gcc"
GCC_PACKAGE = "gcc-riscv64-unknown-elf"
COMMON_FLAGS = (
    "-std=c11", "-O2", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-ffunction-sections", "-fdata-sections",
    "-Wall", "-Wextra", "-Wl,--gc-sections",
)  # fmt: skip
# -mcpu and -O always explicit: zig's defaults have floating point, and sanitizer calls without an -O.
ZIG_FLAGS = (
    "-target", "riscv32-freestanding", "-mcpu=generic_rv32+m+a+zicsr+zifencei", "-mno-relax", "-rtlib=compiler-rt",
)  # fmt: skip
# Exactly this multilib: for any other -march Debian's gcc takes the 64-bit libgcc.
GCC_FLAGS = ("-march=rv32ima_zicsr_zifencei", "-mabi=ilp32", "-mno-relax")


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that belong at a physical address."""

    address: int
    data: bytes


def names() -> list[str]:
    """The applications that come with the tree."""
    return sorted(path.stem for path in (checkout() / "firmware" / "apps").glob("*.c"))


def build(
    firmware: str | os.PathLike[str],
    defines: Mapping[str, int | str] | None = None,
    toolchain: str = "zig",
) -> Path:
    """The ELF file of an application, compiled when needed; a path to an ELF is returned as it is.

    `defines` are preprocessor symbols for variants of an application.
    """
    name = os.fspath(firmware)
    if name.endswith(".elf") or os.sep in name:
        return Path(name)
    root = checkout() / "firmware"
    source = root / "apps" / f"{name}.c"
    if not source.is_file():
        close = difflib.get_close_matches(name, names(), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"there is no firmware {name!r}, only {', '.join(names())} or the path of an ELF file{hint}")
    if toolchain not in ("zig", "gcc"):
        raise NsocError(f"there is no toolchain {toolchain!r}, only zig and gcc")

    symbols = sorted((defines or {}).items())
    headers = [*(root / "lib").glob("*.h"), *(root / "apps").glob("*.h")]
    library = sorted([*(root / "lib").glob("*.c"), *(root / "lib").glob("*.S")])
    script = root / "lib" / "link.ld"
    flags = (*COMMON_FLAGS, *(ZIG_FLAGS if toolchain == "zig" else GCC_FLAGS))
    tool_version = version("ziglang") if toolchain == "zig" else GCC
    digest = content_hash([source, *headers, *library, script], flags, symbols, tool_version)
    elf = cache_folder() / "firmware" / f"{name}-{digest}" / f"{name}.elf"
    if elf.exists():
        return elf
    with locked(elf.parent):
        if elf.exists():
            return elf
        work = elf.parent.with_name(f"{elf.parent.name}.{os.getpid()}")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            command = [
                *_compiler(toolchain), *flags, *(f"-D{key}={value}" for key, value in symbols), f"-I{root / 'lib'}",
                "-T", str(script), str(source), *map(str, library), *(["-lgcc"] if toolchain == "gcc" else []),
                "-o", str(work / elf.name),
            ]  # fmt: skip
            with _first_use(toolchain):
                run_tool(command, work, f"compiling the firmware {name}", _zig_environment())
            shutil.rmtree(elf.parent, ignore_errors=True)
            work.rename(elf.parent)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return elf


def segments(elf: Path) -> list[Segment]:
    """What an ELF file wants in memory: the file part of its PT_LOAD segments, at their physical addresses."""
    try:
        image = elf.read_bytes()
    except OSError as problem:
        raise NsocError(f"cannot read the firmware {elf}: {problem.strerror}") from None
    elf32_little, riscv = b"\x7fELF\x01\x01", 243
    if image[:6] != elf32_little or len(image) < 52:
        raise NsocError(f"{elf} is not a 32-bit little-endian ELF file")
    if struct.unpack_from("<H", image, 18)[0] != riscv:
        raise NsocError(f"{elf} is not for RISC-V")
    (table,) = struct.unpack_from("<I", image, 28)
    entry_bytes, entries = struct.unpack_from("<HH", image, 42)
    found = []
    for index in range(entries):
        try:
            kind, offset, _virtual, physical, size = struct.unpack_from("<5I", image, table + index * entry_bytes)
        except struct.error:
            raise NsocError(f"{elf} is truncated") from None
        pt_load = 1
        if kind != pt_load or size == 0:
            continue
        if offset + size > len(image):
            raise NsocError(f"{elf} is truncated")
        found.append(Segment(physical, image[offset : offset + size]))
    if not found:
        raise NsocError(f"{elf} has nothing to load")
    return found


def _compiler(toolchain: str) -> list[str]:
    if toolchain == "gcc":
        if shutil.which(GCC) is None:
            raise NsocError(f"{GCC} is missing: install it (Debian: `apt-get install {GCC_PACKAGE}`), or use zig")
        return [GCC]
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise NsocError("the Python package ziglang is missing: run `make demo` once, or `pip install ziglang`")
    return [str(Path(spec.origin).parent / "zig"), "cc"]


def _zig_cache() -> Path:
    # zig keeps what it compiled of its own run-time library: with everything else, not in the user's home.
    return cache_folder() / "zig"


def _zig_environment() -> dict[str, str]:
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(_zig_cache()), "ZIG_LOCAL_CACHE_DIR": str(_zig_cache())}


@contextmanager
def _first_use(toolchain: str) -> Iterator[None]:
    """The first compilation takes seconds, as zig builds its run-time library: say so."""
    if toolchain != "zig" or _zig_cache().exists():
        yield
        return
    with progress("Preparing the firmware compiler (first time, about 5 s)"):
        yield
