# SPDX-License-Identifier: Apache-2.0
"""FreeRTOS, on which threads of firmware (lib/os) may stand instead of the kernel's own scheduler: where it is.

Its sources come from $FREERTOS_DIR. Without that, for a program that asks for FreeRTOS (OS_FREERTOS=1), cargo brings a
crate that has them. Nothing of it is part of this tree.
"""

import json
import os
import shutil
from pathlib import Path

from nsoc.machine import sources
from nsoc.machine.build import content_hash

VERSION = "11.2.0"
"""Of the kernel in the crate."""
CRATE = "freertos-next"
CRATE_VERSION = "0.12.0"
SHA256 = "b7824fb42660c16e1b3b573eef99c2fe5c5cba6294a631c309084635f6bfcbb0"
"""Of the crate's archive."""
DIRECTORY = "FREERTOS_DIR"
"""Environment variable: a folder with the kernel of FreeRTOS 11, `tasks.c` in it."""

_KERNEL = "FreeRTOS-Kernel"
"""The kernel's folder in the crate."""
_MANIFEST = f"""\
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
{CRATE} = "={CRATE_VERSION}"
"""


def is_chosen() -> bool:
    """Whether programs with threads are to stand on FreeRTOS when they do not say themselves."""
    return bool(os.environ.get(DIRECTORY))


def source() -> Path | None:
    """The folder of the kernel's sources, fetched when needed. None where it cannot be had: why_not()."""
    found = _wanted().look()
    return found if isinstance(found, Path) else None


def why_not() -> str | None:
    """Why source() gives None, in a sentence that names the way out; None when it gives a folder."""
    found = _wanted().look()
    return found if isinstance(found, str) else None


def digest(folder: Path) -> str:
    """Of sources, by what is in the files."""
    if folder == _wanted().kept():
        return SHA256
    return content_hash(
        sorted([*folder.glob("*.c"), *folder.glob("include/*.h"), *folder.glob("portable/GCC/RISC-V/**/*.[chS]")])
    )


def _wanted() -> sources.Sources:
    return sources.Sources("FreeRTOS", VERSION, DIRECTORY, "tasks.c", SHA256, _fetch, "by cargo")


def _fetch(work: Path) -> Path:
    if shutil.which("cargo") is None:
        raise sources.MissingError("there is no cargo here")
    (work / "Cargo.toml").write_text(_MANIFEST, encoding="utf-8")
    (work / "lib.rs").touch()
    sources.run(["cargo", "vendor", "--quiet"], work, "error:")
    crate = work / "vendor" / CRATE
    found = json.loads((crate / ".cargo-checksum.json").read_text(encoding="utf-8"))["package"]
    if found != SHA256:
        raise sources.MissingError(f"{CRATE} {CRATE_VERSION} is not what it should be (SHA-256 {found})")
    return crate / _KERNEL
