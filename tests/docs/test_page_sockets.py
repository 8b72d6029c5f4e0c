# SPDX-License-Identifier: Apache-2.0
"""docs/sockets.md: its program is saved where the page says and run by the commands below it, here and on the SoC.

The tables of cycles are compared in tests/system/test_sockets.py.
"""

import re
from pathlib import Path

import pytest
from docs_pages import ROOT, defined, example, needs, needs_a_namespace, run, says, table, talk, tree_with

PAGE = "docs/sockets.md"
ON_SOC, ON_LINUX = range(2)


@pytest.fixture
def shout() -> str:
    says(PAGE, "Save this as `firmware/apps/shout.c`")
    return example(PAGE, "Twenty lines", 1).text


@pytest.mark.slow
def test_twenty_lines_answer_nc_on_the_soc(shout: str, tmp_path: Path) -> None:
    needs("nc")
    needs_a_namespace()
    command = example(PAGE, "Twenty lines", 2).commands[ON_SOC]
    assert command == "nsoc up --preset toe --firmware shout -- nc 10.0.0.2 7000"
    here = tree_with(tmp_path / "tree", {"firmware/apps/shout.c": shout})
    assert "SMALL LETTERS\n" in talk(command, "small letters\n", "SMALL LETTERS\n", tmp_path, here)


def test_the_same_is_a_program_for_linux(shout: str, tmp_path: Path) -> None:
    """In a namespace, so that its port is not anybody else's."""
    needs("nc", "unshare", "ip", "cc")
    needs_a_namespace()
    command = example(PAGE, "Twenty lines", 2).commands[ON_LINUX]
    assert command == "cc shout.c -o shout && ./shout"
    (tmp_path / "shout.c").write_text(shout, encoding="utf-8")
    script = f"""ip link set lo up
        coproc SHOUT {{ {command}; }}
        read -r line <&"${{SHOUT[0]}}"; echo "$line"
        echo 'small letters' | nc -N 127.0.0.1 7000"""
    (tmp_path / "script").write_text(script, encoding="utf-8")
    printed = run("unshare --map-root-user --net --pid --fork --kill-child bash script", tmp_path)
    assert printed == "shout: ready\nSMALL LETTERS\n"


def test_its_figures_are_those_of_the_sources() -> None:
    lib = "firmware/lib/socket"
    direct = defined("firmware/lib/toe/toe.h", "TOE_DIRECT_BYTES")
    cases = sum(
        len(re.findall(r"CASE\(\w+\)", source.read_text(encoding="utf-8")))
        for source in (ROOT / "tests/support/sockets").glob("*.c")
    )
    datagrams, ports = (defined(f"{lib}/datagram.c", name) for name in ("DATAGRAMS", "PORTS"))
    assert "TOE_UDP_LONGEST = 1472," in (ROOT / "firmware/lib/toe/toe_udp.h").read_text(encoding="utf-8")
    at_once = defined(f"{lib}/socket_internal.h", "AT_ONCE")
    says(
        PAGE,
        f"A datagram has 1472 bytes at most; {datagrams} wait for all sockets together, and {ports} ports are open.",
        f"are {defined(f'{lib}/netdb.c', 'RESULTS')} entries at most: `EAI_MEMORY`",
        f"Copies of more than {at_once} bytes are made outside of it",
        f"rings of {direct // 1024} KB each way beside it",
        f"`tests/support/sockets/*.c` are {cases} cases in one program",
    )
    headers = [header for row in table(PAGE, "What there is") for header in re.findall(r"`<([\w/.]+)>`", row[0])]
    there = {str(path.relative_to(ROOT / lib / "include")) for path in (ROOT / lib / "include").rglob("*.h")}
    assert there <= {*headers}, there - {*headers}
