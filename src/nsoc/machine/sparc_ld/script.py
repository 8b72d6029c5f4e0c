# SPDX-License-Identifier: Apache-2.0
"""Reads linker scripts: as much of GNU ld's language as the scripts of firmware/ speak, whose meaning is GNU ld's.

Whatever else stands there is refused, with its file and line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld.expressions import (
    FUNCTIONS,
    LEVELS,
    UNARY,
    Align,
    Binary,
    Expression,
    Name,
    Number,
    Of,
    ScriptError,
    Unary,
    Where,
)


@dataclass(frozen=True, slots=True)
class Assign:
    """A symbol, or the location counter, gets a value."""

    name: str
    value: Expression
    provide: bool
    """Only when somebody wants the symbol and nobody has it."""
    where: Where


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression
    message: str
    where: Where


@dataclass(frozen=True, slots=True)
class Inputs:
    """Sections of object files."""

    files: str
    patterns: tuple[str, ...]
    keep: bool


@dataclass(frozen=True, slots=True)
class OutputStatement:
    """A section of the program."""

    name: str
    body: tuple[Assign | Assert | Inputs, ...]
    where: Where
    is_noload: bool = False
    load_address: Expression | None = None
    alignment: Expression | None = None
    region: str | None = None
    load_region: str | None = None
    segments: tuple[str, ...] = ()
    """Empty: those of the section before it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A region."""

    name: str
    origin: Expression
    length: Expression
    where: Where


@dataclass(frozen=True, slots=True)
class Segment:
    """A PT_LOAD segment."""

    name: str
    flags: int | None
    """None: those of its sections."""


@dataclass(slots=True)
class Script:
    """What scripts say."""

    entry: str | None = None
    memories: list[Memory] = field(default_factory=list)
    aliases: dict[str, tuple[str, Where]] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    statements: list[Assign | Assert | OutputStatement] = field(default_factory=list)
    """In the order of their effect."""

    def assignments(self) -> Iterator[Assign]:
        """Of symbols."""
        for statement in self.statements:
            inner = statement.body if isinstance(statement, OutputStatement) else (statement,)
            yield from (one for one in inner if isinstance(one, Assign) and one.name != ".")


DISCARD = "/DISCARD/"
NO_SEGMENT = "NONE"
_SPACE = re.compile(r"(?:\s+|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*")
_PATTERN = re.compile(r"[\w.$*?\[\]/\\~+^!-]+")
"""A name of a section or a file, with wildcards."""
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([KkMm]?)\b")
_TEXT = re.compile(r'"([^"\n]*)"')
_OPERATOR = re.compile(r"\|\||&&|==|!=|<=|>=|<<|>>|[-+*/%|&<>!~]")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}
_ATTRIBUTES = re.compile(r"[rwxailRWXAIL!]+")
_T = TypeVar("_T")


def read_script(path: Path, folders: Sequence[Path]) -> Script:
    """The script, and what it includes: looked for in `folders`. Raises NsocError when one is not there, ScriptError
    for what it does not know."""
    script = Script()
    _Reader(path, folders, script).read()
    return script


class _Reader:
    """Reads one file."""

    def __init__(self, path: Path, folders: Sequence[Path], script: Script, depth: int = 0) -> None:
        try:
            self._text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "it is no text"
            raise NsocError(f"cannot read the linker script {path}: {reason}") from None
        self._name, self._folders, self._script, self._depth = path.name, folders, script, depth
        self._at = 0

    def read(self) -> None:
        directives: dict[str, Callable[[Where], None]] = {
            "ENTRY": self._entry,
            "INCLUDE": self._include,
            "MEMORY": self._memory,
            "REGION_ALIAS": self._alias,
            "PHDRS": self._segments,
            "SECTIONS": self._sections,
        }
        while not self._at_end():
            where = self._where()
            word = self._peek(_NAME)
            if word in directives:
                self._match(_NAME)
                directives[word](where)
            else:
                self._script.statements.append(self._assignment_or_assert())
            self._accept(";")

    # ---- Directives ----

    def _entry(self, where: Where) -> None:
        self._script.entry = self._in_parentheses(lambda: self._need(_NAME, "a symbol"))

    def _include(self, where: Where) -> None:
        name = self._need(_PATTERN, "the name of a file")
        found = next((folder / name for folder in self._folders if (folder / name).is_file()), None)
        if found is None:
            raise ScriptError(where, f"there is no file {name} to include")
        if self._depth > 8:
            raise ScriptError(where, f"{name} includes itself")
        _Reader(found, self._folders, self._script, self._depth + 1).read()

    def _memory(self, where: Where) -> None:
        self._expect("{")
        while not self._accept("}"):
            at = self._where()
            name = self._need(_NAME, "the name of a region")
            if any(known.name == name for known in self._script.memories) or name in self._script.aliases:
                raise ScriptError(at, f"the region {name} is there already")
            if self._accept("("):
                self._need(_ATTRIBUTES, "attributes of a region")
                self._expect(")")
            self._expect(":")
            values = []
            for keys in (("ORIGIN", "org", "o"), ("LENGTH", "len", "l")):
                key = self._need(_NAME, keys[0])
                if key not in keys:
                    raise self._error(f"{keys[0]} is expected, not {key}")
                self._expect("=")
                values.append(self._expression())
                self._accept(",")
            self._script.memories.append(Memory(name, values[0], values[1], at))

    def _alias(self, where: Where) -> None:
        self._expect("(")
        alias = self._need(_TEXT, "a name in quotes")
        self._expect(",")
        name = self._match(_TEXT) or self._need(_NAME, "the name of a region")
        self._expect(")")
        if alias in self._script.aliases or any(known.name == alias for known in self._script.memories):
            raise ScriptError(where, f"the region {alias} is there already")
        self._script.aliases[alias] = (name, where)

    def _segments(self, where: Where) -> None:
        self._expect("{")
        while not self._accept("}"):
            name = self._need(_NAME, "the name of a segment")
            at = self._where()
            kind = self._need(_NAME, "PT_LOAD")
            if kind != "PT_LOAD":
                raise ScriptError(at, f"the linker knows no segment of type {kind}, only PT_LOAD")
            flags = None
            while not self._accept(";"):
                at = self._where()
                word = self._need(_NAME, "FLAGS, or a semicolon")
                if word != "FLAGS":
                    raise ScriptError(at, f"the linker knows no {word} of a segment, only FLAGS")
                flags = self._in_parentheses(self._constant)
            self._script.segments.append(Segment(name, flags))

    def _sections(self, where: Where) -> None:
        self._expect("{")
        while not self._accept("}"):
            if self._accept(";"):
                continue
            name = self._peek(_PATTERN)
            ahead = self._peek_behind(_PATTERN)
            if name in ("ASSERT", "PROVIDE") or ahead == "=":
                self._script.statements.append(self._assignment_or_assert())
            elif name in ("ENTRY", "INCLUDE", "OVERLAY") or (ahead == "(" and name.isupper()):
                raise self._error(f"the linker does not know {name} in SECTIONS")
            else:
                self._script.statements.append(self._output_section())

    def _output_section(self) -> OutputStatement:
        where = self._where()
        name = self._need(_PATTERN, "a section")
        if any(
            isinstance(known, OutputStatement) and known.name == name != DISCARD for known in self._script.statements
        ):
            raise ScriptError(where, f"the section {name} is there already")
        is_noload = False
        if self._accept("("):
            kind = self._need(_NAME, "a type of section")
            if kind != "NOLOAD":
                raise ScriptError(where, f"the linker knows no section of type {kind}, only NOLOAD")
            self._expect(")")
            is_noload = True
        if not self._accept(":"):
            raise self._error(f"':' is expected behind {name}; an address is given by '.' or by a region")
        load_address = alignment = None
        while not self._accept("{"):
            at = self._where()
            word = self._need(_NAME, "'{'")
            if word == "AT":
                load_address = self._in_parentheses(self._expression)
            elif word == "ALIGN":
                alignment = self._in_parentheses(self._expression)
            else:
                raise ScriptError(at, f"the linker does not know {word} of a section")
        body: list[Assign | Assert | Inputs] = []
        while not self._accept("}"):
            if not self._accept(";"):
                body.append(self._in_section())
        region = load_region = None
        segments: list[str] = []
        while True:
            if self._accept(">"):
                region = self._need(_NAME, "a region")
            elif self._accept(":"):
                segments.append(self._need(_NAME, "a segment"))
            elif self._peek(_NAME) == "AT" and self._peek_behind(_NAME) == ">":
                self._match(_NAME)
                self._expect(">")
                load_region = self._need(_NAME, "a region")
            else:
                break
        if self._accept("="):
            raise self._error("the linker does not know how to fill a section")
        return OutputStatement(
            name, tuple(body), where, is_noload, load_address, alignment, region, load_region, tuple(segments)
        )

    def _in_section(self) -> Assign | Assert | Inputs:
        name = self._peek(_PATTERN)
        if name in ("ASSERT", "PROVIDE") or self._peek_behind(_PATTERN) == "=":
            return self._assignment_or_assert()
        if name == "KEEP":
            self._match(_PATTERN)
            return self._in_parentheses(lambda: self._inputs(keep=True))
        return self._inputs(keep=False)

    def _inputs(self, keep: bool) -> Inputs:
        at = self._where()
        files = self._need(_PATTERN, "a pattern of files")
        if not self._accept("("):
            raise ScriptError(at, f"'(' is expected behind {files}, with the sections of these files")
        if files.isupper():
            raise ScriptError(at, f"the linker does not know {files} in a section")
        patterns = []
        while not self._accept(")"):
            at = self._where()
            patterns.append(self._need(_PATTERN, "a pattern of sections"))
            if self._peek_text("("):
                raise ScriptError(at, f"the linker does not know {patterns[-1]} in a pattern of sections")
        return Inputs(files, tuple(patterns), keep)

    def _assignment_or_assert(self) -> Assign | Assert:
        where = self._where()
        name = self._need(_NAME, "a directive or a symbol")
        if name == "ASSERT":
            self._expect("(")
            condition = self._expression()
            self._expect(",")
            message = self._need(_TEXT, "a message in quotes")
            self._expect(")")
            return Assert(condition, message, where)
        provide = name == "PROVIDE"
        if provide:
            self._expect("(")
            name = self._need(_NAME, "a symbol")
        if not self._accept("="):
            raise ScriptError(where, f"the linker does not know the directive {name}")
        value = self._expression()
        if provide:
            self._expect(")")
        self._expect(";")
        return Assign(name, value, provide, where)

    # ---- Expressions ----

    def _expression(self, level: int = 0) -> Expression:
        if level == len(LEVELS):
            return self._operand()
        left = self._expression(level + 1)
        while self._peek(_OPERATOR) in LEVELS[level]:
            where = self._where()
            operator = self._need(_OPERATOR, "an operator")
            left = Binary(operator, left, self._expression(level + 1), where)
        return left

    def _operand(self) -> Expression:
        where = self._where()
        if self._accept("("):
            inner = self._expression()
            self._expect(")")
            return inner
        operator = self._peek(_OPERATOR)
        if operator in UNARY:
            self._match(_OPERATOR)
            return Unary(operator, self._operand())
        if self._peek(_NUMBER):
            return Number(self._constant())
        name = self._need(_NAME, "a number, a symbol or a function")
        if name == "ALIGN":
            self._expect("(")
            first = self._expression()
            second = self._expression() if self._accept(",") else None
            self._expect(")")
            return Align(Name(".", where), first, where) if second is None else Align(first, second, where)
        if name in FUNCTIONS:
            return Of(name, self._in_parentheses(lambda: self._need(_PATTERN, "a name")), where)
        if self._peek_text("("):
            raise ScriptError(where, f"the linker does not know the function {name}")
        return Name(name, where)

    def _constant(self) -> int:
        found = _NUMBER.match(self._text, self._skipped())
        if found is None:
            raise self._error(f"a number is expected, not {self._shown()}")
        self._at = found.end()
        return int(found[1], 0 if found[1][:2] in ("0x", "0X") else 10) * _UNITS[found[2].upper()]

    # ---- Words ----

    def _in_parentheses(self, read: Callable[[], _T]) -> _T:
        self._expect("(")
        inner = read()
        self._expect(")")
        return inner

    def _skipped(self) -> int:
        """Where the next word is."""
        found = _SPACE.match(self._text, self._at)
        return found.end() if found else self._at

    def _at_end(self) -> bool:
        return self._skipped() == len(self._text)

    def _where(self) -> Where:
        return Where(self._name, self._text.count("\n", 0, self._skipped()) + 1)

    def _peek(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._skipped())
        return found[0] if found else ""

    def _peek_text(self, text: str) -> bool:
        return self._text.startswith(text, self._skipped())

    def _peek_behind(self, pattern: re.Pattern[str]) -> str:
        """The character behind a word."""
        before = self._at
        self._match(pattern)
        behind = self._text[self._skipped() : self._skipped() + 1]
        self._at = before
        return behind

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._skipped())
        if found is None:
            return ""
        self._at = found.end()
        return found[found.lastindex or 0]

    def _need(self, pattern: re.Pattern[str], what: str) -> str:
        word = self._match(pattern)
        if not word:
            raise self._error(f"{what} is expected, not {self._shown()}")
        return word

    def _accept(self, text: str) -> bool:
        at = self._skipped()
        if not self._text.startswith(text, at):
            return False
        self._at = at + len(text)
        return True

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._error(f"{text!r} is expected, not {self._shown()}")

    def _shown(self) -> str:
        rest = self._text[self._skipped() :]
        return repr(rest.split()[0]) if rest.split() else "the end of the file"

    def _error(self, what: str) -> ScriptError:
        return ScriptError(self._where(), what)
