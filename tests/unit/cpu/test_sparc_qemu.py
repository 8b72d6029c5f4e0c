# SPDX-License-Identifier: Apache-2.0
"""The instruction-set simulator of the SPARC V8 core beside QEMU, instruction by instruction (sparc_qemu.py)."""

from pathlib import Path

import pytest
import sparc_programs as programs
import sparc_qemu
from runs import seeds
from sparc_words import G, word

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


def test_a_difference_is_found(tmp_path: Path) -> None:
    """One of those that are known: TBR's type is written in QEMU."""
    body = [word("wrtbr", 0, G[0], 0x10), word("rdtbr", G[2])]
    with pytest.raises(AssertionError, match=r"g2: QEMU 0x10, here 0x0"):
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
