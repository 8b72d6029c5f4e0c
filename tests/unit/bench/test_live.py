# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench live` makes of what it measured; nothing is simulated."""

from io import StringIO

import pytest
from rich.console import Console

from nsoc.bench import live
from nsoc.bench.live import LiveResult, Run
from nsoc.errors import NsocError

RECEIVE = Run("nic12-net", "tcp-receive", goodput_mbps=336.0, busy=0.97, repeats=0)
SEND = Run("nic12-net", "tcp-send", goodput_mbps=199.0, busy=1.0, repeats=2)
ECHO = Run("nic12-net", "lwip-udp", 32, cycles=1500.0)
LONG = Run("nic12-net32", "lwip-udp", 1024, cycles=1901.0)
IDLE = Run("nic12-net", "idle", sim_s_per_wall_s=0.1)
ALL = LiveResult([RECEIVE, SEND, ECHO, LONG, IDLE])


def test_records_are_named_as_the_plan_has_them() -> None:
    found = {(r.preset, r.mode, r.payload, r.metric): r for r in live.records(ALL)}
    receive = found["nic12-net", "tcp-receive", None, "goodput_mbps"]
    assert (receive.value, receive.unit, receive.published) == (336.0, "Mb/s", 182)
    assert receive.limit == pytest.approx(949.3, abs=0.05)
    assert found["nic12-net", "tcp-receive", None, "processor_busy"].value == 0.97
    assert found["nic12-net", "tcp-send", None, "goodput_mbps"].published == 100
    assert found["nic12-net", "tcp-send", None, "retransmissions"].value == 2
    assert found["nic12-net", "lwip-udp", 32, "cpu_cycles"].published == 6240
    assert found["nic12-net32", "lwip-udp", 1024, "cpu_cycles"].published == 50879
    assert found["nic12-net", "idle", None, "sim_s_per_wall_s"].value == 0.1
    assert len(found) == 9


def test_what_is_missed_is_one_sentence_and_this_machines_speed_is_not() -> None:
    assert ALL.failure == (
        "missed: nic12-net tcp-send (199, wanted 200), nic12-net32 lwip-udp 1024 (1901, wanted 1900)"
    )  # fmt: skip
    assert LiveResult([RECEIVE, ECHO, IDLE]).failure == ""


def test_the_table_has_ours_beside_the_wanted_and_the_published() -> None:
    console = Console(file=StringIO(), width=100)
    console.print(live.table(ALL))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for row in (
        ["nic12-net", "tcp-receive", "Mb/s", "336.0", "250", "182", "97%", "0"],
        ["nic12-net", "lwip-udp", "32", "cycles", "1,500.0", "1,600", "6,240"],
    ):
        assert row in [line.split() for line in text.splitlines()]
    assert any("Table III" in line for line in live.lines(ALL))


def test_a_mode_that_there_is_not_is_one_sentence() -> None:
    with pytest.raises(NsocError, match="no mode 'udp', only tcp-receive, tcp-send, lwip-udp, idle"):
        live.run(["udp"])
