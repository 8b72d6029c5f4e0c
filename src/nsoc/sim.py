# SPDX-License-Identifier: Apache-2.0
"""The Python side of models/nsoc_sim.h: one Verilated SoC, loaded from a shared library."""

import ctypes
import functools
from ctypes import POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from nsoc.build import ABI_VERSION
from nsoc.errors import NsocError

BAD_FCS, RAW, PAD = 1, 2, 4

SLICE_CYCLES = 1_000_000
"""Longest run without a look at the keyboard, about a second: Ctrl-C must work."""


class Config(Structure):
    """nsoc_config_t"""

    _fields_ = (
        ("cpu_period_fs", c_uint64),
        ("nic_period_fs", c_uint64),
        ("dram_period_fs", c_uint64),
        ("gmii_period_fs", c_uint64),
        ("seed", c_uint64),
        ("uart_divisor", c_uint32),
        ("mii", c_uint32),
        ("every_dram_edge", c_uint32),
    )


class SendOptions(Structure):
    """nsoc_send_t"""

    _fields_ = (
        ("not_before", c_uint64),
        ("ifg", c_uint32),
        ("preamble", c_uint32),
        ("sfd", c_uint32),
        ("flags", c_uint32),
        ("error_at", c_int32),
        ("cut_at", c_int32),
    )


class Frame(Structure):
    """nsoc_frame_t"""

    _fields_ = (
        ("start_cycle", c_uint64),
        ("end_cycle", c_uint64),
        ("start_ps", c_uint64),
        ("end_ps", c_uint64),
        ("bytes", c_uint32),
        ("gap", c_uint32),
        ("fcs_ok", c_uint32),
        ("error", c_uint32),
    )


class StopConditions(Structure):
    """nsoc_stop_t"""

    _fields_ = (
        ("max_cycles", c_uint64),
        ("frames", c_uint64),
        ("queued", c_int64),
        ("idle_cycles", c_uint64),
        ("idle_from", c_uint64),
        ("text", c_char_p),
    )


class Event(Structure):
    """nsoc_event_t"""

    _fields_ = (
        ("time_fs", c_uint64),
        ("tap", c_uint32),
        ("detail", c_uint32),
        ("value", c_uint32),
        ("reserved", c_uint32),
    )


_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "nsoc_abi_version": (c_uint32, []),
    "nsoc_create": (c_void_p, [POINTER(Config)]),
    "nsoc_destroy": (None, [c_void_p]),
    "nsoc_error": (c_char_p, [c_void_p]),
    "nsoc_run": (c_int, [c_void_p, POINTER(StopConditions)]),
    "nsoc_cycle": (c_uint64, [c_void_p]),
    "nsoc_time_ps": (c_uint64, [c_void_p]),
    "nsoc_load": (c_int, [c_void_p, c_uint64, c_char_p, c_uint64]),
    "nsoc_peek": (c_int, [c_void_p, c_uint64, c_char_p, c_uint64]),
    "nsoc_send": (c_int64, [c_void_p, c_char_p, c_uint32, POINTER(SendOptions)]),
    "nsoc_sent": (c_int, [c_void_p, c_uint64, POINTER(Frame)]),
    "nsoc_queued": (c_uint64, [c_void_p]),
    "nsoc_pending": (c_uint64, [c_void_p]),
    "nsoc_next": (c_int, [c_void_p, POINTER(Frame)]),
    "nsoc_take": (c_int, [c_void_p, c_char_p]),
    "nsoc_uart_read": (c_int, [c_void_p, c_uint64, c_char_p, c_uint32]),
    "nsoc_uart_write": (c_int, [c_void_p, c_char_p, c_uint32]),
    "nsoc_probes": (c_char_p, [c_void_p]),
    "nsoc_probe": (c_int, [c_void_p, c_char_p, POINTER(c_uint64), c_uint32]),
    "nsoc_taps": (c_char_p, [c_void_p]),
    "nsoc_trace": (c_int, [c_void_p, c_int]),
    "nsoc_trace_count": (c_uint64, [c_void_p]),
    "nsoc_trace_take": (c_uint64, [c_void_p, POINTER(Event), c_uint64]),
    "nsoc_waves": (c_int, [c_void_p, c_char_p, c_uint64, c_uint64]),
    "nsoc_debug_attach": (c_int, [c_void_p, c_uint32]),
    "nsoc_debug_run": (c_int, [c_void_p, c_uint32, c_uint64, c_uint64]),
    "nsoc_debug_hit": (c_int, [c_void_p, c_uint32, POINTER(c_uint32)]),
    "nsoc_debug_insert": (c_int, [c_void_p, c_uint32, c_uint32, c_uint32, c_uint32]),
    "nsoc_debug_remove": (c_int, [c_void_p, c_uint32, c_uint32, c_uint32, c_uint32]),
    "nsoc_debug_get": (c_int, [c_void_p, c_uint32, c_uint32, POINTER(c_uint32)]),
    "nsoc_debug_set": (c_int, [c_void_p, c_uint32, c_uint32, c_uint32]),
    "nsoc_debug_peek": (c_int, [c_void_p, c_uint32, c_uint64, c_char_p, c_uint64]),
    "nsoc_debug_poke": (c_int, [c_void_p, c_uint32, c_uint64, c_char_p, c_uint64]),
}


@functools.cache
def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    if library.nsoc_abi_version() != ABI_VERSION:
        raise NsocError(f"{path} is of another version of nsoc: delete the folder it is in")
    return library


class Simulation:
    """A handle of the C interface. Freed by close(), or with the object."""

    def __init__(self, library: Path, config: Config) -> None:
        self._lib = _library(library)
        self._sim: int | None = self._lib.nsoc_create(ctypes.byref(config))
        if not self._sim:
            raise NsocError(f"the SoC cannot start: {self._lib.nsoc_error(None).decode(errors='replace')}")

    def close(self) -> None:
        """Frees the model; every later call raises NsocError."""
        if self._sim:
            self._lib.nsoc_destroy(self._sim)
            self._sim = None

    def __del__(self) -> None:
        if getattr(self, "_sim", None):
            self.close()

    @property
    def _handle(self) -> int:
        if self._sim is None:
            raise NsocError("this Soc is closed")
        return self._sim

    def _check(self, result: int) -> int:
        if result < 0:
            raise NsocError(self._lib.nsoc_error(self._handle).decode(errors="replace"))
        return result

    @property
    def cycle(self) -> int:
        """nic_clk cycles since reset."""
        return int(self._lib.nsoc_cycle(self._handle))

    @property
    def time_ps(self) -> int:
        """Picoseconds since reset."""
        return int(self._lib.nsoc_time_ps(self._handle))

    def run(self, max_cycles: int, *, frames: int, queued: int, idle_cycles: int, text: bytes | None) -> int:
        """nsoc_run, in slices so that Ctrl-C gets through; returns NSOC_STOP_*."""
        handle = self._handle
        stop = StopConditions(0, frames, queued, idle_cycles, self.cycle, text)
        end = self.cycle + max_cycles
        while True:
            stop.max_cycles = min(SLICE_CYCLES, end - self.cycle)
            reason = self._check(self._lib.nsoc_run(handle, ctypes.byref(stop)))
            if reason != 0 or self.cycle >= end:
                return reason

    def load(self, address: int, data: bytes) -> None:
        """Writes memory behind the SoC's back."""
        self._check(self._lib.nsoc_load(self._handle, address, data, len(data)))

    def peek(self, address: int, length: int) -> bytes:
        """Reads memory behind the SoC's back."""
        buffer = ctypes.create_string_buffer(length)
        self._check(self._lib.nsoc_peek(self._handle, address, buffer, length))
        return buffer.raw

    def send(self, data: bytes, options: SendOptions) -> int:
        """Queues a frame; returns its number."""
        return int(self._lib.nsoc_send(self._handle, data, len(data), ctypes.byref(options)))

    def sent(self, number: int) -> Frame | None:
        """Stamps of a frame that has left, or None."""
        frame = Frame()
        return frame if self._lib.nsoc_sent(self._handle, number, ctypes.byref(frame)) else None

    @property
    def queued(self) -> int:
        """Frames not completely sent."""
        return int(self._lib.nsoc_queued(self._handle))

    @property
    def pending(self) -> int:
        """Received frames that wait."""
        return int(self._lib.nsoc_pending(self._handle))

    def take(self) -> tuple[Frame, bytes] | None:
        """The oldest received frame, removed; None when none waits."""
        frame = Frame()
        if not self._lib.nsoc_next(self._handle, ctypes.byref(frame)):
            return None
        buffer = ctypes.create_string_buffer(frame.bytes)
        self._check(self._lib.nsoc_take(self._handle, buffer))
        return frame, buffer.raw

    def uart_read(self, start: int) -> bytes:
        """What the UART printed from byte `start` on."""
        parts = []
        buffer = ctypes.create_string_buffer(4096)
        while count := self._lib.nsoc_uart_read(self._handle, start, buffer, len(buffer)):
            parts.append(buffer.raw[:count])
            start += count
        return b"".join(parts)

    def uart_write(self, data: bytes) -> None:
        """Types on the terminal."""
        self._lib.nsoc_uart_write(self._handle, data, len(data))

    def probes(self) -> list[str]:
        """Names that `probe` knows."""
        names: bytes = self._lib.nsoc_probes(self._handle)
        return names.decode().split()

    def probe(self, name: str) -> list[int]:
        """State inside the SoC by name."""
        count = self._lib.nsoc_probe(self._handle, name.encode(), None, 0)
        if count < 0:
            raise NsocError(f"the simulator has no probe {name!r}")
        values = (c_uint64 * count)()
        self._lib.nsoc_probe(self._handle, name.encode(), values, count)
        return list(values)

    def taps(self) -> list[str]:
        """Names of the taps by number; none when built without."""
        names: bytes = self._lib.nsoc_taps(self._handle)
        return names.decode().split()

    def trace(self, on: bool) -> None:
        """Begins or ends to keep what the taps say."""
        self._check(self._lib.nsoc_trace(self._handle, int(on)))

    def trace_take(self) -> list[Event]:
        """What the taps said since the last call."""
        count = int(self._lib.nsoc_trace_count(self._handle))
        events = (Event * count)()
        self._lib.nsoc_trace_take(self._handle, events, count)
        return list(events)

    def waves(self, file: Path, from_ps: int, to_ps: int) -> None:
        """Writes all signals to an FST file from one time to another."""
        self._check(self._lib.nsoc_waves(self._handle, str(file).encode(), from_ps, to_ps))

    # The debugger of one core; src/nsoc/debug.py says what these mean.

    def debug_attach(self, core: int) -> None:
        """Comes to a stop between two instructions."""
        self._check(self._lib.nsoc_debug_attach(self._handle, core))

    def debug_run(self, core: int, max_cycles: int, instructions: int) -> int:
        """Runs under the debugger's eyes; returns NSOC_DEBUG_*."""
        return self._check(self._lib.nsoc_debug_run(self._handle, core, max_cycles, instructions))

    def debug_hit(self, core: int) -> tuple[int, int]:
        """Kind and address of the last watchpoint."""
        address = c_uint32()
        kind = self._lib.nsoc_debug_hit(self._handle, core, ctypes.byref(address))
        return kind, address.value

    def debug_point(self, core: int, kind: int, address: int, length: int, insert: bool) -> None:
        """Inserts or removes a breakpoint or watchpoint."""
        function = self._lib.nsoc_debug_insert if insert else self._lib.nsoc_debug_remove
        self._check(function(self._handle, core, kind, address, length))

    def debug_get(self, core: int, number: int) -> int:
        """A register."""
        value = c_uint32()
        self._check(self._lib.nsoc_debug_get(self._handle, core, number, ctypes.byref(value)))
        return value.value

    def debug_set(self, core: int, number: int, value: int) -> None:
        """Writes a register."""
        self._check(self._lib.nsoc_debug_set(self._handle, core, number, value))

    def debug_peek(self, core: int, address: int, length: int) -> bytes:
        """Memory with the processor's stores that are under way."""
        buffer = ctypes.create_string_buffer(length)
        self._check(self._lib.nsoc_debug_peek(self._handle, core, address, buffer, length))
        return buffer.raw

    def debug_poke(self, core: int, address: int, data: bytes) -> None:
        """Writes memory so that the processor sees it."""
        self._check(self._lib.nsoc_debug_poke(self._handle, core, address, data, len(data)))
