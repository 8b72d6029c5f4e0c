# SPDX-License-Identifier: Apache-2.0
"""The small cores under a debugger: state at a stop is compared with an instruction-set simulator, threads with a
client of GDB's protocol, and the whole with the real GDB."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import needs
import pytest
from debugged import Reference, check, check_csrs
from gdb_client import Client
from runs import seeds

from nsoc.errors import NsocError
from nsoc.machine import firmware, presets
from nsoc.machine.debug import Halt, Point
from nsoc.machine.gdb import GdbServer, Wish
from nsoc.machine.memory_map import CSRS
from nsoc.pnic import firmware as pnic_firmware
from nsoc.pnic import nic
from nsoc.pnic.debug import CoreState, Debugger
from nsoc.pnic.gdb import NicTarget
from nsoc.pnic.simulator import Simulator

pytestmark = pytest.mark.slow

FRAMES, PAD, NOWHERE = 0x4000_0100, 0x5000_1000, 0x6000_0000
RECORD, SET, UPDATE = 0x5000_1080, 0x011A_200B, 0x020A_230B
"""An order record, and the instructions of the program that are about it."""
T5, T6, A7 = 30, 31, 17
CORE = 3
CORES = 6

# Each kind of instruction next to others, in the scratchpad and the frame memory, traps of all sorts. t5 and t6 take
# part in the arithmetic only, so that they may be changed at will.
PROGRAM = """
    .globl _start
_start:
    la      t0, handler
    csrw    mtvec, t0
    csrwi   0x7C1, 2
    li      s0, 0x40000100
    li      s1, 0x50001000
    li      s3, 0x60000000
    li      s4, 0x50001080
    li      a7, 3
loop:
    sw      t5, 0(s1)
    lw      a0, 0(s1)
    add     t6, t6, a0
    sb      t6, 5(s1)
    sh      t6, 10(s1)
    lbu     a1, 5(s1)
    lh      a2, 10(s1)
    mul     a3, t5, a2
    mulhu   a4, t5, t6
    div     a5, a3, t6
    sw      a3, 0(s0)
    sw      a4, 4(s0)
    lw      t1, 0(s0)
    lb      t2, 6(s0)
    lw      t3, 4(s0)
    xor     t5, t1, t3
    amoadd.w t1, t5, (s1)
    amoswap.w t2, t1, (s1)
    amomaxu.w zero, t1, (s1)
    lr.w    t3, (s1)
    addi    t3, t3, 1
    sc.w    t4, t3, (s1)
    lw      t4, 0(s1)
    sc.w    t4, t3, (s1)
    .insn r 0x0B, 2, 0, x0, s4, a7
    .insn r 0x0B, 2, 1, t1, s4, x0
    csrrw   t1, mscratch, t5
    csrrs   t2, mscratch, t6
    csrr    t4, mscratch
    ecall
    .word   0xffffffff
    lw      t1, 2(s1)
    lw      t1, 0(s3)
    sw      t1, 0(s3)
    sh      t1, 1(s0)
    amoadd.w t1, t5, (s0)
    ebreak
    fence
    sw      t6, 12(s1)
    fence.i
    jal     ra, sub
    bltu    t5, t6, 1f
    addi    t6, t6, 3
1:  sw      t6, 16(s1)
    lw      t6, 16(s1)
    beqz    t6, 2f
    srai    t6, t6, 1
2:  addi    a7, a7, -1
    bnez    a7, loop
done:
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


@dataclass
class Program:
    code: bytes

    def place(self, word: int, occurrence: int = 0) -> int:
        """Where an instruction is."""
        words = [int.from_bytes(self.code[i : i + 4], "little") for i in range(0, len(self.code), 4)]
        return [4 * i for i, found in enumerate(words) if found == word][occurrence]

    @property
    def done(self) -> int:
        return self.place(0x0000_006F)

    @property
    def loop(self) -> int:
        return self.place(0x01E4_A023)  # sw t5, 0(s1)

    @property
    def ecall(self) -> int:
        return self.place(0x73)

    @property
    def fence_i(self) -> int:
        return self.place(0x100F)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.S").write_text(PROGRAM, encoding="ascii")
    (folder / "program.ld").write_text("SECTIONS { .text 0 : { *(.text) } }", encoding="ascii")
    elf = folder / "program.elf"
    subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding", "-g0", "-nostdlib", "-static",
         "-mcpu=generic_rv32+m+a+zicsr+zifencei", "-mno-relax", "-T", str(folder / "program.ld"),
         str(folder / "program.S"), "-o", str(elf)],
        check=True, env=firmware.zig_environment(),
    )  # fmt: skip
    (segment,) = (segment for segment in firmware.segments(elf) if segment.address == 0)
    return Program(segment.data)


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """With the preset's firmware, and the cores before their first instruction."""
    setup = nic.setup_of(presets.load("pnic-rice"))
    with Simulator(setup, nic.firmware_of(setup, 1518), 1518, 1) as simulator:
        yield simulator


@pytest.fixture
def booted(simulator: Simulator, program: Program) -> tuple[Debugger, CoreState, Reference]:
    """One core before the program that has been written over the firmware, and the reference; the others hold."""
    debugger = Debugger(simulator, CORES)
    simulator.traffic(0, 0)
    core = debugger.cores[CORE]
    core.write(0, program.code)
    iss = Reference(small=True)
    iss.rom[: len(program.code)] = program.code
    assert core.read(0, len(program.code)) == program.code
    for number in (T5, T6):
        core.set_x(number, 0)
    for number in range(1, 32):  # reset leaves them as they are
        iss.x[number] = core.x(number)
    for memory in (FRAMES, PAD, PAD + 64, PAD + 128, PAD + 192):
        core.write(memory, bytes(64))
    return debugger, core, iss


def same_memory(core: CoreState, iss: Reference) -> None:
    for address, length in ((FRAMES, 16), (PAD, 24), (PAD + 128, 128)):
        memory, at = iss._region(address)
        assert core.read(address, length) == memory[at : at + length], f"{address:#x} before {iss.pc:#x}"


def test_every_stop_shows_the_state_between_two_instructions(
    booted: tuple[Debugger, CoreState, Reference], program: Program
) -> None:
    debugger, core, iss = booted
    core.set_x(T5, 0x1234_5678)
    iss.x[T5] = 0x1234_5678
    check(core, iss)
    others = [other.pc for other in debugger.cores]
    while iss.pc != program.done:
        debugger.step(CORE)
        iss.one()
        check(core, iss)
        same_memory(core, iss)
    assert iss.retired > 150
    others[CORE] = program.done
    assert [other.pc for other in debugger.cores] == others, "who holds stays"
    with pytest.raises(NsocError, match="multiple of 4"):
        core.pc = 2
    with pytest.raises(NsocError, match="no memory"):
        core.read(0x5003_FFFE, 4)
    with pytest.raises(NsocError, match="no such register"):
        core.x(32)


@pytest.mark.parametrize("seed", seeds(1, 5))
def test_what_is_written_at_any_stop_is_what_the_firmware_finds(
    booted: tuple[Debugger, CoreState, Reference], program: Program, seed: int
) -> None:
    debugger, core, iss = booted
    rng = random.Random(seed)
    while iss.pc != program.done:
        match rng.randrange(5):
            case 0 | 1:
                number, value = rng.choice((T5, T6)), rng.getrandbits(32)
                core.set_x(number, value)
                iss.x[number] = value
            case 2:
                address, data = rng.choice((FRAMES, PAD)) + rng.randrange(12), rng.randbytes(rng.randrange(1, 9))
                if iss.reservation is None:
                    core.write(address, data)
                    memory, at = iss._region(address)
                    memory[at : at + len(data)] = data
            case 3:
                core.pc = iss.pc
                iss.reservation = None
        check(core, iss)
        debugger.step(CORE)
        iss.one()
        check(core, iss)
        same_memory(core, iss)


def test_csrs_are_read_and_written_as_instructions_do_it(booted: tuple[Debugger, CoreState, Reference]) -> None:
    _, core, iss = booted
    others = [other.pc for other in booted[0].cores]
    check_csrs(core, iss, random.Random(1))
    assert [other.pc for other in booted[0].cores] == others
    assert [other.csr(CSRS["mhartid"]) for other in booted[0].cores] == list(range(CORES))


@pytest.mark.parametrize("seed", seeds(1, 5))
def test_a_halt_at_any_time_is_between_two_instructions(
    booted: tuple[Debugger, CoreState, Reference], program: Program, seed: int
) -> None:
    debugger, core, iss = booted
    rng = random.Random(seed)
    halts = 0
    while iss.pc != program.done:
        assert debugger.resume({CORE: Wish.RUN}, rng.randrange(1, 40)).halt is Halt.NOT
        debugger.halt()
        retired = core.csr(CSRS["minstret"])
        while (iss.retired < retired or iss.pc != core.pc) and iss.pc != program.done:
            assert iss.retired <= retired, "the reference went past the halt"
            iss.one()
        if iss.pc != program.done:
            check(core, iss)
            same_memory(core, iss)
            halts += 1
    assert halts > 5


def test_code_that_is_written_is_what_runs_next(
    booted: tuple[Debugger, CoreState, Reference], program: Program
) -> None:
    debugger, core, _ = booted
    while core.pc != program.loop:
        debugger.step(CORE)
    core.set_x(A7, 1000)  # passes
    for number in range(1, 20):
        for _ in range(93):  # more than a pass: the instruction cache has it all, and each time we are elsewhere
            debugger.step(CORE)
        pc, t5 = core.pc, core.x(T5)
        code = core.read(pc, 4)
        core.write(pc, (number << 20 | T5 << 7 | 0x13).to_bytes(4, "little"))  # addi t5, zero, number
        debugger.step(CORE)
        assert (core.pc, core.x(T5)) == (pc + 4, number)
        core.write(pc, code)
        core.pc = pc
        core.set_x(T5, t5)


def test_a_breakpoint_stops_each_core_once_each_pass_before_its_instruction(
    booted: tuple[Debugger, CoreState, Reference], program: Program
) -> None:
    debugger, _, _ = booted
    debugger.insert(program.ecall)
    debugger.insert(program.fence_i)
    seen = []
    while len(seen) < 6 * CORES:
        stopped = debugger.resume()
        assert stopped.halt is Halt.BREAKPOINT
        seen.append((stopped.core, debugger.cores[stopped.core].pc, debugger.cores[stopped.core].x(A7)))
    passes = [(place, a7) for a7 in (3, 2, 1) for place in (program.ecall, program.fence_i)]
    for core in range(CORES):
        assert [(pc, a7) for who, pc, a7 in seen if who == core] == passes
    assert debugger.resume(cycles=2000).halt is Halt.NOT
    debugger.halt()
    assert {core.pc for core in debugger.cores} == {program.done}


def test_a_watchpoint_stops_right_behind_the_access_whoever_does_it(
    booted: tuple[Debugger, CoreState, Reference], program: Program
) -> None:
    debugger, core, _ = booted
    alone = {CORE: Wish.RUN}
    debugger.insert(PAD + 5, Point.WRITE, 1)
    assert debugger.resume(alone).address == PAD + 5
    assert core.read(PAD + 5, 1)[0] == core.x(T6) & 0xFF
    after_write = core.pc
    debugger.remove(PAD + 5, Point.WRITE, 1)
    debugger.insert(PAD + 4, Point.READ, 2)
    debugger.insert(PAD + 8, Point.READ, 2)  # of a halfword behind it
    debugger.insert(NOWHERE, Point.WRITE, 4)  # faults, so there is no access
    stopped = debugger.resume(alone)
    assert (stopped.halt, stopped.point, stopped.address) == (Halt.WATCHPOINT, Point.READ, PAD + 5)
    assert core.pc == after_write + 8  # sh, lbu
    debugger.remove(PAD + 4, Point.READ, 2)
    debugger.remove(PAD + 8, Point.READ, 2)
    debugger.insert(FRAMES + 4, Point.ACCESS, 4)
    assert debugger.resume(alone).address == FRAMES + 4
    assert core.read(FRAMES + 4, 4) == core.x(14).to_bytes(4, "little")
    debugger.remove(FRAMES + 4, Point.ACCESS, 4)
    # `set` writes the flag of its count, and nothing else of the record; `update` the position.
    for place, word in ((RECORD + 64, SET), (RECORD, UPDATE)):
        debugger.insert(place, Point.WRITE, 4)
        assert debugger.resume(alone).address == place and core.pc == program.place(word) + 4
        debugger.remove(place, Point.WRITE, 4)
    assert debugger.resume(alone).halt is Halt.NOT, "and none at the address that faults"


def test_a_watchpoint_that_is_gone_stops_nobody(simulator: Simulator, program: Program) -> None:
    """Also where a second core had come to it before all stood still."""
    debugger = Debugger(simulator, CORES)
    simulator.traffic(0, 0)
    debugger.cores[0].write(0, program.code)
    debugger.insert(PAD + 12, Point.WRITE, 4)
    stopped = debugger.resume(cycles=100_000)
    assert (stopped.halt, stopped.address) == (Halt.WATCHPOINT, PAD + 12)
    debugger.remove(PAD + 12, Point.WRITE, 4)
    assert debugger.resume(cycles=5_000).halt is Halt.NOT


def test_of_a_held_core_nothing_is_told_until_it_goes_on(simulator: Simulator, program: Program) -> None:
    debugger = Debugger(simulator, CORES)
    simulator.traffic(0, 0)
    debugger.cores[0].write(0, program.code)
    debugger.insert(PAD + 12, Point.WRITE, 4)
    told = [debugger.resume(cycles=100_000).core]
    debugger.halt()
    while len(told) < CORES:  # those that had come to it before all stood still are told when they are to go on
        left = {core: Wish.RUN for core in range(CORES) if core not in told}
        stopped = debugger.resume(left, cycles=100_000)
        assert stopped.halt is Halt.WATCHPOINT and stopped.core in left
        told.append(stopped.core)
    assert sorted(told) == list(range(CORES))


def test_what_an_assist_writes_is_watched_and_firmware_goes_on_as_if_nothing_had_been(simulator: Simulator) -> None:
    debugger = Debugger(simulator, CORES)
    simulator.traffic(100, 100)
    setup = nic.setup_of(presets.load("pnic-rice"))
    symbols = pnic_firmware.symbols(nic.firmware_of(setup, 1518))
    debugger.insert(symbols["news"], Point.WRITE, 4)
    assert debugger.resume(cycles=50_000).halt is Halt.WATCHPOINT
    for progress in range(2, 6):  # of DMA read
        stopped = debugger.resume({core: Wish.RUN for core in range(1, CORES)}, 50_000)
        assert (stopped.halt, stopped.core) == (Halt.WATCHPOINT, 1), "the first of those that go on is told"
        debugger.halt()
        assert int.from_bytes(debugger.cores[0].read(symbols["news"], 4), "little") == progress
    debugger.remove(symbols["news"], Point.WRITE, 4)
    debugger.insert(symbols["show"])
    for _ in range(3):
        while debugger.resume().halt is Halt.NOT:
            pass
    debugger.remove(symbols["show"])
    ends = simulator.ends()
    assert ends["tx_sent"] > 100 and ends["rx_good"] > 100, "each frame is looked at: they are whole and in order"


# ---- The protocol


class Served:
    """A server on a thread of its own; the NIC belongs to that thread while it serves."""

    def __init__(self, simulator: Simulator) -> None:
        self.target = NicTarget(simulator, CORES)
        simulator.traffic(100, 100)
        self.server = GdbServer(self.target, 0)
        self.thread = threading.Thread(target=self.server.serve, daemon=True)

    def __enter__(self) -> Client:
        self.thread.start()
        self.client = Client(self.server.port)
        return self.client

    def __exit__(self, *_: object) -> None:
        self.client.send("k")
        self.thread.join(60)
        assert not self.thread.is_alive(), "the server does not end"
        self.server.close()


def test_cores_are_threads(simulator: Simulator) -> None:
    with Served(simulator) as gdb:
        assert gdb.ask("qfThreadInfo") == "m1,2,3,4,5,6" and gdb.ask("qsThreadInfo") == "l"
        assert bytes.fromhex(gdb.ask("qThreadExtraInfo,4")) == b"core 3"
        assert gdb.ask("T6") == "OK" and gdb.ask("T7") == "E.there is no thread 7"
        assert gdb.ask("Hg9") == "E.there is no thread 9" and gdb.ask("Hx1") == "E16"
        # One goes on alone, and is the one that is looked at then.
        assert gdb.ask("vCont;s:4") == "T05thread:4;" and gdb.ask("qC") == "QC4" and gdb.word("p20") == 4
        assert gdb.ask("Hg1") == "OK" and gdb.word("p20") == 0
        assert gdb.ask("Hc4") == "OK" and gdb.ask("s") == "T05thread:4;" and gdb.word("p20") == 8
        # The first action that fits: thread 2 steps, the others go on meanwhile.
        assert gdb.ask("vCont;s:2;c") == "T05thread:2;" and gdb.word("p20") == 4
        assert gdb.ask("Hg6") == "OK" and gdb.word("p20") > 0
        assert gdb.ask("vCont;r4,c:2;c").startswith("T05thread:2") and gdb.word("p20") == 12
        assert gdb.ask("vCont;s:9") == "E.there is no thread 9" and gdb.ask("vCont;r1:2") == "E16"
        gdb.send("vCont;c")
        assert gdb.byte() == b"+"
        gdb.socket.sendall(b"\x03")
        assert gdb.reply() == "T02thread:1;"
        # Of those that go on, and in the middle of a step over a whole program, too.
        for letters, thread in (("vCont;c:4", 4), ("vCont;r0,20000:2", 2)):
            gdb.send(letters)
            assert gdb.byte() == b"+"
            time.sleep(0.1)
            gdb.socket.sendall(b"\x03")
            assert gdb.reply() == f"T02thread:{thread};"
        assert "instructions retired" in gdb.monitor("cycles") and "no core has trapped" in gdb.monitor("traps")
        assert "from now on" in gdb.monitor("traffic 0 50") and "no monitor command" in gdb.monitor("traffic 0 101")
        assert "traffic SEND" in gdb.monitor("help")


def test_a_core_that_traps_is_told_and_the_others_go_on(simulator: Simulator) -> None:
    with Served(simulator) as gdb:
        gdb.ask("Hg2")
        for _ in range(4):  # mtvec is set
            gdb.ask("vCont;s:2")
        assert gdb.ask("P20=00000270") == "OK"  # beyond the instruction memory
        for _ in range(100):
            gdb.send("vCont;c")
            assert gdb.byte() == b"+"
            gdb.socket.sendall(b"\x03")
            gdb.reply()
            said = gdb.monitor("traps")
            if "core 1" in said:
                break
        assert said == "core 1 at 0x70020000, mcause 1\n"
        assert gdb.monitor("counters") != "all counters are zero\n"


@needs.gdb
def test_the_real_gdb_sees_six_threads() -> None:
    served = subprocess.Popen(
        [sys.executable, "-m", "nsoc", "gdb", "--preset", "pnic-rice", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        for line in served.stderr:
            if line.startswith("waiting: "):
                break
        port = line.split("remote :")[1].split("'")[0]
        elf = line.split()[-1]
        commands = [
            "set pagination off", f"target remote :{port}", "info threads", "break send_frames", "continue",
            "backtrace", "delete", "watch news.read", "continue", "print news.read", "thread 3", "stepi",
            "set scheduler-locking on",
            "stepi", "thread apply all print $pc", "monitor cycles", "kill",
        ]  # fmt: skip
        arguments = [part for command in commands for part in ("-ex", command)]
        done = subprocess.run(
            ["gdb-multiarch", "-nx", "-batch", *arguments, elf],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        said = done.stdout + done.stderr
        assert all(f"Thread {core + 1} (core {core})" in said for core in range(CORES)), said
        assert "hit Breakpoint 1, send_frames" in said and "in main (hart=" in said, said
        assert "Old value = " in said and "Cannot" not in said and "instructions retired" in said, said
        assert served.wait(60) == 0
    finally:
        served.kill()
        served.communicate()


def test_what_cannot_be_is_one_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = {
        ("litmus",): "moves no frames", ("nonsense",): "there is no program 'nonsense'",
        ("--core", "1"): "presets with one processor", ("--define", "A=x"): "is not NAME or NAME=NUMBER",
    }  # fmt: skip
    for more, sentence in arguments.items():
        done = subprocess.run(
            [sys.executable, "-m", "nsoc", "gdb", "--preset", "pnic-rice", "--port", "0", *more],
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode != 0 and sentence in done.stderr and "Traceback" not in done.stderr, done.stderr
