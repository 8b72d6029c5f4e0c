# SPDX-License-Identifier: Apache-2.0
"""What the NIC is tested with: a processor on its AFB, a memory on its ACB, a MAC on its frame streams.

All three are models in Python that know the buses and the buffer layout from the design, not from the RTL.
"""

import random
from collections import deque
from collections.abc import Callable

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

CONTROL, SERVERS, QUEUE_DEPTH = 0, 1, 4
RXQ, TXQ, FREEQ, LOCK = (8, 10, 12, 14), (16, 18, 20, 22), 24, 26
PUSH_FAILED, BUFFER_SIZE, IRQ_STATUS, IRQ_MASK, TIME_HIGH, HELD, IRQ_MODERATION, RX_PATIENCE = range(32, 40)
MAC_CONTROL, STEERING, MULTICAST_HASH = 64, 65, (66, 67)
PTP_LOW, PTP_HIGH, PTP_INCREMENT, PTP_COMMAND, TX_STAMP, TX_STAMP_LOW, TX_STAMP_HIGH = range(68, 75)
MAC_ADDRESS = (208, 209)
MAX_FRAME = 96
COUNTERS = {
    "rx_good": 40,
    "rx_drop_fcs": 41,
    "rx_drop_runt": 42,
    "rx_drop_oversize": 43,
    "rx_drop_error": 44,
    "rx_drop_overflow": 45,
    "rx_drop_disabled": 46,
    "rx_drop_too_long": 47,
    "rx_drop_memory_error": 48,
    "tx_taken": 49,
    "tx_drop_bad_length": 50,
    "tx_drop_memory_error": 51,
    "tx_drop_abort": 52,
    "tx_drop_oversize": 53,
    "rx_drop_filtered": 54,
    "rx_pause": 55,
    "rx_drop_no_buffer": 56,
    "rx_drop_no_server": 57,
    "tx_pause": 58,
    "tx_drop_underrun": 59,
    "tx_stamp_lost": 60,
    "packets_transmitted": 210,
    "packets_received": 211,
}
STATUS, FREE_COUNTER = 212, 255
(
    SELFTEST, SELFTEST_STATUS, SELFTEST_BASE, SELFTEST_BYTES, SELFTEST_EXPECTED, SELFTEST_GOT, SELFTEST_CYCLES,
    SELFTEST_ADDRESS,
) = range(80, 88)  # fmt: skip
QUEUE_BASE = (88, 89, 90)  # free, receive, transmit: NIC_1.1
QUEUE_SETUP, QUEUE_ERRORS, CAPABILITY, RESET = range(91, 95)
TX_KEPT, TX_SUM_UNFIT = OF_OFFLOADS = (95, 213)
NIC_ENABLE, MAC_ENABLE, IRQ_ENABLE, NIC_LOOPBACK, MAC_LOOPBACK = 1, 2, 4, 0x80, 0x100
EMPTY, FULL = 1, 2
NOT_OWNED = 2
# Bits of mac_stat_t.
STAT = {
    "rx_drop_disabled": 0,
    "rx_drop_error": 1,
    "rx_drop_oversize": 2,
    "rx_drop_runt": 3,
    "rx_drop_fcs": 4,
    "rx_pause": 5,
    "rx_drop_filtered": 6,
    "rx_drop_overflow": 7,
    "rx_good": 8,
    "tx_sent": 9,
    "tx_drop_underrun": 10,
    "tx_pause": 11,
    "tx_drop_oversize": 12,
    "tx_drop_abort": 13,
}
BASE, STRIDE = 0x5000_0000, 2048  # of the test's buffers


async def stop(nic) -> None:
    """Disable a NIC, here anything with `read` and `write` of its registers, until its engines hold no pointer."""
    await nic.write(CONTROL, 0)
    for _ in range(300):
        if await nic.read(HELD) == 0:
            return
    raise AssertionError("a stopped NIC keeps pointers")


class Nic:
    """The device under test and its surroundings. Knobs are plain attributes and may change at any time."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.servers = 4
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.cycle = 0
        # Memory: bytes by address; latency in cycles, request and response stalls as probabilities.
        self.memory: dict[int, int] = {}
        self.latency: Callable[[], int] = lambda: 5
        self.memory_stall = 0.0
        self.fails: Callable[[int, bool], bool] = lambda address, read: False
        self.accesses = 0
        self.locks = False  # a NIC_1.1, which locks the memory for its queues
        self.processor_stall = 0.0  # before it takes a response
        # MAC
        self.rx_stall = 0.0
        self.tx_stall = 0.0
        # Frame, stamp; True behind them: it turns out bad with its last beat.
        self.to_receive: deque[tuple[bytes, int] | tuple[bytes, int, bool]] = deque()
        self.sent: list[tuple[bytes, bool, int]] = []  # frame, aborted, cycle of its last beat
        self.promised: list[bool] = []  # whether each frame sent was steady
        # Frames sent whole with a request for a stamp; the stamps that they got. Aborted ones get none.
        self.stamp_delay: Callable[[], int] = lambda: 100
        self.asked: list[bytes] = []
        self.asked_aborted = 0
        self.stamps: list[int] = []
        self.rx_started: list[int] = []  # cycle of each frame's first beat
        self.rx_ended: list[int] = []

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.nic_clk, 8, "ns").start())
        dut.nic_rst.value = 1
        for name in ("afb_req", "afb_req_valid", "afb_rsp_ready", "acb_req_ready", "acb_rsp", "acb_rsp_valid"):
            getattr(dut, name).value = 0
        for name in (
            "rx_frame",
            "rx_frame_valid",
            "rx_frame_bad",
            "rx_time",
            "tx_frame_ready",
            "stat",
            "tx_stamp",
            "tx_stamp_valid",
            "line_tick",
            "memory_tick",
        ):
            getattr(dut, name).value = 0
        for _ in range(3):
            await RisingEdge(dut.nic_clk)
        dut.nic_rst.value = 0
        dut.afb_rsp_ready.value = 1
        cocotb.start_soon(self._surroundings())

    async def _surroundings(self) -> None:
        """Memory and MAC, one pass a cycle: what was transferred at this edge, then what is offered next.

        A pass is most of what a cycle takes. So signals are looked up once, and written only when they change.
        """
        dut, rng, clock = self.dut, self.rng, RisingEdge(self.dut.nic_clk)
        mac_restart, tx_frame_valid, acb_req_valid = dut.mac_restart, dut.tx_frame_valid, dut.acb_req_valid
        acb_rsp_valid, rx_frame_valid, tx_stamp_valid = dut.acb_rsp_valid, dut.rx_frame_valid, dut.tx_stamp_valid
        rsp_valid = frame_valid = stamp_valid = False
        requests: deque[tuple[int, int]] = deque()  # due cycle, request: it takes effect when it is answered
        offered = rx_beat = None  # the response and the frame beat on offer
        rx_beats: deque[tuple[int, int]] = deque()
        req_ready = tx_ready = rx_bad = False
        received = bytearray()
        stat = 0
        asks: set[tuple[int, int]] = set()  # tx_frame_stamp and _steady in the beats of the frame at hand
        stamps_due: deque[int] = deque()
        next_stamp = 0
        while True:
            await clock
            self.cycle += 1
            if mac_restart.value:  # the MAC forgets a frame that it has not whole
                received.clear()
                asks.clear()
            if stamp_valid:
                tx_stamp_valid.value = 0
                stamp_valid = False
            if stamps_due and stamps_due[0] <= self.cycle and next_stamp <= self.cycle:
                stamps_due.popleft()
                stamp = (int(dut.time_now.value) - rng.randrange(3, 300)) % (1 << 32)
                self.stamps.append(stamp)
                dut.tx_stamp.value = stamp
                tx_stamp_valid.value = 1
                stamp_valid = True
                next_stamp = self.cycle + 8
            if req_ready and acb_req_valid.value:
                requests.append((self.cycle + self.latency(), int(dut.acb_req.value)))
            if offered is not None and dut.acb_rsp_ready.value:
                offered = None
            ready = self.memory_stall == 0.0 or rng.random() >= self.memory_stall
            if ready != req_ready:
                req_ready = ready
                dut.acb_req_ready.value = int(ready)
            if offered is None:
                if requests and requests[0][0] <= self.cycle:
                    offered = self._access(requests.popleft()[1])
                    dut.acb_rsp.value = offered
                if rsp_valid != (offered is not None):
                    rsp_valid = offered is not None
                    acb_rsp_valid.value = int(rsp_valid)

            events = 0
            if rx_beat is not None and dut.rx_frame_ready.value:
                if not rx_beats:
                    self.rx_ended.append(self.cycle)
                rx_beat = None
            if rx_beat is None:
                if not rx_beats and self.to_receive:
                    data, stamp, *bad = self.to_receive.popleft()
                    rx_bad = any(bad)
                    rx_beats = deque(_beats(data))
                    dut.rx_time.value = stamp
                    self.rx_started.append(self.cycle)
                    events |= 1 << STAT["rx_drop_fcs" if rx_bad else "rx_good"]
                if rx_beats and rng.random() >= self.rx_stall:
                    rx_beat = rx_beats.popleft()
                    dut.rx_frame.value = rx_beat
                    # With other beats than the last it means nothing.
                    dut.rx_frame_bad.value = int(rng.random() < 0.5 if rx_beats else rx_bad)
                if frame_valid != (rx_beat is not None):
                    frame_valid = rx_beat is not None
                    rx_frame_valid.value = int(frame_valid)

            if tx_ready and tx_frame_valid.value:
                beat = int(dut.tx_frame.value)
                keep = (beat & 0xFF).bit_count()
                assert beat & 0xFF == 0xFF & ~(0xFF >> keep), "bytes are kept from the top down"
                asks.add((int(dut.tx_frame_stamp.value), int(dut.tx_frame_steady.value)))
                assert len(asks) == 1, "request and promise are stable for the whole frame"
                received += (beat >> 8 & (1 << 64) - 1).to_bytes(8, "big")[:keep]
                if beat >> 72:
                    aborted = bool(dut.tx_frame_abort.value)
                    self.sent.append((bytes(received), aborted, self.cycle))
                    asked, promised = asks.pop()
                    self.promised.append(bool(promised))
                    if asked and aborted:
                        self.asked_aborted += 1
                    elif asked:
                        self.asked.append(bytes(received))
                        stamps_due.append(self.cycle + self.stamp_delay())
                    received.clear()
                    events |= 1 << STAT["tx_drop_abort" if aborted else "tx_sent"]
                else:
                    assert keep == 8, "only the last beat may be partial"
            ready = self.tx_stall == 0.0 or rng.random() >= self.tx_stall
            if ready != tx_ready:
                tx_ready = ready
                dut.tx_frame_ready.value = int(ready)
            if events != stat:
                stat = events
                dut.stat.value = events

    def _access(self, request: int) -> int:
        """One ACB request (Tables A.2, A.3): lanes are big-endian. Returns the response."""
        self.accesses += 1
        read, mask = request >> 108 & 1, request >> 100 & 0xFF
        address, data = (request >> 64 & (1 << 36) - 1) & ~7, request & (1 << 64) - 1
        assert not request >> 109 or (self.locks and read), "a NIC_1.2 never locks memory"
        if self.fails(address, bool(read)):
            return 1 << 64 | 0xDEADDEADDEADDEAD
        if read:
            return int.from_bytes(bytes(self.memory.get(address + i, 0xA5) for i in range(8)), "big")
        for i, byte in enumerate(data.to_bytes(8, "big")):
            if mask & 0x80 >> i:
                self.memory[address + i] = byte
        return 0x1234  # whatever: nobody may look at a write's data

    # ---- The processor ---------------------------------------------------------------------------------------------

    async def access(self, register: int, data: int | None = None, mask: int = 0xF) -> tuple[int, int, int]:
        """Write `data` to a register, or read it when None. Returns err, data, and cycles from request to response."""
        dut, clock = self.dut, RisingEdge(self.dut.nic_clk)
        read = int(data is None)
        dut.afb_req.value = read << 72 | mask << 68 | (0xFF00_0000 + 4 * register) << 32 | (data or 0)
        dut.afb_req_valid.value = 1
        await clock
        while not dut.afb_req_ready.value:
            await clock
        dut.afb_req_valid.value = 0
        cycles = 0
        while True:
            await clock
            cycles += 1
            assert cycles <= 5, "a register access never waits"
            if dut.afb_rsp_valid.value:
                break
        response = int(dut.afb_rsp.value)
        while not dut.afb_rsp_ready.value:
            dut.afb_rsp_ready.value = int(self.rng.random() >= self.processor_stall)
            await clock
            assert dut.afb_rsp_valid.value and int(dut.afb_rsp.value) == response, "a response stays until taken"
        dut.afb_rsp_ready.value = int(not self.processor_stall)
        return response >> 32, response & 0xFFFF_FFFF, cycles

    async def read(self, register: int) -> int:
        err, data, _ = await self.access(register)
        assert not err, f"reading register {register} is an error"
        return data

    async def write(self, register: int, data: int) -> int:
        err, answer, _ = await self.access(register, data)
        assert not err, f"writing {data:#x} to register {register} is an error"
        return answer

    async def give_buffers(self, count: int) -> list[int]:
        pointers = [BASE + i * STRIDE for i in range(count)]
        for pointer in pointers:
            assert await self.write(FREEQ, pointer) == 0
        return pointers

    async def counters(self) -> dict[str, int]:
        return {name: await self.read(register) for name, register in COUNTERS.items()}

    async def clocks(self, count: int) -> None:
        clock = RisingEdge(self.dut.nic_clk)
        for _ in range(count):
            await clock

    async def until(self, condition: Callable[[], bool], limit: int = 20_000) -> None:
        clock = RisingEdge(self.dut.nic_clk)
        for _ in range(limit):
            if condition():
                return
            await clock
        raise AssertionError("it did not happen")

    async def until_idle(self, limit: int = 3000) -> None:
        """Until both engines are idle and no transmit queue holds a pointer."""
        for _ in range(limit):
            if await self.read(STATUS) & 0xCF0 == 0xC00:
                return
        raise AssertionError("the engines do not come to rest")

    async def collect_pointers(self) -> dict[str, list[int]]:
        """Stop the NIC, let it return what the engines hold, and pop every queue empty."""
        await stop(self)
        found = {}
        queues = {"freeq": FREEQ}
        for server in range(self.servers):
            queues |= {f"rxq{server}": RXQ[server], f"txq{server}": TXQ[server]}
        for name, register in queues.items():
            found[name] = []
            while (pointer := await self.read(register)) != EMPTY:
                found[name].append(pointer)
        return found

    async def check_all_pointers(self, given: list[int]) -> None:
        found = await self.collect_pointers()
        assert sorted(p for pointers in found.values() for p in pointers) == sorted(given), "pointers lost or doubled"

    # ---- Buffers in memory -------------------------------------------------------------------------------------------

    def load(self, address: int, length: int) -> bytes:
        return bytes(self.memory.get(address + i, 0xA5) for i in range(length))

    def store(self, address: int, data: bytes) -> None:
        self.memory.update((address + i, byte) for i, byte in enumerate(data))

    def put_frame(self, pointer: int, data: bytes, length: int | None = None, tag: int | None = None) -> None:
        """A frame to transmit; control word as the design says: length in the last two bytes of dword 0.

        With a `tag` a stamp is requested (bit 0 of byte 4), the tag is in the first two bytes.
        """
        head = (0 if tag is None else tag << 32 | 1 << 8) << 16
        self.store(pointer, (head | (len(data) if length is None else length)).to_bytes(8, "big"))
        self.store(pointer + 18, data)

    def get_frame(self, pointer: int) -> tuple[bytes, int, int]:
        """A received frame, the MAC's stamp and its server; checks the rest of the control word.

        The stamp in the buffer is PTP time: as long as nobody set it, 8 ns for each step of the MAC's counter, which is
        two less than what it stands for.
        """
        head = self.load(pointer, 16)
        assert head[0:3] == bytes(3) and head[4:6] == bytes(2), f"control word {head[:8].hex()}"
        stamp, rest = divmod(int.from_bytes(head[8:16], "big"), 8)
        assert rest == 0
        return self.load(pointer + 18, int.from_bytes(head[6:8], "big")), (stamp - 2) % (1 << 32), head[3]


def _beats(data: bytes) -> list[int]:
    """A frame as 73-bit beats (Table A.1)."""
    beats = []
    for i in range(0, len(data), 8):
        part = data[i : i + 8]
        keep = 0xFF & ~(0xFF >> len(part))
        last = int(i + 8 >= len(data))
        beats.append(last << 72 | int.from_bytes(part.ljust(8, b"\x5a"), "big") << 8 | keep)
    return beats
