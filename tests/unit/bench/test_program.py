# SPDX-License-Identifier: Apache-2.0
"""Programs around a small Verilated design: what they print is the same with evaluation by clock and with eval()."""

import subprocess
from pathlib import Path

import pytest

from nsoc.bench import latency_measure, mac_example, program
from nsoc.machine import build, by_clock
from nsoc.machine.presets import load

SV = """
// Two clocks with registers that meet, an asynchronous reset, a path from pin to pin and one into a register.
module two_clocks (
  input  logic        arst, a_clk, b_clk, up,
  input  logic [31:0] data,
  input  logic        flip,
  output logic [31:0] a, b, met,
  output logic        now
);
  logic [31:0] taken_q;
  always_ff @(posedge a_clk or posedge arst) if (arst) a <= 0; else a <= a + (now ? 3 : 1) + b;
  always_ff @(posedge b_clk or posedge arst) if (arst) b <= 0; else b <= b ^ (a << 1) ^ taken_q;
  always_ff @(posedge b_clk) taken_q <= data;
  always_ff @(posedge a_clk or posedge b_clk) met <= met + 1;
  assign now = flip ^ a[0] ^ up;
endmodule
"""
CPP = """
#include <cstdio>
#define NSOC_TOP Vtwo_clocks
#define NSOC_CLOCKS(CLOCK) CLOCK(a_clk) CLOCK(b_clk)
#include "evaluate.h"
int main() {
    VerilatedContext context;
    Vtwo_clocks top(&context);
    top.eval();
    Evaluation evaluation(top);
    for (unsigned i = 0; i < 400; ++i) {
        top.data = i * 2654435761u;  // a register's: it needs no evaluation
        if (i % 7 == 0) {
            top.flip = i % 3 == 0;
            top.arst = i % 91 == 0;
            top.up = i % 2;
            evaluation.settle();
        }
        evaluation.rise(i * i % 5 % 3 + 1);
        std::printf("%u %u %u %d\\n", top.a, top.b, top.met, top.now);
    }
#ifdef NSOC_BY_CLOCK
    std::fprintf(stderr, "by clock\\n");
#endif
}
"""


def _without(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """From here on the generated code does not have the form that evaluation by clock needs."""
    monkeypatch.setenv("NSOC_CACHE", str(folder / "without"))
    monkeypatch.setattr(by_clock, "possible", lambda *found: False)


def test_a_design_does_the_same_by_clock_and_by_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build.QUICK, "1")
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "LIBRARY_OPTIMIZATION", "-O0")  # Verilator's library is compiled for this test
    design = tmp_path / "two_clocks.sv"
    design.write_text(SV, encoding="utf-8")

    def said(folder: str) -> tuple[str, str]:
        harness = tmp_path / folder / "two_clocks.cpp"
        harness.parent.mkdir()
        harness.write_text(CPP, encoding="utf-8")
        made = program.program(harness, "two_clocks", [design], {}, "two clocks", "cluster")
        done = subprocess.run([made], capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    lines, by_clock_says = said("with")
    assert by_clock_says == "by clock\n" and len(set(lines.splitlines())) > 350
    monkeypatch.setattr(by_clock, "possible", lambda *found: False)
    assert said("without") == (lines, "")


@pytest.mark.slow
def test_two_macs_count_the_same_by_clock_and_by_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build.QUICK, "1")
    preset = load("mac-example")
    found = mac_example._simulate(preset, 333, 1, 4, 20)
    _without(monkeypatch, tmp_path)
    assert mac_example._simulate(preset, 333, 1, 4, 20) == found


@pytest.mark.long
def test_two_engines_take_the_same_time_by_clock_and_by_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments; streams and datagrams with frames that the cable spoils."""
    monkeypatch.setenv(build.QUICK, "1")
    faults = {"lose": 20, "spoil": 20, "swap": 20, "repeat": 20, "stall_percent": 20}

    def found() -> list[latency_measure.Found]:
        preset = load("lat-10g")
        return [
            latency_measure.simulate(preset, [1, 448]),
            latency_measure.simulate(preset, goodput=[1460], udp=[100], **faults),
        ]

    first = found()
    _without(monkeypatch, tmp_path)
    assert found() == first
