# SPDX-License-Identifier: Apache-2.0
"""The Python side of sim/nsoc_sim.h: one Verilated SoC, loaded from a shared library."""

import ctypes
import functools
import os
from ctypes import POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine import memory_map
from nsoc.machine.build import ABI_VERSION
from nsoc.machine.c_library import Functions, Handle, checked, filled, load

BAD_FCS, RAW, PAD = 1, 2, 4

SLICE_CYCLES = 1_000_000
"""Longest run without a look at the keyboard, about a second: Ctrl-C must work."""


class Config(Structure):
    """nsoc_config_t"""

    _fields_ = (
        ("cpu_period_fs", c_uint64),
        ("nic_period_fs", c_uint64),
        ("dram_period_fs", c_uint64),
        ("rx_period_fs", c_uint64),
        ("tx_period_fs", c_uint64),
        ("seed", c_uint64),
        ("uart_divisor", c_uint32),
        ("mii", c_uint32),
        ("one_clock", c_uint32),
        ("every_dram_edge", c_uint32),
        ("every_cycle", c_uint32),
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


class Octet(Structure):
    """nsoc_octet_t"""

    _fields_ = (("time_fs", c_uint64), ("value", c_uint32), ("reserved", c_uint32))


class SocCalls(c_void_p):
    """const nsoc_soc_calls_t *: for nsoc.network.network, which hands it to C++ again."""


class Event(Structure):
    """nsoc_event_t"""

    _fields_ = (
        ("time_fs", c_uint64),
        ("tap", c_uint32),
        ("detail", c_uint32),
        ("value", c_uint32),
        ("reserved", c_uint32),
    )


FUNCTIONS: Functions = {
    "nsoc_abi_version": (c_uint32, {}),
    "nsoc_create": (c_void_p, {"config": POINTER(Config)}),
    "nsoc_destroy": (c_int, {"sim": c_void_p}),
    "nsoc_error": (c_char_p, {"sim": c_void_p}),
    "nsoc_run": (c_int, {"sim": c_void_p, "stop": POINTER(StopConditions)}),
    "nsoc_cycle": (c_int64, {"sim": c_void_p}),
    "nsoc_time_ps": (c_int64, {"sim": c_void_p}),
    "nsoc_quiet_until_fs": (c_int64, {"sim": c_void_p}),
    "nsoc_evaluations": (c_int64, {"sim": c_void_p}),
    "nsoc_left_out": (c_int64, {"sim": c_void_p}),
    "nsoc_not_at_rest": (c_int64, {"sim": c_void_p}),
    "nsoc_load": (c_int, {"sim": c_void_p, "address": c_uint64, "data": c_char_p, "bytes": c_uint64}),
    "nsoc_peek": (c_int, {"sim": c_void_p, "address": c_uint64, "data": c_char_p, "bytes": c_uint64}),
    "nsoc_send": (c_int64, {"sim": c_void_p, "data": c_char_p, "bytes": c_uint32, "options": POINTER(SendOptions)}),
    "nsoc_sent": (c_int, {"sim": c_void_p, "number": c_uint64, "stamps": POINTER(Frame)}),
    "nsoc_queued": (c_int64, {"sim": c_void_p}),
    "nsoc_pending": (c_int64, {"sim": c_void_p}),
    "nsoc_next": (c_int, {"sim": c_void_p, "frame": POINTER(Frame)}),
    "nsoc_take": (c_int, {"sim": c_void_p, "data": c_char_p, "capacity": c_uint64}),
    "nsoc_plug": (c_int64, {"sim": c_void_p}),
    "nsoc_time_fs": (c_int64, {"sim": c_void_p}),
    "nsoc_run_to": (c_int, {"sim": c_void_p, "time_fs": c_uint64}),
    "nsoc_octets": (c_int64, {"sim": c_void_p, "sent": POINTER(POINTER(Octet))}),
    "nsoc_carry": (c_int, {"sim": c_void_p, "octets": POINTER(Octet), "count": c_uint64}),
    "nsoc_soc_calls": (SocCalls, {}),
    "nsoc_uart_read": (c_int, {"sim": c_void_p, "from": c_uint64, "data": c_char_p, "capacity": c_uint32}),
    "nsoc_uart_write": (c_int, {"sim": c_void_p, "data": c_char_p, "bytes": c_uint32}),
    "nsoc_probes": (c_char_p, {"sim": c_void_p}),
    "nsoc_probe": (c_int, {"sim": c_void_p, "name": c_char_p, "values": POINTER(c_uint64), "capacity": c_uint32}),
    "nsoc_taps": (c_char_p, {"sim": c_void_p}),
    "nsoc_trace": (c_int, {"sim": c_void_p, "on": c_int}),
    "nsoc_trace_count": (c_int64, {"sim": c_void_p}),
    "nsoc_trace_take": (c_int64, {"sim": c_void_p, "events": POINTER(Event), "capacity": c_uint64}),
    "nsoc_waves": (c_int, {"sim": c_void_p, "file": c_char_p, "from_ps": c_uint64, "to_ps": c_uint64}),
    "nsoc_debug_attach": (c_int, {"sim": c_void_p, "core": c_uint32}),
    "nsoc_debug_run": (c_int, {"sim": c_void_p, "core": c_uint32, "max_cycles": c_uint64, "instructions": c_uint64}),
    "nsoc_debug_halt": (c_int, {"sim": c_void_p, "core": c_uint32, "max_cycles": c_uint64}),
    "nsoc_debug_hit": (c_int, {"sim": c_void_p, "core": c_uint32, "address": POINTER(c_uint32)}),
    "nsoc_debug_insert": (
        c_int,
        {"sim": c_void_p, "core": c_uint32, "kind": c_uint32, "address": c_uint32, "bytes": c_uint32},
    ),
    "nsoc_debug_remove": (
        c_int,
        {"sim": c_void_p, "core": c_uint32, "kind": c_uint32, "address": c_uint32, "bytes": c_uint32},
    ),
    "nsoc_debug_get": (c_int, {"sim": c_void_p, "core": c_uint32, "number": c_uint32, "value": POINTER(c_uint32)}),
    "nsoc_debug_peek": (
        c_int,
        {"sim": c_void_p, "core": c_uint32, "address": c_uint64, "data": c_char_p, "bytes": c_uint64},
    ),
    "nsoc_debug_load": (
        c_int,
        {"sim": c_void_p, "core": c_uint32, "address": c_uint32, "bytes": c_uint32, "value": POINTER(c_uint32)},
    ),
    "nsoc_debug_ask": (
        c_int,
        {
            "sim": c_void_p, "core": c_uint32, "write": c_int, "address": c_uint32, "bytes": c_uint32,
            "value": c_uint32,
        },
    ),
    "nsoc_debug_answer": (c_int, {"sim": c_void_p, "core": c_uint32, "value": POINTER(c_uint32)}),
    "nsoc_debug_store": (
        c_int,
        {"sim": c_void_p, "core": c_uint32, "address": c_uint32, "bytes": c_uint32, "value": c_uint32},
    ),
    "nsoc_debug_set": (c_int, {"sim": c_void_p, "core": c_uint32, "number": c_uint32, "value": c_uint32}),
    "nsoc_debug_poke": (
        c_int,
        {"sim": c_void_p, "core": c_uint32, "address": c_uint64, "data": c_char_p, "bytes": c_uint64},
    ),
}
"""What each function of the header returns and takes."""

LONGEST_FS = 1 << 62
"""NSOC_LONGEST_FS: the end of simulated time."""
LONGEST_SEND = 65535
"""NSOC_LONGEST_SEND: bytes of a frame, of a preamble."""


@functools.cache
def _library(path: Path) -> ctypes.CDLL:
    return load(path, FUNCTIONS, "nsoc_abi_version", ABI_VERSION)


def _buffer(length: int) -> "ctypes.Array[ctypes.c_char]":
    most = memory_map.DRAM_BYTES  # the largest
    if not 0 <= checked("length", c_int64, length) <= most:
        raise NsocError(f"length must be 0 to {most}, not {length}")
    return ctypes.create_string_buffer(length)


class Simulation(Handle):
    """A simulated SoC behind the C interface."""

    def __init__(self, library: Path, config: Config) -> None:
        super().__init__(_library(library), FUNCTIONS, "nsoc_", "SoC", ctypes.byref(config))
        self._longest = LONGEST_FS // config.nic_period_fs

    def soc_calls(self) -> SocCalls:
        """What a network needs beside the handle."""
        calls: SocCalls = self._lib.nsoc_soc_calls()
        return calls

    @property
    def cycle(self) -> int:
        """nic_clk cycles since reset."""
        return int(self._call("nsoc_cycle"))

    @property
    def time_ps(self) -> int:
        """Picoseconds since reset."""
        return int(self._call("nsoc_time_ps"))

    @property
    def time_fs(self) -> int:
        """Femtoseconds since reset."""
        return int(self._call("nsoc_time_fs"))

    @property
    def quiet_until_fs(self) -> int:
        """The time before which nothing happens of the SoC's own accord; `time_fs` when that is not known."""
        return int(self._call("nsoc_quiet_until_fs"))

    @property
    def evaluations(self) -> int:
        """How often the model was evaluated."""
        return int(self._call("nsoc_evaluations"))

    @property
    def left_out(self) -> int:
        """Clock edges that blocks at rest were spared."""
        return int(self._call("nsoc_left_out"))

    @property
    def not_at_rest(self) -> int:
        """How often a block was held to be at rest and was not: never, or the simulator has a fault."""
        return int(self._call("nsoc_not_at_rest"))

    def run(self, max_cycles: int, *, frames: int, queued: int, idle_cycles: int, text: bytes | None) -> int:
        """nsoc_run, in slices so that Ctrl-C gets through; returns NSOC_STOP_*."""
        end = self.cycle + checked("cycles", c_uint64, max_cycles)
        if end > self._longest:
            raise NsocError(f"simulated time ends at nic cycle {self._longest}, {max_cycles} more would be beyond it")
        if text is not None and b"\0" in text:
            raise NsocError("the text to wait for must not contain a zero byte")
        stop = filled(
            StopConditions, frames=frames, queued=queued, idle_cycles=idle_cycles, idle_from=self.cycle, text=text
        )
        while True:
            stop.max_cycles = min(SLICE_CYCLES, end - self.cycle)
            reason: int = self._call("nsoc_run", ctypes.byref(stop))
            if reason != 0 or self.cycle >= end:
                return reason

    def load(self, address: int, data: bytes) -> None:
        """Writes memory behind the SoC's back."""
        data = checked("data", c_char_p, data)
        self._call("nsoc_load", address, data, len(data))

    def peek(self, address: int, length: int) -> bytes:
        """Reads memory behind the SoC's back."""
        buffer = _buffer(length)
        self._call("nsoc_peek", address, buffer, length)
        return buffer.raw

    def send(self, data: bytes, options: SendOptions) -> int:
        """Queues a frame; returns its number."""
        return int(self._call("nsoc_send", data, len(data), ctypes.byref(options)))

    def sent(self, number: int) -> Frame | None:
        """Stamps of a frame that has left, or None."""
        frame = Frame()
        return frame if self._call("nsoc_sent", number, ctypes.byref(frame)) else None

    @property
    def queued(self) -> int:
        """Frames not completely sent."""
        return int(self._call("nsoc_queued"))

    @property
    def pending(self) -> int:
        """Received frames that wait."""
        return int(self._call("nsoc_pending"))

    def take(self) -> tuple[Frame, bytes] | None:
        """The oldest received frame, removed; None when none waits."""
        frame = Frame()
        if not self._call("nsoc_next", ctypes.byref(frame)):
            return None
        buffer = ctypes.create_string_buffer(frame.bytes)
        self._call("nsoc_take", buffer, len(buffer))
        return frame, buffer.raw

    def uart_read(self, start: int) -> bytes:
        """What the UART printed from byte `start` on."""
        parts = []
        buffer = ctypes.create_string_buffer(4096)
        while count := self._call("nsoc_uart_read", start, buffer, len(buffer)):
            parts.append(buffer.raw[:count])
            start += count
        return b"".join(parts)

    def uart_write(self, data: bytes) -> None:
        """Types on the terminal."""
        data = checked("data", c_char_p, data)
        self._call("nsoc_uart_write", data, len(data))

    def probes(self) -> list[str]:
        """Names that `probe` knows."""
        names: bytes = self._call("nsoc_probes")
        return names.decode().split()

    def probe(self, name: str) -> list[int]:
        """State inside the SoC by name."""
        count = self._call("nsoc_probe", name.encode(), None, 0)
        values = (c_uint64 * count)()
        self._call("nsoc_probe", name.encode(), values, count)
        return list(values)

    def taps(self) -> list[str]:
        """Names of the taps by number; none when built without."""
        names: bytes = self._call("nsoc_taps")
        return names.decode().split()

    def trace(self, on: bool) -> None:
        """Begins or ends to keep what the taps say."""
        self._call("nsoc_trace", int(on))

    def trace_take(self) -> list[Event]:
        """What the taps said since the last call."""
        count = int(self._call("nsoc_trace_count"))
        events = (Event * count)()
        self._call("nsoc_trace_take", events, count)
        return list(events)

    def waves(self, file: Path, from_ps: int, to_ps: int) -> None:
        """Writes all signals to an FST file from one time to another."""
        self._call("nsoc_waves", os.fsencode(file), from_ps, to_ps)

    # The debugger of one core; src/nsoc/machine/debug.py says what these mean.

    def debug_attach(self, core: int) -> None:
        """Comes to a stop between two instructions."""
        self._call("nsoc_debug_attach", core)

    def debug_run(self, core: int, max_cycles: int, instructions: int) -> int:
        """Runs under the debugger's eyes; returns NSOC_DEBUG_*."""
        return int(self._call("nsoc_debug_run", core, max_cycles, instructions))

    def debug_halt(self, core: int, max_cycles: int) -> int:
        """Comes to a stop after NSOC_DEBUG_RUNNING; returns NSOC_DEBUG_*."""
        return int(self._call("nsoc_debug_halt", core, max_cycles))

    def debug_hit(self, core: int) -> tuple[int, int]:
        """Kind and address of the last watchpoint."""
        address = c_uint32()
        kind = self._call("nsoc_debug_hit", core, ctypes.byref(address))
        return kind, address.value

    def debug_point(self, core: int, kind: int, address: int, length: int, insert: bool) -> None:
        """Inserts or removes a breakpoint or watchpoint."""
        function = "nsoc_debug_insert" if insert else "nsoc_debug_remove"
        self._call(function, core, kind, address, length)

    def debug_get(self, core: int, number: int) -> int:
        """A register."""
        value = c_uint32()
        self._call("nsoc_debug_get", core, number, ctypes.byref(value))
        return value.value

    def debug_set(self, core: int, number: int, value: int) -> None:
        """Writes a register."""
        self._call("nsoc_debug_set", core, number, value)

    def debug_peek(self, core: int, address: int, length: int) -> bytes:
        """Memory with the processor's stores that are under way."""
        buffer = _buffer(length)
        self._call("nsoc_debug_peek", core, address, buffer, length)
        return buffer.raw

    def debug_poke(self, core: int, address: int, data: bytes) -> None:
        """Writes memory so that the processor sees it."""
        data = checked("data", c_char_p, data)
        self._call("nsoc_debug_poke", core, address, data, len(data))

    def debug_load(self, core: int, address: int, length: int) -> int:
        """One read of the core's bus, of 1, 2 or 4 bytes; time passes."""
        value = c_uint32()
        self._call("nsoc_debug_load", core, address, length, ctypes.byref(value))
        return value.value

    def debug_store(self, core: int, address: int, length: int, value: int) -> None:
        """One write of the core's bus, of 1, 2 or 4 bytes; time passes."""
        self._call("nsoc_debug_store", core, address, length, value)

    def debug_ask(self, core: int, address: int, length: int) -> None:
        """debug_load() of a SoC on a network: done while that lets time pass."""
        self._call("nsoc_debug_ask", core, 0, address, length, 0)

    def debug_answer(self, core: int) -> tuple[int, int]:
        """NSOC_DEBUG_ASKED, _ANSWERED or _REFUSED, and what was read."""
        value = c_uint32()
        return int(self._call("nsoc_debug_answer", core, ctypes.byref(value))), value.value
