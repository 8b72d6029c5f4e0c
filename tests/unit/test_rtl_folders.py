# SPDX-License-Identifier: Apache-2.0
"""The folders of rtl/ are layers: no two of them use each other, by whatever way round. No file is too long to read. No
name of a type means two things to who reads a file."""

import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest
from bench import RTL
from verilog import code

DEFINED = re.compile(r"^\s*(?:module|package)\s+(\w+)", re.MULTILINE)
NAMED = re.compile(r"\b(\w+)::|^\s*(\w+)\s*(?:#\s*\(|\w+\s*(?:\[[^\]]*\]\s*)?\()", re.MULTILINE)
"""A package in front of `::`, a module in front of its parameters or of an instance's name and ports."""
STREAM = re.compile(r"`NSOC_(?:STREAM|L4_TX)\(.*\)")
"""A stream of beats of another width than its package has it: the same thing."""
TYPE = re.compile(r"\btypedef\b|\b(?:localparam|parameter) type (\w+)\s*=")
WIDTH = re.compile(r"(`NSOC_\w+)\([A-Z]+\)")
PLAIN_STREAM = re.compile(r"struct packed \{ ?(\w+) user; frame_beat_t beat; logic valid; ?\}")
"""A stream of beats of 64 bits, in a package."""
ALL_OF = re.compile(r"\bimport (\w+)::\*")


def read(rtl: Path) -> dict[str, dict[str, set[str]]]:
    """By folder and by folder that it uses: the files with the modules and packages that they name."""
    texts = {path: code(path) for path in rtl.rglob("*.sv") if rtl / "vendor" not in path.parents}
    folder_of = {name: _folder(path, rtl) for path, text in texts.items() for name in DEFINED.findall(text)}
    used: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, text in texts.items():
        here = _folder(path, rtl)
        for name in (package or module for package, module in NAMED.findall(text)):
            if folder_of.get(name, here) != here:
                used[here][folder_of[name]].add(f"{path.name} {name}")
    return used


def circle(used: dict[str, dict[str, set[str]]]) -> list[str]:
    """One of the circles, a line for each step with the reasons for it; empty when there is none."""
    try:
        TopologicalSorter(used).prepare()
    except CycleError as found:
        way = found.args[1]
        return [f"{user} uses {below}: {', '.join(sorted(used[user][below]))}" for below, user in pairwise(way)]
    return []


def test_no_file_written_by_hand_has_more_than_600_lines() -> None:
    lines = {path: text.count("\n") for path in RTL.rglob("*.sv") if "Do not edit." not in (text := path.read_text())}
    assert len(lines) > 250
    assert not {path.name: count for path, count in lines.items() if count > 600}


def types(text: str) -> dict[str, str]:
    """By name, what the types are that this text declares, in one line."""
    found = {}
    for begin in TYPE.finditer(text):
        end, depth = begin.end(), 0
        while depth or text[end] not in (";" if begin[1] is None else ";,)"):
            depth += (text[end] in "({[") - (text[end] in ")}]")
            end += 1
        said = " ".join(text[begin.end() : end].split())
        name = begin[1] or said.rpartition(" ")[2]
        found[name] = said.removesuffix(f" {name}")
    return found


def hidden(rtl: Path) -> list[str]:
    """Types of modules that hide another one of the same name, out of a package all of which the module imports."""
    texts = {path.stem: code(path) for path in rtl.rglob("*.sv")}
    return sorted(
        f"{module}: {name} of {package}"
        for module, text in texts.items()
        for package in ALL_OF.findall(text)
        for name in types(text).keys() & types(texts[package]).keys()
        if not STREAM.match(types(text)[name])
    )


GENERATED = "_regs_pkg"
"""Packages of registers, whose types have the registers' names."""
CORES = {"rv_pkg", "v8_pkg"}
"""Of two cores, neither of which knows the other: what each calls its operations, operands and results."""
MACHINE = "state_t"
"""The states of a block's own machine, if they are an enum."""


def meanings(rtl: Path) -> dict[str, dict[str, set[str]]]:
    """Names of types with more than one meaning: what each means, and the files that say so."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in sorted(rtl.rglob("*.sv*")):
        for name, said in types(re.sub(r"\bparameter type\b", "", code(path))).items():
            meaning = PLAIN_STREAM.sub(r"`NSOC_STREAM(\1, beat_t)", WIDTH.sub(r"\1", re.sub(r"\b\w+::", "", said)))
            again = meaning == name or path.stem.endswith(GENERATED) or (name == MACHINE and said.startswith("enum "))
            if not again:
                found[name][meaning].add(path.stem)
    several = {name: of_name for name, of_name in found.items() if len(of_name) > 1}
    return {name: of_name for name, of_name in several.items() if set().union(*of_name.values()) != CORES}


def test_a_name_of_a_type_has_one_meaning() -> None:
    assert not meanings(RTL)
    assert not [path.name for path in RTL.rglob("*.sv") if set(re.findall(r"\b(\w+)::", code(path))) >= CORES]
    names = [name for path in RTL.rglob("*.sv") for name in types(code(path))]
    assert len(names) > 550 and len(set(names)) > 380


def test_a_name_with_two_meanings_is_found(tmp_path: Path) -> None:
    texts = {
        "a_pkg": "typedef struct packed {user_t user; frame_beat_t beat; logic valid;} rx_t; typedef logic [3:0] at_t;",
        "b": "localparam type beat_t = `NSOC_BEAT(WIDTH), localparam type rx_t = `NSOC_STREAM(a_pkg::user_t, beat_t))",
        "c": "parameter type told_t = logic,\nlocalparam type beat_t = `NSOC_BEAT(LINE)\n); typedef a_pkg::at_t at_t;",
        "d": "typedef enum logic {IDLE, RUN} state_t;\ntypedef logic told_t;\ntypedef logic [2:0] at_t;",
        "e": "typedef enum logic {REST, GO} state_t;\ntypedef struct packed {struct packed {logic b;} a;} told_t;",
        "f_regs_pkg": "typedef logic [1:0] told_t;",
        "rv_pkg": "typedef logic op_t;",
        "v8_pkg": "typedef logic [1:0] op_t;",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.sv").write_text(text)
    assert meanings(tmp_path) == {
        "at_t": {"logic [3:0]": {"a_pkg"}, "logic [2:0]": {"d"}},
        "told_t": {"logic": {"d"}, "struct packed {struct packed {logic b;} a;}": {"e"}},
    }


def test_no_type_hides_another_one() -> None:
    assert not hidden(RTL)
    assert types(code(RTL / "net" / "net.sv")).keys() >= {"beat_t", "tcp_rx_t", "l4_tx_t"}


def test_a_type_that_hides_another_one_is_found(tmp_path: Path) -> None:
    (tmp_path / "a_pkg.sv").write_text("package a_pkg;\n  typedef struct packed {\n  logic b;\n} told_t;\nendpackage\n")
    for number, line in enumerate(
        ("typedef logic told_t;", "typedef struct packed {struct packed {logic c;} b;} told_t;", "typedef logic b_t;")
    ):
        (tmp_path / f"m{number}.sv").write_text(f"module m{number}\n  import a_pkg::*;\n;\n  {line}\nendmodule\n")
    assert hidden(tmp_path) == ["m0: told_t of a_pkg", "m1: told_t of a_pkg"]


def _folder(path: Path, rtl: Path) -> str:
    return path.parent.relative_to(rtl).as_posix()


def test_no_two_folders_use_each_other() -> None:
    used = read(RTL)
    assert {"tcp", "cpu/core", "common"} <= used["toe"].keys() | used["cpu"].keys() and len(used) > 15
    assert not circle(used), "\n".join(circle(used))


@pytest.mark.parametrize(
    "use", ["  import low_pkg::word_t;\n", "  low u_low (.*);\n", "  low #(.W(2)) u_low [2] (.*);\n"]
)
def test_a_circle_of_three_folders_is_found(tmp_path: Path, use: str) -> None:
    texts = {
        "a/low.sv": "module low;\nendmodule\npackage low_pkg;\nendpackage\n",
        "a/top.sv": "// other_pkg::x\nmodule top;\n  middle u_middle ();\nendmodule\n",
        "b/middle.sv": "module middle;\n  last u_last (.a(x));\nendmodule\n",
        "c/last.sv": f"module last;\n{use}endmodule\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = circle(read(tmp_path))
    assert len(found) == 3 and any(re.match(r"c uses a: last.sv low(_pkg)?$", line) for line in found)
    (tmp_path / "c/last.sv").write_text("module last;\nendmodule\n", encoding="utf-8")
    assert circle(read(tmp_path)) == []
