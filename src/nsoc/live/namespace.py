# SPDX-License-Identifier: Apache-2.0
"""A network namespace of this process's own, made without root where the kernel allows that.

It is gone with the last process in it. What a machine does not allow is one sentence that names the way out.
"""

import ctypes
import errno
import os
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nsoc.errors import NsocError

TUN = Path("/dev/net/tun")
CLONE_NEWUSER, CLONE_NEWNET = 1 << 28, 1 << 30
THREADS_S = 1.0
"""How long threads that have ended are waited for."""
_SYSCTL = Path("/proc/sys")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the kernel did not allow: the step, and its error number."""

    step: str
    """`user namespace`, `network namespace`, `map`, `tun`, `tap`."""
    number: int


@dataclass(frozen=True, slots=True)
class Machine:
    """What of a machine decides whether a namespace can be made. None: it has no such switch."""

    root: bool
    tun: bool
    """/dev/net/tun is there."""
    apparmor_restricts: int | None
    """kernel.apparmor_restrict_unprivileged_userns"""
    userns_clone: int | None
    """kernel.unprivileged_userns_clone"""
    most_userns: int | None
    """user.max_user_namespaces"""

    @classmethod
    def present(cls) -> "Machine":
        """This one."""

        def number(name: str) -> int | None:
            try:
                return int((_SYSCTL / name).read_text())
            except (OSError, ValueError):
                return None

        return cls(
            os.geteuid() == 0,
            TUN.exists(),
            number("kernel/apparmor_restrict_unprivileged_userns"),
            number("kernel/unprivileged_userns_clone"),
            number("user/max_user_namespaces"),
        )


class Refused(Exception):
    """A step that the kernel did not allow."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


def sentence(refusal: Refusal, machine: Machine) -> str:
    """What is missing, and the way out."""
    why = os.strerror(refusal.number)
    container = "in a container, start it with --cap-add NET_ADMIN --device /dev/net/tun and use --tap nsoc0"
    if refusal.step in ("tun", "tap"):
        if not machine.tun:
            return f"{TUN} is missing: `sudo modprobe tun` brings it; {container}"
        if refusal.number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
            return f"the kernel has no TAP devices ({why}): `sudo modprobe tun` brings them"
        if refusal.number == errno.EBUSY:
            return f"that TAP device is in use ({why}): give --tap another name"
        if refusal.step == "tun":
            return f"{TUN} cannot be opened ({why}): `sudo chmod 666 {TUN}` lets everybody; {container}"
        return f"no TAP device can be made ({why}): be root, or leave --tap out; {container}"
    if machine.apparmor_restricts and not machine.root:
        return (
            f"AppArmor keeps user namespaces from who is not root ({why}): `sudo sysctl "
            "kernel.apparmor_restrict_unprivileged_userns=0` allows them, or run nsoc up as root"
        )
    if machine.userns_clone == 0 and not machine.root:
        return (
            f"the kernel keeps user namespaces from who is not root ({why}): `sudo sysctl "
            "kernel.unprivileged_userns_clone=1` allows them, or run nsoc up as root"
        )
    if machine.most_userns == 0:
        return (
            f"the kernel allows no user namespaces ({why}): `sudo sysctl user.max_user_namespaces=10000` allows them, "
            "or run nsoc up as root"
        )
    if refusal.number in (errno.EINVAL, errno.ENOSYS):
        return f"this kernel cannot make a {refusal.step} ({why}): run nsoc up --tap nsoc0 as root"
    return f"a {refusal.step} is not allowed here ({why}): run nsoc up as root; {container}"


def call(function: str, *arguments: int) -> None:
    """A function of the C library. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _step(step: str, action: Callable[[], object]) -> None:
    try:
        action()
    except OSError as problem:
        raise Refused(Refusal(step, problem.errno or 0)) from None


def _make() -> None:
    """This process, which must have a single thread, goes into a network namespace of its own. Raises Refused."""
    if os.geteuid() == 0:
        try:
            call("unshare", CLONE_NEWNET)
            return
        except OSError:
            pass  # root of a container: a user namespace may still be allowed
    user, group = os.geteuid(), os.getegid()
    _step("user namespace", lambda: call("unshare", CLONE_NEWUSER))
    self = Path("/proc/self")
    # Root in there: all programs may do what they need root for, and outside they are the user.
    _step("map", lambda: (self / "setgroups").write_text("deny"))
    _step("map", lambda: (self / "uid_map").write_text(f"0 {user} 1"))
    _step("map", lambda: (self / "gid_map").write_text(f"0 {group} 1"))
    _step("network namespace", lambda: call("unshare", CLONE_NEWNET))


def _try(own: bool, name: str) -> None:
    import fcntl

    from nsoc.network.network import TUNSETIFF, tap_request

    if own:
        _make()
    descriptors = []
    _step("tun", lambda: descriptors.append(os.open(TUN, os.O_RDWR)))
    _step("tap", lambda: fcntl.ioctl(descriptors[0], TUNSETIFF, tap_request(name)))


def check(own: bool, name: str = "") -> None:
    """Raises NsocError, with one sentence, when no TAP device (of that name) can be had: `own`, in a namespace of one's
    own; else in the present one. A child process tries it, before anything is built."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b""
        try:
            _try(own, name)
        except Refused as refused:
            answer = pickle.dumps(refused.refusal)
        finally:
            os.write(writing, answer)
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answers:
        answer = answers.read()
    os.waitpid(child, 0)
    if answer:
        raise NsocError(sentence(pickle.loads(answer), Machine.present()))


def enter_own() -> None:
    """This process, which must have a single thread, goes into a network namespace of its own."""
    _wait_for_threads()
    try:
        _make()
    except Refused as refused:
        raise NsocError(sentence(refused.refusal, Machine.present())) from None


def _wait_for_threads() -> None:
    """Until those are gone that have ended: the kernel counts them a moment longer than Python does."""
    begun = time.monotonic()
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() - begun < THREADS_S:
        os.sched_yield()


def join(pid: int) -> None:
    """This process, which must have a single thread, goes into the namespaces of another one of the user's.

    Raises OSError.
    """
    descriptors = []
    try:
        for kind, flag in (("user", CLONE_NEWUSER), ("net", CLONE_NEWNET)):
            file = f"/proc/{pid}/ns/{kind}"
            if not os.path.samefile(file, f"/proc/self/ns/{kind}"):
                descriptors.append((os.open(file, os.O_RDONLY), flag))
        for descriptor, flag in descriptors:
            call("setns", descriptor, flag)
    finally:
        for descriptor, _ in descriptors:
            os.close(descriptor)
