# SPDX-License-Identifier: Apache-2.0
"""Many measurements at once: sweep, report."""

from pathlib import Path
from typing import Annotated

import typer

from nsoc.cli.common import JOBS_MOST, JsonOption, SeedOption, app, show_result


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
            metavar="NAME",
            help="What to measure: burst, round-trip, throughput, stages, modes, nic, cpu, mac-example, pnic.",
        ),
    ] = "burst",
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="The system whose parameters change.")] = None,
    payload: Annotated[str, typer.Option(metavar="LIST", help="Payload bytes of the frames, like 64,1024.")] = "64",
    mode: Annotated[str, typer.Option(help="normal, nic_loopback or mac_loopback.")] = "normal",
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="The figure to show and plot.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The table as .csv or .parquet.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="A plot as .svg, .png or .html.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=JOBS_MOST, help="Processes on this machine.")] = 2,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Measure on the workers of this dask scheduler instead.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what has been measured.")] = False,
    seed: SeedOption = 1,
    json: JsonOption = None,
) -> None:
    """Measure at every combination of some preset parameters: one table, one plot."""
    from nsoc.bench import points, sweep_output
    from nsoc.bench import sweep as sweep_
    from nsoc.progress import progress_bar

    axes = sweep_.parse_axes(axis)
    load = sweep_.parse_load(payload, mode)
    if metric is not None:
        points.check_metric(bench, metric)
    sweep_output.check_files(out, plot)
    with progress_bar("measuring", "points") as progress:
        result = sweep_.run(
            axes, preset=preset, benchmark=bench, load=load, seed=seed, jobs=jobs, scheduler=scheduler, fresh=fresh,
            progress=progress, say=lambda text: typer.echo(text, err=True),
        )  # fmt: skip
    if out is not None:
        sweep_output.write_table(result, out)
    if plot is not None and result.records():
        sweep_output.write_plot(result, plot, metric)
    show_result([sweep_output.table(result, metric)], (), result.records(), json, result.failure)


@app.command(
    epilog="Examples: **nsoc report --quick** · **nsoc report --system pnic** · **nsoc report --kept** · **nsoc report "
    "--from records.json --out out/report.html**"
)
def report(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page.")] = Path("report.html"),
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this one of **nsoc systems**; may be repeated. Default: all."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Records of **nsoc bench ... --json**, and nothing else."),
    ] = None,
    kept: Annotated[
        bool, typer.Option("--kept", help="Measure nothing: what is on disk, and what is kept with the sources.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Some figures of each system: fewer presets and payloads, short bursts.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what has been measured.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Show the page in this machine's browser.")] = False,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", min=1, max=JOBS_MOST, help="Processes. Default: one a core.")
    ] = None,
    seed: SeedOption = 1,
) -> None:
    """Write all that is measured, beside what is published, as one HTML page that works offline: a chapter a system.

    Everything is hours of a core at first, and says so; what was measured is kept (build/results), and a run that was
    stopped goes on there. What is not measured is shown as it is kept with the sources, and marked.
    """
    from nsoc import report as report_
    from nsoc.files import check_writable
    from nsoc.progress import progress_bar
    from nsoc.report import collect

    check_writable(out, "the report", "--out")
    browser = report_.browser() if open_ else None  # before hours of measuring
    if source is not None:
        found = collect.from_records(source, system or ())
    else:
        found = collect.measured(
            system or (), seed=seed, quick=quick, fresh=fresh, measure=not kept, workers=jobs,
            bar=lambda what: progress_bar(what, "figures"), say=lambda text: typer.echo(text, err=True),
        )  # fmt: skip
    size = report_.write(found, out)
    for sentence in collect.sentences(found):
        typer.echo(sentence, err=True)
    typer.echo(f"{out}, {size / 1000:.0f} kB" + ("" if open_ else ": open it in a browser"))
    if browser is not None:
        browser.open(out.resolve().as_uri())
