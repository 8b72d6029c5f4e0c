# SPDX-License-Identifier: Apache-2.0
"""docs/protocol.md: its example runs and prints what stands there; its table has every type."""

import re
from pathlib import Path

import pytest

from nsoc.transfer.message import Kind

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_the_example_prints_what_stands_behind_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(compile(found[1], "docs/protocol.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out == found[2]


def test_the_table_names_every_type() -> None:
    rows = re.findall(r"^\| 0x(1\d) \| (\w+) \|", PAGE, re.MULTILINE)
    assert [(int(number, 16), name.upper()) for number, name in rows] == [(kind.value, kind.name) for kind in Kind]
