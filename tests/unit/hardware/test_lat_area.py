# SPDX-License-Identifier: Apache-2.0
"""The parts of a lat_node by system. What Yosys would say is made up here; tests/hw asks it."""

import pytest

from nsoc.errors import NsocError
from nsoc.hardware import lat_area, synth
from nsoc.hardware.synth import Area, Synthesis, Target
from nsoc.machine import presets

SIZES = {"net": (7000, 5), "tcp_engine": (30000, 9), "mac_xgmii_cut": (2000, 11)}


@pytest.fixture
def synthesized(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was asked for: everything has the size of its name."""
    asked = []

    def synthesize(top: str, target: Target, *, configuration: str, shallow: bool, fresh: bool) -> Synthesis:
        assert shallow, "a node is mapped for few levels"
        asked.append((top, configuration))
        lut, levels = SIZES.get(top, (len(top), 4))
        area = Area(lut, 10, 0.5, 0)
        return Synthesis(top, target, {top: area}, [], 1.0, "", configuration=configuration, levels=levels)

    monkeypatch.setattr(synth, "synthesize_module", synthesize)
    return asked


def test_every_preset_of_nodes_is_a_system_and_every_width_is_there() -> None:
    names = {preset.name for preset in lat_area.systems()}
    assert {preset.name for preset in presets.all_presets() if preset.top == "lat_node"} < names
    for bits in (64, 128, 256, 512):
        found = [part for preset in lat_area.systems() for part in lat_area.parts(preset)]
        assert {f"MAC, {bits} bits", f"fast paths, {bits} bits", f"streams, {bits} bits"} <= set(found)


def test_a_part_is_built_as_the_node_has_it() -> None:
    for preset in lat_area.systems():
        for blocks in lat_area.parts(preset).values():
            for block, configuration in blocks:
                chosen = synth.CONFIGURATIONS.get(block, {}).get(configuration, {})
                bits = preset.engine_bits if block in ("net", "tcp_engine") else preset.width
                assert chosen.get("WIDTH", 64) == bits or (block, "") in (("mac_xgmii_cut", ""), *lat_area.SMALL)
                assert chosen.get("PORT", 64) == preset.engine_bits or block != "tcp_stream"
                assert chosen.get("LINE", 64) == preset.engine_bits or block not in synth.FAST
                assert chosen.get("COLUMNS", preset.line_bits // 64) == preset.line_bits // 64
                assert chosen.get("ONE_CLOCK", 0) == (preset.one_clock and block == "mac_xgmii_cut")
                assert chosen.get("STREAM", 0) == (block == "tcp_engine")


def test_areas_of_a_part_add_up_and_its_levels_are_the_most(synthesized: list[tuple[str, str]]) -> None:
    found = lat_area.measure(lat_area.systems_of("lat-10g"))
    by_name = {part.name: (part.area.lut, part.area.bram, part.levels) for part in found}
    fast = sum(map(len, ("tcp_fast_tx", "tcp_fast_rx", "tcp_fast_copy", "tcp_fast_ends", "tcp_fast_told")))
    assert by_name == {
        "MAC, 64 bits": (2000, 0.5, 11), "fast paths, 64 bits": (fast, 2.5, 4), "streams, 128 bits": (10, 0.5, 4),
        "net, 64 bits": (7000, 0.5, 5), "tcp, 64 bits": (30000, 0.5, 9),
    }  # fmt: skip
    values = {(r.metric, r.mode): r.value for r in lat_area.records(found, Target.XC7)}
    assert (values["lut", "xc7:tcp, 64 bits"], values["levels", "xc7:MAC, 64 bits"]) == (30000, 11)
    assert {r.preset for r in lat_area.records(found, Target.XC7)} == {"lat-10g"}


def test_a_block_of_several_systems_is_synthesized_once(synthesized: list[tuple[str, str]]) -> None:
    found = lat_area.measure(lat_area.systems())
    assert len(synthesized) == len(set(synthesized))
    assert len(found) == 5 * len(lat_area.systems())


def test_a_width_that_nobody_synthesizes_is_one_sentence() -> None:
    with pytest.raises(NsocError, match="tcp_fast_tx is not synthesized as 512-64"):
        lat_area.parts(presets.load("lat-10g").with_(width=512))
