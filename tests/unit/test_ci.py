# SPDX-License-Identifier: Apache-2.0
""".ci/run and .ci/stranger, with a Makefile that only writes down what it was called with."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = """\
<!-- generated: systems -->
| NIC | `nic12-fast`<br>`nsoc systems --run nic` |
| V8 | to come |
| TCP | `toe`<br>`nsoc systems --run tcp` |
<!-- end -->
`nsoc systems --run none`

## Two commands

A machine needs Python.

    make demo ARGS=shown     # show it
    make test     # test it

## Ten lines

    make other
"""
MAKEFILE = """\
demo test lint formal test-slow:
\t@python3 note.py $@ "$(ARGS)"
.venv/hw.stamp:
\t@python3 note.py $@ ""
"""
NOTE = """\
import json, os, sys
folders = os.environ["PATH"].split(":")
home = os.environ["HOME"]
noted = {
    "command": " ".join(sys.argv[1:]).strip(), "environment": dict(os.environ), "folders": folders,
    "programs": os.listdir(folders[-1]), "python": sys.executable,
    "pip.conf": [os.path.exists(f"{home}/{file}") for file in (".config/pip/pip.conf", ".pip/pip.conf")],
}
with open("noted", "a") as file:
    file.write(json.dumps(noted) + "\\n")
sys.exit(os.path.exists(f"fail-{sys.argv[1]}"))
"""
KEPT = {"PIP_INDEX_URL": "file:/index", "SSL_CERT_FILE": "/certificate", "REQUESTS_CA_BUNDLE": "/b", "https_proxy": "p"}
DROPPED = {"CI": "true", "TERM": "xterm", "LWIP_DIR": "/lwip", "NSOC_CACHE": "/cache", "SOMETHING": "else"}

pytestmark = pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="there is no dpkg-query (not Debian)")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clone, the home of its user and a machine whose apt-get only writes down that it was called."""
    tree, home, tools = tmp_path / "clone", tmp_path / "home", tmp_path / "tools"
    shutil.copytree(ROOT / ".ci", tree / ".ci")
    for name, text in (("README.md", README), ("Makefile", MAKEFILE), ("note.py", NOTE)):
        (tree / name).write_text(text, encoding="utf-8")
    (home / ".config" / "pip").mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text("[global]\n", encoding="utf-8")
    tools.mkdir()
    venv = tree / ".venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "activate").write_text(f'PATH="{venv}:$PATH"\n', encoding="utf-8")
    (venv / "nsoc").write_text("#!/bin/sh\nexec python3 note.py nsoc $*\n", encoding="utf-8")
    (venv / "nsoc").chmod(0o755)
    (tools / "apt-get").write_text(f"#!/bin/sh\necho $* >>{tree}/apt\n", encoding="utf-8")
    (tools / "apt-get").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    return tree


def run(tree: Path) -> tuple[int, str, list[dict[str, Any]]]:
    """.ci/run there: exit status, what it printed, and what each call of make was called with."""
    beside = tree.parent
    environment = {
        **KEPT, **DROPPED, "HOME": str(beside / "home"), "PATH": f"{beside / 'tools'}:{os.environ['PATH']}",
        "TMPDIR": str(beside / "tmp"),
    }  # fmt: skip
    done = subprocess.run(
        [tree / ".ci" / "run"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    noted = [json.loads(line) for line in (tree / "noted").read_text(encoding="utf-8").splitlines()]
    assert not [*(beside / "tmp").iterdir()], "nothing is left"
    return done.returncode, done.stdout, noted


def test_the_commands_of_readme_run_first_and_see_what_a_new_machine_has(tree: Path) -> None:
    status, said, noted = run(tree)
    assert status == 0, said
    assert [one["command"] for one in noted] == [
        "demo shown", "demo shown", "test", "nsoc systems --run nic", "nsoc systems --run tcp", ".venv/hw.stamp",
        "test --from-skipped", "lint", "formal", "test-slow",
    ]  # fmt: skip
    table = [line.split(" s  ")[1] for line in said.splitlines() if " s  " in line]
    assert table[0] == "make demo ARGS=shown without apt-get" and table[1:3] == ["make demo ARGS=shown", "make test"]
    assert table[3:5] == ["nsoc systems --run nic", "nsoc systems --run tcp"]
    assert table[5:] == ["extras", "tests that were skipped", "make lint", "make formal", "make test-slow"]
    users = {one["environment"]["HOME"] for one in noted[5:]}
    assert users == {str(tree.parent / "home")}
    for one in noted[:5]:
        environment = one["environment"]
        assert KEPT.items() <= environment.items() and not {*DROPPED} & {*environment}
        assert environment["HOME"] not in users and environment["UV_CACHE_DIR"].startswith(environment["HOME"])
        assert one["pip.conf"] == [True, False]
        assert {"python3", "g++", "gcc", "as", "ld", "ar", "ranlib", "make", "perl", "git", "sh"} <= {*one["programs"]}
        assert not {"curl", "cmake", "pip", "pytest", "nsoc", "dpkg-buildpackage"} & {*one["programs"]}
        assert Path(one["python"]).exists(), "not in the folder that is gone: a venv remembers it"
    assert [len(one["folders"]) for one in noted[:5]] == [1, 1, 1, 2, 2], "of the machine, and of the venv"
    assert ["apt-get" in one["programs"] for one in noted[:3]] == [False, True, True]
    if os.geteuid():
        assert "Only root can install" in said and not (tree / "apt").exists()


@pytest.mark.parametrize("failing", ["demo", "lint"])
def test_what_fails_is_named_and_ends_the_run(tree: Path, failing: str) -> None:
    (tree / f"fail-{failing}").touch()
    status, said, noted = run(tree)
    assert status != 0 and noted[-1]["command"].startswith(failing)
    assert said.rstrip().splitlines()[-1].startswith(f".ci/run: 'make {failing}") and said.rstrip().endswith("failed")


def test_a_readme_with_other_commands_is_refused(tree: Path) -> None:
    (tree / "README.md").write_text(README.replace("    make test", "make test"), encoding="utf-8")
    (tree / "noted").touch()
    status, said, noted = run(tree)
    assert status == 1 and "README's section 'Two commands' has 1 commands" in said and not noted
