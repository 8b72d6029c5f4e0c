# SPDX-License-Identifier: Apache-2.0
"""tests/support/skipped.py, needs.py and environment.py: which tests skipped, how they run again, what they see."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import environment
import needs
import pytest
import skipped

SUPPORT = Path(skipped.__file__).parent
CONFTEST = """\
import os
from pathlib import Path
import pytest, skipped, environment

skipped.FILE = Path("build/skipped.json")

def pytest_addoption(parser):
    skipped.add_option(parser)

def pytest_configure(config):
    again = skipped.before(config)
    if again is not None:
        skipped.only_their_files(config, again)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(skipped.Skipped(skipped.FILE if again is None else None, again))

def pytest_sessionstart():
    environment.set_for_tests()

def pytest_collection_modifyitems(config, items):
    if (names := skipped.before(config)) is not None:
        skipped.select(config, items, names)

tool = pytest.mark.skipif("TOOL" not in os.environ, reason="TOOL is missing")
"""
TESTS = """\
import os
import pytest
from conftest import tool

def test_that_runs(): pass

@tool
@pytest.mark.parametrize("x", ["a b", "a::b [c]"])
def test_with_a_mark(x): pass

@pytest.fixture(scope="module")
def started():
    if "TOOL" not in os.environ: pytest.skip("the fixture wants TOOL")

def test_with_a_fixture(started): pass

def test_that_says_so_itself(): pytest.skip("never here")

@pytest.mark.xfail
def test_expected_to_fail(): assert False

@tool
@pytest.mark.slow
def test_slow(): pass
"""
WHOLE_FILE = """\
import pytest
pytest.importorskip("a_package_that_is_not_there") if "TOOL" not in __import__("os").environ else None
def test_one(): pass
def test_two(): pass
"""
NAMES = [
    "test_a.py::test_that_says_so_itself", "test_a.py::test_with_a_fixture", "test_a.py::test_with_a_mark[a b]",
    "test_a.py::test_with_a_mark[a::b [c]]", "test_b.py",
]  # fmt: skip
WORKERS = ("-n", "2", "--dist", "loadfile")


@pytest.fixture(params=[(), WORKERS], ids=["alone", "workers"])
def workers(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return tuple(request.param)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in (("conftest.py", CONFTEST), ("test_a.py", TESTS), ("test_b.py", WHOLE_FILE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n", encoding="utf-8")
    return tmp_path


def run(tree: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """pytest in that tree, as `make test` runs it: its exit status and what it printed."""
    # The folder of all users' runs would get its rights anew, while other tests rely on them.
    own_folders = ("-p", "no:cacheprovider", f"--basetemp={tree / 'tmp'}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist.plugin", *own_folders, "-m", "not slow", *arguments]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    own |= {"PYTHONPATH": str(SUPPORT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tree, env={**own, **variables}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def file(tree: Path) -> dict[str, str]:
    return dict(json.loads((tree / "build" / "skipped.json").read_text(encoding="utf-8")))


def test_names_and_reasons_of_what_skips_are_kept_and_exactly_that_runs_again(
    tree: Path, workers: tuple[str, ...]
) -> None:
    status, said = run(tree, *workers)
    assert status == 0 and sorted(file(tree)) == NAMES, said
    reasons = file(tree)
    assert reasons["test_a.py::test_with_a_mark[a b]"] == "TOOL is missing"
    assert reasons["test_a.py::test_with_a_fixture"] == "the fixture wants TOOL"
    assert "a_package_that_is_not_there" in reasons["test_b.py"]
    assert "Skipped 5, build/skipped.json has the names:" in said and re.search(
        r"^ +2 TOOL is missing$", said, re.MULTILINE
    )
    assert re.search(r"^1 passed, 5 skipped,.* 1 xfailed in ", said, re.MULTILINE), "pytest's own last line"

    status, said = run(tree, *workers, "--from-skipped", TOOL="1")
    assert status == 0 and file(tree) == reasons, said
    assert "Skipped before 5, of them run now 4, skipped again 1\n    1 never here" in said
    assert "5 passed, 1 skipped" in said, "two of them in the file that skipped as a whole"


def again(tree: Path, names: dict[str, str], tests: str = TESTS) -> tuple[int, str]:
    (tree / "test_a.py").write_text(tests, encoding="utf-8")
    (tree / "build").mkdir()
    (tree / "build" / "skipped.json").write_text(json.dumps(names), encoding="utf-8")
    return run(tree, *WORKERS, "--from-skipped", TOOL="1")


def test_what_runs_again_and_fails_fails_the_run(tree: Path) -> None:
    failing = TESTS.replace("def test_with_a_mark(x): pass", "def test_with_a_mark(x): x.no")
    status, said = again(tree, dict.fromkeys(NAMES, ""), failing)
    assert status == 1 and "2 failed, 3 passed, 1 skipped" in said


def test_a_name_that_is_gone_fails_the_run(tree: Path) -> None:
    names = dict.fromkeys([*NAMES, "test_that_is_gone.py"], "")
    status, said = again(tree, names, TESTS.replace("test_with_a_fixture", "test_by_another_name"))
    assert status == 1 and "There is no test of this name any more: test_a.py::test_with_a_fixture" in said
    assert "Skipped before 6, of them run now 3, skipped again 1" in said


@pytest.mark.parametrize("left", [{}, {"test_b.py": "as a whole"}], ids=["nothing", "a file"])
def test_nothing_to_run_again_is_no_failure(tree: Path, left: dict[str, str]) -> None:
    (tree / "test_b.py").write_text("import pytest\npytest.skip('as a whole', allow_module_level=True)\n")
    status, said = again(tree, left)
    assert status == 0 and f"Skipped before {len(left)}, of them run now 0, skipped again {len(left)}" in said, said


def test_before_the_first_run_a_sentence_says_what_to_run(tree: Path) -> None:
    status, said = run(tree, "--from-skipped")
    assert status == 4 and "--from-skipped needs build/skipped.json, which `make test` writes" in said
    assert "Traceback" not in said


def test_a_mark_names_what_is_missing_and_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert needs.packages("pytest").args == (False,) and needs.program("sh").args == (False,)
    gone = needs.packages("pytest", "no_such_one")
    assert gone.args == (True,) and gone.kwargs["reason"] == "no_such_one is not installed (`make .venv/hw.stamp`)"
    both = needs.packages("no_such_one", "nor_this").kwargs["reason"]
    assert both == "no_such_one and nor_this are not installed (`make .venv/hw.stamp`)"
    monkeypatch.setenv("PATH", "")
    gone = needs.program("nc")
    assert gone.args == (True,)
    assert gone.kwargs["reason"] == "nc is not installed (Debian: apt-get install netcat-openbsd)"


def test_tests_see_the_same_environment_everywhere(tree: Path) -> None:
    (tree / "test_a.py").write_text(
        "import os, time\n"
        "from rich.console import Console\n"
        "def test_it():\n"
        f"    assert not {{*os.environ}} & {{*{environment.UNSET!r}}}\n"
        f"    assert {environment.SET!r}.items() <= os.environ.items()\n"
        "    assert time.tzname == ('UTC', 'UTC') and Console(width=None).width == 80\n"
        "    assert Console(force_terminal=True).color_system == '256'\n"
    )
    users = {"TERM": "dumb", "NO_COLOR": "1", "FORCE_COLOR": "1", "COLUMNS": "40", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    status, said = run(tree, "test_a.py", **users)
    assert status == 0, said


def test_this_run_has_it_too() -> None:
    assert environment.SET.items() <= os.environ.items() and not set(environment.UNSET) & set(os.environ)
