# SPDX-License-Identifier: Apache-2.0
"""Threads (firmware/lib/os) on FreeRTOS's scheduler: the same programs print the same, and sockets stand on it."""

from collections.abc import Iterator

import pytest
from os_programs import (
    MISTAKES,
    a_mistake_ends_with_its_sentence,
    measured,
    on_the_page,
    stress,
    threads_run_in_order,
    time_asleep_is_left_out,
)
from runs import some
from sockets_peer import Booted, datagrams_are_echoed_at_every_size, streams_are_echoed_at_once

from nsoc.machine import freertos, lwip, presets

pytestmark = pytest.mark.slow

ON = {"OS_FREERTOS": 1}
LATE_CYCLES = 800
SETTLE_US = 1000.0


@pytest.fixture(autouse=True, scope="module")
def _sources() -> None:
    if reason := freertos.why_not():
        pytest.skip(reason)


@pytest.mark.parametrize("wrap_in", some([20_000], [1, 900, 5000, 31_000]))
def test_threads_run_in_the_order_that_is_promised(wrap_in: int) -> None:
    threads_run_in_order(LATE_CYCLES, wrap_in, **ON)


@pytest.mark.parametrize(("items", "seed"), some([(6, 1)], [(40, 2), (40, 3)]))
def test_nothing_is_lost_among_eight_threads_and_interrupts(items: int, seed: int) -> None:
    stress(items, seed, **ON)


@pytest.mark.parametrize("mistake", range(len(MISTAKES)))
def test_a_mistake_ends_with_one_sentence(mistake: int) -> None:
    a_mistake_ends_with_its_sentence(mistake, **ON)


def test_time_in_which_all_threads_sleep_is_left_out() -> None:
    time_asleep_is_left_out(**ON)


def test_the_table_of_the_page_is_what_is_measured() -> None:
    assert measured(**ON) == {what: tuple(figures[2:]) for what, figures in on_the_page().items()}


@pytest.fixture(scope="module", params=["toe", pytest.param("toe-lwip", marks=pytest.mark.long)])
def echo(request: pytest.FixtureRequest) -> Iterator[Booted]:
    if request.param == "toe-lwip" and (reason := lwip.why_not()):
        pytest.skip(reason)
    with Booted(presets.load(request.param), "socket_echo", SETTLE_US, **ON) as booted:
        yield booted


def test_streams_are_echoed_at_once(echo: Booted) -> None:
    streams_are_echoed_at_once(echo)


def test_datagrams_are_echoed_at_every_size(echo: Booted) -> None:
    datagrams_are_echoed_at_every_size(echo)
