# SPDX-License-Identifier: Apache-2.0
"""docs/dca.md: instructions, numbers and sizes are those of the RTL and of the driver's header.

Cycles and areas that a bench measures are generated.
"""

import re

from docs_pages import ROOT, defined, says, table
from docs_tables import header, parameter, source

PAGE = "docs/dca.md"
PACKAGE = source("dca_pkg")
LINUX = {
    "EINTR": 4, "EBADF": 9, "EAGAIN": 11, "EFAULT": 14, "EINVAL": 22, "EPIPE": 32, "ENOSYS": 38, "EDESTADDRREQ": 89,
    "EMSGSIZE": 90, "ECONNRESET": 104,
}  # fmt: skip
WORDS = {2: "two", 4: "four", 8: "eight"}


def constant(name: str) -> int:
    """A number of dca_pkg."""
    return int(parameter("dca_pkg", name).rpartition("d")[2])


def test_instructions_have_the_numbers_of_the_package() -> None:
    kinds = re.search(r"typedef enum logic \[2:0\] \{(.*?)\} operation_t", PACKAGE, re.DOTALL)
    assert kinds
    names = {
        "TCP store": "TCP_STORE", "TCP load": "TCP_LOAD", "UDP store": "UDP_STORE", "UDP load": "UDP_LOAD",
        "next event": "NEXT_EVENT", "command": "COMMAND", "status": "STATUS", "": "NOTHING",
    }  # fmt: skip
    rows = [row[0].partition(":") for row in table(PAGE, "Instructions", 1)]
    shown = {int(number): names[what.split(",")[0].strip()] for number, _, what in rows}
    assert shown == dict(enumerate(re.findall(r"\w+", kinds[1])))
    modifiers = [row[0].split()[0] for row in table(PAGE, "Instructions", 2)]
    fields = re.findall(r"logic +(?:\[3:0\] )?(\w+);", PACKAGE.split("// funct7")[1].split("} modifier_t")[0])
    assert fields == ["zero", "header", "peek", "no_wait"] and modifiers == ["[0]", "[1]", "[2]", "[6:3]"]


def test_errors_are_those_of_linux() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert {name: constant(f"ERR_{name[1:]}") for name in LINUX} == LINUX
    assert set(re.findall(r"`-(E[A-Z]+)`", text)) == set(LINUX)


def test_events_commands_and_items_are_those_of_the_package() -> None:
    assert [constant(name) for name in ("EVENT_UDP", "EVENT_TCP")] == [1, 2]
    says(PAGE, "1: the lowest socket of those with a bit set", "2: the lowest TCP socket of mask[31:16]")
    commands = ("SET_PEER_ADDRESS", "SET_PEER_PORT", "SET_OPTIONS", "SET_IRQ", "SET_IRQ_ROOM")
    address, port, options, irq, room = (constant(name) for name in commands)
    says(
        PAGE,
        f"**Commands**: {address} peer's address (0: no peer), {port} peer's port, {options} TTL, TOS and DF",
        f"{irq} interrupt: a mask as that of events (socket field 0); 0 before the first. {room}: the same for TCP",
    )
    items = ("GET_WAITING", "GET_LENGTH", "GET_DROPS", "GET_TO_LOAD", "GET_ROOM", "GET_STATE", "GET_STREAM")
    waiting, length, drops, to_load, room, state, stream = (constant(name) for name in items)
    most = constant("MAX_BYTES")
    says(
        PAGE,
        f"**Status**: {waiting} datagrams that wait, {length} length of the first one (`-EAGAIN`: there is none), "
        f"{drops} good datagrams that found no slot, modulo 2^16. TCP: {to_load} bytes that wait, {room} room, both "
        f"{most} at most; {state}: [0] the peer has sent all, [1] it is closed; {stream} all of this at once: [1:0] as "
        f"{state}, [16:2] all the room, [31:17] all bytes that wait.",
    )
    assert "[16:2] all the room there is, [31:17] all bytes that wait" in PACKAGE


def test_sizes_are_those_of_the_rtl_and_of_the_driver() -> None:
    most, sockets = constant("MAX_BYTES"), constant("SOCKETS")
    rx, tx, slot = constant("RX_SLOTS"), constant("TX_SLOTS"), constant("LINES") * 32 // 1024
    rows = {re.sub(r"\[(\w+)\].*", r"\1", name): what for name, _, what in table(PAGE, "Structure")}
    assert f"received beats into {rx} slots of {slot} KB" in rows["dca_rx_fill"]
    assert f"{tx} slots of {slot} KB to the network stack" in rows["dca_tx_play"]
    assert f"rings of {sockets} connections" in rows["dca_rings"]
    ring = defined("firmware/lib/toe/toe.h", "TOE_DIRECT_BYTES") // 1024
    says(
        PAGE,
        f"**Socket** 0 to {sockets - 1} is the register",
        f"**TCP socket** 0 to {sockets - 1} is the connection",
        f"a socket above {sockets - 1} `-EBADF`",
        f"a store of more than {most} bytes `-EMSGSIZE`",
        f"moves what waits, at most `bytes` and {most};",
        f"as much as there is room for, at most `bytes` and {most};",
        f"{ring} KB each way; an even one may have {2 * ring} KB, each fourth one {4 * ring} KB",
        f"`TOE_DIRECT_BYTES`, {ring} KB if nothing is said",
        f"one whose datagrams nobody reads has {rx // 2} of {rx} at most, the next such one {rx // 4},",
        f"a ring of {WORDS[tx]} slots with two Gray pointers",
        "With 256 bits a cycle",
    )
    assert "logic [255:0]        data_t" in PACKAGE and f"{ring} KB each way" in header("dca_rings")


def test_cycles_are_those_of_the_units_header() -> None:
    """tests/unit/dca measures them: `latencies_are_those_of_the_headers`."""
    found = re.search(r"load (\d) \+ n, store (\d) \+ n cycles", header("dca_unit"))
    behind = re.search(r"A store needs (\w+) cycles more before the next", header("dca_unit"))
    assert found and behind and behind[1] == WORDS[2]
    load, store = found.groups()
    tests = (ROOT / "tests/unit/dca/test_dca_tcp.py").read_text(encoding="utf-8")
    tcp = re.findall(r"def (?:load|store)_cycles.*?return (\d) \+ lines_of", tests, re.DOTALL)
    rows = dict(table(PAGE, "Cycles", 1))
    assert rows["load of a datagram that waits"] == f"{load} + n"
    assert rows["store"] == f"{store} + n; the next instruction is taken 2 cycles later at the earliest"
    assert rows["TCP load of bytes that wait"].startswith(f"{tcp[0]} + n; one more")
    assert rows["TCP store"].startswith(f"{tcp[1]} + n; one more")
    udp = (ROOT / "tests/unit/dca/test_dca.py").read_text(encoding="utf-8")
    assert f"b.took == {load} + max(lines, 0)" in udp and f"b.took == {store} + lines" in udp


def test_its_tests_are_there() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/unit/dca").glob("test_*.py"))
    named = re.findall(r"`([a-z_]+)`", text.rpartition("repeats the cycles")[2])
    assert len(named) == 3 and all(f"def {name}(" in sources for name in named)
