# SPDX-License-Identifier: Apache-2.0
"""Stop, start and the way back, by the driver: random values in random registers with frames arriving, then one
sequence, then an exact echo; and a stop that ends in time whatever stands in its way."""

import random

import pytest
from runs import some
from traffic import BUFFERS, boot, check_conservation, echo, frame, settle

import nsoc

pytestmark = pytest.mark.slow

PRESETS = ["nic12-fast", "nic11-fast"]
STOP_US = 6_000  # nic_stop's bound is 4 ms; the rest is for the UART
LENGTHS = [*range(60, 80), 128, 129, 500, 1000, 1513, 1514]


def boot_recover(preset: str, seed: int = 1) -> nsoc.Soc:
    return boot(preset, firmware="recover", seed=seed)


def order(soc: nsoc.Soc, command: str, answer: str, us: float = 20_000) -> str:
    """Give a command, run until its answer; the answer's line."""
    before = len(soc.uart.text)
    soc.uart.write(f"{command}\n")
    for _ in range(int(us / 100)):
        soc.run(us=100)
        said = soc.uart.text[before:]
        if answer in said and said.endswith("\n"):
            return said.strip()
    raise AssertionError(f"{command}: no {answer!r} in {soc.uart.text[before:]!r}")


def check_echo(soc: nsoc.Soc, rng: random.Random) -> int:
    """Frames of LENGTHS come back exactly, in order; how many they are."""
    frames = [frame(length, rng) for length in LENGTHS]
    for data in frames:
        soc.wire.send(data, ifg=1200)
    received = settle(soc)
    assert all(r.good for r in received)
    assert [r.data for r in received] == [echo(f) for f in frames]
    return len(received)


def soups(preset: str, seeds: range) -> None:
    rng = random.Random(f"{preset} {seeds}")
    with boot_recover(preset, seeds[0]) as soc:
        for seed in seeds:
            for _ in range(60):
                soc.wire.send(frame(rng.choice([60, 64, 200, 900, 1514]), rng), ifg=rng.choice([12, 300]))
            order(soc, f"soup {seed}", "souped")
            if seed % 2:
                order(soc, "stop", "stopped", us=STOP_US)
            for _ in range(20):
                soc.wire.send(frame(rng.choice([60, 1514]), rng))
            order(soc, "recover", "recovered")
            settle(soc)  # frames that were on the wire, and what the soup sent
            check_echo(soc, rng)
            everywhere = [pointer for pointers in soc.pointers().values() for pointer in pointers]
            assert len(everywhere) == len(set(everywhere)) == BUFFERS


@pytest.mark.parametrize("preset", PRESETS)
def test_one_sequence_is_the_way_back_from_any_soup(preset: str) -> None:
    soups(preset, range(1, 3))


@pytest.mark.long
@pytest.mark.parametrize("preset", [*PRESETS, "nic12-dram", "nic11-dram"])
@pytest.mark.parametrize("first", [100, 140, 180])
def test_one_sequence_is_the_way_back_from_many_soups(preset: str, first: int) -> None:
    soups(preset, range(first, first + 40))


@pytest.mark.parametrize(
    ("preset", "way"),
    some(
        [*(("nic12-fast", way) for way in ("forward", "hold", "burst", "lock")), ("nic11-fast", "burst")],
        [("nic11-fast", "forward"), ("nic11-fast", "hold")],  # a NIC_1.1 has no lock register
    ),
)
def test_a_stop_returns_all_it_holds_and_a_start_goes_on(preset: str, way: str) -> None:
    """With frames arriving: while they are forwarded; with a receive queue that has all buffers, as nobody empties it;
    with a transmit queue that has just got all of them; with the lock held."""
    rng = random.Random(f"{preset} {way}")
    with boot_recover(preset) as soc:
        if way == "lock":
            order(soc, "lock", "locked")
        elif way != "forward":
            order(soc, "hold", "held")
        sent = [frame(1514 if way == "burst" else rng.choice([60, 300, 1514]), rng) for _ in range(250)]
        for data in sent:
            soc.wire.send(data)
        soc.run(us=100 if way in ("forward", "lock") else 900)
        order_to_stop = "burst" if way == "burst" else "stop"
        drained, free, received = map(int, order(soc, order_to_stop, "stopped", us=STOP_US).split()[1:])
        assert drained == 1 and free + received == BUFFERS
        assert received == BUFFERS if way == "hold" else free > 0
        out = len(settle(soc))
        if way == "burst":
            assert out >= BUFFERS
        order(soc, "start", "started")
        out += len(settle(soc))
        out += check_echo(soc, rng)
        check_conservation(soc, len(sent) + len(LENGTHS), out)
