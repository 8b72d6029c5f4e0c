# SPDX-License-Identifier: Apache-2.0
"""No base address, register offset, CSR number or cause of a drop is typed a second time: they come from regs/."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import ROOT

GENERATED = "by `python -m nsoc.regs_gen`"
SUFFIXES = {".sv", ".c", ".h", ".S", ".cpp", ".py", ".ld", ".toml", ".core"}
# DESIGN, section 6: memories with their first and last addresses that matter, and all that the devices claim.
BASES = (0x4000_0000, 0x4800_0000, 0x5000_0000, 0xFF00_0000)
DEVICES = (range(0xFF00_0000, 0xFF00_0400), range(0xFFFF_3000, 0xFFFF_3500), range(0xFFFF_4000, 0xFFFF_4400))
CSRS = {0x300, 0x301, 0x304, 0x305, 0x310, 0x320, *range(0x340, 0x345), 0x7C0, 0x7C1, 0x7C2, *range(0xB00, 0xB0C)} | {
    0xB80, 0xB82, 0xC00, 0xC02, 0xC80, 0xC82, *range(0xF11, 0xF16)
}  # fmt: skip
REGISTERS = {  # of the peripherals; the names that people gave their offsets, too
    "PENDING", "ENABLE", "HIGHEST", "NEXT", "MTIME_LOW", "MTIME_HIGH", "MTIMECMP_LOW", "MTIMECMP_HIGH", "MSIP",
    "TX_DATA", "RX_DATA", "STATUS", "DIVISOR", "HITS", "MISSES", "WRITE_BACKS", "SIZE", "SOURCE", "DESTINATION",
    "COMMAND", "RESULT", "RESULT_CRC", "ARGUMENT_A", "ARGUMENT_B", "ANSWER", "EVENT", "EVENTS", "IRQ_MASK",
    "CONNECTION",
}  # fmt: skip
HEX = re.compile(r"(?:\b0x|'h)([0-9A-Fa-f_]+)")
NUMBERED = re.compile(
    r"(?<![.\w])(?:k|ID_|UART_|TIMER_|INTC_|L2_)?(\w+?)(?:_OFFSET)?\s*=\s*(?:\d*'[hd]|0x)?[\dA-Fa-f]+\b"
)
LAYOUT = re.compile(r"\b(?:QUEUE|BUFFER)_(?:LOCK|INDICES|ENTRIES|FRAME|STAMP|CONTROL)(?:_OFFSET)?\s*=\s*\d")


def hand_written() -> Iterator[tuple[Path, str]]:
    for folder in ("rtl", "sim", "models", "firmware", "src"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "regs_gen" not in path.parts:
                text = path.read_text()
                if GENERATED not in text:
                    yield path, text


def typed(line: str, slave: bool = False) -> list[str]:
    """What a line says that regs/ says already. `slave`: it is in the RTL of a device."""
    found = []
    for digits in HEX.findall(line):
        value = int(digits.replace("_", "") or "0", 16)
        if value in BASES or any(value in device for device in DEVICES):
            found.append(f"address {value:#x}")
        elif value in CSRS and len(digits) == 3 and re.search("csr", line, re.IGNORECASE):
            found.append(f"CSR {value:#x}")
    if slave:
        found += [f"offset of {name}" for name in NUMBERED.findall(line) if name in REGISTERS]
    return found + [f"offset {text}" for text in LAYOUT.findall(line)]


def test_nothing_is_typed_a_second_time() -> None:
    of_rtl = ("periph", "mem/l2_regs.sv", "mem/dma.sv", "tcp", "toe")
    slaves = [ROOT / "sim" / "core", *(ROOT / "rtl" / name for name in of_rtl)]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}"
        for path, text in hand_written()
        for number, line in enumerate(text.splitlines(), 1)
        for what in typed(line, any(path.is_relative_to(slave) for slave in slaves))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "    .BASE({36'h0_5000_0000, 36'h0_4000_0000}),",
        "constexpr uint32_t kUart = 0xFFFF3200;",
        "  dram (rwx) : ORIGIN = 0x40000000, LENGTH = 256M",
        "#define TIMER ((volatile uint32_t *)0xffff_3108)",
        "DRAM_PACKET_BASE = 0x4800_0000",
        "  localparam logic [11:0] CSR_MBUSERR    = 12'h7C0;",
        '    __asm__ volatile("csrsi 0x7C1, %0" ::"i"(1) : "memory");',
        "    csrs_[0xB00] = [this] { return mcycle(); };",
        "  typedef enum logic [5:0] {PENDING = 0, ENABLE = 1, NEXT = 2} register_t;",
        "  localparam logic [7:0] STATUS_OFFSET = 8'h08;",
        "constexpr uint64_t QUEUE_INDICES = 8, QUEUE_ENTRIES = 16;",
    ],
)
def test_a_typed_one_is_found(line: str) -> None:
    assert typed(line, slave=True)


@pytest.mark.parametrize(
    "line",
    [
        "  assign known_number = sequence_q - expected_q >= 32'h8000_0000;",
        "      CSR_MISA: read_data = COMPRESSED ? 32'h4000_1105 : 32'h4000_1101;",
        "  logic [5:0] count = 0;",
        "    .MASK({memory_map_pkg::DRAM_MASK}),",
    ],
)
def test_other_numbers_are_not(line: str) -> None:
    assert not typed(line, slave=True)


def test_a_cause_of_a_drop_is_spelled_in_at_most_four_files() -> None:
    """Its table, the register that counts it, the RTL that detects it, and one to spare."""
    table = "\n".join((ROOT / "regs" / f"{block}_fates.rdl").read_text() for block in ("mac", "nic"))
    causes = re.findall(r"\b[rt]x_drop_\w+", table)
    assert len(causes) == 16
    texts = dict(hand_written())
    texts |= {path: path.read_text() for path in [*(ROOT / "regs").glob("*.rdl"), ROOT / "README.md"]}
    for cause in causes:
        spelled = [path for path, text in texts.items() if re.search(rf"\b{cause}\b", text, re.IGNORECASE)]
        spelled = [path for path in spelled if path.parent.name != "mac_line"]  # a bench of that one cause
        assert 1 <= len(spelled) <= 4, f"{cause}: {', '.join(map(str, spelled))}"
