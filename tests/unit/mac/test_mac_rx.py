# SPDX-License-Identifier: Apache-2.0
"""mac_rx decides what becomes of each carrier event; every decision is compared with mac_model's.

Frames at each border of length, type, address and FCS are played through gmii_rx; what the FIFO would hold then is the
good frames and nothing else. mac_rx tells of each pause frame that is to be obeyed, once and with its quanta.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import cocotb
import mac_model
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from mac_harness import FIELDS

OWN = 0x02_00_00_00_00_31
MAX_FRAME = 1522  # with FCS
# In the order of mac_fates_pkg.
FATES = ("disabled", "error", "oversize", "runt", "fcs", "pause", "filtered", "overflow", "good")


def _packed(**fields: int) -> int:
    packed = 0
    for name, width in FIELDS.items():
        packed = packed << width | fields.get(name, 0)
    return packed


@dataclass
class Outcome:
    fates: list[str]  # of each carrier event
    frames: list[bytes]  # that the FIFO's reader is to take
    bad: list[bytes]  # what it saw of others
    quanta: list[int]  # of pauses told of
    headers: list[int]  # data of the header words


async def _play(
    dut,
    stream: list[int],
    settings: mac_model.Settings,
    *,
    enable: list[bool] | None = None,
    full: set[int] | None = None,
) -> Outcome:
    """Put a stream on the pins, each symbol with its `enable`; the FIFO is full for the words numbered in `full`."""
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    fields = {name: getattr(settings, name) for name in FIELDS if hasattr(settings, name)}
    dut.settings.value = _packed(**fields)
    dut.enable.value = dut.word_ready.value = dut.rst.value = 1
    dut.shown.value = dut.time_gray.value = 0
    dut.gmii_rxd.value = dut.gmii_rx_dv.value = dut.gmii_rx_er.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    outcome = Outcome([], [], [], [], [])
    shown = False  # what the FIFO would say
    held: list[int] = []  # words of the frame at hand that the FIFO has
    words = 0
    enable = [True] * 4 + (enable or [True] * len(stream)) + [True] * 10
    inputs = (dut.gmii_rxd, dut.gmii_rx_dv, dut.gmii_rx_er, dut.enable, dut.time_gray, dut.shown, dut.word_ready)
    driven: list[int | None] = [None] * len(inputs)
    rising, falling = RisingEdge(dut.clk), FallingEdge(dut.clk)
    for cycle, symbol in enumerate([0] * 4 + stream + [0] * 10):
        ready = words not in (full or ())
        now = [symbol & 0xFF, symbol >> 8 & 1, symbol >> 9 & 1, int(enable[cycle]), cycle, int(shown), int(ready)]
        for handle, before, value in zip(inputs, driven, now, strict=True):
            if value != before:  # writing is what takes the time
                handle.value = value
        driven = now
        await falling
        valid, rewind = bool(dut.word_valid.value), bool(dut.rewind.value)
        word = int(dut.word.value) if valid else 0
        bad, last = word >> 69 & 1, word >> 67 & 1
        assert not (rewind and shown), "what was shown is taken back"
        if rewind:
            held = []
        if valid and not rewind and (ready or (shown and last and bad)):
            held.append(word)
            shown = not last and (shown or bool(dut.show.value))
            if last:
                (outcome.bad if bad else outcome.frames).append(_bytes_of(held[1:]))
                outcome.headers.append(held[0] & (1 << 32) - 1)
                held = []
        words += valid
        if dut.disposition_valid.value:
            outcome.fates.append(FATES[int(dut.disposition.value)])
        if dut.pause_valid.value:
            assert dut.disposition_valid.value
            outcome.quanta.append(int(dut.pause_quanta.value))
        await rising
    assert not held, "an end is missing"
    return outcome


def _bytes_of(words: list[int]) -> bytes:
    parts = [(word & (1 << 64) - 1).to_bytes(8, "big")[: (word >> 64 & 7) + 1] for word in words]
    return b"".join(parts)


def _expected(stream: list[int], settings: mac_model.Settings) -> tuple[list[str], list[bytes]]:
    events = mac_model.carrier_events(stream, MAX_FRAME, settings)
    return [event.cause for event in events], [event.frame for event in events if event.cause == "good"]


def _flip(address: bytes, bit: int) -> bytes:
    return (int.from_bytes(address, "big") ^ 1 << bit).to_bytes(6, "big")


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(mii=[0, 1])
async def every_length_at_a_border_has_its_fate(dut, mii: int) -> None:
    """None, runts up to 63 bytes with FCS, each lane of the last word, overlong from 1523 on; good and bad FCS."""
    rng = random.Random(random.getrandbits(64))
    settings = mac_model.Settings(OWN, promiscuous=1, mii=mii)
    lengths = [*range(0, 20), *range(56, 84), *([] if mii else [1516, 1517, 1518, 1519, 1520, 1526, 3000])]
    stream: list[int] = []
    for length in lengths:
        for wrong in (0, 1, 1 << 7):
            body = rng.randbytes(length)
            event = bytearray(mac_model.on_wire(body))
            event[-1 - rng.randrange(4)] ^= wrong
            data = bytes(event[:8] if length == 0 else event)
            stream += mac_model.mii_symbols(data, 2) if mii else mac_model.symbols(data, 1)
    fates, frames = _expected(stream, settings)
    outcome = await _play(dut, stream, settings)
    assert outcome.fates == fates
    assert outcome.frames == frames
    assert {"good", "runt", "fcs"} <= set(fates) and (mii or "oversize" in fates)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_error_at_any_byte_spoils_the_frame(dut) -> None:
    settings = mac_model.Settings(OWN)
    rng = random.Random(random.getrandbits(64))
    stream: list[int] = []
    for length in (60, 61, 90):
        event = mac_model.on_wire(rng.randbytes(length))
        for position in range(len(event)):
            stream += mac_model.symbols(event, 1, errors=[position])
            stream += mac_model.symbols(event, 1)
    stream += [mac_model.ER] * 3  # outside of an event it means nothing
    stream += mac_model.symbols(event, 1)
    fates, frames = _expected(stream, settings)
    outcome = await _play(dut, stream, settings)
    assert outcome.fates == fates and outcome.frames == frames
    assert all(any(frame.startswith(part) for frame in frames) for part in outcome.bad)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_longest_frame_is_what_the_settings_say(dut) -> None:
    """Around each limit, in each lane of the last word; the block's own one where they say 0 or more than that."""
    rng = random.Random(random.getrandbits(64))
    for limit in (64, 65, 72, 100, 1024, MAX_FRAME, MAX_FRAME + 1, 2034, 0):
        settings = mac_model.Settings(OWN, max_frame=limit)
        most = min(limit or MAX_FRAME, MAX_FRAME)
        stream: list[int] = []
        for length in range(most - 5, most + 10):
            stream += mac_model.symbols(mac_model.on_wire(rng.randbytes(length - 4)), 1)
        fates, frames = _expected(stream, settings)
        outcome = await _play(dut, stream, settings)
        assert outcome.fates == fates and outcome.frames == frames
        assert fates[-9:] == ["oversize"] * 9 and "oversize" not in fates[:-9]


def _garbage(length: int, rng: random.Random, mii: int) -> bytes:
    """Bytes without an SFD; at MII none of their nibbles can be the end of one."""
    allowed = [byte for byte in range(256) if byte != 0xD5 and not (mii and 0xD in (byte >> 4, byte & 15))]
    return bytes(rng.choices(allowed, k=length))


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(mii=[0, 1])
async def a_frame_begins_behind_the_first_sfd_in_nine_places(dut, mii: int) -> None:
    """Whatever is before it, and its stamp is the time of the SFD. (No frame here is shown before its end.)"""
    rng = random.Random(random.getrandbits(64))
    settings = mac_model.Settings(OWN, mii=mii)
    stream: list[int] = []
    fates, frames, at = [], [], []

    def add(head: bytes, fate: str, *, skip: int = 0, behind: bytes = b"") -> None:
        """`head` and an SFD, without its first `skip` nibbles, and a frame; the stamp is that of the SFD."""
        frame = behind + rng.randbytes(60 - len(behind))
        event = head + b"\xd5" + frame + mac_model.fcs(frame)
        fates.append(fate)
        if fate == "good":
            frames.append(frame)
            at.append(4 + len(stream) + ((2 * len(head) + 1 - skip) if mii else len(head)))
        stream.extend(mac_model.mii_symbols(event, 1, skip=skip) if mii else mac_model.symbols(event, 1))

    for gap in (1, 2, 5):
        stream += [0] * gap
        for length in range(12):
            for head in (b"\x55" * length, bytes(length), _garbage(length, rng, mii)):
                add(head, "good" if length < 9 else "error")
        for length in range(9):  # the garbage has an SFD: the other one is a byte of the frame
            add(_garbage(length, rng, mii) + b"\xd5\x55\x55", "fcs")
        add(b"", "good", behind=b"\xd5\x55\xd5")
    if mii:
        for length in range(1, 11):  # an odd number of nibbles; D alone is no SFD, nor the D behind another nibble
            add(b"\x55" * length, "good" if length < 9 else "error", skip=1)
            add(b"\x05" + b"\xdd" * (length - 1), "good" if length < 9 else "error", skip=1)
        for bit in range(8):  # what is an SFD but for one bit, and an odd nibble behind it
            near = 0xD5 ^ 1 << bit
            add(bytes([(near & 15) << 4, near >> 4]), "good", skip=1)
        stream += [mac_model.DV | 0xD, *mac_model.mii_symbols(bytes(60), 1)]
        fates.append("error")
    for event in (b"\xd5", b"\x55\xd5", b"\x55", b"\x55" * 3000):
        stream += mac_model.mii_symbols(event, 1) if mii else mac_model.symbols(event, 1)
        fates.append("runt" if event[-1] == 0xD5 else "error")
    assert (fates, frames) == _expected(stream, settings)
    outcome = await _play(dut, stream, settings)
    assert outcome.fates == fates and outcome.frames == frames
    assert len({header - sfd for header, sfd in zip(outcome.headers, at, strict=True)}) == 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(promiscuous=[0, 1], broadcast=[0, 1])
async def an_address_counts_to_its_last_bit(dut, promiscuous: int, broadcast: int) -> None:
    """Own, broadcast and pause address with any one bit flipped: only a hash bit lets such a group address in."""
    rng = random.Random(random.getrandbits(64))
    for chance in (0.0, 0.5, 1.0):
        multicast_hash = sum(1 << bit for bit in range(64) if rng.random() < chance)
        settings = mac_model.Settings(OWN, multicast_hash, promiscuous, broadcast, rx_pause=1)
        stream: list[int] = []
        for address in (OWN.to_bytes(6, "big"), mac_model.BROADCAST, mac_model.PAUSE_ADDRESS):
            for to in (address, *(_flip(address, bit) for bit in range(48))):
                kind = rng.choice((b"\x88\x08\x00\x01", b"\x08\x00\x45\x00"))
                stream += mac_model.symbols(mac_model.on_wire(to + rng.randbytes(6) + kind + rng.randbytes(44)), 1)
        fates, frames = _expected(stream, settings)
        outcome = await _play(dut, stream, settings)
        assert outcome.fates == fates and outcome.frames == frames
        assert promiscuous or "filtered" in fates or chance == 1.0


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(rx_pause=[0, 1])
async def a_pause_frame_is_one_by_every_bit_of_type_and_opcode(dut, rx_pause: int) -> None:
    rng = random.Random(random.getrandbits(64))
    settings = mac_model.Settings(OWN, promiscuous=1, rx_pause=rx_pause)
    stream: list[int] = []
    for bit in range(-1, 32):
        kind = (0x8808_0001 ^ (1 << bit if bit >= 0 else 0)).to_bytes(4, "big")
        for to in (mac_model.PAUSE_ADDRESS, OWN.to_bytes(6, "big"), mac_model.BROADCAST):
            stream += mac_model.symbols(mac_model.on_wire(to + rng.randbytes(6) + kind + rng.randbytes(44)), 1)
    fates, frames = _expected(stream, settings)
    outcome = await _play(dut, stream, settings)
    assert outcome.fates == fates and outcome.frames == frames
    assert fates.count("pause") == len(outcome.quanta) == 2 * rx_pause


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def enable_counts_where_an_event_begins(dut) -> None:
    settings = mac_model.Settings(OWN)
    rng = random.Random(random.getrandbits(64))
    stream, enable, expected, frames = [], [], [], []
    for change in (*range(-6, 0), *range(3, 90, 5)):
        for before in (True, False):
            frame = rng.randbytes(70)
            event = mac_model.symbols(mac_model.on_wire(frame), 8)
            stream += [0] * 8 + event
            enable += [before] * (8 + change) + [not before] * (len(event) - change)
            on = before if change >= 0 else not before
            expected.append("good" if on else "disabled")
            frames += [frame] * on
    outcome = await _play(dut, stream, settings, enable=enable)
    assert outcome.fates == expected and outcome.frames == frames


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_word_that_finds_no_room_costs_its_frame_and_no_other(dut) -> None:
    """Each word in turn, of frames with a bad FCS too: that is what they are then."""
    settings = mac_model.Settings(OWN)
    rng = random.Random(random.getrandbits(64))
    stream, full, expected, frames = [], set(), [], []
    words = 0
    for length in (60, 64, 80):
        count = 1 + (length + 7) // 8
        for lost in range(1, count):  # not the header
            for wrong in (0, 1):
                frame, behind = rng.randbytes(length), rng.randbytes(60)
                event = bytearray(mac_model.on_wire(frame))
                event[-1] ^= wrong
                stream += mac_model.symbols(bytes(event), 1) + mac_model.symbols(mac_model.on_wire(behind), 1)
                full.add(words + lost)
                # What is not written does not count: behind a loss only the last word is offered again.
                words += lost + 1 + (lost < count - 1) + 9
                expected += ["fcs" if wrong else "overflow", "good"]
                frames.append(behind)
    outcome = await _play(dut, stream, settings, full=full)
    assert outcome.fates == expected and outcome.frames == frames


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_header_is_the_time_of_the_sfd(dut) -> None:
    settings = mac_model.Settings(OWN)
    stream: list[int] = []
    at = []
    for gap in (1, 2, 5):
        at.append(4 + len(stream) + 7)
        stream += mac_model.symbols(mac_model.on_wire(bytes(60 + gap)), gap)
    outcome = await _play(dut, stream, settings)
    assert len({header - sfd for header, sfd in zip(outcome.headers, at, strict=True)}) == 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(mii=[0, 1], rx_pause=[0, 1])
async def pauses_are_told_with_their_quanta(dut, mii: int, rx_pause: int) -> None:
    rng = random.Random(random.getrandbits(64))
    settings = mac_model.Settings(OWN, promiscuous=0, rx_pause=rx_pause, mii=mii)
    stream: list[int] = []
    expected = []
    for _ in range(60):
        to = rng.choice((mac_model.PAUSE_ADDRESS, OWN.to_bytes(6, "big"), rng.randbytes(6)))
        quanta = rng.choice((0, 1, 0xFFFF, rng.randrange(1 << 16)))
        kind = b"\x88\x08\x00" + bytes([rng.choice((1, 1, 1, 2))])
        frame = to + rng.randbytes(6) + kind + quanta.to_bytes(2, "big") + rng.randbytes(42 + rng.choice((0, 30)))
        event = mac_model.on_wire(frame)
        if rng.random() < 0.2:
            event = event[:-1] + bytes([event[-1] ^ 1])
        elif settings.pauses(frame):
            expected.append(quanta)
        stream += mac_model.mii_symbols(event, 1) if mii else mac_model.symbols(event, 1)
    told = (await _play(dut, stream, settings)).quanta
    assert told == expected
    assert bool(told) == bool(rx_pause)


def test_mac_rx() -> None:
    run_bench("mac_rx_tb", extra_sources=(Path(__file__).with_name("mac_rx_tb.sv"),))
