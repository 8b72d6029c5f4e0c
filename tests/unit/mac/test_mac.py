# SPDX-License-Identifier: Apache-2.0
"""The MAC as its two neighbours see it: GMII on one side, frame streams and pulses on the other.

Scripts are played by mac_harness, judged by mac_model. Random tests print their seed through the parameter that
pytest shows; change SEEDS to try others.
"""

import random
import subprocess
from collections import deque
from dataclasses import asdict
from functools import cache
from itertools import pairwise

import mac_harness
import mac_model
import pytest
from mac_harness import ENABLE, LOOPBACK, RESET, RX_STALL, TX_STALL, Received, Record, Script
from mac_model import DV, ER, PAUSE_ADDRESS, Event, Settings, fcs, mii_symbols, on_wire, padded, symbols
from runs import seeds, some

MAX_FRAME = 1522  # with FCS
FIFO, SMALL_FIFO = 16384, 2048
SEEDS = seeds(1, 3)
# gmii_rx_clk, gmii_tx_clk, user_clk in ps: nominal, +-125 ppm, a faster and slower NIC, the slowest one allowed
CLOCKS = some(
    [(8001, 7999, 8000), (8000, 8001, 3000), (8000, 7999, 15900)],
    [((8000, 8000, 8000),), ((7999, 8001, 8000),), ((8000, 8000, 7000),), ((8001, 8000, 10000),)],
)


@cache
def _program(fifo_bytes: int):
    return mac_harness.build(MAX_FRAME_BYTES=MAX_FRAME, RX_FIFO_BYTES=fifo_bytes, TX_FIFO_BYTES=fifo_bytes)


def _play(
    script: Script, *, small: bool = False, fifo_bytes: int = 0, settings: Settings | None = None
) -> tuple[Record, list[Event]]:
    """Run `script` and check what must hold always; returns the record and the model's carrier events."""
    if settings:
        script.events = [*mac_harness.settings(0, **asdict(settings)), *script.events]
    record = mac_harness.run(_program(fifo_bytes or (SMALL_FIFO if small else FIFO)), script)
    events = mac_model.carrier_events(script.symbols, MAX_FRAME, settings)
    # Every carrier event has one disposition, in order, and the right one. When a frame does not find room depends on
    # the reader: whether an overflow was due is for the single test to say.
    assert len(record.dispositions) == len(events)
    for index, (event, got) in enumerate(zip(events, record.dispositions, strict=True)):
        may_be = {event.cause, "disabled"} | ({"overflow"} if event.cause == "good" else set())
        assert got in may_be, f"event {index}, {event.end - event.start} bytes: {got}, expected {may_be}"
    # Every frame handed over is sent or counted as dropped.
    ends = ("tx_sent", "tx_drop_oversize", "tx_drop_abort")
    if not any(what == LOOPBACK for _, what, _ in script.events):
        assert sum(map(record.count, ends)) == len(record.handed) == len(script.sends)
        _check_received(script, record, events)
    assert record.count("tx_sent") == len(mac_model.sent_frames(record.gmii))
    return record, events


def _check_received(script: Script, record: Record, events: list[Event]) -> None:
    """What the NIC got: every good frame whole; of the others those that were shown, or fewer when the FIFO was full,
    with a beginning that is theirs, and marked as bad; nothing else, all in order, with their stamps. A frame behind
    one that was still being read need not have been shown."""
    waiting = deque(record.received)
    stalled = any(what == RX_STALL for _, what, _ in script.events)
    read_until = 0
    for index, (event, got) in enumerate(zip(events, record.dispositions, strict=True)):
        due = got == "good" or (event.shown and got != "disabled")
        behind = stalled or read_until > script.pin_time(event.sfd + 40)
        if not due or (behind and got != "good" and not (waiting and _is_begin(waiting[0], event))):
            continue
        assert waiting, f"event {index}: not delivered"
        received = waiting.popleft()
        read_until = received.last_at
        assert received.bad == (got != "good"), f"event {index}: {got}"
        if got == "good":
            assert received.frame == event.frame
        else:
            assert _is_begin(received, event)
            assert stalled or got == "oversize" or received.frame == event.body[:-4]
        # rx_time as documented: one cycle of each clock before the edge that takes the SFD.
        assert received.stamp == (script.time_now(script.pin_time(event.sfd) - script.rx_clk[0]) - 1) & 0xFFFF_FFFF
    assert not waiting, f"{len(waiting)} frames from nowhere"


def _is_begin(received: Received, event: Event) -> bool:
    """A frame that ended as bad and whose beats but the last are those of this event."""
    whole = (len(received.frame) - 1) // 8 * 8
    return received.bad and whole >= 64 and received.frame[:whole] == event.body[:whole]


def _sent(record: Record) -> list[bytes]:
    return [sent.frame for sent in mac_model.sent_frames(record.gmii)]


def _gaps(record: Record) -> set[int]:
    return {b.start - a.end for a, b in pairwise(mac_model.sent_frames(record.gmii))}


def _clocks(periods: tuple[int, int, int], rng: random.Random) -> dict[str, tuple[int, int]]:
    """Clocks with these periods at random phases."""
    names = ("rx_clk", "tx_clk", "user_clk")
    return {name: (period, rng.randrange(1, period)) for name, period in zip(names, periods, strict=True)}


# Lengths and line rate


def test_every_length_passes_both_ways_at_line_rate() -> None:
    """Frames of 60 to 1518 bytes in, 1 to 1518 bytes out, at the same time, none waiting for more than the gap."""
    rng = random.Random(1)
    script = Script()
    for length in range(60, MAX_FRAME - 4 + 1):
        script.symbols += symbols(on_wire(rng.randbytes(length)))
    script.sends = [(0, rng.randbytes(length), False) for length in range(1, MAX_FRAME - 4 + 1)]
    record, _ = _play(script)
    assert set(record.dispositions) == {"good"}
    assert _sent(record) == [padded(frame) for _, frame, _ in script.sends]
    assert _gaps(record) == {12}


@pytest.mark.slow
@pytest.mark.parametrize("fifo_bytes", some([SMALL_FIFO], [4096, FIFO]))
def test_minimum_frames_back_to_back_both_ways(fifo_bytes: int) -> None:
    rng = random.Random(2)
    script = Script(time_base=(1 << 32) - 1000)
    for _ in range(1000):
        script.symbols += symbols(on_wire(rng.randbytes(60)))
        script.sends.append((0, rng.randbytes(60), False))
    record, _ = _play(script, fifo_bytes=fifo_bytes)
    assert set(record.dispositions) == {"good"}
    assert _sent(record) == [frame for _, frame, _ in script.sends]
    assert _gaps(record) == {12}


def test_loopback_returns_every_frame_at_line_rate() -> None:
    rng = random.Random(3)
    script = Script(events=[(0, ENABLE, 1), (0, LOOPBACK, 1)])
    frames = [rng.randbytes(n) for n in [*range(60, 200), *range(200, 1519, 13), 1517, 1518, *[60] * 300]]
    for frame in frames:
        script.symbols += symbols(on_wire(frame))
    record, _ = _play(script)
    assert set(record.dispositions) == {"good"}
    assert not record.received
    assert _sent(record) == frames


# Bad input


def _good(rng: random.Random) -> list[int]:
    return symbols(on_wire(rng.randbytes(60 + rng.randrange(40))), gap=1 + rng.randrange(12))


def test_runts_of_every_length_are_dropped() -> None:
    rng = random.Random(4)
    script = Script()
    for length in range(64):
        body = rng.randbytes(max(length - 4, 0))
        body = (body + fcs(body))[:length]  # with a right FCS where there is room for one
        script.symbols += symbols(mac_model.PREAMBLE + body, gap=1) + _good(rng)
    record, _ = _play(script)
    assert record.dispositions == ["runt", "good"] * 64


def test_oversize_frames_are_dropped_however_long() -> None:
    rng = random.Random(5)
    lengths = [*range(1519, 1540), 2042, 2043, 2044, 9000, 40000]  # without FCS; past the FIFO's size and any counter
    script = Script()
    for length in lengths:
        script.symbols += symbols(on_wire(rng.randbytes(length)), gap=1) + _good(rng)
    for small in (False, True):
        record, _ = _play(script, small=small)
        assert record.dispositions == ["oversize", "good"] * len(lengths)


def test_one_wrong_bit_in_any_byte_is_an_fcs_error() -> None:
    rng = random.Random(6)
    script = Script()
    for length in (60, 61, 67, 301):
        for index in range(length + 4):
            event = bytearray(on_wire(rng.randbytes(length)))
            event[8 + index] ^= 1 << rng.randrange(8)
            script.symbols += symbols(event, gap=1 + rng.randrange(3))
        script.symbols += _good(rng)
    record, _ = _play(script)
    assert record.count("rx_good") == 4
    assert record.count("rx_fcs") == 64 + 65 + 71 + 305


def test_fcs_over_the_wrong_length_is_an_fcs_error() -> None:
    rng = random.Random(7)
    script = Script()
    for wrong in (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5):
        frame = rng.randbytes(100)
        over = frame[:wrong] if wrong < 0 else frame + bytes(wrong)
        script.symbols += symbols(mac_model.PREAMBLE + frame + fcs(over), gap=1) + _good(rng)
    record, _ = _play(script)
    assert record.dispositions == ["fcs", "good"] * 10


def test_carrier_may_drop_at_any_byte() -> None:
    rng = random.Random(8)
    script = Script()
    event = on_wire(rng.randbytes(150))
    for length in range(1, len(event)):
        script.symbols += symbols(event[:length], gap=1) + _good(rng)
    record, _ = _play(script)
    assert record.dispositions[1::2] == ["good"] * (len(event) - 1)
    assert record.dispositions[::2] == ["error"] * 7 + ["runt"] * 64 + ["fcs"] * (len(event) - 1 - 71)


def test_rx_er_at_any_byte_drops_the_frame() -> None:
    rng = random.Random(9)
    script = Script()
    event = on_wire(rng.randbytes(75))
    for index in range(len(event)):
        script.symbols += symbols(event, gap=1, errors=[index]) + _good(rng)
    record, _ = _play(script)
    assert record.dispositions == ["error", "good"] * len(event)


def test_rx_er_between_frames_is_ignored() -> None:
    """Carrier extension and false carrier indications come with rx_dv low."""
    rng = random.Random(10)
    script = Script()
    for _ in range(20):
        script.symbols += symbols(on_wire(rng.randbytes(64)), gap=0)
        script.symbols += [ER | rng.choice((0x0F, 0x0E, 0x1F, 0x55, 0xD5)) for _ in range(1 + rng.randrange(12))]
    record, _ = _play(script)
    assert record.dispositions == ["good"] * 20


def test_whatever_is_before_an_sfd_in_nine_places() -> None:
    rng = random.Random(11)
    script = Script()
    expected = []

    def add(head: bytes, cause: str) -> None:
        frame = bytes([rng.choice((0x55, 0x5D)) for _ in range(8)]) + rng.randbytes(52)
        script.symbols.extend(symbols(head + frame + fcs(frame), gap=1))
        expected.append(cause)

    for length in [*range(20), 500]:
        add(b"\x55" * length + b"\xd5", "good" if length < 9 else "error")
    for position in range(7):
        for garbage in (0x00, 0x54, 0x5D, 0xFF):
            head = bytearray(mac_model.PREAMBLE)
            head[position] = garbage
            add(bytes(head), "good")
    add(b"\x55" * 7 + b"\xd4", "error")
    script.symbols += [DV | 0x55] * 3000 + [0]  # no SFD at all
    script.symbols += [DV | 0x55, 0] * 50 + [DV | 0xD5, 0] * 50  # as short as can be
    expected += ["error"] * 51 + ["runt"] * 50
    add(mac_model.PREAMBLE, "good")
    record, _ = _play(script)
    assert record.dispositions == expected


def test_babble_is_counted_to_the_last_event_by_the_slowest_nic() -> None:
    """One-byte events as dense as can be: no frame comes this fast, and no count may be lost."""
    for phase in range(500, 15900, 2200):
        script = Script(user_clk=(15900, phase), symbols=[DV | 0x55, 0] * 500)
        record, _ = _play(script)
        assert record.dispositions == ["error"] * 500


# Cut-through: the NIC has the begin of a frame before its end is known


@pytest.mark.parametrize("fifo_bytes", some([SMALL_FIFO], [4096, FIFO]))
@pytest.mark.parametrize("periods", CLOCKS)
def test_every_verdict_over_a_shown_frame(fifo_bytes: int, periods: tuple[int, int, int]) -> None:
    """Frames of 60 to 90 bytes and of others, once good, once with each kind of fault behind their begin."""
    rng = random.Random(f"{fifo_bytes} {periods}")
    script = Script(**_clocks(periods, rng))
    bad = 0
    for length in (*range(60, 90), *range(300, 308), 1500, 1517, 1518):
        event = on_wire(rng.randbytes(length))
        wrong = bytearray(event)
        wrong[-1 - rng.randrange(8)] ^= 1 << rng.randrange(8)
        cut = event[: -1 - rng.randrange(4)]
        error = rng.randrange(8 + 68, len(event)) if length > 64 else 20
        for data, errors in ((event, ()), (wrong, ()), (event, (error,)), (cut, ())):
            # The NIC has the rest behind an error only at the end: time to read it, or the next frame is not shown.
            script.symbols += symbols(data, gap=500 if errors else 1 + rng.randrange(12), errors=errors)
        bad += 2 * (length > 64) + (len(cut) - 8 > 68)
        script.symbols += symbols(on_wire(rng.randbytes(1519 + rng.randrange(600))), gap=1)
        bad += 1
    record, events = _play(script, fifo_bytes=fifo_bytes)
    assert record.dispositions == [event.cause for event in events]
    assert [r.bad for r in record.received].count(True) == bad


def test_faults_before_a_frame_is_shown_leave_no_trace() -> None:
    """An error in the first 68 bytes, or an end in the first 68."""
    rng = random.Random(22)
    script = Script()
    for at in range(68):
        script.symbols += symbols(on_wire(rng.randbytes(200)), gap=1, errors=[8 + at])
        script.symbols += symbols(on_wire(rng.randbytes(200))[: 8 + at + 1], gap=1)
    script.symbols += symbols(on_wire(rng.randbytes(200)), gap=1, errors=[8 + 68])
    script.symbols += symbols(on_wire(rng.randbytes(200))[: 8 + 69], gap=1)
    record, _ = _play(script)
    assert [r.bad for r in record.received] == [True, True]
    assert len(record.received[0].frame) == 200 and len(record.received[1].frame) == 65


@pytest.mark.parametrize("max_bytes", some([MAX_FRAME], [1515]))
def test_excess_of_an_endless_frame_is_not_stored(max_bytes: int) -> None:
    """Where the first byte too many fills a word, and where it does not."""
    rng = random.Random(23)
    program = mac_harness.build(MAX_FRAME_BYTES=max_bytes, RX_FIFO_BYTES=SMALL_FIFO, TX_FIFO_BYTES=SMALL_FIFO)
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
    frame = rng.randbytes(5000)
    script.symbols += symbols(on_wire(frame)) + symbols(on_wire(frame[:200]))
    script.events.append((script.pin_time(len(script.symbols)), RX_STALL, 0))
    record = mac_harness.run(program, script)
    assert record.dispositions == ["oversize", "good"]
    assert [r.bad for r in record.received] == [True, False]
    assert record.received[0].frame == frame[: max_bytes - 4 + 1]
    assert record.received[1].frame == frame[:200]


def test_bad_frames_are_not_sent_in_loopback() -> None:
    rng = random.Random(24)
    script = Script(events=[(0, ENABLE, 1), (0, LOOPBACK, 1)])
    frames = [rng.randbytes(60 + rng.randrange(1459)) for _ in range(100)]
    for frame in frames:
        script.symbols += symbols(on_wire(frame))
        script.symbols += symbols(on_wire(frame)[: -1 - rng.randrange(60)])
    record, _ = _play(script)
    assert record.dispositions[::2] == ["good"] * 100 and set(record.dispositions[1::2]) <= {"fcs", "runt"}
    assert not record.received
    assert _sent(record) == frames


# Address filter and pause frames

OWN = 0x02_00_00_00_00_31


def _to(address: int | bytes, rng: random.Random, length: int = 0) -> bytes:
    """A frame to an address."""
    to = address.to_bytes(6, "big") if isinstance(address, int) else address
    return to + rng.randbytes((length or 60 + rng.randrange(200)) - 6)


def test_filter_takes_own_address_and_no_other() -> None:
    """Every address that differs in one bit, and the own one between; frames for others have no trace at the NIC."""
    rng = random.Random(25)
    script = Script()
    for bit in range(48):
        for address in (OWN ^ 1 << bit, OWN):
            script.symbols += symbols(on_wire(_to(address, rng)), gap=1 + rng.randrange(12))
    record, _ = _play(script, settings=Settings(OWN, promiscuous=0))
    assert record.dispositions == ["filtered", "good"] * 48
    script = Script(symbols=script.symbols)
    assert _play(script, settings=Settings(OWN))[0].dispositions == ["good"] * 96


def test_filter_takes_multicast_by_hash() -> None:
    """Each bit of the hash takes the addresses of its hash and no others."""
    rng = random.Random(26)
    by_hash: dict[int, bytes] = {}
    while len(by_hash) < 64:
        address = bytes([rng.randrange(256) | 1]) + rng.randbytes(5)
        by_hash[mac_model.ether_crc(address) >> 26] = address
    stream = [s for n in range(64) for s in symbols(on_wire(_to(by_hash[n], rng, 60)), gap=1)]
    for bit in range(64):
        record, _ = _play(Script(symbols=stream), settings=Settings(OWN, 1 << bit, promiscuous=0))
        assert record.dispositions == ["filtered"] * bit + ["good"] + ["filtered"] * (63 - bit)
    # Nothing of it is for unicast addresses.
    stream = [s for n in range(64) for s in symbols(on_wire(_to(bytes([by_hash[n][0] & 0xFE]) + by_hash[n][1:], rng)))]
    record, _ = _play(Script(symbols=stream), settings=Settings(OWN, (1 << 64) - 1, promiscuous=0))
    assert record.dispositions == ["filtered"] * 64


@pytest.mark.parametrize("broadcast", [0, 1])
@pytest.mark.parametrize("multicast_hash", [0, (1 << 64) - 1])
def test_filter_takes_broadcast_when_told(broadcast: int, multicast_hash: int) -> None:
    """And the hash has no say in it."""
    rng = random.Random(27)
    script = Script()
    for _ in range(10):
        script.symbols += symbols(on_wire(_to(mac_model.BROADCAST, rng)), gap=1)
    record, _ = _play(script, settings=Settings(OWN, multicast_hash, promiscuous=0, broadcast=broadcast))
    assert record.dispositions == ["good" if broadcast else "filtered"] * 10


def test_filtered_are_only_frames_that_are_good_and_need_no_room() -> None:
    rng = random.Random(28)
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
    for length in (1400, 600):  # fills the FIFO so far that none of the next frames would fit
        script.symbols += symbols(on_wire(_to(OWN, rng, length)))
    other = on_wire(_to(OWN + 1, rng, 300))
    script.symbols += symbols(other) + symbols(other[:-1]) + symbols(other[:60]) + symbols(other, errors=[100])
    script.symbols += symbols(on_wire(_to(OWN + 1, rng, 1600))) + symbols(on_wire(_to(OWN, rng, 300)))
    script.events.append((script.pin_time(len(script.symbols)), RX_STALL, 0))
    record, _ = _play(script, small=True, settings=Settings(OWN, promiscuous=0))
    expected = ["good", "good", "filtered", "fcs", "runt", "error", "oversize", "overflow"]
    assert record.dispositions == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_settings_take_effect_between_frames(seed: int) -> None:
    """The filter changes under traffic: within ten clocks before a frame's address either is right."""
    rng = random.Random(seed)
    script = Script(seed=seed, **_clocks((8000, 8001, 8000), rng))
    for _ in range(300):
        script.symbols += symbols(on_wire(_to(OWN + rng.randrange(2), rng)), gap=1 + rng.randrange(20))
    times = sorted(rng.sample(range(1_000_000, script.pin_time(len(script.symbols)), 8), 150))
    changes = [(at, OWN + i % 2) for i, at in enumerate([0, *times])]
    for at, address in changes:
        script.events += mac_harness.settings(at, mac_address=address, promiscuous=0)
    record = mac_harness.run(_program(FIFO), script)
    events = mac_model.carrier_events(script.symbols, MAX_FRAME)
    assert len(record.dispositions) == len(events)
    for event, got in zip(events, record.dispositions, strict=True):
        end = script.pin_time(event.sfd + 12)
        begin = script.pin_time(event.sfd + 8) - 80_000
        now = [address for at, address in changes if at <= begin][-1:]
        may_be = {*now, *(address for at, address in changes if begin < at <= end)}
        to = int.from_bytes(event.body[:6], "big")
        assert got in {"good" if to == address else "filtered" for address in may_be}
    assert set(record.dispositions) == {"good", "filtered"}
    assert len(record.received) == record.count("rx_good")


def _pause(to: bytes, quanta: int, opcode: int = 1, ethertype: int = 0x8808) -> bytes:
    head = to + bytes.fromhex("020000000099") + ethertype.to_bytes(2, "big") + opcode.to_bytes(2, "big")
    return padded(head + quanta.to_bytes(2, "big"))


@pytest.mark.parametrize("rx_pause", [0, 1])
@pytest.mark.parametrize("promiscuous", [0, 1])
def test_pause_frames_are_consumed_when_they_are_to_be_obeyed(rx_pause: int, promiscuous: int) -> None:
    rng = random.Random(29)
    own = OWN.to_bytes(6, "big")
    other = (OWN + 1).to_bytes(6, "big")
    cases = [
        (_pause(PAUSE_ADDRESS, 0xFFFF), True, False),  # frame, to be obeyed, wanted by the filter as a plain frame
        (_pause(own, 1), True, True),
        (_pause(PAUSE_ADDRESS, 0) + rng.randbytes(40), True, False),
        (_pause(PAUSE_ADDRESS, 7) + rng.randbytes(1400), True, False),
        (_pause(other, 1), False, False),
        (_pause(mac_model.BROADCAST, 1), False, True),
        (_pause(PAUSE_ADDRESS[:-1] + b"\2", 1), False, False),
        (_pause(PAUSE_ADDRESS, 1, opcode=0x0002), False, False),
        (_pause(PAUSE_ADDRESS, 1, opcode=0x0101), False, False),
        (_pause(PAUSE_ADDRESS, 1, ethertype=0x8908), False, False),
        (_pause(own, 1, ethertype=0x8809), False, True),
    ]
    script = Script()
    expected = []
    for frame, obeyed, wanted in cases:
        wrong = bytearray(on_wire(frame))
        wrong[8 + rng.randrange(16, len(frame))] ^= 1  # not in what says whose it is: it would be shown or not
        for event in (on_wire(frame), wrong, on_wire(frame)[: 8 + 63]):
            script.symbols += symbols(event, gap=1 + rng.randrange(12))
        script.symbols += symbols(on_wire(_to(OWN, rng)))
        first = "pause" if obeyed and rx_pause else "good" if wanted or promiscuous else "filtered"
        expected += [first, "fcs", "runt", "good"]
    settings = Settings(OWN, promiscuous=promiscuous, rx_pause=rx_pause)
    record, _ = _play(script, settings=settings)
    assert record.dispositions == expected


# MII


def _mii_script(mbps: int, rng: random.Random, nic: int = 8000) -> Script:
    period = 40_000 if mbps == 100 else 400_000
    return Script(**_clocks((period, period, nic), rng))


@pytest.mark.parametrize("mbps", [10, 100])
def test_mii_any_place_of_the_sfd_and_any_odd_nibble_behind_the_end(mbps: int) -> None:
    rng = random.Random(30)
    script = _mii_script(mbps, rng)
    expected = []

    def add(event: bytes, cause: str, gap: int = 24, **more: int | None) -> None:
        script.symbols.extend(mii_symbols(event, gap, **more))
        expected.append(cause)

    for skip in range(15):  # down to the last 5 and the D
        add(on_wire(rng.randbytes(60 + skip)), "good", 1, skip=skip)
    for skip in range(4):  # up to the eighteenth nibble
        add(b"\x55" * 2 + on_wire(b"\0" * 8 + rng.randbytes(52)), "good" if skip >= 2 else "error", skip=skip)
    add(on_wire(b"\0" * 10 + rng.randbytes(50)), "error", skip=15)  # D alone
    for nibble in range(16):
        add(on_wire(rng.randbytes(60 + nibble)), "good", 1 + nibble, dribble=nibble)
    for position in range(16):  # of the SFD both nibbles count
        event = bytearray(on_wire(b"\0" * 8 + rng.randbytes(52)))
        event[position // 2] ^= 2 << 4 * (position % 2)  # 5 becomes 7, D becomes F
        add(bytes(event), "good" if position < 14 else "error", 1)
    for length in (1, 2, 30, 31):
        add(on_wire(rng.randbytes(60))[:length], "runt" if length > 8 else "error", dribble=5)
    good = on_wire(rng.randbytes(200))
    add(good[:-1], "fcs", dribble=good[-1] & 15)
    add(good[:-1], "fcs")
    script.symbols += [DV | 5, 0] * 20 + [DV | 13, 0] * 20 + [DV | 5, DV | 13, 0] * 20
    expected += ["error"] * 40 + ["runt"] * 20
    add(good, "good")
    record, _ = _play(script, settings=Settings(mii=1))
    assert record.dispositions == expected


@pytest.mark.parametrize("mbps", [10, 100])
def test_mii_rx_er_with_any_nibble_drops_the_frame(mbps: int) -> None:
    rng = random.Random(31)
    script = _mii_script(mbps, rng)
    event = mii_symbols(on_wire(rng.randbytes(72)), 1, dribble=3)
    for index in range(0, len(event) - 1) if mbps == 100 else range(120, len(event) - 1):
        script.symbols += [*event[:index], event[index] | ER, *event[index + 1 :]]
        script.symbols += mii_symbols(on_wire(rng.randbytes(60)), 1)
    record, _ = _play(script, settings=Settings(mii=1))
    assert record.dispositions == ["error", "good"] * (len(record.dispositions) // 2)


@pytest.mark.parametrize(
    ("mbps", "nic"), some([(10, 12000), (100, 3000)], [(10, 3000), (10, 8000), (100, 8000), (100, 12000)])
)
def test_mii_random_traffic(mbps: int, nic: int) -> None:
    rng = random.Random(f"{mbps} {nic}")
    script = _mii_script(mbps, rng, nic)
    for _ in range(300 if mbps == 100 else 60):
        event = on_wire(_to(OWN + (rng.random() < 0.2), rng, rng.choice((60, 64, rng.randrange(60, 200), 1518))))
        damage = rng.randrange(8)
        if damage == 0:
            event = event[: rng.randrange(1, len(event))]
        elif damage == 1:
            event = event[:-3] + rng.randbytes(3)
        odd = rng.choice((None, rng.randrange(16)))
        script.symbols += mii_symbols(event, rng.choice((1, 24)), skip=rng.randrange(14), dribble=odd)
    script.events += [(script.pin_time(index), RX_STALL, rng.choice((0, 128, 250))) for index in range(0, 40_000, 1000)]
    script.events.append((script.pin_time(40_000), RX_STALL, 0))
    record, events = _play(script, small=True, settings=Settings(OWN, promiscuous=0, mii=1))
    assert record.dispositions == [event.cause for event in events]
    assert {"good", "fcs", "filtered"} <= set(record.dispositions)


# Overflow. In the FIFO's memory a place is in reserve; the first stamp and the first three beats wait outside of it.

ROOM = SMALL_FIFO // 8 - 1 + 4


@pytest.mark.parametrize("seed", SEEDS)
def test_rx_fifo_takes_exactly_the_frames_that_fit(seed: int) -> None:
    """With the NIC not reading, a frame is stored if and only if all of it fits; after that all fit again."""
    rng = random.Random(seed)
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
    room = ROOM
    expected = []
    for _ in range(60):
        length = rng.choice((60, 64, rng.randrange(60, 400), rng.randrange(60, 1519)))
        script.symbols += symbols(on_wire(rng.randbytes(length)), gap=1 + rng.randrange(12))
        words = 1 + (length + 7) // 8
        expected.append("good" if words <= room else "overflow")
        if words <= room:
            room -= words
    script.symbols += [0] * 1000
    script.events.append((script.pin_time(len(script.symbols) - 900), RX_STALL, 0))
    for _ in range(20):
        script.symbols += symbols(on_wire(rng.randbytes(rng.randrange(60, 1519))))
        expected.append("good")
    record, _ = _play(script, small=True)
    assert record.dispositions == expected


@pytest.mark.parametrize("excess", [-1, 0, 1, 2])
def test_rx_frame_fits_or_not_by_one_word(excess: int) -> None:
    """The last word of a frame is the one that finds no room, and the last that finds some; it leaves no trace."""
    rng = random.Random(19)
    for small in (True, False):  # the frame in question, and what is in front of it
        script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
        words = 9 if small else 150
        before = ROOM - words + excess
        for part in (before // 2, before - before // 2):
            script.symbols += symbols(on_wire(rng.randbytes(8 * (part - 1))))  # and a word for the stamp
        script.symbols += symbols(on_wire(rng.randbytes(8 * (words - 1))))
        script.events.append((script.pin_time(len(script.symbols)), RX_STALL, 0))
        record, _ = _play(script, small=True)
        assert record.dispositions == ["good", "good", "overflow" if excess > 0 else "good"]
        assert [r.bad for r in record.received] == [False] * (2 if excess > 0 else 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_frame_that_overflows_behind_others_leaves_no_trace_and_all_goes_on(seed: int) -> None:
    """The NIC stops in the middle of a long frame until the FIFO is full, and reads on at any moment."""
    rng = random.Random(seed)
    for _ in range(20):
        script = Script(seed=seed, **_clocks((8000, 8000, 8000), rng))
        script.symbols += symbols(on_wire(rng.randbytes(1000)))
        stop = len(script.symbols) + 100
        for length in (1500, 1500):
            script.symbols += symbols(on_wire(rng.randbytes(length)), gap=1)
        go = len(script.symbols) - rng.choice((3, 0, rng.randrange(400)))
        for _ in range(6):
            script.symbols += symbols(on_wire(rng.randbytes(rng.choice((60, 1500)))))
        script.events += [(script.pin_time(stop), RX_STALL, 256), (script.pin_time(go), RX_STALL, 0)]
        record, _ = _play(script, small=True)
        assert record.dispositions[:3] == ["good", "good", "overflow"]
        assert not any(r.bad for r in record.received)
        assert record.dispositions[-3:] == ["good"] * 3


def test_frame_behind_an_overflow_is_stored_at_once() -> None:
    """Room that appears while a frame is being lost serves the next one, one byte time later."""
    rng = random.Random(12)
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
    for _ in range(3):
        script.symbols += symbols(on_wire(rng.randbytes(1000)), gap=1)  # two of 126 words fit in 256, the third not
    script.events.append((script.pin_time(len(script.symbols) - 20), RX_STALL, 0))
    for _ in range(5):
        script.symbols += symbols(on_wire(rng.randbytes(1400)), gap=1)
    record, _ = _play(script, small=True)
    assert record.dispositions == ["good", "good", "overflow"] + ["good"] * 5


# Everything at once


def _anything(rng: random.Random) -> list[int]:
    """A carrier event of a random kind, for us or not."""
    length = rng.choice((60, rng.randrange(60, 130), rng.randrange(60, 1519)))
    to = rng.choice((OWN, OWN, OWN + 1, mac_model.BROADCAST, rng.randbytes(6), PAUSE_ADDRESS))
    frame = _to(to, rng, length)
    if rng.random() < 0.15:
        frame = _pause(frame[:6], rng.randrange(4)) + frame[60:]
    event = bytearray(on_wire(frame))
    gap = rng.choice((1, 12, rng.randrange(1, 40)))
    errors: list[int] = []
    match rng.randrange(16):
        case 0:
            event[8 + rng.randrange(length + 4)] ^= 1 << rng.randrange(8)
        case 1:
            event = event[: 1 + rng.randrange(len(event))]
        case 2:
            errors = [rng.randrange(len(event))]
        case 3:
            event[rng.randrange(8)] = rng.randrange(256)
        case 4:
            event = bytearray(on_wire(rng.randbytes(1519 + rng.randrange(600))))
        case 5:
            event = bytearray(on_wire(rng.randbytes(rng.randrange(60))))
        case 6:
            event = bytearray(rng.randbytes(1 + rng.randrange(100)))
        case 7:
            event = event[rng.randrange(7) :]
        case 8:
            event = bytearray(b"\x55" * (1 + rng.randrange(3)))
    return symbols(event, gap, errors)


@pytest.mark.parametrize("periods", CLOCKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_traffic_both_ways_at_any_clocks(periods: tuple[int, int, int], seed: int) -> None:
    rng = random.Random(f"{seed} {periods}")
    script = Script(seed=seed, time_base=rng.getrandbits(40), **_clocks(periods, rng))
    for _ in range(300):
        script.symbols += _anything(rng)
    for _ in range(300):
        length = rng.choice((rng.randrange(1, 70), rng.randrange(1, 1519), rng.randrange(1510, 1530), 3000))
        script.sends.append((0, rng.randbytes(length), rng.random() < 0.1))
    longest = rng.choice((0, MAX_FRAME, rng.randrange(64, 200), rng.randrange(64, MAX_FRAME + 100)))  # 0: as built
    most = min(longest or MAX_FRAME, MAX_FRAME)
    for length in (most - 4, most - 3, most - 5):
        script.symbols += symbols(on_wire(rng.randbytes(max(length, 60))))
    stalls = (0, 60, 128, 200, 245)  # of 256
    script.events += [
        (script.pin_time(index), what, rng.choice(stalls))
        for index in range(0, len(script.symbols), 1500)
        for what in (RX_STALL, TX_STALL)
    ]
    script.events += [(script.pin_time(len(script.symbols)), what, 100) for what in (RX_STALL, TX_STALL)]
    settings = Settings(
        OWN, rng.getrandbits(64), promiscuous=seed == 1, broadcast=seed != 3, rx_pause=seed == 2, max_frame=longest
    )
    record, events = _play(script, small=True, settings=settings)
    assert "disabled" not in record.dispositions
    sendable = [padded(f) for _, f, abort in script.sends if not abort and len(f) <= MAX_FRAME - 4]
    assert _sent(record) == sendable
    assert record.count("tx_drop_abort") == sum(abort for _, _, abort in script.sends)
    # The same with a NIC that always reads: no overflow at all.
    script.events = [(0, ENABLE, 1)]
    record, events = _play(script, small=True, settings=settings)
    assert record.dispositions == [event.cause for event in events]


# Transmit


def test_tx_fifo_holds_its_size_and_loses_nothing() -> None:
    """While disabled frames wait: as many as fit are taken, the rest when the MAC is enabled."""
    rng = random.Random(13)
    enable_at = 30_000_000
    script = Script(events=[(enable_at, ENABLE, 1)])
    script.sends = [(0, rng.randbytes(rng.randrange(1, 400)), False) for _ in range(60)]
    record, _ = _play(script, small=True)
    room, fits = SMALL_FIFO // 8 - 1 + 3, 0  # a place is in reserve, three words wait outside the memory
    for _, frame, _ in script.sends:
        room -= (len(frame) + 7) // 8
        fits += room >= 0
    assert sum(at < enable_at for at in record.handed) == fits < 60
    assert not any(record.gmii[: (enable_at - script.tx_clk[1]) // script.tx_clk[0]])
    assert _sent(record) == [padded(frame) for _, frame, _ in script.sends]
    assert _gaps(record) == {12}


def test_tx_longest_frame_passes_and_longer_ones_are_discarded_whole() -> None:
    rng = random.Random(14)
    lengths = [1518, 1519, 1517, 1520, 1521, 60, 1528, 1, 2048, 2049, 5000, 1518, 40000, 1516]
    script = Script(sends=[(0, rng.randbytes(n), False) for n in lengths])
    for small in (False, True):
        record, _ = _play(script, small=small)
        assert _sent(record) == [padded(f) for _, f, _ in script.sends if len(f) <= 1518]
        assert record.count("tx_drop_oversize") == sum(n > 1518 for n in lengths)


def test_tx_aborted_frames_vanish_whatever_their_length() -> None:
    rng = random.Random(15)
    script = Script()
    for length in [*range(1, 40), 1511, 1518, 1519, 4000]:
        script.sends += [(0, rng.randbytes(length), True), (0, rng.randbytes(60), False)]
    record, _ = _play(script, small=True)
    assert _sent(record) == [frame for _, frame, abort in script.sends if not abort]
    assert record.count("tx_drop_abort") == 43
    assert record.count("tx_drop_oversize") == 0


def test_tx_bursts_of_tiny_frames_from_a_fast_nic() -> None:
    """Frames of one beat, one each cycle: more commits than can cross at once, and none may be lost, the last least."""
    rng = random.Random(20)
    for frames in range(40, 56):
        script = Script(user_clk=(3000, 700))
        script.sends = [(0, rng.randbytes(rng.randrange(1, 9)), False) for _ in range(frames)]
        record, _ = _play(script)
        assert _sent(record) == [padded(frame) for _, frame, _ in script.sends]
        assert _gaps(record) == {12}


# Switches


@pytest.mark.parametrize("seed", SEEDS)
def test_enable_takes_effect_between_frames(seed: int) -> None:
    rng = random.Random(seed)
    script = Script(seed=seed, **_clocks((8000, 8001, 8000), rng))
    for _ in range(200):
        script.symbols += symbols(on_wire(rng.randbytes(60 + rng.randrange(200))), gap=1 + rng.randrange(20))
        script.sends.append((0, rng.randbytes(60 + rng.randrange(200)), False))
    toggles = sorted(rng.sample(range(0, script.pin_time(len(script.symbols)), 8), 121))
    script.events = [(at, ENABLE, index % 2 ^ 1) for index, at in enumerate(toggles)]

    def enabled(first: int, last: int) -> set[int]:
        """The values of enable in a stretch of time."""
        changed = sum(at <= first for at, _, _ in script.events) % 2
        return {changed} | {value for at, _, value in script.events if first < at <= last}

    record, events = _play(script, small=False)
    # Within ten clocks of a change either is right.
    for event, got in zip(events, record.dispositions, strict=True):
        start = script.pin_time(event.start)
        may_be = {"good" if value else "disabled" for value in enabled(start - 80_000, start + 8_000)}
        assert got in may_be
    assert {"good", "disabled"} == set(record.dispositions)
    for sent in mac_model.sent_frames(record.gmii):
        start = script.tx_clk[1] + sent.start * script.tx_clk[0]
        assert 1 in enabled(start - 96_000, start - 8_000)
    assert _sent(record) == [frame for _, frame, _ in script.sends]


@pytest.mark.parametrize("seed", SEEDS)
def test_loopback_switches_under_traffic_between_frames(seed: int) -> None:
    """No frame is cut, lost, doubled or sent to the wrong side, and each direction keeps its order."""
    rng = random.Random(seed)
    script = Script(seed=seed, **_clocks((8000, 8000, 8000), rng))
    for index in range(400):
        frame = b"R" + index.to_bytes(2, "big") + rng.randbytes(57 + rng.choice((0, rng.randrange(300))))
        script.symbols += symbols(on_wire(frame), gap=rng.choice((1, 12, 80, 400)))
        frame = b"T" + index.to_bytes(2, "big") + rng.randbytes(57 + rng.choice((0, rng.randrange(300))))
        script.sends.append((rng.randrange(0, script.pin_time(len(script.symbols))), frame, False))
    script.sends.sort()
    end = script.pin_time(len(script.symbols))
    script.events += [(0, RX_STALL, 30), (0, TX_STALL, 30)]
    script.events += [(at, LOOPBACK, i % 2 ^ 1) for i, at in enumerate(sorted(rng.sample(range(end), 160)))]
    record, events = _play(script, small=False)
    sent = _sent(record)
    stored = [e.frame for e, got in zip(events, record.dispositions, strict=True) if got == "good"]
    to_nic = [r.frame for r in record.received]
    looped = [frame for frame in sent if frame[:1] == b"R"]
    assert [f for f in sent if f[:1] == b"T"] == [frame for _, frame, _ in script.sends]
    assert sorted(to_nic + looped) == sorted(stored)
    assert to_nic == sorted(to_nic) and looped == sorted(looped)
    assert len(to_nic) > 20 and len(looped) > 20


def test_loopback_switches_although_both_directions_are_busy() -> None:
    """RX FIFO never empty, NIC always sending: the switch comes with the end of what is under way."""
    rng = random.Random(21)
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 200), (60_000_000, LOOPBACK, 1)])
    for _ in range(400):
        script.symbols += symbols(on_wire(rng.randbytes(60)))
    script.sends = [(0, rng.randbytes(64), False) for _ in range(100)]
    script.events.append((script.pin_time(len(script.symbols)) + 300_000_000, LOOPBACK, 0))
    record, _ = _play(script)
    changed, back = 60_000_000, script.events[-1][0]
    assert not any(changed + 2_000_000 < r.valid_at < back for r in record.received)
    assert not any(changed + 2_000_000 < at < back for at in record.handed)
    assert len(_sent(record)) + len(record.received) == 500


def test_loopback_keeps_the_nic_out() -> None:
    rng = random.Random(16)
    script = Script(events=[(0, ENABLE, 1), (0, LOOPBACK, 1), (100_000_000, LOOPBACK, 0)])
    frames = [rng.randbytes(60) for _ in range(10)]
    for frame in frames:
        script.symbols += symbols(on_wire(frame))
    own = rng.randbytes(100)
    script.sends = [(0, own, False)]
    record, _ = _play(script)
    assert not record.received
    assert record.handed[0] >= 100_000_000
    assert _sent(record) == [*frames, own]


@pytest.mark.parametrize("seed", SEEDS)
def test_reset_in_full_traffic_leaves_a_working_mac(seed: int) -> None:
    """All frames that begin behind the reset pass, whatever it interrupted."""
    rng = random.Random(seed)
    script = Script(seed=seed, **_clocks((8000, 8001, 7000), rng))
    for _ in range(60):
        script.symbols += symbols(on_wire(rng.randbytes(60 + rng.randrange(300))))
    middle = script.pin_time(rng.randrange(len(script.symbols) // 2, len(script.symbols)))
    script.events += [(middle, RESET, 1), (middle + 200_000, RESET, 0), (0, RX_STALL, 250), (middle, RX_STALL, 0)]
    behind = [rng.randbytes(60 + rng.randrange(1400)) for _ in range(20)]
    script.symbols += [0] * 100
    later = script.pin_time(len(script.symbols))
    for frame in behind:
        script.symbols += symbols(on_wire(frame))
    script.sends = [(0, rng.randbytes(700), False) for _ in range(200)]
    script.sends += [(later, frame, False) for frame in behind]
    record = mac_harness.run(_program(SMALL_FIFO), script)
    assert [r.frame for r in record.received][-20:] == behind
    # What was on the wire when the reset came ends without a right FCS: look only at what came after.
    quiet = (middle + 400_000 - script.tx_clk[1]) // script.tx_clk[0]
    gap = next(i for i in range(quiet, len(record.gmii)) if not record.gmii[i] & DV)
    assert [sent.frame for sent in mac_model.sent_frames(record.gmii[gap:])][-20:] == behind


# Time


@pytest.mark.parametrize("periods", CLOCKS)
def test_stamp_of_a_queued_frame_is_that_of_its_arrival(periods: tuple[int, int, int]) -> None:
    """Every stamp is checked by _play: here frames wait long, and the time carries far."""
    rng = random.Random(17)
    script = Script(time_base=(1 << 40) - 5000, **_clocks(periods, rng))
    script.events += [(0, RX_STALL, 256), (200_000_000, RX_STALL, 200)]
    for _ in range(100):
        script.symbols += symbols(on_wire(rng.randbytes(60 + rng.randrange(60))), gap=1 + rng.randrange(200))
    record, _ = _play(script)
    assert record.dispositions == ["good"] * 100
    assert record.received[0].valid_at < 3_000_000 < 200_000_000 < record.received[1].valid_at


def test_latencies_are_as_documented() -> None:
    """The figures in the header of mac.sv, at any phase between clocks of 125 MHz."""
    rng = random.Random(18)
    receive, receive_last, send = set(), {}, set()
    for phase in range(0, 8000, 500):
        script = Script(user_clk=(8000, 300 + phase))
        for length in (60, 61, 64, 68, 300, *range(1000, 1017)):
            script.symbols += symbols(on_wire(rng.randbytes(length)), gap=100)
            if length < 1000:
                script.sends.append((4_000_000 * len(script.sends), rng.randbytes(length), False))
        record, events = _play(script)
        for event, received in zip(events, record.received, strict=True):
            if len(received.frame) == 60:
                receive.add((received.valid_at - script.pin_time(event.end - 1)) / 8000)
            if len(received.frame) > 300:
                last = (received.last_at - script.pin_time(event.end - 1)) / 8000
                receive_last.setdefault(len(received.frame) % 8 == 0, set()).add(last)
                assert received.valid_at < script.pin_time(event.sfd + 100)
        for at, sent in zip(record.handed, mac_model.sent_frames(record.gmii), strict=True):
            send.add((script.tx_clk[1] + sent.start * 8000 - at) / 8000)
    assert min(receive) >= 8 and max(receive) <= 9
    assert min(receive_last[True]) >= 7 and max(receive_last[True]) <= 8
    assert min(receive_last[False]) >= 7 and max(receive_last[False]) <= 12
    assert min(send) >= 6 and max(send) <= 7


def test_with_rx_store_frames_leave_whole_as_soon_as_the_last_byte_is_judged() -> None:
    """None is shown while it comes in: no gap inside, the first word as late behind the end as with a short one."""
    rng = random.Random(19)
    script = Script()
    script.events += mac_harness.settings(0, rx_store=1)
    script.symbols = [0] * 100
    for length in (60, 61, 300, 1500, 1514):
        script.symbols += symbols(on_wire(rng.randbytes(length)), gap=100)
    script.symbols += symbols(on_wire(rng.randbytes(700))[:-1] + b"\0", gap=100)
    record, events = _play(script)
    assert record.dispositions == ["good"] * 5 + ["fcs"]
    assert len(record.received) == 5, "the bad one leaves no trace"
    for event, received in zip(events, record.received, strict=False):
        behind = (received.valid_at - script.pin_time(event.end - 1)) / 8000
        beats = -(-len(received.frame) // 8)
        assert 8 <= behind <= 13
        assert (received.last_at - received.valid_at) / 8000 == beats - 1


# Elaboration


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"RX_FIFO_BYTES": 1024}, "RX_FIFO_BYTES is too small"),
        ({"TX_FIFO_BYTES": 1024}, "TX_FIFO_BYTES is too small"),
        ({"TX_FIFO_BYTES": 3000}, "must be a power of two"),
        ({"MAX_FRAME_BYTES": 60}, "must be at least 64"),
    ],
)
def test_impossible_parameters_stop_elaboration(parameters: dict[str, int], sentence: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        mac_harness.lint(**parameters)
    assert sentence in stopped.value.stderr


def test_harness_lint_accepts_good_parameters() -> None:
    mac_harness.lint(RX_FIFO_BYTES=SMALL_FIFO, TX_FIFO_BYTES=SMALL_FIFO, MAX_FRAME_BYTES=MAX_FRAME)
