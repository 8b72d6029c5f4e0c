# SPDX-License-Identifier: Apache-2.0
"""Frames for system tests, and the two conservation laws that every system test ends with."""

import random

import nsoc

HOST = bytes.fromhex("02 00 00 00 00 01".replace(" ", ""))
SOC = bytes.fromhex("02 00 00 00 00 02".replace(" ", ""))
BUFFERS = 64  # what the firmware's nic_init puts into circulation


def frame(length: int, rng: random.Random) -> bytes:
    """A frame of `length` bytes without FCS (14 or more): host to SoC, experimental Ethertype, random payload."""
    return SOC + HOST + b"\x88\xb5" + rng.randbytes(length - 14)


def echo(sent: bytes) -> bytes:
    """What `forward` must send back: addresses swapped, padded by the MAC to 60 bytes."""
    return (sent[6:12] + sent[:6] + sent[12:]).ljust(60, b"\0")


def boot(preset: str = "nic12-fast", **options) -> nsoc.Soc:
    """A preset with RTL assertions on and `forward` ready to receive."""
    soc = nsoc.Soc(preset, **{"firmware": "forward", "checks": True, **options})
    stop = soc.run(us=2000, text="ready\n")
    assert "ready" in soc.uart.text, f"firmware did not start: {stop}, UART: {soc.uart.text!r}"
    return soc


def settle(soc: nsoc.Soc, idle_us: float = 100) -> list:
    """Run until nothing has moved on the wires for `idle_us`; return every frame that came back."""
    soc.run(us=200_000, idle_us=idle_us)
    return soc.wire.receive_all()


def check_conservation(soc: nsoc.Soc, frames_in: int, frames_out: int, *, in_processor: int = 0) -> None:
    """Both laws, with the SoC at rest and no frame waiting anywhere; and no frame ran dry on the line.

    Every frame that entered the MAC left it or is counted by exactly one drop counter; every buffer pointer is in
    exactly one place (`in_processor` of them popped by the firmware and not pushed back).
    """
    counters = soc.counters
    assert counters["tx_drop_underrun"] == 0
    dropped = sum(value for name, value in counters.items() if "_drop_" in name)
    assert frames_in == frames_out + dropped, f"{frames_in} in, {frames_out} out, {dropped} dropped: {dict(counters)}"
    places = soc.pointers()
    everywhere = [pointer for pointers in places.values() for pointer in pointers]
    assert len(everywhere) == len(set(everywhere)), f"a pointer is in two places: {places}"
    assert len(everywhere) + in_processor == BUFFERS, f"{len(everywhere)} pointers in sight: {places}"
