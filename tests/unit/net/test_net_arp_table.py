# SPDX-License-Identifier: Apache-2.0
"""The table of neighbours: it holds as many as it has places whoever they are, and of a full one the right one goes."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from runs import seeds, slow, some

NET = 0x0A000000
PROTECTED = 60 * 16
"""Sixteenths of a second within which a place that was used does not go for a stranger."""
BASE = 0x9E3779B97F4A7C15F39D
"""What the key is added to."""
PENDING = 8


def mac_of(address: int, turn: int = 0) -> int:
    return 0x020000000000 | turn << 32 | address


class Table:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.entries = int(dut.ENTRIES.value)
        self.rows = max(128, self.entries)
        self.rng = random.Random(random.getrandbits(64))
        self.time = 0  # sixteenths of a second
        self.asked: list[int] = []
        self.learned: list[int] = []
        self.heard = self.lost = 0

    async def start(self, key: int = 0, gateway: int = NET | 1) -> Table:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in ("clear", "sixteenth", "second", "ages", "coming", "coming_on_link", "coming_valid", "hop",
                     "hop_valid", "arp_rx", "arp_valid"):  # fmt: skip
            getattr(dut, name).value = 0
        dut.key.value, dut.gateway.value, dut.can_ask.value, dut.learns.value = key, gateway, 1, 1
        dut.rst.value = 1
        await self.cycle(3)
        dut.rst.value = 0
        await self.cycle(self.rows + 4)
        return self

    async def cycle(self, count: int = 1) -> None:
        dut = self.dut
        for _ in range(count):
            await RisingEdge(dut.clk)
            if dut.asks.value == 1:
                self.asked.append(int(dut.asked_for.value))
            if dut.learned_valid.value == 1:
                self.learned.append(int(dut.learned.value))
            self.heard += int(dut.heard.value)
            self.lost += int(dut.arp_lost.value)

    async def walk(self) -> None:
        """As long as what waits for the end of a walk may take."""
        await self.cycle(16 * self.rows)

    async def passes(self, sixteenths: int = 1) -> None:
        for _ in range(sixteenths):
            self.time += 1
            self.dut.sixteenth.value = 1
            self.dut.second.value = int(self.time % 16 == 0)
            await self.cycle()
            self.dut.sixteenth.value = self.dut.second.value = 0

    async def ages(self, count: int = 1) -> None:
        for _ in range(count):
            self.dut.ages.value = 1
            await self.cycle()
            self.dut.ages.value = 0
            await self.walk()

    async def look(self, address: int, *, via: int | None = None) -> int | None:
        """The MAC address that the next hop has, two cycles behind its address, in the third."""
        dut = self.dut
        dut.coming.value, dut.coming_on_link.value, dut.coming_valid.value = address, int(via is None), 1
        await self.cycle()
        dut.coming_valid.value = 0
        dut.hop.value, dut.hop_valid.value = address if via is None else via, 1
        await self.cycle()
        assert not dut.hop_done.value
        await self.cycle()
        assert dut.hop_done.value == 1
        found = bool(dut.hop_found.value)
        dut.hop_valid.value = 0
        await self.cycle()
        mac = int(dut.hop_mac.value)
        await self.cycle()
        assert int(dut.hop_mac.value) == mac, "it stays"
        return mac if found else None

    async def hear(self, address: int, *, turn: int = 0, reply: bool = False, for_us: bool = True) -> None:
        dut, before = self.dut, self.heard
        dut.arp_rx.value = reply << 81 | for_us << 80 | mac_of(address, turn) << 32 | address
        dut.arp_valid.value = 1
        await self.cycle()
        dut.arp_valid.value = 0
        for _ in range(20):
            if self.heard > before:
                break
            await self.cycle()
        assert self.heard == before + 1
        await self.cycle(2)

    async def peek(self, address: int) -> int | None:
        """The same, and what was asked for is forgotten three seconds later."""
        mac = await self.look(address)
        for _ in range(3):
            self.dut.second.value = 1
            await self.cycle()
            self.dut.second.value = 0
        return mac

    async def known(self, addresses: list[int]) -> list[int]:
        return [a for a in addresses if await self.look(a) is not None]


def rows_of(address: int, key: int, row_bits: int) -> list[int]:
    """The rows of an address, a bit after the other."""
    width = 4 * row_bits
    line = [(address & (key ^ BASE) >> i & 0xFFFFFFFF).bit_count() & 1 for i in range(width)]
    bits = [
        line[i] ^ line[(i + row_bits + 1) % width] & (1 ^ line[(i + 2 * row_bits + 3) % width]) for i in range(width)
    ]
    return [sum(bits[way * row_bits + b] << b for b in range(row_bits)) for way in range(4)]


def sequential(table: Table) -> list[int]:
    first = NET | table.rng.getrandbits(20)
    return [first + i for i in range(table.entries)]


def scattered(table: Table) -> list[int]:
    return [NET | a for a in table.rng.sample(range(1, 1 << 24), table.entries)]


def same_low_bits(table: Table) -> list[int]:
    return [NET | i << 12 | 0x2A for i in range(1, table.entries + 1)]


def against_no_key(table: Table) -> list[int]:
    """All in a few rows of the first way, and of the second, of the table without a key."""
    found: list[int] = []
    bits = table.rows.bit_length() - 1
    while len(found) < table.entries:
        address = NET | table.rng.getrandbits(24)
        rows = rows_of(address, 0, bits)
        if rows[0] < 2 + table.rows // 64 and rows[1] < table.rows // 4 and address not in found:
            found.append(address)
    return found


KINDS: dict[str, Callable[[Table], list[int]]] = {
    kind.__name__: kind for kind in (sequential, scattered, same_low_bits, against_no_key)
}


@cocotb.test()
async def it_is_full_with_the_last_place(dut: Any) -> None:
    """Of each kind as many as there are places are known at once, and with the next stranger none is lost."""
    table = await Table(dut).start()
    for name, kind in KINDS.items():
        for _ in range(1 if table.entries > 64 else 3):
            dut.key.value = table.rng.getrandbits(128)
            await table.cycle(table.rows + 4)
            addresses = kind(table)
            assert len(set(addresses)) == table.entries
            for address in addresses:
                await table.hear(address)
            assert [await table.look(a) for a in addresses] == [mac_of(a) for a in addresses], name
            stranger = NET | 0xFFFFF1
            await table.hear(stranger)
            await table.walk()
            assert await table.peek(stranger) is None, "none was unused for a minute"
            assert await table.known(addresses) == addresses


@cocotb.test()
async def a_place_is_safe_from_strangers_for_a_minute(dut: Any) -> None:
    """Used or confirmed within 60 s: it stays. A sixteenth later the least recently used one goes."""
    for confirmed in (False, True):
        table = await Table(dut).start()
        addresses = sequential(table)
        for address in addresses:
            await table.hear(address)
        await table.passes(10)
        one = table.rng.choice(addresses)
        for address in addresses:
            if address != one:
                await table.look(address)
        await table.passes(PROTECTED - 11)
        if confirmed:
            await table.hear(one, for_us=False)
        stranger = NET | 0xFFFFF1
        await table.hear(stranger)
        await table.walk()
        assert await table.peek(stranger) is None
        await table.passes()
        await table.hear(stranger)
        await table.walk()
        if confirmed:
            assert await table.peek(stranger) is None
            assert await table.known(addresses) == addresses
        else:
            assert await table.peek(stranger) == mac_of(stranger)
            assert await table.known(addresses) == [a for a in addresses if a != one]


@cocotb.test()
async def an_answer_takes_the_place_of_the_least_recently_used(dut: Any) -> None:
    table = await Table(dut).start()
    addresses = sequential(table)
    for address in addresses:
        await table.hear(address)
    await table.passes()
    order = table.rng.sample(addresses, len(addresses))
    for address in order:
        assert await table.look(address)
        await table.passes()
    for turn in range(6):
        new, oldest, *others = NET | 0xFFFF00 + turn, *order
        assert await table.look(new) is None
        assert await table.look(oldest) == mac_of(oldest), "nothing goes before the answer"
        for address in others:
            await table.passes()
            await table.look(address)
        assert await table.look(new) is None and table.asked[-1] == new
        await table.hear(new, reply=True)
        await table.walk()
        assert table.learned[-1] == new and await table.look(new) == mac_of(new)
        assert await table.peek(oldest) is None
        order = [*others, new]
        assert await table.known(order) == order


@cocotb.test()
async def who_was_asked_for_takes_no_place(dut: Any) -> None:
    """Forty targets that do not answer: eight are asked for in a second, once each, and no neighbour goes."""
    table = await Table(dut).start()
    addresses = scattered(table)
    for address in addresses:
        await table.hear(address)
    silent = [NET | 0xFFFF00 + i for i in range(40)]
    for _ in range(2):
        assert await table.known(silent) == []
    assert table.asked == silent[:PENDING]
    assert await table.known(addresses) == addresses
    await table.passes(33)
    table.asked.clear()
    assert await table.known(silent) == []
    assert len(table.asked) == len(set(table.asked)) == PENDING, "two seconds later others, too"
    await table.hear(table.asked[0], reply=True)
    await table.walk()
    assert await table.look(table.asked[0]) == mac_of(table.asked[0])


@cocotb.test()
async def answers_make_room_for_the_next_questions(dut: Any) -> None:
    """As many as there are places are asked for in one second, if each answers."""
    table = await Table(dut).start()
    addresses = scattered(table)
    for address in addresses:
        assert await table.look(address) is None
        await table.hear(address, reply=True)
    assert table.asked == table.learned == addresses
    assert await table.known(addresses) == addresses


@cocotb.test()
async def a_life_ends_and_is_renewed_before(dut: Any) -> None:
    table = await Table(dut).start()
    old, renewed = NET | 7, NET | 8
    await table.hear(old)
    await table.hear(renewed)
    await table.ages(13)
    assert await table.known([old, renewed]) == [old, renewed] and not table.asked
    await table.ages()
    for _ in range(2):
        assert await table.known([old, renewed]) == [old, renewed]
    assert table.asked == [old, renewed], "in the last eighth, once a second"
    await table.hear(renewed, turn=1, for_us=False)
    await table.ages()
    assert await table.look(old) == mac_of(old)
    await table.ages()
    assert await table.look(old) is None
    assert await table.look(renewed) == mac_of(renewed, 1)
    for _ in range(80):  # its age in 6 bits comes round
        await table.ages()
    assert await table.known([old, renewed]) == []


@cocotb.test()
async def a_neighbour_is_renewed_whoever_else_is_silent(dut: Any) -> None:
    table = await Table(dut).start()
    await table.hear(NET | 7)
    await table.ages(14)
    silent = [NET | 0xFF0000 + i for i in range(30)]
    assert await table.known(silent) == []
    assert await table.look(NET | 7) == mac_of(NET | 7)
    assert table.asked == [*silent[:PENDING], NET | 7]


@cocotb.test()
async def a_request_waits_until_the_one_before_is_away(dut: Any) -> None:
    table = await Table(dut).start()
    dut.can_ask.value = 0
    wanted = [NET | 1 + i for i in range(5)]
    assert await table.known(wanted) == [] and not table.asked
    await table.hear(wanted[2], reply=True)
    await table.walk()
    dut.can_ask.value = 1
    await table.cycle(10)
    assert sorted(table.asked) == [a for a in wanted if a != wanted[2]], "who is known is not asked for any more"


@cocotb.test()
async def places_of_ended_lives_are_free(dut: Any) -> None:
    table = await Table(dut).start()
    for turn in range(3):
        addresses = [NET | turn << 16 | i for i in range(table.entries)]
        for address in addresses:
            await table.hear(address)
        assert await table.known(addresses) == addresses
        await table.ages(16)


@cocotb.test()
async def the_gateway_is_found_for_what_is_not_on_the_link(dut: Any) -> None:
    table = await Table(dut).start(gateway=NET | 1)
    await table.hear(NET | 1)
    await table.hear(0x08080808 & 0xFFFFFF | NET)
    for gateway in (NET | 1, NET | 2, NET | 1):
        dut.gateway.value = gateway
        await table.cycle(10)
        expected = mac_of(NET | 1) if gateway == NET | 1 else None
        assert await table.look(0x08080808, via=gateway) == expected


@cocotb.test()
async def what_is_cleared_is_forgotten(dut: Any) -> None:
    table = await Table(dut).start()
    addresses = scattered(table)
    for how in ("clear", "key"):
        for address in addresses:
            await table.hear(address)
        if how == "clear":
            dut.clear.value = 1
            await table.cycle()
            dut.clear.value = 0
        else:
            dut.key.value = 1 << 5
            await table.cycle()
        assert await table.known(addresses[:20]) == []
        await table.cycle(table.rows)
        assert await table.known(addresses) == []


@cocotb.test()
async def it_is_as_a_list_by_last_use(dut: Any) -> None:
    """Look-ups, answers, strangers and news by chance, beside a model: who is known, and by which address."""
    table = await Table(dut).start(key=random.getrandbits(128))
    rng = table.rng
    hosts = [NET | a for a in rng.sample(range(1, 1 << 24), table.entries + 12)]
    model: OrderedDict[int, tuple[int, int]] = OrderedDict()  # MAC address, time; the least recently used first

    def used(address: int, mac: int) -> None:
        model[address] = (mac, table.time)
        model.move_to_end(address)

    evicted = kept = 0
    for turn in range(6 * table.entries):
        await table.passes(rng.choice((1, 1, 1, 17)) if turn > table.entries else 1)
        if rng.random() < 0.1 / table.entries:
            await table.passes(PROTECTED - rng.choice((0, 40, 200)))
        host = rng.choice(hosts) if turn > table.entries else hosts[turn]
        if turn > table.entries and rng.random() < 0.6:
            mac = await table.look(host)
            assert mac == (model[host][0] if host in model else None), turn
            if mac is not None:
                used(host, mac)
                continue
            if table.asked[-1:] != [host]:
                continue
            wanted = True
            if rng.random() < 0.5:
                await table.passes(48)  # nobody waits for it any more
                continue
        else:
            wanted = False
        version = turn & 0xFF
        await table.hear(host, turn=version, reply=wanted)
        await table.walk()
        if host not in model and len(model) == table.entries:
            oldest = next(iter(model))
            if not wanted and table.time - model[oldest][1] < PROTECTED:
                assert await table.peek(host) is None, turn
                kept += 1
                continue
            evicted += 1
            del model[oldest]
        used(host, mac_of(host, version))
    assert evicted > 5 and evicted + kept > 10
    for host in hosts:
        mac = await table.look(host)
        assert mac == (model[host][0] if host in model else None)


@cocotb.test()
async def frames_do_not_wait_for_a_walk(dut: Any) -> None:
    """Look-ups each five cycles, and news as fast as a line of 64 bits brings them: each is heard, none lost."""
    table = await Table(dut).start()
    addresses = scattered(table)
    for address in addresses:
        await table.hear(address)
    before = table.heard
    for number in range(400):
        if number % 2 == 0:
            host = table.rng.choice(addresses) if number % 8 else NET | 0xFF0000 + number
            dut.arp_rx.value = 1 << 80 | mac_of(host) << 32 | host
            dut.arp_valid.value = 1
        dut.coming.value = dut.hop.value = address = addresses[number % len(addresses)]
        dut.coming_on_link.value = dut.coming_valid.value = 1
        await table.cycle()
        dut.arp_valid.value = dut.coming_valid.value = 0
        dut.hop_valid.value = 1
        await table.cycle(2)
        assert dut.hop_done.value == 1 and dut.hop_found.value == 1
        dut.hop_valid.value = 0
        await table.cycle()
        assert int(dut.hop_mac.value) == mac_of(address)
        await table.cycle()
    await table.cycle(100)
    assert table.heard - before == 200 and not table.lost


CASES = (
    "it_is_full_with_the_last_place",
    "a_place_is_safe_from_strangers_for_a_minute",
    "an_answer_takes_the_place_of_the_least_recently_used",
    "who_was_asked_for_takes_no_place",
    "answers_make_room_for_the_next_questions",
    "a_life_ends_and_is_renewed_before",
    "a_neighbour_is_renewed_whoever_else_is_silent",
    "a_request_waits_until_the_one_before_is_away",
    "places_of_ended_lives_are_free",
    "the_gateway_is_found_for_what_is_not_on_the_link",
    "what_is_cleared_is_forgotten",
    "frames_do_not_wait_for_a_walk",
)
LARGE = ("it_is_full_with_the_last_place", "who_was_asked_for_takes_no_place", "what_is_cleared_is_forgotten",
         "frames_do_not_wait_for_a_walk")  # fmt: skip


@pytest.mark.parametrize("entries", [16, *slow([64])])
def test_a_table_of_neighbours(entries: int) -> None:
    run_bench("net_arp_table", {"ENTRIES": entries}, testcase=CASES, covers=["net_arp_table.c_evicts"])


@pytest.mark.parametrize("entries", slow([1024]))
def test_a_large_table_of_neighbours(entries: int) -> None:
    run_bench("net_arp_table", {"ENTRIES": entries}, testcase=LARGE)


@pytest.mark.parametrize("entries", [*some([16], [64])])
@pytest.mark.parametrize("seed", seeds(1, 20))
def test_who_stays_in_a_table_of_neighbours(seed: int, entries: int) -> None:
    run_bench("net_arp_table", {"ENTRIES": entries}, testcase="it_is_as_a_list_by_last_use", seed=seed)
