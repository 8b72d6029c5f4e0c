# SPDX-License-Identifier: Apache-2.0
"""What programs have shown of each instruction of RV32IMA_Zicsr_Zifencei_Zba_Zbb, and what is asked of them.

What is asked is what the coverage of the RISC-V architectural tests asks: each register in each place, the same one in
two places, operands with one bit set or one bit clear and at the ends of the range, immediates and shift amounts alike,
each way of a branch, each alignment of an access, and the exceptions. Encodings are written down here once more, from
the specification, so that a slip in the generator or the ISS cannot hide an instruction.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from iss import MASK, Iss, signed

BITS = {1 << i for i in range(32)}
VALUES = {0, 1, MASK, 0x7FFF_FFFF, 0x8000_0000, 0x5555_5555, 0xAAAA_AAAA} | BITS | {MASK ^ bit for bit in BITS}
IMMEDIATES = {0, -1, 2047, -2048} | {1 << i for i in range(11)} | {-2 << i for i in range(10)}
UPPER = {0, 0xFFFFF} | {1 << i for i in range(20)} | {0xFFFFF ^ 1 << i for i in range(20)}
REGISTERS = set(range(32))

# Name: (bits that count, their values), by kind.
R = 0xFE00_707F
ENCODINGS: dict[str, dict[str, tuple[int, int]]] = {
    "two registers": {
        name: (R, funct7 << 25 | funct3 << 12 | 0x33)
        for funct7, names in (
            (0x00, "add sll slt sltu xor srl or and"), (0x20, "sub . . . xnor sra orn andn"),
            (0x01, "mul mulh mulhsu mulhu div divu rem remu"), (0x10, ". . sh1add . sh2add . sh3add ."),
            (0x05, ". . . . min minu max maxu"), (0x30, ". rol . . . ror . ."),
        )
        for funct3, name in enumerate(names.split()) if name != "."
    },
    "one register": {
        "clz": (0xFFF0_707F, 0x6000_1013), "ctz": (0xFFF0_707F, 0x6010_1013), "cpop": (0xFFF0_707F, 0x6020_1013),
        "sext.b": (0xFFF0_707F, 0x6040_1013), "sext.h": (0xFFF0_707F, 0x6050_1013),
        "zext.h": (0xFFF0_707F, 0x0800_4033), "orc.b": (0xFFF0_707F, 0x2870_5013), "rev8": (0xFFF0_707F, 0x6980_5013),
    },
    "immediate": {
        name: (0x707F, funct3 << 12 | 0x13)
        for funct3, name in ((0, "addi"), (2, "slti"), (3, "sltiu"), (4, "xori"), (6, "ori"), (7, "andi"))
    },
    "shift": {"slli": (R, 0x1013), "srli": (R, 0x5013), "srai": (R, 0x4000_5013), "rori": (R, 0x6000_5013)},
    "upper": {"lui": (0x7F, 0x37), "auipc": (0x7F, 0x17)},
    "load": {"lb": (0x707F, 0x03), "lh": (0x707F, 0x1003), "lw": (0x707F, 0x2003), "lbu": (0x707F, 0x4003),
             "lhu": (0x707F, 0x5003)},
    "store": {"sb": (0x707F, 0x23), "sh": (0x707F, 0x1023), "sw": (0x707F, 0x2023)},
    "atomic": {
        f"amo{name}.w": (0xF800_707F, funct5 << 27 | 0x202F)
        for name, funct5 in (("add", 0), ("swap", 1), ("xor", 4), ("or", 8), ("and", 12), ("min", 16), ("max", 20),
                             ("minu", 24), ("maxu", 28))
    },
    "reserve": {"lr.w": (0xF9F0_707F, 0x1000_202F)},
    "conditional": {"sc.w": (0xF800_707F, 0x1800_202F)},
    "branch": {
        name: (0x707F, funct3 << 12 | 0x63)
        for funct3, name in ((0, "beq"), (1, "bne"), (4, "blt"), (5, "bge"), (6, "bltu"), (7, "bgeu"))
    },
    "jump": {"jal": (0x7F, 0x6F)},
    "jump to register": {"jalr": (0x707F, 0x67)},
    "csr": {"csrrw": (0x707F, 0x1073), "csrrs": (0x707F, 0x2073), "csrrc": (0x707F, 0x3073)},
    "csr immediate": {"csrrwi": (0x707F, 0x5073), "csrrsi": (0x707F, 0x6073), "csrrci": (0x707F, 0x7073)},
    "system": {"fence": (0x707F, 0x0F), "fence.i": (0x707F, 0x100F), "ecall": (MASK, 0x73),
               "ebreak": (MASK, 0x0010_0073), "mret": (MASK, 0x3020_0073)},
}  # fmt: skip
SIZES = {"lb": 1, "lbu": 1, "sb": 1, "lh": 2, "lhu": 2, "sh": 2, "lw": 4, "sw": 4}
KINDS = {name: kind for kind, names in ENCODINGS.items() for name in names}


def length(instr: int) -> int:
    """In bytes, as the lowest bits of every instruction tell."""
    return 4 if instr & 3 == 3 else 2


def name_of(instr: int) -> str | None:
    """The instruction's name; None if it is none of ENCODINGS."""
    for names in ENCODINGS.values():
        for name, (mask, match) in names.items():
            if instr & mask == match:
                return name
    return None


@dataclass
class Seen:
    """Of one instruction. Operands and immediates count where it did not trap, registers always."""

    rd: set[int] = field(default_factory=set)
    rs1: set[int] = field(default_factory=set)
    rs2: set[int] = field(default_factory=set)
    same: set[str] = field(default_factory=set)
    values1: set[int] = field(default_factory=set)
    values2: set[int] = field(default_factory=set)
    immediates: set[int] = field(default_factory=set)
    memory: set[int] = field(default_factory=set)  # data that an access found
    ways: set[str] = field(default_factory=set)


class Coverage:
    """Collects over programs; `gaps` is what is missing."""

    def __init__(self) -> None:
        self.seen: defaultdict[str, Seen] = defaultdict(Seen)
        self.names: dict[int, str | None] = {}

    def run(self, iss: Iss) -> None:
        """A program that has been loaded, to its end."""
        while not iss.ended:
            retired = iss.retire(interrupt=False, counter=0)
            instr = retired[1]
            if instr not in self.names:
                self.names[instr] = name_of(instr)
            name = self.names[instr]
            if name is not None:
                self._look(name, retired, iss.csr[0x342] if retired[0] & 1 else None)

    def _look(self, name: str, retired: tuple[int, ...], trap: int | None) -> None:
        _, instr, pc, next_pc, _, a, b, _, result, address, _, data, _ = retired
        seen, kind, imm = self.seen[name], KINDS[name], immediate(KINDS[name], instr)
        rd, rs1, rs2 = instr >> 7 & 31, instr >> 15 & 31, instr >> 20 & 31
        seen.rd.add(rd)
        seen.rs1.add(rs1)
        seen.rs2.add(rs2)
        same = {"rd=rs1": rd == rs1, "rd=rs2": rd == rs2, "rs1=rs2": rs1 == rs2}
        seen.same.add(" ".join(text for text, equal in same.items() if equal) or "all different")
        if trap is not None:
            seen.ways.add(f"trap {trap}" + (f" at {a + imm & 3}" if trap in (4, 6) else ""))
            return
        seen.values1.add(a)
        seen.values2.add(b)
        seen.immediates.add(imm)
        seen.memory.add(data)
        match kind:
            case "branch":
                way = "not taken" if next_pc == pc + length(instr) else "taken"
                seen.ways.add(f"{way} {'forwards' if imm > 0 else 'backwards'}")
            case "load":
                sign = data >> (8 * SIZES[name] - 1) & 1
                seen.ways.add(f"at {address & 3} with sign {sign}")
            case "store":
                seen.ways.add(f"at {address & 3}")
            case "conditional":
                seen.ways.add(f"result {result}")
            case _:
                seen.ways.add("done")

    def gaps(self) -> list[str]:
        """Everything asked that no program has shown."""
        return [
            f"{name}: {what} {sorted(missing, key=str)}"
            for name, kind in KINDS.items()
            for what, wanted, found in asked(kind, name, self.seen[name])
            if (missing := wanted - found)
        ]


def immediate(kind: str, instr: int) -> int:
    """What is added to a register or, by branches and jal, to pc; upper 20 bits; a shift amount; a CSR's operand."""
    match kind:
        case "immediate" | "load" | "jump to register":
            return signed(instr >> 20, 12)
        case "store":
            return signed(instr >> 25 << 5 | instr >> 7 & 31, 12)
        case "shift":
            return instr >> 20 & 31
        case "csr immediate":
            return instr >> 15 & 31
        case "upper":
            return instr >> 12
        case "branch":
            offset = instr >> 31 << 12 | (instr >> 7 & 1) << 11 | (instr >> 25 & 63) << 5 | (instr >> 8 & 15) << 1
            return signed(offset, 13)
        case "jump":
            offset = instr >> 31 << 20 | (instr >> 12 & 255) << 12 | (instr >> 20 & 1) << 11 | (instr >> 21 & 1023) << 1
            return signed(offset, 21)
    return 0


def asked(kind: str, name: str, seen: Seen) -> Iterator[tuple[str, set[int] | set[str], set[int] | set[str]]]:
    """What is asked of an instruction: about what, everything that is asked, what has been seen."""
    three = {"rd=rs1", "rd=rs2", "rs1=rs2", "rd=rs1 rd=rs2 rs1=rs2", "all different"}
    if kind not in ("system", "store", "branch"):
        yield "rd", REGISTERS, seen.rd
    if kind not in ("system", "upper", "jump", "csr immediate"):
        yield "rs1", REGISTERS, seen.rs1
    if kind in ("two registers", "store", "atomic", "conditional", "branch"):
        yield "rs2", REGISTERS, seen.rs2
    match kind:
        case "two registers":
            yield "registers", three, seen.same
            yield "value of rs1", VALUES, seen.values1
            yield "value of rs2", VALUES, seen.values2
        case "one register":
            yield "value of rs1", VALUES, seen.values1
        case "immediate":
            yield "value of rs1", VALUES, seen.values1
            yield "immediate", IMMEDIATES, seen.immediates
        case "shift":
            yield "value of rs1", VALUES, seen.values1
            yield "amount", set(range(32)), seen.immediates
        case "upper":
            yield "immediate", UPPER, seen.immediates
        case "load":
            wanted = {f"at {at} with sign {sign}" for at in range(0, 4, SIZES[name]) for sign in (0, 1)}
            yield "access", wanted | {f"trap 4 at {at}" for at in range(4) if at % SIZES[name]} | {"trap 5"}, seen.ways
            yield "offset", IMMEDIATES, seen.immediates
            yield "registers", {"rd=rs1"}, {text[:6] for text in seen.same}
        case "store":
            wanted = {f"at {at}" for at in range(0, 4, SIZES[name])}
            yield "access", wanted | {f"trap 6 at {at}" for at in range(4) if at % SIZES[name]} | {"trap 7"}, seen.ways
            yield "offset", IMMEDIATES, seen.immediates
            yield "value of rs2", VALUES, seen.values2
            yield "registers", {"rs1=rs2"}, {text[-7:] for text in seen.same}
        case "atomic":
            yield "registers", three, seen.same
            yield "value of rs2", VALUES, seen.values2
            yield "value in memory", VALUES, seen.memory
            yield "access", {"done", "trap 7", *(f"trap 6 at {at}" for at in (1, 2, 3))}, seen.ways
        case "reserve":
            yield "value in memory", VALUES, seen.memory
            yield "access", {"done", "trap 5", *(f"trap 4 at {at}" for at in (1, 2, 3))}, seen.ways
        case "conditional":
            yield "registers", three, seen.same
            yield "value of rs2", VALUES, seen.values2
            yield "access", {"result 0", "result 1", *(f"trap 6 at {at}" for at in (1, 2, 3))}, seen.ways
        case "branch":
            yield "value of rs1", VALUES, seen.values1
            yield "value of rs2", VALUES, seen.values2
            yield "registers", {"rs1=rs2"}, {text[-7:] for text in seen.same}
            ways = {f"{way}taken {where}" for way in ("", "not ") for where in ("forwards", "backwards")}
            yield "way", ways | {"trap 0"}, seen.ways
            yield "offset", {-4096, 4092}, seen.immediates
        case "jump":
            offsets = {sign << k for k in range(9, 20) for sign in (1, -1)}
            yield "offset", offsets | {-(1 << 20), (1 << 20) - 4}, seen.immediates
            yield "way", {"done", "trap 0"}, seen.ways
        case "jump to register":
            yield "offset", IMMEDIATES, seen.immediates
            yield "way", {"done", "trap 0"}, seen.ways
            yield "registers", {"rd=rs1"}, {text[:6] for text in seen.same}
        case "csr":
            yield "value of rs1", VALUES, seen.values1
            yield "registers", {"rd=rs1"}, {text[:6] for text in seen.same}
            yield "way", {"done", "trap 2"}, seen.ways
        case "csr immediate":
            yield "operand", set(range(32)), seen.immediates
        case "system":
            traps = {"ecall": {"trap 11"}, "ebreak": {"trap 3"}}
            yield "way", traps.get(name, {"done"}), seen.ways
