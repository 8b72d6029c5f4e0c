# SPDX-License-Identifier: Apache-2.0
"""The command: see nsoc.regs_gen."""

import argparse
import sys
from pathlib import Path

from systemrdl.messages import RDLCompileError

from nsoc import regs_gen
from nsoc.regs_gen import c, cpp, html, linker, python, rtl, svd, toe
from nsoc.regs_gen.tree import ROOT, MapError, Soc


def generate() -> dict[Path, str]:
    """Every generated file and what belongs into it. Raises RDLCompileError or MapError on a mistake in regs/."""
    soc = Soc()
    return {
        ROOT / "rtl" / "soc" / "map" / "memory_map_pkg.sv": rtl.memory_map(soc),
        ROOT / "rtl" / "cpu" / "core" / "cpu_regions_pkg.sv": rtl.cpu_regions(soc),
        ROOT / "rtl" / "cpu" / "rv" / "rv_csr_pkg.sv": rtl.csrs(soc),
        ROOT / "rtl" / "mac" / "mac_fates_pkg.sv": rtl.mac_fates(soc),
        ROOT / "rtl" / "nic" / "nic_fates_pkg.sv": rtl.nic_fates(soc),
        ROOT / "rtl" / "nic" / "nic_regs_pkg.sv": rtl.nic_regs(soc),
        ROOT / "rtl" / "periph" / "intc_regs_pkg.sv": rtl.slave_regs(soc, "intc"),
        ROOT / "rtl" / "periph" / "timer_regs_pkg.sv": rtl.slave_regs(soc, "timer"),
        ROOT / "rtl" / "periph" / "uart_regs_pkg.sv": rtl.slave_regs(soc, "uart"),
        ROOT / "rtl" / "mem" / "l2_regs_pkg.sv": rtl.slave_regs(soc, "l2"),
        ROOT / "rtl" / "mem" / "dma_regs_pkg.sv": rtl.slave_regs(soc, "dma"),
        ROOT / "rtl" / "toe" / "regs" / "toe_regs_pkg.sv": rtl.slave_regs(soc, "toe"),
        ROOT / "rtl" / "toe" / "regs" / "toe_udp_regs_pkg.sv": rtl.slave_regs(soc, "toe_udp"),
        ROOT / "firmware" / "lib" / "nsoc_regs.h": c.header(soc),
        ROOT / "firmware" / "lib" / "register_table.c": c.table(soc),
        ROOT / "firmware" / "lib" / "toe" / "toe_counters.c": toe.counters(soc),
        ROOT / "firmware" / "lib" / "toe" / "toe_record.h": toe.header(),
        ROOT / "firmware" / "arch" / "rv32" / "rv_csr.h": c.csrs(soc),
        ROOT / "firmware" / "lib" / "memory_map.ld": linker.regions(soc),
        ROOT / "sim" / "nsoc_map.h": cpp.header(soc),
        ROOT / "src" / "nsoc" / "machine" / "regs.py": python.registers(soc),
        ROOT / "src" / "nsoc" / "machine" / "memory_map.py": python.memory_map(soc),
        ROOT / "src" / "nsoc" / "machine" / "fates.py": python.fates(soc),
        ROOT / "docs" / "registers.html": html.page(soc),
        ROOT / "docs" / "nsoc.svd": svd.device(soc),
    }


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 when all is well."""
    parser = argparse.ArgumentParser(prog="python -m nsoc.regs_gen", description=regs_gen.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 when a file is out of date")
    check = parser.parse_args(arguments).check
    try:
        files = generate()
    except RDLCompileError as error:
        print(f"regs_gen: {error} (see the messages above; the sources are regs/*.rdl)", file=sys.stderr)
        return 1
    except MapError as error:
        print(f"regs_gen: {error}; the sources are regs/*.rdl", file=sys.stderr)
        return 1
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text() != text]
    if check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run `python -m nsoc.regs_gen`.", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path])
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
