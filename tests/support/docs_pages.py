# SPDX-License-Identifier: Apache-2.0
"""The blocks of commands and code that README, CONTRIBUTING and docs/ show: found, run, and their output compared.

A block is a fence or an indented part of a page. A test claims it by `example(page, section, number)`, with literal
arguments or constants of the test's file: tests/docs/test_every_block.py reads them in the tests' sources and fails for
a block that nobody claims, and for a claim that finds no block. A block below `<!-- not run: reason -->` needs no test.
"""

import difflib
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from needs import missing

from nsoc.errors import NsocError
from nsoc.live import namespace
from nsoc.machine.build import cache_folder, checkout

ROOT = checkout()
HANG_S = 3000
"""A command that takes so long hangs: no machine is as slow."""
INDENTED = "indented"
ELIDED = "..."
"""A line of a block that stands for any number of lines of the output."""
_HEADING = re.compile(r"#{1,6} +(.*?) *#*$")
_FENCE = re.compile(r"( *)(```+|~~~+) *(\S*)$")
_EXEMPT = re.compile(r"<!-- not run: (.+?) -->$")
_COMMENT = re.compile(r"(^|\s+)# .*$")


@dataclass(frozen=True)
class Block:
    """A part of a page that a reader would type, or would see."""

    page: str
    """Path from the root of the tree."""
    section: str
    """The nearest heading above it."""
    number: int
    """In that section, from 1."""
    kind: str
    """Behind the fence's marks (`python`, `c`, nothing), or INDENTED."""
    text: str
    """Without indentation, lines end with a newline."""
    line: int
    """In the page, from 1: of the fence, or of the first indented line."""
    exempt: str | None = None
    """Why it is not run, of the comment above it."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}, block {self.number} of {self.section!r}"

    @property
    def commands(self) -> list[str]:
        """Its lines without comments (` # ...`); what follows a line that ends with a backslash belongs to it."""
        joined = self.text.replace("\\\n", " ")
        return [line for line in (_COMMENT.sub("", line).strip() for line in joined.splitlines()) if line]


def pages() -> list[str]:
    """README, CONTRIBUTING and the pages of docs/."""
    return ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@functools.cache
def blocks(page: str) -> tuple[Block, ...]:
    """All of a page, in its order."""
    return tuple(parse(page, (ROOT / page).read_text(encoding="utf-8")))


def example(page: str, section: str, number: int = 1) -> Block:
    """The block that a test is about; `number` counts the blocks below that heading. Fails where there is none."""
    for block in blocks(page):
        if (block.section, block.number) == (section, number):
            return block
    raise AssertionError(f"{page} has no block {number} in a section {section!r}")


def parse(page: str, text: str) -> list[Block]:
    """The blocks of a page with that text. An indented block begins behind an empty line, and not in a list."""
    found: list[Block] = []
    lines = text.splitlines()
    section, exempt, in_list, i = "", None, False, 0

    def add(kind: str, part: Sequence[str], at: int) -> None:
        number = sum(block.section == section for block in found) + 1
        found.append(Block(page, section, number, kind, "".join(f"{line}\n" for line in part), at + 1, exempt))

    while i < len(lines):
        line = lines[i]
        begin = i
        i += 1
        if fence := _FENCE.match(line):
            indent, marks, kind = fence.groups()
            while lines[i].strip() != marks:
                i += 1
            add(kind, [line.removeprefix(indent) for line in lines[begin + 1 : i]], begin)
            i += 1
        elif line.startswith("    ") and not in_list and begin and not lines[begin - 1].strip():
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                i += 1
            part = lines[begin:i]
            while not part[-1].strip():
                part.pop()
            add(INDENTED, [line[4:] for line in part], begin)
        elif heading := _HEADING.match(line):
            section, in_list = heading.group(1), False
        elif line and not line.startswith(" "):
            in_list = re.match(r"([-*+]|\d+\.) ", line) is not None
        if line.strip():
            found_exempt = _EXEMPT.match(line)
            exempt = found_exempt.group(1) if found_exempt else None
    return found


def says(page: str, *sentences: str) -> None:
    """Fails when the page has not each of these pieces of text, wherever its lines break."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    missing = [sentence for sentence in sentences if " ".join(sentence.split()) not in text]
    assert not missing, f"{page} does not say: {missing}"


def defined(source: str, name: str) -> int:
    """The value of a C macro that is a plain number."""
    text = (ROOT / source).read_text(encoding="utf-8")
    found = re.search(rf"^ *#define {name} +\(?(0x[0-9a-fA-F]+|\d+)[uU]*\b", text, re.MULTILINE)
    assert found is not None, f"{source} has no number {name}"
    return int(found[1], 0)


def table(page: str, section: str, number: int = 1) -> list[list[str]]:
    """The cells of a table of the page, row by row below its head; `number` counts the tables below that heading."""
    found: list[list[list[str]]] = []
    heading, inside = "", False
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if match := _HEADING.match(line):
            heading = match.group(1)
        row = line.startswith("|")
        if row and heading == section:
            found += [] if inside else [[]]
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        inside = row
    assert number <= len(found), f"{page} has no table {number} in a section {section!r}"
    return found[number - 1][2:]


# ---- Running a block ------------------------------------------------------------------------------------------------


def environment(**more: str) -> dict[str, str]:
    """As of a reader whose `nsoc` is that of this tree, without colours and without the tests' own settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("FORCE_COLOR", "COLUMNS", "LINES", "PYTEST_CURRENT_TEST") and not name.startswith("COV_")
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PATH": path, "NO_COLOR": "1", "TERM": "dumb", **more}


def run(
    command: str,
    folder: Path = ROOT,
    *,
    status: int = 0,
    given: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> str:
    """What a command line prints on standard output, run by bash in `folder`; it must end with that status."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment(**(variables or {})),
        input=given,
        stdin=None if given is not None else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == status, f"`{command}` ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def needs_a_namespace() -> None:
    """Skips where the machine does not allow `nsoc up`, with its sentence."""
    try:
        namespace.check(own=True)
    except NsocError as problem:
        pytest.skip(str(problem))


def needs(*programs: str) -> None:
    """Skips where a program of the reader's machine is not installed."""
    for program in programs:
        if (reason := missing(program)) is not None:
            pytest.skip(reason)


def talk(
    command: str, said: str, answer: str, folder: Path, variables: Mapping[str, str] | None = None, ready: str = ""
) -> str:
    """Types `said` into a command that its reader would end by Ctrl-C, and does so when it has printed `answer`.

    With `ready` it types only when the command has printed that. Gives all that it has printed until the answer.
    """
    with subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=environment(**(variables or {})), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        watch = threading.Timer(HANG_S, process.kill)
        watch.start()
        try:
            printed = b"" if ready else _type(process, said)
            while answer.encode() not in printed:
                more = os.read(process.stdout.fileno(), 65536)
                assert more, f"`{command}` has ended: {printed.decode()}{process.stderr.read().decode()}"
                printed += more
                if ready and ready.encode() in printed:
                    ready = ""
                    _type(process, said)
            os.killpg(process.pid, signal.SIGINT)
            process.communicate()
        finally:
            watch.cancel()
            process.kill()
    return printed.decode()


def _type(process: "subprocess.Popen[bytes]", said: str) -> bytes:
    assert process.stdin is not None
    process.stdin.write(said.encode())
    process.stdin.flush()
    return b""


def run_python(code: str, folder: Path, name: str = "example") -> str:
    """What a Python program of a page prints, in a process of its own."""
    script = folder / f"{name}.py"
    script.write_text(code, encoding="utf-8")
    return run(f"{sys.executable} {script}", folder)


def tree_with(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Makes a checkout in `folder` that is this one and has these files besides, as if its reader had saved them there.

    Gives the variables with which `nsoc` is that checkout's; what is built is kept with what this one has built.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    inside = {parent for name in files for parent in Path(name).parents}
    for part in sorted(inside, key=lambda part: len(part.parts)):
        (folder / part).mkdir(exist_ok=True)
        for entry in (ROOT / part).iterdir():
            link = folder / part / entry.name
            if not link.exists() and link.relative_to(folder) not in inside:
                link.symlink_to(entry)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {"PYTHONPATH": str(folder / "src"), "NSOC_CACHE": str(cache_folder())}


# ---- Comparing its output -------------------------------------------------------------------------------------------


def check_same(shown: Block | str, printed: str, loose: Sequence[str] = ()) -> None:
    """Fails, with a difference to read, when a page does not show what was printed.

    `loose` are patterns (regular expressions) of what depends on the machine: the wall's clock, speeds, sizes of
    packages. What they match counts as the same, but must be there on both sides. A line `...` of the page stands for
    any lines. Spaces at the ends of lines do not count.
    """
    where = str(shown) if isinstance(shown, Block) else "what the page shows"
    text = shown.text if isinstance(shown, Block) else shown
    wanted, got = _normal(text, loose), _normal(printed, loose)
    if not _agrees(wanted, got):
        difference = "\n".join(difflib.unified_diff(wanted, got, "the page", "printed", lineterm=""))
        raise AssertionError(f"{where} is not what was printed:\n{difference}")


def check_words(shown: Block | str, printed: str, loose: Sequence[str] = ()) -> None:
    """The same for what is laid out for a terminal: where lines break, how wide columns are and frames do not count."""
    text = shown.text if isinstance(shown, Block) else shown
    check_same(_words(text, loose), _words(printed, loose))


def _words(text: str, loose: Sequence[str]) -> str:
    lines = ["\n".join(re.sub("[\u2500-\u257f]", " ", line).split()) for line in _normal(text, loose)]
    return "\n".join(line for line in lines if line) + "\n"


def _normal(text: str, loose: Sequence[str]) -> list[str]:
    text = "\n".join(line.rstrip() for line in text.splitlines())
    for number, pattern in enumerate(loose):
        text = re.sub(pattern, f"<{number}>", text, flags=re.MULTILINE)
    lines = text.splitlines()
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _agrees(wanted: list[str], got: list[str]) -> bool:
    if ELIDED not in wanted:
        return wanted == got
    at = wanted.index(ELIDED)
    if got[:at] != wanted[:at]:
        return False
    rest = wanted[at + 1 :]
    return any(_agrees(rest, got[begin:]) for begin in range(at, len(got) + 1))
