# SPDX-License-Identifier: Apache-2.0
"""A network-centric SoC in a box: boots it in Verilator, drives its Ethernet wire, measures it.

    import nsoc
    with nsoc.Soc("nic12-fast") as soc:
        soc.wire.send(frame)
        answer = soc.wire.receive()

The programmable NIC has a host instead of a SoC's processor:

    with nsoc.PnicHost("pnic-rice") as host:
        host.send(frame)
        answer = host.wire.receive()

Everything the `nsoc` command does is a call away from here. docs/api.md has all that is public.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsoc.errors import NsocError
    from nsoc.machine.presets import Preset
    from nsoc.machine.presets import load as load_preset
    from nsoc.machine.presets import names as list_presets
    from nsoc.machine.soc import Soc, Stop
    from nsoc.monitor import Monitor
    from nsoc.network import pcapng
    from nsoc.network.faults import Faults
    from nsoc.network.inet import Peer
    from nsoc.network.network import Network, NetworkHost
    from nsoc.network.wire import Received, Sent, Wire
    from nsoc.pnic.host import PnicHost

    Host = PnicHost

__all__ = [
    "Faults", "Monitor", "Network", "NetworkHost", "NsocError", "Peer", "PnicHost", "Preset", "Received", "Sent", "Soc",
    "Stop", "Wire", "list_presets", "load_preset", "pcapng",
]  # fmt: skip

_HOMES = {
    "Faults": "nsoc.network.faults:Faults", "Monitor": "nsoc.monitor:Monitor",
    "Network": "nsoc.network.network:Network", "NetworkHost": "nsoc.network.network:NetworkHost",
    "NsocError": "nsoc.errors:NsocError",
    "Peer": "nsoc.network.inet:Peer", "PnicHost": "nsoc.pnic.host:PnicHost", "Preset": "nsoc.machine.presets:Preset",
    "Received": "nsoc.network.wire:Received", "Sent": "nsoc.network.wire:Sent", "Soc": "nsoc.machine.soc:Soc",
    "Stop": "nsoc.machine.soc:Stop", "Wire": "nsoc.network.wire:Wire", "list_presets": "nsoc.machine.presets:names",
    "load_preset": "nsoc.machine.presets:load", "pcapng": "nsoc.network.pcapng",
}  # fmt: skip
"""Who imports a module of this package, as a program does that needs little of it, does not wait for all of these."""

if not TYPE_CHECKING:  # a type checker knows the names, and that there are no others

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            from nsoc.renamed import old_names

            return old_names(__name__, {"Host": "nsoc.PnicHost"}, level=3)(name)
        module, _, of_module = _HOMES[name].partition(":")
        found = import_module(module)
        globals()[name] = found = getattr(found, of_module) if of_module else found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
