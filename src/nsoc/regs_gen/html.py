# SPDX-License-Identifier: Apache-2.0
"""The page of all registers, docs/registers.html."""

from html import escape

from systemrdl.node import AddrmapNode, RegfileNode, RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Soc

_HTML_HEAD = """<!DOCTYPE html>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>N-SoC registers</title>
<style>
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
code, .mono, table.bits { font-family: ui-monospace, monospace; font-size: 13px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
th { background: var(--soft); }
td.n { white-space: nowrap; }
table.bits { table-layout: fixed; }
table.bits td { text-align: center; padding: .15rem 0; overflow: hidden; text-overflow: ellipsis; }
table.bits tr.numbers td { border: 0; font-size: 10px; opacity: .7; }
td.reserved { background: var(--soft); }
h2 { border-bottom: 2px solid var(--line); margin-top: 3rem; }
h3 { margin: 2rem 0 .3rem; }
h3 small { font-weight: normal; opacity: .75; }
a { color: inherit; }
</style>
</head>
<body>
"""

_ACCESS_WORDS = {"ro": "read only", "rw": "read, write", "wo": "write only", "w1c": "read, write 1 to clear"}


def _row(*cells: str, tag: str = "td") -> str:
    """Cells are HTML. All but the last do not wrap."""
    classes = [' class="n"'] * (len(cells) - 1) + [""]
    return "<tr>" + "".join(f"<{tag}{c}>{cell}</{tag}>" for c, cell in zip(classes, cells, strict=True)) + "</tr>"


def _html_bits(reg: RegNode) -> list[str]:
    """The register as one row of a table, its highest bit first; wide ones in words of 32 bits."""
    out = []
    for high in range(reg.get_property("regwidth") - 1, 0, -32):
        numbers = "".join(f"<td>{bit}</td>" for bit in range(high, high - 32, -1))
        cells, bit = "", high
        for field in [*reversed(tree.fields(reg)), None]:
            top = min(field.high, high) if field else high - 32
            if field and (field.low > high or top < high - 31):
                continue
            top = max(top, high - 32)
            if bit > top:
                cells += f'<td class="reserved" colspan="{bit - top}"></td>'
            if field:
                low = max(field.low, high - 31)
                cells += f'<td colspan="{top - low + 1}" title="{field.inst_name}">{field.inst_name}</td>'
                bit = low - 1
        out += ['<table class="bits">', f'<tr class="numbers">{numbers}</tr>', f"<tr>{cells}</tr>", "</table>"]
    return out


def _html_fields(reg: RegNode) -> list[str]:
    out = ["<table>", _row("bits", "field", "access", "reset", "what it is", tag="th")]
    for field in reversed(tree.fields(reg)):
        bits = f"{field.low}" if field.width == 1 else f"{field.high}:{field.low}"
        access = _ACCESS_WORDS[tree.field_access(field)]
        reset = f"<code>0x{tree.reset(field):X}</code>"
        out.append(_row(bits, f"<code>{field.inst_name}</code>", access, reset, escape(tree.desc(field))))
    return [*out, "</table>"]


def page(soc: Soc) -> str:
    """All devices, registers and fields, and the layouts in memory, on one page without anything from elsewhere."""
    out = [_HTML_HEAD + "<h1>N-SoC registers</h1>", f"<p>{escape(tree.NOTE)}</p>", "<h2>Memory map</h2>", "<table>"]
    out.append(_row("from", "to", "what", "", tag="th"))
    for place in sorted([*soc.memories, *soc.blocks], key=tree.base):
        count, stride = tree.array(place)
        first, last = tree.base(place), tree.base(place) + (count * stride or place.size) - 1
        name = f"<code>{place.inst_name}</code>"
        if isinstance(place, AddrmapNode):
            name = f'<a href="#{place.inst_name}">{name}</a>'
        out.append(_row(f"<code>0x{first:08X}</code>", f"<code>0x{last:08X}</code>", name, escape(tree.desc(place))))
    links = [f'<a href="#{layout.name}">{layout.node.get_property("name")}</a>' for layout in soc.layouts]
    out += ["</table>", f"<p>And: {', '.join(links)}.</p>"]
    for block in soc.blocks:
        registers = [reg for reg in block.descendants(unroll=False) if isinstance(reg, RegNode)]
        count, stride = tree.array(block)
        more = f" + 0x{stride:X}*h, for hart h &lt; {count}" if stride else ""
        out.append(f'<h2 id="{block.inst_name}">{escape(block.get_property("name"))}</h2>')
        out.append(f"<p>{escape(tree.desc(block))} Base address <code>0x{tree.base(block):08X}</code>{more}.</p>")
        out += ["<table>", _row("offset", "register", "access", "reset", "what it is", tag="th")]
        details = []
        for reg in registers:
            path = reg.get_rel_path(block, array_suffix="", empty_array_suffix="")
            offset = reg.raw_address_offset
            title, where = path, f"0x{offset:03X}"
            parent = reg.parent
            if isinstance(parent, RegfileNode):
                offset += parent.raw_address_offset
                where = f"0x{offset:03X}"
                if parent.array_dimensions and parent.array_stride:
                    title = path.replace(parent.inst_name, f"{parent.inst_name}[i]", 1)
                    where += f" + 0x{parent.array_stride:X}*i, i &lt; {parent.array_dimensions[0]}"
            anchor = f"{block.inst_name}.{path}"
            access = _ACCESS_WORDS[tree.reg_access(reg)]
            reset = "by build" if tree.by_build(reg) else f"<code>0x{tree.reg_reset(reg):08X}</code>"
            summary = escape(tree.desc(reg)).partition(". ")[0].rstrip(".") + "."
            link = f'<a href="#{anchor}"><code>{title}</code></a>'
            out.append(_row(f"<code>{where}</code>", link, access, reset, summary))
            acts = " A read does something: it is not to be repeated." if reg.get_property("read_acts") else ""
            details.append(f'<h3 id="{anchor}"><code>{title}</code> <small>{where}, {access}</small></h3>')
            details.append(f"<p>{escape(tree.desc(reg))}{acts}</p>")
            details += [*_html_bits(reg), *_html_fields(reg)]
        out += ["</table>", *details]
    for layout in soc.layouts:
        out.append(f'<h2 id="{layout.name}">{escape(layout.node.get_property("name"))}</h2>')
        rest = f"{layout.rest_desc[:-1]} from byte {layout.rest_offset} on."
        out.append(f"<p>{escape(tree.desc(layout.node))} {rest} Big-endian: bit 63 belongs to the first byte.</p>")
        for reg in layout.registers:
            out.append(f'<h3 id="{layout.name}.{reg.inst_name}"><code>{reg.inst_name}</code> ')
            out.append(f"<small>byte {reg.raw_address_offset}</small></h3>")
            out += [f"<p>{escape(tree.desc(reg))}</p>", *_html_bits(reg), *_html_fields(reg)]
        out += [f"<p><code>NSOC_{name} 0x{number.value:02X}</code>: {escape(number.desc)}.</p>"
                for name, number in layout.bits]  # fmt: skip
    return "\n".join([*out, "</body>", "</html>", ""])
