# SPDX-License-Identifier: Apache-2.0
"""Where lwIP's sources come from: $LWIP_DIR, the cache, apt; and that without them one sentence says the way out."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.machine import lwip

APT = """\
#!/bin/sh
case "$*" in
*update*) exit {update} ;;
*source*) cp "{archive}" {name} ;;
esac
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(lwip.DIRECTORY, raising=False)


def fake_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, update: int = 0) -> None:
    tools, etc = tmp_path / "tools", tmp_path / "etc"
    tools.mkdir()
    (etc / "sources.list.d").mkdir(parents=True)
    (etc / "sources.list").write_text("deb file:/packages stable main\n")
    archive = tmp_path / "archive"
    archive.write_bytes(content)
    (tools / "apt-get").write_text(APT.format(update=update, archive=archive, name=lwip.ARCHIVE))
    (tools / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setattr(lwip, "APT", etc)


def package() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as tar:
        entry = tarfile.TarInfo("lwip-x/src/include/lwip/init.h")
        entry.size = 5
        tar.addfile(entry, io.BytesIO(b"hello"))
    return out.getvalue()


def test_the_package_is_fetched_unpacked_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = package()
    fake_apt(tmp_path, monkeypatch, content)
    monkeypatch.setattr(lwip, "SHA256", hashlib.sha256(content).hexdigest())
    folder = lwip.source()
    assert folder is not None
    assert lwip.why_not() is None
    assert (folder / "src" / "include" / "lwip" / "init.h").read_bytes() == b"hello"
    assert folder.is_relative_to(tmp_path / "cache")


def test_another_package_of_that_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_apt(tmp_path, monkeypatch, package())
    assert lwip.source() is None
    assert "is not what it should be" in str(lwip.why_not())
    assert lwip.DIRECTORY in str(lwip.why_not())


def test_apt_that_fails_is_a_reason_and_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_apt(tmp_path, monkeypatch, b"", update=100)
    assert lwip.source() is None
    assert str(lwip.why_not()) == (
        "lwIP 2.1.3 is missing (apt could not bring it: exit status 100): set LWIP_DIR to a folder with its sources"
    )


def test_a_chosen_folder_goes_first_and_must_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(lwip.DIRECTORY, str(tmp_path))
    with pytest.raises(NsocError, match=r"LWIP_DIR is .*name a folder of lwIP"):
        lwip.source()
    (tmp_path / "src" / "include" / "lwip").mkdir(parents=True)
    (tmp_path / "src" / "include" / "lwip" / "init.h").write_text("")
    assert lwip.source() == tmp_path


def test_sources_of_both_styles_are_found(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text("# deb file:/no x main\ndeb [arch=amd64] file:/one stable main  \n")
    (tmp_path / "sources.list.d" / "a.sources").write_text(
        "Types: deb\n# a remark\nURIs: file:/two\nSuites: stable\n stable-updates\nComponents: main\n"
        "Signed-By: /key\n\nEnabled: no\nTypes: deb\nURIs: file:/three\nSuites: x\n"
    )
    assert lwip.source_lines(tmp_path) == [
        "deb-src [arch=amd64] file:/one stable main",
        "deb-src [signed-by=/key] file:/two stable main",
        "deb-src [signed-by=/key] file:/two stable-updates main",
    ]


def test_where_apt_can_have_it_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NSOC_CACHE")
    if not lwip.has_apt():
        pytest.skip("no apt with places of packages here")
    assert lwip.source() is not None, lwip.why_not()
