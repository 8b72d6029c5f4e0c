# SPDX-License-Identifier: Apache-2.0
"""The sockets behind `nsoc regs --live`, with a SoC in Python."""

import os
import select
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.live import Info, Station, running
from nsoc.live.registers import Registers, values
from nsoc.live.running import Folder
from nsoc.machine import devices, listing

PRESENT = {place.name: place.address for place in devices.places() if place.device in ("uart", "timer0")}


def read(address: int) -> int | None:
    if address == PRESENT["timer0.msip"]:
        raise NsocError("not now")
    return address & 0xFFFF if address in PRESENT.values() else None


@pytest.fixture
def connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    station = Station(2, "02:00:00:00:00:02", "10.0.0.2")
    mac = "02:00:00:00:00:01"
    folder = Folder(Info(os.getpid(), "nsoc0", False, "10.0.0.1/24", mac, "nic12-fast", "net", (station,)))
    server = Registers(folder.path, 0, read)
    over = threading.Event()
    failed = list[BaseException]()

    def serve() -> None:
        """When it fails, no client waits: all connections end."""
        try:
            while not over.is_set():
                for source in select.select(server.sources(), [], [], 0.02)[0]:
                    server.serve(source)
        except BaseException as problem:
            failed.append(problem)
        finally:
            server.close()

    with running()[0].registers() as client:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield client
        over.set()
        thread.join()
    folder.close()
    if failed:
        raise failed[0]


def test_what_is_absent_is_left_out_and_what_acts_is_not_read(connection) -> None:
    found = [*listing.find_registers("uart"), *listing.find_registers("nic.status")]
    shown = {name: value for name, _, _, value in values(connection, found, effects=False)}
    assert shown == {
        "uart.tx_data": 0x3200, "uart.rx_data": None, "uart.status": 0x3208, "uart.divisor": 0x320C,
    }  # fmt: skip
    (one,) = values(connection, listing.find_registers("uart.rx_data"), effects=True)
    assert one[0] == "uart.rx_data" and one[3] == 0x3204


def test_what_cannot_be_is_one_sentence(connection) -> None:
    with pytest.raises(NsocError, match="rx_data does something in the device: give --effects"):
        values(connection, listing.find_registers("uart.rx_data"), effects=False)
    with pytest.raises(NsocError, match="the system does not have that"):
        values(connection, listing.find_registers("toe.status"), effects=False)
    with pytest.raises(NsocError, match="not now"):
        values(connection, listing.find_registers("timer.msip"), effects=False)
