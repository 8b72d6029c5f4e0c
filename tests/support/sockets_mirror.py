# SPDX-License-Identifier: Apache-2.0
"""A neighbour that sends back what comes for it, both ends exchanged: a program on a SoC with a TCP/IP engine, which
has no loopback, reaches itself at that address. Sums stay right, as they do not depend on the order of addresses."""

import struct
from collections.abc import Callable

from nsoc.network.network import Network, NetworkHost

ADDRESS, MAC = bytes((10, 0, 0, 77)), bytes.fromhex("02000000004d")
_ARP, _IPV4, _ICMP, _UDP, _UNREACHABLE = 0x0806, 0x0800, 1, 17, 3
_REACTION_US = 1.0


def answer(frame: bytes) -> bytes | None:
    """What the neighbour says to a frame; None: nothing."""
    kind = struct.unpack_from("!H", frame, 12)[0]
    source_mac = frame[6:12]
    ethernet = source_mac + MAC + frame[12:14]
    if kind == _ARP and frame[20:22] == b"\0\1" and frame[38:42] == ADDRESS:
        return ethernet + frame[14:20] + b"\0\2" + MAC + ADDRESS + frame[22:32]
    if kind == _IPV4 and frame[23] == _UDP and frame[30] >> 4 == 14:  # to a group: from here
        return _from_here(frame)
    if kind != _IPV4 or frame[30:34] != ADDRESS:
        return None
    packet = bytearray(_exchanged(frame[14:], 12))
    if packet[9] == _ICMP and packet[20] == _UNREACHABLE:  # quotes what it had got
        packet[28:] = _exchanged(bytes(packet[28:]), 12)
    return ethernet + bytes(packet)


def _from_here(frame: bytes) -> bytes:
    """To the same group from this address: both sums are made anew from what they were (RFC 1624)."""
    data = bytearray(frame[:6] + MAC + frame[12:])
    for place in (24, 14 + 4 * (frame[14] & 15) + 6):
        total = struct.unpack_from("!H", data, place)[0] ^ 0xFFFF
        for now, then in zip(struct.unpack("!2H", ADDRESS), struct.unpack("!2H", frame[26:30]), strict=True):
            total += now + (then ^ 0xFFFF)
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        struct.pack_into("!H", data, place, total ^ 0xFFFF)
    data[26:30] = ADDRESS
    return bytes(data)


def _exchanged(packet: bytes, at: int) -> bytes:
    """With source and destination address exchanged."""
    return packet[:at] + packet[at + 4 : at + 8] + packet[at : at + 4] + packet[at + 8 :]


class Mirror:
    """The neighbour; `host` takes the cable, `to_groups` are the frames that went to groups."""

    def __init__(self, network: Network) -> None:
        self.host: NetworkHost = network.host()
        self.to_groups: list[bytes] = []
        self._network = network

    def run(self, us: float, until: Callable[[], bool], every_us: float = 200.0) -> bool:
        """Lets time pass; `until` ends it early: whether it did."""
        network = self._network
        end = network.time_us + us
        while network.time_us < end:
            network.await_frame([self.host], every_us, every_us=_REACTION_US)
            for arrived in self.host.receive_all():
                if arrived.good and arrived.data[:3] == b"\1\0\x5e":
                    self.to_groups.append(arrived.data)
                reflected = answer(arrived.data) if arrived.good else None
                if reflected is not None:
                    self.host.send(reflected)
            if until():
                return True
        return False
