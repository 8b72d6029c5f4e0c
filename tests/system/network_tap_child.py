# SPDX-License-Identifier: Apache-2.0
"""`python network_tap_child.py FILE`: in a network namespace of its own, frames go through a TAP device to a SoC and
come back; the record goes to FILE, is replayed, and must give the same. What test_network.py starts.

Prints what came back outside, and the SoC's packet memory after both runs as a digest.
"""

import ctypes
import fcntl
import hashlib
import socket
import struct
import sys
import time

from nsoc.machine.memory_map import PACKET_MEMORY_BASE, PACKET_MEMORY_BYTES
from nsoc.machine.soc import Soc
from nsoc.network.network import Network

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP, ETH_P_ALL = 0x8914, 0x1, 0x0003
FRAMES, RUN_US = 5, 1000.0
HEADER = bytes.fromhex("020000000002 020000000001 88b5")


def digest(soc: Soc) -> str:
    """Of frames and their receive stamps."""
    return hashlib.sha256(soc.peek(PACKET_MEMORY_BASE, PACKET_MEMORY_BYTES)).hexdigest()


def live(file: str) -> tuple[list[bytes], str]:
    with Network() as network, socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as outside:
        soc, tap = network.soc(), network.tap("nsoc-test")
        network.cable(soc, tap)
        fcntl.ioctl(outside, SIOCSIFFLAGS, struct.pack("16sH22x", tap.name.encode(), IFF_UP))
        outside.bind((tap.name, ETH_P_ALL))
        outside.settimeout(0)
        network.run(us=100)
        came: list[bytes] = []
        for number in range(FRAMES):
            outside.send(HEADER + bytes([number]) * (46 + number))
            network.run(us=20)
        deadline = time.monotonic() + 60
        while len(came) < FRAMES and time.monotonic() < deadline:
            try:
                frame = outside.recv(2048)
            except BlockingIOError:
                if network.time_us < RUN_US - 20:
                    network.run(us=10)
                continue
            if frame.startswith(HEADER[6:12] + HEADER[:6]):
                came.append(frame)
        network.run(us=RUN_US - network.time_us)
        tap.write_record(file)
        return came, digest(soc)


def replayed(file: str) -> str:
    with Network() as network:
        soc = network.soc()
        network.cable(soc, network.replay(file, start_us=None))
        network.run(us=RUN_US)
        return digest(soc)


def main() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        sys.exit("no network namespace of one's own")
    came, first = live(sys.argv[1])
    for frame in came:
        print(frame.hex())
    print(first)
    print(replayed(sys.argv[1]))


if __name__ == "__main__":
    main()
