# SPDX-License-Identifier: Apache-2.0
"""Where FreeRTOS's sources come from: $FREERTOS_DIR, the cache, cargo; and that without them one sentence says the way
out."""

import json
from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.machine import firmware, freertos
from nsoc.machine.presets import load

CARGO = """\
#!/bin/sh
[ {status} = 0 ] || {{ echo "    Updating index"; echo "error: no route to it"; exit {status}; }}
crate=vendor/{crate}
mkdir -p $crate/FreeRTOS-Kernel
echo '{checksum}' > $crate/.cargo-checksum.json
echo '// tasks' > $crate/FreeRTOS-Kernel/tasks.c
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(freertos.DIRECTORY, raising=False)


def fake_cargo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str = freertos.SHA256, status: int = 0
) -> None:
    tool = tmp_path / "tools" / "cargo"
    tool.parent.mkdir()
    tool.write_text(CARGO.format(status=status, crate=freertos.CRATE, checksum=json.dumps({"package": package})))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")


def test_the_crate_is_fetched_and_its_kernel_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cargo(tmp_path, monkeypatch)
    folder = freertos.source()
    assert folder is not None
    assert freertos.why_not() is None
    assert (folder / "tasks.c").read_text() == "// tasks\n"
    assert folder.is_relative_to(tmp_path / "cache")
    assert [path.name for path in folder.parent.iterdir() if path.is_dir()] == [folder.name], "nothing else of it"


def test_another_crate_of_that_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cargo(tmp_path, monkeypatch, package="0" * 64)
    assert freertos.source() is None
    assert "is not what it should be" in str(freertos.why_not())


def test_cargo_that_fails_is_a_reason_and_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cargo(tmp_path, monkeypatch, status=101)
    assert freertos.source() is None
    way_out = "set FREERTOS_DIR to a folder with its sources"
    reason = f"FreeRTOS 11.2.0 is missing (cargo could not bring it: no route to it): {way_out}"
    assert freertos.why_not() == reason
    with pytest.raises(NsocError) as refused:
        firmware.build_for(load("nic12-fast"), "os_cycles", {"OS_FREERTOS": 1})
    assert str(refused.value) == f"threads on FreeRTOS: {reason}"


def test_without_cargo_it_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no cargo here" in str(freertos.why_not())


def test_a_chosen_folder_goes_first_and_must_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(freertos.DIRECTORY, str(tmp_path))
    with pytest.raises(NsocError, match=r"FREERTOS_DIR is .*name a folder of FreeRTOS"):
        freertos.source()
    (tmp_path / "tasks.c").touch()
    assert freertos.source() == tmp_path


def test_it_goes_into_programs_with_threads_when_it_is_chosen_and_into_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preset = load("nic12-fast")
    assert firmware.recipe_for(preset, "os_cycles").freertos is None
    (tmp_path / "tasks.c").touch()
    monkeypatch.setenv(freertos.DIRECTORY, str(tmp_path))
    recipe = firmware.recipe_for(preset, "os_cycles")
    assert recipe.freertos == tmp_path
    assert "os.S" not in [path.name for path in recipe.library]
    assert firmware.recipe_for(preset, "os_cycles", {"OS_FREERTOS": 0}).freertos is None
    assert firmware.recipe_for(preset, "hello").freertos is None
    before = recipe.digest()
    (tmp_path / "tasks.c").write_text("// changed")
    assert recipe.digest() != before
