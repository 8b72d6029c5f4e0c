# SPDX-License-Identifier: Apache-2.0
"""Sections of pages made of docs/data/figures.json and of published figures: tables, and sentences with figures.

A section raises figures.Missing where a figure was not measured yet; its page keeps the text that it has.
"""

from collections.abc import Callable, Sequence

from nsoc import figures
from nsoc.bench import live, sockets, sockets_measure, sockets_rates, toe, toe_crowd
from nsoc.bench.suites import BLOCKS, TOE_BLOCKS
from nsoc.bench.toe_datagrams import PAYLOADS as ECHO_PAYLOADS
from nsoc.bench.toe_measure import MIN_PAYLOAD, Run
from nsoc.docs import lat_sections, pnic_sections, systems
from nsoc.docs.markdown import table
from nsoc.figures import Value, reached
from nsoc.hardware import synth
from nsoc.hardware.synth import Target

NO_GOAL = ""


def _wanted(goal: Value | None, digits: int = 0) -> str:
    return NO_GOAL if goal is None else f"{goal:,.{digits}f}"


def _figure(shown: str, value: Value, goal: Value | None, better: str) -> str:
    """Bold where a goal is missed."""
    return shown if goal is None or reached(value, goal, better) else f"**{shown}**"


def _one(bench: str, preset: str | None, mode: str, metric: str, payload: int | None = None, digits: int = 0) -> str:
    """A figure, bold where its goal is missed."""
    value = figures.value(bench, preset, mode, metric, payload)
    goal = figures.goal(bench, preset, mode, metric, payload)
    return _figure(f"{value:,.{digits}f}", value, goal, figures.BETTER[metric])


# ---- nsoc bench live -------------------------------------------------------------------------------------------------


def live_figures() -> str:
    theirs = live.anchors()

    def row(what: str, printed: int, mode: str, metric: str, payload: int | None = None, digits: int = 0) -> list[str]:
        ours = [_one(live.SUITE, preset, mode, metric, payload, digits) for preset in live.PRESETS]
        wanted = [_wanted(figures.goal(live.SUITE, preset, mode, metric, payload)) for preset in live.PRESETS]
        return [what, f"{printed:,}", *ours, " / ".join(dict.fromkeys(wanted))]

    goodput, cycles = "goodput_mbps", "cpu_cycles"
    rows = [
        row("TCP goodput received, Mb/s", theirs[live.RECEIVE][goodput], live.RECEIVE, goodput, digits=1),
        row("TCP goodput sent, Mb/s", theirs[live.SEND][goodput], live.SEND, goodput, digits=1),
    ]
    for payload in live.PAYLOADS:
        printed = theirs[live.UDP][str(payload)]
        rows.append(row(f"UDP echo of {payload} bytes, cycles", printed, live.UDP, cycles, payload))
    return table(("figure, seed 1", "published", "nic12-net, 8 KB", "nic12-net32, 32 KB", "wanted"), rows, "lrrrr")


# ---- nsoc bench toe --------------------------------------------------------------------------------------------------


def toe_figures() -> str:
    theirs = toe.published()
    sack = "ideal NewReno with SACK: 787 to 813"
    rows = []
    for point in toe.POINTS:
        run = Run("", *point)
        preset = toe.FEW_PRESET if run.connections == 1 else toe.MANY_PRESET
        other = sack if run.loss and run.connections == 1 else ""
        ours = _one(toe.SUITE, preset, run.name, "goodput_mbps", digits=1)
        rows.append([f"`{run.name}`, Mb/s", ours, f"{toe.wanted_mbps(run):.1f}", other])
    rows[0][3] = f"the line allows {toe.LIMIT_MBPS:.1f}"
    lost = _one(toe.SUITE, toe.MANY_PRESET, toe.MIN_FRAMES, "loss", MIN_PAYLOAD)
    rows.append([f"`{toe.MIN_FRAMES}`, frames lost", lost, f"{toe.wanted(toe.MIN_FRAMES, 'loss')}", ""])
    for mode, preset in toe.CROWDS.items():
        served, wait = (figures.value(toe.SUITE, preset, mode, metric) for metric in ("served", "worst_wait_us"))
        rows += [
            [f"`{mode}`, served", f"{100 * served:.0f} %", f"{100 * toe.wanted(mode, 'served'):.0f} %", ""],
            [f"`{mode}`, worst wait, ms", f"{wait / 1000:,.3f}", "", ""],
        ]
    for mode, preset in toe.FLOODS.items():
        rows += [
            [f"`{mode}`, Mb/s of the good peer", _one(toe.SUITE, preset, mode, "goodput_mbps", digits=1),
             f"{toe.wanted(mode, 'goodput_mbps'):.1f}", ""],
            [f"`{mode}`, opened of {toe_crowd.OPENERS}", _one(toe.SUITE, preset, mode, "opened"),
             f"{toe.wanted(mode, 'opened')}", ""],
        ]  # fmt: skip
    share = figures.value(toe.SUITE, None, toe.UDP_BOTH, "line_share")
    least, most = theirs["udp"]["line_share"]
    rows.append(
        [f"`{toe.UDP_BOTH}`, share of the line", f"{100 * share:.0f} %",
         f"{100 * toe.wanted(toe.UDP_BOTH, 'line_share'):.0f} %", f"LiteEth: {100 * least:.0f} to {100 * most:.0f} %"]
    )  # fmt: skip
    ways = (toe.UDP_TX, toe.UDP_RX)
    cycles = ", ".join(_one(toe.SUITE, None, way, "latency_cycles") for way in ways)
    wanted = ", ".join(f"{toe.wanted(way, 'latency_cycles')}" for way in ways)
    anchors = f"LiteEth: {theirs['udp']['tx_cycles']}, {theirs['udp']['rx_cycles']}"
    rows.append([f"`{toe.UDP_TX}`, `{toe.UDP_RX}`, cycles", cycles, wanted, anchors])
    echoes = [figures.value(toe.SUITE, toe.FEW_PRESET, toe.UDP_ECHO, "line_share", one) for one in ECHO_PAYLOADS]
    sizes = ", ".join(str(one) for one in ECHO_PAYLOADS)
    shares = ", ".join(f"{100 * one:.0f}" for one in echoes)
    rows.append([f"`{toe.UDP_ECHO}` of {sizes} bytes, share of the line", f"{shares} %", "", ""])
    return table(("figure, seed 1", "ours", "wanted", "others"), rows, "lrr")


def toe_size() -> str:
    theirs = toe.published()["area"]
    rows = [
        [synth.UNITS[Target.XC7][metric], _one(toe.SUITE, None, toe.AREA, metric), f"{toe.wanted(toe.AREA, metric):,}",
         f"{theirs[metric]:,}"]
        for metric in ("lut", "ff", "bram")
    ]  # fmt: skip
    return table(("`net-tcp`", "ours", "wanted", "published, a TCP/IP stack"), rows, "lrrr")


# ---- nsoc bench sockets ----------------------------------------------------------------------------------------------

_WAYS = {
    "dca": "`dca_echo`, `toe`: [two instructions](dca.md)",
    "nodca": "`toe_echo`, `toe-nodca`: through memory",
    "socket": "`socket_echo`, `toe`: [sockets](sockets.md), by direct cache access",
    "lwip-raw": "`net`, `toe-lwip`: lwIP's raw interface, sums in the NIC",
    "lwip-socket": "`socket_echo`, `toe-lwip`: [lwIP's sockets](sockets.md#on-lwip), sums in the NIC",
}
ENDS = (sockets_measure.PAYLOADS[0], sockets_measure.PAYLOADS[-1])


def sockets_cycles() -> str:
    rows: list[list[str]] = []
    for way in sockets.WAYS:
        for protocol in way.protocols:
            mode = f"{way.name}-{protocol}"
            ours = [_one("sockets", way.preset, mode, "echo_cycles", one) for one in sockets_measure.PAYLOADS]
            pins = [figures.value("sockets", way.preset, mode, "echo_gmii_ns", one) for one in sockets_measure.PAYLOADS]
            goals = [figures.goal("sockets", way.preset, mode, "echo_cycles", one) for one in ENDS]
            wanted = " / ".join("-" if goal is None else f"{goal}" for goal in goals) if any(goals) else ""
            what = _WAYS[way.name] if protocol == sockets_measure.UDP else "the same, TCP"
            rows.append([f"`{mode}`", what, *ours, wanted])
            rows.append(["", "published", *(f"{one:,}" for one in sockets.published()["cycles"][mode]), ""])
            rows.append(["", "us at the pins", *(f"{one / 1000:.2f}" for one in pins), ""])
    heads = ["mode", "program, preset", *(f"{one} B" for one in sockets_measure.PAYLOADS), "wanted, 32 / 1024 B"]
    return table(heads, rows, "llrrrrrr")


def _gains(mode: str, preset: str) -> list[float]:
    """Published cycles over ours, of each payload."""
    theirs = sockets.published()["cycles"][mode]
    return [
        printed / figures.value("sockets", preset, mode, "echo_cycles", payload)
        for payload, printed in zip(sockets_measure.PAYLOADS, theirs, strict=True)
    ]


def sockets_gain() -> str:
    said = []
    for protocol in (sockets_measure.UDP, sockets_measure.TCP):
        gains = _gains(f"dca-{protocol}", "toe")
        mean = sum(gains) / len(gains)
        said.append(
            f"{protocol.upper()} {mean:.1f} as a mean of the sizes, {min(gains):.1f} to {max(gains):.1f} by size"
        )
    return f"- **What direct cache access gains**, published cycles over ours: {'; '.join(said)}."


def _ends(mode: str) -> list[str]:
    """Cycles of an echo on toe with the shortest and the longest payload."""
    return [f"{figures.value('sockets', 'toe', mode, 'echo_cycles', one):.0f}" for one in ENDS]


def dca_echo() -> str:
    udp, tcp = _ends("dca-udp"), _ends("dca-tcp")
    return (
        f"In the SoC an echo of a datagram, with its header line, takes {udp[0]} cycles of the processor with "
        f"{ENDS[0]} bytes and {udp[1]} with {ENDS[1]}\n(`nsoc bench sockets --mode dca-udp`, program `dca_echo`; TCP "
        f"takes {tcp[0]} and {tcp[1]}; [benchmarks.md](benchmarks.md#a-programs-ways-nsoc-bench-sockets))."
    )


def sockets_echo() -> str:
    udp, tcp = _ends("socket-udp"), _ends("socket-tcp")
    return (
        f"An echo of `socket_echo` from FIFO to FIFO (as `nsoc bench sockets`) takes {tcp[0]} cycles with {ENDS[0]} "
        f"bytes and {tcp[1]} with {ENDS[1]}, on a direct\nconnection; a datagram's {udp[0]} and {udp[1]}."
    )


def sockets_size() -> str:
    units = list(synth.UNITS[Target.XC7].values())[:3]
    metrics = ("lut", "ff", "bram")

    def ours(mode: str) -> list[str]:
        return [
            f"{figures.value('sockets', None, mode, one):,g}" if mode != sockets.AREA
            else _one("sockets", None, mode, one)
            for one in metrics
        ]  # fmt: skip

    theirs = sockets.published()["area"]
    rows = [
        [f"`{sockets.AREA}`", *ours(sockets.AREA)],
        ["wanted", *(_wanted(sockets.wanted_area(one)) for one in metrics)],
        ["published, a controller alone", *(f"{theirs[one]:,}" for one in metrics)],
        *([f"`{mode}`, part of it", *ours(mode)] for mode in ("dca-unit", "dca-line-port")),
        *([f"`{mode}`, not in it", *ours(mode)] for mode in ("dca-slots", "dca-rings")),
    ]
    return table(("", *units), rows, "lrrr")


def dca_area() -> str:
    parts = {
        "dca-unit": "dca_unit",
        "dca-line-port": "[line port](../rtl/cpu/core/cpu_lines.sv): what `cpu_lsu` has more with it",
        "dca-slots": "dca_slots",
        "dca-rings": "dca_rings",
    }
    metrics = ("lut", "ff", "bram")
    rows = [
        [what, *(f"{figures.value('sockets', None, mode, one):,g}" for one in metrics)] for mode, what in parts.items()
    ]
    return table(("", *list(synth.UNITS[Target.XC7].values())[:3]), rows, "lrrr")


def sockets_busy() -> str:
    rows = []
    for what in (sockets_rates.RECEIVE, sockets_rates.SEND, sockets_rates.HTTP):
        pages = what == sockets_rates.HTTP
        metric = sockets_rates.REQUESTS if pages else sockets_rates.GOODPUT
        ours = [
            _one("sockets", preset, f"{way}{what}", metric, digits=0 if pages else 1)
            for way, preset in sockets_rates.PRESETS.items()
        ]
        goal = figures.goal("sockets", sockets_rates.PRESETS[""], what, metric)
        name = f"`{what}`, pages a second" if pages else f"`{what}`, Mb/s"
        rows.append([name, *ours, _wanted(goal, 0 if pages else 1)])
    return table(("mode", "`toe`", "`toe-nodca` (modes `nodca-...`)", "wanted"), rows, "lrrr")


# ---- The engine as a circuit -----------------------------------------------------------------------------------------


def tcp_area() -> str:
    metrics = ("lut", "ff", "bram")
    *budget, beside = TOE_BLOCKS
    found = {top: [figures.value(BLOCKS, None, top, metric) for metric in metrics] for top in TOE_BLOCKS}
    rows = [[f"`{top}`", *(f"{one:,g}" for one in found[top])] for top in budget]
    sums = [sum(found[top][at] for top in budget) for at in range(len(metrics))]
    rows.append(["sum", *(f"{one:,g}" for one in sums)])
    rows.append(["wanted", *(f"{toe.wanted(toe.AREA, metric):,}" for metric in metrics)])
    rows.append([f"`{beside}`, not in the sum", *(f"{one:,g}" for one in found[beside])])
    return table(("block", *list(synth.UNITS[Target.XC7].values())[:3]), rows, "lrrr")


Section = Callable[[], str]

SECTIONS: dict[str, Section] = {
    "systems": systems.readme,
    "live": live_figures, "toe": toe_figures, "toe-size": toe_size, "sockets-cycles": sockets_cycles,
    "sockets-gain": sockets_gain, "sockets-size": sockets_size, "sockets-busy": sockets_busy, "dca-echo": dca_echo,
    "sockets-echo": sockets_echo, "dca-area": dca_area, "tcp-area": tcp_area,
    **lat_sections.SECTIONS, **pnic_sections.SECTIONS,
}  # fmt: skip
"""By the name in `<!-- generated: NAME -->`."""


def pending() -> Sequence[str]:
    """Sections of which a figure was not measured yet."""
    found = []
    for name, section in SECTIONS.items():
        try:
            section()
        except figures.Missing:
            found.append(name)
    return found
