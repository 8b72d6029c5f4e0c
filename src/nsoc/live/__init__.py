# SPDX-License-Identifier: Apache-2.0
"""SoCs that run beside the programs of this machine: `nsoc up`."""

from nsoc.live.running import Info, Running, Station, running, the_running

__all__ = ["Info", "Running", "Station", "running", "the_running"]
