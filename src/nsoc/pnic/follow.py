# SPDX-License-Identifier: Apache-2.0
"""`nsoc trace --preset pnic-rice`: where each frame is at each time, and which core has worked on it.

A frame's way is cut into stages without a gap or an overlap. Of one that is sent:

    descriptor   the driver writes the mailbox ... its descriptors are in the scratchpad
    command      ... a core has written the DMA commands for it; that core's number is told
    DMA read     ... all of it is in the frame memory: it waited for commands before it, and for the host's memory
    hand over    ... pnic_mac_send fetches its descriptor: a core has moved the tail over it
    MAC send     ... its preamble is on the line
    line (out)   ... to the last FCS byte
    report       ... the count of sent frames that the host gets has passed it

Of one that is received:

    line (in)    preamble to last FCS byte
    MAC receive  ... its descriptor is in the scratchpad, and all of it in the frame memory
    command      ... a core has written the DMA command for it; that core's number is told
    DMA write    ... all of it is in the host's buffer
    completion   ... the host has its completion
    driver       ... the driver has found it

Each moment is an access that the hardware does: of a ring in the scratchpad, whose place says which frame it is, of a
buffer of the host, or of the line.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from nsoc.network.ethernet import IFG_BYTES
from nsoc.pnic import firmware, nic
from nsoc.pnic.nic import Found, Places, Setup, pad_address
from nsoc.pnic.trace import Access, Answered, Came, Delivered, Left, Posted, Read, Trace, Written
from nsoc.trace.frames import Busy

FS_PER_NS = 10**6
PREAMBLE_BYTES = 8
FS_PER_BYTE = 800_000
"""At 10 Gb/s."""
HOST_RING, DMA_RING, SEND_RING, RECEIVE_RING = 1024, 512, 512, 1024
"""Entries: of the host's rings; READ_RING and WRITE_RING, TX_SLOTS, RX_ENTRIES of firmware/pnic/lib/run.h."""
DESCRIPTOR_BYTES, COMPLETION_BYTES = 16, 8
DMA_WORDS, MAC_WORDS = 4, 2
"""Of a descriptor in the scratchpad: dma_t and mac_t of firmware/pnic/lib/assists.h."""


APART_NS = 20_000
"""From one frame to the next, so far that each is alone."""


class Stage(StrEnum):
    """Where a frame is, in the order of its way; see above."""

    DESCRIPTOR = "descriptor"
    LINE_IN = "line (in)"
    MAC_RECEIVE = "MAC receive"
    COMMAND = "command"
    DMA_READ = "DMA read"
    HAND_OVER = "hand over"
    MAC_SEND = "MAC send"
    LINE_OUT = "line (out)"
    REPORT = "report"
    DMA_WRITE = "DMA write"
    COMPLETION = "completion"
    DRIVER = "driver"


SEND = (
    Stage.DESCRIPTOR, Stage.COMMAND, Stage.DMA_READ, Stage.HAND_OVER, Stage.MAC_SEND, Stage.LINE_OUT, Stage.REPORT,
)  # fmt: skip
RECEIVE = (Stage.LINE_IN, Stage.MAC_RECEIVE, Stage.COMMAND, Stage.DMA_WRITE, Stage.COMPLETION, Stage.DRIVER)


@dataclass
class FrameTrace:
    """A frame's way. Times are in fs, of the simulator."""

    number: int
    """From 0, in the order in which the host gives, or the line brings them."""
    stages: tuple[Stage, ...]
    begin: int | None = None
    ends: dict[Stage, int] = field(default_factory=dict)
    """Of the stages that have been seen."""
    core: int | None = None
    """That has commanded its DMA."""

    @property
    def complete(self) -> bool:
        """Each stage has been seen."""
        return self.begin is not None and len(self.ends) == len(self.stages)

    def visits(self) -> list[tuple[Stage, float, float]]:
        """Stages with their begin and end in ns, of a complete one."""
        assert self.begin is not None
        times = [self.begin, *(self.ends[stage] for stage in self.stages)]
        return [
            (stage, begin / FS_PER_NS, end / FS_PER_NS)
            for stage, begin, end in zip(self.stages, times[:-1], times[1:], strict=True)
        ]

    @property
    def ns(self) -> float:
        """All of them together, of a complete one."""
        assert self.begin is not None
        return (self.ends[self.stages[-1]] - self.begin) / FS_PER_NS


@dataclass(frozen=True)
class NicTrace:
    """What a run has shown. Frames are complete ones."""

    setup: Setup
    bytes: int
    """Of each, with FCS."""
    sent: list[FrameTrace]
    received: list[FrameTrace]
    busy: list[Busy]


def run(
    setup: Setup, bytes_: int, frames: int, *, every_ns: int, seed: int = 1, defines: Mapping[str, int] | None = None
) -> NicTrace:
    """Follows so many frames each way, one in `every_ns`, behind some that warm the caches."""
    spacing = max(every_ns, spacing_ns(bytes_, IFG_BYTES))
    window_us = (frames + 1) * spacing // 1000 + 1
    found = nic.run(
        setup, bytes_, warm_us=BOOT_US + WARM_FRAMES * spacing // 1000, window_us=window_us, seed=seed,
        trace_us=window_us + REST_US, trouble={"every_ns": spacing}, defines=defines,
    )  # fmt: skip
    elf = nic.firmware_of(setup, bytes_, defines)
    sent, received = follow(found, firmware.symbols(elf))
    busy = functions(found.trace, firmware.symbols(elf, functions=True))
    return NicTrace(setup, bytes_, sent[:frames], received[:frames], busy)


def spacing_ns(bytes_: int, gap: int) -> int:
    """From one frame to the next on the line, with so many idle bytes between them, rounded down."""
    return FS_PER_BYTE * (PREAMBLE_BYTES + bytes_ + gap) // FS_PER_NS


BOOT_US, WARM_FRAMES, REST_US = 20, 4, 200
"""Firmware is there by then; frames that are not followed; a frame takes less to come through."""


def follow(found: Found, symbols: Mapping[str, int]) -> tuple[list[FrameTrace], list[FrameTrace]]:
    """Frames that were sent, and received, from the events of a run; complete ones, in order."""
    follower = _Follower(found.setup, found.places, nic.slot_bytes(found.bytes), symbols)
    events = sorted((*found.trace.accesses, *found.trace.others), key=lambda event: event[0])
    for event in events:
        follower.see(event)
    return (
        [frame for _, frame in sorted(follower.sent.items()) if frame.complete],
        [frame for frame in sorted(follower.received, key=lambda frame: frame.number) if frame.complete],
    )


class _Follower:
    """Makes frames of events, in the order of time."""

    def __init__(self, setup: Setup, places: Places, slot: int, symbols: Mapping[str, int]) -> None:
        self._pieces, self._cores, self._places, self._slot = setup.pieces, setup.cores, places, slot
        rings = ("read_ring", "write_ring", "send_ring", "receive_ring")
        self._rings = {name: pad_address(symbols[name]) // 4 for name in rings}
        self._mailbox = pad_address(symbols["mailbox"])
        self._mac_send = setup.cores + nic.MASTERS.index("mac_send") - 1
        self._mac_receive = setup.cores + nic.MASTERS.index("mac_receive") - 1
        self.sent: dict[int, FrameTrace] = {}
        self.received: list[FrameTrace] = []
        self._posted: int | None = None  # frames, all of them
        self._reads: dict[int, list[Read]] = {}  # by tag
        self._low: dict[int, int] = {}  # host addresses in commands, by their word
        self._came: dict[int, Came] = {}  # by number
        self._received: dict[int, FrameTrace] = {}  # by place in the ring of the MAC, which is that of the host's rings

    def see(self, event: tuple[int, ...]) -> None:
        match event:
            case Posted():
                self._post(event)
            case Read():
                self._reads.setdefault(event.tag, []).append(event)
            case Answered():
                waiting = self._reads.get(event.tag)
                if waiting:
                    self._answered(event.time, waiting.pop(0))
            case Access():
                self._access(event)
            case Left():
                frame = self.sent.get(event.number)
                if frame is not None:
                    frame.ends[Stage.MAC_SEND] = event.time - (event.bytes + PREAMBLE_BYTES) * FS_PER_BYTE
                    frame.ends[Stage.LINE_OUT] = event.time
            case Came():
                self._came[event.number] = event
            case Written():
                self._written(event)
            case Delivered():
                self._delivered(event)

    # ---- Sent

    def _post(self, event: Posted) -> None:
        if event.address != self._mailbox:
            return
        posted = event.data // self._pieces
        if self._posted is not None:
            for number in range(self._posted, posted):
                self.sent[number] = FrameTrace(number, SEND, event.time)
        self._posted = posted

    def _number(self, place: int, entries: int) -> FrameTrace | None:
        """The newest frame of that place in a ring, among those that the host has posted."""
        if self._posted is None:
            return None
        number = self._posted - 1 - (self._posted - 1 - place) % entries
        return self.sent.get(number)

    def _answered(self, time: int, read: Read) -> None:
        ring = read.address - self._places.tx_ring
        if 0 <= ring < HOST_RING * DESCRIPTOR_BYTES:
            first, end = ring // DESCRIPTOR_BYTES, (ring + read.bytes) // DESCRIPTOR_BYTES
            for descriptor in range(first, end):
                frame = self._number(descriptor // self._pieces, HOST_RING // self._pieces)
                if frame is not None and Stage.COMMAND not in frame.ends:
                    frame.ends[Stage.DESCRIPTOR] = time
            return
        slot = self._slot_of(read.address, self._places.tx_buffers)
        if slot is not None:
            frame = self._number(slot, HOST_RING)
            if frame is not None:
                frame.ends[Stage.DMA_READ] = time  # of its last piece, in the end

    # ---- Both

    def _slot_of(self, address: int, buffers: int) -> int | None:
        offset = address - buffers
        return offset // self._slot if 0 <= offset < HOST_RING * self._slot else None

    def _access(self, event: Access) -> None:
        if event.master < self._cores and event.write:
            for ring in ("read_ring", "write_ring"):
                place, word = divmod(event.word - self._rings[ring], DMA_WORDS)
                if 0 <= place < DMA_RING:
                    if word == 0:
                        self._low[event.word] = event.data
                    elif word == DMA_WORDS - 1:  # the last one: its length
                        self._commanded(event, ring, self._low.pop(event.word - word, None))
        elif event.master == self._mac_send and not event.write:
            place, word = divmod(event.word - self._rings["send_ring"], MAC_WORDS)
            if 0 <= place < SEND_RING and word == MAC_WORDS - 1:
                self._fetched(event.time, place)
        elif event.master == self._mac_receive and event.write:
            place, word = divmod(event.word - self._rings["receive_ring"], MAC_WORDS)
            if 0 <= place < RECEIVE_RING and word == MAC_WORDS - 1:
                self._received[place] = FrameTrace(0, RECEIVE, None, {Stage.MAC_RECEIVE: event.time})

    def _commanded(self, event: Access, ring: str, low: int | None) -> None:
        """A core has written a command for bytes at that address of the host."""
        if low is None:
            return
        if ring == "read_ring":
            slot = self._slot_of(low, self._places.tx_buffers & 0xFFFF_FFFF)
            frame = None if slot is None else self._number(slot, HOST_RING)
        else:
            slot = self._slot_of(low, self._places.rx_buffers & 0xFFFF_FFFF)
            frame = None if slot is None else self._received.get(slot)
        if frame is not None:
            frame.ends[Stage.COMMAND] = event.time
            frame.core = event.master

    def _fetched(self, time: int, place: int) -> None:
        """The oldest frame of that place that the MAC has not got yet."""
        for number, frame in self.sent.items():
            if number % SEND_RING == place and Stage.HAND_OVER not in frame.ends and Stage.DMA_READ in frame.ends:
                frame.ends[Stage.HAND_OVER] = time
                return

    def _written(self, event: Written) -> None:
        if event.address == self._places.tx_done:
            for frame in self.sent.values():
                if frame.number < event.word and Stage.LINE_OUT in frame.ends:
                    frame.ends.setdefault(Stage.REPORT, event.time)
            return
        slot = self._slot_of(event.address, self._places.rx_buffers)
        if slot is not None:
            if slot in self._received:
                self._received[slot].ends[Stage.DMA_WRITE] = event.time  # of its last piece, in the end
            return
        first, end = (
            (at - self._places.rx_done) // COMPLETION_BYTES for at in (event.address, event.address + event.bytes)
        )
        if 0 <= first < HOST_RING:
            for done in range(first, end):
                if done in self._received:
                    self._received[done].ends.setdefault(Stage.COMPLETION, event.time)

    def _delivered(self, event: Delivered) -> None:
        frame = self._received.pop(event.before % RECEIVE_RING, None)
        came = self._came.pop(event.number, None)
        if frame is None or came is None:
            return
        frame.number, frame.begin = event.number, came.time
        frame.ends[Stage.LINE_IN] = came.time + (came.bytes + PREAMBLE_BYTES) * FS_PER_BYTE
        # Completions come many at once, and the driver need not wait for the last one.
        frame.ends.setdefault(Stage.COMPLETION, event.time)
        frame.ends[Stage.DRIVER] = event.time
        self.received.append(frame)


def functions(trace: Trace, symbols: Mapping[str, int]) -> list[Busy]:
    """What each core did when: a stretch for each time in a function."""
    starts = sorted((address, name) for name, address in symbols.items())
    addresses = [address for address, _ in starts]
    now: dict[int, tuple[str, int]] = {}  # by core: function, since when
    found: list[Busy] = []
    last = 0
    for event in trace.retired:
        index = bisect_right(addresses, event.pc) - 1
        name = starts[index][1] if index >= 0 else "start"
        function, since = now.get(event.core, ("", event.time))
        last = event.time
        if name == function:
            continue
        if function:
            found.append(Busy(event.core, function, since / FS_PER_NS, event.time / FS_PER_NS))
        now[event.core] = name, event.time
    found += [Busy(core, name, since / FS_PER_NS, last / FS_PER_NS) for core, (name, since) in now.items()]
    return found
