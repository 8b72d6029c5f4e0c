# SPDX-License-Identifier: Apache-2.0
"""docs/presets.md: its file is a preset, its command and its Python show it. tests/unit/docs compares the table."""

import re
from pathlib import Path

import pytest
from docs_pages import ROOT, example, run, says

import nsoc
from nsoc.machine import presets

PAGE, SECTION = "docs/presets.md", "A file of your own"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(example(PAGE, SECTION, 1).text, encoding="utf-8")
    return file


def test_the_file_is_a_preset_as_the_page_says(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    (file,) = re.findall(r'nsoc\.load_preset\("(mine\.toml)"\)', (ROOT / PAGE).read_text(encoding="utf-8"))
    preset, toe = nsoc.load_preset(file), nsoc.load_preset("toe")
    assert preset.connections == 256 and preset.local_memory_bytes == int(example(PAGE, SECTION, 1).text.split()[-1])
    says(PAGE, 'nsoc.load_preset("toe").with_(connections=256)')
    smaller = preset.with_(local_memory_bytes=toe.local_memory_bytes, name="toe", description=toe.description)
    assert smaller == toe.with_(connections=256)


def test_the_command_shows_it(mine: Path) -> None:
    (command,) = example(PAGE, SECTION, 2).commands
    assert re.search(r"^│ connections +│ 256 ", run(command, mine.parent), re.MULTILINE)


def test_kinds_and_sizes_are_those_that_there_are() -> None:
    for top in presets.TOPS:
        says(PAGE, f"`{top}`")
    says(PAGE, "a text with `K`, `M` or `G` behind a whole number: 2^10, 2^20, 2^30")
    assert presets.SIZES == {"K": 2**10, "M": 2**20, "G": 2**30}
