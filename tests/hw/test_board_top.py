# SPDX-License-Identifier: Apache-2.0
"""The ECP5 board's top, in simulation with the portable twins of its primitives: what goes onto the board, from the
firmware in the boot ROM to the RGMII pins."""

import sys
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Edge, Timer, with_timeout
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource
from cocotbext.uart import UartSink

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "unit"))

from bench import RTL, run_bench  # noqa: E402
