# SPDX-License-Identifier: Apache-2.0
"""What moves files between this machine and simulated SoCs: send, get."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsoc.cli.common import JsonOption, SeedOption, app, show_result, with_cable
from nsoc.errors import NsocError
from nsoc.transfer.plan import PRESETS, SOURCE_PRESET, Plan, To
from nsoc.transfer.scheme import GAP_US, PAUSE_US, Scheme

if TYPE_CHECKING:
    from nsoc.transfer.session import Delivery, Session

TimeoutOption = Annotated[
    float,
    typer.Option(min=1, max=60_000, metavar="MS", help="Give up after so long without progress (simulated)."),
]
CaptureOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write all frames on the host's line as pcapng.")
]


@app.command(
    epilog="Examples: **nsoc send holiday.jpg** · **nsoc send photos/ notes.txt --to sink --socs 2** · "
    "**nsoc send a.jpg --scheme 2 --burst 20 --pause 50** · **nsoc send a.jpg --to sink --loss 0.1 --reorder 0.05**. "
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
            min=1, max=4,
            help="To an echo. 1: a gap after each frame. 2: bursts with pauses. 3: a frame for each that returns. 4: "
            "the same, and what is lost goes again.",
        ),
    ] = 4,
    gap: Annotated[float, typer.Option(min=0, metavar="US", help="Scheme 1: idle time after each frame.")] = GAP_US,
    burst: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Scheme 2: frames in a burst. Default: by the MAC's FIFO.")
    ] = None,
    pause: Annotated[float, typer.Option(min=0, metavar="US", help="Scheme 2: idle time after each burst.")] = PAUSE_US,
    window: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Schemes 3 and 4: frames under way. Default: by the MAC's FIFO."),
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
    json: JsonOption = None,
    wiring: Any = None,
) -> None:
    """Send files to a simulated SoC, by one of the four published schemes or by numbered transfers.

    An echo speaks the published types. Sinks and relays speak the numbered ones: several files at once, each packet
    with a CRC-32, each file with a digest.
    """
    from nsoc.files import check_folder, check_writable
    from nsoc.progress import progress_bar
    from nsoc.transfer.session import Session, items

    if to is not To.ECHO and scheme != Scheme.RELIABLE:
        raise typer.BadParameter(f"scheme {scheme} needs frames that come back: only with --to echo")
    if out is not None:
        check_folder(out, "--out")
    if capture is not None:
        check_writable(capture, "the capture to", "--capture")
    wanted = items(files)
    with (
        progress_bar("sending") as progress,
        Session.to(
            to, preset, socs, seed=seed, patience_us=timeout * 1000, capture=capture is not None, wiring=wiring,
            progress=progress,
        ) as session,
    ):  # fmt: skip
        if to is To.ECHO:
            deliveries = session.echo(wanted, Plan(Scheme(scheme), gap, burst, pause, window))
        else:
            deliveries = session.send(wanted, relayed=to is To.RELAY)
        _save(session, deliveries, out, capture)
        drops, name = session.drops, session.preset.name
    _show(deliveries, drops, name, f"scheme{scheme}" if to is To.ECHO else str(to), json)


@app.command(
    epilog="Examples: **nsoc get --load holiday.jpg --out back.jpg** · **nsoc get --load notes.txt --timeout 50**. "
    "Exit status 1 when nothing was delivered."
)
@with_cable()
def get(
    load: Annotated[Path, typer.Option(metavar="FILE", help="What is in the SoC's DRAM to begin with.")],
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="What to ask for. Default: what the SoC serves.")] = "",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where it goes. Default: it is not kept.")] = None,
    preset: Annotated[str, typer.Option(metavar="NAME", help="The system.")] = SOURCE_PRESET,
    timeout: TimeoutOption = 10_000,
    capture: CaptureOption = None,
    seed: SeedOption = 1,
    json: JsonOption = None,
    wiring: Any = None,
) -> None:
    """Fetch what a simulated SoC has in its DRAM, by a numbered transfer."""
    from nsoc.files import check_writable
    from nsoc.progress import progress_bar
    from nsoc.transfer.session import Session, items

    for path, what, option in ((out, "the transfer to", "--out"), (capture, "the capture to", "--capture")):
        if path is not None:
            check_writable(path, what, option)
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
    if out is not None and delivery.data is not None:
        _write(out, delivery.data)
    _show([delivery], drops, system, "source", json)


def _save(session: "Session", deliveries: "list[Delivery]", out: Path | None, capture: Path | None) -> None:
    from nsoc.network import pcapng

    if capture is not None:
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


def _show(deliveries: "list[Delivery]", drops: dict[str, int], preset: str, mode: str, json: str | None) -> None:
    from nsoc.transfer import show

    lines = show.lines(deliveries, drops)
    records = show.records(deliveries, preset, mode)
    show_result([show.table(deliveries)], lines, records, json, show.failure(deliveries))
