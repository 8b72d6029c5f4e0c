# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the small cores and their scratchpad alone (sim/pnic/cluster.cpp)."""

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nsoc.bench.program import program, rtl
from nsoc.errors import NsocError
from nsoc.machine.build import checkout
from nsoc.pnic import firmware

TOP = "cluster_top"
DONE, TRAPPED = 0xD00E_D00E, 0x7A90_0000
"""Messages of firmware/pnic/lib/start.S; the second is followed by an address and mcause."""


@dataclass(frozen=True)
class Message:
    """What a core has told the host."""

    cycle: int
    core: int
    value: int


@dataclass(frozen=True)
class Run:
    """A program from its start until all cores are done."""

    messages: list[Message]
    """Without the DONE of each core."""
    cycles: int

    def of(self, core: int) -> list[int]:
        """What that core has told."""
        return [message.value for message in self.messages if message.core == core]


def run(
    name: str,
    *,
    cores: int = 6,
    banks: int = 4,
    defines: Mapping[str, int] | None = None,
    pause: int = 0,
    seed: int = 1,
    cycles: int = 2_000_000,
) -> Run:
    """The program firmware/pnic/apps/`name` on so many cores; with `pause` the host stops them all about every so many
    cycles, as the seed says. Raises NsocError when a core has trapped, or not all are done after `cycles`."""
    elf = firmware.build(name, defines)
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image"
        image.write_text("".join(f"{at:x} {word:x}\n" for at, word in sorted(firmware.words(elf).items())))
        options = {"image": image, "cores": cores, "seed": seed, "pause": pause, "cycles": cycles, "until": cores}
        command = [str(simulator(cores, banks)), *(f"{key}={value}" for key, value in options.items())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    messages = [Message(*map(int, rest)) for what, *rest in lines if what == "message"]
    for number, message in enumerate(messages):
        if message.value == TRAPPED:
            where, why = [m.value for m in messages[number + 1 :] if m.core == message.core][:2]
            raise NsocError(f"{name}: core {message.core} has trapped at {where:#x}, mcause {why}")
    if done.returncode != 0:
        raise NsocError(f"{name}: {done.stderr.strip() or f'the simulator ended with status {done.returncode}'}")
    return Run([message for message in messages if message.value != DONE], int(lines[-1][1]))


def simulator(cores: int, banks: int) -> Path:
    """Its program, built when it is not there."""
    harness = checkout() / "sim" / "pnic"
    parameters = {"CORES": cores, "BANKS": banks}
    sources = [*rtl("common", "cpu/core", "cpu/rv", "pnic"), harness / "cluster_top.sv"]
    return program(harness / "cluster.cpp", TOP, sources, parameters, f"{cores} small cores", "cluster")
