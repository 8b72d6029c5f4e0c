# SPDX-License-Identifier: Apache-2.0
"""The firmware `monitor`, over a network: a look into the SoC, and programs that are loaded and started."""

from nsoc.monitor.client import Loaded, Monitor

__all__ = ["Loaded", "Monitor"]
