# SPDX-License-Identifier: Apache-2.0
"""`nsoc report`: what was measured, beside what was published, as one HTML file that works without network.

`collect` measures, `facts` takes curves, tables and key figures from records, `page` makes the file of them, and
`page.js` draws the plots in the reader's browser, as wide as it is.
"""

import webbrowser
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.report.facts import Facts
from nsoc.report.page import page


def browser() -> webbrowser.BaseBrowser:
    """This machine's, as the variable BROWSER or the desktop says. Raises NsocError when there is none."""
    try:
        return webbrowser.get()
    except webbrowser.Error:
        raise NsocError(
            "there is no browser on this machine: leave out --open, and open the page where there is one"
        ) from None


def write(found: Facts, path: Path) -> int:
    """The page to a file; its size in bytes."""
    text = page(found).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    except OSError as problem:
        raise NsocError(f"cannot write the report {path}: {problem.strerror}; give --out another file") from None
    return len(text)
