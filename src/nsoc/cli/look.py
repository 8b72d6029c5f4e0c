# SPDX-License-Identifier: Apache-2.0
"""Is it right, and what goes on inside: selftest, trace, wireshark."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsoc.cli.common import LONGEST_US, JsonOption, PresetOption, SeedOption, app, console_for, show_result, with_cable

if TYPE_CHECKING:
    from nsoc.machine.presets import Preset


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
        console_for(json).print(selftest_.list_table())
        return
    with progress_bar("testing", "tests") as progress:
        outcomes = selftest_.run(name or [], preset, seed, progress)
    failed = ", ".join(outcome.name for outcome in outcomes if not outcome.ok)
    failure = f"self-tests failed: {failed}" if failed else ""
    show_result([selftest_.table(outcomes)], (), selftest_.records(outcomes, preset), json, failure)


@app.command(
    epilog="Examples: **nsoc trace** · **nsoc trace --payload 46 --gap 12 --frames 100** · "
    "**nsoc trace --fst out/a.fst --from-us 0 --to-us 20** · **nsoc trace --image --loss 0.05** · "
    "**nsoc trace --preset toe** · **nsoc trace --preset pnic-rice --frames 40 --payload 1500 --gap 12**"
)
@with_cable()
def trace(
    preset: PresetOption = "nic12-fast",
    frames: Annotated[int, typer.Option(min=1, max=100_000, help="Frames to send.")] = 8,
    payload: Annotated[int, typer.Option(min=46, max=1500, help="Payload bytes of each.")] = 1024,
    gap: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000,
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
        typer.Option(metavar="FILE", help="Write a waveform of all signals too. Much slower: choose a window."),
    ] = None,
    from_us: Annotated[
        float,
        typer.Option(
            min=0, max=LONGEST_US, metavar="US", help="The waveform begins so long after the first frame, ..."
        ),
    ] = 0.0,
    to_us: Annotated[float, typer.Option(min=0, max=LONGEST_US, metavar="US", help="... and ends here.")] = 20.0,
    seed: SeedOption = 1,
    json: JsonOption = None,
    wiring: Any = None,
) -> None:
    """Follow each frame through the SoC: a timeline for Perfetto's viewer, and how long each stage takes.

    A frame is a slice in each stage from wire to wire; queues, FIFOs and buses are counters, drops are marked with
    their cause. The stages of a frame add up to its round trip; docs/trace.md says where each begins. With a TCP/IP
    engine (--preset toe) a TCP peer sends segments to the echo of toe_net, and they are followed through its blocks.
    With a programmable NIC (--preset pnic-rice) frames go both ways between a host and the line, and the timeline has
    what each core did.
    """
    from nsoc import trace as trace_
    from nsoc.files import check_room, check_writable
    from nsoc.machine import presets
    from nsoc.trace import timeline

    check_writable(out, "the timeline", "--out")
    timeline.check()
    system = presets.load(preset)
    if system.top == "pnic_node":
        if image or mode != "normal" or fst is not None or wiring is not None:
            raise typer.BadParameter("--image, --mode, --fst and faults of the cable are not for a programmable NIC")
        _trace_nic(system, frames, payload, gap, firmware, out, seed, json)
        return
    if fst is not None:
        check_writable(fst, "the waveform", "--fst")
    waves = None if fst is None else trace_.Waves(fst, from_us, to_us)
    result = trace_.run(
        preset=preset, frames=frames, payload=payload, mode=mode, gap=gap, image=image, seed=seed, firmware=firmware,
        waves=waves, wiring=wiring,
    )  # fmt: skip
    if fst is not None:
        check_room(fst, "the waveform", "--fst")
    trace_.write_perfetto(result.trace, out)
    show_result([trace_.table(result)], trace_.lines(result, out, waves), trace_.records(result), json)


def _trace_nic(
    preset: "Preset", frames: int, payload: int, gap: int | None, firmware: str | None, out: Path, seed: int,
    json: str | None,
) -> None:  # fmt: skip
    from dataclasses import replace

    from nsoc.network.ethernet import FCS_BYTES, HEADER_BYTES
    from nsoc.pnic import follow, nic, show
    from nsoc.progress import progress_bar

    setup = nic.setup_of(preset)
    if firmware is not None:
        setup = replace(setup, program=firmware)
    length = payload + HEADER_BYTES + FCS_BYTES
    every_ns = follow.APART_NS if gap is None else follow.spacing_ns(length, gap)
    with progress_bar("following frames"):
        result = follow.run(setup, length, frames, every_ns=every_ns, seed=seed)
    show.write_perfetto(result, preset.name, out)
    show_result([show.table(result, preset.name)], show.lines(result, out), show.records(result, preset.name), json)


@app.command(
    epilog="Examples: **nsoc wireshark** · **nsoc wireshark --uninstall**. "
    "Then: **tshark -r out/capture.pcapng -Y nsoc**"
)
def wireshark(
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where plugins are. Default: ~/.local/lib/wireshark/plugins."),
    ] = None,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove it.")] = False,
) -> None:
    """Install the dissector of the transfer protocol for Wireshark and tshark.

    Columns and filters know each message and field (nsoc.transfer, nsoc.serial, ...); a wrong CRC-32 is an expert info.
    """
    from nsoc.transfer import wireshark as wireshark_

    where = wireshark_.plugins_folder() if folder is None else folder
    if uninstall:
        typer.echo(f"removed {wireshark_.uninstall(where)}")
        return
    typer.echo(f"installed {wireshark_.install(where)}")
    typer.echo("Wireshark reads it when it starts, or with Ctrl+Shift+L (Reload Lua Plugins).")
    typer.echo("Check: `tshark -G protocols | grep nsoc` prints a line; `tshark -G folders` says where plugins are.")
