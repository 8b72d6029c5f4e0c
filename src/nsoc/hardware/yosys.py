# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys (the package pyosys) in a process of its own: its log goes to a file, and a crash does not take us along.

A script is a list of Yosys commands, and two of ours:

- `!keep_parts TOP [MODULE...]`: the modules right below TOP, and the instances of MODULE, stay modules of their own.
- `!harness TOP CLOCK`: puts a frame of registers around TOP, all on CLOCK, and makes it the top: every path from an
  input or to an output then begins and ends in a register, and one pin each way is enough for any number of ports.
"""

import importlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsoc import needs
from nsoc.errors import NsocError
from nsoc.progress import waiting

HARNESS = "harness"


class Failed(NsocError):
    """Yosys stopped."""

    def __init__(self, text: str, complaints: Sequence[str]) -> None:
        super().__init__(text)
        self.complaints = complaints
        """What it said, line by line."""


def share_folder() -> Path:
    """Yosys's own files: the libraries of FPGA primitives."""
    return needs.folder("pyosys", "synthesis", "hw") / "share"


def run(script: Sequence[tuple[str, float]], folder: Path, what: str, seconds: float | None = None) -> Path:
    """Runs a script of (command, share of the time) in `folder`, which takes about so long; returns the log. Errors are
    Yosys's own words."""
    share_folder()  # is it there at all?
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.ys").write_text("".join(f"{command}\n" for command, _ in script), encoding="utf-8")
    log = folder / "yosys.log"
    total = sum(share for _, share in script)
    begun = 0.0
    with (
        waiting(what, seconds) as done,
        log.open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-m", "nsoc.hardware.yosys", "script.ys"],
            cwd=folder,
            stdout=output,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stderr is not None
        complaints = []
        for line in process.stderr:  # "@ n" when command n begins, anything else is a complaint
            if line.startswith(b"@ "):
                begun = sum(share for _, share in script[: int(line[2:])])
                done(begun / total)
            else:
                complaints.append(line.decode(errors="replace").rstrip())
    if process.returncode != 0:
        lines = [text for text in log.read_text(errors="replace").splitlines() if "ERROR" in text][:5]
        shown = "\n  ".join(lines or complaints[-5:])
        raise Failed(f"{what} failed:\n  {shown}\n  (all of it: {log})", [*lines, *complaints])
    return log


def _keep_parts(design: Any, top: str, others: Sequence[str]) -> None:
    for name in [module.name.str() for module in design.modules_.values()]:
        module, separator, path = name.removeprefix("\\").partition("$")
        # Generate blocks (g_...) are no level of the hierarchy.
        instances = [part for part in path.split(".")[1:] if not part.startswith("g_")]
        below_top = separator and path.startswith(f"{top}.") and len(instances) == 1
        if below_top or (separator and module in others):
            pattern = name.removeprefix("\\").replace("[", "?").replace("]", "?")  # brackets have a meaning there
            design.run_pass(f"setattr -mod -set keep_hierarchy 1 {pattern}")


def harness_source(top: str, clock: str, ports: Sequence[tuple[str, int, bool]]) -> str:
    """Verilog of a frame of registers around `top` with `ports` (name, width, is an input).

    Inputs come from one long shift register, outputs go to registers and from there out through a chain of XORs, one
    to a register. Names that end in `clk` are clocks and stay pins.
    """
    clocks = [name for name, _, is_input in ports if is_input and name.endswith("clk")]
    if clock not in clocks:
        raise NsocError(f"{top} has no clock {clock!r}, only {', '.join(clocks) or 'none'}")
    inputs = [(name, width) for name, width, is_input in ports if is_input and name not in clocks]
    outputs = [(name, width) for name, width, is_input in ports if not is_input]
    n_in = max(sum(width for _, width in inputs), 1)
    n_out = max(sum(width for _, width in outputs), 1)

    def connect(found: Sequence[tuple[str, int]], vector: str) -> list[str]:
        at, lines = 0, []
        for name, width in found:
            lines.append(f".{name}({vector}[{at + width - 1}:{at}])")
            at += width
        return lines

    connections = [f".{name}({name})" for name in clocks] + connect(inputs, "in_q") + connect(outputs, "out")
    pins = [f"input {name}" for name in clocks] + ["input shift_in", "output shift_out"]
    return f"""module {HARNESS}({", ".join(pins)});
  reg [{n_in - 1}:0] in_q;
  reg [{n_out - 1}:0] out_q, chain_q;
  wire [{n_out - 1}:0] out;
  always @(posedge {clock}) begin
    in_q <= {{in_q, shift_in}};
    out_q <= out;
    chain_q <= out_q ^ {{chain_q, 1'b0}};
  end
  assign shift_out = chain_q[{n_out - 1}];
  {top} u_top ({", ".join(connections)});
endmodule
"""


def _harness(design: Any, top: str, clock: str) -> None:
    wires = design.module(_library().IdString(f"\\{top}")).wires_.values()
    found = sorted((w.port_id, w.name.str().removeprefix("\\"), w.width, w.port_input) for w in wires if w.port_id)
    source = harness_source(top, clock, [(name, width, is_input) for _, name, width, is_input in found])
    Path("harness.v").write_text(source, encoding="utf-8")
    design.run_pass("read_verilog harness.v")
    design.run_pass(f"hierarchy -check -top {HARNESS}")


def _library() -> Any:
    return importlib.import_module("pyosys.libyosys")  # it has no types: not worth an import that mypy sees


def _worker(script: str) -> None:
    design = _library().Design()
    for number, line in enumerate(Path(script).read_text(encoding="utf-8").splitlines()):
        print(f"@ {number}", file=sys.stderr, flush=True)
        name, *arguments = line.split()
        if name == "!keep_parts":
            _keep_parts(design, arguments[0], arguments[1:])
        elif name == "!harness":
            _harness(design, *arguments)
        else:
            design.run_pass(line)


if __name__ == "__main__":
    _worker(sys.argv[1])
