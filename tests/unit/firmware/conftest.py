# SPDX-License-Identifier: Apache-2.0
"""What the tests of firmware/lib/libc share."""

import ctypes

import libc_native
import pytest
from runs import some


@pytest.fixture(scope="module", params=some(["unsigned"], ["signed"]))
def ours(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The C library with either kind of char."""
    return libc_native.compiled(tmp_path_factory.mktemp("libc"), request.param)
