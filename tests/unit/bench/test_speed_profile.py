# SPDX-License-Identifier: Apache-2.0
"""Where a simulator's time goes: lines of generated code and their clocks and modules, what perf and addr2line say."""

import re
from collections import Counter
from pathlib import Path

import pytest

from nsoc.bench import speed_profile
from nsoc.bench.speed import ROWS
from nsoc.bench.speed_profile import (
    LIBRARY,
    LOOP,
    OTHER,
    TEMPORARY,
    Frame,
    Generated,
    Place,
    Profile,
    addresses,
    places,
)
from nsoc.cli import call
from nsoc.machine import build, presets

HOT = "Vsim_top___024root__0.cpp"
SLOW = "Vsim_top___024root__0__Slow.cpp"
FILES = {
    HOT: """#include "Vsim_top__pch.h"

void Vsim_top___024root___helper(Vsim_top___024root* vlSelf);

VL_INLINE_OPT void Vsim_top___024root___nba_sequent__TOP__1(Vsim_top___024root* vlSelf) {
    // Body
    vlSelfRef.__Vdly__sim_top__DOT__u_nsoc__DOT__u_nic__DOT__count_q
        = (1U & (vlSelfRef.sim_top__DOT__u_nsoc__DOT__u_mac__DOT__valid
                 << 2U));
    __Vtemp_1 = (3U
                 & __Vtemp_2);
    if (vlSelfRef.sim_top__DOT__u_nsoc__DOT__g_slot__BRA__0__KET____DOT__u_core__DOT__stall) {
        __Vtemp_3 = 1U;
    }
    Vsim_top___024root___helper(vlSelf);
}

VL_INLINE_OPT void Vsim_top___024root___nba_comb__TOP__2(
    Vsim_top___024root* vlSelf) {
    vlSelfRef.sim_top__DOT__u_nsoc__DOT__u_mac__DOT__ready = 1U;
}

void Vsim_top___024root___helper(Vsim_top___024root* vlSelf) {
    vlSelfRef.sim_top__DOT__u_dram__DOT__row_q = 0U;
}

void Vsim_top___024root___eval_act(Vsim_top___024root* vlSelf) {
    vlSelfRef.sim_top__DOT__u_dram__DOT__x = 0U;
}

void Vsim_top___024root___eval_nba(Vsim_top___024root* vlSelf) {
    // Body
    if ((3ULL & vlSelfRef.__VnbaTriggered[0U])) {
        vlSelfRef.sim_top__DOT__u_cpu_reset__DOT__stages_q = 1U;
    }
    if ((0x0000000000000004ULL & vlSelfRef.__VnbaTriggered[0U])) {
        Vsim_top___024root___nba_sequent__TOP__1(vlSelf);
    }
    if ((0x0000000000000005ULL
         & vlSelfRef.__VnbaTriggered[0U])) {
        Vsim_top___024root___nba_comb__TOP__2(vlSelf);
        if (vlSelfRef.arst) {
            vlSelfRef.sim_top__DOT__u_nsoc__DOT__u_mac__DOT__x = 1U;
        }
    }
}
""",
    SLOW: """
#ifdef VL_DEBUG
VL_ATTR_COLD void Vsim_top___024root___dump_triggers__act(const VlUnpacked<QData/*63:0*/, 1> &triggers) {
    if ((1U & (IData)(triggers[0U]))) {
        VL_DBG_MSGS("         '" + tag + "' region trigger index 0 is active: @(posedge cpu_clk)\\n");
    }
        VL_DBG_MSGS("         '" + tag + "' region trigger index 1 is active: @(posedge arst)\\n");
        VL_DBG_MSGS("         '" + tag + "' region trigger index 2 is active: @(posedge sim_top.nic_clk)\\n");
}
#endif
""",
}


@pytest.fixture(scope="module")
def generated() -> Generated:
    return Generated(FILES)


def line(text: str) -> Place:
    """The place in HOT where that stands."""
    (found,) = [number for number, one in enumerate(FILES[HOT].splitlines(), 1) if text in one]
    return HOT, found


def frame(text: str) -> Frame:
    """The same with its function."""
    before = "\n".join(FILES[HOT].splitlines()[: line(text)[1]])
    return re.findall(r"(Vsim_top___024root___\w+)\(\s*Vsim_top___024root\* vlSelf\) \{", before)[-1], line(text)


@pytest.mark.parametrize(("text", "clocks"), [
    ("u_nic__DOT__count_q", {"nic_clk"}),
    ("__Vtemp_3 = 1U", {"nic_clk"}),
    ("u_mac__DOT__ready", {"cpu_clk", "nic_clk"}),
    ("u_dram__DOT__row_q", {"nic_clk"}),  # of the function that is called from the other one
    ("u_cpu_reset__DOT__stages_q", {"cpu_clk"}),  # not of arst, too, which hardly rises
    ("u_mac__DOT__x = 1U", {"cpu_clk", "nic_clk"}),
    ("u_dram__DOT__x", set()),
])  # fmt: skip
def test_a_line_runs_at_the_clocks_of_the_block_that_calls_its_function(
    generated: Generated, text: str, clocks: set[str]
) -> None:
    assert generated.clocks(frame(text)) == clocks


@pytest.mark.parametrize(("text", "module"), [
    ("u_nic__DOT__count_q", ("sim_top", "u_nsoc", "u_nic")),
    ("u_mac__DOT__valid", ("sim_top", "u_nsoc", "u_nic")),
    ("<< 2U", ("sim_top", "u_nsoc", "u_nic")),
    ("& __Vtemp_2", ()),
    ("g_slot__BRA__0__KET__", ("sim_top", "u_nsoc", "g_slot[0]", "u_core")),
    ("__Vtemp_3 = 1U", ()),
    ("row_q = 0U", ("sim_top", "u_dram")),
])  # fmt: skip
def test_a_line_is_of_the_module_that_its_statement_names_first(
    generated: Generated, text: str, module: tuple[str, ...]
) -> None:
    assert generated.module(line(text)) == module


def test_code_that_is_joined_has_a_clock_and_no_module(generated: Generated) -> None:
    function, (file, _) = frame("u_nic__DOT__count_q")
    assert generated.clocks((function, (file, 0))) == {"nic_clk"} and generated.module((file, 0)) == ()


def test_samples_are_found_in_the_library_by_where_it_is_mapped() -> None:
    said = """python 7 PERF_RECORD_MMAP2 7/7: [0x7f0000001000(0x9000) @ 0x3000 08:01 55 0]: r-xp /cache/sim/x/lib.so
python 7 PERF_RECORD_MMAP2 7/7: [0x7f1000000000(0x9000) @ 0 08:01 56 0]: r-xp /usr/lib/other.so
          python  7f0000001010 (/cache/sim/x/lib.so)
          python  7f0000001010 (/cache/sim/x/lib.so)
          python  7f0000002000 (/cache/sim/x/lib.so)
          python  7f1000000010 (/usr/lib/other.so)
          python  ffffffff8100 ([kernel.kallsyms])
          ld-linux.so (2)  55 ([unknown])
"""
    segments = [(0, 0, 0x2FFF), (0x3000, 0x13000, 0x9000)]
    assert addresses(said, "lib.so", segments) == (Counter({0x13010: 2, 0x14000: 1}), 3)


def test_loaded_parts_of_a_library_are_read() -> None:
    said = """Program Headers:
  Type           Offset   VirtAddr           PhysAddr           FileSiz  MemSiz   Flg Align
  LOAD           0x000000 0x0000000000000000 0x0000000000000000 0x01e3d8 0x01e3d8 R   0x1000
  LOAD           0x01f000 0x0000000000020000 0x0000000000020000 0x1fe24d 0x1fe24d R E 0x1000
  DYNAMIC        0x2f0d28 0x00000000002f1d28 0x00000000002f1d28 0x000230 0x000230 RW  0x8
"""
    assert speed_profile.segments(said) == [(0, 0, 0x1E3D8), (0x1F000, 0x20000, 0x1FE24D)]


def test_an_address_has_the_line_it_is_of_and_those_it_is_inlined_into() -> None:
    said = f"""0x0000000000013010
VL_SHIFTR_WWI(int, unsigned int*)
/v/include/verilated_funcs.h:12
Vsim_top___024root___f(Vsim_top___024root*)
/w/x.123/{HOT}:7 (discriminator 2)
0x14000
f
/w/x.123/{HOT}:?
0x15000
??
??:0
"""
    inlined = [("VL_SHIFTR_WWI", ("verilated_funcs.h", 12)), ("Vsim_top___024root___f", (HOT, 7))]
    assert list(places(said)) == [(0x13010, inlined), (0x14000, [("f", (HOT, 0))]), (0x15000, [])]


def test_each_sample_is_in_one_row_by_clock_and_those_of_the_model_in_one_by_module(generated: Generated) -> None:
    found = Profile(ROWS["polling"])
    nic, mac, act = frame("u_nic__DOT__count_q"), frame("u_mac__DOT__ready"), frame("u_dram__DOT__x")
    helper, loop = ("VL_F", ("verilated_funcs.h", 3)), [("f", ("clocks.h", 9)), ("g", ("simulation.cpp", 2))]
    for frames, count in (
        ([nic], 5), ([helper, nic], 4), ([mac], 3), (loop, 2), ([helper], 1), ([], 2), ([act], 6),
        ([frame("& __Vtemp_2")], 7),
    ):  # fmt: skip
        found.add(frames, generated, count)
    assert found.clocks == {"nic_clk": 16, "cpu_clk, nic_clk": 3, LOOP: 2, LIBRARY: 3, OTHER: 6}
    assert found.clocks.total() == found.samples == 30 and found.library == 7
    nsoc = ("sim_top", "u_nsoc")
    assert found.modules == {
        (*nsoc, "u_nic"): 9, (*nsoc, "u_mac"): 3, ("sim_top", "u_dram"): 6, TEMPORARY: 7, (LIBRARY,): 3
    }  # fmt: skip
    assert (found.within(nsoc), found.within(("sim_top",))) == (12, 18)
    values = {one.mode: one.value for one in speed_profile.records([found])}
    assert values["polling:nic_clk"] == 16 / 30 and values["polling:sim_top.u_nsoc"] == 12 / 30


def test_what_is_outside_of_the_simulator_is_said_beside() -> None:
    found = Profile(ROWS["polling"], samples=75, outside=25, library=3)
    *_, library, outside = speed_profile.lines([found])
    assert library.endswith("polling 4%.") and outside.endswith("polling 25%.")


def test_a_module_in_which_all_is_in_another_one_is_not_shown() -> None:
    found = Profile(ROWS["polling"], samples=200)
    found.modules[("top", "soc", "nic", "tx")] = 60
    found.modules[("top", "soc", "nic", "rx")] = 40
    found.modules[("top", "soc", "cpu")] = 50
    found.modules[("top", "soc", "uart")] = 1
    assert list(speed_profile._tree(found)) == [
        ("top.soc", 151, 0), ("nic", 100, 1), ("tx", 60, 2), ("rx", 40, 2), ("cpu", 50, 1)
    ]  # fmt: skip


# ---- Mistakes and builds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "why"), [
    (["pnic", "--profile"], "--profile is for the loads of a SoC, not for pnic"),
    (["build-toe", "--profile"], "--profile is for the loads of a SoC, not for build-toe"),
    (["polling", "--profile", "--against", "before"], "--profile looks at this tree alone: leave out --against before"),
])  # fmt: skip
def test_what_cannot_be_profiled_is_said(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "speed", *arguments]) == 1
    assert capsys.readouterr().err == f"nsoc: {why}\n"


def test_without_perf_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert call(["bench", "speed", "polling", "--profile"]) == 1
    assert "needs the program perf, which is missing: install it" in capsys.readouterr().err


def test_a_build_that_is_kept_is_another_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    preset = presets.load(presets.DEFAULT)
    monkeypatch.delenv(build.KEEP, raising=False)
    usual = build._digest(preset, build.PLAIN)
    with speed_profile._kept():
        assert build._digest(preset, build.PLAIN) != usual
    assert build._digest(preset, build.PLAIN) == usual
