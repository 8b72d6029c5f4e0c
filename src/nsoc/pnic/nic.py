# SPDX-License-Identifier: Apache-2.0
"""Runs the whole programmable NIC between a host and a line (sim/pnic/pnic.cpp): frames both ways at once."""

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from nsoc.bench.program import program, rtl
from nsoc.errors import NsocError
from nsoc.machine import fates
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset, check_firmware
from nsoc.pnic import firmware
from nsoc.pnic.firmware import Order
from nsoc.pnic.trace import Trace

TOP = "pnic_top"
FS_PER_US = 10**9
LINE_MBPS = 10_000
AROUND_FRAME = 20
"""Preamble and gap, bytes."""
ROW_BYTES = BEAT_BYTES = 16
"""Of the instruction memory, and of the frame memory."""
SLOT_BYTES, LARGE_SLOT_BYTES = 2048, 16384
"""Of a frame's buffer in the frame memory, and at the host; the larger one where frames need it."""
LENGTHS = (64, 9600)
"""Of a frame with FCS, the least and the most."""
MASTERS = ("cores", "dma_read", "dma_write", "mac_send", "mac_receive", "host")
CLIENTS = ("dma_read", "dma_write", "mac_send", "mac_receive", "cores")
SHOWN = (
    "frames", "bad", "too_long", "no_buffer", "no_entry", "off", "progress", "receive_beyond", "read_length",
    "read_refused", "read_beyond", "write_length", "write_beyond", "send_length", "send_beyond",
    "mac_missed", "mac_rx_good", "mac_tx_sent", "mailbox_beyond",
)  # fmt: skip
"""Counters of the assists, and some of the MAC, in the order of firmware/pnic/lib/run.h."""
ROUND = {"round": "dispatch", "idle": "idle"}
"""Functions of a program whose loop tells rounds that found work from idle ones."""
DESCRIPTORS = ("tx_bd", "rx_bd", "read_ring", "write_ring", "send_ring", "receive_ring", "done")
"""Arrays of firmware/pnic/lib/run.h with what is known of frames."""
OPCODE = 0x7F
ACCESSES = (0x03, 0x23, 0x2F, 0x0B)
"""Opcodes of loads, stores, AMO and LR/SC, set and update."""
MAC = tuple(fate.name for fate in (*fates.MAC_RX, *fates.MAC_TX_LINE, *fates.MAC_TX_ADMIT))


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What is run."""

    program: str = "lean"
    order: Order = Order.SET_UPDATE
    cores: int = 6
    banks: int = 4
    core_mhz: float = 166
    fm_mhz: float = 500
    """Of the frame memory: two 64-bit words a cycle."""
    host_mhz: float = 250
    """Of the host's bus: 128 bits a cycle each way."""
    latency_ns: int = 1000
    """Of a read of the host's memory; 0: the host is ideal, as published."""
    jitter_ns: int = 0
    host_mbps: int = 0
    """Of the host's bus, each way; 0: what the bus has."""
    pieces: int = 1
    """Descriptors of a frame to be sent."""


def setup_of(preset: Preset) -> Setup:
    """What a preset says. Raises NsocError for one that is no pnic_node."""
    if preset.top != "pnic_node":
        raise NsocError(f"the preset {preset.name} is no programmable NIC: its top is {preset.top}, not pnic_node")
    check_firmware(preset, firmware.source_of)
    return Setup(
        program=preset.firmware, order=Order.of(preset.order), cores=preset.cores, banks=preset.banks,
        core_mhz=preset.cpu_mhz, fm_mhz=preset.frame_memory_mhz, host_mhz=preset.host_mhz,
        latency_ns=preset.host_latency_ns, jitter_ns=preset.host_jitter_ns, host_mbps=preset.host_mbps,
        pieces=preset.pieces,
    )  # fmt: skip


@dataclass(frozen=True)
class Spent:
    """Of cores, while they run some code."""

    instructions: int = 0
    accesses: int = 0
    """Loads, stores and atomics: each one transaction of a bank, or at the far port."""
    cycles: int = 0
    fetch: int = 0
    """Cycles in which nothing retired, for want of instructions; of a load's answer; of a bank that had another access;
    for everything else: wrong branches, multiplication, fences."""
    load: int = 0
    conflict: int = 0
    pipeline: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(*(mine + more for mine, more in zip(astuple(self), astuple(other), strict=True)))

    def half(self) -> "Spent":
        """Of two users' sum, rounded down."""
        return Spent(*(value // 2 for value in astuple(self)))


class Places(NamedTuple):
    """Where the host has its rings: addresses of its memory."""

    tx_ring: int
    tx_done: int
    rx_done: int
    tx_buffers: int
    rx_buffers: int
    rx_ring: int


@dataclass(frozen=True)
class Found:
    """What a run has found. Counts are those in the window where nothing else is said."""

    setup: Setup
    bytes: int
    """Of a frame, with FCS."""
    window_us: float
    sent: float
    """Frames, as `received`: one that the line had in part of the window counts by that part."""
    received: float
    """Those that came in the window and were delivered, then or behind it."""
    core_cycles: int
    interrupts: int
    words: dict[str, int]
    """Of the scratchpad that moved, by MASTERS."""
    beats: dict[str, int]
    """Of the frame memory, BEAT_BYTES each, by CLIENTS."""
    retired: int
    """Instructions of all cores."""
    rows: int
    """Of the instruction memory that were read, ROW_BYTES each."""
    mac: dict[str, int]
    """Ends of frames at the MAC since the beginning."""
    shown: dict[str, int]
    """Since the beginning: counters of the assists."""
    given: int
    """Since the beginning: frames that the host has given; that were on the line; offered by the line; delivered."""
    total_sent: int
    offered: int
    delivered: int
    profile: dict[str, "Spent"]
    """Of all cores by function, in rounds of the firmware's loop that found work; empty where nobody asked."""
    idle: "Spent"
    """In rounds that found none."""
    trapped: tuple[int, ...]
    """Core, instruction and mcause of the last one that has; empty where none has."""
    trace: Trace
    """Of the window's first microseconds; empty where nobody asked."""
    places: Places
    simulated: tuple[int, ...] = ()
    """Since the beginning: cycles of the cores, evaluations of the model, edges of all clocks."""

    @property
    def frames_per_s(self) -> float:
        """Both directions together."""
        return (self.sent + self.received) / self.window_us * 1e6

    @property
    def line_share(self) -> float:
        """Of what both directions of the line could carry."""
        return self.frames_per_s / (2 * line_frames_per_s(self.bytes))

    @property
    def unaccounted(self) -> int:
        """Frames that came on the line and are neither delivered nor in a counter."""
        dropped = sum(self.mac[fate.name] for fate in fates.MAC_RX if fate.loss)
        dropped += sum(self.shown[name] for name in ("bad", "too_long", "no_buffer", "no_entry", "off"))
        return abs(self.offered - self.delivered - dropped)


def line_frames_per_s(bytes_: int) -> float:
    """Frames of that length, with FCS, in one direction."""
    return LINE_MBPS * 1e6 / 8 / (bytes_ + AROUND_FRAME)


def run(
    setup: Setup,
    bytes_: int,
    *,
    send: int = 100,
    receive: int = 100,
    warm_us: int = 40,
    window_us: int = 100,
    frames: int = 0,
    seed: int = 1,
    profile: bool = False,
    trace_us: int = 0,
    trouble: Mapping[str, int] | None = None,
    defines: Mapping[str, int] | None = None,
) -> Found:
    """Frames of `bytes_` with FCS in both directions, each at a share of the line in percent; with `frames` until so
    many have come each way. `trouble`: what the host does wrong, options of sim/pnic/pnic.cpp. Raises NsocError when a
    frame was wrong, out of order, lost uncounted, or nothing moves."""
    least, most = LENGTHS
    if not least <= bytes_ <= most:
        raise NsocError(f"a frame has {least} to {most} bytes with its FCS, not {bytes_}")
    for what, percent in (("sent", send), ("received", receive)):
        if not 0 <= percent <= 100:
            raise NsocError(f"of the line 0 to 100 percent can be {what}, not {percent}")
    elf = firmware_of(setup, bytes_, defines)
    symbols = firmware.symbols(elf)
    options: dict[str, object] = options_of(setup, elf, bytes_, seed)
    options |= {"send": send, "receive": receive, "warm_us": warm_us, "window_us": window_us, "frames": frames}
    options |= trouble or {}
    with tempfile.TemporaryDirectory() as folder:
        counted, traced = Path(folder) / "profile", Path(folder) / "trace"
        if trace_us:
            options |= {"trace": traced, "trace_us": trace_us}
        if profile:
            options["profile"] = counted
            options |= {key: symbols[name] for key, name in ROUND.items() if name in symbols}
        done = subprocess.run(
            command_of(setup, elf, Path(folder), options), capture_output=True, text=True, check=False
        )
        trace = _trace(traced, elf) if traced.exists() else Trace()
        spent, idle = _by_function(elf, counted) if counted.exists() else ({}, Spent())
    if done.returncode != 0:
        raise NsocError(f"{setup.program}: {done.stderr.strip() or f'the simulator ended with {done.returncode}'}")
    lines = {what: numbers for what, *numbers in map(str.split, done.stdout.splitlines())}
    sent, received = map(float, lines["window"][:2])
    told = {what: list(map(int, numbers)) for what, numbers in lines.items() if what != "window"}
    core_cycles, interrupts = map(int, lines["window"][2:])
    given, total_sent, offered, delivered = told["total"]
    found = Found(
        setup=setup, bytes=bytes_, window_us=window_us, sent=sent, received=received, core_cycles=core_cycles,
        interrupts=interrupts, words=dict(zip(MASTERS, told["words"], strict=True)),
        beats=dict(zip(CLIENTS, told["beats"], strict=True)), retired=told["retired"][0], rows=told["retired"][1],
        mac=dict(zip(MAC, told["mac"], strict=False)), shown=dict(zip(SHOWN, told["shown"], strict=False)),
        given=given, total_sent=total_sent, offered=offered, delivered=delivered, profile=spent, idle=idle,
        trapped=tuple(told.get("trapped", ())), trace=trace, places=Places(*told["places"]),
        simulated=tuple(told["simulated"]),
    )  # fmt: skip
    if found.unaccounted:
        raise NsocError(f"{setup.program}: {found.unaccounted} received frames are lost and in no counter")
    left = abs(found.shown["progress"] - found.delivered)
    if left:
        raise NsocError(f"{setup.program}: {left} buffers of the host are neither free nor given back")
    return found


def slot_bytes(bytes_: int) -> int:
    """Of a frame's buffer, for frames of up to so many bytes."""
    return SLOT_BYTES if bytes_ <= SLOT_BYTES else LARGE_SLOT_BYTES


def defines_of(setup: Setup, bytes_: int, defines: Mapping[str, int] | None = None) -> dict[str, int]:
    """What the program of that system is told."""
    return {"SLOT_BYTES": slot_bytes(bytes_), "ORDER_KIND": setup.order, "PIECES": setup.pieces, **(defines or {})}


def firmware_of(setup: Setup, bytes_: int, defines: Mapping[str, int] | None = None) -> Path:
    """The program of that system, for frames of up to so many bytes. Raises NsocError for one that moves no frames."""
    elf = firmware.build(setup.program, defines_of(setup, bytes_, defines))
    if "mailbox" not in firmware.symbols(elf):
        raise NsocError(f"the program {setup.program} moves no frames: it has no mailbox for a host")
    return elf


def options_of(setup: Setup, elf: Path, bytes_: int, seed: int) -> dict[str, object]:
    """What sim/pnic/pnic.cpp is told of the system."""
    symbols = firmware.symbols(elf)
    return {
        "cores": setup.cores, "mailbox": pad_address(symbols["mailbox"]), "shown": pad_address(symbols["shown"]),
        "pieces": setup.pieces, "core_fs": round(FS_PER_US / setup.core_mhz), "mac_fs": 6_400_000,
        "fm_fs": round(FS_PER_US / setup.fm_mhz), "host_fs": round(FS_PER_US / setup.host_mhz),
        "latency_ns": setup.latency_ns, "jitter_ns": setup.jitter_ns, "mbps": setup.host_mbps, "bytes": bytes_,
        "slot": slot_bytes(bytes_), "seed": seed,
    }  # fmt: skip


def command_of(setup: Setup, elf: Path, folder: Path, options: Mapping[str, object]) -> list[str]:
    """The simulator as it is called; what it loads is put into `folder`."""
    image = folder / "image"
    image.write_text("".join(f"{at:x} {word:x}\n" for at, word in sorted(firmware.words(elf).items())))
    return [str(simulator(setup)), f"image={image}", *(f"{key}={value}" for key, value in options.items())]


def pad_address(address: int) -> int:
    """Of a variable in the scratchpad, as the host's port has it."""
    return address & 0x3FFFF


def _trace(file: Path, elf: Path) -> Trace:
    symbols = firmware.symbols(elf)
    round_at, idle_at = (symbols.get(name, 0) for name in ROUND.values())
    variables = firmware.variables(elf)
    about = tuple(variables[name] for name in DESCRIPTORS if name in variables)
    words_ = tuple(range(pad_address(place.start) // 4, pad_address(place.stop - 1) // 4 + 1) for place in about)
    return replace(Trace.read(file), round_at=round_at, idle_at=idle_at, descriptors=words_)


def _by_function(elf: Path, counted: Path) -> tuple[dict[str, Spent], Spent]:
    """Of the lines that the simulator has written: by function in rounds with work, and in idle ones."""
    starts = sorted((at, name) for name, at in firmware.symbols(elf, functions=True).items())
    code = firmware.words(elf)
    found: dict[str, Spent] = {}
    idle = Spent()
    for line in counted.read_text(encoding="ascii").splitlines():
        pc, in_idle, instructions, *cycles = map(int, line.split())
        accesses = instructions if code[pc] & OPCODE in ACCESSES else 0
        spent = Spent(instructions, accesses, *cycles)
        if in_idle:
            idle += spent
            continue
        name = next((name for at, name in reversed(starts) if at <= pc), "start")
        found[name] = found.get(name, Spent()) + spent
    return found, idle


def simulator(setup: Setup) -> Path:
    """Its program, built when it is not there."""
    harness = checkout() / "sim" / "pnic"
    parameters = {"CORES": setup.cores, "BANKS": setup.banks}
    models = [checkout() / "models" / "gddr_model.sv", harness / "pnic_debug_port.sv", harness / "pnic_top.sv"]
    sources = rtl("common", "cpu/core", "cpu/rv", "pnic", "mac/**")
    sources += [checkout() / "rtl" / "soc" / "pnic_node.sv", *models]
    what = f"a programmable NIC of {setup.cores} cores"
    return program(harness / "pnic.cpp", TOP, sources, parameters, what, "pnic-rice")
