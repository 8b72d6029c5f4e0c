# SPDX-License-Identifier: Apache-2.0
"""UDP through the whole SoC: what share of the line the echo of `toe_net` gives back when datagrams fill it.

A datagram goes into memory (rtl/toe/toe_udp), the processor reads its header line and hands it over to be sent from
where it lies. Beside nsoc.bench.toe_edges, where no processor is in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nsoc.bench.toe_measure import FIRMWARE, SOC, Bench
from nsoc.errors import NsocError
from nsoc.network.ethernet import HEADER_BYTES, LINE_MBPS, SLOT_BYTES
from nsoc.network.inet import packet as ip
from nsoc.network.network import Arrived

ECHO_PORT, OUR_PORT = 7, 40000
PAYLOADS = (18, 64, 256, 1024, 1472)
LINE_US, WARM_UP_US = 2000.0, 500.0
"""How long the line is full, and what of it does not count."""
QUIET_US = 100.0
"""Nothing comes for so long when all has come back."""
LEAST_BYTES = 60
SEQUENCE_BYTES = 4


@dataclass(frozen=True)
class Echo:
    """Datagrams of one size."""

    payload: int
    share: float
    """Of the line, of those that came back."""


@dataclass
class Echoes:
    """All sizes."""

    preset: str
    sizes: list[Echo]


def slot_us(payload: int) -> float:
    """A datagram's time on the line."""
    return 8 * (max(LEAST_BYTES, HEADER_BYTES + ip.IP_BYTES + ip.UDP_BYTES + payload) + SLOT_BYTES) / LINE_MBPS


def measure(preset: str, seed: int) -> Echoes:
    """All sizes. Raises NsocError when something comes back that was not sent."""
    with Bench(preset, 1, loss=False, seed=seed) as bench:
        peer, host = bench.peer, bench.peer.host
        if peer.ping(SOC) is None:
            raise NsocError(f"the firmware {FIRMWARE} does not answer a ping")
        found = []
        for payload in PAYLOADS:
            sent = [number.to_bytes(SEQUENCE_BYTES) * (payload // SEQUENCE_BYTES) for number in range(_count(payload))]
            data = [one.ljust(payload, b"\0") for one in sent]
            remote = next(iter(peer.neighbours))
            begin = 0.0
            for one in data:
                datagram = ip.udp_datagram((peer.address, OUR_PORT), (remote, ECHO_PORT), one)
                packet = ip.ip_packet(peer.address, remote, ip.UDP, datagram)
                departed = host.send(ip.ip_frame(peer.neighbours[remote], peer.mac, packet))
                begin = begin or departed.start_ps / 1e6
            bench.network.run(begin + LINE_US - bench.network.time_us)
            arrived = host.receive_all()
            while bench.network.run(QUIET_US, until=lambda: host.pending > 0):  # what waited in the ring
                arrived += host.receive_all()
            back = echoes(arrived, data)
            found.append(Echo(payload, share(payload, [us - begin for us in back])))
    return Echoes(preset, found)


def _count(payload: int) -> int:
    return round(LINE_US / slot_us(payload))


def share(payload: int, times: Sequence[float]) -> float:
    """Of the line, from the first echo to the last one while it is full; `times` since then, us."""
    counted = [us for us in times if WARM_UP_US <= us < LINE_US]
    return (len(counted) - 1) * slot_us(payload) / (counted[-1] - counted[0]) if len(counted) > 1 else 0.0


def echoes(arrived: Sequence[Arrived], sent: Sequence[bytes]) -> list[float]:
    """When those that were sent came back, us. Raises NsocError for one that was not, or that came twice."""
    left = set(sent)
    times = []
    for one in arrived:
        packet = ip.decode_ip(one.data) if one.good else "bad"
        if isinstance(packet, str) or packet.protocol != ip.UDP:
            continue
        found = ip.decode_udp(packet)
        data = b"" if isinstance(found, str) else found[2]
        if data not in left:
            raise NsocError(f"the firmware {FIRMWARE} sent a datagram back that was not sent to it, or sent it twice")
        left.remove(data)
        times.append(one.start_ps / 1e6)
    return times
