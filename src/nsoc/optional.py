# SPDX-License-Identifier: Apache-2.0
"""Packages that only some commands need: requirements/report.txt."""

import importlib
from typing import Any

from nsoc.errors import NsocError


def need(module: str, what: str) -> Any:
    """The module of that name; `what` says in the error who wants it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise NsocError(
            f"{what} needs the Python package {package}, which is missing: run `make .venv/report.stamp`"
        ) from None
