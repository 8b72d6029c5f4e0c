# SPDX-License-Identifier: Apache-2.0
"""The application, and the options and outputs that its commands share."""

import functools
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nsoc.errors import NsocError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, RenderableType

    from nsoc.network.faults import Wiring
    from nsoc.records import Record

INTERRUPTED = 130
"""Exit status of a command that Ctrl-C ended."""

LONGEST_US = float(2**62 // 10**9)
"""As nsoc.machine.running has it, which commands import when they need it."""
PAUSE_MOST = 1e6
"""Of times that are waited again and again."""
MOST_SEED = 2**63 - 1
JOBS_MOST = 1024
LOOPS_MOST = 1_000_000
A_DAY_S = 86_400

app = typer.Typer(
    help="A network-centric SoC in a box: boot it in simulation, drive its Ethernet wire, measure it.",
    epilog="Begin with: nsoc demo",
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

PresetOption = Annotated[str, typer.Option(metavar="NAME", help="The system to build and boot; see **nsoc presets**.")]
SeedOption = Annotated[
    int, typer.Option(min=0, max=MOST_SEED, help="What is random is drawn from this; same seed, same run.")
]
SendOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FRAME", help="Send frames: hex bytes from the destination address on, or a pcap/pcapng file."
    ),
]
TruncatedOption = Annotated[
    Literal["skip", "pad"],
    typer.Option(help="Records of a capture that have not all of their frame: left out, or filled up with zeros."),
]


PidOption = Annotated[int | None, typer.Option(metavar="PID", help="Which nsoc up, where several run: its process.")]


def json_file(where: str | None) -> str | None:
    """Whether it can be written is said before anything runs."""
    if where is not None and where != "-":
        from nsoc.files import check_writable

        check_writable(Path(where), "the records to", "--json")
    return where


ReadyOption = Annotated[str, typer.Option(metavar="TEXT", help="--send waits until the SoC has printed this.")]
JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", callback=json_file, help="Write the figures as JSON records; - is standard output."
    ),
]


_FAULT_PANEL = "Faults of the cable, each way by itself"
_PROBABILITY: dict[str, Any] = {"min": 0, "max": 1, "metavar": "P"}
_MICROSECONDS: dict[str, Any] = {"min": 0, "max": PAUSE_MOST, "metavar": "US"}
_FAULT_OPTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "loss": (float, _PROBABILITY | {"help": "Probability that a frame is lost."}),
    "burst_loss": (
        str,
        {
            "metavar": "P:FRAMES",
            "help": "Share of the frames that are lost in bursts, and the mean length of a burst: 0.01:20.",
        },
    ),
    "corrupt": (float, _PROBABILITY | {"help": "Probability that bits of a frame flip, so that its FCS is wrong."}),
    "wrong_bytes": (
        float,
        _PROBABILITY
        | {"help": "Probability that up to 8 bytes behind the Ethertype are others, and the FCS is right for them."},
    ),
    "duplicate": (float, _PROBABILITY | {"help": "Probability that a frame comes twice."}),
    "reorder": (float, _PROBABILITY | {"help": "Probability that a frame comes behind 1 to 3 later ones."}),
    "delay": (float, _MICROSECONDS | {"help": "So many microseconds more until a frame is there."}),
    "jitter": (float, _MICROSECONDS | {"help": "Each frame is late by 0 to so many microseconds; none overtakes."}),
    "receiver": (
        str,
        {
            "metavar": "MBPS:BYTES",
            "help": "The receiver takes so many Mb/s out of a queue of so many bytes; what does not fit is dropped: "
            "400:16384.",
        },
    ),
    "stall": (
        list[str],
        {
            "metavar": "AT:FOR",
            "help": "The receiver takes no frame from microsecond AT of the simulation, for so many: 2000:150. Once "
            "for each time.",
        },
    ),
    "down": (
        list[str],
        {"metavar": "AT:FOR", "help": "The cable is down from microsecond AT, for so many. Once for each time."},
    ),
    "log": (Path, {"metavar": "FILE", "help": "Write what the cable does to which frame, a line of JSON each."}),
    "replay": (
        Path,
        {
            "metavar": "FILE",
            "help": "The cable does what such a log says and draws nothing. With all else as it was, the run is "
            "the same.",
        },
    ),
}


_OPTION_OF = {
    "burst_loss": "--burst-loss",
    "burst_frames": "--burst-loss",
    "drain_mbps": "--receiver",
    "queue_bytes": "--receiver",
    "stalls": "--stall",
    "downs": "--down",
}
"""By the field that options with two numbers set."""


def with_cable(*, files: bool = True, **defaults: float) -> "Callable[[Callable[..., None]], Callable[..., None]]":
    """Gives a command the options of a cable with faults; its parameter `wiring` gets what they say, None when nothing.

    `defaults`: faults that the cable has when neither their option nor --replay is given. `files`: with --log and
    --replay.
    """
    offered = {name: option for name, option in _FAULT_OPTIONS.items() if files or name not in ("log", "replay")}

    def decorated(command: "Callable[..., None]") -> "Callable[..., None]":
        @functools.wraps(command)
        def call(**given: Any) -> None:
            options = {name: given.pop(name) for name in offered}
            command(**given, wiring=_wiring(options, defaults))

        signature = inspect.signature(command)
        parameters = []
        for name, parameter in signature.parameters.items():
            if name != "wiring":
                parameters.append(parameter)
                continue
            for option, (kind, details) in offered.items():
                shown = str(defaults[option]) if option in defaults else False
                described = typer.Option(show_default=shown, rich_help_panel=_FAULT_PANEL, **details)
                annotation = Annotated[kind, described]  # type: ignore[valid-type]
                parameters.append(parameter.replace(name=option, annotation=annotation, default=None))
        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return call

    return decorated


def _wiring(options: dict[str, Any], defaults: dict[str, float]) -> "Wiring | None":
    from nsoc.files import check_writable
    from nsoc.network.faults import Faults, Wiring, read

    log, replay = options.pop("log", None), options.pop("replay", None)
    if log is not None:
        check_writable(log, "the log of faults", "--log")
    given = {name: value for name, value in options.items() if value not in (None, [])}
    if replay is not None:
        if given:
            raise typer.BadParameter(f"--replay says what the faults are; leave out {_option(next(iter(given)))}")
        wiring = Wiring(None, log, replay)
        read(replay)  # whether it is a log is said before anything runs
        return wiring
    if not (given or defaults or log):
        return None
    faults: dict[str, Any] = {**defaults, **{n: v for n, v in given.items() if n in Faults.__dataclass_fields__}}
    if "burst_loss" in given:
        faults["burst_loss"], faults["burst_frames"] = _pair(given, "burst_loss", "P:FRAMES")
    if "receiver" in given:
        faults["drain_mbps"], queue_bytes = _pair(given, "receiver", "MBPS:BYTES")
        if not math.isfinite(queue_bytes):
            raise typer.BadParameter(f"--receiver wants a number of BYTES, not {queue_bytes}")
        faults["queue_bytes"] = int(queue_bytes)
    faults |= {f"{name}_us": given[name] for name in ("delay", "jitter") if name in given}
    for name in ("stall", "down"):
        if name in given:
            faults[f"{name}s"] = tuple(_pair({name: text}, name, "AT:FOR") for text in given[name])
    try:
        return Wiring(Faults(**faults), log)
    except NsocError as problem:
        option = _OPTION_OF.get(str(problem).partition(" ")[0])
        raise NsocError(f"{option}: {problem}" if option else str(problem)) from None


def _pair(given: dict[str, Any], name: str, form: str) -> tuple[float, float]:
    """What an option with two numbers says."""
    first, _, second = given[name].partition(":")
    try:
        return float(first), float(second)
    except ValueError:
        raise typer.BadParameter(f"{_option(name)} wants {form}, two numbers, not {given[name]!r}") from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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


def stations(text: str, count: int, option: str) -> list[bytes]:
    """The MAC addresses of so many stations, from the one that the user names with that option."""
    from nsoc.transfer.transfers import address

    if text.isascii() and text.isdigit() and 1 <= int(text) <= 256 - count:
        return [address(int(text) + number) for number in range(count)]
    try:
        mac = bytes.fromhex(text.replace(":", " ").replace("-", " "))
    except ValueError:
        mac = b""
    if len(mac) != 6 or count != 1:
        raise typer.BadParameter(f"{option} wants 1 to {256 - count}, or one MAC address, not {text!r}")
    if mac[0] & 1 or not any(mac):
        raise typer.BadParameter(f"{option} wants the MAC address of one station, not {text!r}")
    return [mac]


def say(text: str) -> None:
    """A line for people while a command works: on standard error."""
    typer.echo(text, err=True)


def console_for(json_file: str | None) -> "Console":
    """Where people read: standard output, unless records go there."""
    from nsoc.cli.paper import Paper

    return Paper(stderr=json_file == "-", highlight=False)


def write_records(records: "Sequence[Record]", json_file: str | None) -> None:
    if json_file is not None:
        from nsoc.records import write

        write(records, json_file)


def show_result(
    tables: "Iterable[RenderableType]",
    lines: "Iterable[str]",
    records: "Sequence[Record]",
    json: str | None,
    failure: str = "",
) -> None:
    """How a command that measures ends: tables and lines for people, `records` for machines, then what failed."""
    console = console_for(json)
    for table in tables:
        console.print(table)
    for line in lines:
        console.print(line, soft_wrap=True)
    write_records(records, json)
    if failure:
        raise NsocError(failure)
