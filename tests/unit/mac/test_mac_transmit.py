# SPDX-License-Identifier: Apache-2.0
"""The MAC's transmit side beyond store-and-forward: cut-through, pause frames both ways, MII, transmit stamps.

Played by mac_harness, judged by mac_model, as in test_mac.py, which has the transmit side of a plain GMII MAC.
"""

import random
from functools import cache
from itertools import pairwise

import mac_harness
import mac_model
import pytest
from mac_harness import ENABLE, RX_STALL, TX_STALL, Record, Script, settings
from mac_model import Sent, on_wire, padded, symbols
from runs import seeds, slow, some

MAX_BYTES = 1518  # without FCS
OVERHEAD = 8 + 4 + 12  # byte times of preamble, FCS and gap
FIFO, SMALL_FIFO = 16384, 2048  # as in test_mac, whose programs these are
SEEDS = seeds(1, 3)
# gmii_rx_clk, gmii_tx_clk, user_clk in ps, as in test_mac
CLOCKS = some(
    [(8001, 7999, 8000), (8000, 8001, 3000), (8000, 7999, 15900)],
    [((8000, 8000, 8000),), ((7999, 8001, 8000),), ((8000, 8000, 7000),), ((8001, 8000, 10000),)],
)
MII_PERIODS = (40_000, 400_000)  # 100 and 10 Mb/s
MAC_ADDRESS = 0x02A1B2C3D4E5


@cache
def _program(small: bool):
    fifo = SMALL_FIFO if small else FIFO
    return mac_harness.build(MAX_FRAME_BYTES=MAX_BYTES + 4, RX_FIFO_BYTES=fifo, TX_FIFO_BYTES=fifo)


def _play(script: Script, *, small: bool = False, mii: bool = False) -> tuple[Record, list[Sent]]:
    """Run `script`; every frame handed over has exactly one end, and the line shows as many of each kind as counted.

    Returns the record and what was on the line, the MAC's own pause frames left out; `start` and `end` in bytes.
    """
    script.limit = 10**11
    record = mac_harness.run(_program(small), script)
    line = mac_model.sent_frames(mac_model.bytes_of_nibbles(record.gmii) if mii else record.gmii, cut=True)
    frames = [sent for sent in line if sent.cut or not _is_pause(sent.frame)]
    count = record.count
    drops = count("tx_drop_underrun") + count("tx_drop_abort") + count("tx_drop_oversize")
    assert count("tx_sent") == sum(not sent.cut for sent in frames)
    assert count("tx_sent") + drops == len(record.handed) == len(script.sends)
    assert count("tx_drop_underrun") <= sum(sent.cut for sent in frames) <= drops
    assert count("tx_pause") == len(line) - len(frames)
    return record, frames


def _is_pause(frame: bytes) -> bool:
    return frame[:6] == bytes.fromhex("0180C2000001") and frame[12:16] == bytes.fromhex("88080001")


def _pause_frame(quanta: int, source: int = 0x0200_0000_0001) -> bytes:
    """IEEE 802.3, Annex 31B."""
    head = bytes.fromhex("0180C2000001") + source.to_bytes(6, "big") + bytes.fromhex("88080001")
    return padded(head + quanta.to_bytes(2, "big"))


XOFF, XON = _pause_frame(0xFFFF, MAC_ADDRESS), _pause_frame(0, MAC_ADDRESS)


def _gaps(frames: list[Sent]) -> set[int]:
    return {b.start - a.end for a, b in pairwise(frames)}


def _good(frames: list[Sent]) -> list[bytes]:
    return [sent.frame for sent in frames if not sent.cut]


def _words(frame: bytes) -> int:
    return (len(frame) + 7) // 8


def _at_line_rate(frames: list[bytes], ahead: int) -> list[tuple[int, bytes, bool]]:
    """Sends that come as fast as the line takes them, `ahead` byte times of 8 ns earlier than the first lets expect."""
    sends, at = [], 4_000_000
    for frame in frames:
        sends.append((at - (8000 * ahead if sends else 0), frame, False))
        at += 8000 * (max(len(frame), 60) + OVERHEAD)
    return sends


# Cut-through


@pytest.mark.parametrize("start", some([1], [2, 8, 100]))
def test_cut_through_of_every_length_at_line_rate(start: int) -> None:
    """A NIC that writes a word a cycle: no underrun, and the gap is exactly 12."""
    rng = random.Random(start)
    script = Script(events=[(0, ENABLE, 1), *settings(0, tx_start=start)])
    script.sends = _at_line_rate([rng.randbytes(n) for n in range(1, MAX_BYTES + 1)], start + 4)
    record, frames = _play(script)
    assert [sent.frame for sent in frames] == [padded(frame) for _, frame, _ in script.sends]
    assert _gaps(frames) == {12}
    early = 0
    for (_, frame, _), handed, sent in zip(script.sends, record.handed, frames, strict=True):
        early += script.tx_clk[1] + sent.start * 8000 < handed
        if _words(frame) > start + 24:
            assert script.tx_clk[1] + sent.start * 8000 < handed
    assert early > 600


@pytest.mark.parametrize("start", [1, 2, 7, 8, 9, 64, 255])
def test_a_frame_begins_with_its_nth_word(start: int) -> None:
    """Six to seven cycles behind it, as behind the last word of a frame that has no more; any phase of the clocks."""
    rng = random.Random(start)
    latencies = set()
    for phase in range(0, 8000, 500):
        script = Script(user_clk=(8000, 300 + phase), events=[(0, ENABLE, 1), *settings(0, tx_start=start)])
        for index, words in enumerate((start, start + 1, start + 2, 180, max(start - 1, 1), 1)):
            script.sends.append((16_000_000 * (index + 1), rng.randbytes(8 * min(words, 180)), False))
        record, frames = _play(script)
        assert [sent.frame for sent in frames] == [padded(frame) for _, frame, _ in script.sends]
        for (_, frame, _), handed, sent in zip(script.sends, record.handed, frames, strict=True):
            nth_word = handed - 8000 * max(_words(frame) - start, 0)
            latencies.add((script.tx_clk[1] + sent.start * 8000 - nth_word) / 8000)
    assert min(latencies) >= 6 and max(latencies) <= 7


@pytest.mark.parametrize("start", [1, 3, 11])
@pytest.mark.parametrize("words", [2, 12])
def test_underrun_at_every_word(start: int, words: int) -> None:
    """The frame is cut behind the last word that was there; what comes later is drained, and the next frame is good."""
    rng = random.Random(start)
    for nic_period in (3000, 8000, 15900):
        script = Script(user_clk=(nic_period, 700), events=[(0, ENABLE, 1), *settings(0, tx_start=start)])
        at = 1_000_000
        expected = []
        for position in range(words):
            for length in (8 * words, 8 * words - 7):
                frame, behind = rng.randbytes(length), rng.randbytes(64)
                script.holds[len(script.sends)] = (position, 4_000_000 // nic_period)
                script.sends += [(at, frame, False), (0, behind, False)]
                at += 8_000_000
                cut = start <= position
                expected += [(frame[: 8 * position] if cut else padded(frame), cut), (behind, False)]
        record, frames = _play(script)
        assert [(sent.frame, sent.cut) for sent in frames] == expected
        assert record.count("tx_drop_underrun") == 2 * max(words - start, 0)


def test_a_word_comes_in_time_or_it_does_not() -> None:
    """A word held back by ever more cycles: up to some hold the frame is sent, then it is cut, counted once."""
    rng = random.Random(2)
    script = Script(events=[(0, ENABLE, 1), *settings(0, tx_start=2)])
    for hold in range(120):
        script.holds[len(script.sends)] = (9, hold)
        script.sends += [(1_000_000 + 4_000_000 * hold, rng.randbytes(100), False), (0, rng.randbytes(61), False)]
    record, frames = _play(script)
    cuts = [sent.cut for sent in frames[::2]]
    first = cuts.index(True)
    assert not any(frames[i].cut for i in range(1, len(frames), 2))
    assert all(cuts[first:]) and 64 < first < 76  # the word is due 8 + 72 byte times behind the start
    assert record.count("tx_drop_underrun") == 120 - first


@pytest.mark.parametrize("period", some([3000, 8000, 13700], [7000, 9300, 10000, 20000]))
def test_a_promise_that_is_kept_is_enough(period: int) -> None:
    """One beat as late as mac.sv lets it be, at any phase: no underrun. 80 ns later there are some."""
    rng = random.Random(period)
    for late in (0, 80_000 // period + 1):
        underruns = 0
        for phase in range(0, 8000, 1300):
            script = Script(user_clk=(period, 100 + phase), events=[(0, ENABLE, 1), *settings(0, tx_start=1)])
            for beat in (1, 2, 3, 5, 9, 20, 150):
                for odd in range(3):
                    latest = 8000 * (8 * beat + 4) // period - 3  # cycles behind the first beat
                    script.holds[len(script.sends)] = (beat, latest - beat + late)
                    script.sends.append((12_000_000 * (len(script.sends) + 1) + 2300 * odd, rng.randbytes(1216), False))
            record, _ = _play(script)
            underruns += record.count("tx_drop_underrun")
        assert (underruns > 0) == (late > 0)


@pytest.mark.parametrize("hold", [0, 400])
def test_abort_behind_the_start_cuts_the_frame_short(hold: int) -> None:
    """Whatever is there by then is on the line, with an error at its end; an underrun before it is not counted too."""
    rng = random.Random(3)
    script = Script(events=[(0, ENABLE, 1), *settings(0, tx_start=2)])
    lengths = [*range(1, 100), 800, 1511, 1518, 1519, 4000]
    for length in lengths:
        script.holds[len(script.sends)] = ((length - 1) // 8, hold)
        script.sends += [(8_000_000 * len(script.sends), rng.randbytes(length), True), (0, rng.randbytes(60), False)]
    record, frames = _play(script)
    assert _good(frames) == [frame for _, frame, abort in script.sends if not abort]
    cut = [sent.frame for sent in frames if sent.cut]
    begun = [frame for _, frame, abort in script.sends if abort and len(frame) > 16]
    assert len(cut) == len(begun) == len(lengths) - 16
    for part, frame in zip(cut, begun, strict=True):
        assert len(part) == min(8 * (_words(frame) - 1), 1520 if hold else 1512 if len(frame) < 1520 else 1520)
        assert part == frame[: len(part)]
    assert record.count("tx_drop_abort") == len(lengths)
    assert record.count("tx_drop_underrun") == record.count("tx_drop_oversize") == 0


@pytest.mark.parametrize("small", [False, True])
def test_oversize_behind_the_start_cuts_the_frame_short(small: bool) -> None:
    rng = random.Random(4)
    lengths = [1519, 1520, 1521, 1528, 1529, 2048, 3000, 40000]
    script = Script(events=[(0, ENABLE, 1), *settings(0, tx_start=4)])
    for length in lengths:
        script.sends += [(0, rng.randbytes(length), False), (0, rng.randbytes(1518), False)]
    record, frames = _play(script, small=small)
    assert _good(frames) == [frame for _, frame, _ in script.sends if len(frame) <= 1518]
    assert [len(sent.frame) for sent in frames if sent.cut] == [1512, 1512, *[1520] * 6][: len(lengths)]
    assert record.count("tx_drop_oversize") == len(lengths)
    assert record.count("tx_drop_underrun") == 0


@pytest.mark.parametrize("oversize", [False, True])
def test_the_end_of_a_bad_frame_meets_a_full_fifo(oversize: bool) -> None:
    """While disabled nothing leaves: shown frames fill the FIFO up to the word that says they are bad, or beyond."""
    rng = random.Random(8)
    for words in range(60, 80):
        script = Script(events=[(20_000_000, ENABLE, 1), *settings(0, tx_start=1)])
        first = 8 * (SMALL_FIFO // 8 - 190 - words + 65) if oversize else 1518
        bad = rng.randbytes(1600 if oversize else 8 * words)
        script.sends = [(0, rng.randbytes(first), False), (0, bad, not oversize), (0, rng.randbytes(700), False)]
        record, frames = _play(script, small=True)
        assert [sent.cut for sent in frames] == [False, True, False]
        assert _good(frames) == [padded(script.sends[0][1]), script.sends[2][1]]
        assert record.count("tx_drop_oversize" if oversize else "tx_drop_abort") == 1


@pytest.mark.parametrize("periods", [CLOCKS[1], *slow([(CLOCKS[0],), (CLOCKS[2],)]), *CLOCKS[3:]])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_cut_through_traffic_at_any_clocks(periods: tuple[int, int, int], seed: int) -> None:
    """Aborts, oversize, a NIC that stalls, tx_start changing: each frame has one end, good ones keep their order."""
    rng = random.Random(f"{seed} {periods}")
    names = ("rx_clk", "tx_clk", "user_clk")
    clocks = {name: (period, rng.randrange(1, period)) for name, period in zip(names, periods, strict=True)}
    script = Script(seed=seed, **clocks)
    for index in range(400):
        length = rng.choice((rng.randrange(3, 70), rng.randrange(3, 1519), rng.randrange(1510, 1530), 3000))
        frame = index.to_bytes(3, "big") + rng.randbytes(length - 3)
        script.sends.append((0, frame, rng.random() < 0.1))
        if rng.random() < 0.5:
            script.stamped.add(index)
    # Words as fast as the line takes them, a half, a quarter of that, and as fast as can be.
    stalls = [0, *(256 - max(256 * periods[2] // (64_000 * slow), 1) for slow in (1, 2, 4))]
    for at in range(0, 8_000_000_000, 10_000_000):
        script.events.append((at, TX_STALL, rng.choice(stalls)))
        if rng.random() < 0.3:
            script.events += settings(at, tx_start=rng.choice((0, 1, 2, 3, 8, 40, 150)))
        if rng.random() < 0.1:
            script.events.append((at, ENABLE, rng.random() < 0.8))
    script.events.append((8_000_000_000, ENABLE, 1))
    record, frames = _play(script, small=True)
    by_index = {frame[:3]: frame for _, frame, _ in script.sends}
    good = _good(frames)
    for sent in frames:
        frame = by_index[sent.frame[:3]]
        assert sent.frame == (frame[: len(sent.frame)] if sent.cut else padded(frame))
    order = [sent.frame[:3] for sent in frames]
    assert order == sorted(set(order))
    aborts = {frame[:3] for _, frame, abort in script.sends if abort}
    oversize = {frame[:3] for _, frame, _ in script.sends if len(frame) > MAX_BYTES} - aborts
    assert record.count("tx_drop_abort") == len(aborts)
    assert record.count("tx_drop_oversize") == len(oversize)
    assert not {frame[:3] for frame in good} & (aborts | oversize)
    underruns = {sent.frame[:3] for sent in frames if sent.cut} - aborts - oversize
    assert record.count("tx_drop_underrun") == len(underruns)
    assert len(good) > 100 and len(underruns) > 3
    wanted = {script.sends[index][1][:3] for index in script.stamped}
    assert len(record.stamps) == len(wanted - aborts - oversize)


@pytest.mark.parametrize("start", [0, 1, 4])
def test_looped_frames_that_turn_out_bad_leave_no_trace(start: int) -> None:
    """They were counted on receive: nothing is on the line, no transmit drop is counted."""
    rng = random.Random(start)
    script = Script(events=[(0, ENABLE, 1), (0, mac_harness.LOOPBACK, 1), *settings(0, tx_start=start)])
    frames = []
    for length in (60, 61, 70, 100, 300, 1518, *range(1500, 1525)):
        bad = bytearray(on_wire(rng.randbytes(length)))
        bad[20] ^= 1
        good = rng.randbytes(min(length, MAX_BYTES))
        script.symbols += symbols(bytes(bad)) + symbols(on_wire(good))
        frames.append(good)
    record = mac_harness.run(_program(False), script)
    assert [sent.frame for sent in mac_model.sent_frames(record.gmii)] == frames
    assert {name for _, name in record.pulses} == {"rx_fcs", "rx_oversize", "rx_good", "tx_sent"}
    assert not record.received


# Pause frames received


PAUSE_LATENCY = (8, 10)  # gmii_tx_clk cycles by which a pause begins and ends later than its frame does: see mac.sv


def _pausing(pauses: list[tuple[int, int]], lead: int, mii: bool = False, **fields: int) -> tuple[Script, list[int]]:
    """A script that sends minimum frames all the time and gets pause frames: (quanta, byte times to the next one).

    Also returns when the last FCS byte of each pause frame is taken from the pins.
    """
    rng = random.Random(lead)
    period, nibbles = (40_000, 2) if mii else (8000, 1)
    script = Script(rx_clk=(period, 1000), tx_clk=(period, 2500), user_clk=(8000, 4100))
    script.events += settings(0, **{"mii": int(mii), "rx_pause": 1, **fields})
    script.symbols = [0] * (nibbles * 500 + lead)
    taken = []
    for quanta, gap in pauses:
        event = symbols(on_wire(_pause_frame(quanta)), gap=0)
        if mii:
            event = [symbol & ~0xFF | symbol >> half & 0xF for symbol in event for half in (0, 4)]
        script.symbols += event
        taken.append(script.pin_time(len(script.symbols) - 1))
        script.symbols += [0] * (nibbles * gap)
    byte_times = len(script.symbols) // nibbles + 1000
    script.sends = [(0, rng.randbytes(60), False) for _ in range(byte_times // 84)]
    return script, taken


def _starts(script: Script, record: Record) -> list[int]:
    """When frames begin on the line, in ps."""
    out = []
    for index, symbol in enumerate(record.gmii):
        if symbol and not record.gmii[index - 1]:
            out.append(script.tx_clk[1] + index * script.tx_clk[0])
    return out


@pytest.mark.parametrize("mii", [False, True])
@pytest.mark.parametrize("quanta", some([3, 50], [4]))
def test_pause_is_obeyed_to_the_byte_time(quanta: int, mii: bool) -> None:
    """No frame begins from some cycles behind the pause frame on, for 64 byte times a quantum; then one does."""
    period, quantum = (40_000, 128) if mii else (8000, 64)
    resumed, last_before = set(), set()
    for lead in range(0, 84 * (1 + mii), 1 if quanta == 3 and not mii else 7):
        script, (taken,) = _pausing([(quanta, 64 * quanta + 300)], lead, mii)
        record, frames = _play(script, mii=mii)
        assert len(frames) == len(script.sends)
        assert record.count("rx_pause") == 1 and not record.received
        begins = [(start - taken) / period for start in _starts(script, record)]
        last_before.add(max(begin for begin in begins if begin < quantum))
        resumed.add(min(begin for begin in begins if begin > quantum) - quantum * quanta)
    assert max(resumed) - min(resumed) < 0.01 + mii  # bytes take two cycles at MII
    assert min(resumed) >= PAUSE_LATENCY[0] and max(resumed) <= PAUSE_LATENCY[1] and max(last_before) < PAUSE_LATENCY[1]


@pytest.mark.parametrize("mii", [False, True])
def test_pause_begins_and_ends_as_late_as_documented_at_any_phase(mii: bool) -> None:
    period, quantum = (40_000, 128) if mii else (8000, 64)
    resumed = set()
    for phase in range(1, period, period // 16):
        script, (taken,) = _pausing([(4, 556)], 40, mii)
        script.tx_clk = (period, phase)
        record, _ = _play(script, mii=mii)
        begins = [(start - taken) / period for start in _starts(script, record)]
        resumed.add(min(begin for begin in begins if begin > quantum) - quantum * 4)
        assert max(begin for begin in begins if begin < quantum) < PAUSE_LATENCY[1]
    assert min(resumed) >= PAUSE_LATENCY[0] and max(resumed) <= PAUSE_LATENCY[1]


def test_a_new_pause_frame_replaces_the_timer() -> None:
    """Longer, shorter, and none at all."""
    for first, second in ((100, 200), (200, 20), (0xFFFF, 0), (0xFFFF, 3), (5, 0xFFFF)):
        script, taken = _pausing([(first, 200), (second, 500), (0, 500)], 0)
        record, frames = _play(script)
        begins = _starts(script, record)
        resumed = min(begin for begin in begins if begin > taken[0] + 8000 * 90)
        ended = taken[1] + 8000 * 64 * second
        if ended > taken[2]:
            ended = taken[2]
        assert PAUSE_LATENCY[0] <= (resumed - ended) / 8000 <= PAUSE_LATENCY[1]
        assert len(frames) == len(script.sends)


def test_pause_ends_when_it_is_no_longer_to_be_obeyed() -> None:
    script, (taken,) = _pausing([(0xFFFF, 1000)], 0)
    switched_off = taken + 5_000_000
    script.events += settings(switched_off)
    record, _ = _play(script)
    resumed = min(begin for begin in _starts(script, record) if begin > taken + 8000 * 90)
    assert 0 < resumed - switched_off < 200_000


def test_pause_frames_are_for_the_nic_unless_they_are_to_be_obeyed() -> None:
    script, _ = _pausing([(0xFFFF, 1000)], 0, rx_pause=0)
    record, frames = _play(script)
    assert [received.frame for received in record.received] == [_pause_frame(0xFFFF)]
    assert _gaps(frames) == {12}


# Pause frames sent


WORDS = 9  # of the RX FIFO for a minimum frame
HALF, QUARTER = SMALL_FIFO // 8 // 2, SMALL_FIFO // 8 // 4
OUTSIDE = 4  # words of the RX FIFO that have left its memory when the NIC takes none


def _pauses(record: Record, mii: bool = False) -> list[Sent]:
    stream = mac_model.bytes_of_nibbles(record.gmii) if mii else record.gmii
    return [sent for sent in mac_model.sent_frames(stream, cut=True) if _is_pause(sent.frame)]


def _filling(frames: int, **fields: int) -> Script:
    """A script in which the NIC takes nothing and so many minimum frames come."""
    rng = random.Random(frames)
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
    script.events += settings(0, **{"tx_pause": 1, "mac_address": MAC_ADDRESS, **fields})
    for _ in range(frames):
        script.symbols += symbols(on_wire(rng.randbytes(60)), gap=100)
    return script


def test_xoff_above_half_and_xon_below_a_quarter() -> None:
    """The FIFO fills past its half, goes down to between, up again and empties: one XOFF, one XON."""
    quiet = (HALF + OUTSIDE) // WORDS
    script = _filling(quiet)
    script.events.append((script.pin_time(len(script.symbols)) + 4_000_000, RX_STALL, 0))
    record, _ = _play(script, small=True)
    assert not _pauses(record)

    script = _filling(26)
    now = script.pin_time(len(script.symbols))
    script.events += [(now, RX_STALL, 0), (now + 8000 * 120, RX_STALL, 256)]  # 26 * 9 - 120: between quarter and half
    up = now + 4_000_000
    script.symbols += [0] * 500
    for _ in range(8):
        script.symbols += symbols(on_wire(bytes(60)), gap=100)
    script.events.append((up + 10_000_000, RX_STALL, 0))
    record, _ = _play(script, small=True)
    assert [sent.frame for sent in _pauses(record)] == [XOFF, XON]
    xoff, xon = (script.tx_clk[1] + 8000 * sent.start for sent in _pauses(record))
    stored = [at for at, name in record.pulses if name == "rx_good"]
    assert stored[quiet] - 8000 * 64 < xoff < stored[quiet] + 8000 * 16
    left = [received.last_at for received in record.received]
    assert xon > left[-QUARTER // WORDS - 2] > up + 10_000_000


def test_pause_frames_go_first_and_keep_the_gap() -> None:
    """Between frames that wait back to back, and while we are paused ourselves."""
    rng = random.Random(7)
    script = _filling(40)
    script.sends = [(0, rng.randbytes(rng.randrange(60, 300)), False) for _ in range(60)]
    script.events.append((script.pin_time(len(script.symbols)), RX_STALL, 0))
    record, frames = _play(script, small=True)
    assert [sent.frame for sent in frames] == [frame for _, frame, _ in script.sends]
    line = mac_model.sent_frames(record.gmii)
    xoff = next(index for index, sent in enumerate(line) if sent.frame == XOFF)
    assert 0 < xoff < 50
    assert _gaps(line[:61]) == {12}
    stored = [at for at, name in record.pulses if name == "rx_good"]
    crowded = stored[(HALF + OUTSIDE) // WORDS]
    # It is the first frame that begins behind the moment: nothing else can have begun since.
    assert script.tx_clk[1] + 8000 * line[xoff - 1].start < crowded + 8000 * 4

    script, _ = _pausing([(0xFFFF, 100)], 0, tx_pause=1, mac_address=MAC_ADDRESS)
    script.events.append((0, RX_STALL, 256))
    for _ in range(40):
        script.symbols += symbols(on_wire(rng.randbytes(60)))
    script.events.append((script.pin_time(len(script.symbols)) + 10_000_000, RX_STALL, 0))
    script.symbols += [0] * 2000 + symbols(on_wire(_pause_frame(0)))
    record, frames = _play(script, small=True)
    line = mac_model.sent_frames(record.gmii)
    at = [index for index, sent in enumerate(line) if _is_pause(sent.frame)]
    assert [line[index].frame for index in at] == [XOFF, XON]
    assert at[1] == at[0] + 1  # we were paused: nothing between
    assert len(frames) == len(script.sends)


@pytest.mark.slow
def test_xoff_is_repeated_before_it_runs_out() -> None:
    """As long as the FIFO stays crowded: every 2**21 byte times, half of what XOFF lasts."""
    script = _filling(20)
    end = script.pin_time(0) + 20_000_000_000
    script.events.append((end, RX_STALL, 0))
    record, _ = _play(script, small=True)
    pauses = _pauses(record)
    assert [sent.frame for sent in pauses] == [XOFF] * 2 + [XON]
    starts = [sent.start for sent in pauses]
    assert all(2**21 <= b - a <= 2**21 + 4 for a, b in pairwise(starts[:2]))


@pytest.mark.parametrize("off", ["enable", "tx_pause"])
def test_xon_when_no_more_pause_frames_are_to_be_sent(off: str) -> None:
    """Nobody is left stopped when tx_pause is cleared; while disabled nothing is sent, and behind it what is due."""
    script = _filling(20)
    now = script.pin_time(len(script.symbols)) + 2_000_000
    if off == "tx_pause":
        script.events += settings(now, mac_address=MAC_ADDRESS)
    else:
        script.events += [(now, ENABLE, 0), (now + 1_000_000, RX_STALL, 0), (now + 20_000_000, ENABLE, 1)]
    script.events.append((now + 30_000_000, RX_STALL, 0))
    record, _ = _play(script, small=True)
    pauses = _pauses(record)
    assert [sent.frame for sent in pauses] == [XOFF, XON]
    xon = script.tx_clk[1] + 8000 * pauses[1].start
    due = now if off == "tx_pause" else now + 20_000_000
    assert due < xon < due + 400_000


def test_mii_sends_pause_frames_too() -> None:
    script = _filling(0, mii=1)
    script.rx_clk, script.tx_clk = (40_000, 1000), (40_000, 2500)
    for _ in range(20):
        event = symbols(on_wire(bytes(60)))
        script.symbols += [symbol & ~0xFF | symbol >> half & 0xF for symbol in event for half in (0, 4)]
    script.sends = [(0, bytes(100), False)] * 30
    script.events.append((script.pin_time(len(script.symbols)), RX_STALL, 0))
    record, frames = _play(script, small=True, mii=True)
    assert [sent.frame for sent in _pauses(record, mii=True)] == [XOFF, XON]
    assert len(frames) == 30


# MII


@pytest.mark.parametrize("period", MII_PERIODS)
def test_mii_carries_every_length_in_nibbles(period: int) -> None:
    """Low nibble first on four pins, gap of 12 bytes, at 100 and 10 Mb/s."""
    rng = random.Random(5)
    script = Script(rx_clk=(period, 1000), tx_clk=(period, 2500))
    script.events += settings(0, mii=1)
    lengths = [*range(1, 80), 127, 128, 129, 1513, 1514, 1518]
    script.sends = [(0, rng.randbytes(n), False) for n in lengths]
    script.sends.append((0, rng.randbytes(200), True))
    _, frames = _play(script, mii=True)
    assert [sent.frame for sent in frames] == [padded(frame) for _, frame, _ in script.sends[:-1]]
    assert _gaps(frames) == {12}


@pytest.mark.parametrize("period", MII_PERIODS)
def test_mii_cuts_frames_short_too(period: int) -> None:
    rng = random.Random(6)
    script = Script(rx_clk=(period, 1000), tx_clk=(period, 2500))
    script.events += settings(0, mii=1, tx_start=2)
    expected = []
    for position in range(2, 9):
        frame, behind = rng.randbytes(70), rng.randbytes(64)
        script.holds[len(script.sends)] = (position, 400 * period // 8000)
        script.sends += [(1200 * period * position, frame, False), (0, behind, False)]
        expected += [(frame[: 8 * position], True), (behind, False)]
    record, frames = _play(script, mii=True)
    assert [(sent.frame, sent.cut) for sent in frames] == expected
    assert record.count("tx_drop_underrun") == 7


# Stamps


@pytest.mark.parametrize("mii", [False, True])
@pytest.mark.parametrize("periods", CLOCKS)
def test_stamp_is_the_time_of_the_sfd(periods: tuple[int, int, int], mii: bool) -> None:
    """Exact, as mac.sv says: time_now one user_clk cycle before the clock edge that puts the SFD on the pins."""
    rng = random.Random(f"{periods} {mii}")
    rx, tx, nic = (period * (5 if mii and index < 2 else 1) for index, period in enumerate(periods))
    script = Script(rx_clk=(rx, 17), tx_clk=(tx, rng.randrange(1, tx)), user_clk=(nic, rng.randrange(1, nic)))
    script.time_base = (1 << 40) - 20_000
    script.events += settings(0, tx_start=3, mii=int(mii))
    for index in range(150):
        abort = index % 10 == 9
        script.sends.append((0, rng.randbytes(rng.randrange(1, 200)), abort))
        if rng.random() < 0.7:
            script.stamped.add(index)
        if index % 10 == 5:
            script.sends[-1] = (0, rng.randbytes(rng.randrange(50, 200)), False)
            # Cut short by an underrun: longer than all before it can keep the line busy.
            script.holds[index] = (5, 3000 * tx * (1 + mii) // nic)
    record, frames = _play(script, mii=mii)
    expected = []
    first = next(index for index, symbol in enumerate(record.gmii) if symbol)
    ended = [index for index in range(150) if index % 10 != 9]  # neither aborted nor oversize
    line = [sent for sent in frames if not sent.cut or any(
        sent.frame == script.sends[index][1][:40] for index in ended)]  # fmt: skip
    assert record.count("tx_drop_underrun") == 15
    for index, sent in zip(ended, line, strict=True):
        symbol = sent.start + 7 if not mii else first % 2 + 2 * sent.start + 15
        if index in script.stamped:
            # time_now is what user_clk takes; at an edge the register in it holds what was taken one earlier.
            expected.append(script.time_now(script.tx_clk[1] + symbol * tx) - 1 & 0xFFFF_FFFF)
    assert [stamp for _, stamp in record.stamps] == expected
