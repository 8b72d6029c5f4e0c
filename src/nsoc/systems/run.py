# SPDX-License-Identifier: Apache-2.0
"""`nsoc systems --run`: each system's main job once, its figures beside the published ones.

nic       an image goes through the NIC and back by the reliable protocol, over a cable without faults
tcp       echoes of 32 bytes by direct cache access and by sockets, over UDP and over TCP
latency   the published payloads from one engine's door to the other's, one preset, verified
pnic      frames of 1518 and of 64 bytes through six cores, both directions
v8        the image of `nic`, with a SPARC V8 core
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.figures import Key
from nsoc.published import load
from nsoc.records import MEBI, Record
from nsoc.systems import System, find, headlines, show
from nsoc.systems.headlines import Headline

ECHO_PAYLOAD = 32
LATENCY_PHASES = 8
"""Positions of the clocks of each payload; the bench takes 64, and means of it stand in figures.json."""


@dataclass
class Ran:
    """A system's main job: `found` has the headlines with what was measured now."""

    system: System
    found: list[Headline]
    seconds: float


def run(system: System, *, seed: int = 1) -> Ran:
    """The main job of a system. Raises NsocError for one that is to come, and when the job fails."""
    (system,) = find([system.name])
    start = time.monotonic()
    found = list(JOBS[system.name](system, seed))
    return Ran(system, found, time.monotonic() - start)


def _image(system: System, seed: int) -> Iterator[Headline]:
    from nsoc.demo import published, run_demo
    from nsoc.network.faults import Faults, Wiring
    from nsoc.network.image import Size

    with tempfile.TemporaryDirectory() as folder:
        done = run_demo(wiring=Wiring(Faults()), seed=seed, preset=system.preset, out=Path(folder))
    if done.failure:
        raise NsocError(f"the image of the system {system.name} did not come back: {done.failure}")
    theirs = published(Size.SMALL)
    clock = load("thesis.toml")["clock"]
    ways = (("in", done.send, theirs.send_average), ("out", done.receive, theirs.receive_average))
    for way, ours, average in ways:
        key: Key = ("systems", system.preset, f"image-{way}", "throughput_mbps", 1486)
        what = f"throughput of the image's frames {way}, 1486 B"
        yield Headline(what, key, "Mb/s", average * MEBI, theirs.source, clock, ours.throughput_mbps, digits=1)
    key = ("systems", system.preset, "image", "images_per_s", 1486)
    rate = done.images_per_s_as_published
    yield Headline("images, times added", key, "1/s", theirs.images_per_s, theirs.source, clock, rate, digits=1)


def _echoes(system: System, seed: int) -> Iterator[Headline]:
    from nsoc.bench import sockets, sockets_measure

    ways = {way.name: way for way in sockets.WAYS}
    for name in ("dca", "socket"):
        for one in headlines.echoes(name):
            if one.payload == ECHO_PAYLOAD:
                protocol = str(one.key[2]).removeprefix(f"{name}-")
                yield replace(one, ours=sockets_measure.echo_cycles(ways[name], protocol, ECHO_PAYLOAD, seed))


def _doors(system: System, seed: int) -> Iterator[Headline]:
    from nsoc.bench import latency
    from nsoc.machine import presets

    wanted = list(headlines.doors(system.preset))
    payloads = [one.payload for one in wanted]
    mode = headlines.LATENCY_MODE
    result = latency.run(
        [presets.load(system.preset)], payloads, (mode,), phases=LATENCY_PHASES, goodput=False, seed=seed
    )
    means = result.measured[0].mean(mode)
    for one in wanted:
        yield replace(one, ours=means[one.payload])


def _frames(system: System, seed: int) -> Iterator[Headline]:
    from nsoc.bench import pnic
    from nsoc.machine import presets

    for length in (headlines.LONGEST, headlines.SHORTEST):
        found = pnic.point(presets.load(system.preset), seed, [length])
        rate = next(float(record.value) for record in found if record.metric == "frames_per_s")
        yield replace(headlines.frames(length), ours=rate)


JOBS: Mapping[str, Callable[[System, int], Iterator[Headline]]] = {
    "nic": _image,
    "tcp": _echoes,
    "latency": _doors,
    "pnic": _frames,
    "v8": _image,
}
"""By the name of a system."""


def records(results: Sequence[Ran]) -> list[Record]:
    """The figures measured now, and how long each job took."""
    found = []
    for ran in results:
        found += [show.record_of(one, ran.system.name, one.ours) for one in ran.found if one.ours is not None]
        found.append(Record(show.SUITE, ran.system.preset, "wall_s", ran.seconds, mode=ran.system.name, unit="s"))
    return found
