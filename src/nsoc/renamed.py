# SPDX-License-Identifier: Apache-2.0
"""Old names of what is called otherwise now: they stay, and warn."""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module


def old_names(module: str, names: Mapping[str, str], level: int = 2) -> Callable[[str], object]:
    """`__getattr__` of `module`, in which `names` were: of each, where it is now, as `nsoc.PnicHost`.

    `level`: how many calls below the use of a name the warning is made.
    """

    def of_module(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        now, _, called = names[name].rpartition(".")
        warnings.warn(f"{module}.{name} is deprecated: it is {names[name]} now", DeprecationWarning, stacklevel=level)
        return getattr(import_module(now), called)

    return of_module
