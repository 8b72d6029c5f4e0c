# SPDX-License-Identifier: Apache-2.0
"""The RTL as hardware: synth, pnr, export."""

from pathlib import Path
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
            help="A folder of rtl/ (cpu: the core without its caches), a module, or a preset: the whole SoC by parts. "
            "lat: all presets with a lat_node, lat-blocks: its blocks.",
        ),
    ] = "nic12-fast",
    target: Annotated[str | None, typer.Option(metavar="FAMILY", help="xc7 (7-series) or ecp5. Default: both.")] = None,
    timing: Annotated[
        bool, typer.Option(help="Place and route cpu, mac and nic on their own too (ECP5, some minutes each).")
    ] = True,
    shallow: Annotated[
        bool,
        typer.Option(
            "--shallow",
            help="7-series, blocks and modules: map for few levels of logic (a wire counts 2000 ps, not Yosys's 300). "
            "lat and lat-blocks always are.",
        ),
    ] = False,
    json: JsonOption = None,
) -> None:
    """Synthesize a block or a whole SoC with Yosys and show how large it is, beside published figures.

    For 7-series also how many levels of logic a signal passes between two registers at most, where a block is one
    module. A lat_node is shown by parts, for 7-series unless told otherwise.
    """
    from nsoc.hardware import lat_area, pnr
    from nsoc.hardware import synth as synth_

    if target not in (None, *synth_.Target):
        raise typer.BadParameter(f"there is no target {target!r}, only {' and '.join(synth_.Target)}")
    if timing and target in (None, synth_.Target.ECP5) and pnr.times(name):
        pnr.check_tools()
    console = console_for(json)
    if nodes := lat_area.systems_of(name):
        family = synth_.Target(target or synth_.Target.XC7)
        parts = lat_area.measure(nodes, family)
        show_result([lat_area.table(parts, family)], [], lat_area.records(parts, family), json)
        return
    results = []
    for this in [synth_.Target(target)] if target else list(synth_.Target):
        found = synth_.synthesize(name, this, shallow=shallow)
        if timing and this is synth_.Target.ECP5:
            found = pnr.with_fmax(found)
        console.print(synth_.table(name, this, found))
        console.print(synth_.memory_line(found))
        for line in [*synth_.timing_lines(name, found), *synth_.level_lines(found)]:
            console.print(line, soft_wrap=True)
        results += found
    write_records(synth_.records(name, results), json)


@app.command(
    epilog="Examples: **nsoc pnr nic12-fast --board colorlight-i9 --tries 3** · **nsoc pnr lat** · **nsoc pnr tcp_rx**."
    " Exit status 1 when a clock is missed."
)
def pnr(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="[PRESET|lat|MODULE]",
            help="See **nsoc presets**. lat: the blocks of a lat_node's engine, one by one; a module: on its own.",
        ),
    ] = "nic12-fast",
    board: Annotated[str | None, typer.Option(metavar="NAME", help="A folder of boards/. Default: ecpix5.")] = None,
    firmware: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the boot ROM holds. Default: the preset's firmware.")
    ] = None,
    seed: Annotated[int, typer.Option(min=1, max=2**31 - 1, help="Where placement begins.")] = 1,
    tries: Annotated[int, typer.Option(min=1, max=1000, help="Seeds to try while a clock is missed.")] = 1,
    configuration: Annotated[
        str,
        typer.Option(metavar="NAME", help="Of a module, as **nsoc synth** shows them. Default: its own parameters."),
    ] = "",
    json: JsonOption = None,
) -> None:
    """Place and route a SoC for a board, to a bitstream, and show how fast each clock can be.

    A block is placed on its own, in a frame of registers, for the board's device; there is no bitstream then.
    """
    from nsoc.hardware import pnr as pnr_
    from nsoc.machine import firmware as firmware_
    from nsoc.machine import presets as presets_

    target, blocks = pnr_.load_board(board or pnr_.DEFAULT_BOARD), pnr_.blocks_of(preset, configuration)
    chosen = presets_.load_soc(presets_.DEFAULT if blocks else preset)
    if target.tool != "vivado":
        pnr_.check_tools()
    if blocks:
        each = [pnr_.alone(*block, target, seed=seed) for block in blocks]
        slow = ", ".join(one.block for one in each if not one.met)
        table, found = pnr_.alone_table(preset, each), pnr_.alone_records(preset, each)
        show_result([table], [], found, json, f"slower than {pnr_.ALONE_WANTED_MHZ:g} MHz: {slow}" if slow else "")
        return
    if firmware is not None:
        firmware_.check_for(chosen, firmware)
    if target.tool == "vivado":
        command = pnr_.vivado_command(chosen, target, firmware_name=firmware)
        typer.echo("\n".join([*target.notes, f"Where there is a Vivado: {command}"]), err=json == "-")
        write_records([], json)
        return
    routed = pnr_.run(chosen, target, seed=seed, tries=tries, firmware_name=firmware)
    missed = ", ".join(clock.name for clock in routed.clocks if not clock.met)
    failure = "" if routed.met else f"these clocks are too slow: {missed}; try other seeds with --tries"
    show_result(pnr_.tables(routed), [pnr_.summary(routed)], pnr_.records(routed), json, failure)


@app.command(
    epilog="Examples: **nsoc export mac -o mac.v** · **nsoc export nic_axi -p SERVERS=1 -p DEPTH=16 -o nic_axi.v**. "
    "docs/integration.md says which tools want this."
)
def export(
    block: Annotated[str, typer.Argument(metavar="BLOCK", help="A module of rtl/: mac, nic_axi, net_udp, ...")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", metavar="PARAM=VALUE", help="A parameter of it: 64, 0x40 or 4'b0010."),
    ] = None,
) -> None:
    """Write a block as one file of plain Verilog-2005, for tools that do not read its SystemVerilog.

    A port that is a struct becomes a port for each of its fields: rx_frame_tdata.
    """
    from nsoc.files import check_writable
    from nsoc.hardware import export as export_

    chosen = {}
    for one in parameter or []:
        name, equals, value = one.partition("=")
        if not equals:
            raise typer.BadParameter(f"{one!r} is no PARAM=VALUE")
        chosen[name] = value
    check_writable(output, "the block to", "-o")
    made = export_.export(block, chosen, output)
    typer.echo(f"{output}: {block} with {len(made.fields)} ports")
