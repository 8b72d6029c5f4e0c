# SPDX-License-Identifier: Apache-2.0
"""docs/firmware.md: each example is saved where the page says and run by the command below it.

What they do at every length and when asked often is in tests/system/test_docs_firmware.py.
"""

import re
from pathlib import Path

import pytest
from docs_pages import (
    ROOT,
    check_same,
    defined,
    example,
    needs,
    needs_a_namespace,
    run,
    run_python,
    says,
    table,
    talk,
    tree_with,
)

from nsoc.live import session
from nsoc.machine import lwip, presets, regs

PAGE = "docs/firmware.md"
DRIVER, LWIP, ENGINE = "Twenty lines on the driver", "Twenty lines on lwIP", "Twenty lines on the TCP/IP engine"


def saved(folder: Path, name: str, text: str) -> dict[str, str]:
    """The variables of a tree in which a reader has saved it."""
    says(PAGE, f"Save this as `firmware/apps/{name}.c`")
    return tree_with(folder / "tree", {f"firmware/apps/{name}.c": text})


@pytest.mark.slow
def test_the_one_on_the_driver_answers_arping(tmp_path: Path) -> None:
    needs("arping")
    needs_a_namespace()
    (command,) = example(PAGE, DRIVER, 2).commands
    printed = run(command, tmp_path, variables=saved(tmp_path, "who_has", example(PAGE, DRIVER, 1).text))
    assert len(re.findall("02:00:00:00:00:02", printed)) == 3, printed


@pytest.mark.slow
@pytest.mark.skipif(lwip.source() is None, reason="lwIP is not here")
def test_the_one_on_lwip_answers_nc(tmp_path: Path) -> None:
    needs("nc")
    needs_a_namespace()
    (command,) = example(PAGE, LWIP, 2).commands
    printed = run(command, tmp_path, variables=saved(tmp_path, "uptime", example(PAGE, LWIP, 1).text))
    assert re.search(r"^up for \d{10} ms$", printed, re.MULTILINE), printed


@pytest.mark.slow
def test_the_one_on_the_engine_answers_nc(tmp_path: Path) -> None:
    needs("nc")
    needs_a_namespace()
    (command,) = example(PAGE, ENGINE, 2).commands
    here = saved(tmp_path, "upper", example(PAGE, ENGINE, 1).text)
    assert "SMALL letters".upper() in talk(command, "SMALL letters\n", "SMALL LETTERS\n", tmp_path, here)


@pytest.mark.slow
def test_the_commands_of_build_and_run_do(tmp_path: Path) -> None:
    """The first two end when it is quiet, the others by Ctrl-C."""
    needs_a_namespace()
    quiet, with_frames, live, gdb = example(PAGE, "Build and run", 1).commands
    here = saved(tmp_path, "who_has", example(PAGE, DRIVER, 1).text)
    assert run(quiet, tmp_path, variables=here) == "who_has: ready\n"

    frame = "ff ff ff ff ff ff 02 00 00 00 00 01 08 06 00 01 08 00 06 04 00 01"
    frame += " 02 00 00 00 00 01 0a 00 00 01 00 00 00 00 00 00 0a 00 00 02"
    run(f"nsoc run who_has --send '{frame}' --capture in.pcap", tmp_path, variables=here)
    printed = run(with_frames, tmp_path, variables=here)
    assert "02:00:00:00:00:02 > 02:00:00:00:00:01  type 0x0806" in printed
    assert (tmp_path / "out.pcapng").stat().st_size > 0

    assert "10.0.0.1/24" in talk(live, "", "ready", tmp_path, here)
    assert gdb == "nsoc gdb who_has"
    talk(f"{gdb} --port 0 2>&1", "", "target remote", tmp_path, here)


def test_the_one_in_python_prints_what_the_firmware_says(tmp_path: Path) -> None:
    check_same("Hello from the N-SoC.\n", run_python(example(PAGE, "Build and run", 2).text, tmp_path))


def test_what_the_preset_defines_is_listed() -> None:
    given = set(presets.load("nic12-dram").firmware_defines())
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    listed = re.search(r"The preset defines\s(.*?)\. Others", text, re.DOTALL)
    assert listed is not None and set(re.findall(r"`(\w+)`", listed[1])) == given


def test_its_figures_are_those_of_the_sources() -> None:
    assert "__stack_top = ORIGIN(data) + 1M;" in (ROOT / "firmware/lib/link.ld").read_text(encoding="utf-8")
    services = "firmware/apps/toe_net/toe_net.h"
    echo, discard, chargen, iperf = (
        defined(services, f"{name}_PORT") for name in ("ECHO", "DISCARD", "CHARGEN", "IPERF")
    )
    rings = (ROOT / "firmware/lib/toe/toe.h").read_text(encoding="utf-8")
    assert "TOE_IS_LOCAL ? 4096u : 32768u)" in rings and "define TOE_TX_BYTES (2u * TOE_RX_BYTES)" in rings
    says(
        PAGE,
        f"boot ROM, {regs.MEMORIES['boot_rom'].bytes // 1024} KB, through the instruction cache",
        f"wants the program to print `ready` within {session.BOOT_US / 1000:g} ms of simulated time",
        f"direct mapped, {presets.load().icache_bytes // 1024} KB each in most presets",
        "in preset `toe` 4 KB to receive and 8 KB to send for each connection in packet memory",
        "in `toe-1k` 32 KB and 64 KB in DRAM",
        f"echo, discard and chargen (ports {echo}, {discard}, {chargen}, TCP and UDP)",
        f"an iperf 2 server ({iperf}, TCP and UDP)",
    )
    where = {row[0]: row[1] for row in table(PAGE, "Where code and data lie")}
    assert where["data, bss, `.noinit`, stack"].startswith("first megabyte of DRAM")
    assert where["packet buffers"].startswith("the local packet memory")
