# SPDX-License-Identifier: Apache-2.0
"""Presets: what comes with the package, what a user may write, and what is said about mistakes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import pytest

import nsoc
from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.machine.soc import boot_config
from nsoc.pnic.nic import setup_of


def test_the_default_is_the_published_system() -> None:
    preset = presets.load()
    assert preset.name == "nic12-fast"
    assert (preset.cpu_mhz, preset.nic_mhz) == (80, 125)  # DESIGN section 6
    assert preset.rx_fifo_bytes == preset.tx_fifo_bytes == 16 * 1024
    assert preset.local_memory_bytes == 256 * 1024


def test_every_preset_of_the_package_is_valid_and_says_what_it_is() -> None:
    assert "nic12-fast" in presets.names()
    for preset in presets.all_presets():
        assert preset.description
        own = {"CORES", "BANKS"} if preset.top == "pnic_node" else set(presets.RTL_PARAMETERS)
        assert set(preset.rtl_parameters()) == own


RESOLVED = json.loads(Path(__file__).with_name("resolved_presets.json").read_text(encoding="utf-8"))
"""Every field of each preset of the package. All figures are of these systems: one that changes is another system."""


@pytest.mark.parametrize("name", sorted({*RESOLVED, *presets.names()}))
def test_a_preset_of_the_package_is_the_system_it_was(name: str) -> None:
    assert name in RESOLVED and name in presets.names()
    assert msgspec.to_builtins(presets.load(name)) == RESOLVED[name]


V8_TWINS = {name: name.removeprefix("ajit-") for name in presets.names() if name.startswith("ajit-")}
V8_TWINS["ajit-toe"] = "toe-nodca"  # direct cache access is RISC-V's


@pytest.mark.parametrize("name", V8_TWINS)
def test_a_preset_with_sparc_is_its_twin_but_for_the_core(name: str) -> None:
    preset, twin = presets.load(name), presets.load(V8_TWINS[name])
    assert preset == twin.with_(name=name, description=preset.description, core="sparc")
    assert preset.description.startswith(f"{twin.name} with a SPARC V8 core: ")
    for cores in (2, 4):
        assert preset.with_(cores=cores).rtl_parameters()["CORES"] == cores


def test_sparc_is_in_each_soc_but_three() -> None:
    socs = {name for name in presets.names() if presets.load(name).has_processor and not name.startswith("ajit-")}
    assert set(V8_TWINS.values()) == socs - {"toe", "toe-1k", "toe-lwip"}


def written(folder: Path, name: str, *lines: str) -> Path:
    file = folder / f"{name}.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_file_begins_with_the_fields_of_its_base(tmp_path: Path) -> None:
    preset = presets.load(written(tmp_path, "mine", 'base = "toe"', "connections = 256", 'l2_bytes = "64K"'))
    toe = presets.load("toe")
    described = "toe with connections = 256, l2_bytes = 64K"
    assert preset == toe.with_(name="mine", description=described, connections=256, l2_bytes=65536)


def test_a_base_is_a_file_beside_it_and_may_have_a_base(tmp_path: Path) -> None:
    (tmp_path / "of").mkdir()
    written(tmp_path, "low", 'base = "of/lower.toml"', 'description = "my own"', "cpu_mhz = 60")
    written(tmp_path / "of", "lower", 'base = "nic12-net"', "cpu_mhz = 50", "nic_mhz = 100", 'name = "other"')
    preset = presets.load(written(tmp_path, "mine", 'base = "low.toml"', "cores = 2"))
    assert (preset.name, preset.description) == ("mine", "low with cores = 2")
    assert (preset.cpu_mhz, preset.nic_mhz, preset.cores, preset.offloads) == (60, 100, 2, True)
    assert presets.load(written(tmp_path, "same", 'base = "low.toml"')).description == "as low"


def test_a_file_called_like_its_base_is_no_circle(tmp_path: Path) -> None:
    assert presets.load(written(tmp_path, "toe", 'base = "toe"', "cores = 2")).connections == 64


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a", "b", "c"), ("mine", "a", "b")])
def test_a_base_in_a_circle_is_told_with_the_way_round(tmp_path: Path, names: tuple[str, ...]) -> None:
    first = "a" if "mine" in names else names[0]
    for name, base in zip(names, (*names[1:], first), strict=True):
        written(tmp_path, name, f'base = "{base}.toml"')
    with pytest.raises(NsocError) as problem:
        presets.load(tmp_path / f"{names[0]}.toml")
    way = " -> ".join(str(tmp_path / f"{name}.toml") for name in (*names, first))
    assert str(problem.value) == (
        f"the preset {tmp_path / names[0]}.toml is wrong: base goes in a circle, {way}; take base out of one of these"
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('base = "tow"', "is wrong: there is no preset 'tow' for its base, only ajit-nic11-.*; did you mean toe?"),
        ('base = ""', "is wrong: there is no preset '' for its base, only "),
        ('base = "gone.toml"', "cannot read the preset {folder}/gone.toml, the base of {file}: No such file"),
        ("base = 5", "is wrong: base must be the name of a preset or the path of a TOML file, not 5"),
        ('base = ["toe"]', "is wrong: base must be the name of a preset or the path of a TOML file, not ['toe']"),
        ('base = "toe"\nconections = 8', "is wrong: there is no field 'conections', did you mean connections?"),
        ('base = "wrong.toml"', "the preset {folder}/wrong.toml is wrong: there is no field 'zzz', only "),
        ('base = "toe"\none_clock = true', "is wrong: with one_clock cpu_mhz and nic_mhz are one clock"),
    ],
)
def test_a_base_that_cannot_be_is_one_sentence(tmp_path: Path, line: str, sentence: str) -> None:
    written(tmp_path, "wrong", "zzz = 1")
    file = written(tmp_path, "mine", line)
    with pytest.raises(NsocError) as problem:
        presets.load(file)
    said = str(problem.value)
    for part in sentence.format(folder=tmp_path, file=file).split(".*"):
        assert part in said
    assert str(tmp_path) in said and "\n" not in said


SIZE_FIELDS = [name for name in presets.Preset.__struct_fields__ if name.endswith("_bytes")]


@pytest.mark.parametrize("field", SIZE_FIELDS)
def test_a_size_may_be_a_text(tmp_path: Path, field: str) -> None:
    for text, value in (("256K", 1 << 18), ("256k", 1 << 18), ("1M", 1 << 20), ("8K", 8192), ("64K", 65536)):
        file = written(tmp_path, "mine", 'base = "nic12-fast"', f'{field} = "{text}"')
        least, most = (getattr(get_args(presets.TYPES[field])[1], bound) for bound in ("ge", "le"))
        if least <= value <= most:
            assert getattr(presets.load(file), field) == value == getattr(presets.load().with_(**{field: text}), field)
        else:
            with pytest.raises(NsocError, match=f"from {least} to {most} bytes or a size as \"8K\", not '{text}'"):
                presets.load(file)


NO_SIZES = ("8", "8Q", "K", "8 K", "8KB", "8.5K", "-8K", "8\u212a", "\u0668K", "8K ", f"{'9' * 5000}K")


@pytest.mark.parametrize("text", NO_SIZES, ids=ascii)
def test_a_size_that_is_none_is_told_with_one_that_is(tmp_path: Path, text: str) -> None:
    file = written(tmp_path, "mine", 'description = "x"', f'icache_bytes = "{text}"')
    with pytest.raises(NsocError) as problem:
        presets.load(file)
    shown = f"{text[:60]}..." if len(text) > 60 else text
    wanted = 'icache_bytes must be a whole number from 1024 to 65536 bytes or a size as "8K"'
    assert str(problem.value) == f"the preset {file} is wrong: {wanted}, not '{shown}'"


def test_only_bytes_are_sizes(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match="connections must be a whole number from 0 to 1024, not '1K'"):
        presets.load(written(tmp_path, "mine", 'base = "toe"', 'connections = "1K"'))


def test_rtl_parameters_exist_in_the_top_they_are_for() -> None:
    top = (Path(__file__).parents[3] / "sim" / "sim_top.sv").read_text(encoding="utf-8")
    for parameter in presets.RTL_PARAMETERS:
        assert f" {parameter} " in top


def test_an_unknown_name_is_answered_with_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(NsocError, match=r"no preset 'nic12-fats', only .*nic12-fast.*did you mean nic12-fast\?"):
        presets.load("nic12-fats")


def test_a_file_of_the_users_own_is_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('description = "more of everything"\nrx_fifo_bytes = 65536\ncpu_mhz = 200\n', encoding="utf-8")
    preset = presets.load(file)
    assert (preset.name, preset.rx_fifo_bytes, preset.cpu_mhz) == ("mine", 65536, 200)
    assert preset.tx_fifo_bytes == 16384


FIELDS = {field.name: field.type for field in msgspec.structs.fields(presets.Preset)}
NO_NUMBERS = ("'abc'", "''", "true", "[1]", "1979-05-27")


def _wrong(field: str) -> Iterator[tuple[str, list[str]]]:
    """Values in TOML that the field does not take, and what a sentence on it must say."""
    kind = FIELDS[field]
    if get_origin(kind) is Literal:
        choices = [str(choice) for choice in get_args(kind)]
        yield from ((value, choices) for value in ("'sky'", "''", "-1", "1e30", "nan", "false", "{}"))
        return
    base, *metas = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    if base is bool:
        yield from ((value, ["true or false"]) for value in ("1", "'true'", "nan", "[]"))
    elif base is str:
        yield from ((value, ["a text"]) for value in ("1", "true", "['a']"))
    else:
        (limits,) = metas
        words = [f"from {limits.ge} to {limits.le}"]
        beyond = (limits.ge - 1, limits.le + 1, "-inf", "inf", "nan", 10**30, f"1{'0' * 400}")
        yield from ((str(value), words) for value in (*NO_NUMBERS, *beyond, *(["8192.0"] if base is int else [])))


@pytest.mark.parametrize("field", FIELDS)
def test_a_wrong_value_is_answered_with_file_field_value_and_what_there_may_be(tmp_path: Path, field: str) -> None:
    file = tmp_path / "mine.toml"
    for value, words in _wrong(field):
        description = "" if field == "description" else 'description = "x"\n'
        file.write_text(f"{description}{field} = {value}\n", encoding="utf-8")
        with pytest.raises(NsocError) as problem:
            presets.load(file)
        said = str(problem.value)
        assert said.startswith(f"the preset {file} is wrong: {field} must be ") and len(said) < 400
        assert all(word in said for word in words), said
        assert f"not {value[:20]}" in said or "e+" in said


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("queues", "sky", "queues must be nic or memory, not 'sky'"),
        ("core", "arm", "core must be rv32 or sparc, not 'arm'"),
        ("width", 100, "width must be 64, 128, 256 or 512 bits, not 100"),
        ("line_mbps", 7, "line_mbps must be 10, 100, 1000, 10000, 25000, 50000 or 100000 Mb/s, not 7"),
        ("cpu_mhz", "abc", "cpu_mhz must be a number from 10 to 1000 MHz, not 'abc'"),
        ("rx_ppm", 501, "rx_ppm must be a number from -500 to 500 parts in a million, not 501"),
        ("icache_bytes", 512, "icache_bytes must be a whole number from 1024 to 65536 bytes, not 512"),
        ("one_clock", "yes", "one_clock must be true or false, not 'yes'"),
        ("cable_cycles", 1001, "cable_cycles must be a whole number from 0 to 1000 cycles, not 1001"),
    ],
)
def test_a_change_that_cannot_be_is_blamed_and_not_the_preset(field: str, value: object, sentence: str) -> None:
    with pytest.raises(NsocError) as problem:
        presets.load().with_(**{field: value})
    assert str(problem.value) == f"{field}={value} for the preset nic12-fast is wrong: {sentence}"


@pytest.mark.parametrize(
    ("firmware", "complaint"),
    [
        ("nosuch", "there is no firmware 'nosuch', only "),
        ("gone.elf", "cannot read the firmware gone.elf: No such file or directory"),
        ("./gone", "cannot read the firmware gone: No such file or directory"),
        ("gone.c", "cannot read the firmware gone.c: No such file or directory"),
        ("folder.elf", "cannot read the firmware folder.elf: Is a directory"),
        ("folder.c", "cannot read the firmware folder.c: Is a directory"),
        ("folder", "there is no firmware 'folder', only "),
        ("notes.md", "notes.md is not a 32-bit little-endian ELF file; give that, a C file, or the name of an"),
        ("notes.elf", "notes.elf is not a 32-bit little-endian ELF file"),
    ],
)
@pytest.mark.parametrize("with_preset", [False, True])
def test_a_firmware_that_is_not_there_is_refused_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, firmware: str, complaint: str, with_preset: bool
) -> None:
    """Also when it is the preset's and another one is to be booted."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "simulator", None)
    monkeypatch.setattr(build, "run_tool", None)
    for name in ("notes.md", "notes.elf"):
        Path(name).write_text("some text", encoding="utf-8")
    for name in ("folder", "folder.elf", "folder.c"):
        Path(name).mkdir()
    Path("mine.toml").write_text(f'description = "x"\nfirmware = "{firmware}"\n', encoding="utf-8")
    system, program = ("mine.toml", "hello") if with_preset else ("nic12-fast", firmware)
    with pytest.raises(NsocError) as problem:
        nsoc.Soc(system, program)
    blamed = "the firmware of the preset mine is wrong: " if with_preset else ""
    assert str(problem.value).startswith(blamed + complaint)


def test_a_programmable_nic_has_programs_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('description = "x"\ntop = "pnic_node"\nline_mbps = 10000\nfirmware = "net"\n', encoding="utf-8")
    with pytest.raises(NsocError, match="the firmware of the preset mine is wrong: there is no program 'net' for"):
        setup_of(presets.load(file))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it needs a description"),
        ('description = "x"\ncpu_mhs = 40', "there is no field 'cpu_mhs', did you mean cpu_mhz?"),
        ('description = "x"\nzzz = 40', "there is no field 'zzz', only name, description, top, "),
        ('description = "x"\ncpu_mhz = 0', "cpu_mhz"),
        ('description = "x"\ncpu_mhz = "fast"', "cpu_mhz"),
        ('description = "x"\nrx_fifo_bytes = 12000', "rx_fifo_bytes must be a power of two, not 12000"),
        ('description = "x"\nrx_fifo_bytes = 64', "rx_fifo_bytes"),
        ('description = "x"\nicache_bytes = 512', "icache_bytes"),
        ('description = "x"\ndcache_bytes = 131072', "dcache_bytes"),
        ('description = "x"\ndcache_bytes = 5000', "dcache_bytes must be a power of two, not 5000"),
        ('description = "x"\nrx_ppm = 501', "rx_ppm"),
        ('description = "x"\nnic_ppm = -1000', "nic_ppm"),
        ('description = "x"\none_clock = true\ncpu_mhz = 125\nnic_ppm = 9', "cpu_ppm and nic_ppm are of one clock"),
        ('description = "x"\nfifo_bytes = 16384', "fifo_bytes"),
        ("description = ", "not valid TOML"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence_that_names_it(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(NsocError) as problem:
        presets.load(file)
    assert complaint in str(problem.value) and "mine" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match=r"cannot read the preset .*gone\.toml"):
        presets.load(tmp_path / "gone.toml")


def test_a_variant_is_checked_like_a_file() -> None:
    preset = presets.load()
    assert preset.with_(cpu_mhz=200).cpu_mhz == 200
    assert preset.cpu_mhz == 80
    with pytest.raises(NsocError, match="cpu_mhz"):
        preset.with_(cpu_mhz=-1)
    with pytest.raises(NsocError, match="cpu_ghz"):
        preset.with_(cpu_ghz=1)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"cpu_mhz": "fast"}, "cpu_mhz must be a number from 10 to 1000 MHz, not 'fast'"),
        ({"cores": 5}, "cores must be 4 at most, not 5; a pnic_node has more"),
        ({"icache_bytes": 3000}, "icache_bytes must be a power of two, not 3000"),
        ({"top": "lat_node"}, "a lat_node has a line of 10, 25, 50, 100 Gb/s, not 1"),
        ({"core": "sparc", "unit": "dca", "connections": 64},
         'unit = "dca" is reached by instructions of rv32: core must not be sparc'),
        ({"core": "sparc", "top": "pnic_node", "line_mbps": 10000},
         'core = "sparc" is for an SoC: it says nothing about a programmable NIC'),
        ({"core": "sparc", "top": "mac_example"}, 'core = "sparc" is for an SoC: it says nothing about the MAC alone'),
        ({"description": 5}, "description must be a text, not 5"),
    ],
)
def test_a_preset_that_is_made_field_by_field_is_checked_too(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(NsocError) as problem:
        presets.Preset(**{"name": "mine", "description": "x", **fields})
    assert str(problem.value) == f"the preset mine is wrong: {sentence}"
    assert presets.Preset(name="mine", description="x").cpu_mhz == 80


def test_firmware_is_told_of_the_caches() -> None:
    preset = presets.load().with_(icache_bytes=1024, dcache_bytes=65536)
    assert [preset.rtl_parameters()[name] for name in ("ICACHE_BYTES", "DCACHE_BYTES")] == [1024, 65536]
    assert [preset.firmware_defines()[name] for name in ("ICACHE_BYTES", "DCACHE_BYTES")] == ["1024u", "65536u"]


def test_one_clock_is_one_rate() -> None:
    with pytest.raises(NsocError, match="with one_clock cpu_mhz and nic_mhz are one clock, not 80 and 125 MHz"):
        presets.load("nic12-fast").with_(one_clock=True)
    both = presets.load("nic12-fast").with_(one_clock=True, cpu_mhz=100, nic_mhz=100)
    assert both.rtl_parameters()["ONE_CLOCK"] == 1


def test_a_clock_that_is_off_has_another_period() -> None:
    right, off = boot_config(presets.load(), 1), boot_config(presets.load().with_(rx_ppm=100, tx_ppm=-100), 1)
    assert (right.rx_period_fs, right.tx_period_fs) == (8_000_000, 8_000_000)
    assert (off.rx_period_fs, off.tx_period_fs) == (7_999_200, 8_000_800)
    assert (off.nic_period_fs, off.cpu_period_fs, off.dram_period_fs) == (8_000_000, 12_500_000, 5_000_000)


def test_a_programmable_nic_is_as_published_and_no_soc() -> None:
    rice, lock = presets.load("pnic-rice"), presets.load("pnic-rice-lock")
    assert (rice.cores, rice.banks, rice.cpu_mhz, rice.order, rice.host_latency_ns) == (6, 4, 166, "set-update", 0)
    assert (lock.cores, lock.banks, lock.cpu_mhz, lock.order, lock.host_latency_ns) == (6, 4, 200, "lock", 0)
    assert rice.with_(cores=8).rtl_parameters() == {"CORES": 8, "BANKS": 4}
    with pytest.raises(NsocError, match="pnic-rice is no SoC; what it can do is `nsoc bench pnic pnic-rice`"):
        presets.load_soc("pnic-rice")
    with pytest.raises(NsocError, match="a pnic_node has a line of 10 Gb/s, not 1000"):
        rice.with_(line_mbps=1000)
    with pytest.raises(NsocError, match="cores must be 4 at most, not 5"):
        presets.load().with_(cores=5)
    with pytest.raises(NsocError, match="cores must be a whole number from 1 to 8, not 9"):
        rice.with_(cores=9)
