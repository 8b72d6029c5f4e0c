# SPDX-License-Identifier: Apache-2.0
"""Transfers between a program and SoCs on a simulated network: what `nsoc send` and `nsoc get` do.

    echo    host -- SoC                      the SoC sends every frame back; both ends of the protocol are the host's
    sink    host -- SoC, or a switch and several SoCs          each SoC keeps what it gets in its DRAM
    relay   host -- switch -- relay SoC, sink SoC              the relay passes on what is for the sink
    source  host -- SoC                      the host fetches what the SoC's DRAM holds

Faults are those of the host's cable. Times are simulated.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from nsoc.errors import NsocError
from nsoc.machine import memory_map, presets
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.network.faults import Wiring
from nsoc.network.network import End, Network
from nsoc.transfer.end import PATIENCE_US
from nsoc.transfer.plan import PRESETS, To
from nsoc.transfer.station import Station
from nsoc.transfer.transfers import Item, Progress, Transfers, address

HOST = address(1)
BOOT_US = 20_000.0
SERVE_ADDRESS = memory_map.DRAM_BASE + memory_map.DRAM_BYTES // 2
"""Where in DRAM Session.serve() puts it: received transfers go into the lower half."""
SERVE_BYTES = memory_map.DRAM_BYTES // 2


class Session(Transfers):
    """A network with a host and booted SoCs. To be used in a `with` statement."""

    def __init__(
        self,
        apps: Sequence[str],
        preset: str | Preset,
        *,
        seed: int = 1,
        patience_us: float = PATIENCE_US,
        capture: bool = False,
        defines: Mapping[str, int | str] | None = None,
        wiring: Wiring | None = None,
        progress: Progress = lambda done, total: None,
    ) -> None:
        """A SoC for each of the firmwares `apps`; with several there is a switch between them and the host.

        `wiring`: what the host's cable does to frames. `progress(packets there, packets in all)` is called now and
        then.
        """
        self.preset = presets.load_soc(preset)
        wiring = wiring or Wiring()
        self.network = Network(seed, log=wiring.log, replay=wiring.replay)
        try:
            self._build(apps, dict(defines or {}), wiring)
        except BaseException:
            self.network.close()
            raise
        station = Station(HOST, random.Random(f"{seed}/transfers"), transfers=1024, patience_us=patience_us)
        super().__init__(
            self.network, self.host, station, [address(2 + i) for i in range(len(self.socs))], patience_us=patience_us,
            fifo_bytes=self.preset.rx_fifo_bytes, capture=capture, progress=progress,
        )  # fmt: skip

    @classmethod
    def to(cls, to: To, preset: str | Preset | None = None, socs: int = 1, **options: Any) -> "Session":
        """For echo() or send()."""
        if socs > 1 and to is not To.SINK:
            raise NsocError("several SoCs can only be sinks: give --to sink with --socs")
        apps = {To.ECHO: ["forward"], To.SINK: ["sink"] * socs, To.RELAY: ["relay", "sink"]}
        return cls(apps[to], PRESETS[to] if preset is None else preset, **options)

    def _build(self, apps: Sequence[str], defines: dict[str, int | str], wiring: Wiring) -> None:
        self.socs: list[Soc] = []
        for number, app in enumerate(apps, 2):
            own = {} if app == "forward" else {"STATION": number}
            self.socs.append(self.network.soc(self.preset, app, defines={**own, **defines}))
        self.host = self.network.host()
        end: End = self.socs[0]
        if len(self.socs) > 1:
            end = self.network.switch(*self.socs, ports=len(self.socs) + 1).ports[-1]
        self.cable = self.network.cable(self.host, end, faults=wiring.faults)
        for soc in self.socs:
            self._run_until(soc, "ready")

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.network.close()

    @property
    def drops(self) -> dict[str, int]:
        """Drop counters of all SoCs that are not zero."""
        total: Counter[str] = Counter()
        for soc in self.socs:
            total.update({name: count for name, count in soc.counters.items() if "drop" in name})
        return {name: count for name, count in total.items() if count}

    def serve(self, item: Item) -> None:
        """Puts an item into the first SoC's DRAM, for Session.get(). Raises NsocError when it does not fit."""
        soc, name = self.socs[0], item.name.replace(" ", "_")
        if item.size > SERVE_BYTES:
            raise NsocError(f"{item.name} has {item.size} bytes, and the SoC has room for {SERVE_BYTES}")
        data = item.read()
        if data:
            soc.load(SERVE_ADDRESS, data)
        soc.uart.write(f"serve {SERVE_ADDRESS:#x} {item.size} {name}\n")
        self._run_until(soc, "serving")

    def _run_until(self, soc: Soc, text: str) -> None:
        if not self.network.run(BOOT_US, until=lambda: text in soc.uart.text):
            raise NsocError(f"the firmware did not say {text!r} in {BOOT_US / 1000:g} ms; it said: {soc.uart.text!r}")
