# SPDX-License-Identifier: Apache-2.0
"""The Python side of sim/network/nsoc_network.h, and the library behind it, built on first use."""

import ctypes
import functools
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from nsoc.machine import build, shared_library
from nsoc.machine.c_library import Functions, Handle, checked, load
from nsoc.machine.sim import SocCalls

LIBRARY = "libnsoc_network.so"
KIND = "network"
"""Of a ready-made library, in an installed package; of the folder in the cache."""
SECONDS = 5
"""About, to build it."""

MOST_CHANGES = 8
MOST_BEHIND = 1000


class Pause(Structure):
    """nsoc_pause_t"""

    _fields_ = (("at_fs", c_uint64), ("for_fs", c_uint64))


class FaultOptions(Structure):
    """nsoc_faults_t"""

    _fields_ = (
        *((name, c_double) for name in ("loss", "burst_loss", "burst_frames", "corrupt", "wrong_bytes")),
        *((name, c_double) for name in ("duplicate", "reorder")),
        *((name, c_uint64) for name in ("hold_fs", "delay_fs", "jitter_fs", "drain_fs", "queue_bytes")),
        ("stalls", POINTER(Pause)),
        ("downs", POINTER(Pause)),
        *((name, c_uint32) for name in ("behind_frames", "stall_count", "down_count")),
    )


class Fate(Structure):
    """nsoc_fate_t"""

    _fields_ = (
        ("frame", c_uint64),
        *((name, c_uint32) for name in ("cable", "way", "fate", "behind")),
        ("jitter_fs", c_uint64),
        ("changes", c_uint32),
        ("places", c_uint32 * MOST_CHANGES),
        ("masks", c_uint8 * MOST_CHANGES),
    )


class Departure(Structure):
    """nsoc_departure_t"""

    _fields_ = (("not_before_fs", c_uint64), ("ifg", c_uint32), ("flags", c_uint32))


class StampsFs(Structure):
    """nsoc_stamps_t"""

    _fields_ = (("start_fs", c_uint64), ("end_fs", c_uint64))


class Arrival(Structure):
    """nsoc_arrival_t"""

    _fields_ = (
        ("start_fs", c_uint64),
        ("end_fs", c_uint64),
        ("bytes", c_uint32),
        ("gap", c_uint32),
        ("fcs_ok", c_uint32),
        ("error", c_uint32),
    )


FUNCTIONS: Functions = {
    "nsoc_network_abi_version": (c_uint32, {}),
    "nsoc_network_create": (c_void_p, {"seed": c_uint64}),
    "nsoc_network_destroy": (c_int, {"network": c_void_p}),
    "nsoc_network_error": (c_char_p, {"network": c_void_p}),
    "nsoc_network_log": (c_int, {"network": c_void_p}),
    "nsoc_network_fates": (c_int64, {"network": c_void_p, "fates": POINTER(Fate), "capacity": c_uint64}),
    "nsoc_network_replay": (c_int, {"network": c_void_p, "fates": POINTER(Fate), "count": c_uint64}),
    "nsoc_network_soc": (c_int64, {"network": c_void_p, "sim": c_void_p, "calls": SocCalls}),
    "nsoc_network_host": (c_int64, {"network": c_void_p}),
    "nsoc_network_tap": (c_int64, {"network": c_void_p, "descriptor": c_int}),
    "nsoc_network_switch": (
        c_int64,
        {"network": c_void_p, "ports": c_uint32, "latency_fs": c_uint64, "queue_bytes": c_uint64},
    ),
    "nsoc_network_cable": (
        c_int64,
        {
            "network": c_void_p,
            "a": c_uint64,
            "b": c_uint64,
            "delay_fs": c_uint64,
            "there": POINTER(FaultOptions),
            "back": POINTER(FaultOptions),
        },
    ),
    "nsoc_network_tap_cable": (c_int64, {"network": c_void_p, "cable": c_uint64}),
    "nsoc_network_least_delay": (c_int64, {"network": c_void_p, "a": c_uint64, "b": c_uint64}),
    "nsoc_network_run_to": (c_int, {"network": c_void_p, "time_fs": c_uint64}),
    "nsoc_network_work_to": (c_int, {"network": c_void_p, "time_fs": c_uint64}),
    "nsoc_network_pass_to": (c_int, {"network": c_void_p, "time_fs": c_uint64}),
    "nsoc_network_quiet_until_fs": (c_int64, {"network": c_void_p}),
    "nsoc_network_await": (
        c_int,
        {
            "network": c_void_p,
            "links": POINTER(c_uint64),
            "count": c_uint32,
            "time_fs": c_uint64,
            "slice_fs": c_uint64,
        },
    ),
    "nsoc_network_time_fs": (c_int64, {"network": c_void_p}),
    "nsoc_network_send": (
        c_int,
        {
            "network": c_void_p,
            "link": c_uint64,
            "data": c_char_p,
            "bytes": c_uint32,
            "departure": POINTER(Departure),
            "stamps": POINTER(StampsFs),
        },
    ),
    "nsoc_network_octet_fs": (c_int64, {"network": c_void_p, "link": c_uint64}),
    "nsoc_network_queued": (c_int64, {"network": c_void_p, "link": c_uint64}),
    "nsoc_network_pending": (c_int64, {"network": c_void_p, "link": c_uint64}),
    "nsoc_network_next": (c_int, {"network": c_void_p, "link": c_uint64, "arrival": POINTER(Arrival)}),
    "nsoc_network_take": (c_int, {"network": c_void_p, "link": c_uint64, "data": c_char_p, "capacity": c_uint64}),
    "nsoc_network_cable_counts": (
        c_int,
        {
            "network": c_void_p,
            "cable": c_uint64,
            "way": c_uint32,
            "values": POINTER(c_uint64),
            "capacity": c_uint32,
        },
    ),
    "nsoc_network_tap_counts": (
        c_int,
        {"network": c_void_p, "link": c_uint64, "values": POINTER(c_uint64), "capacity": c_uint32},
    ),
    "nsoc_network_switch_counts": (
        c_int,
        {"network": c_void_p, "link": c_uint64, "values": POINTER(c_uint64), "capacity": c_uint32},
    ),
}
"""What each function of the header returns and takes."""


class NetworkHandle(Handle):
    """A network behind the C interface."""

    def __init__(self, seed: int) -> None:
        super().__init__(_loaded(library()), FUNCTIONS, "nsoc_network_", "network", checked("seed", c_uint64, seed))


@functools.cache
def _loaded(path: Path) -> ctypes.CDLL:
    return load(path, FUNCTIONS, "nsoc_network_abi_version", build.ABI_VERSION)


def library() -> Path:
    """The shared library, built when it is not there yet. Raises NsocError when there is no compiler."""
    made = build.carried(KIND, LIBRARY, digest)
    if made is not None:
        return made
    includes = [f"-I{build.checkout() / 'sim' / 'network'}"]
    return shared_library.built(KIND, LIBRARY, _files(), includes, "the network", SECONDS)


def digest() -> str:
    """Of what the library is made of, whatever compiler makes it."""
    return build.content_hash(_files())


def _files() -> list[Path]:
    sim = build.checkout() / "sim"
    return [*(sim / "network").iterdir(), *sim.glob("*.h"), sim / "frame.cpp"]
