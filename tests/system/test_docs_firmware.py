# SPDX-License-Identifier: Apache-2.0
"""docs/firmware.md: its examples do what the page says, as often as one likes (tests/docs has the rest)."""

import re
from pathlib import Path

import needs
import pytest
from net_frames import OUR_MAC, PEER_MAC, arp, ethernet
from socs import TOE

from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout
from nsoc.machine.soc import Soc
from nsoc.network.inet import Peer
from nsoc.network.network import Network

pytestmark = pytest.mark.slow

PAGE = (checkout() / "docs" / "firmware.md").read_text(encoding="utf-8")
EXAMPLES = {
    name: code for name, code in re.findall(r"as `firmware/apps/(\w+)\.c`:\n\n```c\n(.*?)```", PAGE, re.DOTALL)
}  # fmt: skip
BOOT_US, S = 3000, 1e6


def test_the_page_has_each_in_twenty_lines() -> None:
    assert list(EXAMPLES) == ["who_has", "uptime", "upper"]
    for code in EXAMPLES.values():
        lines = [line.strip() for line in code.splitlines()]
        assert len([line for line in lines if line not in ("", "}") and not line.startswith(("//", "#"))]) <= 20


def boot(network: Network, name: str, folder: Path, preset: str | presets.Preset = presets.DEFAULT) -> Soc:
    source = folder / f"{name}.c"
    source.write_text(EXAMPLES[name], encoding="utf-8")
    preset = presets.load_soc(preset)
    elf = firmware.compile_program(name, [source], preset.firmware_defines(), flags=["-Werror"])
    return network.soc(preset, str(elf))


def test_the_one_on_the_driver_answers_arp(tmp_path: Path) -> None:
    with Network() as network:
        soc, host = boot(network, "who_has", tmp_path), network.host()
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


@needs.lwip()
def test_the_one_on_lwip_tells_the_time_over_tcp(tmp_path: Path) -> None:
    with Network() as network:
        soc, peer = boot(network, "uptime", tmp_path), Peer(network)
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


def test_the_one_on_the_engine_returns_large_letters_over_tcp(tmp_path: Path) -> None:
    with Network() as network:
        soc, peer = boot(network, "upper", tmp_path, TOE), Peer(network)
        network.cable(peer.host, soc)
        assert network.run(us=BOOT_US, until=lambda: soc.uart.text == "upper: ready\n"), soc.uart.text
        said = bytes(range(256)) * 40
        stream = peer.connect("10.0.0.2", 7000, timeout_us=10_000)
        stream.send(said)
        stream.finish()
        assert stream.read_all(20_000) == bytes(c - 32 if 97 <= c <= 122 else c for c in said)
        assert stream.close(10_000) and "trap" not in soc.uart.text
