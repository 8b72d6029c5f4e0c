# SPDX-License-Identifier: Apache-2.0
"""The firmware `monitor`: programs come over the network and run, whatever the network does to frames."""

import random
import zlib
from collections.abc import Callable

import pytest
from runs import some
from socs import CORES
from test_cores import expected as harts_print
from traffic import HOST, SOC, check_conservation, echo, frame

from nsoc import Faults, Network, NsocError
from nsoc.machine import firmware, memory_map, presets, regs
from nsoc.machine.presets import Preset
from nsoc.monitor.client import _BEGIN, Monitor, Program, program
from nsoc.monitor.message import Request

pytestmark = pytest.mark.slow

NONE = Faults()
BAD = Faults(loss=0.2, duplicate=0.1, reorder=0.1, corrupt=0.02, wrong_bytes=0.02)
ROOM = memory_map.DRAM_BYTES // 2
NOBODY = 0x6000_0000
HELLO = "Hello from the N-SoC.\n"


class Bench:
    """A host, and a SoC that runs the monitor. To be used in a `with` statement."""

    def __init__(self, preset: str | Preset = "nic12-fast", faults: Faults = NONE, seed: int = 1) -> None:
        self.network = Network(seed)
        self.soc = self.network.soc(preset, "monitor")
        self.host = self.network.host()
        self.network.cable(self.host, self.soc, faults=faults)
        self.preset = self.soc.preset
        self.byte_order = firmware.ARCHITECTURES[self.preset.core].byte_order
        self.until_text("ready\n")
        self.monitor = self.session(seed)

    def session(self, seed: int) -> Monitor:
        return Monitor(self.network, self.host, HOST, SOC, random=random.Random(seed), patience_us=3e4)

    def until_text(self, text: str, us: float = 50_000) -> None:
        assert self.network.run(us, until=lambda: text in self.soc.uart.text, every_us=100), self.soc.uart.text

    def command(self, line: str) -> str:
        """What is printed after a line on the UART."""
        self.soc.uart.read()
        self.soc.uart.write(line + "\n")
        self.network.run(2000)
        return self.soc.uart.read()

    def hello(self) -> None:
        """The monitor still boots."""
        self.session(99).boot(program("hello", self.preset))
        self.until_text(HELLO)

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self.network.close()


PRESETS = some(
    ["nic12-fast"], ["nic11-fast", "nic12-dram", "nic12-l2", "nic12-dma", "ajit-nic11-fast", "ajit-nic12-dma"]
)


@pytest.fixture(params=CORES)
def preset(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "faults", [pytest.param(NONE, id="good line"), pytest.param(BAD, id="bad line", marks=pytest.mark.long)]
)
def test_a_program_that_was_loaded_does_what_it_does_in_the_boot_rom(preset: str, faults: Faults) -> None:
    with Bench(preset, faults) as bench:
        done: list[int] = []
        loaded = bench.monitor.boot(program("selftest", bench.preset), lambda now, total: done.append(now))
        assert loaded.blocks == done[-1] == len(set(done)) - 1 and loaded.entry == memory_map.DRAM_BASE
        assert bool(loaded.repeats) == (faults is BAD)
        bench.until_text("0x40000000\nready\n")
        assert "check_queues PASS" in bench.command("check_queues")


def test_a_started_program_finds_the_nic_as_after_reset(preset: str) -> None:
    rng = random.Random(5)
    frames = [frame(rng.randrange(60, 1515), rng) for _ in range(80)]
    with Bench(preset) as bench:
        bench.monitor.boot(program("forward", bench.preset))
        bench.until_text("forward: ready\n")
        bench.network.run(100)
        bench.host.receive_all()  # an answer may have come twice
        for data in frames:
            bench.host.send(data, ifg=3000)
        assert bench.network.run(50_000, until=lambda: bench.host.pending == len(frames))
        bench.network.run(100)
        assert [arrived.data for arrived in bench.host.receive_all()] == [echo(data) for data in frames]
        assert bench.soc.counters["rx_good"] == len(frames), "the counters began anew"
        check_conservation(bench.soc, len(frames), len(frames))


@pytest.mark.long
def test_all_cores_go_along(preset: str) -> None:
    with Bench(presets.load(preset).with_(cores=2)) as bench:
        bench.monitor.boot(program("harts", bench.preset))
        bench.until_text("done\n")
        assert bench.soc.uart.text.endswith(harts_print(2))


@pytest.mark.long
def test_memory_and_registers_are_read_and_written(preset: str) -> None:
    rng = random.Random(1)
    with Bench(preset) as bench:
        monitor, at = bench.monitor, memory_map.DRAM_BASE + 0x1234000
        data = rng.randbytes(1600)
        monitor.poke(at, list(data), 1)
        assert bench.soc.peek(at, len(data)) == data
        assert monitor.read(at, len(data)) == data
        words = [rng.getrandbits(32) for _ in range(400)]
        monitor.poke(at, words)
        assert monitor.peek(at, len(words)) == words
        assert bench.soc.peek(at, 4 * len(words)) == b"".join(word.to_bytes(4, bench.byte_order) for word in words)
        monitor.poke(at + 2, [0xABCD], 2)
        first = int.from_bytes(words[0].to_bytes(4, bench.byte_order)[:2], bench.byte_order)
        assert monitor.peek(at, 2, 2) == [first, 0xABCD]
        scratch = memory_map.NIC_BASE + regs.BLOCKS["nic"].registers["debug1"].offset
        monitor.poke(scratch, [0xCAFE_F00D])
        assert monitor.peek(scratch) == [0xCAFE_F00D]
        counters = monitor.counters()
        assert {name for name in counters if not name.startswith("monitor.")} == set(bench.soc.counters)
        assert counters["packets_received"] == bench.soc.counters["packets_received"] > 10
        assert counters["monitor.other"] == 0
        bench.host.send(frame(100, rng))
        bench.network.run(100)
        assert monitor.counters()["monitor.other"] == 1


@pytest.mark.parametrize(
    "faults",
    [pytest.param(Faults(duplicate=1.0), id="twice", marks=pytest.mark.long), pytest.param(BAD, id="bad line")],
)
def test_what_is_asked_is_done_once(preset: str, faults: Faults) -> None:
    """A store into the UART's register prints a character."""
    uart = memory_map.UART_BASE + regs.BLOCKS["uart"].registers["tx_data"].offset
    text = "each letter comes once, and in its place"
    with Bench(preset, faults) as bench:
        before = len(bench.soc.uart.text)
        for letter in text:
            bench.monitor.poke(uart, [ord(letter)])
        bench.network.run(1000)
        assert bench.soc.uart.text[before:] == text


def refused(sentence: str, act: Callable[[], object]) -> None:
    with pytest.raises(NsocError, match=sentence):
        act()


def test_wild_accesses_are_answered_and_leave_the_monitor_alive(preset: str) -> None:
    nic, top = memory_map.NIC_BASE, memory_map.DRAM_BASE + memory_map.DRAM_BYTES
    with Bench(preset) as bench:
        monitor = bench.monitor
        for width in (1, 2, 4):
            refused(f"nobody answers at {NOBODY:#010x}", lambda width=width: monitor.peek(NOBODY, 3, width))
            refused(f"nobody answers at {NOBODY:#010x}", lambda width=width: monitor.poke(NOBODY, [1], width))
        refused("nobody answers at 0x50040000", lambda: monitor.peek(memory_map.PACKET_MEMORY_BASE + 0x3FFF8, 4))
        refused("nobody answers at 0x00000000", lambda: monitor.poke(0, [1]))
        refused(f"{nic + 0x20:#010x} is not for others", lambda: monitor.peek(nic + 0x20, 12))
        refused("is not for others", lambda: monitor.poke(nic + 0x20, [0]))
        refused("is not for others", lambda: monitor.poke(top - (1 << 20), [0]))
        refused("is not for others", lambda: monitor.poke(top - 4, [0]))
        refused("is not for others", lambda: monitor.poke(memory_map.PACKET_MEMORY_BASE, [0]))
        refused("no access of 4 bytes at 0x2", lambda: monitor.peek(2))
        assert monitor.peek(top - 4)
        bench.hello()


def test_a_broken_program_does_not_start(preset: str) -> None:
    with Bench(preset) as bench:
        monitor, good = bench.monitor, program("forward", bench.preset)
        base, data = good.base, good.data
        refused("does not know this session", lambda: monitor._ask(Request.RUN))
        monitor.about()
        refused("has no program", lambda: monitor._ask(Request.RUN))

        def begin(at: int, length: int, entry: int, crc: int = 0) -> None:
            monitor._ask(Request.BEGIN, at, _BEGIN.pack(length, crc, entry))

        for entry in (base - 4, base + 2, base + len(data) + 4):
            refused("entry is not in it", lambda entry=entry: monitor.boot(Program("x", base, data, entry)))
        for at in (0, base - 4, base + ROOM - 4, base + ROOM, base + 2 * ROOM - 4096, memory_map.PACKET_MEMORY_BASE):
            refused("do not lie there", lambda at=at: begin(at, 4096, at))
        refused("do not lie there", lambda: begin(base, (8 << 20) + 1, base))
        refused("do not lie there", lambda: begin(base, 0xFFFF_FFFC, base))
        refused("does not understand", lambda: begin(base + 2, 4096, base + 2))
        begin(base, len(data), base, zlib.crc32(data) ^ 1)
        refused("a part of the program is missing", lambda: monitor._ask(Request.RUN))
        monitor._load(good, monitor.about(), lambda done, total: None)
        monitor.poke(base + 1000, [data[1000] ^ 0x10], 1)
        refused("another CRC-32", lambda: monitor._ask(Request.RUN))
        refused("another CRC-32", lambda: monitor._ask(Request.RUN))
        bench.hello()
        assert "forward" not in bench.soc.uart.text


@pytest.mark.long
def test_an_answer_to_run_that_nobody_confirms_is_given_again_and_then_it_starts(preset: str) -> None:
    with Bench(preset) as bench:
        monitor = bench.monitor
        monitor._load(program("hello", bench.preset), monitor.about(), lambda done, total: None)
        answers = {monitor._ask(Request.RUN).number}
        for _ in range(3):
            bench.network.run(2000)
            monitor._serial -= 1
            answers.add(monitor._ask(Request.RUN).number)
        assert answers == {memory_map.DRAM_BASE} and HELLO not in bench.soc.uart.text
        bench.until_text(HELLO)


def test_where_nobody_is_the_sentence_says_who_should_be_there(preset: str) -> None:
    with Bench(preset) as bench:
        bench.hello()
        refused("nobody answers at 02:00:00:00:00:02: the firmware `monitor` must run", bench.session(2).about)


def test_a_program_in_the_boot_rom_is_refused_with_the_way_out(preset: str) -> None:
    soc = presets.load(preset)
    refused("monitor.elf is linked to the boot ROM, .*name of an application", lambda: program("monitor", soc))


@pytest.mark.parametrize(("mine", "other"), [("nic12-fast", "ajit-nic12-fast"), ("ajit-nic12-fast", "nic12-fast")])
def test_a_program_for_the_other_core_is_refused(mine: str, other: str) -> None:
    elf = firmware.build_for(presets.load(other), "hello", place="dram")
    refused("hello.elf is not for .*, but for .*; give its C file", lambda: program(str(elf), presets.load(mine)))


def test_commands_on_the_uart(preset: str) -> None:
    with Bench(preset) as bench:
        hello = program("hello", bench.preset)
        assert "load BASE BYTES CRC32" in bench.command("help") and "help" in bench.command("what")
        assert "station 2" in bench.command("version")
        assert bench.command("poke 0x40100000 0xdeadBEEF") == "done\n"
        assert bench.command("peek 0x40100000") == "0x40100000: 0xdeadbeef\n"
        words = bench.command("peek 0 5").split()
        rom = bench.soc.peek(0, 20)
        read = [int(word, 16).to_bytes(4, bench.byte_order) for word in words if not word.endswith(":")]
        assert b"".join(read) == rom and words[0] == "0x00000000:" and words[5] == "0x00000010:"
        for wrong, says in (
            ("peek 0x60000000", "bus error"), ("poke 0x60000000 1", "bus error"), ("peek 2", "malformed"),
            ("peek 12x", "commands"), ("poke 4", "commands"), ("peek 0x100000000", "commands"), ("run", "no program"),
            ("load 0x48000000 16 0", "do not lie there"), ("load 0x40000000 16 0 0x40000010", "entry"),
        ):  # fmt: skip
            assert says in bench.command(wrong), wrong
        bench.monitor.about()
        assert "nic.packets_received 1\n" in bench.command("counters")
        for data, says in ((b"\x55" + hello.data[1:], "CRC-32 is wrong"), (hello.data, "loaded")):
            line = f"load {hello.base:#x} {len(data)} {zlib.crc32(hello.data):#x}"
            assert bench.command(line) == "send it\n"
            bench.soc.uart.write(data)
            bench.network.run(3000 + len(data))
            assert says in bench.soc.uart.read()
        assert HELLO in bench.command("run")
