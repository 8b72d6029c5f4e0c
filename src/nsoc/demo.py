# SPDX-License-Identifier: Apache-2.0
"""The demo: an image crosses the SoC by the reliable protocol and comes back, and what that took.

Throughput is frame bytes without preamble and FCS over the simulated time from the first byte of the first data frame
to the end of the last one, repeats included: `send` on the pins into the SoC (GMII RX), `receive` on those out of it
(GMII TX), in Mb/s of 10^6 bit/s. What the published Mb/s are is not published: records.PUBLISHED_UNIT.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nsoc.bench.image_figures import figures
from nsoc.errors import NsocError
from nsoc.files import check_folder
from nsoc.machine import presets
from nsoc.network import image, pcapng
from nsoc.network.faults import Faults, Wiring
from nsoc.network.image import Picture, Size
from nsoc.records import MEBI, PUBLISHED_UNIT, Record
from nsoc.transfer.echo import Outcome, ReceivedFrame, SocLike, Transfer
from nsoc.transfer.line_use import LIMIT_MBPS, PAYLOAD, LineUse
from nsoc.transfer.published import Timing

if TYPE_CHECKING:
    from rich.console import RenderableType

FIRMWARE = "forward"
PUBLISHED_PRESET = "nic12-fast"

FAULTS = Faults(loss=0.01, corrupt=0.005)
"""Of the cable, when nothing else is said."""


class BootedSoc(SocLike, Protocol):
    """What the demo needs of CabledSoc."""

    @property
    def cycles(self) -> int: ...
    def boot(self) -> Any: ...
    @property
    def counters(self) -> Any: ...
    def counts(self) -> tuple[dict[str, int], dict[str, int]]: ...
    def crossed(self) -> tuple[Sequence[ReceivedFrame], Sequence[ReceivedFrame]]: ...
    def capture(self) -> list[pcapng.Packet]: ...


@dataclass(frozen=True)
class Published:
    """A published image transfer, throughputs in Mb/s as printed."""

    source: str
    image: str
    send_average: float
    send_maximum: float
    receive_average: float
    receive_maximum: float
    images_per_s: float


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def published(size: Size) -> Published:
    """The published figures for the image of that size."""
    return Published(**figures()[size])


@dataclass(frozen=True)
class DemoResult:
    """What the demo found. Times are simulated unless their name says wall."""

    picture: Picture
    preset: str
    seed: int
    outcome: Outcome
    send: LineUse
    """Data frames into the SoC: throughput on GMII RX."""
    receive: LineUse
    """Data frames out of the SoC: throughput on GMII TX."""
    to_soc: dict[str, int]
    """Frames of the host by what the cable did to them, as Cable.counts()."""
    to_host: dict[str, int]
    """Frames of the SoC by what the cable did to them."""
    bit_exact: bool
    cycles: int
    """NIC clock cycles simulated, boot included."""
    simulation_wall_s: float
    wall_s: float
    """Everything, also a build."""
    received_file: Path | None
    capture_file: Path
    reference: Published | None
    drops: dict[str, int]
    """The SoC's drop counters that are not zero."""

    @property
    def failure(self) -> str:
        """One sentence on what went wrong; empty when the image came back whole."""
        way_out = "try fewer faults of the cable or a longer --timeout"
        if self.outcome.failure:
            return f"the transfer failed: {self.outcome.failure}; {way_out}; the frames are in {self.capture_file}"
        if not self.bit_exact:
            changed = self.to_soc["changed"] + self.to_host["changed"]
            why = f": the cable changed {_count(changed, 'frame', 'frames')} behind a good FCS" if changed else ""
            return f"the image that came back differs from the one sent{why}; the frames are in {self.capture_file}"
        return ""

    @property
    def vanished(self) -> int:
        """Frames that went into the cable and did not come out."""
        return sum(way[fate] for way in (self.to_soc, self.to_host) for fate in ("lost", "down", "overflowed"))

    @property
    def damaged(self) -> int:
        """Frames that the cable gave a wrong FCS."""
        return sum(way[fate] for way in (self.to_soc, self.to_host) for fate in ("corrupted", "cut"))

    @property
    def dropped_in_soc(self) -> int:
        """Frames that entered the SoC whole and did not leave it."""
        entered = sum(self.to_soc[fate] for fate in ("passed", "changed", "duplicated", "reordered"))
        return entered - sum(count for fate, count in self.to_host.items() if fate != "duplicated")

    @property
    def frames_lost(self) -> int:
        """Frames that did not reach the other end, for whatever reason."""
        return self.vanished + self.damaged + self.dropped_in_soc

    @property
    def sim_cycles_per_s(self) -> float:
        """Simulated NIC clock cycles per wall second."""
        return self.cycles / self.simulation_wall_s

    @property
    def images_per_s(self) -> float:
        """Images a second, from the first frame to the OK; 0 when there was none."""
        return 1e6 / self.outcome.duration_us if self.bit_exact else 0.0

    @property
    def images_per_s_as_published(self) -> float:
        """Images a second by the published rule: transmission and reception time added, though they overlap."""
        seconds = self.send.seconds + self.receive.seconds
        return 1 / seconds if self.bit_exact and seconds else 0.0

    def records(self) -> list[Record]:
        """Every figure in the machine format."""

        def record(metric: str, value: float, **more: Any) -> Record:
            return Record("demo", self.preset, metric, value, **more)

        result = [record("bit_exact", self.bit_exact), record("image_bytes", len(self.picture.data), unit="bytes")]
        for mode, line, theirs, _ in self._directions():
            source = {"published": theirs, "source": self.reference.source if self.reference else None}
            mbps = {"mode": mode, "payload": PAYLOAD, "unit": "Mb/s", "limit": LIMIT_MBPS}
            result.append(record("throughput_mbps", line.throughput_mbps, **mbps, **source))
            share = {"mode": mode, "payload": PAYLOAD, "limit": 1.0}
            source["published"] = theirs / LIMIT_MBPS if theirs else None
            result.append(record("line_share", line.throughput_mbps / LIMIT_MBPS, **share, **source))
        reference = self.reference
        result += [
            record("images_per_s", self.images_per_s, mode="end to end", unit="1/s"),
            record(
                "images_per_s",
                self.images_per_s_as_published,
                mode="added times",
                unit="1/s",
                published=reference.images_per_s if reference else None,
                source=reference.source if reference else None,
            ),
            record("data_frames", self.outcome.data_frames),
            record("frames_sent", self.outcome.frames_sent),
            record("retransmissions", self.outcome.retransmissions),
            record("frames_lost", self.frames_lost),
            record("frames_dropped_in_soc", self.dropped_in_soc),
            record("sim_time_us", self.outcome.duration_us, unit="us"),
            record("sim_cycles", self.cycles, unit="cycles"),
            record("sim_cycles_per_s", self.sim_cycles_per_s, unit="1/s"),
            record("wall_s", self.wall_s, unit="s"),
        ]
        return result + [record(name, count, mode="counter") for name, count in self.drops.items()]

    def _directions(self) -> list[tuple[str, LineUse, float | None, float | None]]:
        """Mode, ours, and the published average and maximum in 10^6 bit/s."""
        theirs = self.reference
        if theirs is None:
            return [("send", self.send, None, None), ("receive", self.receive, None, None)]
        return [
            ("send", self.send, theirs.send_average * MEBI, theirs.send_maximum * MEBI),
            ("receive", self.receive, theirs.receive_average * MEBI, theirs.receive_maximum * MEBI),
        ]

    def tables(self) -> "list[RenderableType]":
        """The same for people, to be printed with rich."""
        return [self._facts(), self._figures(), "", *self._files()]

    def _facts(self) -> "RenderableType":
        from rich.table import Table

        outcome, picture = self.outcome, self.picture
        end = "giving up" if outcome.failure else "the OK"
        rows = {
            "image": f"{picture.name}, {picture.width} x {picture.height}, {len(picture.data):,} bytes",
            "through": f"{self.preset}, seed {self.seed}",
            "bit-exact": "[green]yes[/]" if self.bit_exact else "[red]no[/]",
            "frames sent": f"{outcome.frames_sent:,}: {outcome.data_frames:,} data (for {outcome.packets:,} packets), "
            f"{_count(outcome.summaries, 'summary', 'summaries')}, {_count(outcome.acks, 'ack', 'acks')}",
            "retransmissions": f"{outcome.retransmissions:,}",
            "frames lost": f"{self.frames_lost:,}: {self.vanished:,} vanished and {self.damaged:,} corrupted on the "
            f"cable, {self.dropped_in_soc:,} in the SoC",
            **self._oddities(),
            "dropped by the SoC": ", ".join(f"{name} {count:,}" for name, count in self.drops.items()) or "nothing",
            "simulated time": f"{outcome.duration_us / 1000:,.3f} ms from the first frame to {end}",
            "simulated cycles": f"{self.cycles:,} of the NIC clock, {self.sim_cycles_per_s / 1e6:.2f} million a second",
            "wall time": f"{self.wall_s:.1f} s",
        }
        facts = Table.grid("", "", padding=(0, 2))
        for name, value in rows.items():
            facts.add_row(name, value)
        return facts

    def _oddities(self) -> dict[str, str]:
        """What the cable did besides, where it did."""
        counts = {name: self.to_soc[name] + self.to_host[name] for name in ("changed", "duplicated", "reordered")}
        did = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        return {"on the cable, too": did} if did else {}

    def _figures(self) -> "RenderableType":
        from rich import box
        from rich.table import Table

        theirs = self.reference
        source = None
        if theirs:
            source = (
                f"Published: {theirs.source}; {theirs.image}; averages, and the best times 1.0486. {PUBLISHED_UNIT} "
                "Added times: send time + receive time, as there, though the two overlap."
            )
        figures = Table(box=box.SIMPLE_HEAD, caption=source, caption_justify="left")
        figures.add_column("", no_wrap=True)
        for heading in ("this run", "of the line", "printed", "x 1.0486", "ratio", "best"):
            figures.add_column(heading, justify="right", no_wrap=True)

        def row(name: str, ours: float, share: str = "", average: float = 0.0, maximum: float = 0.0) -> None:
            rate = bool(share)
            printed = f"{average / MEBI if rate else average:,.2f}" if average else ""
            beside = (f"{average:,.2f}" if rate else "", f"{ours / average:.2f}") if average else ("", "")
            figures.add_row(name, f"{ours:,.2f}", share, printed, *beside, f"{maximum:,.2f}" if maximum else "")

        for mode, line, average, maximum in self._directions():
            share = f"{line.throughput_mbps / LIMIT_MBPS:.1%}"
            row(f"{mode}, Mb/s", line.throughput_mbps, share, average or 0.0, maximum or 0.0)
        row("images/s, added times", self.images_per_s_as_published, average=theirs.images_per_s if theirs else 0.0)
        row("images/s, end to end", self.images_per_s)
        return figures

    def _files(self) -> "list[RenderableType]":
        files = [f"received image  {self.received_file}"] if self.received_file else []
        return [*files, f"all frames      {self.capture_file}"]


def run_demo(
    image_file: Path | None = None,
    size: Size = Size.SMALL,
    *,
    wiring: Wiring | None = None,
    seed: int = 1,
    preset: str = PUBLISHED_PRESET,
    window: int = 32,
    timeout_us: float = Timing.timeout_us,
    out: Path = Path("out"),
    progress: Callable[[int, int], None] | None = None,
    boot: "Callable[[str, int, Wiring], AbstractContextManager[BootedSoc]] | None" = None,
) -> DemoResult:
    """Send an image (that file's bytes, or the generated one of `size`) through the SoC and back.

    `wiring`: what the cable does to frames; when not given, it loses and corrupts some (FAULTS). `window`: data frames
    under way at once. `timeout_us`: simulated microseconds without progress after which the transfer gives up.
    Writes the received image and a capture of all frames below `out`. `progress(packets there, packets in all)` is
    called now and then. `boot(preset, seed, wiring)` gives the SoC; it is there for tests. A transfer that fails is a
    result with `failure` set; NsocError is raised for what the caller can mend.
    """
    began = time.perf_counter()
    check_folder(out, "--out")
    presets.load_soc(preset)
    picture = image.from_file(image_file) if image_file else image.generated(size)
    with (boot or _boot)(preset, seed, wiring or Wiring(FAULTS)) as soc:
        simulation_began = time.perf_counter()
        soc.boot()
        transfer = Transfer(
            soc,
            picture.data,
            window=window,
            timing=Timing(timeout_us=timeout_us),
            progress=progress,
        )
        outcome = transfer.run()
        simulation_wall_s = time.perf_counter() - simulation_began
        cycles = soc.cycles
        send, receive = map(LineUse.of, soc.crossed())
        to_soc, to_host = soc.counts()
        capture = soc.capture()
        drops = {name: count for name, count in soc.counters.items() if "drop" in name and count}
    received_file, capture_file = _write_files(out, picture.suffix, outcome, capture)
    comparable = image_file is None and preset == PUBLISHED_PRESET
    return DemoResult(
        picture,
        preset,
        seed,
        outcome,
        send,
        receive,
        to_soc,
        to_host,
        outcome.data == picture.data,
        cycles,
        simulation_wall_s,
        time.perf_counter() - began,
        received_file,
        capture_file,
        published(size) if comparable else None,
        drops,
    )


def _boot(preset: str, seed: int, wiring: Wiring) -> "AbstractContextManager[BootedSoc]":
    from nsoc.network.cabled import CabledSoc

    return CabledSoc(preset, FIRMWARE, seed, wiring=wiring)


def _write_files(out: Path, suffix: str, outcome: Outcome, packets: list[pcapng.Packet]) -> tuple[Path | None, Path]:
    received = out / f"received{suffix}"
    capture = out / "demo.pcapng"
    try:
        out.mkdir(parents=True, exist_ok=True)
        pcapng.write(capture, packets)
        if outcome.data is None:
            received.unlink(missing_ok=True)  # no picture of an earlier run beside this one's capture
            return None, capture
        received.write_bytes(outcome.data)
    except OSError as error:
        raise NsocError(f"cannot write to the folder {out} ({error.strerror}); give --out another") from error
    return received, capture
