# SPDX-License-Identifier: Apache-2.0
"""AXI's rules, looked at in each cycle of a test: IHI 0022 for AXI4 and AXI4-Lite, IHI 0051 for AXI4-Stream.

They hold for either side, so that no test passes by traffic that no interconnect would give.
"""

from collections import Counter
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

PAYLOADS = {
    "aw": ("awid", "awaddr", "awlen", "awsize", "awburst", "awlock", "awcache", "awprot"),
    "w": ("wdata", "wstrb", "wlast"),
    "b": ("bid", "bresp"),
    "ar": ("arid", "araddr", "arlen", "arsize", "arburst", "arlock", "arcache", "arprot"),
    "r": ("rid", "rdata", "rresp", "rlast"),
    "t": ("tdata", "tkeep", "tlast", "tuser"),
}
EXOKAY = 1
RESET_TAKES = 2
"""Edges until a synchronous reset has reached what the block and the models drive."""


class Rules:
    """The AXI ports of `dut` with these prefixes (`m_axi`, `s_axil`, `m_axis_tx`), from now on.

    A rule that is broken ends the test with a sentence. `transfers` counts them by channel, such as `m_axi_aw`.
    """

    def __init__(self, dut: Any, clk: Any, rst: Any, *prefixes: str) -> None:
        self.transfers: Counter[str] = Counter()
        self._clk, self._rst = clk, rst
        self._channels = {}
        for prefix in prefixes:
            for channel, payload in PAYLOADS.items():
                name = f"{prefix}_{channel}"
                if hasattr(dut, f"{name}valid"):
                    signals = [(field, getattr(dut, f"{prefix}_{field}", None)) for field in payload]
                    fields = [(field, signal) for field, signal in signals if signal is not None]
                    self._channels[name] = (getattr(dut, f"{name}valid"), getattr(dut, f"{name}ready"), fields)
        assert self._channels, f"no AXI port with any of {prefixes}"
        self._waiting: dict[str, dict[str, int]] = {}
        self._under_way: Counter[str] = Counter()
        """Addresses and last data that have no response yet, by `prefix_aw`, `prefix_w` and `prefix_ar`."""
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        in_reset = 0
        while True:
            await RisingEdge(self._clk)
            if self._rst.value:
                self._waiting.clear()
                self._under_way.clear()
                in_reset += 1
                for name, (valid, _, _) in self._channels.items():
                    assert in_reset <= RESET_TAKES or not valid.value, f"{name}valid is high in reset"
            else:
                in_reset = 0
                # Responses first: none may come in the very cycle of the transfer that it answers.
                for name in sorted(self._channels, key=lambda name: name.rpartition("_")[2] not in ("b", "r")):
                    self._look(name)

    def _look(self, name: str) -> None:
        valid, ready, fields = self._channels[name]
        before = self._waiting.pop(name, None)
        if not valid.value:
            assert before is None, f"{name}valid falls before {name}ready"
            return
        shown = {field: int(signal.value) for field, signal in fields}
        assert before is None or shown == before, f"{name} changes before {name}ready: {before}, then {shown}"
        prefix, _, channel = name.rpartition("_")
        getattr(self, f"_{channel}")(prefix, shown)
        if ready.value:
            self.transfers[name] += 1
            self._taken(prefix, channel, shown)
        else:
            self._waiting[name] = shown

    def _taken(self, prefix: str, channel: str, shown: dict[str, int]) -> None:
        if channel in ("aw", "ar") or (channel == "w" and shown.get("wlast", 1)):
            self._under_way[f"{prefix}_{channel}"] += 1
        elif channel == "b":
            self._under_way[f"{prefix}_aw"] -= 1
            self._under_way[f"{prefix}_w"] -= 1
        elif channel == "r" and shown.get("rlast", 1):
            self._under_way[f"{prefix}_ar"] -= 1

    def _address(self, prefix: str, kind: str, shown: dict[str, int]) -> None:
        """Bursts of one whole beat, as every AXI subordinate takes them; AXI4-Lite has no other."""
        if f"{kind}len" in shown:
            assert shown[f"{kind}len"] == 0 and shown[f"{kind}burst"] == 1 and shown[f"{kind}lock"] == 0, shown
            assert shown[f"{kind}addr"] % (1 << shown[f"{kind}size"]) == 0, f"{prefix}: {shown} is not aligned"
            assert shown[f"{kind}id"] == 0, f"{prefix}: {shown}"
            assert shown[f"{kind}cache"] & 0b0010 or not shown[f"{kind}cache"] & 0b1100, f"{prefix}: reserved {shown}"

    def _aw(self, prefix: str, shown: dict[str, int]) -> None:
        self._address(prefix, "aw", shown)

    def _ar(self, prefix: str, shown: dict[str, int]) -> None:
        self._address(prefix, "ar", shown)

    def _w(self, prefix: str, shown: dict[str, int]) -> None:
        assert shown.get("wlast", 1), f"{prefix}_w: a burst of one beat has its last one now"

    def _response(self, prefix: str, kind: str, shown: dict[str, int]) -> None:
        assert shown.get(f"{kind}id", 0) == 0, f"{prefix}_{kind}: a response of an ID that nobody has sent"
        assert shown[f"{kind}resp"] != EXOKAY, f"{prefix}_{kind}: EXOKAY, and nothing was exclusive"

    def _b(self, prefix: str, shown: dict[str, int]) -> None:
        self._response(prefix, "b", shown)
        for before in ("aw", "w"):
            assert self._under_way[f"{prefix}_{before}"] > 0, f"{prefix}_b: a response without {before.upper()}"

    def _r(self, prefix: str, shown: dict[str, int]) -> None:
        self._response(prefix, "r", shown)
        assert shown.get("rlast", 1), f"{prefix}_r: a burst of one beat has its last one now"
        assert self._under_way[f"{prefix}_ar"] > 0, f"{prefix}_r: data without AR"

    def _t(self, prefix: str, shown: dict[str, int]) -> None:
        keep = shown["tkeep"]
        assert keep and keep & keep + 1 == 0, f"{prefix}: bytes from tkeep[0] up, one at least, not {keep:#b}"
        assert shown["tlast"] or keep == 0xFF, f"{prefix}: only the last beat may be partial, not {keep:#b}"
