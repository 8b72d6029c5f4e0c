# SPDX-License-Identifier: Apache-2.0
"""Published figures, a TOML file for each publication or bench in this folder, and their one reader."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from nsoc.errors import NsocError

FOLDER = Path(__file__).parent


@cache
def load(file: str) -> dict[str, Any]:
    """A file of published figures."""
    return tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))


def at(where: str) -> Any:
    """The value at `FILE:TABLE.KEY`. Keys may have dots in them, as numbers of tables have."""
    file, _, path = where.partition(":")
    value: Any = load(file)
    while path:
        known = [name for name in value if path == name or path.startswith(f"{name}.")]
        if not known:
            raise NsocError(f"there is nothing at {where} in the folder published/: correct the file that names it")
        name = max(known, key=len)
        value, path = value[name], path[len(name) + 1 :]
    return value
