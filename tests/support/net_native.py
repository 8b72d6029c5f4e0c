# SPDX-License-Identifier: Apache-2.0
"""An application of the firmware as a process of this machine, under AddressSanitizer and UndefinedBehaviorSanitizer:
see net/native.c. Frames go in, frames come out; time passes when the test says so."""

import functools
import hashlib
import os
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

import bench

from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout

FOLDER = Path(__file__).with_name("net")
FIRMWARE = checkout() / "firmware"
BUFFERS = 64
OWN = ("uart.c", "say.c", "harts.c", "trap.c")
"""Files of firmware/lib that the harness stands for."""
MEMORY = ("memcpy", "memmove", "memset", "memcmp")
"""What firmware/lib/libc/memory.c defines."""
LIBC = (
    *MEMORY, "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcoll", "strxfrm",
    "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strtok",
    "strtok_r", "strerror", "atoi", "snprintf", "vsnprintf",
)  # fmt: skip
"""What firmware/lib/libc defines: here by another name, so that the sanitizers look at it, too."""
END = 0xFFFF
TICK_MS = 50
"""Regular timers of lwIP are multiples of it."""


def _gcc(*arguments: str) -> list[str]:
    # Not position-independent: the program's data is below the packets, as on the SoC, which lwIP relies on.
    return [
        "gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
        "-fno-builtin", "-ffunction-sections", "-no-pie", "-fno-pie", "-Wall", "-Wextra", "-Wno-int-to-pointer-cast",
        "-Wno-pointer-to-int-cast", "-include", str(FOLDER / "native.h"), f"-I{FOLDER}", *arguments,
    ]  # fmt: skip


def _object(source: Path, command: list[str]) -> Path:
    """The source compiled by `command`, once for all programs in which it is the same behind the preprocessor: what a
    program defines is seen by few of its files."""
    text = subprocess.run([*command, "-E", str(source)], capture_output=True, check=True).stdout
    folder = bench.BUILDS / "native-objects"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{source.stem}-{hashlib.sha256(text + repr(_gcc()).encode()).hexdigest()[:16]}.o"
    if not made.exists():
        part = made.with_suffix(f".{os.getpid()}")  # whole or not at all
        compile_it = [word for word in _gcc() if word not in ("-include", str(FOLDER / "native.h"))]
        compile_it += ["-fpreprocessed", "-x", "c", "-c", "-", "-o", str(part)]
        subprocess.run(compile_it, input=text, check=True)
        part.rename(made)
    return made


@functools.cache
def build(application: str, defines: tuple[tuple[str, int], ...]) -> Path:
    """The program, built when a source has changed."""
    arch = FIRMWARE / "arch"
    recipe = firmware.recipe_for(presets.load(), application, dict(defines))
    library = [file for file in recipe.library if file.name not in OWN and arch not in file.parents]
    libc = FIRMWARE / "lib" / "libc"
    folders = [folder for folder in recipe.includes if folder.parent != arch and folder != libc]
    symbols = {**dict(recipe.symbols), "NIC_QUEUES_IN_MEMORY": 1, "MEM_ALIGNMENT": 8}
    flags = [*(f"-I{folder}" for folder in folders), *(f"-D{name}={value}" for name, value in symbols.items())]
    of_libc = [f"-D{name}=firmware_{name}" for name in LIBC if recipe.lwip or name not in MEMORY]
    ours = _gcc(*flags, f"-I{libc}", *of_libc, *(f"-isystem{folder}" for folder in recipe.system_includes))
    variant = hashlib.sha256(repr(ours).encode()).hexdigest()[:8]
    program = bench.BUILDS / f"native-{application}-{variant}" / application
    program.parent.mkdir(parents=True, exist_ok=True)
    harness = program.with_name("native.o")
    sources = [*recipe.sources, *library]
    headers = {header for folder in (FOLDER, libc, *folders) for header in folder.rglob("*.h")}
    native = FOLDER / "native.c"
    bench.build_harness(harness, [native, *headers], _gcc(*flags, "-c", str(native), "-o", str(harness)))
    depends = [*sources, *headers, harness, Path(__file__)]
    objects = [_object(source, ours) for source in sources] if bench.is_old(program, depends) else []
    link = ["-Wl,--gc-sections,--wrap=memory_queue_push,--wrap=memory_queue_pop", *map(str, [*objects, harness])]
    return bench.build_harness(program, depends, _gcc(*link, "-o", str(program)))


class Native:
    """The running program. `text`: what it has printed; `free`: its free packet buffers; `dropped`: frames for which
    there was none. What it does wrong raises AssertionError, with the sanitizer's report."""

    def __init__(self, application: str = "net", *, lwip: bool = False, offloads: bool = False, **defines: int) -> None:
        symbols = {**defines, "NSOC_HAS_OFFLOADS": int(offloads), **({} if lwip else {"NSOC_HAS_LWIP": 0})}
        self._program = subprocess.Popen(
            [build(application, tuple(symbols.items()))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.text, self.free, self.dropped = "", 0, 0
        self._answers()

    def __enter__(self) -> "Native":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._program.kill()
        self._program.communicate()

    def exchange(self, frames: Iterable[bytes] = (), *, ms: int = 0, line: str | None = None) -> list[bytes]:
        """Time passes, the frames arrive, or a line of text; the frames that the program sends until it sleeps."""
        came = []
        while ms > TICK_MS:  # as it does for a program that sleeps from one timer to the next
            self._say(b"T" + struct.pack("<I", TICK_MS) + b"R")
            came += self._answers()
            ms -= TICK_MS
        words = [b"T" + struct.pack("<I", ms)]
        words += [b"F" + struct.pack("<H", len(frame)) + frame for frame in frames]
        if line is not None:
            words.append(b"L" + struct.pack("<H", len(line)) + line.encode())
        self._say(b"".join(words) + b"R")
        return came + self._answers()

    def command(self, line: str) -> str:
        """What the program prints on a command."""
        before = len(self.text)
        self.exchange(line=line)
        return self.text[before:]

    def counters(self) -> dict[str, int]:
        """Those that are not 0, as the program prints them."""
        lines = self.command("counters").splitlines()
        assert lines[0] == "counters:" and lines[-1] == "end"
        return {name: int(value) for value, name in (line.split(maxsplit=1) for line in lines[1:-1])}

    def read(self, address: int, size: int) -> bytes:
        self._say(b"G" + struct.pack("<II", address, size))
        return self._take(size)

    def write(self, address: int, data: bytes) -> None:
        self._say(b"S" + struct.pack("<II", address, len(data)) + data)

    def _say(self, words: bytes) -> None:
        assert self._program.stdin
        try:
            self._program.stdin.write(words)
            self._program.stdin.flush()
        except BrokenPipeError:
            self._died()

    def _take(self, size: int) -> bytes:
        assert self._program.stdout
        data = self._program.stdout.read(size)
        if len(data) != size:
            self._died()
        return data

    def _died(self) -> None:
        _, report = self._program.communicate()
        raise AssertionError(f"the program ended with {self._program.returncode}:\n{report.decode()[-6000:]}")

    def _answers(self) -> list[bytes]:
        frames = []
        while (size := struct.unpack("<H", self._take(2))[0]) != END:
            frames.append(self._take(size))
        (size,) = struct.unpack("<I", self._take(4))
        self.text += self._take(size).decode("latin-1")
        self.free, self.dropped = struct.unpack("<II", self._take(8))
        return frames
