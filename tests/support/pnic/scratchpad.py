# SPDX-License-Identifier: Apache-2.0
"""The scratchpad as pnic_pkg describes it: requests, what each does in one step, and masters with stalls."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from random import Random

from net_hw import Layout

WORDS, ROW, FIRST_FLAGS, FLAGS = 1 << 16, 32, 16, 512
REQUEST = Layout(valid=1, op=4, address=16, mask=4, data=32)
RESPONSE = Layout(ready=1, valid=1, data=32)
ALL = (1 << 32) - 1


class Op(IntEnum):
    """pad_op_t."""

    LOAD, STORE, LR, SC, SET, UPDATE, SWAP, ADD, XOR, OR, AND, MIN, MAX, MINU, MAXU = range(15)


@dataclass(frozen=True)
class Request:
    op: Op
    address: int
    data: int = 0
    mask: int = 0xF


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


AMO = {
    Op.SWAP: lambda old, new: new,
    Op.ADD: lambda old, new: old + new & ALL,
    Op.XOR: lambda old, new: old ^ new,
    Op.OR: lambda old, new: old | new,
    Op.AND: lambda old, new: old & new,
    Op.MIN: lambda old, new: min(old, new, key=_signed),
    Op.MAX: lambda old, new: max(old, new, key=_signed),
    Op.MINU: min,
    Op.MAXU: max,
}


@dataclass
class Scratchpad:
    """Words that were never written are unknown: nobody may read them."""

    words: dict[int, int] = field(default_factory=dict)
    reserved: dict[int, int] = field(default_factory=dict)
    """By master."""

    def _write(self, address: int, value: int) -> None:
        self.words[address] = value
        self.reserved = {master: at for master, at in self.reserved.items() if at != address}

    def do(self, master: int, request: Request) -> int | None:
        """The answer; None: anything."""
        at, data = request.address, request.data
        row = at - at % ROW
        match request.op:
            case Op.STORE:
                keep = sum(0xFF << 8 * i for i in range(4) if not request.mask >> i & 1)
                self._write(at, self.words[at] & keep | data & ~keep)
                return None
            case Op.LR:
                self.reserved[master] = at
                return self.words[at]
            case Op.SC:
                if self.reserved.get(master) != at:
                    return 1
                self._write(at, data)
                return 0
            case Op.SET:
                flags = row + FIRST_FLAGS + data % FLAGS // 32
                old = self.words[flags]
                self._write(flags, old | 1 << data % 32)
                return old
            case Op.UPDATE:
                position = self.words[row]
                flags = row + FIRST_FLAGS + position % FLAGS // 32
                end = position
                while self.words[flags] >> end % 32 & 1:
                    self._write(flags, self.words[flags] & ~(1 << end % 32))
                    end += 1
                    if end % 32 == 0:
                        break
                self._write(flags, self.words[flags])
                self._write(row, end & ALL)
                return end & ALL
            case Op.LOAD:
                return self.words[at]
        old = self.words[at]
        self._write(at, AMO[request.op](old, data))
        return old


@dataclass
class Master:
    """Shows its requests one after the other, with pauses, and collects the answers."""

    requests: deque[Request]
    rng: Random
    pause: float
    shown: Request | None = None
    waits: bool = False
    """For the answer to an update."""
    since: int = 0
    longest: int = 0
    """Cycles for which a request was shown."""

    def show(self, cycle: int) -> int:
        """The request's bits in this cycle."""
        if self.shown is None and self.requests and not self.waits and self.rng.random() >= self.pause:
            self.shown, self.since = self.requests.popleft(), cycle
        if self.shown is None:
            return REQUEST.pack(op=self.rng.randrange(15), address=self.rng.getrandbits(16))
        one = self.shown
        return REQUEST.pack(valid=1, op=one.op, address=one.address, mask=one.mask, data=one.data)

    def granted(self, cycle: int) -> Request:
        one, self.shown = self.shown, None
        assert one is not None, "a grant for nothing"
        self.waits = one.op == Op.UPDATE
        self.longest = max(self.longest, cycle - self.since + 1)
        return one

    @property
    def done(self) -> bool:
        return not self.requests and self.shown is None and not self.waits


def joined(parts: Iterable[int], width: int) -> int:
    """A packed array, the first part in the lowest bits."""
    return sum(part << width * i for i, part in enumerate(parts))
