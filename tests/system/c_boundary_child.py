# SPDX-License-Identifier: Apache-2.0
"""`python c_boundary_child.py PRESET SEED CALLS`: calls everything in the simulator's C interface in random order with
random arguments, in and out of range, and prints what came of it as JSON. What test_c_boundary.py starts.

Buffers are as long as the call is told, with a wall behind them; whatever else a caller can get wrong comes.
"""

import ctypes
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nsoc.machine import build, c_library, firmware, presets, sim
from nsoc.machine.soc import boot_config

BUFFER_BYTES = 1 << 17
WALL = bytes(range(0x40, 0x80))
MOST_HANDLES = 3
BOOT, FRAMES = 60_000, 3
"""When frames come: the firmware is up by then."""
LONG = 2000
"""Cycles or instructions that a call may let pass: more would only take longer."""

ADDRESSES = (0, 0xFFFF, 0x10000, 0x4000_0000, 0x4FFF_FFFF, 0x5000_0000, 0x5003_FFF0, 0xFF00_0000, 2**36, 2**64 - 1)
NUMBERS = (0, 1, 2, 3, 4, 31, 60, 64, 255, 256, 1514, 0x7B1, 0x300, 0xB00, 0x1000, 0x1005, 0x101F, 65535, 65536,
           2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1)  # fmt: skip

POINTED, COUNTS = ("data", "values", "events", "octets"), ("bytes", "capacity", "count")
"""Parameters that point to many, and how many."""
SPARED = {"nsoc_create": 0.7, "nsoc_destroy": 0.7, "nsoc_plug": 0.9}
"""Calls that are not made as often as others: after them much is over for a handle."""


class Caller:
    """Draws arguments, makes calls, counts how they went."""

    def __init__(self, preset_name: str, seed: int) -> None:
        self.rng = random.Random(f"{preset_name}/{seed}")
        self.preset = presets.load(preset_name)
        self.lib: Any = sim._library(build.simulator(self.preset))
        self.image = firmware.segments(firmware.build_for(self.preset))
        self.buffer = ctypes.create_string_buffer(BUFFER_BYTES + len(WALL))
        self.handles: list[int] = []
        self.dead: list[int] = []
        self.names: list[bytes] = []
        self.folder = tempfile.TemporaryDirectory()
        self.files = [self.folder.name.encode() + b"/w.fst", b"/nowhere/w.fst", b"", b"\xff\xfe"]
        self.went: dict[str, dict[str, int]] = {name: {"did": 0, "failed": 0} for name in sim.FUNCTIONS}
        self.boot()

    def boot(self) -> None:
        """A handle that runs real firmware, so that there is something to get in the way of."""
        handle = self.lib.nsoc_create(ctypes.byref(boot_config(self.preset, self.rng.randrange(2**64))))
        for segment in self.image:
            assert self.lib.nsoc_load(handle, segment.address, segment.data, len(segment.data)) == 0
        for _ in range(FRAMES):
            assert self.lib.nsoc_send(handle, bytes(60), 60, sim.SendOptions(BOOT, 12, 7, 0xD5, 0, -1, -1)) >= 0
        assert self.lib.nsoc_run(handle, sim.StopConditions(2 * BOOT, FRAMES, -1, 0, 0, None)) > 0, "no frame came back"
        self.handles.append(handle)
        self.names = self.lib.nsoc_probes(handle).split()

    def number(self, kind: Any, name: str) -> int:
        least, most = c_library.INTEGERS[kind]
        if name == "time_fs":  # not long before all time has passed
            return self.rng.choice((0, self.rng.randrange(LONG) * 8_000_000, 2**62 + 1, most))
        if name in ("max_cycles", "instructions"):
            return self.rng.choice((0, 1, self.rng.randrange(LONG), self.rng.randrange(LONG), 2**62, most))
        pools: list[Callable[[], int]] = [
            lambda: self.rng.choice(NUMBERS), lambda: self.rng.choice(NUMBERS[:16]), lambda: -self.rng.randrange(3),
            lambda: self.rng.choice(ADDRESSES) + self.rng.randrange(-8, 64), lambda: self.rng.getrandbits(64),
        ]  # fmt: skip
        usual: dict[str, Callable[[], int]] = {
            "core": lambda: 0,
            "bytes": lambda: self.rng.choice((1, 2, 4)),
            "address": lambda: self.rng.choice(ADDRESSES) + 4 * self.rng.randrange(16),
        }
        if name in usual:
            pools = [usual[name], usual[name], *pools]
        return min(most, max(least, self.rng.choice(pools)()))

    def structure(self, kind: Any) -> Any:
        if kind is sim.Config:
            config = boot_config(self.preset, 1)
            for name, field in kind._fields_:
                if self.rng.random() < 0.1:
                    setattr(config, name, self.number(field, name))
            return config
        if kind is sim.SendOptions and self.rng.random() < 0.5:
            return kind(0, 12, 7, 0xD5, self.rng.randrange(8), -1, -1)
        if kind is sim.StopConditions and self.rng.random() < 0.5:
            return kind(self.rng.randrange(LONG), 0, -1, 0, 0, None)
        made = kind()
        for name, field in kind._fields_:
            text = self.rng.choice((None, b"", b"ready\n", b"\xff" * 300))
            setattr(made, name, text if field is ctypes.c_char_p else self.number(field, name))
        return made

    def handle(self) -> int | None:
        wrong = [None, self.rng.getrandbits(47), *self.dead[-3:]]
        return self.rng.choice(wrong) if self.rng.random() < 0.08 else self.rng.choice(self.handles)

    def arguments(self, name: str) -> list[Any]:
        made: list[Any] = []
        room: int | None = None  # bytes behind the last pointer, None when it is a null pointer
        item = 1
        for parameter, kind in sim.FUNCTIONS[name][1].items():
            if kind is ctypes.c_void_p:
                made.append(self.handle())
            elif parameter in POINTED:
                item = 1 if kind is ctypes.c_char_p else ctypes.sizeof(kind._type_)
                room = None if self.rng.random() < 0.1 else BUFFER_BYTES // item
                made.append(None if room is None else ctypes.cast(self.buffer, kind))
            elif parameter in COUNTS and room is not None:
                count = min(room, abs(self.number(kind, parameter)))
                made.append(count)
                self.buffer[count * item : count * item + len(WALL)] = WALL
            elif kind is ctypes.c_char_p:
                known = [*self.names, b"counters"] if parameter == "name" else self.files
                made.append(self.rng.choice([*known, None, b"", b"\xff" * 200]))
            elif hasattr(kind, "_type_") and not isinstance(kind._type_, str):
                pointed = kind._type_
                value = self.structure(pointed) if issubclass(pointed, ctypes.Structure) else pointed()
                made.append(None if self.rng.random() < 0.1 else ctypes.pointer(value))
            else:
                made.append(self.number(kind, parameter))
        return made

    def call(self) -> None:
        name = self.rng.choice(list(sim.FUNCTIONS))
        if self.rng.random() < SPARED.get(name, 0):
            return
        given = self.arguments(name)
        has_handle = next(iter(sim.FUNCTIONS[name][1]), "") == "sim"
        valid = has_handle and given[0] in self.handles
        named = dict(zip(sim.FUNCTIONS[name][1], given, strict=True))
        count = next((named[name] for name in COUNTS if name in named), None)
        result = getattr(self.lib, name)(*given)
        failed = result is None or (isinstance(result, int) and result < 0)
        self.went[name]["failed" if failed else "did"] += 1
        if failed and name != "nsoc_error":
            said = self.lib.nsoc_error(given[0] if has_handle else None)
            assert said, f"{name} failed without a sentence"
        if has_handle and not valid and name != "nsoc_error":
            assert failed, f"{name} did something without a handle"
        pointer = next((k for p, k in sim.FUNCTIONS[name][1].items() if p in POINTED), None)
        if pointer is not None and count is not None:
            item = 1 if pointer is ctypes.c_char_p else ctypes.sizeof(pointer._type_)
            if count * item <= BUFFER_BYTES and not any(g is None for g in given):
                wall = self.buffer[count * item : count * item + len(WALL)]
                assert wall == WALL, f"{name} wrote behind the end of what it was given"
        if name == "nsoc_create" and result:
            self.handles.append(result)
        if name == "nsoc_destroy" and not failed:
            self.handles.remove(given[0])
            self.dead.append(given[0])
        if len(self.handles) > MOST_HANDLES:
            assert self.lib.nsoc_destroy(self.handles[0]) == 0
            self.dead.append(self.handles.pop(0))
        if not self.handles:
            self.boot()
        self.dead = [handle for handle in self.dead if handle not in self.handles]  # addresses come again


def main() -> None:
    caller = Caller(sys.argv[1], int(sys.argv[2]))
    for _ in range(int(sys.argv[3])):
        caller.call()
    for handle in caller.handles:
        assert caller.lib.nsoc_destroy(handle) == 0
    print(json.dumps(caller.went))


if __name__ == "__main__":
    assert Path(sim.__file__).exists()
    main()
