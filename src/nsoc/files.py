# SPDX-License-Identifier: Apache-2.0
"""Files of the user's: whether they can be written is known before hours are spent on what goes into them."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nsoc.errors import NsocError

_PAGE_BYTES = 4096


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
        raise cannot_write(path, what, option, problem) from None


def check_folder(path: Path, option: str) -> None:
    """The same for a folder that files go to."""
    try:
        _try_folder(path)
    except OSError as problem:
        raise NsocError(f"cannot write to the folder {path} ({problem.strerror}); give {option} another") from None


@contextmanager
def writing(path: Path, what: str, option: str) -> Iterator[None]:
    """Around what writes the file `path`, named by the user with `option`: an OSError becomes an NsocError."""
    try:
        yield
    except OSError as problem:
        raise cannot_write(path, what, option, problem) from None


def cannot_write(path: Path, what: str, option: str, problem: OSError) -> NsocError:
    """The sentence on a file that cannot be written."""
    return NsocError(f"cannot write {what} {path} ({problem.strerror or problem}); give {option} another file")


def check_room(path: Path, what: str, option: str) -> None:
    """Raises NsocError when the disk is full that the file `path` is on: for who writes and is not told of errors."""
    if shutil.disk_usage(path.parent).free < _PAGE_BYTES:
        raise cannot_write(path, what, option, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def is_full(problem: OSError) -> bool:
    """Whether there is no room left for what was to be written."""
    return problem.errno in (errno.ENOSPC, errno.EDQUOT)


def no_room(what: str, folder: Path) -> NsocError:
    """The sentence on a full disk that `what` was made on: in `folder`, or where temporary files go."""
    temporary = Path(tempfile.gettempdir())
    full = min((folder, temporary), key=lambda place: shutil.disk_usage(place).free)
    way_out = "TMPDIR" if full == temporary else "NSOC_CACHE"
    return NsocError(f"no room left on the disk of {full} for {what}: free some, or set {way_out} to another folder")


def _try_folder(folder: Path) -> None:
    """A file in it, or where it would be made; permissions say little to who is root."""
    while not folder.exists():
        folder = folder.parent
    with tempfile.TemporaryFile(dir=folder):
        pass
