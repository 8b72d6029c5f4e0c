# SPDX-License-Identifier: Apache-2.0
"""Expressions of linker scripts: what they are, and their values.

A value is a number, or a place in an output section, which moves with it. What is computed from numbers and one place
is a place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from nsoc.errors import NsocError

if TYPE_CHECKING:
    from nsoc.machine.sparc_ld.layout import OutputSection, Region


class Where(NamedTuple):
    """A line of a linker script."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class ScriptError(NsocError):
    """Something is wrong in a line of a linker script."""

    def __init__(self, where: Where, what: str) -> None:
        super().__init__(f"{where}: {what}")


class Value(NamedTuple):
    """An address, and the output section that it is a place in."""

    number: int
    section: "OutputSection | None" = None


class Scope(Protocol):
    """What the names in an expression stand for. All methods raise ScriptError for a name that stands for nothing."""

    def symbol(self, name: str, where: Where) -> Value: ...
    def region(self, name: str, where: Where) -> "Region": ...
    def section(self, name: str, where: Where) -> "OutputSection": ...
    def here(self, where: Where) -> Value: ...


@dataclass(frozen=True, slots=True)
class Number:
    number: int


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol, or the location counter."""

    name: str
    where: Where


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: "Expression"
    right: "Expression"
    where: Where


@dataclass(frozen=True, slots=True)
class Of:
    """A function of a name."""

    function: str
    name: str
    where: Where


@dataclass(frozen=True, slots=True)
class Align:
    """The next multiple, from the location counter or from another place."""

    start: "Expression"
    alignment: "Expression"
    where: Where


Expression = Number | Name | Unary | Binary | Of | Align

LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("&",), ("==", "!="), ("<=", ">=", "<", ">"), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
"""Binary operators, those that bind least first."""
UNARY: dict[str, Callable[[int], int]] = {"-": lambda a: -a, "~": lambda a: ~a, "!": lambda a: int(not a)}
_BINARY: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a or b)),
    "&&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}
_OF_REGION: dict[str, Callable[["Region"], int]] = {"ORIGIN": lambda r: r.origin, "LENGTH": lambda r: r.length}
_OF_SECTION: dict[str, Callable[["OutputSection"], Value]] = {
    "ADDR": lambda s: Value(s.address, s),
    "LOADADDR": lambda s: Value(s.load_address),
    "SIZEOF": lambda s: Value(s.size),
}
FUNCTIONS = (*_OF_REGION, *_OF_SECTION)


def evaluate(expression: Expression, scope: Scope) -> Value:
    """Raises ScriptError when it has no value."""
    match expression:
        case Number(number):
            return Value(number)
        case Name(".", where):
            return scope.here(where)
        case Name(name, where):
            return scope.symbol(name, where)
        case Unary(operator, operand):
            return Value(UNARY[operator](evaluate(operand, scope).number))
        case Of(function, name, where):
            if function in _OF_REGION:
                return Value(_OF_REGION[function](scope.region(name, where)))
            return _OF_SECTION[function](scope.section(name, where))
        case Align(start, alignment, where):
            place, step = evaluate(start, scope), evaluate(alignment, scope).number
            if step <= 0 or step & (step - 1):
                raise ScriptError(where, f"ALIGN wants a power of two, not {step}")
            return Value(-(-place.number // step) * step, place.section)
        case Binary(operator, left, right, where):
            return _binary(operator, evaluate(left, scope), evaluate(right, scope), where)


def _binary(operator: str, left: Value, right: Value, where: Where) -> Value:
    if operator in ("/", "%") and right.number == 0:
        raise ScriptError(where, "a division by zero")
    if operator in ("<<", ">>") and not 0 <= right.number < 64:
        raise ScriptError(where, f"a shift by {right.number}")
    section = None
    if operator in ("+", "-") and (left.section is None) != (right.section is None):
        section = left.section or right.section
    return Value(_BINARY[operator](left.number, right.number), section)
