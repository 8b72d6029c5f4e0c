# SPDX-License-Identifier: Apache-2.0
"""A stand-in for nsoc.Soc that needs no RTL: swaps the MAC addresses and echoes, at line rate, after a fixed delay.

It keeps GMII time like the real one (8 ns a byte, preamble, FCS, gap), and can be told to misbehave. Only what the
protocol's host side uses is there. CabledEcho does the same at the end of a real cable, which may have faults.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from nsoc.machine.soc import Soc
from nsoc.network.cabled import CabledSoc
from nsoc.network.faults import COUNTS, Wiring
from nsoc.network.pcapng import Packet

BYTE_PS = 8_000


@dataclass
class FakeFrame:
    data: bytes
    start_ps: int
    end_ps: int
    good: bool = True
    fcs_ok: bool = True


class FakeWire:
    def __init__(self, soc: "FakeSoc") -> None:
        self.soc = soc
        self.rx_free_ps = 0  # when the line into the SoC is free, but for the gap
        self.tx_free_ps = 0
        self.sent: list[FakeFrame] = []
        self.coming: list[FakeFrame] = []  # on their way out, in order of time
        self.waiting: list[FakeFrame] = []
        self.received: list[FakeFrame] = []

    def send(self, frame: bytes, *, bad_fcs: bool = False, not_before: int = 0) -> FakeFrame:
        """Time is computed at once; `run` only lets it pass. A frame with a wrong FCS goes no further."""
        data = frame.ljust(60, b"\0")
        start = max(self.soc.time_ps + 8 * BYTE_PS, self.rx_free_ps + 20 * BYTE_PS, not_before * BYTE_PS)
        self.rx_free_ps = start + (len(data) + 4) * BYTE_PS
        end = self.rx_free_ps - BYTE_PS  # stamps are those of the last byte
        sent = FakeFrame(data, start, end, fcs_ok=not bad_fcs)
        self.sent.append(sent)
        for answer in () if bad_fcs else self.soc.firmware(data):
            out = max(end + self.soc.latency_ps, self.tx_free_ps + 20 * BYTE_PS)
            self.tx_free_ps = out + (len(answer) + 4) * BYTE_PS
            self.coming.append(FakeFrame(answer, out, self.tx_free_ps - BYTE_PS))
        return sent

    def receive_all(self) -> list[FakeFrame]:
        waiting, self.waiting = self.waiting, []
        self.received += waiting
        return waiting

    @property
    def queued(self) -> int:
        return sum(frame.end_ps > self.soc.time_ps for frame in self.sent)


class FakeUart:
    text = "fake: ready\n"

    def __init__(self) -> None:
        self.unread = self.text

    def read(self) -> str:
        text, self.unread = self.unread, ""
        return text


def echo(data: bytes) -> list[bytes]:
    """What `forward` does."""
    return [data[6:12] + data[:6] + data[12:]]


class FakeSoc:
    def __init__(self, firmware: Callable[[bytes], list[bytes]] = echo, latency_us: float = 15.0) -> None:
        self.firmware = firmware
        self.latency_ps = int(latency_us * 1e6)
        self.time_ps = 0
        self.wire = FakeWire(self)
        self.uart = FakeUart()
        self.counters: dict[str, int] = {}

    def __enter__(self) -> "FakeSoc":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    @property
    def time_us(self) -> float:
        return self.time_ps / 1e6

    @property
    def cycles(self) -> int:
        return self.time_ps // BYTE_PS

    def cycles_in(self, us: float) -> int:
        return round(us * 125)

    elf, preset = Path("fake.elf"), SimpleNamespace(name="fake")
    boot = Soc.boot

    def crossed(self) -> tuple[list[FakeFrame], list[FakeFrame]]:
        return self.wire.sent, self.wire.received

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        to_soc, from_soc = self.crossed()
        return tuple(dict.fromkeys(COUNTS, 0) | {"passed": len(way)} for way in (to_soc, from_soc))

    def capture(self) -> list[Packet]:
        to_soc, from_soc = self.crossed()
        return [Packet(f.start_ps, way is to_soc, f.data) for way in (to_soc, from_soc) for f in way]

    def run(
        self,
        us: float = 1e6,
        *,
        frames: int | None = None,
        idle_us: float | None = None,
        text: str | None = None,
    ) -> str:
        wire = self.wire
        if text is not None and text in self.uart.text:
            return "text"
        stop = self.time_ps + round(us * 1e6)
        while True:
            if frames is not None and len(wire.waiting) >= frames:
                return "frames"
            if not wire.coming or wire.coming[0].end_ps > stop:
                break
            frame = wire.coming.pop(0)
            self.time_ps = max(self.time_ps, frame.end_ps)
            wire.waiting.append(frame)
        quiet = max(self.time_ps, wire.rx_free_ps) + int((idle_us or 1e12) * 1e6)
        self.time_ps = min(stop, quiet)
        return "idle" if quiet < stop else "time"


class CabledEcho(CabledSoc):
    """The stand-in as the end of a cable: a second host, at which `firmware` answers each frame after `latency_us`."""

    def __init__(
        self,
        wiring: Wiring | None = None,
        firmware: Callable[[bytes], list[bytes]] = echo,
        latency_us: float = 15.0,
        seed: int = 1,
    ) -> None:
        self._firmware, self._latency_us = firmware, latency_us
        self._uart, self._counters = FakeUart(), {"rx_drop_fcs": 0}
        self._join(seed, wiring or Wiring(), lambda network: network.host())

    def cycles_in(self, us: float) -> int:
        return round(us * 125)

    elf, preset = Path("fake.elf"), SimpleNamespace(name="fake")

    @property
    def uart(self) -> FakeUart:
        return self._uart

    @property
    def counters(self) -> dict[str, int]:
        return self._counters

    @property
    def cycles(self) -> int:
        return self.network.time_ps // BYTE_PS

    def _enough(self, frames: int | None, text: str | None, idle_us: float | None) -> bool:
        for frame in self.soc.receive_all():
            if not frame.good:
                self._counters["rx_drop_fcs"] += 1
                continue
            for answer in self._firmware(frame.data):
                self.soc.send(answer, at_us=frame.end_ps / 1e6 + self._latency_us)
        return super()._enough(frames, text, idle_us)
