# SPDX-License-Identifier: Apache-2.0
"""A peer of an Engine whose every segment the test writes; Scapy makes and reads them.

Positions are counted from the first byte of each side; SYNs stand at -1.
"""

from dataclasses import dataclass, field
from typing import Any

from scapy.layers.inet import IP, TCP

from tcp.engine import Engine, Logged
from tcp.events import Answer, Notify, Op, Settings
from tcp.record import WORD, Record, State

OURS, THEIRS = "10.0.0.2", "10.0.0.1"
PORT, THEIR_PORT = 7, 5000
OUR_ISN, THEIR_ISN = 2**32 - 300, 2**32 - 2000
MSS = 1000
LOCAL = Settings(least_rto_us=1000, delayed_ack_us=40_000, scale=False, stamps=False, sack=False)


@dataclass(frozen=True)
class Heard:
    """A segment of the engine's."""

    at: int
    ack: int
    flags: str
    window: int
    data: bytes
    urgent: int
    options: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Of its SACK option, as positions."""
        ends = [_near(number - THEIR_ISN - 1) for number in self.options.get("SAck", ())]
        return list(zip(ends[::2], ends[1::2], strict=True))


def _near(number: int) -> int:
    return (number + WORD // 2) % WORD - WORD // 2


def read(raw: bytes, source: str = OURS, destination: str = THEIRS) -> Any:
    """The TCP layer; its sum must be right."""
    layer = TCP(raw)
    again = IP(bytes(IP(src=source, dst=destination, proto=6) / _without_sum(raw)))[TCP]
    assert again.chksum == layer.chksum, "the sum is wrong"
    return layer


def _without_sum(raw: bytes) -> Any:
    layer = TCP(raw)
    del layer.chksum
    return layer


class ScapyPeer:
    """Connects at once, unless `opened` is false. `engine_opens`: which side does."""

    def __init__(
        self,
        *,
        settings: Settings = LOCAL,
        rings: tuple[int, int] = (3, 3),
        window: int = 60_000,
        mss: int | None = MSS,
        options: tuple[Any, ...] = (),
        engine_opens: bool = False,
        opened: bool = True,
        backlog: int = 3,
    ) -> None:
        self.now = 1_000_000
        self.window = window
        self.log: list[Logged] = []
        self.engine = Engine(_packed(OURS), 6, settings=settings, isn=lambda ends: OUR_ISN, log=self.log)
        self.index = 0 if engine_opens else 1
        self.options = ([] if mss is None else [("MSS", mss)]) + list(options)
        for index in range(6):
            self.engine.setup(index, *rings, self.now, pooled=index not in (0, 5))
        if not engine_opens:
            assert self.engine.listen(0, PORT, backlog, self.now) == Answer.DONE
        if not opened:
            return
        if engine_opens:
            assert self.open() == Answer.DONE
            assert [one.flags for one in self.heard()] == ["S"]
            self.say("SA", -1, options=self.options)
            self.heard()
        else:
            self.say("S", -1, options=self.options)
            (self.answer,) = self.heard()
            self.say("A")
            self.command(Op.ACCEPT)
        assert self.state == State.ESTABLISHED

    def open(self) -> Answer:
        return self.engine.open(0, PORT, (_packed(THEIRS), THEIR_PORT), self.now)

    @property
    def record(self) -> Record:
        return self.engine.records[self.index]

    @property
    def state(self) -> State:
        return State(self.record.state)

    def command(self, op: Op, a: int = 0, b: int = 0) -> Answer:
        return self.engine.command(self.index, op, self.now, a, b)

    def give(self, data: bytes | int, *, urgent: bool = False) -> None:
        """To the engine, to be sent."""
        data = bytes(data) if isinstance(data, int) else data
        assert self.engine.send(self.index, data, self.now, urgent=urgent) == len(data)

    def taken(self, most: int = 1 << 20) -> bytes:
        """What the engine's processor reads."""
        return self.engine.receive(self.index, most, self.now)

    def told(self) -> Notify:
        return self.engine.events(self.index)

    def say(
        self,
        flags: str = "A",
        at: int = 0,
        ack: int = 0,
        data: bytes = b"",
        *,
        window: int | None = None,
        options: Any = (),
        port: int = THEIR_PORT,
        to: int = PORT,
        source: str = THEIRS,
        **fields: Any,
    ) -> None:
        """A segment to the engine."""
        if "S" in flags and not options:
            options = self.options
        layer = TCP(
            sport=port,
            dport=to,
            seq=(THEIR_ISN + 1 + at) % WORD,
            ack=(OUR_ISN + 1 + ack) % WORD if "A" in flags else 0,
            flags=flags,
            window=self.window if window is None else window,
            options=list(options),
            **fields,
        )
        self.raw(bytes(IP(src=source, dst=OURS) / layer / data)[20:], source)

    def raw(self, data: bytes, source: str = THEIRS) -> None:
        self.engine.take(_packed(source), data, self.now)

    def heard(self) -> list[Heard]:
        """What the engine sends now."""
        found = []
        while (one := self.engine.poll(self.now)) is not None:
            layer = read(one[1], destination=".".join(map(str, one[0])))
            data = bytes(layer.payload)
            found.append(
                Heard(
                    _near(layer.seq - OUR_ISN - 1),
                    _near(layer.ack - THEIR_ISN - 1),
                    str(layer.flags),
                    layer.window,
                    data,
                    layer.urgptr,
                    {name: value for name, value in layer.options if name != "NOP"},
                    one[1],
                )
            )
        return found

    def places(self) -> list[tuple[int, int]]:
        """Begin and length of what the engine sends now."""
        return [(one.at, len(one.data)) for one in self.heard()]

    def wait(self, us: int) -> list[tuple[int, Heard]]:
        """What the engine sends in that time, and when, counted from now."""
        begin, found = self.now, []
        while True:
            found += [(self.now - begin, one) for one in self.heard()]
            at = self.engine.deadline
            if at is None or at > begin + us:
                break
            assert at > self.now, "a deadline that stays in the past"
            self.now = at
        self.now = begin + us
        return found

    def next_deadline(self) -> list[Heard]:
        """Time passes up to it."""
        assert self.engine.deadline is not None
        self.now = self.engine.deadline
        return self.heard()


def _packed(address: str) -> bytes:
    return bytes(map(int, address.split(".")))
