# SPDX-License-Identifier: Apache-2.0
"""Soft reset of the MAC in every cycle of frames on their way in and out: what is on the line ends as a whole frame or
with an error, nothing that was half received is taken for a frame, and all that comes later passes as ever.

The frames are made so that a part of one would pass for a frame: one that is sent begins with a whole frame and its
FCS, one that is received ends with a preamble, a whole frame, and the FCS of that.
"""

import itertools
import random
import zlib
from collections.abc import Iterable
from functools import cache

import mac_harness
import mac_model
import pytest
from mac_harness import ENABLE, RESTART, RX_STALL, Script
from mac_model import DV, ER, PREAMBLE, fcs, mii_symbols, on_wire, padded, symbols
from test_mac_transmit import MAC_ADDRESS, XOFF, XON

pytestmark = pytest.mark.slow

FIFO = 2048
AT = 4_000_000  # ps: frames are on their way in both directions by then
HELD = 6  # user_clk cycles; the NIC holds it for longer
CLOCKS = [(8000, 8000, 8000), (8001, 7999, 10000), (8000, 8000, 3000), (7999, 8001, 15900)]


@cache
def _program():
    return mac_harness.build(MAX_FRAME_BYTES=1522, RX_FIFO_BYTES=FIFO, TX_FIFO_BYTES=FIFO)  # that of test_mac


def begins_with_a_frame(length: int, rng: random.Random) -> bytes:
    inner = rng.randbytes(60)
    return (inner + fcs(inner) + rng.randbytes(length))[:length]


def ends_with_a_frame(length: int, rng: random.Random) -> bytes:
    """Its last 60 bytes are a frame, with a preamble in front, and have the same FCS as the whole: four bytes before
    the preamble are such that the CRC's register is behind the preamble what it is at the start of a frame."""
    inner, filler = rng.randbytes(60), rng.randbytes(length - 60 - len(PREAMBLE) - 4)
    effects = [zlib.crc32(filler + (1 << bit).to_bytes(4, "big") + PREAMBLE) for bit in range(32)]
    base = zlib.crc32(filler + bytes(4) + PREAMBLE)
    basis: dict[int, tuple[int, int]] = {}  # by highest bit: what a choice of bits adds to the CRC, the choice
    for bit in range(32):
        value, choice = effects[bit] ^ base, 1 << bit
        while value and value.bit_length() in basis:
            other = basis[value.bit_length()]
            value, choice = value ^ other[0], choice ^ other[1]
        basis[value.bit_length()] = (value, choice)
    patch = 0
    while base:
        base, patch = base ^ basis[base.bit_length()][0], patch ^ basis[base.bit_length()][1]
    frame = filler + patch.to_bytes(4, "big") + PREAMBLE + inner
    assert fcs(frame) == fcs(inner)
    return frame


def _script(clocks: tuple[int, int, int], at: int, mii: bool = False) -> tuple[Script, list[int]]:
    """Frames back to back both ways, for long enough behind the restart, too; where each received one begins."""
    rng = random.Random(7)
    script = Script(rx_clk=(clocks[0], 1000), tx_clk=(clocks[1], 2500), user_clk=(clocks[2], 4100))
    until, starts = at + 1000 * clocks[0], []
    while len(script.symbols) < until // clocks[0] - mac_harness.START:
        starts.append(len(script.symbols))
        wire = on_wire(ends_with_a_frame(rng.choice([100, 140, 300]), rng))
        script.symbols += mii_symbols(wire) if mii else symbols(wire)
    for time in range(0, until, 137 * clocks[1]):  # the line needs a little longer for a frame: it is never idle
        script.sends.append((time, begins_with_a_frame(rng.choice([40, 64, 100, 200, 300]), rng), False))
    script.events = [*mac_harness.settings(0, mii=int(mii)), (0, ENABLE, 1), (at, RESTART, 1)]
    script.events.append((at + HELD * clocks[2], RESTART, 0))
    return script, starts


def _carriers(gmii: Iterable[int]) -> list[list[int]]:
    """The symbols of each carrier event."""
    return [list(run) for on, run in itertools.groupby(gmii, lambda symbol: symbol & DV) if on]


def _check(script: Script, starts: list[int], at: int, mii: bool = False) -> int:
    """What every run must show; how many frames were cut short on the line, one at most."""
    record = mac_harness.run(_program(), script)
    slowest = max(script.rx_clk[0], script.tx_clk[0], script.user_clk[0])
    again = at + 120 * slowest  # frames that begin from then on are not touched by it
    events = mac_model.carrier_events(script.symbols, 1522, mac_model.Settings(mii=int(mii)))
    frames = [event.frame for event in events]
    assert len(frames) == len(starts)

    # Received: frames of the wire, whole and in order; all that begin late enough, and none twice.
    assert not any(received.bad for received in record.received), "nothing was wrong with any frame"
    places = [frames.index(received.frame) for received in record.received]
    assert places == sorted(set(places))
    late = {index for index, start in enumerate(starts) if script.pin_time(start) >= again}
    assert len(late) >= 2 and late <= set(places)
    # All carrier events but what was on its way through have a disposition: one of them may be without, two not.
    assert len(frames) - 2 <= len(record.dispositions) <= len(frames)
    assert set(record.dispositions) <= {"good", "disabled"} and record.dispositions.count("disabled") <= 3

    # Sent: whole frames in order, but for one that was on the line and ends with an error.
    carriers = _carriers(record.gmii)
    whole = [symbol for carrier in carriers if not any(s & ER for s in carrier) for symbol in [*carrier, *[0] * 24]]
    out = mac_model.sent_frames(mac_model.bytes_of_nibbles(whole) if mii else whole)
    sends = [padded(frame) for _, frame, _ in script.sends]
    places = [sends.index(sent.frame) for sent in out]
    assert places == sorted(set(places))
    late = {index for index, when in enumerate(record.handed) if when >= again}
    assert len(late) >= 2 and late <= set(places)
    cut = len(carriers) - len(out)
    assert cut <= 1
    if not mii:
        assert sum(sent.cut for sent in mac_model.sent_frames(record.gmii, cut=True)) == cut
    return cut


@pytest.mark.parametrize("clocks", CLOCKS)
def test_a_restart_in_any_cycle_leaves_nothing_half(clocks: tuple[int, int, int]) -> None:
    cycles = range(0, 420, 1 if clocks == CLOCKS[0] else 7)  # of the line: a longest frame and a shortest one at least
    cut = 0
    for cycle in cycles:
        at = AT + cycle * 8000
        cut += _check(*_script(clocks, at), at)
    assert cut > len(cycles) // 4, "most of them meet a frame on the line"


def test_a_restart_at_100_mbit_leaves_nothing_half() -> None:
    """The setting goes back to GMII in the middle of a frame of nibbles: what is left is an error nevertheless."""
    cut = 0
    for cycle in range(0, 840, 21):
        at = 5 * AT + cycle * 40_000
        cut += _check(*_script((40_000, 40_000, 8000), at, mii=True), at, mii=True)
    assert cut > 10


def _crowded(at: int | None) -> Script:
    """So many frames that nobody takes that the MAC sends XOFF; a restart at `at`."""
    script = Script(events=[(0, ENABLE, 1), (0, RX_STALL, 256)])
    script.events += mac_harness.settings(0, tx_pause=1, mac_address=MAC_ADDRESS)
    for number in range(26):
        script.symbols += symbols(on_wire(bytes([number]) * 60))
    script.symbols += [0] * 400
    if at is not None:
        script.events += [(at, RESTART, 1), (at + HELD * 8000, RESTART, 0)]
    script.events.append((script.pin_time(len(script.symbols)), RX_STALL, 0))
    return script


def test_a_restart_lets_go_whom_the_mac_has_stopped() -> None:
    """XOFF is whole, or cut short, or was not yet sent: where it began XON follows, as the FIFO is empty."""
    before = mac_model.sent_frames(mac_harness.run(_program(), _crowded(None)).gmii)
    assert [sent.frame for sent in before] == [XOFF, XON]
    seen = set()
    for cycle in range(-20, 100, 3):
        script = _crowded(None)
        at = script.tx_clk[1] + 8000 * (before[0].start + cycle)
        sent = mac_model.sent_frames(mac_harness.run(_program(), _crowded(at)).gmii, cut=True)
        seen.add(tuple("cut" if out.cut else {XOFF: "XOFF", XON: "XON"}[out.frame] for out in sent))
    assert seen == {(), ("cut", "XON"), ("XOFF", "XON")}
