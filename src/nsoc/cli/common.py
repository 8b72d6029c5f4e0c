# SPDX-License-Identifier: Apache-2.0
"""The application, and the options and outputs that its commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nsoc.errors import NsocError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, RenderableType

    from nsoc.records import Record

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


def console_for(json_file: str | None) -> "Console":
    """Where people read: standard output, unless records go there."""
    from rich.console import Console

    console = Console(stderr=json_file == "-", highlight=False)
    if not console.is_terminal:
        console.width = TABLE_COLUMNS
    return console


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
