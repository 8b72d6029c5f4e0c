# SPDX-License-Identifier: Apache-2.0
"""README.md: what its reader types does what it shows."""

import re
import tomllib
from pathlib import Path

import pytest
from docs_pages import ROOT, check_same, example, needs_a_namespace, pages, run, run_python, says, table

from nsoc.docs.systems import PICTURES
from nsoc.machine import lwip, presets
from nsoc.systems import SYSTEMS

PAGE = "README.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
TOOLS = "Your own tools against the RTL"


def test_its_two_commands_are_targets_of_the_makefile() -> None:
    """CI runs both, in a clone, as they stand there."""
    commands = example(PAGE, "Two commands").commands
    assert commands == ["make demo", "make test"]
    listed = run("make help")
    for command in commands:
        assert f"\n{command} " in f"\n{listed}"
        assert "nsoc demo" in (dry := run(f"{command} -n")) or "pytest" in dry


def test_the_table_has_a_row_for_each_system_and_its_commands_are_those_that_ci_runs() -> None:
    rows = re.findall(r"^\| \[(.+?)\]\(docs/.*$", TEXT.partition("<!-- end -->")[0], re.MULTILINE)
    assert rows == [system.title for system in SYSTEMS]
    shown = re.findall(r"`(nsoc systems --run \w+)`", TEXT.partition("<!-- end -->")[0])
    assert shown == [system.command for system in SYSTEMS if system.command]


def test_a_reader_sees_all_of_it_in_a_minute() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 130
    screen = lines[: lines.index("## Two commands")]
    assert len(screen) <= 30
    for picture in PICTURES.values():
        assert str(picture) in "\n".join(screen) and (ROOT / picture).is_file()


def test_the_python_that_it_asks_for_is_that_of_the_package() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    says(PAGE, f"A machine needs Python {package['requires-python'].removeprefix('>=')}, g++, make and perl.")


def test_ten_lines_of_python_print_what_stands_below_them(tmp_path: Path) -> None:
    code = example(PAGE, "Ten lines of Python", 1)
    lines = [line for line in code.text.splitlines() if line.strip() and not line.startswith("import")]
    assert len(lines) <= 10
    check_same(example(PAGE, "Ten lines of Python", 2), run_python(code.text, tmp_path))


def later() -> str:
    """The command that stands behind `later:`, once `make` has set all up."""
    found = re.search(r"# later: (.*)$", example(PAGE, TOOLS, 1).text.strip())
    assert found is not None
    return found[1]


def test_its_way_in_is_a_target_and_the_same_in_short() -> None:
    (command,) = example(PAGE, TOOLS, 1).commands
    assert run(f"{command} -n").strip().endswith(later())


@pytest.mark.slow
def test_the_soc_answers_as_shown(tmp_path: Path) -> None:
    needs_a_namespace()
    if lwip.source() is None:
        pytest.skip(f"what is shown is with lwIP: {lwip.why_not()}")
    loose = [
        r" +[\d,.]+ ms$",
        r"200 OK, [\d,]+ bytes",
        r"[\d.]+ s simulated in [\d.]+ s",
        r"[\d.]+ MHz, [\d,]+ times",
        r"\d+ frames from Linux, \d+ to",
    ]
    check_same(example(PAGE, TOOLS, 2), run(later(), tmp_path), loose)


def test_the_pages_that_it_lists_are_all_there_are() -> None:
    listed = re.findall(r"\]\((docs/\w[\w-]*\.md)\)", " ".join(map(str, table(PAGE, "Where to read on"))))
    assert sorted(listed) == sorted(page for page in pages() if page.startswith("docs/"))


def test_what_it_says_of_the_presets_holds() -> None:
    rates = [preset.line_mbps for name in presets.names() if (preset := presets.load(name)).top == "lat_node"]
    says(PAGE, f"two engines at {min(rates) // 1000} to {max(rates) // 1000} Gb/s")
    pnic = presets.load("pnic-rice")
    assert pnic.cores == 6
    says(PAGE, f"a programmable {pnic.line_mbps // 1000} Gb/s NIC: six small cores")
