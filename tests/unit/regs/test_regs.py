# SPDX-License-Identifier: Apache-2.0
"""What is generated from regs/ is up to date and says what the thesis and the memory map say."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from bench import ROOT

sys.path.insert(0, str(ROOT / "src"))

from nsoc.machine import fates, memory_map, regs


def test_generated_files_are_up_to_date() -> None:
    command = [sys.executable, "-m", "nsoc.regs_gen", "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "src")
    assert run.returncode == 0, run.stderr


def test_ids_are_those_of_the_thesis() -> None:
    # Tables A.6 and A.7
    expected = {"control": 0, "servers_enabled": 1, "debug1": 2, "debug2": 3, "queue_depth": 4}
    for server in range(4):
        expected[f"rxq{server}.pointer"] = 8 + 2 * server
        expected[f"rxq{server}.occupancy"] = 9 + 2 * server
        expected[f"txq{server}.pointer"] = 16 + 2 * server
        expected[f"txq{server}.occupancy"] = 17 + 2 * server
    expected |= {"freeq.pointer": 24, "freeq.occupancy": 25, "freeq.lock": 26}
    expected |= {"mac_address_low": 208, "mac_address_high": 209, "packets_transmitted": 210}
    expected |= {"packets_received": 211, "status": 212, "free_counter": 255}
    registers = regs.BLOCKS["nic"].registers
    assert {name: registers[name].id for name in expected} == expected
    others = {r.id for name, r in registers.items() if name not in expected}
    assert all(32 <= i < 208 or 212 < i < 255 for i in others), "our own registers stay in the reserved IDs"
    assert all(r.offset == 4 * r.id for r in registers.values())


def test_control_bits_are_those_of_the_design() -> None:
    bits = {f.name: f.lsb for f in regs.BLOCKS["nic"].registers["control"].fields}
    assert bits == {"nic_enable": 0, "mac_enable": 1, "irq_enable": 2, "nic_loopback": 7, "mac_loopback": 8}


def test_no_two_registers_or_fields_overlap() -> None:
    for block in regs.BLOCKS.values():
        offsets = [r.offset for r in block.registers.values()]
        assert len(set(offsets)) == len(offsets)
        for register in block.registers.values():
            used = 0
            for field in register.fields:
                mask = ((1 << field.width) - 1) << field.lsb
                assert not used & mask and mask < 1 << 32, f"{block.name}.{register.name}.{field.name}"
                used |= mask


def test_memory_map_is_that_of_the_design() -> None:
    bases = {name: memory.base for name, memory in regs.MEMORIES.items()}
    bases |= {name: block.base for name, block in regs.BLOCKS.items()}
    assert bases == {
        "boot_rom": 0x0000_0000,
        "dram": 0x4000_0000,
        "packet_memory": 0x5000_0000,
        "nic": 0xFF00_0000,
        "toe": 0xFF00_0400,
        "toe_udp": 0xFF00_0800,
        "intc": 0xFFFF_3000,
        "timer": 0xFFFF_3100,
        "uart": 0xFFFF_3200,
        "l2": 0xFFFF_3300,
        "dma": 0xFFFF_3400,
    }


def _package(path: str) -> dict[str, int]:
    """Constants of a SystemVerilog package, and members of its enums, by their text alone."""
    text = re.sub(r"//.*|/\*.*?\*/", "", (ROOT / "rtl" / path).read_text())
    constants = {}
    for name, base, digits in re.findall(r"localparam [^=;]*\b(\w+) = (?:\d+'([hdb]))?([0-9a-fA-F_]+);", text):
        constants[name] = int(digits.replace("_", ""), {"h": 16, "d": 10, "b": 2, "": 10}[base])
    for members in re.findall(r"enum[^{]*\{([^}]*)\}", text):
        constants |= {member.strip(): number for number, member in enumerate(members.split(","))}
    return constants


def test_routers_claim_what_the_design_says() -> None:
    # DESIGN section 6; the sizes are those that the first router had.
    expected = {
        "BOOT_ROM": (0x0_0000_0000, 0xF_F000_0000),
        "DRAM": (0x0_4000_0000, 0xF_F000_0000),
        "PACKET_MEMORY": (0x0_5000_0000, 0xF_F000_0000),
        "AFB": (0x0_FF00_0000, 0xF_FF00_0000),
        "NIC": (0x0_FF00_0000, 0xF_FFFF_FC00),
        "INTC": (0x0_FFFF_3000, 0xF_FFFF_FF00),
        "TIMER": (0x0_FFFF_3100, 0xF_FFFF_FF00),
        "UART": (0x0_FFFF_3200, 0xF_FFFF_FF00),
        "L2": (0x0_FFFF_3300, 0xF_FFFF_FF00),
        "DMA": (0x0_FFFF_3400, 0xF_FFFF_FF00),
        "TOE": (0x0_FF00_0400, 0xF_FFFF_FC00),
        "TOE_UDP": (0x0_FF00_0800, 0xF_FFFF_FF00),
    }
    found = _package("soc/map/memory_map_pkg.sv")
    assert {name: (found[f"{name}_BASE"], found[f"{name}_MASK"]) for name in expected} == expected
    assert {n.removesuffix("_BASE") for n in found if n.endswith("_BASE")} == set(expected)
    sizes = {"BOOT_ROM": 64 << 10, "DRAM": 256 << 20, "PACKET_MEMORY": 256 << 10, "NIC": 1024, "UART": 256}
    assert {name: found[f"{name}_BYTES"] for name in sizes} == sizes
    assert [found[f"IRQ_{name}"] for name in ("NIC", "UART", "DMA", "TOE", "LINES")] == [0, 1, 2, 3, 4]


def test_packages_of_slaves_say_what_the_python_map_says() -> None:
    files = {"intc": "periph", "timer": "periph", "uart": "periph", "l2": "mem", "dma": "mem", "nic": "nic"}
    files["toe"] = files["toe_udp"] = "toe/regs"
    for name, folder in files.items():
        found = _package(f"{folder}/{name}_regs_pkg.sv")
        block = regs.BLOCKS[name]
        for register in block.registers.values():
            if "." not in register.name:
                assert found[f"ID_{register.name.upper()}"] == register.offset // 4, register.name
                assert found.get(f"{register.name.upper()}_RESET", register.reset) == register.reset
        if block.stride:
            assert (block.count, block.stride) == (8, 0x20)
            assert (found["HARTS"], 1 << found["HART_W"], 4 << found["ID_W"]) == (8, 8, 0x20)
    offsets = {"mtime_low": 0, "mtime_high": 4, "mtimecmp_low": 8, "mtimecmp_high": 12, "msip": 16}
    assert {r.name: r.offset for r in regs.BLOCKS["timer"].registers.values()} == offsets


def test_csr_numbers_are_those_of_the_privileged_architecture() -> None:
    # The RISC-V Instruction Set Manual, volume II, CSR listing; 0x7C0 to 0x7FF are free for custom ones.
    expected = {
        "mstatus": 0x300, "misa": 0x301, "mie": 0x304, "mtvec": 0x305, "mstatush": 0x310, "mcountinhibit": 0x320,
        "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mip": 0x344, "mcycle": 0xB00,
        "minstret": 0xB02, "mcycleh": 0xB80, "minstreth": 0xB82, "cycle": 0xC00, "instret": 0xC02, "cycleh": 0xC80,
        "instreth": 0xC82, "mvendorid": 0xF11, "marchid": 0xF12, "mimpid": 0xF13, "mhartid": 0xF14, "mconfigptr": 0xF15,
    }  # fmt: skip
    expected |= {f"mhpmcounter{n}": 0xB00 + n for n in range(3, 12)}
    ours = {"mbuserr": 0x7C0, "mbusctl": 0x7C1, "mcachectl": 0x7C2}
    assert expected | ours == memory_map.CSRS
    found = _package("cpu/rv/rv_csr_pkg.sv")
    assert {n.removeprefix("CSR_").lower(): v for n, v in found.items()} == expected | ours
    header = (ROOT / "firmware" / "arch" / "rv32" / "rv_csr.h").read_text()
    defined = re.findall(r"#define NSOC_CSR_([A-Z0-9]+) (0x\w+)", header)
    assert {name.lower(): int(number, 16) for name, number in defined} == expected | ours


def test_the_processor_slot_names_each_line_of_the_interrupt_controller_at_its_place() -> None:
    text = (ROOT / "rtl" / "cpu" / "core" / "cpu_slot_pkg.sv").read_text()
    body = re.search(r"typedef struct packed \{([^}]*)\} cpu_irq_lines_t;", text)
    assert body
    lines = reversed(re.findall(r"logic (\w+);", body[1]))
    ours = {name.removeprefix("IRQ_").lower(): at for name, at in vars(memory_map).items() if name.startswith("IRQ_")}
    assert {name: at for at, name in enumerate(lines)} == ours


def test_the_processor_treats_addresses_as_the_design_says() -> None:
    text = (ROOT / "rtl" / "cpu" / "core" / "cpu_regions_pkg.sv").read_text()
    tests = dict(re.findall(r"function automatic logic is_(\w+)\(.*?\);\s*return (.*?);", text, re.DOTALL))

    def holds(name: str, address: int) -> bool:
        def one(low: str, base: str, digits: str) -> bool:
            return address >> int(low) == int(digits, {"b": 2, "h": 16}[base])

        return any(one(*m) for m in re.findall(r"address\[31:(\d+)\] == \d+'([bh])(\w+)", tests[name]))

    for address in (*range(0, 1 << 32, 1 << 24), 0x3FFF_FFFC, 0x4FFF_FFFC, 0x5FFF_FFFC, 0xFEFF_FFFC, 0xFFFF_FFFC):
        device = address >= 0xFF00_0000
        assert holds("cached", address) == (address < 0x5000_0000), hex(address)
        assert holds("executable", address) == (address < 0x6000_0000), hex(address)
        assert holds("device", address) == device, hex(address)
        assert holds("postable", address) == (0x4000_0000 <= address < 0x6000_0000 or device), hex(address)


def test_every_counter_counts_a_fate_and_every_fate_has_a_counter() -> None:
    all_fates = [*fates.MAC_RX, *fates.MAC_TX_LINE, *fates.MAC_TX_ADMIT, *fates.NIC_RX, *fates.NIC_TX]
    counters = [r.name for r in regs.BLOCKS["nic"].registers.values() if r.counter]
    assert sorted(fate.counter for fate in all_fates) == sorted(counters)
    # What is in order, and what is not: it raises irq_status.error.
    in_order = {fate.counter for fate in all_fates if not fate.loss}
    assert in_order == {"rx_good", "rx_pause", "tx_pause", "tx_taken", "packets_received", "packets_transmitted"}
    package = (ROOT / "rtl" / "nic" / "nic_regs_pkg.sv").read_text()
    losses = re.search(r"COUNTER_LOSSES = \d+'b([01]+);", package)
    assert losses and [bit == "1" for bit in reversed(losses[1])] == [name not in in_order for name in counters]
    assigned = dict(re.findall(r"counter_events\.(\w+) = \w+\.(\w+);", package))
    assert assigned == {fate.counter: fate.name for fate in all_fates}
    numbers = _package("mac/mac_fates_pkg.sv")
    assert {fate.name.upper(): n for n, fate in enumerate(fates.MAC_RX)}.items() <= numbers.items()


def test_ip_header_in_a_buffer_is_word_aligned() -> None:
    assert (regs.BUFFER_FRAME_OFFSET + 14) % 4 == 0


def test_svd_is_valid_and_says_the_same() -> None:
    """Read by the parser that other tools use, and checked against the schema that comes with it."""
    parser = pytest.importorskip("cmsis_svd.parser", reason="the Python package cmsis-svd is not installed")
    file = ROOT / "docs" / "nsoc.svd"
    version = {"schema_version": "1.3.9", "schema_version_detection": False}
    valid, complaint = parser.SVDParser.validate_xml_file(str(file), **version)
    assert valid, complaint
    device = parser.SVDParser.for_xml_file(str(file)).get_device()
    found = {}
    opened = [getattr(p, "peripherals", [p]) for p in device.peripherals]  # one a hart
    for peripheral in (p for several in opened for p in several):
        for register in _svd_registers(peripheral.registers):
            name = re.sub(r"[\[\]]", "", register.name)  # the parser has put the cluster's name in front
            kind = {"read-only": "ro", "read-write": "rw", "write-only": "wo"}[register.access.value]
            fields = {(f.name, f.bit_offset, f.bit_width, f.modified_write_values is not None) for f in register.fields}
            address = peripheral.base_address + register.address_offset
            found[f"{re.sub(r'[^a-z0-9]', '', peripheral.name)}.{name}"] = (address, kind, register.reset_value, fields)
    expected = {}
    for block, r in ((b, r) for b in regs.BLOCKS.values() for r in b.registers.values()):
        kind = "rw" if r.access == "w1c" else r.access
        fields = {(f.name, f.lsb, f.width, f.access == "w1c") for f in r.fields}
        for hart in range(block.count):
            device_name = f"{block.name}{hart}" if block.stride else block.name.replace("_", "")
            address = block.base + hart * block.stride + r.offset
            expected[f"{device_name}.{r.name.replace('.', '_')}"] = (address, kind, r.reset or 0, fields)
    assert found == expected


def _svd_registers(nodes: Any) -> Iterator[Any]:
    """All registers below, clusters and arrays of them opened."""
    for node in nodes:
        if hasattr(node, "fields"):
            yield node
        else:
            yield from _svd_registers(node.clusters if hasattr(node, "meta_cluster") else node.registers)


class _Page(HTMLParser):
    """Collects anchors, links, and whether every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_page_shows_every_register_and_links_only_into_itself() -> None:
    page = _Page()
    html = (ROOT / "docs" / "registers.html").read_text()
    page.feed(html)
    rows = [sum(map(int, re.findall(r'colspan="(\d+)"', line))) for line in html.splitlines() if "colspan" in line]
    assert rows and set(rows) == {32}, "bits of each word"
    assert not page.open
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.removeprefix("#") in page.ids for link in page.links)
    text = " ".join(page.text.split())
    for block in regs.BLOCKS.values():
        for register in block.registers.values():
            name = re.sub(r"\d+\.", ".", register.name)
            assert f"{block.name}.{name}" in page.ids
            assert register.description in text
            assert all(f.description in text for f in register.fields)
