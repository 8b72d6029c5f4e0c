# SPDX-License-Identifier: Apache-2.0
"""`nsoc up --show`: what each step says of a service, and of one that does not do what it should."""

import http.server
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import nsoc.cli.live
from nsoc.cli import call
from nsoc.live import up, visit
from nsoc.machine import lwip

HERE = "127.0.0.1"


@contextmanager
def running(serve: Callable[[], None]) -> Iterator[None]:
    """A service in a thread, which ends when it has nobody to serve."""
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield
    thread.join()


@contextmanager
def datagrams(answer: Callable[[bytes, int], list[bytes]]) -> Iterator[int]:
    """A UDP service, until it has answered once; its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.bind((HERE, 0))

        def serve() -> None:
            for number in range(visit.ATTEMPTS):
                data, who = line.recvfrom(65536)
                answers = answer(data, number)
                for one in answers:
                    line.sendto(one, who)
                if answers:
                    return

        with running(serve):
            yield line.getsockname()[1]


@contextmanager
def connections(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A TCP service for one connection; its port."""
    with socket.create_server((HERE, 0)) as listener:

        def serve() -> None:
            line, _ = listener.accept()
            with line:
                answer(line)

        with running(serve):
            yield listener.getsockname()[1]


def taken(line: socket.socket) -> bytes:
    data = b""
    while len(data) < visit.STREAM_BYTES:
        data += line.recv(65536)
    return data


def test_a_datagram_comes_back() -> None:
    with datagrams(lambda data, _: [data]) as port:
        seconds, what = visit.datagram(HERE, port)
    assert seconds > 0 and what == f"512 bytes, port {port}"


def test_a_datagram_that_got_lost_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "ATTEMPT_S", 0.02)  # nobody answers the first one, however long
    with datagrams(lambda data, number: [data] if number == visit.ATTEMPTS - 1 else []) as port:
        monkeypatch.setattr(visit, "_until_answered", _patient_at_last(visit._until_answered))
        visit.datagram(HERE, port)


def _patient_at_last(real: Callable[..., float]) -> Callable[..., float]:
    """The last attempt has as long as a busy machine takes."""

    def until(line: socket.socket, send: Callable[[int], object], answers: Callable[[bytes], int | None]) -> float:
        def sends(attempt: int) -> None:
            if attempt == visit.ATTEMPTS - 1:
                visit.ATTEMPT_S = 60.0
            send(attempt)

        return real(line, sends, answers)

    return until


@pytest.mark.parametrize("wrong", [lambda data: data[:-1], lambda data: data[:-1] + b"?", lambda data: b"\xff" + data])
def test_a_datagram_that_comes_back_changed_is_a_failure(wrong: Callable[[bytes], bytes]) -> None:
    with (
        datagrams(lambda data, _: [wrong(data)]) as port,
        pytest.raises(visit.FailedError, match="what came back is not what was sent"),
    ):
        visit.datagram(HERE, port)


def test_who_never_answers_is_left_after_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "ATTEMPT_S", 0.01)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((HERE, 0))
        with pytest.raises(visit.FailedError, match=r"no answer to 3 of them, within 0\.01 s each"):
            visit.datagram(HERE, silent.getsockname()[1])


def test_bytes_over_a_connection_come_back() -> None:
    with connections(lambda line: line.sendall(taken(line))) as port:
        seconds, what = visit.stream(HERE, port)
    assert seconds > 0 and what == f"4,000 bytes over a connection, port {port}"


def test_a_connection_that_changes_bytes_or_ends_early_is_a_failure() -> None:
    changed, early = "what came back is not what was sent", "the connection ended when 100 of 4000 bytes were back"
    for piece, says in ((slice(None, None, -1), changed), (slice(100), early)):
        with (
            connections(lambda line, piece=piece: line.sendall(taken(line)[piece])) as port,
            pytest.raises(visit.FailedError, match=says),
        ):
            visit.stream(HERE, port)


def test_a_connection_that_stalls_is_left_after_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "LIMIT_S", 0.05)
    with socket.create_server((HERE, 0)) as silent:
        monkeypatch.setattr(visit, "SERVICES", {"TCP": lambda address: visit.stream(address, silent.getsockname()[1])})
        told: list[str] = []
        assert visit.visit([HERE], ["TCP"], told.append) == ["TCP"]
    assert told == ["127.0.0.1  TCP        failed: nothing more came within 0.05 s"]


def test_a_connection_that_goes_on_and_on_is_left_after_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "TOTAL_S", 0.0)
    with (
        connections(lambda line: line.sendall(taken(line))) as port,
        pytest.raises(visit.FailedError, match="it is not done after 0 s"),
    ):
        visit.stream(HERE, port)


class Page(http.server.BaseHTTPRequestHandler):
    text, status = b"<html><title>a SoC</title></html>", 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.text)))
        self.end_headers()
        self.wfile.write(self.text)

    def log_message(self, format: str, *_: object) -> None:
        pass


@contextmanager
def pages(handler: type[Page]) -> Iterator[int]:
    with http.server.HTTPServer((HERE, 0), handler) as server, running(server.handle_request):
        yield server.server_port


def test_a_page_is_fetched() -> None:
    with pages(Page) as port:
        seconds, what = visit.page(HERE, port)
    assert seconds > 0 and what == "GET / is 200 OK, 33 bytes"


@pytest.mark.parametrize("changes", [{"status": 404}, {"text": b"nothing"}])
def test_what_is_no_page_is_a_failure(changes: dict[str, object]) -> None:
    with pages(type("Other", (Page,), changes)) as port, pytest.raises(visit.FailedError, match="and no page"):
        visit.page(HERE, port)


def test_a_ping_is_what_scapy_makes_of_it() -> None:
    from scapy.layers.inet import ICMP
    from scapy.packet import Raw

    data = visit._pattern(visit.PING_BYTES)
    expected = bytes(ICMP(type=8, id=0x1234, seq=2) / Raw(data))
    assert visit.echo_request(0x1234, 2, data) == expected


@pytest.mark.skipif(os.geteuid() != 0, reason="a raw socket needs root")
def test_this_machine_answers_a_ping() -> None:
    seconds, what = visit.ping(HERE)
    assert seconds > 0 and what == "56 bytes"


def test_a_step_that_fails_is_a_line_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(address: str) -> tuple[float, str]:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(visit, "SERVICES", {"one": refused, "two": lambda address: (0.0125, "2 bytes")})
    told: list[str] = []
    assert visit.visit(["10.0.0.2", "10.0.0.3"], ["one", "two"], told.append) == ["one", "one"]
    assert told[0] == "10.0.0.2  one        failed: Connection refused"
    went = [" ".join(line.split()) for line in told[1::2]]
    assert went == ["10.0.0.2 two 2 bytes 12.5 ms", "10.0.0.3 two 2 bytes 12.5 ms"]


def test_the_exit_status_is_1_when_one_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(address: str) -> tuple[float, str]:
        raise KeyboardInterrupt

    def fails(address: str) -> tuple[float, str]:
        raise visit.FailedError("for a reason")

    services = {"well": lambda address: (0.0, ""), "ill": fails, "stopped": interrupted}
    monkeypatch.setattr(visit, "SERVICES", services)
    assert visit.main(["well", "10.0.0.2"]) == 0
    assert visit.main(["well,ill", "10.0.0.2"]) == 1
    assert "failed: for a reason" in capsys.readouterr().out
    assert visit.main(["stopped", "10.0.0.2"]) == 130


@pytest.mark.parametrize(
    ("ended", "status", "said"), [(0, 0, ""), (1, 1, "did not answer as it should"), (130, 130, "")]
)
def test_the_command_ends_as_the_visit_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ended: int, status: int, said: str
) -> None:
    monkeypatch.setattr(nsoc.cli.live, "_up", lambda *_: ended)
    assert call(["up", "--show"]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "runs"), [([], "up --show"), (["ARGS=-- ping -c 3 10.0.0.2"], "up -- ping -c 3 10.0.0.2")]
)
def test_make_up_without_arguments_is_the_show(given: list[str], runs: str) -> None:
    command = ["make", "-n", "-o", ".venv/demo.stamp", "up", *given]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert done.stdout == f".venv/bin/nsoc {runs}\n"


@pytest.mark.parametrize("arguments", ["--show -- true", "--show --firmware forward"])
def test_a_show_is_of_what_net_offers(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    assert call(["up", *arguments.split()]) == 2
    assert "leave out --firmware and the command" in capsys.readouterr().err


def test_without_lwip_it_pings_and_says_why_the_rest_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lwip, "why_not", lambda: "lwIP 2.1.3 is missing (there is no apt-get here): set LWIP_DIR")
    assert up.services("net") == (
        ["ICMP echo", "UDP echo"],
        "net has these on lwIP alone, and lwIP 2.1.3 is missing (there is no apt-get here): set LWIP_DIR",
    )
    assert up.services("toe_net") == (["ICMP echo", "UDP echo", "TCP echo", "HTTP"], "")
    monkeypatch.setattr(lwip, "why_not", lambda: None)
    assert up.services("net") == (["ICMP echo", "UDP echo", "TCP echo", "HTTP"], "")
