# SPDX-License-Identifier: Apache-2.0
"""The RTL as hardware: synth, pnr."""

from typing import Annotated

import typer

from nsoc.cli.common import JsonOption, app, console_for, show_result, write_records


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
    """Synthesize a block or a whole SoC with Yosys and show how large it is, beside published figures.

    For 7-series also how many levels of logic a signal passes between two registers at most, where a block is one
    module. lat: the blocks of a lat_node, some at several widths.
    """
    from nsoc.hardware import pnr
    from nsoc.hardware import synth as synth_

    if target not in (None, *synth_.Target):
        raise typer.BadParameter(f"there is no target {target!r}, only {' and '.join(synth_.Target)}")
    console = console_for(json)
    results = []
    for this in [synth_.Target(target)] if target else list(synth_.Target):
        found = synth_.synthesize(name, this)
        if timing and this is synth_.Target.ECP5:
            found = pnr.with_fmax(found)
        console.print(synth_.table(name, this, found))
        console.print(synth_.memory_line(found))
        for line in [*synth_.timing_lines(name, found), *synth_.level_lines(found)]:
            console.print(line, soft_wrap=True)
        results += found
    write_records(synth_.records(name, results), json)


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
        write_records([], json)
        return
    routed = pnr_.run(chosen, target, seed=seed, tries=tries, firmware_name=firmware)
    missed = ", ".join(clock.name for clock in routed.clocks if not clock.met)
    failure = "" if routed.met else f"these clocks are too slow: {missed}; try other seeds with --tries"
    show_result(pnr_.tables(routed), [pnr_.summary(routed)], pnr_.records(routed), json, failure)
