# SPDX-License-Identifier: Apache-2.0
"""The debugger and `nsoc gdb`: state at a stop is compared with an instruction-set simulator, the protocol with a
client written here, and the whole with the real GDB."""

import queue
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import needs
import pytest
from debugged import Reference, check, check_csrs
from gdb_client import Client
from runs import seeds, slow

import nsoc
from nsoc.machine import firmware, memory_map, regs
from nsoc.machine.debug import Debugger, Halt, Point
from nsoc.machine.gdb import GdbServer, SocTarget
from nsoc.machine.memory_map import CSRS
from nsoc.network.sending import Outgoing

CALLS = firmware.checkout() / "tests" / "support" / "calls.c"
DATA, LOCAL = 0x4000_0100, 0x5000_0200
T5, T6 = 30, 31

# Everything that a stop could get wrong: each kind of instruction next to each other kind, on cached, uncached and
# device memory, traps of all sorts. t5 and t6 take part in the arithmetic only, so that they may be changed at will.
PROGRAM = """
    .globl _start
_start:
    la      t0, handler
    csrw    mtvec, t0
    li      s0, 0x40000100
    li      s1, 0x50000200
    li      s2, 0xFFFF3200
    li      s3, 0x60000000
    li      a7, 3
loop:
    sw      t5, 0(s0)
    lw      a0, 0(s0)
    add     t6, t6, a0
    sb      t6, 5(s0)
    sh      t6, 10(s0)
    lbu     a1, 5(s0)
    lh      a2, 10(s0)
    mul     a3, t5, a2
    mulhu   a4, t5, t6
    div     a5, a3, t6
    rem     a6, a3, a1
    sw      a3, 0(s1)
    sw      a4, 4(s1)
    lw      t1, 0(s1)
    lb      t2, 6(s1)
    lw      t3, 4(s1)
    xor     t5, t1, t3
    lw      t1, 8(s2)
    lw      t2, 8(s2)
    amoadd.w t1, t5, (s0)
    amoswap.w t2, t1, (s1)
    lr.w    t3, (s0)
    addi    t3, t3, 1
    sc.w    t4, t3, (s0)
    lw      t4, 0(s0)
    sc.w    t4, t3, (s0)
    csrrw   t1, mscratch, t5
    csrrs   t2, mscratch, t6
    csrr    t3, minstret
    csrr    t4, mscratch
    ecall
    .word   0xffffffff
    lw      t1, 2(s0)
    lw      t1, 0(s3)
    sh      t1, 1(s1)
    ebreak
    fence
    sw      t6, 12(s0)
    fence.i
    jal     ra, sub
    bltu    t5, t6, 1f
    addi    t6, t6, 3
1:  sw      t6, 16(s0)
    lw      t6, 16(s0)
    beqz    t6, 2f
    srai    t6, t6, 1
2:  addi    a7, a7, -1
    bnez    a7, loop
done:
    wfi
    j       done
sub:
    slli    t6, t6, 1
    ori     t6, t6, 1
    ret
    .balign 4
handler:
    csrr    t1, mepc
    addi    t1, t1, 4
    csrw    mepc, t1
    csrr    t2, mcause
    csrr    t3, mtval
    mret
"""


MODES = {"blocking": "", "overlapping": "    csrwi 0x7C1, 2\n"}
"""Of uncached loads: what the program begins with."""


@pytest.fixture(scope="module", params=MODES)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    text = PROGRAM.replace("_start:\n", f"_start:\n{MODES[request.param]}")
    (folder / "program.S").write_text(text, encoding="ascii")
    (folder / "program.ld").write_text("SECTIONS { .text 0 : { *(.text) } }", encoding="ascii")
    elf = folder / "program.elf"
    subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding", "-g0", "-nostdlib", "-static",
         "-mcpu=generic_rv32+m+a+zicsr+zifencei", "-mno-relax", "-T", str(folder / "program.ld"),
         str(folder / "program.S"), "-o", str(elf)],
        check=True, env=firmware.zig_environment(),
    )  # fmt: skip
    return elf


def symbols(elf: Path) -> dict[str, int]:
    """Where some of the program's instructions are."""
    (segment,) = [s for s in firmware.segments(elf) if s.address == 0]
    words = [int.from_bytes(segment.data[i : i + 4], "little") for i in range(0, len(segment.data), 4)]
    return {
        "loop": 4 * words.index(0x01E4_2023),
        "done": 4 * words.index(0x1050_0073),
        "ecall": 4 * words.index(0x73),
        "fence_i": 4 * words.index(0x100F),
    }


@pytest.fixture
def booted(program: Path) -> Iterator[tuple[nsoc.Soc, Debugger, Reference]]:
    """The SoC before its first instruction, and the reference."""
    iss = Reference()
    for segment in firmware.segments(program):
        iss.rom[segment.address : segment.address + len(segment.data)] = segment.data
    with nsoc.Soc("nic12-fast", program, checks=True) as soc:
        debugger = soc.debugger()
        for number in (T5, T6):
            debugger.set_x(number, 0)
        for number in range(1, 32):  # reset leaves them as they are
            iss.x[number] = debugger.x(number)
        for memory in (DATA, LOCAL):
            soc.load(memory, bytes(32))
        yield soc, debugger, iss


def test_every_stop_shows_the_state_between_two_instructions(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path
) -> None:
    _, debugger, iss = booted
    done = symbols(program)["done"]
    debugger.set_x(T5, 0x1234_5678)
    iss.x[T5] = 0x1234_5678
    check(debugger, iss)
    while iss.pc != done:
        debugger.step()
        stored = iss.one(debugger)
        check(debugger, iss)
        if stored is not None:
            memory, at = iss._region(stored & ~3)
            assert debugger.read(stored & ~3, 4) == memory[at : at + 4], f"the store before {iss.pc:#x}"
    assert iss.retired > 150
    for passes in range(1, 4):  # wfi and the jump back to it: a wfi that waits does nothing, and is done
        debugger.step()
        assert debugger.pc == done + 4
        debugger.step()
        assert debugger.pc == done and debugger.csr(CSRS["minstret"]) == iss.retired + 2 * passes


def test_a_step_at_a_wfi_goes_to_the_next_instruction(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path
) -> None:
    _, debugger, _ = booted
    done = symbols(program)["done"]
    assert debugger.run() is Halt.NOT and not debugger.halt() and debugger.pc == done
    cycle = debugger.csr(CSRS["mcycle"])
    assert not debugger.halt() and debugger.csr(CSRS["mcycle"]) == cycle, "who sleeps is at a stop already"
    assert debugger.run(instructions=1) is Halt.STEPPED and debugger.pc == done + 4
    assert debugger.run(instructions=2) is Halt.STEPPED and debugger.pc == done + 4, "the jump and the wfi"
    debugger.step()
    debugger.insert(done + 4)
    assert debugger.run(instructions=1) is Halt.BREAKPOINT and debugger.pc == done + 4
    debugger.remove(done + 4)
    debugger.insert(done)
    assert debugger.run() is Halt.BREAKPOINT and debugger.pc == done
    assert debugger.run() is Halt.NOT and not debugger.halt() and debugger.pc == done, "to run on is to wait"


def test_an_interrupt_that_is_pending_comes_before_the_wfi_that_is_stepped(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path
) -> None:
    _, debugger, _ = booted
    assert debugger.run() is Halt.NOT and not debugger.halt()
    mie = 1 << 3
    debugger.store(memory_map.TIMER_BASE + regs.BLOCKS["timer"].registers["msip"].offset, 4, 1)
    debugger.set_csr(CSRS["mie"], mie)
    debugger.set_csr(CSRS["mstatus"], mie)
    debugger.step()
    assert debugger.pc == debugger.csr(CSRS["mtvec"]) and debugger.csr(CSRS["mcause"]) == 1 << 31 | 3
    assert debugger.csr(CSRS["mepc"]) == symbols(program)["done"]


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_what_is_written_at_any_stop_is_what_the_firmware_finds(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path, seed: int
) -> None:
    _, debugger, iss = booted
    rng = random.Random(seed)
    done = symbols(program)["done"]
    while iss.pc != done:
        what = rng.randrange(5)
        if what < 2:
            number, value = rng.choice((T5, T6)), rng.getrandbits(32)
            debugger.set_x(number, value)
            iss.x[number] = value
        elif what == 2:
            address, data = rng.choice((DATA, LOCAL)) + rng.randrange(12), rng.randbytes(rng.randrange(1, 9))
            debugger.write(address, data)
            memory, at = iss._region(address)
            memory[at : at + len(data)] = data
            assert debugger.read(address, len(data)) == data
        elif what == 3:
            debugger.pc = iss.pc
        if what != 4:
            iss.reservation = None
            check(debugger, iss)
        debugger.step()
        iss.one(debugger)
        check(debugger, iss)
    for address in (DATA, LOCAL):
        memory, at = iss._region(address)
        assert debugger.read(address, 20) == memory[at : at + 20]


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_a_halt_at_any_time_is_between_two_instructions(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path, seed: int
) -> None:
    _, debugger, iss = booted
    rng = random.Random(seed)
    while True:
        assert debugger.run(rng.randrange(1, 60)) is Halt.NOT
        awake = debugger.halt()
        retired = debugger.csr(CSRS["minstret"])
        while iss.retired < retired or iss.pc != debugger.pc:
            assert iss.retired <= retired, "the reference went past the halt"
            iss.one(debugger)
        iss.x[6:8] = [debugger.x(6), debugger.x(7)]  # t1, t2 may come from a device
        check(debugger, iss)
        if not awake:
            break
    assert iss.pc == symbols(program)["done"]


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_csrs_are_read_and_written_as_instructions_do_it(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path, seed: int
) -> None:
    _, debugger, iss = booted
    rng = random.Random(seed)
    for _ in range(rng.randrange(100)):
        debugger.step()
        iss.one(debugger)
    assert len(CSRS) == 36 and debugger.csr(CSRS["mhartid"]) == 0
    check_csrs(debugger, iss, rng)
    pc, code, cycle = debugger.pc, debugger.read(debugger.pc, 4), debugger.csr(CSRS["mcycle"])
    registers = [debugger.x(number) for number in range(32)]
    assert cycle == debugger.csr(CSRS["cycle"])
    for name, number in CSRS.items():  # against the core itself, which reads them with an instruction
        debugger.write(pc, (number << 20 | 2 << 12 | T5 << 7 | 0x73).to_bytes(4, "little"))
        shown = debugger.csr(number)
        debugger.step()
        assert debugger.x(T5) == shown, name
        debugger.pc = pc
    debugger.write(pc, code)
    debugger.set_x(T5, registers[T5])
    assert [debugger.x(number) for number in range(32)] == registers and debugger.pc == pc


def test_a_csr_that_is_written_takes_no_instruction(booted: tuple[nsoc.Soc, Debugger, Reference]) -> None:
    _, debugger, iss = booted
    rng = random.Random(1)
    for _ in range(120):
        value = rng.getrandbits(32)
        debugger.set_csr(CSRS["mscratch"], value)
        iss.csr[CSRS["mscratch"]] = value
        iss.reservation = None
        check(debugger, iss)
        debugger.step()
        iss.one(debugger)
    debugger.set_csr(CSRS["minstret"], 1000)
    assert debugger.csr(CSRS["minstret"]) == 1000
    debugger.step()
    assert debugger.csr(CSRS["minstret"]) == 1001
    with pytest.raises(nsoc.NsocError, match="does not show"):
        debugger.csr(0x7B0)
    with pytest.raises(nsoc.NsocError, match="writes x0 to x31, pc and CSRs"):
        debugger.set_csr(0x7B0, 0)


def test_code_that_is_written_is_what_runs_next(booted: tuple[nsoc.Soc, Debugger, Reference], program: Path) -> None:
    _, debugger, _ = booted
    while debugger.pc != symbols(program)["loop"]:
        debugger.step()
    debugger.set_x(17, 1000)  # passes
    for number in range(1, 40):
        for _ in range(101):  # more than a pass: the instruction cache has it all, and each time we are elsewhere
            debugger.step()
        pc, t5 = debugger.pc, debugger.x(T5)
        code = debugger.read(pc, 4)
        debugger.write(pc, (number << 20 | T5 << 7 | 0x13).to_bytes(4, "little"))  # addi t5, zero, number
        debugger.step()
        assert (debugger.pc, debugger.x(T5)) == (pc + 4, number)
        debugger.write(pc, code)
        debugger.pc = pc
        debugger.set_x(T5, t5)
    with pytest.raises(nsoc.NsocError, match="multiple of 4"):
        debugger.pc = 2


def test_a_breakpoint_stops_once_each_pass_before_its_instruction(
    booted: tuple[nsoc.Soc, Debugger, Reference], program: Path
) -> None:
    _, debugger, _ = booted
    places = symbols(program)
    debugger.insert(places["ecall"])
    debugger.insert(places["fence_i"])
    for a7 in (3, 2, 1):
        assert debugger.run() is Halt.BREAKPOINT
        assert (debugger.pc, debugger.x(17)) == (places["ecall"], a7)
        assert debugger.run() is Halt.BREAKPOINT
        assert (debugger.pc, debugger.x(17)) == (places["fence_i"], a7)
    debugger.remove(places["fence_i"])
    assert debugger.run() is Halt.NOT and not debugger.halt() and debugger.pc == places["done"]


def test_a_watchpoint_stops_right_after_the_access(
    booted: tuple[nsoc.Soc, Debugger, Reference], request: pytest.FixtureRequest
) -> None:
    _, debugger, _ = booted
    debugger.insert(DATA + 5, Point.WRITE, 1)
    assert debugger.run() is Halt.WATCHPOINT and debugger.hit == (Point.WRITE, DATA + 5)
    assert debugger.read(DATA + 5, 1)[0] == debugger.x(T6) & 0xFF
    after_write = debugger.pc
    debugger.remove(DATA + 5, Point.WRITE, 1)
    debugger.insert(DATA + 4, Point.READ, 2)
    if "blocking" in request.node.name:
        debugger.insert(0x6000_0000, Point.ACCESS, 4)  # faults, so there is no access
    assert debugger.run() is Halt.WATCHPOINT and debugger.hit == (Point.READ, DATA + 5)
    assert debugger.pc == after_write + 8  # sh, lbu
    debugger.remove(DATA + 4, Point.READ, 2)
    assert debugger.run() is Halt.NOT and not debugger.halt()


def test_a_debugger_that_comes_later_sees_the_same(program: Path) -> None:
    with nsoc.Soc("nic12-fast", "hello", checks=True) as soc, nsoc.Soc("nic12-fast", "hello", checks=True) as other:
        soc.run(us=8)
        debugger = soc.debugger()
        reference = other.debugger()
        while reference.csr(CSRS["minstret"]) < debugger.csr(CSRS["minstret"]):
            reference.step()
        assert (debugger.pc, [debugger.x(n) for n in range(1, 32)]) == (
            reference.pc,
            [reference.x(n) for n in range(1, 32)],
        )
        assert soc.cycles == other.cycles, "looking costs no time"


# ---- The protocol


@dataclass(frozen=True)
class Core:
    """What the protocol says differently of each core."""

    preset: str
    order: Literal["little", "big"]
    pc: int
    """GDB's number of it."""
    shown: int
    """Registers in the answer to `g`."""
    stack: tuple[int, int]
    """The register that start-up has put the stack's address into, and that address, ..."""
    started: tuple[int, int]
    """... after so many instructions, at this address."""
    retired: int
    """Number of the register that counts them."""
    asleep: tuple[str, ...]
    """What a program that has ended does."""

    def store(self, instr: int) -> int | None:
        """The register whose value an instruction stores; None of one that does not store."""
        if self.order == "little":
            return instr >> 20 & 31 if instr & 0x707F == 0x2023 else None
        return instr >> 25 & 31 if instr >> 30 == 3 and instr >> 19 & 0x3F == 4 else None


RISCV = Core("nic12-fast", "little", 32, 33, (2, 0x4010_0000), (7, 28), 65 + 0xB02, ("73005010", "6ff0dfff"))
SPARC = Core(
    "ajit-nic12-fast", "big", 68, 72, (14, 0x400F_FFA0), (17, 0x103C), 78, ("a7802000", "10bfffff", "01000000")
)
CORES = [RISCV, *slow([SPARC])]


class Served:
    """A server on a thread of its own; the SoC belongs to that thread while it serves."""

    def __init__(self, firmware_name: str | Path, core: Core = RISCV, **options) -> None:
        self.shown: queue.Queue[str] = queue.Queue()
        self.core = core
        self.soc = nsoc.Soc(core.preset, firmware_name, checks=True)
        self.server = GdbServer(SocTarget(self.soc, show=self.shown.put, **options), 0)
        self.thread = threading.Thread(target=self.server.serve, daemon=True)

    def __enter__(self) -> Client:
        self.thread.start()
        self.client = self.another()
        return self.client

    def another(self) -> Client:
        """A new connection."""
        return Client(self.server.port, self.core.order)

    def __exit__(self, *_: object) -> None:
        self.client.send("k")
        self.thread.join(60)
        assert not self.thread.is_alive(), "the server does not end"
        self.server.close()
        self.soc.close()


@pytest.mark.parametrize("core", CORES, ids=lambda core: core.preset)
def test_a_session_of_hello(core: Core) -> None:
    served = Served("hello", core)
    with served as gdb:
        assert "PacketSize=4000" in gdb.ask("qSupported:multiprocess+;swbreak+;hwbreak+")
        assert gdb.ask("?").startswith("T05")
        assert gdb.ask("qAttached") == "1"
        assert gdb.word(f"p{core.pc:x}") == 0
        # Up to where crt0.S has set the stack pointer
        assert gdb.ask("s").startswith("T05") and gdb.ask("vCont;s:1;c").startswith("T05")
        steps, pc = core.started
        for _ in range(steps - 2):
            assert gdb.ask("s").startswith("T05")
        registers = gdb.ask("g")
        assert len(registers) == core.shown * 8
        found = [registers[8 * n : 8 * n + 8] for n in range(core.shown)]
        assert found[core.stack[0]] == core.stack[1].to_bytes(4, core.order).hex()
        assert found[core.pc] == pc.to_bytes(4, core.order).hex()
        assert gdb.word(f"p{core.retired:x}") == steps

        assert gdb.ask("Z2,ffff3200,4") == "OK"
        for character in "Hello":
            assert gdb.ask("c") == "T05watch:ffff3200;thread:1;"
            instr = gdb.word(f"m{gdb.word(f'p{core.pc:x}') - 4:x},4")
            register = core.store(instr)
            assert register is not None and gdb.word(f"p{register:x}") == ord(character)
        assert gdb.ask("z2,ffff3200,4") == "OK"

        gdb.send("c")
        assert gdb.byte() == b"+"
        printed = ""
        while "\n" not in printed:
            printed += served.shown.get(timeout=60)
        gdb.socket.sendall(b"\x03")
        assert gdb.reply() == "T02thread:1;"
        asleep = gdb.word(f"p{core.pc:x}")
        assert gdb.ask(f"m{asleep:x},4") in core.asleep
        assert printed == "Hello from the N-SoC.\n"
        assert gdb.monitor("uart") == "Hello from the N-SoC.\n"
        assert "instructions retired" in gdb.monitor("cycles")
        assert "counters" in gdb.monitor("help") and "no monitor command" in gdb.monitor("nonsense")
        assert gdb.monitor("counters") == "all counters are zero\n"
        assert "cannot be booted again" in gdb.monitor("reset")


@pytest.mark.parametrize("core", CORES, ids=lambda core: core.preset)
def test_frames_go_out_when_the_firmware_is_ready(core: Core) -> None:
    with Served("forward", core, frames=[Outgoing(bytes(60), bad_fcs=True), Outgoing(bytes(60))]) as gdb:
        assert "62 bytes" in gdb.monitor("send " + "00" * 62) and "two hex digits" in gdb.monitor("send 0")
        for _ in range(1000):
            gdb.send("c")
            gdb.socket.sendall(b"\x03")  # lets a slice of time pass
            assert gdb.reply() == "T02thread:1;"
            counters = dict(line.split() for line in gdb.monitor("counters").splitlines()[:3])
            if "rx_good" in counters:
                break
        assert counters == {"rx_good": "1", "rx_drop_fcs": "1", "rx_drop_disabled": "1"}
        assert "ready" in gdb.monitor("uart")


def test_memory_and_registers_through_the_protocol(program: Path) -> None:
    with Served(program) as gdb:
        assert gdb.ask("M40000200,5:0102030405") == "OK" and gdb.ask("m40000200,5") == "0102030405"
        assert gdb.ask(b"X50000001,3:\x7d\x03\x7d\x5d\xff") == "OK" and gdb.ask("m50000001,3") == "237dff"
        assert gdb.ask("X0,0:") == "OK" and gdb.ask("m0,0") == ""
        assert gdb.ask("Pf=78563412") == "OK" and gdb.word("pf") == 0x1234_5678
        everything = bytearray.fromhex(gdb.ask("g"))
        everything[4 * 11 : 4 * 12] = b"\xaa\xbb\xcc\xdd"
        everything[4 * 32 :] = (12).to_bytes(4, "little")
        assert gdb.ask("G" + everything.hex()) == "OK" and bytes.fromhex(gdb.ask("g")) == everything
        assert gdb.ask("s").startswith("T05") and gdb.word("p20") == 16

        mscratch, mhartid = f"{65 + 0x340:x}", f"{65 + 0xF14:x}"
        assert gdb.ask(f"P{mscratch}=78563412") == "OK" and gdb.word(f"p{mscratch}") == 0x1234_5678
        assert gdb.word(f"p{mhartid}") == 0 and gdb.word(f"p{65 + 0x301:x}") == 0x4000_1101
        impossible = {
            f"P{mhartid}=00000000": "this CSR is read-only",
            "p40": "GDB's register 64 is not shown", "pffff": "is not shown", "P20=02000000": "multiple of 4",
        }  # fmt: skip
        assert gdb.ask("m60000000,4") == "E01"
        assert "error-message+" in gdb.ask("qSupported:error-message+")
        assert "E.there is no memory for 4 bytes" in gdb.ask("m60000000,4")
        for packet, why in impossible.items():
            answer = gdb.ask(packet)
            assert answer.startswith("E.") and why in answer, answer
        malformed_ones = ["m", "m0", "m0,", "mx,4", "M0,4:00", "M0,1:0", "P1", "P1=00", "G00", "p"]
        for malformed in [*malformed_ones, "Z0,", "Z0,100000000,4", "vCont;x", "c!", "C", "qRcmd,4"]:
            assert gdb.ask(malformed) == "E16", malformed
        for unknown in ("", "Z5,0,4", "vMustReplyEmpty", "vFlashErase:0,1", "qNonsense", "!", "R00", "\x80\xff"):
            assert gdb.ask(unknown) == "", unknown

        whole = ""
        while not whole.endswith("</target>"):
            part = gdb.ask(f"qXfer:features:read:target.xml:{len(whole):x},100")
            assert part[0] == ("l" if part.endswith("</target>") else "m")
            whole += part[1:]
        registers = {one.get("name"): one for one in ElementTree.fromstring(whole).iter("reg")}
        csrs = {name: int(one.get("regnum")) - 65 for name, one in registers.items() if int(one.get("regnum")) > 32}
        assert csrs == CSRS and csrs["mcause"] == 0x342
        generic = {one.get("generic"): int(one.get("regnum")) for one in registers.values() if one.get("generic")}
        arguments = {f"arg{n + 1}": 10 + n for n in range(8)}
        assert generic == {"pc": 32, "sp": 2, "ra": 1, "fp": 8, **arguments}, "the psABI's numbers"
        assert gdb.ask("QEnableErrorStrings") == "OK"  # LLDB
        code, _, text = gdb.ask("m60000000,4").partition(";")
        assert code == "E01" and b"there is no memory" in bytes.fromhex(text)


def of_device(block: str, register: str) -> int:
    device = regs.BLOCKS[block]
    return device.base + device.registers[register].offset


def test_device_registers_through_the_protocol(program: Path) -> None:
    served = Served(program)
    served.soc.uart.write(b"xyz")
    served.soc.run(us=60)  # three bytes at 1 Mbit/s or more
    with served as gdb:
        gdb.ask("qSupported:error-message+")
        compare, rx_data = of_device("timer", "mtimecmp_low"), of_device("uart", "rx_data")
        assert gdb.word(f"m{compare:x},4") == 0xFFFF_FFFF
        assert gdb.ask(f"M{compare:x},8:7856341200000080") == "OK"
        assert gdb.ask(f"m{compare:x},8") == "7856341200000080", "two registers"
        time = of_device("timer", "mtime_low")
        first, second = gdb.word(f"m{time:x},4"), gdb.word(f"m{time:x},4")
        assert 0 < second - first < 5000, "time passes, little of it"
        fewer = {f"m{time:x},{size}": size for size in (1, 2)}
        for packet, size in fewer.items():
            assert len(gdb.ask(packet)) == 2 * size or "the bus answers" in gdb.ask(packet)

        refused = gdb.ask(f"m{rx_data:x},4")
        assert refused == "E.a read of uart.rx_data does something in the device: say `monitor effects on` first"
        assert refused[2:] in served.shown.get(timeout=60), "for a GDB that does not show it"
        assert "effects" in gdb.monitor("help") and gdb.monitor("effects on").endswith("are read\n")
        for character in b"xyz":
            assert gdb.word(f"m{rx_data:x},4") == 1 << 8 | character, "one read takes one byte"
        assert gdb.word(f"m{rx_data:x},4") & 1 << 8 == 0
        assert gdb.monitor("effects off").endswith("are not read\n")
        assert gdb.ask(f"m{rx_data:x},4") == refused

        # A failed access leaves the program as it was.
        csrs = [gdb.word(f"p{65 + CSRS[name]:x}") for name in ("mepc", "mcause", "mtval", "mstatus", "mip", "mbuserr")]
        pc = gdb.word("p20")
        absent = of_device("toe", "answer")
        gdb.monitor("effects on")
        assert "the bus answers the access" in gdb.ask(f"m{absent:x},4"), "nic12-fast has no engine"
        assert "the bus answers the access" in gdb.ask(f"M{absent:x},4:00000000")
        now = [gdb.word(f"p{65 + CSRS[name]:x}") for name in ("mepc", "mcause", "mtval", "mstatus", "mip", "mbuserr")]
        assert now == csrs and gdb.word("p20") == pc
        for odd in (f"m{time + 1:x},2", f"m{time + 2:x},4", f"m{time:x},6"):
            assert "as 1, 2 or 4 bytes" in gdb.ask(odd), odd
        assert "there is no device register" in gdb.ask("mff7ffffc,4")


@pytest.mark.slow
def test_sparc_registers_and_devices_through_the_protocol() -> None:
    served = Served(CALLS, SPARC)
    with served as gdb:
        gdb.ask("qSupported:error-message+")
        assert gdb.ask("M40000200,5:0102030405") == "OK" and gdb.ask("m40000200,5") == "0102030405"
        assert gdb.ask("Pf=12345678") == "OK" and gdb.word("pf") == 0x1234_5678, "o7, big-endian"
        everything = gdb.ask("g")
        floats, last = everything[8 * 32 : 8 * 64], everything[8 * 70 :]
        assert set(floats) == set(last) == {"x"}, "there is neither such a unit nor another coprocessor"
        changed = everything[: 8 * 16] + "aabbccdd" + everything[8 * 17 :]
        assert gdb.ask("G" + changed) == "OK" and gdb.ask("g") == changed
        assert gdb.ask("P45=00001004") == "OK" and gdb.word("p44") == 0 and gdb.word("p45") == 0x1004, "pc, npc"
        assert gdb.ask("P44=00001000") == "OK" and gdb.word("p45") == 0x1004, "npc goes with pc"
        impossible = {
            "P46=00000000": "neither a floating-point unit nor a coprocessor", "P20=00000000": "neither a floating",
            "p60": "GDB's register 96 is not shown", "P41=00000088": "a window, of which there are 0 to 7",
            "P44=00000002": "multiple of 4", "P45=00000002": "multiple of 4", "P50=00000000": "read-only",
        }  # fmt: skip
        for packet, why in impossible.items():
            answer = gdb.ask(packet)
            assert answer.startswith("E.") and why in answer, (packet, answer)
        for malformed in ("G00", "P1=00", "P1=xxxxxxxx"):
            assert gdb.ask(malformed) == "E16", malformed
        compare = of_device("timer", "mtimecmp_low")
        assert gdb.ask(f"M{compare:x},8:1234567880000000") == "OK" and gdb.ask(f"m{compare:x},8") == "1234567880000000"
        assert "does something in the device" in gdb.ask(f"m{of_device('uart', 'rx_data'):x},4")

        xml, whole = "qXfer:features:read:target.xml", ""
        while not whole.endswith("</target>"):
            whole += gdb.ask(f"{xml}:{len(whole):x},400")[1:]
        registers = {one.get("name"): int(one.get("regnum")) for one in ElementTree.fromstring(whole).iter("reg")}
        control = ("y", "psr", "wim", "tbr", "pc", "npc", "fsr", "csr")
        assert [registers[name] for name in control] == list(range(64, 72)), "as GDB has them"
        assert (registers["g0"], registers["sp"], registers["l0"], registers["fp"]) == (0, 14, 16, 30)
        assert registers["asr16"] == 72 and registers["asr31"] == 81

        # A jump to where no memory is
        assert gdb.ask("P44=90000000") == "OK"
        for _ in range(2):
            assert gdb.ask("c") == "T06thread:1;", "error mode"
        said = "".join(served.shown.get(timeout=60) for _ in range(3))
        assert said.count("error mode: trap 0x01 (instruction_access_exception) at 0x90000000") == 2, said
        assert gdb.word("p44") == 0x9000_0000


def test_breakpoints_through_the_protocol_and_a_new_start(program: Path) -> None:
    place = symbols(program)["fence_i"]
    boots = []

    def boot() -> nsoc.Soc:
        boots.append(nsoc.Soc("nic12-fast", program, checks=True))
        return boots[-1]

    with Served(program, boot=boot) as gdb:
        assert "hwbreak+" in gdb.ask("qSupported:swbreak+;hwbreak+")
        assert gdb.ask(f"Z0,{place:x},4") == "OK" and gdb.ask(f"Z1,{place:x},4") == "OK"
        for _ in range(3):
            assert gdb.ask("vCont;c") == "T05swbreak:;thread:1;" and gdb.word("p20") == place
        assert gdb.ask(f"z0,{place:x},4") == "OK"
        assert "booted again" in gdb.monitor("reset")
        assert gdb.word("p20") == 0
        assert gdb.ask("c") == "T05hwbreak:;thread:1;" and gdb.word("p11") == 3
        # Range stepping: to the first instruction outside.
        assert gdb.ask(f"vCont;r{place:x},{place + 8:x}:1").startswith("T05")
        assert not place <= gdb.word("p20") < place + 8
    boots[-1].close()


def test_what_is_no_packet_does_no_harm(program: Path) -> None:
    rng = random.Random(1)
    with Served(program) as gdb:
        gdb.socket.sendall(b"$g#00")
        assert gdb.byte() == b"-"
        gdb.socket.sendall(b"$g#zz\x03++-noise")
        assert gdb.byte() == b"-"
        gdb.socket.sendall(b"$" + bytes(40_000))
        assert gdb.byte() == b"-"
        assert gdb.ask("p20") == "00000000"
        gdb.socket.sendall(b"-")
        assert gdb.reply() == "00000000", "sent again"
        assert gdb.ask("QStartNoAckMode") == "OK"
        gdb.send("?")
        assert gdb.reply().startswith("T05")
        for _ in range(300):
            letters = b"gGpPmMXZzHTvqQ?" + bytes(rng.randrange(0x80, 0x100) for _ in range(3))
            rest = bytes(rng.choice(b"0123456789abcdef,;:=") for _ in range(rng.randrange(12)))
            gdb.send(bytes([rng.choice(letters)]) + rest)
            gdb.reply()
        gdb.send("?")
        assert gdb.reply().startswith("T05")


@pytest.mark.parametrize("core", CORES, ids=lambda core: core.preset)
def test_a_client_that_goes_away_leaves_a_halted_firmware_to_the_next_one(core: Core) -> None:
    served = Served("hello", core)
    with served as gdb:
        gdb.send("c")
        assert gdb.byte() == b"+"
        gdb.socket.close()
        second = served.another()
        assert second.ask("?") == "T02thread:1;"
        cycles = second.monitor("cycles")
        assert second.ask("D") == "OK"
        served.client = served.another()
        assert served.client.monitor("cycles") == cycles


HELLO = (
    "info registers pc", "break uart_puts", "continue", "backtrace", "printf \"text=%s\", {text}", "delete",
    "break uart_putc", "continue", "continue", "printf \"c=%c\\n\", {c}", "finish", "stepi",
    "x/2xw 0xffff3108", "x/xw 0xffff3204", "monitor effects on", "x/xw 0xffff3204", "monitor cycles", "x/2i $pc",
)  # fmt: skip
RISCV_HELLO = (
    "print $mepc", "set var $mscratch = 0x1234", "printf \"scratch=%x hart=%d\\n\", $mscratch, $mhartid",
    "set var $t6 = 77", "print $t6", "print/x $sp",
)  # fmt: skip
SPARC_HELLO = (
    "printf \"behind=%d\\n\", $npc - $pc", "print $f0", "print/x $wim", "set var $g3 = 77", "print $g3",
    "set var $psr = 31", "printf \"scratch=%x hart=%d\\n\", 0x1234, $asr29 >> 8 & 255",
)  # fmt: skip


def real_gdb(firmware_name: str, core: Core, *commands: str) -> str:
    """What gdb-multiarch says to these commands, with `nsoc gdb` in a process of its own."""
    served = subprocess.Popen(
        [sys.executable, "-m", "nsoc", "gdb", firmware_name, "--port", "0", "--preset", core.preset],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        for line in served.stderr:
            if line.startswith("waiting: "):
                break
        port = line.split("remote :")[1].split("'")[0]
        elf = line.split()[-1]
        all_commands = ("set pagination off", f"target remote :{port}", *commands, "kill")
        arguments = [part for command in all_commands for part in ("-ex", command)]
        done = subprocess.run(
            ["gdb-multiarch", "-nx", "-batch", *arguments, elf],
            capture_output=True, text=True, errors="replace", timeout=120, check=False,
        )  # fmt: skip
        assert served.wait(60) == 0
        return done.stdout + done.stderr
    finally:
        served.kill()
        served.communicate()


@needs.gdb
@pytest.mark.parametrize("core", CORES, ids=lambda core: core.preset)
def test_the_real_gdb_steps_through_main(core: Core) -> None:
    # Where a SPARC function without a window has its arguments, clang says wrongly: in the ins of its caller.
    text, c = ("text", "c") if core is RISCV else ("(char *) $o0", "$o2")
    hello = [command.format(text=text, c=c) for command in HELLO]
    said = real_gdb("hello", core, *hello, *(RISCV_HELLO if core is RISCV else SPARC_HELLO))
    assert "text=Hello from the N-SoC." in said, said
    assert "in main ()" in said or "main () at" in said, said
    assert "scratch=1234 hart=0" in said, said
    assert "0xffff3108:\t0xffffffff\t0xffffffff" in said, said  # mtimecmp
    assert "Cannot access memory at address 0xffff3204" in said and "0xffff3204:\t0x00000000" in said, said
    assert "c=" in said and "= 77" in said and "instructions retired" in said, said
    if core is SPARC:
        assert "behind=4" in said and "= <unavailable>" in said and "bits 4 to 0 of psr are a window" in said, said


@needs.gdb
@pytest.mark.slow
@pytest.mark.parametrize("core", [RISCV, SPARC], ids=lambda core: core.preset)
def test_the_real_gdb_goes_up_calls_that_are_deeper_than_the_windows(core: Core) -> None:
    """With locals and arguments of each, before and after some of the windows have been spilled, and come back."""
    said = real_gdb(
        str(CALLS), core,
        "break deep if depth == 8", "continue", "backtrace", "delete",
        "break deep if depth == 0", "continue", "backtrace", "frame 7", "info locals", "frame 2",
        "set var $i5 = 0x5A5A" if core is SPARC else "info frame", "frame 0",
        "delete", "finish", "finish", "backtrace", "print/x $i5" if core is SPARC else "info frame",
    )  # fmt: skip
    values, frames = {11: 7}, {}
    for depth in range(11, 0, -1):
        values[depth - 1] = values[depth] * 3 + depth
    for depth in range(12):
        frames[depth] = rf"deep \(depth=.*, value=(value@entry=)?{values[depth]}\) at"
    first, second, third = (part.splitlines() for part in said.split("#0  ")[1:4])
    for shown, depths in ((first, range(8, 12)), (second, range(12))):
        for line, depth in zip(shown, depths, strict=False):
            assert re.search(frames[depth], line), said
        assert " in main () at" in shown[len(depths)], said
    assert f"kept = {values[6]}" in said, said
    assert third
    if core is SPARC:
        assert "= 0x5a5a" in said, said
