# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.machine.training LIBRARY PRESET`: the load under which a simulator counts its branches.

build.py calls it with a library that was built to count them, and with the preset as JSON. The second compilation takes
the counts, so that the usual case is the fast one. The load is `forward`, which boots and echoes frames of all sizes at
line rate, with packets in the local memory and then in DRAM. The counts are written when the process ends. Nothing but
speed depends on what is run here.
"""

import random
import sys
from pathlib import Path

import msgspec

from nsoc.machine import firmware
from nsoc.machine.presets import Preset
from nsoc.machine.sim import Simulation
from nsoc.machine.soc import boot_config
from nsoc.network.wire import Wire

FRAMES = 150
BOOT_CYCLES = 20_000
CYCLES = 250_000


def train(library: Path, preset: Preset) -> None:
    """Echo `FRAMES` frames, half of them short, on `library`, which was built for `preset`, from either memory."""
    for packets in ("local", "dram"):
        _echo(library, preset.with_(packets=packets))


def _echo(library: Path, preset: Preset) -> None:
    sim = Simulation(library, boot_config(preset, seed=1))
    for segment in firmware.segments(firmware.build_for(preset), preset.core):
        sim.load(segment.address, segment.data)
    wire = Wire(sim, lambda timeout_us: None, log=False)
    sim.run(BOOT_CYCLES, frames=0, queued=-1, idle_cycles=0, text=b"ready")
    lengths = random.Random(1)
    for _ in range(FRAMES):
        wire.send(bytes(lengths.choice((60, lengths.randrange(60, 1515), 1514, 1514))))
    sim.run(CYCLES, frames=0, queued=-1, idle_cycles=0, text=None)
    sim.close()


if __name__ == "__main__":
    train(Path(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Preset))
