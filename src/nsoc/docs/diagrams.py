# SPDX-License-Identifier: Apache-2.0
"""Block diagrams in Mermaid's flowchart language, from the elaborated RTL.

A box is an instance. An arrow is what flows between two of them. Boxes in one frame share a clock; a box outside all
frames has several clocks. Clocks, resets, `ready` signals and synchronizers of single signals are left out. A channel
of requests and responses is one arrow, from the side that asks. Names that share their first word are one: `lsu_*`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nsoc.docs.rtl_tree import Instance, Module, Net

PROTOCOLS = {
    "acb_m2s_t": "ACB", "acb_s2m_t": "ACB", "afb_m2s_t": "AFB", "afb_s2m_t": "AFB", "rx_frame_t": "frames",
    "tx_frame_t": "frames", "fifo_word_t": "frame words",
}  # fmt: skip
"""What a channel is called, by the type of its bundle or of its payload."""

OUTSIDE = {"gmii": "Ethernet PHY", "dram": "external memory", "uart": "serial line"}
"""What is at the top's ports, by the first word of their names."""

TRANSPARENT = {"sync_bits": ("d", "q")}
"""Modules that are no box of their own, with their input and output."""

PINS = {"gmii": "GMII"}
"""Interfaces whose signals are not named one by one, by the first word of the names."""

ANSWERS = ("acb_s2m_t", "afb_s2m_t")
NAMES_SHOWN = 3
SHARED = 3
"""So many names of one first word become one."""

Edges = dict[tuple[str, str], set[str]]
"""Labels by (from, to); instances by name, other nodes by what is written on them."""


@dataclass(frozen=True)
class _Pin:
    """Where a signal begins or ends."""

    node: str
    port: str


def edges(module: Module, around: dict[str, set[str]] | None = None) -> Edges:
    """What flows between the instances in `module` and whatever is around it.

    `around`: the neighbours of the module by its port; without it the ports are named by OUTSIDE.
    """
    drivers: dict[Net, set[_Pin]] = {}
    readers: dict[Net, set[_Pin]] = {}
    sources = dict(module.sources)
    for instance in module.instances:
        if instance.module.name in TRANSPARENT:
            before, behind = (instance.pins[name] for name in TRANSPARENT[instance.module.name])
            sources.update({net.name: {source.name for source in before} for net in behind})
            continue
        for name, nets in instance.pins.items():
            into = readers if instance.module.ports[name].is_input else drivers
            for net in nets:
                into.setdefault(net, set()).add(_Pin(instance.name, name))
    for name, port in module.ports.items():
        neighbours = around.get(name, set()) if around is not None else {_outside(name)}
        for neighbour in neighbours:
            (drivers if port.is_input else readers).setdefault(Net(name), set()).add(_Pin(neighbour, name))

    inside = {instance.name for instance in module.instances}
    found: Edges = {}
    for read, sinks in readers.items():
        for net, through in _origins(sources, read, drivers):
            for source in drivers[net]:
                for sink in sinks:
                    label = _label(module, net.name, through)
                    if source.node != sink.node and {source.node, sink.node} & inside and label:
                        found.setdefault((source.node, sink.node), set()).add(label)
    return {pair: labels for pair, names in found.items() if (labels := _without_answers(pair, names, found))}


def _outside(port: str) -> str:
    word = port.partition("_")[0]
    return OUTSIDE.get(word, word)


def _origins(
    sources: Mapping[str, set[str]], read: Net, drivers: Mapping[Net, set[_Pin]]
) -> Iterable[tuple[Net, bool]]:
    """The driven signals behind a signal, and whether logic of the module's own is between."""
    direct = [net for net in drivers if net.meets(read)]
    if direct:
        yield from ((net, False) for net in direct)
        return
    seen, waiting, found = {read.name}, [read.name], set()
    while waiting:
        for source in sorted(sources.get(waiting.pop(), set()) - seen):
            seen.add(source)
            driven = [net for net in drivers if net.name == source]
            found.update(driven)
            if not driven:
                waiting.append(source)
    yield from ((net, True) for net in sorted(found))


def _label(module: Module, signal: str, through: bool) -> str:
    """What a signal is called on an arrow; empty when it is not shown."""
    if _is_clock_or_reset(signal) or signal.endswith("_ready"):
        return ""
    bundle = signal.removesuffix("_valid")
    # The payload beside a `valid` has its name, or begins with it.
    kinds = [module.types.get(bundle, "")]
    if bundle not in module.types:
        kinds = [kind for name, kind in sorted(module.types.items()) if name.startswith(f"{bundle}_")]
    for kind in kinds:
        if kind in PROTOCOLS and not through:
            return f"{PROTOCOLS[kind]}{'?' if kind in ANSWERS else ''}"
    return PINS.get(signal.partition("_")[0], bundle.removesuffix("_q"))


def _without_answers(pair: tuple[str, str], labels: set[str], every: Edges) -> set[str]:
    """Responses go where a request comes from: the arrow of the request stands for both."""
    back = every.get((pair[1], pair[0]), set())
    return {label.removesuffix("?") for label in labels if not (label.endswith("?") and label[:-1] in back)}


def _is_clock_or_reset(signal: str) -> bool:
    return bool(re.search(r"(^|_)a?(clk|rst)$", signal))


def clocks(module: Module, instance: Instance) -> set[str]:
    """The clocks of an instance, by their names in `module`."""
    found = set()
    for port, nets in instance.pins.items():
        if re.search(r"(^|_)clk$", port):
            for net in nets:
                name = net.name
                while name not in module.ports and len(module.sources.get(name, ())) == 1:
                    (name,) = module.sources[name]
                found.add(name)
    return found


def neighbours(parent: Module, instance: Instance, around: Mapping[str, set[str]] | None = None) -> dict[str, set[str]]:
    """Who is at the other end of each port of an instance: module names, or what is outside the parent.

    `around`: the neighbours of the parent by its port; without it the ports are named by OUTSIDE.
    """
    others: dict[Net, set[str]] = {}
    for other in parent.instances:
        if other is not instance:
            for nets in other.pins.values():
                for net in nets:
                    others.setdefault(net, set()).add(other.module.name)
    for name in parent.ports:
        outside = around.get(name, set()) if around is not None else {_outside(name)}
        others.setdefault(Net(name), set()).update(outside)
    found: dict[str, set[str]] = {}
    for port, nets in instance.pins.items():
        for net in nets:
            for other_net, names in others.items():
                if other_net.meets(net):
                    found.setdefault(port, set()).update(names)
    return found


def flowchart(module: Module, around: dict[str, set[str]] | None = None, direction: str = "LR") -> str:
    """The diagram of what is inside `module`, without the fences."""
    arrows = edges(module, around)
    named = {instance.name: instance for instance in module.instances}
    shown = sorted({node for pair in arrows for node in pair}, key=lambda node: (node not in named, node))
    inside = [instance for instance in module.instances if instance.name in shown]
    identifier = {node: re.sub(r"\W", "_", node) for node in shown}
    if len(set(identifier.values())) != len(shown):
        raise ValueError(f"{module.name}: two boxes of one name in {shown}")

    lines = [f"flowchart {direction}"]
    domains: dict[str, list[Instance]] = {}
    for instance in inside:
        domain = clocks(module, instance)
        domains.setdefault(domain.pop() if len(domain) == 1 else "", []).append(instance)
    for clock, members in domains.items():
        boxes = [f'{identifier[i.name]}["{_caption(i)}"]' for i in members]
        if clock:
            lines += [f'  subgraph clock_{clock}["{clock}"]', *(f"    {box}" for box in boxes), "  end"]
        else:
            lines += [f"  {box}" for box in boxes]
    lines += [f'  {identifier[node]}(["{node}"])' for node in shown if node not in named]
    for (source, sink), labels in sorted(arrows.items(), key=lambda item: (_order(module, item[0]), item[0])):
        lines.append(f'  {identifier[source]} -->|"{_text(labels)}"| {identifier[sink]}')
    return "\n".join(lines)


def _order(module: Module, pair: tuple[str, str]) -> int:
    names = [instance.name for instance in module.instances]
    return min(names.index(node) for node in pair if node in names)


def _caption(instance: Instance) -> str:
    module, own = instance.module.name, instance.name.removeprefix("u_")
    said = own == module or module.endswith(f"_{own}")
    return module if said else f"{module}<br>{own}"


def _text(labels: set[str]) -> str:
    labels = {label for label in labels if not any(other.startswith(f"{label}_") for other in labels)}
    channels = sorted(label for label in labels if label in PROTOCOLS.values())
    words = Counter(label.partition("_")[0] for label in labels)
    alone = {label for label in labels if words[label.partition("_")[0]] < SHARED}
    groups = {f"{word}_*" for word, count in words.items() if count >= SHARED}
    names = [*channels, *sorted((alone | groups) - set(channels))]
    more = len(names) - NAMES_SHOWN
    if more > 1:
        names = [*names[:NAMES_SHOWN], f"{more} more"]
    return ", ".join(names)
