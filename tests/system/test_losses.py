# SPDX-License-Identifier: Apache-2.0
"""Soc.losses: each loss by its cause, and what the processor reads in the registers.

A field of `regs/` that counts losses is provoked here, or ELSEWHERE says what provokes it.
"""

from collections.abc import Callable

import pytest
from lost_frames import dropped, syn, to_group
from net_frames import datagram as udp_frame
from net_frames import resolve

import nsoc
from nsoc.machine import devices, memory_map

ENGINE = {
    "rx_drop_filtered", "toe.net_rx_drop_port", "toe.net_rx_drop_ip_sum", "toe.net_rx_drop_sum",
    "toe.segment_drop_offset", "toe.tcp_drop_no_connection", "toe.net_rx_drop_length", "toe.net_rx_drop_address",
    "toe.net_rx_drop_group", "toe.segment_drop_short", "toe.net_tx_drop_unresolved", "toe_udp.drop_full",
}  # fmt: skip
"""Provoked on a SoC with an engine."""
CORE = "the core's verdict about a segment: tests/unit/tcp/test_tcp_core.py has each of them in its log"
MEMORY = "the engine's memory refuses nothing in a SoC: tests/unit/tcp/test_toe_udp.py and test_tcp_rings.py"
ROOM = "the engine is faster than the line: tests/unit/tcp/test_tcp_rx.py and tests/unit/net bring them more"
DIRECT = "of direct cache access, which no preset with the ring has: tests/unit/tcp/test_toe_udp.py"
SENDER = "the firmware sends what it may: tests/unit/net/test_net_transmit.py and tests/unit/tcp/test_toe_udp.py do not"
ELSEWHERE = {
    **dict.fromkeys(
        (f"toe.tcp_drop_{cause}" for cause in (
            "listen_refused", "listen_full", "out_of_window", "old_stamp", "no_stamp", "bad_ack", "bad_reset",
            "syn_in_connection", "no_ack", "no_gap", "duplicate", "deaf", "small_mss",
        )), CORE,
    ),
    **dict.fromkeys(("toe.tcp_fetch_error", "toe.tcp_place_error", "toe_udp.drop_memory", "toe_udp.send_memory_error"),
                    MEMORY),
    **dict.fromkeys(("toe.segment_drop_room", "toe.net_rx_drop_busy", "toe_udp.drop_room"), ROOM),
    **dict.fromkeys(("toe_udp.drop_share", "toe_udp.drop_slots"), DIRECT),
    **dict.fromkeys(("toe.net_tx_drop_length", "toe.net_tx_drop_bad", "toe.net_tx_cut_bad", "toe.net_tx_drop_disabled",
                     "toe_udp.send_refused"), SENDER),
    "toe.segment_drop_sum": "net has dropped it by then (net_rx_drop_sum): tests/unit/tcp/test_tcp_rx.py",
    "toe.net_rx_drop_bad": "the MAC has dropped it by then: tests/unit/net/test_net_receive.py",
    "toe.net_rx_drop_protocol": "the firmware has other protocols itself: tests/unit/net/test_net_receive.py",
    "tx_drop_oversize": "the NIC gives the MAC no frame that is too long: tests/unit/mac/test_mac_transmit.py",
    "tx_drop_underrun": "the NIC promises only what its memory keeps: tests/unit/nic/test_nic_time.py",
}  # fmt: skip


def registers_of(soc: nsoc.Soc) -> dict[str, int]:
    """All registers that count losses, as the processor reads them."""
    places = {place.name.removeprefix("nic."): place.address for place in devices.places() if place.register.loss}
    debugger = soc.debugger()
    return {name: debugger.load(address, 4) for name, address in places.items() if name in soc.losses}


def changes(soc: nsoc.Soc, was: dict[str, int]) -> dict[str, int]:
    """The losses that are not what they were, and by how much."""
    return {name: count - was[name] for name, count in soc.losses.items() if count != was[name]}


def place_of(register: str) -> int:
    return next(place.address for place in devices.places() if place.name == register)


@pytest.mark.slow
def test_each_block_of_a_soc_with_an_engine_tells_what_it_drops() -> None:
    provoked = set[str]()
    with nsoc.Soc("toe") as soc:
        soc.run(us=20_000, text="ready")
        assert set(soc.losses) >= {"rx_drop_fcs", "toe.net_tx_drop_unresolved", "toe_udp.drop_full"}
        before = soc.losses
        assert not any(before.values()), before
        for half in ("low", "high"):  # the MAC takes each group
            soc.debugger().store(place_of(f"nic.multicast_hash_{half}"), 4, 0xFFFF_FFFF)
        soc.wire.send(resolve())
        soc.run(us=60)
        for cause, frame in {**dropped(), "toe.net_rx_drop_group": to_group("224.0.0.77")}.items():
            was = soc.losses
            soc.wire.send(frame)
            soc.run(us=60)
            changed = changes(soc, was)
            assert changed == {cause: 1}, (cause, changed)
            provoked.add(cause)
        # A reset to somebody who does not answer ARP.
        soc.wire.send(syn("10.0.0.77"))
        soc.run(us=8_000_000)
        assert soc.losses["toe.net_tx_drop_unresolved"] >= 1
        provoked.add("toe.net_tx_drop_unresolved")
        for _ in range(1500):  # the ring of UDP, faster than the firmware takes them
            soc.wire.send(udp_frame(7, bytes(18)))
        soc.run(us=2000)
        assert soc.losses["toe_udp.drop_full"] > 0, soc.losses
        provoked.add("toe_udp.drop_full")
        assert provoked == ENGINE
        losses = soc.losses
        assert registers_of(soc) == losses


class Parked:
    """A SoC whose processor does nothing any more: the test uses its NIC by registers."""

    PACKETS, NOWHERE = memory_map.PACKET_MEMORY_BASE, 0x7000_0000
    TOP = PACKETS + memory_map.PACKET_MEMORY_BYTES

    def __init__(self, soc: nsoc.Soc) -> None:
        self.soc = soc
        soc.run(us=20_000, text="ready")
        debugger = soc.debugger()
        debugger.halt()
        debugger.set_csr(0x304, 0)  # mie
        debugger.write(debugger.pc, 0x0000_006F.to_bytes(4, "little"))  # j .
        self.write("rx_patience", 10)

    def read(self, name: str) -> int:
        return self.soc.debugger().load(self._address(name), 4)

    def write(self, name: str, value: int) -> None:
        self.soc.debugger().store(self._address(name), 4, value)

    @staticmethod
    def _address(name: str) -> int:
        return place_of(f"nic.{name}")

    def drain(self) -> None:
        """No buffer is free, none waits; the NIC gives back the one that it holds when it stops."""
        control = self.read("control")
        self.write("control", control & ~1)
        self.soc.run(us=20)
        for queue in ("freeq", "rxq0"):
            while self.read(f"{queue}.occupancy"):
                self.read(f"{queue}.pointer")
        self.write("control", control)

    def receive(self, frame: bytes = bytes(100), buffer: int | None = None, **how: bool | int) -> None:
        if buffer is not None:
            self.write("freeq.pointer", buffer)
            self.soc.run(us=5)
        self.soc.wire.send(frame, **how)
        self.soc.run(us=30)

    def transmit(self, length: int = 60, *, request: int = 0, buffer: int = PACKETS) -> None:
        if buffer < self.TOP:
            self.soc.load(buffer, (request << 24 | length).to_bytes(8, "big"))
        self.write("txq0.pointer", buffer)
        self.soc.run(us=30)

    # ---- Provocations of one cause each; the short ones stand in PROVOKED --------------------------------------------

    def disabled(self) -> None:
        control = self.read("control")
        self.write("control", control & ~2)
        self.receive()
        self.write("control", control)

    def filtered(self) -> None:
        control = self.read("mac_control")
        self.write("mac_control", control & ~8)
        self.receive(bytes.fromhex("020000000099") + bytes(60))
        self.write("mac_control", control)

    def too_long(self) -> None:
        self.write("buffer_size", 128)
        self.receive(bytes(200), self.PACKETS)
        self.write("buffer_size", 2048)

    def no_server(self) -> None:
        enabled = self.read("servers_enabled")
        self.write("servers_enabled", 0)
        self.receive(buffer=self.PACKETS)
        self.write("servers_enabled", enabled)

    def overflow(self) -> None:
        """More than the MAC's FIFO holds, while the NIC is patient; then there are buffers again.

        Patience that has run out comes back with a buffer.
        """
        self.write("rx_patience", 0xFF_FFFF)
        self.receive(buffer=self.PACKETS)
        for _ in range(40):
            self.soc.wire.send(bytes(1500))
        self.soc.run(us=600)
        for index in range(32):
            self.write("freeq.pointer", self.PACKETS + 2048 * index)
        self.soc.run(us=300)
        self.write("rx_patience", 10)

    def stamps(self) -> None:
        """One more than there is room for; then they are read."""
        for _ in range(17):
            self.transmit(request=1)
        while self.read("tx_stamp") >> 31:
            pass


PROVOKED: dict[str, Callable[[Parked], None]] = {
    "rx_drop_fcs": lambda parked: parked.receive(bad_fcs=True),
    "rx_drop_runt": lambda parked: parked.receive(bytes(40), pad=False),
    "rx_drop_oversize": lambda parked: parked.receive(bytes(1600)),
    "rx_drop_error": lambda parked: parked.receive(error_at=70),
    "rx_drop_overflow": Parked.overflow,
    "rx_drop_disabled": Parked.disabled,
    "rx_drop_too_long": Parked.too_long,
    "rx_drop_memory_error": lambda parked: parked.receive(buffer=Parked.NOWHERE),
    "rx_drop_filtered": Parked.filtered,
    "rx_drop_no_buffer": Parked.receive,
    "rx_drop_no_server": Parked.no_server,
    "tx_drop_bad_length": lambda parked: parked.transmit(5),
    "tx_drop_memory_error": lambda parked: parked.transmit(buffer=Parked.NOWHERE),
    "tx_drop_abort": lambda parked: parked.transmit(1500, buffer=Parked.TOP - 512),
    "tx_stamp_lost": Parked.stamps,
    "tx_sum_unfit": lambda parked: parked.transmit(request=4),
}
"""The losses of NIC and MAC, and what provokes each."""


@pytest.mark.slow
def test_each_loss_of_nic_and_mac_is_counted_by_its_cause() -> None:
    with nsoc.Soc("nic12-net", "forward") as soc:
        parked = Parked(soc)
        for name, provoke in PROVOKED.items():
            parked.drain()
            was = soc.losses
            provoke(parked)
            changed = changes(soc, was)
            assert set(changed) == {name}, (name, changed)
            assert changed[name] == 1 or name == "rx_drop_overflow", changed
        assert registers_of(soc) == soc.losses


def test_each_field_that_counts_losses_is_provoked_or_says_why_not() -> None:
    fields = {place.name.removeprefix("nic.") for place in devices.places() if place.register.loss}
    provoked = ENGINE | PROVOKED.keys()
    assert not provoked & set(ELSEWHERE)
    assert fields == provoked | set(ELSEWHERE)
