# SPDX-License-Identifier: Apache-2.0
"""What moves files between this machine and SoCs, in a simulation of its own or behind an interface: send, get."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsoc.cli.common import PAUSE_MOST, JsonOption, SeedOption, app, say, show_result, stations, with_cable
from nsoc.errors import NsocError
from nsoc.transfer.plan import PRESETS, SOURCE_PRESET, Plan, To
from nsoc.transfer.scheme import GAP_US, PAUSE_US, Scheme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nsoc.live.interface import Interface
    from nsoc.transfer.transfers import Delivery, Transfers

TimeoutOption = Annotated[
    float,
    typer.Option(min=1, max=60_000, metavar="MS", help="Give up after so long without progress."),
]
CaptureOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write all frames on the host's line as pcapng.")
]
_REAL = "A real interface instead of a simulation"
InterfaceOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=_REAL,
        help="To stations behind this interface of the machine, or of the `nsoc up` that runs: nsoc0.",
    ),
]
StationOption = Annotated[
    str,
    typer.Option(
        metavar="S",
        rich_help_panel=_REAL,
        help="The station behind it: 02:00:00:00:00:S, or a MAC address.",
    ),
]
PidOption = Annotated[
    int | None,
    typer.Option(metavar="PID", rich_help_panel=_REAL, help="Of which nsoc up, where several run: its process."),
]


@app.command(
    epilog="Examples: **nsoc send holiday.jpg** · **nsoc send photos/ notes.txt --to sink --socs 2** · "
    "**nsoc send a.jpg --scheme 2 --burst 20 --pause 50** · **nsoc send a.jpg --to sink --loss 0.1 --reorder 0.05** · "
    "**nsoc send a.jpg --to sink --interface nsoc0**. "
    "Exit status 1 when something was not delivered."
)
@with_cable()
def send(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files, and folders with files.")],
    to: Annotated[
        To,
        typer.Option(
            help="echo: a SoC sends each frame back. sink: the SoC keeps it in its DRAM. relay: a SoC passes it on to "
            "another one."
        ),
    ] = To.ECHO,
    scheme: Annotated[
        int,
        typer.Option(
            min=1,
            max=4,
            help="To an echo. 1: a gap after each frame. 2: bursts with pauses. 3: a frame for each that returns. 4: "
            "the same, and what is lost goes again.",
        ),
    ] = 4,
    gap: Annotated[
        float, typer.Option(min=0, max=PAUSE_MOST, metavar="US", help="Scheme 1: idle time after each frame.")
    ] = GAP_US,
    burst: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000, metavar="N", help="Scheme 2: frames in a burst. Default: by the MAC's FIFO."
        ),
    ] = None,
    pause: Annotated[
        float, typer.Option(min=0, max=PAUSE_MOST, metavar="US", help="Scheme 2: idle time after each burst.")
    ] = PAUSE_US,
    window: Annotated[
        int | None,
        typer.Option(
            min=1, max=4096, metavar="N", help="Schemes 3 and 4: frames under way. Default: by the MAC's FIFO."
        ),
    ] = None,
    socs: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="To so many sinks behind a switch.")] = 1,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"The system. Default: {PRESETS[To.ECHO]} to echo, else {PRESETS[To.SINK]}."),
    ] = None,
    timeout: TimeoutOption = 10_000,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for what an echo brought back. Default: not kept.")
    ] = None,
    capture: CaptureOption = None,
    seed: SeedOption = 1,
    interface: InterfaceOption = None,
    station: StationOption = "2",
    pid: PidOption = None,
    json: JsonOption = None,
    wiring: Any = None,
) -> None:
    """Send files to a SoC, simulated or behind an interface, by one of four published schemes or numbered transfers.

    An echo speaks the published types. Sinks and relays speak the numbered ones: several files at once, each packet
    with a CRC-32, each file with a digest.
    """
    from nsoc.files import check_folder, check_writable
    from nsoc.progress import progress_bar
    from nsoc.transfer.session import Session
    from nsoc.transfer.transfers import items

    plan = Plan(Scheme(scheme), gap, burst, pause, window)
    if to is not To.ECHO and scheme != Scheme.RELIABLE:
        raise typer.BadParameter(f"scheme {scheme} needs frames that come back: only with --to echo")
    if out is not None:
        check_folder(out, "--out")
    if capture is not None:
        check_writable(capture, "the capture to", "--capture")
    _check_pid(pid, interface)
    wanted = items(files)
    mode = f"scheme{scheme}" if to is To.ECHO else str(to)
    if interface is not None:
        peers = _stations(station, socs, wiring)
        if to is To.RELAY:
            raise typer.BadParameter("--to relay is a network of its own: leave out --interface, or send --to sink")
        chosen = PRESETS[to] if preset is None else preset
        with _behind(interface, pid, peers, chosen, timeout, capture) as (line, transfers):
            deliveries = transfers.echo(wanted, plan) if to is To.ECHO else transfers.send(wanted)
            _save(transfers, deliveries, out, capture)
            drops = line.counts()
        _show(deliveries, drops, chosen, mode, json, simulated=False)
        return
    with (
        progress_bar("sending") as progress,
        Session.to(
            to, preset, socs, seed=seed, patience_us=timeout * 1000, capture=capture is not None, wiring=wiring,
            progress=progress,
        ) as session,
    ):  # fmt: skip
        deliveries = session.echo(wanted, plan) if to is To.ECHO else session.send(wanted, relayed=to is To.RELAY)
        _save(session, deliveries, out, capture)
        drops, name = session.drops, session.preset.name
    _show(deliveries, drops, name, mode, json, simulated=True)


@app.command(
    epilog="Examples: **nsoc get --load holiday.jpg --out back.jpg** · **nsoc get --load notes.txt --timeout 50** · "
    "**nsoc get holiday.jpg --interface nsoc0 --out back.jpg**. "
    "Exit status 1 when nothing was delivered."
)
@with_cable()
def get(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="What to ask for. Default: what the SoC serves.")] = "",
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What is in the simulated SoC's DRAM to begin with.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where it goes. Default: it is not kept.")] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="The system.")] = SOURCE_PRESET,
    timeout: TimeoutOption = 10_000,
    capture: CaptureOption = None,
    seed: SeedOption = 1,
    interface: InterfaceOption = None,
    station: StationOption = "2",
    pid: PidOption = None,
    json: JsonOption = None,
    wiring: Any = None,
) -> None:
    """Fetch what a SoC has in its DRAM, a simulated one or one behind an interface, by a numbered transfer."""
    from nsoc.files import check_writable
    from nsoc.progress import progress_bar
    from nsoc.transfer.session import Session
    from nsoc.transfer.transfers import check_name, items

    check_name(name)
    for path, what, option in ((out, "the transfer to", "--out"), (capture, "the capture to", "--capture")):
        if path is not None:
            check_writable(path, what, option)
    _check_pid(pid, interface)
    if (load is None) == (interface is None):
        raise typer.BadParameter("give --load for a simulated SoC, or --interface for one that runs, and not both")
    if interface is not None:
        with _behind(interface, pid, _stations(station, 1, wiring), preset, timeout, capture) as (line, transfers):
            delivery = transfers.get(name)
            _save(transfers, [delivery], None, capture)
            drops = line.counts()
        _keep(out, delivery)
        _show([delivery], drops, preset, "source", json, simulated=False)
        return
    assert load is not None
    if load.is_dir():
        raise NsocError(f"{load} is a folder, and the SoC holds one file; give --load a file")
    (loaded,) = items([load])
    with (
        progress_bar("fetching") as progress,
        Session(
            ["source"], preset, seed=seed, patience_us=timeout * 1000, capture=capture is not None, wiring=wiring,
            progress=progress,
        ) as session,
    ):  # fmt: skip
        session.serve(loaded)
        delivery = session.get(name)
        _save(session, [delivery], None, capture)
        drops, system = session.drops, session.preset.name
    _keep(out, delivery)
    _show([delivery], drops, system, "source", json, simulated=True)


def _check_pid(pid: int | None, interface: str | None) -> None:
    if pid is not None and interface is None:
        raise typer.BadParameter("--pid says whose --interface it is: give that too")


@contextmanager
def _behind(
    interface: str, pid: int | None, peers: list[bytes], preset: str, timeout_ms: float, capture: Path | None
) -> "Iterator[tuple[Interface, Transfers]]":
    from nsoc.live.interface import Interface, check_peers, reach, transfers
    from nsoc.machine import presets
    from nsoc.progress import progress_bar

    fifo_bytes = presets.load_soc(preset).rx_fifo_bytes
    reach(interface, pid, say)
    with Interface(interface) as line, progress_bar("transferring") as progress:
        check_peers(line, peers)
        yield line, transfers(
            line, peers, patience_us=timeout_ms * 1000, fifo_bytes=fifo_bytes, capture=capture is not None,
            progress=progress,
        )  # fmt: skip


def _stations(station: str, count: int, wiring: Any) -> list[bytes]:
    """The addresses of so many stations, from the one that the user names."""
    if wiring is not None:
        raise typer.BadParameter("the cable's faults are for a simulated one: give them to `nsoc up`")
    return stations(station, count, "--station")


def _keep(out: Path | None, delivery: "Delivery") -> None:
    if out is not None and delivery.data is not None:
        _write(out, delivery.data)


def _save(session: "Transfers", deliveries: "list[Delivery]", out: Path | None, capture: Path | None) -> None:
    from nsoc.files import writing
    from nsoc.network import pcapng

    if capture is not None:
        with writing(capture, "the capture to", "--capture"):
            pcapng.write(capture, session.runner.capture or [])
    for one in deliveries if out is not None else ():
        if one.data is not None and out is not None:
            _write(out / one.name, one.data)


def _write(path: Path, data: "bytes | bytearray") -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as problem:
        raise NsocError(f"cannot write {path}: {problem.strerror}; give --out another place") from None


def _show(
    deliveries: "list[Delivery]", drops: dict[str, int], preset: str, mode: str, json: str | None, *, simulated: bool
) -> None:
    from nsoc.transfer import show

    lines = show.lines(deliveries, drops, simulated=simulated)
    records = show.records(deliveries, preset, mode, simulated=simulated)
    show_result([show.table(deliveries)], lines, records, json, show.failure(deliveries))
