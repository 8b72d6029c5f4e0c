# SPDX-License-Identifier: Apache-2.0
"""Whatever comes in whatever order: what must always hold, holds (Engine checks it after each event), and all ends.

A machine of Hypothesis gives commands, segments of any kind near the windows, errors and time to an engine with a
listener and connections of both kinds.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from runs import some
from tcp.engine import Engine
from tcp.events import Flag, Icmp, IcmpKind, Op, Send, Settings
from tcp.record import OPTIONS, WORD, State
from tcp.wire import build

OURS, THEIRS = bytes((10, 0, 0, 2)), bytes((10, 0, 0, 1))
PORT = 7
COUNT = 4
SETTINGS = Settings(
    least_rto_us=1000, delayed_ack_us=500, msl_ms=50, child_patience_s=2, syn_patience_s=4, fin_wait_2_ms=900
)
PORTS = st.integers(5000, 5002)
NEAR = st.one_of(
    st.integers(-3, 3),
    st.sampled_from((-70_000, -2048, 2047, 2048, 2049, 1000, 1460, 100_000)),
    st.integers(-3000, 3000),
)
FLAGS = st.one_of(
    st.sampled_from(
        (Flag.ACK, Flag.ACK, Flag.ACK | Flag.PSH, Flag.SYN, Flag.SYN | Flag.ACK, Flag.FIN | Flag.ACK, Flag.RST)
    ),
    st.integers(0, 63),
)


class Machine(RuleBasedStateMachine):
    """Record 0 listens, 1 opens, 2 and 3 are in the pool."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 5
        self.engine = Engine(OURS, COUNT, settings=SETTINGS, isn=lambda ends: WORD - 5 + ends[1][1] - 5000)
        for index in range(COUNT):
            self.engine.setup(index, 0, 0, self.now, pooled=index > 1)
        self.engine.listen(0, PORT, 2, self.now)

    def near(self, port: int) -> tuple[int, int]:
        """The numbers that this connection is at: theirs, ours."""
        index = self.engine.table.get(((OURS, PORT), (THEIRS, port)))
        if index is None:
            return 2**31, WORD - 5
        r = self.engine.records[index]
        return r.rcv_nxt, r.una

    @rule(
        port=PORTS,
        flags=FLAGS,
        at=NEAR,
        ack=NEAR,
        data=st.integers(0, 1500),
        window=st.sampled_from((0, 1, 700, 5000, 65535)),
        urgent=st.sampled_from((0, 1, 9)),
        stamp=st.one_of(st.none(), st.integers(-5, 5)),
        sack=st.lists(st.tuples(NEAR, st.integers(-10, 2000)), max_size=2),
        syn_options=st.booleans(),
    )
    def segment(
        self,
        port: int,
        flags: int,
        at: int,
        ack: int,
        data: int,
        window: int,
        urgent: int,
        stamp: int | None,
        sack: list[tuple[int, int]],
        syn_options: bool,
    ) -> None:
        seq, una = self.near(port)
        blocks = tuple(((una + begin) % WORD, (una + begin + length) % WORD) for begin, length in sack)
        of = syn_options and bool(flags & Flag.SYN)
        number = (self.now >> 10) + 1000 + (stamp or 0)
        seg = Send(
            (seq + at) % WORD,
            (una + ack) % WORD,
            flags,
            window,
            0,
            data,
            urgent,
            1000 if of else None,
            2 if of else None,
            of,
            None if stamp is None else (number % WORD, 0),
            () if of else blocks,
        )
        self.engine.take(THEIRS, build(seg, (THEIRS, port), (OURS, PORT), bytes(data)), self.now)

    @rule(port=PORTS, count=st.integers(1, 1460), late=st.booleans())
    def good_segment(self, port: int, count: int, late: bool) -> None:
        """One that goes on, and acknowledges all."""
        index = self.engine.table.get(((OURS, PORT), (THEIRS, port)))
        if index is None:
            seg = Send(77, 0, Flag.SYN, 30_000, mss=1000, sack_permitted=True)
            count = 0
        else:
            r = self.engine.records[index]
            stamp = (((self.now >> 10) + 1000) % WORD, 0) if r.ts_ok else None
            if r.state == State.SYN_SENT:
                seg, count = Send(900, r.max, Flag.SYN | Flag.ACK, 30_000, mss=700), 0
            else:
                seq = (r.rcv_nxt + 300 * late) % WORD
                seg = Send(seq, r.max, Flag.ACK, 30_000, length=count, stamp=stamp)
        self.engine.take(THEIRS, build(seg, (THEIRS, port), (OURS, PORT), bytes(count)), self.now)

    @rule(port=PORTS)
    def open(self, port: int) -> None:
        self.engine.open(1, PORT, (THEIRS, port), self.now)

    @rule(index=st.integers(0, COUNT - 1), op=st.sampled_from((Op.ACCEPT, Op.SHUTDOWN, Op.CLOSE, Op.ABORT, Op.RELEASE)))
    def command(self, index: int, op: Op) -> None:
        if index:
            self.engine.command(index, op, self.now)

    @rule(index=st.integers(1, COUNT - 1), op=st.sampled_from((Op.SEND, Op.READ)), position=st.integers(0, 5000))
    def position(self, index: int, op: Op, position: int) -> None:
        self.engine.command(index, op, self.now, position, position & 1)

    @rule(index=st.integers(1, COUNT - 1), count=st.integers(1, 3000))
    def give_and_take(self, index: int, count: int) -> None:
        self.engine.send(index, bytes(count), self.now)
        self.engine.receive(index, count, self.now)

    @rule(
        index=st.integers(0, COUNT - 1),
        which=st.integers(0, len(OPTIONS)),
        value=st.sampled_from((0, 1, 5, 600, 70_000)),
    )
    def option(self, index: int, which: int, value: int) -> None:
        if which < len(OPTIONS) and OPTIONS[which] == "patience" and not value:
            return  # for ever is not what the end of this test wants
        self.engine.command(index, Op.OPTION, self.now, which, value)

    @rule(port=PORTS, kind=st.sampled_from(IcmpKind), at=NEAR, mtu=st.sampled_from((0, 60, 600, 1500)))
    def error(self, port: int, kind: IcmpKind, at: int, mtu: int) -> None:
        _, una = self.near(port)
        self.engine.icmp(((OURS, PORT), (THEIRS, port)), Icmp(kind, (una + at) % WORD, 0x33, mtu), self.now)

    @rule(us=st.sampled_from((1, 100, 1000, 10_000, 1_000_000)), poll=st.booleans())
    def time(self, us: int, poll: bool) -> None:
        self.now += us
        if poll:
            self.drain()

    def drain(self) -> None:
        for _ in range(300):
            if self.engine.poll(self.now) is None:
                return
        raise AssertionError("it sends without end")

    @invariant()
    def whoever_is_found_is_there(self) -> None:
        engine = self.engine
        assert set(engine.pool).isdisjoint(engine.table.values())
        for ends, index in engine.table.items():
            assert engine.tuples[index] == ends and engine.records[index].state not in (State.CLOSED, State.LISTEN)
        for index in engine.pool:
            assert engine.records[index].state == State.CLOSED and not engine.records[index].owned
        counted = sum(one.counted and one.parent == 0 for one in engine.records)
        assert engine.records[0].children == counted
        assert set(engine.deadlines) <= set(engine.table.values())

    def teardown(self) -> None:
        """All that is left is closed and forgotten: no record is lost."""
        engine = self.engine
        for index in range(COUNT):
            engine.command(index, Op.CLOSE, self.now)
        for _ in range(2000):
            self.drain()
            if engine.deadline is None:
                break
            self.now = max(self.now, engine.deadline)
        for index in (1, 2, 3, 0):  # a listener after its children
            engine.command(index, Op.RELEASE, self.now)
        assert not engine.table and not engine.listeners and not engine.deadlines and not engine.scheduled
        assert sorted(engine.pool) == [2, 3]
        assert all(one.state == State.CLOSED and not one.owned and not one.children for one in engine.records)


@pytest.mark.parametrize("examples", some((60,), (1500,)))
def test_what_must_hold_holds_whatever_comes(examples: int) -> None:
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=60,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
