# SPDX-License-Identifier: Apache-2.0
"""nsoc.PnicHost: a driver in Python for the programmable NIC, and the other end of its cable."""

import random

import pytest
from runs import some

import nsoc
from nsoc.errors import NsocError
from nsoc.pnic.simulator import Simulator

pytestmark = pytest.mark.slow

SHORTEST = 60


@pytest.mark.parametrize(
    ("preset", "program"), some([("pnic-rice", None)], [("pnic-rice", "lean"), ("pnic-rice-lock", "task")])
)
def test_frames_of_any_length_go_both_ways_in_order(preset: str, program: str | None) -> None:
    rng = random.Random(1)
    frames = [rng.randbytes(length) for length in (14, 41, 42, 43, 59, 60, 61, 255, 256, 257, 1513, 1514)]
    frames += [rng.randbytes(rng.randrange(14, 1515)) for _ in range(30)]
    with nsoc.PnicHost(preset, program) as host:
        for frame in frames:
            host.send(frame)
            host.wire.send(frame.ljust(SHORTEST, b"\0"))
        assert host.under_way == len(frames)
        for frame in frames:
            sent = host.wire.receive()
            assert sent is not None and sent.fcs_ok and sent.data == frame.ljust(SHORTEST, b"\0")
        for frame in frames:
            assert host.receive() == frame.ljust(SHORTEST, b"\0")
        assert host.wire.receive(50) is None and host.receive(50) is None
        assert (host.under_way, host.pending, host.wire.pending) == (0, 0, 0)
        assert 0 < host.interrupts <= 2 * len(frames)
        counters = host.counters
        assert counters["tx_sent"] == counters["rx_good"] == len(frames)


def test_the_same_calls_take_the_same_time_and_time_is_what_was_asked_for() -> None:
    ends = []
    for _ in range(2):
        with nsoc.PnicHost(seed=3) as host:
            began, cycles = host.time_us, host.core_cycles
            assert 0 < began < 20 and abs(cycles - began * 166) < 4, "firmware is ready"
            host.run(20)
            assert 20 <= host.time_us - began < 20.02 and abs(host.core_cycles - cycles - 20 * 166) < 4
            host.send(bytes(100))
            sent = host.wire.receive()
            assert sent is not None and host.time_us * 1e6 == pytest.approx(sent.end_ps, abs=10_000)
            ends.append(sent.end_ps)
    assert ends[0] == ends[1]
    with nsoc.PnicHost(seed=4) as host:
        host.run(20)
        host.send(bytes(100))
        sent = host.wire.receive()
        assert sent is not None and sent.end_ps != ends[0], "the seed draws the phases"


def test_rings_go_round_and_a_full_one_says_so() -> None:
    with nsoc.PnicHost() as host:
        for number in range(511):  # two descriptors each
            host.send(number.to_bytes(4) + bytes(60))
        with pytest.raises(NsocError, match="the ring is full: 511 frames wait"):
            host.send(bytes(60))
        for number in range(1200):
            frame = host.wire.receive()
            assert frame is not None and frame.data[:4] == number.to_bytes(4)
            if number < 1200 - 511:
                while host.under_way == 511:
                    host.run(1)
                host.send((number + 511).to_bytes(4) + bytes(60))
        for number in range(1100):
            host.wire.send(number.to_bytes(4) + bytes(60))
        for number in range(1100):
            received = host.receive()
            assert received is not None and received[:4] == number.to_bytes(4)


def test_what_is_wrong_on_the_line_is_counted_and_not_delivered() -> None:
    with nsoc.PnicHost() as host:
        host.wire.send(bytes(60), bad_fcs=True)
        host.wire.send(bytes(20))  # a runt
        host.wire.send(bytes(9700))
        host.wire.send(bytes(2100))  # longer than a buffer of the host
        host.wire.send(b"good" + bytes(60))
        assert host.receive() == b"good" + bytes(60)
        host.run(2000)  # firmware shows its counters now and then
        counters = host.counters
        assert (counters["rx_drop_fcs"], counters["rx_drop_runt"], counters["rx_drop_oversize"]) == (1, 1, 1)
        assert host.too_long == 1 and counters["rx_good"] == 2


def test_long_frames_need_a_host_that_says_so() -> None:
    with nsoc.PnicHost(max_frame=9600) as host:
        for length in (9596, 2045):
            host.send(bytes([length & 255]) * length)
            sent = host.wire.receive()
            assert sent is not None and sent.fcs_ok and sent.data == bytes([length & 255]) * length
            host.wire.send(sent.data)
            assert host.receive() == sent.data
    said = r"only 14 to 1514; PnicHost\(max_frame=...\) says more"
    with nsoc.PnicHost() as host, pytest.raises(NsocError, match=said):
        host.send(bytes(1515))


def test_memory_and_variables() -> None:
    with nsoc.PnicHost(firmware="lean", order="lock") as host:
        host.write(1 << 32, b"\1\2\3")
        assert host.read(1 << 32, 4) == b"\1\2\3\0"
        assert host.variable("mailbox", 1) == 1024, "buffers that have been posted"
        host.set_variable("shown", 77)
        assert host.variable("shown") == 77
        with pytest.raises(NsocError, match="no variable 'nonsense'"):
            host.variable("nonsense")
        with pytest.raises(NsocError, match="no variable 'main'"):
            host.variable("main")
        with pytest.raises(NsocError, match="no memory there"):
            host.read(0, 4)
        with pytest.raises(NsocError, match="time passes by 0 to"):
            host.run(-1)
        assert isinstance(host.simulator, Simulator)


def test_an_interrupt_that_comes_during_an_access_is_answered_too() -> None:
    """So the next one comes, and nobody waits for longer than a frame takes."""
    with nsoc.PnicHost() as host:
        for round_ in range(4):
            host.wire.send(bytes([round_]) * SHORTEST)
            seen, until = host.interrupts, host.time_us + 100
            while host.interrupts == seen and host.time_us < until:
                host.variable("go")  # each takes some time
            assert host.interrupts == seen + 1
            assert host.receive() == bytes([round_]) * SHORTEST
            host.run(1)
        before = host.time_us
        host.wire.send(bytes(SHORTEST))
        assert host.receive() == bytes(SHORTEST) and host.time_us - before < 30


def test_what_time_it_is_and_what_has_left_is_known_behind_each_access() -> None:
    with nsoc.PnicHost() as host:
        before = host.time_us
        host.send(bytes(100))
        assert host.time_us > before
        while not host.wire.pending:
            assert host.counters["tx_sent"] == 0 or host.wire.pending
        before = host.time_us
        assert host.wire.receive() is not None and host.time_us == before, "it waits already"


def test_a_part_of_the_line_is_sent_where_that_is_asked_for() -> None:
    with nsoc.PnicHost("pnic-rice", "lean") as host:
        found = host.traffic(1518, send=30, receive=0, warm_us=100, us=400)
    assert found.sent * 1538 * 8 / 400 == pytest.approx(0.3 * 10_000, rel=0.05)


def test_bulk_traffic_is_a_call_away() -> None:
    with nsoc.PnicHost("pnic-rice-lock", "lean") as host:
        found = host.traffic(1518, warm_us=200, us=100)
        assert found.setup == host.setup and 0.9 < found.line_share < 1.1
        assert found.interrupts > 5, "each is acknowledged, so that the next one can come"


def test_what_cannot_be_says_so() -> None:
    with pytest.raises(NsocError, match="is no programmable NIC"):
        nsoc.PnicHost("nic12-fast")
    with pytest.raises(NsocError, match="moves no frames"):
        nsoc.PnicHost(firmware="litmus")
    with pytest.raises(NsocError, match="64 to 9600 bytes, not 63"):
        nsoc.PnicHost(max_frame=63)
    with pytest.raises(NsocError, match="no order 'locks'; these there are: lock, amo, set-update"):
        nsoc.PnicHost(order="locks")
    with nsoc.PnicHost() as host:
        for wrong in ({"bytes_": 63}, {"bytes_": 9601}, {"send": 101}, {"receive": -1}):
            with pytest.raises(NsocError, match=r"64 to 9600 bytes|0 to 100 percent"):
                host.traffic(**wrong)


def test_a_core_that_traps_ends_the_wait_with_its_name() -> None:
    with nsoc.PnicHost() as host:
        host.simulator.put(0x40000, 0)  # the first instruction, before any core has come to it again
        host.simulator.ask("halt")
        for _ in range(4):
            host.simulator.ask("resume", "hhshhh", 1000)
        host.simulator.ask("pc", 2, 0x7000_0000)
        host.simulator.ask("resume", "rrrrrr", 0)
        with pytest.raises(NsocError, match="core 2 has trapped at 0x70000000, mcause 1"):
            host.run(50)


PROMISCUOUS, BROADCAST, OBEY_PAUSES = 1, 2, 8
ADDRESS = bytes.fromhex("020000000001")
QUANTUM_US = 512 / 10_000


def mac(control: int) -> dict[str, int]:
    """Firmware that gives the MAC these settings."""
    low, high = int.from_bytes(ADDRESS[2:]), int.from_bytes(ADDRESS[:2])
    return {"MAC_CONTROL": control, "MAC_ADDRESS_LOW": low, "MAC_ADDRESS_HIGH": high}


@pytest.mark.parametrize("obeys", [True, False])
def test_a_pause_holds_back_what_is_sent_and_nothing_else(obeys: bool) -> None:
    quanta = 2000
    pause = bytes.fromhex("0180c2000001 020000000009 8808 0001") + quanta.to_bytes(2) + bytes(42)
    with nsoc.PnicHost(firmware="lean", defines=mac(PROMISCUOUS | (OBEY_PAUSES if obeys else 0))) as host:
        host.wire.send(pause)
        host.run(1)  # it is there
        began = host.time_us
        for number in range(20):
            host.send(bytes([number]) * 100)
            host.wire.send(bytes([number]) * 100)
        sent = [host.wire.receive() for _ in range(20)]
        assert [frame.data[0] for frame in sent if frame is not None] == list(range(20))
        waited = (sent[0].end_ps if sent[0] else 0) / 1e6 - began
        if obeys:
            assert quanta * QUANTUM_US - 1.5 < waited < quanta * QUANTUM_US + 1.5
        else:
            assert waited < 20
        if not obeys:
            assert host.receive() == pause, "it is a frame like any other"
        assert [received[0] for _ in range(20) if (received := host.receive())] == list(range(20))
        assert host.counters["rx_pause"] == obeys


def test_the_filter_takes_what_is_for_this_address_and_what_is_for_all() -> None:
    for_us, for_all, for_another = (address + bytes(54) for address in (ADDRESS, b"\xff" * 6, b"\x02" * 6))
    with nsoc.PnicHost(firmware="lean", defines=mac(BROADCAST)) as host:
        host.run(1)
        for frame in (for_another, for_us, for_another, for_all, for_another):
            host.wire.send(frame)
        assert [host.receive(50) for _ in range(3)] == [for_us, for_all, None]
        assert host.counters["rx_drop_filtered"] == 3
    with nsoc.PnicHost(firmware="lean", defines=mac(0)) as host:
        host.run(1)
        for frame in (for_all, for_us):
            host.wire.send(frame)
        assert [host.receive(50) for _ in range(2)] == [for_us, None]
