# SPDX-License-Identifier: Apache-2.0
"""examples/cocotb: the bench that an integrator copies runs as its README says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import needs
import pytest
from bench import ROOT

from nsoc.hardware.export import export

EXAMPLE = ROOT / "examples" / "cocotb"


@pytest.mark.slow
@needs.yosys
@needs.icarus
def test_the_bench_passes_on_exports_in_icarus(tmp_path: Path) -> None:
    for file in EXAMPLE.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    for block in ("mac", "nic_axi"):
        export(block, {}, tmp_path / f"{block}.v")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    path = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = subprocess.run(
        [sys.executable, "run.py"], cwd=tmp_path, env={**environment, "PATH": path}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (results,) = tmp_path.rglob("*.xml")  # cocotb names it for the test that runs
    cases = ElementTree.parse(results).findall(".//testcase")
    assert len(cases) == 1 and cases[0].find("failure") is None
