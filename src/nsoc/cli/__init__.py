# SPDX-License-Identifier: Apache-2.0
"""The `nsoc` command: a thin skin over the library. Whatever a command does, `import nsoc` does too.

A file for each group of commands; they stand in `nsoc --help` in the order in which their files are imported here.
Imports of what a command needs stand inside it: `nsoc --help` must not wait for parts it does not use.
"""

import contextlib
import errno
import os
import stat
import sys

import typer
from typer.exceptions import TyperException

from nsoc.cli.common import INTERRUPTED, app
from nsoc.errors import NsocError
from nsoc.files import is_full

# isort: off
from nsoc.cli import machine, live, transfer, hardware, look, bench, report  # noqa: F401
# isort: on

__all__ = ["app", "call", "main"]


def call(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit status. A user's error is one sentence on stderr."""
    try:
        status = app(arguments, prog_name="nsoc", standalone_mode=False)
        sys.stdout.flush()
    except NsocError as error:
        _complain(str(error))
        return 1
    except TyperException as error:
        where = getattr(error, "ctx", None)
        help_command = f"{where.command_path if where else 'nsoc'} --help"
        _complain(f"{error.format_message().rstrip('.')}; see {help_command}")
        return error.exit_code
    except OSError as error:
        _complain(_cannot_write(error))
        return 1
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        _complain("interrupted")
    return int(status or 0)


def _cannot_write(error: OSError) -> str:
    """The sentence on a write that failed; it does not always say to which file."""
    where = error.filename2 or error.filename or ("standard output" if _stdout_failed(error) else None)
    if where is None and is_full(error):
        return "no room left on a disk: free some, or set NSOC_CACHE and TMPDIR to folders on another one"
    return f"cannot write to {where or 'a file'}: {error.strerror or error}"


def _stdout_failed(error: OSError) -> bool:
    """Whether it was standard output that could not be written."""
    try:
        number = sys.stdout.fileno()
        kind = os.fstat(number).st_mode
    except (OSError, ValueError):  # it is no file
        return False
    if stat.S_ISREG(kind):
        return is_full(error) and os.fstatvfs(number).f_bavail == 0
    if stat.S_ISCHR(kind) and not os.isatty(number):
        try:
            os.write(number, b"\n")
        except OSError:
            return True
    return error.errno == errno.EPIPE


def _complain(sentence: str) -> None:
    """On stderr, where there is one."""
    with contextlib.suppress(OSError):
        typer.echo(f"nsoc: {sentence}", err=True)


def main() -> None:
    """Entry point of the `nsoc` command."""
    status = call(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # it has been said; the interpreter would try again at its end, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status)
