# SPDX-License-Identifier: Apache-2.0
"""A programmable NIC that does what it is told, call by call: the commands of sim/pnic/commands.h."""

import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from nsoc.errors import NsocError
from nsoc.pnic import nic
from nsoc.pnic.nic import MAC, Places, Setup


class Now(NamedTuple):
    """Where time has come to."""

    fs: int
    """Since the simulation began."""
    interrupts: int
    """That the NIC has raised."""
    left: int
    """Frames that have left the NIC."""
    core_cycles: int


class Simulator:
    """One running simulation. A call that cannot be done raises NsocError and changes nothing."""

    def __init__(self, setup: Setup, elf: Path, max_frame: int, seed: int) -> None:
        self._folder = tempfile.TemporaryDirectory()
        options = nic.options_of(setup, elf, max_frame, seed) | {"commands": 1}
        command = nic.command_of(setup, elf, Path(self._folder.name), options)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "Simulator":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def ask(self, verb: str, *said: int | str | bytes) -> list[str]:
        """The words of the answer."""
        words = [
            word if isinstance(word, str) else word.hex() if isinstance(word, bytes) else f"{word:x}" for word in said
        ]
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(f"{' '.join((verb, *words))}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except (BrokenPipeError, ValueError):
            answer = ""
        kind, _, rest = answer.strip().partition(" ")
        if kind == "ok":
            return rest.split()
        if kind == "error":
            raise NsocError(f"the NIC's simulator: {rest}")
        _, problem = self._process.communicate()
        raise NsocError(f"the NIC's simulator has ended: {problem.strip() or self._process.returncode}")

    def numbers(self, verb: str, *said: int | str | bytes) -> list[int]:
        """The same, of an answer in numbers."""
        return [int(word, 16) for word in self.ask(verb, *said)]

    # ---- The host's memory, and its accesses to the NIC

    def places(self) -> Places:
        """Memory that is set aside for rings and buffers."""
        return Places(*self.numbers("places"))

    def peek(self, address: int, count: int) -> bytes:
        """Bytes of the host's memory."""
        return bytes.fromhex("".join(self.ask("peek", address, count)))

    def poke(self, address: int, data: bytes) -> None:
        """Writes them."""
        self.ask("poke", address, data)

    def get(self, address: int) -> int:
        """A word of the NIC by the host's access (rtl/pnic/pnic_host_port.sv)."""
        return self.numbers("get", address)[0]

    def put(self, address: int, word: int) -> None:
        """Writes it."""
        self.ask("put", address, word)

    # ---- Time, and the line

    def run(self, fs: int, until: str = "") -> Now:
        """Lets time pass; less when an interrupt rises (`until` has an i) or a frame has left the NIC (f)."""
        return Now(*self.numbers("run", fs, *([until] if until else [])))

    def comes(self, frame: bytes, *, bad_fcs: bool = False) -> None:
        """A frame without FCS comes on the line, behind those before."""
        self.ask("spoilt" if bad_fcs else "line", frame)

    def left(self) -> tuple[int, bool, bytes]:
        """The next frame that has left the NIC: when its last byte did in fs, whether its FCS was right, its bytes."""
        time, good, data = self.ask("frame")
        return int(time, 16), bool(int(good)), bytes.fromhex(data)

    def ends(self) -> dict[str, int]:
        """Ends of frames at the MAC, by name."""
        return dict(zip(MAC, self.numbers("counts"), strict=False))

    def traps(self) -> list[tuple[int, int, int]]:
        """Core, instruction and mcause of each that has trapped."""
        said = self.numbers("traps")
        return [(said[i], said[i + 1], said[i + 2]) for i in range(0, len(said), 3)]

    def traffic(self, send: int, receive: int) -> None:
        """Frames of `max_frame` bytes from now on, in percent of the line each way, by a driver in C++ (traffic.h)."""
        self.ask("traffic", send, receive)
