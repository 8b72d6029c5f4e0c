# SPDX-License-Identifier: Apache-2.0
"""The chapter on TCP/IP in hardware: echoes by every way of a program, goodput with and without loss, size."""

from nsoc.bench import toe
from nsoc.figures import Key
from nsoc.published import at
from nsoc.report.beside import PROTOCOLS, WAYS, WORDS, echo
from nsoc.report.book import Book, Reader, key
from nsoc.report.facts import Facts
from nsoc.report.parts import (
    COLOURS,
    SHAPES,
    Chapter,
    Chart,
    Section,
    bar,
    bars_chart,
    lines_chart,
    series,
    shaded,
    theirs,
)

NAME = "tcp"
SHORT = {"dca": "DCA", "nodca": "DCA off", "socket": "sockets", "lwip-raw": "lwIP raw", "lwip-socket": "lwIP sockets"}
ENDS = (32, 1024)
LAYERS = {"the engine": ("dca", "socket"), "lwIP": ("lwip-raw", "lwip-socket")}
"""Ways below sockets and with them."""
GOODPUTS = (
    ("toe", "tcp-receive-1", "received, 1 connection"), ("toe", "tcp-send-1", "sent, 1 connection"),
    ("toe-1k", "tcp-receive-1024", "received, 1016 connections"), ("toe-1k", "tcp-send-1024", "sent, 1016 connections"),
    ("toe", "tcp-receive-1-loss1", "received, 1 connection"),
    ("toe", "tcp-send-1-loss1", "sent, 1 connection"),
    ("toe-1k", "tcp-receive-64-loss1", "received, 64 connections"),
    ("toe-1k", "tcp-send-64-loss1", "sent, 64 connections"),
)  # fmt: skip
BLOCK_SUITE = "blocks"
BLOCKS = (
    "net", "tcp_core", "tcp_commands", "toe_udp", "tcp_tx", "tcp_rx", "tcp_table", "tcp_rings", "tcp_timers",
    "tcp_events", "tcp_expect",
)  # fmt: skip


def chapter(facts: Facts, book: Book) -> Chapter:
    """Of what was measured."""
    made = Chapter(
        NAME,
        "TCP/IP in hardware",
        "A RISC-V SoC with a TCP/IP engine beside the NIC: a program reaches it by two instructions, by registers, or "
        "by sockets. lwIP on the same SoC is what it is compared with.",
        publications=("tcp",),
    )
    made.sections = [_echoes(book), _layers(book), _goodput(book), _area(book)]
    return made


def _echoes(book: Book) -> Section:
    reader, payloads = Reader(book), at("sockets.toml:payloads")
    cycles = at("sockets.toml:cycles")
    panels = []
    for protocol in PROTOCOLS:
        curves: list[Chart] = []
        for colour, shape, way in zip(COLOURS, SHAPES, WAYS, strict=False):
            ours = reader.curve([(payload, echo(way, protocol, payload)) for payload in payloads])
            printed = list(zip(payloads, cycles[f"{way}-{protocol}"], strict=True))
            curves.append(series(SHORT[way], colour, ours, shape))
            curves.append({**theirs("", colour, printed, shape), "name": f"{SHORT[way]}, published"})
        panels.append((protocol.upper(), curves))
    chart = lines_chart(
        "echo", "Cycles of an echo", panels, scale="log", unit="cycles", x="payload, bytes", y="cycles of the processor"
    )
    words = (
        "From the first word out of the MAC's receive FIFO to the last one into its transmit FIFO, one packet at a "
        "time, by every way that a program has: "
        + ", ".join(f"{SHORT[way]}: {WORDS[way]}" for way in WAYS)
        + ". Cycles are of the processor, 80 MHz here and 100 MHz in the publication: ours are 1.25 times as long."
    )
    return Section("echo", "An echo, by size and way", words, "nsoc bench sockets", chart, reader.origin, "tcp")


def _layers(book: Book) -> Section:
    reader = Reader(book)
    panels = []
    for payload in ENDS:
        rows = [
            _stacked(reader, f"{stack}, {protocol.upper()}", colour, *(echo(w, protocol, payload) for w in ways))
            for (stack, ways), colour in zip(LAYERS.items(), COLOURS, strict=False)
            for protocol in PROTOCOLS
        ]
        panels.append((f"payload {payload} bytes", shaded(rows)))
    chart = bars_chart("layers", "Where the cycles of an echo go", panels, unit="cycles")
    words = (
        "What sockets add to the way below them, as differences of the same figures: the way below (direct cache "
        "access, lwIP's raw interface), and the layer of sockets with its thread on top of it. lwIP's raw interface "
        "waits up to 320 cycles for further frames before it is interrupted, its sockets do not."
    )
    command = "nsoc bench sockets --mode dca-udp --mode socket-udp --mode lwip-raw-udp --mode lwip-socket-udp"
    return Section("layers", "Where the time goes", words, command, chart, reader.origin)


def _stacked(reader: Reader, label: str, colour: str, below: Key, above: Key) -> Chart | None:
    row = bar(reader, label, colour, {"the way below": below, "sockets": above})
    if row is not None:
        (first, base), (second, whole) = row["segments"]
        row["segments"] = [(first, base), (second, max(0.0, round(whole - base, 1)))]
    return row


def _goodput(book: Book) -> Section:
    reader = Reader(book)
    rows = [
        bar(reader, label, COLOURS[mode.endswith("loss1")], {"goodput": key("toe", preset, mode, "goodput_mbps")})
        for preset, mode, label in GOODPUTS
    ]
    half = len(rows) // 2
    panels = [("without loss", rows[:half]), ("1 % of the frames lost each way", rows[half:])]
    chart = bars_chart("goodput", "Goodput", panels, unit="Mb/s", most=round(toe.LIMIT_MBPS, 1))
    words = (
        f"Payload a second of simulated time; {toe.LIMIT_MBPS:.1f} Mb/s is what a line of 1 Gb/s carries in segments "
        "of 1448 bytes with time stamps. With loss 1 % of the frames vanish each way, and a round trip takes 100 us. "
        "The publication measured neither throughput nor loss."
    )
    return Section("goodput", "Goodput, with and without loss", words, "nsoc bench toe", chart, reader.origin)


def _area(book: Book) -> Section:
    reader = Reader(book)
    panels = [
        (words, [bar(reader, block, COLOURS[0], {words: key(BLOCK_SUITE, None, block, metric)}) for block in BLOCKS])
        for metric, words in (("lut", "LUTs"), ("ff", "flip-flops"), ("bram", "block RAM"))
    ]
    chart = bars_chart("tcp-area", "Size by block", panels, unit="", narrow=True)
    words = (
        "Of the engine with 64 connections on 7-series, each block by itself as Yosys finds cells. "
        "net is Ethernet, ARP, IP and ICMP below it. The sizes that the "
        "publication has are Tables I and II below."
    )
    command = "make figures ARGS='--only blocks'"
    return Section("tcp-area", "Size by block", words, command, chart, reader.origin)
