# SPDX-License-Identifier: Apache-2.0
"""Bytes that came ahead of others, until these have come."""


class Reassembly:
    """Pieces of a stream that do not touch. The first copy of a byte stays. Positions do not wrap."""

    def __init__(self) -> None:
        self._pieces: list[tuple[int, bytes]] = []
        """Sorted, apart from each other."""

    def __len__(self) -> int:
        return sum(len(data) for _, data in self._pieces)

    def add(self, position: int, data: bytes) -> None:
        """Keep what is not there yet."""
        kept: list[tuple[int, bytes]] = []
        for begin, old in self._pieces:
            end = begin + len(old)
            if end < position or position + len(data) < begin:
                kept.append((begin, old))
                continue
            if begin <= position:
                data, position = old + data[end - position :], begin
            else:
                data = data[: begin - position] + old + data[max(0, begin - position) + len(old) :]
        kept.append((position, data))
        self._pieces = sorted(kept)

    def take(self, position: int) -> bytes:
        """What goes on from `position` without a gap; what is before that is forgotten."""
        while self._pieces:
            begin, data = self._pieces[0]
            if begin > position:
                break
            self._pieces.pop(0)
            if begin + len(data) > position:
                return data[position - begin :]
        return b""
