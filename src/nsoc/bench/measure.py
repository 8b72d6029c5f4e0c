# SPDX-License-Identifier: Apache-2.0
"""Measurements of a preset. Each is a function of (preset, mode, payload, seed) that boots a SoC of its own.

All times are simulated, so the same arguments give the same figures on any machine.

**Payload.** A payload of P bytes makes a frame of P + 14 bytes, from the destination address to the last byte of the
payload. Frames below 60 bytes are padded to 60 on the wire.

**Modes.** `normal` is the preset's own firmware, which swaps the addresses and sends each frame back. `nic_loopback`
and `mac_loopback` are modes of the NIC, with the firmware `loopback`.

**Round trip.** It is the time from the first byte of the destination address in to the last FCS byte out, one frame at
a time. The figure is the mean over frames at many phases of the two clocks. The first ones, with cold caches, are not
counted.

**Throughput.** It is the frame bytes a second (no preamble, no FCS) of what comes back at saturation. The wire offers
frames back to back at line rate, whether they come back or not ("the rate of successfully echoed frames"). The SoC's
drop counters count what is lost. This is the headline, as it depends on nothing but the SoC. Where frames are lost,
counting begins with the first one that comes back behind a lost one: before it, buffers hide what is slow.

**Throughput with a window.** It is the published way for NIC_1.2 (scheme 3): a burst of so many frames, then one for
each that comes back. So no more than that many are ever inside, and nothing is lost. The figure is at most window /
round trip. That bound is what it shows where frames are short, or where the MAC's FIFO takes only few.

**Loss-free burst.** It is how many frames back to back, after rest, all come back. A SoC that keeps up with the line
has no limit. That is said when no frame of MOST was lost and the last half of them took no longer than the first half,
which means that nothing piles up anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nsoc.bench import nic
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.machine.selftest import HOST, SOC, came_back
from nsoc.machine.soc import Soc
from nsoc.network.ethernet import HEADER_BYTES, SHORTEST, line_limit
from nsoc.network.wire import Received, Sent

PAYLOADS = (64, 128, 256, 512, 1024, 1486)

LOOPBACK_FIRMWARE = "loopback"
CONTROL = {"nic_loopback": "NSOC_NIC_CONTROL_NIC_LOOPBACK", "mac_loopback": "NSOC_NIC_CONTROL_MAC_LOOPBACK"}

FRAMES, WARM_UP = 2000, 400
"""Frames that count for a throughput, behind so many that do not."""
BUDGET_CYCLES = 40_000_000
"""NIC clock cycles, a third of a simulated second, after which the throughput of a system that is so slow (130 us a
frame) is taken from the frames that there are."""
ENOUGH = 20
"""Frames without which the budget is exceeded, up to twice."""
CHUNK = 64
MOST = 4096
"""Frames of a burst that is taken to be without limit."""
PILE_UP_PS = 100_000
"""How much later than in the first half of a burst a frame may be in the last half: the phases of the clocks, which are
8 and 12.5 ns long, not a frame more anywhere (the shortest takes 672 ns on the line)."""
QUIET_US = 2000.0
"""Wire and UART quiet for so long: nothing is on its way any more."""
LOST_US = 5000.0
DRAIN_US = 500_000.0


@dataclass(frozen=True)
class RoundTrip:
    """Cycles of the NIC clock."""

    preset: str
    mode: str
    payload: int
    frames: int
    least: float
    mean: float
    most: float
    us: float
    """The mean in microseconds."""


@dataclass(frozen=True)
class Throughput:
    """Of frames of one length; Mb/s of 10^6 bit/s."""

    preset: str
    mode: str
    payload: int
    window: int
    """Frames under way at most; 0: line rate, whatever comes back."""
    mbps: float
    frames: int
    """That counted."""
    offered: int
    """All that were sent."""
    lost: int
    drops: dict[str, int]
    """What the SoC's drop counters say, and `unaccounted` for lost frames that none counted."""
    lost_counted: int = 0
    """Frames lost between those that counted; `lost` has what was lost before and after, too."""

    @property
    def loss(self) -> float:
        """Part of the frames that is lost while others count: what goes on, without what happens once."""
        return self.lost_counted / (self.lost_counted + self.frames)

    @property
    def line_share(self) -> float:
        """Of what the line can carry with frames of this length."""
        return self.mbps / line_limit(self.payload)


@dataclass(frozen=True)
class Burst:
    """The longest burst without a loss."""

    preset: str
    mode: str
    payload: int
    frames: int
    lost: bool
    """One frame more, and a frame was lost; else `frames` is how many were tried."""
    unlimited: bool
    """Nothing was lost, and nothing piled up: the SoC keeps up."""
    cause: str
    """The drop counters that counted the first loss."""


def round_trip(preset: str | Preset, mode: str = "normal", payload: int = 1024, seed: int = 1) -> RoundTrip:
    """Frames one by one through an idle SoC."""
    with _boot(preset, mode, seed) as soc:
        cycles = nic.single_frames(soc, mode, payload)
        mean = sum(cycles) / len(cycles)
        us = mean / soc.preset.nic_mhz
        return RoundTrip(soc.preset.name, mode, payload, len(cycles), min(cycles), mean, max(cycles), us)


def throughput(
    preset: str | Preset,
    mode: str = "normal",
    payload: int = 1024,
    seed: int = 1,
    *,
    window: int = 0,
    frames: int = FRAMES,
    warm_up: int = WARM_UP,
    budget_cycles: int = BUDGET_CYCLES,
) -> Throughput:
    """At saturation, or with a `window` of frames under way; of `frames` frames, or fewer when `budget_cycles` end."""
    with _boot(preset, mode, seed) as soc:
        before = dict(soc.counters)
        traffic = _Traffic(soc, mode, payload)
        stop = soc.cycles + budget_cycles
        counted = (_window(traffic, window, frames, warm_up, stop) if window else
                   _saturate(traffic, before, frames, warm_up, stop))  # fmt: skip
        traffic.drain()
        if len(counted) < 2:
            raise NsocError(
                f"{soc.preset.name} gave back only {len(traffic.back)} of {len(traffic.sent)} frames of payload "
                f"{payload} in {mode}: too few for a throughput"
            )
        bits = 8 * traffic.frame_bytes * (len(counted) - 1)
        (first, begin), (last, end) = counted[0], counted[-1]
        mbps = bits * 1e6 / (end.end_ps - begin.end_ps)
        lost_counted = last - first - (len(counted) - 1)
        lost = len(traffic.sent) - len(traffic.back)
        drops = _drops(soc, before)
        if unaccounted := lost - sum(drops.values()):
            drops["unaccounted"] = unaccounted
        name = soc.preset.name
        frames_counted, offered = len(counted) - 1, len(traffic.sent)
        return Throughput(name, mode, payload, window, mbps, frames_counted, offered, lost, drops, lost_counted)


def loss_free_burst(
    preset: str | Preset, mode: str = "normal", payload: int = 1024, seed: int = 1, *, most: int = MOST
) -> Burst:
    """The longest burst of at most `most` frames.

    The first frame that is lost gives it away; to make sure, the frames before it are sent on their own, then one more.
    Should that not confirm it, the limit is searched by bisection.
    """
    name = presets.load(preset).name
    lost, keeps_up, cause = _burst(preset, mode, payload, seed, most)
    if lost is None:
        return Burst(name, mode, payload, most, False, keeps_up, "")
    least = lost if lost and _burst(preset, mode, payload, seed, lost)[0] is None else 0
    above = lost + 1 if _burst(preset, mode, payload, seed, lost + 1)[0] is not None else most
    while above - least > 1:
        middle = (least + above) // 2
        if _burst(preset, mode, payload, seed, middle)[0] is None:
            least = middle
        else:
            above = middle
    return Burst(name, mode, payload, least, True, False, cause)


# ---- Traffic ---------------------------------------------------------------------------------------------------------


def _boot(preset: str | Preset, mode: str, seed: int) -> Soc:
    if mode == "normal":
        soc = Soc(preset, seed=seed)
    elif mode in CONTROL:
        soc = Soc(preset, LOOPBACK_FIRMWARE, seed, defines={"MODE": CONTROL[mode]})
    else:
        raise NsocError(f"there is no mode {mode!r}, only normal, {' and '.join(CONTROL)}")
    soc.boot()
    soc.run(us=10)
    return soc


_RAMP = bytes(range(256)) * 8
_NUMBER = slice(HEADER_BYTES, HEADER_BYTES + 4)


class _Traffic:
    """Numbered frames of one length into a SoC, and what comes back of them, looked at byte by byte."""

    def __init__(self, soc: Soc, mode: str, payload: int) -> None:
        self.soc, self.mode, self.payload = soc, mode, payload
        self.frame_bytes = max(payload + HEADER_BYTES, SHORTEST)
        self.sent: list[Sent] = []
        self.back: list[tuple[int, Received]] = []
        """Number and frame, as they came."""
        self.first_lost: int | None = None
        """The first number that did not come back, once something has come back that was sent after it."""

    def frame(self, number: int) -> bytes:
        head = SOC + HOST + b"\x88\xb5" + number.to_bytes(4, "big")
        at = number % 251
        return head + _RAMP[at : at + self.payload - 4]

    def send(self, count: int) -> None:
        for _ in range(count):
            self.sent.append(self.soc.wire.send(self.frame(len(self.sent))))

    def collect(self) -> None:
        for received in self.soc.wire.receive_all():
            self.take(received)

    def take(self, received: Received) -> None:
        number = int.from_bytes(received.data[_NUMBER], "big")
        expected = came_back(self.frame(number), self.mode).ljust(SHORTEST, b"\0")
        if not received.good or received.data != expected or number >= len(self.sent):
            raise NsocError(f"a frame of payload {self.payload} came back changed from {self.soc.preset.name}")
        if self.first_lost is None and number != len(self.back):
            self.first_lost = len(self.back)
        self.back.append((number, received))

    def drain(self) -> None:
        """Until nothing is under way."""
        self.soc.run(us=DRAIN_US, idle_us=QUIET_US)
        self.collect()
        if self.first_lost is None and len(self.back) < len(self.sent):
            self.first_lost = len(self.back)


def _saturate(
    traffic: _Traffic, before: dict[str, int], frames: int, warm_up: int, stop: int
) -> list[tuple[int, Received]]:
    soc = traffic.soc
    while True:
        traffic.send(CHUNK)
        soc.run(sent=CHUNK)
        traffic.collect()
        warm = traffic.sent[warm_up] if len(traffic.sent) > warm_up else None
        warm_ps = warm.end_ps if warm is not None else None
        behind_loss = traffic.back[traffic.first_lost or 0 :]
        counted = [pair for pair in behind_loss if warm_ps is not None and pair[1].end_ps > warm_ps]
        hidden = traffic.first_lost is None and bool(_drops(soc, before))  # nothing has come back behind it yet
        late = soc.cycles > stop and (len(counted) > ENOUGH or soc.cycles > 2 * stop)
        if (len(counted) > frames and not hidden) or late:
            return counted[: frames + 1]


def _window(traffic: _Traffic, window: int, frames: int, warm_up: int, stop: int) -> list[tuple[int, Received]]:
    traffic.send(window)
    while len(traffic.back) <= warm_up + frames and traffic.soc.cycles < stop:
        received = traffic.soc.wire.receive(timeout_us=LOST_US)
        if received is None:
            break
        traffic.take(received)
        traffic.send(1)
    # Where the budget was short, a quarter is warm-up at least.
    return traffic.back[min(warm_up, len(traffic.back) // 4) :]


def _burst(preset: str | Preset, mode: str, payload: int, seed: int, count: int) -> tuple[int | None, bool, str]:
    """The first frame lost of a burst; when none is, whether the SoC keeps up; which counter counted."""
    with _boot(preset, mode, seed) as soc:
        nic.single_frames(soc, mode, payload)  # caches are warm
        before = dict(soc.counters)
        traffic = _Traffic(soc, mode, payload)
        while len(traffic.sent) < count and traffic.first_lost is None:
            traffic.send(min(CHUNK, count - len(traffic.sent)))
            soc.run(sent=CHUNK // 2 if len(traffic.sent) < count else 0)
            traffic.collect()
        traffic.drain()
        if traffic.first_lost is not None:
            return traffic.first_lost, False, ", ".join(_drops(soc, before))
        return None, not _piles_up(_latencies(traffic)), ""


def _latencies(traffic: _Traffic) -> list[int]:
    """From the first byte in to the last one out, by frame; ps."""
    return [received.end_ps - (traffic.sent[number].start_ps or 0) for number, received in traffic.back]


def _piles_up(latencies: Sequence[int]) -> bool:
    half = len(latencies) // 2
    return half == 0 or max(latencies[half:]) > max(latencies[:half]) + PILE_UP_PS


def _drops(soc: Soc, before: dict[str, int]) -> dict[str, int]:
    drops = {
        name: count - before[name] for name, count in soc.counters.items() if "_drop_" in name and count > before[name]
    }
    return drops
