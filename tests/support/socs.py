# SPDX-License-Identifier: Apache-2.0
"""Systems that the files of tests/system share: a simulator takes longer to build than most tests run.

Beside the presets nic12-fast and nic11-fast the default run builds these two, with the RTL's assertions alive. What a
test wants of a SoC that is not in them goes into one of them, or into the long run.
"""

import pytest
from runs import some

import nsoc.machine.soc
from nsoc.machine import presets
from nsoc.machine.sim import Config

EVERYTHING = presets.load("nic12-net").with_(dma=True, cores=2)
"""Two cores, a copy engine, offloads in the NIC."""
CACHES = presets.load("nic12-l2").with_(
    l2_bytes=1024, icache_bytes=1024, dcache_bytes=65536, one_clock=True, cpu_mhz=125
)
"""Packets in DRAM behind an L2 cache for 16 lines, which evicts all the time; a data cache that keeps all it has. One
clock for processor and NIC."""
TOE = presets.load("toe").with_(connections=16)
"""A TCP/IP engine whose records are few enough to have them all in use."""
SPARC_TOE = presets.load("ajit-toe").with_(connections=16)
"""The same with SPARC V8."""
TOES = some([TOE], [SPARC_TOE])
"""For `parametrize`: the same with each core, with SPARC V8 in the long run."""
CORES = some(["nic12-fast"], ["ajit-nic12-fast"])
"""The default preset, likewise."""


def without_skipping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cycle of every block is simulated from now on."""
    original = nsoc.machine.soc.boot_config

    def config(preset: presets.Preset, seed: int) -> Config:
        made = original(preset, seed)
        made.every_cycle = 1
        return made

    monkeypatch.setattr(nsoc.machine.soc, "boot_config", config)
