# SPDX-License-Identifier: Apache-2.0
"""The text of SystemVerilog files, for tests that look for names in it."""

import re
from pathlib import Path


def code(path: Path) -> str:
    """A file without comments and without what stands in strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
