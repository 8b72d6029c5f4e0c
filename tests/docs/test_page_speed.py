# SPDX-License-Identifier: Apache-2.0
"""docs/speed.md: its commands run, its rows are those of the bench, its numbers those of the sources."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from docs_pages import ROOT, example, needs, run, says, table

from nsoc.bench import speed, speed_load
from nsoc.machine import presets

PAGE = "docs/speed.md"
SMALL = "--part 0.01 --pairs 1"


@pytest.mark.slow
def test_the_commands_run(tmp_path: Path) -> None:
    every, some, quick = example(PAGE, "Speed of the simulators").commands
    assert every == "nsoc bench speed" and quick.endswith("--part 0.1 --pairs 1")
    run(f"{some} {SMALL}", tmp_path)
    kept = json.loads((tmp_path / "speed.json").read_text(encoding="utf-8"))
    assert {one["mode"] for one in kept} == {"polling", "toe-frames"}
    said = run(quick, tmp_path)
    found = re.search(r"^ *demo +k nic_clk / s +[\d,]+\.\d +(\d\.\d\d) +(\d+)%", said, re.MULTILINE)
    assert found, said
    each, left_out, soc = float(found[1]), int(found[2]), presets.load("nic12-fast")
    edges = (soc.cpu_mhz + soc.nic_mhz + 2 * soc.gmii_mhz + 1e6 / soc.dram_clk_ps) / soc.nic_mhz
    says(
        PAGE,
        f"of the edges of `nic12-fast` {left_out} % are left out, {each:.1f} evaluations a nic_clk cycle instead of "
        f"{edges:.1f}",
    )


@pytest.mark.long
def test_all_loads_run(tmp_path: Path) -> None:
    (every, *_) = example(PAGE, "Speed of the simulators").commands
    said = run(f"{every} {SMALL}", tmp_path)
    assert re.findall(r"^ *([\w-]+) +k ", said, re.MULTILINE) == list(speed_load.LOADS)


@pytest.mark.slow
def test_another_tree_is_compared_with(tmp_path: Path) -> None:
    worktree, compare = example(PAGE, "Against another commit").commands
    folder = compare.split()[-1]
    assert worktree.startswith(f"git worktree add {folder} ")
    said = run(f"{compare.replace(folder, str(ROOT))} polling {SMALL}", tmp_path)
    assert re.search(r"^ *polling +k nic_clk / s( +[\d,]+\.\d){2}( +\d+\.\d\d){4}", said, re.MULTILINE), said


@pytest.mark.slow
def test_a_profile_says_how_much_each_clock_and_module_takes(tmp_path: Path) -> None:
    """Of the smaller simulator."""
    needs("perf", "addr2line", "readelf")
    refused = subprocess.run(["perf", "record", "-o", str(tmp_path / "data"), "true"], capture_output=True, check=False)
    if refused.returncode:
        pytest.skip("perf is refused on this machine")
    (command,) = example(PAGE, "Where the time goes").commands
    said = run(command.replace("toe-frames", "polling") + " --part 0.3", tmp_path)
    shares = {name: float(share) for name, share in re.findall(r"^ *(\S.*?) +(\d+\.\d)% *$", said, re.MULTILINE)}
    assert shares["nic_clk"] > 5 and shares["cpu_clk"] > 5, said
    assert shares["u_nsoc"] > shares["u_nic"] > 5 and shares["u_mac"] > 1, said


def test_the_rows_are_those_of_the_bench() -> None:
    shown = [(re.findall(r"`([\w-]+)`", row[0]), row) for row in table(PAGE, "Speed of the simulators")]
    assert [name for names, _ in shown for name in names] == list(speed.ROWS)
    clocks = {"nic_clk": "nic_clk", "core": "the cores", "engine": "the engine"}
    for names, cells in shown:
        for name in names:
            row = speed.ROWS[name]
            assert row.preset is None or len(names) > 1 or f"`{row.preset}`" in cells[1]
            if row.clock:
                assert cells[3] == f"cycles of {clocks[row.clock]}"
            else:
                assert cells[3].startswith(f"seconds {'on the wall' if row.wall else 'of the processor'}")


def test_the_numbers_are_those_of_the_sources() -> None:
    numbers = {"eleven": speed.PAIRS, "three": speed.PAIRS_OF_JOBS}
    assert numbers == {"eleven": 11, "three": 3} and speed.RUNS == 3 and speed.LITTLE == 0.01
    assert speed_load.WINDOW == 32 and speed_load.PAGE_BYTES == 1 << 20
    says(
        PAGE,
        f"the first {speed_load.PACKETS:,} packets of the large image",
        f"`forward` echoes {speed_load.ECHOED:,} frames of {speed_load.SMALLEST + 4} bytes back to back",
        f"polls a queue for {speed_load.POLLED_US // 1000} ms",
        f"both ways for {speed_load.STREAMED_US // 1000} ms",
        f"{speed_load.PASSED:,} frames of {speed_load.SMALLEST + 4} bytes back to back that are no IP (type "
        f"0x{speed_load.PASSED_TYPE:04X})",
        f"frames of {speed_load.PNIC_FRAME} bytes both ways for {speed_load.PNIC_US} us",
        "Of eleven pairs (three of the rows that build or take the wall's clock",
    )
