# SPDX-License-Identifier: Apache-2.0
"""The Soc object itself: when run() stops, what can be seen of the SoC, what is said about mistakes."""

import random

import pytest
from traffic import boot, echo, frame, settle

import nsoc
from nsoc import Stop
from nsoc.machine import build, presets
from nsoc.machine.sim import Simulation
from nsoc.machine.soc import boot_config

RNG = random.Random(1)


def test_run_stops_for_the_reason_it_gives() -> None:
    with nsoc.Soc() as soc:
        assert soc.run(cycles=1000) is Stop.TIME and soc.cycles == 1000
        assert soc.run(us=2) is Stop.TIME and soc.cycles == 1250  # 125 cycles a microsecond
        assert (soc.time_us, soc.time_ps) == (10, 10_000_000)
        assert soc.run(text="ready") is Stop.TEXT and soc.uart.text.endswith("ready")
        for _ in range(5):
            soc.wire.send(frame(60, RNG))
        assert soc.run(us=1000, sent=2) is Stop.SENT and soc.wire.queued == 2
        assert soc.run(us=1000, frames=3) is Stop.FRAMES and soc.wire.pending == 3
        before = soc.cycles
        assert soc.run(us=1000, idle_us=10) is Stop.IDLE and soc.wire.pending == 5
        assert 1250 <= soc.cycles - before < 5000
        assert soc.run(us=1, frames=6) is Stop.TIME


def test_stamps_belong_to_the_wire() -> None:
    with boot() as soc:
        when = soc.cycles + 500
        sent = soc.wire.send(frame(100, RNG), not_before=when)
        assert sent.start_cycle is None and not sent.done
        received = soc.wire.receive()
        assert received is not None and sent.done
        assert (sent.start_cycle, sent.end_cycle) == (when, when + 103)
        assert sent.start_ps // 8000 == when, "the cycle of nic_clk in which it is"
        assert sent.end_ps - sent.start_ps == 103 * 8000 == received.end_ps - received.start_ps
        assert received.end_cycle - received.start_cycle == 103
        assert received.start_ps // 8000 == received.start_cycle
        assert received.start_cycle > sent.end_cycle, "store and forward"
        assert soc.cycles_between(sent.start_ps, sent.end_ps) == 103


def phases(seed: int, **fields: float) -> tuple[int, int, int]:
    """Where in a cycle of nic_clk a byte comes in and one goes out, in ps, and the cycles that a frame took."""
    with nsoc.Soc(presets.load().with_(**fields), seed=seed) as soc:
        soc.run(us=2000, text="ready\n")
        sent, back = soc.wire.send(frame(60, random.Random(1))), soc.wire.receive()
        assert back is not None and sent.start_ps is not None
        return sent.start_ps % 8000, back.end_ps % 8000, back.end_ps - sent.start_ps


def test_the_seed_draws_the_phases_of_the_lines_clocks_each_its_own() -> None:
    drawn = [phases(seed) for seed in range(1, 7)]
    assert drawn == [phases(seed) for seed in range(1, 7)], "the same seed, the same cycles"
    incoming, outgoing, _ = zip(*drawn, strict=True)
    assert len(set(incoming)) == len(set(outgoing)) == 6, "not together with nic_clk"
    assert all(a != b for a, b in zip(incoming, outgoing, strict=True)), "nor with each other"


PPM = 100.0


@pytest.mark.parametrize("fields", [{"rx_ppm": PPM, "tx_ppm": -PPM}, {"rx_ppm": -PPM, "nic_ppm": PPM, "cpu_ppm": -PPM}])
def test_clocks_that_are_off_by_what_ethernet_allows(fields: dict[str, float]) -> None:
    rng = random.Random(5)
    preset = presets.load().with_(**fields)
    with nsoc.Soc(preset, checks=True) as soc:
        assert soc.run(us=2000, text="ready\n") is Stop.TEXT
        frames = [frame(rng.randrange(60, 1515), rng) for _ in range(60)]
        sent = [soc.wire.send(data) for data in frames]
        back = settle(soc)
        assert [received.data for received in back] == [echo(data) for data in frames]
        for one, ppm in ((sent[-1], preset.rx_ppm), (back[-1], preset.tx_ppm)):
            bytes_ = len(frames[-1]) + 4 - 1
            assert one.end_ps - one.start_ps == pytest.approx(bytes_ * 8000 / (1 + ppm / 1e6), abs=1.5)
        assert soc.cycles == pytest.approx(soc.time_ps / 8000 * (1 + preset.nic_ppm / 1e6), abs=2)


@pytest.mark.long  # a simulator of its own
def test_one_clock_for_processor_and_nic_is_one() -> None:
    with nsoc.Soc(presets.load().with_(cpu_mhz=125, one_clock=True)) as soc:
        assert soc.run(us=2000, text="ready\n") is Stop.TEXT
        soc.wire.send(frame(60, RNG))
        assert len(settle(soc)) == 1
    config = boot_config(presets.load(), 1)
    config.one_clock = 1
    with pytest.raises(nsoc.NsocError, match="one clock for processor and NIC has one period"):
        Simulation(build.simulator(presets.load()), config)


def test_what_is_left_out_for_speed_changes_nothing() -> None:
    """Clock edges that eval() would find, and reads of FIFOs between edges of the reader's clock."""

    def run(checks: bool) -> tuple[list[int], dict[str, int], str, int]:
        rng = random.Random(4)
        with nsoc.Soc(checks=checks) as soc:
            soc.run(us=2000, text="ready\n")
            for _ in range(100):
                soc.wire.send(frame(rng.choice((60, rng.randrange(60, 1515))), rng))
            back = settle(soc)
            return [received.end_ps for received in back], dict(soc.counters), soc.uart.text, soc.cycles

    plain = run(checks=False)
    assert plain == run(checks=True) and len(plain[0]) == 100


def test_how_a_run_is_cut_into_pieces_changes_nothing() -> None:
    def stamps(pieces: int) -> list[int]:
        rng = random.Random(2)
        with boot() as soc:
            for _ in range(20):
                soc.wire.send(frame(rng.randrange(60, 1515), rng))
            for _ in range(pieces):
                soc.run(cycles=30_000 // pieces)
            return [received.end_cycle for received in soc.wire.receive_all()]

    assert stamps(1) == stamps(3000)
    assert len(stamps(1)) == 20


def test_the_log_has_both_directions_in_time_order() -> None:
    with boot(log=True) as soc:
        data = [frame(60, RNG), frame(70, RNG)]
        soc.wire.send(data[0])
        soc.wire.send(data[1], bad_fcs=True)
        settle(soc)
        log = soc.wire.log
        assert [(entry.to_soc, entry.data, entry.fcs_ok) for entry in log] == [
            (True, data[0], True),
            (True, data[1], False),
            (False, echo(data[0]), True),
        ]
        assert [entry.start_ps for entry in log] == sorted(entry.start_ps for entry in log)


@pytest.mark.parametrize("address", [0x0, 0x4000_0000, 0x4FFF_F000, 0x5000_0000])
def test_memories_can_be_written_and_read_at_any_alignment(address: int) -> None:
    with nsoc.Soc() as soc:
        for offset in range(9):
            data = RNG.randbytes(23)
            soc.load(address + offset, data)
            assert soc.peek(address + offset, 23) == data


def test_a_received_frame_is_in_memory_where_the_buffer_layout_says() -> None:
    with boot() as soc:
        data = frame(333, RNG)
        (buffer,) = soc.pointers()["rx_engine"]  # fetched in advance for the next frame
        soc.wire.send(data)
        settle(soc)
        assert soc.peek(buffer + 18, len(data)) == echo(data)
        assert int.from_bytes(soc.peek(buffer, 8)) & 0xFFFF == len(data)


@pytest.mark.parametrize(("address", "length"), [(0x6000_0000, 4), (0xFF00_0000, 4), (0x5003_FFFF, 2), (0x1_0000, 1)])
def test_where_no_memory_is_says_so(address: int, length: int) -> None:
    with nsoc.Soc() as soc:
        with pytest.raises(nsoc.NsocError, match=f"no memory .* address 0x{address:08X}"):
            soc.load(address, bytes(length))
        with pytest.raises(nsoc.NsocError, match=f"no memory .* address 0x{address:08X}"):
            soc.peek(address, length)


def test_mistakes_are_sentences() -> None:
    with nsoc.Soc() as soc:
        with pytest.raises(nsoc.NsocError, match="not both"):
            soc.run(us=1, cycles=1)
        with pytest.raises(nsoc.NsocError, match="needs us, cycles or a condition"):
            soc.run()
        with pytest.raises(nsoc.NsocError, match="backwards"):
            soc.run(us=-1)
        for options in ({"ifg": 0}, {"preamble": -1}, {"sfd": 256}, {"not_before": -5}):
            with pytest.raises(nsoc.NsocError, match="ifg must be"):
                soc.wire.send(bytes(60), **options)
        with pytest.raises(nsoc.NsocError, match="frame of 0 bytes"):
            soc.wire.send(b"")
        with pytest.raises(KeyError):
            soc.counters["no_such_counter"]
    with pytest.raises(nsoc.NsocError, match="closed"):
        soc.run(us=1)


@pytest.mark.parametrize(("cpu_mhz", "nic_mhz"), [(125, 125), (200, 125), (33.3, 125), (80, 156.25), (80, 100)])
def test_other_clocks_than_the_presets_work_too(cpu_mhz: float, nic_mhz: float) -> None:
    rng = random.Random(3)
    preset = presets.load().with_(cpu_mhz=cpu_mhz, nic_mhz=nic_mhz)
    with nsoc.Soc(preset, checks=True) as soc:
        assert soc.run(us=2000, text="ready\n") is Stop.TEXT
        frames = [frame(rng.randrange(60, 1515), rng) for _ in range(20)]
        for data in frames:
            soc.wire.send(data)
        assert [received.data for received in settle(soc)] == [echo(data) for data in frames]
        assert soc.cycles == soc.time_ps * nic_mhz // 1_000_000
