# SPDX-License-Identifier: Apache-2.0
"""The border between a user's script and this package: an argument of another type is a NsocError, one sentence.

`@public` checks what a class or a function is called with by its annotations. All that a type checker accepts passes.
Besides, whole numbers and bytes may be of other packages' types, as NumPy's and Scapy's, and a path may be a text.
"""

import functools
import inspect
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from nsoc.errors import NsocError

T = TypeVar("T")

_LONG = 60
"""Characters of a wrong value that a sentence shows."""
_WORDS: dict[Any, str] = {
    int: "a whole number", float: "a number", str: "a text", bytes: "bytes", bool: "True or False", PathLike: "a path",
    Path: "a path", type(None): "None", Callable: "a function",
}  # fmt: skip
_EXACT: dict[Any, tuple[type, ...]] = {int: (int, bool), float: (float, int, bool), bool: (bool, int), str: ()}
"""Types of most values of that kind, which are looked at no further; of others the kind itself."""


class _Wrong(Exception):
    """The value is of another type, or is not as the exception's argument says."""


def public(item: T) -> T:
    """A function whose arguments are checked; of a class all functions without underscore, and how it is made."""
    if not isinstance(item, type):
        return typing.cast(T, _checked(typing.cast(Callable[..., Any], item), getattr(item, "__name__", "")))
    for name, function in list(vars(item).items()):
        if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
            called = item.__name__ if name == "__init__" else f"{item.__name__}.{name}"
            setattr(item, name, _checked(function, called))
    return item


@dataclass(frozen=True)
class _Parameters:
    named: "dict[str, _Check | None]"
    """None for what may be anything."""
    in_order: "list[_Check | None]"
    rest: "_Check | None"
    """Of those behind the ones in order."""


def _parameters(function: Callable[..., Any], called: str) -> _Parameters:
    named, in_order, rest = dict[str, _Check | None](), list[_Check | None](), None
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        kind = parameter.annotation
        check = None if kind in (Any, parameter.empty) else _Check(parameter.name, kind, called)
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = check
        elif parameter.kind is not parameter.VAR_KEYWORD:
            named[parameter.name] = check
            if parameter.kind is not parameter.KEYWORD_ONLY:
                in_order.append(check)
    return _Parameters(named, in_order, rest)


def _checked(function: Callable[..., Any], called: str) -> Callable[..., Any]:
    # Not before the first call: annotations may name what stands further below.
    learned = functools.cache(lambda: _parameters(function, called))

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        known = learned()
        for at, value in enumerate(given):
            check = known.in_order[at] if at < len(known.in_order) else known.rest
            if check is not None and type(value) not in check.exact and (made := check(value)) is not value:
                given = (*given[:at], made, *given[at + 1 :])
        for name, value in named.items():
            check = known.named.get(name)
            if check is not None and type(value) not in check.exact:
                named[name] = check(value)
        return function(*given, **named)

    return call


class _Check:
    """What a parameter takes."""

    def __init__(self, name: str, kind: Any, called: str) -> None:
        self._name, self._kind, self._called = name, kind, called
        self.exact = frozenset(_exact(kind))

    def __call__(self, value: Any) -> Any:
        try:
            return _as(self._kind, value)
        except _Wrong as wrong:
            shown = " ".join(repr(value).split())
            shown = shown if len(shown) <= _LONG else f"{shown[:_LONG]}..."
            wanted = wrong.args[0] if wrong.args else words(self._kind)
            raise NsocError(f"{self._called}(): {self._name} must be {wanted}, not {shown}") from None


def _exact(kind: Any) -> tuple[type, ...]:
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(one for member in get_args(kind) for one in _exact(member))
    return _EXACT.get(kind, (kind,) if isinstance(kind, type) and get_origin(kind) is None else ())


def _text(value: Any, is_path: bool) -> str:
    """A name of a file may have bytes that are no UTF-8: Python has surrogates for these."""
    if not isinstance(value, str):
        raise _Wrong
    if is_path and "\0" in value:
        raise _Wrong("a path without a zero byte")
    if not is_path:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _Wrong("a text without surrogates") from None
    return value


def words(kind: Any) -> str:
    """A type, for a sentence."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        *others, last = dict.fromkeys(map(words, arguments))
        return f"{', '.join(others)} or {last}" if others else last
    if origin is Annotated:
        return words(arguments[0])
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin in (Sequence, Iterable, list) or (origin is tuple and arguments[-1] is ...):
        return f"a list (each {words(arguments[0])})"
    if origin is tuple:
        return f"({', '.join(map(words, arguments))})"
    if origin in (Mapping, dict):
        return f"a dictionary ({words(arguments[0])}: {words(arguments[1])})"
    if (origin or kind) in _WORDS:
        return _WORDS[origin or kind]
    name = getattr(kind, "__name__", str(kind)).lstrip("_")
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _as(kind: Any, value: Any) -> Any:
    """The value as a parameter of that type takes it. Raises _Wrong."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (Any, object) or isinstance(kind, TypeVar):
        return value
    if origin in (Union, types.UnionType):
        return _as_one_of(arguments, value)
    if origin is Annotated:
        return _as(arguments[0], value)
    if kind is bytes:
        return _bytes(value)
    if kind is str:
        return _text(value, is_path=False)
    if origin is Iterable:  # perhaps an iterator, which is read once
        if not isinstance(value, Iterable) or isinstance(value, str):
            raise _Wrong
        return [_as(arguments[0], one) for one in value]
    if kind is Path and isinstance(value, str | PathLike):
        return Path(_text(os.fspath(value), is_path=True))
    if not _fits(kind, origin, arguments, value):
        raise _Wrong
    return value


def _as_one_of(kinds: Sequence[Any], value: Any) -> Any:
    if isinstance(value, str) and str in kinds:
        return _text(value, is_path=any(get_origin(kind) is PathLike for kind in kinds))
    for kind in kinds:
        try:
            return _as(kind, value)
        except _Wrong:
            continue
    raise _Wrong


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return bytes(value) if hasattr(value, "__bytes__") else bytes(memoryview(value))
    except (TypeError, ValueError):
        raise _Wrong from None


def _fits(kind: Any, origin: Any, arguments: tuple[Any, ...], value: Any) -> bool:
    if origin is Literal:
        return value in arguments
    if origin in (Sequence, list) or (origin is tuple and arguments[-1] is ...):
        whole = list if origin is list else Sequence
        return isinstance(value, whole) and not isinstance(value, str) and all(_is(arguments[0], one) for one in value)
    if origin is tuple:
        return isinstance(value, Sequence) and len(value) == len(arguments) and all(map(_is, arguments, value))
    if origin in (Mapping, dict):
        return isinstance(value, origin) and all(
            _is(arguments[0], key) and _is(arguments[1], one) for key, one in value.items()
        )
    if origin is Callable:
        return callable(value)
    if kind is int:
        return hasattr(type(value), "__index__")
    if kind is float:
        return isinstance(value, Real) or hasattr(type(value), "__index__")
    if kind is bool:
        return isinstance(value, int)
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    return isinstance(value, origin or kind)


def _is(kind: Any, value: Any) -> bool:
    try:
        _as(kind, value)
    except _Wrong:
        return False
    return True
