# SPDX-License-Identifier: Apache-2.0
"""GDB's remote serial protocol over a simulated SoC: what `nsoc gdb` does.

The firmware is halted whenever GDB has not told it to go on, and simulated time stands still with it. What a stop
means, and what reading and writing does to the SoC, stands in debug.py. Errors: E16 a packet that is malformed, E01
what cannot be done (a device register, an address without memory, writing a CSR).

GDB sees one core, the one that the server was told; it is its only thread. The others run while that one runs.
"""

import select
import socket
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from nsoc.errors import NsocError
from nsoc.machine.debug import CSRS, RUN_CYCLES, Debugger, Halt, Point

if TYPE_CHECKING:
    from nsoc.machine.soc import Soc

HOST = "127.0.0.1"
"""Never another: whoever connects can do what he wants with the simulation."""
DEFAULT_PORT = 3333

PACKET_BYTES = 0x4000
STEPS_BETWEEN_POLLS = 1000
FIRST_CSR = 65
"""GDB's number of the CSR 0; x0 to x31 are 0 to 31, then comes pc."""
PC = 32
INTERRUPT = 0x03
SIGINT, SIGTRAP = 2, 5

_NAMES = ("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", *(f"a{n}" for n in range(8)))
_NAMES += (*(f"s{n}" for n in range(2, 12)), "t3", "t4", "t5", "t6")
_KINDS = (Point.EXECUTE, Point.EXECUTE, Point.WRITE, Point.READ, Point.ACCESS)
_WATCHES = {Point.WRITE: "watch", Point.READ: "rwatch", Point.ACCESS: "awatch"}
_HELP = """\
cycles     simulated time and instructions so far
counters   the NIC's frame counters that are not zero
uart       all that the SoC has printed
send HEX   play a frame to the SoC: hex bytes from the destination address on
reset      boot again; then say `maintenance flush register-cache`
"""


class Malformed(Exception):
    """A packet that is not one."""


def target_description() -> str:
    """target.xml: which registers there are."""
    kinds = {"ra": "code_ptr", "sp": "data_ptr", "gp": "data_ptr", "tp": "data_ptr", "fp": "data_ptr"}
    cpu = [f'<reg name="{n}" bitsize="32" type="{kinds.get(n, "int")}" regnum="{i}"/>' for i, n in enumerate(_NAMES)]
    cpu.append(f'<reg name="pc" bitsize="32" type="code_ptr" regnum="{PC}"/>')
    csrs = [f'<reg name="{name}" bitsize="32" type="int" regnum="{FIRST_CSR + n}"/>' for name, n in CSRS.items()]
    return (
        '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">'
        "<architecture>riscv:rv32</architecture>"
        f'<feature name="org.gnu.gdb.riscv.cpu">{"".join(cpu)}</feature>'
        f'<feature name="org.gnu.gdb.riscv.csr">{"".join(csrs)}</feature></target>'
    )


def frame_packet(data: bytes) -> bytes:
    """A packet around `data`."""
    escaped = b"".join(bytes([0x7D, c ^ 0x20]) if c in b"#$}*" else bytes([c]) for c in data)
    return b"$" + escaped + b"#%02x" % (sum(escaped) & 0xFF)


class GdbServer:
    """Listens on 127.0.0.1 and serves one GDB at a time.

    `core` is the one that GDB sees. `port` 0 takes a free one; `port` says which. `show` gets what the SoC prints.
    `frames` are played to the SoC when it has printed `ready`. `boot` makes another SoC like `soc` for `monitor reset`.
    The server closes neither.
    """

    def __init__(
        self,
        soc: "Soc",
        port: int = DEFAULT_PORT,
        *,
        show: Callable[[str], None] = lambda _: None,
        frames: Sequence[bytes] = (),
        ready: str = "ready",
        boot: "Callable[[], Soc] | None" = None,
        core: int = 0,
    ) -> None:
        self._core = core
        self._show = show
        self._all_frames = list(frames)
        self._ready = ready
        self._boot = boot
        self._start(soc)
        self._points: set[tuple[int, int, int]] = set()  # type, address, length, as GDB says them
        self._connection: socket.socket | None = None
        self._buffer = bytearray()
        self._last = b""
        self._acknowledge = True
        self._killed = False
        self._stop_words = False  # GDB understands swbreak and hwbreak
        self._stopped = self._signal(SIGTRAP)
        try:
            self._listener = socket.create_server((HOST, port))
        except (OSError, OverflowError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "no such port"
            raise NsocError(f"cannot listen on port {port} ({reason}); give --port another number") from None

    def _start(self, soc: "Soc") -> None:
        self._soc = soc
        self._debugger: Debugger = soc.debugger(self._core)
        self._frames = self._all_frames

    def __enter__(self) -> "GdbServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hangs up and stops listening."""
        self._hang_up()
        self._listener.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    @property
    def invitation(self) -> str:
        """How to connect, in one line."""
        return f"waiting: gdb-multiarch -ex 'target remote :{self.port}' {self._soc.elf}"

    def serve(self) -> None:
        """Serves one GDB after the other until one of them kills the target."""
        while not self._killed:
            self.serve_one()

    def serve_one(self) -> None:
        """Waits for a GDB and serves it until it detaches, kills or hangs up."""
        self._connection, _ = self._listener.accept()
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer.clear()
        self._acknowledge = True
        self._last = b""
        self._stop_words = False
        try:
            while self._connection is not None:
                packet = self._next_packet()
                if packet is None:
                    break
                self._answer(packet)
        except OSError:
            pass  # it hung up in the middle of something
        finally:
            self._hang_up()
            for kind, address, length in self._points:
                self._debugger.remove(address, _KINDS[kind], length)
            self._points.clear()

    # ---- The line

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _receive(self, wait: bool) -> bool:
        """Takes what has come; False when the other side has hung up."""
        assert self._connection is not None
        if not wait and not select.select([self._connection], [], [], 0)[0]:
            return True
        data = self._connection.recv(65536)
        self._buffer += data
        return bool(data)

    def _send(self, data: bytes) -> None:
        if self._connection is not None:
            self._connection.sendall(data)

    def _next_packet(self) -> bytes | None:
        """The next whole packet, acknowledged; None when the other side has hung up."""
        while True:
            if not self._buffer:
                if not self._receive(wait=True):
                    return None
                continue
            first = self._buffer[0]
            if first != ord("$"):
                del self._buffer[0]  # also an interrupt that came too late
                if first == ord("-") and self._last:
                    self._send(self._last)
                continue
            end = self._buffer.find(b"#")
            if end < 0 or len(self._buffer) < end + 3:
                if len(self._buffer) > 2 * PACKET_BYTES:
                    self._buffer.clear()
                    self._send(b"-")
                elif not self._receive(wait=True):
                    return None
                continue
            data, check = bytes(self._buffer[1:end]), bytes(self._buffer[end + 1 : end + 3])
            del self._buffer[: end + 3]
            if not self._acknowledge:
                return data
            if check.lower() == b"%02x" % (sum(data) & 0xFF):
                self._send(b"+")
                return data
            self._send(b"-")

    def _interrupted(self) -> bool:
        """Whether GDB wants the firmware to stop, or is gone."""
        if not self._receive(wait=False):
            return True
        found = INTERRUPT in self._buffer
        if found:
            self._buffer.remove(INTERRUPT)
        return found

    def _answer(self, packet: bytes) -> None:
        reply = self.command(packet)
        self._last = frame_packet(reply)
        if packet[:1] == b"k":
            self._hang_up()  # has no answer
        self._send(self._last)
        if self._killed or packet[:1] == b"D":
            self._hang_up()
        elif packet == b"QStartNoAckMode":
            self._acknowledge = False

    # ---- The commands

    def command(self, packet: bytes) -> bytes:
        """The answer to the contents of a packet; empty for what is not known, as the protocol wants it."""
        text = packet.decode("latin-1")
        try:
            return self._command(packet, text).encode("latin-1")
        except (Malformed, ValueError):
            return b"E16"
        except NsocError:
            return b"E01"

    def _command(self, packet: bytes, text: str) -> str:
        match text[:1]:
            case "?":
                return self._stopped
            case "g":
                return "".join(_word(self._register(n)) for n in range(PC + 1))
            case "G":
                return self._write_all(_bytes(text[1:]))
            case "p":
                return _word(self._register(_number(text[1:])))
            case "P":
                number, digits = _split(text[1:], "=")
                data = _bytes(digits)
                if len(data) != 4:
                    raise Malformed
                self._set_register(_number(number), int.from_bytes(data, "little"))
                return "OK"
            case "m":
                return self._read_memory(*map(_number, _split(text[1:], ",")))
            case "M":
                where, digits = _split(text[1:], ":")
                return self._write_memory(where, _bytes(digits))
            case "X":
                where, _ = _split(text[1:], ":")
                return self._write_memory(where, _unescape(packet[packet.index(b":") + 1 :]))
            case "c" | "s":
                if text[1:]:
                    self._set_register(PC, _number(text[1:]))
                return self._resume(step=text[0] == "s")
            case "C" | "S":
                signal, _, address = text[1:].partition(";")
                _number(signal)  # the firmware knows no signals
                if address:
                    self._set_register(PC, _number(address))
                return self._resume(step=text[0] == "S")
            case "Z" | "z":
                return self._point(text)
            case "H" | "T":
                return "OK"
            case "k":
                self._killed = True
                return ""
            case "D":
                return "OK"
            case "v":
                return self._v(text)
            case "q" | "Q":
                return self._query(text)
        return ""

    def _v(self, text: str) -> str:
        if text == "vCont?":
            return "vCont;c;C;s;S;r"
        if text.startswith("vCont;"):
            action = text.split(";")[1].partition(":")[0]  # there is one thread: the first action is for it
            if action[:1] == "r":
                first, end = map(_number, _split(action[1:], ","))
                return self._resume(step=True, inside=range(first, end))
            if action[:1] not in ("c", "C", "s", "S"):
                raise Malformed
            return self._resume(step=action[0] in "sS")
        if text.startswith("vKill;"):
            self._killed = True
            return "OK"
        return ""

    def _query(self, text: str) -> str:
        name, _, rest = text.partition(":")
        match name:
            case "qSupported":
                self._stop_words = "swbreak+" in rest
                return (
                    f"PacketSize={PACKET_BYTES:x};qXfer:features:read+;vContSupported+;swbreak+;hwbreak+;"
                    "QStartNoAckMode+"
                )
            case "QStartNoAckMode" | "qSymbol":
                return "OK"
            case "qAttached":
                return "1"
            case "qC":
                return "QC1"
            case "qfThreadInfo":
                return "m1"
            case "qsThreadInfo":
                return "l"
            case "qXfer" if rest.startswith("features:read:target.xml:"):
                offset, length = map(_number, _split(rest.removeprefix("features:read:target.xml:"), ","))
                whole = target_description()
                part = whole[offset : offset + min(length, PACKET_BYTES // 2)]
                return ("m" if offset + len(part) < len(whole) else "l") + part
        if name.startswith("qRcmd,"):
            said = _bytes(name.removeprefix("qRcmd,")).decode(errors="replace")
            return self.monitor(said).encode().hex() or "OK"
        return ""

    def _register(self, number: int) -> int:
        if number < PC:
            return self._debugger.x(number)
        if number == PC:
            return self._debugger.pc
        if number - FIRST_CSR not in CSRS.values():
            raise NsocError(f"GDB's register {number} is not shown")
        return self._debugger.csr(number - FIRST_CSR)

    def _set_register(self, number: int, value: int) -> None:
        if value >= 2**32:
            raise Malformed
        if number == PC:
            self._debugger.pc = value
        elif number < PC:
            self._debugger.set_x(number, value)
        else:
            raise NsocError("CSRs cannot be written")

    def _write_all(self, data: bytes) -> str:
        if len(data) != 4 * (PC + 1):
            raise Malformed
        for number in range(PC + 1):
            value = int.from_bytes(data[4 * number : 4 * number + 4], "little")
            if value != self._register(number):  # to write what is there would only take time
                self._set_register(number, value)
        return "OK"

    def _read_memory(self, address: int, length: int) -> str:
        return self._debugger.read(address, min(length, PACKET_BYTES // 2)).hex() if length else ""

    def _write_memory(self, where: str, data: bytes) -> str:
        address, length = map(_number, _split(where, ","))
        if length != len(data):
            raise Malformed
        if data:
            self._debugger.write(address, data)
        return "OK"

    def _point(self, text: str) -> str:
        kind, address, length = (_number(part) for part in text[1:].split(";")[0].split(","))
        if kind >= len(_KINDS):
            return ""
        if address >= 2**32 or length >= 2**32:
            raise Malformed
        point = (kind, address, length)
        if text[0] == "Z":
            self._debugger.insert(address, _KINDS[kind], length)
            self._points.add(point)
            return "OK"
        self._points.discard(point)
        # A software and a hardware breakpoint may be at the same address.
        if not any(_KINDS[k] is _KINDS[kind] and a == address for k, a, n in self._points if k < 2 or n == length):
            self._debugger.remove(address, _KINDS[kind], length)
        return "OK"

    # ---- Running

    def _resume(self, step: bool, inside: range | None = None) -> str:
        """Runs until something stops it; the stop reply."""
        steps = 0
        while True:
            try:
                halt = self._debugger.run(RUN_CYCLES, int(step))
            except NsocError as error:
                self._show(f"\nnsoc: {error}\n")  # GDB would not say more than that there was one
                raise
            if halt is Halt.STEPPED and inside is not None and self._debugger.pc in inside:
                steps += 1
                if steps % STEPS_BETWEEN_POLLS:
                    continue
                halt = Halt.NOT
            self._attend()
            if halt is not Halt.NOT:
                self._stopped = self._why(halt)
                return self._stopped
            if self._connection is None or self._interrupted():
                self._debugger.halt()
                self._attend()
                self._stopped = self._signal(SIGINT)
                return self._stopped

    def _attend(self) -> None:
        """What the SoC needs while it runs: its printing shown, its frames sent."""
        if printed := self._soc.uart.read():
            self._show(printed)
        if self._frames and self._ready in self._soc.uart.text:
            for frame in self._frames:
                self._soc.wire.send(frame)
            self._frames = []

    def _signal(self, number: int, why: str = "") -> str:
        return f"T{number:02x}{why}thread:1;"

    def _why(self, halt: Halt) -> str:
        if halt is Halt.WATCHPOINT:
            kind, address = self._debugger.hit
            return self._signal(SIGTRAP, f"{_WATCHES[kind]}:{address:x};")
        if halt is Halt.BREAKPOINT and self._stop_words:
            software = any(kind == 0 and address == self._debugger.pc for kind, address, _ in self._points)
            return self._signal(SIGTRAP, "swbreak:;" if software else "hwbreak:;")
        return self._signal(SIGTRAP)

    # ---- monitor

    def monitor(self, said: str) -> str:
        """What GDB's `monitor` shows for this command."""
        match said.split():
            case ["cycles"]:
                low, high = (self._debugger.csr(CSRS[name]) for name in ("minstret", "minstreth"))
                return (
                    f"{self._soc.time_us:.3f} us, {self._soc.cycles} NIC clock cycles, "
                    f"{high << 32 | low} instructions retired\n"
                )
            case ["counters"]:
                counted = [f"{name:24} {value}\n" for name, value in self._soc.counters.items() if value]
                return "".join(counted) or "all counters are zero\n"
            case ["uart"]:
                return self._soc.uart.text or "nothing was printed\n"
            case ["send", *digits] if digits:
                return self._send_frame("".join(digits))
            case ["reset"]:
                return self._reset()
            case ["help"] | []:
                return _HELP
        return f"there is no monitor command {said!r}; these there are:\n{_HELP}"

    def _send_frame(self, digits: str) -> str:
        try:
            frame = bytes.fromhex(digits.replace(":", ""))
            self._soc.wire.send(frame)
        except ValueError:
            return "a frame is given as two hex digits a byte\n"
        except NsocError as error:
            return f"{error}\n"
        return f"{len(frame)} bytes go out as time passes\n"

    def _reset(self) -> str:
        if self._boot is None:
            return "this SoC cannot be booted again\n"
        old = self._soc
        try:
            self._start(self._boot())
        except NsocError as error:
            return f"{error}\n"
        old.close()
        for kind, address, length in self._points:
            self._debugger.insert(address, _KINDS[kind], length)
        self._stopped = self._signal(SIGTRAP)
        return "booted again; now say: maintenance flush register-cache\n"


def serve(
    firmware: str | None,
    preset: str,
    *,
    port: int = DEFAULT_PORT,
    seed: int = 1,
    defines: Sequence[str] = (),
    send: Sequence[str] = (),
    ready: str = "ready",
    core: int = 0,
    show: Callable[[str], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Boots `firmware` (None: the preset's) and serves GDB until that kills it. `say` gets how to connect.

    `defines` are preprocessor symbols, NAME or NAME=VALUE. `send` is as for `running.frames_to_send`.
    """
    from nsoc.machine.running import frames_to_send
    from nsoc.machine.soc import Soc

    symbols: dict[str, int | str] = {}
    for define in defines:
        name, _, value = define.partition("=")
        if not name.isidentifier():
            raise NsocError(f"--define {define!r} is not NAME or NAME=VALUE")
        symbols[name] = value or "1"
    frames = frames_to_send(send)

    def boot() -> Soc:
        return Soc(preset, firmware, seed, defines=symbols)

    with GdbServer(boot(), port, show=show, frames=frames, ready=ready, boot=boot, core=core) as server:
        say(server.invitation)
        server.serve()


def _word(value: int) -> str:
    return value.to_bytes(4, "little").hex()


def _split(text: str, at: str) -> tuple[str, str]:
    first, found, second = text.partition(at)
    if not found:
        raise Malformed
    return first, second


def _number(digits: str) -> int:
    if not digits or len(digits) > 16 or any(c not in "0123456789abcdefABCDEF" for c in digits):
        raise Malformed
    return int(digits, 16)


def _bytes(digits: str) -> bytes:
    if any(c not in "0123456789abcdefABCDEF" for c in digits):
        raise Malformed  # fromhex would skip spaces
    return bytes.fromhex(digits)


def _unescape(data: bytes) -> bytes:
    out = bytearray()
    escaped = False
    for byte in data:
        if escaped:
            out.append(byte ^ 0x20)
        elif byte != ord("}"):
            out.append(byte)
        escaped = byte == ord("}") and not escaped
    return bytes(out)
