# SPDX-License-Identifier: Apache-2.0
"""Version, changelog, citation and what the wheel says of itself."""

import email
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = ROOT / "CITATION.cff"

TEXT = {"type": "string", "minLength": 1}
DAY = {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])$"}
ENTITY = {
    "type": "object", "required": ["name"], "additionalProperties": False,
    "properties": {
        name: DAY if name.startswith("date-") else TEXT
        for name in (
            "address", "alias", "city", "country", "date-end", "date-start", "email", "fax", "location", "name",
            "orcid", "post-code", "region", "tel", "website",
        )
    },
}  # fmt: skip
CFF: dict[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["authors", "cff-version", "message", "title"],
    "properties": {
        **{name: TEXT for name in ("abstract", "commit", "doi", "license-url", "message", "title")},
        **{name: TEXT for name in ("repository", "repository-artifact", "repository-code", "url")},
        "authors": {"type": "array", "minItems": 1, "uniqueItems": True, "items": ENTITY},
        "cff-version": {"const": "1.2.0"}, "date-released": DAY, "license": TEXT,
        "keywords": {"type": "array", "minItems": 1, "uniqueItems": True, "items": TEXT},
        "type": {"enum": ["dataset", "software"]}, "version": {"type": ["string", "number"]},
    },
}  # fmt: skip
"""The Citation File Format 1.2.0, field by field, of authors who are entities: persons, identifiers and references
are left out."""


def versions() -> list[tuple[str, str]]:
    """Versions of the changelog with their days, the newest first."""
    return re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", CHANGELOG, re.MULTILINE)


def test_the_changelog_is_as_keep_a_changelog_has_it() -> None:
    title, *rest = re.findall(r"^#+ .*$", CHANGELOG, re.MULTILINE)
    assert title == "# Changelog" and rest[0] == "## [Unreleased]"
    kinds = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
    seen: list[str] = []
    for heading in rest[1:]:
        if heading.startswith("## "):
            assert re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading)
            seen = []
        else:
            assert heading.removeprefix("### ") in kinds and heading not in seen
            seen.append(heading)
    found = versions()
    numbers = [tuple(map(int, number.split("."))) for number, _ in found]
    days = [date.fromisoformat(day) for _, day in found]
    assert numbers == sorted(numbers, reverse=True) and days == sorted(days, reverse=True)


def test_one_version_everywhere() -> None:
    newest, day = versions()[0]
    citation = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    assert PROJECT["version"] == newest == citation["version"] and citation["date-released"] == day
    assert f"nsoc-{newest}-py3" in (ROOT / "docs/workbench.md").read_text(encoding="utf-8")


def test_the_citation_is_valid() -> None:
    citation = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    jsonschema.validate(citation, CFF)
    assert citation["authors"] == [{"name": "N-SoC developers"}] == PROJECT["authors"]
    assert citation["license"] == PROJECT["license"]
    assert not re.search(r"://|@", CITATION.read_text(encoding="utf-8")), "an address that nobody knows"


@pytest.mark.parametrize(
    "change",
    [
        {"authors": []},
        {"authors": [{"nam": "x"}]},
        {"cff-version": "1.3.0"},
        {"date-released": "28.11.2026"},
        {"type": "hardware"},
        {"message": ""},
        {"keyword": ["x"]},
    ],
    ids=str,
)
def test_a_citation_that_is_wrong_is_seen(change: dict[str, Any]) -> None:
    citation = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**citation, **change}, CFF)


def test_the_wheel_says_what_it_is(tmp_path: Path) -> None:
    """Of a package with little in it, as the metadata are those of pyproject.toml."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "src" / "nsoc").mkdir(parents=True)
    for name in ("__init__.py", "py.typed"):
        shutil.copy(ROOT / "src" / "nsoc" / name, tmp_path / "src" / "nsoc")
    code = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(tmp_path / done.stdout.splitlines()[-1]) as wheel:
        names = wheel.namelist()
        (path,) = (name for name in names if name.endswith("/METADATA"))
        metadata = email.message_from_string(wheel.read(path).decode())
    assert metadata["Version"] == PROJECT["version"] and metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()
    assert set(metadata["Keywords"].split(",")) == set(PROJECT["keywords"])
    assert metadata.get_all("Classifier") == PROJECT["classifiers"] and "Typing :: Typed" in PROJECT["classifiers"]
    assert any(name.endswith("/licenses/LICENSE") for name in names) and "nsoc/py.typed" in names
