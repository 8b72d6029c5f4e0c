# SPDX-License-Identifier: Apache-2.0
"""What captures of others become: files made byte by byte, and those of Wireshark's tools."""

import binascii
import struct
import subprocess
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import needs
import pytest

from nsoc.errors import NsocError
from nsoc.network import pcapng
from nsoc.network.pcapng import Packet, read, read_frames

FRAME = bytes.fromhex("020000000002 020000000001 88b5") + bytes(range(86))
OTHER = bytes.fromhex("020000000002 020000000001 88b5") + bytes(reversed(range(50)))
BAD_FCS = b"\xde\xad\xbe\xef"


def fcs(frame: bytes) -> bytes:
    return struct.pack("<I", binascii.crc32(frame))


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    length = 12 + len(body)
    return struct.pack(f"{order}II", kind, length) + body + struct.pack(f"{order}I", length)


def options(given: dict[int, bytes], order: str = "<") -> bytes:
    made = b""
    for code, value in given.items():
        made += struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)
    return made + bytes(4) if given else b""


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(given: dict[int, bytes] | None = None, link: int = 1, snaplen: int = 0, order: str = "<") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link, 0, snaplen) + options(given or {}, order), order)


def enhanced(
    data: bytes, ticks: int = 0, *, number: int = 0, original: int | None = None, given: dict[int, bytes] | None = None,
    order: str = "<",
) -> bytes:  # fmt: skip
    original = len(data) if original is None else original
    head = struct.pack(f"{order}IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), original)
    return block(6, head + data + bytes(-len(data) % 4) + options(given or {}, order), order)


def old(data: bytes, ticks: int = 0, *, number: int = 0, flags: int | None = None) -> bytes:
    head = struct.pack("<HHIIII", number, 7, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data))
    given = {} if flags is None else {2: struct.pack("<I", flags)}
    return block(2, head + data + bytes(-len(data) % 4) + options(given))


def simple(data: bytes, original: int | None = None) -> bytes:
    return block(3, struct.pack("<I", len(data) if original is None else original) + data)


def pcap(records: Iterable[tuple[int, int, bytes, int]], link: int = 1, magic: int = 0xA1B2C3D4) -> bytes:
    """Seconds, fraction, bytes, length on the line of each."""
    made = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for seconds, fraction, data, original in records:
        made += struct.pack("<IIII", seconds, fraction, len(data), original) + data
    return made


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def written(*parts: bytes) -> Path:
        path = tmp_path / "in.pcapng"
        path.write_bytes(b"".join(parts))
        return path

    return written


File = Callable[..., Path]


def test_old_and_simple_packet_blocks_are_frames(file: File) -> None:
    path = file(section(), interface(), old(FRAME, 5), enhanced(OTHER, 6), old(OTHER, 7, flags=2))
    assert read(path) == [Packet(5_000_000, True, FRAME), Packet(6_000_000, True, OTHER)]
    path = file(section(), interface(), simple(FRAME), simple(OTHER))
    assert read(path) == [Packet(0, True, FRAME, timed=False), Packet(0, True, OTHER, timed=False)]


def test_a_simple_packet_is_as_long_as_the_first_interface_lets_it(file: File) -> None:
    path = file(section(), interface(snaplen=60), interface(), simple(FRAME[:60], len(FRAME)), simple(OTHER[:60]))
    with pytest.warns(UserWarning, match="1 of 2 records left out"):
        assert read_frames(path) == [OTHER[:60]]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    ("resolution", "ticks", "time_ps"),
    [
        (None, 2**53 + 1, (2**53 + 1) * 10**6),
        (0, 3, 3 * 10**12),
        (9, 1_700_000_000_123_456_789, 1_700_000_000_123_456_789_000),
        (12, 2**64 - 1, 2**64 - 1),
        (15, 123_456, 123),
        (0x80 | 32, 1 << 31, 5 * 10**11),
        (0x80 | 10, 1_700_000_000 * 1024 + 1, 1_700_000_000 * 10**12 + 976_562_500),
    ],
)
def test_times_are_exact(order: str, resolution: int | None, ticks: int, time_ps: int, file: File) -> None:
    given = {14: struct.pack(f"{order}q", -2)} | ({} if resolution is None else {9: bytes([resolution])})
    path = file(section(order), interface(given, order=order), enhanced(FRAME, ticks, order=order))
    assert [packet.time_ps for packet in read(path)] == [time_ps - 2 * 10**12]


def test_each_section_has_its_byte_order_and_its_interfaces(file: File) -> None:
    path = file(
        section("<"), interface({9: b"\x09"}), enhanced(FRAME, 10),
        section(">"), interface(order=">"), interface({9: b"\x03"}, order=">"),
        enhanced(OTHER, 10, number=1, order=">"),
    )  # fmt: skip
    assert [packet.time_ps for packet in read(path)] == [10_000, 10**10]


@pytest.mark.parametrize(
    "parts",
    [
        (section(), interface({13: b"\x04"}), enhanced(FRAME + fcs(FRAME)), enhanced(OTHER + BAD_FCS)),
        (section(), interface({13: b"\x04"}), simple(FRAME + fcs(FRAME)), simple(OTHER + BAD_FCS)),
        (
            section(), interface({13: b"\x00"}),
            *(enhanced(f, given={2: struct.pack("<I", 4 << 5 | 1)}) for f in (FRAME + fcs(FRAME), OTHER + BAD_FCS)),
        ),
        (section(), interface(), *(old(f, flags=4 << 5) for f in (FRAME + fcs(FRAME), OTHER + BAD_FCS))),
        (pcap([(0, 0, f, len(f)) for f in (FRAME + fcs(FRAME), OTHER + BAD_FCS)], 1 | 1 << 26 | 2 << 28),),
    ],
    ids=["option of the interface", "simple packets", "flags of the packet", "flags of an old packet", "pcap"],
)  # fmt: skip
def test_an_fcs_in_the_capture_is_checked_and_taken_off(file: File, parts: tuple[bytes, ...]) -> None:
    assert [(packet.data, packet.bad_fcs) for packet in read(file(*parts))] == [(FRAME, False), (OTHER, True)]


def test_bits_that_say_nothing_of_an_fcs_take_none_off(file: File) -> None:
    assert read_frames(file(pcap([(0, 0, FRAME, len(FRAME))], 1 | 2 << 28))) == [FRAME]
    assert read_frames(file(section(), interface(), enhanced(FRAME, given={2: struct.pack("<I", 1)}))) == [FRAME]


def test_an_fcs_that_is_cut_off_is_not_checked(file: File) -> None:
    """The frame before it is whole."""
    path = file(section(), interface({13: b"\x04"}), enhanced(FRAME + b"??", original=len(FRAME) + 4))
    assert read(path) == [Packet(0, True, FRAME)]


def test_a_frame_that_was_marked_as_damaged_stays_so(file: File) -> None:
    path = file(section(), interface(), enhanced(FRAME, given={2: struct.pack("<I", 1 << 24 | 1)}))
    assert read(path) == [Packet(0, True, FRAME, bad_fcs=True)]
    flags = {2: struct.pack("<I", 1 << 24 | 4 << 5 | 1)}
    path = file(section(), interface(), enhanced(FRAME + fcs(FRAME), given=flags))
    assert read(path) == [Packet(0, True, FRAME, bad_fcs=True)]


def test_a_record_has_all_its_bytes_whatever_length_it_claims(file: File) -> None:
    assert read_frames(file(section(), interface(), enhanced(FRAME, original=20))) == [FRAME]
    assert read_frames(file(pcap([(0, 0, FRAME, 20)]))) == [FRAME]


def _incomplete(kind: str) -> bytes:
    if kind == "pcap":
        return pcap([(0, 0, FRAME[:40], 100), (0, 1, b"", 60), (0, 2, b"", 0), (0, 3, OTHER, len(OTHER))])
    parts = [enhanced(FRAME[:40], 0, original=100), enhanced(b"", 1, original=60), enhanced(b"", 2), enhanced(OTHER, 3)]
    return section() + interface() + b"".join(parts)


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_incomplete_records_are_left_out_counted_and_said_in_one_line(file: File, kind: str) -> None:
    path = file(_incomplete(kind))
    line = f'{path}: 3 of 4 records left out (1 truncated, 2 empty; truncated="pad" sends them)'
    for reads, found in ((read, [Packet(3_000_000, True, OTHER)]), (read_frames, [OTHER])):
        with pytest.warns(UserWarning) as caught:
            assert reads(path) == found
        assert [str(one.message) for one in caught] == [line]
        assert caught[0].filename == __file__, "it is about the line that reads"


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_incomplete_records_are_filled_up_where_that_is_wanted(file: File, kind: str) -> None:
    path = file(_incomplete(kind))
    with pytest.warns(UserWarning, match=r"3 of 4 records filled up with zeros \(1 truncated, 2 empty\)$"):
        frames = read_frames(path, truncated="pad")
    assert frames == [FRAME[:40] + bytes(60), bytes(60), bytes(60), OTHER]


def test_a_truncated_record_does_not_take_its_fcs_for_data(file: File) -> None:
    path = file(section(), interface({13: b"\x04"}), enhanced(FRAME[:40], original=len(FRAME) + 4))
    with pytest.warns(UserWarning, match="1 of 1 records filled up"):
        (packet,) = read(path, truncated="pad")
    assert packet == Packet(0, True, FRAME[:40].ljust(len(FRAME), b"\0"))


def test_a_file_of_incomplete_records_says_why_there_is_no_frame(file: File) -> None:
    path = file(pcap([(0, 0, FRAME[:40], 100)]))
    with pytest.raises(NsocError) as problem:
        read(path)
    assert str(problem.value) == (
        f"the capture {path} holds no frame for the SoC (1 of 1 records left out (1 truncated; "
        'truncated="pad" sends them)); give another file'
    )


def test_stamps_that_run_backwards_are_sorted_and_said(file: File) -> None:
    path = file(section(), interface(), *(enhanced(bytes([i]) * 60, ticks) for i, ticks in enumerate((5, 3, 4, 1, 9))))
    with pytest.warns(UserWarning, match="time runs backwards at 2 of 5 records: sorted$"):
        packets = read(path)
    assert [(packet.time_ps, packet.data[0]) for packet in packets] == [
        (1_000_000, 3), (3_000_000, 1), (4_000_000, 2), (5_000_000, 0), (9_000_000, 4),
    ]  # fmt: skip


def test_frames_of_one_time_stay_in_their_order(file: File) -> None:
    path = file(section(), interface(), *(enhanced(bytes([i]) * 60, 1) for i in range(5)))
    assert [frame[0] for frame in read_frames(path)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("link", [101, 113, 147, 276])
def test_link_types_other_than_ethernet_are_refused(file: File, link: int) -> None:
    for content in (section() + interface(link=link) + enhanced(FRAME), pcap([(0, 0, FRAME, 100)], link)):
        with pytest.raises(NsocError, match=rf"capture of Ethernet frames \(a record of link type {link}\)"):
            read(file(content))
    path = file(section(), interface(link=link), interface(), enhanced(FRAME, number=1))
    assert read_frames(path) == [FRAME], "an interface without a frame is nobody's matter"


def test_an_fcs_that_ethernet_does_not_have_is_refused(file: File) -> None:
    with pytest.raises(NsocError, match=r"\(an FCS of 2 bytes\)"):
        read(file(section(), interface({13: b"\x02"}), enhanced(FRAME)))


def test_unknown_blocks_and_what_nobody_needs_are_skipped(file: File) -> None:
    """Also where they are not as the specification has them: texts that are not UTF-8, addresses of another size."""
    odd = {1: b"\xff\xfe", 2: b"\xff", 4: b"1", 5: bytes(17), 2988: b"x", 9999: b"?"}
    names = block(4, bytes.fromhex("0100 0900 01020304 ffffffff 00 000000"))
    path = file(
        section(), interface(odd), block(0x40000BAD, b"secret--"), names, block(5, b"??"),
        enhanced(FRAME, given={1: b"\xff", 3: b"", 2989: b"1"}), block(10, b"keys"), block(0, b""),
    )  # fmt: skip
    assert read_frames(path) == [FRAME]


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((section(), enhanced(FRAME)), "a frame of an unknown interface"),
        ((section(), simple(FRAME)), "a frame of an unknown interface"),
        ((section(), interface(), struct.pack("<II", 6, 8)), "a block of another length"),
        ((section(), interface(), struct.pack("<II", 6, 33) + bytes(30)), "a block of another length"),
        ((section(), interface(), enhanced(FRAME)[:-4] + b"\0\0\0\0"), "Mismatching block lengths"),
        ((section(), interface(), block(3, struct.pack("<I", 99) + FRAME[:8])), "longer than its block"),
        ((section(), interface(), block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99) + FRAME[:8])), "only got 8"),
        ((section(), interface({13: b"\x04\x04"}), enhanced(FRAME)), "an option of another size"),
        ((section(), interface({14: b"\x04"}), enhanced(FRAME)), "an option of another size"),
        ((section(), interface(), enhanced(FRAME, given={2: b"\x04"})), "an option of another size"),
        ((section()[:8] + b"????" + section()[12:], interface(), enhanced(FRAME)), "unknown byte order"),
    ],
)  # fmt: skip
def test_a_damaged_place_is_refused(file: File, parts: tuple[bytes, ...], why: str) -> None:
    with pytest.raises(NsocError, match=rf"is not a whole pcap or pcapng capture of Ethernet frames \(.*{why}"):
        read(file(*parts))


def test_a_file_that_is_being_written_can_be_opened_at_any_time(tmp_path: Path) -> None:
    """It is whole before and after each packet; elsewhere what is whole of it is read, and that is said."""
    path = tmp_path / "live.pcapng"
    writer = pcapng.Writer(path, pcapng.CAPTURE)
    sizes = [path.stat().st_size]
    for count in range(1, 4):
        writer.frame(Packet(count * 1000, True, bytes([count]) * 9000))
        with warnings.catch_warnings(action="error"):
            assert len(read(path)) == count
        sizes.append(path.stat().st_size)
    writer.close()
    whole = path.read_bytes()
    assert sizes[-1] == len(whole)
    for size in range(sizes[1] + 1, sizes[2], 97):
        path.write_bytes(whole[:size])
        with pytest.warns(UserWarning, match=r"live\.pcapng: it ends in the middle of a record, which is left out$"):
            assert len(read(path)) == 1
    path.write_bytes(whole[: sizes[0]])
    with pytest.raises(NsocError, match=r"live\.pcapng holds no frame for the SoC; give another file$"):
        read(path)


def test_a_pcap_that_is_cut_gives_what_is_whole(file: File) -> None:
    whole = pcap([(0, 0, FRAME, len(FRAME)), (0, 1, OTHER, len(OTHER))])
    for size in range(len(whole) - len(OTHER) - 15, len(whole)):
        with pytest.warns(UserWarning, match="it ends in the middle of a record"):
            assert read_frames(file(whole[:size])) == [FRAME]


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    packets = [
        Packet(1000, True, FRAME), Packet(2000, False, OTHER, True, "cut on the cable"),
        Packet(3000, True, OTHER, True, "lost, müde"), Packet(4000, False, FRAME),
    ]  # fmt: skip
    pcapng.write(tmp_path / "all.pcapng", packets)
    assert read(tmp_path / "all.pcapng", both_ways=True) == packets
    assert read(tmp_path / "all.pcapng") == [packets[0], packets[2]]


# Files of Wireshark's tools.


def run(*command: object) -> str:
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "original.pcapng"
    pcapng.write(path, [Packet((i * i + 1) * 1_001_000, True, FRAME[: 60 + i]) for i in range(5)])
    return path


@needs.program("editcap")
@pytest.mark.parametrize("form", ["pcap", "nsecpcap", "pcapng"])
def test_files_of_editcap_are_read(tmp_path: Path, original: Path, form: str) -> None:
    run("editcap", "-F", form, "-t", "1700000000", original, tmp_path / "out")
    scale = 10**6 if form == "pcap" else 1
    for before, after in zip(read(original), read(tmp_path / "out"), strict=True):
        assert after.data == before.data
        assert after.time_ps == 1_700_000_000 * 10**12 + before.time_ps // scale * scale


@needs.program("editcap")
@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_frames_that_editcap_snaps_are_not_sent_as_whole(tmp_path: Path, original: Path, form: str) -> None:
    run("editcap", "-F", form, "-s", "62", original, tmp_path / "out")
    with pytest.warns(UserWarning, match=r"2 of 5 records left out \(2 truncated;"):
        assert [len(frame) for frame in read_frames(tmp_path / "out")] == [60, 61, 62]
    with pytest.warns(UserWarning, match="2 of 5 records filled up"):
        frames = read_frames(tmp_path / "out", truncated="pad")
    assert frames == [FRAME[: min(60 + i, 62)].ljust(60 + i, b"\0") for i in range(5)]


@needs.program("editcap")
def test_another_link_type_of_editcap_is_refused(tmp_path: Path, original: Path) -> None:
    run("editcap", "-F", "pcap", "-T", "rawip", original, tmp_path / "out")
    with pytest.raises(NsocError, match=r"\(a record of link type 101\)"):
        read(tmp_path / "out")


@needs.program("tshark")
@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_tshark_gives_times_and_frames_as_they_are_read(tmp_path: Path, original: Path, form: str) -> None:
    """Of a file that tshark has written, by tshark and by us."""
    run("tshark", "-r", original, "-F", form, "-w", tmp_path / "out")
    lines = run("tshark", "-r", tmp_path / "out", "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len").split()
    stamps = [int(line.replace(".", "")) * 1000 for line in lines[::2]]
    assert [packet.time_ps for packet in read(tmp_path / "out")] == stamps
    assert [len(packet.data) for packet in read(tmp_path / "out")] == [int(length) for length in lines[1::2]]


@needs.program("tshark")
def test_tshark_sees_the_fcs_where_it_is_seen_here(tmp_path: Path) -> None:
    """Wireshark reads the files that are made here byte by byte as they are meant."""
    files = {
        "option": section() + interface({13: b"\x04"}) + enhanced(FRAME + fcs(FRAME)) + enhanced(OTHER + BAD_FCS),
        "pcap": pcap([(0, 0, f, len(f)) for f in (FRAME + fcs(FRAME), OTHER + BAD_FCS)], 1 | 1 << 26 | 2 << 28),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        command = ("tshark", "-r", tmp_path / name, "-o", "eth.check_fcs:TRUE", "-T", "fields", "-e", "eth.fcs.status")
        assert run(*command).split() == ["1", "0"], name
        assert [packet.bad_fcs for packet in read(tmp_path / name)] == [False, True]
