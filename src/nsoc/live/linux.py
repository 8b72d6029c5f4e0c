# SPDX-License-Identifier: Apache-2.0
"""Linux's side of the cable: the interface is set up for a peer a hundred times slower than real time.

docs/live.md has the reasons for each setting.
"""

import contextlib
import ipaddress
import os
from pathlib import Path
from typing import Any

from nsoc import needs
from nsoc.errors import NsocError

MAC = "02:00:00:00:00:01"
ADDRESS = "10.0.0.1/24"
OF_STATIONS = ipaddress.IPv4Address("10.0.0.0")
"""Firmware is station N at this address + N."""
FIRST_STATION = 2
"""Linux is station 1."""
LONGEST_NAME = 15
"""Bytes of an interface's."""
MTU = 1500
QUEUE_FRAMES = 256
"""What waits in the kernel for the simulated line; more is dropped, and counted by the interface."""
RTO_MIN_MS = 1000

OF_NAMESPACE = {
    "net/ipv6/conf/all/disable_ipv6": "1",
    "net/ipv6/conf/default/disable_ipv6": "1",
    "net/ipv4/ping_group_range": "0 0",
    "net/ipv4/tcp_early_retrans": "0",
    "net/ipv4/tcp_slow_start_after_idle": "0",
    "net/ipv4/tcp_no_metrics_save": "1",
    "net/ipv4/tcp_syn_retries": "10",
    "net/ipv4/tcp_synack_retries": "10",
    "net/ipv4/tcp_retries2": "15",
}
"""Settings in /proc/sys of a namespace of one's own; a kernel that has not got one goes without."""
OF_INTERFACE = {
    "net/ipv6/conf/{}/disable_ipv6": "1",
    "net/ipv4/neigh/{}/base_reachable_time_ms": "3600000",
    "net/ipv4/neigh/{}/retrans_time_ms": "3000",
    "net/ipv4/neigh/{}/delay_first_probe_time": "30",
    "net/ipv4/neigh/{}/mcast_solicit": "10",
    "net/ipv4/neigh/{}/ucast_solicit": "10",
}
"""The same of the interface."""


def prepare_namespace() -> None:
    """What concerns the whole namespace, before there is an interface in it; it must be one's own."""
    for name, value in OF_NAMESPACE.items():
        _set(name, value)
    with _netlink() as netlink:
        netlink.link("set", index=_index(netlink, "lo"), state="up")


def configure(name: str, address: str = ADDRESS) -> None:
    """The interface `name` gets MAC and address, timers and a short queue, and is up. Raises NsocError."""
    given = interface_address(address)
    for setting, value in OF_INTERFACE.items():
        _set(setting.format(name), value)
    error = needs.package("pyroute2.netlink.exceptions", "nsoc up", "demo").NetlinkError
    try:
        _configure(name, given)
    except error as problem:
        raise NsocError(f"the interface {name} cannot be set up ({os.strerror(problem.code)}): be root") from None


def _configure(name: str, given: ipaddress.IPv4Interface) -> None:
    with _netlink() as netlink:
        index = _index(netlink, name)
        netlink.link("set", index=index, address=MAC, mtu=MTU, txqlen=QUEUE_FRAMES)
        if not list(netlink.get_addr(index=index, address=str(given.ip))):
            netlink.addr("add", index=index, address=str(given.ip), prefixlen=given.network.prefixlen)
        netlink.link("set", index=index, state="up")
        # In place of the route that the address brought: the same with a minimum of the retransmission time.
        route: dict[str, Any] = {"dst": str(given.network), "oif": index, "prefsrc": str(given.ip), "scope": 253}
        netlink.route("replace", proto=2, metrics={"rto_min": RTO_MIN_MS}, **route)


def interface_address(text: str) -> ipaddress.IPv4Interface:
    """An address with the length of its network. Raises NsocError for what is none."""
    try:
        given = ipaddress.IPv4Interface(text)
    except ValueError:
        given = None
    if given is None or "/" not in text or given.network.prefixlen > 30:
        raise NsocError(f"{text!r} is no address of Linux: give one with its network, such as {ADDRESS}")
    network = given.network
    if given.ip in (network.network_address, network.broadcast_address):
        what = "the network" if given.ip == network.network_address else "all hosts of the network"
        raise NsocError(f"{given.ip} is the address of {what} {network}: give Linux one in between, such as {ADDRESS}")
    if given.is_multicast or given.is_loopback or given.is_reserved or given.ip in ipaddress.IPv4Network("0.0.0.0/8"):
        raise NsocError(f"{given.ip} is no address that a host has: give Linux another one, such as {ADDRESS}")
    return given


def of_station(number: int) -> ipaddress.IPv4Address:
    """The address that firmware gives itself, without DHCP."""
    return OF_STATIONS + number


def check_address(text: str, socs: int) -> None:
    """Raises NsocError for an address that Linux cannot have beside so many SoCs."""
    given = interface_address(text)
    taken = [of_station(number) for number in range(FIRST_STATION, FIRST_STATION + socs)]
    if given.ip in taken:
        raise NsocError(
            f"{given.ip} is the address of {'the' if socs == 1 else 'a'} SoC: give Linux another one, such as {ADDRESS}"
        )


def check_name(name: str) -> None:
    """Raises NsocError for a name that no interface can have."""
    fits = 0 < len(name.encode()) <= LONGEST_NAME and name.isprintable()
    if not fits or name in (".", "..") or set(name) & set("/:% "):
        raise NsocError(f"{name!r} is no name of an interface: give --tap 1 to {LONGEST_NAME} letters, such as nsoc0")


def dropped(name: str) -> int:
    """Frames for the interface that its queue had no room for."""
    transmit_dropped = 8 + 3
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        interface, _, values = line.partition(":")
        if interface.strip() == name:
            return int(values.split()[transmit_dropped])
    return 0


def _netlink() -> Any:
    return needs.package("pyroute2", "nsoc up", "demo").IPRoute()


def _index(netlink: Any, name: str) -> int:
    found: list[int] = netlink.link_lookup(ifname=name)
    if not found:
        raise NsocError(f"there is no interface {name}")
    return found[0]


def _set(name: str, value: str) -> None:
    with contextlib.suppress(OSError):
        (Path("/proc/sys") / name).write_text(value)
