# SPDX-License-Identifier: Apache-2.0
"""Presets: what comes with the package, what a user may write, and what is said about mistakes."""

from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.soc import boot_config


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


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "description"),
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
    with pytest.raises(NsocError, match="`int` <= 8"):
        rice.with_(cores=9)
