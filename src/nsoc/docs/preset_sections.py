# SPDX-License-Identifier: Apache-2.0
"""The generated sections of docs/presets.md, in Markdown."""

from nsoc.docs.markdown import table
from nsoc.machine.listing import by_system
from nsoc.machine.preset_fields import fields
from nsoc.machine.presets import TOPS


def preset_systems(_: object) -> str:
    """The presets of each system, with the publication that it follows."""
    parts = []
    for system, found in by_system():
        whose = "Of no system" if system is None else f"**{system.title}**, as in {system.publication}"
        rows = [(f"`{preset.name}`", preset.description) for preset in found]
        parts.append(f"{whose}:\n\n{table(('preset', 'what it is'), rows)}")
    return "\n\n".join(parts)


def preset_fields(_: object) -> str:
    """A row for each field."""
    rows = [
        (
            f"`{field.name}`", "all" if len(field.tops) == len(TOPS) else ", ".join(f"`{top}`" for top in field.tops),
            field.range, field.unit, field.default, field.meaning,
        )
        for field in fields()
    ]  # fmt: skip
    return table(("field", "of presets whose `top` is", "range", "unit", "default", "meaning"), rows)
