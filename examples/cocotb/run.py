# SPDX-License-Identifier: Apache-2.0
"""Runs the bench in Icarus. mac.v and nic_axi.v are in the folder that it is called in."""

import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent


def main() -> None:
    runner = get_runner("icarus")
    runner.build(
        sources=[HERE / "ethernet_port.v", Path("mac.v"), Path("nic_axi.v")],
        hdl_toplevel="ethernet_port",
        build_args=["-g2005"],
        timescale=("1ns", "1ps"),
    )
    runner.test(hdl_toplevel="ethernet_port", test_module="test_ethernet_port")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
