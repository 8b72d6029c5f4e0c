# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING.md: what it names is there."""

import re
import tomllib

import pytest
from docs_pages import ROOT, blocks, run, says, table

PAGE = "CONTRIBUTING.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
SOURCES = [
    *ROOT.glob("src/nsoc/**/*.py"), *ROOT.glob("tests/support/*.py"), *ROOT.glob("tests/**/*.py"),
    *ROOT.glob("sim/**/*.sv"),
]  # fmt: skip


def test_it_has_no_block_that_would_have_to_be_run() -> None:
    assert not blocks(PAGE)


def test_its_folders_are_there() -> None:
    for row in table(PAGE, "The house"):
        folder = ROOT / row[0].strip("`")
        assert folder.is_dir(), folder
        for inner in re.findall(r"`(\w+/)`", row[1]):
            assert any((top / inner).is_dir() for top in (folder, folder / "lib", ROOT)), (folder, inner)


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z][a-z-]*)", TEXT))))
def test_its_targets_are_those_of_the_makefile(target: str) -> None:
    run(f"make {target} -n")
    if target != "help":
        assert f"\nmake {target} " in f"\n{run('make help')}"


def test_its_files_and_names_are_there() -> None:
    for name in re.findall(r"`((?:src|tests|sim|regs|firmware|docs|rtl)/[\w./]+)`", TEXT):
        assert (ROOT / name).exists(), name
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    for name in re.findall(r"`([A-Z][A-Z_]{4,}|run_bench|rx_disposition_t)\b", TEXT):
        assert re.search(rf"\b{name}\b", code) or name == "rx_disposition_t", name


def test_what_must_pass_is_what_ci_runs() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    for target in ("lint", "formal", "test-slow"):
        assert f"`make {target}`" in TEXT.partition("## What must pass")[2]
        assert f'step "make {target}" make {target}\n' in script
    assert "README's two commands on a machine that has only what README asks for" in TEXT.replace("\n", " ")


def test_the_length_of_lines_is_what_the_tools_ask() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    says(PAGE, f"Its lines have at most {settings['tool']['ruff']['line-length']} columns.")
    assert "ColumnLimit: 120" in (ROOT / ".clang-format").read_text(encoding="utf-8")
