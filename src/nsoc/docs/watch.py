# SPDX-License-Identifier: Apache-2.0
"""The SoC under observation: the time of every transfer on the channels at the borders of its blocks.

A simulator of its own, with a `channel_watch` bound to the `<name>_valid` and `<name>_ready` of each channel wanted. A
bus port `<name>_m2s` and `<name>_s2m` is two channels, `<name>_req` and `<name>_rsp`.
Where a channel has no such pair, `SPECIAL` says when there is a transfer.
"""

import ctypes
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping
from ctypes import POINTER, Structure, c_char_p, c_uint32, c_uint64
from importlib.metadata import version
from pathlib import Path

from nsoc.docs.rtl_tree import Module, elaborate
from nsoc.errors import NsocError
from nsoc.machine import compiler, firmware, presets
from nsoc.machine.build import (
    CXX_FLAGS,
    LIBRARY,
    RUNTIME_SOURCES,
    TOP,
    VERILATOR_FLAGS,
    building,
    cache_folder,
    checkout,
    content_hash,
    generics,
    harness,
    harness_includes,
    included,
    locked,
    module_folders,
    runtime_flags,
    verilator_root,
    view_flags,
)
from nsoc.machine.sim import Simulation
from nsoc.machine.soc import boot_config
from nsoc.machine.tool import run_tool
from nsoc.network.wire import Wire

MODULE = "channel_watch"
WATCH_SECONDS = 30

SPECIAL = {
    "nic": {
        "rx_frame": ("nic_clk", "rx_frame.valid", "rx_frame_ready"),
        "tx_frame": ("nic_clk", "tx_frame.valid", "tx_frame_ready"),
    },
    "nic_queues": {
        "deliver": ("clk", "|rx_req.deliver_to", "rx_rsp.deliver_ready"),
        "take": ("clk", "|tx_req.take_from", "tx_rsp.take_ready"),
        "tx_return": ("clk", "tx_req.return_valid", "tx_rsp.return_ready"),
        "cpu_push_tx": ("clk", "cpu_req.push && cpu_req.index[3:2] == 2'd1", "!cpu_rsp.full"),
        "cpu_pop_rx": ("clk", "cpu_req.pop && cpu_req.index[3:2] == 2'd0", "!cpu_rsp.empty"),
    },
    "mac": {
        "rx_frame": ("user_clk", "rx_frame.valid", "rx_frame_ready"),
        "rx_last": ("user_clk", "rx_frame.valid && rx_frame.beat.tlast", "rx_frame_ready"),
        "tx_last": ("user_clk", "tx_frame.valid && tx_frame.beat.tlast", "tx_frame_ready"),
    },
    "frame_fifo": {"wr_last": ("wr_clk", "wr_valid && wr_word.last", "wr_ready && !wr_rewind")},
}
"""By module and name: clock, and two expressions that are both true on a clock edge with a transfer."""

OPTIMIZATION = "-O0"

Log = dict[str, list[tuple[int, int]]]
"""By channel (`u_nic.u_rx_engine.rx_frame`): time in ps and index (of an array of channels), for each transfer."""


def channels(module: Module) -> dict[str, tuple[str, str, str]]:
    """The channels at a module's border: clock, valid and ready, by name."""
    clocks = [name for name in module.ports if re.search(r"(^|_)clk$", name)]
    found = {}
    for name in module.ports if clocks else ():
        bundle = name.removesuffix("_valid").removesuffix("_m2s")
        beside = [clock for clock in clocks if clock.split("_")[0] == bundle.split("_")[0]]
        clock = (beside or [clock for clock in clocks if clock in ("clk", "nic_clk")] or clocks)[0]
        if name == f"{bundle}_valid" and f"{bundle}_ready" in module.ports:
            found[bundle] = (clock, name, f"{bundle}_ready")
        elif name == f"{bundle}_m2s" and f"{bundle}_s2m" in module.ports:
            found[f"{bundle}_req"] = (clock, name, f"{bundle}_s2m")
            found[f"{bundle}_rsp"] = (clock, f"{bundle}_s2m", name)
    return {**found, **SPECIAL.get(module.name, {})}


def bindings(top: Module, wanted: Iterable[str]) -> str:
    """SystemVerilog that binds a watch to each channel of `wanted`, in every instance of its module."""
    modules = {path: instance.module for path, instance in top.walk()}
    found: set[tuple[str, str, str, str, str]] = set()
    for name in wanted:
        path, _, bundle = name.rpartition(".")
        module = modules.get(path)
        if module is None or bundle not in channels(module):
            raise NsocError(f"the RTL has no channel {name} any more: mend the list of channels in nsoc.docs.latency")
        found.add((module.name, bundle, *channels(module)[bundle]))
    lines = []
    for module_name, bundle, clock, valid, ready in sorted(found):
        ports = next(module.ports for module in modules.values() if module.name == module_name)
        parameters = {"NAME": f'"{bundle}"'}
        for side, signal in (("VALID", valid), ("READY", ready)):
            if signal not in ports:
                continue
            parameters[f"{side}_WIDTH"] = f"$bits({signal})"
            if signal.endswith(("_m2s", "_s2m")):  # {req, req_valid, rsp_ready} or {req_ready, rsp, rsp_valid}
                stride = f"$bits({ports[signal].type.partition('_')[0]}_pkg::{ports[signal].type})"
                parameters[f"{side}_STRIDE"] = stride
                bits = {"VALID": {"_m2s": "1", "_s2m": "0"}, "READY": {"_m2s": "0", "_s2m": f"{stride} - 1"}}
                parameters[f"{side}_BIT"] = bits[side][signal[-4:]]
        settings = ", ".join(f".{name}({value})" for name, value in parameters.items())
        lines.append(
            f"bind {module_name} {MODULE} #({settings}) "
            f"u_watch_{bundle} (.clk({clock}), .valid({valid}), .ready({ready}));"
        )
    return "\n".join(lines) + "\n"


def library(wanted: Iterable[str]) -> Path:
    """The simulator that watches these channels, built when it is not there yet."""
    root = checkout()
    text = bindings(elaborate(), wanted)
    sources = harness("*.sv", "*.cpp", "*.h", "*.vlt")
    watch = sorted((root / "sim" / "watch").iterdir())
    recipe = (
        text,
        VERILATOR_FLAGS,
        CXX_FLAGS,
        OPTIMIZATION,
        compiler.chosen().name,
        version("verilator"),
        presets.load(),
    )
    read = [*(root / "rtl").rglob("*.sv"), *included(), *sources, *watch]
    folder = cache_folder() / "watch" / content_hash(read, recipe)
    with locked(folder):
        if not (folder / LIBRARY).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            with building("watching the channels between blocks", WATCH_SECONDS):
                _build(folder, text)
    return folder / LIBRARY


def _build(folder: Path, text: str) -> None:
    root, verilator = checkout(), verilator_root()
    work = folder / "work"
    work.mkdir()
    (work / "bindings.sv").write_text(text, encoding="utf-8")
    command = [
        str(verilator / "bin" / "verilator_bin"), *VERILATOR_FLAGS, "--no-assert",
        *generics(presets.load().rtl_parameters()),
        *(argument for path in module_folders() for argument in ("-y", str(path))), "-Mdir", str(work),
        str(root / "sim" / "public.vlt"), *map(str, sorted((root / "rtl").rglob("*_pkg.sv"))),
        str(root / "sim" / "watch" / f"{MODULE}.sv"), str(root / "sim" / f"{TOP}.sv"), str(work / "bindings.sv"),
    ]  # fmt: skip
    run_tool(command, work, "verilating the SoC", {**os.environ, "VERILATOR_ROOT": str(verilator)})
    include = verilator / "include"
    flags = [
        *CXX_FLAGS,
        OPTIMIZATION,
        *runtime_flags(work),
        *view_flags(presets.load()),
        *harness_includes(),
        "-include",
        "nsoc_print.h",
    ]
    sources = [*work.glob("V*.cpp"), *harness("*.cpp"), root / "sim" / "watch" / f"{MODULE}.cpp"]
    sources += [include / name for name in RUNTIME_SOURCES]
    sources.sort(key=lambda path: -path.stat().st_size)

    jobs = [compiler.Job(source, work / f"{source.stem}.o", flags) for source in sources]
    objects = compiler.compile_all(compiler.chosen(), jobs, work)
    link = [*compiler.linker(), "-shared", "-o", str(work / LIBRARY), *map(str, objects), "-pthread"]
    run_tool(link, work, "linking the simulator")
    (work / LIBRARY).rename(folder / LIBRARY)
    shutil.rmtree(work)


class _Transfer(Structure):
    """Transfer in channel_watch.cpp"""

    _fields_ = (("time_ps", c_uint64), ("channel", c_uint32), ("index", c_uint32))


class WatchedSoc:
    """The default preset with a firmware, booted to where the UART has printed `until`. One at a time in a process.

    `wanted`: the channels to watch, each the path of a block below the SoC and a name, `u_nic.u_queues.fetch`.
    """

    def __init__(
        self,
        wanted: Iterable[str],
        firmware_name: str,
        until: str,
        seed: int = 1,
        defines: Mapping[str, int | str] | None = None,
    ) -> None:
        preset = presets.load()
        path = library(wanted)
        self._watch = ctypes.CDLL(str(path))
        self._watch.nsoc_watch_names.restype = c_char_p
        self._watch.nsoc_watch_transfers.restype = POINTER(_Transfer)
        self.sim = Simulation(path, boot_config(preset, seed))
        for segment in firmware.segments(firmware.build_for(preset, firmware_name, defines), preset.core):
            self.sim.load(segment.address, segment.data)
        self.wire = Wire(self.sim, lambda timeout_us: self.run(round(timeout_us * preset.nic_mhz), frames=1), log=False)
        self.run(2_000_000, text=until)

    def run(self, cycles: int, *, frames: int = 0, text: str | None = None) -> None:
        """At most so many nic_clk cycles; less when so many frames wait, or the UART has printed `text`."""
        self.sim.run(cycles, frames=frames, queued=-1, idle_cycles=0, text=text.encode() if text else None)

    def log(self) -> Log:
        """What was noted."""
        names, count, found = self._channels(), c_uint64(), defaultdict(list)
        transfers = self._watch.nsoc_watch_transfers(ctypes.byref(count))
        for i in range(count.value):
            transfer = transfers[i]
            name = names[transfer.channel]
            found[name].append((int(transfer.time_ps), int(transfer.index)))
        return dict(found)

    def close(self) -> None:
        """Frees the simulation."""
        self.sim.close()
        self._watch.nsoc_watch_clear()

    def _channels(self) -> list[str]:
        """Names by number: the path below the SoC as rtl_tree has it, and the channel's own name behind it."""
        lines = self._watch.nsoc_watch_names().decode().split()
        paths = [re.sub(r"\.u_watch_\w+\.", ".", line.partition("u_nsoc.")[2]) for line in lines]
        return [re.sub(r"\bg_\w+\.", "", path) for path in paths]
