# SPDX-License-Identifier: Apache-2.0
"""The reference of the core's tests and the programs it is compared on, judged from outside.

test_cpu.py compares the core with our instruction-set simulator, instruction by instruction. Here the same programs run
on qemu-system-riscv32, which knows nothing of us, and the simulator must agree with that as well; and the directed
programs must show of each instruction what the RISC-V architectural tests ask for.
"""

from pathlib import Path

import generate
import isa_coverage
import pytest
import qemu
from iss import Iss
from runs import seeds
from test_cpu import compile_program

needs_qemu = pytest.mark.skipif(
    (qemu.version() or (0,)) < (7, 2), reason=f"no {qemu.PROGRAM} from 7.2 on (Debian: qemu-system-misc)"
)


def build(text: str, folder: Path, core: str = "") -> Path:
    """With `core` "c": compressed wherever that is possible."""
    source = folder / "program.S"
    source.write_text(text)
    return compile_program(folder / "program.elf", source, core=core, code=core)


@needs_qemu
@pytest.mark.parametrize("name", generate.DIRECTED)
def test_qemu_agrees_with_the_iss_on_each_instruction_of_a_directed_program(name: str, tmp_path: Path) -> None:
    qemu.compare(build(generate.DIRECTED[name](), tmp_path), tmp_path)


@needs_qemu
@pytest.mark.parametrize("seed", seeds(2, 20))
def test_qemu_agrees_with_the_iss_on_each_instruction_of_a_random_program(seed: int, tmp_path: Path) -> None:
    qemu.compare(build(generate.RandomProgram(seed, False, 300).text(), tmp_path), tmp_path)


@needs_qemu
@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_qemu_agrees_with_the_iss_on_many_random_programs(seed: int, tmp_path: Path) -> None:
    qemu.compare(build(generate.RandomProgram(seed, False, 800).text(), tmp_path), tmp_path)


@needs_qemu
@pytest.mark.parametrize("name", generate.DIRECTED | generate.SHORT)
def test_qemu_agrees_with_the_iss_on_each_instruction_of_a_compressed_program(name: str, tmp_path: Path) -> None:
    text = (generate.DIRECTED | generate.SHORT)[name]()
    qemu.compare(build(text, tmp_path, core="c"), tmp_path, compressed=True)


@needs_qemu
@pytest.mark.parametrize("seed", seeds(1, 8, first=300))
def test_qemu_agrees_with_the_iss_on_each_instruction_of_a_compressed_random_program(seed: int, tmp_path: Path) -> None:
    text = generate.RandomProgram(seed, False, 300).text()
    qemu.compare(build(text, tmp_path, core="c"), tmp_path, compressed=True)


@needs_qemu
@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_qemu_agrees_with_the_iss_on_many_compressed_random_programs(seed: int, tmp_path: Path) -> None:
    text = generate.RandomProgram(seed, False, 800).text()
    qemu.compare(build(text, tmp_path, core="c"), tmp_path, compressed=True)


@needs_qemu
def test_a_wrong_result_in_the_iss_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elf = build(generate.unary_program(), tmp_path)
    monkeypatch.setitem(generate.UNARY, (0x601, 1, 0x13), lambda a: (a & -a).bit_length() - 1 if a else 31)  # ctz
    with pytest.raises(AssertionError, match="QEMU 0x20, ISS 0x1f"):
        qemu.compare(elf, tmp_path)


@needs_qemu
def test_a_store_that_only_the_final_memory_shows_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elf = build(generate.HEAD + "  li a0, LOCAL\n  sw a0, 8(a0)\n" + generate.TAIL, tmp_path)
    monkeypatch.setattr(qemu.QemuIss, "write", lambda *_: 0)
    with pytest.raises(AssertionError, match="local memory: 0x5000000b holds 0x50 in QEMU, 0x0 in the ISS"):
        qemu.compare(elf, tmp_path)


def covered(names: list[str], folder: Path) -> isa_coverage.Coverage:
    result = isa_coverage.Coverage()
    for name in names:
        iss = Iss()
        iss.load_elf(build(generate.DIRECTED[name](), folder))
        result.run(iss)
    return result


def test_directed_programs_cover_each_instruction_as_the_architectural_tests_do(tmp_path: Path) -> None:
    gaps = covered(list(generate.DIRECTED), tmp_path).gaps()
    assert not gaps, "\n".join(gaps)


def test_a_gap_in_the_coverage_is_found(tmp_path: Path) -> None:
    """Without the program of far jumps, just what it alone does is missing."""
    gaps = covered([name for name in generate.DIRECTED if not name.startswith("branches_and")], tmp_path).gaps()
    found = {gap.split("[")[0].strip() for gap in gaps}
    assert found == {f"{name}: offset" for name in ("beq", "bne", "blt", "bge", "bltu", "bgeu", "jal")}


def short_gaps(names: list[str], folder: Path) -> list[str]:
    result = isa_coverage.Coverage()
    for name in names:
        iss = Iss(compressed=True)
        iss.load_elf(build(generate.SHORT[name](), folder, core="c"))
        result.run(iss)
    return result.short_gaps()


def test_directed_programs_cover_each_short_instruction(tmp_path: Path) -> None:
    gaps = short_gaps(list(generate.SHORT), tmp_path)
    assert not gaps, "\n".join(gaps)


def test_a_gap_in_the_coverage_of_short_instructions_is_found(tmp_path: Path) -> None:
    gaps = short_gaps([name for name in generate.SHORT if not name.startswith("jumps")], tmp_path)
    found = {gap.split("[")[0].strip() for gap in gaps}
    assert {f"{name}: offset" for name in ("c.j", "c.jal", "c.beqz", "c.bnez")} <= found
