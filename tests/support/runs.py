# SPDX-License-Identifier: Apache-2.0
"""Which values of a parameter `make test` takes, and which only the slow and the long run."""

from collections.abc import Iterable
from typing import Any

import pytest


def some(default: Iterable[Any], long: Iterable[Any]) -> list[Any]:
    """Values for `parametrize`: `default` in each run, `long` in the long run only. A tuple is several arguments."""
    values = [value if isinstance(value, tuple) else (value,) for value in long]
    return [*default, *(pytest.param(*value, marks=pytest.mark.long) for value in values)]


def slow(values: Iterable[Any]) -> list[Any]:
    """Values for `parametrize` that `make test-slow` takes. A tuple is several arguments."""
    several = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=pytest.mark.slow) for value in several]


WIDTHS = [*some([64], [256]), *slow([128, 512])]
"""Bits of data in a beat of rtl/net: where most of it is the same at all widths."""


def seeds(default: int, long: int, first: int = 1) -> list[Any]:
    """The first `default` of `long` seeds, the others in the long run."""
    return some(range(first, first + default), range(first + default, first + long))
