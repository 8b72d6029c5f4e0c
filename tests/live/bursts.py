# SPDX-License-Identifier: Apache-2.0
"""`python bursts.py INTERFACE CAPTURE SECONDS`: sends bursts of frames, then one now and then until so much time has
passed in the capture, and a last burst. The capture is being written, and is looked into all the while. What
test_up_lines.py starts. Exit status 77 when it got to the end."""

import contextlib
import socket
import sys
import time
import warnings
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.network import pcapng

ETHERTYPE = 0x88B5
BURSTS, FRAMES = 10, 12
QUIET_S = 0.2


def look(capture: Path) -> list[pcapng.Packet]:
    """What it has by now."""
    try:
        return pcapng.read(capture, both_ways=True)
    except NsocError as problem:
        if "holds no frame" not in str(problem):
            raise
        return []


def main() -> int:
    warnings.simplefilter("error")
    header = bytes.fromhex("020000000002 020000000001") + ETHERTYPE.to_bytes(2, "big")
    capture, until_ps, seen = Path(sys.argv[2]), float(sys.argv[3]) * 10**12, [0]
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE)) as wire:
        wire.bind((sys.argv[1], ETHERTYPE))
        wire.settimeout(QUIET_S)

        def burst(frames: int) -> list[pcapng.Packet]:
            """Sends them, and waits for an answer at most: the capture after that."""
            for number in range(frames):
                wire.send(header + bytes([number]) * (46 + 120 * (number % 3)))
                seen.append(len(look(capture)))
            with contextlib.suppress(TimeoutError):
                wire.recv(2000)
            return look(capture)

        for _ in range(BURSTS):
            packets = burst(FRAMES)
        while not packets or packets[-1].time_ps < until_ps:
            time.sleep(QUIET_S / 2)
            packets = burst(1)
        burst(FRAMES)
    print("looked", len(seen), "times:", "more and more" if sorted(seen) == seen and seen[-1] else seen)
    return 77


if __name__ == "__main__":
    sys.exit(main())
