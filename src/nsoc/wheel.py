# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.wheel [--out dist]`: the package as a wheel that runs where there is no compiler and no checkout.

The wheel carries the folders TREES of this tree in nsoc/carried, and docs/data/figures.json. Ready-made, in
nsoc/carried/built, it carries the simulators of READY, the library of the network, every application for the default
preset, and for each of the others its own firmware, as `nsoc run` and as `nsoc up` boot it. A ready-made thing is found
by the content of what it was made of (build.carried), so what is changed in an installed package is built anew.

All else is built when it is asked for, as in a checkout, into the user's cache folder. That needs the packages of the
extra `build`.
"""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from nsoc import figures
from nsoc.errors import NsocError
from nsoc.files import check_folder
from nsoc.live.linux import FIRST_STATION
from nsoc.machine import build, compiler, firmware, presets
from nsoc.machine.presets import Preset
from nsoc.network import network_library

TREES = ("rtl", "sim", "models", "firmware", "boards")
BESIDE = ("pyproject.toml", "README.md", "LICENSE")
READY = (presets.DEFAULT, "nic12-net", "toe")
NOT_CARRIED = shutil.ignore_patterns("__pycache__", "*.pyc")


def make(out: Path) -> Path:
    """Builds what is not built yet and packs it. Returns the wheel; raises NsocError when something is missing."""
    root = build.checkout()
    if root.name == build.CARRIED:
        raise NsocError("a wheel is made from a checkout, not from an installed package")
    check_folder(out, "--out")
    simulators = {build.simulator_digest(preset): build.simulator(preset) for preset in map(presets.load, READY)}
    tag = _platform_tag(simulators.values())
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nsoc-wheel-") as folder:  # others may do the same
        _stage(Path(folder), root, simulators)
        command = [
            sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps",
            "--no-build-isolation", f"--config-settings=--build-option=--plat-name={tag}", "-w", str(out.absolute()),
            folder,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NsocError(f"packing the wheel failed:\n{done.stderr.strip()}")
    return max(out.glob(f"nsoc-*-{tag}.whl"), key=lambda path: path.stat().st_mtime)


def _stage(stage: Path, root: Path, simulators: Mapping[str, Path]) -> None:
    """Puts together what is packed."""
    shutil.copytree(root / "src", stage / "src", ignore=NOT_CARRIED)
    carried = stage / "src" / "nsoc" / build.CARRIED
    for tree in TREES:
        shutil.copytree(root / tree, carried / tree, ignore=NOT_CARRIED)
    (carried / figures.FILE).parent.mkdir(parents=True)
    shutil.copy(root / figures.FILE, carried / figures.FILE)  # benches show goals
    (carried / build.COMMIT).write_text(build.commit() + "\n", encoding="utf-8")
    for name in BESIDE:
        shutil.copy(root / name, stage)
    for digest, library in simulators.items():
        _keep(library, carried, "sim", digest)
    _keep(network_library.library(), carried, network_library.KIND, network_library.digest())
    for preset, name, defines in programs():
        digest = firmware.recipe_for(preset, name, defines).digest()
        _keep(firmware.build_for(preset, name, defines), carried, "firmware", digest)


Program = tuple[Preset, str, dict[str, int | str]]
"""Preset, application, defines."""


def programs() -> Iterator[Program]:
    """What is carried of firmware. What takes lwIP is there without it, too, for machines that cannot get its sources;
    on such a machine what has no other stack is left out."""
    for preset in map(presets.load, READY):
        names = [name for name in firmware.names() if not _drives_an_engine(name)]
        for name in names if preset.name == presets.DEFAULT else (preset.firmware,):
            yield from _with_each_stack(preset, name, {})
        yield from _with_each_stack(preset, preset.network_firmware, {"STATION": FIRST_STATION})


def _drives_an_engine(name: str) -> bool:
    """The default preset has none."""
    sources = [source.read_text(encoding="utf-8") for source in firmware.application(name)]
    return any(re.search(r'^#include "(toe|dca)', text, re.MULTILINE) for text in sources)


def _with_each_stack(preset: Preset, name: str, defines: dict[str, int | str]) -> Iterator[Program]:
    without: dict[str, int | str] = {**defines, "NSOC_HAS_LWIP": 0}
    with suppress(NsocError):
        has_lwip = firmware.recipe_for(preset, name, defines).lwip is not None
        yield preset, name, defines
        if has_lwip:
            firmware.recipe_for(preset, name, without)
            yield preset, name, without


def _keep(file: Path, carried: Path, kind: str, digest: str) -> None:
    folder = carried / build.BUILT / kind / digest
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, folder)


def _platform_tag(libraries: Iterable[Path]) -> str:
    """The tag of the oldest systems that load these: that of the newest function of the C library that they want."""
    image = b"".join(library.read_bytes() for library in libraries)
    if b"libstdc++.so" in image:
        raise NsocError(
            f"{compiler.linker()[0]} has no static libstdc++, so the simulator would not run elsewhere: install it "
            "(Debian has it in g++, Fedora in libstdc++-static), then `make clean`"
        )
    minor = max(int(found) for found in re.findall(rb"GLIBC_2\.(\d+)", image))
    return f"manylinux_2_{minor}_{platform.machine()}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser("python -m nsoc.wheel", description="Pack nsoc for machines without a compiler.")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="the folder for it (%(default)s)")
    try:
        wheel = make(parser.parse_args().out)
    except NsocError as problem:
        sys.exit(f"error: {problem}")
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB): pip install it, then nsoc demo")


if __name__ == "__main__":
    main()
