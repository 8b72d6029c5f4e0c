# SPDX-License-Identifier: Apache-2.0
"""The engine in RTL (`rtl/tcp/tcp_engine.sv`), driven through registers and rings as firmware does: pipe.py's lines.

Times are microseconds of its own counter. What is idle is left out, see engine_harness.cpp.
"""

import ctypes
import functools
from dataclasses import dataclass, field
from pathlib import Path

import bench

from nsoc.machine import regs
from tcp.events import Answer, Notify, Op, Settings
from tcp.pairs import OURS, PORT, THEIR_PORT, THEIRS
from tcp.pipe import NEVER
from tcp.record import BITS, LEAST_RING, OPTIONS, WORD, Record, State, Why, unpack

HERE = Path(__file__).parent
MEMORY_BASE = 0x5000_0000
MEMORY_BYTES = 1 << 20
CONNECTIONS = 16
ROWS, ROW_WORDS = 4, 16
ROW_BITS = -(-BITS // ROWS)
REGISTERS = regs.BLOCKS["toe"].registers
RELOADED = ("key0", "key1", "key2", "key3")


@functools.cache
def library() -> ctypes.CDLL:
    """Built only when a source is newer."""
    folder = bench.BUILDS / "tcp_engine"
    program = folder / "engine.so"
    top = HERE / "tcp_tb.sv"
    source = HERE / "engine_harness.cpp"
    folders = sorted({path.parent for path in bench.RTL.rglob("*.sv") if "vendor" not in path.parts})
    packages = sorted(bench.RTL.rglob("*_pkg.sv"))
    visible = folder / "visible.vlt"
    command = ["verilator", "-Wall", "--assert", "--top-module", "tcp_tb", "--cc", "--exe", "--build", "-j", "1"]
    command += ["-o", program.name, "--Mdir", str(folder), "--output-split", "0"]
    command += ["-CFLAGS", "-std=c++20 -Og -fPIC -fvisibility=hidden", "-LDFLAGS", "-shared"]
    command += ["-MAKEFLAGS", "OPT_FAST=-Og", f"-GCONNECTIONS={CONNECTIONS}", f"-GPACKET_BYTES={MEMORY_BYTES}"]
    command += [arg for one in folders for arg in ("-y", str(one))]
    command += [str(visible), str(bench.WAIVERS), *map(str, packages), str(top), str(source)]
    with bench.locked(folder):
        if not visible.exists():
            visible.write_text('`verilator_config\npublic_flat_rw -module "tcp_time" -var "now_q"\n')
    rtl = [path for one in ("tcp", "common", "bus", "net") for path in (bench.RTL / one).rglob("*.sv")]
    bench.build_harness(program, [*rtl, top, source, Path(__file__)], command)
    loaded = ctypes.CDLL(str(program))
    loaded.engine_new.restype = loaded.engine_memory.restype = ctypes.c_void_p
    loaded.engine_now.restype = loaded.engine_cycle.restype = ctypes.c_uint64
    loaded.engine_earliest.restype = ctypes.c_int64
    return loaded


def number(address: bytes) -> int:
    return int.from_bytes(address, "big")


@dataclass
class Known:
    """What the driver keeps of a connection."""

    rx_at: int = 0
    rx_size: int = 0
    tx_at: int = 0
    tx_size: int = 0
    read: int = 0
    given: int = 0
    received: int = 0
    acknowledged: int = 0
    told: Notify = field(default_factory=lambda: Notify(0))


class HwEngine:
    """CONNECTIONS records, and memory for their rings."""

    def __init__(
        self,
        address: bytes,
        *,
        settings: Settings | None = None,
        seed: int = 1,
        latency: int = 8,
        stall_percent: int = 0,
    ) -> None:
        self.lib = library()
        self._of = ctypes.c_void_p(self.lib.engine_new(seed, MEMORY_BYTES, latency, stall_percent))
        self.memory = (ctypes.c_uint8 * MEMORY_BYTES).from_address(self.lib.engine_memory(self._of))
        self.address = address
        self.known = [Known() for _ in range(CONNECTIONS)]
        self._free = 0
        self._segment = (ctypes.c_uint8 * 4096)()
        while not self.read("status") >> 24:
            self.clock(64)
        self.write("address", number(address))
        for at, name in enumerate(RELOADED):
            self.write(name, (seed * 0x9E37_79B9 + at * 0x1234_5677) % WORD)
        self.write("ip_control", 3)
        self.write("irq_mask", 1)
        self._set(settings or Settings())

    def close(self) -> None:
        if self._of:
            self.lib.engine_free(self._of)
            self._of = ctypes.c_void_p()

    def _set(self, settings: Settings) -> None:
        for name, value in {
            "least_rto": settings.least_rto_us,
            "longest_rto": settings.longest_rto_us,
            "first_rto": settings.first_rto_us,
            "delayed_ack": settings.delayed_ack_us,
            "override_time": settings.override_us,
            "msl": settings.msl_ms,
            "patience": settings.syn_patience_s | settings.child_patience_s << 16,
            "fin_wait_2": settings.fin_wait_2_ms,
            "keep_interval": settings.keep_interval_ms,
            "keep_probes": settings.keep_probes,
            "challenges": settings.challenges,
            "challenge_time": settings.challenge_ms,
            "offers": sum(
                on << bit
                for bit, on in enumerate((settings.scale, settings.stamps, settings.sack, settings.reset_full))
            ),
        }.items():
            self.write(name, value)

    # ---- Registers ---------------------------------------------------------------------------------------------------

    def read(self, name: str) -> int:
        value = ctypes.c_uint32()
        error = self.lib.engine_read(self._of, REGISTERS[name].offset, ctypes.byref(value))
        assert error == 0, f"a read of {name} failed"
        return value.value

    def write(self, name: str, value: int) -> None:
        assert self.lib.engine_write(self._of, REGISTERS[name].offset, value) == 0, f"a write of {name} failed"

    def command(self, index: int, op: Op, a: int = 0, b: int = 0) -> Answer:
        self.write("argument_a", a)
        self.write("argument_b", b)
        self.write("command", index | op << 16)
        for _ in range(1000):
            answer = self.read("answer")
            if answer >> 31:
                assert answer & 0xFFFF == index and answer >> 16 & 0xFF == op
                return Answer(answer >> 24 & 3)
        raise AssertionError(f"{op.name} was never answered")

    def status(self, index: int) -> Record:
        """The record as it is."""
        assert self.command(index, Op.STATUS) == Answer.DONE
        word = 0
        for row in range(ROWS):
            line = 0
            for at in range(ROW_WORDS):
                line = line << 32 | self.read(f"record{row * ROW_WORDS + at}.word")
            word = word << ROW_BITS | line >> 32 * ROW_WORDS - ROW_BITS
        return unpack(word >> ROWS * ROW_BITS - BITS)

    # ---- The processor -----------------------------------------------------------------------------------------------

    def setup(self, index: int, rx_ring: int, tx_ring: int, *, pooled: bool = False) -> None:
        one = self.known[index]
        one.rx_size, one.tx_size = 1 << LEAST_RING + rx_ring, 1 << LEAST_RING + tx_ring
        one.rx_at = self._room(one.rx_size)
        one.tx_at = self._room(one.tx_size)
        a = MEMORY_BASE + one.rx_at | rx_ring
        b = MEMORY_BASE + one.tx_at | tx_ring | int(pooled) << 3
        assert self.command(index, Op.SETUP, a, b) == Answer.DONE

    def _room(self, size: int) -> int:
        at = -(-self._free // size) * size
        self._free = at + size
        assert self._free <= MEMORY_BYTES
        return at

    def option(self, index: int, name: str, value: int) -> Answer:
        return self.command(index, Op.OPTION, OPTIONS.index(name), value)

    def open(self, index: int, local_port: int, remote: tuple[bytes, int]) -> Answer:
        self._begin(index)
        return self.command(index, Op.OPEN, number(remote[0]), remote[1] << 16 | local_port)

    def listen(self, index: int, port: int, backlog: int) -> Answer:
        return self.command(index, Op.LISTEN, backlog, port)

    def _begin(self, index: int) -> None:
        one = self.known[index]
        one.read = one.given = one.received = one.acknowledged = 0
        one.told = Notify(0)

    def send(self, index: int, data: bytes, *, urgent: bool = False) -> int:
        one = self.known[index]
        room = one.tx_size - (one.given - one.acknowledged) % WORD
        data = data[:room]
        if not data:
            return 0
        _put(self.memory, one.tx_at, one.tx_size, one.given, data)
        given = (one.given + len(data)) % WORD
        if self.command(index, Op.SEND, given, int(urgent)) != Answer.DONE:
            return 0
        one.given = given
        return len(data)

    def available(self, index: int) -> int:
        one = self.known[index]
        return (one.received - one.read) % WORD

    def receive(self, index: int, most: int) -> bytes:
        one = self.known[index]
        count = min(self.available(index), most)
        if not count:
            return b""
        data = _get(self.memory, one.rx_at, one.rx_size, one.read, count)
        read = (one.read + count) % WORD
        if self.command(index, Op.READ, read) != Answer.DONE:
            return b""
        one.read = read
        return data

    def events(self) -> list[tuple[int, Notify]]:
        """All that has happened; positions are those of each event."""
        out: list[tuple[int, Notify]] = []
        while self.irq and (event := self.read("event")) >> 31:
            index, bits = event & 0xFFFF, Notify(event >> 16 & 0x1FF)
            assert not event >> 25 & 1, "memory refused bytes"
            one = self.known[index]
            if bits & Notify.ACCEPT:
                self._begin(index)
            one.received, one.acknowledged = self.read("received"), self.read("acknowledged")
            one.told |= bits
            out.append((index, bits))
        return out

    # ---- The line ----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        return int(self.lib.engine_now(self._of))

    @property
    def irq(self) -> bool:
        return bool(self.lib.engine_irq(self._of))

    @property
    def busy(self) -> bool:
        return bool(self.lib.engine_busy(self._of))

    def clock(self, cycles: int) -> None:
        self.lib.engine_clock(self._of, cycles)

    def run(self, until: int) -> None:
        """Until then, or sooner: a segment wants to leave, or the interrupt has changed."""
        self.lib.engine_run(self._of, ctypes.c_uint64(until))

    def take(self, source: bytes, data: bytes) -> None:
        self.lib.engine_put(self._of, number(source), data, len(data))

    def poll(self) -> tuple[bytes, bytes] | None:
        """The segment that wants to leave, and where it goes."""
        destination = ctypes.c_uint32()
        buffer = (ctypes.c_uint8 * 4096)()
        count = self.lib.engine_get(self._of, ctypes.byref(destination), buffer)
        return None if count < 0 else (destination.value.to_bytes(4, "big"), bytes(buffer[:count]))

    def line(self, speed: int, out: int | None = None) -> None:
        """Segments take their time on a line of so many Gb/s in, and out; those that leave are kept for `next`."""
        self.lib.engine_line(self._of, speed, speed if out is None else out)

    def advance(self, cycles: int, low: int) -> None:
        """So many cycles, or fewer: a segment has left, at most `low` wait to go in, or the interrupt has come."""
        self.lib.engine_pass(self._of, cycles, low)

    def next(self) -> tuple[bytes, bytes] | None:
        """The next segment that has left, and where it goes."""
        destination = ctypes.c_uint32()
        count = self.lib.engine_next(self._of, ctypes.byref(destination), self._segment)
        return None if count < 0 else (destination.value.to_bytes(4, "big"), bytes(self._segment[:count]))

    def icmp(self, destination: bytes, ports: tuple[int, int], seq: int, kind: int, code: int, mtu: int) -> None:
        """An error about a segment of ours, from the first port to the second one."""
        self.lib.engine_icmp(self._of, number(destination), *ports, ctypes.c_uint32(seq), kind, code, mtu)

    @property
    def cycle(self) -> int:
        return int(self.lib.engine_cycle(self._of))

    @property
    def waiting(self) -> int:
        """Segments that have not gone in yet."""
        return int(self.lib.engine_waiting(self._of))

    @property
    def buffered(self) -> int:
        """Words in the buffer of tcp_rx."""
        return int(self.lib.engine_buffered(self._of))

    @property
    def deadline(self) -> float:
        """When it does something next, if nothing comes."""
        if self.busy:
            return self.now + 1
        ahead = int(self.lib.engine_earliest(self._of))
        return NEVER if ahead < 0 else self.now + ahead

    def __del__(self) -> None:
        self.close()


def _put(memory: "ctypes.Array[ctypes.c_uint8]", base: int, size: int, at: int, data: bytes) -> None:
    at &= size - 1
    first = data[: size - at]
    memory[base + at : base + at + len(first)] = first
    rest = data[len(first) :]
    memory[base : base + len(rest)] = rest


def _get(memory: "ctypes.Array[ctypes.c_uint8]", base: int, size: int, at: int, count: int) -> bytes:
    at &= size - 1
    first = bytes(memory[base + at : base + min(at + count, size)])
    return first + bytes(memory[base : base + count - len(first)])


class HwHost:
    """One connection of an HwEngine, as pipe.Host."""

    def __init__(self, engine: HwEngine, index: int | None) -> None:
        self.engine = engine
        self.address = engine.address
        self.index = index
        """None until a connection is accepted."""

    def _until(self, now: int) -> None:
        while self.engine.now < now:
            before = self.engine.now
            self.engine.run(now)
            self._listen()
            if self.engine.now == before:
                break

    def take(self, source: bytes, data: bytes, now: int) -> None:
        self._until(now)
        self.engine.take(source, data)

    def poll(self, now: int) -> bytes | None:
        self._until(now)
        one = self.engine.poll()
        self._listen()
        return None if one is None else one[1]

    def _listen(self) -> None:
        for index, what in self.engine.events():
            if self.index is None and what & Notify.ACCEPT:
                self.index = index
                assert self.engine.command(index, Op.ACCEPT) == Answer.DONE

    @property
    def deadline(self) -> float:
        return self.engine.deadline

    def write(self, data: bytes, now: int) -> int:
        return 0 if self.index is None else self.engine.send(self.index, data)

    def read(self, most: int, now: int) -> bytes:
        return b"" if self.index is None else self.engine.receive(self.index, most)

    def finish(self, now: int) -> None:
        if self.index is not None:
            self.engine.command(self.index, Op.SHUTDOWN)

    @property
    def _told(self) -> Notify:
        return Notify(0) if self.index is None else self.engine.known[self.index].told

    @property
    def opened(self) -> bool:
        return bool(self._told & (Notify.ACCEPT | Notify.CONNECTED))

    @property
    def ended(self) -> bool:
        return bool(self._told & Notify.FINISHED) and self.index is not None and not self.engine.available(self.index)

    @property
    def gone(self) -> bool:
        return self.index is not None and self.engine.status(self.index).state in (State.CLOSED, State.TIME_WAIT)

    @property
    def failure(self) -> str:
        if self.index is None or not self._told & Notify.CLOSED:
            return ""
        why = Why(self.engine.status(self.index).why)
        return "" if why in (Why.NOT, Why.FINISHED) else why.name


def hw_pair(settings: Settings) -> tuple[HwHost, HwHost]:
    """Two engines; the second one opens."""
    ours, theirs = (HwEngine(address, settings=settings, seed=seed) for address, seed in ((OURS, 1), (THEIRS, 2)))
    for engine in (ours, theirs):
        engine.setup(0, 3, 3)
        engine.setup(1, 3, 3, pooled=True)
    assert ours.listen(0, PORT, 1) == Answer.DONE
    assert theirs.open(0, THEIR_PORT, (OURS, PORT)) == Answer.DONE
    return HwHost(ours, None), HwHost(theirs, 0)
