# SPDX-License-Identifier: Apache-2.0
"""The sizes that the caches may have, as the RTL sees them."""

import os
import subprocess

import pytest
from bench import RTL, WAIVERS, _environment

pytestmark = pytest.mark.slow

SMALLEST, LARGEST = 1024, 65536


def lint(icache_bytes: int, dcache_bytes: int) -> subprocess.CompletedProcess[str]:
    """Verilator's opinion of the SoC with such caches."""
    folders = sorted({path.parent for path in RTL.rglob("*.sv")})
    command = [
        "verilator", "--lint-only", "-Wall", "--top-module", "nsoc", f"-GICACHE_BYTES={icache_bytes}",
        f"-GDCACHE_BYTES={dcache_bytes}", *(word for folder in folders for word in ("-y", str(folder))), str(WAIVERS),
        *map(str, sorted(RTL.rglob("*_pkg.sv"))), str(RTL / "soc" / "nsoc.sv"),
    ]  # fmt: skip
    environment = {**os.environ, **_environment(kept_runtime=False)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sizes", [(SMALLEST, LARGEST), (LARGEST, SMALLEST)])
def test_the_smallest_and_the_largest_caches_are_clean(sizes: tuple[int, int]) -> None:
    done = lint(*sizes)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("sizes", [(SMALLEST // 2, 8192), (8192, 2 * LARGEST), (8192, 5000)])
def test_another_size_ends_elaboration_with_a_sentence(sizes: tuple[int, int]) -> None:
    done = lint(*sizes)
    assert done.returncode != 0
    assert "ICACHE_BYTES and DCACHE_BYTES must be powers of two from 1024 to 65536" in done.stderr
