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

from nsoc import regs


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
    assert all(32 <= i < 208 for i in others), "our own registers stay in the reserved IDs"
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
        "intc": 0xFFFF_3000,
        "timer": 0xFFFF_3100,
        "uart": 0xFFFF_3200,
        "l2": 0xFFFF_3300,
    }


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
            device_name = f"{block.name}{hart}" if block.stride else block.name
            address = block.base + hart * block.stride + r.offset
            expected[f"{device_name}.{r.name.replace('.', '_')}"] = (address, kind, r.reset, fields)
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
            name = re.sub(r"\d\.", ".", register.name)
            assert f"{block.name}.{name}" in page.ids
            assert register.description in text
            assert all(f.description in text for f in register.fields)
