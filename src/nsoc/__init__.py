# SPDX-License-Identifier: Apache-2.0
"""A network-centric SoC in a box: boots it in Verilator, drives its Ethernet wire, measures it.

    import nsoc
    with nsoc.Soc("nic12-fast") as soc:
        soc.wire.send(frame)
        answer = soc.wire.receive()

Everything the `nsoc` command does is a call away from here.
"""

from nsoc.errors import NsocError
from nsoc.machine.soc import Soc, Stop
from nsoc.monitor import Monitor
from nsoc.network.faults import Faults
from nsoc.network.network import Network
from nsoc.network.wire import Received, Sent, Wire

__all__ = ["Faults", "Monitor", "Network", "NsocError", "Received", "Sent", "Soc", "Stop", "Wire"]
