# SPDX-License-Identifier: Apache-2.0
"""Boots a firmware, lets it run, plays frames to it and shows what it prints and sends: what `nsoc run` does."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc.errors import NsocError
from nsoc.files import check_writable
from nsoc.machine import firmware as firmware_
from nsoc.machine import presets
from nsoc.network import pcapng
from nsoc.network.ethernet import described
from nsoc.network.sending import Outgoing, Sending, frames_to_send
from nsoc.progress import FIRST_LINE_S, Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from nsoc.network.faults import Wiring

SLICE_US = 250.0
"""Printing is shown after so much simulated time at the latest."""
QUIET_US = 2000.0
"""More than the millisecond that programs often have as a period: between two of its events one is not at rest."""
LIMIT_US = 1e6
LEAD_US = 10.0
"""Before the first of frames that have times, whose preamble is on the line earlier: long enough at 10 Mb/s."""
LONGEST_US = float(2**62 // 10**9)
"""Simulated time ends there (LONGEST_FS of nsoc.machine.sim)."""


@dataclass(frozen=True)
class RunResult:
    """How a firmware ran. Times are simulated unless their name says wall."""

    preset: str
    time_us: float
    cycles: int
    wall_s: float
    reason: str
    failure: str
    frames_in: int
    frames_out: int
    counters: dict[str, int]

    @property
    def sentence(self) -> str:
        """What happened, in one line."""
        return (
            f"{self.reason} after {self.time_us:,.1f} us ({self.cycles:,} NIC cycles), "
            f"{self.frames_in} frames in, {self.frames_out} out, {self.wall_s:.1f} s wall time"
        )

    def records(self) -> list[Record]:
        """Every figure in the machine format; the NIC's counters under the mode `counter`."""
        values = [
            ("sim_time_us", self.time_us, "us"),
            ("sim_cycles", self.cycles, "cycles"),
            ("sim_cycles_per_s", self.cycles / self.wall_s, "1/s"),
            ("wall_s", self.wall_s, "s"),
            ("frames_in", self.frames_in, "frames"),
            ("frames_out", self.frames_out, "frames"),
        ]
        records = [Record("run", self.preset, metric, value, unit=unit) for metric, value, unit in values]
        return records + [Record("run", self.preset, n, v, mode="counter") for n, v in self.counters.items()]


def run_firmware(
    firmware: str,
    preset: str,
    *,
    us: float | None = None,
    until: str | None = None,
    send: Sequence[str] = (),
    sending: Sending | None = None,
    ready: str = "ready",
    capture: Path | None = None,
    seed: int = 1,
    show: Callable[[str], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    wiring: "Wiring | None" = None,
    boot: Callable[..., AbstractContextManager[Any]] | None = None,
    progress: Progress = lambda done, total: None,
) -> RunResult:
    """Boot `firmware` on `preset` and run it for `us` simulated microseconds, or until it has printed `until`.

    With neither it stops when UART and wire were quiet for 2 ms, and after a second at the latest. The frames of `send`
    go out when `ready` has been printed, as `sending` says. `show` gets what the SoC prints and a line for each frame
    that comes from it, `say` a line about each capture that is not as one would think.
    `wiring`: the SoC is at the end of a cable that does this to frames. `boot` makes the SoC; it is there for tests.
    `progress` gets simulated microseconds and how many there will be at most, once it has taken a while.
    """
    if us is not None and not 0 <= us <= LONGEST_US:
        raise NsocError(f"--us must be a number from 0 to {LONGEST_US:.0f}, where simulated time ends, not {us:g}")
    frames = frames_to_send(send, sending, say)
    if capture is not None:
        check_writable(capture, "the capture", "--capture")
    firmware_.check_for(presets.load_soc(preset), firmware)
    limit = LIMIT_US if us is None else us
    quiet = 0.0
    reason = "stopped"
    waiting = bool(frames)
    sent: list[Any] = []
    received: list[Any] = []
    with (boot or _boot)(preset, firmware, seed, wiring) as soc:
        began = time.perf_counter()
        while soc.time_us < limit:
            text = ready if waiting else until
            try:
                soc.run(us=min(SLICE_US, limit - soc.time_us), text=text)
            except NsocError:
                show(soc.uart.read())  # before the reason why it does not go on
                raise
            printed = soc.uart.read()
            arrived = soc.wire.receive_all()
            received += arrived
            show(printed + "".join(_describe(frame) for frame in arrived))
            if waiting and ready in soc.uart.text:
                sent = _send(soc, frames, wiring is not None)
                waiting = False
                continue
            if not waiting and until is not None and until in soc.uart.text:
                reason = f"printed {until!r}"
                break
            if time.perf_counter() - began >= FIRST_LINE_S:
                progress(int(soc.time_us), int(limit))
            quiet = 0.0 if printed or arrived or soc.wire.queued else quiet + SLICE_US
            if us is None and quiet >= QUIET_US:
                reason = "quiet"
                break
        wall_s = time.perf_counter() - began
        failure = ""
        if waiting:
            failure = (
                f"{firmware} did not print {ready!r}, so no frame was sent; say --ready what it prints, or more --us"
            )
        elif until is not None and until not in soc.uart.text:
            failure = f"{firmware} did not print {until!r} within {soc.time_us:,.0f} us; give it more with --us"
        elif soc.wire.queued and us is None and until is None:
            failure = (
                f"{soc.wire.queued} of {len(sent)} frames had not gone out after {soc.time_us:,.0f} us; give them more "
                "with --us"
            )
        gone = len(sent) - soc.wire.queued
        if capture is not None:
            _write_capture(capture, _packets(sent, received) if wiring is None else soc.capture())
        return RunResult(
            preset, soc.time_us, soc.cycles, wall_s, reason, failure, gone, len(received), dict(soc.counters)
        )


def _boot(preset: str, firmware: str, seed: int, wiring: "Wiring | None") -> AbstractContextManager[Any]:
    from nsoc.machine.soc import Soc
    from nsoc.network.cabled import CabledSoc

    return Soc(preset, firmware, seed) if wiring is None else CabledSoc(preset, firmware, seed, wiring=wiring)


def _send(soc: Any, frames: Sequence[Outgoing], cabled: bool) -> list[Any]:
    """Queues them; those with a time count it from now. What there is of each to be asked later."""
    sent = []
    for frame in frames:
        if frame.after_ps is None:
            sent.append(soc.wire.send(frame.data, bad_fcs=frame.bad_fcs))
        elif cabled:
            time_ps = soc.network.time_ps + frame.after_ps
            sent.append(soc.wire.queue_at_ps(frame.data, time_ps, bad_fcs=frame.bad_fcs))
        else:
            not_before = soc.cycles + soc.cycles_in(LEAD_US + frame.after_ps / 1e6)
            sent.append(soc.wire.send(frame.data, bad_fcs=frame.bad_fcs, not_before=not_before))
    return sent


def _describe(frame: Any) -> str:
    note = "" if frame.good else "  damaged"
    return f"[{frame.start_ps / 1e6:.3f} us] {described(frame.data)}{note}\n"


def _packets(sent: Sequence[Any], received: Sequence[Any]) -> list[pcapng.Packet]:
    packets = [pcapng.Packet(f.start_ps, True, f.data, not f.fcs_ok) for f in sent if f.start_ps is not None]
    return packets + [pcapng.Packet(f.start_ps, False, f.data, not f.good) for f in received]


def _write_capture(path: Path, packets: list[pcapng.Packet]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pcapng.write(path, packets)
    except OSError as error:
        raise NsocError(f"cannot write the capture {path} ({error.strerror}); give --capture another file") from error
