# SPDX-License-Identifier: Apache-2.0
"""Yosys as SymbiYosys calls it, `yosys -ql LOG SCRIPT`: the one in pyosys, which is the machine's own code and several
times as fast as the one in WebAssembly."""

from __future__ import annotations

import sys

from pyosys import libyosys


def main(option: str, log: str, script: str) -> None:
    if option != "-ql":
        raise SystemExit(f"yosys.py: no option {option}")
    libyosys.run_pass(f"tee -q -o {log} script {script}", libyosys.Design())


if __name__ == "__main__":
    main(*sys.argv[1:])
