# SPDX-License-Identifier: Apache-2.0
"""Firmware: compiled once for each variant, and ELF files read as an independent tool reads them."""

import struct
from pathlib import Path

import pytest

from nsoc import firmware
from nsoc.errors import NsocError

RISCV, X86_64 = 243, 62


def elf(segments: list[tuple[int, int, bytes, int]], machine: int = RISCV) -> bytes:
    """An ELF32 file by the ELF specification. A segment: type, physical address, contents, size in memory."""
    header_bytes, entry_bytes = 52, 32
    offset = header_bytes + entry_bytes * len(segments)
    table, contents = b"", b""
    for kind, address, data, memory_bytes in segments:
        virtual = address + 0x1000_0000  # must not matter
        where = offset + len(contents)
        table += struct.pack("<8I", kind, where, virtual, address, len(data), memory_bytes, 7, 4)
        contents += data
    identity = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    rest = struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, header_bytes, 0, 0, 52, entry_bytes, len(segments), 0, 0, 0)
    return identity + rest + table + contents


def test_loadable_segments_come_with_their_physical_addresses(tmp_path: Path) -> None:
    pt_load, pt_note = 1, 4
    file = tmp_path / "a.elf"
    file.write_bytes(
        elf(
            [
                (pt_load, 0, b"text", 4),
                (pt_note, 0, b"note", 4),
                (pt_load, 0x4000_0000, b"da", 9),
                (pt_load, 8, b"", 64),
            ]
        )
    )
    found = [(segment.address, segment.data) for segment in firmware.segments(file)]
    assert found == [(0, b"text"), (0x4000_0000, b"da")]


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        (b"#!/bin/sh\n", "not a 32-bit little-endian ELF file"),
        (b"", "not a 32-bit little-endian ELF file"),
        (elf([(1, 0, b"text", 4)], machine=X86_64), "not for RISC-V"),
        (elf([(1, 0, b"text", 4)])[:-1], "truncated"),
        (elf([(1, 0, b"text", 4)])[:60], "truncated"),
        (elf([]), "nothing to load"),
    ],
)
def test_what_cannot_be_booted_is_refused(tmp_path: Path, contents: bytes, complaint: str) -> None:
    file = tmp_path / "a.elf"
    file.write_bytes(contents)
    with pytest.raises(NsocError, match=complaint) as problem:
        firmware.segments(file)
    assert "a.elf" in str(problem.value)


def test_a_path_is_taken_as_it_is_and_missing_files_are_named(tmp_path: Path) -> None:
    assert firmware.build(tmp_path / "a.elf") == tmp_path / "a.elf"
    with pytest.raises(NsocError, match=r"cannot read the firmware .*a\.elf"):
        firmware.segments(tmp_path / "a.elf")


def test_an_unknown_application_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NsocError, match=r"no firmware 'forwrd', only .*forward.*did you mean forward\?"):
        firmware.build("forwrd")
    with pytest.raises(NsocError, match="no toolchain 'llvm', only zig and gcc"):
        firmware.build("forward", toolchain="llvm")


def test_an_application_is_compiled_once_for_each_variant() -> None:
    plain = firmware.build("forward")
    before = plain.stat().st_mtime_ns
    assert firmware.build("forward") == plain and plain.stat().st_mtime_ns == before
    variant = firmware.build("forward", {"SERVERS": 3})
    assert variant != plain and variant.read_bytes() != plain.read_bytes()
    first = firmware.segments(plain)[0]
    assert first.address == 0, "the boot ROM holds the start-up code"


def test_what_the_compiler_says_reaches_the_user() -> None:
    with pytest.raises(NsocError, match=r"(?s)compiling the firmware forward failed.*expected expression"):
        firmware.build("forward", {"SERVERS": "("})
