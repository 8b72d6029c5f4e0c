# SPDX-License-Identifier: Apache-2.0
"""Building the simulator: once for each content, shared by processes, and clear about what is missing."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nsoc import build, presets
from nsoc.errors import NsocError

MODELS = Path(__file__).parents[2] / "models"

TOP = f"""
module sim_top #(
  {", ".join(f"parameter int {name} = 0" for name in presets.RTL_PARAMETERS)}
) (
  input logic clk, output logic [31:0] sum
);
  always_ff @(posedge clk) sum <= sum + 32'(UART_DIVISOR);
endmodule
"""
HARNESS = """
#include "Vsim_top.h"
extern "C" int nsoc_sim_printf(const char *, ...) { return 0; }
extern "C" __attribute__((visibility("default"))) unsigned sum_after(int cycles) {
    VerilatedContext context;
    Vsim_top top{&context};
    for (int i = 0; i < 2 * cycles + 1; ++i) { top.clk = i & 1; top.eval(); }
    return top.sum;
}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a design of one adder, and a cache of its own."""
    root = tmp_path / "tree"
    (root / "rtl").mkdir(parents=True)
    (root / "models").mkdir()
    shutil.copy(MODELS / "nsoc_print.h", root / "models")
    (root / "models" / "public.vlt").write_text("`verilator_config\n", encoding="utf-8")
    (root / "models" / "sim_top.sv").write_text(TOP, encoding="utf-8")
    (root / "models" / "harness.cpp").write_text(HARNESS, encoding="utf-8")
    monkeypatch.setattr(build, "checkout", lambda: root)
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    return root


def test_a_simulator_is_built_once_for_all_who_want_it(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = (
        "import sys; from pathlib import Path; from nsoc import build, presets; "
        "build.TRAINING = None; "  # the little design below is no SoC
        f"build.checkout = lambda: Path({str(tree)!r}); print(build.simulator(presets.load().with_(uart_divisor=5)))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    (out, err), (other_out, other_err) = (process.communicate() for process in processes)
    assert out == other_out and [process.returncode for process in processes] == [0, 0], err + other_err
    # One builds and says so in one line, the other waits for it.
    assert (err + other_err).startswith("Building the simulator for nic12-fast (first time")
    assert (err + other_err).count("\n") == 1

    preset = presets.load().with_(uart_divisor=5)
    library = build.simulator(preset)
    assert library == Path(out.strip())
    assert build.simulator(preset.with_(cpu_mhz=100)) == library, "clocks are not part of the build"
    assert capfd.readouterr() == ("", "")
    assert {path.name for path in library.parent.iterdir()} == {library.name, "recipe.txt"}
    assert ctypes.CDLL(str(library)).sum_after(3) == 15, "the preset's parameter must reach the design"


def test_whatever_goes_in_makes_another_build(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(build, "_build", lambda preset, checks, folder: made.append(folder))
    preset = presets.load()
    build.simulator(preset)
    build.simulator(preset, checks=True)
    build.simulator(preset.with_(rx_fifo_bytes=4096))
    (tree / "rtl" / "new.sv").write_text("module unused; endmodule\n", encoding="utf-8")
    build.simulator(preset)
    (tree / "models" / "harness.cpp").write_text(HARNESS + "// changed\n", encoding="utf-8")
    build.simulator(preset)
    assert len(set(made)) == 5


def test_an_error_in_the_design_is_shown_and_leaves_nothing_behind(tree: Path, tmp_path: Path) -> None:
    (tree / "models" / "sim_top.sv").write_text(TOP.replace("sum + ", "summ + "), encoding="utf-8")
    with pytest.raises(NsocError, match=r"(?s)verilating the SoC failed.*sim_top\.sv:7.*'summ'"):
        build.simulator(presets.load())
    assert [path.suffix for path in (tmp_path / "cache" / "sim").iterdir()] == [".lock"]


def test_an_error_in_the_models_is_shown(tree: Path) -> None:
    (tree / "models" / "harness.cpp").write_text("int broken(\n", encoding="utf-8")
    with pytest.raises(NsocError, match=r"(?s)compiling harness\.cpp failed.*error"):
        build.simulator(presets.load())


def test_a_missing_compiler_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NsocError, match=r"the C\+\+ compiler g\+\+ is missing: install it"):
        build.simulator(presets.load())
