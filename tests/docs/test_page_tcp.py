# SPDX-License-Identifier: Apache-2.0
"""docs/tcp.md: sizes, cycles, states, commands and bounds are those of the RTL, of its specification and of the proofs.

Areas and clocks are generated; tests/unit/tcp/test_tcp_list.py compares the requirements with their tests.
"""

import re
import sys

from docs_pages import ROOT, run, says, table
from docs_tables import header, parameter, source
from tcp import step
from tcp.record import BITS
from verilog import code

PAGE = "docs/tcp.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 8: "eight", 9: "nine"}


def found(pattern: str, module: str) -> list[int]:
    """The numbers of a sentence in the header of a module."""
    match = re.search(pattern, header(module))
    assert match, f"{module}'s header does not say {pattern}"
    return [int(group) for group in match.groups()]


def test_the_record_is_as_wide_as_it_says() -> None:
    says(PAGE, f"({BITS} bits, `record_t`)", f"four rows of {-(-BITS // 4)} bits")
    says(PAGE, f"(row i in it in cycle 9 + i): {-(-BITS // 4)} flip-flops", f"*7 cycles: {-(-BITS // 4)} flip-flops")
    says(PAGE, f"*6 cycles: {2 * -(-BITS // 4)},*")


def test_an_event_takes_the_cycles_of_the_headers() -> None:
    (apart,) = found(r"An event is taken every (\d+) cycles", "tcp_core")
    (behind,) = found(r"Actions leave (\d+) cycles behind it", "tcp_core")
    event, arrival, chain, fast = found(
        r"an event each (\d) cycles, an arrival each (\d+) and (\d) for each entry of its chain; a fast one (\d)",
        "tcp_events",
    )
    assert event == fast == apart and chain == 3
    says(
        PAGE,
        f"tells the **actions** {behind} cycles behind the event; the next one begins after {apart}.",
        f"told to all, {apart} cycles apart",
        f"## An event's {apart} cycles",
        f"The next event begins in cycle {apart}, so two are in the pipeline",
        f"| {behind} | actions leave | |",
        f"one each {apart} cycles ([latency.md]",
    )
    two = f"where one that passes `net` is two, its arrival ({arrival})"
    says("docs/latency.md", f"one event of the core, {apart} cycles, {two}")


def test_segments_take_the_cycles_of_the_headers() -> None:
    (late,) = found(r"Latency: (\d) cycles from the last beat to arrival_valid", "tcp_rx")
    begins = r"first beat: (\d) cycles when it answers an arrival, (\d) else; with timestamps (\d)"
    answer, other, stamps = found(begins, "tcp_tx")
    (payload,) = found(r"from the last fetched beat (\d) cycles", "tcp_tx")
    rows = {row[0]: row[1] for row in table(PAGE, "Wider words")}
    assert rows["its arrival"] == f"{late} cycles behind the last beat"
    gaps = r"at 64 bits (\d) cycles between segments\. A beat of payload a cycle, and (\d) cycles"
    between, payloads = found(gaps, "tcp_rx")
    assert rows["`tcp_rx` in"] == f"a word a cycle, {between} cycles between segments"
    assert rows["`tcp_rx` out"] == f"a word a cycle, {payloads} cycles between two payloads"
    says(
        PAGE,
        f"an `arrival_t` leave it: {late} cycles behind the last beat",
        f"leaves {answer} cycles behind the core's word if it answers an arrival, {other} else, {stamps} with "
        f"timestamps. Payload: {payload} cycles behind its last beat from memory",
    )


def test_who_is_who_takes_the_cycles_of_the_header() -> None:
    base, each = found(r"looked at: (\d) \+ (\d) e for a connection that is found", "tcp_table")
    says(PAGE, f"A segment's question is answered in {base} + {each} e cycles")
    (late,) = found(r"deadline is offered CONNECTIONS \+ (\d) cycles behind it", "tcp_timers")
    says(PAGE, f"a deadline is offered at most CONNECTIONS + {late} cycles behind it when no other is due")


def test_rings_and_stores_are_as_large_as_in_the_rtl() -> None:
    flight = int(parameter("tcp_rings", "IN_FLIGHT"))
    places = int(parameter("toe_udp", "SENDS"))
    most = int(parameter("toe_udp", "MAX_BYTES"))
    ports = int(parameter("toe_udp_regs_pkg", "LOCAL_PORTS_COUNT"))
    rows = {re.sub(r"\[(\w+)\].*", r"\1", name): what for name, what in table(PAGE, "UDP beside it")}
    assert f"{ports} ports (or all)" in rows["toe_udp"]
    assert f"a store of {int(parameter('toe_udp_rx', 'WORDS')) * 8 // 1024} KB" in rows["toe_udp_rx"]
    assert f"a queue of {WORDS[places]} sends" in rows["toe_udp_tx"]
    says(PAGE, f"with up to {flight} of each under way", f"more than {most} bytes, too (1)", "A ninth send is refused")
    latency, into = found(r"with (\d+) cycles of latency 64 bytes each (\d+);", "toe_udp_rx")
    same, out = found(r"with (\d+) cycles of latency 64 bytes each (\d+);", "toe_udp_tx")
    assert latency == same
    takes = f"a datagram of 64 bytes takes {into} cycles in and {out} out"
    says(PAGE, f"With a memory that answers {latency} cycles later {takes}")


def test_states_of_records_and_commands_are_those_of_the_engine() -> None:
    names = source("tcp_pkg").split("OP_SETUP")[1].split("}")[0]
    operations = ["SETUP", *re.findall(r"OP_(\w+)", names)]
    shown = [name for row in table(PAGE, "Commands") for name in re.findall(r"`([A-Z]+)`", row[0])]
    assert shown == operations
    for row in table(PAGE, "Records, and who has them"):
        for state in re.findall(r"[A-Z_]{4,}", row[1]):
            assert f"{state}" in source("tcp_pkg") or hasattr(step, state), state


def test_bounds_of_the_proofs_are_those_of_their_table() -> None:
    listed = run(f"{sys.executable} tests/formal/run.py --list")
    depths = {name: depth for name, depth in re.findall(r"^(\w+) +(?:bmc (\d+)|prove)", listed, re.MULTILINE)}
    for _, named, bound in table(PAGE, "What is proven"):
        for name in re.findall(r"`(tcp_\w+)`", named):
            if bound == "one event":
                assert name.startswith("tcp_core_") and name in depths
            else:
                assert bound == (f"{depths[name]} cycles" if depths[name] else "none"), name


def test_cycles_of_an_event_are_those_of_the_cores_picture() -> None:
    lines = re.findall(r"^//     (\w.*)$", source("tcp_core").partition("module")[0], re.MULTILINE)
    places = {found.start(): int(found.group()) for found in re.finditer(r"\d+", lines[0])}

    def cycles(name: str, mark: str) -> list[int]:
        (line,) = [line for line in lines if line.startswith(name)]
        return [places[min(places, key=lambda at: abs(at - found.start()))] for found in re.finditer(mark, line)]

    rows = {row[1].split(";")[0]: row[0] for row in table(PAGE, "An event's 8 cycles")}
    assert [int(rows["actions leave"])] == cycles("actions", "x")
    assert [int(rows["the next event may be taken, one that follows by itself too"])] == cycles("ev ", "next")
    first, *_, last = cycles("written", r"\b\d\b")
    assert rows["rows 0 to 3 are written, and shown"] == f"{first}-{last}"
    first, *_, last = cycles("there is", r"\b\d\b")
    assert next(at for what, at in rows.items() if what.startswith("rows arrive")) == f"{first}-{last}"
    state, sent, timer, again = cycles("changed", r"\*+")
    assert rows["positions, windows, congestion"] == str(state) and rows["text and FIN"] == str(sent)
    assert rows["the ends of timers that begin"] == f"{timer}-{again}"
    (deadline,) = cycles("deadline", "x")
    says(PAGE, f"the earliest deadline; it leaves in cycle {deadline}")
    for row in table(PAGE, "An event's 8 cycles"):
        for name in re.findall(r"`(tcp_core\w*)`", row[2]):
            assert list((ROOT / "rtl/tcp").rglob(f"{name}.sv")), name


def test_each_block_of_the_tables_is_there() -> None:
    names = re.findall(r"^\| (?:\[|`)((?:tcp|toe|net)\w*)[\]`]", TEXT, re.MULTILINE)
    assert len(names) > 30
    assert not [name for name in names if not list((ROOT / "rtl").rglob(f"{name}.sv"))]


def test_the_sockets_table_has_each_port_between_the_engine_and_an_owner() -> None:
    ports = source("tcp_engine").partition("// The owner's socket")[2].partition("\n\n")[0]
    to = {"output": "owner", "input": "engine"}
    there = {name: to[way] for way, name in re.findall(r"^  (input|output) .*?(\w+),", ports, re.MULTILINE)}
    said: dict[str, str] = {}
    for names, ways, *_ in table(PAGE, "The socket", 2):
        said |= dict(zip(re.findall(r"`(\w+)`", names), ways.split(", "), strict=True))
    assert len(there) > 10 and said == there


def test_what_attackers_may_cost_is_what_their_test_asks() -> None:
    attack = (ROOT / "tests/unit/tcp/test_tcp_attack.py").read_text(encoding="utf-8")
    kept = re.search(r"attacked > (0\.\d) \* alone", attack)
    assert kept
    shares = re.search(r"for percent in \(0, (\d)\)", attack)
    assert shares
    cost = f"{100 - 100 * float(kept[1]):.0f} %"
    says(PAGE, f"have {shares[1]} % of the line cost good peers less than {cost} (`test_tcp_attack.py`)")


def test_the_files_of_a_segments_way_have_registers_and_name_the_packages() -> None:
    section = TEXT[TEXT.index("## A segment's way through the files") : TEXT.index("## An event's 8 cycles")]
    rows = re.findall(r"^\| (\w[\w, ]*) \| (\w+_\w+, .*) \| \d+ \|$", section, re.MULTILINE)
    files = [file for part, names in rows if part != "packages" for file in names.split(", ")]
    (packages,) = (names.split(", ") for part, names in rows if part == "packages")
    texts = [code(next((ROOT / "rtl").rglob(f"{file}.sv"))) for file in files]
    assert all("always_ff" in text for text in texts)
    assert sorted(set(re.findall(r"\b\w+_pkg\b", "".join(texts)))) == packages
    says(PAGE, f"They are {len(files)} files and {len(packages)} packages, and `types.svh`")
