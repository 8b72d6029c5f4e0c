# SPDX-License-Identifier: Apache-2.0
"""What a machine does not allow is one sentence that names the way out."""

import errno
import os
import re
import subprocess
import sys

import pytest

from nsoc.errors import NsocError
from nsoc.live.linux import check_address, check_name, interface_address
from nsoc.live.namespace import Machine, Refusal, sentence

USER = Machine(root=False, tun=True, apparmor_restricts=None, userns_clone=None, most_userns=63000)


def machine(**changes: object) -> Machine:
    """A usual one for who is not root, but for some things."""
    return Machine(**{**{name: getattr(USER, name) for name in Machine.__slots__}, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("step", "number", "where", "way_out"),
    [
        ("tun", errno.ENOENT, machine(tun=False), "sudo modprobe tun"),
        ("tun", errno.ENODEV, machine(), "sudo modprobe tun"),
        ("tun", errno.EACCES, machine(), "sudo chmod 666 /dev/net/tun"),
        ("tap", errno.EPERM, machine(), "be root, or leave --tap out"),
        ("tap", errno.EBUSY, machine(), "give --tap another name"),
        ("map", errno.EPERM, machine(apparmor_restricts=1), "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("map", errno.EPERM, machine(apparmor_restricts=0), "run nsoc up as root"),
        ("user namespace", errno.EPERM, machine(userns_clone=0), "kernel.unprivileged_userns_clone=1"),
        ("user namespace", errno.ENOSPC, machine(most_userns=0), "user.max_user_namespaces=10000"),
        ("user namespace", errno.EINVAL, machine(), "--tap nsoc0 as root"),
        ("network namespace", errno.EPERM, machine(root=True), "--cap-add NET_ADMIN --device /dev/net/tun"),
        ("user namespace", errno.EPERM, machine(root=True, apparmor_restricts=1), "--cap-add NET_ADMIN"),
    ],
)
def test_what_is_missing_is_one_sentence_with_the_way_out(step: str, number: int, where: Machine, way_out: str) -> None:
    said = sentence(Refusal(step, number), where)
    assert way_out in said
    assert "\n" not in said and not said.endswith(".")
    assert os.strerror(number) in said or not where.tun


@pytest.mark.parametrize("text", ["10.0.0.1", "10.0.0.1/33", "10.0.0.1/31", "linux/24", "fe80::1/64"])
def test_an_address_without_its_network_is_one_sentence(text: str) -> None:
    with pytest.raises(NsocError, match=r"is no address of Linux: give one with its network, such as 10\.0\.0\.1/24"):
        interface_address(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("10.0.0.0/24", "10.0.0.0 is the address of the network 10.0.0.0/24: give Linux one in between"),
        ("10.0.0.255/24", "10.0.0.255 is the address of all hosts of the network 10.0.0.0/24"),
        ("10.0.3.255/22", "is the address of all hosts of the network 10.0.0.0/22"),
        ("192.168.7.4/30", "192.168.7.4 is the address of the network 192.168.7.4/30"),
        ("224.0.0.1/24", "224.0.0.1 is no address that a host has"),
        ("127.0.0.1/8", "127.0.0.1 is no address that a host has"),
        ("0.0.0.1/8", "0.0.0.1 is no address that a host has"),
        ("250.0.0.1/24", "250.0.0.1 is no address that a host has"),
    ],
)
def test_an_address_that_no_host_has_is_refused(text: str, says: str) -> None:
    with pytest.raises(NsocError, match=re.escape(says)):
        interface_address(text)


def test_an_address_of_a_soc_is_refused() -> None:
    with pytest.raises(NsocError, match=r"10\.0\.0\.2 is the address of the SoC: give Linux another one"):
        check_address("10.0.0.2/24", 1)
    with pytest.raises(NsocError, match=r"10\.0\.0\.4 is the address of a SoC"):
        check_address("10.0.0.4/16", 3)
    for free in ("10.0.0.3/24", "10.0.0.254/24", "192.168.7.2/24", "10.0.1.255/16"):
        check_address(free, 1)


@pytest.mark.parametrize("name", ["", "a" * 16, ".", "..", "a/b", "a b", "tap%d", "a:b", "a\tb", "\u00e4" * 8])
def test_a_name_that_no_interface_has_is_refused(name: str) -> None:
    with pytest.raises(NsocError, match="is no name of an interface: give --tap 1 to 15 letters"):
        check_name(name)
    check_name("mine7")


def test_this_machine_has_an_answer() -> None:
    here = Machine.present()
    assert here.root == (os.geteuid() == 0)
    assert here.tun == os.path.exists("/dev/net/tun")


ALLOWED = Machine.present()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(not ALLOWED.tun, reason="/dev/net/tun is missing")
@pytest.mark.skipif(
    ALLOWED.tun and os.stat("/dev/net/tun").st_mode & 0o006 != 0o006, reason="/dev/net/tun is root's alone here"
)
@pytest.mark.skipif(
    bool(ALLOWED.apparmor_restricts) or ALLOWED.userns_clone == 0 or not ALLOWED.most_userns,
    reason="only root may make user namespaces here",
)
def test_who_is_not_root_may_make_a_tap_device_in_a_namespace_and_not_here() -> None:
    program = (
        "import ctypes, os\n"
        "from nsoc.errors import NsocError\n"
        "from nsoc.live import namespace\n"
        "import nsoc.network.network\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"  # as after an exec: its files in /proc are its own
        "namespace.check(own=True)\n"
        "try: namespace.check(own=False)\n"
        "except NsocError as problem: print(problem)\n"
        "namespace.enter_own()\n"
        "print(os.geteuid(), *open('/proc/self/uid_map').read().split())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    refused, entered = done.stdout.splitlines() or [done.stderr, ""]
    assert "no TAP device can be made (Operation not permitted): be root, or leave --tap out" in refused
    assert entered == "0 0 65534 1", "root in there, the user outside"
