# SPDX-License-Identifier: Apache-2.0
"""Values that a network, its peers and captures cannot take are one sentence each."""

from collections.abc import Callable
from pathlib import Path

import pytest

import nsoc
from nsoc.errors import NsocError
from nsoc.machine import firmware
from nsoc.network.inet import Settings
from nsoc.network.network import DELAY_NS
from nsoc.pnic import firmware as of_pnic


@pytest.fixture
def network() -> nsoc.Network:
    return nsoc.Network()


@pytest.mark.parametrize("number", [-1, 0, 65536, 2**70])
@pytest.mark.parametrize(
    "call",
    [
        lambda peer, port: peer.udp(port),
        lambda peer, port: peer.listen(port),
        lambda peer, port: peer.open("10.0.0.2", port),
        lambda peer, port: peer.connect("10.0.0.2", port),
        lambda peer, port: peer.udp().send(b"x", "10.0.0.2", port),
    ],
    ids=["udp", "listen", "open", "connect", "send"],
)
def test_a_port_is_1_to_65535(network: nsoc.Network, call: Callable[[nsoc.Peer, int], object], number: int) -> None:
    with pytest.raises(NsocError, match=f"^port must be 1 to 65535, not {number}$"):
        call(nsoc.Peer(network), number)
    with pytest.raises(NsocError, match=f"^local_port must be 1 to 65535, not {number}$"):
        nsoc.Peer(network).open("10.0.0.2", 7, local_port=number)


@pytest.mark.parametrize("mac", ["", "02:00:00:00:00", "02:00:00:00:00:0g", "020000000001", "02:00:00:00:00:01:02"])
def test_a_mac_address_is_six_bytes(network: nsoc.Network, mac: str) -> None:
    with pytest.raises(NsocError, match=rf"^'{mac}' is not a MAC address like 02:00:00:00:00:01$"):
        nsoc.Peer(network, mac=mac)
    assert nsoc.Peer(network, mac="02:aB:00:00:00:01").mac == bytes.fromhex("02ab00000001")


def test_what_fits_into_no_frame_is_refused_at_once(network: nsoc.Network) -> None:
    peer = nsoc.Peer(network)
    with pytest.raises(NsocError, match=r"^an echo of 1473 bytes does not go into a frame: at most 1472 do$"):
        peer.ping("10.0.0.2", data=bytes(1473))
    for length in (0, 65536):
        with pytest.raises(NsocError, match=f"^a frame of {length} bytes cannot be sent, only 1 to 65535$"):
            peer.send_frame(bytes(length))


def test_a_port_may_be_closed_twice(network: nsoc.Network) -> None:
    peer = nsoc.Peer(network)
    udp, listener = peer.udp(7), peer.listen(7)
    for _ in range(2):
        udp.close()
        listener.close()
    assert peer.udp(7).port == peer.listen(7).port == 7


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("mss", 0, "mss must be 1 to 65495 bytes, not 0"),
        ("mss", 65496, "mss must be 1 to 65495 bytes, not 65496"),
        ("window", 0, "window must be 1 to 1073725440 bytes, not 0"),
        ("window", 2**30, "window must be 1 to 1073725440 bytes, not 1073741824"),
        ("least_rto_us", -1.0, "least_rto_us must be a time of at least 0 us, not -1.0"),
        ("msl_us", float("nan"), "msl_us must be a time of at least 0 us, not nan"),
        ("patience_us", float("inf"), "patience_us must be a time of at least 0 us, not inf"),
    ],
)
def test_settings_of_a_connection_are_possible_ones(field: str, value: float, sentence: str) -> None:
    with pytest.raises(NsocError) as problem:
        Settings(**{field: value})  # type: ignore[arg-type]
    assert str(problem.value) == sentence


def test_a_cable_has_two_ways_and_is_tapped_first(network: nsoc.Network) -> None:
    cable = network.cable(network.host(), network.host(), delay_ns=DELAY_NS)
    with pytest.raises(NsocError, match=r"behind tap\(\): call that first"):
        cable.sent(0)
    cable.tap()
    assert cable.sent(0) == cable.came(1) == []
    for way in (-1, 2, 2**70):
        for call in (cable.sent, cable.came):
            with pytest.raises(NsocError, match=f"^a cable has the ways 0 and 1, not {way}$"):
                call(way)


def test_a_monitor_is_at_a_mac_address(network: nsoc.Network) -> None:
    for name in ("address", "station"):
        with pytest.raises(NsocError, match=f"^{name} must be a MAC address of 6 bytes, not 5$"):
            nsoc.Monitor(network, network.host(), **{"address": bytes(6), name: bytes(5)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("interface", 2, "interface of a packet must be 0 to 1, not 2"),
        ("interface", -1, "interface of a packet must be 0 to 1, not -1"),
        ("time_ps", -1, "time_ps / 1000 of a packet must be 0 to 18446744073709551615, not -1"),
        ("time_ps", 2**75, "time_ps / 1000 of a packet must be 0 to 18446744073709551615, not "),
        ("flags", 2**32, "flags of a packet must be 0 to 4294967295, not 4294967296"),
        ("comment", "x" * 65536, "the length of comment of a packet must be 0 to 65535, not 65536"),
    ],
)
def test_a_capture_holds_what_its_format_can(tmp_path: Path, field: str, value: object, sentence: str) -> None:
    writer = nsoc.pcapng.Writer(str(tmp_path / "c.pcapng"), nsoc.pcapng.CAPTURE)
    with pytest.raises(NsocError) as problem:
        writer.packet(**{"interface": 0, "time_ps": 5000, "data": b"frame", field: value})  # type: ignore[arg-type]
    assert str(problem.value).startswith(sentence)
    writer.packet(1, 5000, b"frame", 1)
    writer.close()
    (packet,) = nsoc.pcapng.read(str(tmp_path / "c.pcapng"))
    assert packet == nsoc.pcapng.Packet(5000, True, b"frame")


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_what_names_no_application_is_none(name: str) -> None:
    with pytest.raises(NsocError, match=rf"^there is no firmware '{name}', only "):
        firmware.build(name)


@pytest.mark.parametrize("build", [firmware.build, of_pnic.build])
@pytest.mark.parametrize("name", ["", "A B", "1A", "A=", "A(x)", "É"])
def test_a_define_is_a_name_of_the_preprocessor(build: Callable[..., Path], name: str) -> None:
    program = "hello" if build is firmware.build else "lean"
    with pytest.raises(NsocError) as problem:
        build(program, {name: 1})
    assert str(problem.value) == f"{name!r} in defines is no name of a C preprocessor symbol, as DELAY is"
