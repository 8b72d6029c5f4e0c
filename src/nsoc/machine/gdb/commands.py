# SPDX-License-Identifier: Apache-2.0
"""The answer to each packet.

Errors: E16 a packet that is malformed, E.text what cannot be done and why: an address without memory, a CSR that is
read-only, a device register whose read does something. LLDB, which asks for it, gets that text as it wants it. GDB
before 15 takes no text for a read of memory, and gets E01.
"""

from collections.abc import Callable

from nsoc.errors import NsocError
from nsoc.machine.gdb.packets import (
    DATA_BYTES,
    PACKET_BYTES,
    Malformed,
    hex_bytes,
    number,
    split,
    unescape,
)
from nsoc.machine.gdb.registers import Core, Registers
from nsoc.machine.gdb.target import POINTS, Target, Wish

FIRST = 1
"""The thread that is looked at until GDB chooses another."""
ALL = 0
WORD_BYTES = 4
_UNAVAILABLE = "x" * 2 * WORD_BYTES


class Commands:
    """What one GDB says to `target`. `interrupted` tells whether it wants a running firmware to stop."""

    def __init__(self, target: Target, interrupted: Callable[[], bool]) -> None:
        self._target = target
        self._interrupted = interrupted
        self._thread = FIRST  # whose state is asked for
        self._resumed = ALL  # who goes on with `c` and `s`
        self._error_strings = False  # LLDB has asked for them
        self._error_messages = False  # GDB knows E.text as the answer to any packet
        self.killed = False
        """Whether GDB has killed the target."""

    def answer(self, packet: bytes) -> bytes:
        """The answer to the contents of a packet; empty for what is not known, as the protocol wants it."""
        text = packet.decode("latin-1")
        try:
            return self._answer(packet, text).encode("latin-1")
        except (Malformed, ValueError):
            return b"E16"
        except NsocError as error:
            if self._error_strings:
                return b"E01;" + str(error).encode().hex().encode()
            if text[:1] == "m" and not self._error_messages:
                return b"E01"
            return b"E." + str(error).encode()

    def _answer(self, packet: bytes, text: str) -> str:
        match text[:1]:
            case "?":
                return self._target.stopped
            case "g":
                return "".join(map(self._register, range(self._registers.shown)))
            case "G":
                return self._write_all(text[1:])
            case "p":
                return self._register(number(text[1:]))
            case "P":
                register, digits = split(text[1:], "=")
                self._set_register(number(register), self._word(digits))
                return "OK"
            case "m":
                return self._read_memory(*map(number, split(text[1:], ",")))
            case "M":
                where, digits = split(text[1:], ":")
                return self._write_memory(where, hex_bytes(digits))
            case "X":
                where, _ = split(text[1:], ":")
                return self._write_memory(where, unescape(packet[packet.index(b":") + 1 :]))
            case "c" | "s":
                if text[1:]:
                    self._set_register(self._registers.pc, number(text[1:]))
                return self._go(Wish.STEP if text[0] == "s" else Wish.RUN)
            case "C" | "S":
                signal, _, address = text[1:].partition(";")
                number(signal)  # the firmware knows no signals
                if address:
                    self._set_register(self._registers.pc, number(address))
                return self._go(Wish.STEP if text[0] == "S" else Wish.RUN)
            case "Z" | "z":
                return self._point(text)
            case "H":
                return self._choose(text)
            case "T":
                self._valid(number(text[1:]))
                return "OK"
            case "D":
                return "OK"
            case "k":
                self.killed = True
                return ""
            case "v":
                return self._v(text)
            case "q" | "Q":
                return self._query(text)
        return ""

    def _v(self, text: str) -> str:
        if text == "vCont?":
            return "vCont;c;C;s;S;r"
        if text.startswith("vCont;"):
            return self._continue(text.split(";")[1:])
        if text.startswith("vKill;"):
            self.killed = True
            return "OK"
        return ""

    def _query(self, text: str) -> str:
        name, _, rest = text.partition(":")
        match name:
            case "qSupported":
                self._target.stop_words = "swbreak+" in rest
                self._error_messages = "error-message+" in rest
                return (
                    f"PacketSize={PACKET_BYTES:x};qXfer:features:read+;vContSupported+;swbreak+;hwbreak+;"
                    "QStartNoAckMode+;error-message+"
                )
            case "QStartNoAckMode" | "qSymbol":
                return "OK"
            case "QEnableErrorStrings":
                self._error_strings = True
                return "OK"
            case "qAttached":
                return "1"
            case "qC":
                return f"QC{self._thread:x}"
            case "qfThreadInfo":
                return "m" + ",".join(f"{thread:x}" for thread in self._threads)
            case "qsThreadInfo":
                return "l"
            case _ if name.startswith("qThreadExtraInfo,"):
                return self._target.title(self._valid(number(name.split(",")[1]))).encode().hex()
            case "qXfer" if rest.startswith("features:read:target.xml:"):
                offset, length = map(number, split(rest.removeprefix("features:read:target.xml:"), ","))
                whole = self._registers.description()
                part = whole[offset : offset + min(length, DATA_BYTES)]
                return ("m" if offset + len(part) < len(whole) else "l") + part
        if name.startswith("qRcmd,"):
            said = hex_bytes(name.removeprefix("qRcmd,")).decode(errors="replace")
            return self._target.monitor(said).encode().hex() or "OK"
        return ""

    # ---- Threads

    @property
    def _threads(self) -> range:
        return range(FIRST, FIRST + self._target.threads)

    @property
    def _core(self) -> Core:
        return self._target.core(self._thread)

    def _valid(self, thread: int) -> int:
        if thread not in self._threads:
            raise NsocError(f"there is no thread {thread}")
        return thread

    def _choose(self, text: str) -> str:
        kind, which = text[1:2], text[2:]
        thread = ALL if which in ("-1", "0") else self._valid(number(which))
        if kind == "g":
            self._thread = thread or self._thread
        elif kind == "c":
            self._resumed = thread
        else:
            raise Malformed
        return "OK"

    def _go(self, wish: Wish) -> str:
        """Goes on with the thread that `Hc` has chosen; all with `c`, when it has chosen none."""
        if wish is Wish.RUN and self._resumed == ALL:
            return self._resume(dict.fromkeys(self._threads, wish))
        others = Wish.RUN if self._resumed == ALL else Wish.HOLD
        return self._resume(dict.fromkeys(self._threads, others) | {self._resumed or self._thread: wish})

    def _continue(self, actions: list[str]) -> str:
        """vCont: for each thread the first action that is for it."""
        wishes = dict.fromkeys(self._threads, Wish.HOLD)
        inside = None
        for action in reversed(actions):
            what, _, which = action.partition(":")
            match what[:1]:
                case "c" | "C":
                    wish = Wish.RUN
                case "s" | "S":
                    wish = Wish.STEP
                case "r":
                    first, end = map(number, split(what[1:], ","))
                    wish, inside = Wish.STEP, range(first, end)
                case _:
                    raise Malformed
            chosen = self._threads if which in ("", "-1") else [self._valid(number(which))]
            wishes |= dict.fromkeys(chosen, wish)
        return self._resume(wishes, inside)

    # ---- What they do

    @property
    def _registers(self) -> Registers:
        return self._target.registers

    def _register(self, number: int) -> str:
        """What is in a register, in hex digits."""
        value = self._registers.get(self._core, number)
        return _UNAVAILABLE if value is None else value.to_bytes(WORD_BYTES, self._registers.order).hex()

    def _word(self, digits: str) -> int:
        data = hex_bytes(digits)
        if len(data) != WORD_BYTES:
            raise Malformed
        return int.from_bytes(data, self._registers.order)

    def _set_register(self, number: int, value: int) -> None:
        if value >= 2**32:
            raise Malformed
        self._registers.put(self._core, number, value)

    def _write_all(self, digits: str) -> str:
        size = 2 * WORD_BYTES
        if len(digits) != size * self._registers.shown:
            raise Malformed
        words = [digits[n : n + size] for n in range(0, len(digits), size)]
        values = {n: self._word(word) for n, word in enumerate(words) if word != _UNAVAILABLE}
        for register, value in values.items():
            if words[register] != self._register(register):  # to write what is there would only take time
                self._set_register(register, value)
        return "OK"

    def _read_memory(self, address: int, length: int) -> str:
        return self._target.read(self._thread, address, min(length, DATA_BYTES)).hex() if length else ""

    def _write_memory(self, where: str, data: bytes) -> str:
        address, length = map(number, split(where, ","))
        if length != len(data):
            raise Malformed
        if data:
            self._target.write(self._thread, address, data)
        return "OK"

    def _point(self, text: str) -> str:
        kind, address, length = (number(part) for part in text[1:].split(";")[0].split(","))
        if kind >= len(POINTS):
            return ""
        if address >= 2**32 or length >= 2**32:
            raise Malformed
        if text[0] == "Z":
            self._target.insert(kind, address, length)
        else:
            self._target.remove(kind, address, length)
        return "OK"

    def _resume(self, wishes: dict[int, Wish], inside: range | None = None) -> str:
        reply = self._target.resume(wishes, self._interrupted, inside)
        self._thread = number(reply.split("thread:")[1].rstrip(";"))  # GDB takes the one that has stopped for chosen
        return reply
