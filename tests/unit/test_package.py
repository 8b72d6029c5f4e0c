# SPDX-License-Identifier: Apache-2.0
"""`import nsoc`: all that it promises is there, and loaded when it is asked for."""

import subprocess
import sys
from importlib import import_module

import pytest

import nsoc


def test_a_module_that_needs_little_of_the_package_loads_little() -> None:
    program = "import nsoc.errors, sys; print(sorted(name for name in sys.modules if name.startswith('nsoc')))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed == "['nsoc', 'nsoc.errors']\n"


@pytest.mark.parametrize(
    ("module", "name", "now"),
    [
        ("nsoc", "Host", "nsoc.PnicHost"),
        ("nsoc.pnic.host", "Host", "nsoc.PnicHost"),
        ("nsoc.network.network", "Host", "nsoc.NetworkHost"),
        ("nsoc.presets", "load", "nsoc.load_preset"),
        ("nsoc.presets", "names", "nsoc.list_presets"),
        ("nsoc.presets", "Preset", "nsoc.Preset"),
        ("nsoc.presets", "DEFAULT", "nsoc.machine.presets.DEFAULT"),
        ("nsoc.presets", "all_presets", "nsoc.machine.presets.all_presets"),
        ("nsoc.presets", "load_soc", "nsoc.machine.presets.load_soc"),
    ],
)
def test_an_old_name_stays_and_warns(module: str, name: str, now: str) -> None:
    """The warning is about the line that uses the name."""
    with pytest.warns(DeprecationWarning, match=rf"^{module}\.{name} is deprecated: it is {now} now$") as caught:
        found = getattr(import_module(module), name)
    assert caught[0].filename == __file__
    home, _, called = now.rpartition(".")
    assert found is getattr(import_module(home), called)


@pytest.mark.parametrize("module", ["nsoc", "nsoc.pnic.host", "nsoc.network.network", "nsoc.presets"])
def test_another_name_is_an_error_as_of_any_module(module: str) -> None:
    with pytest.raises(AttributeError, match=f"^module '{module}' has no attribute 'Sock'$"):
        _ = import_module(module).Sock


def test_no_two_public_classes_have_one_name() -> None:
    assert nsoc.PnicHost.__name__ != nsoc.NetworkHost.__name__
    assert "Host" not in nsoc.__all__
