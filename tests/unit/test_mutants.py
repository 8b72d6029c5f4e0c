# SPDX-License-Identifier: Apache-2.0
"""tests/mutants.py: which mistakes it makes of a piece of RTL, that each does what it says, and that none does without
being chosen. `make mutants` tries them on the real RTL."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import bench  # noqa: E402
import mutants  # noqa: E402
import needs  # noqa: E402

pytestmark = needs.verible

# A module for each value of three inputs; below, what y is to be, as it stands and with each mistake.
MODULE = """\
module tiny #(parameter int unsigned N = 2) (input logic [3:0] a, input logic [3:0] b, input logic c,
                                             output logic [3:0] y, output logic z);
  localparam int unsigned TWICE = N == 2 ? 2 * N : 1;  // a constant: left alone
  logic rst;
  assign rst = 1'b0;
  if (N != 2) begin : g_no  // a parameter decides: left alone
    assign z = a[0];
  end else begin : g_yes
    assign z = c && a < b;  // a comment
  end
  always_comb begin
    y = a[1:0] == 2'd1 ? b : '0;
    for (int unsigned i = 0; i < N; i++) if (rst) y = 4'd3;
    if (c) y = 4'(TWICE);
  end
  a_true : assert property (@(posedge c) a == a);
endmodule
"""

Outputs = Callable[[int, int, int], tuple[int, int]]


def y(a: int, b: int, c: int) -> int:
    return 4 if c else b if a & 3 == 1 else 0


def z(a: int, b: int, c: int) -> int:
    return c & (a < b)


EXPECTED: dict[str, tuple[str, Outputs]] = {
    "without && c": ("enable", lambda a, b, c: (y(a, b, c), int(a < b))),
    "without && a < b": ("enable", lambda a, b, c: (y(a, b, c), c)),
    "a <= b": ("comparison", lambda a, b, c: (y(a, b, c), c & (a <= b))),
    "a[1:0] != 2'd1": ("comparison", lambda a, b, c: (4 if c else 0 if a & 3 == 1 else b, z(a, b, c))),
    "a[1:0] == 2'd1 but for bit 0": ("width", lambda a, b, c: (4 if c else 0 if a & 2 else b, z(a, b, c))),
    "1'b1 for a[1:0] == 2'd1": ("enable", lambda a, b, c: (4 if c else b, z(a, b, c))),
    "1'b0 for a[1:0] == 2'd1": ("enable", lambda a, b, c: (4 if c else 0, z(a, b, c))),
    "a[1:0] without its top bit": ("width", lambda a, b, c: (4 if c else b if a & 1 == 1 else 0, z(a, b, c))),
    "y without its top bit": ("width", lambda a, b, c: (4 if c else b & 7 if a & 3 == 1 else 0, z(a, b, c))),
    "1'b1 for c": ("enable", lambda a, b, c: (4, z(a, b, c))),
    "1'b0 for c": ("enable", lambda a, b, c: (y(a, b, 0), z(a, b, c))),
}

MAIN = """\
#include <cstdio>
#include "Vtiny.h"
double sc_time_stamp() { return 0; }
int main() {
  VerilatedContext context;
  Vtiny tiny(&context);
  for (int i = 0; i < 512; i++) {
    tiny.a = i >> 5, tiny.b = i >> 1 & 15, tiny.c = i & 1;
    tiny.eval();
    std::printf("%d %d\\n", int(tiny.y), int(tiny.z));
  }
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mutants.Source:
    """MODULE as a file of a checkout."""
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "tiny.sv").write_text(MODULE, encoding="utf-8")
    return mutants.read(["tiny.sv"])["tiny.sv"]


def test_every_comparison_enable_and_width_is_a_candidate_and_nothing_that_is_constant(source: mutants.Source) -> None:
    assert {m.mistake: m.kind for m in source.candidates} == {text: kind for text, (kind, _) in EXPECTED.items()}
    assert {m.line for m in source.candidates if m.mistake == "a <= b"} == {"assign z = c && a < b;"}


def test_each_mistake_does_what_it_says_and_none_when_none_is_chosen(source: mutants.Source, tmp_path: Path) -> None:
    ids = mutants.numbered(source.candidates)
    text = source.with_mutants(ids)
    assert text.count("\n") == MODULE.count("\n"), "lines stay where they are"
    (tmp_path / "tiny.sv").write_text(text, encoding="utf-8")
    (tmp_path / "main.cpp").write_text(MAIN, encoding="utf-8")
    os.environ.update(bench._environment())
    command = ["verilator", "-Wall", "--assert", "--cc", "--exe", "--build", "-j", "1", "--Mdir", "built", "-o", "tiny"]
    subprocess.run([*command, "tiny.sv", "main.cpp"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    inputs = [(i >> 5, i >> 1 & 15, i & 1) for i in range(512)]
    none: tuple[str, Outputs] = ("", lambda a, b, c: (y(a, b, c), z(a, b, c)))
    for mistake, number in [("", 0), *((m.mistake, number) for m, number in ids.items())]:
        environment = {**os.environ, "NSOC_MUTANT": str(number)}
        run = subprocess.run(["built/tiny"], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
        lines = [tuple(map(int, line.split())) for line in run.stdout.splitlines()]
        assert lines == [EXPECTED.get(mistake, none)[1](*values) for values in inputs], mistake


def test_a_draw_takes_each_kind_in_turn_and_is_left_alone_by_edits_elsewhere(
    source: mutants.Source, tmp_path: Path
) -> None:
    drawn = mutants.draw(source.candidates, 1, 3)
    assert {m.kind for m in drawn} == set(mutants.KINDS)
    assert any({m.key for m in mutants.draw(source.candidates, s, 3)} != {m.key for m in drawn} for s in range(2, 9))
    (tmp_path / "tiny.sv").write_text(MODULE.replace("  logic rst;", "\n  logic rst;\n"), encoding="utf-8")
    moved = mutants.draw(mutants.read(["tiny.sv"])["tiny.sv"].candidates, 1, 3)
    assert [m.key for m in moved] == [m.key for m in drawn] and moved != drawn


def test_several_seeds_draw_each_mutant_once(source: mutants.Source) -> None:
    alone = [mutants.draw(source.candidates, seed, 3) for seed in (1, 2)]
    both = mutants.draws(source.candidates, [1, 2], 3)
    assert set(both) == {*alone[0], *alone[1]} and len(both) == len(set(both))


def test_files_are_tried_in_the_order_in_which_they_are_named() -> None:
    files = {"rtl/a/one.sv", "rtl/a/two.sv", "rtl/b/one.sv"}
    assert mutants.in_order(files, ["two", "rtl/b", "rtl"]) == ["rtl/a/two.sv", "rtl/b/one.sv", "rtl/a/one.sv"]
    assert mutants.in_order(files, []) == sorted(files)


def test_what_was_killed_is_not_tried_again(source: mutants.Source, tmp_path: Path) -> None:
    first, second, third = source.candidates[:3]
    records = [{**vars(m), "verdict": word} for m, word in ((first, "killed"), (second, "SURVIVED"))]
    (tmp_path / "before.json").write_text(json.dumps(records), encoding="utf-8")
    assert mutants.killed_before(tmp_path / "before.json", [first, second, third]) == {first: "killed"}
    assert mutants.killed_before(tmp_path / "none.json", [first]) == {}


# How tests behave with a mutant of each number; the second one takes no time.
TRIED = """\
import os, time, mutant_tests
mutant_tests.LIMIT_ADDED = 1  # s

def test_first():
    begun = time.process_time()
    while time.process_time() < begun + 0.05:
        pass
    assert os.environ["NSOC_MUTANT"] not in ("7", "8")

def test_second():
    mutant = os.environ["NSOC_MUTANT"]
    assert mutant not in ("8", "9")
    while mutant == "10":
        pass
    if mutant == "11":
        os._exit(0)
"""


def test_a_mutant_is_tried_on_the_quickest_test_first_until_one_fails_hangs_or_ends(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "support").symlink_to(ROOT / "tests" / "support")
    (tmp_path / "test_tried.py").write_text(TRIED, encoding="utf-8")
    (tmp_path / "test_wrong.py").write_text("def test_it():\n    assert False\n", encoding="utf-8")
    (tmp_path / "test_unread.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    runner = mutants.Runner(tmp_path)
    first, second = (f"test_tried.py::test_{name}" for name in ("first", "second"))
    expected = {6: "", 7: first, 8: second, 9: second, 10: second, 11: second, 12: ""}
    assert {number: runner.seen_by(["test_tried.py"], number) for number in expected} == expected
    assert runner.seen_by(["test_wrong.py"], 6) is None
    assert runner.seen_by(["test_unread.py"], 6) is None
    runner.close()


def test_the_table_names_what_is_there() -> None:
    table = mutants.Table.read()
    sources = mutants.read(sorted(str(path.relative_to(ROOT)) for path in (ROOT / "rtl").rglob("*.sv")))
    assert not [file for file in [*table.tests, *table.without] if file not in sources]
    keys = {mutant.key for source in sources.values() for mutant in source.candidates}
    assert not [key for key in table.survivors if key not in keys], "the RTL has changed: look at these again"
    for file, source in sources.items():
        if source.candidates and file not in table.without:
            for test in table.tests_of(file):
                assert (ROOT / test.split()[0].split("::")[0]).exists(), f"{file}: {test}"


@pytest.mark.parametrize(
    ("tests", "without", "sentence"),
    [
        (
            "",
            '"a.sv" = ["tests/test_a.py"]',
            r"\[without\] is for what stays out: a reason; a\.sv has \['tests/test_a\.py'\]",
        ),
        ('"a.sv" = "a top"', "", r"\[tests\] is for what is tried: a list of tests; a\.sv has 'a top'"),
        ('"a.sv" = ["tests/test_a.py"]', '"a.sv" = "a top"', r"a\.sv cannot be tried and stay out"),
    ],
)
def test_an_entry_in_the_wrong_table_is_an_error(tests: str, without: str, sentence: str, tmp_path: Path) -> None:
    table = tmp_path / "mutants.toml"
    table.write_text(f"[tests]\n{tests}\n[without]\n{without}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=sentence):
        mutants.Table.read(table)
