# SPDX-License-Identifier: Apache-2.0
"""A host with a programmable NIC on its bus: a driver in Python, and the cable.

The driver is as small as one can be: rings of descriptors in the host's memory, their counts in the NIC's mailbox, an
interrupt when something is done (firmware/pnic/lib/assists.h says what all that looks like). Bulk traffic, whose driver
has to keep up with 10 Gb/s, is `traffic`: that driver is in C++.
"""

import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import memory_map, presets
from nsoc.machine.presets import Preset
from nsoc.pnic import firmware as firmware_
from nsoc.pnic import nic
from nsoc.pnic.firmware import Order
from nsoc.pnic.nic import SHOWN, Found, pad_address, setup_of, slot_bytes
from nsoc.pnic.simulator import Simulator
from nsoc.renamed import old_names

FS_PER_US, PS_PER_US = 10**9, 10**6
ENTRIES = 1024
"""Of each ring: TX_RING and RX_RING of firmware/pnic/lib/assists.h."""
DESCRIPTOR_BYTES, COMPLETION_BYTES = 16, 8
HEADER_BYTES = 42
"""Of a frame's first descriptor, where it has two; less where that is over half of it."""
CONTROL = 0x60000
"""Of the NIC, as the host sees it."""
CORES_RUN, SEEN = 1, 2
"""Bits of it: the cores run; the interrupt has been seen."""
TX_POSTED, RX_POSTED = 0, 4
"""In the mailbox: counts of descriptors. Where the rings are stands behind them already."""
ETHERNET_HEADER_BYTES, FCS_BYTES = 14, 4
READY, BOOT_US = "go", 100
"""Variable of the firmware that says that the assists are awake: what came before was dropped. It takes some 10 us."""
MOST_US = 1e6
"""Of simulated time, in one call."""


@dataclass(frozen=True, slots=True)
class Received:
    """A frame that the NIC has sent."""

    data: bytes
    """Destination address to payload (with padding), without FCS."""
    end_ps: int
    """When its last byte left, since the cores began to run."""
    fcs_ok: bool
    """Its FCS is right."""


@public
class Cable:
    """The other end of the NIC's line. `send` only queues: simulated time passes in PnicHost.run() and in receive()."""

    def __init__(self, host: "PnicHost", simulator: Simulator) -> None:
        self._host = host
        self._simulator = simulator
        self._taken = 0

    def send(self, frame: bytes, *, bad_fcs: bool = False) -> None:
        """Queues a frame, destination address to payload, to go to the NIC after those already queued."""
        self._simulator.comes(frame, bad_fcs=bad_fcs)

    def receive(self, timeout_us: float = 1000.0) -> Received | None:
        """The oldest frame that waits; when none does, simulates until one comes, at most `timeout_us`."""
        if not self._host.run_until(lambda: self.pending > 0, timeout_us):
            return None
        time, good, data = self._simulator.left()
        self._taken += 1
        return Received(data, round(self._host.us_of(time) * PS_PER_US), good)

    @property
    def pending(self) -> int:
        """Frames that wait."""
        return self._host.frames_sent - self._taken


@public
class PnicHost:
    """One host with one NIC, whose firmware is ready for frames.

    - `preset`: a name (pnic-rice, pnic-rice-lock), the path of a TOML file, or a Preset, of a programmable NIC
    - `firmware`: a program of firmware/pnic/apps, or None for the preset's own
    - `seed`: draws the phases of all clocks; the same preset, firmware, seed and calls give the same cycles
    - `max_frame`: the longest frame there will be, with FCS; beyond 2048 its buffers are 16 KB
    - `order`: lock, amo or set-update, or None for the preset's
    - `defines`: preprocessor symbols for the firmware

        with nsoc.PnicHost("pnic-rice") as host:
            host.send(frame)
            print(host.wire.receive().data)
            host.wire.send(frame)
            print(host.receive())

    The first use of a number of cores and banks builds a simulator, which takes a minute or two. It and every call
    raise NsocError for what the user can mend, and when a core has trapped.
    """

    def __init__(
        self,
        preset: str | os.PathLike[str] | Preset = "pnic-rice",
        firmware: str | None = None,
        seed: int = 1,
        *,
        max_frame: int = 1518,
        order: str | None = None,
        defines: Mapping[str, int] | None = None,
    ) -> None:
        found = preset if isinstance(preset, Preset) else presets.load(preset)
        self.setup = setup_of(found)
        if firmware is not None:
            self.setup = replace(self.setup, program=firmware)
        if order is not None:
            self.setup = replace(self.setup, order=Order.of(order))
        least, most = nic.LENGTHS
        if not least <= max_frame <= most:
            raise NsocError(f"the longest frame has {least} to {most} bytes, not {max_frame}")
        self.max_frame = max_frame
        self.seed = seed
        self._defines = defines
        self.elf = nic.firmware_of(self.setup, max_frame, defines)
        self._symbols = firmware_.symbols(self.elf)
        self._slot = slot_bytes(max_frame)
        self.simulator = Simulator(self.setup, self.elf, max_frame, seed)
        self.wire: Cable = Cable(self, self.simulator)
        """The other end of the NIC's line."""
        self.too_long: int = 0
        """Received frames that were longer than a buffer: they are lost."""
        self._given = self._tx_posted = self._rx_posted = self._delivered = 0
        self._answered = 0  # interrupts, of those that the simulator has counted
        self._received: deque[bytes] = deque()
        try:
            self._places = self.simulator.places()
            self._began = self._now = self.simulator.run(0)
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        self._post_buffers()
        self.simulator.put(CONTROL, CORES_RUN)
        self._began = self._now = self.simulator.run(0)
        while not self.variable(READY):
            if self.time_us > BOOT_US:
                raise NsocError(f"the program {self.setup.program} has not woken its assists in {BOOT_US} us")
            self.run(1)

    def __enter__(self) -> "PnicHost":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the simulation."""
        self.simulator.close()

    # ---- Time

    @property
    def time_us(self) -> float:
        """Simulated time since the cores began to run."""
        return self.us_of(self._now.fs)

    def us_of(self, fs: int) -> float:
        """The same, of a time of the simulator's."""
        return (fs - self._began.fs) / FS_PER_US

    @property
    def core_cycles(self) -> int:
        """Cycles of the cores' clock since then."""
        return self._now.core_cycles - self._began.core_cycles

    @property
    def frames_sent(self) -> int:
        """That have left the NIC, good or not."""
        return self._now.left

    @property
    def interrupts(self) -> int:
        """That the NIC has raised."""
        return self._now.interrupts

    def run(self, us: float) -> None:
        """Lets simulated time pass; the driver answers interrupts meanwhile."""
        self.run_until(lambda: False, us)

    def run_until(self, done: Callable[[], bool], us: float) -> bool:
        """The same, and no longer than until `done` says so; returns what it said last.

        It is asked at first, behind each interrupt and behind each frame that has left the NIC.
        """
        if not 0 <= us <= MOST_US:
            raise NsocError(f"time passes by 0 to {MOST_US:g} us, not {us:g}")
        end = self._now.fs + round(us * FS_PER_US)
        self._collect()
        while not done() and self._now.fs < end:
            # One that has come during an access is answered as well.
            if self._now.interrupts == self._answered:
                self._now = self.simulator.run(end - self._now.fs, "if")
            if self._now.interrupts != self._answered:
                self._answered = self._now.interrupts
                self._put(CONTROL, CORES_RUN | SEEN)
            self._collect()
            for core, pc, cause in self.simulator.traps():
                raise NsocError(f"core {core} has trapped at 0x{pc:x}, mcause {cause}")
        return done()

    # ---- The driver

    def send(self, frame: bytes) -> None:
        """Gives the NIC a frame, destination address to payload. Raises NsocError when the ring is full."""
        most = self.max_frame - FCS_BYTES
        if not ETHERNET_HEADER_BYTES <= len(frame) <= most:
            raise NsocError(
                f"a frame of {len(frame)} bytes cannot be sent, only {ETHERNET_HEADER_BYTES} to {most}; "
                "PnicHost(max_frame=...) says more"
            )
        if self.under_way >= ENTRIES // self.setup.pieces - 1:
            raise NsocError(f"the ring is full: {self.under_way} frames wait; let time pass with run()")
        at = self._places.tx_buffers + self._given % ENTRIES * self._slot
        self.simulator.poke(at, frame)
        # With two descriptors both have something in them.
        first = len(frame) if self.setup.pieces == 1 else min(HEADER_BYTES, len(frame) // 2)
        for offset, length in ((0, first), (first, len(frame) - first)):
            if length:
                self._descriptor(self._places.tx_ring, self._tx_posted, at + offset, length)
                self._tx_posted += 1
        self._given += 1
        self._put(self._mailbox + TX_POSTED, self._tx_posted)

    @property
    def under_way(self) -> int:
        """Frames given to send() that the NIC has not reported as sent."""
        done = int.from_bytes(self.simulator.peek(self._places.tx_done, 4), "little")
        return (self._given - done) & 0xFFFF_FFFF

    def receive(self, timeout_us: float = 1000.0) -> bytes | None:
        """The oldest frame that the NIC has delivered, without FCS. None when none came.

        When there is none, simulates until one comes, at most `timeout_us`.
        """
        return self._received.popleft() if self.run_until(lambda: bool(self._received), timeout_us) else None

    @property
    def pending(self) -> int:
        """Frames that wait for receive()."""
        return len(self._received)

    @property
    def counters(self) -> dict[str, int]:
        """Ends of frames at the MAC, and counters of the assists as firmware has shown them last, by name."""
        shown = self._symbols["shown"]
        assists = {name: self._get(pad_address(shown) + 4 * i) for i, name in enumerate(SHOWN)}
        return self.simulator.ends() | assists

    def traffic(
        self, bytes_: int = 1518, *, send: int = 100, receive: int = 100, warm_us: int = 900, us: int = 300
    ) -> Found:
        """Frames of one length in both directions at once, by a driver in C++, on another NIC that has just started.

        What it has done between `warm_us` and `us` later. `send`, `receive`: percent of the line. Every byte is looked
        at, and every frame accounted for (nsoc.pnic.nic.run).
        """
        return nic.run(
            self.setup, bytes_, send=send, receive=receive, warm_us=warm_us, window_us=us, seed=self.seed,
            defines=self._defines,
        )  # fmt: skip

    # ---- Its memory, and the NIC's

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the host's memory, where the NIC's DMA reads and writes."""
        return self.simulator.peek(address, length)

    def write(self, address: int, data: bytes) -> None:
        """Writes them."""
        self.simulator.poke(address, data)

    def variable(self, name: str, index: int = 0) -> int:
        """A word of the firmware's variable `name` in the scratchpad, by the host's port: simulated time passes."""
        return self._get(self._address(name) + 4 * index)

    def set_variable(self, name: str, value: int, index: int = 0) -> None:
        """Writes it."""
        self._put(self._address(name) + 4 * index, value)

    def _address(self, name: str) -> int:
        address = self._symbols.get(name)
        if address is None or address - pad_address(address) != memory_map.PACKET_MEMORY_BASE:
            raise NsocError(f"the program {self.setup.program} has no variable {name!r} in the scratchpad")
        return pad_address(address)

    # ---- Inside

    def _get(self, address: int) -> int:
        """A word of the NIC. The host waits for it, so time passes, and frames and interrupts may come."""
        value = self.simulator.get(address)
        self._now = self.simulator.run(0)
        return value

    def _put(self, address: int, value: int) -> None:
        self.simulator.put(address, value)
        self._now = self.simulator.run(0)

    @property
    def _mailbox(self) -> int:
        return pad_address(self._symbols["mailbox"])

    def _descriptor(self, ring: int, count: int, address: int, length: int) -> None:
        words = (address & 0xFFFF_FFFF, address >> 32, 0, length)
        data = b"".join(word.to_bytes(4, "little") for word in words)
        self.simulator.poke(ring + count % ENTRIES * DESCRIPTOR_BYTES, data)

    def _post_buffers(self) -> None:
        while self._rx_posted < self._delivered + ENTRIES:
            buffer = self._places.rx_buffers + self._rx_posted % ENTRIES * self._slot
            self._descriptor(self._places.rx_ring, self._rx_posted, buffer, self._slot)
            self._rx_posted += 1
        self._put(self._mailbox + RX_POSTED, self._rx_posted)

    def _collect(self) -> None:
        """Takes what has been delivered, and posts its buffers again."""
        before = self._delivered
        while True:
            at = self._places.rx_done + self._delivered % ENTRIES * COMPLETION_BYTES
            completion = self.simulator.peek(at, COMPLETION_BYTES)
            if int.from_bytes(completion[:4], "little") != (self._delivered + 1) & 0xFFFF_FFFF:
                break
            length = int.from_bytes(completion[4:], "little")
            buffer = self._places.rx_buffers + self._delivered % ENTRIES * self._slot
            if length:
                self._received.append(self.simulator.peek(buffer, length))
            self.too_long += not length
            self._delivered += 1
        if self._delivered != before:
            self._post_buffers()


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, {"Host": "nsoc.PnicHost"})
