# SPDX-License-Identifier: Apache-2.0
"""Packages that only some parts need: requirements/report.txt, requirements/test.txt."""

import importlib
from typing import Any

from nsoc.errors import NsocError


def need(module: str, what: str, requirements: str = "report") -> Any:
    """The module of that name; `what` says in the error who wants it, `requirements` which file of them has it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise NsocError(
            f"{what} needs the Python package {package}, which is missing: run `make .venv/{requirements}.stamp`"
        ) from None
