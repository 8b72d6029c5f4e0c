# SPDX-License-Identifier: Apache-2.0
"""Programs on six small cores and their scratchpad: what they may see of each other, and order, whoever stops when."""

import pytest
from runs import some

from nsoc.errors import NsocError
from nsoc.pnic import cluster
from nsoc.pnic.firmware import Order

pytestmark = pytest.mark.slow

TESTS = ("MP", "SB", "LB", "AMO", "2+2W", "CoRR")
RESERVATIONS = ("ABA", "words beside", "another word", "stack")
CORES, ADDITIONS, COUNTS = 6, 300, 4000


@pytest.mark.parametrize(("pause", "seed"), some([(0, 1), (50, 1)], [(20, seed) for seed in range(2, 12)]))
def test_memory_is_sequentially_consistent_and_no_addition_is_lost(pause: int, seed: int) -> None:
    told = cluster.run("litmus", pause=pause, seed=seed).of(0)
    for test, wrong, at_once in zip(TESTS, told[: 2 * len(TESTS) : 2], told[1 : 2 * len(TESTS) : 2], strict=True):
        assert wrong == 0 < at_once, test
    assert told[2 * len(TESTS) :] == [CORES * ADDITIONS] * 2 + [0] * len(RESERVATIONS)


@pytest.mark.parametrize("kind", Order)
@pytest.mark.parametrize("batch", [1, 32])
@pytest.mark.parametrize(("pause", "seed"), some([(300, 1)], [(0, 1), (2000, 2), (100, 3)]))
def test_each_count_is_passed_once_and_only_when_it_is_done(kind: Order, batch: int, pause: int, seed: int) -> None:
    """Work of any length, cores that stop in the middle of anything, several laps of the flags."""
    defines = {"ORDER_KIND": kind, "BATCH": batch, "COUNTS": batch // 2 * 200 + COUNTS}
    found = cluster.run("order_check", defines=defines, pause=pause, seed=seed, cycles=20_000_000)
    assert [message.value for message in found.messages] == [defines["COUNTS"], 0]


def test_a_program_gives_the_same_cycles_again() -> None:
    first, second = (cluster.run("order_cycles", defines={"ORDER_KIND": Order.LOCK}) for _ in range(2))
    assert first == second


def test_a_core_that_traps_is_named() -> None:
    with pytest.raises(NsocError, match=r"core 3 has trapped at 0x[0-9a-f]+, mcause 2"):
        cluster.run("order_check", defines={"ORDER_KIND": Order.SET_UPDATE, "TRAP_ON": 3})
