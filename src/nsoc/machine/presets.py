# SPDX-License-Identifier: Apache-2.0
"""Presets: the systems this platform can be, one TOML file each.

A preset says what the RTL is built with, how fast its clocks run and which firmware it boots by default. The simulator
is built for the RTL's part only, so presets that differ in clocks share one build.

A file may begin where another preset ends: `base = "toe"` takes that preset's fields, `base = "mine.toml"` those of a
file beside it, and the file's own fields go before these. Sizes may be texts: `"8K"`, `"1M"`.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import memory_map

PRESET_FOLDER = Path(__file__).parents[1] / "presets"
DEFAULT = "nic12-fast"

MOST_CORES = 4
"""Of an SoC."""
GMII_MBPS = 1000
"""The fastest line of a GMII."""
XGMII_BITS = {10_000: 64, 25_000: 128, 50_000: 256, 100_000: 512}
"""Bits that a lat_node's XGMII carries each cycle unless the preset says other ones, by line_mbps."""
XGMII_RATES = ", ".join(f"{mbps / 1000:g}" for mbps in XGMII_BITS)
"""In Gb/s."""

Mhz = Annotated[float, Meta(ge=10, le=1000)]
Ppm = Annotated[float, Meta(ge=-500, le=500)]
FifoBytes = Annotated[int, Meta(ge=2048, le=1 << 20)]
CacheBytes = Annotated[int, Meta(ge=1024, le=65536)]

RTL_PARAMETERS = {
    "CORE": "core",
    "CORES": "cores",
    "UNIT": "unit",
    "ICACHE_BYTES": "icache_bytes",
    "DCACHE_BYTES": "dcache_bytes",
    "RX_FIFO_BYTES": "rx_fifo_bytes",
    "TX_FIFO_BYTES": "tx_fifo_bytes",
    "MAX_FRAME_BYTES": "max_frame_bytes",
    "LOCAL_MEM_BYTES": "local_memory_bytes",
    "UART_DIVISOR": "uart_divisor",
    "QUEUES_IN_MEMORY": "queues_in_memory",
    "L2_BYTES": "l2_bytes",
    "DRAM_CLK_PS": "dram_clk_ps",
    "ONE_CLOCK": "one_clock",
    "DMA": "dma",
    "OFFLOADS": "offloads",
    "CONNECTIONS": "connections",
    "NIC_HZ": "nic_hz",
}
"""Parameters of sim/sim_top.sv and the field or property of a preset that sets each."""

DRAM_PACKET_BASE = memory_map.DRAM_BASE + memory_map.DRAM_BYTES // 2
"""Where packet buffers begin when they are in DRAM; firmware's own data and stack are in its first megabyte."""

TOPS = {
    "nsoc": "an SoC",
    "mac_example": "the MAC alone",
    "lat_node": "two TCP engines door to door",
    "pnic_node": "a programmable NIC",
}
"""What a preset is, by its `top`."""

_FIELDS_OF = {
    "mac_example": ("description", "top", "nic_mhz", "rx_fifo_bytes", "tx_fifo_bytes"),
    "lat_node": ("description", "top", "nic_mhz", "line_mbps", "one_clock", "connections", "width", "xgmii_bits",
                 "cable_cycles"),
    "pnic_node": ("description", "top", "cores", "banks", "cpu_mhz", "order", "frame_memory_mhz", "line_mbps",
                  "host_mhz", "host_latency_ns", "host_jitter_ns", "host_mbps", "pieces", "firmware"),
}  # fmt: skip
"""Fields that say something about a preset without processor."""
_NOT_OF_AN_SOC = (
    "width", "xgmii_bits", "cable_cycles", "banks", "order", "frame_memory_mhz", "host_mhz", "host_latency_ns",
    "host_jitter_ns", "host_mbps", "pieces",
)  # fmt: skip

POWERS_OF_TWO = (
    "icache_bytes", "dcache_bytes", "rx_fifo_bytes", "tx_fifo_bytes", "local_memory_bytes", "l2_bytes",
    "connections",
)  # fmt: skip


class _Mistake(NsocError):
    """A field of a preset is wrong, or two do not go together."""

    def __init__(self, name: object, what: str) -> None:
        super().__init__(f"the preset {name} is wrong: {what}")
        self.what = what


class Preset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One system. Sizes in bytes, frequencies in MHz."""

    name: str
    """What commands, tables and records call it. A file that does not say it has its own name without `.toml`."""
    description: str
    """What it is, in a line. A file with a base may leave it out: then it says what differs from the base."""
    top: Literal["nsoc", "mac_example", "lat_node", "pnic_node"] = "nsoc"
    """Module of rtl/soc: nsoc is the SoC; mac_example is the MAC alone and lat_node a TCP engine with its MAC, both
    without processor and memory; pnic_node is a programmable NIC of small cores with memories of their own."""
    core: Literal["rv32", "sparc"] = "rv32"
    """What is in an SoC's processor slots: rv32 is RV32IMA_Zba_Zbb, sparc the integer unit of SPARC V8, which knows no
    unit = "dca"."""
    cores: Annotated[int, Meta(ge=1, le=8)] = 1
    """Processor slots of an SoC, 4 at most, or small cores of a pnic_node, 8 at most. An SoC's all begin at the boot
    address; firmware's start-up code parks all but the first."""
    unit: Literal["none", "dca"] = "none"
    """What is attached for the first core's coprocessor instructions. dca: direct cache access to a TCP/IP engine."""
    icache_bytes: CacheBytes = 8192
    """Instruction cache of each core, direct mapped; it is not told of what others write."""
    dcache_bytes: CacheBytes = 8192
    """Data cache of each core, direct mapped, write-through."""
    cpu_mhz: Mhz = 80.0
    """Clock of processor, memories and peripherals; of a pnic_node, that of cores, scratchpad and assists."""
    nic_mhz: Mhz = 125.0
    """Clock of the NIC and the MAC's user side, or of a lat_node's engine; the Ethernet line has clocks of its own."""
    one_clock: bool = False
    """Processor and NIC share one clock net, and nothing lies between them; cpu_mhz and nic_mhz must be the same. Of a
    lat_node: engine and MAC do."""
    dram_mhz: Annotated[float, Meta(ge=100, le=200)] = 200.0
    """Clock of the DRAM's controller, a quarter of the memory clock: 200 is DDR3-1600, 100 DDR3-800. The memory's times
    stay what they are in ns; in cycles they are rounded up."""
    line_mbps: Literal[10, 100, 1000, 10_000, 25_000, 50_000, 100_000] = 1000
    """Speed of the Ethernet line. 1000 and less: GMII at 125 MHz, or MII at 25 or 2.5 MHz; firmware is compiled to
    match. Of a lat_node 10000: XGMII of 64 bits at 156.25 MHz; 25000, 50000 and 100000: at 195.3125 MHz, with 128, 256
    and 512 bits. Of a pnic_node 10000."""
    cpu_ppm: Ppm = 0.0
    """How far cpu_mhz is off. Ethernet allows 100 either way at its line."""
    nic_ppm: Ppm = 0.0
    """How far nic_mhz is off."""
    dram_ppm: Ppm = 0.0
    """How far dram_mhz is off."""
    rx_ppm: Ppm = 0.0
    """How far the clock of the line's far end is off: of the frames that come in."""
    tx_ppm: Ppm = 0.0
    """How far the clock of the line's near end is off: of the frames that go out."""
    rx_fifo_bytes: FifoBytes = 16384
    """Store-and-forward FIFO of the MAC, wire to NIC."""
    tx_fifo_bytes: FifoBytes = 16384
    """Store-and-forward FIFO of the MAC, NIC to wire."""
    max_frame_bytes: Annotated[int, Meta(ge=64, le=2034)] = 1522
    """Longest frame with FCS, received or sent: what the NIC's register max_frame is behind a reset. 1522 is a frame
    with one tag, 2000 an envelope frame (802.3as)."""
    local_memory_bytes: Annotated[int, Meta(ge=131072, le=1 << 24)] = 262144
    """Fast local packet memory; 64 buffers of 2 KB must fit."""
    queues: Literal["nic", "memory"] = "nic"
    """Where the queues of buffer pointers are: in the NIC (NIC_1.2), or three rings beside the packets (NIC_1.1)."""
    packets: Literal["local", "dram"] = "local"
    """Where the packet buffers are: in the fast local memory, or in DRAM, which the processor caches."""
    l2_bytes: Annotated[int, Meta(ge=0, le=1 << 20)] = 0
    """Cache between DRAM and who shares it, processor and NIC; 0: there is none."""
    dma: bool = False
    """There is a copy engine; firmware copies by it (firmware/lib/copy.h), else by the processor."""
    offloads: bool = False
    """The NIC looks at IPv4, TCP and UDP sums, puts them in, and leaves sent buffers to firmware that asks for it."""
    connections: Annotated[int, Meta(ge=0, le=1024)] = 0
    """Connections of the TCP/IP engine between MAC and NIC, a power of two from 4 on; 0: there is no engine."""
    width: Literal[64, 128, 256, 512] = 64
    """Width of the application's streams at a lat_node; where its XGMII has more than 64, of the fast paths too."""
    xgmii_bits: Literal[0, 64, 128, 256, 512] = 0
    """Width of a lat_node's XGMII; more bits are a slower clock. 0: the width that line_mbps has by itself."""
    cable_cycles: Annotated[int, Meta(ge=0, le=1000)] = 0
    """Length of the cable between two lat_node, each way, in cycles of the MAC's clock."""
    banks: Annotated[int, Meta(ge=1, le=8)] = 4
    """Banks of a pnic_node's scratchpad."""
    order: Literal["lock", "amo", "set-update"] = "set-update"
    """How firmware of a pnic_node puts frames back in order: under a lock, by atomic operations, or by set and update
    instructions."""
    frame_memory_mhz: Annotated[float, Meta(ge=100, le=1000)] = 500.0
    """Clock of a pnic_node's frame memory, which carries 128 bits a cycle."""
    host_mhz: Annotated[float, Meta(ge=100, le=1000)] = 250.0
    """Clock of a pnic_node's bus to the host, which carries 128 bits a cycle each way."""
    host_latency_ns: Annotated[int, Meta(ge=0, le=100_000)] = 0
    """How long a pnic_node's read of the host's memory takes; 0: the host is ideal, as published."""
    host_jitter_ns: Annotated[int, Meta(ge=0, le=100_000)] = 0
    """How much longer such a read may take; answers then come in any order."""
    host_mbps: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    """Speed of the host's bus each way; 0: what host_mhz allows."""
    pieces: Annotated[int, Meta(ge=1, le=2)] = 2
    """Buffer descriptors of a frame that a pnic_node sends: 2 are headers and the rest, 1 is all."""
    uart_divisor: Annotated[int, Meta(ge=4, le=65535)] = 8
    """Length of a bit of the UART. A board's 115200 baud would make printing the slowest thing in every simulation."""
    firmware: str = "forward"
    """What it boots unless told otherwise: an application of firmware/apps, of a pnic_node one of firmware/pnic/apps,
    or the path of an ELF or C file."""

    def __post_init__(self) -> None:
        values = ((name, getattr(self, name)) for name in TYPES)
        wrong = filter(None, (_wrong_value(name, value, value) for name, value in values))
        if what := next(wrong, "") or _contradiction(self):
            raise _Mistake(self.name, what)

    @property
    def queues_in_memory(self) -> bool:
        """It is a NIC_1.1."""
        return self.queues == "memory"

    @property
    def has_processor(self) -> bool:
        """Whether it boots a firmware."""
        return self.top == "nsoc"

    @property
    def bench(self) -> str:
        """The command that measures a preset without processor."""
        kinds = {"lat_node": f"latency {self.name}", "pnic_node": f"pnic {self.name}"}
        return f"nsoc bench {kinds.get(self.top, self.name)}"

    def says(self, field: str) -> bool:
        """Whether that field says something about it."""
        return says(self.top, field)

    def rtl_parameters(self) -> dict[str, int | str]:
        """What the RTL is built with."""
        if self.top == "pnic_node":
            return {"CORES": self.cores, "BANKS": self.banks}
        values = {parameter: getattr(self, field) for parameter, field in RTL_PARAMETERS.items()}
        return {parameter: value if isinstance(value, str) else int(value) for parameter, value in values.items()}

    @property
    def network_firmware(self) -> str:
        """What it runs as a host on the network."""
        return "toe_net" if self.connections else "net"

    @property
    def nic_hz(self) -> int:
        """What the TCP/IP engine makes its microseconds of; without one, the same for all."""
        return round(self.nic_mhz * 1e6) if self.connections else 125_000_000

    @property
    def gmii_mhz(self) -> float:
        """Frequency of the clocks at the MAC's line side: a byte each at 1 Gb/s, a nibble each below."""
        return self.line_mbps / (4 if self.mii else 8)

    @property
    def xgmii_mhz(self) -> float:
        """Frequency of a lat_node's XGMII."""
        return self.line_mbps / self.line_bits

    @property
    def line_bits(self) -> int:
        """Of a lat_node's XGMII."""
        return self.xgmii_bits or XGMII_BITS[self.line_mbps]

    @property
    def engine_bits(self) -> int:
        """Of the words of a lat_node's fast paths."""
        return 64 if self.line_bits == 64 else self.width

    @property
    def dram_clk_ps(self) -> int:
        """Period of the DRAM controller's clock."""
        return round(1e6 / self.dram_mhz)

    @property
    def mii(self) -> bool:
        """The line side carries nibbles."""
        return self.line_mbps < 1000

    def firmware_defines(self) -> dict[str, int | str]:
        """What firmware must be told about this system, as preprocessor symbols."""
        defines: dict[str, int | str] = {
            "CPU_MHZ": f"{round(self.cpu_mhz)}u",
            "ICACHE_BYTES": f"{self.icache_bytes}u",
            "DCACHE_BYTES": f"{self.dcache_bytes}u",
            "NIC_MII": int(self.mii),
            "NIC_QUEUES_IN_MEMORY": int(self.queues_in_memory),
            "NSOC_HAS_DCA": int(self.unit == "dca"),
            "NSOC_HAS_DMA": int(self.dma),
            "NSOC_HAS_OFFLOADS": int(self.offloads),
            "NSOC_CONNECTIONS": f"{self.connections}u",
            "NSOC_CORES": f"{self.cores}u",
            "NSOC_LOCAL_MEMORY_BYTES": f"{self.local_memory_bytes}u",
        }
        if self.packets == "dram":
            defines["NIC_PACKET_BASE"] = f"{DRAM_PACKET_BASE:#x}u"
        return defines

    def with_(self, **fields: Any) -> "Preset":
        """A copy with some fields changed and checked again: `preset.with_(cpu_mhz=200)`."""
        return changed(self, fields)


TYPES = {field.name: field.type for field in msgspec.structs.fields(Preset)}
"""Of each field."""
_UNITS = {
    "mhz": "MHz",
    "mbps": "Mb/s",
    "ppm": "parts in a million",
    "bytes": "bytes",
    "bits": "bits",
    "width": "bits",
    "ns": "ns",
    "cycles": "cycles",
    "divisor": "processor clocks",
}
"""Of a field, by the last word of its name."""
SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
"""What a letter behind a size multiplies."""
_SIZE = re.compile("([0-9]{1,12})([KMGkmg])")
BYTES = "_bytes"
"""The names of sizes end so."""
BASE = "base"
"""What a file says before its fields: the preset that it begins with."""
_LONG = 60
"""Characters of a wrong value that a sentence shows."""


def start_lanes(line_bits: int) -> int:
    """On how many lanes a frame of an XGMII of more than 64 bits may begin: START_LANES of mac_xgmii_wide."""
    return 4 if line_bits == 128 else 8


def changed(preset: Preset, fields: Mapping[str, Any], said: Mapping[str, str] | None = None) -> Preset:
    """A copy of `preset` with these fields changed and checked again.

    `said` is how the user has asked for a change, by field: `--core-mhz 5`. A sentence on a mistake blames that, or
    without it `nic_mhz=5`. Raises NsocError for what cannot be.
    """
    words = (said or {}).get
    asked = [words(name) or f"{name}={_shown(value)}" for name, value in fields.items() if name != "name"]
    return _checked({**msgspec.to_builtins(preset), **fields}, f"{' '.join(asked)} for the preset {preset.name}")


def names() -> list[str]:
    """The presets that come with the package, sorted."""
    return sorted(path.stem for path in PRESET_FOLDER.glob("*.toml"))


@public
def load(preset: "str | os.PathLike[str] | Preset" = DEFAULT) -> Preset:
    """The preset of that name, or from that TOML file. Raises NsocError when there is none or it is wrong."""
    if isinstance(preset, Preset):
        return preset
    text = os.fspath(preset)
    path = _file(text, Path())
    if path is None:
        raise NsocError(f"there is no preset {text!r}, {_known(text)}")
    return _read(path)


def _file(text: str, folder: Path) -> Path | None:
    """Where the preset of that name or path stands, a path being of `folder`; None when nothing is called so."""
    if text.endswith(".toml") or os.sep in text:
        return folder / text
    return PRESET_FOLDER / f"{text}.toml" if text in names() else None


def _known(name: str) -> str:
    close = difflib.get_close_matches(name, names(), n=1, cutoff=0.3)
    return f"only {', '.join(names())}" + (f"; did you mean {close[0]}?" if close else "")


@public
def load_soc(preset: "str | os.PathLike[str] | Preset" = DEFAULT) -> Preset:
    """As load(), for what boots a firmware. Raises NsocError for a preset without processor, or whose firmware is not
    there."""
    loaded = load(preset)
    if not loaded.has_processor:
        lacks = "is no SoC" if loaded.top == "pnic_node" else "has no processor"
        raise NsocError(f"the preset {loaded.name} {lacks}; what it can do is `{loaded.bench}`")
    from nsoc.machine import firmware  # which imports this module

    check_firmware(loaded, lambda name: firmware.check_for(loaded, name))
    return loaded


def check_firmware(preset: Preset, look: Callable[[str], object]) -> None:
    """Raises NsocError, which names the preset, when `look` raises one for the preset's firmware."""
    try:
        look(preset.firmware)
    except NsocError as problem:
        raise NsocError(f"the firmware of the preset {preset.name} is wrong: {problem}") from None


def all_presets() -> list[Preset]:
    """Every preset that comes with the package."""
    return [load(name) for name in names()]


def _read(path: Path, above: tuple[Path, ...] = ()) -> Preset:
    """`above`: the files of which this one is the base, the first that was asked for at first."""
    what = f"the preset {path}"
    if path.resolve() in (one.resolve() for one in above):
        way = " -> ".join(str(one) for one in (*above, path))
        raise NsocError(f"the preset {above[0]} is wrong: base goes in a circle, {way}; take base out of one of these")
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        wants = f", the base of {above[-1]}" if above else ""
        raise NsocError(f"cannot read the preset {path}{wants}: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise NsocError(f"the preset {path} is not valid TOML: {problem}") from None
    named = {"name": path.stem, **fields}
    if BASE not in fields:
        return _checked(named, what)
    wanted = named.pop(BASE)
    if not isinstance(wanted, str):
        raise NsocError(
            f"{what} is wrong: base must be the name of a preset or the path of a TOML file, not {_shown(wanted)}"
        )
    found = _file(wanted, path.parent)
    if found is None:
        raise NsocError(f"{what} is wrong: there is no preset {wanted!r} for its base, {_known(wanted)}")
    base = _read(found, (*above, path))
    differs = ", ".join(f"{name} = {_shown(value)}" for name, value in fields.items() if name not in (BASE, "name"))
    described = {"description": f"{base.name} with {differs}" if differs else f"as {base.name}"}
    return _checked({**msgspec.to_builtins(base), **described, **named}, what)


def says(top: str, field: str) -> bool:
    """Whether that field says something about presets of that `top`."""
    fields = _FIELDS_OF.get(top)
    return field == "name" or (field not in _NOT_OF_AN_SOC if fields is None else field in fields)


def unit(field: str) -> str:
    """Of a field's values; empty when it has none."""
    return _UNITS.get(field.rpartition("_")[2], "")


def bounds(field: str) -> tuple[float, float | None]:
    """Least and most of a number; the most is None for what is none."""
    kind = TYPES[field]
    metas = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    return (metas[0].ge, metas[0].le) if metas else (0, None)


def kind_of(field: str) -> str:
    """What a field takes, in words: its choices, or its range."""
    kind = TYPES[field]
    if get_origin(kind) is Literal:
        *others, last = map(str, get_args(kind))
        return f"{', '.join(others)} or {last}" if others else last
    if kind in (bool, str):
        return "true or false" if kind is bool else "a text"
    least, most = bounds(field)
    return f"{'a whole number' if get_args(kind)[0] is int else 'a number'} from {least} to {most}"


def _wanted(field: str) -> str:
    """What a field takes, with its unit, in a sentence."""
    return f"{kind_of(field)} {unit(field)}".rstrip()


def _size(text: str) -> int | None:
    """The bytes that `8K` says; None when it is no size."""
    found = _SIZE.fullmatch(text)
    return int(found[1]) * SIZES[found[2].upper()] if found else None


def _shown(value: object) -> str:
    """A value as a TOML file has it, unless it is long."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{text[:_LONG]}..." if len(text) > _LONG else text


def _wrong_value(name: str, value: Any, said: Any) -> str:
    """What is wrong with a field's value, for which the user has `said`; empty when nothing is."""
    try:
        msgspec.convert(value, TYPES[name])
    except msgspec.ValidationError:
        shown = repr(_shown(said)) if isinstance(said, str) else _shown(said)
        or_size = ' or a size as "8K"' if name.endswith(BYTES) and isinstance(said, str) else ""
        return f"{name} must be {_wanted(name)}{or_size}, not {shown}"
    return ""


def _checked(given: Mapping[str, Any], what: str) -> Preset:
    fields = dict(given)
    for name, value in given.items():
        if name not in TYPES:
            close = difflib.get_close_matches(name, TYPES, n=1, cutoff=0.3)
            hint = f"did you mean {close[0]}?" if close else f"only {', '.join(TYPES)}"
            raise NsocError(f"{what} is wrong: there is no field {name!r}, {hint}")
        if name.endswith(BYTES) and isinstance(value, str) and (size := _size(value)) is not None:
            fields[name] = size
        if wrong := _wrong_value(name, fields[name], value):
            raise NsocError(f"{what} is wrong: {wrong}")
    if "description" not in fields:
        raise NsocError(f"{what} is wrong: it needs a description, a line of text")
    try:
        return msgspec.convert(fields, Preset)
    except _Mistake as mistake:
        raise NsocError(f"{what} is wrong: {mistake.what}") from None


def _contradiction(preset: Preset) -> str:
    """Which fields do not go together, in words; empty when all do."""
    for field in POWERS_OF_TWO:
        value = getattr(preset, field)
        if value & (value - 1):
            return f"{field} must be a power of two, not {value}"
    if 0 < preset.connections < 4:
        return f"connections must be 0 or at least 4, not {preset.connections}"
    if preset.unit == "dca" and not preset.connections:
        return 'unit = "dca" reaches the TCP/IP engine: connections must not be 0'
    if preset.core != "rv32":
        if preset.top != "nsoc":
            return f'core = "{preset.core}" is for an SoC: it says nothing about {TOPS[preset.top]}'
        if preset.unit != "none":
            return f'unit = "{preset.unit}" is reached by instructions of rv32: core must not be {preset.core}'
    if preset.top == "lat_node":
        return _contradiction_of_lat_node(preset)
    if preset.top == "pnic_node":
        if preset.line_mbps != 10_000:
            return f"a pnic_node has a line of 10 Gb/s, not {preset.line_mbps} Mb/s"
        return ""
    if preset.cores > MOST_CORES:
        return f"cores must be {MOST_CORES} at most, not {preset.cores}; a pnic_node has more"
    if preset.line_mbps > GMII_MBPS:
        return f"{preset.line_mbps} Mb/s is for a lat_node, the others have 1000 at most"
    if preset.one_clock and preset.cpu_mhz != preset.nic_mhz:
        return f"with one_clock cpu_mhz and nic_mhz are one clock, not {preset.cpu_mhz:g} and {preset.nic_mhz:g} MHz"
    if preset.one_clock and preset.cpu_ppm != preset.nic_ppm:
        return f"with one_clock cpu_ppm and nic_ppm are of one clock, not {preset.cpu_ppm:g} and {preset.nic_ppm:g}"
    return ""


def _contradiction_of_lat_node(preset: Preset) -> str:
    if preset.line_mbps not in XGMII_BITS:
        return f"a lat_node has a line of {XGMII_RATES} Gb/s, not {preset.line_mbps / 1000:g}"
    if not preset.connections:
        return "a lat_node needs connections"
    if preset.width > preset.line_bits > 64:
        return (
            f"at {preset.line_mbps / 1000:g} Gb/s the line has {preset.line_bits} bits "
            f"a cycle, and width must not be more than that ({preset.width})"
        )
    line_mhz, bits = preset.xgmii_mhz, preset.engine_bits
    least = max(line_mhz, preset.line_mbps / bits)
    if preset.nic_mhz < least:
        taken = preset.nic_mhz * bits / 1000
        return (
            f"{preset.line_mbps / 1000:g} Gb/s are more than the engine's {bits} bits at "
            f"{preset.nic_mhz:g} MHz take ({taken:g} Gb/s); give it {least:.10g} MHz at least"
            + (", or more bits" if bits < XGMII_BITS[preset.line_mbps] else "")
        )
    if preset.one_clock and (preset.nic_mhz != line_mhz or preset.line_mbps != 10_000 or preset.line_bits != 64):
        return (
            f"with one_clock the engine has the clock of a line of 10 Gb/s, 156.25 MHz, not "
            f"{preset.nic_mhz:g} MHz at {preset.line_mbps / 1000:g} Gb/s"
        )
    return ""
