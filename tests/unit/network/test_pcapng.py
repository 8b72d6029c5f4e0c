# SPDX-License-Identifier: Apache-2.0
"""Captures: what Scapy and a parser of the format read from a written file, and what is read from files of others."""

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapNgReader, wrpcap, wrpcapng

from nsoc.errors import NsocError
from nsoc.network.pcapng import Packet, read_frames, write


def _blocks(data: bytes) -> list[tuple[int, bytes]]:
    """Type and body of each block, by the letter of the specification."""
    blocks, at = [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, at + length - 4)[0] == length
        blocks.append((kind, data[at + 8 : at + length - 4]))
        at += length
    return blocks


def _options(data: bytes) -> dict[int, bytes]:
    options, at = {}, 0
    while True:
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            assert at + 4 == len(data)
            return options
        options[code] = data[at + 4 : at + 4 + length]
        at += 4 + length + -length % 4


def test_stamps_are_exact_to_the_nanosecond(tmp_path: Path) -> None:
    stamps_ps = [0, 8_000, 2**40 * 1000 + 7_000, 1_234_567_890_123_000]
    write(tmp_path / "x.pcapng", [Packet(t, i % 2 == 0, bytes([i]) * (60 + i)) for i, t in enumerate(stamps_ps)])
    kinds = _blocks((tmp_path / "x.pcapng").read_bytes())
    assert [kind for kind, _ in kinds] == [0x0A0D0D0A, 1, 1, 6, 6, 6, 6]
    for (_, body), name in zip(kinds[1:3], (b"host to SoC", b"SoC to host"), strict=True):
        assert struct.unpack_from("<HHI", body) == (1, 0, 0)
        assert _options(body[8:]) == {2: name, 9: b"\x09"}
    for (_, body), (i, stamp) in zip(kinds[3:], enumerate(stamps_ps), strict=True):
        interface, high, low, captured, original = struct.unpack_from("<IIIII", body)
        assert interface == i % 2
        assert (high << 32 | low) * 1000 == stamp
        assert captured == original == 60 + i
        assert body[20 : 20 + captured] == bytes([i]) * (60 + i)


def test_direction_fcs_errors_and_comments_are_marked(tmp_path: Path) -> None:
    packets = [Packet(1, True, bytes(61), True, "corrupted"), Packet(2, False, bytes(62))]
    write(tmp_path / "x.pcapng", packets)
    first, second = (body for kind, body in _blocks((tmp_path / "x.pcapng").read_bytes()) if kind == 6)
    assert _options(first[20 + 64 :]) == {1: b"corrupted", 2: struct.pack("<I", 1 | 1 << 24)}
    assert _options(second[20 + 64 :]) == {2: struct.pack("<I", 2)}


def test_scapy_reads_the_file_in_the_order_of_time(tmp_path: Path) -> None:
    write(tmp_path / "x.pcapng", [Packet(3_000_000, False, b"c" * 60), Packet(1_008_000, True, b"a" * 61)])
    with RawPcapNgReader(str(tmp_path / "x.pcapng")) as reader:
        packets = list(reader)
    assert [data for data, _ in packets] == [b"a" * 61, b"c" * 60]
    metadata = packets[0][1]
    assert metadata.tsresol == 10**9
    assert (metadata.tshigh << 32 | metadata.tslow) == 1008


@settings(deadline=None)  # a busy machine is slow
@given(st.lists(st.binary(min_size=14, max_size=100), min_size=1, max_size=5))
def test_frames_of_scapys_captures_are_read(tmp_path_factory: pytest.TempPathFactory, frames: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("captures")
    for name, writer in (("x.pcap", wrpcap), ("x.pcapng", wrpcapng)):
        writer(str(folder / name), [Ether(frame) for frame in frames])
        assert read_frames(folder / name) == frames


def test_big_endian_and_nanosecond_pcap_files_are_read(tmp_path: Path) -> None:
    for order, magic in ((">", 0xA1B2C3D4), ("<", 0xA1B23C4D)):
        head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
        record = struct.pack(f"{order}IIII", 1, 2, 60, 60) + b"f" * 60
        (tmp_path / "x.pcap").write_bytes(head + record)
        assert read_frames(tmp_path / "x.pcap") == [b"f" * 60]


def test_of_an_own_capture_only_the_frames_to_the_soc_are_played(tmp_path: Path) -> None:
    packets = [Packet(1, True, b"i" * 60), Packet(2, False, b"o" * 60), Packet(3, True, b"j" * 60, True, "bad")]
    write(tmp_path / "x.pcapng", packets)
    assert read_frames(tmp_path / "x.pcapng") == [b"i" * 60, b"j" * 60]


def _good_capture(path: Path) -> bytes:
    write(path, [Packet(1, True, b"i" * 60)])
    return path.read_bytes()


def test_every_truncation_of_a_capture_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    whole = _good_capture(path)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(NsocError, match=r"x\.pcapng"):
            read_frames(path)


@settings(deadline=None)  # a busy machine is slow
@given(st.binary(max_size=200), st.sampled_from([b"", b"\x0a\x0d\x0d\x0a", b"\xd4\xc3\xb2\xa1"]))
def test_noise_is_never_more_than_an_error(tmp_path_factory: pytest.TempPathFactory, noise: bytes, head: bytes) -> None:
    path = tmp_path_factory.mktemp("noise") / "x"
    path.write_bytes(head + noise)
    try:
        frames = read_frames(path)
    except NsocError:
        return
    assert frames


def test_a_missing_capture_is_named(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match=r"nothing\.pcap.*No such file"):
        read_frames(tmp_path / "nothing.pcap")
