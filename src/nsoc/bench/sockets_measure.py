# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench sockets` measures in the SoC: how long a program that waits takes to send back what comes.

The delay is that of the published tables: cycles of the processor's clock from the first word that leaves the MAC's
receive FIFO, which holds the whole frame by then (register mac_control, field rx_store), to the last word into its
transmit FIFO. Serialization and both FIFOs are outside. A word of ours is a stamp in front of the frame: it counts.

And from pin to pin with frames cut through, from the first byte of the destination address at GMII RX to the last byte
of the FCS at GMII TX: what a peer sees.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.machine.soc import BOOT_US, Event, Soc, check_booted
from nsoc.network.inet import Peer, Settings
from nsoc.network.network import Cable, Network

SOC = "10.0.0.2"
PORT = 7
UDP, TCP = "udp", "tcp"
PAYLOADS = (32, 128, 256, 512, 1024)
WARM, ECHOES = 24, 16
"""Echoes that fill the caches (a connection's first segments are acknowledged one by one), and those that count."""
SPACING_US = 64.0
"""From an echo to what is sent next."""
PPM = {"nic_ppm": 31.0, "rx_ppm": 57.0, "tx_ppm": -43.0}
"""What clocks are off, so that each echo meets another phase of them."""
PATIENCE_US = 20_000.0
SETTLE_US = 1000.0
"""A program with threads says that it is ready before each of them is."""


@dataclass(frozen=True)
class Way:
    """How an echo goes through the SoC."""

    name: str
    preset: str
    firmware: str
    """Built with ECHO_UDP or ECHO_TCP 0, the other 1, for programs that would wait for both."""
    protocols: tuple[str, ...] = (UDP, TCP)


@dataclass(frozen=True)
class Delay:
    """Of one payload: mean and most of ECHOES echoes."""

    payload: int
    cycles: float
    most_cycles: float
    gmii_ns: float


@dataclass
class Table:
    """A way and a protocol, all payloads."""

    way: str
    preset: str
    protocol: str
    delays: list[Delay]

    @property
    def name(self) -> str:
        """As in the records."""
        return f"{self.way}-{self.protocol}"


def measure(way: Way, protocol: str, seed: int) -> Table:
    """All payloads. Raises NsocError when an echo does not come back as it was sent."""
    stored = _echoes(way, protocol, seed, stores=True)
    shown = _echoes(way, protocol, seed, stores=False)
    delays = [
        Delay(payload, sum(cycles) / len(cycles), max(cycles), sum(ns) / len(ns))
        for payload, (cycles, _), (_, ns) in zip(PAYLOADS, stored, shown, strict=True)
    ]
    return Table(way.name, way.preset, protocol, delays)


def echo_cycles(way: Way, protocol: str, payload: int, seed: int) -> float:
    """The mean processor cycles from FIFO to FIFO of one payload alone. Raises NsocError as `measure`."""
    ((cycles, _),) = _echoes(way, protocol, seed, stores=True, payloads=(payload,))
    return sum(cycles) / len(cycles)


def _echoes(
    way: Way, protocol: str, seed: int, *, stores: bool, payloads: Sequence[int] = PAYLOADS
) -> list[tuple[list[float], list[float]]]:
    """Of each payload: processor cycles between the FIFOs, nanoseconds between the pins."""
    system = presets.load_soc(way.preset).with_(**PPM)
    defines = {"NIC_RX_STORE": int(stores), **{f"ECHO_{one.upper()}": int(one == protocol) for one in (UDP, TCP)}}
    with Network(seed) as network:
        soc, peer, _ = booted(network, system, way.firmware, defines)
        exchange = _over_udp(peer) if protocol == UDP else _over_tcp(peer)
        found = []
        for payload in payloads:
            data = bytes(n & 0xFF for n in range(payload))
            for _ in range(WARM):
                _exchanged(exchange, data, way)
                peer.run(SPACING_US)
            delays = []
            for _ in range(ECHOES):
                soc.record()
                _exchanged(exchange, data, way)
                soc.record(False)
                delays.append(delay(soc.events(), soc))
                peer.run(SPACING_US)
            found.append(([cycles for cycles, _ in delays], [ns for _, ns in delays]))
        return found


def booted(
    network: Network,
    system: Preset,
    firmware: str,
    defines: Mapping[str, int | str],
    settings: Settings | None = None,
) -> tuple[Soc, Peer, Cable]:
    """A SoC whose program is ready, its peer, which has pinged it, and the cable from the peer to the SoC."""
    soc = network.soc(system, firmware, defines=dict(defines), trace=True)
    peer = Peer(network, settings=settings or Settings())
    cable = network.cable(peer.host, soc)
    network.run(BOOT_US, until=lambda: "ready" in soc.uart.text)
    check_booted(soc, "ready", BOOT_US)
    if peer.ping(SOC) is None:
        raise NsocError(f"the firmware {firmware} on {system.name} does not answer a ping")
    peer.run(SETTLE_US)
    return soc, peer, cable


def _exchanged(exchange: Callable[[bytes], bytes | None], data: bytes, way: Way) -> None:
    if exchange(data) != data:
        raise NsocError(
            f"{len(data)} bytes did not come back from the firmware {way.firmware} on {way.preset} within "
            f"{PATIENCE_US / 1000:g} ms of simulated time"
        )


def _over_udp(peer: Peer) -> Callable[[bytes], bytes | None]:
    udp = peer.udp()

    def exchange(data: bytes) -> bytes | None:
        udp.send(data, SOC, PORT)
        got = udp.receive(PATIENCE_US)
        return got.data if got else None

    return exchange


def _over_tcp(peer: Peer) -> Callable[[bytes], bytes | None]:
    stream = peer.connect(SOC, PORT)

    def exchange(data: bytes) -> bytes | None:
        stream.send(data)
        return stream.read(len(data), PATIENCE_US)

    return exchange


def delay(events: list[Event], soc: Soc) -> tuple[float, float]:
    """Of the first frame that comes and of the last one that goes: processor cycles from FIFO to FIFO, and nanoseconds
    from pin to pin. The taps of the FIFOs are as late as each other; that of the pins where a frame comes in is two
    clocks late."""
    first = next(event.time_fs for event in events if event.tap == "rx_first")
    last = max(event.time_fs for event in events if event.tap == "tx_last")
    came = next(event.time_fs for event in events if event.tap == "line_in_begin")
    gone = max(event.time_fs for event in events if event.tap == "line_out_end")
    byte_fs = 8e15 / (soc.preset.line_mbps * 1e6)
    return (last - first) * soc.preset.cpu_mhz / 1e9, (gone - came) / 1e6 + 2 * byte_fs / 1e6
