# SPDX-License-Identifier: Apache-2.0
"""What is measured is kept until something changes that it depends on."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nsoc.bench import jobs, measure, points, pool, store
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.records import Record

RECORDS = [Record("test", "nic12-fast", "x", 1.25, "normal", 64, "us", None, 1.5), Record("test", None, "y", 7)]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "results"


def _key(preset: Preset | None = None, seed: int = 1, digest: str = "a", **arguments: Any) -> store.Key:
    return store.key(preset or presets.load(), seed, arguments, digest)


# ---- Keys ----

OTHER = {
    "icache_bytes": 1024, "dcache_bytes": 65536,
    "core": None, "unit": None, "name": None, "description": None,  # of these there is one, or they do not count
    "top": "mac_example", "cores": 2, "cpu_mhz": 81.0, "nic_mhz": 100.0, "one_clock": True, "dram_mhz": 100.0,
    "line_mbps": 100, "cpu_ppm": 1.0, "nic_ppm": 1.0, "dram_ppm": 1.0, "rx_ppm": 1.0, "tx_ppm": 1.0,
    "rx_fifo_bytes": 4096, "tx_fifo_bytes": 4096, "max_frame_bytes": 2000,
    "local_memory_bytes": 131072, "queues": "memory", "packets": "dram",
    "l2_bytes": 65536, "dma": True, "offloads": True, "connections": 16, "width": 128, "xgmii_bits": 128,
    "cable_cycles": 1,
    "banks": 8, "order": "lock", "frame_memory_mhz": 400.0, "host_mhz": 125.0, "host_latency_ns": 1,
    "host_jitter_ns": 1, "host_mbps": 1, "pieces": 1,
    "uart_divisor": 9,
    "firmware": "hello",
}  # fmt: skip


def test_any_field_of_a_preset_but_its_names_changes_the_key() -> None:
    assert OTHER.keys() == set(Preset.__struct_fields__), "say here what another value of the new field is"
    preset = presets.load().with_(cpu_mhz=125)  # as nic_mhz, so that there may be one_clock
    same = _key(preset)
    assert _key(preset.with_(name="another", description="of the same system")) == same
    for name, value in OTHER.items():
        if value is not None:
            fields = {**{other: getattr(preset, other) for other in Preset.__struct_fields__}, name: value}
            assert _key(Preset(**fields)).path != same.path, name


def test_seed_arguments_and_digests_change_the_key() -> None:
    keys = [_key(), _key(seed=2), _key(digest="b"), _key(payload=64), _key(payload=65), _key(mode="64")]
    assert len({key.path for key in keys}) == len(keys)
    assert _key(payload=64, mode="x") == _key(mode="x", payload=64)


def test_the_content_of_the_users_own_firmware_changes_the_key(tmp_path: Path) -> None:
    elf = tmp_path / "mine.elf"
    preset = presets.load().with_(firmware=str(elf))
    keys = [_key(preset)]
    for content in (b"one", b"other"):
        elf.write_bytes(content)
        keys.append(_key(preset))
    preset = presets.load().with_(firmware=str(tmp_path / "mine.c"))
    for name in ("mine.c", "mine.h"):  # C that is compiled, and what it includes
        keys.append(_key(preset))
        (tmp_path / name).write_text("int one;", encoding="utf-8")
    keys.append(_key(preset))
    assert len(set(keys)) == 6


# ---- The code that measures ----

PACKAGE = {
    "__init__.py": "",
    "bench/__init__.py": "",
    "bench/start.py": "import json\nfrom house.bench import middle\nfrom typing import TYPE_CHECKING\n"
    'if TYPE_CHECKING:\n    from house import shown\nelse:\n    import house.otherwise\nFIGURES = "figures.toml"\n',
    "bench/middle.py": "def late():\n    try:\n        from ..room import end as other\n    finally:\n        pass\n",
    "room/__init__.py": "from . import beside\n",
    "room/beside.py": "",
    "room/end.py": "from house.bench.start import FIGURES\n",
    "room/unused.py": '"""Nobody imports it."""\n',
    "otherwise.py": "",
    "shown.py": "from house.bench import start\n",
    "published/figures.toml": "a = 1\n",
    "published/unused.toml": "a = 1\n",
}
MEASURING = {
    "__init__.py", "bench/__init__.py", "bench/start.py", "bench/middle.py", "room/__init__.py", "room/beside.py",
    "room/end.py", "otherwise.py", "published/figures.toml",
}  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A package in which `bench.start` measures."""
    root = tmp_path / "house"
    for name, text in PACKAGE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_an_import_of_an_import_changes_the_digest_and_what_nobody_imports_does_not(house: Path) -> None:
    before = store.code_digest("house.bench.start", house)
    for name in PACKAGE:
        text = (house / name).read_text()
        (house / name).write_text(text + "# another word\n")
        assert (store.code_digest("house.bench.start", house) != before) == (name in MEASURING), name
        (house / name).write_text(text)
    assert store.code_digest("house.bench.start", house) == before


def test_the_digest_does_not_depend_on_where_the_package_is(house: Path) -> None:
    before = store.code_digest("house.bench.start", house)
    elsewhere = house.parent / "elsewhere" / "house"
    elsewhere.parent.mkdir()
    house.rename(elsewhere)
    assert store.code_digest("house.bench.start", elsewhere) == before


@pytest.mark.parametrize("module", [jobs.__name__, points.__name__, measure.__name__])
def test_python_itself_imports_no_module_of_the_package_that_is_not_found(module: str) -> None:
    import subprocess

    script = f"import sys, {module}; print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'nsoc'))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = {Path(name).resolve() for name in ran.stdout.split()}
    found = store.code(module)
    assert len(imported) > 10 and imported <= found
    rooms = {path.relative_to(store.PACKAGE).parts[0] for path in found}
    assert not rooms & {"cli", "report", "docs", "demo.py"}, "what only shows"


# ---- Keeping ----


def test_what_is_kept_comes_back_to_the_last_digit(cache: Path) -> None:
    assert store.recall(_key(), list[Record]) is None
    store.keep(_key(), RECORDS)
    assert store.recall(_key(), list[Record]) == RECORDS
    assert store.recall(_key(seed=2), list[Record]) is None
    burst = measure.Burst("nic12-fast", "normal", 64, 100, True, False, "")
    store.keep(_key(), burst)
    assert store.recall(_key(), measure.Burst) == burst
    assert store.recall(_key(), list[Record]) is None, "a result of another kind"


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _not_text(path: Path) -> None:
    path.write_bytes(b'{"key": "\xff\xfe", "result": [\xff]}')


def _other_shape(path: Path) -> None:
    path.write_text(json.dumps([1, 2]))


def _other_key(path: Path) -> None:
    store.keep(_key(seed=99), RECORDS)
    path.write_bytes(_key(seed=99).path.read_bytes())


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [_cut, _empty, _not_text, _other_shape, _other_key, _folder, Path.unlink])
def test_a_damaged_or_foreign_file_counts_as_not_there(cache: Path, damage: Callable[[Path], None]) -> None:
    store.keep(_key(), RECORDS)
    damage(_key().path)
    assert store.recall(_key(), list[Record]) is None
    if damage is not _folder:
        store.keep(_key(), RECORDS)
        assert store.recall(_key(), list[Record]) == RECORDS


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "file"))
    with pytest.raises(NsocError, match=r"cannot keep a result in .*file/results: Not a directory; set NSOC_CACHE"):
        store.keep(_key(), RECORDS)


def _keep_often(count: int) -> bool:
    """Whether each result is whole while somebody else keeps it, too."""
    for _ in range(count):
        store.keep(_key(), RECORDS)
        if store.recall(_key(), list[Record]) != RECORDS:
            return False
    return True


def test_two_processes_keep_the_same_result(cache: Path) -> None:
    calls = {number: partial(_keep_often, 200) for number in range(2)}
    with pool.completed(calls, 2) as results:
        assert dict(results) == {0: True, 1: True}
    assert [path.name for path in cache.iterdir()] == [_key().path.name], "and leave nothing else"


def test_a_preset_under_another_name_has_the_result_with_its_own(cache: Path, tmp_path: Path) -> None:
    def burst(job: jobs.Job) -> measure.Burst:
        return measure.Burst(presets.load(job.preset).name, job.mode, job.payload, 100, True, False, "")

    mine = tmp_path / "mine.toml"
    mine.write_text((presets.PRESET_FOLDER / "nic12-fast.toml").read_text(encoding="utf-8"), encoding="utf-8")
    named: list[str] = []
    for preset, measured in (("nic12-fast", 1), (str(mine), 0)):
        job = jobs.Job("burst", preset, payload=64)
        results = jobs.run([job], workers=0, perform=burst, fingerprint=lambda job: "a")
        assert results.measured == measured
        named.append(results.get(job).preset)
    assert named == ["nic12-fast", "mine"]
