# SPDX-License-Identifier: Apache-2.0
"""Blocks as plain Verilog, each made once for all tests that look at it."""

import json
from dataclasses import asdict
from pathlib import Path

from bench import BUILDS, ROOT, locked

from nsoc.hardware import synth
from nsoc.hardware.export import Elaborated, Field, export
from nsoc.machine.build import content_hash, included

PACKET_BASE = 0x4000_0000
EXPORTS: dict[str, dict[str, int]] = {
    # block: parameters
    "mac": {},
    "mac_xgmii": {},
    "nic_axi": {},
    "net_udp": {},
    "toe": {"CONNECTIONS": 16, "CLOCK_HZ": 2_000_000, "PACKET_BASE": PACKET_BASE, "PACKET_BYTES": 1 << 17},
}


def exported(block: str) -> tuple[Elaborated, Path]:
    """What EXPORTS says of `block`, and its file; made again when a source has changed."""
    sources = [*synth.sources(), *included(), *(ROOT / "src" / "nsoc" / "hardware").glob("*.py")]
    digest = content_hash(sources, EXPORTS[block])
    folder = BUILDS / f"export-{block}"
    file, ports = folder / f"{block}.v", folder / "ports.json"
    with locked(folder):
        kept = json.loads(ports.read_text(encoding="utf-8")) if ports.exists() else {}
        if kept.get("digest") != digest:
            ports.unlink(missing_ok=True)
            made = export(block, {name: str(value) for name, value in EXPORTS[block].items()}, file)
            ports.write_text(json.dumps({"digest": digest, **asdict(made)}), encoding="utf-8")
            return made, file
    return Elaborated(tuple(Field(**field) for field in kept["fields"]), kept["parameters"]), file
