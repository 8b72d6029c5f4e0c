# SPDX-License-Identifier: Apache-2.0
"""Records of what was synthesized: each figure has a name of its own."""

from nsoc.hardware import synth
from nsoc.hardware.synth import Area, Synthesis, Target


def result(top: str, configuration: str, lut: int) -> Synthesis:
    area = Area(lut, 10, 0.5, 0)
    return Synthesis(top, Target.XC7, {top: area}, [], 1.0, "", configuration=configuration, levels=lut % 10)


def luts(*results: Synthesis) -> dict[str, float]:
    found = [(r.mode.partition(":")[2], r.value) for r in synth.records("some", results) if r.metric == "lut"]
    assert len(dict(found)) == len(found)
    return dict(found)


def test_configurations_of_several_blocks_go_by_block_too_and_are_in_no_sum() -> None:
    assert luts(result("a", "", 1), result("a", "wide", 20), result("b", "", 300), result("b", "wide", 4000)) == {
        "": 301, "a": 1, "b": 300, "a wide": 20, "b wide": 4000,
    }  # fmt: skip


def test_those_of_one_block_go_by_their_own_name() -> None:
    found = luts(result("nic", "", 1), result("nic", "small", 20))
    assert (found[""], found["small"]) == (1, 20)
