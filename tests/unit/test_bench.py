# SPDX-License-Identifier: Apache-2.0
"""tests/support/bench.py: what a block's simulator is built with."""

import os
import subprocess
from pathlib import Path

import bench

from nsoc.machine import compiler


def test_a_block_is_compiled_by_the_compiler_of_the_socs_simulators(tmp_path: Path) -> None:
    """Verilator's makefile asks for c++, which need not be there where g++ is."""
    (tmp_path / "Makefile").write_text("CXX = c++\nLINK = c++\nall:\n\t@echo $(CXX) $(LINK)\n", encoding="utf-8")
    environment = {**os.environ, **bench._environment(kept_runtime=False)}
    done = subprocess.run(["make", "-C", tmp_path, "-s"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [*compiler.linker(), *compiler.linker()] == [bench.CXX] * 2
    named = [file for file in (bench.ROOT / "tests").rglob("*.py") if '["c++"' in file.read_text(encoding="utf-8")]
    assert named == [Path(__file__)]
