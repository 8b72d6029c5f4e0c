# SPDX-License-Identifier: Apache-2.0
"""Programs that everybody has, against the firmware `net` on the RTL: one `nsoc up` for all of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import HANG_S, LINUX, SOC, Live, up
from runs import some
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import rdpcap

pytestmark = pytest.mark.slow

OTHER_SOC = "10.0.0.3"
SOC_MAC, LINUX_MAC = "02:00:00:00:00:02", "02:00:00:00:00:01"


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with up() as running:
        yield running


def expected(count: int) -> bytes:
    """What /bytes/N is, as docs/firmware.md says."""
    return bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(count))


@pytest.mark.parametrize("size", some([0, 56, 1472], [range(1, 1472)]))
def test_ping(live: Live, size: int) -> None:
    """It compares what comes back. -A: the next one goes when the answer is there."""
    sizes = [size] if isinstance(size, int) else size
    for one in sizes:
        said = live.run("ping", "-A", "-c", 2, "-W", 60, "-s", one, SOC)
        assert "2 packets transmitted, 2 received, 0% packet loss" in said and "wrong data" not in said


def test_ping_often(live: Live) -> None:
    said = live.run("ping", "-A", "-c", 20, "-W", 60, SOC)
    assert "20 packets transmitted, 20 received, 0% packet loss" in said


def test_arping(live: Live) -> None:
    said = live.run("arping", "-c", 2, "-w", 60, "-I", "nsoc0", SOC)
    assert SOC_MAC in said.lower() and re.search(r"(2 packets received|Received 2 response)", said)


def test_traceroute(live: Live) -> None:
    said = live.run("traceroute", "-n", "-q", 1, "-w", 60, "-m", 3, SOC)
    assert re.search(rf"^ 1  {re.escape(SOC)}  [0-9.]+ ms$", said, re.MULTILINE) and " 2 " not in said


def test_curl_gets_the_page_and_the_counters(live: Live) -> None:
    page = live.run("curl", "-sS", "--fail", f"http://{SOC}/")
    assert "<html" in page.lower() and "N-SoC" in page
    before, after = (json.loads(live.run("curl", "-sS", "--fail", f"http://{SOC}/counters.json")) for _ in range(2))
    assert after["nic"]["packets_received"] > before["nic"]["packets_received"] > 0
    assert "404" in live.run("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", f"http://{SOC}/nothing")


@pytest.mark.parametrize("count", some([0, 1, 20_000], [100_000, 1_048_576]))
def test_curl_gets_bytes(live: Live, tmp_path: Path, count: int) -> None:
    file = tmp_path / "got"
    live.run("curl", "-sS", "--fail", "-o", file, f"http://{SOC}/bytes/{count}")
    assert file.read_bytes() == expected(count)


def test_nc_has_its_lines_echoed_by_tcp_and_udp(live: Live) -> None:
    lines = "".join(f"line {i}\n" for i in range(200))
    assert live.run("nc", "-N", "-w", 60, SOC, 7, given=lines) == lines
    assert live.run("nc", "-u", "-W", 1, "-w", 60, SOC, 7, given="one datagram\n") == "one datagram\n"
    assert live.run("nc", "-N", "-w", 60, SOC, 9, given=lines) == "", "discarded"


def test_iperf_sends_by_tcp(live: Live) -> None:
    said = live.run("iperf", "-c", SOC, "-n", "128K", "-f", "k")
    assert re.search(r"128 KBytes", said), said


def test_iperf_sends_by_udp(live: Live) -> None:
    """It does not wait long for the SoC's report, and its own count is not that of its datagrams: so the SoC is asked
    for what came, and Linux for what it has sent."""
    before = frames_sent(live)
    live.run("iperf", "-c", SOC, "-u", "-b", "100K", "-n", "16K", "-f", "k", status=None)
    sent = frames_sent(live)
    assert sent - before >= 13, "twelve datagrams of 1470 bytes and the one that says that it is over"
    for _ in range(100):
        if frames_received(live) >= sent:
            return
    raise AssertionError(f"{sent} frames sent, {frames_received(live)} came")


def frames_sent(live: Live) -> int:
    """By Linux to the SoC since both began."""
    (link,) = json.loads(live.run("ip", "-json", "-s", "link", "show", "nsoc0"))
    assert link["stats64"]["tx"]["dropped"] == 0
    return int(link["stats64"]["tx"]["packets"])


def frames_received(live: Live, number: int = 0) -> int:
    (count,) = re.findall(r"^ +(\d+) nic.rx_good", live.uart("counters", "end\n", number), re.MULTILINE)
    return int(count)


@pytest.mark.long
def test_the_soc_sends_to_iperf_by_tcp_until_it_is_gone(live: Live) -> None:
    server = live.start("iperf", "-s", "-f", "k", "-i", 1)
    try:
        live.run("sh", "-c", "until grep -q :1389 /proc/net/tcp; do sleep 0.05; done")  # port 5001 listens
        with live.running.console() as console:
            console.settimeout(HANG_S)
            console.sendall(f"iperf {LINUX} 10\n".encode())
            assert server.stdout is not None
            kilobytes = 0.0
            while kilobytes < 60:
                line = server.stdout.readline()
                assert line, "iperf has ended"
                kilobytes += sum(map(float, re.findall(r"sec +([0-9.]+) KBytes", line)))
            server.kill()
            said = b""
            while not re.search(rb"iperf: .*\n", said):
                said += console.recv(65536)
    finally:
        server.kill()
        server.communicate(timeout=HANG_S)


@pytest.mark.long
def test_the_soc_sends_to_iperf_by_udp(live: Live) -> None:
    server = live.start("iperf", "-s", "-u", "-f", "k")
    try:
        said = live.uart(f"iperf-udp {LINUX} 1 1", "out of order")
        (counts,) = re.findall(r"the server says (\d+) datagrams, (\d+) lost, (\d+) out of order", said)
        assert int(counts[0]) > 50 and counts[1:] == ("0", "0")
    finally:
        server.terminate()
        server.communicate(timeout=HANG_S)


def test_tcpdump_sees_what_passes(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "line.pcap"
    dump = live.start("tcpdump", "-Z", "root", "-U", "--immediate-mode", "-i", "nsoc0", "-c", 4, "-w", file, "icmp")
    try:
        assert dump.stderr is not None
        while "listening on" not in dump.stderr.readline():
            pass
        live.run("ping", "-A", "-c", 2, "-W", 60, "-p", "a55a", SOC)
        dump.communicate(timeout=HANG_S)
    finally:
        dump.kill()
    packets = rdpcap(str(file))
    assert [packet[ICMP].type for packet in packets] == [8, 0, 8, 0]
    for asked, answered in zip(packets[::2], packets[1::2], strict=True):
        assert (answered[Ether].src, answered[Ether].dst) == (SOC_MAC, LINUX_MAC)
        assert (answered[IP].src, answered[IP].dst) == (SOC, LINUX)
        assert bytes(answered[ICMP].payload) == bytes(asked[ICMP].payload)
        again = IP(bytes(answered[IP]))
        del again.chksum, again[ICMP].chksum
        assert bytes(again) == bytes(answered[IP]), "its checksums are right"


PATIENT = ("--initial-rtt-timeout", "30s", "--min-rtt-timeout", "30s", "--max-rtt-timeout", "60s")
"""It would take what comes later than it expects for lost."""


def test_nmap_finds_what_is_open_and_guesses_what_it_is(live: Live) -> None:
    ports = "7,9,22,80,5001,6000"
    found = live.run("nmap", "-n", "-Pn", "-sS", "-p", ports, *PATIENT, SOC)
    states = dict(re.findall(r"^(\d+)/tcp +(\w+)", found, re.MULTILINE))
    assert states == {"7": "open", "9": "open", "22": "closed", "80": "open", "5001": "open", "6000": "closed"}
    assert SOC_MAC in found.lower()


@pytest.mark.long
def test_nmap_may_try_what_it_wants_and_the_soc_still_answers(live: Live) -> None:
    live.run("nmap", "-n", "-Pn", "-sS", "-O", "--osscan-guess", "-p", "1-200", *PATIENT, SOC)
    test_ping(live, 56)


SR1 = f"""
from scapy.all import ICMP, IP, UDP, TCP, ARP, Ether, conf, sr1, srp1, Raw
conf.verb = 0
for packet in (
    IP(dst="{SOC}") / ICMP(id=7, seq=9) / b"scapy",
    IP(dst="{SOC}") / UDP(sport=4000, dport=7) / b"scapy",
    IP(dst="{SOC}") / UDP(sport=4001, dport=4444) / b"scapy",
    IP(dst="{SOC}") / TCP(sport=4002, dport=7, flags="S", seq=1000),
    IP(dst="{SOC}") / TCP(sport=4003, dport=4444, flags="S", seq=2000),
):
    print(bytes(sr1(packet, timeout={HANG_S})).hex())
asked = Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(pdst="{SOC}")
print(bytes(srp1(asked, timeout={HANG_S}, iface="nsoc0")).hex())
"""


def test_scapy_gets_the_answers_that_the_rfcs_want(live: Live) -> None:
    *packets, arp = [bytes.fromhex(line) for line in live.python("-c", SR1).split()]
    ping, echo, unreachable, syn_ack, reset = map(IP, packets)
    assert (ping[ICMP].type, ping[ICMP].id, ping[ICMP].seq, bytes(ping[ICMP].payload)[:5]) == (0, 7, 9, b"scapy")
    assert (echo[UDP].sport, echo[UDP].dport, bytes(echo[UDP].payload)[:5]) == (7, 4000, b"scapy")
    assert (unreachable[ICMP].type, unreachable[ICMP].code) == (3, 3)
    assert (syn_ack[TCP].flags, syn_ack[TCP].ack) == ("SA", 1001)
    assert (reset[TCP].flags, reset[TCP].ack) == ("RA", 2001)
    assert Ether(arp)[ARP].hwsrc == SOC_MAC


def test_the_console_is_a_pipe_too(live: Live) -> None:
    pid = live.running.info.pid
    said = live.python("-m", "nsoc", "console", "--pid", pid, "--wait", 3, given="counters\n")
    assert "packets_received" in said


@pytest.mark.long
def test_two_socs_and_linux_talk_to_each_other() -> None:
    with up(["--count", 2]) as both:
        for address in (SOC, OTHER_SOC):
            said = both.run("ping", "-A", "-c", 3, "-W", 60, address)
            assert "3 packets transmitted, 3 received, 0% packet loss" in said
        before = frames_received(both, 1)
        both.uart(f"iperf {OTHER_SOC} 10", "")
        assert any(frames_received(both, 1) > before + 5 for _ in range(100)), "nothing comes from the other one"


def buffers(live: Live, number: int = 0) -> list[int]:
    """What the SoC says: with what was received, with what TCP sends, circulating."""
    said = live.uart("buffers", "end", number)
    return [int(count) for count in re.findall(r"^ +(\d+) ", said, re.MULTILINE)]


def test_afterwards_no_buffer_is_missing(live: Live) -> None:
    assert buffers(live) == [0, 0, 64]
