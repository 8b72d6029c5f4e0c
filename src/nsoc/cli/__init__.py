# SPDX-License-Identifier: Apache-2.0
"""The `nsoc` command: a thin skin over the library. Whatever a command does, `import nsoc` does too.

A file for each group of commands; they stand in `nsoc --help` in the order in which their files are imported here.
Imports of what a command needs stand inside it: `nsoc --help` must not wait for parts it does not use.
"""

import contextlib
import os
import sys

import typer
from typer.exceptions import TyperException

from nsoc.cli.common import INTERRUPTED, app
from nsoc.errors import NsocError

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
        what = "standard output" if error.filename is None else error.filename
        _complain(f"cannot write to {what}: {error.strerror or error}")
        return 1
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        _complain("interrupted")
    return int(status or 0)


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
