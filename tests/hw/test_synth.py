# SPDX-License-Identifier: Apache-2.0
"""Every top goes through Yosys, and the memories that must be block RAM are."""

import json
import math
from pathlib import Path

import needs
import pytest

from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.hardware import synth, yosys
from nsoc.hardware.synth import Area, Target
from nsoc.machine import firmware, presets

pytestmark = pytest.mark.slow

LOCAL_MEMORY, FRAME_FIFO, BOOT_ROM = 262144, 16384, 65536
ROM_BYTES = 16384
CACHE = 8192

BLOCK_RAM = {
    "mac": {"mac.u_core.u_rx_fifo.mem": FRAME_FIFO, "mac.u_core.u_tx_fifo.mem": FRAME_FIFO},
    "boot_rom": {"boot_rom.mem": BOOT_ROM},
    "local_mem": {"local_mem.mem": LOCAL_MEMORY},
    "acb_ram": {"acb_ram.mem": 65536},
    "l2_cache": {"l2_cache.data": 131072},
    "cpu_slot": {
        "cpu_slot.g_rv32.u_rv_slot.u_icache.g_way[0].u_array.g_dword.data": CACHE,
        "cpu_slot.g_rv32.u_rv_slot.u_lsu.u_array.g_dword.data": CACHE,
    },
    "nic": {},
    "rv_core": {},
}
"""Memories, in bytes, that must not be anything but block RAM, by top."""

BRAM_BYTES = {Target.XC7: 4096, Target.ECP5: 2048}
"""What a block holds without its parity bits."""

QUICK = [(top, Target.ECP5) for top in ("mac", "local_mem", "acb_ram")]  # the board's top below has the others


def _check(result: synth.Synthesis, expected: dict[str, int]) -> None:
    kinds = {memory.name: memory.kind for memory in result.memories}
    assert {name: kinds.get(name) for name in expected} == dict.fromkeys(expected, "block")
    # Not one more than the bytes need, but for the parity bits that a word of 68 or 72 bits may use or leave.
    least = sum(math.ceil(size * 8 / 9 / BRAM_BYTES[result.target]) for size in expected.values())
    assert result.area.bram >= least
    assert result.area.lut > 0 and result.area.ff > 0


SOC_MEMORIES = (
    "u_local_mem.mem",
    "u_mac.u_core.u_rx_fifo.mem",
    "u_mac.u_core.u_tx_fifo.mem",
    "g_slot[0].u_cpu_slot.g_rv32.u_rv_slot.u_icache.g_way[0].u_array.g_dword.data",
    "g_slot[0].u_cpu_slot.g_rv32.u_rv_slot.u_lsu.u_array.g_dword.data",
)
"""Memories of the SoC that must be block RAM."""


@needs.yosys
@pytest.mark.long
def test_the_smallest_nic_is_a_third_of_the_whole_one() -> None:
    """What its parameters leave out is really gone: one that reached no hardware would show here."""
    whole, small = (synth.synthesize_module("nic", Target.XC7, configuration=name).area for name in ("", "small"))
    assert small.lut < 2300 < 6000 < whole.lut
    assert small.ff < 0.42 * whole.ff


@needs.yosys
@pytest.mark.parametrize(
    ("top", "target", "vendor", "library"),
    [
        pytest.param("nsoc", Target.ECP5, None, (), marks=pytest.mark.long),
        ("nsoc_ecp5", Target.ECP5, "ecp5", ("lattice/cells_bb_ecp5.v",)),
        pytest.param("nsoc_kc705", Target.XC7, "xc7", ("xilinx/cells_xtra.v",), marks=pytest.mark.long),
    ],
)
def test_the_whole_soc_and_the_boards_tops_synthesize(
    top: str, target: Target, vendor: str | None, library: tuple[str, ...], tmp_path: Path
) -> None:
    """Down to flip-flops, memories and logic that is not yet LUTs (that takes longest, and has the blocks' own tests):
    what Verilator lets pass and other tools do not, no latch, no net of two drivers or of none, no loop."""
    files = [*synth.sources(vendor), *(yosys.share_folder() / name for name in library)]
    rom = synth.rom_file(firmware.build("forward"), ROM_BYTES, tmp_path, "rv32")
    # BUFG is in a library that this reader refuses.
    script = ["read_verilog -lib +/xilinx/cells_sim.v"] if vendor == "xc7" else []
    script.append(synth.read_command(top, {"BOOT_ROM_INIT": str(rom), "BOOT_ROM_BYTES": ROM_BYTES}, files))
    script += [command for command, _ in synth.flow(target, top)[:2]]
    script += ["select -assert-none t:$*latch* t:$_DLATCH*", "check -assert"]
    log = yosys.run([(line, 1.0) for line in script], tmp_path, f"synthesizing {top}")
    soc = top if top == "nsoc" else f"{top}.u_nsoc"
    kinds = {memory.name: memory.kind for memory in synth._memories(log.read_text(errors="replace"))}
    names = [f"{soc}.{path}" for path in SOC_MEMORIES]
    assert {name: kinds.get(name) for name in names} == dict.fromkeys(names, "block")


@needs.yosys
@pytest.mark.parametrize(
    ("top", "parameters"),
    [
        ("lat_node", {"WIDTH": 64, "COLUMNS": 1, "ONE_CLOCK": 1}),
        *(
            ("lat_node", {"WIDTH": width, "COLUMNS": columns})
            for width, columns in ((128, 1), (128, 2), (256, 4), (512, 8))
        ),
        ("pnic_node", {}),
    ],
)
def test_a_node_is_read_by_more_than_one_tool(top: str, parameters: dict[str, int | str], tmp_path: Path) -> None:
    """All of its modules, as they are in there: what Verilator lets pass and other tools do not."""
    yosys.run([(synth.read_command(top, parameters, synth.sources(), hierarchy=True), 1.0)], tmp_path, f"reading {top}")


@needs.yosys
@pytest.mark.parametrize(("top", "target"), QUICK)
def test_top_synthesizes_with_its_memories_in_block_ram(top: str, target: Target) -> None:
    _check(synth.synthesize_module(top, target), BLOCK_RAM[top])


@needs.yosys
@pytest.mark.long
@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("top", sorted({*BLOCK_RAM, *(top for tops in synth.TOPS.values() for top in tops)}))
def test_every_top_synthesizes_with_its_memories_in_block_ram(top: str, target: Target) -> None:
    _check(synth.synthesize_module(top, target), BLOCK_RAM.get(top, {}))


@needs.yosys
@pytest.mark.long
@pytest.mark.parametrize("target", list(Target))
def test_the_whole_soc_synthesizes_with_its_memories_in_block_ram(target: Target) -> None:
    result = synth.synthesize_preset(presets.load(), target)
    expected = {
        "boot_rom$nsoc.u_boot_rom.mem": 8192,  # the firmware is small: what is zero of the ROM costs nothing
        "local_mem$nsoc.u_local_mem.mem": LOCAL_MEMORY,
        "mac$nsoc.u_mac.u_core.u_rx_fifo.mem": FRAME_FIFO,
        "mac$nsoc.u_mac.u_core.u_tx_fifo.mem": FRAME_FIFO,
        "cpu_slot$nsoc.g_slot[0].u_cpu_slot.g_rv32.u_rv_slot.u_icache.g_way[0].u_array.g_dword.data": CACHE,
        "cpu_slot$nsoc.g_slot[0].u_cpu_slot.g_rv32.u_rv_slot.u_lsu.u_array.g_dword.data": CACHE,
    }
    _check(result, expected)
    assert {"mac", "nic", "mem", "bus", "periph", "cpu: core", "cpu: caches, bus unit"} <= set(result.parts)


@needs.yosys
def test_records_have_the_figures_of_every_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["synth", "acb_ram", "--target", "ecp5", "--json", "-"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {r["metric"] for r in records} == {"lut", "ff", "bram", "dsp"}
    assert {(r["suite"], r["preset"], r["mode"]) for r in records} == {("synth", "acb_ram", "ecp5")}
    assert next(r["value"] for r in records if r["metric"] == "bram") == 65536 / BRAM_BYTES[Target.ECP5]


def test_an_unknown_block_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["synth", "nick", "--target", "xc7"]) == 1
    assert "did you mean nic?" in capsys.readouterr().err


def test_area_counts_luts_of_every_kind() -> None:
    cells = {"LUT6": 10, "LUT2": 5, "RAM64M": 2, "FDRE": 7, "RAMB18E1": 3, "RAMB36E1": 1, "DSP48E1": 1, "CARRY4": 9}
    assert synth.area_of(cells, Target.XC7) == Area(23, 7, 2.5, 1)
    assert synth.area_of({"LUT4": 10, "CCU2C": 3, "TRELLIS_DPR16X4": 1}, Target.ECP5).lut == 22


def test_published_figures_are_counts_of_the_board() -> None:
    (theirs,) = synth.anchors("nic12-fast", Target.XC7)
    assert theirs["lut"] == pytest.approx(108055, abs=1) and theirs["source"]
    assert [peer["name"] for peer in synth.anchors("cpu", Target.XC7)] == ["VexRiscv Full", "Hazard3", "Ibex"]


def test_a_rom_that_is_too_small_is_one_sentence(tmp_path) -> None:
    with pytest.raises(NsocError, match=r"needs .* bytes of boot ROM, there are 64"):
        synth.rom_file(firmware.build("forward"), 64, tmp_path, "rv32")


def test_a_preset_is_synthesized_with_the_program_and_the_core_of_its_instruction_set(tmp_path: Path) -> None:
    assert set(synth.CORES) == set(firmware.ARCHITECTURES)
    assert set(synth.CORES.values()) <= {path.stem for path in synth.sources()}
    elf = firmware.build("hello", arch="sparc")
    (first, *_) = firmware.segments(elf, "sparc")
    assert synth.rom_file(elf, ROM_BYTES, tmp_path, "sparc").read_text(encoding="ascii")[:16] == first.data[:8].hex()
