# SPDX-License-Identifier: Apache-2.0
"""SoCs on the simulated network: the same cycles whoever is asked first, and however time is cut."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_idle import without_skipping

import nsoc
from nsoc.machine import presets
from nsoc.network import pcapng
from nsoc.network.faults import Faults
from nsoc.network.network import Network, NetworkHost

FRAME = bytes.fromhex("020000000002 020000000001 88b5") + bytes(range(46))
TAP_CHILD = Path(__file__).with_name("network_tap_child.py")


def ping(order: tuple[str, str], slice_us: float, faults: Faults | None = None) -> tuple[str, int]:
    """What the application ping prints beside one that runs forward."""
    with Network() as network:
        made = {name: network.soc(firmware=name, seed=len(name), defines={"COUNT": 6}) for name in order}
        network.cable(made["ping"], made["forward"], faults=faults)
        while "end" not in made["ping"].uart.text and network.time_us < 5000:
            network.run(us=slice_us)
        return made["ping"].uart.text, made["forward"].counters["packets_received"]


def test_two_socs_exchange_frames_and_their_order_does_not_matter() -> None:
    text, received = ping(("ping", "forward"), 100)
    times = [int(cycles) for cycles in re.findall(r": back after (\d+) cycles", text)]
    assert len(times) == received == 6 and text.endswith("end\n")
    # The cable alone takes 1000 ns, both lines with their frames 2 x 2 x 576 ns, at 80 MHz.
    assert all(250 < cycles < 600 for cycles in times)
    assert ping(("forward", "ping"), 100) == (text, received)
    assert ping(("ping", "forward"), 1.7) == (text, received)


def test_how_time_is_cut_does_not_show_where_a_cable_stores_frames() -> None:
    faults = Faults(delay_us=2, jitter_us=3, reorder=0.3, hold_us=20, drain_mbps=500, stalls=((120, 30),))
    text, received = ping(("ping", "forward"), 100, faults)
    assert received == 6 and text.endswith("end\n")
    assert ping(("ping", "forward"), 1.7, faults) == (text, received)


def test_a_soc_counts_what_a_cable_spoils() -> None:
    with Network(seed=3) as network:
        soc, host = network.soc(), network.host()
        cable = network.cable(host, soc, faults=Faults(loss=0.2, corrupt=0.2))
        network.run(us=100)
        for number in range(60):
            host.send(FRAME, at_us=network.time_us + 2 * number)
        network.run(us=200)
        there, back = cable.counts()
        assert there["lost"] > 0 and there["corrupted"] > 0 and sum(there.values()) == 60
        counters = soc.counters
        assert counters["packets_received"] == there["passed"] == sum(back.values())
        assert counters["rx_drop_fcs"] == there["corrupted"]
        came = host.receive_all()
        assert len(came) == back["passed"] + back["corrupted"]
        assert sum(frame.good for frame in came) == back["passed"]


def answers(host: NetworkHost) -> list[tuple[int, int, bytes]]:
    return [(frame.start_ps, frame.end_ps, frame.data) for frame in host.receive_all()]


@pytest.mark.parametrize("mii", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_soc_does_on_a_cable_what_it_does_on_its_wire(mii: bool) -> None:
    preset = presets.load()
    if mii:
        preset = preset.with_(line_mbps=100)
    slow = 10 if mii else 1
    at_us = [100 + slow * at for at in (0, 5, 5.8, 9, 20)]
    delay_ns = 2000 * slow
    octet_ps = 8000 * slow
    with Network() as network:
        soc, host = network.soc(preset, seed=1), network.host()
        network.cable(soc, host, delay_ns=delay_ns)
        for number, at in enumerate(at_us):
            host.send(FRAME + bytes(number), at_us=at)
        network.run(us=300 * slow)
        on_cable = answers(host)
    assert len(on_cable) == len(at_us)
    with nsoc.Soc(preset, seed=1) as alone:
        for number, at in enumerate(at_us):
            first_octet_ps = round(at * 1e6) + 9 * octet_ps + delay_ns * 1000
            alone.wire.send(FRAME + bytes(number), not_before=-(-first_octet_ps // 8000))
        alone.run(us=300 * slow)
        on_wire = [(f.start_ps + delay_ns * 1000, f.end_ps + delay_ns * 1000, f.data) for f in alone.wire.receive_all()]
    # An octet on MII is whole at its second nibble; the wire stamps the first.
    first_nibble_ps = octet_ps // 2 if mii else 0
    assert [(start - first_nibble_ps, end, data) for start, end, data in on_cable] == on_wire


def test_frames_that_wait_for_a_cable_go_out_at_its_rate(tmp_path: Path) -> None:
    """As those of a capture do: at 100 Mb/s a frame takes ten times as long."""
    pcapng.write(tmp_path / "dense.pcapng", [pcapng.Packet(i * 1000, True, FRAME + bytes([i]) * 40) for i in range(5)])
    with Network() as network:
        soc = network.soc(presets.load().with_(line_mbps=100))
        cable = network.cable(network.replay(tmp_path / "dense.pcapng", start_us=100), soc, delay_ns=2000)
        cable.tap()
        network.run(us=300)
        starts_ps = [frame.start_ps for frame in cable.sent(0)]
        octets = 8 + max(60, len(FRAME) + 40) + 4 + 12
        assert [start - starts_ps[0] for start in starts_ps] == [i * octets * 80_000 for i in range(5)]
        assert soc.counters["rx_good"] == 5


def test_lines_of_other_rates_meet_at_a_switch() -> None:
    fast, slow = presets.load(), presets.load().with_(line_mbps=100)
    with Network() as network:
        soc, other, host = network.soc(fast), network.soc(slow), network.host()
        with pytest.raises(nsoc.NsocError, match="1000 Mb/s here and 100 Mb/s there: put a switch between"):
            network.cable(soc, other)
        with pytest.raises(nsoc.NsocError, match="at least 1280 ns"):
            network.cable(host, other)
        switch = network.switch(soc, host, ports=3)
        network.cable(other, switch.ports[2], delay_ns=2000)
        network.run(us=100)
        host.send(FRAME)
        network.run(us=100)
        assert len(host.receive_all()) == 2, "it was sent to both, and both answered"
        assert soc.counters["packets_received"] == other.counters["packets_received"] == 1


def test_a_soc_on_a_network_leaves_time_and_frames_to_it() -> None:
    with Network() as network:
        soc = network.soc()
        sentence = "on a network, which lets time pass"
        for call in (
            lambda: soc.run(us=1),
            lambda: soc.wire.send(FRAME),
            lambda: soc.debugger().run(cycles=10),
            lambda: network._call("nsoc_network_soc", soc.simulation.handle, soc.simulation.soc_calls()),
        ):
            with pytest.raises(nsoc.NsocError, match=sentence):
                call()
        network.run(us=100)
        assert "ready" in soc.uart.text and soc.time_us == pytest.approx(100, abs=0.02)
        late, host = network.soc(), network.host()
        network.cable(late, host)
        network.run(us=100)
        assert late.time_us == pytest.approx(100, abs=0.02), "its time begins when it is added"
        host.send(FRAME)
        network.run(us=20)
        (came,) = host.receive_all()
        assert 200e6 < came.start_ps < 220e6, "stamps are of the network's time"
        late.close()
        with pytest.raises(nsoc.NsocError, match="there is no such simulation"):
            network.run(us=1)


def _may_make_a_tap() -> bool:
    return os.geteuid() == 0 and Path("/dev/net/tun").exists()


@pytest.mark.skipif(not _may_make_a_tap(), reason="a TAP device needs root and /dev/net/tun")
def test_a_tap_device_meets_a_soc_and_its_record_gives_the_same_run_again(tmp_path: Path) -> None:
    record = tmp_path / "tap.pcapng"
    done = subprocess.run([sys.executable, str(TAP_CHILD), str(record)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *frames, live, replayed = done.stdout.split()
    swapped = FRAME[6:12] + FRAME[:6] + FRAME[12:14]
    assert [bytes.fromhex(frame) for frame in frames] == [swapped + bytes([n]) * (46 + n) for n in range(5)]
    assert replayed == live, "the record gives the same cycles"


def silence(at_us: list[float], end_us: float) -> tuple[int, list[tuple[int, int, bytes]], dict[str, int]]:
    """A SoC that sleeps gets frames from time to time: the evaluations that it takes, and what is seen."""
    with Network() as network:
        soc, host = network.soc(firmware="forward_irq"), network.host()
        network.switch(soc, host)
        for at in at_us:
            host.send(FRAME, at_us=at)
        network.run(us=end_us)
        return soc.simulation.evaluations, answers(host), dict(soc.counters)


def test_time_in_which_all_socs_sleep_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluations, came, _ = silence([200, 30_000, 30_001, 77_000], 90_000)
    assert len(came) == 4
    assert evaluations < 300_000, "the cycles of 90 ms would be 45 million"
    now_and_then = ([200, 1000, 1000.3, 2500.7], 3000)
    skipped = silence(*now_and_then)
    without_skipping(monkeypatch)
    every_cycle = silence(*now_and_then)
    assert skipped[1:] == every_cycle[1:] and skipped[0] < every_cycle[0] / 3
