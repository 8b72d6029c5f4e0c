# SPDX-License-Identifier: Apache-2.0
"""Signals as integers, for the simulator's process: `dut.x.value` gives an int and takes one.

Verilator's signals are 0 or 1. cocotb's values know nine states each, and to make one takes longer than most designs
take for a clock. `run_bench` names this module before the test's, so it comes first in every simulation.
"""

import functools
import gc
from typing import Any

from cocotb import handle

DEPOSIT = handle._GPISetAction.DEPOSIT.value
NARROW = 6  # bits of a signal whose values are all kept


@functools.cache
def _bits(width: int) -> type[int]:
    """Integers that know how wide their signal is, as cocotb's values do: libraries ask for it."""
    return type(f"Bits{width}", (int,), {"__slots__": (), "__len__": lambda self: width})


class _Signal:
    """What is asked of the simulator once for each signal: how wide it is, and how one reads and writes it."""

    def __init__(self, signal: Any) -> None:
        sim = signal._handle
        self.width = 1 if isinstance(signal, handle.LogicObject) else sim.get_num_elems()
        self.limit = 1 << self.width
        self.format = f"0{self.width}b"
        self.kind = _bits(self.width)
        self.constant = signal.is_const
        self.read_text, self.write_text = sim.get_signal_val_binstr, sim.set_signal_val_binstr
        few = range(self.limit if self.width <= NARROW else 0)
        # All values of a narrow signal, the latest one of others: many stay for long.
        self.number_of = {format(value, self.format): self.kind(value) for value in few}
        self.text_of = {} if self.constant else {value: format(value, self.format) for value in few}


def _get(self: Any) -> int:
    try:
        signal = self._two_state
    except AttributeError:
        signal = self._two_state = _Signal(self)
    text = signal.read_text()
    number = signal.number_of.get(text)
    if number is None:
        number = signal.kind(text, 2)
        signal.number_of = {text: number}
    return number


def _set(self: Any, value: Any) -> None:
    try:
        signal = self._two_state
    except AttributeError:
        signal = self._two_state = _Signal(self)
    if not isinstance(value, int) or signal.constant:
        return _set_otherwise(self, value)
    if value in signal.text_of:
        return signal.write_text(DEPOSIT, signal.text_of[value])
    if not 0 <= value < signal.limit:
        raise ValueError(f"{value} does not fit into the {signal.width} bits of {self._path}")
    signal.write_text(DEPOSIT, format(value, signal.format))


_set_otherwise = handle.ValueObjectBase.value.fset
for _kind in (handle.LogicObject, handle.LogicArrayObject, handle.PackedObject):
    _kind.get = _get
    _kind.value = property(_get, _set)


def _child(self: Any, name: str) -> Any:
    """The signal or block of that name, which is an attribute of its own from then on."""
    found = _find(self, name)
    self.__dict__[name] = found
    return found


_find = handle.HierarchyObject.__getattr__
handle.HierarchyObject.__getattr__ = _child

gc.set_threshold(100_000)  # the objects of a clock die with it
