# SPDX-License-Identifier: Apache-2.0
"""What programs have shown of each instruction of RV32IMA_Zicsr_Zifencei_Zba_Zbb and Zca, and what is asked of them.

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
# Of 16 bits, the narrower pattern first: bits that count, their values, bits of the registers, of the immediate.
SHORT: dict[str, tuple[int, int, dict[str, int], int]] = {
    "c.addi4spn": (0xE003, 0x0000, {"rd": 0x001C}, 0x1FE0),
    "c.lw": (0xE003, 0x4000, {"rd": 0x001C, "rs1": 0x0380}, 0x1C60),
    "c.sw": (0xE003, 0xC000, {"rs2": 0x001C, "rs1": 0x0380}, 0x1C60),
    "c.addi": (0xE003, 0x0001, {"rd": 0x0F80}, 0x107C),
    "c.jal": (0xE003, 0x2001, {}, 0x1FFC),
    "c.li": (0xE003, 0x4001, {"rd": 0x0F80}, 0x107C),
    "c.addi16sp": (0xEF83, 0x6101, {}, 0x107C),
    "c.lui": (0xE003, 0x6001, {"rd": 0x0F80}, 0x107C),
    "c.srli": (0xFC03, 0x8001, {"rd": 0x0380}, 0x007C),
    "c.srai": (0xFC03, 0x8401, {"rd": 0x0380}, 0x007C),
    "c.andi": (0xEC03, 0x8801, {"rd": 0x0380}, 0x107C),
    "c.sub": (0xFC63, 0x8C01, {"rd": 0x0380, "rs2": 0x001C}, 0),
    "c.xor": (0xFC63, 0x8C21, {"rd": 0x0380, "rs2": 0x001C}, 0),
    "c.or": (0xFC63, 0x8C41, {"rd": 0x0380, "rs2": 0x001C}, 0),
    "c.and": (0xFC63, 0x8C61, {"rd": 0x0380, "rs2": 0x001C}, 0),
    "c.j": (0xE003, 0xA001, {}, 0x1FFC),
    "c.beqz": (0xE003, 0xC001, {"rs1": 0x0380}, 0x1C7C),
    "c.bnez": (0xE003, 0xE001, {"rs1": 0x0380}, 0x1C7C),
    "c.slli": (0xF003, 0x0002, {"rd": 0x0F80}, 0x007C),
    "c.lwsp": (0xE003, 0x4002, {"rd": 0x0F80}, 0x107C),
    "c.swsp": (0xE003, 0xC002, {"rs2": 0x007C}, 0x1F80),
    "c.ebreak": (0xFFFF, 0x9002, {}, 0),
    "c.jr": (0xF07F, 0x8002, {"rs1": 0x0F80}, 0),
    "c.jalr": (0xF07F, 0x9002, {"rs1": 0x0F80}, 0),
    "c.mv": (0xF003, 0x8002, {"rd": 0x0F80, "rs2": 0x007C}, 0),
    "c.add": (0xF003, 0x9002, {"rd": 0x0F80, "rs2": 0x007C}, 0),
}
SHORT_JUMPS = {"c.j": 11, "c.jal": 11, "c.beqz": 8, "c.bnez": 8}  # how far, as a power of two
# Fields that cannot have each value: here they are something else, or nothing.
SHORT_REGISTERS = {
    ("c.lwsp", "rd"): REGISTERS - {0}, ("c.jr", "rs1"): REGISTERS - {0}, ("c.jalr", "rs1"): REGISTERS - {0},
    ("c.mv", "rs2"): REGISTERS - {0}, ("c.add", "rs2"): REGISTERS - {0}, ("c.lui", "rd"): REGISTERS - {2},
}  # fmt: skip
SHORT_NOT_ZERO = {"c.addi4spn", "c.addi16sp", "c.lui"}
SHORT_TRAPS = {"c.lw": {4, 5}, "c.lwsp": {4, 5}, "c.sw": {6, 7}, "c.swsp": {6, 7}, "c.ebreak": {3}}
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


def short_name_of(half: int) -> str | None:
    """The same of 16 bits, whether all its fields are allowed or not."""
    return next((name for name, (mask, match, _, _) in SHORT.items() if half & mask == match), None)


def field_of(half: int, bits: int) -> int:
    """These bits, moved together: what number they stand for does not matter."""
    places = [at for at in range(16) if bits >> at & 1]
    return sum((half >> at & 1) << i for i, at in enumerate(places))


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
        self.illegal: set[int] = set()  # halfwords that are no instruction

    def run(self, iss: Iss) -> None:
        """A program that has been loaded, to its end."""
        while not iss.ended:
            retired = iss.retire(interrupt=0, counter=0)
            instr = retired[1]
            if iss.compressed and length(instr) == 2:
                self._look_short(retired, iss.csr[0x342] if retired[0] & 1 else None)
                continue
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

    def _look_short(self, retired: tuple[int, ...], trap: int | None) -> None:
        _, half, pc, next_pc, _, a, b, *_ = retired
        name = short_name_of(half)
        if name is None or trap == 2:
            self.illegal.add(half)
            return
        seen, (_, _, registers, immediate_bits) = self.seen[name], SHORT[name]
        for what, bits in registers.items():
            getattr(seen, what).add(field_of(half, bits))
        if trap is not None:
            seen.ways.add(f"trap {trap}")
            return
        seen.values1.add(a)
        seen.values2.add(b)
        if name in SHORT_JUMPS:
            taken = next_pc != pc + 2 or field_of(half, immediate_bits) == 2  # only its bit 3 set: the offset 2
            seen.ways.add("taken" if taken else "not taken")
            if taken:
                seen.immediates.add(signed(next_pc - pc))
        else:
            seen.ways.add(f"from and to {pc & 2} {next_pc & 2}" if name in ("c.jr", "c.jalr") else "done")
            seen.immediates.add(field_of(half, immediate_bits))

    def gaps(self) -> list[str]:
        """Everything asked of 32-bit instructions that no program has shown."""
        return [
            f"{name}: {what} {sorted(missing, key=str)}"
            for name, kind in KINDS.items()
            for what, wanted, found in asked(kind, name, self.seen[name])
            if (missing := wanted - found)
        ]

    def short_gaps(self) -> list[str]:
        """The same of those of 16 bits."""
        found_gaps = [
            f"{name}: {what} {sorted(missing, key=str)}"
            for name in SHORT
            for what, wanted, found in asked_short(name, self.seen[name])
            if (missing := wanted - found)
        ]
        # No instruction, by quadrant and funct3; all of some quadrants are instructions.
        none = {(half & 3, half >> 13) for half in self.illegal}
        wanted = {(0, n) for n in (0, 1, 3, 4, 5, 7)} | {(1, 3), (1, 4)} | {(2, n) for n in (0, 1, 2, 3, 4, 5, 7)}
        return found_gaps + ([f"no instruction: {sorted(wanted - none)}"] if wanted - none else [])


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


def asked_short(name: str, seen: Seen) -> Iterator[tuple[str, set[int] | set[str], set[int] | set[str]]]:
    """Of an instruction of 16 bits: every register and every immediate there is; jumps by each power of two."""
    _, _, registers, immediate_bits = SHORT[name]
    for what, bits in registers.items():
        every = SHORT_REGISTERS.get((name, what), set(range(1 << bits.bit_count())))
        yield what, every, getattr(seen, what)
    ways = {f"trap {cause}" for cause in SHORT_TRAPS.get(name, set())}
    if name in SHORT_JUMPS:
        reach = 1 << SHORT_JUMPS[name]
        yield (
            "offset",
            {sign << k for k in range(1, SHORT_JUMPS[name]) for sign in (1, -1)} | {reach - 2, -reach},
            (seen.immediates),
        )
        ways |= {"taken"} if name in ("c.j", "c.jal") else {"taken", "not taken"}
    else:
        if immediate_bits:
            yield "immediate", set(range(name in SHORT_NOT_ZERO, 1 << immediate_bits.bit_count())), seen.immediates
        if name in ("c.jr", "c.jalr"):
            ways |= {f"from and to {source} {target}" for source in (0, 2) for target in (0, 2)}
        elif name != "c.ebreak":
            ways |= {"done"}
    yield "way", ways, seen.ways
    if name in ("c.addi", "c.slli", "c.srli", "c.srai", "c.andi", "c.sub", "c.xor", "c.or", "c.and", "c.add"):
        yield "value of rs1", VALUES, seen.values1
    if name in ("c.sub", "c.xor", "c.or", "c.and", "c.mv", "c.add"):
        yield "value of rs2", VALUES, seen.values2
