# SPDX-License-Identifier: Apache-2.0
"""Keeps what was measured, so that nothing is measured twice: a file for each result, under `results/` in the cache.

The key of a result is made of all that the result depends on:

- the preset but for its name and description, the seed, and the arguments of the measurement
- what is simulated: the builds that run, or, where those are not known yet, the content of RTL, simulator and firmware
- the code that measures: the modules of this package that the measuring one imports, those that these import, and so
  on, with the files of `published/` that any of them names

No module that measures imports one that only shows figures. So a change of how figures are shown keeps the results.

A file that is damaged, or whose key is not the one that its name says, counts as not there.
"""

import ast
import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nsoc.errors import NsocError
from nsoc.machine import firmware
from nsoc.machine.build import cache_folder, checkout
from nsoc.machine.presets import Preset

T = TypeVar("T")

FOLDER = "results"
PACKAGE = Path(__file__).resolve().parents[1]
PUBLISHED = "published"
"""Folder of the package with published figures; some of them say what is measured."""
NAMES = ("name", "description")
"""Fields of a preset that change nothing that is simulated."""
SIMULATED = {"rtl": "*.sv", "sim": "*.*", "models": "*.*", "firmware": "*.*"}
"""Folders of the checkout, and which of their files count."""
TOML = re.compile(r"""["']([\w.-]+\.toml)["']""")
BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What of a syntax tree an import can be in."""


@dataclass(frozen=True)
class Key:
    """What a result is kept under."""

    text: bytes
    """All that the result depends on, as JSON."""

    @property
    def path(self) -> Path:
        """Where the result is kept."""
        return cache_folder() / FOLDER / f"{hashlib.sha256(self.text).hexdigest()[:32]}.json"


class _Kept(msgspec.Struct):
    """A file: the key for who looks into it, and to know that it is not another one's."""

    key: msgspec.Raw
    result: msgspec.Raw


def key(preset: Preset, seed: int, arguments: Mapping[str, Any], *digests: str) -> Key:
    """Of a measurement with these arguments; `digests` are of what is simulated and of the code that measures."""
    fields = {name: value for name, value in msgspec.to_builtins(preset).items() if name not in NAMES}
    own = firmware.own_file(preset.firmware)
    image = [] if own is None else [own, *(own.parent.glob("*.h") if own.suffix == firmware.C_SUFFIX else ())]
    depends = {
        "preset": fields, "seed": seed, "arguments": msgspec.to_builtins(dict(arguments)), "digests": digests,
        "image": _content(path for path in image if path.is_file()),
    }  # fmt: skip
    return Key(msgspec.json.encode(depends, order="deterministic"))


def keep(key: Key, result: object) -> None:
    """Writes a result. Who reads meanwhile, or writes the same, sees a whole one. Raises NsocError when that fails."""
    unfinished = key.path.with_suffix(f".{secrets.token_hex(8)}")
    kept = _Kept(msgspec.Raw(key.text), msgspec.Raw(msgspec.json.encode(result)))
    try:
        key.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(msgspec.json.encode(kept))
        unfinished.replace(key.path)
    except OSError as problem:
        with suppress(OSError):
            unfinished.unlink()
        raise NsocError(
            f"cannot keep a result in {key.path.parent}: {problem.strerror}; set NSOC_CACHE to another folder"
        ) from None


def recall(key: Key, kind: type[T]) -> T | None:
    """The result that is kept, None when there is none of that kind."""
    try:
        kept = msgspec.json.decode(key.path.read_bytes(), type=_Kept)
        return msgspec.json.decode(kept.result, type=kind) if bytes(kept.key) == key.text else None
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


# ---- What a result depends on ----------------------------------------------------------------------------------------


def simulated_digest() -> str:
    """Of all RTL, simulator and firmware: for who does not know yet which of it will run."""
    root = checkout()
    return _content((path for folder, pattern in SIMULATED.items() for path in (root / folder).rglob(pattern)), root)


def code_digest(module: str, package: Path = PACKAGE) -> str:
    """Of the code that measures in `module`, and of the published figures that it names."""
    return _content(code(module, package), package)


def code(module: str, package: Path = PACKAGE) -> set[Path]:
    """The files of `package` (its folder, named as it is imported) that run when `module` measures.

    What is imported under a name that is computed is not found, and what stands under `if TYPE_CHECKING:` does not run.
    """
    files: set[Path] = set()
    todo = {module}
    done: set[str] = set()
    while todo:
        name = todo.pop()
        done.add(name)
        file = _file(name, package)
        if file is None:  # not a module: a name in one, or of another package
            continue
        files.add(file)
        text = file.read_text(encoding="utf-8")
        files |= {path for toml in TOML.findall(text) if (path := package / PUBLISHED / toml).is_file()}
        inside = name if file.stem == "__init__" else name.rpartition(".")[0]
        found = _imported(text, inside)
        todo |= {part for module in (name, *found) for part in _with_parents(module)} - done
    return files


def _file(module: str, package: Path) -> Path | None:
    first, *rest = module.split(".")
    if first != package.name:
        return None
    base = package.joinpath(*rest)
    return next((path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()), None)


def _with_parents(module: str) -> Iterator[str]:
    """`a.b.c` runs `a` and `a.b` first."""
    while module:
        yield module
        module = module.rpartition(".")[0]


@cache
def _imported(text: str, inside: str) -> tuple[str, ...]:
    """What a module of that text imports."""
    return tuple(_imports(ast.parse(text), inside))


def _imports(tree: ast.Module, inside: str) -> Iterator[str]:
    """What a module in the package `inside` imports, wherever it does; names in modules are among them."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = inside.split(".")[: inside.count(".") + 2 - node.level] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            todo += node.orelse
        else:
            todo += (child for child in ast.iter_child_nodes(node) if isinstance(child, BLOCKS))


def _content(files: Iterable[Path], root: Path | None = None) -> str:
    """A short hash of the files' contents and of their names below `root`."""
    digest = hashlib.sha256()
    for file in sorted(file for file in files if file.is_file()):
        name = file.name if root is None else file.relative_to(root).as_posix()
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
