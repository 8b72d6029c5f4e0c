# SPDX-License-Identifier: Apache-2.0
"""What is public stays where it is, and takes what it took: public_api.txt is the list that this tree promises."""

import difflib
from pathlib import Path

import pytest

import nsoc
from nsoc import bench
from nsoc.cli import app
from nsoc.docs import api

LIST = Path(__file__).with_name("public_api.txt")
WAY_OUT = (
    "what is public has changed. A name that goes or moves stays as an old one (nsoc.renamed); CHANGELOG.md says what "
    "is different; then write the list anew:\n"
    "python -c 'from nsoc.docs import api; print(*api.listing(), sep=chr(10))' > tests/unit/public_api.txt\n"
)


def test_public_names_their_homes_and_their_signatures_are_as_listed() -> None:
    listed, there = LIST.read_text(encoding="utf-8").splitlines(), list(api.listing())
    assert listed == there, WAY_OUT + "\n".join(difflib.unified_diff(listed, there, "listed", "there", "", "", n=0))


def test_a_move_or_another_signature_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(api.listing())

    def send(self: nsoc.Wire, frame: bytes, *, pad: bool = False) -> None: ...

    monkeypatch.setattr(nsoc.Wire, "send", send)
    assert {*api.listing()} - {*before} == {"nsoc.Wire.send(frame: bytes, *, pad: bool = False) -> None"}
    monkeypatch.undo()
    monkeypatch.setattr(nsoc.Soc, "__module__", "nsoc.house.soc")
    (moved,) = {*api.listing()} - {*before}
    assert moved.startswith("nsoc.Soc(preset: ") and moved.endswith(" of nsoc.house.soc.Soc")
    monkeypatch.undo()
    monkeypatch.delattr(nsoc.Soc, "boot")
    (gone,) = {*before} - {*api.listing()}
    assert gone.startswith("nsoc.Soc.boot(")


def test_names_that_were_public_are_public() -> None:
    first = {"Faults", "Monitor", "Network", "NsocError", "Received", "Sent", "Soc", "Stop", "Wire"}  # of 0.1.0
    assert {*nsoc.__all__} >= first | {"Preset", "load_preset", "list_presets", "Peer", "pcapng"}


@pytest.mark.parametrize("name", nsoc.__all__)
def test_each_name_is_that_of_its_home(name: str) -> None:
    found = getattr(nsoc, name)
    assert api.find(api.home_of(found)) is found
    assert name in dir(nsoc)


@pytest.mark.parametrize("path", api.public())
def test_everything_public_has_a_text(path: str) -> None:
    found = api.find(path)
    assert api.text_of(found)
    assert not [member.name for member in api.members(found) if not member.text]


def test_every_bench_of_the_command_line_is_public() -> None:
    import typer

    commands = set(typer.main.get_command(app).commands["bench"].commands)  # type: ignore[attr-defined]
    assert commands <= {name.replace("_", "-") for name in api.BENCHES}
    folder = Path(bench.__file__).parent
    assert all((folder / f"{name}.py").exists() or (folder / name).is_dir() for name in api.BENCHES)


def test_presets_are_read_by_name_and_by_file(tmp_path: Path) -> None:
    assert nsoc.load_preset().name == "nic12-fast" and {"toe", "lat-10g"} <= set(nsoc.list_presets())
    (tmp_path / "mine.toml").write_text('base = "toe"\n', encoding="utf-8")
    mine = nsoc.load_preset(tmp_path / "mine.toml")
    assert isinstance(mine, nsoc.Preset) and nsoc.load_preset(mine) is mine
