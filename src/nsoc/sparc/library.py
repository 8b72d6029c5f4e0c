# SPDX-License-Identifier: Apache-2.0
"""The Python side of models/sparc/nsoc_sparc.h, and the library behind it, built on first use."""

import ctypes
import enum
import functools
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from nsoc.machine import build, shared_library
from nsoc.machine.c_library import Functions, load

LIBRARY = "libnsoc_sparc.so"
KIND = "sparc"
"""Of the folder in the cache."""
SECONDS = 5
"""About, to build it."""
ABI_VERSION = 2
"""NSOC_SPARC_ABI_VERSION of the header."""

GLOBALS = 128
"""Physical number of g0: NSOC_SPARC_GLOBALS."""
REGISTERS = 136
ROW = 37
"""Words of a row of `trace`: pc, npc, r0 to r31, psr, wim, y."""


class Kind(enum.IntEnum):
    """What a step was."""

    RETIRED = 0
    ANNULLED = 1
    TRAPPED = 2
    ERROR_MODE = 3


class Access(enum.IntEnum):
    """Kinds of accesses to data."""

    NONE = 0
    READ = 1
    WRITE = 2
    SWAP = 3
    LDSTUB = 4


class Effect(enum.IntFlag):
    """What an instruction does that registers and memory do not show."""

    NONE = 0
    DROPS_INSTRUCTIONS = 1
    DROPS_DATA = 2
    ORDERS_STORES = 4


class Answer(enum.IntEnum):
    """What the bus answers. LATE_ERROR: to a posted store or an overlapped load, which has retired."""

    OK = 0
    REFUSED = 1
    LATE_ERROR = 2


class AccessMade(Structure):
    """nsoc_sparc_access_t"""

    address: int
    written: int
    read: int
    kind: int
    bytes: int
    asi: int
    answer: int
    _fields_ = (
        *((name, c_uint64) for name in ("address", "written", "read")),
        *((name, c_uint8) for name in ("kind", "bytes", "asi", "answer")),
        ("zero", c_uint32),
    )


class Step(Structure):
    """nsoc_sparc_step_t: all that a step has changed."""

    access: AccessMade
    pc: int
    npc: int
    word: int
    next_pc: int
    next_npc: int
    psr: int
    wim: int
    tbr: int
    y: int
    writes: int
    kind: int
    trap: int
    annuls: int
    sleeps: int
    effects: int
    _fields_ = (
        ("access", AccessMade),
        *((name, c_uint32) for name in ("pc", "npc", "word", "next_pc", "next_npc")),
        ("value", c_uint32 * 2),
        *((name, c_uint32) for name in ("psr", "wim", "tbr", "y")),
        ("reg", c_uint8 * 2),
        *((name, c_uint8) for name in ("writes", "kind", "trap", "annuls", "sleeps", "effects")),
    )

    @property
    def written(self) -> dict[int, int]:
        """Registers by physical number."""
        return {self.reg[i]: self.value[i] for i in range(self.writes)}


class Events(Structure):
    """nsoc_sparc_events_t"""

    _fields_ = (
        *((name, c_uint32) for name in ("levels", "store_error", "load_error", "sets_counter", "stalls")),
        *((name, c_uint64) for name in ("address", "counter")),
    )


class State(Structure):
    """nsoc_sparc_state_t: the state between two instructions."""

    pc: int
    npc: int
    psr: int
    wim: int
    tbr: int
    y: int
    annul: int
    error_mode: int
    error_trap: int
    sleeping: int
    bus_control: int
    interrupt_mask: int
    counter_control: int
    _fields_ = (
        ("r", c_uint32 * REGISTERS),
        *((name, c_uint32) for name in ("pc", "npc", "psr", "wim", "tbr", "y")),
        *((name, c_uint32) for name in ("annul", "error_mode", "error_trap", "sleeping")),
        *((name, c_uint32) for name in ("bus_control", "interrupt_mask", "counter_control")),
    )


class Config(Structure):
    """nsoc_sparc_config_t"""

    _fields_ = tuple(
        (name, c_uint32) for name in ("psr_version", "hart", "hart_stride", "uart_line", "dram_bytes", "stall_counters")
    )


Device = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(AccessMade))
"""nsoc_sparc_device_t"""

_SPARC = {"sparc": c_void_p}
FUNCTIONS: Functions = {
    "nsoc_sparc_abi_version": (c_uint32, {}),
    "nsoc_sparc_create": (c_void_p, {"config": POINTER(Config)}),
    "nsoc_sparc_destroy": (c_int, _SPARC),
    "nsoc_sparc_error": (c_char_p, _SPARC),
    "nsoc_sparc_reset": (c_int, _SPARC),
    "nsoc_sparc_get": (c_int, {**_SPARC, "state": POINTER(State)}),
    "nsoc_sparc_set": (c_int, {**_SPARC, "state": POINTER(State)}),
    "nsoc_sparc_peek": (c_int, {**_SPARC, "address": c_uint64, "data": c_char_p, "bytes": c_uint64}),
    "nsoc_sparc_poke": (c_int, {**_SPARC, "address": c_uint64, "data": c_char_p, "bytes": c_uint64}),
    "nsoc_sparc_answer": (c_int, {**_SPARC, "address": c_uint64, "bytes": c_uint64, "answer": c_uint32}),
    "nsoc_sparc_device": (
        c_int,
        {**_SPARC, "address": c_uint64, "bytes": c_uint64, "device": Device, "context": c_void_p},
    ),
    "nsoc_sparc_step": (c_int, {**_SPARC, "events": POINTER(Events), "step": POINTER(Step)}),
    "nsoc_sparc_run": (c_int, {**_SPARC, "steps": c_uint64, "stop_pc": c_uint32, "text": c_char_p}),
    "nsoc_sparc_steps": (c_int64, _SPARC),
    "nsoc_sparc_trace": (c_int64, {**_SPARC, "rows": POINTER(c_uint32), "count": c_uint64}),
    "nsoc_sparc_last": (c_int64, {**_SPARC, "pairs": POINTER(c_uint32), "capacity": c_uint64}),
    "nsoc_sparc_sent": (c_int64, {**_SPARC, "bytes": c_char_p, "capacity": c_uint64}),
    "nsoc_sparc_type": (c_int, {**_SPARC, "data": c_char_p, "bytes": c_uint64}),
}
"""What each function of the header returns and takes."""


@functools.cache
def loaded(path: Path) -> ctypes.CDLL:
    """The library at `path`."""
    return load(path, FUNCTIONS, "nsoc_sparc_abi_version", ABI_VERSION)


def library() -> Path:
    """The shared library, built when it is not there yet. Raises NsocError when there is no compiler."""
    return shared_library.built(KIND, LIBRARY, _files(), (), "the SPARC simulator", SECONDS)


def _files() -> list[Path]:
    root = build.checkout()
    return [*(root / "models" / "sparc").iterdir(), root / "sim" / "guarded.h", root / "sim" / "nsoc_map.h"]
