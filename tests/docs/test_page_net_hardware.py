# SPDX-License-Identifier: Apache-2.0
"""docs/net-hardware.md: cycles are those that tests measure and headers tell, RFC rows name tests that are there.

Areas are those of docs/data.
"""

import re

from docs_pages import ROOT, defined, says, table
from docs_tables import header, number, parameter

from nsoc.docs import lat

PAGE = "docs/net-hardware.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
TESTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")
}
RECEIVE, TRANSMIT = TESTS["tests/unit/net/test_net_receive.py"], TESTS["tests/unit/net/test_net_transmit.py"]


def test_cycles_of_64_bits_are_those_of_the_header_and_of_the_tests() -> None:
    found = re.search(
        r"first beat of a frame to first payload beat of UDP (\d), of TCP (\d); first payload beat of UDP to first "
        r"beat of the frame (\d) .*? A frame for the NIC: (\d) to (\d); from the NIC: (\d)\.",
        header("net"),
    )
    assert found
    udp, tcp, out, least, most, nic = found.groups()
    assert [row[2] for row in table(PAGE, "Time")] == [out, udp, tcp, f"{least} / 4 / {most}", nic]
    assert f"net.line.begun[0] == {udp}, length" in RECEIVE and f"{{64: {out}, 128" in TRANSMIT


def test_cycles_of_wider_streams_are_those_of_the_tests() -> None:
    rows = {int(row[0]): row[1:] for row in table(PAGE, "Wider streams", 2)}
    (first,) = re.findall(r"late = \{(.*?)\}\[", RECEIVE)
    late = {int(bits): (int(udp), int(tcp)) for bits, udp, tcp in re.findall(r"(\d+): \((\d), (\d)\)", first)}
    (sent,) = re.findall(r"assert seen == \{\{(.*?)\}\[", TRANSMIT)
    out = {int(bits): cycles for bits, cycles in re.findall(r"(\d+): (\d)", sent)}
    last = re.search(r"datagram\.last - ends\[0\] <= (\d) and segment\.last - ends\[1\] <= (\d)", RECEIVE)
    apart = re.search(r"assert max\(apart\) <= max\(beats, (\d)\)", TRANSMIT)
    assert last and apart and set(rows) == set(out)
    for bits, (udp, tcp) in late.items():
        to_udp, to_tcp = rows[bits][0].split(" / ")
        assert int(to_udp[-1]) == udp and int(to_tcp[-1]) == tcp, bits
        assert rows[bits][1] == f"{last[1]} / {last[2]}" and rows[bits][5] == f"beat, {apart[1]} cycles"
    assert {bits: row[3] for bits, row in rows.items()} == out and {row[4] for row in rows.values()} == {"beat"}
    words = {"5": "five", "6": "six"}
    says(PAGE, f"a frame's headers take {words[apart[1]]} cycles: frames of up to {apart[1]} beats")
    says(PAGE, f"(of {int(apart[1]) * 64} bytes at 512 bits)")


def test_each_row_of_the_requirements_has_tests_that_are_there_and_no_number_stands_twice() -> None:
    rows = table(PAGE, "What it does, by RFC")
    numbers = [int(row[0]) for row in rows]
    assert len(set(numbers)) == len(numbers) and set(range(54, 63)) == set(numbers)
    sources = "\n".join(TESTS.values())
    for row in rows:
        named = re.findall(r"`([\w/.]+)`", row[3])
        assert named, row
        for name in named:
            known = name in TESTS or f"tests/unit/net/{name}" in TESTS or re.search(rf"def (?:test_)?{name}\(", sources)
            assert known, name


def test_named_tests_and_proofs_are_there() -> None:
    sources = "\n".join(TESTS.values())
    for name in ("both_ways_at_once_fill_the_line", *re.findall(r"\(`(\w{20,})`\)", TEXT)):
        assert f"def {name}(" in sources, name
    proofs = (ROOT / "tests/formal/proofs.py").read_text(encoding="utf-8")
    assert all(f'"{name}"' in proofs for name in ("net_rx_hold", "fifo_rewind", "net_tx", "frame_arbiter"))


def test_each_block_of_the_table_is_there() -> None:
    for name in re.findall(r"\[(\w+)\]\(\.\./rtl/", TEXT):
        assert list((ROOT / "rtl").rglob(f"{name}.sv")), name
    for row in table(PAGE, "Wider streams", 1):
        assert all(list((ROOT / "rtl/net").glob(f"{name}.sv")) for name in row[0].split(", "))
    assert int(parameter("net", "WIDTH")) == 64


def test_what_firmware_does_has_the_firmwares_numbers() -> None:
    fragments = "firmware/lib/fragments.h"
    datagrams, most = defined(fragments, "FRAGMENTS_DATAGRAMS"), defined(fragments, "FRAGMENTS_MOST")
    rows = dict(table(PAGE, "What firmware does of it"))
    memory = f"in memory for {({4: 'four'})[datagrams]} datagrams of any size"
    first = rows["fragments for our address"]
    assert memory in first and f"{defined(fragments, 'FRAGMENTS_MS') // 1000} s long" in first
    assert ({4: "... of a fifth datagram"})[datagrams] in rows
    assert number(rows["UDP, joined, for an open port"].split("up to ")[1]) == most - 8
    says(PAGE, f"waits in the NIC's {defined('firmware/lib/nic.h', 'NIC_BUFFERS')} buffers")


def test_areas_by_width_are_those_of_the_records() -> None:
    """docs/data/lat.json has them, of the commit that the page names; those of `nsoc synth net` are of a later one."""
    found = {
        part.removeprefix("net, "): [f"{values[key]:g}" for key in ("lut", "ff", "bram", "levels")]
        for _, part, values in lat.rows(lat.load(), "synth")
        if part.startswith("net, ")
    }
    rows = {row[0]: row[1:] for row in table(PAGE, "Wider streams", 3)}
    assert {f"{bits} bits": plain(cells) for bits, cells in rows.items()} == found
    _tagged, alone = table(PAGE, "Area")
    assert number(alone[1]) < float(found["64 bits"][0]), "mapped for area, and of a later commit"


def plain(cells: list[str]) -> list[str]:
    return ["0" if cell == "none" else f"{number(cell):g}" for cell in cells]
