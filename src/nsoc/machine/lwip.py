# SPDX-License-Identifier: Apache-2.0
"""lwIP, the TCP/IP stack that firmware links: where its sources are.

They come from $LWIP_DIR, else as Debian's source package through apt's own download. That needs neither root nor a
change of the machine: apt works on lists and folders of our own, and on sources derived from those that the machine
has. The package is pinned by its checksum and stays in the cache.
"""

import hashlib
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

from nsoc.machine import sources
from nsoc.machine.build import content_hash

VERSION = "2.1.3"
PACKAGE = "lwip=2.1.3+dfsg1-2"
ARCHIVE = "lwip_2.1.3+dfsg1.orig.tar.xz"
SHA256 = "0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24"
DIRECTORY = "LWIP_DIR"
"""Environment variable: a folder with lwIP's sources, `src` in it."""

APT = Path("/etc/apt")
"""Where the machine's own sources of packages are listed."""
_SIGN = "src/include/lwip/init.h"
_STARTS = ("deb", "deb-src")


def source() -> Path | None:
    """The folder of lwIP's sources, with `src` in it; fetched when needed. None where it cannot be had: why_not()."""
    found = _wanted().look()
    return found if isinstance(found, Path) else None


def why_not() -> str | None:
    """Why source() gives None, in a sentence that names the way out; None when it gives a folder."""
    found = _wanted().look()
    return found if isinstance(found, str) else None


def has_apt() -> bool:
    """Whether this machine has apt and says where packages come from."""
    return shutil.which("apt-get") is not None and bool(source_lines(APT))


def digest(folder: Path) -> str:
    """Of sources, by what is in the files."""
    if folder == _wanted().kept():
        return SHA256
    return content_hash([*(folder / "src").rglob("*.[ch]")])


def source_lines(apt: Path) -> list[str]:
    """The lines of a `sources.list` that give Debian's source packages from where the machine has its packages, from
    the files under `apt`, one-line or deb822."""
    lines = []
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]
    for file in files:
        lines += [line for text in _lines(file) if (line := _of_line(text))]
    for file in sorted((apt / "sources.list.d").glob("*.sources")):
        lines += _of_stanzas(_lines(file))
    return list(dict.fromkeys(lines))


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _of_line(text: str) -> str | None:
    start, _, rest = text.strip().partition(" ")
    return f"deb-src {rest.strip()}" if start in _STARTS and rest.strip() else None


def _of_stanzas(lines: list[str]) -> Iterator[str]:
    for fields in _stanzas(lines):
        if fields.get("enabled", "yes").lower() == "no" or not set(fields.get("types", "").split()) & {*_STARTS}:
            continue
        signed = fields.get("signed-by", "").split()
        option = f"[signed-by={signed[0]}] " if len(signed) == 1 and signed[0].startswith("/") else ""
        for place in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                yield f"deb-src {option}{place} {suite} {' '.join(fields.get('components', '').split())}".rstrip()


def _stanzas(lines: list[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    name = ""
    for line in [*lines, ""]:
        if not line.strip():
            if fields:
                yield fields
            fields, name = {}, ""
        elif line.startswith("#"):
            continue
        elif line[0].isspace():
            fields[name] = f"{fields.get(name, '')} {line.strip()}"
        else:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            fields[name] = value.strip()


def _wanted() -> sources.Sources:
    return sources.Sources("lwIP", VERSION, DIRECTORY, _SIGN, SHA256, _fetch, "through apt")


def _fetch(work: Path) -> Path:
    archive = _package(work)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        raise sources.MissingError(f"{ARCHIVE} is not what it should be (SHA-256 {found})")
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(work / "unpacked")
    [unpacked] = (work / "unpacked").iterdir()
    return unpacked


def _package(work: Path) -> Path:
    if shutil.which("apt-get") is None:
        raise sources.MissingError("there is no apt-get here")
    lines = source_lines(APT)
    if not lines:
        raise sources.MissingError(f"{APT} names no place of packages")
    (work / "sources.list").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for part in ("state/lists/partial", "cache/archives/partial"):
        (work / part).mkdir(parents=True)
    options = {
        "Dir::State": work / "state", "Dir::Cache": work / "cache", "Dir::Etc::sourcelist": work / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null", "APT::Sandbox::User": "", "Acquire::Languages": "none",
    }  # fmt: skip
    told = [argument for name, value in options.items() for argument in ("-o", f"{name}={value}")]
    for command in (["update"], ["source", "--download-only", PACKAGE]):
        sources.run(["apt-get", "-q", *told, *command], work, "E:")
    archive = work / ARCHIVE
    if not archive.is_file():
        raise sources.MissingError(f"apt did not bring {ARCHIVE}")
    return archive
