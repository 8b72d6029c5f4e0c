# SPDX-License-Identifier: Apache-2.0
"""Every kind of access to all regions of the memory map does on the simulator what docs/sparc.md says."""

from collections import Counter
from pathlib import Path

import sparc_wild as wild

from nsoc import sparc
from nsoc.machine import firmware, memory_map


def test_each_access_to_each_region(tmp_path: Path) -> None:
    elf = firmware.build(str(wild.program(tmp_path)), arch="sparc")
    iss = sparc.Iss()
    ended = sparc.run(elf, iss=iss, until="end\n")
    assert ended.output == "end\n"
    found = wild.results(iss.read(wild.RECORDS, wild.RECORDS_BYTES))
    expected = wild.expected(iss.read(memory_map.BOOT_ROM_BASE, memory_map.BOOT_ROM_BYTES))
    here = {key: result for key, result in found.items() if wild.is_on_iss(key)}
    assert not wild.differences(here, expected)
    seen = Counter(result.trap for result in here.values())
    assert set(seen) == {0, wild.ALIGNMENT, wild.DATA_ACCESS, wild.STORE_ERROR, wild.LATE_LOAD}
    assert min(seen.values()) > 100
