# SPDX-License-Identifier: Apache-2.0
"""A network-centric SoC in a box: boots it in Verilator, drives its Ethernet wire, measures it.

    import nsoc
    with nsoc.Soc("nic12-fast") as soc:
        soc.wire.send(frame)
        answer = soc.wire.receive()

The programmable NIC has a host instead of a SoC's processor:

    with nsoc.Host("pnic-rice") as host:
        host.send(frame)
        answer = host.wire.receive()

Everything the `nsoc` command does is a call away from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsoc.errors import NsocError
    from nsoc.machine.soc import Soc, Stop
    from nsoc.monitor import Monitor
    from nsoc.network.faults import Faults
    from nsoc.network.network import Network
    from nsoc.network.wire import Received, Sent, Wire
    from nsoc.pnic.host import Host

__all__ = ["Faults", "Host", "Monitor", "Network", "NsocError", "Received", "Sent", "Soc", "Stop", "Wire"]

_HOMES = {
    "Faults": "nsoc.network.faults", "Host": "nsoc.pnic.host", "Monitor": "nsoc.monitor",
    "Network": "nsoc.network.network", "NsocError": "nsoc.errors", "Received": "nsoc.network.wire",
    "Sent": "nsoc.network.wire", "Soc": "nsoc.machine.soc", "Stop": "nsoc.machine.soc", "Wire": "nsoc.network.wire",
}  # fmt: skip
"""Who imports a module of this package, as a program does that needs little of it, does not wait for all of these."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
