# SPDX-License-Identifier: Apache-2.0
"""Where a page says "published", a reader finds in which publication: in that section or at the page's top."""

import re

import pytest
from docs_pages import ROOT, pages

from nsoc.systems import SYSTEMS

TITLES = {system.publication.title for system in SYSTEMS}
TABLE = "](../README.md)"
"""README has all titles: enough for a section that is about every publication."""


def sections(page: str) -> tuple[str, list[str]]:
    """The text above the first heading of the second level, and the sections below it, each in one line."""
    top, *parts = re.split(r"^## ", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return " ".join(top.split()), [" ".join(part.split()) for part in parts]


@pytest.mark.parametrize("page", [page for page in pages() if page != "CONTRIBUTING.md"])
def test_a_section_that_says_published_names_the_publication(page: str) -> None:
    top, parts = sections(page)
    nameless = [
        part[:60]
        for part in parts
        if re.search(r"\bpublished\b", part, re.IGNORECASE)
        and not any(title in top or title in part for title in TITLES)
        and TABLE not in part
        and TABLE not in top
    ]
    assert nameless == []
