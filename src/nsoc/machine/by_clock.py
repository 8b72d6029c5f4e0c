# SPDX-License-Identifier: Apache-2.0
"""Whether the C++ that Verilator made can be evaluated by clock: sim/evaluate.h passes over Verilator's eval() then.

An event besides the clocks' rising edges or a clock that is used as data is a sound design, but eval() has to find out
what it does. So has it with a combinational path from a pin, unless who runs the design says when such a pin changes.
"""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from nsoc.errors import NsocError

FLAG = "-DNSOC_BY_CLOCK"
"""Tells the C++ compiler that it is possible."""

PASSES = "clock_pass"
"""The module that passes a clock on to a block that can rest."""
OF_BLOCK = "__DOT__rest_clk"
"""The name's end of that block's clock: models/fast/clock_pass.sv."""

_TRIGGERS = "___eval_triggers_vec__act"


def clocks(headers: Iterable[Path], top: str) -> tuple[str, ...]:
    """The clock pins of `top`, as the one of these files says that evaluates it: those that sim/evaluate.h raises."""
    for header in headers:
        text = header.read_text(encoding="utf-8")
        said = re.search(rf"^#define NSOC_TOP V{top}\n#define NSOC_CLOCKS\(CLOCK\) (.*)$", text, re.MULTILINE)
        if said:
            return tuple(re.findall(r"CLOCK\((\w+)\)", said[1]))
    raise NsocError(f"no C++ says which pins of {top} are clocks: one line NSOC_TOP, the next NSOC_CLOCKS (evaluate.h)")


def running_files(work: Path, top: str) -> list[Path]:
    """The generated code for `top` in `work` that runs more than once."""
    return [path for path in sorted(work.glob(f"V{top}___024root__*.cpp")) if "__Slow" not in path.name]


def running_code(work: Path, top: str) -> str:
    """The text of running_files(), without Verilator's own debugging."""
    text = "".join(path.read_text(encoding="utf-8") for path in running_files(work, top))
    return re.sub(r"#ifdef VL_DEBUG\n.*?\n#endif", "", text, flags=re.DOTALL)


def possible(work: Path, top: str, rising: Collection[str], others: Collection[str] | None = None) -> bool:
    """Whether the generated code for `top` in `work` has the form that sim/evaluate.h needs to raise these clocks.

    Clocks of blocks that can rest may be there, too. `others` are pins whose edges are left to eval(), and all others
    are data of registers. None: who runs the design tells Evaluation::settle() of any other pin.
    """
    header = (work / f"V{top}___024root.h").read_text(encoding="utf-8")
    pins = set(re.findall(r"VL_IN\w*\((\w+),", header)) if others is None else {*rising, *others}
    code = re.sub(r"\s", "", running_code(work, top))
    triggers = re.search(rf"{_TRIGGERS}\([^()]*\)\{{(.*?)\}}", code)
    seen = set(re.findall(r"vlSelfRef\.(?!__V)(\w+)", triggers[1])) if triggers else set()
    of_blocks = {name for name in seen if name.endswith(OF_BLOCK)}
    return (
        triggers is not None
        and re.search(r"VlUnpacked<QData\S*, 1> __VactTriggered;", header) is not None
        and _regions(code) - ({"ico"} if others is None else set()) == {"act", "nba"}
        and "___eval_act(" not in code
        and "___eval_nba(" in code
        and seen - of_blocks <= pins
        and all(_only_rises(clock, code) for clock in (*rising, *of_blocks))
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
