# SPDX-License-Identifier: Apache-2.0
"""Compiles firmware and reads the ELF files that come out.

An application is firmware/apps/<name>.c, or all files of a folder firmware/apps/<name>/, linked with everything in
firmware/lib by firmware/lib/link.ld. The compiler is clang as it comes with the `ziglang` package; `toolchain="gcc"`
takes an installed riscv64-unknown-elf-gcc instead.
"""

import difflib
import importlib.util
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from nsoc.build import cache_folder, checkout, content_hash, locked, progress, run_tool
from nsoc.errors import NsocError
from nsoc.presets import Preset

GCC = "riscv64-unknown-elf-gcc"
GCC_PACKAGE = "gcc-riscv64-unknown-elf"
COMMON_FLAGS = (
    "-std=c11", "-O2", "-g", "-ffreestanding", "-nostdlib", "-static", "-fno-pic",
    "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Wl,--gc-sections",
)  # fmt: skip
# -mcpu and -O always explicit: zig's defaults have floating point, and sanitizer calls without an -O.
ZIG_FLAGS = (
    "-target", "riscv32-freestanding", "-mcpu=generic_rv32+m+a+zba+zbb+zicsr+zifencei", "-mno-relax",
    "-rtlib=compiler-rt",
)  # fmt: skip
GCC_FLAGS = ("-march=rv32ima_zba_zbb_zicsr_zifencei", "-mabi=ilp32", "-mno-relax")
# Exactly this multilib: for any other -march Debian's gcc takes the 64-bit libgcc.
GCC_LIBRARY_FLAGS = ("-march=rv32ima_zicsr_zifencei", "-mabi=ilp32", "-print-libgcc-file-name")


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that belong at a physical address."""

    address: int
    data: bytes


def names() -> list[str]:
    """The applications that come with the tree."""
    apps = checkout() / "firmware" / "apps"
    return sorted({path.stem for path in apps.glob("*.c")} | {path.parent.name for path in apps.glob("*/*.c")})


def build(
    firmware: str | os.PathLike[str],
    defines: Mapping[str, int | str] | None = None,
    toolchain: str = "zig",
    *,
    flags: Sequence[str] = (),
) -> Path:
    """The ELF file of an application, compiled when needed; a path to an ELF is returned as it is.

    `defines` are preprocessor symbols for variants of an application, `flags` more arguments for the compiler.
    """
    name = os.fspath(firmware)
    if name.endswith(".elf") or os.sep in name:
        return Path(name)
    apps = checkout() / "firmware" / "apps"
    sources = [apps / f"{name}.c"] if (apps / f"{name}.c").is_file() else sorted((apps / name).glob("*.c"))
    if not sources:
        close = difflib.get_close_matches(name, names(), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"there is no firmware {name!r}, only {', '.join(names())} or the path of an ELF file{hint}")
    return compile_program(name, sources, defines, toolchain, flags=flags)


def build_for(
    preset: Preset, firmware: str | os.PathLike[str] | None = None, defines: Mapping[str, int | str] | None = None
) -> Path:
    """The ELF file that `preset` boots, its own application unless another is named, told about the system it is on."""
    return build(preset.firmware if firmware is None else firmware, {**preset.firmware_defines(), **(defines or {})})


def compile_program(
    name: str,
    sources: Sequence[Path],
    defines: Mapping[str, int | str] | None = None,
    toolchain: str = "zig",
    *,
    flags: Sequence[str] = (),
    folders: Sequence[Path] = (),
) -> Path:
    """The ELF file that C sources of any place make with firmware/lib, compiled when needed.

    `folders` are searched for headers, after those of the sources and firmware/lib.
    """
    if toolchain not in ("zig", "gcc"):
        raise NsocError(f"there is no toolchain {toolchain!r}, only zig and gcc")
    root = checkout() / "firmware"
    symbols = sorted((defines or {}).items())
    includes = [root / "lib", *folders]
    headers = {header for folder in (*includes, *(s.parent for s in sources)) for header in folder.glob("*.h")}
    library = sorted([*(root / "lib").glob("*.c"), *(root / "lib").glob("*.S")])
    script = root / "lib" / "link.ld"
    options = (*COMMON_FLAGS, *(ZIG_FLAGS if toolchain == "zig" else GCC_FLAGS), *flags)
    tool_version = version("ziglang") if toolchain == "zig" else GCC
    digest = content_hash([*sources, *headers, *library, script], options, symbols, tool_version)
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
                *_compiler(toolchain), *options, *(f"-D{key}={value}" for key, value in symbols),
                *(f"-I{folder}" for folder in includes), "-T", str(script), *map(str, sources), *map(str, library),
                *_libraries(toolchain), "-o", str(work / elf.name),
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


def _libraries(toolchain: str) -> list[str]:
    # What comes with clang is found by clang.
    if toolchain != "gcc":
        return []
    command = [*_compiler(toolchain), *GCC_LIBRARY_FLAGS]
    return [subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "-lgcc"]


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
