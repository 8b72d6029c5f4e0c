# SPDX-License-Identifier: Apache-2.0
"""The presets that come with the package, a TOML file each. Read them by nsoc.load_preset and nsoc.list_presets."""

from typing import TYPE_CHECKING

from nsoc.renamed import old_names

if not TYPE_CHECKING:
    __getattr__ = old_names(
        __name__,
        {
            "Preset": "nsoc.Preset", "load": "nsoc.load_preset", "names": "nsoc.list_presets",
            "DEFAULT": "nsoc.machine.presets.DEFAULT", "all_presets": "nsoc.machine.presets.all_presets",
            "load_soc": "nsoc.machine.presets.load_soc",
        },
    )  # fmt: skip
