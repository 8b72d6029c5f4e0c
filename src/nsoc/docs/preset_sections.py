# SPDX-License-Identifier: Apache-2.0
"""The generated sections of docs/presets.md, in Markdown."""

from nsoc.docs.markdown import table
from nsoc.machine.preset_fields import fields
from nsoc.machine.presets import TOPS


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
