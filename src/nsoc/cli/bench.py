# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench ...`: measured beside published figures."""

from pathlib import Path
from typing import Annotated

import typer

from nsoc.cli.common import PAUSE_MOST, JsonOption, PresetOption, SeedOption, app, show_result

bench_app = typer.Typer(help="Measure the SoC and its parts, beside published figures.", rich_markup_mode="markdown")
app.add_typer(bench_app, name="bench")


def _measuring(what: str) -> None:
    typer.echo(f"Measuring {what}", err=True)


@bench_app.callback(invoke_without_command=True)
def _bench(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@bench_app.command(
    "cpu",
    epilog="Examples: **nsoc bench cpu** · **nsoc bench cpu --loop list_sort --flags '-O1'** · "
    "**nsoc bench cpu --coremark ~/coremark**. Exit status 1 when a result was wrong.",
)
def bench_cpu(
    loop: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Measure only this loop; may be repeated.")
    ] = None,
    coremark: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Run CoreMark too, from your checkout of its sources.")
    ] = None,
    flags: Annotated[
        str | None,
        typer.Option(metavar="FLAGS", help="Compile the loops, and CoreMark once more, with these clang flags."),
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Iterations of CoreMark.")] = 20,
    preset: PresetOption = "nic12-fast",
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the processor: cycles an instruction takes, and what the others were spent on."""
    from nsoc.bench import cpu

    result = cpu.run(
        loop or [], coremark=coremark, flags=flags, iterations=iterations, preset=preset, seed=seed, show=_measuring
    )
    show_result(cpu.tables(result), cpu.lines(result), cpu.records(result), json, result.failure)


@bench_app.command(
    "mac-example",
    epilog="Example: **nsoc bench mac-example --json -**. Exit status 1 when a frame was lost or came back wrong.",
)
def bench_mac_example(
    frames: Annotated[int, typer.Option(min=1, max=1_000_000, help="Frames for each throughput.")] = 2000,
    warm_up: Annotated[int, typer.Option(min=0, max=1_000_000, help="Frames before those.")] = 200,
    preset: PresetOption = "mac-example",
    json: JsonOption = None,
) -> None:
    """Measure link and MAC without a processor: round trip and throughput, beside the published example design."""
    from nsoc.bench import mac_example

    result = mac_example.run(frames=frames, warm_up=warm_up, preset=preset, show=_measuring)
    show_result(mac_example.tables(result), mac_example.lines(), mac_example.records(result), json)


@bench_app.command(
    "mac",
    epilog="Examples: **nsoc bench mac** · **nsoc bench mac --width 256 --length 61,65,60-200** · **nsoc bench mac "
    "--width 512 --core-mhz 300 --json -** · **nsoc bench mac --packed**. Exit status 1 when a frame was "
    "wrong, or lost and not counted.",
)
def bench_mac(
    width: Annotated[
        list[int] | None,
        typer.Option(metavar="BITS", help="Of the line's words: 128, 256 or 512; may be repeated. Default: all."),
    ] = None,
    length: Annotated[
        str, typer.Option(metavar="LIST", help="Frames without FCS, like 61,60-200: of a range each length is drawn.")
    ] = "60,61,64,65,97,125,129,1514,60-200,1500-1518,60-1518",
    frames: Annotated[int, typer.Option(min=2, max=10_000_000, help="Of each length, each way.")] = 2000,
    core_mhz: Annotated[
        float | None, typer.Option(metavar="MHZ", help="Clock of the user's side. Default: that of the lat preset.")
    ] = None,
    beat_bits: Annotated[
        int | None, typer.Option(metavar="BITS", help="Of the user's streams. Default: those of the lat preset.")
    ] = None,
    packed: Annotated[
        bool, typer.Option("--packed", help="512 bits, with a frame's end and the next one's begin in a beat.")
    ] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the MACs for 25, 50 and 100 Gb/s at a full line: what they lose, and the gaps that they leave.

    Good frames come and go back to back, both ways at once. All bytes are compared.
    """
    from nsoc.bench import mac

    chosen = mac.systems(width or [], core_mhz=core_mhz, beat_bits=beat_bits, packed=packed)
    result = mac.run(chosen, mac.parse_mixes(length), frames=frames, seed=seed, packed=packed, show=_measuring)
    show_result(mac.tables(result), mac.lines(), mac.records(result), json)


@bench_app.command(
    "latency",
    epilog="Examples: **nsoc bench latency** · **nsoc bench latency lat-10g --payload 1,64,1456 --mode "
    "stream-verified** · **nsoc bench latency lat-10g --payload all** · **nsoc bench latency --width 512 --core-mhz "
    "200**. Exit status 1 when a goal is missed, a byte is wrong or lost, or the options cannot be.",
)
def bench_latency(
    preset: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PRESETS]...", help="lat-10g, lat-100g and the like, or a file of your own. Default: all."
        ),
    ] = None,
    payload: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Bytes like 1,32,60-64, or all: 1 to 1460. Default: the eight published ones."
        ),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="stream-early, stream-verified, doorbell-early or doorbell-verified; may be repeated. Default: all.",
        ),
    ] = None,
    phases: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="Segments for each figure. Default: 64; with all payloads 4."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(metavar="BITS", help="Of the applications' streams: 64, 128, 256, 512. Default: the preset's."),
    ] = None,
    core_mhz: Annotated[
        float | None, typer.Option(metavar="MHZ", help="The engine's clock. Default: the preset's.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="GBPS", help="The line: 10, 25, 50, 100. Default: the preset's.")
    ] = None,
    line_bits: Annotated[
        int | None,
        typer.Option(metavar="BITS", help="The line in words of 64, 128, 256, 512, which sets the MAC's clock."),
    ] = None,
    cable: Annotated[
        int | None, typer.Option(metavar="CYCLES", help="Length of the cable, in cycles of the MAC. Default: 0.")
    ] = None,
    timestamps: Annotated[
        bool, typer.Option("--timestamps", help="Segments carry TCP time stamps: 12 bytes more, payload 1448 at most.")
    ] = False,
    goodput: Annotated[bool, typer.Option(help="Measure streams both ways, too.")] = True,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure two TCP engines back to back, door to door in nanoseconds, beside published figures.

    Payload goes in at one application and comes out at the other; no processor is in between. The watch starts when the
    first beat is offered and stops when the last one is taken. The break-down by stage adds up to the femtosecond.
    Streams go in without gaps; a doorbell's payload is in the send ring already. early: delivered as it comes, with the
    verdict on the last beat; verified: behind FCS and checksum. Each segment has phases of the clocks of its own.
    """
    from nsoc.bench import latency, latency_output, latency_store
    from nsoc.progress import progress_bar

    systems = latency.systems(preset or [], width=width, core_mhz=core_mhz, rate=rate, line_bits=line_bits, cable=cable)
    payloads = latency.parse_payloads(payload, timestamps)
    each = phases or (latency.PHASES_OF_ALL if payload == latency.ALL else latency.PHASES)
    with progress_bar("segments", "simulations") as progress:
        result = latency.run(
            systems, payloads, mode or (), phases=each, goodput=goodput, timestamps=timestamps, seed=seed,
            progress=progress,
        )  # fmt: skip
    changed = any(option is not None for option in (width, core_mhz, rate, line_bits, cable))
    if each == latency.PHASES and not (changed or timestamps or mode):
        latency_store.keep(result, seed, goodput=goodput)
    shown = latency_output.tables(result), latency_output.lines(result), latency_output.records(result)
    show_result(*shown, json, result.failure)


@bench_app.command(
    "pnic",
    epilog="Examples: **nsoc bench pnic** · **nsoc bench pnic pnic-rice --bytes 64,1518 --only frames** · **nsoc "
    "bench pnic --only tables,figures --json -**. Exit status 1 when a frame was wrong, out of order, or lost and not "
    "counted.",
)
def bench_pnic(
    system: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PRESETS]...", help="With a pnic_node, see **nsoc presets**. Default: all of them."),
    ] = None,
    bytes_: Annotated[
        str | None,
        typer.Option("--bytes", metavar="LIST", help="Lengths of frames with FCS, like 64,1518. Default: eight."),
    ] = None,
    pieces: Annotated[
        int | None, typer.Option(min=1, max=2, help="Descriptors of a frame to be sent. Default: one, then two.")
    ] = None,
    latency_ns: Annotated[
        int | None, typer.Option(min=0, max=100_000, help="Of a read of the host's memory. Default: 1000.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Of frames (by length), order (its cost), clock (the least of one core), tables, figures (the "
            "published ones). Default: all.",
        ),
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the programmable NIC: small cores, a banked scratchpad and commanded assists at a 10 Gb/s line.

    Frames go both ways at once, as many as line and host give. Every byte is compared, frames stay in order, and
    what is dropped is in a counter. Then: what it costs to put a frame in order by lock, without, and by set/update;
    the least clock; the tables and figures of the source, with firmware like its own.
    """
    from nsoc.bench import pnic
    from nsoc.errors import NsocError

    parts = pnic.PARTS if only is None else tuple(only.split(","))
    for part in parts:
        if part not in pnic.PARTS:
            raise NsocError(f"--only wants some of {', '.join(pnic.PARTS)}, not {part!r}")
    lengths = list(pnic.LENGTHS) if bytes_ is None else _lengths_of_frames(bytes_)
    result = pnic.run(
        system or pnic.systems(), lengths, pieces=(pieces,) if pieces else (1, 2), latency_ns=latency_ns,
        parts=parts, seed=seed, show=_measuring,
    )  # fmt: skip
    if not system and bytes_ is None and pieces is None and latency_ns is None:
        pnic.keep(result, parts, seed)
    show_result(pnic.tables(result), pnic.lines(result), pnic.records(result), json)


def _lengths_of_frames(text: str) -> list[int]:
    from nsoc.errors import NsocError
    from nsoc.pnic.nic import LENGTHS

    least, most = LENGTHS
    words = text.split(",")
    if not all(word.isdecimal() and least <= int(word) <= most for word in words):
        raise NsocError(f"--bytes wants lengths from {least} to {most}, like 64,1518, not {text!r}")
    return [int(word) for word in words]


@bench_app.command(
    "nic",
    epilog="Examples: **nsoc bench nic** · **nsoc bench nic --lengths 60-128,1514**. Exit status 1 when a limit is "
    "missed.",
)
def bench_nic(
    lengths: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Frame lengths to saturate the line with, like 60,100-200. Default: 60-1514."
        ),
    ] = None,
    preset: PresetOption = "nic12-fast",
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the NIC: accesses, round trips in both loopbacks, the share of the line at every frame length."""
    from nsoc.bench import nic
    from nsoc.progress import progress_bar

    with progress_bar("saturating the line", "lengths") as progress:
        result = nic.run(preset=preset, seed=seed, lengths=lengths, progress=progress)
    show_result([nic.table(result)], nic.lines(result), nic.records(result), json, result.failure)


@bench_app.command("modes", epilog="Example: **nsoc bench modes --json -**")
def bench_modes(preset: PresetOption = "nic12-fast", seed: SeedOption = 1, json: JsonOption = None) -> None:
    """Measure round trips in normal mode and both loopbacks, and what of them is processor, NIC and MAC."""
    from nsoc.bench import modes
    from nsoc.progress import progress_bar

    with progress_bar("round trips", "modes") as progress:
        result = modes.run(preset=preset, seed=seed, progress=progress)
    show_result([modes.table(result)], modes.lines(result), modes.records(result), json)


@bench_app.command("clock", epilog="Examples: **nsoc bench clock** · **nsoc bench clock --payload 46 --json -**")
def bench_clock(
    preset: PresetOption = "nic12-fast",
    payload: Annotated[
        list[int] | None,
        typer.Option(min=46, max=1500, help="Find the least clock for this payload; may be repeated. Default: 46, 64."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Measure the processor's way to the NIC, and the least processor clock that keeps the line full."""
    from nsoc.bench import clock
    from nsoc.progress import progress_bar

    with progress_bar("clocks", "figures") as progress:
        result = clock.run(preset=preset, payloads=payload or clock.PAYLOADS, progress=progress)
    show_result([clock.table(result)], clock.lines(result), clock.records(result), json, result.failure)


@bench_app.command(
    "speed",
    epilog="Examples: **nsoc bench speed** · **nsoc bench speed polling toe-frames --pairs 5 --json speed.json** · "
    "**nsoc bench speed toe-tcp --profile** · **git worktree add ../before COMMIT**, then **nsoc bench speed --against "
    "../before**. Exit status 1 when a row fails or the two trees simulate different cycles.",
)
def bench_speed(
    row: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROWS]...",
            help="demo, echo-64, polling, toe-tcp, toe-frames, pnic, lat-10g, lat-100g (default: all of these); a "
            "build or the clock on the wall: up-curl, build-toe, first-demo, make-test.",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Compare with this checkout of another commit, run by run in turn."),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Runs of each row, of either tree. Default: 3; against another tree 11."),
    ] = None,
    part: Annotated[
        float, typer.Option(min=0.01, max=1, help="So much of each row is simulated: for a quick look.")
    ] = 1.0,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Instead: where the time of these rows goes, by clock and by module. For SoCs, with Linux's perf.",
        ),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Measure how fast the simulators are: simulated cycles a second of processor time, alone or against another tree.

    Minutes, and a multiple of that against another tree. What else the machine does matters less than for the clock on
    the wall, and still matters: let it rest. Simulators that are not there are built first.
    """
    from nsoc.bench import speed

    if profile:
        from nsoc.bench import speed_profile

        found = speed_profile.run(row or [], against=against, part=part)
        show_result(speed_profile.tables(found), speed_profile.lines(found), speed_profile.records(found), json)
        return
    result = speed.run(row or [], against=against, pairs=pairs, part=part, show=lambda text: typer.echo(text, err=True))
    show_result([speed.table(result)], speed.lines(result), speed.records(result), json)


@bench_app.command(
    "images",
    epilog="Examples: **nsoc bench images --mode scheme4-small** · **nsoc bench images --json images.json**. Exit "
    "status 1 when a picture did not arrive whole or a goal is missed.",
)
def bench_images(
    mode: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Measure only this one, like sink-large; may be repeated."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept from an earlier run.")] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the published image transfers, and those with the SoC as either end, over good and bad cables.

    The large image takes a minute or two each way; what was measured is kept (build/results).
    """
    from nsoc.bench import images
    from nsoc.progress import progress_bar

    with progress_bar("transfers", "transfers") as progress:
        result = images.run(mode or [], seed=seed, fresh=fresh, progress=progress)
    show_result(images.tables(result), images.lines(result), images.records(result), json, result.failure)


@bench_app.command(
    "live",
    epilog="Examples: **nsoc bench live --mode lwip-udp** · **nsoc bench live --preset nic12-net32 --json live.json** "
    "· **nsoc bench live --peers --quick**. Exit status 1 when a goal is missed, or something was lost or wrong.",
)
def bench_live(
    mode: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="tcp-receive, tcp-send, lwip-udp or idle; may be repeated. Default: all."),
    ] = None,
    preset: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this system; may be repeated. Default: both.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept from an earlier run.")] = False,
    peers: Annotated[
        bool,
        typer.Option(
            "--peers",
            help="Also: ping, curl and iperf of this machine against nic12-net in nsoc up, by the "
            "clock on the wall; an hour.",
        ),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --peers: a little of each.")] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the SoC as a host on the network: lwIP's TCP both ways, what a datagram costs, how fast idle time passes.

    A minute or two for each system; what was measured is kept (build/results). With --peers, what is lost on the way
    to programs of this machine, and when the first ping is back.
    """
    from nsoc.bench import live
    from nsoc.bench import peers as programs
    from nsoc.progress import progress_bar

    if peers:
        programs.check_programs()
    with progress_bar("measuring", "figures") as progress:
        result = live.run(mode or [], preset=preset or [], seed=seed, fresh=fresh, progress=progress)
    tables, lines, records = [live.table(result)], live.lines(result), live.records(result)
    failures = [result.failure]
    if peers:
        with progress_bar("measuring", "programs") as progress:
            met = programs.run(quick=quick, progress=progress)
        tables.append(programs.table(met))
        lines += programs.lines(met)
        records += programs.records(met)
        failures.append(met.failure)
    show_result(tables, lines, records, json, "; ".join(filter(None, failures)))


@bench_app.command(
    "toe",
    epilog="Examples: **nsoc bench toe --mode tcp-both-1** · **nsoc bench toe --mode udp-both --mode min-frames --json "
    "toe.json**. Exit status 1 when a goal is missed.",
)
def bench_toe(
    mode: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="tcp-receive-1, tcp-send-64-loss1, min-frames, udp-both, net-tcp, ...; may be repeated. Default: all, "
            "but net-tcp (minutes of synthesis) only if it is there already.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="This system for all modes. Default: toe for one connection, toe-1k for more."
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept from an earlier run.")] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure the TCP/IP engine: goodput with and without loss, the smallest frames at line rate, UDP, size.

    A quarter of an hour; what was measured is kept (build/results).
    """
    from nsoc.bench import toe
    from nsoc.progress import progress_bar

    with progress_bar("measuring", "figures") as progress:
        result = toe.run(mode or [], preset=preset, seed=seed, fresh=fresh, progress=progress)
    show_result(toe.tables(result), toe.lines(result), toe.records(result), json, result.failure)


@bench_app.command(
    "sockets",
    epilog="Examples: **nsoc bench sockets --mode nodca-udp** · **nsoc bench sockets --preset ajit-toe --mode "
    "socket-udp** · **nsoc bench sockets --json sockets.json**. Exit status 1 when a goal is missed.",
)
def bench_sockets(
    mode: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="dca-udp, socket-tcp, lwip-socket-udp, http, dca, ...; may be repeated. Default: all, but dca "
            "(minutes of synthesis) only if it is there already.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="This system, in the modes that it has. Default: toe, toe-nodca and toe-lwip by mode."
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept from an earlier run.")] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure how long a program takes to send back what comes, by each way that it has; goodput, pages; size.

    Some minutes a mode; what was measured is kept (build/results).
    """
    from nsoc.bench import sockets
    from nsoc.progress import progress_bar

    with progress_bar("measuring", "modes") as progress:
        result = sockets.run(mode or [], preset=preset, seed=seed, fresh=fresh, progress=progress)
    show_result(sockets.tables(result), sockets.lines(result), sockets.records(result), json, result.failure)


@bench_app.command(
    "bursts", epilog="Examples: **nsoc bench bursts** · **nsoc bench bursts --receiver 500 --pause 200 --json -**"
)
def bench_bursts(
    receiver: Annotated[
        float | None,
        typer.Option(min=10, max=1000, metavar="MBPS", help="Rate of the receiver. Default: the published one's."),
    ] = None,
    pause: Annotated[
        float, typer.Option(min=0, max=PAUSE_MOST, metavar="US", help="Idle time after each burst.")
    ] = 100.0,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Find the longest bursts that MAC FIFOs of 4 KB and 16 KB bear, before a receiver slower than the line."""
    from nsoc.bench import bursts
    from nsoc.progress import progress_bar

    rate = bursts.RATE_MBPS if receiver is None else receiver
    with progress_bar("bursts", "FIFOs") as progress:
        found = bursts.run(rate_mbps=rate, pause_us=pause, seed=seed, progress=progress)
    show_result([bursts.table(found)], bursts.lines(found, pause), bursts.records(found), json)


@bench_app.command(
    "thesis",
    epilog="Examples: **nsoc bench thesis --quick** · **nsoc bench thesis --table 6.6 --table limits** · "
    "**nsoc bench thesis --preset nic12-fast --host-jitter-us 5** · **nsoc bench thesis --table utilization**. "
    "Exit status 1 when a limit is missed or a system gave no figures.",
)
def bench_thesis(
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="2.1, 2.2, 6.1 to 6.6, 7.1, 7.2, B.1, B.2, C.1, burst, limits, utilization; may be repeated. "
            "Default: all, but the utilization only of what is synthesized already (minutes for each system).",
        ),
    ] = None,
    preset: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this system; may be repeated. Default: all twelve.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Payloads 64, 1024 and 1486 only, no windows, short bursts.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept from an earlier run.")] = False,
    host_send_us: Annotated[
        float | None,
        typer.Option(min=0, max=PAUSE_MOST, metavar="US", help="Host model: time to send. Default: 30, as published."),
    ] = None,
    host_receive_us: Annotated[
        float | None,
        typer.Option(
            min=0, max=PAUSE_MOST, metavar="US", help="Host model: time to receive. Default: 30, as published."
        ),
    ] = None,
    host_jitter_us: Annotated[
        float,
        typer.Option(
            min=0, max=PAUSE_MOST, metavar="US", help="Host model: either takes up to so much longer, by the seed."
        ),
    ] = 0.0,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure what the published tables show, on all six systems and on each with the published instruction set, beside
    the published figures.

    Each measurement is kept (build/results) until RTL, firmware, preset or the measuring code change, so a second run
    takes a second, and one that was interrupted goes on where it stopped. Ratios are ours / published.
    """
    from nsoc.bench import jobs, thesis
    from nsoc.progress import progress_bar

    plan = thesis.plan(table or [], preset or [], seed=seed, quick=quick)
    host = thesis.host_model(host_send_us, host_receive_us, host_jitter_us, seed)
    try:
        with progress_bar("measuring", "measurements") as progress:
            study = thesis.run(plan, host, fresh=fresh, progress=progress)
    except jobs.Interrupted as interrupted:
        typer.echo(f"nsoc: {interrupted}", err=True)
        raise
    show_result(thesis.sections(study), (), thesis.records(study), json, study.failure)
