# SPDX-License-Identifier: Apache-2.0
"""docs/protocol.md: its example runs, is what tshark shows, and its tables and numbers are those of both ends."""

import re
import struct
from pathlib import Path
from typing import Any

import pytest
from docs_pages import ROOT, check_same, defined, example, needs, run, run_python, says, table
from docs_tables import number

from nsoc.monitor import client
from nsoc.monitor import message as monitor
from nsoc.network.ethernet import LONGEST
from nsoc.network.pcapng import Packet as Captured
from nsoc.network.pcapng import write
from nsoc.transfer import end, message, published, receiver, scheme, sender, timer
from nsoc.transfer.message import Accept, Finish, Kind, Open, Packet, Progress, Result, decode

PAGE = "docs/protocol.md"
SHOWN = example(PAGE, "An example", 1)
CODE = example(PAGE, "An example", 2)
PRINTED = example(PAGE, "An example", 3)
SIZES = {"u8": "B", "u16": "H", "u32": "I", "u8[6]": "6s"}
REPEATED = r"(, the values|; the values|, so many u32: bitmap|; u32 blocks that miss)"


def test_the_example_prints_what_stands_behind_it(tmp_path: Path) -> None:
    check_same(PRINTED, run_python(CODE.text, tmp_path))


@pytest.fixture(scope="module")
def frames() -> list[bytes]:
    """Of the example, with the data and the name that the page shows."""
    total = re.search(r'put "(\w+)", (\d+) bytes', SHOWN.text)
    assert total
    code = CODE.text.replace('b"hello" * 2800', f"bytes({total[2]})").replace('"greetings"', f'"{total[1]}"')
    match = "            match decode(frame)"
    code = code.replace(match, f"            frames.append(frame)\n{match}")
    found: dict[str, Any] = {"frames": []}
    exec(compile(code, PAGE, "exec"), found)
    return list(found["frames"])


def told(frame: bytes) -> str:
    """A message in the words of the dissector."""
    said = decode(frame)
    words = {
        Open: 'put "{name}", {total} bytes', Accept: "{total} bytes, credit {credit}", Packet: "packet {number}",
        Finish: "{total} bytes in {packets} packets", Result: "delivered, {total} bytes",
        Progress: "next {next} and {beyond} beyond, seen {seen}, credit {credit}",
    }  # fmt: skip
    parts = {name: getattr(said, name) for name in said.__slots__}
    if isinstance(said, Progress):
        parts["beyond"] = (said.bitmap >> said.next % 32).bit_count()
    kind = "Data" if isinstance(said, Packet) else type(said).__name__
    what = words[type(said)].format(**parts)
    return f"{frame[6:12].hex(':')}  {kind} #{parts['serial']} of transfer {parts['transfer']:#010x}: {what}"


def test_the_messages_are_those_that_the_page_shows(frames: list[bytes]) -> None:
    check_same(SHOWN, "\n".join(map(told, frames)))


def test_tshark_shows_them_so(frames: list[bytes], tmp_path: Path) -> None:
    needs("tshark")
    capture, home = tmp_path / "put.pcapng", tmp_path / "home"
    write(capture, [Captured(i * 10**7, True, frame) for i, frame in enumerate(frames)])
    run(f"nsoc wireshark --folder {home}/.local/lib/wireshark/plugins")
    fields = "-T fields -e eth.src -e _ws.col.Info"
    said = run(f"tshark -r {capture} {fields}", variables={"HOME": str(home)})
    check_same(SHOWN, said.replace("\t", "  "))


# ---- Numbers of both ends --------------------------------------------------------------------------------------------


def struct_of(body: str) -> str:
    """The format of the fixed parts of a body as a table tells it, big-endian."""
    return ">" + "".join(SIZES[size] for size in re.findall(r"u8\[6\]|u8|u16|u32", re.sub(REPEATED, "", body)))


def spelled(layout: struct.Struct) -> str:
    """Its format, a letter a field."""
    return re.sub(r"(\d+)([BHI])", lambda found: int(found[1]) * found[2], layout.format)


def test_the_header_is_that_of_the_code() -> None:
    rows = table(PAGE, "The numbered format", 1)
    at, form = 0, ">"
    for place, field, _ in rows[:-1]:
        assert int(place) == at
        form += SIZES[field.split()[0]]
        at = struct.calcsize(form)
    assert form == message._HEADER.format + message._CRC.format.removeprefix(">") and rows[-1][:2] == [str(at), "body"]
    assert at == message.MESSAGE_HEADER_BYTES == defined("firmware/lib/transfer/message.h", "MESSAGE_HEADER_BYTES")
    says(
        PAGE,
        f"begins with this header of {at} bytes. Its body has at most {message.MAX_BODY_BYTES} bytes, so that a frame "
        f"has at most {LONGEST}.",
        f"both with Ethertype 0x{published.ETHERTYPE:04X}",
        f"then of bytes 0 to {struct.calcsize(message._HEADER.format) - 1} of this header",
    )


def test_types_and_bodies_are_those_of_the_code() -> None:
    rows = table(PAGE, "The numbered format", 2)
    assert [(int(kind, 16), name.upper()) for kind, name, *_ in rows] == [(kind.value, kind.name) for kind in Kind]
    bodies = {name: body for _, name, _, _, body in rows}
    forms = {
        "Open": message._OPEN, "Accept": message._ACCEPT, "Progress": message._PROGRESS, "Finish": message._FINISH,
        "Result": message._RESULT,
    }  # fmt: skip
    assert {name: struct_of(bodies[name]) for name in forms} == {name: form.format for name, form in forms.items()}
    assert f"at most {message.MAX_NAME_BYTES} bytes" in bodies["Open"]
    assert f"the packet: {message.PACKET_BYTES} bytes" in bodies["Data"]
    first, last = min(Kind), max(Kind)
    says(PAGE, f"types 0x{first:02X} to 0x{last:02X}, numbers transfers", "types 0x01 to 0x03, is that of")


def test_numbers_of_reasons_and_results_are_those_of_the_code() -> None:
    refusals = (
        "busy", "too large", "not found", "this number is in use", "no such station behind this relay",
        "nothing to serve", "cannot be stored",
    )  # fmt: skip
    cancellations = (
        "this transfer is not known here", "given up", "stopped by the user", "the peer contradicts itself",
    )  # fmt: skip
    text = re.sub(r" \([^)]*\)", "", " ".join((ROOT / PAGE).read_text(encoding="utf-8").split()))
    for kinds, words in (
        (message.Refusal, refusals), (message.Cancellation, cancellations),
        (message.Outcome, ("delivered", "the digest differs", "it could not be stored")),
    ):  # fmt: skip
        for kind, word in zip(kinds, words, strict=True):
            assert f"{kind.value} {word}" in text, (kind, word)


def test_times_windows_and_counts_are_those_of_the_code() -> None:
    firmware = "firmware/lib/transfer/internal.h"
    ticks = dict(re.findall(r"#define (RTO_\w+) TICKS\((\d+)u\)", (ROOT / firmware).read_text(encoding="utf-8")))
    assert float(ticks["RTO_LEAST"]) == timer.SHORTEST_US and float(ticks["RTO_FIRST"]) == timer.FIRST_US
    assert float(ticks["RTO_MARGIN"]) == timer._GRANULARITY_US and float(ticks["RTO_MOST"]) == timer.LONGEST_US
    assert defined(firmware, "PROGRESS_EVERY") == receiver.PROGRESS_EVERY
    assert defined(firmware, "REORDER") == sender.REORDER
    assert defined("firmware/lib/transfer/station.h", "STATION_WINDOW") == message.WINDOW
    says(
        PAGE,
        f"(at least {timer._GRANULARITY_US:g} us), from {timer.SHORTEST_US:g} us to {timer.LONGEST_US / 1e6:g} s, "
        f"{timer.FIRST_US / 1e3:g} ms at first, doubled",
        f"Progress is sent after each {receiver.PROGRESS_EVERY} Data",
        f"and a serial at least {sender.REORDER} above its own has been seen",
        f"from (next & ~31) + {message.WINDOW} on",
        f"packets below its own `next` + {message.WINDOW}",
        f"There are at most {message.BITMAP_WORDS} words",
        f"After {end.PATIENCE_US / 1e6:g} s (a setting) in which nothing new arrived",
        f"when no new packet came for {end.PATIENCE_US / 1e6:g} s it cancels",
        f"whose length is not {message.PACKET_BYTES} bytes",
    )


def test_the_published_format_is_that_of_the_code() -> None:
    rows = table(PAGE, "The published format", 1)
    assert [(int(kind, 16), name) for kind, name, _ in rows] == [(1, "data"), (2, "summary"), (3, "ack")]
    assert f"then 1 to {published.MAX_PAYLOAD_BYTES} bytes" in rows[0][2]
    assert struct_of("u8" + rows[1][2]) == published._SUMMARY.format
    says(PAGE, f"A list of more than {published.MAX_MISSING} numbers goes out as several acks")
    small, large = (scheme.burst_frames(kb * 1024) for kb in (4, 16))
    schemes = table(PAGE, "The published format", 2)
    assert [int(number(row[0])) for row in schemes] == [kind.value for kind in scheme.Scheme]
    assert f"{small} frames for 4 KB, {large} for 16 KB" in schemes[1][1]
    assert f"a pause of {scheme.PAUSE_US:g} us" in schemes[1][1]


def test_limits_of_the_station_are_those_of_the_firmware() -> None:
    station = "firmware/lib/transfer/station.h"
    text = (ROOT / station).read_text(encoding="utf-8")
    assert "STATION_BUFFERS (PORT_BUFFERS * 3u / 4u)" in text
    buffers = defined("firmware/lib/nic.h", "NIC_BUFFERS")
    says(
        PAGE,
        f"sender and receiver of up to {defined(station, 'STATION_TRANSFERS')} transfers at once. At most "
        f"{buffers * 3 // 4} of the {buffers} buffers are for packets",
        f"at most {defined(station, 'STATION_PUBLISHED_PACKETS')} packets of such a transfer",
    )


def test_the_monitors_messages_are_those_of_the_code() -> None:
    rows = table(PAGE, "The monitor")
    assert [(int(kind, 16), name.upper()) for kind, name, *_ in rows] == [(k.value, k.name) for k in monitor.Request]
    header = "firmware/lib/monitor/monitor.h"
    requests = {name: body for _, name, _, body, _ in rows}
    answers = {name: body for _, name, _, _, body in rows}
    assert struct_of(answers["Hello"]) == spelled(client._HELLO)
    assert struct_of(requests["Peek"]) == struct_of(requests["Poke"]) == client._ACCESS.format
    assert struct_of(requests["Begin"]) == spelled(client._BEGIN)
    assert f"{defined(header, 'MONITOR_BLOCK_BYTES')} bytes of the program" in requests["Block"]
    listed = (ROOT / header).read_text(encoding="utf-8").split("typedef enum")[1].split("MONITOR_STATUSES")[0]
    statuses = re.findall(r"^ +MONITOR_(\w+)", listed, re.MULTILINE)
    assert [status.name for status in monitor.Status] == statuses
    words = (
        "done", "unknown session", "malformed", "bus error", "the monitor works with what is there",
        "programs do not lie there", "the entry is not in the program", "no program was begun", "a part is missing",
        "wrong CRC-32",
    )  # fmt: skip
    flags = ", ".join(f"{status.value} {word}" for status, word in zip(monitor.Status, words, strict=True))
    sessions = {4: "four"}[defined(header, "MONITOR_SESSIONS")]
    main = (ROOT / "firmware/apps/monitor/main.c").read_text(encoding="utf-8")
    confirmed = re.search(r"CONFIRM_CYCLES \((\d+)u \* CPU_MHZ\)", main)
    assert confirmed
    says(
        PAGE,
        f"Flags of an answer: {flags}.",
        f"The type of an answer is that of the request plus {monitor.ANSWER}",
        f"or for {int(confirmed[1]) / 1000:g} ms in which nothing comes",
        f"its last answer to each of the last {sessions} sessions",
        f"The types 0x{min(monitor.Request):02X} to 0x{monitor.Request.COUNTERS + monitor.ANSWER:02X} are those of",
    )
