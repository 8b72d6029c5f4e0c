# SPDX-License-Identifier: Apache-2.0
"""`python exchange.py INTERFACE STATION...`: sends 20 frames to each SoC, one after the other, and compares what comes
back. What test_up.py starts. Exit status 77 when it got to the end."""

import socket
import sys

ETHERTYPE = 0x88B5
FRAMES = 20
PATIENCE_S = 60


def main() -> int:
    interface, *stations = sys.argv[1:]
    linux = bytes.fromhex("020000000001")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE)) as wire:
        wire.bind((interface, ETHERTYPE))
        wire.settimeout(PATIENCE_S)
        for station in map(int, stations):
            soc, good = bytes([2, 0, 0, 0, 0, station]), 0
            for number in range(FRAMES):
                body = ETHERTYPE.to_bytes(2, "big") + bytes([number]) * (46 + 70 * number)
                wire.send(soc + linux + body)
                while (came := wire.recv(2000))[:12] != linux + soc or came[14] != number:
                    pass  # an earlier one, again
                good += came[12:] == body
            print(good, "of", FRAMES, "came back")
    return 77


if __name__ == "__main__":
    sys.exit(main())
