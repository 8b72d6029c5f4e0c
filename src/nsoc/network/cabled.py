# SPDX-License-Identifier: Apache-2.0
"""A SoC with a program at the other end of its cable: what commands use that send frames over a wire with faults."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from nsoc.machine import firmware as firmware_
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.machine.soc import BOOT_US, Soc, Uart, check_booted
from nsoc.network.faults import COUNTS, Wiring
from nsoc.network.network import DELAY_NS, Arrived, Network
from nsoc.network.pcapng import Packet


class CabledSoc:
    """A network of one SoC, a host and their cable. As a SoC it is run, and its `wire` is the host.

    Arguments are those of Soc; `wiring` says what the cable does to frames.
    """

    def __init__(
        self,
        preset: str | os.PathLike[str] | Preset = presets.DEFAULT,
        firmware: str | os.PathLike[str] | None = None,
        seed: int = 1,
        *,
        wiring: Wiring | None = None,
        defines: Mapping[str, int | str] | None = None,
        trace: bool = False,
        waves: bool = False,
    ) -> None:
        firmware_.check_for(presets.load_soc(preset), firmware)

        def soc(network: Network) -> Soc:
            return network.soc(preset, firmware, defines=defines, trace=trace, waves=waves)

        self._join(seed, wiring or Wiring(), soc)

    def _join(self, seed: int, wiring: Wiring, make_soc: Callable[[Network], Soc]) -> None:
        self.network = Network(seed, log=wiring.log, replay=wiring.replay)
        try:
            self._fates: dict[tuple[int, int], str] = {}
            self.network.listen(lambda fate: self._fates.update({(fate.way, fate.frame): COUNTS[fate.fate]}))
            self.soc = make_soc(self.network)
            self.wire = self.network.host()
            self.cable = self.network.cable(self.wire, self.soc, faults=wiring.faults)
            self.cable.tap()
        except BaseException:
            self.network.close()
            raise
        self._crossed: tuple[list[Arrived], list[Arrived]] = ([], [])
        self._seen: object = None
        self._seen_us = 0.0

    def __enter__(self) -> "CabledSoc":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.network.close()

    @property
    def elf(self) -> Path:
        """The firmware."""
        return self.soc.elf

    @property
    def preset(self) -> Preset:
        """The system."""
        return self.soc.preset

    @property
    def uart(self) -> Uart:
        """The terminal on the SoC's serial port."""
        return self.soc.uart

    @property
    def counters(self) -> Mapping[str, int]:
        """The NIC's frame counters by the name of their register."""
        return self.soc.counters

    @property
    def time_us(self) -> float:
        """Simulated microseconds of the network, which began with the SoC."""
        return self.network.time_us

    @property
    def cycles(self) -> int:
        """nic-clock cycles since reset."""
        return self.soc.cycles

    def run(
        self, us: float = 1e6, *, frames: int | None = None, text: str | None = None, idle_us: float | None = None
    ) -> None:
        """Lets `us` microseconds pass. Stops earlier, within 10 us, when one of these is: `frames` wait at the host;
        the SoC has printed `text`; cable and UART were quiet for `idle_us`."""
        self.network.run(us, until=lambda: self._enough(frames, text, idle_us))

    def _enough(self, frames: int | None, text: str | None, idle_us: float | None) -> bool:
        return (
            (frames is not None and self.wire.pending >= frames)
            or (text is not None and text in self.uart.text)
            or (idle_us is not None and self._quiet_us() >= idle_us)
        )

    def boot(self, text: str = "ready", within_us: float = BOOT_US) -> "CabledSoc":
        """Runs until the firmware has printed `text`; returns itself. Raises NsocError when it does not."""
        self.run(us=within_us, text=text)
        check_booted(self, text, within_us)
        return self

    def _quiet_us(self) -> float:
        """How long nothing has been on its way; to be asked now and then."""
        ways = self.cable.counts()
        seen = (ways, self.wire.pending, len(self.uart.text))
        if seen != self._seen or self.wire.queued or any(way["held"] for way in ways):
            self._seen, self._seen_us = seen, self.time_us
        longest_us = DELAY_NS / 1000 + max(way.delay_us for way in self.cable.faults)
        return self.time_us - self._seen_us - longest_us

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """What became of frames on the cable: to the SoC, and from it."""
        to_soc, from_soc = self.cable.counts()
        return to_soc, from_soc

    def crossed(self) -> tuple[Sequence[Arrived], Sequence[Arrived]]:
        """All frames on the SoC's line: to it, and from it."""
        self._crossed[0].extend(self.cable.came(0))
        self._crossed[1].extend(self.cable.sent(1))
        return self._crossed

    def capture(self) -> list[Packet]:
        """The same for a capture file, with what the cable did to them as a comment."""
        to_soc, from_soc = self.crossed()
        packets = [
            Packet(f.start_ps, True, f.data, not f.good, "" if f.good else "damaged on the cable to the SoC")
            for f in to_soc
        ]
        for number, f in enumerate(from_soc):
            fate = self._fates.get((1, number))
            comment = f"{fate} on the cable to the host" if fate else ""
            packets.append(Packet(f.start_ps, False, f.data, not f.good, comment))
        return packets
