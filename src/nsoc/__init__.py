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

from nsoc.errors import NsocError
from nsoc.machine.soc import Soc, Stop
from nsoc.monitor import Monitor
from nsoc.network.faults import Faults
from nsoc.network.network import Network
from nsoc.network.wire import Received, Sent, Wire
from nsoc.pnic.host import Host

__all__ = ["Faults", "Host", "Monitor", "Network", "NsocError", "Received", "Sent", "Soc", "Stop", "Wire"]
