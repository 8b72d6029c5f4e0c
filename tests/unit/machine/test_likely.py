# SPDX-License-Identifier: Apache-2.0
"""What the compiler is told of the branches of a simulator: found, counted, kept, written into the generated code."""

import json
import subprocess
from pathlib import Path

import pytest

from nsoc.machine import likely

CODE = """\
    if (vlSelfRef.top__DOT__u_deep__DOT__u_a__DOT__u_b__DOT__push) {
        vlSelfRef.top__DOT__x_q = 1U;
    } else if ((2U & (IData)(
                             vlSelfRef.top__DOT__state_q))) {
        vlSelfRef.top__DOT__y_q = (vlSelfRef.top__DOT__y_q ? 3U : 4U);
    } else {
        vlSelfRef.top__DOT__z_q = 5U;
    }
    if (VL_UNLIKELY((vlSelfRef.top__DOT__wrong))) { vlSelfRef.top__DOT__x_q = 0U; }
    if ((1ULL & vlSelfRef.__VnbaTriggered[0U])) { vlSelfRef.top__DOT__x_q = 0U; }
"""
PUSH, STATE = (one.key for one in likely.conditions(CODE))


def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shares: dict[str, int]) -> None:
    """These are in KEPT."""
    file = tmp_path / "likely.json"
    file.write_text(json.dumps(shares), encoding="ascii")
    monkeypatch.setattr(likely, "KEPT", file)
    likely.kept.cache_clear()
    monkeypatch.setattr(likely, "kept", likely.kept.__wrapped__)


def test_conditions_are_found_with_their_whole_text() -> None:
    push, state = likely.conditions(CODE)
    assert CODE[push.first : push.end] == "vlSelfRef.top__DOT__u_deep__DOT__u_a__DOT__u_b__DOT__push" and push.has_else
    assert CODE[state.first : state.end].split() == ["(2U", "&", "(IData)(", "vlSelfRef.top__DOT__state_q))"]
    assert state.has_else and push.key != state.key
    (one,) = likely.conditions(CODE[CODE.index("if ((2U") : CODE.index(" else {")])
    assert one.key == state.key and not one.has_else


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (CODE.replace("top__DOT__u_deep__DOT__", "other_top__DOT__u_nsoc__DOT__"), True),
        (CODE.replace("u_b__DOT__push", "u_c__DOT__push"), False),
        (CODE.replace("x_q = 1U", "w_q = 1U"), False),
        (CODE.replace("x_q = 1U", "x_q = 2U"), True),
        (CODE.replace("vlSelfRef.top__DOT__u_deep", "  vlSelfRef.top__DOT__u_deep"), True),
    ],
    ids=["further up", "another instance", "another register", "another value", "laid out otherwise"],
)
def test_a_condition_goes_by_its_text_and_what_depends_on_it(other: str, is_same: bool) -> None:
    assert (next(likely.conditions(other)).key == PUSH) == is_same


def test_numbers_of_verilators_temporaries_do_not_count() -> None:
    assert likely.key("__VdfgRegularize_h6e95ff9d_0_114 & a") == likely.key("__VdfgRegularize_h6e95ffa0_0_7 & a")
    assert likely.key("__Vfunc_gray__119__Vfuncout") == likely.key("__Vfunc_gray__20__Vfuncout")
    assert likely.key("mem__v1") != likely.key("mem__v2") and likely.key("8U & a") != likely.key("4U & a")


def test_the_code_says_what_is_kept_and_its_lines_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept(monkeypatch, tmp_path, {PUSH: 97})
    push, *_, last = [line.strip() for line in likely.told(CODE).splitlines()]
    condition = "vlSelfRef.top__DOT__u_deep__DOT__u_a__DOT__u_b__DOT__push"
    assert push == f"if (__builtin_expect_with_probability(!!({condition}), 1, 0.97)) {{"
    assert last == CODE.splitlines()[-1].strip(), "Verilator's own and the clocks are left"
    assert likely.told(CODE).count("\n") == CODE.count("\n")


@pytest.mark.parametrize(("percent", "told"), [(0, "0.0005"), (100, "0.9995"), (None, "0.5")])
def test_what_nobody_has_seen_is_not_impossible(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, percent: int | None, told: str
) -> None:
    kept(monkeypatch, tmp_path, {} if percent is None else {PUSH: percent})
    assert f"push), 1, {told})" in likely.told(CODE)
    without_else = likely.told("if (new_one) {\n x = 1U;\n}\n")
    assert without_else.startswith("if (__builtin_expect_with_probability(!!(new_one), 1, 0.0005)) {")


def test_code_that_counts_says_at_its_end_how_often_each_condition_held(tmp_path: Path) -> None:
    code = (
        "bool a, b;\nint x_q, y_q;\n"
        "void step() {\n    if (a) {\n        x_q = 1;\n    }\n"
        "    if (b) {\n        y_q = 1;\n    } else {\n        y_q = 2;\n    }\n}\n"
        "int main() {\n    for (int i = 0; i < 8; ++i) { a = i == 3; b = i > 1; step(); }\n    return x_q + y_q;\n}\n"
    )
    source, program, counts = tmp_path / "Vtop___024root__0.cpp", tmp_path / "program", tmp_path / "counts"
    counts.mkdir()
    source.write_text(code, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(likely.COUNT, str(counts))
        likely.tell(tmp_path, "top")
        subprocess.run(["g++", str(source), "-o", str(program)], check=True)
        assert subprocess.run([str(program)], check=False).returncode == 2
    (file,) = counts.iterdir()
    a, b = (one.key for one in likely.conditions(code))
    assert file.read_text(encoding="ascii") == f"{a}- 7 1\n{b}+ 2 6\n"
    assert likely.gathered([file]) == {a: 12, b: 75}, "percent"
    assert likely.gathered([file, file]) == likely.gathered([file])


def test_what_is_as_expected_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    lines = ["aaaaaaaa- 97 3", "bbbbbbbb- 0 0", "cccccccc+ 53 47", "dddddddd+ 0 0", "eeeeeeee- 90 10", "ffffffff+ 1 9"]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    assert likely.gathered([file]) == {"dddddddd": 0, "eeeeeeee": 10, "ffffffff": 90}


def test_what_is_kept_makes_another_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = likely.recipe()
    assert likely.kept() and all(0 <= percent <= 100 for percent in likely.kept().values())
    kept(monkeypatch, tmp_path, {PUSH: 97})
    other = likely.recipe()
    monkeypatch.setenv(likely.COUNT, str(tmp_path))
    assert before != other and likely.recipe() not in (before, other)
