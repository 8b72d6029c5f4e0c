# SPDX-License-Identifier: Apache-2.0
"""firmware/lib/libc as a library: there is one, a page lists what it has, and no function comes to call itself."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import ROOT
from libc_native import FILES, LIB, declared
from net_native import LIBC

from nsoc.machine import firmware


def test_there_is_one_c_library_and_a_page_lists_what_it_has() -> None:
    page = (ROOT / "docs" / "firmware.md").read_text(encoding="utf-8")
    found = {}
    for header in ("string.h", "stdio.h", "stdlib.h"):
        assert [*(ROOT / "firmware").rglob(header)] == [LIB / "libc" / header]
        (row,) = re.findall(rf"^\| `<{header}>` \| (.*) \|$", page, re.MULTILINE)
        found[header] = sorted(re.findall(r"`(\w+)`", row))
        assert found[header] == sorted(declared(header))
    assert sorted(name for names in found.values() for name in names) == sorted(LIBC)


def calls(assembly: str) -> Iterator[tuple[str, str]]:
    """Pairs of functions, of which the first calls the second or goes on there."""
    function = ""
    call = re.compile(r"\s+(?:call|tail|j|jal)\s+(?:\w+, *)?([a-z_]\w*)(?:@plt)?$")
    for line in assembly.splitlines():
        if begun := re.match(r"(\w+):", line):
            function = begun[1]
        elif called := call.match(line.split("#")[0].rstrip()):
            yield function, called[1]


@pytest.mark.parametrize("optimization", ["-O2", "-Os"])
@pytest.mark.parametrize("toolchain", ["zig", "gcc"])
def test_no_function_comes_to_call_itself(tmp_path: Path, toolchain: str, optimization: str) -> None:
    """A compiler takes a loop that fills memory for memset, in memset too, unless it is told not to."""
    target = firmware.ARCHITECTURES["rv32"]
    if toolchain == "gcc" and not has_gcc():
        pytest.skip(f"no {target.gcc}")
    options = target.zig_flags if toolchain == "zig" else target.gcc_flags
    found: dict[str, set[str]] = {}
    for file in FILES:
        command = [
            *firmware.compiler(toolchain, target), *firmware.COMMON_FLAGS, "-g0", optimization, *options, f"-I{LIB}",
            f"-I{LIB / 'libc'}", f"-I{LIB.parent / 'arch'}", f"-I{LIB.parent / 'arch' / target.folder}", "-S", file,
            "-o", tmp_path / "out.s",
        ]  # fmt: skip
        subprocess.run(command, check=True, env=firmware.zig_environment(), stderr=subprocess.DEVNULL)
        for caller, called in calls((tmp_path / "out.s").read_text()):
            found.setdefault(caller, set()).add(called)
    assert "memcpy" in found["strcpy"], "calls are seen"
    assert not {"memcpy", "memmove", "memset", "memcmp"} & found.keys()
    reached = {name: {*called} for name, called in found.items()}
    for _ in reached:
        for called in reached.values():
            called |= {further for name in called for further in reached.get(name, ())}
    assert [name for name, called in reached.items() if name in called] == []


def has_gcc() -> bool:
    try:
        firmware.compiler("gcc", firmware.ARCHITECTURES["rv32"])
    except firmware.NsocError:
        return False
    return True
