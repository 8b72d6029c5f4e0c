# SPDX-License-Identifier: Apache-2.0
"""The areas that docs/blocks.md shows are those that Yosys finds now; the quick blocks, by the same version."""

import needs
import pytest

from nsoc.docs import area
from nsoc.hardware import synth
from nsoc.hardware.synth import Target

pytestmark = pytest.mark.slow

QUICK = [
    ("mac_rx", Target.ECP5), ("frame_fifo", Target.ECP5), ("nic_queues", Target.ECP5), ("acb_cdc", Target.ECP5),
    ("uart", Target.ECP5), ("fifo_async", Target.XC7),
]  # fmt: skip


@needs.yosys
def test_the_figures_are_of_the_tools_that_are_installed() -> None:
    assert area.load()["tools"] == area.tools(), "run `make docs`"


@needs.yosys
@pytest.mark.parametrize(("block", "target"), QUICK)
def test_synthesized_again_it_is_as_large(block: str, target: Target) -> None:
    now = synth.synthesize_module(block, target).area
    kept = area.load()["blocks"][block][target]
    assert {key: getattr(now, key) for key in area.MEMORY_KEYS} == kept, "docs/data/area.json: run `make docs`"


def test_every_block_has_figures_for_both_families() -> None:
    for name, figures in area.load()["blocks"].items():
        for target in Target:
            assert set(figures[target]) == set(area.MEMORY_KEYS), name
            assert figures[target]["lut"] + figures[target]["ff"] > 0, name
