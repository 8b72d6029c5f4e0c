# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md: what its hand-written tables and sentences say of buses, caches, copies and DRAM.

Its diagrams are drawn by test_pictures.py; its generated parts are compared in tests/unit/docs/test_docs.py. The tables
of blocks.md and timing.md are generated all of them; what stands beside them is here.
"""

import json
import re
from pathlib import Path

import mermaid
import pytest
from docs_pages import ROOT, example, run, says, table
from docs_tables import header, number, parameter, source

from nsoc.bench import clock
from nsoc.docs import latency
from nsoc.errors import NsocError
from nsoc.machine import presets, regs
from nsoc.network.ethernet import LINE_MBPS

PAGE = "docs/architecture.md"
DEFAULT = presets.load()
COPIES = table(PAGE, "Copies")
COMMAND = "nsoc run copy --us 60000 --until end"
SHORT = "In short"
WORDS = {2: "two", 4: "four", 8: "eight"}


def copies(preset: str, folder: Path) -> dict[str, tuple[int, int]]:
    """Cycles of a piece behind another one, and alone, as the page's command prints them."""
    says(PAGE, f"(`{COMMAND} --preset nic12-dma`)")
    said = run(f"{COMMAND} --preset {preset}", folder)
    found = re.findall(r"^(\S.*): (\d+) cycles for 1480 bytes, alone (\d+)", said, re.MULTILINE)
    return {what: (int(each), int(alone)) for what, each, alone in found}


@pytest.mark.slow
def test_the_picture_in_short_can_be_drawn() -> None:
    labels = mermaid.labels(mermaid.draw(example(PAGE, SHORT).text))
    assert {"Ethernet PHY or virtual cable", "boot ROM", "frames, 64 bit", "ACB", "AFB"} <= labels


def test_the_figures_in_the_picture_in_short_are_those_of_the_default_preset() -> None:
    chart, preset = example(PAGE, SHORT).text, presets.load()
    assert preset.rx_fifo_bytes == preset.tx_fifo_bytes
    queues = sum(re.fullmatch(r"rxq\d+\.pointer", name) is not None for name in regs.BLOCKS["nic"].registers)
    for piece in (
        f"NIC clock, {preset.nic_mhz:g} MHz", f"processor clock, {preset.cpu_mhz:g} MHz",
        f"2 x {preset.rx_fifo_bytes // 1024} KB frame FIFO", f"{queues} Rx, {queues} Tx queues, free queue",
        f"{preset.local_memory_bytes // 1024} KB, two ports", f"DDR3 controller, {preset.dram_mhz:g} MHz",
    ):  # fmt: skip
        assert piece in chart


@pytest.mark.slow
def test_copies_by_the_processor_take_the_cycles_of_the_table(tmp_path: Path) -> None:
    found = copies(DEFAULT.name, tmp_path)
    assert {row[0]: number(row[3]) for row in COPIES} == {what: each for what, (each, _) in found.items()}


@pytest.mark.long
def test_copies_by_the_engine_take_the_cycles_of_the_table(tmp_path: Path) -> None:
    found = copies("nic12-dma", tmp_path)
    assert {row[0]: (number(row[1]), number(row[2])) for row in COPIES} == found


def test_the_text_below_the_copies_follows_from_the_table() -> None:
    first = COPIES[0]
    rate = 1480 * 8 * DEFAULT.cpu_mhz / number(first[1]) / 1000
    more = sum(number(row[2]) - number(row[1]) for row in COPIES) / len(COPIES)
    says(PAGE, f"At {DEFAULT.cpu_mhz:g} MHz {first[1]} cycles are {rate:.1f} Gb/s.")
    says(PAGE, f"Of a piece alone some {round(more, -1):.0f} cycles are the driver's")


@pytest.mark.long
def test_the_way_to_the_nic_takes_what_the_text_says(tmp_path: Path) -> None:
    records = json.loads(run("nsoc bench clock --json -", tmp_path))
    found = {(record["metric"], record["mode"], record["payload"]): record["value"] for record in records}
    values = {key[:2]: value for key, value in found.items()}
    least = {payload: found["least_cpu_mhz", "normal", payload] for payload in clock.PAYLOADS}
    text = " ".join((ROOT / PAGE).read_text(encoding="utf-8").split())
    both = f"{DEFAULT.cpu_mhz:g}-{DEFAULT.nic_mhz:g}"
    assert f"takes {values['register_load_ns', both]:g} ns at {DEFAULT.cpu_mhz:g} and {DEFAULT.nic_mhz:g} MHz" in text
    assert f"{values['register_load_ns', clock.ONE_CLOCK]:g} ns with one clock of {clock.ONE_CLOCK_MHZ:g} MHz" in text
    assert f"around the queues {values['queues_cycles', clock.ONE_CLOCK]:g} cycles of that clock" in text
    assert f"from {least[46]:g} MHz on at 46 bytes of payload, from {least[64]:g} MHz on at 64." in text


def test_the_way_to_the_nic_is_what_the_goals_and_tests_of_the_bench_allow() -> None:
    """Nine cycles of 80 MHz: tests/system/test_bench_clock.py measures them."""
    measured = re.search(r"found\.load_cycles == (\d+)", (ROOT / "tests/system/test_bench_clock.py").read_text())
    assert measured
    load_ns = int(measured[1]) * 1000 / DEFAULT.cpu_mhz
    says(PAGE, f"takes {load_ns:g} ns at {DEFAULT.cpu_mhz:g} and {DEFAULT.nic_mhz:g} MHz")


def test_buses_are_as_wide_as_their_packages_say() -> None:
    rows = {re.sub(r"\W.*", "", row[0]): row[1] for row in table(PAGE, "Buses")}
    for bus, package in (("ACB", "acb_pkg"), ("AFB", "afb_pkg")):
        places = [re.search(rf"{field}; +// \[(\d+):(\d+)\]", source(package)) for field in ("address", "write_data")]
        address, data = (int(found[1]) - int(found[2]) + 1 for found in places if found)
        assert rows[bus] == f"{address}-bit address, {data}-bit data"
    width = re.search(r"\[(\d+):0\] +tdata", source("frame_pkg"))
    assert width and rows["frames"].startswith(f"{int(width[1]) + 1} bits and byte enables ")


def test_caches_and_cores_are_as_large_as_a_preset_can_say() -> None:
    kb = DEFAULT.icache_bytes // 1024
    assert DEFAULT.dcache_bytes == DEFAULT.icache_bytes
    most, ways = 64, int(parameter("l2_cache", "WAYS"))
    for field, value in (("icache_bytes", most * 2048), ("cores", 5)):
        with pytest.raises(NsocError, match=field):
            DEFAULT.with_(**{field: value})
    assert DEFAULT.with_(icache_bytes=most * 1024, dcache_bytes=1024, cores=4)
    l2 = [name for name in ("nic11-l2", "nic12-l2") if presets.load(name).l2_bytes]
    says(
        PAGE,
        f"direct mapped, {kb} KB of instructions and {kb} KB of data unless a preset's `icache_bytes` and "
        f"`dcache_bytes` say 1 to {most} KB",
        "A preset may have up to four slots (`cores`)",
        f"With `l2_bytes` ({', '.join(l2)}) there is an L2 cache",
        f"write-back, {WORDS[ways]} ways, lines of 64 bytes",
    )


def test_numbers_of_the_copy_engine_are_those_of_the_rtl() -> None:
    says(
        PAGE,
        f"A command waits in a queue of {parameter('dma', 'DEPTH')}, and so does its result.",
        f"one reads, up to {parameter('dma_copy', 'READS')} dwords ahead",
    )


def test_dram_is_as_its_package_and_its_controller_say() -> None:
    clock_ns = 1000 / DEFAULT.dram_mhz
    found = re.search(
        r"(\d+) \+ READ when its row is open, (\d+) \+ READ when its bank is closed, (\d+) \+ READ when another row is "
        r"open and may be closed; READ = ddr3_pkg::read_cycles, (\d+) at 200 MHz\. Behind a refresh up to (\d+) more\. "
        r"A write: (\d) cycles\.",
        header("dram_controller"),
    )
    assert found
    opened, closed, other, read, refresh, write = map(int, found.groups())
    says(
        PAGE,
        f"into a clock of {DEFAULT.dram_mhz:g} MHz",
        f"in cycles of {clock_ns:g} ns, nothing before it: {opened + read} for a read when its row is open, "
        f"{closed + read} when its bank is closed, {other + read} when another row is open",
        f"{write} for a write.",
        f"keeps a row open in each of {WORDS[1 << int(parameter('ddr3_pkg', 'BANK_W'))]} banks",
        f"refreshes every {int(parameter('ddr3_pkg', 'T_REFI_PS')) / 1e6:g} us",
        f"place in {(8 << int(parameter('ddr3_pkg', 'COL_W'))) // 1024} KB of a row",
        f"of which the memory map shows {regs.MEMORIES['dram'].bytes >> 20} MB",
    )
    assert refresh > 0 and read == 8


# ---- timing.md, blocks.md --------------------------------------------------------------------------------------------


def test_what_sums_cost_is_what_their_block_says() -> None:
    later = re.search(r"n \+ (\d)", header("nic_tx_sums"))
    assert later
    says("docs/timing.md", f"by n + {later[1]} cycles, for it is stored first")


def test_the_firmware_latency_prints_the_cycles_of_the_table(tmp_path: Path) -> None:
    data = json.loads((ROOT / "docs/data/latency.json").read_text(encoding="utf-8"))
    kept = {row["name"]: (row["least"], row["most"]) for row in data["processor"]}
    printed = re.findall(r"^(\w+) (\d+) (\d+)$", run("nsoc run latency", tmp_path), re.MULTILINE)
    assert [name for name, _, _ in printed] == list(kept)
    for name, least, most in printed:
        assert kept[name][0] <= int(least) <= int(most) <= kept[name][1], name


def test_a_round_trip_is_counted_in_cycles_of_the_line() -> None:
    assert DEFAULT.gmii_mhz == LINE_MBPS / 8
    says("docs/timing.md", f"It is counted in cycles of {DEFAULT.gmii_mhz:g} MHz")
    sent, first = latency.BURST, latency.WARM_UP
    says("docs/timing.md", f"is of {sent} frames sent back to back, the first {first} of which do not count")
