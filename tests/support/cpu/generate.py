# SPDX-License-Identifier: Apache-2.0
"""Generators of test programs: operand corner cases with results computed here, and random programs for the ISS."""

import functools
import random

from compressed import ROW, SIGNED, decode
from iss import AMOS, BRANCHES, CTZ, MASK, NOT_SMALL, OPERATIONS, UNARY, signed

CORNERS = [0, 1, 2, 31, 32, 0x7F, 0x80, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, MASK]

NAMES = {
    (0x00, 0): "add", (0x20, 0): "sub", (0x00, 1): "sll", (0x00, 2): "slt", (0x00, 3): "sltu", (0x00, 4): "xor",
    (0x00, 5): "srl", (0x20, 5): "sra", (0x00, 6): "or", (0x00, 7): "and",
    (0x01, 0): "mul", (0x01, 1): "mulh", (0x01, 2): "mulhsu", (0x01, 3): "mulhu",
    (0x01, 4): "div", (0x01, 5): "divu", (0x01, 6): "rem", (0x01, 7): "remu",
    (0x10, 2): "sh1add", (0x10, 4): "sh2add", (0x10, 6): "sh3add",
    (0x20, 4): "xnor", (0x20, 6): "orn", (0x20, 7): "andn",
    (0x05, 4): "min", (0x05, 5): "minu", (0x05, 6): "max", (0x05, 7): "maxu", (0x30, 1): "rol", (0x30, 5): "ror",
}  # fmt: skip
UNARY_NAMES = {
    (0x600, 1, 0x13): "clz", (0x601, 1, 0x13): "ctz", (0x602, 1, 0x13): "cpop", (0x604, 1, 0x13): "sext.b",
    (0x605, 1, 0x13): "sext.h", (0x080, 4, 0x33): "zext.h", (0x287, 5, 0x13): "orc.b", (0x698, 5, 0x13): "rev8",
}  # fmt: skip
MIE = (0, 0x8, 0x80, 0x800, 0x880, 0x888)
BRANCH_NAMES = {0: "beq", 1: "bne", 4: "blt", 5: "bge", 6: "bltu", 7: "bgeu"}
AMO_NAMES = {
    0x00: "amoadd", 0x01: "amoswap", 0x04: "amoxor", 0x08: "amoor", 0x0C: "amoand",
    0x10: "amomin", 0x14: "amomax", 0x18: "amominu", 0x1C: "amomaxu",
}  # fmt: skip
IMMEDIATE = {"add": "addi", "slt": "slti", "sltu": "sltiu", "xor": "xori", "or": "ori", "and": "andi"}
SHIFTS = {"sll": "slli", "srl": "srli", "sra": "srai", "ror": "rori"}

# Registers start with random values: t5 and t6 are saved before anybody has set them.
HEAD = '#include "bench.h"\n  begin\n  li t5, 0\n  li t6, 0\n'
TAIL = "  passed\n  finish\n"


def alu_program(multiply: bool, small: bool = False) -> str:
    """Every register-register (and register-immediate) operation on every pair of corner values.

    The distance between producing an operand and using it runs through 0 to 3 instructions, so that each operand comes
    through each forwarding path.
    """
    rng = random.Random(1)
    lines = []
    for key, name in NAMES.items():
        if (key[0] == 1) != multiply or (small and key in NOT_SMALL):
            continue
        for i, a in enumerate(CORNERS):
            for j, b in enumerate(CORNERS):
                expected = OPERATIONS[key](a, b) & MASK
                between = ["  nop"] * ((i + j) % 4)
                rd = rng.choice(["a0", "a1", "a2"])  # also onto an operand
                first, second = [f"  li a1, {a:#x}", f"  li a2, {b:#x}"][:: rng.choice([1, -1])]
                lines += [first, second, *between, f"  {name} {rd}, a1, a2", f"  expect {rd}, {expected:#x}"]
            lines += [f"  li a1, {a:#x}", f"  {name} x0, a1, a1", "  expect x0, 0"]
            if name in IMMEDIATE:
                for imm in (0, 1, -1, 2047, -2048):
                    expected = OPERATIONS[key](a, imm & MASK) & MASK
                    lines += [f"  li a1, {a:#x}", f"  {IMMEDIATE[name]} a0, a1, {imm}", f"  expect a0, {expected:#x}"]
            if name in SHIFTS:
                for amount in (0, 1, 7, 16, 31):
                    expected = OPERATIONS[key](a, amount) & MASK
                    lines += [f"  li a1, {a:#x}", f"  {SHIFTS[name]} a0, a1, {amount}", f"  expect a0, {expected:#x}"]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def unary_program(small: bool = False) -> str:
    """Every operation on one register on corner values, single bits, and values with an empty byte."""
    rng = random.Random(2)
    values = [
        *CORNERS,
        *(1 << i for i in range(32)),
        *(MASK ^ (1 << i) for i in range(32)),
        *(MASK >> i for i in range(32)),
    ]
    values += [rng.getrandbits(32) & sum(255 << 8 * i for i in range(4) if keep >> i & 1) for keep in range(16)]
    lines = []
    for key, name in UNARY_NAMES.items():
        if small and key != CTZ:
            continue
        for i, a in enumerate(values):
            rd = rng.choice(["a0", "a1"])
            lines += [f"  li a1, {a:#x}", *["  nop"] * (i % 4), f"  {name} {rd}, a1"]
            lines += [f"  expect {rd}, {UNARY[key](a) & MASK:#x}"]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def branch_program() -> str:
    """Every branch on every pair of corner values; a wrong direction runs into a failure. lui, auipc, jal, jalr."""
    lines = []
    label = 0
    for funct3, name in BRANCH_NAMES.items():
        for a in CORNERS:
            for b in CORNERS:
                label += 1
                lines += ["  addi gp, gp, 1", f"  li a1, {a:#x}", f"  li a2, {b:#x}"]
                if BRANCHES[funct3](a, b):
                    lines += [f"  {name} a1, a2, 1f", f"  j fail_near_{label // 100}", "1:"]
                else:
                    lines += [f"  {name} a1, a2, fail_near_{label // 100}"]
                if label % 100 == 99:
                    # A branch reaches 4 KB: stepping stones to the end of the program.
                    lines += ["  j 1f", f"fail_near_{label // 100}:", "  j failed", "1:"]
    lines += ["  j 1f", f"fail_near_{label // 100}:", "  j failed", "1:"]
    for value in (0, 1, 0x7FFFF, 0x80000, 0xFFFFF):
        lines += [f"  lui a0, {value:#x}", f"  expect a0, {value << 12:#x}"]
        lines += [f"1: auipc a0, {value:#x}", "  la a1, 1b", f"  li a2, {value << 12:#x}", "  add a1, a1, a2"]
        lines += ["  expect_eq a0, a1"]
    for offset in (0, 4, -4, 2047 - 3, -2048, 1):
        # jalr clears bit 0 of the sum; link and target may be the same register.
        lines += ["  la a0, 2f", f"  addi a0, a0, {-offset if offset != -2048 else 2047}"]
        lines += ["  addi a0, a0, 1" if offset == -2048 else "", f"1: jalr a0, {offset}(a0)", "  j failed"]
        lines += ["2: la a1, 1b", "  addi a1, a1, 4", "  expect_eq a0, a1"]
    lines += ["1: jal a0, 2f", "  j failed", "2: la a1, 1b + 4", "  expect_eq a0, a1"]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def amo_program() -> str:
    """Every AMO on corner values, in cached DRAM (line present and absent) and in local memory."""
    lines = []
    for code, name in AMO_NAMES.items():
        for i, a in enumerate(CORNERS):
            for j, b in enumerate(CORNERS[i % 3 :: 3]):
                base = ("DRAM + 0x20000", "LOCAL + 0x100")[(i + j) % 2]
                expected = AMOS[code](a, b) & MASK
                suffix = ("", ".aq", ".rl", ".aqrl")[j % 4]
                touch = ["  lw a4, 0(a3)"] if j % 2 else []  # brings the line into the cache
                lines += [f"  li a3, {base} + {4 * (j % 8)}", f"  li a1, {a:#x}", f"  li a2, {b:#x}", "  sw a1, 0(a3)"]
                lines += [*touch, f"  {name}.w{suffix} a0, a2, (a3)", f"  expect a0, {a:#x}"]
                lines += ["  lw a0, 0(a3)", f"  expect a0, {expected:#x}"]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def load_store_program() -> str:
    """Every load and store at every offset of a dword, in each kind of memory, against byte arithmetic done here."""
    data = bytes((0x80 + 37 * i) & 0xFF for i in range(16))
    lines = []
    for base in ("DRAM + 0x20000", "LOCAL + 0x40", "LOCAL + 0x40040", "NIC + 0x40"):
        memory = bytearray(data)
        lines += [f"  li s0, {base}"]
        for at in range(0, 16, 4):
            lines += [f"  li a0, {int.from_bytes(memory[at : at + 4], 'little'):#x}", f"  sw a0, {at}(s0)"]
        for at in range(16):
            for name, size in (("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)):
                if at % size == 0:
                    value = int.from_bytes(memory[at : at + size], "little")
                    if not name.endswith("u"):
                        value = signed(value, 8 * size) & MASK
                    lines += [f"  {name} a0, {at}(s0)", f"  expect a0, {value:#x}"]
        for at in range(16):
            for name, size in (("sb", 1), ("sh", 2), ("sw", 4)):
                if at % size == 0:
                    value = 0x11223344 * (at + size) & MASK
                    memory[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
                    word = at & ~3
                    lines += [f"  li a1, {value:#x}", f"  {name} a1, {at}(s0)", f"  lw a0, {word}(s0)"]
                    lines += [f"  expect a0, {int.from_bytes(memory[word : word + 4], 'little'):#x}"]
        # Negative offsets, and the furthest ones.
        lines += ["  addi s1, s0, 2032", "  addi s1, s1, 16", "  lw a0, -2048(s1)"]
        lines += [f"  expect a0, {int.from_bytes(memory[0:4], 'little'):#x}"]
        if "NIC" not in base:
            lines += ["  li a1, 0x1234567", "  sw a1, 2044(s0)", "  lw a0, -4(s1)", "  expect a0, 0x1234567"]
    return HEAD + "\n".join(lines) + "\n" + TAIL


# ---- What the programs above leave out, so that each instruction meets each register and the operands that matter
# (isa_coverage.py says which). These compute no results: the trace is compared with a reference.

EDGES = sorted({*CORNERS, 0x5555_5555, 0xAAAA_AAAA, *(1 << i for i in range(32)), *(MASK ^ 1 << i for i in range(32))})
IMMEDIATES = [0, -1, 2047, -2048, *(1 << i for i in range(11)), *(-2 << i for i in range(10))]
LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4}
STORES = {"sb": 1, "sh": 2, "sw": 4}
# A trap skips the instruction and changes no register (but mscratch and mtval).
SKIPPING_TAIL = """\
  passed
  finish own_trap=1
trap_entry:
  csrw mscratch, t6
  csrr t6, mepc
#ifdef COMPRESSED
  csrw mtval, t5
#endif
  skip t6, t5
#ifdef COMPRESSED
  csrr t5, mtval
#endif
  csrw mepc, t6
  csrr t6, mscratch
  mret
"""


def branch_word(funct3: int, rs1: int, rs2: int, offset: int) -> int:
    """A branch as a number, with offsets that assemblers refuse."""
    low = (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7
    return (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low | 0x63


def jal_word(rd: int, offset: int) -> int:
    """A jal as a number, with offsets that assemblers refuse."""
    high = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20
    return high | (offset >> 12 & 0xFF) << 12 | rd << 7 | 0x6F


def register_program() -> str:
    """Every instruction with every register in each place, and with one register in two places and in all three."""
    rng = random.Random(3)
    places = [(k, (k + 5) % 32, (k + 11) % 32) for k in range(32)]
    places += [(7, 7, 9), (7, 9, 7), (7, 9, 9), (7, 7, 7)]
    memory = 0x4002_0000
    lines = ["  j start", "low:", "  jr x5", "start:"]

    def value(register: int) -> str:
        return f"  li x{register}, {rng.choice([rng.choice(EDGES), rng.getrandbits(32)]):#x}"

    for rd, rs1, rs2 in places:
        for name in NAMES.values():
            lines += [value(rs1), value(rs2), f"  {name} x{rd}, x{rs1}, x{rs2}"]
        for name in UNARY_NAMES.values():
            lines += [value(rs1), f"  {name} x{rd}, x{rs1}"]
        for name in IMMEDIATE.values():
            lines += [value(rs1), f"  {name} x{rd}, x{rs1}, {rng.choice(IMMEDIATES)}"]
        for name in SHIFTS.values():
            lines += [value(rs1), f"  {name} x{rd}, x{rs1}, {rng.randrange(32)}"]
        lines += [f"  lui x{rd}, {rng.getrandbits(20)}", f"  auipc x{rd}, {rng.getrandbits(20)}"]
        # Through x0, loads read ROM and stores fault there.
        at = memory + 4 * rng.randrange(64)
        pointer, base = (f"  li x{rs1}, {at:#x}", 0) if rs1 else ("", 0x40)
        for name in LOADS:
            lines += [pointer, f"  {name} x{rd}, {base}(x{rs1})"]
        for name in STORES:
            lines += [value(rs2), pointer, f"  {name} x{rs2}, {base}(x{rs1})"]
        for name in AMO_NAMES.values():
            lines += [value(rs2), pointer, f"  {name}.w x{rd}, x{rs2}, (x{rs1})"]
        lines += [value(rs2), pointer, f"  lr.w x{rd}, (x{rs1})", pointer, f"  sc.w x{rd}, x{rs2}, (x{rs1})"]
        for name in BRANCH_NAMES.values():
            lines += [value(rs1), value(rs2), f"  {name} x{rs1}, x{rs2}, 1f", "  nop", "1:"]
        lines += [f"  jal x{rd}, 1f", "1:"]
        if rs1:
            lines += [f"  la x{rs1}, 1f", f"  jalr x{rd}, 0(x{rs1})", "1:"]
        else:
            lines += ["  la x5, 1f", f"  jalr x{rd}, %lo(low)(x0)", "1:"]
        for name in ("csrrw", "csrrs", "csrrc"):
            lines += [value(rs1), f"  {name} x{rd}, mscratch, x{rs1}"]
            lines += [f"  {name}i x{rd}, mscratch, {rs2}"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


def operand_program() -> str:
    """Every operation, branch, atomic, load and store on every edge value as either operand, in one loop over them."""
    table = ", ".join(f"{value:#x}" for value in EDGES)
    lines = ["  la s0, edges", f"  li s1, {len(EDGES)}", "  li s2, 0", "  li a3, 0x40020000", "1000: slli t0, s2, 2"]
    lines += ["  add t0, t0, s0", "  lw a1, 0(t0)", "  li t1, 29", "  add t1, t1, s2", f"  li t2, {len(EDGES)}"]
    lines += ["  remu t1, t1, t2", "  sh2add t1, t1, s0", "  lw a2, 0(t1)"]
    for first, second in (("a1", "a2"), ("a2", "a1"), ("a1", "a1")):
        lines += [f"  {name} a0, {first}, {second}" for name in NAMES.values()]
        for name in BRANCH_NAMES.values():
            lines += [f"  {name} {first}, {second}, 1f", "  addi a0, a0, 1", "1:"]
            lines += ["  j 2f", "1: j 3f", f"2: {name} {first}, {second}, 1b", "3:"]
        for name in AMO_NAMES.values():
            lines += [f"  sw {first}, 0(a3)", f"  {name}.w a0, {second}, (a3)", "  lw a0, 0(a3)"]
    lines += [f"  {name} a0, a1" for name in UNARY_NAMES.values()]
    lines += [f"  {name} a0, a1, {imm}" for name in IMMEDIATE.values() for imm in IMMEDIATES]
    lines += [f"  {name} a0, a1, {amount}" for name in SHIFTS.values() for amount in range(32)]
    lines += ["  sw a1, 0(a3)", "  lr.w a0, (a3)", "  sc.w a0, a2, (a3)"]
    lines += [f"  {name} a0, {at}(a3)" for name, size in LOADS.items() for at in range(0, 4, size)]
    lines += [f"  {name} a1, {4 * size + at}(a3)" for name, size in STORES.items() for at in range(0, 4, size)]
    lines += [f"  {name} a0, mscratch, a1" for name in ("csrrw", "csrrs", "csrrc")]
    lines += ["  addi s2, s2, 1", "  beq s2, s1, 1f", "  j 1000b", "1:"]
    for imm in sorted({0, *(1 << i for i in range(20)), *(0xFFFFF ^ 1 << i for i in range(20)), 0xFFFFF}):
        lines += [f"  lui a0, {imm}", f"  auipc a0, {imm}"]
    for name in (*LOADS, *STORES, "jalr"):
        for imm in IMMEDIATES:
            lines += ["  la a1, 1f" if name == "jalr" else "  li a1, 0x40020100", f"  li a2, {imm}", "  sub a1, a1, a2"]
            lines += [f"  {name} a0, {imm}(a1)", "1:"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL + "  .balign 4\nedges:\n  .word " + table + "\n"


def exception_program() -> str:
    """Every load, store and atomic at every misaligned address, with offsets of both signs, and where nothing is; jumps
    to misaligned targets, branches to such a target taken and not taken."""
    lines = ["  li a3, 0x40020000", "  li a2, 0x89abcdef", "  sw a2, 0(a3)", "  sw a2, 4(a3)"]
    for at in range(1, 4):
        for name, size in (*LOADS.items(), *STORES.items()):
            if at % size:
                lines += [f"  addi a1, a3, {at - imm}\n  {name} a2, {imm}(a1)" for imm in (8, -8)]
        lines += [f"  addi a1, a3, {at}", "  lr.w a0, (a1)", "  sc.w a0, a2, (a1)"]
        lines += [f"  {name}.w a0, a2, (a1)" for name in AMO_NAMES.values()]
    for address in (0x6000_0000, 0x4_0000, 0x3FFF_FFFC, 0x4080_0000, 0x5008_0000):
        lines += [f"  li a1, {address:#x}", *(f"  {name} a0, 0(a1)" for name in LOADS), "  lr.w a0, (a1)"]
        lines += [f"  {name}.w a0, a2, (a1)" for name in AMO_NAMES.values()]
    # Stores to other memories are posted, and fail later.
    lines += ["  li a1, 0x60000000", *(f"  {name} a2, 0(a1)" for name in STORES)]
    lines += ["  sc.w a0, a2, (a1)", "  sc.w a0, a2, (a3)"]
    # Only where no instruction can begin at such a target.
    lines += ["#ifndef COMPRESSED"]
    for offset in (6, -6, 2, 4094, -4094):
        for funct3 in BRANCH_NAMES:
            for a, b in ((5, -7), (-7, 5), (5, 5)):
                lines += [f"  li a1, {a}", f"  li a2, {b}", f"  .word {branch_word(funct3, 11, 12, offset):#x}"]
        lines += [f"  .word {jal_word(rd, offset):#x}" for rd in (0, 1, 10)]
    for imm in (2, 3, -2, -1):
        lines += ["  la a1, 1f", *(f"  jalr {rd}, {imm}(a1)" for rd in ("x0", "ra", "a1")), "1:"]
    lines += ["#endif"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


def jump_program() -> str:
    """Branches and jal as far as they reach, forwards and backwards."""
    lines = ["  .option norvc"]
    for name in BRANCH_NAMES.values():
        taken = "x0, x0" if name in ("beq", "bge", "bgeu") else "x0, a1"
        # The first branch goes to the first nop, the second one back to `1`.
        lines += ["  li a1, 1", f"  {name} {taken}, .+4092", "1: j 2f", "  .zero 4084"]
        lines += ["  nop", "  nop", f"  {name} {taken}, .-4096", "2:"]
    # jal from the middle of 2 MB of DRAM to landing pads that return through its link.
    middle, words = 1 << 20, {}
    offsets = [sign << k for k in range(9, 20) for sign in (1, -1)] + [-(1 << 20), (1 << 20) - 4]
    for i, offset in enumerate(offsets):
        words[middle + 4 * i] = f"  .word {jal_word(1, offset):#x}"
        words[middle + 4 * i + offset] = "  ret"
    words[middle + 4 * len(offsets)] = "  jr x5"
    lines += ["  la a1, base", f"  li a2, {middle:#x}", "  add a1, a1, a2", "  jalr x5, 0(a1)"]
    far = ['  .section .ram, "awx"', "base:"]
    at = 0
    for address in sorted(words):
        far += [f"  .zero {address - at}"] if address > at else []
        far += [words[address]]
        at = address + 4
    return HEAD + "\n".join(lines) + "\n" + TAIL + "\n".join(far) + "\n"


def reservation_program() -> str:
    """What may stand between LR and SC: each thing that ends a reservation, and those that do not."""
    between = [
        "nop", "lw a4, 0(a3)", "lw a4, 4(a3)", "sw a1, 4(a3)", "sw a2, 0(a3)", "sb a2, 1(a3)", "lw a4, 1024(a3)",
        "fence", "fence.i", "amoadd.w a4, a2, (a3)", "amoadd.w a4, x0, (a3)", "amoor.w a4, a2, (a5)", "lr.w a4, (a5)",
        "sc.w a4, a2, (a3)", "sc.w a4, a2, (a5)", "ecall", "ebreak", ".word 0", "jal x1, 5f\n5:", "mul a4, a1, a2",
        "csrw mscratch, x0", "li a4, 0x1800\n  csrs mstatus, a4\n  la a4, 5f\n  csrw mepc, a4\n  mret\n5:",
    ]  # fmt: skip
    lines = []
    for base in ("DRAM + 0x20000", "LOCAL + 0x100"):
        for line in between:
            lines += [f"  li a3, {base}", "  addi a5, a3, 4", "  li a1, 0x1234567", "  li a2, 0x89abcdef"]
            lines += ["  sw a1, 0(a3)", "  lr.w a0, (a3)", f"  {line}", "  sc.w a0, a2, (a3)"]
            lines += ["  lw a1, 0(a3)", "  sc.w a0, a1, (a3)"]
        lines += ["  lr.w a0, (a3)", "  sc.w a0, a2, (a5)", "  sc.w a0, a2, (a3)"]
    # SC to an address that differs in one bit from the last LR's and holds the same value; then behind one of its own.
    pairs = [(0x4002_0000, 0x4002_0000 ^ 1 << bit) for bit in range(2, 23)] + [(0x4000_0100, 0x5000_0100)]
    pairs += [(0x5000_0100, 0x5000_0100 ^ 1 << bit) for bit in range(2, 15)]
    for first, second in pairs:
        lines += [f"  li a3, {first:#x}", f"  li a5, {second:#x}", "  li a1, 0x1234567", "  li a2, 0x89abcdef"]
        lines += ["  sw a1, 0(a3)", "  sw a1, 0(a5)", "  lr.w a0, (a3)", "  sc.w a0, a2, (a5)", "  lw a0, 0(a5)"]
        lines += ["  sc.w a0, a2, (a3)", "  lw a0, 0(a3)"]
        lines += ["  lr.w a0, (a3)", "  lr.w a0, (a5)", "  sc.w a0, a2, (a3)", "  lw a0, 0(a3)"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


def system_program() -> str:
    """CSRs with each way to write them, those that are not there or read-only, ecall, ebreak, fences, mret."""
    legal = {
        "mscratch": EDGES,
        "mepc": [value & ~3 for value in EDGES],
        "mtval": EDGES,
        "mcause": [cause | irq << 31 for cause in range(32) for irq in (0, 1)],
        "mie": [0, 0x8, 0x80, 0x800, 0x888],
        "mstatus": [0, 0x80],
        "mtvec": [0, 1, 0x7C, 0x7D, 0x80, 0x81, *(1 << i for i in range(7, 32)), 0xFFFF_FFFC, 0xFFFF_FF81],
    }
    lines = []
    for csr, values in legal.items():
        for i, value in enumerate(values):
            name = ("csrrw", "csrrs", "csrrc")[i % 3] if csr == "mscratch" else "csrrw"
            lines += [f"  li a1, {value:#x}", f"  {name} a0, {csr}, a1", f"  csrr a2, {csr}"]
        if csr not in ("mtvec", "mepc"):
            for name in ("csrrs", "csrrc"):
                lines += [f"  li a1, {values[-1]:#x}", f"  {name} x0, {csr}, a1", f"  {name} a0, {csr}, x0"]
        if csr == "mstatus":
            lines += [f"  {name} a0, mstatus, 8\n  csrr a2, mstatus" for name in 2 * ("csrrsi", "csrrci")]
            lines += ["  csrw mie, x0", "  csrsi mstatus, 8", "  ecall", "  csrr a2, mstatus", "  csrwi mstatus, 0"]
        lines += ["  la a1, trap_entry", "  csrrw x0, mtvec, a1"]
    for name in ("csrrwi", "csrrsi", "csrrci"):
        lines += [f"  {name} a0, mscratch, {value}\n  csrr a2, mscratch" for value in range(32)]
    read_only = ("mvendorid", "marchid", "mimpid", "mhartid", "mconfigptr")
    for csr in ("misa", "mstatush", "mip", *read_only):
        lines += [f"  {name} a0, {csr}, x0" for name in ("csrrs", "csrrc")]
        lines += [f"  {name} a0, {csr}, 0" for name in ("csrrsi", "csrrci")]
        if csr in read_only:
            lines += ["  li a0, 7", f"  csrrw a0, {csr}, x0", f"  csrrs a0, {csr}, a0", f"  csrrwi a0, {csr}, 0"]
    for number in (0x100, 0x180, 0x200, 0x5A8, 0x7B0, 0x8FF, 0xC01, 0xFFF):  # supervisor's, debugger's, nobody's; time
        lines += [f"  li a0, 7\n  {name} a0, {number:#x}, x0" for name in ("csrrw", "csrrs", "csrrc")]
    lines += ["  ecall", "  csrr a0, mcause", "  ebreak", "  csrr a0, mtval", "  fence", "  fence.i", "  fence r, w"]
    # Reserved fields of fences are ignored.
    lines += ["  .word 0x8330000f", "  .word 0xfff0ff8f", "  .word 0xfff19f8f"]
    # What is no branch, right behind what gives it an operand late.
    for funct3 in (2, 3):
        for register in ("a1", "a2"):
            for late in ("lw {}, 0(a3)", "mul {}, a3, a3", "csrr {}, mtvec", "min {}, a0, a3", "amoor.w {}, x0, (a3)"):
                lines += ["  li a3, 0x40020000", "  li a0, -77", "  li a1, 5", "  li a2, 6", "  sw a0, 0(a3)"]
                lines += [f"  {late.format(register)}", f"  .word {branch_word(funct3, 11, 12, 8):#x}", "  nop"]
    # What is no instruction here: slt with an undefined funct7, sret, uret, dret.
    lines += ["  .insn r 0x33, 2, 2, a0, a1, a2", "  .word 0x10200073", "  .word 0x00200073", "  .word 0x7b200073"]
    lines += ["  la a1, 1f", "  csrw mepc, a1", "  mret", "  j failed", "1:"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


DIRECTED = {
    "every_alu_operation_on_corner_operands": lambda: alu_program(multiply=False),
    "every_operation_on_one_register": unary_program,
    "every_multiply_and_divide_on_corner_operands": lambda: alu_program(multiply=True),
    "every_branch_on_corner_operands_and_jumps": branch_program,
    "every_amo_on_corner_operands": amo_program,
    "every_load_and_store_at_every_offset": load_store_program,
    "every_register_in_every_place": register_program,
    "every_operation_on_edge_operands": operand_program,
    "every_misaligned_or_failing_access_and_jump": exception_program,
    "branches_and_jumps_as_far_as_they_reach": jump_program,
    "what_stands_between_lr_and_sc": reservation_program,
    "csrs_fences_and_environment_calls": system_program,
}
SMALL_DIRECTED = {
    **DIRECTED,
    "every_alu_operation_on_corner_operands": lambda: alu_program(multiply=False, small=True),
    "every_operation_on_one_register": lambda: unary_program(small=True),
    "every_multiply_and_divide_on_corner_operands": lambda: alu_program(multiply=True, small=True),
}
"""For a core with less: what it does not have traps, in the programs that skip what does."""


# ---- Instructions of 16 bits. As above, no results are computed here.

# Immediates: lowest bit, number of bits; those that must not be zero.
SHORT_IMMEDIATES = {
    "c.addi4spn": (2, 8), "c.lw": (2, 5), "c.sw": (2, 5), "c.addi": (0, 6), "c.li": (0, 6), "c.addi16sp": (4, 6),
    "c.lui": (12, 6), "c.srli": (0, 5), "c.srai": (0, 5), "c.andi": (0, 6), "c.slli": (0, 5), "c.lwsp": (2, 6),
    "c.swsp": (2, 6),
}  # fmt: skip
NOT_ZERO = {"c.addi4spn", "c.addi16sp", "c.lui"}
SHORT_TWO = ("c.sub", "c.xor", "c.or", "c.and")


@functools.cache
def illegal() -> list[int]:
    """Halfwords that are no instruction, nor the first half of one of 32 bits."""
    return [half for half in range(1 << 16) if half & 3 != 3 and decode(half) is None]


def short_immediates(name: str) -> list[int]:
    """All there are."""
    low, bits = SHORT_IMMEDIATES[name]
    values = range(-(1 << bits - 1), 1 << bits - 1) if name in SIGNED else range(1 << bits)
    return [value << low for value in values if value or name not in NOT_ZERO]


def short_program() -> str:
    """Every instruction of 16 bits that goes straight on, with every register in each place and every immediate.

    Those of 32 bits in between (`norvc`) come to stand at odd halfwords as often as not.
    """
    rng = random.Random(4)
    lines = ["  .option norvc"]

    def value(register: int) -> str:
        return f"  li x{register}, {rng.choice([rng.choice(EDGES), rng.getrandbits(32)]):#x}"

    def short(line: str) -> list[str]:
        return ["  .option rvc", f"  {line}", "  .option norvc"]

    for name in ("c.addi", "c.li", "c.lui", "c.slli", "c.srli", "c.srai", "c.andi"):
        eight = name in ("c.srli", "c.srai", "c.andi")
        registers = list(range(8, 16)) if eight else [r for r in range(1, 32) if (name, r) != ("c.lui", 2)]
        immediates = short_immediates(name)
        for i in range(max(len(immediates), len(registers))):
            imm, register = immediates[i % len(immediates)], registers[i % len(registers)]
            if imm == 0 and name in ("c.addi", "c.slli", "c.srli", "c.srai"):
                continue  # a hint
            shown = imm >> 12 & 0xFFFFF if name == "c.lui" else imm
            lines += [value(register), *short(f"{name} x{register}, {shown}")]
    for edge in EDGES:
        for name in ("c.addi", "c.slli", "c.srli", "c.srai", "c.andi"):
            lines += [f"  li a0, {edge:#x}", *short(f"{name} a0, {rng.choice(short_immediates(name)[33:] or [9])}")]
        for name in (*SHORT_TWO, "c.mv", "c.add"):
            lines += [f"  li a0, {edge:#x}", f"  li a1, {rng.choice(EDGES):#x}", *short(f"{name} a0, a1")]
            lines += [f"  li a1, {edge:#x}", f"  li a0, {rng.choice(EDGES):#x}", *short(f"{name} a0, a1")]
    for name in SHORT_TWO:
        for rd in range(8, 16):
            for rs2 in range(8, 16):
                lines += [value(rd), value(rs2), *short(f"{name} x{rd}, x{rs2}")]
    for name in ("c.mv", "c.add"):
        for rd in range(1, 32):
            for rs2 in (rd, (rd + 6) % 31 + 1):
                lines += [value(rd), value(rs2), *short(f"{name} x{rd}, x{rs2}")]
    for imm in short_immediates("c.addi16sp"):
        lines += [value(2), *short(f"c.addi16sp x2, {imm}")]
    for i, imm in enumerate(short_immediates("c.addi4spn")):
        lines += [value(2) if i % 16 == 0 else "", *short(f"c.addi4spn x{8 + i % 8}, x2, {imm}")]
    lines += ["  li x2, 0x40020000"]
    for i, imm in enumerate(short_immediates("c.swsp")):
        lines += [value(i % 32) if i % 32 != 2 else "", *short(f"c.swsp x{i % 32}, {imm}(x2)")]
    for i, imm in enumerate(short_immediates("c.lwsp")):
        lines += short(f"c.lwsp x{i % 31 + 1}, {imm}(x2)")
        lines += ["  li x2, 0x40020000"] if i % 31 == 1 else []
    for rs1 in range(8, 16):
        for k, imm in enumerate(short_immediates("c.lw")):
            other = 8 + (rs1 + k) % 8
            lines += [value(other), f"  li x{rs1}, 0x40020000", *short(f"c.sw x{other}, {imm}(x{rs1})")]
            lines += short(f"c.lw x{other}, {imm}(x{rs1})")
    # What traps: misaligned, nothing there.
    for address in (0x4002_0001, 0x4002_0002, 0x4002_0003, 0x6000_0000):
        lines += [f"  li x2, {address:#x}", "  mv x8, x2"]
        for line in ("c.lw x9, 4(x8)", "c.sw x9, 4(x8)", "c.lwsp x9, 4(x2)", "c.swsp x9, 4(x2)"):
            lines += short(line)
    lines += short("c.ebreak")
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


def short_hint_program() -> str:
    """Hints, which do nothing, and halfwords that are no instruction: some of each kind."""
    rng = random.Random(5)
    hints = [0x0001 | imm << 2 | high << 12 for imm in range(32) for high in (0, 1)]  # c.nop, c.addi x0
    hints += [0x0001 | rd << 7 for rd in range(1, 32)]  # c.addi by 0
    hints += [base | imm << 2 | high << 12 for base in (0x4001, 0x6001) for imm in range(1, 32) for high in (0, 1)]
    hints += [0x0002 | imm << 2 for imm in range(32)] + [0x0002 | rd << 7 for rd in range(1, 32)]  # c.slli
    hints += [base | rd << 7 for base in (0x8001, 0x8401) for rd in range(8)]  # c.srli, c.srai by 0
    hints += [base | rs2 << 2 for base in (0x8002, 0x9002) for rs2 in range(1, 32)]  # c.mv, c.add to x0
    assert all(decode(half) for half in hints)
    kinds: dict[int, list[int]] = {}
    for half in illegal():
        kinds.setdefault(half & 0xE003 | (half & 0x1C60 if half & 0xE003 == 0x8001 else 0), []).append(half)
    of_each_kind = [half for halves in kinds.values() for half in rng.sample(halves, min(12, len(halves)))]
    reserved = [0x2004, 0x8000, 0x9C01, 0x9C41, 0x6081, 0x6101, 0x4002, 0x8002, 0x1002, 0x9001, 0x9401]
    lines = [f"  li x{register}, {rng.getrandbits(32):#x}" for register in range(1, 32) if register != 3]
    lines += [f"  .2byte {half:#06x}" for half in rng.sample(hints, len(hints))]
    lines += [f"  .2byte {half:#06x}\n  addi a0, a0, 1" for half in (0, *reserved, *of_each_kind)]
    lines += [f"  .2byte {half:#06x}" for half in (0, *reserved)]
    assert all(decode(half) is None for half in (0, *reserved))
    # 32 bits that are no instruction either, in both places; and what would be one of more than 32 bits.
    for word in (MASK, 0x0000_007F, 0x0000_001F, 0x0000_006B):
        lines += [f"  .4byte {word:#x}", "  .2byte 0x0001", f"  .4byte {word:#x}"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


def short_jump_program() -> str:
    """Jumps and branches of 16 bits as far as they reach, and those of 32 bits and jumps to registers, from and to both
    halves of a word."""
    lines = ["  .option rvc", "  li a3, 3"]
    for name, bits in (("c.j", 11), ("c.jal", 11), ("c.beqz", 8), ("c.bnez", 8)):
        branch = name in ("c.beqz", "c.bnez")
        offsets = [sign << k for k in range(1, bits) for sign in (1, -1)] + [(1 << bits) - 2, -(1 << bits)]
        for n, offset in enumerate(sorted(offsets, key=abs)):
            register = f"x{8 + n % 8}" if branch else ""
            jump = f"{name} {register}, " if branch else f"{name} "
            lines += ["  c.nop"] * (n % 3 == 1)
            lines += [f"  li {register}, {int(name == 'c.bnez')}"] if branch else []
            # What is there comes back through x6.
            lines += ["  la x6, 3f"]
            if offset > 0:
                lines += [f"  {jump}.+{offset}", f"  .zero {offset - 2}", "  c.jr x6", "3:"]
            else:
                lines += ["  j 2f", "  c.jr x6", f"  .zero {-offset - 2}", f"2: {jump}.-{-offset}", "3:"]
            if branch:  # and not taken
                lines += [f"  li {register}, {int(name == 'c.beqz')}", f"  {jump}.+4", "  c.addi a3, 1"]
    # Calls and returns in a loop: with each register, from and to either half, with links of both lengths.
    for register in range(1, 32):
        lines += ["  c.nop"] * (register % 2)
        lines += [f"  la x{register}, 1f", f"  c.jr x{register}", "  j failed", "  c.nop", "1:"]
        lines += [f"  la x{register}, 2f", f"  c.jalr x{register}", "2: c.addi a3, 1"]
    for target in range(2):
        for source in range(2):
            indirect = [f"la x6, 4f\n  {jump}" for jump in ("jalr x1, 0(x6)", "c.jalr x6")]
            for call in ("jal x1, 4f", "c.jal 4f", *indirect, "jal x5, 5f"):
                option = "rvc" if "c." in call else "norvc"
                lines += ["  li s0, 5", "  .balign 4", *["  c.nop"] * source, f"  .option {option}", f"1: {call}"]
                lines += ["  .option rvc", "  c.addi s0, -1", "  bnez s0, 1b", "  j 3f", "  .balign 4"]
                lines += [*["  c.nop"] * target, "4: c.addi a3, 1", "  ret"]
                lines += ["  .balign 4", *["  c.nop"] * target, "5: add a3, a3, s0", "  jr x5", "3:"]
    # The same jump to one half of a word and to the other.
    lines += ["  la x6, 4f", "  li s0, 8", "1: xori x6, x6, 2", "  jalr x1, 0(x6)", "  c.addi s0, -1", "  bnez s0, 1b"]
    lines += ["  j 3f", "  .balign 4", "4: c.addi a3, 1", "  c.slli a3, 1", "  ret", "3:"]
    return HEAD + "\n".join(lines) + "\n" + SKIPPING_TAIL


def short_rewrite_program() -> str:
    """One piece of code after the other in the same place, with instructions of other lengths and other jumps: the
    branch predictor expects jumps in the middle of instructions, and in halves that are something else now."""
    rng = random.Random(6)
    size, pieces = 16, []  # halfwords
    for _ in range(120):
        kinds: list[str] = []
        while sum(1 + ("32" in kind) for kind in kinds) < size - 4:
            kinds.append(rng.choice(["add", "add", "add32", "add32", "j", "beqz", "bnez", "jal32", "beq32", "bne32"]))
        starts = [0]
        for kind in kinds:
            starts.append(starts[-1] + 1 + ("32" in kind))
        halves: list[int] = []
        for i, kind in enumerate(kinds):
            offset = 2 * (starts[min(i + rng.randint(1, 4), len(kinds))] - starts[i])
            match kind:
                case "add":
                    halves.append(ROW["c.addi"].encode(rd=10, imm=rng.randint(1, 31)))
                case "j":
                    halves.append(ROW["c.j"].encode(imm=offset))
                case "beqz" | "bnez":  # x15 is zero, x14 is not
                    halves.append(ROW[f"c.{kind}"].encode(rs1=rng.choice([14, 15]), imm=offset))
                case _:
                    word = rng.randrange(1 << 11) << 20 | 10 << 15 | 10 << 7 | 0x13
                    if kind == "jal32":
                        word = jal_word(0, offset)
                    elif kind != "add32":
                        word = branch_word(("beq32", "bne32").index(kind), rng.choice([14, 15]), 0, offset)
                    halves += [word & 0xFFFF, word >> 16]
        halves.append(ROW["c.jr"].encode(rs1=1))
        # It begins in the first word's lower or upper half.
        pieces.append(([1] * rng.randrange(2) + halves + [0] * size)[:size])
    lines = ["  la s0, pieces", f"  li s1, {len(pieces)}", "  la s2, place", "  li a5, 0", "  li a4, 1", "  li a0, 0"]
    lines += ["1: mv t0, s2", f"  addi t1, s0, {2 * size}", "2: lw t2, 0(s0)", "  sw t2, 0(t0)", "  addi s0, s0, 4"]
    lines += ["  addi t0, t0, 4", "  bne s0, t1, 2b", "  fence.i", "  li s3, 3"]
    lines += ["3: jalr ra, 0(s2)", "  addi s3, s3, -1", "  bnez s3, 3b", "  addi s1, s1, -1", "  bnez s1, 1b"]
    data = ", ".join(f"{half:#x}" for piece in pieces for half in piece)
    place = f'  .section .ram, "awx"\n  .balign 32\nplace:\n  .zero {2 * size}\n'
    return HEAD + "\n".join(lines) + "\n" + TAIL + f"  .balign 4\npieces:\n  .2byte {data}\n{place}"


SHORT = {
    "every_short_instruction_with_every_register_and_immediate": short_program,
    "hints_and_halfwords_that_are_no_instruction": short_hint_program,
    "jumps_from_and_to_both_halves_of_a_word": short_jump_program,
    "code_in_place_of_other_code": short_rewrite_program,
}


class RandomProgram:
    """A random program that ends by itself, writes down its registers and logs its traps.

    Registers: x8 DRAM data, x9 local memory, x18 NIC, x19 log pointer, x20 ROM data, x21 DRAM data 8 KB further (the
    same cache lines), x22 code slot in DRAM, x23 where a failed fetch goes on, x24/x25 loop counters; x30 and x31
    belong to the trap handler. With `interrupts`, external interrupts arrive all the time and must leave no trace.
    With `overlap`, loads overlap most of the time, more of them are uncached, and some fail, as do posted stores.
    With `small` it is for a pnic_core: atomics are in local memory, and there are order records.
    """

    TEMPS = (3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 26, 27, 28, 29)

    def __init__(
        self,
        seed: int,
        interrupts: bool,
        length: int = 500,
        unit: bool = False,
        overlap: bool = False,
        small: bool = False,
    ) -> None:
        self.rng = random.Random(seed)
        self.odd = random.Random(seed)  # for what only COMPRESSED has
        self.interrupts = interrupts
        self.length = length
        self.unit = unit
        self.overlap = overlap
        self.small = small
        self.lines: list[str] = []
        self.labels = 0
        self.depth = 0
        self.leaf = False  # inside a function: no calls, which would lose x1, and no loops
        self.functions = 6

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def temp(self) -> str:
        # Few registers make many dependencies.
        return f"x{self.rng.choice(self.TEMPS if self.rng.random() < 0.3 else self.TEMPS[5:10])}"

    def source(self) -> str:
        return self.temp() if self.rng.random() < 0.95 else "x0"

    def target(self) -> str:
        return self.temp() if self.rng.random() < 0.97 else "x0"

    def emit(self, *lines: str) -> None:
        self.lines += [f"  {line}" for line in lines]

    def value(self) -> int:
        return self.rng.choice(CORNERS) if self.rng.random() < 0.4 else self.rng.getrandbits(32)

    # ---- Kinds of instructions
    def alu(self) -> None:
        rng = self.rng
        usual = self.small and rng.random() < 0.95  # nothing that a small core does not have
        name = rng.choice([n for k, n in NAMES.items() if k[0] != 1 and not (usual and k in NOT_SMALL)])
        kind = rng.random()
        if kind < 0.1:
            self.emit(f"{rng.choice(['lui', 'auipc'])} {self.target()}, {rng.getrandbits(20)}")
        elif kind < 0.2:
            unary = UNARY_NAMES[CTZ] if usual else rng.choice(list(UNARY_NAMES.values()))
            self.emit(f"{unary} {self.target()}, {self.source()}")
        elif kind < 0.5 and name in IMMEDIATE:
            self.emit(f"{IMMEDIATE[name]} {self.target()}, {self.source()}, {rng.randint(-2048, 2047)}")
        elif kind < 0.5 and name in SHIFTS:
            self.emit(f"{SHIFTS[name]} {self.target()}, {self.source()}, {rng.randrange(32)}")
        else:
            self.emit(f"{name} {self.target()}, {self.source()}, {self.source()}")

    def muldiv(self) -> None:
        names = [n for k, n in NAMES.items() if k[0] == 1]
        name = self.rng.choice(names[:4] * 4 + names[4:])
        self.emit(f"{name} {self.target()}, {self.source()}, {self.source()}")

    def custom(self) -> None:
        rng = self.rng
        fields = f"{rng.randrange(2)}, {rng.choice([0, 1, 2, 7, rng.randrange(128)])}"
        self.emit(f".insn r 0x0B, {fields}, {self.target()}, {self.source()}, {self.source()}")

    def load_value(self) -> None:
        self.emit(f"li {self.temp()}, {self.value():#x}")

    def memory(self) -> None:
        rng = self.rng
        base = rng.choice(["x8", "x8", "x8", "x21", "x9", "x18", "x20", *(6 * ["x9", "x18"] if self.overlap else [])])
        store = rng.random() < 0.45 and base != "x20"
        name, size = rng.choice(
            [("sb", 1), ("sh", 2), ("sw", 4)] if store else [("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)]
        )
        span = 64 if rng.random() < 0.5 else 1024
        offset = rng.randrange(-span if base != "x18" else 0, span if base != "x18" else 256, size)
        if rng.random() < 0.02 and base != "x18":
            offset += 1
        register = self.source() if store else self.target()
        if rng.random() < 0.2 and base != "x18":
            # An address that was computed just now.
            pointer = self.temp()
            self.emit(f"andi {pointer}, {self.source()}, {rng.choice([0x3C, 0x7C, 0x3FC])}")
            self.emit(f"add {pointer}, {pointer}, {base}", f"{name} {register}, {offset & ~3}({pointer})")
        else:
            self.emit(f"{name} {register}, {offset}({base})")

    def burst(self) -> None:
        """Stores and loads of the same few words, one behind the other."""
        base = self.rng.choice(["x8", "x8", "x9", "x18"])
        for _ in range(self.rng.randint(2, 8)):
            offset = self.rng.randrange(0, 16)
            if self.rng.random() < 0.5:
                name, size = self.rng.choice([("sb", 1), ("sh", 2), ("sw", 4)])
                self.emit(f"{name} {self.source()}, {offset & -size}({base})")
            else:
                name, size = self.rng.choice([("lb", 1), ("lhu", 2), ("lw", 4)])
                self.emit(f"{name} {self.target()}, {offset & -size}({base})")

    def loads(self) -> None:
        """Uncached loads one behind the other, to any registers, and then something that may use them."""
        rng = self.rng
        for _ in range(rng.randint(1, 7)):
            name, size = rng.choice([("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4), ("lw", 4)])
            self.emit(f"{name} {self.target()}, {rng.randrange(0, 64, size)}({rng.choice(['x9', 'x18'])})")
            if rng.random() < 0.15:
                self.queue()
        kind = rng.random()
        if kind < 0.2:
            self.branch()
        elif kind < 0.4:
            self.muldiv()
        elif kind < 0.5:
            self.atomic()

    def overlap_control(self) -> None:
        """Sets the mode, or lets accesses fail; what became of them is known after a fence."""
        rng = self.rng
        kind = rng.random()
        temp = self.temp()
        if kind < 0.3:
            self.emit(f"csrrwi {self.target()}, MBUSCTL, {rng.choice([0, 1, 2, 2, 2, 3])}")
        elif kind < 0.5:
            self.emit("fence", f"csrr {self.target()}, MBUSERR", "csrw MBUSERR, x0")
        elif kind < 0.7:
            # Across the border between cached and not: by the address, and by the register in it.
            bad = rng.choice([0x4FFF_FFFC, 0x5000_0000, 0x4080_0000])
            name = rng.choice(["lw", "lw", "lhu", "lb"])
            self.emit(f"li {temp}, {bad:#x}", f"{name} {self.target()}, {rng.choice([-4, 0, 4])}({temp})")
        else:
            address = rng.choice([0x6000_0000, 0x5008_0000, 0x5008_0008, 0xFF00_0200, 0xFE00_0000])
            self.emit(f"li {temp}, {address:#x}")
            for _ in range(rng.randint(1, 3)):
                offset = rng.choice([0, 4, 12])
                if rng.random() < 0.7:
                    self.emit(f"{rng.choice(['lw', 'lh', 'lbu'])} {self.target()}, {offset}({temp})")
                else:
                    self.emit(f"{rng.choice(['sw', 'sb'])} {self.source()}, {offset}({temp})")

    def atomic(self) -> None:
        rng = self.rng
        pointer, data = rng.sample(self.TEMPS, 2)
        base = "x9" if self.small else rng.choice(["x8", "x8", "x9", "x21"])
        self.emit(f"addi x{pointer}, {base}, {4 * rng.randrange(-8, 8)}")
        if self.small and rng.random() < 0.4:
            self.emit(f".insn r 0x0B, 2, 0, x0, x{pointer}, {self.source()}")
            if rng.random() < 0.7:
                self.emit(f".insn r 0x0B, 2, 1, {self.target()}, x{pointer}, x0")
            return
        if rng.random() < 0.5:
            name = rng.choice(list(AMO_NAMES.values()))
            self.emit(f"{name}.w {self.target()}, x{data}, (x{pointer})")
        else:
            result = rng.choice([t for t in self.TEMPS if t not in (pointer, data)])
            loop = self.label()
            self.lines += [f"{loop}:"]
            self.emit(f"lr.w x{data}, (x{pointer})")
            if rng.random() < 0.5:
                self.emit(f"addi x{data}, x{data}, {rng.randint(-9, 9)}")
            if rng.random() < 0.3 and not self.interrupts:
                self.emit(f"sw x{result}, 0(x{pointer})")
                self.emit(f"sc.w x{result}, x{data}, (x{pointer})")
            else:
                self.emit(f"sc.w x{result}, x{data}, (x{pointer})")
                # An interrupt in between makes SC fail once more.
                self.emit(f"bnez x{result}, {loop}")
        if rng.random() < 0.1 and not self.interrupts:
            self.emit(f"sc.w {self.target()}, x{data}, (x{pointer})")

    def queue(self) -> None:
        pointer = self.temp()
        self.emit(f"addi {pointer}, x18, 0x100")
        kind = self.rng.random()
        if kind < 0.4:
            self.emit(f"amoswap.w {self.target()}, {self.source()}, ({pointer})")
        elif kind < 0.6:
            self.emit(f"sw {self.source()}, 0({pointer})")
        else:
            self.emit(f"lw {self.target()}, 0({pointer})")

    def system(self) -> None:
        rng = self.rng
        kind = rng.random()
        if kind < 0.5:
            name = rng.choice(["csrrw", "csrrs", "csrrc"])
            if rng.random() < 0.5:
                self.emit(f"{name}i {self.target()}, mscratch, {rng.randrange(32)}")
            else:
                self.emit(f"{name} {self.target()}, mscratch, {self.source()}")
        elif kind < 0.7:
            self.emit(rng.choice(["fence", "fence.i", "fence rw, rw"]))
        elif kind < 0.8 and not self.interrupts:
            self.emit(f"csrr {self.target()}, {rng.choice(['mepc', 'mcause', 'mtval', 'mstatus', 'minstret'])}")
        elif kind < 0.95 and self.interrupts:
            self.interrupt_control()
        else:
            self.trap()

    def interrupt_control(self) -> None:
        """Lets fewer interrupts through for a while, by mstatus or by mie, or raises some at once."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            pointer, levels = rng.sample(self.TEMPS, 2)
            self.emit(f"li x{pointer}, PERIPHERAL", f"li x{levels}, {rng.choice([1, 2, 3, 4, 5, 6, 7])}")
            self.emit(f"sw x{levels}, IRQ_LEVELS(x{pointer})", f"li x{levels}, {rng.choice([50, 500])}")
            self.emit(f"sw x{levels}, IRQ_RANDOM(x{pointer})")
        elif kind < 0.6:
            self.emit("csrci mstatus, 8")
            self.block(rng.randint(1, 6))
            self.emit("csrsi mstatus, 8")
        else:
            temp = self.temp()
            self.emit(f"li {temp}, {rng.choice(MIE):#x}", f"csrw mie, {temp}")
            self.block(rng.randint(1, 6))
            self.emit(f"li {temp}, 0x888", f"csrw mie, {temp}")

    def trap(self) -> None:
        rng = self.rng
        kind = rng.randrange(8)
        temp = self.temp()
        if kind == 0:
            self.emit("ecall")
        elif kind == 1:
            self.emit("ebreak")
        elif kind == 2:
            words = (
                0,
                MASK,
                0x0000_0001,
                0xC000_1073,
                0x3600_2573,
                0xF110_1573,
                0x0400_5033,
                0x0000_200B,
                0x1234_5677,
                0x6035_1513,
                0x6065_1513,
                0x2867_5513,
                0x6996_5513,
                0x0A05_1533,
                0x0815_4533,
                0x2005_1533,
            )
            self.emit(f".word {rng.choice(words):#x}")
        elif kind == 3:
            self.emit(f"li {temp}, {rng.choice([0x6000_0000, 0x4080_0000, 0x5008_0000, 0x4_0000]):#x}")
            if rng.random() < 0.5:
                self.emit(f"lw {self.target()}, 0({temp})")
            else:
                self.emit(f"amoadd.w {self.target()}, {self.source()}, ({temp})")
        elif kind == 4:
            self.emit(f"sw {self.source()}, 64(x20)")  # a store to ROM is precise
        elif kind == 5:
            name = rng.choice(["lr.w {0}, ({2})", "sc.w {0}, {1}, ({2})", "amoxor.w {0}, {1}, ({2})"])
            self.emit(f"addi {temp}, x18, {rng.choice([0, 1, 4])}", name.format(self.target(), self.source(), temp))
        elif kind == 6:
            label = self.label()
            self.emit(f"la {temp}, {label}", f"jalr {self.target()}, 2({temp})")
            # Misaligned, or over an instruction of 16 bits: from there on, all the others are at odd halfwords.
            self.lines += [f"{label}:", "#ifdef COMPRESSED", "  .2byte 0x0001", "#endif"]
        else:
            label = self.label()
            self.emit(f"la x23, {label}", f"li {temp}, {rng.choice([0x6000_0000, 0xFF00_0100, 0x5008_0000]):#x}")
            self.emit(f"jalr {self.target()}, 0({temp})")
            self.lines += [f"{label}:"]

    def branch(self) -> None:
        name = self.rng.choice(list(BRANCH_NAMES.values()))
        label = self.label()
        self.emit(f"{name} {self.source()}, {self.source()}, {label}")
        self.block(self.rng.randint(1, 5))
        self.lines += [f"{label}:"]

    def loop(self) -> None:
        if self.depth == 2:
            return self.alu()
        counter = ("x24", "x25")[self.depth]
        self.depth += 1
        label = self.label()
        self.emit(f"li {counter}, {self.rng.randint(1, 6)}")
        self.lines += [f"{label}:"]
        self.block(self.rng.randint(3, 12))
        self.emit(f"addi {counter}, {counter}, -1", f"bnez {counter}, {label}")
        self.depth -= 1
        return None

    def call(self) -> None:
        name = f"function_{self.rng.randrange(self.functions)}"
        pointer = self.temp()
        if self.rng.random() < 0.5:
            self.emit(f"la {pointer}, {name}", f"jalr x1, 0({pointer})")
        else:
            self.emit(f"call {name}")

    def modify(self) -> None:
        """Write an instruction into the code slot and run it: addi of a random constant, then return."""
        word = self.temp()
        rd = self.rng.choice(self.TEMPS)
        imm = self.rng.randrange(4096)
        two = [(imm >> k & 1) << 12 | rd << 7 | (imm >> k & 31) << 2 | 1 for k in (0, 6)]  # c.addi
        self.lines += ["#ifdef COMPRESSED"]
        self.emit(f"li {word}, {(two[1] << 16 | two[0]) if imm & 1 else imm << 20 | rd << 15 | rd << 7 | 0x13:#x}")
        self.lines += ["#else"]
        self.emit(f"li {word}, {imm << 20 | rd << 15 | rd << 7 | 0x13:#x}")
        self.lines += ["#endif"]
        self.emit(f"sw {word}, 0(x22)", "fence.i", "jalr x1, 0(x22)")

    def short(self) -> None:
        """With COMPRESSED: something of 16 bits, whatever the assembler does with the rest."""
        odd = self.odd
        kind = odd.random()
        register = odd.choice((*self.TEMPS, 0))
        if kind < 0.6:  # c.addi, c.li, c.slli: also as hints
            base = odd.choice([0x0001, 0x4001, 0x0002])
            high = odd.randrange(2) if base & 1 else 0
            halves = [base | high << 12 | register << 7 | odd.randrange(32) << 2]
        elif kind < 0.75:  # c.sub, c.xor, c.or, c.and
            halves = [0x8C01 | odd.randrange(2, 8) << 7 | odd.randrange(4) << 5 | odd.randrange(2, 8) << 2]
        elif kind < 0.9:  # c.mv, c.add
            halves = [0x8002 | odd.randrange(2) << 12 | register << 7 | odd.choice(self.TEMPS) << 2]
        elif kind < 0.98:  # c.beqz, c.bnez, c.j over c.addi
            halves = [odd.choice([0xA011, 0xC011, 0xE011]), 0x0505]
            if halves[0] != 0xA011:
                halves[0] |= odd.randrange(2, 8) << 7
        else:
            halves = [odd.choice(illegal())]
        self.lines += ["#ifdef COMPRESSED", *(f"  .2byte {h:#06x}" for h in halves), "#endif"]

    def block(self, count: int) -> None:
        kinds = [
            (self.alu, 30),
            (self.muldiv, 6),
            (self.load_value, 5),
            (self.memory, 25),
            (self.burst, 3),
            (self.atomic, 3),
            (self.queue, 2),
            (self.system, 2),
            (self.branch, 8),
        ]
        if self.unit:
            kinds += [(self.custom, 6)]
        if self.overlap:
            kinds += [(self.loads, 8), (self.overlap_control, 2)]
        if not self.leaf:
            kinds += [(self.loop, 3), (self.call, 4), (self.modify, 1)]
        for _ in range(count):
            self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()
            if self.odd.random() < 0.1:
                self.short()

    def text(self) -> str:
        """The whole program as assembly."""
        rng = self.rng
        for t in (1, 2, 24, 25, *self.TEMPS):
            self.emit(f"li x{t}, {self.value():#x}")
        self.block(self.length)
        body, self.lines = self.lines, []
        functions = []
        self.leaf = True
        for i in range(self.functions):
            self.block(rng.randint(2, 10))
            where = '.section .ram, "awx"' if i % 2 else ".section .text"
            functions += [f"  {where}", "  .balign 4", f"function_{i}:", *self.lines, "  ret"]
            self.lines = []
        enable = (
            [
                "  li x30, 0x888",
                "  csrw mie, x30",
                "  li x31, PERIPHERAL",
                "  li x30, 40",
                "  sw x30, IRQ_RANDOM(x31)",
                "  sw x30, TIMER_IN(x31)",
                "  csrsi mstatus, 8",
            ]
            if self.interrupts
            else []
        )
        disable = ["  csrci mstatus, 8"] if self.interrupts else []
        data = rng.randbytes(4096)
        words = ", ".join(f"{int.from_bytes(data[i : i + 4], 'little'):#x}" for i in range(0, 4096, 4))
        start = [
            "  la x8, data + 2048",
            "  li x9, LOCAL + 2048",
            "  li x18, NIC",
            "  la x19, log",
            "  la x20, constants",
            "  la x21, data + 2048 + 8192",
            "  la x22, slot",
            "  mv x23, x0",
        ]
        if self.overlap:
            start += ["  csrsi MBUSCTL, 2"]
        end = ["  la x31, registers"]
        end += [f"  sw x{i}, {4 * i}(x31)" for i in range(1, 31) if i != 30]
        if not self.interrupts:
            end += ["  csrr x30, minstret", "  sw x30, 0(x31)"]
        if self.overlap:
            end += ["  fence", "  csrr x30, MBUSERR", "  sw x30, 124(x31)"]
        # Every cycle since reset has been counted once: as a retired instruction, or as a stall of one cause.
        end += ["  li x30, -1", "  csrw mcountinhibit, x30", "  csrr x30, mcycle", "  csrr x29, minstret"]
        for counter in range(0xB03, 0xB0D):
            end += ["  sub x30, x30, x29", f"  csrr x29, {counter:#x}"]
        end += ["  sw x30, 120(x31)"]
        end += [
            "  addi x31, x31, 128",
            "  addi x30, x18, 256",
            "1:lw x29, 0(x18)",
            "  sw x29, 0(x31)",
            "  addi x31, x31, 4",
            "  addi x18, x18, 4",
            "  bne x18, x30, 1b",
            "  fence",
            "  li x31, PERIPHERAL",
            "  li x30, 1",
            "  sw x30, TOHOST(x31)",
            "1:j 1b",
        ]
        handler = [
            "  .balign 4",
            "trap_entry:",
            "  csrr x30, mcause",
            "  bltz x30, 2f",
            "  sw x30, 0(x19)",
            "  csrr x31, mepc",
            "  sw x31, 4(x19)",
            "  csrr x31, mtval",
            "  sw x31, 8(x19)",
            "  addi x19, x19, 12",
            "  addi x30, x30, -1",
            "  csrr x31, mepc",
            "  bnez x30, 1f",
            "  mv x31, x23",
            "  j 3f",
            "1:skip x31, x30",
            "3:csrw mepc, x31",
            "  mret",
            "2:",
            # Loads whose registers are written before anybody has used them.
            *(["  lw x30, 0(x9)", "  lw x31, 0(x18)"] if self.overlap else []),
            "  li x31, PERIPHERAL",
            "  sw x0, IRQ_LEVELS(x31)",
            f"  li x30, {rng.choice([400, 1000, 3000])}",
            "  sw x30, IRQ_RANDOM(x31)",
            f"  li x30, {rng.choice([300, 900, 2000])}",
            "  sw x30, TIMER_IN(x31)",
            "  fence",
            "  mret",
        ]
        memory = [
            "  .balign 64",
            "constants:",
            f"  .word {words}",
            '  .section .ram, "awx"',
            "  .balign 64",
            "data:",
            f"  .word {words}",
            "  .zero 12288",
            "slot:",
            "  .word 0",
            "  ret",
            "  .balign 4",
            "registers:",
            "  .zero 512",
            "log:",
            "  .zero 65536",
        ]
        return "\n".join(['#include "bench.h"', "  begin", *start, *enable, *body, *disable, *end, *handler, *functions,
                          "  .section .text", *memory]) + "\n"  # fmt: skip
