# SPDX-License-Identifier: Apache-2.0
"""The demo: an image crosses the SoC by the reliable protocol and comes back, and what that took.

Throughput is frame bytes without preamble and FCS over the simulated time from the first byte of the first data frame
to the end of the last one, repeats included: `send` on the pins into the SoC (GMII RX), `receive` on those out of it
(GMII TX), in Mb/s of 10^6 bit/s. What the published Mb/s are is not published: records.PUBLISHED_UNIT.
"""

import time
import tomllib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nsoc.errors import NsocError
from nsoc.files import check_folder
from nsoc.network import image, pcapng
from nsoc.network.channel import Fate, Faults
from nsoc.network.ethernet import HEADER_BYTES, line_limit
from nsoc.network.image import Picture, Size
from nsoc.network.transfer import LineUse, Outcome, SocLike, Transfer
from nsoc.records import MEBI, PUBLISHED_UNIT, Record
from nsoc.transfer.published import MAX_FRAME_BYTES, Timing

if TYPE_CHECKING:
    from rich.console import RenderableType

FIRMWARE = "forward"
PAYLOAD = MAX_FRAME_BYTES - HEADER_BYTES
"""Ethernet payload of a full data frame, in bytes."""
LIMIT_MBPS = line_limit(PAYLOAD)
PUBLISHED_PRESET = "nic12-fast"

PUBLISHED_FILE = Path(__file__).parent / "published" / "images.toml"


class BootedSoc(SocLike, Protocol):
    """What the demo needs of a SoC besides its wire."""

    @property
    def cycles(self) -> int: ...
    def boot(self) -> Any: ...
    @property
    def counters(self) -> Any: ...


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
    return Published(**tomllib.loads(PUBLISHED_FILE.read_text(encoding="utf-8"))[size])


@dataclass(frozen=True)
class DemoResult:
    """What the demo found. Times are simulated unless their name says wall."""

    picture: Picture
    preset: str
    seed: int
    outcome: Outcome
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
        way_out = "try less --loss and --corrupt or a longer --timeout"
        if self.outcome.failure:
            return f"the transfer failed: {self.outcome.failure}; {way_out}; the frames are in {self.capture_file}"
        if not self.bit_exact:
            return f"the image that came back differs from the one sent; the frames are in {self.capture_file}"
        return ""

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
        seconds = self.outcome.send.seconds + self.outcome.receive.seconds
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
            record("frames_lost", self.outcome.frames_lost),
            record("frames_dropped_in_soc", self.outcome.frames_dropped_in_soc),
            record("sim_time_us", self.outcome.duration_us, unit="us"),
            record("sim_cycles", self.cycles, unit="cycles"),
            record("sim_cycles_per_s", self.sim_cycles_per_s, unit="1/s"),
            record("wall_s", self.wall_s, unit="s"),
        ]
        return result + [record(name, count, mode="counter") for name, count in self.drops.items()]

    def _directions(self) -> list[tuple[str, LineUse, float | None, float | None]]:
        """Mode, ours, and the published average and maximum in 10^6 bit/s."""
        theirs, outcome = self.reference, self.outcome
        if theirs is None:
            return [("send", outcome.send, None, None), ("receive", outcome.receive, None, None)]
        return [
            ("send", outcome.send, theirs.send_average * MEBI, theirs.send_maximum * MEBI),
            ("receive", outcome.receive, theirs.receive_average * MEBI, theirs.receive_maximum * MEBI),
        ]

    def tables(self) -> "list[RenderableType]":
        """The same for people, to be printed with rich."""
        return [self._facts(), self._figures(), "", *self._files()]

    def _facts(self) -> "RenderableType":
        from rich.table import Table

        outcome, picture = self.outcome, self.picture
        lost = outcome.to_soc[Fate.LOST] + outcome.to_host[Fate.LOST]
        corrupted = outcome.to_soc[Fate.CORRUPTED] + outcome.to_host[Fate.CORRUPTED]
        end = "giving up" if outcome.failure else "the OK"
        rows = {
            "image": f"{picture.name}, {picture.width} x {picture.height}, {len(picture.data):,} bytes",
            "through": f"{self.preset}, seed {self.seed}",
            "bit-exact": "[green]yes[/]" if self.bit_exact else "[red]no[/]",
            "frames sent": f"{outcome.frames_sent:,}: {outcome.data_frames:,} data (for {outcome.packets:,} packets), "
            f"{_count(outcome.summaries, 'summary', 'summaries')}, {_count(outcome.acks, 'ack', 'acks')}",
            "retransmissions": f"{outcome.retransmissions:,}",
            "frames lost": f"{outcome.frames_lost:,}: {lost:,} vanished and {corrupted:,} corrupted on the cable, "
            f"{outcome.frames_dropped_in_soc:,} in the SoC",
            "dropped by the SoC": ", ".join(f"{name} {count:,}" for name, count in self.drops.items()) or "nothing",
            "simulated time": f"{outcome.duration_us / 1000:,.3f} ms from the first frame to {end}",
            "simulated cycles": f"{self.cycles:,} of the NIC clock, {self.sim_cycles_per_s / 1e6:.2f} million a second",
            "wall time": f"{self.wall_s:.1f} s",
        }
        facts = Table.grid("", "", padding=(0, 2))
        for name, value in rows.items():
            facts.add_row(name, value)
        return facts

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
    loss: float = 0.01,
    corrupt: float = 0.005,
    seed: int = 1,
    preset: str = PUBLISHED_PRESET,
    window: int = 32,
    timeout_us: float = Timing.timeout_us,
    out: Path = Path("out"),
    progress: Callable[[int, int], None] | None = None,
    boot: "Callable[[str, int], AbstractContextManager[BootedSoc]] | None" = None,
) -> DemoResult:
    """Send an image (that file's bytes, or the generated one of `size`) through the SoC and back.

    `loss` and `corrupt`: probability that the cable loses or corrupts a frame, in each direction. `window`: data frames
    under way at once. `timeout_us`: simulated microseconds without progress after which the transfer gives up.
    Writes the received image and a capture of all frames below `out`. `progress(packets there, packets in all)` is
    called now and then. `boot(preset, seed)` gives the SoC; it is there for tests. A transfer that fails is a result
    with `failure` set; NsocError is raised for what the caller can mend.
    """
    began = time.perf_counter()
    check_folder(out, "--out")
    picture = image.from_file(image_file) if image_file else image.generated(size)
    with (boot or _boot)(preset, seed) as soc:
        simulation_began = time.perf_counter()
        soc.boot()
        transfer = Transfer(
            soc,
            picture.data,
            faults=Faults(loss, corrupt),
            seed=seed,
            window=window,
            timing=Timing(timeout_us=timeout_us),
            progress=progress,
        )
        outcome = transfer.run()
        simulation_wall_s = time.perf_counter() - simulation_began
        cycles = soc.cycles
        drops = {name: count for name, count in soc.counters.items() if "drop" in name and count}
    received_file, capture_file = _write_files(out, picture.suffix, outcome)
    comparable = image_file is None and preset == PUBLISHED_PRESET
    return DemoResult(
        picture,
        preset,
        seed,
        outcome,
        outcome.data == picture.data,
        cycles,
        simulation_wall_s,
        time.perf_counter() - began,
        received_file,
        capture_file,
        published(size) if comparable else None,
        drops,
    )


def _boot(preset: str, seed: int) -> "AbstractContextManager[BootedSoc]":
    from nsoc.machine.soc import Soc

    return Soc(preset, FIRMWARE, seed)


def _write_files(out: Path, suffix: str, outcome: Outcome) -> tuple[Path | None, Path]:
    received = out / f"received{suffix}"
    capture = out / "demo.pcapng"
    try:
        out.mkdir(parents=True, exist_ok=True)
        pcapng.write(capture, outcome.capture)
        if outcome.data is None:
            received.unlink(missing_ok=True)  # no picture of an earlier run beside this one's capture
            return None, capture
        received.write_bytes(outcome.data)
    except OSError as error:
        raise NsocError(f"cannot write to the folder {out} ({error.strerror}); give --out another") from error
    return received, capture
