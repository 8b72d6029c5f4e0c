# SPDX-License-Identifier: Apache-2.0
"""Puts the dissector of the transfer protocol where Wireshark and tshark find it."""

from importlib.resources import files
from pathlib import Path

from nsoc.errors import NsocError

NAME = "nsoc.lua"


def plugins_folder() -> Path:
    """The user's personal folder of Lua plugins, as `tshark -G folders` names it."""
    return Path.home() / ".local" / "lib" / "wireshark" / "plugins"


def dissector() -> str:
    """The dissector's source."""
    return (files("nsoc.transfer") / NAME).read_text(encoding="utf-8")


def install(folder: Path) -> Path:
    """Write the dissector into `folder`, which is made; returns the file. An older one is replaced."""
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(dissector(), encoding="utf-8")
    except OSError as problem:
        raise NsocError(f"cannot write {path} ({problem.strerror}); give --folder another one") from None
    return path


def uninstall(folder: Path) -> Path:
    """Remove the dissector from `folder`; returns the file that is gone."""
    path = folder / NAME
    try:
        path.unlink()
    except FileNotFoundError:
        raise NsocError(f"there is no {path}; give --folder the one that it was installed in") from None
    except OSError as problem:
        raise NsocError(f"cannot remove {path} ({problem.strerror})") from None
    return path
