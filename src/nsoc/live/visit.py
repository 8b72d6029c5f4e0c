# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.live.visit SERVICES ADDRESS...`: talks to SoCs as the programs of a network do, without any of them.

`nsoc up --show` runs it beside its SoCs. SERVICES are names of SERVICES below, with commas between them. Each is a line
with the round trip by the clock on the wall. Exit status 1 when one of them fails. No wait is without a limit.
"""

import http.client
import os
import re
import socket
import struct
import sys
import time
from collections.abc import Callable, Mapping, Sequence

ICMP, UDP, TCP, HTTP = "ICMP echo", "UDP echo", "TCP echo", "HTTP"
ECHO_PORT, HTTP_PORT = 7, 80
ATTEMPTS = 3
"""A ping or a datagram may get lost: so often it is sent."""
ATTEMPT_S = 20.0
"""What an answer to each may take."""
LIMIT_S = 60.0
"""So long nothing may come over a connection, ..."""
TOTAL_S = 600.0
"""... and so long it may take in all."""
ECHO_REQUEST, ECHO_REPLY, DESTINATION_UNREACHABLE = 8, 0, 3
PING_BYTES, DATAGRAM_BYTES, STREAM_BYTES = 56, 512, 4000


class FailedError(Exception):
    """A service does not do what it should, in words."""


def ping(address: str) -> tuple[float, str]:
    """An ICMP echo over a raw socket, for which one must be root in the namespace."""
    data, mark = _pattern(PING_BYTES), os.getpid() & 0xFFFF
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as line:
        line.connect((address, 0))

        def send(attempt: int) -> None:
            line.send(echo_request(mark, attempt, data))

        def answers(packet: bytes) -> int | None:
            """Which attempt it answers."""
            message = packet[(packet[0] & 15) * 4 :]
            if message[0] == DESTINATION_UNREACHABLE:
                raise FailedError("it cannot be reached")
            kind, _, _, its, attempt = struct.unpack_from(">BBHHH", message)
            if (kind, its) != (ECHO_REPLY, mark):
                return None
            if message[8:] != data or _checksum(message):
                raise FailedError("the echo is another one")
            return int(attempt)

        return _until_answered(line, send, answers), f"{PING_BYTES} bytes"


def echo_request(mark: int, number: int, data: bytes) -> bytes:
    """The ICMP message."""
    unsummed = struct.pack(">BBHHH", ECHO_REQUEST, 0, 0, mark, number) + data
    return unsummed[:2] + struct.pack(">H", _checksum(unsummed)) + unsummed[4:]


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def datagram(address: str, port: int = ECHO_PORT) -> tuple[float, str]:
    """A datagram to the echo, and back."""
    data = _pattern(DATAGRAM_BYTES)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect((address, port))

        def answers(packet: bytes) -> int | None:
            if packet[1:] != data[1:] or packet[0] not in range(ATTEMPTS):
                raise FailedError("what came back is not what was sent")
            return packet[0]

        return _until_answered(line, lambda attempt: line.send(bytes([attempt]) + data[1:]), answers), (
            f"{DATAGRAM_BYTES} bytes, port {port}"
        )


def _until_answered(
    line: socket.socket, send: Callable[[int], object], answers: Callable[[bytes], int | None]
) -> float:  # fmt: skip
    """Seconds from an attempt to its answer."""
    begun = []
    for attempt in range(ATTEMPTS):
        begun.append(time.monotonic())
        send(attempt)
        while (left_s := begun[-1] + ATTEMPT_S - time.monotonic()) > 0:
            line.settimeout(left_s)
            try:
                packet = line.recv(65536)
            except TimeoutError:
                break
            answered = answers(packet)
            if answered is not None and answered < len(begun):
                return time.monotonic() - begun[answered]
    raise FailedError(f"no answer to {ATTEMPTS} of them, within {ATTEMPT_S:g} s each")


def stream(address: str, port: int = ECHO_PORT) -> tuple[float, str]:
    """A connection to the echo, and bytes over it and back."""
    data, came = _pattern(STREAM_BYTES), b""
    begun = time.monotonic()
    with socket.create_connection((address, port), LIMIT_S) as line:
        line.sendall(data)
        while len(came) < len(data):
            line.settimeout(_left_s(begun))
            piece = line.recv(65536)
            if not piece:
                raise FailedError(f"the connection ended when {len(came)} of {len(data)} bytes were back")
            came += piece
        if came != data:
            raise FailedError("what came back is not what was sent")
        return time.monotonic() - begun, f"{STREAM_BYTES:,} bytes over a connection, port {port}"


def page(address: str, port: int = HTTP_PORT) -> tuple[float, str]:
    """The page that the SoC has of itself."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection(address, port, timeout=LIMIT_S)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        body = b""
        while piece := answer.read1(65536):
            body += piece
            _left_s(begun)
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK or not re.search(rb"<title>[^<]+</title>", body):
        raise FailedError(f"the answer to GET / is {answer.status} {answer.reason}, and no page")
    return time.monotonic() - begun, f"GET / is {answer.status} {answer.reason}, {len(body):,} bytes"


def _left_s(begun: float) -> float:
    left_s = begun + TOTAL_S - time.monotonic()
    if left_s <= 0:
        raise FailedError(f"it is not done after {TOTAL_S:g} s")
    return min(left_s, LIMIT_S)


def _pattern(count: int) -> bytes:
    return bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(count))


Service = Callable[[str], tuple[float, str]]
"""Takes an address; gives seconds there and back, and what went. Raises FailedError, OSError."""

SERVICES: Mapping[str, Service] = {ICMP: ping, UDP: datagram, TCP: stream, HTTP: page}
"""In the order in which they are visited."""


def visit(addresses: Sequence[str], services: Sequence[str], tell: Callable[[str], None]) -> list[str]:
    """Visits each; what failed, by name. `tell` gets a line for each."""
    failed = []
    for address in addresses:
        for name in services:
            where = f"{address}  {name:<9}"
            try:
                seconds, what = SERVICES[name](address)
            except (FailedError, TimeoutError, OSError, http.client.HTTPException) as problem:
                failed.append(name)
                tell(f"{where}  failed: {_reason(problem)}")
            else:
                tell(f"{where}  {what:<42}  {seconds * 1000:>9,.1f} ms")
    return failed


def _reason(problem: Exception) -> str:
    if isinstance(problem, TimeoutError):
        return f"nothing more came within {LIMIT_S:g} s"
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    return str(problem)


def command(addresses: Sequence[str], services: Sequence[str]) -> list[str]:
    """What runs it as a process of its own."""
    return [sys.executable, "-m", "nsoc.live.visit", ",".join(services), *addresses]


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 when a service failed."""
    services, *addresses = arguments
    try:
        return 1 if visit(addresses, services.split(","), lambda text: print(text, flush=True)) else 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
