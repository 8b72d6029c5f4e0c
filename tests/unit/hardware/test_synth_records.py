# SPDX-License-Identifier: Apache-2.0
"""Records of what was synthesized: each figure has a name of its own. And what it is mapped for."""

import pytest

from nsoc.hardware import synth
from nsoc.hardware.synth import SHALLOW_COMMAND, Area, Synthesis, Target, flow


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


def test_a_wire_counts_more_for_few_levels_on_7_series_alone() -> None:
    plain, shallow = (flow(Target.XC7, "net", shallow=chosen) for chosen in (False, True))
    assert shallow == [(SHALLOW_COMMAND, 0.01), *plain] and "abc9.W" in SHALLOW_COMMAND
    assert flow(Target.ECP5, "net", shallow=True) == flow(Target.ECP5, "net")


def test_blocks_of_a_node_are_always_mapped_for_few_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def module(top: str, target: Target, *, configuration: str, shallow: bool, fresh: bool) -> Synthesis:
        asked.append(shallow)
        return Synthesis(top, target, {}, [], 1.0, "", configuration=configuration, shallow=shallow)

    monkeypatch.setattr(synth, "synthesize_module", module)
    for name, wanted, expected in (("net-tcp", False, False), ("net", False, False), ("net", True, True),
                                   ("lat-blocks", False, True)):  # fmt: skip
        asked.clear()
        found = synth.synthesize(name, Target.XC7, shallow=wanted)
        assert asked and set(asked) == {expected}
        assert ("few levels" in str(synth.table(name, Target.XC7, found).title)) == expected
