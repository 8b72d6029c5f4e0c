# SPDX-License-Identifier: Apache-2.0
"""GDB's remote serial protocol over a simulated SoC: what `nsoc gdb` does.

The firmware is halted whenever GDB has not told it to go on, and simulated time stands still with it. What a stop
means, and what reading and writing does to the SoC, stands in nsoc.machine.debug.

GDB sees one core, the one that the server was told; it is its only thread. The others run while that one runs.

`packets` is what a packet is made of, `connection` the line on which packets come and go. `commands` answers them. It
asks `target`, the SoC under the debugger, and `registers`, which has GDB's numbers; `monitor` has the commands of our
own. `server` waits for GDB and joins all that.
"""

from nsoc.machine.gdb.server import DEFAULT_PORT, GdbServer, serve

__all__ = ["DEFAULT_PORT", "GdbServer", "serve"]
