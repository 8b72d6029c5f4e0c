# SPDX-License-Identifier: Apache-2.0
"""Where a sender's bytes come from and where a receiver's bytes go: memory, or files that need not fit into it."""

import errno
import os
from pathlib import Path
from typing import Protocol

from nsoc.transfer.message import PACKET_BYTES


class Source(Protocol):
    """What a sender reads, any packet at any time."""

    @property
    def total(self) -> int:
        """Bytes in all."""

    def read(self, number: int) -> bytes:
        """Packet `number`: 1480 bytes, the last one the rest. Raises OSError when it cannot be read."""


class Store(Protocol):
    """What a receiver writes. All of it raises OSError when it cannot be done."""

    def write(self, offset: int, payload: bytes) -> None:
        """Store bytes at that offset of the transfer."""

    def finish(self) -> None:
        """All has arrived, with the right digest."""

    def discard(self) -> None:
        """The transfer has failed."""


class MemorySource:
    """Bytes in memory; they are not copied as a whole."""

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self._data = memoryview(data).cast("B")
        self.total = len(self._data)

    def read(self, number: int) -> bytes:
        """See `Source`."""
        return bytes(self._data[number * PACKET_BYTES : (number + 1) * PACKET_BYTES])


class FileSource:
    """A file, read as it is sent."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.total = os.fstat(self._file.fileno()).st_size

    def read(self, number: int) -> bytes:
        """See `Source`. A file that has become shorter is an OSError."""
        offset = number * PACKET_BYTES
        size = min(PACKET_BYTES, self.total - offset)
        payload = os.pread(self._file.fileno(), size, offset)
        if len(payload) < size:
            raise OSError("the file has become shorter")
        return payload

    def close(self) -> None:
        """Nothing more is read."""
        self._file.close()


class MemoryStore:
    """Keeps the transfer in memory, in `data`."""

    def __init__(self, total: int) -> None:
        try:
            self.data = bytearray(total)
        except MemoryError as error:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)) from error

    def write(self, offset: int, payload: bytes) -> None:
        """See `Store`."""
        self.data[offset : offset + len(payload)] = payload

    def finish(self) -> None:
        """See `Store`."""

    def discard(self) -> None:
        """See `Store`."""
        self.data = bytearray()


class FileStore:
    """A file that has its name when it is whole. Until then it is PATH.part, which goes when the transfer fails."""

    def __init__(self, path: Path, total: int) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._file = self._part.open("wb")
        try:
            self._file.truncate(total)
        except OSError:
            self.discard()
            raise

    def write(self, offset: int, payload: bytes) -> None:
        """See `Store`."""
        view = memoryview(payload)
        while view:  # a disk that becomes full takes a part first
            written = os.pwrite(self._file.fileno(), view, offset)
            view, offset = view[written:], offset + written

    def finish(self) -> None:
        """See `Store`."""
        self._file.close()
        self._part.replace(self._path)

    def discard(self) -> None:
        """See `Store`."""
        self._file.close()
        self._part.unlink(missing_ok=True)
