# SPDX-License-Identifier: Apache-2.0
"""What of this package is public, with signatures and docstrings. docs/api.md is made of it.

Signatures are those of the sources. A default that is a number, a text or the like stands there by its value.
"""

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import nsoc
from nsoc.docs.markdown import table

GIVEN = (
    "nsoc.machine.soc.Uart", "nsoc.machine.soc.FifoUse", "nsoc.machine.soc.Event", "nsoc.machine.debug.Debugger",
    "nsoc.machine.debug.Halt", "nsoc.machine.debug.Point", "nsoc.network.wire.LogEntry", "nsoc.network.network.Arrived",
    "nsoc.network.network.Departed", "nsoc.network.network.Cable", "nsoc.network.network.Switch",
    "nsoc.network.network.Tap", "nsoc.network.inet.Settings", "nsoc.network.inet.State", "nsoc.network.inet.Stream",
    "nsoc.network.inet.Listener", "nsoc.network.inet.Udp", "nsoc.network.inet.Datagram", "nsoc.pnic.host.Cable",
    "nsoc.pnic.host.Received", "nsoc.monitor.Loaded", "nsoc.monitor.client.About", "nsoc.monitor.client.Program",
    "nsoc.monitor.client.program", "nsoc.records.Record",
)  # fmt: skip
"""What the names of `nsoc` take or give."""
BENCHES = (
    "bursts", "clock", "cpu", "images", "latency", "live", "mac", "mac_example", "modes", "nic", "peers", "pnic",
    "sockets", "speed", "sweep", "thesis", "toe",
)  # fmt: skip
"""Modules of nsoc.bench."""
MADE = ("Soc", "Network", "PnicHost", "Monitor", "Peer", "Writer")
"""Classes without fields that scripts make themselves."""
RECORDS = {"latency": "nsoc.bench.latency_output.records", "sweep": "nsoc.bench.sweep.SweepResult.records"}
"""Where they are not `records` beside `run`."""


def of_benches() -> Iterator[str]:
    """`run` and `records` of each bench."""
    for name in BENCHES:
        yield f"nsoc.bench.{name}.run"
        yield RECORDS.get(name, f"nsoc.bench.{name}.records")


def public() -> list[str]:
    """Every public name."""
    return [*(f"nsoc.{name}" for name in nsoc.__all__), *GIVEN, *of_benches()]


def find(path: str) -> Any:
    """What has that name."""
    home, _, name = path.rpartition(".")
    try:
        return import_module(path)
    except ImportError:
        try:
            return getattr(import_module(home), name)
        except ImportError:
            return getattr(find(home), name)


@dataclass(frozen=True)
class Member:
    """A function, property, field or the like of something public."""

    name: str
    shown: str
    """With what it takes and gives."""
    text: str
    """Its docstring."""


def home_of(found: Any) -> str:
    """Where it is defined."""
    return found.__name__ if isinstance(found, ModuleType) else f"{found.__module__}.{found.__qualname__}"


def signature(function: Any) -> str:
    """What a function takes and gives; of one of a class without the object."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    assert isinstance(node, ast.FunctionDef)
    annotations = {one.arg: one.annotation for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    for one in filter(None, (node.args.vararg, node.args.kwarg)):
        annotations[one.arg] = one.annotation
    shown: list[str] = []
    star = False
    of_class = "." in function.__qualname__
    for parameter in list(inspect.signature(function).parameters.values())[of_class:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
        star = star or parameter.kind in (parameter.VAR_POSITIONAL, parameter.KEYWORD_ONLY)
        stars = "*" * (2 if parameter.kind is parameter.VAR_KEYWORD else parameter.kind is parameter.VAR_POSITIONAL)
        kind = annotations[parameter.name]
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        shown.append(f"{stars}{parameter.name}: {_annotation(kind)}{default}")
    gives = f" -> {_annotation(node.returns)}" if node.name != "__init__" else ""
    return f"({', '.join(shown)}){gives}"


def _default(value: object) -> str:
    plain = (int, float, str, bytes, type(None))
    simple = isinstance(value, plain) or (isinstance(value, tuple) and all(isinstance(one, plain) for one in value))
    return repr(value) if simple and len(repr(value)) < 40 and not isinstance(value, Enum) else "..."


def _annotation(node: ast.expr | None) -> str:
    if node is None:
        return "Any"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def text_of(found: Any) -> str:
    """Its docstring, and nothing for one that Python has made."""
    text = inspect.getdoc(found) or ""
    return "" if isinstance(found, type) and text.startswith(f"{found.__name__}(") else text


def made_by(found: type) -> str:
    """What a class is called with; empty for what scripts do not make."""
    return signature(vars(found)["__init__"]) if found.__name__ in MADE else ""


@functools.cache
def _body(found: type) -> list[ast.stmt]:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(found))).body
    assert isinstance(node, ast.ClassDef)
    return node.body


def _texts(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str]]:
    """What is assigned, with the text below it."""
    for at, one in enumerate(body):
        below = body[at + 1] if at + 1 < len(body) else None
        match one:
            case ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]):
                match below:
                    case ast.Expr(ast.Constant(str(text))):
                        yield name, one, inspect.cleandoc(text)
                    case _:
                        yield name, one, ""


def _fields(found: type) -> list[Member]:
    """Of a dataclass or the like."""
    shown = []
    for name, node, text in _texts(_body(found)):
        if isinstance(node, ast.AnnAssign):
            default = f" = {ast.unparse(node.value)}" if node.value is not None else ""
            shown.append(Member(name, f"{name}: {_annotation(node.annotation)}{default}", text))
    return shown


def members(found: Any) -> list[Member]:
    """What of a class or module is public."""
    if isinstance(found, ModuleType):
        return [_of_module(found, name) for name in found.__all__]
    if not isinstance(found, type):
        return []
    made = _fields(found)
    if issubclass(found, Enum):
        made = [Member(name, name, text) for name, _, text in _texts(_body(found)) if not name.startswith("_")]
    for name, one in vars(found).items():
        if name.startswith("_"):
            continue
        if isinstance(one, property):
            gives = signature(one.fget).partition(" -> ")[2]
            made.append(Member(name, f"{name}: {gives}", text_of(one)))
        elif inspect.isfunction(one):
            made.append(Member(name, f"{name}{signature(one)}", text_of(one)))
    return made + _attributes(found)


def _of_module(module: ModuleType, name: str) -> Member:
    found = getattr(module, name)
    shown = made_by(found) if isinstance(found, type) else signature(found)
    return Member(name, f"{name}{shown}", text_of(found))


def _attributes(found: type) -> list[Member]:
    """What `__init__` sets and describes."""
    made = [one for one in _body(found) if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    shown = []
    for at, one in enumerate(made[0].body if made else ()):
        below = made[0].body[at + 1] if at + 1 < len(made[0].body) else None
        match one, below:
            case (
                ast.Assign(targets=[ast.Attribute(ast.Name("self"), name)])
                | ast.AnnAssign(target=ast.Attribute(ast.Name("self"), name))
            ), ast.Expr(ast.Constant(str(text))) if not name.startswith("_"):
                kind = f": {_annotation(one.annotation)}" if isinstance(one, ast.AnnAssign) else ""
                shown.append(Member(name, f"{name}{kind}", inspect.cleandoc(text)))
    return shown


# ---- docs/api.md and the list of signatures --------------------------------------------------------------------------


def listing() -> Iterator[str]:
    """A line for each public name, with where it is defined, and for each member."""
    for path in public():
        found = find(path)
        shown = made_by(found) if isinstance(found, type) else ""
        if inspect.isfunction(found):
            shown = signature(found)
        yield f"{path}{shown} of {home_of(found)}"
        for member in members(found):
            yield f"{path}.{member.shown}"


def _cell(text: str) -> str:
    """A docstring in a cell of a table: its examples are left out."""
    parts = []
    for paragraph in text.split("\n\n"):
        if not paragraph.startswith("    "):
            parts.append(re.sub(r"\n(- )?", lambda found: f"<br>{found[1]}" if found[1] else " ", paragraph))
    return "<br>".join(parts).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _section(path: str) -> str:
    found = find(path)
    paragraphs = [part for part in text_of(found).split("\n\n") if not part.startswith("    ")]
    whose = f"Module `{home_of(found)}`." if isinstance(found, ModuleType) else f"Defined as `{home_of(found)}`."
    if inspect.isfunction(found):
        call = f"`{path.rpartition('.')[2]}{signature(found)}`"
    else:
        made = made_by(found) if isinstance(found, type) else ""
        call = f"`{path.rpartition('.')[2]}{made}`" if made else ""
    rows = [(_code(one.shown), _cell(one.text)) for one in members(found) if not _is_of_presets(path, one)]
    parts = [f"### {path}", f"{call}\n\n{whose}" if call else whose, *paragraphs]
    return "\n\n".join([*parts, table(("member", "what"), rows)] if rows else parts)


def _is_of_presets(path: str, member: Member) -> bool:
    """docs/presets.md has the fields of a preset."""
    return path == "nsoc.Preset" and member.shown.startswith(f"{member.name}:") and member in _fields(nsoc.Preset)


def api_names(_: object) -> str:
    """The names of `nsoc`."""
    return "\n\n".join(_section(f"nsoc.{name}") for name in nsoc.__all__)


def api_given(_: object) -> str:
    """What they take and give."""
    return "\n\n".join(map(_section, GIVEN))


def api_benches(_: object) -> str:
    """`run` and `records` of each bench."""
    rows = []
    for path in of_benches():
        function = find(path)
        rows.append((_code(path), _code(signature(function)), _cell(text_of(function))))
    return table(("function", "takes and gives", "what"), rows)
