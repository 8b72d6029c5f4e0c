# SPDX-License-Identifier: Apache-2.0
"""What boots the SoC or says what it is: demo, run, gdb, presets, regs."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from nsoc.cli.common import (
    LONGEST_US,
    LOOPS_MOST,
    JsonOption,
    PidOption,
    PresetOption,
    ReadyOption,
    SeedOption,
    SendOption,
    TruncatedOption,
    app,
    console_for,
    say,
    show_result,
    with_cable,
    write_records,
)
from nsoc.errors import NsocError
from nsoc.network.image import Size


@app.command(
    epilog="Example: **nsoc demo --image holiday.jpg --loss 0.02 --seed 7**. Exit status 0 when the image "
    "came back bit-exact, 1 when not."
)
@with_cable(loss=0.01, corrupt=0.005)
def demo(
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Send this image file instead of the generated picture.")
    ] = None,
    size: Annotated[
        Size | None, typer.Option(help="Which generated picture: small, 680 x 680 (default), or large, 4600 x 4600.")
    ] = None,
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
    wiring: Any = None,
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
            wiring=wiring,
            seed=seed,
            preset=preset,
            window=window,
            timeout_us=timeout * 1000,
            out=out,
            progress=progress,
        )
    console = console_for(json)
    for part in result.tables():
        console.print(part, soft_wrap=isinstance(part, str))
    write_records(result.records(), json)
    if result.failure:
        raise NsocError(result.failure)


@app.command(
    epilog="Examples: **nsoc run hello** · **nsoc run forward --send 'ffffffffffff 020000000001 88b5 00'** · "
    "**nsoc run my.elf --us 500 --capture out/my.pcapng** · **nsoc run forward --send in.pcap --loss 0.1** · "
    "**nsoc run forward --send in.pcap --timing capture --speed 10**"
)
@with_cable()
def run(
    firmware: Annotated[
        str, typer.Argument(metavar="FIRMWARE", help="A name from firmware/apps, or a file: C or ELF.")
    ],
    preset: PresetOption = "nic12-fast",
    us: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=LONGEST_US,
            metavar="N",
            help="Simulate N microseconds. Default: until UART and wire were quiet for 2 ms, at most 1 s (simulated).",
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Stop when the SoC has printed this; not to see it is an error.")
    ] = None,
    send: SendOption = None,
    timing: Annotated[
        Literal["back-to-back", "capture"],
        typer.Option(help="Frames of captures: as soon as the line is free, or as far apart as in the capture."),
    ] = "back-to-back",
    speed: Annotated[
        float | None,
        typer.Option(metavar="X", help="With --timing capture: so many times as fast.", show_default=False),
    ] = None,
    loop: Annotated[int, typer.Option(min=1, max=LOOPS_MOST, metavar="N", help="Send all that so many times.")] = 1,
    truncated: TruncatedOption = "skip",
    ready: ReadyOption = "ready",
    capture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all frames of both directions as pcapng.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = None,
    wiring: Any = None,
) -> None:
    """Boot a firmware and print what it prints, as it prints it; frames the SoC sends are shown too."""
    from nsoc.machine.running import run_firmware
    from nsoc.network.sending import Sending
    from nsoc.progress import progress_bar

    stream = sys.stderr if json == "-" else sys.stdout
    unfinished = ""

    def show(text: str) -> None:
        # The bar of progress is below what is printed on its terminal: there a line is shown when it is whole.
        nonlocal unfinished
        if sys.stderr.isatty() and stream.isatty():
            text, newline, unfinished = (unfinished + text).rpartition("\n")
            typer.echo(text + newline, nl=False, err=json == "-")
        else:
            typer.echo(text, nl=False, file=stream)

    try:
        with progress_bar("simulating", "us") as progress:
            result = run_firmware(
                firmware, preset, us=us, until=until, send=send or [],
                sending=Sending(timing=timing, speed=speed, loop=loop, truncated=truncated), ready=ready,
                capture=capture, seed=seed, show=show, say=lambda text: typer.echo(text, err=True), wiring=wiring,
                progress=progress,
            )  # fmt: skip
    finally:
        typer.echo(unfinished, nl=False, err=json == "-")
    typer.echo(result.sentence, err=True)
    write_records(result.records(), json)
    if result.failure:
        raise NsocError(result.failure)


@app.command(
    epilog="Examples: **nsoc gdb forward --define DELAY=1000** · **nsoc gdb forward --ide** · "
    "**nsoc gdb --preset pnic-rice**, and in another terminal what it prints. **monitor help** in GDB shows what else "
    "there is."
)
def gdb(
    firmware: Annotated[
        str | None,
        typer.Argument(
            metavar="[FIRMWARE]",
            help="A name from firmware/apps, or a file: C or ELF; of a programmable NIC one from firmware/pnic/apps. "
            "Default: the preset's.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Listen on 127.0.0.1 here; 0 takes a free one.")] = 3333,
    preset: PresetOption = "nic12-fast",
    define: Annotated[
        list[str] | None, typer.Option(metavar="NAME[=VALUE]", help="Preprocessor symbols for the firmware.")
    ] = None,
    send: SendOption = None,
    truncated: TruncatedOption = "skip",
    ready: ReadyOption = "ready",
    core: Annotated[
        int,
        typer.Option(
            min=0, help="The core that GDB sees; the others run while it runs. Of a programmable NIC it sees all."
        ),
    ] = 0,
    ide: Annotated[
        bool,
        typer.Option(
            "--ide",
            help="Write .gdbinit, .vscode/launch.json and compile_commands.json for this program here, where they are "
            "not there yet, and end.",
        ),
    ] = False,
    seed: SeedOption = 1,
) -> None:
    """Boot a firmware and let GDB step it: halted at its first instruction, until GDB connects and kills it.

    With a programmable NIC (--preset pnic-rice) each small core is a thread, and frames go both ways while they run.
    """
    from nsoc.machine import gdb as gdb_
    from nsoc.machine import presets as presets_
    from nsoc.network.sending import Sending

    def show(text: str) -> None:
        typer.echo(text, nl=False)

    def say(text: str) -> None:
        typer.echo(text, err=True)

    if ide and port == 0:
        raise typer.BadParameter("--ide writes the port down: give --port another than 0")
    found = presets_.load(preset)
    if found.top == "pnic_node":
        from nsoc.pnic import gdb as pnic_gdb

        if send or core:
            raise typer.BadParameter("--send and --core are for presets with one processor")
        if ide:
            _write_ide(pnic_gdb.ide_files(found, firmware, port=port, defines=define or []))
            return
        pnic_gdb.serve(found, firmware, port=port, seed=seed, defines=define or [], show=show, say=say)
        return
    if ide:
        _write_ide(gdb_.ide_files(firmware, preset, port=port, defines=define or [], core=core))
        return
    gdb_.serve(
        firmware,
        preset,
        port=port,
        seed=seed,
        defines=define or [],
        send=send or [],
        sending=Sending(truncated=truncated),
        ready=ready,
        core=core,
        show=show,
        say=say,
    )


def _write_ide(contents: dict[str, str]) -> None:
    from nsoc.machine.gdb import ide

    for line in ide.write(Path.cwd(), contents):
        typer.echo(line)


@app.command(
    epilog="Examples: **nsoc systems** · **nsoc systems --run** · **nsoc systems --run tcp pnic** · "
    "**nsoc systems --json -**"
)
def systems(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="nic, tcp, latency, pnic or v8. Default: all.")
    ] = None,
    run: Annotated[
        bool,
        typer.Option("--run", help="Run the main job of each once, and show its figures beside the published ones."),
    ] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Show the published systems that stand here: what each follows, its headlines, and what runs it.

    With **--run** each does its main job once: an image through the NIC, echoes by direct cache access and by sockets,
    two TCP engines door to door, six small cores that pass frames, the image by a SPARC V8 core. Half a minute in all,
    once simulators are built.
    """
    from nsoc.systems import SYSTEMS, find, headlines, show

    if not run:
        chosen = find(names) if names else SYSTEMS
        tables = [show.table(system, headlines.of(system.name)) for system in chosen]
        show_result(tables, show.lines(), show.records(chosen), json)
        return
    from nsoc.progress import waiting
    from nsoc.systems import run as running

    console = console_for(json)
    results = []
    for system in find(names or ()):
        with waiting(f"{system.title}: {system.job}", system.seconds):
            ran = running.run(system, seed=seed)
        results.append(ran)
        console.print(show.table(system, ran.found, ours="ours, now", seconds=ran.seconds))
    console.print(show.RATIO, soft_wrap=True)
    write_records(running.records(results), json)


@app.command(epilog="Examples: **nsoc presets** · **nsoc presets toe** · **nsoc presets mine.toml --json -**")
def presets(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A preset, or a TOML file of your own.")] = None,
    json: JsonOption = None,
) -> None:
    """List the systems this platform can be, by the publication that each follows, or every field of one: its value,
    unit, range and meaning."""
    from nsoc.machine import listing

    if json is not None:
        write_records(listing.preset_records(name), json)
    if json != "-":
        console = console_for(json)
        for table in listing.preset_tables() if name is None else [listing.preset_fields(name)]:
            console.print(table)


@app.command(
    epilog="Examples: **nsoc regs** · **nsoc regs uart** · **nsoc regs nic.control** · **nsoc regs --live nic.status**"
)
def regs(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A device, or a register.")] = None,
    live: Annotated[bool, typer.Option("--live", help="What is in them, in a SoC that runs in nsoc up.")] = False,
    soc: Annotated[int, typer.Option(min=0, metavar="N", help="With --live: which SoC, from 0 on.")] = 0,
    effects: Annotated[
        bool, typer.Option("--effects", help="With --live: read also what changes by being read, as a received byte.")
    ] = False,
    pid: PidOption = None,
    json: JsonOption = None,
) -> None:
    """Show the register map: all registers, those of a device, or the fields of one register.

    With --live their values: core 0 of the running SoC reads each through its bus, which takes some microseconds of
    simulated time.
    """
    from nsoc.machine import listing

    found = listing.find_registers(name)
    if live:
        from nsoc.live import the_running
        from nsoc.live.registers import values

        one = the_running(pid)
        one.wait_ready(say)
        with one.registers(soc) as connection:
            shown = values(connection, found, effects)
        show_result(listing.value_tables(shown), [], listing.value_records(shown), json)
        return
    if soc or effects or pid is not None:
        raise typer.BadParameter("--soc, --effects and --pid are for --live")
    if json is not None:
        write_records(listing.register_records(found), json)
    if json != "-":
        console = console_for(json)
        for table in listing.register_tables(found):
            console.print(table)
