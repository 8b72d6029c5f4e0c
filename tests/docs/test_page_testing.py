# SPDX-License-Identifier: Apache-2.0
"""docs/testing.md: targets, folders, options and counts are those of the tree."""

import re

from docs_pages import ROOT, says, table

PAGE = "docs/testing.md"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def test_each_target_is_one_of_the_makefile_and_asks_what_its_marks_say() -> None:
    rows = [row[0].strip("`").removeprefix("make ") for row in table(PAGE, "Testing: what each target asks")]
    phony = set(re.findall(r"[\w-]+", MAKEFILE.split(".PHONY:")[1].splitlines()[0]))
    assert {row.split()[0] for row in rows} <= phony
    assert 'test-slow: $(VENV)/test.stamp\n\t@$(BIN)/pytest $(WORKERS) $(ENDS) -m "slow and not long"' in MAKEFILE
    assert 'test: $(VENV)/test.stamp\n\t@$(BIN)/pytest $(WORKERS) $(ENDS) -m "not slow and not long"' in MAKEFILE
    (mutate,) = [row.split("ARGS=")[1] for row in rows if "ARGS=" in row]
    assert f'"{mutate}"' in text("tests/formal/run.py")


def test_what_lands_is_what_ci_runs() -> None:
    steps = re.findall(r"^(?:WITHOUT=(\S+) )?step \"(.+?)\"", text(".ci/run"), re.MULTILINE)
    of_readme, others = [name for name in steps if "${" in name[1]], [name for _, name in steps if "${" not in name]
    assert [(without, name[2:6]) for without, name in of_readme] == [("apt-get", "demo"), ("", "demo"), ("", "test")]
    assert others == ["extras", "tests that were skipped", "make lint", "make formal", "make test-slow"]
    targets = ", ".join(f"`{name}`" for name in others if name.startswith("make"))
    says(
        PAGE,
        "1. README's two commands as they stand there, `make demo` also without `apt-get`",
        "2. The extras", "3. The tests that step 1 skipped", f"4. {targets}.",
    )  # fmt: skip


def test_each_folder_of_the_table_is_there() -> None:
    rows = [row[0].strip("`/") for row in table(PAGE, "Tests")]
    there = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert set(rows) == there


def test_options_and_counts_are_those_of_the_tests() -> None:
    cases = [
        name
        for source in (ROOT / "tests/support/sockets").glob("*.c")
        for name in re.findall(r"CASE\((\w+)\)", source.read_text(encoding="utf-8"))
    ]
    random = text("tests/unit/nic/test_nic_mac_random.py")
    events = re.search(r'"NSOC_RANDOM_FRAMES", "(\d+)"', random)
    seeds = re.search(r"seeds\(ASKED or (\d+), ASKED or (\d+)\)", random)
    assert events and seeds
    few, many = (int(events[1]) * int(count) for count in seeds.groups())
    mutants = text("tests/mutants.py")
    drawn = {3: "Three"}[int(re.search(r'"--per-file", [^)]*default=(\d)', mutants)[1])]  # type: ignore[index]
    says(
        PAGE,
        f"one program of {len(cases)} cases runs there and on the SoC",
        f"{few:,} carrier events, {many:,} in the long run",
        f"{drawn} a file are drawn with a fixed seed",
        "`NSOC_RANDOM_SEEDS=100` asks for more",
    )
    assert all(f'"{option}"' in mutants for option in ("--list", "--file"))
    assert all(f'"{option}"' in text("tests/formal/run.py") for option in ("--list", "--only", "--all"))
    assert "NSOC_RANDOM_SEEDS" in random


def test_files_that_it_names_are_there() -> None:
    found = re.findall(r"`((?:tests|unit|support|system|live|build)/[\w/.*-]+)`", text(PAGE))
    assert len(found) > 8
    for name in found:
        if not name.startswith("build/"):
            folder = ROOT if name.startswith("tests/") else ROOT / "tests"
            assert list(folder.glob(name)), name
