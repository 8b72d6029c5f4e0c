# SPDX-License-Identifier: Apache-2.0
"""tests/support/bench.py: what a block's simulator is built with."""

import os
import subprocess
from pathlib import Path

import bench
import pytest

from nsoc.machine import compiler


@pytest.mark.parametrize("cxx", ["", "g++ -O0"])
def test_a_block_is_compiled_by_the_compiler_of_the_socs_simulators(
    cxx: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verilator's makefile asks for c++, which need not be there where g++ is."""
    monkeypatch.setenv("CXX", cxx)
    bench._compiler.cache_clear()
    try:
        cxx_of_models, headers, _ = bench._compiler()
        environment = {**os.environ, **bench._environment(kept_runtime=False)}
    finally:
        bench._compiler.cache_clear()
    lines = ["CXX = c++", "LINK = c++", "all:", "\t@echo $(CXX)", "\t@echo $(LINK)", "\t@echo $(CFG_CXXFLAGS_PCH_I)"]
    (tmp_path / "Makefile").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(["make", "-C", tmp_path, "-s"], env=environment, capture_output=True, text=True, check=True)
    compiles, links, before = done.stdout.splitlines()
    assert compiles == " ".join(cxx_of_models) == " ".join(compiler.chosen().command())
    assert links == bench.CXX
    assert before == headers[0] == ("-include-pch" if compiler.chosen().is_clang else "-include")


def test_no_bench_asks_for_another_compiler() -> None:
    named = [file for file in (bench.ROOT / "tests").rglob("*.py") if '["c++"' in file.read_text(encoding="utf-8")]
    assert named == [Path(__file__)]
