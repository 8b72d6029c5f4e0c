# SPDX-License-Identifier: Apache-2.0
"""The same stimulus for a block's source in Verilator and for its export in Icarus.

A recorder, bound into the source, writes a line at each rising edge of each clock: which clock, all inputs and all
outputs as they were before the edge. `replay` gives the inputs to the export edge by edge and compares its outputs. The
zeros in which an export begins are taken out of it before: whatever a reset does not settle is X there.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.hardware.export import Elaborated, Field

RECORDER = "export_recorder"
_ZERO = re.compile(r"^(  reg [^=;\n]*?) *= \d+'[bdh]0+;$", re.MULTILINE)
"""A register that begins as zero."""
_ZEROS = re.compile(r"^  initial begin : zeros_\d+\n.*?^  end\n", re.MULTILINE | re.DOTALL)
"""The lines that fill an array."""


@dataclass(frozen=True)
class Sides:
    """The ports of an export, sorted: clocks, other inputs, outputs."""

    clocks: list[Field]
    inputs: list[Field]
    outputs: list[Field]

    @staticmethod
    def of(made: Elaborated) -> "Sides":
        clocks = [field for field in made.fields if field.is_input and field.name.endswith("clk")]
        inputs = [field for field in made.fields if field.is_input and field not in clocks]
        return Sides(clocks, inputs, [field for field in made.fields if not field.is_input])


def bits(fields: Sequence[Field]) -> int:
    return sum(field.width for field in fields)


def recorder(block: str, sides: Sides, lines: Path) -> str:
    """SystemVerilog that records to the file `lines`."""

    def all_of(fields: Sequence[Field]) -> str:
        return "{" + ", ".join(field.path for field in fields) + "}"

    edges = "\n".join(
        f'  always @(posedge clocks[{n}]) $fdisplay(file, "{n} %h %h", inputs, outputs);'
        for n in range(len(sides.clocks))
    )
    widths = f".CLOCKS({len(sides.clocks)}), .IN({bits(sides.inputs)}), .OUT({bits(sides.outputs)})"
    return f"""\
module {RECORDER} #(
  parameter int unsigned CLOCKS = 1,
  parameter int unsigned IN     = 1,
  parameter int unsigned OUT    = 1
) (
  input logic [CLOCKS-1:0] clocks,
  input logic [IN-1:0]     inputs,
  input logic [OUT-1:0]    outputs
);
  int file;
  initial file = $fopen("{lines}", "w");
{edges}
  final $fclose(file);
endmodule
/* verilator lint_off ASCRANGE */
bind {block} {RECORDER} #({widths}) u_recorder (
  .clocks({all_of(sides.clocks[::-1])}), .inputs({all_of(sides.inputs)}), .outputs({all_of(sides.outputs)})
);
"""


def _slices(fields: Sequence[Field], vector: str) -> list[str]:
    at, pins = bits(fields), []
    for field in fields:
        at -= field.width
        pins.append(f".{field.name}({vector}[{at + field.width - 1}:{at}])")
    return pins


def testbench(block: str, sides: Sides, lines: Path, got: Path) -> str:
    """Verilog-2005: all inputs of a line, then the edge. Outputs that are not the line's are written to `got`."""
    pins = [f".{field.name}(clocks[{n}])" for n, field in enumerate(sides.clocks)]
    pins += _slices(sides.inputs, "inputs") + _slices(sides.outputs, "outputs")
    return f"""\
`timescale 1ns/1ps
module replay;
  reg  [{len(sides.clocks) - 1}:0] clocks;
  reg  [{bits(sides.inputs) - 1}:0] inputs;
  wire [{bits(sides.outputs) - 1}:0] outputs;
  reg  [{bits(sides.outputs) - 1}:0] expected;
  integer lines, got, clock, number;
  {block} u_block ({", ".join(pins)});
  initial begin
    lines  = $fopen("{lines}", "r");
    got    = $fopen("{got}", "w");
    clocks = 0;
    number = 1;
    while ($fscanf(lines, "%d %h %h", clock, inputs, expected) == 3) begin
      #1 if (outputs !== expected) $fdisplay(got, "%0d %b", number, outputs);
      number = number + 1;
      clocks[clock] = 1'b1;
      #1 clocks[clock] = 1'b0;
    end
    $fclose(got);
    $finish;
  end
endmodule
"""


def unsettled(export: str) -> str:
    """The text of an export in which nothing but a table has a value before it gets one."""
    text = _ZEROS.sub("", _ZERO.sub(r"\1 ;", export))
    left = re.findall(r"^  reg .*=.*", text, re.MULTILINE)
    assert text != export and not left, left
    return text


def valid_of(output: Field, outputs: Sequence[Field]) -> Field | None:
    """The output that says whether this one means something: `m_axi_awvalid` of `m_axi_awaddr`, `afb_s2m_rsp_valid` of
    `afb_s2m_data`; None: always."""
    if output.name.endswith(("valid", "ready")):
        return None
    found = [one for one in outputs if one.name.endswith("valid")]
    found = [one for one in found if f"{output.name}_".startswith(re.sub("(req_|rsp_|t)?valid$", "", one.name))]
    return max(found, key=lambda one: len(one.name), default=None)


def replay(block: str, made: Elaborated, export: Path, lines: Path) -> int:
    """Runs the export in Icarus. Returns at how many edges it was compared, and fails where an output that means
    something differs, or is X, once no reset is asserted any more."""
    sides = Sides.of(made)
    folder = lines.parent
    bench, program, got = folder / "replay.v", folder / "replay.vvp", folder / "got"
    bench.write_text(testbench(block, sides, lines, got), encoding="utf-8")
    tried = folder / "unsettled.v"
    tried.write_text(unsettled(export.read_text(encoding="utf-8")), encoding="utf-8")
    subprocess.run(["iverilog", "-g2005", "-s", "replay", "-o", program, bench, tried], check=True)
    subprocess.run(["vvp", "-n", program], check=True, stdout=subprocess.DEVNULL)
    resets = [at for at, field in _places(sides.inputs) if re.search("rst$", field.name)]
    assert resets
    places = list(_places(sides.outputs))
    where = {field.name: at for at, field in places}
    look = [(field, at, valid_of(field, sides.outputs)) for at, field in places]
    with got.open(encoding="ascii") as file:
        different = {int(number): output for number, output in map(str.split, file)}
    compared, running = 0, False
    with lines.open(encoding="ascii") as recorded:
        for number, line in enumerate(recorded, 1):
            _, given, wanted = line.split()
            if not running:  # it has had edges of all clocks in reset then
                running = not any(int(given, 16) >> bits(sides.inputs) - 1 - at & 1 for at in resets)
            if not running:
                continue
            compared += 1
            if number in different:
                expect, output = f"{int(wanted, 16):0{bits(sides.outputs)}b}", different[number]
                for field, at, valid in look:
                    a, b = (_kept(field, at, whole, where, expect) for whole in (expect, output))
                    means = valid is None or expect[where[valid.name]] == "1"
                    assert a == b or not means, f"line {number}: {field.name} is {a}, and {b} in the export"
    return compared


def _kept(field: Field, at: int, output: str, where: Mapping[str, int], expect: str) -> str:
    """A field of the outputs, of a stream's data the bytes that are kept."""
    bits_ = output[at : at + field.width]
    keep = where.get(field.name.removesuffix("tdata") + "tkeep") if field.name.endswith("tdata") else None
    if keep is None:
        return bits_
    lanes = range(field.width // 8)
    return " ".join(bits_[8 * lane : 8 * lane + 8] for lane in lanes if expect[keep + lane] == "1")


def _places(fields: Sequence[Field]) -> list[tuple[int, Field]]:
    """Where each field begins in the bits of all, from the left."""
    found, at = [], 0
    for field in fields:
        found.append((at, field))
        at += field.width
    return found
