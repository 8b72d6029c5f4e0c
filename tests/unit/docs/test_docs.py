# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md and its tables say what the RTL says, diagrams are Mermaid, links lead somewhere."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from nsoc.docs import __main__ as docs_main
from nsoc.docs import area, diagrams, latency, rtl_tree, systems
from nsoc.docs.__main__ import PAGES, fill, load, problems, read
from nsoc.docs.figure_sections import SECTIONS as OF_FIGURES
from nsoc.docs.figure_sections import pending
from nsoc.docs.sections import DRAWN, SECTIONS, Facts, fmax, table
from nsoc.errors import NsocError
from nsoc.records import Record, to_json
from nsoc.systems import SYSTEMS, headlines

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
TEXTS = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(ROOT / "boards").glob("*/*.md")]
CHARTS = re.findall(r"<!-- generated: [\w-]+ -->\n```mermaid\n(.*?)\n```", PAGE, re.DOTALL)

MOST_BOXES, LONGEST_LABEL = 24, 60
"""What GitHub still shows so that one can read it."""

# The part of Mermaid's flowchart grammar that we use.
BOX = re.compile(r'\s*(\w+)(?:\["[^"\n]+"\]|\(\["[^"\n]+"\]\))')
ARROW = re.compile(r'\s*(\w+) -->\|"([^"|\n]+)"\| (\w+)')
FRAME = re.compile(r'\s*subgraph (\w+)\["[^"\n]+"\]')
RESERVED = {"end", "graph", "subgraph", "flowchart", "style", "class", "click", "default", "direction"}


@pytest.fixture(scope="module")
def facts() -> Facts:
    """Once for all tests: it elaborates the SoC."""
    return load()


@pytest.fixture(scope="module")
def tree(facts: Facts) -> rtl_tree.Module:
    return facts.tree


def test_the_pages_and_the_figures_are_up_to_date(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs_main, "load", lambda: facts)
    assert not problems(), "run `make docs`"


def test_the_pictures_of_the_systems_are_up_to_date_in_both_schemes() -> None:
    assert not docs_main.picture_problems(), "run `make docs`"
    light, dark = systems.drawn().values()
    assert light != dark and all(one.what in light for system in SYSTEMS for one in headlines.of(system.name))


def test_what_a_page_shows_too_much_is_a_problem_of_that_page(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    later, pages, changed = pending(), read(), []
    for page in PAGES:
        known = [name for name in re.findall("<!-- generated: (.*) -->", pages[page]) if name not in later]
        if known:  # else figures of its sections are still to be measured
            mark = f"<!-- generated: {known[0]} -->\n"
            pages[page] = pages[page].replace(mark, f"{mark}more\n", 1)
            changed.append(page)
    assert len(changed) > 1
    monkeypatch.setattr(docs_main, "load", lambda: facts)
    monkeypatch.setattr(docs_main, "read", lambda: pages)
    assert problems() == [f"{page} does not show what the RTL and docs/data/ say" for page in changed]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{len(chart)}")
def test_diagrams_are_mermaid_and_small_enough_to_read(chart: str) -> None:
    first, *lines = chart.splitlines()
    assert re.fullmatch(r"flowchart (LR|TB)", first)
    boxes: set[str] = set()
    arrows, frames, depth = [], set(), 0
    for line in lines:
        if box := BOX.fullmatch(line):
            assert box.group(1) not in boxes, "a box twice"
            boxes.add(box.group(1))
        elif frame := FRAME.fullmatch(line):
            frames.add(frame.group(1))
            depth += 1
        elif line.strip() == "end":
            depth -= 1
        else:
            arrow = ARROW.fullmatch(line)
            assert arrow, f"not in the grammar: {line}"
            arrows.append((arrow.group(1), arrow.group(3)))
            assert len(arrow.group(2)) <= LONGEST_LABEL
    assert depth == 0
    assert not (boxes | frames) & RESERVED and not boxes & frames
    assert {node for arrow in arrows for node in arrow} == boxes, "a box without arrow, or an arrow without box"
    assert len(boxes) <= MOST_BOXES


def test_there_is_a_diagram_of_the_soc_and_of_each_large_block() -> None:
    assert len(CHARTS) == len(DRAWN)


@pytest.mark.parametrize(
    ("way", "left_out"),
    [
        ((), {"reset_sync", "sync_bits", "dca_unit"}), (("mac", "mac_core"), {"sync_bits", "mac_trace"}),
        (("nic",), {"nic_taps"}), (("cpu_slot", "rv_slot"), set()),
    ],
)  # fmt: skip
def test_every_instance_in_the_source_is_a_box(way: tuple[str, ...], left_out: set[str], tree: rtl_tree.Module) -> None:
    module = tree
    for name in way:
        module = module.instance(name).module
    source = next((ROOT / "rtl").rglob(f"{module.name}.sv")).read_text(encoding="utf-8")
    source = re.sub(r"^  if \(TOE\) begin.*?^  end else", "", source, flags=re.DOTALL | re.MULTILINE)  # not drawn yet
    modules = {path.stem for path in (ROOT / "rtl").rglob("*.sv")} - left_out
    instances = re.findall(r"^ +(\w+) (?:#\((?:[^;]*?)\)\s+)?(u_\w+) \(", source, re.MULTILINE)
    written = {name for module_name, name in instances if module_name in modules}
    drawn = set(re.findall(r"^\s+(u_\w+)\[", diagrams.flowchart(module), re.MULTILINE))
    assert drawn == written and written


def test_the_arrows_are_those_of_the_wiring_in_the_top(tree: rtl_tree.Module) -> None:
    """As drawn by hand in the header of rtl/soc/nsoc.sv."""
    arrows = diagrams.edges(tree)
    assert "frames" in arrows["u_mac", "u_nic"]
    assert "frames" in arrows["u_nic", "u_mac"]
    chain = ["u_nic", "u_nic_acb_cdc", "u_crossbar", "u_local_mem"]
    for pair in pairwise(chain):
        assert arrows[pair] == {"ACB"}
        assert (pair[1], pair[0]) not in arrows, "a response is not an arrow of its own"
    for pair in pairwise(("u_cpu_slot", "u_cpu_join", "u_nic_port", "u_crossbar", "u_boot_rom")):
        assert arrows[pair] == {"ACB"}
    for slave in ("u_l2", "u_local_mem", "u_acb_to_afb"):
        assert "ACB" in arrows["u_crossbar", slave]
    for pair in pairwise(("u_nic_port", "u_nic_afb_cdc", "u_nic")):
        assert arrows[pair] == {"AFB"}
    for slave in ("u_intc", "u_timer", "u_uart", "u_l2"):
        assert arrows["u_afb_router", slave] == {"AFB"}
    assert ("u_nic_acb_cdc", "u_boot_rom") not in arrows
    assert ("u_cpu_slot", "u_nic") not in arrows


def test_clocks_come_from_the_pins_through_renamed_signals(tree: rtl_tree.Module) -> None:
    assert diagrams.clocks(tree, tree.instance("nic")) == {"nic_clk"}
    assert diagrams.clocks(tree, tree.instance("mac")) == {"nic_clk", "gmii_rx_clk", "gmii_tx_clk"}
    nic = tree.instance("nic").module  # `clk` inside is nic_clk at the port
    assert diagrams.clocks(nic, nic.instance("nic_rx_engine")) == {"nic_clk"}


def test_a_digest_sees_code_and_not_comments() -> None:
    plain = "module a;\n  assign x = y;  // why\nendmodule\n"
    assert area._without_comments(plain) == area._without_comments("/* new */ module a; assign x =\n y;\n\nendmodule")
    assert area._without_comments(plain) != area._without_comments(plain.replace("y", "z"))


def test_a_changed_file_makes_every_block_around_it_stale(
    monkeypatch: pytest.MonkeyPatch, tree: rtl_tree.Module
) -> None:
    before = area.digests(tree)
    read = Path.read_text

    def changed(path: Path, *arguments: str, **options: str) -> str:
        text = read(path, *arguments, **options)
        return f"{text}\nmodule more; endmodule\n" if path.stem in ("nic_rx_engine", "afb_pkg") else text

    monkeypatch.setattr(Path, "read_text", changed)
    after = area.digests(tree)
    different = {name for name in before if after[name] != before[name]}
    engine = {"nsoc", "nic", "nic_rx_engine"}
    bus = {"acb_side_port", "acb_to_afb", "afb_router", "afb_cdc", "afb_endpoint"}
    registers = {"nic_regfile", "nic_selftest", "intc", "timer", "uart", "l2_level", "l2_regs", "dma"}
    assert different == engine | bus | registers


def test_a_part_nobody_knows_and_one_that_is_gone_are_errors(facts: Facts) -> None:
    pages, (_, first, second, *_) = read(), PAGES
    with pytest.raises(NsocError, match=rf"{second} wants 'nonsense'"):
        fill({**pages, second: pages[second] + "\n<!-- generated: nonsense -->\n<!-- end -->\n"}, facts)
    with pytest.raises(NsocError, match=rf"{second} wants 'clocks' generated, {first} has it"):
        fill({**pages, second: pages[second] + "\n<!-- generated: clocks -->\n<!-- end -->\n"}, facts)
    with pytest.raises(NsocError, match="no place for blocks"):
        fill({**pages, second: pages[second].replace("<!-- generated: blocks -->", "")}, facts)


def test_what_is_written_by_hand_stays_as_it_is(facts: Facts) -> None:
    every = (*SECTIONS, *OF_FIGURES)
    page = "".join(f"before {name}\n<!-- generated: {name} -->\nold\n<!-- end -->\nafter\n" for name in every)
    filled = fill({Path("page"): page}, facts)
    outside = re.sub(r"(<!-- generated: \S+ -->).*?(<!-- end -->)", r"\1\2", filled[Path("page")], flags=re.DOTALL)
    assert outside == page.replace("-->\nold\n<!--", "--><!--")
    assert fill(filled, facts) == filled


def test_a_table_is_markdown() -> None:
    assert table(("a", "b"), [(1, "x"), (2, "y")], "rl") == "| a | b |\n| ---: | --- |\n| 1 | x |\n| 2 | y |"


CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub names them."""
    heads = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_of_it(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", CODE.sub("", page.read_text(encoding="utf-8")))
    wrong = []
    for link, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", text):
        target = page.parent / link if link else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(f"{link}#{anchor}" if anchor else link)
    assert wrong == []


def test_the_architecture_leads_into_the_rtl() -> None:
    assert len(re.findall(r"\]\(\.\./rtl/[^)]+\.sv\)", PAGE)) > 40


def test_the_text_follows_the_frame_through_every_block_of_mac_and_nic(tree: rtl_tree.Module) -> None:
    """A new block must be told of by hand, too."""
    by_hand = re.sub(r"<!-- generated: .*?<!-- end -->", "", PAGE, flags=re.DOTALL)
    linked = set(re.findall(r"\[(\w+)\]\(\.\./rtl/", by_hand))
    inside = {child.module.name for name in ("mac", "nic") for child in tree.instance(name).module.instances}
    assert inside - {*area.TOO_SMALL, *area.COMMON} <= linked


def test_only_what_is_stale_is_measured_again(monkeypatch: pytest.MonkeyPatch, tree: rtl_tree.Module) -> None:
    names = [name for name, _ in area.blocks(tree)]
    now = area.digests(tree)
    kept = {
        "tools": {"tool": "1"}, "soc": {"rtl": area.soc_digest(tree)}, "board": {},
        "blocks": {name: {"rtl": now[name], "kept": True} for name in names if name != "uart"},
    }  # fmt: skip
    kept["blocks"]["timer"]["rtl"] = "of an earlier timer"
    kept["blocks"]["removed"] = {"rtl": "x"}
    monkeypatch.setattr(area, "load", lambda: kept)
    monkeypatch.setattr(area, "tools", lambda: {"tool": "1"})
    monkeypatch.setattr(area.yosys, "share_folder", lambda: Path())
    measured = []

    def measure(name: str, rtl: str, *, fmax: bool) -> dict[str, object]:
        measured.append((name, fmax))
        return {"rtl": rtl}

    monkeypatch.setattr(area, "measure_block", measure)
    monkeypatch.setattr(area, "measure_soc", lambda rtl: pytest.fail("the SoC is up to date"))
    data = area.measure(tree)
    assert sorted(measured) == [("timer", False), ("uart", False)]
    assert list(data["blocks"]) == names and not area.stale(data, tree)
    assert data["blocks"]["mac"] == {"rtl": now["mac"], "kept": True}

    measured.clear()
    monkeypatch.setattr(area, "tools", lambda: {"tool": "2"})
    monkeypatch.setattr(area, "measure_soc", lambda rtl: {"rtl": rtl})
    area.measure(tree)
    assert sorted(name for name, _ in measured) == sorted(names), "another tool: everything"
    assert {name for name, fmax in measured if fmax} == {"mac", "nic", "rv_core"}


def test_a_boards_clocks_come_from_the_records_and_say_when_they_are_old(tmp_path: Path, tree: rtl_tree.Module) -> None:
    file = tmp_path / "pnr.json"
    record = Record("pnr", "nic12-fast", "fmax_mhz", 91.25, mode="colorlight-i9:nic_clk", unit="MHz", limit=125.0)
    file.write_text(to_json([record, Record("pnr", "nic12-fast", "lut", 20000, mode="colorlight-i9")]))
    data = area.with_board({**area.load(), "blocks": {}}, file, tree)
    line = fmax(Facts(tree, data, {})).splitlines()[-1]
    assert "| `nic_clk` | 91.2 | whole SoC (nic12-fast) on the board colorlight-i9, which wants 125 |" in line
    data["board"]["rtl"] = "of another day"
    assert "which wants 125; the RTL has changed since |" in fmax(Facts(tree, data, {}))


def test_delays_between_channels_by_hand() -> None:
    us = 1_000_000
    log = {
        "in": [(0, 0), (8_000, 0), (us, 0), (us + 8_000, 0)],  # two bursts of two
        "out": [(24_000, 0), (32_000, 1), (us + 40_000, 0), (us + 48_000, 0)],
        "done": [(50_000, 0), (us + 60_000, 0)],
    }

    def delays(end: str, how: str) -> list[int]:
        return list(latency._delays(latency.Hop("block", "what", "in", end, "nic", how), log))

    assert delays("out", latency.FIRST) == [24_000, 40_000]
    assert delays("out", latency.LEAST) == [24_000, 40_000]
    assert delays("done", latency.NEXT) == [50_000, 60_000]
    assert delays("done", latency.LAST) == [50_000 - 8_000, 60_000 - 8_000]
    with pytest.raises(NsocError, match="nothing was transferred on gone"):
        delays("gone", latency.NEXT)
