# SPDX-License-Identifier: Apache-2.0
"""`import nsoc`: all that it promises is there, and loaded when it is asked for."""

import subprocess
import sys

import pytest

import nsoc


def test_a_module_that_needs_little_of_the_package_loads_little() -> None:
    program = "import nsoc.errors, sys; print(sorted(name for name in sys.modules if name.startswith('nsoc')))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed == "['nsoc', 'nsoc.errors']\n"


@pytest.mark.parametrize("name", nsoc.__all__)
def test_each_name_is_that_of_its_module(name: str) -> None:
    found = getattr(nsoc, name)
    assert found.__name__ == name and getattr(sys.modules[found.__module__], name) is found
    assert name in dir(nsoc)


def test_another_name_is_an_error_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'nsoc' has no attribute 'Sock'"):
        _ = nsoc.Sock
