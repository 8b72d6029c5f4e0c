# SPDX-License-Identifier: Apache-2.0
"""The SoC as either end of a transfer, and as a relay between two others: sink, source and relay on the RTL."""

import random
import re
import zlib
from collections.abc import Callable

import pytest
from runs import some
from socs import EVERYTHING

from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.network.faults import Faults
from nsoc.network.network import Network, NetworkHost
from nsoc.transfer import message, published
from nsoc.transfer.published import State, ethernet_header
from nsoc.transfer.receiver import Receiver
from nsoc.transfer.sender import Sender
from nsoc.transfer.storage import MemorySource, MemoryStore

pytestmark = pytest.mark.slow

STORE, LOADED = 0x4020_0000, 0x4400_0000
CORES = some([EVERYTHING], ["ajit-nic12-dma"])
HOST = bytes.fromhex("020000000001")
LINE_CYCLES = 984.32  # of a frame of 1514 bytes, with preamble, FCS and gap, at 80 MHz


def address(station: int) -> bytes:
    return bytes.fromhex("0200000000") + bytes([station])


def content(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def boot(network: Network, firmware: str, station: int = 2, preset: str | Preset = EVERYTHING, **defines: int) -> Soc:
    soc = network.soc(preset, firmware, defines={"STATION": station, **defines}, checks=True)
    assert network.run(us=3000, until=lambda: "ready" in soc.uart.text)
    return soc


def carry(
    network: Network,
    host: NetworkHost,
    end: Sender | Receiver | published.Sender,
    soc: int = 2,
    over: Callable[[], bool] = lambda: True,
) -> None:
    """Plays an end on a host until it is over, and goes on until `over`: the SoC asks again for a last answer that is
    lost."""
    header = ethernet_header(address(soc), HOST)
    coder = published if isinstance(end, published.Sender) else message
    start = network.time_us

    def send() -> None:
        while host.queued < 6 and (sent := end.poll(network.time_us - start)) is not None:
            host.send(coder.encode(sent, header))

    while end.state is State.RUNNING or not over():
        send()
        network.run(us=3)
        for frame in host.receive_all():
            decoded = coder.decode(frame.data) if frame.good else None
            if isinstance(decoded, message.Message | published.Message):
                end.receive(decoded, network.time_us - start)
        assert network.time_us < start + 200_000, "it hangs"
    send()
    assert end.state is State.DONE, end.failure


def report(network: Network, soc: Soc, word: str) -> re.Match[str]:
    """The line that a SoC prints about a transfer that has ended."""
    line = re.compile(
        rf"{word} (?P<name>.*): (?P<bytes>\d+) bytes at (?P<place>0x\w+)(, digest (?P<digest>0x\w+))?, "
        r"(?P<repeated>\d+) packets repeated, (?P<cycles>\d+) cycles, processor busy (?P<busy>\d+) %"
    )
    network.run(us=4000, until=lambda: line.search(soc.uart.text) is not None)
    found = line.search(soc.uart.text)
    assert found, soc.uart.text
    return found


def say(network: Network, soc: Soc, command: str, answer: Callable[[str], bool]) -> None:
    soc.uart.write(command + "\n")
    assert network.run(us=4000, until=lambda: answer(soc.uart.text)), soc.uart.text


@pytest.mark.parametrize(
    ("preset", "size", "loss"),
    [
        pytest.param(EVERYTHING, 9000, 0.05, id="everything"),
        pytest.param("nic12-fast", 20_000, 0, marks=pytest.mark.long),
        pytest.param("nic12-dram", 20_000, 0, marks=pytest.mark.long),
        pytest.param("nic11-fast", 20_000, 0.02, marks=pytest.mark.long),
        pytest.param("nic12-dma", 300_000, 0.05, marks=pytest.mark.long),
        pytest.param("ajit-nic11-fast", 20_000, 0.02, marks=pytest.mark.long),
        pytest.param("ajit-nic12-dma", 300_000, 0.05, marks=pytest.mark.long),
    ],
)
def test_a_sink_takes_files_and_serves_them(preset: str | Preset, size: int, loss: float) -> None:
    data = content(size)
    with Network(seed=4) as network:
        soc, host = boot(network, "sink", preset=preset), network.host()
        network.cable(soc, host, faults=Faults(loss=loss))
        carry(network, host, Sender.put(MemorySource(data), transfer=0xDEADBEEF, name="a-file"))
        line = report(network, soc, "received")
        assert (line["name"], int(line["bytes"]), int(line["place"], 16)) == ("a-file", size, STORE)
        assert int(line["digest"], 16) == zlib.crc32(data) and soc.peek(STORE, size) == data
        receiver = Receiver.get("a-file", MemoryStore, transfer=5, boot=1)
        carry(network, host, receiver, over=lambda: "sent a-file" in soc.uart.text)
        assert receiver.store is not None and receiver.store.data == data
        say(network, soc, "counters", lambda text: "end\n" in text)
        assert "2 transfers delivered" in soc.uart.text


@pytest.mark.parametrize("preset", CORES)
def test_a_source_serves_what_was_loaded_into_its_memory(preset: str | Preset) -> None:
    data = content(5000)
    with Network() as network:
        soc, host = boot(network, "source", preset=preset), network.host()
        network.cable(soc, host)
        soc.load(LOADED, data)
        say(network, soc, f"serve {LOADED:#x} {len(data)} loaded", lambda text: "serving" in text)
        receiver = Receiver.get("loaded", MemoryStore, transfer=5, boot=1)
        carry(network, host, receiver)
        assert receiver.store is not None and receiver.store.data == data
        assert int(report(network, soc, "sent")["digest"], 16) == zlib.crc32(data)


@pytest.mark.long
@pytest.mark.parametrize("get", [False, True])
def test_a_soc_is_faster_than_the_line(get: bool) -> None:
    size = 1_000_000
    data = content(size)
    with Network() as network:
        soc, host = boot(network, "sink"), network.host()
        network.cable(soc, host)
        if get:
            soc.load(LOADED, data)
            say(network, soc, f"serve {LOADED:#x} {size} x", lambda text: "serving" in text)
            carry(network, host, Receiver.get("x", MemoryStore, transfer=5, boot=1, credit=40))
        else:
            carry(network, host, Sender.put(MemorySource(data), transfer=5))
        line = report(network, soc, "sent" if get else "received")
        assert int(line["cycles"]) < -(-size // 1480) * LINE_CYCLES / 0.97 and int(line["busy"]) < 90
        assert soc.counters["rx_drop_no_buffer"] == soc.counters["rx_drop_overflow"] == 0


@pytest.mark.parametrize(
    ("size", "preset"), some([(4000, EVERYTHING)], [(200_000, EVERYTHING), (4000, "ajit-nic12-dma")])
)
def test_socs_transfer_to_each_other_through_a_relay(size: int, preset: str | Preset) -> None:
    data = content(size)
    with Network() as network:
        source, relay, sink = (
            boot(network, name, station, preset) for station, name in enumerate(("source", "relay", "sink"), 2)
        )
        host = network.host()
        network.switch(source, relay, sink, host)
        source.load(LOADED, data)
        say(network, source, f"serve {LOADED:#x} {size} data", lambda text: "serving" in text)
        source.uart.write("put 4@3 data\n")
        assert int(report(network, sink, "received")["digest"], 16) == zlib.crc32(data)
        assert sink.peek(STORE, size) == data
        assert report(network, source, "sent")["name"] == "data"
        # The other way round, and directly.
        sink.uart.write("get 2 data\n")
        network.run(us=4000, until=lambda: sink.uart.text.count("received") == 2 and sink.uart.text.endswith("%\n"))
        assert sink.uart.text.count(f"{zlib.crc32(data):#010x}") == 2
        say(network, relay, "counters", lambda text: "end\n" in text)
        assert "1 transfers opened" in relay.uart.text


@pytest.mark.parametrize("preset", CORES)
def test_a_sink_takes_the_published_types(preset: str | Preset) -> None:
    data = content(6000)
    with Network() as network:
        soc, host = boot(network, "sink", preset=preset), network.host()
        network.cable(soc, host, faults=Faults(loss=0.02))
        carry(network, host, published.Sender(data))
        line = report(network, soc, "received")
        assert soc.peek(int(line["place"], 16), len(data)) == data


def test_a_soc_whose_peer_is_gone_says_so() -> None:
    with Network() as network:
        soc = boot(network, "sink", GIVE_UP_MS=2)
        network.cable(soc, network.host())
        soc.uart.write("get 9 x\n")
        assert network.run(us=8000, until=lambda: soc.uart.text.endswith(" %\n"))
        assert "failed x: nothing came for too long, 0 bytes" in soc.uart.text
