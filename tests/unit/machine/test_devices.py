# SPDX-License-Identifier: Apache-2.0
"""Device registers by their addresses."""

import re

import pytest

from nsoc.errors import NsocError
from nsoc.machine import devices

ACTS = {
    *(f"nic.{queue}q{n}.pointer" for queue in ("rx", "tx") for n in range(4)), "nic.freeq.pointer", "nic.freeq.lock",
    "nic.tx_stamp", "nic.ptp_low", "nic.free_counter", "toe.answer", "toe.event", "toe.now_low", "toe.earliest_low",
    "uart.rx_data", "dma.result",
}  # fmt: skip
"""As their descriptions say: a read takes something, or keeps the high word for the next register."""


def test_a_register_whose_read_does_something_is_refused() -> None:
    assert {place.name for place in devices.places() if place.register.read_acts} == ACTS
    for place in devices.places():
        if place.name in ACTS:
            with pytest.raises(NsocError, match=f"{re.escape(place.name)} does something in the device: say so first"):
                devices.check_read(place.address, False, "say so first")
        else:
            devices.check_read(place.address, False, "")
        devices.check_read(place.address + 3, True, "")


def test_each_place_is_there_once_and_of_each_hart() -> None:
    places = {place.name: place.address for place in devices.places()}
    assert len(set(places.values())) == len(places)
    assert places["timer3.mtime_high"] - places["timer0.mtime_high"] == 3 * 0x20
    with pytest.raises(NsocError, match="no device register at address 0xFF7FFFFC"):
        devices.check_read(0xFF7F_FFFC, True, "")


def test_bytes_are_accessed_as_whole_registers_or_as_one_part() -> None:
    assert list(devices.accesses(0x100, 12)) == [(0x100, 4), (0x104, 4), (0x108, 4)]
    assert list(devices.accesses(0x103, 1)) == [(0x103, 1)] and list(devices.accesses(0x102, 2)) == [(0x102, 2)]
    for address, length in ((0x101, 2), (0x102, 4), (0x100, 6), (0x100, 3)):
        with pytest.raises(NsocError, match="1, 2 or 4 bytes"):
            list(devices.accesses(address, length))
