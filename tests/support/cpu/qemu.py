# SPDX-License-Identifier: Apache-2.0
"""qemu-system-riscv32 as the second opinion on the instruction-set simulator (iss.py).

QEMU runs the very program file that the core runs, at the same addresses: on an empty machine with memory everywhere,
of which locked PMP entries, set up by a few instructions ahead of reset, leave what the bench of the core has (tb.cpp).
It logs its state before each instruction; the ISS must be in the same state, and leave the same memory at the end.

Where the specification leaves a choice, the two differ. This is the whole list; `QemuIss` follows QEMU in it:

- A misaligned load or store traps in the core; QEMU performs it. (LR and AMO trap in both.)
- A misaligned SC traps in the core; QEMU finds no reservation for such an address, and it fails.
- AMO and fence.i drop the core's reservation; in QEMU only SC, traps and mret do.
- An AMO that is misaligned, or whose address cannot even be read, is an exception of a store, as specified; QEMU with
  one hart makes a load and a store of it, of which the load has the exception.
- mtval after ebreak is its address in the core and zero in QEMU.
- mtval after a jump or branch to a misaligned address is that address in the core; QEMU may give the jump's own.
- mcause keeps in the core what a cause needs, bit 31 and five more, and in QEMU any value.
- mtvec in vectored mode is aligned to 128 bytes in the core, to 4 in QEMU.
- mstatus.MPP is always machine mode in the core, and what mret leaves there differs among versions of QEMU:
  user mode in 7.2, even without one, so that programs set it before an mret that follows no trap.
- mie has in the core three interrupts and the bus error (bit 16), in QEMU more of its own.
- Counters differ, cycles and (without -icount) instructions: their readers get QEMU's value.
- mcountinhibit has other bits: it is not part of the comparison, and no program here reads it.
- Devices: the NIC page is plain memory in QEMU, its queue a word of it, and atomics work there.
- QEMU does not tell of an instruction whose fetch faults: the next thing seen is the trap handler.

Not compared, as QEMU's machine has none: interrupts, custom-0 instructions, custom CSRs, cache block operations.
"""

import os
import re
import shutil
import struct
import subprocess
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from iss import AMOS, MPP, NIC, TOHOST, Iss, Trap

PROGRAM = "qemu-system-riscv32"
R, W, X = 1, 2, 4
# The memory after reset, from address 0 up: end, rights. Above are tohost and the instructions ahead of reset.
REGIONS = [
    (0x0004_0000, R | X),  # boot ROM
    (0x4000_0000, 0),
    (0x4080_0000, R | W | X),  # DRAM
    (0x5000_0000, 0),
    (0x5008_0000, R | W | X),  # local memory
    (NIC, 0),
    (NIC + 0x200, R | W),
    (TOHOST, 0),
]
START = TOHOST + 0x2000
# What this CPU model has by default and the core has not; "c" only where the ISS has not either.
ABSENT = ("c", "f", "d", "s", "u", "mmu", "h", "v", "zbc", "zbs", "sstc")
IDENTITY = ("mvendorid=0", "marchid=0", "mimpid=1")
# CSRs in the log, and their numbers: None is one that must be zero.
CSRS = {
    "mhartid": None, "mstatus": 0x300, "mstatush": None, "mip": None, "mie": 0x304, "mideleg": None, "medeleg": None,
    "mtvec": 0x305, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mscratch": 0x340,
}  # fmt: skip
LOGGED = ["pc", *CSRS, *(f"x{i}" for i in range(32))]
TIME_LIMIT = 60  # seconds, for one program


@cache
def version() -> tuple[int, ...] | None:
    """Of QEMU on this machine; None if there is none."""
    if shutil.which(PROGRAM) is None:
        return None
    text = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", text)
    assert found, text
    return tuple(map(int, found.groups()))


def start_code() -> bytes:
    """Locks REGIONS by top-of-range PMP entries, clears what it used and jumps to address 0."""

    def load(value: int) -> list[int]:  # lui x1, addi x1
        low = value & 0xFFF
        return [(value + (low >> 11 << 12)) & 0xFFFF_F000 | 1 << 7 | 0x37, low << 20 | 1 << 15 | 1 << 7 | 0x13]

    def write_csr(number: int, value: int) -> list[int]:
        return [*load(value), number << 20 | 1 << 15 | 1 << 12 | 0x73]

    code = [word for i, (end, _) in enumerate(REGIONS) for word in write_csr(0x3B0 + i, end >> 2)]
    locked, top_of_range = 0x80, 0x08
    flags = bytes(locked | top_of_range | rights for _, rights in REGIONS)
    for i in range(0, len(flags), 4):
        code += write_csr(0x3A0 + i // 4, int.from_bytes(flags[i : i + 4], "little"))
    code += [*write_csr(0x300, 0x1800), *load(0), 0x0000_0067]
    return struct.pack(f"<{len(code)}I", *code)


@dataclass
class QemuIss(Iss):
    """The ISS with QEMU's choices."""

    nic: bytearray = field(default_factory=lambda: bytearray(512))
    following: tuple[int, ...] = ()  # QEMU's state after this instruction: what its counters gave

    def check_aligned(self, address: int, size: int, cause: int) -> None:
        pass

    def read(self, address: int, size: int, cause: int = 5) -> int:
        return super().read(address, size)

    def is_device(self, address: int) -> bool:
        return False

    def _given(self) -> int:
        """What QEMU has put into rd."""
        return self.following[LOGGED.index("x0") + (self.fetched >> 7 & 31)]

    def read_counter(self, number: int) -> int:
        return self._given()

    def read_mpp(self) -> int:
        return self._given() & MPP

    def legal(self, number: int, value: int) -> int:
        match number:
            case 0x304:
                return value & 0x888
            case 0x305:
                return value & ~2
            case 0x342:
                return value
        return super().legal(number, value)

    def _enter(self, trap: Trap) -> None:
        if trap.cause == 3:
            trap = Trap(3, 0)
        elif trap.cause == 0 and self.following[LOGGED.index("mtval")] == self.pc:
            trap = Trap(0, self.pc)
        super()._enter(trap)

    def _atomic(self, operation: int, rs2: int, address: int, value: int, instr: int) -> int:
        if operation == 3 and address % 4:
            self.reservation = None
            return 1
        if operation in AMOS and address % 4:
            raise Trap(4, address)
        reservation = self.reservation
        result = super()._atomic(operation, rs2, address, value, instr)
        if operation in AMOS:
            self.reservation = reservation
        return result

    def step(self) -> bool:
        reservation = self.reservation
        ended = super().step()
        if self.fetched & 0x707F == 0x100F:  # fence.i
            self.reservation = reservation
        return ended

    def state(self) -> tuple[int, ...]:
        """In the order of LOGGED."""
        return (self.pc, *(self.csr[number] if number else 0 for number in CSRS.values()), *self.x)


class Qemu:
    """One run of a program. `states` is what QEMU logs; `memory` holds what it has left."""

    def __init__(self, iss: Iss, folder: Path) -> None:
        """Take the memories from an ISS that a program has been loaded into."""
        self.compressed = iss.compressed
        self.file = folder / "memory"  # 4 GB, of which only what has been touched takes space
        with open(self.file, "wb") as memory:
            memory.truncate(1 << 32)
            for address, content in ((0, iss.rom), (0x4000_0000, iss.dram), (0x5000_0000, iss.local)):
                memory.seek(address)
                memory.write(content.rstrip(b"\0"))
            memory.seek(START)
            memory.write(start_code())

    def states(self) -> Generator[tuple[int, ...], None, None]:
        """The state before each instruction whose fetch does not fault, in the order of LOGGED, without an end."""
        found = version()
        assert found
        absent = [name for name in ABSENT if name != "c" or not self.compressed]
        reader, writer = os.pipe()
        one_by_one = ["-singlestep"] if found < (8, 1) else ["-accel", "tcg,one-insn-per-tb=on"]
        command = [
            PROGRAM, "-M", "none,memory-backend=ram", "-m", "4G", "-nodefaults", "-display", "none", "-monitor", "none",
            "-cpu", ",".join(["rv32", f"resetvec={START:#x}", *(f"{name}=false" for name in absent), *IDENTITY]),
            "-object", f"memory-backend-file,id=ram,size=4G,share=on,mem-path={self.file}", *one_by_one,
            "-d", "cpu,nochain", "-dfilter", f"0..{NIC - 1:#x}", "-D", f"/dev/fd/{writer}",
        ]  # fmt: skip
        process = subprocess.Popen(command, pass_fds=[writer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.close(writer)
        limit = threading.Timer(TIME_LIMIT, process.kill)
        limit.start()
        try:
            with open(reader, "rb", buffering=1 << 20) as log:
                first = b""
                for line in log:
                    first += line
                    if line.startswith(b" x28"):
                        break
                names = [name.split(b"/")[0].decode() for name in first.split()[::2]]
                if names != LOGGED:
                    process.kill()
                    output = process.stdout.read().decode() if process.stdout else ""
                    raise RuntimeError(f"{' '.join(command)} logs {names}\n{output}")
                unpack = struct.Struct(f">{len(LOGGED)}I").unpack
                mstatus = LOGGED.index("mstatus")
                record = first
                while len(record) == len(first):
                    state = unpack(bytes.fromhex(b"".join(record.split()[1::2]).decode()))
                    yield *state[:mstatus], state[mstatus] & ~MPP, *state[mstatus + 1 :]
                    record = log.read(len(first))
            raise RuntimeError(f"QEMU stopped before the program's end ({TIME_LIMIT} s are the limit)")
        finally:
            limit.cancel()
            process.kill()
            process.communicate()

    def memory(self, address: int, length: int) -> bytes:
        """What the program left there."""
        with open(self.file, "rb") as memory:
            memory.seek(address)
            return memory.read(length)


def compare_states(iss: QemuIss, states: Iterator[tuple[int, ...]]) -> int:
    """Run the ISS along QEMU's states to the end of the program; returns how many there were."""
    executed = "reset"
    for number, (found, iss.following) in enumerate(pairwise(states), 1):
        # QEMU does not tell of a fetch that faults.
        while True:
            expected = iss.state()
            iss.retire(interrupt=0, counter=0)
            if not (iss.handler and iss.csr[0x342] == 1):
                break
        if found != expected:
            pairs = zip(LOGGED, found, expected, strict=True)
            wrong = [f"{n}: QEMU {q:#x}, ISS {i:#x}" for n, q, i in pairs if q != i]
            raise AssertionError(f"state {number}, after {executed}: {', '.join(wrong)}")
        executed = f"{iss.fetched:#010x} at {expected[0]:#x}"
        if iss.ended:
            assert iss.access[3] == 1, f"the program ends with {iss.access[3]}"
            return number
    raise AssertionError("QEMU's states come to an end")  # they never do


def compare(elf: Path, folder: Path, compressed: bool = False) -> int:
    """Run a program in both; returns the number of compared instructions. Fails at the first difference."""
    iss = QemuIss(compressed=compressed)
    iss.load_elf(elf)
    qemu = Qemu(iss, folder)
    try:
        with closing(qemu.states()) as states:
            instructions = compare_states(iss, states)
        for name, address, memory in (
            ("DRAM", 0x4000_0000, iss.dram), ("local memory", 0x5000_0000, iss.local), ("NIC", NIC, iss.nic)
        ):  # fmt: skip
            left = qemu.memory(address, len(memory))
            if left != memory:
                at, q, i = next((at, q, i) for at, (q, i) in enumerate(zip(left, memory, strict=True)) if q != i)
                raise AssertionError(f"{name}: {address + at:#x} holds {q:#x} in QEMU, {i:#x} in the ISS")
        return instructions
    finally:
        qemu.file.unlink()
