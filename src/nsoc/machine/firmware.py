# SPDX-License-Identifier: Apache-2.0
"""Compiles firmware and reads the ELF files that come out.

An application is firmware/apps/<name>.c, or all files of a folder firmware/apps/<name>/, linked with what it includes
of firmware/lib and with firmware/arch/<architecture> by firmware/lib/link.ld, in the order of
firmware/link_order.txt. The compiler is clang as it comes with the `ziglang` package; `toolchain="gcc"` takes an
installed one instead. ARCHITECTURES has a row for each instruction set, with all that depends on it: target and flags
of the compilers, who links, what an ELF file must be.

A program is linked to the boot ROM, or into DRAM (`place`), where whoever has loaded it jumps to its entry. An
application's folder may have a place.ld of its own, which goes before that.
"""

import difflib
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nsoc import needs
from nsoc.errors import NsocError
from nsoc.machine import debug_info, elf32, freertos, lwip, memory_map, sparc_ld
from nsoc.machine.build import cache_folder, carried, checkout, content_hash, locked, tool_version
from nsoc.machine.presets import Preset
from nsoc.machine.tool import run_tool
from nsoc.progress import waiting

COMMON_FLAGS = (
    "-std=c11", "-O2", "-g", "-ffreestanding", "-nostdlib", "-static", "-fno-pic",
    "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Wl,--gc-sections",
)  # fmt: skip
LWIP_FLAGS = ("-Os",)
"""With lwIP's raw interface. Its way of a packet is longer than the instruction cache: small code is the faster one.
That of its sockets is so much longer that code with fewer calls is."""
THREAD_FLAGS = ("-fomit-frame-pointer",)
"""With the kernel of lib/os, where each call counts. Other code stays as it has been measured."""
CALLED_BY_STARTUP = ("harts.c", "trap.c")
"""Files of firmware/lib that assembly code calls, which includes no header of theirs."""
MEMORY = "memory.c"
"""Of firmware/lib/libc: what compilers call for by themselves. The run-time library that comes with clang has it, gcc's
does not; programs with lwIP are measured with this one."""
LINK_ORDER = "link_order.txt"
"""Names files in the order of their linking, a line each."""
ZIG_SECONDS = 5
"""Of the first compilation by zig more than of others."""
RUNTIME_SECONDS = 7
"""Of compiling a run-time library."""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


Place = Literal["rom", "dram"]
"""Where a program's text and constants are; data and stack are in DRAM in any case."""
_PLACE = "place.ld"
"""What link.ld includes: the names of its regions."""
SECRET_BYTES = 16
_SECRET = ".secret"
"""How the section of that size is called, as a table of names has it."""


def _rv32_jump(target: int) -> bytes:
    """lui t0, and jalr by the rest, which is signed."""
    t0 = 5
    return struct.pack("<II", (target + 0x800) & 0xFFFFF000 | t0 << 7 | 0x37, (target & 0xFFF) << 20 | t0 << 15 | 0x67)


def _sparc_jump(target: int) -> bytes:
    """sethi and jmpl by %g1, and the nop in its delay slot."""
    g1 = 1
    jmpl = 2 << 30 | 0x38 << 19 | g1 << 14 | 1 << 13 | target & 0x3FF
    return struct.pack(">III", g1 << 25 | 4 << 22 | target >> 10, jmpl, 4 << 22)


@dataclass(frozen=True, slots=True)
class Linker:
    """A linker of ours, where the compiler's does not know the instruction set."""

    link: Callable[[Sequence[Path], Path, Sequence[Path]], bytes]
    """Makes an ELF file of object files and archives, by a script, which includes what is in the folders."""
    sources: Path
    """The folder with its modules."""
    runtime: tuple[str, ...]
    """The target as `zig build-lib` wants it, for the run-time library of both compilers."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """An instruction set that firmware is compiled for."""

    folder: str
    """Of firmware/arch: start-up code, and what differs by instruction set behind firmware/arch/arch.h."""
    title: str
    byte_order: Literal["little", "big"]
    elf_machine: int
    """e_machine in an ELF file's header."""
    zig_flags: tuple[str, ...]
    """For `zig cc`. -mcpu always explicit: zig's defaults have floating point."""
    gcc: str
    """Name of an installed compiler."""
    gcc_package: str
    """Debian's package with it."""
    gcc_flags: tuple[str, ...]
    gcc_library_flags: tuple[str, ...]
    """What else makes it print the path of the library to link."""
    jump: Callable[[int], bytes]
    """Instructions that go to an address, for the boot ROM when the program is elsewhere."""
    freertos_folders: tuple[str, ...] = ()
    """Of FreeRTOS: its port for this one. Beside it there is firmware/arch/<folder>/freertos."""
    linker: Linker | None = None
    """None: the compiler links."""


ARCHITECTURES = {
    "rv32": Architecture(
        folder="rv32",
        title="RISC-V",
        byte_order="little",
        elf_machine=243,
        zig_flags=(
            "-target", "riscv32-freestanding", "-mcpu=generic_rv32+m+a+zba+zbb+zicsr+zifencei", "-mno-relax",
            "-rtlib=compiler-rt",
        ),
        gcc="riscv64-unknown-elf-gcc",
        gcc_package="gcc-riscv64-unknown-elf",
        gcc_flags=("-march=rv32ima_zba_zbb_zicsr_zifencei", "-mabi=ilp32", "-mno-relax"),
        # The name of a multilib that there is: for a -march it does not know Debian's gcc takes the 64-bit libgcc.
        gcc_library_flags=("-march=rv32im", "-mabi=ilp32"),
        jump=_rv32_jump,
        freertos_folders=(
            "portable/GCC/RISC-V",
            "portable/GCC/RISC-V/chip_specific_extensions/RISCV_no_extensions",
        ),
    ),
    "sparc": Architecture(
        folder="sparc",
        title="SPARC V8",
        byte_order="big",
        elf_machine=2,
        # No floating point: zig takes -msoft-float, or +soft_float in -mcpu, and does not heed it. Without a frame
        # pointer a function that calls none needs no register window of its own.
        zig_flags=("-target", "sparc-freestanding", "-mcpu=v8", "-mfloat-abi=soft", "-fomit-frame-pointer"),
        gcc="sparc64-linux-gnu-gcc",
        gcc_package="gcc-multilib-sparc64-linux-gnu",
        gcc_flags=("-m32", "-mcpu=v8", "-msoft-float", "-U__linux__", "-U__gnu_linux__", "-U__unix__"),
        gcc_library_flags=(),  # Debian's 32-bit libgcc is for SPARC V8+
        jump=_sparc_jump,
        linker=Linker(
            sparc_ld.link, Path(sparc_ld.__file__).parent, ("-target", "sparc-freestanding", "-mcpu", "v8+soft_float")
        ),
    ),
}  # fmt: skip
"""By the name of the processor in a preset, `Preset.core`."""

MACHINES = {
    **{row.elf_machine: row.title for row in ARCHITECTURES.values()},
    3: "x86", 18: "SPARC V8+", 40: "ARM", 43: "SPARC V9", 62: "x86-64", 183: "AArch64",
}  # fmt: skip
"""The processor that an ELF file is for, by e_machine."""
_BYTE_ORDERS = {elf32.LITTLE: "little", elf32.BIG: "big"}
"""The byte order of an ELF file, by EI_DATA."""
DEFAULT_ARCHITECTURE = "rv32"
DEFAULT_TOOLCHAIN = "zig"
C_SUFFIX = ".c"
"""Of a file that is compiled; every other file of the user's is an ELF file."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that belong at a physical address."""

    address: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Image:
    """What an ELF file says: what is where, and where it begins."""

    entry: int
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a program is made of, but for the compiler itself."""

    sources: Sequence[Path]
    library: Sequence[Path]
    """In the order in which they come to lie in memory, behind the application."""
    includes: Sequence[Path]
    """Folders."""
    scripts: Sequence[Path]
    """Of the linker."""
    place: Path
    """The one of them that link.ld knows as place.ld."""
    options: tuple[str, ...]
    symbols: list[tuple[str, int | str]]
    lwip: Path | None = None
    """Where lwIP is, of a program that uses it."""
    freertos: Path | None = None
    """Where FreeRTOS is, of a program whose threads stand on it."""
    freertos_includes: Sequence[Path] = ()
    """Its folders, and ours for it."""

    @classmethod
    def of(
        cls,
        sources: Sequence[Path],
        defines: Mapping[str, int | str] | None,
        toolchain: str,
        flags: Sequence[str],
        folders: Sequence[Path],
        target: Architecture,
        place: Place = "rom",
    ) -> "Recipe":
        """For the arguments of compile_program()."""
        root = checkout() / "firmware"
        arch_folder, lib = root / "arch" / target.folder, root / "lib"
        includes = [*include_folders(target), *folders]
        order = linked_files(root, target.folder)
        of_freertos = [file for file in order if file.parent == arch_folder / "freertos"]
        library = [file for file in order if file not in of_freertos]
        start = [file for file in library if file.parent == arch_folder and file.suffix == ".c"]
        start.append(arch_folder / "crt0.S")
        own_place = sources[0].parent / _PLACE
        symbols = dict(defines or {})
        check_defines(symbols)
        lwip_port, sockets = lib / "lwip", lib / ("socket" if _has_engine(symbols) else "lwip_socket")
        used = _used(library, [*sources, *start], lib, [*includes, lwip_port, sockets / "include"])
        has_sockets = any(file.parent == sockets for file in used)
        if has_sockets:
            includes.append(sockets / "include")
        has_threads = any(file.parent == lib / "os" for file in used)
        rtos = _freertos(symbols, target) if has_threads else None
        rtos_includes: list[Path] = []
        if rtos is not None:
            symbols["OS_FREERTOS"] = 1
            threads = {*used, *of_freertos} - {arch_folder / "os.S"}
            used = [file for file in order if file in threads]
            own = lib / "os" / "freertos"
            rtos_includes = [
                own,
                rtos,
                rtos / "include",
                *(rtos / name for name in target.freertos_folders),
            ]
        found = None
        if any(file.parent == lwip_port for file in used):
            found = None if symbols.get("NSOC_HAS_LWIP") == 0 else lwip.source()
            includes.append(lwip_port)
            symbols["NSOC_HAS_LWIP"] = int(found is not None)
            if has_sockets:
                if found is None:
                    raise NsocError(f"sockets without a TCP/IP engine are lwIP's: {lwip.why_not()}")
                symbols["LWIP_THREADS"] = 1
            unused = lib / "inet" if found else lwip_port  # a program has one stack
            used = [file for file in used if file.parent != unused]
        if found or toolchain == "gcc":
            used = [file for file in order if file in {*used, lib / "libc" / MEMORY}]
        return cls(
            sources=sources,
            library=used,
            includes=includes,
            scripts=sorted(lib.glob("*.ld")),
            place=own_place if own_place.is_file() else lib / f"place_{place}.ld",
            options=(
                *COMMON_FLAGS,
                *(LWIP_FLAGS if found and not has_sockets else ()),
                *(THREAD_FLAGS if has_threads else ()),
                *(target.zig_flags if toolchain == "zig" else target.gcc_flags),
                *flags,
            ),
            symbols=sorted(symbols.items()),
            lwip=found,
            freertos=rtos,
            freertos_includes=rtos_includes,
        )

    @property
    def system_includes(self) -> list[Path]:
        """Folders with headers that come from elsewhere: the compiler does not warn about them."""
        if self.lwip is None:
            return [*self.freertos_includes]
        return [self.lwip / "src" / "include", self.lwip / "src", *self.freertos_includes]

    def digest(self, *compiler: str) -> str:
        """Of all the files, their order and what the compiler is told."""
        root = checkout()
        folders = {*self.includes, *(source.parent for source in self.sources)}
        headers = {header for folder in folders for header in folder.glob("*.h")}
        headers |= {header for folder in folders if folder.name == "include" for header in folder.glob("*/*.h")}
        of_lwip: tuple[str, ...] = ()
        if self.lwip is not None:
            headers |= {*(root / "firmware" / "lib" / "lwip").glob("*/*.h")}
            of_lwip = (lwip.digest(self.lwip),)
        of_freertos: tuple[str, ...] = ()
        if self.freertos is not None:
            headers |= {*(root / "firmware" / "lib" / "os" / "freertos").rglob("*.h")}
            of_freertos = (freertos.digest(self.freertos),)
        return content_hash(
            [*self.sources, *headers, *self.library, *self.scripts, self.place],
            self.options,
            self.symbols,
            self.place.name,
            [source.name for source in self.sources],
            [file.relative_to(root).as_posix() for file in self.library],
            *of_lwip,
            *of_freertos,
            *compiler,
        )


def _has_engine(symbols: Mapping[str, int | str]) -> bool:
    """Whether a TCP/IP engine is behind <sys/socket.h>; without a word on it there is."""
    return str(symbols.get("NSOC_CONNECTIONS", "1")).rstrip("uU") != "0"


def _freertos(symbols: Mapping[str, int | str], target: Architecture) -> Path | None:
    """Where FreeRTOS is, if threads are to stand on it. Raises NsocError when it cannot be had."""
    if str(symbols.get("OS_FREERTOS", int(freertos.is_chosen()))).rstrip("uU") == "0":
        return None
    if not target.freertos_folders:
        raise NsocError(f"threads on FreeRTOS: there is no port of it for {target.title} here; take OS_FREERTOS=0")
    found = freertos.source()
    if found is None:
        raise NsocError(f"threads on FreeRTOS: {freertos.why_not()}")
    return found


def names() -> list[str]:
    """The applications that come with the tree."""
    apps = checkout() / "firmware" / "apps"
    return sorted({path.stem for path in apps.glob("*.c")} | {path.parent.name for path in apps.glob("*/*.c")})


def build(
    firmware: str | os.PathLike[str],
    defines: Mapping[str, int | str] | None = None,
    toolchain: str = DEFAULT_TOOLCHAIN,
    *,
    flags: Sequence[str] = (),
    arch: str = DEFAULT_ARCHITECTURE,
    place: Place = "rom",
) -> Path:
    """The ELF file of an application, or of a C file of the user's own, compiled when needed; the path of an ELF file
    is returned as it is.

    `defines` are preprocessor symbols for variants of an application, `flags` more arguments for the compiler, `arch`
    is a name in ARCHITECTURES, `place` is where it is to lie.
    """
    name = os.fspath(firmware)
    own = own_file(name)
    if own is not None and own.suffix != C_SUFFIX:
        return own
    sources = application(name) if own is None else [_source(own)]
    return compile_program(
        name if own is None else own.stem, sources, defines, toolchain, flags=flags, arch=arch, place=place
    )


def own_file(firmware: str | os.PathLike[str]) -> Path | None:
    """The file that a user means by the path of a C or ELF file; None for the name of an application."""
    name = os.fspath(firmware)
    path = Path(name)
    if name in names():
        return None
    return path if os.sep in name or path.suffix in (".elf", C_SUFFIX) or path.is_file() else None


def _source(file: Path) -> Path:
    """A C file of the user's own. Raises NsocError when it cannot be read."""
    try:
        file.read_bytes()
    except OSError as problem:
        raise NsocError(f"cannot read the firmware {file}: {problem.strerror}") from None
    return file.absolute()


def application(name: str) -> list[Path]:
    """The sources of an application, in the order of their linking: those of a folder by name. They need no list, as
    another source makes another program anyway. Raises NsocError when there is none of that name."""
    apps = checkout() / "firmware" / "apps"
    sources = [apps / f"{name}.c"] if (apps / f"{name}.c").is_file() else sorted((apps / name).glob("*.c"))
    if not sources or name not in names():  # as an empty name, which would be all of them
        close = difflib.get_close_matches(name, names(), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        known = ", ".join(names())
        raise NsocError(f"there is no firmware {name!r}, only {known} or the path of a C or ELF file{hint}")
    return sources


def build_for(
    preset: Preset,
    firmware: str | os.PathLike[str] | None = None,
    defines: Mapping[str, int | str] | None = None,
    place: Place = "rom",
) -> Path:
    """The ELF file that `preset` boots, its own firmware unless another is named, told about the system it is on."""
    name = preset.firmware if firmware is None else firmware
    return build(name, _defines_for(preset, defines), arch=preset.core, place=place)


def check_for(preset: Preset, firmware: str | os.PathLike[str] | None = None) -> None:
    """Raises NsocError when build_for() has no application, C file or ELF file of that name for `preset`, or of its
    own firmware's name. Compiles nothing."""
    name = preset.firmware if firmware is None else firmware
    own = own_file(name)
    if own is None:
        application(os.fspath(name))
    elif own.suffix == C_SUFFIX:
        _source(own)
    else:
        image(own, preset.core)


def recipe_for(preset: Preset, application_name: str, defines: Mapping[str, int | str] | None = None) -> Recipe:
    """What build_for() makes an application of."""
    target = architecture(preset.core)
    return Recipe.of(application(application_name), _defines_for(preset, defines), DEFAULT_TOOLCHAIN, (), (), target)


def _defines_for(preset: Preset, defines: Mapping[str, int | str] | None = None) -> dict[str, int | str]:
    return {**preset.firmware_defines(), **(defines or {})}


def check_defines(defines: Mapping[str, int | str]) -> None:
    """Raises NsocError for what is no name of a preprocessor symbol."""
    for name in defines:
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None:
            raise NsocError(f"{name!r} in defines is no name of a C preprocessor symbol, as DELAY is")


def compile_program(
    name: str,
    sources: Sequence[Path],
    defines: Mapping[str, int | str] | None = None,
    toolchain: str = DEFAULT_TOOLCHAIN,
    *,
    flags: Sequence[str] = (),
    folders: Sequence[Path] = (),
    arch: str = DEFAULT_ARCHITECTURE,
    place: Place = "rom",
) -> Path:
    """The ELF file that C sources of any place make with firmware/lib, compiled when needed.

    `folders` are searched for headers, after those of the sources, firmware/lib and firmware/arch. `arch` is a name in
    ARCHITECTURES. `place` "dram" links all of it into DRAM: the simulator boots that as any other (segments()), and
    `nsoc boot` loads it over the network.
    """
    if toolchain not in ("zig", "gcc"):
        raise NsocError(f"there is no toolchain {toolchain!r}, only zig and gcc")
    target = architecture(arch)
    recipe = Recipe.of(sources, defines, toolchain, flags, folders, target, place)
    made = carried("firmware", f"{name}.elf", recipe.digest)
    if made is not None:
        return made
    version = tool_version("ziglang", f"the firmware {name}") if toolchain == "zig" else target.gcc
    digest = recipe.digest(version, *_linker_digest(target), debug_info.digest())
    elf = cache_folder() / "firmware" / f"{name}-{digest}" / f"{name}.elf"
    if elf.exists():
        return elf
    with locked(elf.parent):
        if elf.exists():
            return elf
        work = elf.parent.with_name(f"{elf.parent.name}.{os.getpid()}")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        for included in recipe.scripts:  # zig looks for them nowhere else
            shutil.copy(included, work)
        shutil.copy(recipe.place, work / _PLACE)
        try:
            command = _command(recipe, toolchain, target)
            script, files = checkout() / "firmware" / "lib" / "link.ld", [*recipe.sources, *recipe.library]
            what = f"compiling the firmware {name}"
            with first_use(toolchain):
                if target.linker is None:
                    command += ["-T", str(script), *map(str, files), *_libraries(toolchain, target)]
                    run_tool([*command, "-o", str(work / elf.name)], work, what, zig_environment())
                else:
                    objects = _objects(command, files, work, what)
            if target.linker is not None:
                objects.append(runtime_library(target))
                try:
                    program = target.linker.link(objects, script, [work])
                except NsocError as problem:
                    raise NsocError(f"linking the firmware {name} failed: {problem}") from None
                (work / elf.name).write_bytes(program)
                shutil.rmtree(work / "objects")
            debug_info.clean(work / elf.name)
            shutil.rmtree(elf.parent, ignore_errors=True)
            work.rename(elf.parent)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return elf


def _command(recipe: Recipe, toolchain: str, target: Architecture) -> list[str]:
    """The compiler with its options, without files."""
    return [
        *compiler(toolchain, target), *recipe.options, *(f"-D{key}={value}" for key, value in recipe.symbols),
        *(f"-I{folder}" for folder in recipe.includes), *(f"-isystem{folder}" for folder in recipe.system_includes),
    ]  # fmt: skip


def compile_only(command: Sequence[str]) -> list[str]:
    """`command` without what is for the linker."""
    return [word for word in command if not word.startswith("-Wl,")]


def compile_commands_for(
    preset: Preset, firmware: str | os.PathLike[str] | None = None, defines: Mapping[str, int | str] | None = None
) -> dict[Path, list[str]]:
    """How build_for() compiles each file of the program; none of an ELF file."""
    name = os.fspath(preset.firmware if firmware is None else firmware)
    own = own_file(name)
    if own is not None and own.suffix != C_SUFFIX:
        return {}
    sources = application(name) if own is None else [_source(own)]
    target = architecture(preset.core)
    recipe = Recipe.of(sources, _defines_for(preset, defines), DEFAULT_TOOLCHAIN, (), (), target)
    command = as_clang(_command(recipe, DEFAULT_TOOLCHAIN, target))
    return {file: [*command, "-c", str(file)] for file in (*recipe.sources, *recipe.library)}


def as_clang(command: Sequence[str]) -> list[str]:
    """A command of `zig cc` for RISC-V as one of clang itself, which is in zig, too: editors know clang's options."""
    zig, _, *options = compile_only(command)
    found = [zig, "clang", "--target=riscv32-unknown-elf", f"-isystem{Path(zig).parent / 'lib' / 'include'}"]
    for option in options:
        if option.startswith("-mcpu=generic_rv32+"):
            features = option.split("+")[1:]
            letters = "".join(feature for feature in features if len(feature) == 1)
            found += [f"-march=rv32i{letters}_" + "_".join(f for f in features if len(f) > 1), "-mabi=ilp32"]
        elif option not in ("-target", "riscv32-freestanding", "-rtlib=compiler-rt"):
            found.append(option)
    return found


def _objects(command: Sequence[str], files: Sequence[Path], work: Path, what: str) -> list[Path]:
    """The object files that a command without its files makes of these, as many at a time as there are cores. Each is
    in a folder of the name of its source's folder."""
    without_linker = compile_only(command)
    targets: list[Path] = []
    for number, file in enumerate(files):
        made = work / "objects" / file.parent.name / f"{file.stem}.o"
        targets.append(made if made not in targets else made.with_name(f"{number}") / made.name)
        targets[-1].parent.mkdir(parents=True, exist_ok=True)

    def compile_one(file: Path, target: Path) -> None:
        run_tool([*without_linker, "-c", str(file), "-o", str(target)], work, what, zig_environment())

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = [pool.submit(compile_one, file, target) for file, target in zip(files, targets, strict=True)]
        try:
            for future in futures:
                future.result()
            return targets
        finally:
            pool.shutdown(cancel_futures=True)  # the first error is enough


def runtime_library(target: Architecture) -> Path:
    """What compilers call for by themselves: compiler-rt as it comes with zig, compiled when needed for an architecture
    with a linker of ours, a section for each function. Raises NsocError when zig is missing or fails."""
    assert target.linker is not None
    what = f"compiling the run-time library for {target.title}"
    zig = needs.folder("ziglang", what, "demo")
    flags = (
        *target.linker.runtime, "-OReleaseSmall", "-ffunction-sections", "-fdata-sections", "-fno-unwind-tables",
        "-fstrip",
    )  # fmt: skip
    digest = content_hash([], flags, tool_version("ziglang", what))
    library = cache_folder() / "firmware" / f"compiler-rt-{digest}" / "libcompiler_rt.a"
    with locked(library.parent):
        if not library.exists():
            library.parent.mkdir(parents=True, exist_ok=True)
            part = library.with_suffix(".part")
            command = [str(zig / "zig"), "build-lib", str(zig / "lib" / "compiler_rt.zig"), *flags]
            with waiting(f"Preparing the run-time library for {target.title} (first time)", RUNTIME_SECONDS):
                run_tool([*command, f"-femit-bin={part}"], library.parent, what, zig_environment())
            part.replace(library)
    return library


def _linker_digest(target: Architecture) -> tuple[str, ...]:
    linker = target.linker
    if linker is None:
        return ()
    library = tool_version("ziglang", f"the run-time library for {target.title}")
    return (content_hash([*linker.sources.glob("*.py")], linker.runtime, library),)


def segments(elf: Path, arch: str = DEFAULT_ARCHITECTURE) -> list[Segment]:
    """What is in memory when the processor boots an ELF file: that of image(), and where the program leaves the boot
    address alone a jump to its entry there. Raises NsocError as image()."""
    image_ = image(elf, arch)
    boot = memory_map.BOOT_ROM_BASE
    if any(segment.address <= boot < segment.address + len(segment.data) for segment in image_.segments):
        return image_.segments
    return [Segment(boot, architecture(arch).jump(image_.entry)), *image_.segments]


def image(elf: Path, arch: str = DEFAULT_ARCHITECTURE) -> Image:
    """What an ELF file wants in memory: the file part of its PT_LOAD segments, at their physical addresses.

    Raises NsocError for a file that is not for a processor of that architecture.
    """
    target = architecture(arch)
    try:
        content = elf.read_bytes()
    except OSError as problem:
        raise NsocError(f"cannot read the firmware {elf}: {problem.strerror}") from None
    order = "<" if target.byte_order == "little" else ">"
    if content[:4] != b"\x7fELF" or len(content) < 52:
        raise NsocError(
            f"{elf} is not a 32-bit {target.byte_order}-endian ELF file; give that, a C file, or the name of an "
            "application (docs/workbench.md lists them)"
        )
    bits, order_of_it = 32 * content[4], _BYTE_ORDERS.get(content[5], "unknown")
    machine = int.from_bytes(content[18:20], "big" if order_of_it == "big" else "little")
    if (bits, order_of_it, machine) != (32, target.byte_order, target.elf_machine):
        raise NsocError(
            f"{elf} is not for {target.title}, 32-bit and {target.byte_order}-endian, but for "
            f"{MACHINES.get(machine, f'machine {machine}')}, {bits}-bit and {order_of_it}-endian; give its C file, or "
            "take a preset with that processor (docs/presets.md, core)"
        )
    entry, table = struct.unpack_from(f"{order}II", content, 24)
    entry_bytes, entries = struct.unpack_from(f"{order}HH", content, 42)
    loaded = []
    for index in range(entries):
        try:
            kind, offset, _virtual, physical, size = struct.unpack_from(
                f"{order}5I", content, table + index * entry_bytes
            )
        except struct.error:
            raise NsocError(f"{elf} is truncated") from None
        pt_load = 1
        if kind != pt_load or size == 0:
            continue
        if offset + size > len(content):
            raise NsocError(f"{elf} is truncated")
        loaded.append(Segment(physical, content[offset : offset + size]))
    if not loaded:
        raise NsocError(f"{elf} has nothing to load")
    return Image(entry, loaded)


def secret_address(elf: Path) -> int | None:
    """Where a program has its secret (firmware/lib/secret.h), SECRET_BYTES long: its section .secret. None: it has
    none."""
    for section in elf32.sections(elf.read_bytes()):
        if section.name == _SECRET and section.length == SECRET_BYTES:
            return section.address
    return None


def architecture(name: str) -> Architecture:
    """The row of ARCHITECTURES. Raises NsocError when there is none."""
    if name not in ARCHITECTURES:
        raise NsocError(f"there is no architecture {name!r} of the firmware, only {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[name]


def _used(library: Sequence[Path], roots: Sequence[Path], lib: Path, folders: Sequence[Path]) -> list[Path]:
    """What of the library a program needs, in the same order. A file goes along when its header is included, by `roots`
    or by what goes along; a folder when one of its headers is (of libc the file of the header's name), and of the
    architecture the file of that name. A file without header always does, and what the start-up code calls.
    """

    of_arch = [file for file in library if file.parent != lib and file.parent.parent != lib]

    def needed(header: Path) -> list[Path]:
        if header.parent.parent == lib and header.parent.name != "libc":
            return [*sorted(header.parent.glob("*.c")), *(file for file in of_arch if file.stem == header.parent.name)]
        return [header.with_suffix(".c")] if header.with_suffix(".c").is_file() else []

    todo = [*roots, *(file for file in of_arch if not (lib / file.stem).is_dir())]
    todo += [
        file
        for file in library
        if file.parent == lib and (file.name in CALLED_BY_STARTUP or not file.with_suffix(".h").is_file())
    ]
    seen: set[Path] = set()
    while todo:
        file = todo.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        for name in _INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace")):
            header = next((folder / name for folder in (file.parent, *folders) if (folder / name).is_file()), None)
            if header is not None:
                todo += [header, *needed(header)]
    return [file for file in library if file in seen]


def linked_files(root: Path, architecture_folder: str) -> list[Path]:
    """The files of lib/ and of one architecture in the firmware folder `root`, in the order of their linking:
    link_order.txt. Raises NsocError when the list and the folders do not have the same files."""
    listed = read_link_order(root / LINK_ORDER, root)
    for file in listed:
        if not file.is_file():
            raise NsocError(f"{_in_tree(file, root)} does not exist: take its line out of firmware/{LINK_ORDER}")
    found = {*root.glob("lib/*.c"), *root.glob("lib/*/*.c"), *root.glob("arch/*/*.[cS]"), *root.glob("arch/*/*/*.S")}
    for file in sorted(found - {*listed}):
        raise NsocError(f"{_in_tree(file, root)} is not linked: add it at the end of firmware/{LINK_ORDER}")
    arch = root / "arch"
    return [file for file in listed if arch not in file.parents or arch / architecture_folder in file.parents]


def read_link_order(listing: Path, root: Path) -> list[Path]:
    """The files that a list of the order of linking names, a line each: paths in `root`."""
    lines = listing.read_text(encoding="utf-8").splitlines()
    return [root / line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _in_tree(file: Path, root: Path) -> str:
    return file.relative_to(root.parent).as_posix()


def include_folders(target: Architecture) -> list[Path]:
    """Where firmware finds its headers."""
    root = checkout() / "firmware"
    folders = sorted(path for path in (root / "lib").iterdir() if path.is_dir())
    return [root / "lib", *folders, root / "arch", root / "arch" / target.folder]


def compiler(toolchain: str, target: Architecture) -> list[str]:
    if toolchain == "gcc":
        needs.program(target.gcc, "the toolchain gcc", target.gcc_package)
        return [target.gcc]
    return [str(needs.folder("ziglang", "compiling firmware", "demo") / "zig"), "cc"]


def _libraries(toolchain: str, target: Architecture) -> list[str]:
    # What comes with clang is found by clang.
    if toolchain != "gcc":
        return []
    command = [*compiler(toolchain, target), *target.gcc_library_flags, "-print-libgcc-file-name"]
    return [subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "-lgcc"]


def _zig_cache() -> Path:
    # zig keeps what it compiled of its own run-time library: with everything else, not in the user's home.
    return cache_folder() / "zig"


def zig_environment() -> dict[str, str]:
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(_zig_cache()), "ZIG_LOCAL_CACHE_DIR": str(_zig_cache())}


@contextmanager
def first_use(toolchain: str) -> Iterator[None]:
    """The first compilation takes seconds, as zig builds its run-time library: say so."""
    if toolchain != "zig" or _zig_cache().exists():
        yield
        return
    with waiting("Preparing the firmware compiler (first time)", ZIG_SECONDS):
        yield
