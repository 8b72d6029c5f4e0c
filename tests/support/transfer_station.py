# SPDX-License-Identifier: Apache-2.0
"""The firmware's end of the transfer protocol, firmware/lib/transfer, compiled for this machine: see harness.c."""

import ctypes
import functools
import os
from dataclasses import dataclass
from pathlib import Path

import bench

from nsoc.machine.build import checkout

FOLDER = Path(__file__).with_name("transfer")
LIBRARY = checkout() / "firmware" / "lib"
US_WRAP = 1 << 32


def own_address(number: int) -> bytes:
    """02-00-00-00-xx-xx."""
    return b"\x02\0\0\0" + number.to_bytes(2, "big")


class _Ended(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("sender", "result", "total", "digest", "offset", "repeated")),
        ("name", ctypes.c_char * 256),
        ("failure", ctypes.c_char * 128),
    )


@dataclass(frozen=True)
class Ended:
    """What the station said of a transfer that has ended."""

    sender: bool
    result: int
    total: int
    digest: int
    offset: int
    repeated: int
    name: str
    failure: str


def build(sanitizers: str = "undefined") -> Path:
    """The library with the harness, built when a source has changed."""
    ours = sorted({*(LIBRARY / "transfer").glob("*.c")} - {LIBRARY / "transfer" / "console.c"})
    sources = [*ours, LIBRARY / "crc32.c", FOLDER / "harness.c"]
    headers = [*LIBRARY.glob("*.h"), *(LIBRARY / "transfer").glob("*.h"), FOLDER / "port.h", Path(__file__)]
    program = bench.BUILDS / f"transfer-{sanitizers.replace(',', '-')}" / "harness.so"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [
        "gcc", "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wcast-align", "-Werror", "-fPIC", "-shared",
        f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", f'-DTRANSFER_PORT="{FOLDER / "port.h"}"',
        f"-I{LIBRARY}", f"-I{LIBRARY / 'transfer'}", *map(str, sources), "-o", str(program),
    ]  # fmt: skip
    return bench.build_harness(program, [*sources, *headers], command)


@functools.cache
def _library() -> ctypes.CDLL:
    # TRANSFER_SANITIZERS=address,undefined wants libasan preloaded.
    library = ctypes.CDLL(str(build(os.environ.get("TRANSFER_SANITIZERS", "undefined"))))
    u32, handle, text = ctypes.c_uint32, ctypes.c_void_p, ctypes.c_char_p
    signatures: dict[str, tuple[object, tuple[object, ...]]] = {
        "new": (handle, (u32, u32, u32, u32, u32, u32, ctypes.c_bool, u32)),
        "delete": (None, (handle,)),
        "receive": (ctypes.c_bool, (handle, text, u32)),
        "run": (u32, (handle, u32, u32)),
        "take": (ctypes.c_int32, (handle, handle)),
        "put": (ctypes.c_bool, (handle, u32, u32, text)),
        "get": (ctypes.c_bool, (handle, u32, u32, text)),
        "serve": (None, (handle, u32, u32, text)),
        "memory": (handle, (handle,)),
        "open": (u32, (handle,)),
        "fail_copy": (None, (handle, u32)),
        "counter": (u32, (handle, u32)),
        "counters": (u32, (handle,)),
        "counter_text": (text, (handle, u32)),
        "ended": (ctypes.c_bool, (handle, ctypes.POINTER(_Ended))),
        "check": (text, (handle, ctypes.c_bool)),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, f"harness_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Station:
    """One, with an address, a memory of its own, and 64 buffers. Times are microseconds.

    `copy_polls`: a copy ends after 0 to this many looks for it. `peer`: it is a relay, and that is its peer for the
    published types.
    """

    def __init__(
        self,
        number: int = 2,
        *,
        boot: int = 77,
        memory_bytes: int = 8 << 20,
        give_up_us: int = 10_000_000,
        seed: int = 1,
        copy_polls: int = 0,
        peer: int | None = None,
    ) -> None:
        self.address = own_address(number)
        self.memory_bytes = memory_bytes
        self._library = _library()
        self._handle = self._library.harness_new(
            number, boot, memory_bytes, give_up_us, seed, copy_polls, peer is not None, peer or 0
        )
        self._frame = ctypes.create_string_buffer(2048)

    def close(self) -> None:
        """Frees it."""
        self._library.harness_delete(self._handle)
        self._handle = None

    def receive(self, frame: bytes) -> bool:
        """A frame comes, padded as on the line; False: there was no buffer, and it is lost."""
        frame = frame.ljust(60, b"\0")
        return bool(self._library.harness_receive(self._handle, frame, len(frame)))

    def run(self, now: float, polls: int = 4000) -> int:
        """Polls at that time, until there is nothing to do; how often there was something."""
        return int(self._library.harness_run(self._handle, int(now) % US_WRAP, polls))

    def take(self) -> list[bytes]:
        """The frames that went out."""
        frames = []
        while (length := self._library.harness_take(self._handle, self._frame)) != -1:
            assert length > 0, "a frame of a length that no frame has"
            frames.append(self._frame.raw[:length].ljust(60, b"\0"))
        return frames

    def put(self, to: int, name: str = "", through: int = 0) -> bool:
        """Opens a put."""
        return bool(self._library.harness_put(self._handle, to, through, name.encode()))

    def get(self, source: int, name: str = "", through: int = 0) -> bool:
        """Opens a get."""
        return bool(self._library.harness_get(self._handle, source, through, name.encode()))

    def serve(self, data: bytes, name: str = "", offset: int = 0) -> None:
        """Loads bytes into memory and serves them."""
        ctypes.memmove(self._library.harness_memory(self._handle) + offset, data, len(data))
        self._library.harness_serve(self._handle, offset, len(data), name.encode())

    def read(self, offset: int, count: int) -> bytes:
        """Bytes of its memory."""
        assert offset + count <= self.memory_bytes
        return ctypes.string_at(self._library.harness_memory(self._handle) + offset, count)

    @property
    def open(self) -> int:
        """Transfers under way."""
        return int(self._library.harness_open(self._handle))

    def fail_copy(self, which: int) -> None:
        """Memory will refuse that copy, counted from 1."""
        self._library.harness_fail_copy(self._handle, which)

    def counters(self) -> dict[str, int]:
        """Those that are not 0, by their text."""
        number = self._library.harness_counters(self._handle)
        texts = [self._library.harness_counter_text(self._handle, i).decode() for i in range(number)]
        values = [self._library.harness_counter(self._handle, i) for i in range(number)]
        return {text: value for text, value in zip(texts, values, strict=True) if value}

    def ended(self) -> list[Ended]:
        """Transfers that have ended since the last call."""
        raw, found = _Ended(), []
        while self._library.harness_ended(self._handle, ctypes.byref(raw)):
            found.append(
                Ended(
                    bool(raw.sender), raw.result, raw.total, raw.digest, raw.offset, raw.repeated,
                    raw.name.decode(errors="replace"), raw.failure.decode(),
                )
            )  # fmt: skip
        return found

    def check(self, at_rest: bool = True) -> None:
        """Nothing was written where nothing belongs; at rest, with all frames taken, every buffer is free."""
        error = self._library.harness_check(self._handle, at_rest).decode()
        assert not error, error
