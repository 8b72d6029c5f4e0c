# SPDX-License-Identifier: Apache-2.0
"""A small RV32IMA_Zba_Zbb_Zicsr instruction-set simulator, written from the specification for comparison with the core.

It knows nothing of pipelines, caches or time: memory is flat, every access is at once. Devices are reduced to what
the random programs use: the NIC page's plain registers, its queue of four, and `tohost`. Where the specification leaves
a choice, the core's documented one is taken: a reservation is dropped by any SC, AMO, trap, mret and fence.i, and SC
wants the word unchanged. With `compressed`, the C extension without floating point is there as well.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

from compressed import expand

MASK = 0xFFFF_FFFF
TOHOST = 0xFFFF_0000
NIC = 0xFF00_0000
QUEUE = NIC + 0x100
MPP = 0x1800  # mstatus
SCRATCHPAD_BYTES = 256 << 10  # of local memory, the small core's own


class Trap(Exception):
    """A synchronous exception: mcause and mtval."""

    def __init__(self, cause: int, value: int) -> None:
        super().__init__(cause, value)
        self.cause = cause
        self.value = value & MASK


def signed(value: int, bits: int = 32) -> int:
    """`value` read as a two's complement number of `bits` bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def divide(a: int, b: int) -> int:
    """Quotient rounded towards zero, with the specification's results for the special cases."""
    if b == 0:
        return -1
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def remainder(a: int, b: int) -> int:
    """What belongs to `divide`: the sign of the dividend."""
    if b == 0:
        return a
    return a - b * divide(a, b)


# Operations on two registers by (funct7, funct3), on unsigned 32-bit numbers; the caller cuts to 32 bits.
OPERATIONS = {
    (0x00, 0): lambda a, b: a + b,
    (0x20, 0): lambda a, b: a - b,
    (0x00, 1): lambda a, b: a << (b & 31),
    (0x00, 2): lambda a, b: int(signed(a) < signed(b)),
    (0x00, 3): lambda a, b: int(a < b),
    (0x00, 4): lambda a, b: a ^ b,
    (0x00, 5): lambda a, b: a >> (b & 31),
    (0x20, 5): lambda a, b: signed(a) >> (b & 31),
    (0x00, 6): lambda a, b: a | b,
    (0x00, 7): lambda a, b: a & b,
    (0x01, 0): lambda a, b: a * b,
    (0x01, 1): lambda a, b: signed(a) * signed(b) >> 32,
    (0x01, 2): lambda a, b: signed(a) * b >> 32,
    (0x01, 3): lambda a, b: a * b >> 32,
    (0x01, 4): lambda a, b: divide(signed(a), signed(b)),
    (0x01, 5): lambda a, b: a // b if b else MASK,
    (0x01, 6): lambda a, b: remainder(signed(a), signed(b)),
    (0x01, 7): lambda a, b: a % b if b else a,
    (0x10, 2): lambda a, b: (a << 1) + b,
    (0x10, 4): lambda a, b: (a << 2) + b,
    (0x10, 6): lambda a, b: (a << 3) + b,
    (0x20, 4): lambda a, b: a ^ ~b,
    (0x20, 6): lambda a, b: a | ~b,
    (0x20, 7): lambda a, b: a & ~b,
    (0x05, 4): lambda a, b: min(a, b, key=signed),
    (0x05, 5): lambda a, b: min(a, b),
    (0x05, 6): lambda a, b: max(a, b, key=signed),
    (0x05, 7): lambda a, b: max(a, b),
    (0x30, 1): lambda a, b: a << (b & 31) | a >> (-b & 31) % 32,
    (0x30, 5): lambda a, b: a >> (b & 31) | a << (-b & 31) % 32,
}

# Operations on one register by bits 31:20, funct3 and opcode.
UNARY = {
    (0x600, 1, 0x13): lambda a: 32 - a.bit_length(),  # clz
    (0x601, 1, 0x13): lambda a: (a & -a).bit_length() - 1 if a else 32,  # ctz
    (0x602, 1, 0x13): int.bit_count,  # cpop
    (0x604, 1, 0x13): lambda a: signed(a, 8),  # sext.b
    (0x605, 1, 0x13): lambda a: signed(a, 16),  # sext.h
    (0x080, 4, 0x33): lambda a: a & 0xFFFF,  # zext.h
    (0x287, 5, 0x13): lambda a: int.from_bytes(255 * bool(x) for x in a.to_bytes(4)),  # orc.b
    (0x698, 5, 0x13): lambda a: int.from_bytes(a.to_bytes(4, "little")),  # rev8
}

# A small core has no divider, and of Zbb only ctz.
NOT_SMALL = {(1, 4), (1, 5), (1, 6), (1, 7), (0x20, 4), (0x20, 6), (0x20, 7)} | {
    key for key in OPERATIONS if key[0] in (0x05, 0x30)
}
CTZ = (0x601, 1, 0x13)

BRANCHES = {
    0: lambda a, b: a == b,
    1: lambda a, b: a != b,
    4: lambda a, b: signed(a) < signed(b),
    5: lambda a, b: signed(a) >= signed(b),
    6: lambda a, b: a < b,
    7: lambda a, b: a >= b,
}

AMOS = {
    0x00: lambda old, x: old + x,
    0x01: lambda old, x: x,
    0x04: lambda old, x: old ^ x,
    0x08: lambda old, x: old | x,
    0x0C: lambda old, x: old & x,
    0x10: lambda old, x: min(old, x, key=signed),
    0x14: lambda old, x: max(old, x, key=signed),
    0x18: lambda old, x: min(old, x),
    0x1C: lambda old, x: max(old, x),
}


def rs1_field(instr: int) -> int:
    """Bits 19:15."""
    return instr >> 15 & 31


def registers_read(instr: int, custom: bool) -> tuple[int, int]:
    """The numbers of rs1 and rs2 of the instructions that have them, else 0; whether that one of custom-0 is ours."""
    opcode, funct3, rs1, rs2 = instr & 0x7F, instr >> 12 & 7, instr >> 15 & 31, instr >> 20 & 31
    match opcode:
        case 0x33 | 0x63 | 0x23 | 0x2F:
            return rs1, rs2
        case 0x0B if custom:
            return rs1, rs2
        case 0x67 | 0x03 | 0x13:
            return rs1, 0
        case 0x73 if funct3 in (1, 2, 3):
            return rs1, 0
    return 0, 0


# CSRs that the random programs use, with their writable bits; anything else is illegal here.
CSRS = {
    0x300: 0x88,  # mstatus
    0x320: 0xFFD,  # mcountinhibit
    0x304: 0x1_0888,  # mie
    0x305: 0xFFFF_FFFD,  # mtvec
    0x340: MASK,  # mscratch
    0x341: 0xFFFF_FFFC,  # mepc
    0x342: 0x8000_001F,  # mcause
    0x343: MASK,  # mtval
    0x344: 0,  # mip
    0x7C0: 0,  # mbuserr
    0x7C1: 3,  # mbusctl
}
PRECISE_STORES, OVERLAP_LOADS = 1, 2  # of mbusctl
# CSRs that never change; a write is ignored, but illegal where the number says read-only.
CONSTANT_CSRS = {
    0x301: 0x4000_1101,  # misa
    0x310: 0,  # mstatush
    0xF11: 0,  # mvendorid
    0xF12: 0,  # marchid
    0xF13: 1,  # mimpid
    0xF14: 0,  # mhartid
    0xF15: 0,  # mconfigptr
}


@dataclass
class Iss:
    """The machine. `run` executes until a store to tohost."""

    rom: bytearray = field(default_factory=lambda: bytearray(256 << 10))
    dram: bytearray = field(default_factory=lambda: bytearray(8 << 20))
    local: bytearray = field(default_factory=lambda: bytearray(512 << 10))
    nic: bytearray = field(default_factory=lambda: bytearray(256))
    queue: list[int] = field(default_factory=list)
    x: list[int] = field(default_factory=lambda: [0] * 32)
    pc: int = 0
    csr: dict[int, int] = field(default_factory=lambda: dict.fromkeys(CSRS, 0))
    compressed: bool = False
    small: bool = False  # a pnic_core: without NOT_SMALL and interrupts; atomics and order records in local memory only
    unit: bool = False  # there is the unit of custom_unit.sv for custom-0 instructions
    unit_sum: int = 0
    reservation: tuple[int, int] | None = None  # address and value of the last LR
    bus_error: bool = False  # mbuserr holds an address that nobody has taken note of
    retired: int = 0
    # For `retire`: address, masks, data read and written; rd; the instruction; it trapped; tohost has been written.
    access: tuple[int, int, int, int] = (0, 0, 0, 0)
    target: int = 0
    fetched: int = 0
    executed: int = 0  # what was fetched, in 32 bits; 0 if it is illegal in 16 bits
    length: int = 4
    handler: bool = False
    ended: bool = False
    writes: list[tuple[int, int, int]] = field(default_factory=list)  # aligned ones: address, size, value
    counter: int | None = None
    stopped: int | None = None  # what `retired` was at the write of mcountinhibit

    def load_elf(self, path: Path) -> None:
        """Place an ELF file's loadable segments."""
        image = path.read_bytes()
        table, size, count = struct.unpack_from("<I", image, 28)[0], *struct.unpack_from("<HH", image, 42)
        for i in range(count):
            kind, offset, _, address, length = struct.unpack_from("<5I", image, table + i * size)
            if kind == 1 and length:
                memory, at = self._region(address, load=True)
                memory[at : at + length] = image[offset : offset + length]

    def _region(self, address: int, load: bool = False) -> tuple[bytearray | None, int]:
        if address < len(self.rom):
            return (self.rom, address)
        if 0 <= address - 0x4000_0000 < len(self.dram):
            return (self.dram, address - 0x4000_0000)
        if 0 <= address - 0x5000_0000 < len(self.local):
            return (self.local, address - 0x5000_0000)
        if 0 <= address - NIC < len(self.nic) and not load:
            return (self.nic, address - NIC)
        return (None, 0)

    def legal(self, number: int, value: int) -> int:
        """What a CSR holds after `value` has been written to it."""
        if number == 0x305 and value & 1:
            value &= ~0x7C  # vectored: the interrupt's number is or-ed into the base
        if number == 0x341 and self.compressed:
            return value & ~1
        if number == 0x304 and self.small:
            return 0
        return value & CSRS[number]

    def constant(self, number: int) -> int:
        """What a CSR that never changes holds."""
        return CONSTANT_CSRS[number] | (4 if number == 0x301 and self.compressed else 0)

    def read_mpp(self) -> int:
        """The field of mstatus, in its place: machine mode is the only one."""
        return MPP

    def check_aligned(self, address: int, size: int, cause: int) -> None:
        """A platform choice: here every misaligned access traps."""
        if address % size:
            raise Trap(cause, address)

    def is_device(self, address: int) -> bool:
        """A platform choice: no LR, SC or AMO there but amoswap, which is one write that returns the bus's answer."""
        return address >> 24 == 0xFF

    def read_counter(self, number: int) -> int:
        """A machine that retires an instruction in each cycle; once stopped, the counters stay so."""
        if self.counter is not None and number != 0xB02:
            return self.counter
        count = self.retired if self.stopped is None else self.stopped
        return count if number in (0xB00, 0xB02) else 0

    def read(self, address: int, size: int, cause: int = 5) -> int:
        self.check_aligned(address, size, cause - 1)
        if address == QUEUE and self.is_device(address):
            return self.queue.pop(0) if self.queue else 1
        memory, at = self._region(address)
        if memory is None:
            raise Trap(cause, address)
        return int.from_bytes(memory[at : at + size], "little")

    def write(self, address: int, size: int, value: int) -> int:
        """Store; returns what the bus answers (a queue's status)."""
        self.check_aligned(address, size, 6)
        self.writes.append((address, size, value & ((1 << 8 * size) - 1)))
        if address == QUEUE and self.is_device(address):
            if len(self.queue) >= 4:
                return 2
            self.queue.append(value & MASK)
            return 0
        if address & ~0xFF == TOHOST:
            return 0  # the bench's interrupt registers
        memory, at = self._region(address)
        if memory is None or memory is self.rom:
            raise Trap(7, address)
        memory[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        if self.small and self.reservation and self.reservation[0] == address & ~3:
            self.reservation = None
        return 0

    def _load(self, address: int, size: int, base: int) -> int:
        """A load; an overlapped one does not trap when it fails. Cached is what is below 0x5000_0000."""
        try:
            return self.read(address, size)
        except Trap as trap:
            overlaps = self.csr[0x7C1] & OVERLAP_LOADS and min(address, base) >= 0x5000_0000
            if trap.cause != 5 or not overlaps:
                raise
            self._fail(address)
            return 0

    def _store(self, address: int, size: int, value: int) -> None:
        """A store; a posted one does not trap when it fails."""
        try:
            self.write(address, size, value)
        except Trap as trap:
            posted = not self.small and (address >> 29 == 2 or self.is_device(address))
            if trap.cause != 7 or self.csr[0x7C1] & PRECISE_STORES or not posted:
                raise
            self._fail(address)

    def _fail(self, address: int) -> None:
        if not self.bus_error:
            self.bus_error, self.csr[0x7C0] = True, address

    def run(self, limit: int = 1_000_000) -> None:
        """Execute until tohost is written; raises after `limit` instructions."""
        for _ in range(limit):
            try:
                if self.step():
                    return
                self.retired += 1
            except Trap as trap:
                self._enter(trap)
        raise RuntimeError(f"no end after {limit} instructions, pc = {self.pc:#x}")

    def _enter(self, trap: Trap) -> None:
        self.csr[0x341] = self.pc
        self.csr[0x342] = trap.cause
        self.csr[0x343] = trap.value
        mie = self.csr[0x300] >> 3 & 1
        self.csr[0x300] = mie << 7
        vector = 4 * (trap.cause & 31) if self.csr[0x305] & 1 and trap.cause >> 31 else 0
        self.pc = self.csr[0x305] & ~3 | vector
        self.reservation = None

    def enables(self, cause: int) -> bool:
        """The interrupt with this mcause would be taken now, were it pending."""
        return bool(self.csr[0x300] & 8 and self.csr[0x304] >> (cause & 31) & 1)

    def retire(self, interrupt: int, counter: int) -> tuple[int, ...]:
        """Execute one instruction and tell what RVFI has to say of it (tb.cpp gives the order).

        The interrupt with mcause `interrupt` is taken before (0: none). `counter`: what a read of a counter gives.
        """
        entered = interrupt or self.handler
        if interrupt:
            self._enter(Trap(interrupt, 0))
        pc, before = self.pc, list(self.x)
        self.access, self.counter, self.target = (0, 0, 0, 0), counter, 0
        self.fetched = self.executed = 0
        try:
            if self.step():
                self.ended = True
                self.pc += self.length
            self.retired += 1
            self.handler = False
        except Trap as trap:
            self._enter(trap)
            self.handler = True
            self.target, self.access = 0, (0, 0, 0, 0)
        instr = self.fetched
        rs1, rs2 = registers_read(self.executed, self.unit or (self.small and self.executed >> 28 == 0))
        rd = self.target
        return (
            2 * bool(entered) | self.handler, instr, pc, self.pc, rs2 << 8 | rs1, before[rs1], before[rs2],
            rd, self.x[rd], *self.access,
        )  # fmt: skip

    def fetch(self, address: int, size: int) -> int:
        """An instruction, or half of one."""
        memory, at = self._region(address & MASK)
        if memory is None or memory is self.nic:
            raise Trap(1, address)
        return int.from_bytes(memory[at : at + size], "little")

    def step(self) -> bool:
        """One instruction; True if it wrote tohost."""
        self.length = 4
        if self.compressed:
            half = self.fetch(self.pc, 2)
            if half & 3 == 3:
                self.fetched = instr = half | self.fetch(self.pc + 2, 2) << 16
            else:
                self.length, self.fetched = 2, half
                expanded = expand(half)
                if expanded is None:
                    raise Trap(2, half)
                instr = expanded
        else:
            self.fetched = instr = self.fetch(self.pc, 4)
        self.executed = instr
        opcode, rd, funct3 = instr & 0x7F, instr >> 7 & 31, instr >> 12 & 7
        rs1, rs2, funct7 = instr >> 15 & 31, instr >> 20 & 31, instr >> 25
        a, b = self.x[rs1], self.x[rs2]
        imm_i = signed(instr >> 20, 12)
        imm_s = signed(funct7 << 5 | rd, 12)
        next_pc = self.pc + self.length
        result: int | None = None

        match opcode:
            case 0x37:
                result = instr & 0xFFFF_F000
            case 0x17:
                result = self.pc + (instr & 0xFFFF_F000)
            case 0x6F:
                offset = (instr >> 31 << 20) | (instr >> 12 & 0xFF) << 12 | (instr >> 20 & 1) << 11
                result = next_pc
                next_pc = self.pc + signed(offset | (instr >> 21 & 0x3FF) << 1, 21)
            case 0x67 if funct3 == 0:
                result = next_pc
                next_pc = (a + imm_i) & ~1
            case 0x63 if funct3 in BRANCHES:
                if BRANCHES[funct3](a, b):
                    offset = (instr >> 31 << 12) | (instr >> 7 & 1) << 11 | (instr >> 25 & 0x3F) << 5
                    next_pc = self.pc + signed(offset | (instr >> 8 & 0xF) << 1, 13)
            case 0x03 if funct3 in (0, 1, 2, 4, 5):
                size = 1 << (funct3 & 3)
                value = self._load((a + imm_i) & MASK, size, a) & ((1 << 8 * size) - 1)
                self.access = ((a + imm_i) & MASK, (1 << size) - 1, value, 0)
                result = value if funct3 & 4 else signed(value, 8 * size)
            case 0x23 if funct3 in (0, 1, 2):
                address = (a + imm_s) & MASK
                size = 1 << funct3
                self._store(address, size, b)
                self.access = (address, ((1 << size) - 1) << 4, 0, b & ((1 << 8 * size) - 1))
                if address == TOHOST:
                    return True
            case 0x13 | 0x33 if (instr >> 20, funct3, opcode) in ([CTZ] if self.small else UNARY):
                result = UNARY[instr >> 20, funct3, opcode](a)
            case 0x13:
                if funct3 in (1, 5):
                    if (funct7, funct3) not in ((0, 1), (0, 5), (0x20, 5), *([] if self.small else [(0x30, 5)])):
                        raise Trap(2, instr)
                    result = OPERATIONS[funct7, funct3](a, rs2)
                else:
                    result = OPERATIONS[0, funct3](a, imm_i & MASK)
            case 0x33 if (funct7, funct3) in OPERATIONS and not (self.small and (funct7, funct3) in NOT_SMALL):
                result = OPERATIONS[funct7, funct3](a, b)
            case 0x0F if funct3 in (0, 1):
                if funct3 == 1:
                    self.reservation = None
            case 0x2F if funct3 == 2:
                result = self._atomic(instr >> 27, rs2, a, b, instr)
                if instr >> 27 != 3 and not (self.small and instr >> 27 != 2 and rd == 0):
                    self.access = (a, 0xF, result, 0)
            case 0x0B if self.small and funct3 == 2 and (funct7, rd) == (0, 0):
                self._order(a, b)
            case 0x0B if self.small and funct3 == 2 and (funct7, rs2) == (1, 0):
                result = self._order(a, None)
                if rd:
                    self.access = (a, 0xF, result, 0)
            case 0x0B if self.unit:
                result = 0
                if funct3 == 0:
                    result = (a ^ b << 1) + funct7
                elif funct3 == 1:
                    self.unit_sum += a
                    result = self.unit_sum
            case 0x73:
                next_pc, result = self._system(instr, funct3, a, next_pc)
            case _:
                raise Trap(2, instr)

        next_pc &= MASK
        if next_pc & 3 and not self.compressed:
            raise Trap(0, next_pc)
        if result is not None and rd:
            self.x[rd] = result & MASK
            self.target = rd
        self.pc = next_pc
        return False

    def _order(self, address: int, count: int | None) -> int:
        """Sets the flag of a count in the order record at that address; without one, updates its position."""
        self.check_aligned(address, 4, 6)
        row = address & ~127
        if not 0 <= address - 0x5000_0000 < SCRATCHPAD_BYTES:
            raise Trap(7, address)
        position = self.read(row, 4)
        word = row + 64 + (position if count is None else count) % 512 // 32 * 4
        flags = self.read(word, 4)
        self.reservation = None
        if count is not None:
            self.write(word, 4, flags | 1 << count % 32)
            return flags
        while flags >> position % 32 & 1:
            flags &= ~(1 << position % 32)
            position += 1
            if position % 32 == 0:
                break
        self.write(word, 4, flags)
        self.write(row, 4, position)
        return position & MASK

    def _atomic(self, operation: int, rs2: int, address: int, value: int, instr: int) -> int:
        device = self.is_device(address)
        if self.small:  # all that is not local is as devices are, for AMOs as well
            device = not 0 <= address - 0x5000_0000 < SCRATCHPAD_BYTES
        if operation == 0x02 and rs2 == 0:
            if address % 4:
                raise Trap(4, address)
            if device:
                raise Trap(5, address)
            loaded = self.read(address, 4)
            self.reservation = (address, loaded)
            return loaded
        if operation == 0x03:
            if address % 4:
                raise Trap(6, address)
            if device:
                raise Trap(7, address)
            reserved, self.reservation = self.reservation, None
            matched = reserved is not None and reserved == (address, self.read(address, 4))
            if matched:
                self.write(address, 4, value)
            return int(not matched)
        if operation not in AMOS:
            raise Trap(2, instr)
        if address % 4:
            raise Trap(6, address)
        self.reservation = None
        if device:
            if operation != 0x01 or self.small:
                raise Trap(7, address)
            return self.write(address, 4, value)
        old = self.read(address, 4, cause=7)
        self.write(address, 4, AMOS[operation](old, value))
        return old

    def _system(self, instr: int, funct3: int, a: int, next_pc: int) -> tuple[int, int | None]:
        if instr == 0x0000_0073:
            raise Trap(11, 0)
        if instr == 0x0010_0073:
            raise Trap(3, self.pc)
        if instr == 0x3020_0073:
            self.csr[0x300] = self.csr[0x300] >> 4 & 8 | 0x80
            self.reservation = None
            return self.csr[0x341], None
        number = instr >> 20
        if number >> 5 == 0x58 and funct3 == 2 and rs1_field(instr) == 0:
            return next_pc, self.read_counter(number)
        field_ = rs1_field(instr)
        writes = funct3 & 3 == 1 or field_ != 0
        if number in CONSTANT_CSRS and funct3 not in (0, 4) and not (writes and number >> 10 == 3):
            return next_pc, self.constant(number)
        if funct3 in (0, 4) or number not in CSRS:
            raise Trap(2, instr)
        operand = field_ if funct3 & 4 else a
        old = self.csr[number]
        if writes:
            new = {1: operand, 2: old | operand, 3: old & ~operand}[funct3 & 3]
            if number == 0x7C0:
                self.bus_error = False
            else:
                self.csr[number] = self.legal(number, new)
            if number == 0x320:
                self.stopped = self.retired
        return next_pc, old | (self.read_mpp() if number == 0x300 else 0)
