# SPDX-License-Identifier: Apache-2.0
"""The fields of a preset, for people: value, unit, range and meaning of each.

All is of the class Preset: what a field means is the text below it.
"""

import ast
import functools
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import msgspec

from nsoc.machine import presets
from nsoc.machine.presets import POWERS_OF_TWO, SIZES, TOPS, Preset

DEFAULTS = {"name": "the file's name", "description": "none: needed without a base"}
"""In words, of fields whose class has none."""


@dataclass(frozen=True)
class Field:
    """One of Preset."""

    name: str
    unit: str
    """Empty when it has none."""
    range: str
    """Its choices, or what it may be."""
    default: str
    meaning: str
    """Sentences."""
    tops: tuple[str, ...]
    """The values of `top` of the presets that it says something about."""


@functools.cache
def fields() -> tuple[Field, ...]:
    """All, in the order of the class."""
    meanings = dict(_meanings())
    found = []
    for one in msgspec.structs.fields(Preset):
        default = DEFAULTS[one.name] if one.name in DEFAULTS else shown(one.name, one.default)
        found.append(
            Field(
                one.name, presets.unit(one.name), _range(one.name), default, meanings[one.name],
                tuple(top for top in TOPS if presets.says(top, one.name)),
            )
        )  # fmt: skip
    return tuple(found)


def shown(field: str, value: object) -> str:
    """A value of that field, as a file may have it: sizes as `16K`."""
    if field.endswith(presets.BYTES) and isinstance(value, int):
        return _size(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _size(value: int) -> str:
    letter = next((one for one in reversed(SIZES) if value and value % SIZES[one] == 0), "")
    return f"{value // SIZES.get(letter, 1)}{letter}"


def _range(field: str) -> str:
    least, most = presets.bounds(field)
    if most is None:
        return presets.kind_of(field)
    kind = get_args(presets.TYPES[field])[0]
    whole = "whole, " if kind is int and not field.endswith(presets.BYTES) else ""
    low, high = shown(field, kind(least)), shown(field, kind(most))
    if field in POWERS_OF_TWO:
        return f"{low} to {high}, a power of two" if least else f"0 or a power of two to {high}"
    return f"{whole}{low} to {high}"


def _meanings() -> Iterator[tuple[str, str]]:
    """The text below each field of the class."""
    (tree,) = ast.parse(inspect.getsource(Preset)).body
    assert isinstance(tree, ast.ClassDef)
    for one, below in zip(tree.body, tree.body[1:], strict=False):
        match one, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, " ".join(text.split())
