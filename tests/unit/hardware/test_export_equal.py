# SPDX-License-Identifier: Apache-2.0
"""An export in Icarus does what its source does in Verilator: random frames, stalls both sides, clocks of any phase."""

import json
import os
import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import cocotb
import needs
import pytest
from bench import RTL, run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from drivers import Wires
from export_replay import RECORDER, Sides, recorder, replay
from exported import EXPORTS, exported
from mac_model import on_wire
from net_frames import mutated
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from tcp.events import Notify, Op
from xgmii_model import characters, place, with_fcs, words

from nsoc.machine import regs

pytestmark = [pytest.mark.slow, needs.yosys, needs.icarus]

FRAMES = "FRAMES"
FIELDS = "FIELDS"
INPUTS = "INPUTS"
OUR_MAC, PEER_MAC = "02:00:00:00:00:02", "02:00:00:00:00:01"
OUR_IP, PEER_IP = "10.0.0.2", "10.0.0.1"
PERIODS = (8000, 8004, 7004)
"""Of the clocks of a block, in ps: multiples of 4, and phases are not, so that no two have an edge at the same time."""


class Pins:
    """The ports of the source by the names that they have in the export."""

    def __init__(self, dut: Any) -> None:
        self._dut, self._wires = dut, {}
        for name, port, low, width in json.loads(os.environ[FIELDS]):
            self._wires[name] = Wires(getattr(dut, port), low, width)
        self.names = list(self._wires)

    def __getitem__(self, name: str) -> int:
        return self._wires[name].get()

    def __setitem__(self, name: str, value: int) -> None:
        self._wires[name].set(value)

    def clock(self, name: str) -> Any:
        return getattr(self._dut, name)


class Traffic:
    """A block with its clocks running, out of reset, and what may be at its ports."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.pins = dut, Pins(dut)
        self.rng = random.Random(random.getrandbits(64))
        self.clocks = [name for name in self.pins.names if name.endswith("clk")]
        self.resets = [name for name in self.pins.names if name.endswith("rst")]
        for name in json.loads(os.environ[INPUTS]):
            self.pins[name] = 0

    async def start(self, **settings: int) -> None:
        for name, value in {**dict.fromkeys(self.resets, 1), **settings}.items():
            self.pins[name] = value
        for name, period in zip(self.clocks, PERIODS, strict=False):
            cocotb.start_soon(Clock(self.pins.clock(name), period, "ps").start())
            await Timer(4 * self.rng.randrange(700) + 1, "ps")
        await Timer(200, "ns")
        for name in self.resets:
            self.pins[name] = 0
        await Timer(200, "ns")

    def frame(self) -> bytes:
        """Mostly short ones: every length counts, and so do minutes."""
        length = self.rng.choice([*range(60, 80), 60, 61, 64, self.rng.randrange(14, 60), self.rng.randrange(80, 300)])
        return self.rng.randbytes(length)

    async def send(
        self, clk: str, stream: str, frames: Iterable[bytes], *, first_high: bool, beside: Callable[[], dict[str, int]],
        names: tuple[str, str] = ("valid", "ready"), stall: float = 0.2,
    ) -> None:  # fmt: skip
        """Frames into a stream of 64 bits whose ports begin with `stream`; `beside` what each has beside its data."""
        pins, rng, edge = self.pins, self.rng, RisingEdge(self.pins.clock(clk))
        valid, ready = (f"{stream}{name}" for name in names)
        for frame in frames:
            for name, value in beside().items():
                pins[name] = value
            for at in range(0, len(frame), 8):
                part = frame[at : at + 8]
                pins[f"{stream}tdata"] = int.from_bytes(part.ljust(8, b"\0"), "big" if first_high else "little")
                keep = (1 << len(part)) - 1
                pins[f"{stream}tkeep"] = keep << 8 - len(part) if first_high else keep
                pins[f"{stream}tlast"] = at + 8 >= len(frame)
                pins[valid] = 1
                await edge
                while not pins[ready]:
                    await edge
                pins[valid] = 0
                while rng.random() < stall:
                    await edge

    async def take(self, clk: str, ready: str, stall: float = 0.2) -> None:
        edge = RisingEdge(self.pins.clock(clk))
        while True:
            self.pins[ready] = self.rng.random() >= stall
            await edge

    def half(self) -> int:
        return int(os.environ[FRAMES]) // 2


def _mac(traffic: Traffic) -> dict[str, int]:
    return {"enable": 1, "settings_broadcast": 1, "settings_promiscuous": 1}


async def _user_side(traffic: Traffic) -> None:
    """A MAC gets frames to send, some given up, some with a stamp; received ones are taken."""

    def beside() -> dict[str, int]:
        return {"tx_frame_stamp_wanted": traffic.rng.random() < 0.3, "tx_frame_steady": 0}

    cocotb.start_soon(traffic.take("user_clk", "rx_frame_ready"))
    cocotb.start_soon(_count(traffic))
    frames = (traffic.frame() for _ in range(traffic.half()))
    await traffic.send("user_clk", "tx_frame_", frames, first_high=True, beside=beside, names=("valid", "ready"))


async def _count(traffic: Traffic) -> None:
    now = 0
    while True:
        await RisingEdge(traffic.pins.clock("user_clk"))
        now += 1
        traffic.pins["time_now"] = now


def _body(traffic: Traffic) -> bytes:
    body = with_fcs(traffic.frame())
    return body if traffic.rng.random() < 0.9 else body[:-1] + b"\0"


@cocotb.test()
async def mac(dut: Any) -> None:
    traffic = Traffic(dut)
    await traffic.start(**_mac(traffic))
    sending = cocotb.start_soon(_user_side(traffic))
    pins, rng, edge = traffic.pins, traffic.rng, RisingEdge(dut.gmii_rx_clk)
    for _ in range(traffic.half()):
        event = on_wire(b"")[:8] + _body(traffic)
        error = rng.randrange(len(event)) if rng.random() < 0.03 else None
        for at, byte in enumerate(event):
            pins["gmii_rxd"], pins["gmii_rx_dv"], pins["gmii_rx_er"] = byte, 1, at == error
            await edge
        pins["gmii_rx_dv"] = pins["gmii_rx_er"] = 0
        for _ in range(rng.randrange(12, 30)):
            await edge
    await sending
    await Timer(10, "us")


@cocotb.test()
async def mac_xgmii(dut: Any) -> None:
    traffic = Traffic(dut)
    traffic.pins["xgmii_rxc"], traffic.pins["xgmii_rxd"] = 0xFF, 0x0707070707070707
    await traffic.start(**_mac(traffic))
    sending = cocotb.start_soon(_user_side(traffic))
    edge = RisingEdge(dut.xgmii_rx_clk)
    for _ in range(traffic.half()):
        line: list[int] = []
        place(line, characters(_body(traffic)), traffic.rng.randrange(12, 40), traffic.rng.choice([0, 4]))
        for data, control in words(line):
            traffic.pins["xgmii_rxd"], traffic.pins["xgmii_rxc"] = data, control
            await edge
    await sending
    await Timer(10, "us")


class AxiMemory:
    """Behind nic_axi: single beats, each channel with stalls of its own."""

    def __init__(self, traffic: Traffic) -> None:
        self.traffic, self.words = traffic, dict[int, int]()
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        pins, rng, edge = self.traffic.pins, self.traffic.rng, RisingEdge(self.traffic.dut.nic_clk)
        addresses, data, answers, reads = list[int](), list[tuple[int, int]](), 0, list[int]()
        while True:
            await edge
            if pins["m_axi_awvalid"] and pins["m_axi_awready"]:
                addresses.append(pins["m_axi_awaddr"])
            if pins["m_axi_wvalid"] and pins["m_axi_wready"]:
                data.append((pins["m_axi_wdata"], pins["m_axi_wstrb"]))
            if pins["m_axi_arvalid"] and pins["m_axi_arready"]:
                reads.append(pins["m_axi_araddr"])
            if pins["m_axi_bvalid"] and pins["m_axi_bready"]:
                pins["m_axi_bvalid"] = 0
            if pins["m_axi_rvalid"] and pins["m_axi_rready"]:
                pins["m_axi_rvalid"] = 0
            while addresses and data:
                address, (value, strobe) = addresses.pop(0), data.pop(0)
                mask = sum(0xFF << 8 * i for i in range(8) if strobe >> i & 1)
                self.words[address] = self.words.get(address, 0) & ~mask | value & mask
                answers += 1
            if answers and not pins["m_axi_bvalid"] and rng.random() < 0.8:
                answers -= 1
                pins["m_axi_bvalid"] = 1
            if reads and not pins["m_axi_rvalid"] and rng.random() < 0.8:
                pins["m_axi_rdata"], pins["m_axi_rvalid"], pins["m_axi_rlast"] = self.words.get(reads.pop(0), 0), 1, 1
            for channel in ("aw", "w", "ar"):
                pins[f"m_axi_{channel}ready"] = rng.random() < 0.8


@cocotb.test()
async def nic_axi(dut: Any) -> None:
    """In loopback: each frame into memory and out again."""
    traffic = Traffic(dut)
    await traffic.start()
    pins, edge = traffic.pins, RisingEdge(dut.nic_clk)
    AxiMemory(traffic)

    async def write_register(offset: int, value: int) -> None:
        pins["s_axil_awaddr"], pins["s_axil_wdata"], pins["s_axil_wstrb"] = offset, value, 0xF
        pins["s_axil_awvalid"] = pins["s_axil_wvalid"] = pins["s_axil_bready"] = 1
        while pins["s_axil_bready"]:
            await edge
            for channel in ("aw", "w"):
                if pins[f"s_axil_{channel}ready"]:
                    pins[f"s_axil_{channel}valid"] = 0
            if pins["s_axil_bvalid"]:
                pins["s_axil_bready"] = 0

    await write_register(0x004, 1)
    for buffer in range(16):
        await write_register(0x060, 0x8000_0000 + 2048 * buffer)
    await write_register(0x000, 0x81)  # nic_enable, nic_loopback
    cocotb.start_soon(traffic.take("nic_clk", "m_axis_tx_tready"))
    frames = (traffic.frame() for _ in range(2 * traffic.half()))
    await traffic.send("nic_clk", "s_axis_rx_", frames, first_high=False, beside=lambda: {}, names=("tvalid", "tready"))
    await Timer(10, "us")


def _datagram(rng: random.Random) -> bytes:
    """To us from the peer: what each part of net_udp has to do with, and some that is none of its business."""
    link = Ether(src=PEER_MAC, dst=OUR_MAC)
    kind = rng.randrange(6)
    if kind == 0:
        made = Ether(src=PEER_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=PEER_MAC, psrc=PEER_IP, pdst=OUR_IP)
    elif kind == 1:
        made = link / IP(src=PEER_IP, dst=OUR_IP) / ICMP() / rng.randbytes(rng.randrange(1, 100))
    elif kind < 5:
        sum_known = {} if kind < 4 else {"chksum": rng.getrandbits(16)}
        datagram = UDP(sport=77, dport=88, **sum_known) / rng.randbytes(rng.randrange(100))
        made = link / IP(src=PEER_IP, dst=OUR_IP) / datagram
    else:
        made = link / IP(src=PEER_IP, dst=OUR_IP) / TCP(sport=rng.getrandbits(16), dport=80, flags="S")
    return bytes(made).ljust(60, b"\0")


@cocotb.test()
async def net_udp(dut: Any) -> None:
    traffic = Traffic(dut)
    rng, pins = traffic.rng, traffic.pins
    await traffic.start(
        enable=1, mac=int(OUR_MAC.replace(":", ""), 16), address=0x0A000002, mask=0xFFFFFF00, arp_lifetime=60,
        refuse_gap=10, udp_open=1, s_axis_udp_destination=0x0A000001, s_axis_udp_ttl=64,
    )  # fmt: skip
    for ready in ("m_axis_tx_tready", "m_axis_udp_tready", "m_axis_other_tready"):
        cocotb.start_soon(traffic.take("clk", ready))

    async def ticks() -> None:
        while True:
            pins["tick"] = rng.random() < 0.02
            await RisingEdge(dut.clk)

    def datagrams() -> Iterable[bytes]:
        for _ in range(traffic.half() // 2):
            data = rng.randbytes(rng.randrange(1, 200))
            pins["s_axis_udp_length"] = len(data)
            yield data

    def beside() -> dict[str, int]:
        return {"s_axis_udp_source_port": rng.getrandbits(16), "s_axis_udp_port": rng.getrandbits(16)}

    cocotb.start_soon(ticks())
    names = ("tvalid", "tready")
    received = cocotb.start_soon(
        traffic.send("clk", "s_axis_rx_", (_datagram(rng) for _ in range(traffic.half())), first_high=False,
                     beside=lambda: {}, names=names)
    )  # fmt: skip
    others = (traffic.frame() for _ in range(traffic.half() // 2))
    other = cocotb.start_soon(
        traffic.send("clk", "s_axis_other_", others, first_high=False, beside=lambda: {}, names=names)
    )
    await traffic.send("clk", "s_axis_udp_", datagrams(), first_high=False, beside=beside, names=names)
    await received
    await other
    await Timer(10, "us")


class Processor:
    """Of `toe`: what its driver does by registers, and memory behind the engine, each with stalls of its own."""

    CONNECTIONS, BASE = EXPORTS["toe"]["CONNECTIONS"], EXPORTS["toe"]["PACKET_BASE"]

    def __init__(self, traffic: Traffic) -> None:
        self.traffic, self.words = traffic, dict[int, int]()
        self.edge = RisingEdge(traffic.dut.clk)
        cocotb.start_soon(self._memory())

    async def access(self, block: str, name: str, value: int | None = None) -> int:
        """Writes `value` to a register of regs/toe.rdl or toe_udp.rdl, or reads it. Returns the response's data."""
        pins, port = self.traffic.pins, {"toe": "afb", "toe_udp": "udp_afb"}[block]
        pins[f"{port}_m2s_address"] = regs.BLOCKS[block].registers[name].offset
        pins[f"{port}_m2s_read"], pins[f"{port}_m2s_byte_mask"] = value is None, 0xF
        pins[f"{port}_m2s_write_data"] = value or 0
        pins[f"{port}_m2s_req_valid"] = pins[f"{port}_m2s_rsp_ready"] = 1
        while True:
            await self.edge
            if pins[f"{port}_s2m_req_ready"]:
                pins[f"{port}_m2s_req_valid"] = 0
            if pins[f"{port}_s2m_rsp_valid"]:
                pins[f"{port}_m2s_req_valid"] = pins[f"{port}_m2s_rsp_ready"] = 0
                return pins[f"{port}_s2m_data"]

    async def command(self, index: int, op: Op, a: int = 0, b: int = 0) -> None:
        await self.access("toe", "argument_a", a)
        await self.access("toe", "argument_b", b)
        await self.access("toe", "command", index | op << 16)
        while not await self.access("toe", "answer") >> 31:
            pass

    async def setup(self, index: int) -> None:
        """Rings of 2 KB; all but the first connection, which listens, are for those who come."""
        at = self.BASE + 4096 * index
        await self.command(index, Op.SETUP, at, at + 2048 | (8 if index else 0))

    async def boot(self) -> None:
        while not await self.access("toe", "status") >> 24:
            pass
        mac = int(OUR_MAC.replace(":", ""), 16)
        for name, value in {
            "mac_low": mac & 0xFFFF_FFFF, "mac_high": mac >> 32, "address": 0x0A000002, "mask": 0xFFFFFF00,
            "refuse_gap": 10, "key0": 0x1234567, "id_key": 0x7654321, "least_rto": 500, "first_rto": 1000,
            "longest_rto": 4000, "delayed_ack": 100, "msl": 1, "ip_control": 0x17, "irq_mask": 3,
        }.items():  # fmt: skip
            await self.access("toe", name, value)
        for name, value in {
            "ring": self.BASE + 0x10000, "control": 1, "irq_mask": 1, "local_ports0.port": 88 | 1 << 16,
            "peer_address": 0x0A000001, "ports": 77 << 16 | 88, "payload": self.BASE + 0x12345,
        }.items():  # fmt: skip
            await self.access("toe_udp", name, value)
        for index in range(self.CONNECTIONS):
            await self.setup(index)
        await self.command(0, Op.LISTEN, self.CONNECTIONS - 1, 80)
        cocotb.start_soon(self._connections())
        cocotb.start_soon(self._datagrams())

    async def _connections(self) -> None:
        """As many bytes go back as have come; who has sent all is answered with the end."""
        while True:
            event = await self.access("toe", "event")
            index, bits = event & 0xFFFF, Notify(event >> 16 & 0x1FF)
            if bits & Notify.ACCEPT:
                await self.command(index, Op.ACCEPT)
            if bits & Notify.READABLE:
                position = await self.access("toe", "received")
                await self.command(index, Op.READ, position)
                await self.command(index, Op.SEND, position)
            if bits & Notify.FINISHED:
                await self.command(index, Op.CLOSE)
            if bits & Notify.CLOSED:
                await self.command(index, Op.RELEASE)
                await self.setup(index)

    async def _datagrams(self) -> None:
        while True:
            await self.access("toe_udp", "read", await self.access("toe_udp", "received"))
            await self.access("toe_udp", "send", self.traffic.rng.randrange(200))
            for _ in range(self.traffic.rng.randrange(1000)):
                await self.edge

    async def _memory(self) -> None:
        pins, rng = self.traffic.pins, self.traffic.rng
        answers = list[int]()
        while True:
            await self.edge
            if pins["acb_m2s_req_valid"] and pins["acb_s2m_req_ready"]:
                address, mask = pins["acb_m2s_address"] & ~7, pins["acb_m2s_byte_mask"]
                lanes = sum(0xFF << 8 * lane for lane in range(8) if mask >> lane & 1)
                word = self.words.get(address, 0)
                answers.append(word)
                if not pins["acb_m2s_read"]:
                    self.words[address] = word & ~lanes | pins["acb_m2s_write_data"] & lanes
            if pins["acb_s2m_rsp_valid"] and pins["acb_m2s_rsp_ready"]:
                pins["acb_s2m_rsp_valid"] = 0
            if answers and not pins["acb_s2m_rsp_valid"] and rng.random() < 0.8:
                pins["acb_s2m_data"], pins["acb_s2m_err"] = answers.pop(0), rng.random() < 0.002
                pins["acb_s2m_rsp_valid"] = 1
            pins["acb_s2m_req_ready"] = rng.random() < 0.8


class Peers:
    """Of `toe`: hosts that open connections, send in order and out of it, and end them, well or badly."""

    def __init__(self, traffic: Traffic) -> None:
        self.traffic, self.rng = traffic, traffic.rng
        self.wanted = dict[int, tuple[int, int]]()
        """Of a port of ours: the next numbers, ours and the engine's."""
        cocotb.start_soon(self._hear())

    async def _hear(self) -> None:
        pins, frame, edge = self.traffic.pins, bytearray(), RisingEdge(self.traffic.dut.clk)
        while True:
            await edge
            if not (pins["tx_frame_valid"] and pins["tx_frame_ready"]):
                continue
            frame += pins["tx_frame_tdata"].to_bytes(8, "big")[: pins["tx_frame_tkeep"].bit_count()]
            if pins["tx_frame_tlast"]:
                self._take(Ether(bytes(frame)))
                frame.clear()

    def _take(self, frame: Ether) -> None:
        if TCP not in frame:
            return
        segment = frame[TCP]
        text = frame[IP].len - 20 - 4 * segment.dataofs
        if "R" in segment.flags:
            self.wanted.pop(segment.dport, None)
        elif "S" in segment.flags or segment.dport in self.wanted:
            length = text + ("S" in segment.flags) + ("F" in segment.flags)
            ours = segment.ack if "S" in segment.flags else self.wanted[segment.dport][0]
            self.wanted[segment.dport] = ours, (segment.seq + length) % 2**32

    def segment(self) -> bytes:
        rng = self.rng
        if not self.wanted or rng.random() < 0.3:
            options: list[Any] = [("MSS", rng.choice([536, 1460]))]
            options += [("SAckOK", b""), ("WScale", 3)] if rng.random() < 0.5 else []
            made = TCP(sport=rng.randrange(2000, 2100), dport=80, flags="S", seq=rng.getrandbits(32), options=options)
            return self._sent(made)
        port = rng.choice(list(self.wanted))
        ours, theirs = self.wanted[port]
        text = rng.randbytes(rng.choice([0, 1, 8, rng.randrange(200)]))
        kind = rng.randrange(20)
        flags, at = ("FA", ours) if kind == 0 else ("RA", ours) if kind == 1 else ("PA", ours)
        if kind < 4:
            at += rng.choice([-1, 1]) * rng.randrange(100)
        made = TCP(sport=port, dport=80, flags=flags, seq=at % 2**32, ack=theirs, window=rng.choice([0, 300, 8000]))
        if kind == 0:
            del self.wanted[port]
        elif kind > 4:
            self.wanted[port] = (ours + len(text)) % 2**32, theirs
        return self._sent(made / text)

    def _sent(self, segment: Any) -> bytes:
        return bytes(Ether(src=PEER_MAC, dst=OUR_MAC) / IP(src=PEER_IP, dst=OUR_IP) / segment).ljust(60, b"\0")


@cocotb.test()
async def toe(dut: Any) -> None:
    """Half of the frames are the NIC's. The wire has segments, what net_udp gets, and what is spoiled."""
    traffic = Traffic(dut)
    rng = traffic.rng
    processor, peers = Processor(traffic), Peers(traffic)
    await traffic.start()
    for ready in ("tx_frame_ready", "nic_rx_frame_ready"):
        cocotb.start_soon(traffic.take("clk", ready))
    await processor.boot()

    def frames() -> Iterable[bytes]:
        for _ in range(traffic.half()):
            kind = rng.randrange(10)
            if kind == 0:
                yield traffic.frame()
            elif kind == 1:
                yield mutated(rng.choice((peers.segment, partial(_datagram, rng)))(), rng)
            else:
                yield peers.segment() if kind < 7 else _datagram(rng)

    def beside() -> dict[str, int]:
        return {"nic_tx_frame_stamp_wanted": rng.random() < 0.3}

    others = (traffic.frame() for _ in range(traffic.half()))
    names = ("valid", "ready")
    other = cocotb.start_soon(
        traffic.send("clk", "nic_tx_frame_", others, first_high=True, beside=beside, names=names, stall=0.5)
    )
    await traffic.send("clk", "rx_frame_", frames(), first_high=True, beside=lambda: {}, names=names)
    await other
    await Timer(10, "us")


@pytest.mark.parametrize(
    ("block", "frames"), [("mac", 2000), ("mac_xgmii", 2000), ("nic_axi", 2000), ("net_udp", 2000), ("toe", 2000)]
)
def test_an_export_does_what_its_source_does(block: str, frames: int) -> None:
    made, verilog = exported(block)
    bound, lines = verilog.with_name(f"{RECORDER}.sv"), verilog.with_name("lines")
    sides = Sides.of(made)
    text = recorder(block, sides, lines)
    if not bound.exists() or bound.read_text(encoding="utf-8") != text:
        bound.write_text(text, encoding="utf-8")
    widths: dict[str, int] = {}
    fields = []
    for field in reversed(made.fields):
        port = field.path.partition(".")[0].partition("[")[0]
        fields.append((field.name, port, widths.get(port, 0), field.width))
        widths[port] = widths.get(port, 0) + field.width
    (source,) = RTL.rglob(f"{block}.sv")
    run_bench(
        block, EXPORTS[block], testcase=block, extra_sources=(source, bound),
        extra_env={FIELDS: json.dumps(fields[::-1]), INPUTS: json.dumps([f.name for f in sides.inputs]),
                   FRAMES: str(frames)},
    )  # fmt: skip
    assert replay(block, made, verilog, lines) > 10 * frames
