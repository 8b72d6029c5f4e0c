# SPDX-License-Identifier: Apache-2.0
"""What `nsoc up` simulates: some SoCs, a cable to what is outside, and a switch between where there are several."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from nsoc.errors import NsocError
from nsoc.live.linux import FIRST_STATION
from nsoc.machine import build, firmware, presets
from nsoc.machine.memory_map import PACKET_MEMORY_BASE, PACKET_MEMORY_BYTES
from nsoc.machine.soc import Soc, secret_of
from nsoc.network.faults import COUNTS, Faults, Ways, both_ways, faults_of
from nsoc.network.network import Cable, Network, NetworkHost, Switch, Tap
from nsoc.network.network_library import Fate

MOST_SOCS = 64
FORMAT = "nsoc live 1"


def check_count(count: int) -> None:
    """Raises NsocError for more SoCs than there can be."""
    if not 1 <= count <= MOST_SOCS:
        raise NsocError(f"there can be 1 to {MOST_SOCS} SoCs, not {count}")


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides what happens, but for what comes from outside."""

    format: str = FORMAT
    preset: str
    """Name or path."""
    firmware: str
    """Name or path."""
    count: int = 1
    seed: int = 1
    defines: dict[str, int | str] = {}
    """For the firmware; STATION is told besides."""
    faults: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    """Of the cable to Linux: what comes from there, and what goes there."""
    secret: str = ""
    """What the SoCs' secrets are made of (Soc), in hexadecimal digits; empty: of the seed."""
    system: str = ""
    """Digest of the simulator's content and of the preset."""
    programs: tuple[str, ...] = ()
    """Digest of what each SoC boots."""

    @classmethod
    def of(
        cls, preset: str, firmware: str, count: int, seed: int, faults: Faults | Ways | None,
        defines: dict[str, int | str], secret: bytes = b"",
    ) -> "Setup":  # fmt: skip
        """With the digests of this tree. Raises NsocError."""
        check_count(count)
        there, back = both_ways(faults)
        return cls(
            preset=preset, firmware=firmware, count=count, seed=seed, defines=defines,
            faults=(there.changes(), back.changes()), secret=secret.hex(),
        ).digested()  # fmt: skip

    def digested(self) -> "Setup":
        """With the digests of this tree; simulator and firmware are built."""
        system = presets.load_soc(self.preset)
        build.check(system)
        # Seconds before a minute: what is wrong with a firmware is said first.
        programs = tuple(_program(system, self.firmware, self.defines_of(number)) for number in range(self.count))
        build.simulator(system)
        content = repr((build.simulator_digest(system), msgspec.to_builtins(system)))
        return msgspec.structs.replace(self, system=hashlib.sha256(content.encode()).hexdigest(), programs=programs)

    def defines_of(self, number: int) -> dict[str, int | str]:
        """What the firmware of that SoC is told."""
        return {**self.defines, "STATION": FIRST_STATION + number}

    def secret_of(self, number: int) -> bytes | None:
        """The secret of that SoC. None: its seed's."""
        return secret_of(f"{self.secret} {number}".encode()) if self.secret else None

    def ways(self) -> Ways:
        """Faults of the cable to Linux."""
        there, back = (faults_of(dict(fields)) for fields in self.faults)
        return there, back


def _program(preset: presets.Preset, name: str, defines: dict[str, int | str]) -> str:
    """A digest of what is loaded: not of the names of folders that an ELF file has for debuggers."""
    digest = hashlib.sha256()
    for segment in firmware.segments(firmware.build_for(preset, name, defines), preset.core):
        digest.update(repr((segment.address, segment.data)).encode())
    return digest.hexdigest()


class World:
    """The network of a Setup. `outside` makes the end of its cable that is not simulated hardware. `watched`: what the
    cable does to frames is kept."""

    def __init__(self, setup: Setup, outside: Callable[[Network], Tap | NetworkHost], *, watched: bool = False) -> None:
        self.setup = setup
        self.network = Network(setup.seed)
        self.fates: list[tuple[int, int, str]] = []
        """What the cable to Linux did to frames, until somebody takes it: way, number, fate."""
        if watched:
            self.network.listen(self._keep_fate)
        try:
            self.socs: list[Soc] = [
                self.network.soc(
                    setup.preset, setup.firmware, defines=setup.defines_of(number), secret=setup.secret_of(number)
                )
                for number in range(setup.count)
            ]
            self.outside = outside(self.network)
            """Linux, or who stands for it."""
            self.switch: Switch | None = None
            self.inner: list[Cable] = []
            """From each SoC to the switch."""
            if setup.count == 1:
                self.cable: Cable = self.network.cable(self.outside, self.socs[0], faults=setup.ways())
            else:
                self.switch = self.network.switch(ports=setup.count + 1)
                self.cable = self.network.cable(self.outside, self.switch.ports[0], faults=setup.ways())
                for soc, port in zip(self.socs, self.switch.ports[1:], strict=True):
                    self.inner.append(self.network.cable(soc, port))
        except BaseException:
            self.network.close()
            raise

    def _keep_fate(self, fate: Fate) -> None:
        # Other cables have no faults.
        self.fates.append((fate.way, fate.frame, COUNTS[fate.fate]))

    @property
    def tap(self) -> Tap:
        """What is outside, when that is Linux."""
        if not isinstance(self.outside, Tap):
            raise NsocError("a session that is replayed has no TAP device")
        return self.outside

    def close(self) -> None:
        """Frees it."""
        self.network.close()

    def state(self) -> dict[str, Any]:
        """Where it has come to: what two runs must agree in."""
        return {
            "time_fs": self.network.time_fs,
            "socs": [
                {
                    "cycles": soc.cycles,
                    "counters": dict(soc.counters),
                    "printed": _digest(soc.simulation.uart_read(0)),
                    "packets": _digest(soc.peek(PACKET_MEMORY_BASE, PACKET_MEMORY_BYTES)),
                }
                for soc in self.socs
            ],
        }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
