# SPDX-License-Identifier: Apache-2.0
"""The programmable NIC with a host that does things wrong: what is bad is counted and passed over, what was good before
and behind it arrives (nic.run raises otherwise), nothing hangs."""

import pytest
from runs import some

from nsoc.errors import NsocError
from nsoc.pnic import nic
from nsoc.pnic.firmware import Order
from nsoc.pnic.nic import Setup

pytestmark = pytest.mark.slow

FRAMES = 400
NO_BYTE, TOO_LONG, REFUSED = 1, 2, 3


@pytest.mark.parametrize(("program", "pieces"), some([("lean", 1), ("published", 2)], [("lean", 2), ("published", 1)]))
@pytest.mark.parametrize("bad", [NO_BYTE, TOO_LONG, REFUSED])
def test_a_bad_descriptor_costs_its_own_frame_and_is_counted(program: str, pieces: int, bad: int) -> None:
    setup = Setup(program=program, pieces=pieces, jitter_ns=1000)
    found = nic.run(setup, 200, send=60, receive=20, frames=FRAMES, trouble={"bad": bad, "bad_every": 7})
    dropped = found.total_sent // 7
    assert found.given == found.total_sent and found.mac["tx_sent"] == found.total_sent - dropped
    counted = {NO_BYTE: "read_length", TOO_LONG: "read_length", REFUSED: "read_refused"}[bad]
    counts = {name: found.shown[name] for name in ("read_length", "read_refused", "send_length")}
    assert counts == {"read_length": 0, "read_refused": 0} | {counted: dropped, "send_length": dropped}


def test_a_host_without_buffers_loses_frames_that_are_counted_and_then_gets_those_that_come() -> None:
    found = nic.run(Setup(), 64, send=50, frames=4 * FRAMES, trouble={"no_buffers_us": 150})
    assert found.shown["no_entry"] > 500 and found.delivered >= 4 * FRAMES


def test_a_host_that_does_not_answer_for_a_while_loses_nothing_uncounted() -> None:
    found = nic.run(Setup(program="published", pieces=2), 256, frames=3 * FRAMES, trouble={"pause_us": 100})
    assert found.delivered >= 3 * FRAMES and found.total_sent >= 3 * FRAMES


@pytest.mark.parametrize("program", ["lean", "published"])
def test_a_mailbox_beyond_the_ring_is_not_followed_and_counted(program: str) -> None:
    found = nic.run(Setup(program=program), 128, frames=3 * FRAMES, trouble={"mailbox_us": 60})
    assert found.given == found.total_sent >= 3 * FRAMES
    assert 1 <= found.shown["mailbox_beyond"] < 200  # each other count that it shows meanwhile is one
    assert nic.run(Setup(program=program), 128, frames=FRAMES).shown["mailbox_beyond"] == 0


@pytest.mark.parametrize("seed", some([1, 2], range(3, 25)))
def test_behind_a_reset_nothing_is_written_and_all_begins_again(seed: int) -> None:
    setup = Setup(order=list(Order)[seed % 3], pieces=1 + seed % 2, jitter_ns=700)
    found = nic.run(setup, 100, frames=FRAMES, seed=seed, trouble={"reset_us": 30})
    assert found.total_sent >= FRAMES and found.delivered >= FRAMES


@pytest.mark.parametrize("kind", Order)
@pytest.mark.parametrize("program", some(["published"], ["lean"]))
def test_handlers_that_take_any_time_keep_the_order(program: str, kind: Order) -> None:
    """0 to 2000 cycles a frame and stage, a host that answers in any order, and does not for a while."""
    setup = Setup(program=program, order=kind, pieces=2, jitter_ns=3000)
    found = nic.run(setup, 64, receive=40, frames=FRAMES, defines={"HANDLER_MOST": 2000}, trouble={"pause_us": 50})
    assert found.total_sent >= FRAMES and found.delivered >= FRAMES


def test_a_core_that_traps_is_named_and_the_others_go_on() -> None:
    with pytest.raises(NsocError, match=r"core 5 has trapped at \d+, mcause 2"):
        nic.run(Setup(), 64, frames=FRAMES, defines={"TRAPS": 1})
    found = nic.run(Setup(), 64, send=50, frames=FRAMES, defines={"TRAPS": 1}, trouble={"traps": 1})
    assert found.trapped[::2] == (5, 2)
    assert found.total_sent >= FRAMES and found.delivered >= FRAMES
