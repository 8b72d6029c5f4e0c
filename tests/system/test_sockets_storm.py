# SPDX-License-Identifier: Apache-2.0
"""Sockets of four threads on the SoC over a bad line: every byte comes back right.

NSOC_EXCHANGES says how many messages the long test sends, each way its share; all 100,000 take forty minutes.
"""

import os
import random
from dataclasses import dataclass, field

import pytest
from runs import some

from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer, Settings
from nsoc.network.inet.peer import Stream, Udp
from nsoc.network.network import Network

SOC = "10.0.0.2"
MS, S = 1e3, 1e6
BAD = Faults(loss=0.2, duplicate=0.05, reorder=0.1, corrupt=0.05)
LEAST_RTO_US = 2 * MS
STREAM_PORTS = (7, 8, 8, 8)
DATAGRAM_PORTS = (7, 8)
UNDER_WAY = 12
"""Messages of a connection that have not come back."""
AGAIN_US = 5 * MS
"""A datagram that has not come back is sent again."""
QUIET_US = 200 * S
"""Nothing may stand still for so long."""
LONGEST = 1000
EXCHANGES = int(os.environ.get("NSOC_EXCHANGES", "100000"))


def message(rng: random.Random, number: int) -> bytes:
    return number.to_bytes(4, "big") + rng.randbytes(rng.choice((0, 1, 27, 28, 60, rng.randrange(LONGEST))))


@dataclass
class Talk:
    """Over a connection: what comes back is a stream, so messages are told apart by what is awaited."""

    stream: Stream
    rng: random.Random
    number: int = 0
    done: int = 0
    awaited: bytearray = field(default_factory=bytearray)
    ends: list[int] = field(default_factory=list)
    came: int = 0
    sent: int = 0

    def go_on(self, _now: float, more: bool) -> None:
        assert not self.stream.failure, self.stream.failure
        got = self.stream.receive()
        assert got == self.awaited[: len(got)], f"what came back from byte {self.came} on"
        del self.awaited[: len(got)]
        self.came += len(got)
        while self.ends and self.ends[0] <= self.came:
            self.ends.pop(0)
            self.done += 1
        while more and len(self.ends) < UNDER_WAY:
            data = message(self.rng, self.number)
            self.number += 1
            self.stream.send(data)
            self.sent += len(data)
            self.awaited += data
            self.ends.append(self.sent)

    @property
    def idle(self) -> bool:
        return not self.ends


@dataclass
class Calls:
    """By datagrams: each is sent again until it has come back."""

    udp: Udp
    port: int
    rng: random.Random
    number: int = 0
    done: int = 0
    under_way: dict[int, tuple[bytes, float]] = field(default_factory=dict)

    def go_on(self, now: float, more: bool) -> None:
        while self.udp.pending and (got := self.udp.receive(0)):
            number = int.from_bytes(got.data[:4], "big")
            assert number < self.number, "of a message that was never sent"
            asked = self.under_way.pop(number, None)  # it may come twice
            if asked is not None:
                assert got.data == asked[0]
                self.done += 1
        for number, (data, when) in list(self.under_way.items()):
            if now - when >= AGAIN_US:
                self._send(number, data, now)
        while more and len(self.under_way) < UNDER_WAY:
            self._send(self.number, message(self.rng, self.number), now)
            self.number += 1

    def _send(self, number: int, data: bytes, now: float) -> None:
        self.udp.send(data, SOC, self.port)
        self.under_way[number] = data, now

    @property
    def idle(self) -> bool:
        return not self.under_way


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "exchanges"), some([("toe", 600)], [("toe", EXCHANGES), ("ajit-toe", 600)]))
def test_every_byte_of_four_threads_comes_back_right_over_a_bad_line(preset: str, exchanges: int) -> None:
    source = checkout() / "tests" / "support" / "sockets_storm.c"
    system = presets.load(preset)
    symbols = {**system.firmware_defines(), "TOE_LEAST_RTO_US": f"{LEAST_RTO_US:.0f}u"}
    elf = firmware.compile_program("storm", [source], symbols, flags=["-Werror"], arch=system.core)
    with Network(1) as network:
        soc = network.soc(system, str(elf))
        peer = Peer(network, settings=Settings(least_rto_us=LEAST_RTO_US, timestamps=True))
        network.cable(peer.host, soc, faults=BAD)
        assert network.run(20 * MS, until=lambda: "ready" in soc.uart.text)
        ways: list[Talk | Calls] = [
            Talk(peer.connect(SOC, port, timeout_us=100 * S), random.Random(n)) for n, port in enumerate(STREAM_PORTS)
        ]
        ways += [Calls(peer.udp(), port, random.Random(port)) for port in DATAGRAM_PORTS]
        before, looked = -1, peer.now

        def over() -> bool:
            nonlocal before, looked
            done = sum(way.done for way in ways)
            for way in ways:
                way.go_on(peer.now, way.number * len(ways) < exchanges)
            if peer.now - looked > QUIET_US:
                assert done != before, f"nothing has come back: {[way.done for way in ways]}"
                before, looked = done, peer.now
            return all(way.idle for way in ways)

        assert peer.run(1e4 * S, until=over, every_us=AGAIN_US / 2)
        print(f"{peer.now / S:.1f} s simulated, {[way.done for way in ways]} messages")
        assert all(way.done * len(ways) >= exchanges for way in ways)
        for way in ways:
            if isinstance(way, Talk):
                way.stream.finish()
                assert way.stream.read_all(100 * S) == b""
        assert soc.uart.text == "ready\n"
