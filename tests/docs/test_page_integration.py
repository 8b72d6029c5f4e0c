# SPDX-License-Identifier: Apache-2.0
"""docs/integration.md: its commands lint the cores, its example is clean, its constraints name what is there.

tests/unit/test_integration.py has its tables of ports and registers.
"""

import re
import sys
from pathlib import Path

import pytest
from docs_pages import ROOT, example, needs, run, says
from docs_tables import parameter
from needs import yosys as of_yosys

from nsoc.machine import regs

PAGE = "docs/integration.md"
SHELL = example(PAGE, "The NIC in a SoC of your own", 1)
DEPEND = example(PAGE, "The NIC in a SoC of your own", 2)
EXPORT = example(PAGE, "One file of Verilog for the others", 1)
MODULE = example(PAGE, "An Ethernet port", 1)
CONSTRAINTS = example(PAGE, "Clocks, resets, constraints", 1)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """As the reader's: `rtl` and `.venv` are there, what is written is not in the tree of the tests."""
    (tmp_path / "rtl").symlink_to(ROOT / "rtl")
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parent.parent)
    return tmp_path


def linted(tree: Path, commands: list[str]) -> str:
    """What Verilator was told, in files."""
    homes = {f"XDG_{name}_HOME": str(tree / "home") for name in ("CONFIG", "CACHE", "DATA")}
    run("\n".join(commands), tree, variables={"PATH": "/usr/bin:/bin", **homes})
    return "".join(path.read_text(encoding="utf-8") for path in tree.rglob("build/**/*.vc"))


@pytest.mark.slow
def test_the_commands_lint_the_core_with_the_verilator_of_the_environment(tree: Path) -> None:
    first, *others = SHELL.commands
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert first == "make lint" and "\nlint: $(VENV)/test.stamp" in makefile
    locked = (ROOT / "requirements/test.txt").read_text(encoding="utf-8")
    assert "\nfusesoc==" in locked and "\nverilator==" in (ROOT / "requirements/demo.txt").read_text(encoding="utf-8")
    told = linted(tree, others)
    assert "lint-only" in told and "nic_axi" in told
    mac = [line.replace("nsoc:ip:nic", re.search(r"# or (\S+)", SHELL.text)[1]) for line in others]  # type: ignore[index]
    assert mac != others and "lint-only" in linted(tree, mac)


@pytest.mark.slow
def test_a_core_file_of_ones_own_has_the_nic_by_that_line(tree: Path) -> None:
    own = tree / "own"
    own.mkdir()
    (own / "ethernet_port.sv").write_text(MODULE.text, encoding="utf-8")
    options = "{tool: verilator, verilator_options: [-Wall, -Wno-UNUSEDPARAM]}"
    target = f"toplevel: ethernet_port\n    flow: lint\n    flow_options: {options}"
    (own / "own.core").write_text(
        "CAPI=2:\nname: my:own:port:1\nfilesets:\n  rtl:\n    file_type: systemVerilogSource\n"
        f"    files: [ethernet_port.sv]\n    {DEPEND.text}targets:\n  lint:\n    filesets: [rtl]\n    {target}\n",
        encoding="utf-8",
    )
    commands = [line.replace("--cores-root rtl", "--cores-root rtl --cores-root own") for line in SHELL.commands[1:]]
    commands = [line.replace("nsoc:ip:nic", "my:own:port") for line in commands]
    assert "ethernet_port" in linted(tree, commands)


@pytest.mark.slow
@of_yosys
def test_a_block_is_exported_by_that_command(tree: Path) -> None:
    activate, make, export = EXPORT.commands
    assert make == "make .venv/hw.stamp" and "$(VENV)/hw.stamp:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    run(f"{activate}\n{export}", tree)
    text = (tree / "mac.v").read_text(encoding="utf-8")
    assert "MAX_FRAME_BYTES=9022" in text and "output [63:0] rx_frame_tdata;" in text
    needs("iverilog")
    run("iverilog -g2005 -Wall -t null -s mac mac.v", tree)


STUBS = """
proc get_clocks {names} { puts "clock $names"; return $names }
proc get_pins {args} { puts "pins $args"; return $args }
proc set_clock_groups {args} { puts "groups $args" }
proc set_false_path {args} { puts "false_path $args" }
"""


def test_the_constraints_are_tcl_and_name_clocks_and_registers_that_are_there(tmp_path: Path) -> None:
    ports = re.findall(r"input +logic +(\w*clk)\b", MODULE.text)
    assert re.findall(r"get_clocks (\w+)", CONSTRAINTS.text) == [*(port for port in ports if port != "clk"), "clk"]
    (asynchronous,) = re.findall(r"\*(\w+)_reg\*/PRE", CONSTRAINTS.text)
    reset = (ROOT / "rtl/common/reset_sync.sv").read_text(encoding="utf-8")
    assert re.search(rf"\b{asynchronous}\b", reset) and "posedge arst" in reset
    holders = [path.name for path in (ROOT / "rtl").rglob("*.sv") if re.search(r"\bmeta_q\b", path.read_text())]
    assert holders and "`*meta_q_reg*/D`" in (ROOT / PAGE).read_text(encoding="utf-8")
    needs("tclsh")
    script = tmp_path / "constraints.tcl"
    script.write_text(STUBS + CONSTRAINTS.text, encoding="utf-8")
    said = run(f"tclsh {script}", tmp_path)
    assert len(re.findall("^clock ", said, re.MULTILINE)) == 3 and "groups -asynchronous -group" in said
    assert "pins -hier -filter" in said and "false_path -to" in said


def test_values_in_the_text_are_those_of_the_registers() -> None:
    nic = regs.BLOCKS["nic"].registers
    fields = {field.name: 1 << field.lsb for field in nic["control"].fields}
    enabled = fields["nic_enable"] | fields["mac_enable"]
    ready = next(field for field in nic["irq_mask"].fields if field.name == "rx_ready")
    assert max(register.offset for register in nic.values()) < 1024
    length = regs.BUFFER_CONTROL_OFFSET + 6
    says(
        PAGE,
        f"`control` (0x000) = {enabled}: NIC and MAC enabled; {enabled | fields['irq_enable']} with interrupts",
        f"`irq_mask` (0x08C) = 0x{(1 << ready.width) - 1 << ready.lsb:X}",
        f"A buffer is {nic['buffer_size'].reset} bytes unless `buffer_size` says otherwise",
        f"up to {nic['queue_depth'].reset}. The write is answered OKAY",
        f"bytes {length} and {length + 1}, big-endian, hold the frame's length, the frame itself begins at byte "
        f"{regs.BUFFER_FRAME_OFFSET}.",
        f"put a length into bytes {length} and {length + 1} (the rest of bytes 0 to {length + 1} zero), "
        f"the frame at byte {regs.BUFFER_FRAME_OFFSET}",
        "1 KB of registers, 32 bits",
        "until it is not 1.",
    )


def test_values_in_the_text_are_those_of_the_rtl() -> None:
    tests = (ROOT / "tests/unit/nic/test_nic_axi.py").read_text(encoding="utf-8")
    latency = re.search(r"line_rate_with_a_memory_latency_of_(\d+)_cycles", tests)
    assert latency and f"Nic(dut, latency={latency[1]})" in tests
    cache = parameter("nic_axi", "AXI_CACHE").removeprefix("4'b")
    quiet = (ROOT / "rtl/nic/nic_reset.sv").read_text(encoding="utf-8")
    assert "from `start` to the end, QUIET + 3 cycles" in quiet
    says(
        PAGE,
        f"and answers within {latency[1]} (a test says so)",
        f"AxCACHE: {cache} by default",
        f"up to {parameter('acb_to_axi', 'IN_FLIGHT')} in flight",
        f"(register `reset`), {int(parameter('nic_reset', 'QUIET')) + 3} cycles at least",
        f"The NIC's addresses have {parameter('nic_axi', 'AXI_ADDR_W')} bits",
    )
