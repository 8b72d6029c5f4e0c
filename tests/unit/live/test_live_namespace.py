# SPDX-License-Identifier: Apache-2.0
"""What a machine does not allow is one sentence that names the way out."""

import errno
import os
import subprocess
import sys

import pytest

from nsoc.errors import NsocError
from nsoc.live.linux import interface_address
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
