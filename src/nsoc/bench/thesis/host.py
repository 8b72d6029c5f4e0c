# SPDX-License-Identifier: Apache-2.0
"""What depends on a host: what its operating system adds to a round trip, and how long its time.sleep takes."""

import random
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from nsoc.bench.thesis.published_tables import data

SLEEPS = 5


@dataclass(frozen=True)
class HostModel:
    """What a host's operating system adds to a round trip. A model: the figure without it is the measured one."""

    send_us: float
    receive_us: float
    jitter_us: float = 0.0
    """Each way takes up to so much longer, evenly distributed."""
    seed: int = 1

    def round_trip_us(self, hardware_us: float, frames: int) -> float:
        """Mean of as many frames as were measured."""
        draw = random.Random(self.seed)
        jitter = sum(draw.uniform(0, self.jitter_us) for _ in range(2 * frames)) / frames
        return hardware_us + self.send_us + self.receive_us + jitter


def host_model(
    send_us: float | None = None, receive_us: float | None = None, jitter_us: float = 0.0, seed: int = 1
) -> HostModel:
    """The published 60 us, half of it each way, where nothing else is given."""
    known = data()["host"]
    return HostModel(
        known["send_us"] if send_us is None else send_us,
        known["receive_us"] if receive_us is None else receive_us,
        jitter_us,
        seed,
    )


def measure_sleeps(requested: Iterable[float], sleep: Callable[[float], None] = time.sleep) -> dict[float, float]:
    """What time.sleep takes, the median of SLEEPS calls each, in seconds. Wall clock of this machine, never kept."""
    took = {}
    for delay in requested:
        spent = []
        for _ in range(SLEEPS):
            began = time.perf_counter()
            sleep(delay)
            spent.append(time.perf_counter() - began)
        took[delay] = statistics.median(spent)
    return took
