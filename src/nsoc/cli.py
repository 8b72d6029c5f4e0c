# SPDX-License-Identifier: Apache-2.0
"""The `nsoc` command: a thin skin over the library. Whatever a command does, `import nsoc` does too.

Imports of what a command needs stand inside it: `nsoc --help` must not wait for parts it does not use.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.exceptions import TyperException

from nsoc.errors import NsocError
from nsoc.network.image import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from nsoc.records import Record

INTERRUPTED = 130
TABLE_COLUMNS = 100
"""Width of tables that do not go to a terminal."""

app = typer.Typer(
    help="A network-centric SoC in a box: boot it in simulation, drive its Ethernet wire, measure it.",
    epilog="Begin with: nsoc demo",
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

PresetOption = Annotated[str, typer.Option(metavar="NAME", help="The system to build and boot; see **nsoc presets**.")]
SeedOption = Annotated[int, typer.Option(min=0, help="What is random is drawn from this; same seed, same run.")]
SendOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FRAME", help="Send frames: hex bytes from the destination address on, or a pcap/pcapng file."
    ),
]


def _json_file(where: str | None) -> str | None:
    """Whether it can be written is said before anything runs."""
    if where is not None and where != "-":
        from nsoc.files import check_writable

        check_writable(Path(where), "the records to", "--json")
    return where


ReadyOption = Annotated[str, typer.Option(metavar="TEXT", help="--send waits until the SoC has printed this.")]
JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", callback=_json_file, help="Write the figures as JSON records; - is standard output."
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"nsoc {version('nsoc')}")
        except PackageNotFoundError:  # run from a checkout that was never installed
            typer.echo("nsoc (not installed)")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _nsoc(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _console(json_file: str | None) -> "Console":
    """Where people read: standard output, unless records go there."""
    from rich.console import Console

    console = Console(stderr=json_file == "-", highlight=False)
    if not console.is_terminal:
        console.width = TABLE_COLUMNS
    return console


def _write_records(records: "Sequence[Record]", json_file: str | None) -> None:
    if json_file is not None:
        from nsoc.records import write

        write(records, json_file)


@app.command(
    epilog="Example: **nsoc demo --image holiday.jpg --loss 0.02 --seed 7**. Exit status 0 when the image "
    "came back bit-exact, 1 when not."
)
def demo(
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Send this image file instead of the generated picture.")
    ] = None,
    size: Annotated[
        Size | None, typer.Option(help="Which generated picture: small, 680 x 680 (default), or large, 4600 x 4600.")
    ] = None,
    loss: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the cable loses a frame, in each direction.")
    ] = 0.01,
    corrupt: Annotated[
        float, typer.Option(min=0, max=1, help="Probability that the cable flips bits of a frame, in each direction.")
    ] = 0.005,
    seed: SeedOption = 1,
    preset: PresetOption = "nic12-fast",
    window: Annotated[int, typer.Option(min=1, max=4096, help="Data frames under way at once.")] = 32,
    timeout: Annotated[
        float, typer.Option(min=1, max=10_000, metavar="MS", help="Give up after so long without progress (simulated).")
    ] = 100,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the received image and the capture.")] = Path(
        "out"
    ),
    json: JsonOption = None,
) -> None:
    """Send an image through the SoC and back, over a cable that loses frames.

    A reliable protocol carries the image as numbered frames into the SoC, whose processor swaps the MAC addresses
    and echoes them; what got lost is sent again. The table shows what that took, beside the published figures.
    """
    from nsoc.demo import run_demo
    from nsoc.progress import progress_bar

    if image is not None and size is not None:
        raise typer.BadParameter("give either --image or --size, not both")
    with progress_bar("sending the image") as progress:
        result = run_demo(
            image,
            size or Size.SMALL,
            loss=loss,
            corrupt=corrupt,
            seed=seed,
            preset=preset,
            window=window,
            timeout_us=timeout * 1000,
            out=out,
            progress=progress,
        )
    console = _console(json)
    for part in result.tables():
        console.print(part, soft_wrap=isinstance(part, str))
    _write_records(result.records(), json)
    if result.failure:
        raise NsocError(result.failure)


@app.command(
    epilog="Examples: **nsoc run hello** · **nsoc run forward --send 'ffffffffffff 020000000001 88b5 00'** · "
    "**nsoc run my.elf --us 500 --capture out/my.pcapng**"
)
def run(
    firmware: Annotated[str, typer.Argument(metavar="FIRMWARE", help="A name from firmware/apps, or an ELF file.")],
    preset: PresetOption = "nic12-fast",
    us: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Simulate N microseconds. Default: until UART and wire were quiet for 1 ms, at most 1 s (simulated).",
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Stop when the SoC has printed this; not to see it is an error.")
    ] = None,
    send: SendOption = None,
    ready: ReadyOption = "ready",
    capture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all frames of both directions as pcapng.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Boot a firmware and print what it prints, as it prints it; frames the SoC sends are shown too."""
    from nsoc.machine.running import run_firmware

    def show(text: str) -> None:
        typer.echo(text, nl=False, err=json == "-")

    result = run_firmware(
        firmware, preset, us=us, until=until, send=send or [], ready=ready, capture=capture, seed=seed, show=show
    )
    typer.echo(result.sentence, err=True)
    _write_records(result.records(), json)
    if result.failure:
        raise NsocError(result.failure)


@app.command(
    epilog="Example: **nsoc gdb forward --define DELAY=1000**, and in another terminal what it prints. "
    "**monitor help** in GDB shows what else there is."
)
def gdb(
    firmware: Annotated[
        str | None,
        typer.Argument(metavar="[FIRMWARE]", help="A name from firmware/apps, or an ELF file. Default: the preset's."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Listen on 127.0.0.1 here; 0 takes a free one.")] = 3333,
    preset: PresetOption = "nic12-fast",
    define: Annotated[
        list[str] | None, typer.Option(metavar="NAME[=VALUE]", help="Preprocessor symbols for the firmware.")
    ] = None,
    send: SendOption = None,
    ready: ReadyOption = "ready",
    core: Annotated[int, typer.Option(min=0, help="The core that GDB sees; the others run while it runs.")] = 0,
    seed: SeedOption = 1,
) -> None:
    """Boot a firmware and let GDB step it: halted at its first instruction, until GDB connects and kills it."""
    from nsoc.machine import gdb as gdb_

    def show(text: str) -> None:
        typer.echo(text, nl=False)

    def say(text: str) -> None:
        typer.echo(text, err=True)

    gdb_.serve(
        firmware,
        preset,
        port=port,
        seed=seed,
        defines=define or [],
        send=send or [],
        ready=ready,
        core=core,
        show=show,
        say=say,
    )


@app.command(epilog="Example: **nsoc presets --json -**")
def presets(json: JsonOption = None) -> None:
    """List the systems this platform can be."""
    from nsoc.machine import listing

    if json is not None:
        _write_records(listing.preset_records(), json)
    if json != "-":
        _console(json).print(listing.preset_table())


@app.command(epilog="Examples: **nsoc regs** · **nsoc regs uart** · **nsoc regs nic.control**")
def regs(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A device, or a register.")] = None,
    json: JsonOption = None,
) -> None:
    """Show the register map: all registers, those of a device, or the fields of one register."""
    from nsoc.machine import listing

    found = listing.find_registers(name)
    if json is not None:
        _write_records(listing.register_records(found), json)
    if json != "-":
        console = _console(json)
        for table in listing.register_tables(found):
            console.print(table)


@app.command(
    epilog="Examples: **nsoc synth** · **nsoc synth nic** · **nsoc synth cpu --target xc7 --json -**. What was "
    "synthesized once is kept until the RTL changes."
)
def synth(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[BLOCK|PRESET]",
            help="A folder of rtl/ (cpu: the core without its caches), a module, or a preset: the whole SoC by parts.",
        ),
    ] = "nic12-fast",
    target: Annotated[str | None, typer.Option(metavar="FAMILY", help="xc7 (7-series) or ecp5. Default: both.")] = None,
    timing: Annotated[
        bool, typer.Option(help="Place and route cpu, mac and nic on their own too (ECP5, some minutes each).")
    ] = True,
    json: JsonOption = None,
) -> None:
    """Synthesize a block or a whole SoC with Yosys and show how large it is, beside published figures."""
    from nsoc.hardware import pnr
    from nsoc.hardware import synth as synth_

    if target not in (None, *synth_.Target):
        raise typer.BadParameter(f"there is no target {target!r}, only {' and '.join(synth_.Target)}")
    console = _console(json)
    results = []
    for this in [synth_.Target(target)] if target else list(synth_.Target):
        found = synth_.synthesize(name, this)
        if timing and this is synth_.Target.ECP5:
            found = pnr.with_fmax(found)
        console.print(synth_.table(name, this, found))
        console.print(synth_.memory_line(found))
        for line in synth_.timing_lines(name, found):
            console.print(line, soft_wrap=True)
        results += found
    _write_records(synth_.records(name, results), json)


@app.command(
    epilog="Example: **nsoc pnr nic12-fast --board colorlight-i9 --tries 3**. Exit status 1 when a clock is missed."
)
def pnr(
    preset: Annotated[str, typer.Argument(metavar="[PRESET]", help="See **nsoc presets**.")] = "nic12-fast",
    board: Annotated[str | None, typer.Option(metavar="NAME", help="A folder of boards/. Default: ecpix5.")] = None,
    firmware: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the boot ROM holds. Default: the preset's firmware.")
    ] = None,
    seed: Annotated[int, typer.Option(min=1, help="Where placement begins.")] = 1,
    tries: Annotated[int, typer.Option(min=1, help="Seeds to try while a clock is missed.")] = 1,
    json: JsonOption = None,
) -> None:
    """Place and route a SoC for a board, to a bitstream, and show how fast each clock can be."""
    from nsoc.hardware import pnr as pnr_
    from nsoc.machine import presets as presets_

    chosen, target = presets_.load_soc(preset), pnr_.load_board(board or pnr_.DEFAULT_BOARD)
    if target.tool == "vivado":
        command = pnr_.vivado_command(chosen, target, firmware_name=firmware)
        typer.echo("\n".join([*target.notes, f"Where there is a Vivado: {command}"]), err=json == "-")
        _write_records([], json)
        return
    routed = pnr_.run(chosen, target, seed=seed, tries=tries, firmware_name=firmware)
    console = _console(json)
    for table in pnr_.tables(routed):
        console.print(table)
    console.print(pnr_.summary(routed), soft_wrap=True)
    _write_records(pnr_.records(routed), json)
    if not routed.met:
        missed = ", ".join(clock.name for clock in routed.clocks if not clock.met)
        raise NsocError(f"these clocks are too slow: {missed}; try other seeds with --tries")


@app.command(
    epilog="Examples: **nsoc selftest** · **nsoc selftest debug_queue check_nic** · **nsoc selftest --list**. "
    "Exit status 1 when a test fails."
)
def selftest(
    name: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Tests to run. Default: all.")] = None,
    list_tests: Annotated[bool, typer.Option("--list", help="Show what tests there are.")] = False,
    preset: PresetOption = "nic12-fast",
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Test queues, memory and the way of a frame: from the processor, from inside the NIC, and from the wire."""
    from nsoc.machine import selftest as selftest_
    from nsoc.progress import progress_bar

    if list_tests:
        _console(json).print(selftest_.list_table())
        return
    with progress_bar("testing", "tests") as progress:
        outcomes = selftest_.run(name or [], preset, seed, progress)
    _console(json).print(selftest_.table(outcomes))
    _write_records(selftest_.records(outcomes, preset), json)
    if failed := [outcome.name for outcome in outcomes if not outcome.ok]:
        raise NsocError(f"self-tests failed: {', '.join(failed)}")


@app.command(
    epilog="Examples: **nsoc trace** · **nsoc trace --payload 46 --gap 12 --frames 100** · "
    "**nsoc trace --fst out/a.fst --from-us 0 --to-us 20**"
)
def trace(
    preset: PresetOption = "nic12-fast",
    frames: Annotated[int, typer.Option(min=1, max=100_000, help="Frames to send.")] = 8,
    payload: Annotated[int, typer.Option(min=46, max=1500, help="Payload bytes of each.")] = 1024,
    gap: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="BYTES",
            help="Send them back to back with so many idle byte times between them; 12 is line rate. Default: each "
            "when the one before has come back.",
        ),
    ] = None,
    image: Annotated[
        bool, typer.Option("--image", help="Send the generated picture instead, as nsoc demo does.")
    ] = False,
    mode: Annotated[str, typer.Option(metavar="MODE", help="normal, nic_loopback or mac_loopback.")] = "normal",
    firmware: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the processor runs. Default: the preset's.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The timeline.")] = Path("out/nsoc.perfetto-trace"),
    fst: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a waveform of all signals too. Ten times slower: choose a window."),
    ] = None,
    from_us: Annotated[
        float, typer.Option(min=0, metavar="US", help="The waveform begins so long after the first frame, ...")
    ] = 0.0,
    to_us: Annotated[float, typer.Option(min=0, metavar="US", help="... and ends here.")] = 20.0,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Follow each frame through the SoC: a timeline for Perfetto's viewer, and how long each stage takes.

    A frame is a slice in each stage from wire to wire; queues, FIFOs and buses are counters, drops are marked with
    their cause. The stages of a frame add up to its round trip; docs/trace.md says where each begins.
    """
    from nsoc import trace as trace_
    from nsoc.files import check_writable

    check_writable(out, "the timeline", "--out")
    if fst is not None:
        check_writable(fst, "the waveform", "--fst")
    waves = None if fst is None else trace_.Waves(fst, from_us, to_us)
    result = trace_.run(
        preset=preset, frames=frames, payload=payload, mode=mode, gap=gap, image=image, seed=seed, firmware=firmware,
        waves=waves,
    )  # fmt: skip
    trace_.write_perfetto(result.trace, out)
    console = _console(json)
    console.print(trace_.table(result))
    for line in trace_.lines(result, out, waves):
        console.print(line, soft_wrap=True)
    _write_records(trace_.records(result), json)


bench_app = typer.Typer(help="Measure the SoC and its parts, beside published figures.", rich_markup_mode="markdown")
app.add_typer(bench_app, name="bench")


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

    def show(what: str) -> None:
        typer.echo(f"Measuring {what}", err=True)

    result = cpu.run(
        loop or [], coremark=coremark, flags=flags, iterations=iterations, preset=preset, seed=seed, show=show
    )
    console = _console(json)
    for table in cpu.tables(result):
        console.print(table)
    for line in cpu.lines(result):
        console.print(line, soft_wrap=True)
    _write_records(cpu.records(result), json)
    if result.failure:
        raise NsocError(result.failure)


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

    def show(what: str) -> None:
        typer.echo(f"Measuring {what}", err=True)

    result = mac_example.run(frames=frames, warm_up=warm_up, preset=preset, show=show)
    console = _console(json)
    for table in mac_example.tables(result):
        console.print(table)
    for line in mac_example.lines():
        console.print(line, soft_wrap=True)
    _write_records(mac_example.records(result), json)


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
    console = _console(json)
    console.print(nic.table(result))
    for line in nic.lines(result):
        console.print(line, soft_wrap=True)
    _write_records(nic.records(result), json)
    if result.failure:
        raise NsocError(result.failure)


@bench_app.command("modes", epilog="Example: **nsoc bench modes --json -**")
def bench_modes(preset: PresetOption = "nic12-fast", seed: SeedOption = 1, json: JsonOption = None) -> None:
    """Measure round trips in normal mode and both loopbacks, and what of them is processor, NIC and MAC."""
    from nsoc.bench import modes
    from nsoc.progress import progress_bar

    with progress_bar("round trips", "modes") as progress:
        result = modes.run(preset=preset, seed=seed, progress=progress)
    console = _console(json)
    console.print(modes.table(result))
    for line in modes.lines(result):
        console.print(line, soft_wrap=True)
    _write_records(modes.records(result), json)


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
    console = _console(json)
    console.print(clock.table(result))
    for line in clock.lines(result):
        console.print(line, soft_wrap=True)
    _write_records(clock.records(result), json)
    if result.failure:
        raise NsocError(result.failure)


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
        list[str] | None, typer.Option(metavar="NAME", help="Only this system; may be repeated. Default: all six.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Payloads 64, 1024 and 1486 only, no windows, short bursts.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what is kept from an earlier run.")] = False,
    host_send_us: Annotated[
        float | None, typer.Option(min=0, metavar="US", help="Host model: time to send. Default: 30, as published.")
    ] = None,
    host_receive_us: Annotated[
        float | None, typer.Option(min=0, metavar="US", help="Host model: time to receive. Default: 30, as published.")
    ] = None,
    host_jitter_us: Annotated[
        float, typer.Option(min=0, metavar="US", help="Host model: either takes up to so much longer, by the seed.")
    ] = 0.0,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure what the published tables show, on all six systems, beside the published figures.

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
    console = _console(json)
    for part in thesis.sections(study):
        console.print(part)
    _write_records(thesis.records(study), json)
    if study.failure:
        raise NsocError(study.failure)


@app.command(
    epilog="Examples: **nsoc sweep cpu_mhz=40,80,160** · **nsoc sweep rx_fifo_bytes=4K,16K,64K cpu_mhz=40,80 --bench "
    "burst --out fifo.parquet --plot fifo.html** · **nsoc sweep preset=nic11-fast,nic12-fast --bench round-trip "
    "--payload 64,1024 --scheduler tcp://10.0.0.1:8786**. Exit status 1 when a point failed."
)
def sweep(
    axis: Annotated[list[str], typer.Argument(metavar="PARAM=A,B,C...", help="A preset parameter and its values.")],
    bench: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What to measure: burst, round-trip, throughput, stages, modes, nic, cpu, mac-example."
        ),
    ] = "burst",
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="The system whose parameters change.")] = None,
    payload: Annotated[str, typer.Option(metavar="LIST", help="Payload bytes of the frames, like 64,1024.")] = "64",
    mode: Annotated[str, typer.Option(help="normal, nic_loopback or mac_loopback.")] = "normal",
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="The figure to show and plot.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The table as .csv or .parquet.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="A plot as .svg, .png or .html.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes on this machine.")] = 2,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Measure on the workers of this dask scheduler instead.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what has been measured.")] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure at every combination of some preset parameters: one table, one plot."""
    from nsoc.bench import sweep as sweep_
    from nsoc.progress import progress_bar

    axes = sweep_.parse_axes(axis)
    load = sweep_.parse_load(payload, mode)
    sweep_.check_files(out, plot)
    with progress_bar("measuring", "points") as progress:
        result = sweep_.run(
            axes, preset=preset, benchmark=bench, load=load, seed=seed, jobs=jobs, scheduler=scheduler, fresh=fresh,
            progress=progress, say=lambda text: typer.echo(text, err=True),
        )  # fmt: skip
    if out is not None:
        sweep_.write_table(result, out)
    if plot is not None and result.records():
        sweep_.write_plot(result, plot, metric)
    _console(json).print(sweep_.table(result, metric))
    _write_records(result.records(), json)
    if result.failure:
        raise NsocError(result.failure)


@app.command(epilog="Examples: **nsoc report** · **nsoc report --from records.json --out out/report.html**")
def report(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("report.html"),
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Records of **nsoc bench thesis --json**: measure nothing."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer payloads, no windows, short bursts.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what has been measured.")] = False,
    jobs: Annotated[int | None, typer.Option("-j", "--jobs", min=1, help="Processes. Default: one a core.")] = None,
    seed: SeedOption = 1,
) -> None:
    """Write all that is measured, beside what is published, as one HTML page that works offline."""
    from nsoc import report as report_
    from nsoc.files import check_writable
    from nsoc.progress import progress_bar
    from nsoc.report import collect

    check_writable(out, "the report", "--out")
    if source is not None:
        found = collect.from_records(source)
    else:
        with progress_bar("measuring", "figures") as progress:
            found = collect.measured(
                seed=seed, quick=quick, fresh=fresh, workers=jobs, progress=progress,
                say=lambda text: typer.echo(text, err=True),
            )  # fmt: skip
    size = report_.write(found, out)
    for sentence in collect.sentences(found):
        typer.echo(sentence, err=True)
    typer.echo(f"{out}, {size / 1000:.0f} kB: open it in a browser")


def call(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit status. A user's error is one sentence on stderr."""
    try:
        status = app(arguments, prog_name="nsoc", standalone_mode=False)
        sys.stdout.flush()
    except NsocError as error:
        _complain(str(error))
        return 1
    except TyperException as error:
        where = getattr(error, "ctx", None)
        help_command = f"{where.command_path if where else 'nsoc'} --help"
        _complain(f"{error.format_message().rstrip('.')}; see {help_command}")
        return error.exit_code
    except OSError as error:
        what = "standard output" if error.filename is None else error.filename
        _complain(f"cannot write to {what}: {error.strerror or error}")
        return 1
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        _complain("interrupted")
    return int(status or 0)


def _complain(sentence: str) -> None:
    """On stderr, where there is one."""
    with contextlib.suppress(OSError):
        typer.echo(f"nsoc: {sentence}", err=True)


def main() -> None:
    """Entry point of the `nsoc` command."""
    status = call(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # it has been said; the interpreter would try again at its end, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status)


if __name__ == "__main__":
    main()
