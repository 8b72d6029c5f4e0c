# SPDX-License-Identifier: Apache-2.0
"""How large direct cache access is on 7-series, by what `nsoc bench sockets` calls `dca`: the unit behind custom-0
(dca_unit, with dca_align and dca_add) and the data cache's line port (cpu_lsu with it less cpu_lsu without).

Beside it, not in it, what crosses to the NIC's clock: the slots of datagrams and the rings of connections, whose
payload would need a place without the unit, too. What the core needs for any unit (decoder, a place in EX) is nowhere.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nsoc.hardware import synth
from nsoc.hardware.synth import Area, Synthesis, Target

MODE = "dca"
METRICS = ("lut", "ff", "bram")
BESIDE = {"dca-slots": "dca_slots", "dca-rings": "dca_rings"}
"""Mode and module."""


@dataclass(frozen=True)
class DcaArea:
    """Cells of 7-series."""

    parts: dict[str, Area]
    """What counts."""
    beside: dict[str, Area]
    """By mode, what does not."""

    @property
    def counted(self) -> Area:
        """All that counts."""
        return sum(self.parts.values(), Area())

    @property
    def by_mode(self) -> dict[str, Area]:
        """All that there is a record of."""
        parts = {f"{MODE}-{name.replace(' ', '-')}": area for name, area in self.parts.items()}
        return {MODE: self.counted, **parts, **self.beside}


def measure() -> DcaArea:
    """Synthesizes what is not there already: a minute."""
    found = _area(lambda top, name: synth.synthesize_module(top, Target.XC7, configuration=name))
    assert found is not None
    return found


def kept() -> DcaArea | None:
    """What measure() gives, if all of it is there already."""
    return _area(lambda top, name: synth.kept_module(top, Target.XC7, configuration=name))


def _area(synthesis: Callable[[str, str], Synthesis | None]) -> DcaArea | None:
    wanted = [("dca_unit", "toe"), ("cpu_lsu", "line"), ("cpu_lsu", ""), *((top, "") for top in BESIDE.values())]
    found = [one for top, name in wanted if (one := synthesis(top, name)) is not None]
    if len(found) < len(wanted):
        return None
    unit, with_port, without, *beside = (one.area for one in found)
    parts = {"unit": unit, "line port": with_port - without}
    return DcaArea(parts, dict(zip(BESIDE, beside, strict=True)))
