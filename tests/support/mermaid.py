# SPDX-License-Identifier: Apache-2.0
"""Draws the diagrams of the pages by Mermaid itself (its JavaScript, in an interpreter of the package mermaidx)."""

import re

import mermaidx


def draw(text: str) -> str:
    """The SVG that Mermaid makes of a diagram; RuntimeError with its message when it cannot read it."""
    svg: str = mermaidx.render(text).svg()
    return svg


def labels(svg: str) -> set[str]:
    """What is written in a drawing: the text of each box and arrow, its lines joined by spaces."""
    found = re.findall(r'class="(?:nodeLabel|edgeLabel)[^"]*"[^>]*>(.*?)</span>', svg, re.DOTALL)
    return {" ".join(re.sub(r"<[^>]+>", " ", label).split()) for label in found}
