# SPDX-License-Identifier: Apache-2.0
"""Waits for GDB, and passes its packets to the commands."""

import socket
from collections.abc import Callable, Sequence
from types import TracebackType

from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.firmware import build_for, compile_commands_for
from nsoc.machine.gdb import ide
from nsoc.machine.gdb.commands import Commands
from nsoc.machine.gdb.connection import Connection
from nsoc.machine.gdb.soc_target import SocTarget
from nsoc.machine.gdb.target import Target
from nsoc.machine.soc import Soc, check_core
from nsoc.network.sending import Sending, frames_to_send

HOST = "127.0.0.1"
"""Never another: whoever connects can do what he wants with the simulation."""
DEFAULT_PORT = 3333


def listen(port: int) -> socket.socket:
    """A socket that listens on 127.0.0.1; 0 takes a free port. Raises NsocError when the port cannot be had."""
    try:
        return socket.create_server((HOST, port))
    except (OSError, OverflowError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "no such port"
        raise NsocError(f"cannot listen on port {port} ({reason}); give --port another number") from None


class GdbServer:
    """Listens on 127.0.0.1 and serves one GDB at a time.

    `port` 0 takes a free one; `port` says which. `listener` is of listen(), in place of a port. The server does not
    close what it debugs.
    """

    def __init__(self, target: Target, port: int = DEFAULT_PORT, listener: socket.socket | None = None) -> None:
        self._target = target
        self._connection: Connection | None = None
        self._killed = False
        self._listener = listener or listen(port)

    def __enter__(self) -> "GdbServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hangs up and stops listening."""
        if self._connection is not None:
            self._connection.close()
        self._listener.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    @property
    def invitation(self) -> str:
        """How to connect, in one line."""
        return f"waiting: gdb-multiarch -ex 'target remote :{self.port}' {self._target.invitation}"

    def serve(self) -> None:
        """Serves one GDB after the other until one of them kills the target."""
        while not self._killed:
            self.serve_one()

    def serve_one(self) -> None:
        """Waits for a GDB and serves it until it detaches, kills or hangs up."""
        line, _ = self._listener.accept()
        self._connection = Connection(line)
        self._target.stop_words = False
        commands = Commands(self._target, self._connection.interrupted)
        try:
            _converse(self._connection, commands)
        except OSError:
            pass  # it hung up in the middle of something
        finally:
            self._killed = commands.killed
            self._connection.close()
            self._target.remove_all()


def _converse(connection: Connection, commands: Commands) -> None:
    """Answers packets until GDB detaches, kills or hangs up."""
    while (packet := connection.next_packet()) is not None:
        reply = commands.answer(packet)
        if packet[:1] == b"k":
            return  # has no answer
        connection.answer(reply)
        if commands.killed or packet[:1] == b"D":
            return
        if packet == b"QStartNoAckMode":
            connection.acknowledge = False


def serve(
    firmware: str | None,
    preset: str,
    *,
    port: int = DEFAULT_PORT,
    seed: int = 1,
    defines: Sequence[str] = (),
    send: Sequence[str] = (),
    sending: Sending | None = None,
    ready: str = "ready",
    core: int = 0,
    show: Callable[[str], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Boots `firmware` (None: the preset's) and serves GDB until that kills it. `say` gets how to connect.

    `defines` are preprocessor symbols, NAME or NAME=VALUE. `send` and `sending` are as for
    `sending.frames_to_send`.
    """
    symbols = _symbols(defines)
    frames = frames_to_send(send, sending, say)

    def boot() -> Soc:
        return Soc(preset, firmware, seed, defines=symbols)

    check_core(presets.load_soc(preset), core)
    with listen(port) as listener:  # before a simulator is built
        target = SocTarget(boot(), core, show=show, frames=frames, ready=ready, boot=boot)
        with GdbServer(target, listener=listener) as server:
            say(server.invitation)
            server.serve()


def ide_files(
    firmware: str | None, preset: str, *, port: int = DEFAULT_PORT, defines: Sequence[str] = (), core: int = 0
) -> dict[str, str]:
    """The files with which an editor debugs the program that serve() serves: see nsoc.machine.gdb.ide."""
    symbols, found = _symbols(defines), presets.load_soc(preset)
    check_core(found, core)
    elf = build_for(found, firmware, symbols)
    return ide.files(elf.absolute(), port, compile_commands_for(found, firmware, symbols))


def _symbols(defines: Sequence[str]) -> dict[str, int | str]:
    symbols: dict[str, int | str] = {}
    for define in defines:
        name, _, value = define.partition("=")
        if not name.isidentifier():
            raise NsocError(f"--define {define!r} is not NAME or NAME=VALUE")
        symbols[name] = value or "1"
    return symbols
