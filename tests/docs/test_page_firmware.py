# SPDX-License-Identifier: Apache-2.0
"""docs/firmware.md: each example is saved where the page says and run by the command below it; beside a peer in
simulated time it does what it should as often as one likes."""

import re
from pathlib import Path

import pytest
from docs_pages import (
    ROOT,
    Block,
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
from net_frames import OUR_MAC, PEER_MAC, arp, ethernet
from socs import TOE

from nsoc.live import session
from nsoc.machine import firmware, lwip, presets, regs
from nsoc.machine.soc import Soc
from nsoc.network.inet import Peer
from nsoc.network.network import Network

PAGE = "docs/firmware.md"
DRIVER, LWIP, ENGINE = "Twenty lines on the driver", "Twenty lines on lwIP", "Twenty lines on the TCP/IP engine"
BOOT_US = 3000
needs_lwip = pytest.mark.skipif(lwip.source() is None, reason="lwIP is not here")


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
@needs_lwip
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


# ---- Beside a peer in simulated time ---------------------------------------------------------------------------------


def test_each_has_twenty_lines() -> None:
    for block in (example(PAGE, DRIVER, 1), example(PAGE, LWIP, 1), example(PAGE, ENGINE, 1)):
        lines = [line.strip() for line in block.text.splitlines()]
        assert len([line for line in lines if line not in ("", "}") and not line.startswith(("//", "#"))]) <= 20


def boot(
    network: Network, name: str, block: Block, folder: Path, preset: str | presets.Preset = presets.DEFAULT
) -> Soc:
    """A SoC that runs the example, without a cable."""
    source = folder / f"{name}.c"
    source.write_text(block.text, encoding="utf-8")
    preset = presets.load_soc(preset)
    elf = firmware.compile_program(name, [source], preset.firmware_defines(), flags=["-Werror"])
    return network.soc(preset, str(elf))


@pytest.mark.slow
def test_the_one_on_the_driver_answers_arp_and_nothing_else(tmp_path: Path) -> None:
    with Network() as network:
        soc, host = boot(network, "who_has", example(PAGE, DRIVER, 1), tmp_path), network.host()
        network.cable(host, soc)
        assert network.run(us=BOOT_US, until=lambda: soc.uart.text == "who_has: ready\n"), soc.uart.text
        question = ethernet(arp(1, PEER_MAC, "10.0.0.1", bytes(6), "10.0.0.2"), 0x0806, b"\xff" * 6)
        others = [
            ethernet(arp(1, PEER_MAC, "10.0.0.1", bytes(6), "10.0.0.3"), 0x0806, b"\xff" * 6),
            ethernet(arp(2, PEER_MAC, "10.0.0.1", OUR_MAC, "10.0.0.2"), 0x0806),
            ethernet(bytes(46)),
        ]
        for frame in [*others, question] * 20:  # more frames than there are buffers
            host.send(frame)
        network.run(us=1000)
        answer = ethernet(arp(2, OUR_MAC, "10.0.0.2", PEER_MAC, "10.0.0.1"), 0x0806, PEER_MAC, OUR_MAC)
        assert [frame.data for frame in host.receive_all()] == [answer] * 20


@pytest.mark.slow
@needs_lwip
def test_the_one_on_lwip_tells_the_time_over_tcp(tmp_path: Path) -> None:
    with Network() as network:
        soc, peer = boot(network, "uptime", example(PAGE, LWIP, 1), tmp_path), Peer(network)
        network.cable(peer.host, soc)
        assert network.run(us=BOOT_US, until=lambda: soc.uart.text == "uptime: ready\n"), soc.uart.text
        assert peer.ping("10.0.0.2") is not None
        for _ in range(3):
            peer.run(133_000.0)
            now_ms = network.time_us / 1000
            stream = peer.connect("10.0.0.2", 13)
            said = re.fullmatch(rb"up for (\d{10}) ms\n", stream.read_all())
            assert said is not None and abs(int(said[1]) - now_ms) < 2
            stream.close()
        assert "trap" not in soc.uart.text


@pytest.mark.slow
def test_the_one_on_the_engine_returns_large_letters_over_tcp(tmp_path: Path) -> None:
    with Network() as network:
        soc, peer = boot(network, "upper", example(PAGE, ENGINE, 1), tmp_path, TOE), Peer(network)
        network.cable(peer.host, soc)
        assert network.run(us=BOOT_US, until=lambda: soc.uart.text == "upper: ready\n"), soc.uart.text
        said = bytes(range(256)) * 40
        stream = peer.connect("10.0.0.2", 7000, timeout_us=10_000)
        stream.send(said)
        stream.finish()
        assert stream.read_all(20_000) == bytes(c - 32 if 97 <= c <= 122 else c for c in said)
        assert stream.close(10_000) and "trap" not in soc.uart.text


# ---- Build and run, and the rest -------------------------------------------------------------------------------------


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
