# SPDX-License-Identifier: Apache-2.0
"""`python network_boundary_child.py SEED CALLS`: calls everything in the network's C interface in random order with
random arguments, in and out of range, and prints what came of it as JSON. What test_c_boundary.py starts.

Buffers are as long as the call is told; SoCs do not take part.
"""

import ctypes
import json
import random
import sys
from typing import Any

from nsoc.network import network_library
from nsoc.network.network_library import FUNCTIONS, Departure, Fate, FaultOptions, Pause

NUMBERS = (0, 1, 2, 3, 7, 12, 60, 255, 65535, 65536, 2**20, 500_000_000, 2**31 - 1, 2**32 - 1, 2**62, 2**63, 2**64 - 1)
BUFFER_BYTES = 1 << 17
MOST_FATES = 16000
FILLED_BYTES = 200
LONG_FS = 20_000_000_000
SPARED = {
    f"nsoc_network_{name}": share
    for name, share in {"create": 0.9, "destroy": 0.8, "switch": 0.6, "replay": 0.5, "log": 0.5, "fates": 0.5}.items()
}
"""Calls that are not made as often as others: after them much is over, or most links are no hosts."""


def main() -> None:
    rng = random.Random(sys.argv[1])
    lib: Any = network_library._loaded(network_library.library())
    networks = [lib.nsoc_network_create(1)]
    buffer = ctypes.create_string_buffer(BUFFER_BYTES)
    went = {name: {"did": 0, "failed": 0} for name in FUNCTIONS}

    fates = (Fate * MOST_FATES)()
    pauses = (Pause * 3)((10**9, 10**8), (2 * 10**9, 5), (10**10, 10**9))

    def faults(wild: bool) -> FaultOptions:
        made = FaultOptions(burst_frames=2.0, behind_frames=3, hold_fs=10**9, queue_bytes=5000)
        for name, kind in FaultOptions._fields_:
            if rng.random() < (0.1 if wild else 0.3) and (wild or name != "burst_frames"):
                if kind is ctypes.c_double:
                    setattr(made, name, rng.choice((0.1, 0.3, *([1.0, -1.0, 2.0, float("nan")] if wild else []))))
                elif kind is ctypes.c_uint64:
                    setattr(made, name, rng.choice(NUMBERS) if wild else rng.randrange(10**6, 10**7))
        if rng.random() < 0.3:
            made.stalls = made.downs = pauses
            made.stall_count = made.down_count = rng.randrange(4)
        if wild and rng.random() < 0.2:
            made.stalls, made.stall_count = None, rng.randrange(2)
        return made

    def sensible(name: str, kind: Any) -> Any:
        """A value that may well work, or None."""
        return {
            "ports": rng.randrange(2, 4), "a": rng.randrange(8), "b": rng.randrange(8), "link": rng.randrange(6),
            "cable": rng.randrange(3), "delay_fs": 10**9, "fates": fates, "count": 3,
            "there": ctypes.pointer(faults(False)), "back": ctypes.pointer(faults(False)),
            "departure": ctypes.pointer(Departure(0, 12, 4)), "bytes": rng.randrange(1, 1514), "capacity": 2000,
            "way": 0, "latency_fs": 10**9, "queue_bytes": 10**5,
        }.get(name)  # fmt: skip

    def argument(name: str, kind: Any, wild: bool) -> Any:
        if not wild and (value := sensible(name, kind)) is not None:
            return value
        if name == "network":
            return rng.choice([None, rng.getrandbits(47)]) if rng.random() < 0.05 else rng.choice(networks)
        if name == "time_fs":
            now = lib.nsoc_network_time_fs(networks[-1])
            return rng.choice((0, now, *[now + rng.randrange(LONG_FS) for _ in range(5)], 2**62 + 1, 2**64 - 1))
        if name in ("a", "b", "link", "cable") and kind is ctypes.c_uint64:
            return rng.choice((rng.randrange(12), 2**31, 2**64 - 1))
        if kind is ctypes.c_int:
            return -1  # no descriptor of this process
        if name in ("bytes", "capacity", "count"):
            return rng.choice((0, 1, 2, 60, 61, 1514, MOST_FATES))
        if kind in (ctypes.c_uint32, ctypes.c_uint64):
            return rng.choice(NUMBERS) % 2 ** (8 * ctypes.sizeof(kind))
        if rng.random() < 0.05 or kind is network_library.SocCalls:
            return None
        if kind is ctypes.POINTER(FaultOptions):
            return ctypes.pointer(faults(True))
        if kind is ctypes.POINTER(Fate):
            ctypes.memmove(fates, rng.randbytes(FILLED_BYTES), FILLED_BYTES)
            return fates
        if kind is ctypes.POINTER(Departure):
            return ctypes.pointer(Departure(rng.choice((0, *NUMBERS)), rng.choice(NUMBERS[:12]), rng.randrange(9)))
        return ctypes.cast(buffer, kind)

    for _ in range(int(sys.argv[2])):
        name = rng.choice(list(FUNCTIONS))
        if rng.random() < SPARED.get(name, 0):
            continue
        wild = rng.random() < 0.4
        given = [argument(*parameter, wild) for parameter in FUNCTIONS[name][1].items()]
        valid = bool(given) and given[0] in networks
        result = getattr(lib, name)(*given)
        failed = result is None or (isinstance(result, int) and result < 0)
        went[name]["failed" if failed else "did"] += 1
        if failed:
            assert lib.nsoc_network_error(given[0] if valid else None), f"{name} failed without a sentence"
        if name == "nsoc_network_create":
            networks.append(result)
        if name == "nsoc_network_destroy" and not failed:
            networks.remove(given[0])
        if len(networks) > 3:
            assert lib.nsoc_network_destroy(networks.pop(0)) == 0
        if not networks:
            networks.append(lib.nsoc_network_create(2))
    for network in networks:
        assert lib.nsoc_network_destroy(network) == 0
    print(json.dumps(went))


if __name__ == "__main__":
    main()
