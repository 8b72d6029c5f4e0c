# SPDX-License-Identifier: Apache-2.0
"""Files that let GDB and an editor debug a program of `nsoc gdb`: what `nsoc gdb --ide` writes.

`.gdbinit` connects GDB, `.vscode/launch.json` is for the debugger of Visual Studio Code's C/C++ extension (cppdbg),
`compile_commands.json` tells clangd and others how each file of the program is compiled.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from nsoc.errors import NsocError

DEBUGGER = "gdb-multiarch"


def files(elf: Path, port: int, commands: Mapping[Path, Sequence[str]]) -> dict[str, str]:
    """Names and contents. `commands`: how each file is compiled; none of a program that only its ELF file is there of,
    which has no compile_commands.json then."""
    start = f"""\
# GDB, debug {elf.stem} as `nsoc gdb` serves it on port {port}.
file {elf}
target remote localhost:{port}

define reset
  monitor reset
  maintenance flush register-cache
end
"""
    launch = {
        "version": "0.2.0",
        "configurations": [
            {
                "name": f"nsoc gdb: {elf.stem}",
                "type": "cppdbg",
                "request": "launch",
                "program": str(elf),
                "cwd": "${workspaceFolder}",
                "MIMode": "gdb",
                "miDebuggerPath": DEBUGGER,
                "miDebuggerServerAddress": f"localhost:{port}",
                "stopAtConnect": True,
            }
        ],
    }
    found = {".gdbinit": start, ".vscode/launch.json": json.dumps(launch, indent=4) + "\n"}
    if commands:
        rows = [
            {"directory": str(file.parent), "file": str(file), "arguments": list(command)}
            for file, command in commands.items()
        ]
        found["compile_commands.json"] = json.dumps(rows, indent=1) + "\n"
    return found


def write(folder: Path, contents: Mapping[str, str]) -> list[str]:
    """Writes those files that are not there yet; what was done, a line a file. Raises NsocError."""
    said = []
    for name, content in contents.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with open(folder / name, "x", encoding="utf-8") as file:
                file.write(content)
        except FileExistsError:
            said.append(f"{name} is there already, and stays as it is")
        except OSError as problem:
            raise NsocError(f"cannot write {folder / name} ({problem.strerror}): go to a folder of yours") from None
        else:
            said.append(f"wrote {name}")
    return said
