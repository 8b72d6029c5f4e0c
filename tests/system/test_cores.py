# SPDX-License-Identifier: Apache-2.0
"""Several processor slots in one SoC: firmware/apps/harts.c runs on all of them."""

import pytest
from runs import some
from socs import EVERYTHING

from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow

WORDS = 8  # of the line that they share
ADDITIONS = 200


def expected(cores: int) -> str:
    """What harts.c prints: each finds in the line what another has just written there."""
    lines = ["hart 0 is the first"]
    for hart in range(1, cores):
        lines += [f"hart {hart} finds {WORDS * hart}", f"hart 0 had {WORDS * hart} and finds {WORDS * 100 * hart}"]
    total = cores * ADDITIONS
    return "\n".join([*lines, f"added {total} {total} exchanged {total} {total}", "done", ""])


SPARC = presets.load("ajit-nic12-fast").with_(cores=2, dma=True)
MORE = [
    presets.load("nic12-l2").with_(cores=4),
    SPARC.with_(cores=3),
    presets.load("ajit-nic12-l2").with_(cores=4, dma=True),
]


@pytest.mark.parametrize(
    "preset", some([EVERYTHING, SPARC], MORE), ids=lambda preset: f"{preset.cores} cores, {preset.core}"
)
def test_every_core_runs_and_sees_what_the_others_write(preset: presets.Preset) -> None:
    with Soc(preset, "harts", checks=True) as soc:
        soc.run(us=50_000, text="done\n")
        assert soc.uart.text == expected(preset.cores)


def test_one_core_alone_does_the_same() -> None:
    with Soc("nic12-fast", "harts", checks=True) as soc:
        soc.run(us=50_000, text="done\n")
        assert soc.uart.text == expected(1)


def test_each_core_has_a_debugger_of_its_own() -> None:
    with Soc(EVERYTHING, "harts", checks=True) as soc:
        first, second = soc.debugger(0), soc.debugger(1)
        # Both have done the first instruction, which reads mhartid into t0, and not yet the branch on it.
        assert (first.pc, second.pc) == (4, 4)
        assert (first.x(5), second.x(5)) == (0, 1)
        second.step()
        assert second.pc > 8, "only the first core goes on behind the branch"
        second.set_x(6, 0x1234)
        assert (first.x(6), second.x(6)) == (0, 0x1234)
        with pytest.raises(NsocError, match="cores 0 to 1: there is no core 2"):
            soc.debugger(2)
        soc.run(us=50_000, text="done\n")
        assert soc.uart.text == expected(2)


def test_a_preset_says_how_many_cores_there_are() -> None:
    with pytest.raises(NsocError, match="cores"):
        presets.load().with_(cores=5)
    with pytest.raises(NsocError, match="core"):
        presets.load().with_(core="none")
    with pytest.raises(NsocError, match="unit"):
        presets.load().with_(unit="tcp")
