# SPDX-License-Identifier: Apache-2.0
"""docs/workbench.md: its demos run, its tables list the presets, commands and applications that there are.

The wheel is installed and run in tests/system/test_wheel.py.
"""

import re
import struct
from pathlib import Path

import pytest
import typer
from docs_pages import ROOT, example, run, says, table
from PIL import Image

from nsoc.cli import app
from nsoc.machine import firmware, presets
from nsoc.network import pcapng

PAGE = "docs/workbench.md"
PLAIN, LARGE_ONE, OWN, PERFECT, WORSE = range(5)


def demo(which: int, folder: Path) -> str:
    """What one of the demos prints, which must end well."""
    line = run(f"{example(PAGE, 'The demo').commands[which]} -n").strip().splitlines()[-1]
    assert line.startswith(".venv/bin/nsoc demo"), line
    printed = run(line.removeprefix(".venv/bin/"), folder)
    assert re.search(r"^bit-exact +yes$", "\n".join(map(str.rstrip, printed.splitlines())), re.MULTILINE)
    return printed


@pytest.mark.slow
def test_a_picture_of_your_own_crosses_the_soc(tmp_path: Path) -> None:
    Image.new("RGB", (300, 200), (10, 200, 30)).save(tmp_path / "photo.jpg")
    assert "photo.jpg, 300 x 200" in demo(OWN, tmp_path)
    assert (tmp_path / "out/received.jpg").read_bytes() == (tmp_path / "photo.jpg").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("which", [PLAIN, PERFECT, WORSE])
def test_the_picture_crosses_cables_good_and_bad(which: int, tmp_path: Path) -> None:
    printed = demo(which, tmp_path)
    assert "680 x 680" in printed
    says(PAGE, "a picture of 680 x 680 pixels")
    assert ("retransmissions     0" in printed) == (which == PERFECT)
    assert re.search(r"^frames lost +(\d+)", printed, re.MULTILINE)


@pytest.mark.long
def test_the_large_picture_crosses_too(tmp_path: Path) -> None:
    printed = demo(LARGE_ONE, tmp_path)
    size = re.search(r"4600 x 4600, ([\d,]+) bytes", printed)
    assert size is not None
    says(PAGE, f"# {int(size[1].replace(',', '')) / 1e6:.0f} MB")


def test_the_presets_are_all_there_and_as_listed() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8").partition("## Presets")[2].partition("## Without")[0]
    assert set(presets.names()) <= set(re.findall(r"`([\w-]+)`", text))
    for row in table(PAGE, "Presets"):
        name = re.findall(r"`([\w-]+)`", row[0])[0]
        preset = presets.load(name)
        assert ("(default)" in row[0]) == (name == presets.DEFAULT)
        assert row[3] == f"{preset.rx_fifo_bytes // 1024} KB" and preset.rx_fifo_bytes == preset.tx_fifo_bytes
        packets = "DRAM behind L2" if preset.l2_bytes else "DRAM" if preset.packets == "dram" else "local memory"
        assert row[2].split(",")[0] == packets, name
        assert ("copy engine" in " ".join(row)) == preset.dma
        if preset.queues == "memory":
            assert row[1].removeprefix("in ") == packets, name
        elif name in ("nic12-dram", "nic12-fast", "nic12-l2", "nic12-dma"):
            assert row[1] == "in the NIC"
        if preset.connections:
            assert name == "toe-nodca" or f"{preset.connections} connections" in row[1]
    toe, net32 = presets.load("toe"), presets.load("nic12-net32")
    assert net32.icache_bytes == net32.dcache_bytes
    says(
        PAGE,
        f"rings in {toe.local_memory_bytes >> 20} MB of local memory",
        f"processor caches of {net32.icache_bytes // 1024} KB each",
    )


def test_every_command_is_listed() -> None:
    group = typer.main.get_command(app)
    commands = {*group.commands, *(f"bench {name}" for name in group.commands["bench"].commands)} - {"bench"}  # type: ignore[attr-defined]
    rows = [re.match(r"`nsoc ((?:bench )?[\w-]+)", row[0]) for row in table(PAGE, "Commands")]
    assert {row[1] for row in rows if row} == commands and all(rows)


def test_every_application_is_listed() -> None:
    rows = [name for row in table(PAGE, "Applications") for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(rows) == firmware.names()


@pytest.mark.slow
def test_frames_of_a_capture_are_played_to_an_application(tmp_path: Path) -> None:
    """The second frame is cut."""
    frame = bytes.fromhex("020000000002 020000000001 88b5") + bytes(range(86))
    capture = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for at_us, size in ((0, 100), (2000, 70), (5000, 100)):
        capture += struct.pack("<IIII", 1_700_000_000, at_us, size, len(frame)) + frame[:size]
    (tmp_path / "in.pcap").write_bytes(capture)
    plain, timed, padded = example(PAGE, "Frames for an application").commands
    left_out = "in.pcap: 1 of 3 records left out (1 truncated; --truncated pad sends them)"

    def answers(command: str) -> list[float]:
        printed = run(f"{command} 2>&1", tmp_path)
        assert (left_out in printed) == (command != padded), printed
        return [float(us) for us in re.findall(r"^\[([\d.]+) us\] 100 bytes", printed, re.MULTILINE)]

    first, second = answers(plain)
    assert second - first < 50
    times = answers(timed)
    assert [round((us - times[0]) / 100) for us in times] == [0, 5, 5, 10], (
        "5000 us are 500, and 12 us are a round trip"
    )
    assert len(answers(padded)) == 3
    packets = pcapng.read(tmp_path / "out.pcapng")
    assert [packet.data for packet in packets] == [frame, frame[:70] + bytes(30), frame]
