# SPDX-License-Identifier: Apache-2.0
"""docs/sparc.md: the commands of its presets."""

import json
from pathlib import Path

import pytest
from docs_pages import example, run, says, table
from runs import some

from nsoc.machine import presets

PAGE = "docs/sparc.md"
COMMANDS = [line.partition("#")[0].strip() for line in example(PAGE, "Presets", 1).commands]
QUICK = [command for command in COMMANDS if command.split()[1] in ("run", "selftest")]
SWEEPS = [command for command in COMMANDS if command.split()[1] == "sweep"]


def test_they_are_commands_that_there_are() -> None:
    """Those that take long are asked for their help only; other tests run what they do on these presets."""
    assert len(COMMANDS) == 7 and len(QUICK) == 2 and len(SWEEPS) == 1
    for command in COMMANDS:
        words = command.split()
        options = {word for word in words if word.startswith("--")}
        said = run(" ".join([*words[: 3 if words[1] == "bench" else 2], "--help"]))
        assert options <= set(said.replace("│", " ").replace(",", " ").split()), command
        if "--preset" in options:
            assert presets.load(words[words.index("--preset") + 1]).core == "sparc"


@pytest.mark.slow
@pytest.mark.parametrize("command", some(QUICK, SWEEPS))
def test_the_quick_ones_run(command: str, tmp_path: Path) -> None:
    run(command, tmp_path)


@pytest.mark.long
def test_the_table_has_what_lwip_takes_on_either_core(tmp_path: Path) -> None:
    command = (
        "nsoc bench live --mode tcp-receive --mode tcp-send --mode lwip-udp --preset nic12-net --preset ajit-nic12-net"
    )
    says(PAGE, f"By `{command}`")
    found = {
        (one["preset"], one["mode"]): one["value"]
        for one in json.loads(run(f"{command} --json -", tmp_path))
        if one["metric"] in ("goodput_mbps", "cpu_cycles") and one["payload"] in (None, 32)
    }
    for row, mode in zip(table(PAGE, "lwIP"), ("tcp-receive", "tcp-send", "lwip-udp"), strict=True):
        rv32, sparc = found["nic12-net", mode], found["ajit-nic12-net", mode]
        assert row[1:] == [f"{rv32:,.1f}", f"{sparc:,.1f}", f"{sparc / rv32:.2f}"]
