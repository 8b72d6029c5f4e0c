# SPDX-License-Identifier: Apache-2.0
"""The instruction-set simulator of the SPARC V8 core beside QEMU, instruction by instruction (sparc_qemu.py)."""

from pathlib import Path

import pytest
import sparc_programs as programs
import sparc_qemu
from runs import seeds
from sparc_programs import TO_USER, constant
from sparc_words import NOP, G, L, trap, word

pytestmark = pytest.mark.skipif(
    (sparc_qemu.version() or (0,)) < (7, 2), reason=f"no {sparc_qemu.PROGRAM} from 7.2 on (Debian: qemu-system-sparc)"
)


def compare(body: list[int], folder: Path) -> int:
    return sparc_qemu.compare(programs.image(body), programs.end_of(body), folder)


@pytest.mark.parametrize("name", programs.DIRECTED)
def test_qemu_agrees_on_each_instruction_of_a_directed_program(name: str, tmp_path: Path) -> None:
    body = programs.DIRECTED[name]()
    assert compare(body, tmp_path) > len(body) / 2


@pytest.mark.parametrize("seed", seeds(2, 20))
def test_qemu_agrees_on_each_instruction_of_a_random_program(seed: int, tmp_path: Path) -> None:
    compare(programs.Body(seed, 600).words, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_qemu_agrees_on_many_random_programs(seed: int, tmp_path: Path) -> None:
    compare(programs.Body(seed, 2000).words, tmp_path)


LISTED = {
    "EF can be written": ([*constant(L[0], 0x10E0), word("wrpsr", 0, L[0], 0)], "psr: QEMU 0xf30010e0, here"),
    "TBR's type can be written": ([word("wrtbr", 0, G[0], 0x10), word("rdtbr", G[2])], "g2: QEMU 0x10, here 0x0"),
    "JMPL has written rd": ([NOP, word("jmpl", G[2], G[5], 2)], "g2: QEMU 0x2004, here 0x2000"),
    "all addresses can be read": (
        [*constant(L[0], 0x6000_0000), word("ld", L[1], L[0], 0)], "pc: QEMU 0x200c, here 0x90"
    ),
    "the ROM can be written": ([word("st", G[0], G[0], 0)], "pc: QEMU 0x2004, here 0x2b0"),
    "ASRs read 0": ([word("rdasr", G[2], 17)], "pc: QEMU 0x2004, here 0x20"),
    "form ahead of privilege": (
        [trap("a", G[0], TO_USER), word("lda", L[1], G[1], 0)], "pc: QEMU 0x20, here 0x30"
    ),
    "STDFQ ahead of privilege": (
        [trap("a", G[0], TO_USER), word("stdfq", 0, G[1], 0)], "pc: QEMU 0x40, here 0x30"
    ),
    "space 0x0A is the user's": (
        [trap("a", G[0], TO_USER), word("lda", L[1], G[1], G[6], 0x0A)], "pc: QEMU 0x2008, here 0x30"
    ),
    "RETT's target ahead of ET": ([word("rett", 0, G[0], 1)], "pc: QEMU 0x70, here 0x20"),
    "Ticc leaves a sum": ([trap("a", G[2], G[3])], "g2: QEMU 0x2018, here 0x2000"),
    "LDQF": ([3 << 30 | 0x22 << 19], "pc: QEMU 0x40, here 0x20"),
}  # fmt: skip
"""Of the list in sparc_qemu.py: a program, and the difference."""


@pytest.mark.skipif(sparc_qemu.version() != (7, 2), reason=f"the list is of {sparc_qemu.PROGRAM} 7.2")
@pytest.mark.parametrize("name", LISTED)
def test_differences_of_the_list_are_there_and_are_found(name: str, tmp_path: Path) -> None:
    body, difference = LISTED[name]
    with pytest.raises(AssertionError, match=difference):
        compare(body, tmp_path)


def test_a_byte_that_only_the_final_memory_shows_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_iss = sparc_qemu.Iss.read

    def read(iss: sparc_qemu.Iss, address: int, count: int) -> bytes:
        data = bytearray(of_iss(iss, address, count))
        if address == programs.RAM:
            data[0x100] ^= 0x5A
        return bytes(data)

    monkeypatch.setattr(sparc_qemu.Iss, "read", read)
    with pytest.raises(AssertionError, match="0x40000100 holds 0x0 in QEMU, 0x5a here"):
        compare([], tmp_path)
