# SPDX-License-Identifier: Apache-2.0
"""Every kind of access of a SPARC V8 core to all regions of the memory map does what docs/sparc.md says, and none hangs
the bus."""

from pathlib import Path

import pytest
import sparc_wild as wild
from runs import some

from nsoc.machine import memory_map, presets
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow


PLAIN = presets.load("ajit-nic12-fast")
MORE = [presets.load("ajit-nic12-l2").with_(cores=4, dma=True)]


@pytest.mark.parametrize("preset", some([PLAIN], MORE), ids=lambda preset: preset.name)
def test_each_access_to_each_region(tmp_path: Path, preset: presets.Preset) -> None:
    with Soc(preset, str(wild.program(tmp_path)), checks=preset is not PLAIN) as soc:
        soc.run(us=500_000, text="end\n")
        assert soc.uart.text == "end\n"
        found = wild.results(soc.peek(wild.RECORDS, wild.RECORDS_BYTES))
        rom = soc.peek(memory_map.BOOT_ROM_BASE, memory_map.BOOT_ROM_BYTES)
    assert not wild.differences(found, wild.expected(rom))
