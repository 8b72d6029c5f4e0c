# SPDX-License-Identifier: Apache-2.0
"""What regs/ describes, as the compiler of SystemRDL understands it, and what all generated files ask about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, MemNode, Node, RegNode

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "regs" / "nsoc.rdl"
NOTE = "Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit."
WIDTH = 116  # of generated comments
ADDRESS_BITS = 36  # of both buses


class MapError(Exception):
    """regs/ says something that cannot be."""


def desc(node: AddressableNode | FieldNode) -> str:
    """A node's text in one line; of a field that holds a number with names, these too."""
    text = " ".join((node.get_property("desc") or "").split())
    if isinstance(node, FieldNode) and numbers(node):
        text += " " + ", ".join(f"{number.value}: {number.desc}" for number in numbers(node)) + "."
    return text


def wrap(text: str, first: str, others: str) -> list[str]:
    """`text` in lines of at most WIDTH characters, the first one behind `first`, the others behind `others`."""
    lines, line = [], first.rstrip()
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = others.rstrip()
        line += " " + word
    return [*lines, line]


def parts(node: Node) -> list[AddressableNode]:
    """The registers, groups of registers and memories right below `node`, by address."""
    return [child for child in node.children() if isinstance(child, AddressableNode)]


def registers(node: Node) -> list[RegNode]:
    """The registers right below `node`, by address."""
    return [child for child in node.children() if isinstance(child, RegNode)]


def fields(reg: RegNode) -> list[FieldNode]:
    """Fields from the lowest bit upwards."""
    return sorted(reg.fields(), key=lambda f: f.low)


def reset(field: FieldNode) -> int:
    value = field.get_property("reset")
    return value if isinstance(value, int) else 0


def reg_reset(reg: RegNode) -> int:
    return sum(reset(f) << f.low for f in reg.fields())


def by_build(reg: RegNode) -> bool:
    """Whether a register's value depends on what was built."""
    return bool(reg.get_property("by_build"))


def field_access(field: FieldNode) -> str:
    if field.get_property("woclr"):
        return "w1c"
    return {"rw": "rw", "r": "ro", "w": "wo"}[field.get_property("sw").name]


def read_acts(reg: RegNode) -> bool:
    """Whether a read changes anything: what is there, or what the next read of another register finds."""
    return bool(reg.get_property("read_acts") or reg.get_property("read_keeps"))


def writable(reg: RegNode) -> int:
    """Mask of the bits that a write changes."""
    return sum(((1 << f.width) - 1) << f.low for f in reg.fields() if f.is_sw_writable)


def reg_access(reg: RegNode) -> str:
    accesses = {field_access(f) for f in reg.fields()}
    if accesses == {"ro"} or accesses == {"wo"}:
        return accesses.pop()
    return "w1c" if "rw" not in accesses and "w1c" in accesses else "rw"


def is_counter(reg: RegNode) -> bool:
    return any(f.get_property("counter") for f in reg.fields())


def group(reg: RegNode) -> str:
    """The name that a register's fields go by: registers of one named type share it."""
    return str(reg.inst_name if is_counter(reg) or reg.type_name is None else reg.type_name)


def named_fields(block: AddrmapNode) -> Iterator[tuple[str, RegNode]]:
    """Each different register layout of a block once, with its name."""
    seen = set()
    for reg in block.descendants(unroll=False):
        if isinstance(reg, RegNode) and not is_counter(reg) and group(reg) not in seen:
            seen.add(group(reg))
            yield group(reg), reg


def array(node: AddressableNode) -> tuple[int, int]:
    """How many of it there are, and their distance in bytes; (1, 0): it is none."""
    if node.array_dimensions and node.array_stride:
        return node.array_dimensions[0], node.array_stride
    return 1, 0


def base(node: AddressableNode) -> int:
    """The address of a block, of several of the first."""
    return int(node.raw_absolute_address)


def offset(reg: RegNode, block: AddrmapNode) -> int:
    """Where a register is in its block; of an array that is not unrolled the first."""
    found, node = 0, reg
    while isinstance(node, AddressableNode) and node.get_path() != block.get_path():
        found += node.raw_address_offset + (node.current_idx or [0])[0] * (node.array_stride or 0)
        node = node.parent  # type: ignore[assignment]
    return found


@dataclass(frozen=True)
class Layout:
    """What lies at a pointer's address: big-endian dwords, and behind them `rest`, of `rest_type`."""

    node: AddrmapNode
    rest: str
    rest_type: str
    rest_desc: str
    owner: str  # the device that shares it with the processor

    @property
    def name(self) -> str:
        return str(self.node.inst_name)

    @property
    def rest_offset(self) -> int:
        return int(self.node.get_property(f"{self.rest}_offset"))

    @property
    def registers(self) -> list[RegNode]:
        return list(self.node.registers())

    @property
    def bits(self) -> list[tuple[str, "Number"]]:
        """What is asked or said by a bit in a field of its own words, with the name that it has everywhere."""
        found = [(field, number) for reg in self.registers for field in fields(reg) for number in numbers(field)]
        return [(f"{self.name}_{field.inst_name}_{number.name}".upper(), number) for field, number in found]


@dataclass(frozen=True)
class Region:
    """A place in the memory map: what a router gives to it (`claims` bytes from `base`), and how much of it is used."""

    name: str
    base: int
    claims: int
    size: int
    desc: str

    @property
    def mask(self) -> int:
        """Of an address: the bits that must be those of `base`."""
        return (1 << ADDRESS_BITS) - self.claims


@dataclass(frozen=True)
class Fate:
    """An end of frames that is counted. `number`: its place in its group. `block`: whose it is."""

    name: str
    group: str
    number: int
    block: str
    loss: bool
    desc: str


@dataclass(frozen=True)
class Number:
    """A number with a name: an interrupt line, a CSR."""

    name: str
    value: int
    desc: str


def numbers(field: FieldNode) -> list[Number]:
    """The names that a field's values have."""
    members: Any = field.get_property("encode") or ()
    return [Number(m.name, int(m.value), " ".join(str(m.rdl_desc or "").split()).rstrip(".")) for m in members]


def _fates(tables: list[AddrmapNode]) -> list[Fate]:
    fates = []
    for table in tables:
        block = table.inst_name.removesuffix("_fates")
        for reg in registers(table):
            for field in fields(reg):
                text = desc(field)
                fates.append(Fate(field.inst_name, f"{block}_{reg.inst_name}", field.low, block, _loss(field), text))
    if len({fate.name for fate in fates}) != len(fates):
        raise MapError("two fates have one name (mac_fates.rdl, nic_fates.rdl)")
    return fates


def _loss(field: FieldNode) -> bool:
    return bool(field.get_property("loss"))


class Soc:
    """All of regs/. Raises RDLCompileError on a mistake there, MapError where places or names do not fit each other."""

    def __init__(self) -> None:
        compiler = RDLCompiler()
        compiler.compile_file(str(SOURCE))

        def tree(name: str) -> AddrmapNode:
            found = compiler.elaborate(name).top
            assert isinstance(found, AddrmapNode)
            return found

        self.top = tree("nsoc")
        # Trees of their own: these are not places in the memory map.
        self.layouts = (
            Layout(tree("buffer"), "frame", "uint8_t", "The frame, without FCS.", "nic"),
            Layout(tree("memory_queue"), "entries", "uint32_t", "Pointers. Big-endian: NSOC_BE32().", "nic"),
            Layout(tree("datagram"), "payload", "uint8_t", "The payload.", "toe_udp"),
        )
        self.fate_tables = [tree("mac_fates"), tree("nic_fates")]
        self.fates = _fates(self.fate_tables)
        self.csrs = numbers(fields(registers(tree("csr"))[0])[0])
        self.irq_lines = next(n for reg in registers(self.block("intc")) for f in reg.fields() if (n := numbers(f)))
        self.counters = self._counters()
        self._check()

    @property
    def blocks(self) -> list[AddrmapNode]:
        """Devices with registers; of several alike the first."""
        return [child for child in self.top.children() if isinstance(child, AddrmapNode)]

    @property
    def memories(self) -> list[MemNode]:
        return [child for child in self.top.children() if isinstance(child, MemNode)]

    def block(self, name: str) -> AddrmapNode:
        return next(block for block in self.blocks if block.inst_name == name)

    def claims(self, block: AddrmapNode) -> int:
        """Bytes of the address space that the AFB's router gives to a device."""
        return int(block.get_property("claims"))

    @cached_property
    def afb(self) -> Region:
        """All that is reached over the AFB, as the ACB's router sees it."""
        claims = int(self.top.get_property("afb_claims"))
        return Region("afb", int(self.top.get_property("afb_base")), claims, claims, "Registers, over the AFB.")

    @cached_property
    def regions(self) -> list[Region]:
        """Memories, the AFB, and the devices on it."""
        memories = [Region(m.inst_name, base(m), int(m.get_property("claims")), m.size, desc(m)) for m in self.memories]
        devices = [Region(b.inst_name, base(b), self.claims(b), self.claims(b), desc(b)) for b in self.blocks]
        return [*memories, self.afb, *devices]

    def attribute(self, name: str) -> list[tuple[int, int]]:
        """Ranges of addresses [first, behind the last) of the memories with an attribute of the processor's view."""
        found = []
        for memory in self.memories:
            if memory.get_property(name):
                reach = memory.get_property("reach") or memory.get_property("claims")
                found.append((base(memory), base(memory) + int(reach)))
        return found

    def fate_groups(self) -> dict[str, list[Fate]]:
        """Fates by group, in order."""
        groups: dict[str, list[Fate]] = {}
        for fate in self.fates:
            groups.setdefault(fate.group, []).append(fate)
        return groups

    def _counters(self) -> list[tuple[RegNode, Fate]]:
        """The NIC's counters by address, each with what it counts. They take their texts from there."""
        fates = {fate.name: fate for fate in self.fates}
        counters = []
        for reg in registers(self.block("nic")):
            if is_counter(reg):
                name = reg.get_property("counts") or reg.inst_name
                if name not in fates:
                    raise MapError(f"nic.{reg.inst_name} counts {name}, which is in neither table of fates")
                fate = fates.pop(name)
                reg.inst.properties["desc"] = f"{fate.block.upper()}: {fate.desc[0].lower()}{fate.desc[1:]}"
                counters.append((reg, fate))
        if fates:
            raise MapError(f"nobody counts {', '.join(fates)}")
        return counters

    def _check(self) -> None:
        outside = [
            r for r in self.regions if not self.afb.base <= r.base < self.afb.base + self.afb.claims or r is self.afb
        ]
        inside = [r for r in self.regions if r not in outside]
        for one in self.regions:
            if one.claims & (one.claims - 1) or one.base % one.claims or one.size > one.claims:
                raise MapError(
                    f"{one.name}: claims must be a power of two, divide its base and not be less than its size"
                )
        for neighbours in (sorted(outside, key=lambda r: r.base), sorted(inside, key=lambda r: r.base)):
            for one, next_one in pairwise(neighbours):
                if one.base + one.claims > next_one.base:
                    raise MapError(f"{one.name} and {next_one.name} claim the same addresses")
        for block in self.blocks:
            count, stride = array(block)
            if count * (stride or block.size) > self.claims(block) or block.size > (stride or block.size):
                raise MapError(f"{block.inst_name}: its registers do not fit")
