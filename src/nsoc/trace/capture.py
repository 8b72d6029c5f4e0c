# SPDX-License-Identifier: Apache-2.0
"""Running what is to be traced: boot a preset, send frames, record what the taps say meanwhile."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.machine import firmware as firmware_
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.network.cabled import CabledSoc
from nsoc.network.faults import Wiring
from nsoc.network.network import Network
from nsoc.trace.follower import follow
from nsoc.trace.frames import Trace

FRAMES, WARM = 28, 4
"""Frames of stage_breakdown, sent one by one, each at another phase of the clocks, and those before them."""
SPACING = 4 * 2003
"""nic_clk cycles from one to the next, as in nsoc.bench.nic."""
REST_US = 200.0
"""So long the wire is silent at the end of a run."""


@dataclass(frozen=True)
class Waves:
    """An FST file of all signals, for a window of simulated time counted from when the first frame begins."""

    file: Path
    from_us: float
    to_us: float


@dataclass
class TraceResult:
    """Everything `nsoc trace` found."""

    trace: Trace
    mode: str
    payload: int | None
    """Of each frame; None when they differ."""
    counters: dict[str, int]
    """The NIC's, as far as they counted during the run."""


def run(
    *,
    preset: str | Preset = presets.DEFAULT,
    frames: int = 8,
    payload: int = 1024,
    mode: str = "normal",
    gap: int | None = None,
    image: bool = False,
    seed: int = 1,
    firmware: str | None = None,
    waves: Waves | None = None,
    warm: int = WARM,
    wiring: Wiring | None = None,
) -> TraceResult:
    """Boot `preset`, send frames, follow them.

    - `gap`: idle bytes between frames that are sent back to back (12 is line rate); None sends each frame when the one
      before has come back
    - `image`: sends the generated picture by the reliable protocol instead
    - `mode`: normal (with the preset's firmware, or `firmware`), nic_loopback, mac_loopback
    - `wiring`: the image goes over a cable that does this to frames
    - `warm`: so many frames go one by one before what is recorded, so that the processor's caches are warm

    With a TCP/IP engine, in normal mode and without a `firmware` of one's own, the frames are segments with so much
    payload, which a TCP peer sends one by one to the echo of toe_net; each is one frame with its echo.
    """
    system = presets.load_soc(preset)
    if image and (mode != "normal" or gap is not None):
        raise NsocError(
            "the image is sent by a protocol with a pace of its own, in normal mode; leave out --gap and --mode"
        )
    if wiring is not None and not image:
        raise NsocError("only the image goes over a cable with faults: give --image, or leave the faults out")
    if waves is not None and waves.to_us <= waves.from_us:
        raise NsocError("the window of the waveform ends before it begins: --to-us must be more than --from-us")
    build.check(system, build.Variant(trace=True, waves=waves is not None))
    firmware_.check_for(system, firmware)
    if system.connections and mode == "normal" and firmware is None and not image:
        return _segments(system, frames, payload, gap, seed, waves)
    if wiring is not None:
        with CabledSoc(system, firmware, seed, wiring=wiring, trace=True, waves=waves is not None).boot() as cabled:
            trace, counted = _recorded(cabled.soc, cabled, waves, 0.0, lambda: _send_image(cabled))
        return TraceResult(trace, mode, None, counted)
    with _booted(system, mode, firmware, seed, waves is not None) as soc:
        frame = _frame(payload)
        _one_by_one(soc, frame, warm)

        def send() -> None:
            if image:
                _send_image(soc)
            elif gap is None:
                _one_by_one(soc, frame, frames)
            else:
                for _ in range(frames):
                    soc.wire.send(frame, ifg=gap)

        wait_us = 0 if image or gap is not None else SPACING / system.nic_mhz
        trace, counted = _recorded(soc, soc, waves, wait_us, send)
    return TraceResult(trace, mode, None if image else payload, counted)


def _segments(
    system: Preset, frames: int, payload: int, gap: int | None, seed: int, waves: Waves | None
) -> TraceResult:  # fmt: skip
    from nsoc.trace import segments

    if gap is not None:
        raise NsocError("segments have the pace of TCP; leave out --gap, or give --firmware forward for plain frames")
    if payload > segments.MSS:
        raise NsocError(
            f"a segment has at most {segments.MSS} bytes of payload, not {payload}: say less with --payload"
        )
    data = bytes(byte & 0xFF for byte in range(payload))
    with segments.echo(system, seed, waves is not None) as line:
        line.exchange(data, segments.WARM)
        trace, counted = _recorded(line.soc, line.network, waves, 0.0, lambda: line.exchange(data, frames))
    return TraceResult(segments.joined(trace, payload), "normal", payload, counted)


def _recorded(
    soc: Soc, line: Soc | CabledSoc | Network, waves: Waves | None, wait_us: float, send: Callable[[], None]
) -> tuple[Trace, dict[str, int]]:
    """What the taps say while `send` sends over `line`, and what the counters counted. The first frame comes after
    `wait_us`."""
    before = dict(soc.counters)
    if waves is not None:
        waves.file.parent.mkdir(parents=True, exist_ok=True)
        begins_us = soc.time_us + wait_us
        soc.write_waves(waves.file, begins_us + waves.from_us, begins_us + waves.to_us)
    soc.record()
    send()
    if isinstance(line, Network):
        line.run(us=REST_US)
    else:
        line.run(us=1e5, idle_us=REST_US)
    soc.record(False)
    trace = follow(soc.events(), soc.preset, soc.elf)
    return trace, {name: count - before[name] for name, count in soc.counters.items() if count != before[name]}


def stage_breakdown(
    preset: str | Preset, payload: int, mode: str = "normal", seed: int = 1, frames: int = FRAMES
) -> dict[str, float]:
    """Mean nanoseconds that a frame with so many payload bytes is in each stage; they add up to its round trip.

    Frames one by one, at as many phases of the clocks, after some that warm the caches.
    """
    result = run(preset=preset, payload=payload, mode=mode, seed=seed, frames=frames)
    if len(result.trace.complete) != frames:
        raise NsocError(f"of {frames} frames {len(result.trace.complete)} came back; dropped: {result.trace.drops}")
    return {str(stage): ns for stage, ns in result.trace.breakdown().items()}


def _booted(preset: Preset, mode: str, firmware: str | None, seed: int, waves: bool) -> AbstractContextManager[Soc]:
    if mode == "normal":
        return Soc(preset, firmware, seed, trace=True, waves=waves).boot()
    from nsoc.machine.selftest import MODES, Session

    if mode not in MODES:
        raise NsocError(f"there is no mode {mode!r}, only {', '.join(MODES)}")
    if firmware is not None:
        raise NsocError("only normal mode takes a firmware of your own; leave out --firmware or --mode")
    session = Session(preset, seed, trace=True, waves=waves)
    session.enter(mode)
    session.soc.run(us=REST_US)
    return session.soc


def _frame(payload: int) -> bytes:
    from nsoc.machine.selftest import HOST, SOC

    return SOC + HOST + b"\x88\xb5" + bytes(byte & 0xFF for byte in range(payload))


def _one_by_one(soc: Soc, frame: bytes, count: int) -> None:
    """Each when the one before has come back, and not at the same phase of the clocks."""
    start = soc.cycles + SPACING
    for _ in range(count):
        soc.wire.send(frame, not_before=start)
        soc.wire.receive(timeout_us=10_000)
        start = max(start + SPACING, soc.cycles)


def _send_image(soc: Soc | CabledSoc) -> None:
    from nsoc.network import image
    from nsoc.transfer.echo import Transfer

    outcome = Transfer(soc, image.generated(image.Size.SMALL).data).run()
    if outcome.failure:
        raise NsocError(outcome.failure)
