# SPDX-License-Identifier: Apache-2.0
"""What is published of image transfers, and what this project wants of them: published/images.toml."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "published" / "images.toml"


@cache
def figures() -> dict[str, Any]:
    """The whole file; throughputs in Mb/s as printed."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
