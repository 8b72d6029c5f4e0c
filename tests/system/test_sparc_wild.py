# SPDX-License-Identifier: Apache-2.0
"""Every kind of access of a SPARC V8 core to all regions of the memory map does what docs/sparc.md says, and none hangs
the bus."""

from pathlib import Path

import pytest
import sparc_wild as wild

from nsoc.machine import memory_map
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow


def test_each_access_to_each_region(tmp_path: Path) -> None:
    with Soc("ajit-nic12-fast", str(wild.program(tmp_path))) as soc:
        soc.run(us=500_000, text="end\n")
        assert soc.uart.text == "end\n"
        found = wild.results(soc.peek(wild.RECORDS, wild.RECORDS_BYTES))
        rom = soc.peek(memory_map.BOOT_ROM_BASE, memory_map.BOOT_ROM_BYTES)
    assert not wild.differences(found, wild.expected(rom))
