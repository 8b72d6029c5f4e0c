# SPDX-License-Identifier: Apache-2.0
"""Each published table, ours beside theirs: a line a figure, with the key that finds ours.

A function of LINES makes the lines of a table from its published values; published/tables.toml says which. `shown`
fills them in from a book of figures.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nsoc.bench import mac_example, pnic_published
from nsoc.bench.thesis import published_tables as thesis
from nsoc.figures import Key
from nsoc.published import at
from nsoc.records import MEBI, PUBLISHED_UNIT
from nsoc.report import published
from nsoc.report.book import MARK, Book, Figure, Reader, key
from nsoc.report.facts import Shown
from nsoc.report.published import Table

NOTHING = "-"
PROTOCOLS = ("tcp", "udp")
RESOURCES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAM", "dsp": "DSP"}
DIRECTIONS = {"send": "sent", "receive": "received"}


@dataclass(frozen=True)
class Line:
    """A published figure, and where ours is found."""

    labels: tuple[str, ...]
    printed: float | None
    """None: ours has no counterpart there."""
    ours: Key | None = None
    """None: there is nothing of ours."""
    over: Key | None = None
    """Ours is divided by this figure."""
    scale: float = 1.0
    """Ours is multiplied by this."""
    times: float = 1.0
    """The published figure is multiplied by this before it is compared."""


@dataclass(frozen=True)
class Lines:
    """A table's lines."""

    heads: tuple[str, ...]
    """Of the labels."""
    unit: str
    lines: list[Line]


def shown(table: Table, book: Book) -> Shown:
    """The table as the page shows it, and whether all, some or nothing of ours is in it."""
    made, reader = LINES[table.shown](table), Reader(book)
    converted = any(line.times != 1 for line in made.lines)
    head = [*made.heads, f"ours{made.unit and ', ' + made.unit}", "published"]
    head += ["published x 1.0486"] if converted else []
    rows, missing, alone = [], 0, True
    for line in made.lines:
        ours = _ours(line, reader)
        missing += line.ours is not None and ours is None
        alone &= ours is None
        theirs = None if line.printed is None else line.printed * line.times
        row = [*line.labels, _cell(ours), NOTHING if line.printed is None else f"{line.printed:,.10g}"]
        row += [NOTHING if theirs is None else number(theirs)] if converted else []
        rows.append([*row, NOTHING if ours is None or not theirs else f"{ours.value / theirs:.3g}"])
    told = [*about(table), *([reader.origin] if reader.origin else [])]
    if missing:
        what = "Nothing of it was" if alone else "What has no figure of ours was not"
        told.append(f"{what} measured: {table.command} does it.")
    told += [PUBLISHED_UNIT] if converted else []
    told += [table.reason] if table.reason else []
    name = table.title if table.name == table.number else f"{table.name}. {table.title}"
    return Shown(name, [*head, "ours / published"], rows, [*told, *table.puzzle], table.command)


def about(table: Table) -> list[str]:
    """Where the published figures stand, and the clocks of both sides."""
    told = [f"Published: {table.source}; {table.clock}."]
    return [*told, f"Our presets: {published.clocks(table)}."] if table.presets else told


def _ours(line: Line, reader: Reader) -> Figure | None:
    found = None if line.ours is None else reader.get(line.ours)
    if found is None:
        return None
    if line.over is None:
        return Figure(found.value * line.scale, found.commit)
    base = reader.get(line.over)
    return None if base is None else Figure(found.value / base.value, found.commit or base.commit)


def _cell(ours: Figure | None) -> str:
    if ours is None:
        return NOTHING
    return number(ours.value) + (f" {MARK}" if ours.commit else "")


def number(value: float) -> str:
    """Four digits or so."""
    size = abs(value)
    if value == int(value) or size >= 1000:
        return f"{value:,.0f}"
    if 0 < size < 1e-2:
        return f"{value:.2e}"
    return f"{value:.1f}" if size >= 100 else f"{value:.2f}" if size >= 1 else f"{value:.3g}"


# ---- The NIC and its SoC ---------------------------------------------------------------------------------------------


def _thesis(table: Table) -> Lines:
    of = thesis.published()[table.number]
    rate = of.metric == thesis.THROUGHPUT
    lines = [
        Line((column.name, column.preset, f"{payload}"), of.value(column, payload),
             key("thesis", column.preset, column.mode, of.metric, payload), times=MEBI if rate else 1.0)
        for column in of.columns
        if column.preset in table.presets
        for payload in of.payloads
    ]  # fmt: skip
    return Lines(("published as", "ours", "payload"), "Mb/s" if rate else "us", lines)


def _images(table: Table) -> Lines:
    lines = []
    for where in table.values:
        values, name = at(where), where.partition(":")[2]
        mode = name if name.startswith("scheme") else f"scheme4-{name}"
        for way, words in DIRECTIONS.items():
            ours = key("images", "nic12-fast", f"{mode}-{way}", "throughput_mbps", 1486)
            lines.append(Line((mode[:7], f"{words}, average, Mb/s"), values[f"{way}_average"], ours, times=MEBI))
            lines.append(Line((mode[:7], f"{words}, maximum, Mb/s"), values[f"{way}_maximum"], times=MEBI))
        ours = key("images", "nic12-fast", mode, "images_per_s")
        lines.append(Line((mode[:7], "images a second, times added"), values["images_per_s"], ours))
    return Lines(("scheme", "figure"), "", lines)


def _mac_trips(table: Table) -> Lines:
    lines = [
        Line((payload,), us, key("thesis", mac_example.PRESET, None, "rtt_us", int(payload)))
        for payload, us in at(table.values[0]).items()
    ]
    return Lines(("payload",), "us", lines)


def _mac_rates(table: Table) -> Lines:
    def ours(way: str, payload: str) -> Key:
        mode = f"{way}:{mac_example.DELAYED}"
        return key("thesis", mac_example.PRESET, mode, "throughput_mbps", int(payload))

    lines = [
        Line((words, payload), mbps, ours(way, payload), times=MEBI)
        for way, words in DIRECTIONS.items()
        for payload, mbps in at(table.values[0]).items()
    ]
    return Lines(("direction", "payload"), "Mb/s", lines)


def _sleep(table: Table) -> Lines:
    values = at(table.values[0])
    lines = [
        Line((f"{asked:g}",), took, key("thesis", None, f"asked {asked:g} s", "sleep_s"))
        for asked, took in zip(values["requested"], values["actual"], strict=True)
    ]
    return Lines(("asked for, s",), "s", lines)


def _utilization(table: Table) -> Lines:
    board = at("utilization.toml:board.kc705")
    lines = [
        Line((entry["name"].removeprefix("published, "), preset, words), entry[metric],
             key("thesis", preset, "xc7", metric), scale=100 / board[metric])
        for entry in at(table.values[0])
        for preset in entry["presets"]
        for metric, words in RESOURCES.items()
    ]  # fmt: skip
    return Lines(("published as", "ours", "resource"), "%", lines)


# ---- TCP/IP in hardware ----------------------------------------------------------------------------------------------


def _soc_area(table: Table) -> Lines:
    board, counts, percents = at("utilization.toml:board.kc705"), at(table.values[0]), at(table.values[1])
    lines = []
    for metric, words in RESOURCES.items():
        ours = key("synth", table.presets[0], "xc7", metric)
        lines.append(Line((words,), counts[metric], ours))
        lines.append(Line((f"{words}, % of the device",), percents[metric], ours, scale=100 / board[metric]))
    return Lines(("resource",), "", lines)


COMPONENTS: Mapping[str, tuple[str, str] | None] = {
    "core": ("area", "rv_core"), "mmio": None, "dca": ("sockets", "dca"), "stack": ("toe", "net-tcp"),
    "mac": ("area", "mac"),
}  # fmt: skip
"""What of ours stands beside a published component: suite and mode."""


def _component_area(table: Table) -> Lines:
    lines = []
    for part, values in at(table.values[0]).items():
        counts = {**(at(values["from"]) if "from" in values else {}), **values}
        ours = COMPONENTS[part]
        for metric, words in RESOURCES.items():
            found = None if ours is None or (metric == "dsp" and ours[0] != "area") else key(ours[0], None, ours[1],
                                                                                             metric)  # fmt: skip
            lines.append(Line((values["name"], ours[1] if ours else NOTHING, words), counts[metric], found))
    return Lines(("published component", "ours", "resource"), "", lines)


WAYS = {"dca": "toe", "nodca": "toe-nodca", "socket": "toe", "lwip-raw": "toe-lwip", "lwip-socket": "toe-lwip"}
"""Ways of nsoc bench sockets, and their presets."""
WORDS = {
    "dca": "direct cache access", "nodca": "direct cache access off", "socket": "sockets on the engine",
    "lwip-raw": "lwIP, raw", "lwip-socket": "lwIP, sockets",
}  # fmt: skip


def echo(way: str, protocol: str, payload: int) -> Key:
    """An echo's cycles."""
    return key("sockets", WAYS[way], f"{way}-{protocol}", "echo_cycles", payload)


def _payloads() -> list[int]:
    return list(at("sockets.toml:payloads"))


def _delays(*ways: str) -> "Callable[[Table], Lines]":
    def lines(table: Table) -> Iterator[Line]:
        cycles = at(table.values[0])
        for way in ways:
            for protocol in PROTOCOLS:
                for payload, theirs in zip(_payloads(), cycles[f"{way}-{protocol}"], strict=True):
                    labels = (WORDS[way], protocol.upper(), f"{payload}")
                    yield Line(labels, theirs, echo(way, protocol, payload))

    return lambda table: Lines(("way", "protocol", "payload"), "cycles", list(lines(table)))


def _gains(*ways: str) -> "Callable[[Table], Lines]":
    """The same, and by how much the second way is shorter than the first one."""

    def lines(table: Table) -> Lines:
        made, cycles = _delays(*ways)(table), at(table.values[0])
        slow, fast = ways
        gains = [
            Line((f"{WORDS[slow]} / on", protocol.upper(), f"{payload}"),
                 round(cycles[f"{slow}-{protocol}"][place] / cycles[f"{fast}-{protocol}"][place], 2),
                 echo(slow, protocol, payload), echo(fast, protocol, payload))
            for protocol in PROTOCOLS
            for place, payload in enumerate(_payloads())
        ]  # fmt: skip
        return Lines(made.heads, made.unit, [*made.lines, *gains])

    return lines


SOC_MHZ, OUR_MHZ, A9 = 100, 80, "Cortex-A9, lwIP"


def _a9(way: str, kind: str) -> "Callable[[Table], Lines]":
    def lines(table: Table) -> Iterator[Line]:
        cycles, times = at(table.values[0]), at("sockets.toml:cortex_a9_us")
        for protocol in PROTOCOLS:
            for place, payload in enumerate(_payloads()):
                ours = echo(way, protocol, payload)
                labels = (protocol.upper(), f"{payload}")
                yield Line((*labels, A9), times[f"{kind}-{protocol}"][place], ours, scale=1 / OUR_MHZ)
                theirs = cycles[f"{way}-{protocol}"][place] / SOC_MHZ
                yield Line((*labels, "the published SoC"), round(theirs, 1), ours, scale=1 / OUR_MHZ)

    return lambda table: Lines(("protocol", "payload", "published system"), "us", list(lines(table)))


# ---- Door to door ----------------------------------------------------------------------------------------------------


def door(preset: str, mode: str, payload: int) -> Key:
    """Nanoseconds from one application to the other."""
    return key("latency", preset, mode, "latency_ns", payload)


def _latency(table: Table) -> Lines:
    mode = at("latency.toml:published.mode")
    lines = [
        Line((preset, payload), ns, door(preset, mode, int(payload)))
        for preset in table.presets
        for payload, ns in at(table.values[0]).items()
    ]
    return Lines(("ours", "payload"), "ns", lines)


# ---- The programmable NIC --------------------------------------------------------------------------------------------


def _of_pnic(kind: str, part: str, metric: str) -> Key:
    mode = f"published-{kind}" if kind in pnic_published.VARIANTS else kind
    preset = pnic_published.VARIANTS.get(kind, "pnic-rice")
    return key("pnic", preset, f"{mode}/{part}", metric, pnic_published.LARGEST)


def _functions(*kinds: str) -> "Callable[[Table], Lines]":
    def lines(table: Table) -> Iterator[Line]:
        for where in table.values:
            metric = where.partition(":")[2]
            for part, values in at(where).items():
                for kind in kinds:
                    if kind in values:
                        labels = (part.replace("-", " "), kind, metric.partition("_")[0])
                        yield Line(labels, values[kind], _of_pnic(kind, part, metric))

    return lambda table: Lines(("function", "order", "count"), "", list(lines(table)))


IPC_FIELDS = ("perfect-pbp", "perfect-none", "stalls-pbp", "stalls-pbp1", "stalls-none")


def _ipcs(table: Table) -> Lines:
    lines = [
        Line((core, field.replace("-", ", ")), value, _of_pnic(pnic_published.IDEAL, f"{core}-{field}", "ipc"))
        for core, values in at(table.values[0]).items()
        for field, value in zip(IPC_FIELDS, values, strict=True)
    ]
    return Lines(("issue, width", "pipeline, branches"), "", lines)


def _cycle_shares(table: Table) -> Lines:
    values = at(table.values[0])
    return Lines(
        ("cause",), "", [Line((cause,), share, _of_pnic("lock", cause, "cycle_share")) for cause, share in
                         values.items()],
    )  # fmt: skip


def _bandwidths(table: Table) -> Lines:
    def label(memory: str, values: Mapping[str, Any]) -> str:
        least = f"required {values['required']:g}, " if "required" in values else ""
        return f"{memory.replace('-', ' ')}, used ({least}peak {values['peak']:g} published)"

    lines = [
        Line((label(memory, values),), values["used"], _of_pnic("lock", memory, "bandwidth_gbps"))
        for memory, values in at(table.values[0]).items()
    ]
    return Lines(("memory",), "Gb/s", lines)


LINES: Mapping[str, Callable[[Table], Lines]] = {
    "thesis": _thesis, "images": _images, "mac_trips": _mac_trips, "mac_rates": _mac_rates, "sleep": _sleep,
    "utilization": _utilization, "soc_area": _soc_area, "component_area": _component_area,
    "delays_raw": _delays("lwip-raw", "dca"), "delays_sockets": _delays("lwip-socket", "socket"),
    "delays_dca": _gains("nodca", "dca"), "a9_raw": _a9("dca", "raw"), "a9_sockets": _a9("socket", "socket"),
    "latency": _latency, "functions_ideal": _functions("ideal"), "ipcs": _ipcs, "cycle_shares": _cycle_shares,
    "bandwidths": _bandwidths, "functions_ordered": _functions("lock", "set-update"),
    "functions_cycles": _functions("lock", "set-update"),
}  # fmt: skip
"""What makes a table's lines, by the name that published/tables.toml has."""
