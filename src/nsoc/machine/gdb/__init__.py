# SPDX-License-Identifier: Apache-2.0
"""GDB's remote serial protocol over a simulated SoC: what `nsoc gdb` does.

The firmware is halted whenever GDB has not told it to go on, and simulated time stands still with it. What a stop
means, and what reading and writing does to the SoC, stands in nsoc.machine.debug.

Threads are cores. Of a SoC GDB sees one, the one that the server was told; the others run while that one runs. Of a
programmable NIC (nsoc.pnic.gdb) it sees all.

`packets` is what a packet is made of, `connection` the line on which packets come and go. `commands` answers them. It
asks `target`, what is under the debugger, and `registers` and `sparc_registers`, which have GDB's numbers.
`soc_target` is a SoC, `monitor` has its commands of our own. `server` waits for GDB and joins all that. `ide` has
files for editors.
"""

from nsoc.machine.gdb.server import DEFAULT_PORT, GdbServer, ide_files, listen, serve
from nsoc.machine.gdb.soc_target import SocTarget
from nsoc.machine.gdb.target import Target, Wish

__all__ = ["DEFAULT_PORT", "GdbServer", "SocTarget", "Target", "Wish", "ide_files", "listen", "serve"]
