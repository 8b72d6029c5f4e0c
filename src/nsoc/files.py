# SPDX-License-Identifier: Apache-2.0
"""Files of the user's: whether they can be written is known before hours are spent on what goes into them."""

import errno
import os
import tempfile
from pathlib import Path

from nsoc.errors import NsocError


def check_writable(path: Path, what: str, option: str) -> None:
    """Raises NsocError when the file `path`, named by the user with `option`, cannot be written. Nothing is created."""
    try:
        if path.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.is_file():
            with open(path, "ab"):
                pass
        elif not path.exists():
            _try_folder(path.parent)
    except OSError as problem:
        raise NsocError(f"cannot write {what} {path} ({problem.strerror}); give {option} another file") from None


def check_folder(path: Path, option: str) -> None:
    """The same for a folder that files go to."""
    try:
        _try_folder(path)
    except OSError as problem:
        raise NsocError(f"cannot write to the folder {path} ({problem.strerror}); give {option} another") from None


def _try_folder(folder: Path) -> None:
    """A file in it, or where it would be made; permissions say little to who is root."""
    while not folder.exists():
        folder = folder.parent
    with tempfile.TemporaryFile(dir=folder):
        pass
