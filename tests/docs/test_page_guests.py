# SPDX-License-Identifier: Apache-2.0
"""docs/guests.md: modules, ports, parameters and fields that it names are there, numbers are those of the sources."""

import re

from docs_pages import ROOT, says

from nsoc.machine import presets

PAGE = "docs/guests.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
NOT_YET = {'"sparc"', "g_rv32", "rtl/cpu/sparc"}
"""What a guest brings, and the branch beside which it goes."""
SUFFIXES = {".sv", ".rdl", ".h", ".c", ".py", ".toml"}


def sources() -> str:
    folders = ("rtl", "regs", "sim", "firmware", "src/nsoc", "tests/unit/mac")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    return "\n".join([*(path.stem for path in found), *(path.read_text(encoding="utf-8") for path in found)])


def test_each_name_in_the_text_is_there() -> None:
    everything = sources()
    words = set(re.findall(r"\w+", everything))
    missing = []
    for name in re.findall(r"`([^`]+)`", TEXT):
        if "/" in name or name in NOT_YET:
            assert name in NOT_YET or (ROOT / name).exists(), name
        elif not name.startswith("lat-") and not set(re.findall(r"[A-Za-z_]\w+", name)) <= words:
            missing.append(name)
    assert not missing


def test_lines_are_those_of_the_presets() -> None:
    ten, hundred = presets.load("lat-10g"), presets.load("lat-100g")
    columns = sorted({presets.load(name).line_bits // 64 for name in ("lat-25g", "lat-50g", "lat-100g")})
    assert ten.line_bits == 64 and hundred.line_mbps == 100_000
    says(
        PAGE,
        f"XGMII of {ten.line_bits} bits at {ten.xgmii_mhz:g} MHz",
        f"with {columns[0]}, {columns[1]} or {columns[2]} columns of 64 bits a clock",
        f"## 2. Lines of {ten.line_mbps / 1000:g} to {hundred.line_mbps / 1000:g} Gb/s",
    )
    assert "`define NSOC_BEAT(WIDTH)" in (ROOT / "rtl/common/types.svh").read_text(encoding="utf-8")
    tried = (ROOT / "tests/unit/common/frame_carriers_tb.sv").read_text(encoding="utf-8")
    (width,) = re.findall(r"`NSOC_BEAT\((\d+)\)", tried)
    says(PAGE, f"`NSOC_BEAT` of [types.svh](../rtl/common/types.svh) types them, and they are tried with {width} bits")


def test_sections_are_numbered() -> None:
    assert [int(number) for number in re.findall(r"^## (\d)\. ", TEXT, re.MULTILINE)] == [1, 2, 3, 4]
    says(PAGE, "Four systems stand on these parts, or are to come")
