# SPDX-License-Identifier: Apache-2.0
"""SoCs beside the programs of this machine: up, enter, console, toe, boot."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsoc.cli.common import (
    A_DAY_S,
    INTERRUPTED,
    PidOption,
    PresetOption,
    SeedOption,
    app,
    json_file,
    say,
    stations,
    with_cable,
)
from nsoc.errors import NsocError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from nsoc.live.up import Options, Up

_COMMAND_FIRST = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]}
"""What follows the command is the command's."""


@app.command(
    context_settings=_COMMAND_FIRST,
    epilog="Examples: **nsoc up** · **nsoc up -- ping -c 3 10.0.0.2** · **nsoc up --count 2 -- bash** · "
    "**nsoc up --show** · "
    "**nsoc up --pcap out/live.pcapng --loss 0.1 -- curl http://10.0.0.2/**. Exit status: that of the command.",
)
@with_cable(files=False)
def up(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="CMD", help="Run this beside the SoC, and end with it.", show_default=False),
    ] = None,
    preset: PresetOption = "nic12-fast",
    firmware: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A name from firmware/apps, a C or an ELF file; else net, or toe_net with a TCP/IP engine.",
            show_default=False,
        ),
    ] = None,
    count: Annotated[
        int, typer.Option(min=1, metavar="N", help="So many SoCs: stations 2, 3, ... on one switch with Linux.")
    ] = 1,
    tap: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Make this TAP interface here, as root, and no namespace of one's own."),
    ] = None,
    address: Annotated[str, typer.Option(metavar="IP/BITS", help="Of Linux, with its network.")] = "10.0.0.1/24",
    fast: Annotated[bool, typer.Option("--fast", help="Idle time need not last as long as on the wall.")] = False,
    pcap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write Linux's frames as pcapng, with simulated times.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write down all that comes from outside, for --replay.")
    ] = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show",
            help="Ping the SoC, use its UDP and TCP echo, fetch its page, and end: exit status 1 when one fails.",
        ),
    ] = False,
    show_drops: Annotated[
        bool, typer.Option("--show-drops", help="Print each frame that gets lost, with why.")
    ] = False,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Repeat that session cycle by cycle, without Linux.")
    ] = None,
    seed: SeedOption = 1,
    wiring: Any = None,
) -> None:
    """Put the SoC on the network, with Linux as the peer.

    It boots, and your programs reach it at 10.0.0.2 through the interface nsoc0: in a network namespace of its own,
    where no root is needed, or with --tap in the present one. It runs until Ctrl-C, or as long as the command does.
    """
    from rich.console import Console

    console = Console(stderr=bool(command), highlight=False)
    if replay is not None:
        if command or show or record is not None:
            raise typer.BadParameter("a session that is replayed meets no command and is not recorded again")
        _replay(replay, console)
        return
    from nsoc import needs
    from nsoc.live.up import Options

    if command:
        needs.program(command[0], "this command")
    if show and (command or firmware not in (None, "net", "toe_net")):
        raise typer.BadParameter("--show visits what net and toe_net offer; leave out --firmware and the command")
    faults = None if wiring is None else wiring.faults
    options = Options(
        preset=preset, firmware=firmware, count=count, seed=seed, faults=faults, address=address, tap=tap, fast=fast,
        pcap=pcap, show_drops=show_drops, record=record,
    )  # fmt: skip
    status = _up(options, command, show, console)
    if show and status == 1:
        raise NsocError("the SoC did not answer as it should, see above")
    if status:
        raise typer.Exit(status)


def _up(options: "Options", command: "Sequence[str] | None", visits: bool, console: "Console") -> int:
    from nsoc.live import show
    from nsoc.live.up import interruptible, up

    interruptible()
    status = 0
    with up(options, lambda text: console.print(text, markup=False, soft_wrap=True)) as live:
        try:
            if command:
                status = live.run(command)
            elif visits:
                status, left_out = live.visit()
                if left_out:
                    console.print(left_out, markup=False, soft_wrap=True)
            else:
                _stay(live, console)
        except KeyboardInterrupt:
            status = INTERRUPTED if command or visits else 0
        finally:
            for text in show.summary(live.tally(), live.nic_mhz):
                console.print(text, markup=False, soft_wrap=True)
    return status


def _stay(live: "Up", console: "Console") -> None:
    enter = "in another terminal: nsoc enter -- ping 10.0.0.2; " if live.info.own_namespace else ""
    console.print(f"ready; {enter}Ctrl-C ends it", markup=False, soft_wrap=True)
    if not console.is_terminal:
        live.stay(None)
        return
    from rich.live import Live
    from rich.text import Text

    with Live(console=console, auto_refresh=False, transient=True) as line:
        live.stay(lambda text: line.update(Text(text), refresh=True))


def _replay(file: Path, console: "Console") -> None:
    from nsoc.live.record import replay

    replayed = replay(file)
    if replayed.difference:
        raise NsocError(replayed.difference)
    sameness = "the same to the last cycle" if replayed.record.end else "the session broke off there"
    seconds = replayed.state["time_fs"] / 1e15
    frames = len(replayed.record.frames)
    console.print(f"{seconds:,.6f} s simulated, {frames:,} frames from Linux: {sameness}", soft_wrap=True)


@app.command(
    context_settings=_COMMAND_FIRST,
    epilog="Examples: **nsoc enter -- ping 10.0.0.2** · **nsoc enter** for a shell.",
)
def enter(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="CMD", help="The command; your shell when not given.", show_default=False),
    ] = None,
    pid: PidOption = None,
) -> None:
    """Run a command in the network namespace of a running nsoc up."""
    from nsoc import needs
    from nsoc.live import the_running

    arguments = command or [os.environ.get("SHELL", "/bin/sh")]
    needs.program(arguments[0], "this command")
    one = the_running(pid)
    one.wait_ready(say)
    one.enter()
    try:
        os.execvp(arguments[0], arguments)
    except OSError as problem:
        raise NsocError(f"cannot run {arguments[0]} ({problem.strerror}): see that it is installed") from None


@app.command(epilog="Examples: **nsoc console** · **echo counters | nsoc console**")
def console(
    number: Annotated[int, typer.Argument(metavar="[N]", help="Which SoC, from 0 on.")] = 0,
    pid: PidOption = None,
    wait: Annotated[
        float,
        typer.Option(
            min=0, max=A_DAY_S, metavar="S", help="Behind the end of a pipe: until nothing was printed for so long."
        ),
    ] = 1.0,
) -> None:
    """Be the terminal of a SoC that runs in nsoc up. Lines are edited here, and Ctrl-] ends it."""
    from nsoc.live import terminal, the_running

    one = the_running(pid)
    one.wait_ready(say)
    terminal.run(one.console(number), wait)


@app.command(
    epilog="Examples: **nsoc up --preset toe**, and in another terminal **nsoc toe** · **nsoc toe --info** · "
    "**nsoc toe --watch 1** · **nsoc toe --json - | jq '.[] | select(.retrans > 0)'**"
)
def toe(
    number: Annotated[int, typer.Argument(metavar="[N]", help="Which SoC, from 0 on.")] = 0,
    info: Annotated[
        bool,
        typer.Option(
            "--info", "-i",
            help="A second line of each as ss -i has it: options, rto, rtt and its variance (ms), mss, cwnd and "
            "ssthresh (segments), bytes and segments each way, what was sent again, windows.",
        ),
    ] = False,
    watch: Annotated[
        float | None, typer.Option(min=0.1, max=A_DAY_S, metavar="S", help="Again every so many seconds, until Ctrl-C.")
    ] = None,
    pid: PidOption = None,
    wait: Annotated[
        float,
        typer.Option(min=0.1, max=A_DAY_S, metavar="S", help="Give up when the SoC says nothing for so long."),
    ] = 30.0,
    json: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", callback=json_file,
            help="Write them as JSON instead, all of what --info shows; - is standard output.",
        ),
    ] = None,
) -> None:  # fmt: skip
    """List the connections of a TCP/IP engine in hardware, as ss lists those of Linux.

    The SoC runs in nsoc up with a preset that has the engine (toe, toe-1k). Recv-Q is what its program has not read,
    Send-Q what it has sent and the peer has not acknowledged. The firmware toe_net reads the engine's records for this,
    on its console: each look costs the SoC some 0.5 ms of simulated time for each connection.
    """
    from nsoc.live import connections

    if json is not None and watch is not None:
        raise typer.BadParameter("--json looks once: leave --watch out")
    one = connections.with_engine(pid)
    one.wait_ready(say)
    with one.console(number) as console:
        if json is not None:
            connections.write(connections.ask(console, wait), json)
            return
        if watch is None:
            typer.echo(connections.table(connections.ask(console, wait), info))
            return
        _watch(lambda: connections.table(connections.ask(console, wait), info), watch)


def _watch(look: "Callable[[], str]", every_s: float) -> None:
    """What it says, again and again: in place of the last one on a terminal, else one behind the other."""
    import time

    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(highlight=False)
    try:
        if not console.is_terminal:
            while True:
                typer.echo(look() + "\n")
                time.sleep(every_s)
        with Live(console=console, auto_refresh=False) as shown:
            while True:
                shown.update(Text(look()), refresh=True)
                time.sleep(every_s)
    except KeyboardInterrupt:
        return


@app.command(
    epilog="Examples: **nsoc up --firmware monitor**, and in another terminal **nsoc boot net** · "
    "**nsoc boot my.elf --to 3** · **nsoc boot forward --interface eth1 --preset nic12-dma**"
)
def boot(
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="A name from firmware/apps, a C file, or an ELF file linked into DRAM."),
    ],
    to: Annotated[str, typer.Option(metavar="S", help="The station: 02:00:00:00:00:S, or a MAC address.")] = "2",
    interface: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Behind this interface of the machine. Default: that of the nsoc up that runs."
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The system there. Default: that of nsoc up, with --interface nic12-fast."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, max=60_000, metavar="MS", help="Give up when nobody answers for so long.")
    ] = 10_000,
    pid: PidOption = None,
) -> None:
    """Load a program over the network into a SoC that runs the firmware `monitor`, and start it."""
    from nsoc.live import the_running
    from nsoc.live.interface import SLOWNESS, Interface, WallClock, check_peers, reach
    from nsoc.machine import presets
    from nsoc.monitor import Monitor
    from nsoc.monitor.client import program as program_of
    from nsoc.progress import progress_bar

    (station,) = stations(to, 1, "--to")
    where = None if interface is not None and pid is None else the_running(pid)
    if preset is None:
        preset = presets.DEFAULT if where is None else where.info.preset
    # Programs take the last byte of their address from there, as those that nsoc up starts do.
    made = program_of(program, presets.load_soc(preset), {"STATION": station[5]})
    if where is not None:
        where.wait_ready(say)
        where.enter()
        interface = interface or where.info.interface
    assert interface is not None
    if where is None:
        reach(interface)
    with Interface(interface) as line, progress_bar("loading", "blocks") as progress:
        check_peers(line, [station])
        monitor = Monitor(
            WallClock(line), line, line.address, station, patience_us=timeout * 1000, slowness=SLOWNESS
        )  # fmt: skip
        loaded = monitor.boot(made, progress)
    typer.echo(
        f"{loaded.name}: {loaded.bytes:,} bytes in {loaded.blocks:,} blocks, {loaded.repeats:,} of them repeated, in "
        f"{loaded.us / 1e6:,.1f} s; it starts at {loaded.entry:#x}"
    )
