# SPDX-License-Identifier: Apache-2.0
"""`nsoc gdb --ide`: GDB takes its .gdbinit, the compiler each of its commands, and nothing is overwritten."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import needs
import pytest

import nsoc
from nsoc.machine import firmware
from nsoc.machine.gdb import GdbServer, SocTarget

NAMES = [".gdbinit", ".vscode/launch.json", "compile_commands.json"]


def ide(folder: Path, *arguments: str) -> str:
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "nsoc", "gdb", "--ide", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_commands(folder: Path, least: int) -> None:
    """Each compiles its file, as far as that says something about the text."""
    rows = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    assert len(rows) == len({row["file"] for row in rows}) >= least
    for row in rows:
        assert Path(row["file"]).is_file() and row["file"] in row["arguments"]
        done = subprocess.run(
            [*row["arguments"], "-fsyntax-only", "-Werror", "-Wno-unused-command-line-argument"],
            cwd=row["directory"], capture_output=True, text=True, env=firmware.zig_environment(), check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_files_are_written_and_none_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "launch.json").write_text("mine", encoding="utf-8")
    said = ide(tmp_path, "hello", "--port", "4444")
    assert said.splitlines() == [
        "wrote .gdbinit", ".vscode/launch.json is there already, and stays as it is", "wrote compile_commands.json",
    ]  # fmt: skip
    assert (tmp_path / ".vscode" / "launch.json").read_text(encoding="utf-8") == "mine"
    before = [(tmp_path / name).read_bytes() for name in NAMES]
    assert ide(tmp_path, "forward").count("there already") == 3
    assert [(tmp_path / name).read_bytes() for name in NAMES] == before
    assert "target remote localhost:4444" in (tmp_path / ".gdbinit").read_text(encoding="utf-8")


@pytest.mark.slow
def test_launch_json_is_what_cppdbg_wants(tmp_path: Path) -> None:
    ide(tmp_path, "hello")
    launch = json.loads((tmp_path / ".vscode" / "launch.json").read_text(encoding="utf-8"))
    (one,) = launch["configurations"]
    assert (launch["version"], one["type"], one["request"], one["MIMode"]) == ("0.2.0", "cppdbg", "launch", "gdb")
    assert one["miDebuggerServerAddress"] == "localhost:3333" and one["name"] and one["cwd"]
    assert Path(one["program"]).read_bytes()[:4] == b"\x7fELF"


@pytest.mark.slow
def test_of_an_elf_file_nobody_knows_how_it_was_compiled(tmp_path: Path) -> None:
    elf = firmware.build("hello")
    assert "compile_commands" not in ide(tmp_path, str(elf))
    assert f"file {elf}\n" in (tmp_path / ".gdbinit").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["hello"], ["net"], ["--preset", "pnic-rice"]])
def test_each_command_compiles_its_file(tmp_path: Path, arguments: list[str]) -> None:
    ide(tmp_path, *arguments)
    check_commands(tmp_path, 2)


@pytest.mark.slow
@needs.gdb
def test_gdb_takes_the_file(tmp_path: Path) -> None:
    with nsoc.Soc("nic12-fast", "hello", checks=True) as soc:
        server = GdbServer(SocTarget(soc), 0)
        ide(tmp_path, "hello", "--port", str(server.port))
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        commands = ["break main", "continue", "bt", "help reset", "kill"]
        done = subprocess.run(
            ["gdb-multiarch", "-nx", "-batch", "-x", ".gdbinit", *(f"-ex={command}" for command in commands)],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        thread.join(60)
        server.close()
        said = done.stdout + done.stderr
        assert re.search(r"#0  main \(\) at .*hello.c", said) and "User-defined" in said, said
