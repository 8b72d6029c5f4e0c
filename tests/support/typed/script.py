# SPDX-License-Identifier: Apache-2.0
"""A user's script that uses every public name, for `mypy --strict`: tests/unit/test_typed.py. It is not run."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import assert_type

import nsoc
from nsoc import pcapng
from nsoc.bench import (
    bursts,
    clock,
    cpu,
    images,
    latency,
    latency_output,
    live,
    mac,
    mac_example,
    modes,
    nic,
    peers,
    pnic,
    sockets,
    speed,
    sweep,
    thesis,
    toe,
)
from nsoc.bench.mac import Mix
from nsoc.machine.debug import Debugger, Halt, Point
from nsoc.machine.soc import Event, FifoUse, Uart
from nsoc.monitor import Loaded
from nsoc.monitor.client import About, Program, program
from nsoc.network.inet import Datagram, Listener, Settings, State, Stream, Udp
from nsoc.network.network import Arrived, Cable, Departed, Switch, Tap
from nsoc.network.wire import LogEntry
from nsoc.pnic.host import Cable as PnicCable
from nsoc.pnic.host import Received as PnicReceived
from nsoc.records import Record

FRAME = bytes(60)


def of_presets() -> nsoc.Preset:
    assert_type(nsoc.list_presets(), list[str])
    preset = nsoc.load_preset("toe")
    assert_type(nsoc.load_preset(Path("mine.toml")), nsoc.Preset)
    assert_type(preset.connections, int)
    assert_type(preset.cpu_mhz, float)
    return preset.with_(cpu_mhz=100)


def of_a_soc(preset: nsoc.Preset) -> None:
    with nsoc.Soc(preset, firmware="forward", seed=2, defines={"DELAY": 3}, log=True, secret=bytes(16)) as soc:
        assert_type(soc.boot(), nsoc.Soc)
        assert_type(soc.run(us=10, frames=1), nsoc.Stop)
        if soc.run(text="x") is nsoc.Stop.TEXT:
            assert_type(soc.time_us, float)
        wire: nsoc.Wire = soc.wire
        sent: nsoc.Sent = wire.send(FRAME, ifg=20, bad_fcs=True)
        assert_type(sent.end_ps, int | None)
        answer: nsoc.Received | None = wire.receive(timeout_us=5)
        if answer is not None:
            assert_type(answer.data, bytes)
        assert_type(wire.log, list[LogEntry])
        assert_type(soc.uart, Uart)
        soc.uart.write("hello")
        assert_type(soc.counters, Mapping[str, int])
        assert_type(soc.fifos(), dict[str, FifoUse])
        assert_type(soc.events(), list[Event])
        assert_type(soc.elf, Path)
        debugger: Debugger = soc.debugger(0)
        debugger.insert(0x100, Point.EXECUTE)
        if debugger.run() is Halt.BREAKPOINT:
            assert_type(debugger.x(2), int)


def of_a_network(faults: nsoc.Faults) -> None:
    with nsoc.Network(3, log="faults.log") as network:
        soc, host, tap = network.soc("nic12-net"), network.host(), network.tap()
        assert_type(host, nsoc.NetworkHost)
        assert_type(tap, Tap)
        switch: Switch = network.switch(soc, host, faults=faults)
        cable: Cable = network.cable(switch.ports[0], tap, faults=(faults, nsoc.Faults()))
        assert_type(cable.counts(), list[dict[str, int]])
        departed: Departed = host.send(FRAME, at_us=5.5)
        arrived: Arrived | None = host.receive()
        assert_type(departed.end_ps, int)
        assert_type(None if arrived is None else arrived.good, bool | None)
        assert_type(network.run(10, until=lambda: "ready" in soc.uart.text), bool)
        of_a_monitor(nsoc.Monitor(network, host, bytes(6), random=random.Random(1)), soc.preset)
        of_a_peer(nsoc.Peer(network, "10.0.0.1", settings=Settings(mss=536)))


def of_a_monitor(monitor: nsoc.Monitor, preset: nsoc.Preset) -> None:
    about: About = monitor.about()
    one: Program = program("hello", preset)
    loaded: Loaded = monitor.boot(one)
    assert_type((about.room, loaded.us), tuple[int, float])
    assert_type(monitor.peek(0x4000_0000, 4), list[int])


def of_a_peer(peer: nsoc.Peer) -> None:
    assert_type(peer.ping("10.0.0.2"), float | None)
    udp: Udp = peer.udp(7)
    udp.send(b"x", "10.0.0.2", 7)
    datagram: Datagram | None = udp.receive()
    listener: Listener = peer.listen(80)
    stream: Stream | None = listener.accept()
    if stream is not None and stream.state is State.ESTABLISHED:
        assert_type(stream.read(5), bytes)
    assert_type(None if datagram is None else datagram.data, bytes | None)


def of_a_programmable_nic() -> None:
    with nsoc.PnicHost("pnic-rice", order="amo") as host:
        host.send(FRAME)
        cable: PnicCable = host.wire
        received: PnicReceived | None = cable.receive()
        assert_type(None if received is None else received.fcs_ok, bool | None)
        assert_type(host.receive(), bytes | None)
        assert_type(host.counters, dict[str, int])


def of_captures(soc: nsoc.Soc) -> None:
    packets = [pcapng.Packet(entry.start_ps, entry.to_soc, entry.data) for entry in soc.wire.log]
    nsoc.pcapng.write("all.pcapng", packets)
    assert_type(pcapng.read(Path("all.pcapng")), list[pcapng.Packet])
    assert_type(pcapng.read_frames("all.pcapng"), list[bytes])
    writer = pcapng.Writer("one.pcapng", [("line", 1)])
    writer.packet(0, 5_000, FRAME)
    writer.close()


def of_benches(preset: nsoc.Preset) -> list[Record]:
    found = modes.records(modes.run([64], preset=preset))
    found += nic.records(nic.run(preset="nic12-fast", progress=lambda done, total: None))
    found += clock.records(clock.run(seeds=(1, 2))) + bursts.records(bursts.run())
    found += cpu.records(cpu.run(["nic_forward"])) + images.records(images.run()) + live.records(live.run())
    found += mac.records(mac.run([nsoc.load_preset("lat-25g")], [Mix(60, 200)]))
    found += mac_example.records(mac_example.run(frames=100)) + speed.records(speed.run(part=0.1))
    found += latency_output.records(latency.run([nsoc.load_preset("lat-10g")], [1, 64]))
    found += pnic.records(pnic.run(["pnic-rice"], [1518])) + peers.records(peers.run(quick=True))
    found += thesis.records(thesis.run(thesis.plan(["7.2"]), thesis.host_model(30, 30)))
    found += sweep.run(sweep.parse_axes(["cpu_mhz=40,80"]), benchmark="modes").records()
    found += sockets.records(sockets.run()) + toe.records(toe.run(["tcp-both-1"]))
    assert_type(found[0].value, float | int | bool | str)
    return found


def main() -> None:
    tried: list[Callable[[], object]] = [of_presets, of_a_programmable_nic, lambda: of_a_network(nsoc.Faults(loss=0.1))]
    try:
        for one in tried:
            one()
    except nsoc.NsocError as problem:
        print(problem)


if __name__ == "__main__":
    main()
