# SPDX-License-Identifier: Apache-2.0
"""What tests and the programs that they start see of the user's environment: the same terminal, language and time zone
everywhere. A test of what one of these variables does sets it itself."""

import os
import time

SET = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
UNSET = (
    "COLUMNS", "LINES", "TERMINAL_WIDTH", "JUPYTER_COLUMNS", "JUPYTER_LINES",  # of rich and typer: how wide
    "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM",  # in which colours
    "TTY_COMPATIBLE", "TTY_INTERACTIVE", "UNICODE_VERSION", "GITHUB_ACTIONS",  # whether it is a terminal
    "LANG", "LANGUAGE",
)  # fmt: skip
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
"""Of the make that runs the tests. Benches of blocks set the first one for their own make."""


def set_for_tests() -> None:
    """After pytest has decided on its own colours."""
    for name in (*UNSET, *OF_MAKE):
        os.environ.pop(name, None)
    os.environ.update(SET)
    time.tzset()
