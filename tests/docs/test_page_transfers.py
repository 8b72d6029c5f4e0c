# SPDX-License-Identifier: Apache-2.0
"""docs/transfers.md: its commands print what it shows, its figures are those of the protocol's ends."""

import random
from pathlib import Path

import live
import pytest
from docs_pages import ROOT, check_same, check_words, example, run, run_python, says, table

from nsoc.live.interface import SLOWNESS
from nsoc.transfer.end import PATIENCE_US

PAGE = "docs/transfers.md"
SIZES = {"lake.jpg": 349_022, "texts/LICENSE": 11_358, "texts/NOTICE": 6_959}
"""Of the files of the reader; their bytes are made up, which moves the figures in the last digit."""
WIDE = {"COLUMNS": "120"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, size in SIZES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(random.Random(name).randbytes(size))
    return tmp_path


def test_a_file_goes_through_a_soc_as_shown(files: Path) -> None:
    (command,) = example(PAGE, "Through a SoC and back", 1).commands
    check_words(example(PAGE, "Through a SoC and back", 2), run(command, files, variables=WIDE))


@pytest.mark.slow
def test_files_and_a_folder_go_into_a_soc_as_shown(files: Path) -> None:
    (command,) = example(PAGE, "Into a SoC", 1).commands
    check_words(example(PAGE, "Into a SoC", 2), run(command, files, variables=WIDE))


@pytest.mark.slow
def test_a_file_comes_out_of_a_soc_as_shown(files: Path) -> None:
    (command,) = example(PAGE, "Out of a SoC", 1).commands
    check_words(example(PAGE, "Out of a SoC", 2), run(command, files, variables=WIDE))
    assert (files / "back.jpg").read_bytes() == (files / "lake.jpg").read_bytes()


@pytest.mark.slow
def test_a_file_goes_through_an_interface_and_comes_back(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With patience for a busy machine, as the page advises."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    send, get = example(PAGE, "Behind an interface", 1).commands
    with live.up(["--firmware", "sink"]):
        for command in (send, get):
            assert "1 of 1 delivered" in run(f"{command} --timeout 60000", files)
    assert (files / "back.jpg").read_bytes() == (files / "lake.jpg").read_bytes()


@pytest.mark.slow
def test_the_network_in_python_prints_what_stands_below_it(tmp_path: Path) -> None:
    check_same(example(PAGE, "From SoC to SoC", 2), run_python(example(PAGE, "From SoC to SoC", 1).text, tmp_path))


def test_its_options_and_figures_are_those_of_the_commands() -> None:
    options = run("nsoc send --help", variables=WIDE)
    for row in table(PAGE, "Through a SoC and back"):
        for option in ("--gap", "--burst", "--pause", "--window"):
            assert option not in row[2] or option in options
    for option in ("--station", "--socs", "--timeout", "--capture", "--log", "--replay", "--receiver", "--wrong-bytes"):
        assert option in options
    says(PAGE, f"Both ends give up after {PATIENCE_US / 1e6:g} s in which nothing new came")
    assert SLOWNESS == 100
    says(PAGE, "are a hundred times as long")
    assert [row[0] for row in table(PAGE, "Through a SoC and back")] == ["1", "2", "3", "4 (default)"]
    console = (ROOT / "firmware/lib/transfer/console.c").read_text(encoding="utf-8")
    commands = ", ".join(row[0].strip("`") for row in table(PAGE, "From SoC to SoC"))
    assert f'"{commands}\\n"' in console
