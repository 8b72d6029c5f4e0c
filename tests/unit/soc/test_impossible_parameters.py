# SPDX-License-Identifier: Apache-2.0
"""What the RTL says of parameters that it cannot have."""

import os
import subprocess

import pytest
from bench import RTL, WAIVERS, _environment

pytestmark = pytest.mark.slow

SMALLEST, LARGEST = 1024, 65536


def lint(top: str, **parameters: int | str) -> subprocess.CompletedProcess[str]:
    """Verilator's opinion of the module with such parameters."""
    folders = sorted({path.parent for path in RTL.rglob("*.sv")})
    (source,) = RTL.rglob(f"{top}.sv")
    values = {name: f'"{value}"' if isinstance(value, str) else value for name, value in parameters.items()}
    command = [
        "verilator", "--lint-only", "-Wall", "--top-module", top,
        *(f"-G{name}={value}" for name, value in values.items()),
        *(word for folder in folders for word in ("-y", str(folder))), str(WAIVERS),
        *map(str, sorted(RTL.rglob("*_pkg.sv"))), str(source),
    ]  # fmt: skip
    environment = {**os.environ, **_environment(kept_runtime=False)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sizes", [(SMALLEST, LARGEST), (LARGEST, SMALLEST)])
def test_the_smallest_and_the_largest_caches_are_clean(sizes: tuple[int, int]) -> None:
    done = lint("nsoc", ICACHE_BYTES=sizes[0], DCACHE_BYTES=sizes[1])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("sizes", [(SMALLEST // 2, 8192), (8192, 2 * LARGEST), (8192, 5000)])
def test_caches_of_another_size_end_elaboration_with_a_sentence(sizes: tuple[int, int]) -> None:
    done = lint("nsoc", ICACHE_BYTES=sizes[0], DCACHE_BYTES=sizes[1])
    assert done.returncode != 0
    assert "ICACHE_BYTES and DCACHE_BYTES must be powers of two from 1024 to 65536" in done.stderr


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"COMPRESSED": 1}, "cpu_slot: the core 'sparc' has neither COMPRESSED nor a UNIT"),
        ({"UNIT": 1}, "cpu_slot: the core 'sparc' has neither COMPRESSED nor a UNIT"),
        ({"CORE": "leon"}, "cpu_slot: there is no core of the name in CORE"),
    ],
)
def test_a_slot_without_what_is_asked_for_ends_elaboration_with_a_sentence(
    parameters: dict[str, int | str], sentence: str
) -> None:
    done = lint("cpu_slot", **{"CORE": "sparc", **parameters})
    assert done.returncode != 0
    assert sentence in done.stderr.replace('\\"', "'").replace('"', "'")


@pytest.mark.parametrize("core", ["rv32", "sparc"])
def test_a_slot_of_either_core_is_clean(core: str) -> None:
    done = lint("cpu_slot", CORE=core)
    assert done.returncode == 0, done.stderr
