# SPDX-License-Identifier: Apache-2.0
"""README.md: what its reader types does what it shows."""

import re
import tomllib
from pathlib import Path

import mermaid
import pytest
from docs_pages import ROOT, check_same, example, needs_a_namespace, pages, run, run_python, says, table

from nsoc.machine import lwip, presets, regs

PAGE = "README.md"
TOOLS = "Your own tools against the RTL"


def test_its_two_commands_are_targets_of_the_makefile() -> None:
    """CI runs both, in a clone, as they stand there."""
    commands = example(PAGE, "Two commands").commands
    assert commands == ["make demo", "make test"]
    listed = run("make help")
    for command in commands:
        assert f"\n{command} " in f"\n{listed}"
        assert "nsoc demo" in (dry := run(f"{command} -n")) or "pytest" in dry


def test_the_python_that_it_asks_for_is_that_of_the_package() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    says(PAGE, f"A machine needs Python {package['requires-python'].removeprefix('>=')}, g++, make and perl.")


@pytest.mark.slow
def test_the_picture_of_what_is_inside_can_be_drawn() -> None:
    labels = mermaid.labels(mermaid.draw(example(PAGE, "What is inside").text))
    assert {"Ethernet PHY or virtual cable", "boot ROM", "frames, 64 bit", "ACB", "AFB"} <= labels


def test_the_figures_in_the_picture_are_those_of_the_default_preset() -> None:
    chart, preset = example(PAGE, "What is inside").text, presets.load()
    assert preset.rx_fifo_bytes == preset.tx_fifo_bytes
    queues = sum(re.fullmatch(r"rxq\d+\.pointer", name) is not None for name in regs.BLOCKS["nic"].registers)
    for piece in (
        f"NIC clock, {preset.nic_mhz:g} MHz", f"processor clock, {preset.cpu_mhz:g} MHz",
        f"2 x {preset.rx_fifo_bytes // 1024} KB frame FIFO", f"{queues} Rx, {queues} Tx queues, free queue",
        f"{preset.local_memory_bytes // 1024} KB, two ports", f"DDR3 controller, {preset.dram_mhz:g} MHz",
    ):  # fmt: skip
        assert piece in chart


def test_ten_lines_of_python_print_what_stands_below_them(tmp_path: Path) -> None:
    code = example(PAGE, "Ten lines of Python", 1)
    lines = [line for line in code.text.splitlines() if line.strip() and not line.startswith("import")]
    assert len(lines) <= 10
    check_same(example(PAGE, "Ten lines of Python", 2), run_python(code.text, tmp_path))


def later() -> str:
    """The command that stands behind `later:`, once `make` has set all up."""
    found = re.search(r"# later: (.*)$", example(PAGE, TOOLS, 1).text.strip())
    assert found is not None
    return found[1]


def test_its_way_in_is_a_target_and_the_same_in_short() -> None:
    (command,) = example(PAGE, TOOLS, 1).commands
    assert run(f"{command} -n").strip().endswith(later())


@pytest.mark.slow
def test_the_soc_answers_as_shown(tmp_path: Path) -> None:
    needs_a_namespace()
    if lwip.source() is None:
        pytest.skip(f"what is shown is with lwIP: {lwip.why_not()}")
    loose = [
        r" +[\d,.]+ ms$",
        r"200 OK, [\d,]+ bytes",
        r"[\d.]+ s simulated in [\d.]+ s",
        r"[\d.]+ MHz, [\d,]+ times",
        r"\d+ frames from Linux, \d+ to",
    ]
    check_same(example(PAGE, TOOLS, 2), run(later(), tmp_path), loose)


def test_the_pages_that_it_lists_are_all_there_are() -> None:
    listed = re.findall(r"\]\((docs/\w[\w-]*\.md)\)", " ".join(map(str, table(PAGE, "Where to read on"))))
    assert sorted(listed) == sorted(page for page in pages() if page.startswith("docs/"))


def test_what_it_says_of_the_presets_holds() -> None:
    rates = [preset.line_mbps for name in presets.names() if (preset := presets.load(name)).top == "lat_node"]
    says(PAGE, f"two engines at {min(rates) // 1000} to {max(rates) // 1000} Gb/s")
    pnic = presets.load("pnic-rice")
    assert pnic.cores == 6
    says(PAGE, f"a programmable {pnic.line_mbps // 1000} Gb/s NIC: six small cores")
