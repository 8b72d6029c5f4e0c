# SPDX-License-Identifier: Apache-2.0
"""A connection of GDB that ends, in whatever way, is an interruption: the processor is halted for the next one."""

import socket
import struct

import pytest

from nsoc.machine.gdb.connection import Connection


@pytest.mark.parametrize("reset", [False, True])
def test_who_hangs_up_interrupts(reset: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = socket.create_connection(server.getsockname())
        connection = Connection(server.accept()[0])
    assert not connection.interrupted()
    if reset:
        there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    there.close()
    for _ in range(2):
        assert connection.interrupted()
    connection.close()
