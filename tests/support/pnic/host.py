# SPDX-License-Identifier: Apache-2.0
"""The host: sim/pnic/host_model.h, and its ports at an assist."""

import ctypes
import functools
import re
from pathlib import Path

from bench import BUILDS, CXX, ROOT, RTL, build_harness
from net_hw import Layout

TAG_W = int(re.findall(r"TAG_W += (\d+);", (RTL / "pnic" / "pnic_pkg.sv").read_text(encoding="utf-8"))[0])
READ = Layout(valid=1, tag=TAG_W, address=64, bytes=9)
ANSWER = Layout(valid=1, tag=TAG_W, last=1, error=1, data=128)
WRITE = Layout(valid=1, first=1, last=1, address=64, bytes=9, data=128)
BURST, PAGE = 256, 4096
COUNTS = ("reads", "read_bytes", "refused_reads", "writes", "write_bytes", "refused_writes", "most_reads")
US = 1_000_000_000
"""A microsecond in fs."""


@functools.cache
def library() -> ctypes.CDLL:
    source, header = Path(__file__).with_name("host_model.cpp"), ROOT / "sim" / "pnic" / "host_model.h"
    made = BUILDS / "pnic_host_model" / "host_model.so"
    flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    build_harness(made, [source, header], [CXX, *flags, str(source), "-o", str(made)])
    loaded = ctypes.CDLL(str(made))
    loaded.host_new.restype = ctypes.c_void_p
    loaded.host_edge.restype = ctypes.c_uint32
    return loaded


class Host:
    """A memory from `base` on, and the way to it. Times in fs."""

    def __init__(self, *, base: int = 0x1_2340_0000, size: int = 1 << 20, latency: int = US, jitter: int = 0,
                 any_order: bool = False, bits_per_s: int = 0, seed: int = 1) -> None:  # fmt: skip
        self.base, self.size, self.library = base, size, library()
        number = ctypes.c_uint64
        self.model = ctypes.c_void_p(self.library.host_new(
            number(base), number(size), number(latency), number(jitter), any_order, number(bits_per_s), number(seed)
        ))  # fmt: skip
        self.beat = (ctypes.c_uint32 * 4)()
        self.write_ready = True
        self.writes: list[tuple[int, int]] = []
        """Address and bytes of each request."""
        self.at = 0
        self.bytes_moved = 0

    def __del__(self) -> None:
        self.library.host_delete(self.model)

    def reset(self) -> None:
        self.library.host_reset(self.model)

    def fill(self, address: int, data: bytes) -> None:
        assert self.library.host_write_memory(self.model, ctypes.c_uint64(address), data, ctypes.c_uint64(len(data)))

    def bytes_at(self, address: int, count: int) -> bytes:
        data = ctypes.create_string_buffer(count)
        assert self.library.host_read_memory(self.model, ctypes.c_uint64(address), data, ctypes.c_uint64(count))
        return data.raw

    @property
    def counts(self) -> dict[str, int]:
        values = (ctypes.c_uint64 * len(COUNTS))()
        self.library.host_counts(self.model, values)
        return dict(zip(COUNTS, values, strict=True))

    def read(self, now: int, request: int) -> None:
        """As host_read says, taken in the cycle before `now`."""
        asked = READ.unpack(request)
        assert 1 <= asked["bytes"] <= BURST
        assert asked["address"] % PAGE + asked["bytes"] <= PAGE, "a request crosses a page"
        self.library.host_read(self.model, ctypes.c_uint64(now), asked["tag"], ctypes.c_uint64(asked["address"]),
                               asked["bytes"])  # fmt: skip

    def write(self, now: int, request: int) -> None:
        """A beat that was taken in the cycle before `now`."""
        beat = WRITE.unpack(request)
        if beat["first"]:
            assert self.at == 0, "the write before is not whole"
            assert 1 <= beat["bytes"] <= BURST and beat["address"] % PAGE + beat["bytes"] <= PAGE
            self.writes.append((beat["address"], beat["bytes"]))
        assert (beat["address"], beat["bytes"]) == self.writes[-1], "in all beats of a request"
        self.at += 16
        assert bool(beat["last"]) == (self.at >= beat["bytes"])
        if beat["last"]:
            self.at = 0
            self.bytes_moved += beat["bytes"]
        for i in range(4):
            self.beat[i] = beat["data"] >> 32 * i & 0xFFFF_FFFF
        self.library.host_write(self.model, ctypes.c_uint64(now), beat["first"], ctypes.c_uint64(beat["address"]),
                                beat["bytes"], self.beat)  # fmt: skip

    def edge(self, now: int) -> int:
        """host_answer of the cycle that begins."""
        said = self.library.host_edge(self.model, ctypes.c_uint64(now), self.beat)
        self.write_ready = bool(said >> 31)
        if not said & 1:
            return 0
        data = sum(self.beat[i] << 32 * i for i in range(4))
        return ANSWER.pack(valid=1, tag=said >> 8 & 0xFF, last=said >> 1 & 1, error=said >> 2 & 1, data=data)
