# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.machine.training`: runs what simulators count their branches by (nsoc.machine.likely).

`make likely` does, with $NSOC_COUNT set. A simulator writes its counts when its process ends, so each LOAD has one of
its own. Nothing but speed depends on what is run here.
"""

import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial

from nsoc.machine import presets
from nsoc.machine.soc import Soc

FRAMES, CYCLES = 150, 250_000
"""Half of the frames are short. Behind the last one the SoC waits for more."""
STREAMED_US, LOOK_US, AT_ONCE = 1500, 50, 1 << 16
"""Of TCP connections; how often their peer looks, and how much each has ready."""
CONNECTIONS = 5
PASSED_TYPE = b"\x88\xb5"


def echo(name: str, firmware: str, packets: str = "") -> None:
    """Frames of all sizes at line rate, which are no IP, from local memory or from DRAM."""
    preset = presets.load_soc(name)
    with Soc(preset.with_(packets=packets) if packets else preset, firmware, 1) as soc:
        soc.boot()
        lengths = random.Random(1)
        for _ in range(FRAMES):
            length = lengths.choice((60, lengths.randrange(60, 1515), 1514, 1514))
            soc.wire.send(bytes(12) + PASSED_TYPE + bytes(length - 14))
        soc.run(cycles=CYCLES)


def streams(name: str) -> None:
    """TCP connections through the engine, busy both ways."""
    from nsoc.bench.toe_measure import SOURCE_PORT, Bench

    with Bench(name, CONNECTIONS, False, 2, timestamps=True) as bench:
        connected = bench.connect(SOURCE_PORT)

        def work() -> bool:
            for stream in connected:
                stream.receive()
                if stream.connection.unsent < AT_ONCE // 2:
                    stream.send(bytes(AT_ONCE))
            return False

        bench.peer.run(STREAMED_US, until=work, every_us=LOOK_US)


def engines(name: str) -> None:
    """Two engines door to door."""
    from nsoc.bench import latency_measure

    latency_measure.simulate(presets.load(name), (1, 64, 1460), goodput=(256, 1460), udp=(18, 700), seed=2)


def cores(name: str, bytes_: int) -> None:
    """The programmable NIC with frames of that length both ways."""
    from nsoc.pnic import nic

    nic.run(nic.setup_of(presets.load(name)), bytes_, seed=2)


LOADS: dict[str, Callable[[], None]] = {
    "nic12-fast": partial(echo, "nic12-fast", "forward"),
    "nic12-fast, packets in DRAM": partial(echo, "nic12-fast", "forward", "dram"),
    "nic11-l2": partial(echo, "nic11-l2", "forward"),
    "nic12-dma": partial(echo, "nic12-dma", "forward"),
    "nic12-net": partial(echo, "nic12-net", "forward"),
    "toe": partial(echo, "toe", "toe_net"),
    "toe, TCP": partial(streams, "toe"),
    "lat-10g": partial(engines, "lat-10g"),
    "lat-100g": partial(engines, "lat-100g"),
    "pnic-rice, 64 B": partial(cores, "pnic-rice", 64),
    "pnic-rice, 1518 B": partial(cores, "pnic-rice", 1518),
    "pnic-rice-lock": partial(cores, "pnic-rice-lock", 512),
}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        LOADS[sys.argv[1]]()
    else:
        for load in LOADS:
            print(load, flush=True)
            subprocess.run([sys.executable, "-m", "nsoc.machine.training", load], check=True)
