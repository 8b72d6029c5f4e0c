# SPDX-License-Identifier: Apache-2.0
"""`python raw_program.py INTERFACE FILE`: a file to a SoC by the published types, as a host program of the thesis does.

It knows nothing of N-SoC but docs/protocol.md: a raw socket, frames of 1500 bytes, a burst of 16, one more for each
that comes back; then a summary, and repeats of what misses, until the SoC says OK. Prints the frames sent and back.
"""

import socket
import struct
import sys

ETHERTYPE = 0x88B5
DATA, SUMMARY, ACK = 1, 2, 3
PAYLOAD, BURST = 1481, 16
SOC = bytes.fromhex("020000000002")
SILENCE_S = 5.0
TRIES = 50


def main() -> int:
    interface, path = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    packets = [data[at : at + PAYLOAD] for at in range(0, len(data), PAYLOAD)]
    line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE))
    line.bind((interface, ETHERTYPE))
    line.settimeout(SILENCE_S)
    header = SOC + line.getsockname()[4] + struct.pack(">H", ETHERTYPE)
    summary = header + struct.pack(">BII", SUMMARY, len(packets), len(data))
    sent = back = 0
    wanted = list(range(len(packets)))
    for _ in range(TRIES):
        under_way = 0
        while wanted or under_way:
            while wanted and under_way < BURST:
                number = wanted.pop(0)
                line.send(header + struct.pack(">BI", DATA, number) + packets[number])
                sent, under_way = sent + 1, under_way + 1
            try:
                frame = line.recv(2048)
            except TimeoutError:
                break  # the rest is lost
            if frame[6:12] == SOC and frame[14] == DATA:
                back, under_way = back + 1, under_way - 1
        line.send(summary.ljust(60, b"\0"))
        try:
            while (frame := line.recv(2048))[6:12] != SOC or frame[14] != ACK:
                pass
        except TimeoutError:
            continue
        if frame[15:17] == b"OK":
            print(sent, back)
            return 0
        (count,) = struct.unpack_from(">I", frame, 17)
        wanted = list(struct.unpack_from(f">{count}I", frame, 21))
    return 1


if __name__ == "__main__":
    sys.exit(main())
