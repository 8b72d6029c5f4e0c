# SPDX-License-Identifier: Apache-2.0
"""docs/api.md: its script runs. tests/unit/docs compares the generated parts with the sources."""

import re
from pathlib import Path

from docs_pages import example, run, says

from nsoc.docs import api

PAGE, SECTION = "docs/api.md", "The public interface in Python"


def test_its_script_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(example(PAGE, SECTION).text, encoding="utf-8")
    presets, answered, *figures = run("python script.py", tmp_path).splitlines()
    assert "'nic12-fast'" in presets and re.fullmatch(r"\d+\.\d us", answered)
    assert any(re.fullmatch(r"normal rtt_cycles [\d.]+ cycles", figure) for figure in figures), figures


def test_everything_public_has_a_place() -> None:
    for path in api.public():
        says(PAGE, path)
