# SPDX-License-Identifier: Apache-2.0
"""Each option of each command, with values that cannot be: one sentence on it before anything is built."""

import inspect
import subprocess
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nsoc.cli import app, call
from nsoc.cli.bench import bench_app
from nsoc.cli.common import _FAULT_OPTIONS

NEEDED = {
    "run": ["hello"], "send": ["notes.txt"], "get": ["--load", "notes.txt"], "sweep": ["cpu_mhz=40"], "boot": ["hello"],
    "enter": ["true"],
}  # fmt: skip
"""Arguments that a command wants in any case."""

QUICK = ("run", "gdb", "sweep", "latency")
"""What every test run tries; the other commands, too, are tried by the slow one."""
NEED_A_RUNNING_UP = ("boot", "console", "enter", "toe")

FLOATS = ("", "abc", "nan", "-inf", "1e30", "-1")
INTEGERS = ("", "-1", "1.5", "1e30", "9" * 30)
NAMES = ("abc",)
TEXTS = {
    "preset": NAMES,
    "system": NAMES,
    "firmware": ("abc", "gone.elf", "gone.c", "folder/", "notes.txt"),
    "program": ("", "abc", "gone.elf", "gone.c", "folder/", "notes.txt"),
    "mode": ("", "abc"),
    "payload": ("", "abc", "-1", "nan", "1e30", "64,"),
    "lengths": ("", "abc", "-1", "nan", "1e30", "64,", "9-1"),
    "bytes_": ("", "abc", "-1", "nan", "1e30", "64,"),
    "only": ("", "abc"),
    "table": ("", "abc"),
    "loop": ("", "abc"),
    "target": ("", "abc"),
    "row": ("", "abc"),
    "board": ("abc", "folder"),
    "bench": ("", "abc"),
    "axis": ("", "abc", "cpu_mhz", "cpu_mhz=", "cpu_mhz=nan", "cpu_mhz=1e30", "cpu_mhz=-1", "seed=-1", "queues=sky"),
    "to": ("", "abc", "-1", "nan", "1e30"),
    "size": ("", "abc"),
    "send": ("", "abc", "xyz", "gone.pcap", "folder", "notes.txt"),
    "define": ("", "1", "=1"),
    "burst_loss": ("", "abc", "nan:1", "1:nan", "-1:1", "0.1:inf"),
    "receiver": ("", "abc", "nan:1", "100:nan", "-1:1", "100:inf", "100:1e30"),
    "stall": ("", "abc", "nan:1", "1:nan", "-1:1", "1:inf", "1e30:1", "1:1e30"),
    "down": ("", "abc", "nan:1", "1:nan", "-1:1", "1:inf", "1e30:1", "1:1e30"),
}
INPUTS = {"image": "", "files": "", "load": "", "source": "", "coremark": "", "replay": "", "against": ""}
OUTPUTS = ("out", "capture", "json", "fst", "log", "pcap", "record", "plot", "folder")


def _commands() -> Iterator[tuple[list[str], Callable[..., None]]]:
    for prefix, group in (([], app), (["bench"], bench_app)):
        for command in group.registered_commands:
            assert command.callback is not None
            yield [*prefix, command.name or command.callback.__name__], command.callback


def _values(command: str, name: str, kinds: set[Any]) -> tuple[str, ...]:
    if kinds & {int, list[int]}:
        return INTEGERS
    if float in kinds:
        return FLOATS
    if name in OUTPUTS and not (command == "demo" and name == "out"):
        return ("notes.txt/x",) if command in ("send", "wireshark") else ("notes.txt/x", "folder")
    if name in INPUTS:
        return ("gone",)
    return TEXTS.get(name, ())


def _cases() -> Iterator[Any]:
    for words, callback in _commands():
        for name, parameter in inspect.signature(callback).parameters.items():
            if typing.get_origin(parameter.annotation) is not typing.Annotated:
                continue
            kind, info = typing.get_args(parameter.annotation)
            kinds = {kind, *typing.get_args(kind)}
            options = [word for word in (getattr(info, "param_decls", None) or ()) if word.startswith("--")]
            if name in _FAULT_OPTIONS and words != ["send"]:
                continue  # the same for all
            option = options[0] if options else f"--{name.replace('_', '-')}"
            for value in _values(words[-1], name, kinds):
                if type(info).__name__ == "ArgumentInfo":
                    line = [*words, "--", value]
                else:
                    line = [*words, f"{option}={value}"]
                    line += [] if option in NEEDED.get(words[-1], []) else NEEDED.get(words[-1], [])
                marks = () if words[-1] in QUICK else (pytest.mark.slow,)
                yield pytest.param(line, name, value, id=" ".join(line)[:60], marks=marks)


@pytest.mark.parametrize(("line", "name", "value"), list(_cases()))
def test_a_bad_value_is_one_sentence_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    line: list[str], name: str, value: str,
) -> None:  # fmt: skip
    def ran(*arguments: object, **_: object) -> None:
        raise AssertionError(f"it ran {arguments}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))  # nothing can run but what is built
    monkeypatch.setattr(subprocess, "Popen", ran)
    monkeypatch.setattr(subprocess, "run", ran)
    Path("notes.txt").write_text("some text", encoding="utf-8")
    Path("folder").mkdir()
    status = call(line)
    out, err = capfd.readouterr()
    assert (status in (1, 2), out) == (True, ""), (status, out, err)
    assert err.startswith("nsoc: ") and err.count("\n") == 1 and "it ran" not in err and "Traceback" not in err
    words = (
        name.rstrip("_").replace("_", "-"),
        name.upper(),
        f"[{name[0].upper()}]",
        repr(value),
        value or "''",
        value.partition("=")[0] or "''",
    )
    if line[0] not in NEED_A_RUNNING_UP or "nsoc up" not in err:
        assert any(word in err for word in words), err
