# SPDX-License-Identifier: Apache-2.0
"""Diagrams of the pages are drawn by Mermaid itself, and show the blocks that there are."""

import re
from pathlib import Path

import mermaid
import pytest
from docs_pages import ROOT, Block, blocks, example, pages

ARCHITECTURE = (
    example("docs/architecture.md", "The whole"),
    example("docs/architecture.md", "One frame, from wire to wire", 1),
    example("docs/architecture.md", "One frame, from wire to wire", 2),
    example("docs/architecture.md", "One frame, from wire to wire", 3),
    example("docs/architecture.md", "The processor"),
)
"""Made of the RTL: tests/unit/docs/test_docs.py compares them with it."""
SHORT = example("docs/architecture.md", "In short")
"""Drawn by hand, of the whole: test_page_architecture.py looks at it."""
OF_RTL = {
    ("sim/lat/lat_pair.sv",): example("docs/latency.md", "Door to door: two engines back to back"),
    ("rtl/soc/lat_node.sv", "rtl/tcp/stream/tcp_streams.sv", "rtl/tcp/tcp_engine.sv", "rtl/net/net.sv"): example(
        "docs/latency.md", "How the way became short"
    ),
    ("rtl/net/net.sv",): example("docs/net-hardware.md", "The network stack in hardware"),
    ("rtl/soc/pnic_node.sv", "rtl/pnic/pnic_cluster.sv"): example("docs/pnic.md", "A frame's way"),
    ("rtl/tcp/tcp_engine.sv",): example("docs/tcp.md", "One writer"),
}
"""Drawn by hand, by where the blocks in it are wired."""
ALL = [*ARCHITECTURE, *OF_RTL.values()]
BOX = re.compile(r'^ *\w+(?:\["(.+)"\]|\(\["(.+)"\]\))$', re.MULTILINE)
ARROW = re.compile(r'-->(?:\|"([^"|]+)"\|)?')
FRAME = re.compile(r'subgraph \w+\["([^"]+)"\]')


def short(value: object) -> str:
    return f"{Path(value.page).stem}-{value.section.split()[0]}-{value.number}" if isinstance(value, Block) else ""


def plain(label: str) -> str:
    return " ".join(label.replace("<br>", " ").split())


@pytest.mark.slow
@pytest.mark.parametrize("block", ALL, ids=short)
def test_a_diagram_is_drawn_with_all_that_it_names(block: Block) -> None:
    drawing = mermaid.draw(block.text)
    arrows = ARROW.findall(block.text)
    assert len(re.findall("<path[^>]*flowchart-link", drawing)) == len(arrows) > 0
    boxes = {plain(one or other) for one, other in BOX.findall(block.text)}
    frames = set(FRAME.findall(block.text))
    assert len(frames) == block.text.count("subgraph ")
    assert mermaid.labels(drawing) - {""} == boxes | frames | {plain(label) for label in arrows if label}


def test_a_diagram_that_mermaid_cannot_read_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="Parse error"):
        mermaid.draw("flowchart LR\n  a --> b[x\n")


@pytest.mark.parametrize(("files", "block"), OF_RTL.items(), ids=short)
def test_a_square_box_is_a_block_that_is_wired_there(files: tuple[str, ...], block: Block) -> None:
    text = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    wired = set(re.findall(r"^ +(\w+) (?:#\(|u_\w+ \()", text, re.MULTILINE))
    wired |= {Path(file).stem for file in files}
    boxes = [square for square, _ in BOX.findall(block.text) if square]
    assert len(boxes) > 2
    named = {name for box in boxes for name in box.split("<br>")[0].split(", ")}
    assert named <= wired


def test_no_diagram_is_left_out() -> None:
    drawn = {str(block) for block in (*ALL, SHORT)}
    other = [block for page in pages() for block in blocks(page) if str(block) not in drawn]
    assert [str(block) for block in other if block.kind == "mermaid"] == [], "nobody draws it"
    assert [str(block) for block in other if re.search("──>|-->", block.text)] == [], "drawn with letters"
