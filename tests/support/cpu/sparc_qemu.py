# SPDX-License-Identifier: Apache-2.0
"""qemu-system-sparc as the second opinion on the instruction-set simulator of the SPARC V8 core.

QEMU's LEON3 machine has a ROM at 0 and RAM at 0x40000000, as the SoC. It runs the very image that the simulator runs,
and logs its state before each instruction; the simulator must be in the same state, and leave the same memory at the
end.

The two differ in the following. This is the whole list; programs that are compared keep away from it.

- impl and ver of PSR are QEMU's (0xF3), which the simulator is given for the comparison.
- EC and EF of PSR can be written in QEMU, and read 0 here.
- WRTBR writes all 32 bits in QEMU, and TBA only here.
- JMPL to a misaligned address has written rd in QEMU when it traps, and has not here.
- Addresses without memory read 0 in QEMU, and are answered with an error here; so do writes to the ROM.
- An alternate space that QEMU does not know ends it; here it is data_access_exception.
- Ancillary state registers read 0 in QEMU but for its own (17), and can be written; here those of docs/sparc.md's
  table are as it says, and all others illegal.
- A load or store with an alternate space in user mode that has i = 1, or a pair with odd rd, is illegal in QEMU, and
  privileged here. STDFQ and STDCQ in user mode are disabled in QEMU, and privileged here.
- User mode may use address space 0x0A in QEMU, as in LEON3.
- RETT with ET = 1 to a misaligned address has that trap in QEMU, and is illegal or privileged here.
- A taken Ticc with two registers leaves their sum in the first one in QEMU.
- Version 9's LDQF and STQF (op3 0x22, 0x26 of floating point) are disabled in QEMU, and illegal here; QEMU has CASA.
- RETT with ET = 0 whose window is invalid traps in QEMU, and ends in error mode here.
- `ta 0` with ET = 0 ends QEMU some instructions later, other traps with ET = 0 abort it; here it is error mode.
- After reset QEMU has PS = 1, WIM = 1 and an address in o6; here they are 0. The comparison begins with QEMU's state.

Not compared, as neither has the other's: interrupts, errors of the bus, address spaces but those of data.
"""

import functools
import os
import re
import shutil
import struct
import subprocess
import threading
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from sparc_programs import RAM

from nsoc.sparc import Iss

PROGRAM = "qemu-system-sparc"
VERSION = 0xF3
"""Bits 31:24 of its PSR."""
RAM_BYTES = 1 << 20
TIME_LIMIT = 120  # seconds, for one program
NAMES = ("pc", "npc", *(f"{bank}{i}" for bank in "goli" for i in range(8)), "psr", "wim", "y")
"""As Iss.trace() has them."""
LINES = 8  # of a state in the log


@functools.cache
def version() -> tuple[int, ...] | None:
    """Of QEMU on this machine; None if there is none."""
    if shutil.which(PROGRAM) is None:
        return None
    text = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", text)
    assert found, text
    return tuple(map(int, found.groups()))


WORD = re.compile(rb"\b[0-9a-f]{8}\b")


def states(image: bytes, folder: Path) -> Generator[tuple[int, ...], None, None]:
    """The state before each instruction that is not annulled, in the order of NAMES, without an end.

    RAM is in the file `ram`.
    """
    rom, ram = folder / "rom", folder / "ram"
    rom.write_bytes(image)
    with open(ram, "wb") as file:
        file.truncate(RAM_BYTES)
    found = version()
    assert found
    one_by_one = ["-singlestep"] if found < (8, 1) else ["-accel", "tcg,one-insn-per-tb=on"]
    reader, writer = os.pipe()
    command = [
        PROGRAM, "-M", "leon3_generic,memory-backend=ram", "-m", str(RAM_BYTES >> 20), "-cpu", "LEON3,-float",
        "-object", f"memory-backend-file,id=ram,size={RAM_BYTES},share=on,mem-path={ram}", "-bios", str(rom),
        "-nodefaults", "-display", "none", "-monitor", "none", *one_by_one, "-d", "cpu,nochain",
        "-D", f"/dev/fd/{writer}",
    ]  # fmt: skip
    process = subprocess.Popen(command, pass_fds=[writer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.close(writer)
    limit = threading.Timer(TIME_LIMIT, process.kill)
    limit.start()
    unpack = struct.Struct(">38I").unpack
    try:
        with open(reader, "rb", buffering=1 << 20) as log:
            first = b"".join(log.readline() for _ in range(LINES))
            record = first
            while len(record) == len(first) and record.startswith(b"pc: "):
                words = unpack(bytes.fromhex(b"".join(WORD.findall(record)).decode()))
                yield *words[:36], words[37]
                record = log.read(len(first))
        output = process.stdout.read().decode() if process.stdout else ""
        raise RuntimeError(f"QEMU ended before the program's end ({TIME_LIMIT} s are the limit): {output}")
    finally:
        limit.cancel()
        process.kill()
        process.communicate()


def compare(image: bytes, end: int, folder: Path, steps: int = 200_000) -> int:
    """Run a program up to the instruction at `end` in both; returns the number of compared states. Fails at the first
    difference."""
    found = []
    with closing(states(image, folder)) as log:
        for state in log:
            found.append(state)
            if state[0] == end:
                break
            if len(found) > steps:
                raise AssertionError(f"no end after {steps} instructions, the last at {state[0]:#x}")
    iss = Iss(version=VERSION, dram_bytes=RAM_BYTES)
    iss.write(0, image)
    start = iss.state
    for number, value in enumerate(found[0][2:34]):
        start.r[physical(number)] = value
    start.psr, start.wim = (found[0][NAMES.index(name)] for name in ("psr", "wim"))
    iss.state = start
    own = iss.trace(len(found))
    executed = "reset"
    for number, (theirs, ours) in enumerate(zip(found, own, strict=False)):
        if theirs != ours:
            wrong = [f"{n}: QEMU {q:#x}, here {i:#x}" for n, q, i in zip(NAMES, theirs, ours, strict=True) if q != i]
            raise AssertionError(f"state {number}, after {executed}: {', '.join(wrong)}")
        executed = f"{int.from_bytes(iss.read(ours[0], 4), 'big'):#010x} at {ours[0]:#x}"
    assert len(own) == len(found), f"the simulator stops: {iss.error_mode()}"
    memory, left = (folder / "ram").read_bytes(), iss.read(RAM, RAM_BYTES)
    if memory != left:
        at = next(i for i in range(RAM_BYTES) if memory[i] != left[i])
        raise AssertionError(f"{RAM + at:#x} holds {memory[at]:#x} in QEMU, {left[at]:#x} here")
    return len(found)


def physical(number: int) -> int:
    """Of a register in window 0, in which both begin."""
    if number < 8:
        return 128 + number
    return (number & 15) | 16 * (number >= 24)
