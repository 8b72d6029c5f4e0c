# SPDX-License-Identifier: Apache-2.0
"""Whether the C++ that Verilator made can be evaluated by clock: sim/evaluate.h passes over Verilator's eval() then.

A design with a combinational path from a pin, an event besides the clocks' rising edges or a clock that is used as data
is a sound design, but eval() has to find out what it does.
"""

import re
from pathlib import Path

from nsoc.machine import rest

CLOCKS = ("gmii_rx_clk", "gmii_tx_clk", "nic_clk", "cpu_clk", "dram_clk")
"""Those that sim/evaluate.h raises."""
BLOCKS = tuple(clock for clock, _ in rest.BLOCKS.values())
"""Those of blocks that rest. A preset need not have the block."""
OTHERS = ("arst", "debug_clk")
"""Those whose edges are left to eval()."""

_TRIGGERS = "___eval_triggers_vec__act"


def possible(work: Path, top: str) -> bool:
    """Whether the generated code for `top` in `work` has the form that sim/evaluate.h needs."""
    header = (work / f"V{top}___024root.h").read_text(encoding="utf-8")
    parts = [path for path in sorted(work.glob(f"V{top}___024root__*.cpp")) if "__Slow" not in path.name]
    text = "".join(path.read_text(encoding="utf-8") for path in parts)
    code = re.sub(r"\s", "", re.sub(r"#ifdef VL_DEBUG\n.*?\n#endif", "", text, flags=re.DOTALL))
    triggers = re.search(rf"{_TRIGGERS}\([^()]*\)\{{(.*?)\}}", code)
    return (
        triggers is not None
        and re.search(r"VlUnpacked<QData\S*, 1> __VactTriggered;", header) is not None
        and _regions(code) == {"act", "nba"}
        and "___eval_act(" not in code
        and "___eval_nba(" in code
        and set(re.findall(r"vlSelfRef\.(?!__V)(\w+)", triggers[1])) <= {*CLOCKS, *BLOCKS, *OTHERS}
        and all(_only_rises(clock, code) for clock in CLOCKS)
        and all(_only_rises(clock, code) for clock in BLOCKS if f"vlSelfRef.{clock}&" in code)
    )


def _regions(code: str) -> set[str]:
    """The regions of SystemVerilog's scheduler that eval() goes through."""
    return set(re.findall(r"___eval_phase__(\w+?)\(", code))


def _only_rises(clock: str, code: str) -> bool:
    """Whether all that the model does with that pin is to look for its rising edge, and to remember it for the next."""
    before = f"vlSelfRef.__Vtrigprevexpr___TOP__{clock}__0"
    edge = f"((IData)(vlSelfRef.{clock})&(~(IData)({before})))"
    kept = f"{before}=vlSelfRef.{clock};"
    return edge in code and kept in code and len(re.findall(rf"vlSelfRef\.{clock}\b", code)) == 2
