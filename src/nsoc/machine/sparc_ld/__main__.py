# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.machine.sparc_ld -T SCRIPT -o ELF FILE...`: links what has been compiled by hand."""

import argparse
import sys
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld import link


def main() -> None:
    """Exit status 1 and a sentence for what cannot be linked."""
    parser = argparse.ArgumentParser(prog="sparc_ld", description="Links a program for SPARC V8.")
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="object files and archives")
    parser.add_argument("-T", dest="script", type=Path, required=True, help="the linker script")
    parser.add_argument("-L", dest="folders", metavar="FOLDER", type=Path, action="append", default=[Path()],
                        help="where INCLUDE looks for scripts, besides this folder")  # fmt: skip
    parser.add_argument("-o", dest="elf", type=Path, required=True, help="the program")
    arguments = parser.parse_args()
    try:
        program = link(arguments.files, arguments.script, arguments.folders)
        arguments.elf.write_bytes(program)
    except NsocError as problem:
        sys.exit(f"sparc_ld: {problem}")
    except OSError as problem:
        sys.exit(f"sparc_ld: cannot write {arguments.elf}: {problem.strerror}")


if __name__ == "__main__":
    main()
