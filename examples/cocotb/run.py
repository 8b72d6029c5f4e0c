# SPDX-License-Identifier: Apache-2.0
"""Runs the bench in Icarus, or `python run.py verilator`, in the folder where mac.v and nic_axi.v are."""

import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
OPTIONS = {
    "icarus": ["-g2005"],
    # Python sees the signals of ethernet_port, not those in the blocks: the model is a third of the size.
    "verilator": ["-Wno-fatal", "-Wno-UNOPTFLAT", "--no-public-flat-rw", "--public-depth", "1"],
}


def main(simulator: str = "icarus") -> None:
    if simulator not in OPTIONS:
        sys.exit(f"run.py: {simulator} is none of {', '.join(OPTIONS)}")
    runner = get_runner(simulator)
    runner.build(
        sources=[HERE / "ethernet_port.v", Path("mac.v"), Path("nic_axi.v")],
        hdl_toplevel="ethernet_port",
        build_args=OPTIONS[simulator],
        timescale=("1ns", "1ps"),
    )
    runner.test(hdl_toplevel="ethernet_port", test_module="test_ethernet_port")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main(*sys.argv[1:2])
