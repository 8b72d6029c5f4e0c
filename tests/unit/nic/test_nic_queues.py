# SPDX-License-Identifier: Apache-2.0
"""nic_queues against a model: processor, self-test and engines push and pop at random, depths change, the lock comes,
goes and is misused."""

import random
from collections import Counter, deque
from pathlib import Path

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

CYCLES = 12_000
FREE, PLACES = 8, 64


class Model:
    """What the queues hold, as lists; one call of `step` a cycle."""

    def __init__(self) -> None:
        self.queues: list[deque[int]] = [deque() for _ in range(9)]
        self.depth = PLACES
        self.depths = [PLACES, PLACES]  # of the two cycles before: a change is seen that late
        self.owner: int | None = None  # of the lock: 0 the processor, 1 the self-test

    def room(self, i: int) -> bool:
        return len(self.queues[i]) < self.depths[0]

    def step(self, ops: dict) -> dict:
        """What the block must answer to `ops` in this cycle, and in the next one (keys with `_next`)."""
        out: dict = {}
        before = [len(q) for q in self.queues]
        room = [self.room(i) for i in range(9)]
        index = ops["cpu_index"]
        who = ops["cpu_is_selftest"]
        shut = index == FREE and self.owner not in (None, who)
        out["cpu_full"], out["cpu_empty"] = int(shut or not room[index]), int(shut or before[index] == 0)
        out["occupancy"] = sum(n << 7 * i for i, n in enumerate(before))
        out["lock_held"] = int(self.owner is not None)
        out["lock_granted"] = int(ops["cpu_lock"] and self.owner is None)
        out["lock_misused"] = int(ops["cpu_unlock"] and self.owner != who)
        cpu_pushes = index if ops["cpu_push"] and not out["cpu_full"] else None
        cpu_pops = index if ops["cpu_pop"] and not out["cpu_empty"] else None
        open_ = self.owner is None

        alone = not ops["cpu_access"]  # engines wait while the processor begins an access
        out["fetch_ready"] = int(open_ and before[FREE] > 0 and alone)
        place = open_ and before[FREE] < PLACES and alone
        out["rx_return_ready"] = int(place)
        out["tx_return_ready"] = int(place and not ops["rx_return_valid"])
        to = ops["deliver_to"].bit_length() - 1
        out["deliver_ready"] = int(to >= 0 and room[to] and alone)
        source = ops["take_from"].bit_length() + 3
        out["take_ready"] = int(source >= 4 and alone)

        if cpu_pops is not None:
            out["cpu_popped_next"] = self.queues[index].popleft()
        if ops["fetch_valid"] and out["fetch_ready"]:
            out["fetched_next"] = self.queues[FREE].popleft()
        if source >= 4 and out["take_ready"]:
            out["taken_next"] = self.queues[source].popleft()
        if cpu_pushes is not None:
            self.queues[index].append(ops["cpu_pushed"])
        if to >= 0 and out["deliver_ready"]:
            self.queues[to].append(ops["delivered"])
        if ops["rx_return_valid"] and out["rx_return_ready"]:
            self.queues[FREE].append(ops["rx_returned"])
        elif ops["tx_return_valid"] and out["tx_return_ready"]:
            self.queues[FREE].append(ops["tx_returned"])
        self.depths = [self.depths[1], self.depth]
        if ops["cpu_unlock"] and self.owner == who:
            self.owner = None
        elif out["lock_granted"]:
            self.owner = who
        return out


def _one_of(rng: random.Random, choices: list[int], often: float) -> int:
    """A one-hot bit, or none."""
    return 1 << rng.choice(choices) if choices and rng.random() < often else 0


@cocotb.test()
async def queues_agree_with_a_model(dut) -> None:
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
    model = Model()
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    ops: dict = {}
    inputs = (
        "cpu_access",
        "cpu_index",
        "cpu_push",
        "cpu_pushed",
        "cpu_pop",
        "cpu_lock",
        "cpu_unlock",
        "fetch_valid",
        "cpu_is_selftest",
    )
    for name in inputs:
        ops[name] = 0
    for name in ("deliver_to", "delivered", "rx_return_valid", "rx_returned", "take_from", "tx_return_valid"):
        ops[name] = 0
    ops["tx_returned"] = 0
    driven: dict = {}
    for name in ops:
        getattr(dut, name).value = 0
    dut.depth.value = PLACES
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    expected_next: dict = {}
    seen_full = seen_shrunk = seen_wait = 0
    granted, misused = Counter(), Counter()  # by whom, and by whom with whom as the owner
    # Pushes outweigh pops in some phases and the other way round; depths change between them.
    for cycle in range(CYCLES):
        if cycle % 250 == 0:
            fill, drain = rng.choice([(0.9, 0.2), (0.2, 0.9), (0.6, 0.6), (1.0, 1.0)])
            model.depth = rng.choice([1, 2, 3, 7, 16, 33, 63, 64, 64])
            dut.depth.value = model.depth
            seen_shrunk += any(len(q) > model.depth for q in model.queues)
            favourites = rng.sample(range(9), 3)
        index = rng.choice([*favourites, FREE, rng.randrange(9)])
        action = rng.random()
        ops["cpu_index"] = index
        ops["cpu_push"] = int(action < fill / 2)
        ops["cpu_pop"] = int(fill / 2 <= action < fill / 2 + drain / 2)
        idle = not ops["cpu_push"] and not ops["cpu_pop"]
        ops["cpu_is_selftest"] = int(rng.random() < 0.5)
        ops["cpu_lock"] = int(idle and rng.random() < 0.1)
        ops["cpu_unlock"] = int(idle and not ops["cpu_lock"] and rng.random() < 0.3)
        owner = model.owner
        others = 0.1  # accesses to registers that are not queues
        asked = any(ops[f"cpu_{op}"] for op in ("push", "pop", "lock", "unlock"))
        ops["cpu_access"] = int(asked or rng.random() < others)
        ops["fetch_valid"] = int(rng.random() < drain)
        ops["deliver_to"] = _one_of(rng, [i for i in favourites if i < 8], fill)
        ops["take_from"] = _one_of(rng, [i - 4 for i in range(4, 8) if model.queues[i]], drain)
        ops["rx_return_valid"] = int(rng.random() < fill / 4)
        ops["tx_return_valid"] = int(rng.random() < fill / 2)
        for name in ("cpu_pushed", "delivered", "rx_returned", "tx_returned"):
            ops[name] = rng.getrandbits(29)
        for name, value in ops.items():
            if driven.get(name) != value:
                getattr(dut, name).value = driven[name] = value
        await RisingEdge(dut.clk)
        answer = model.step(ops)
        for name, value in expected_next.items():
            assert int(getattr(dut, name).value) == value, f"cycle {cycle}: {name}"
        for name in ("cpu_full", "cpu_empty", "occupancy", "lock_held", "lock_granted", "lock_misused", "fetch_ready"):
            assert int(getattr(dut, name).value) == answer[name], f"cycle {cycle}: {name}"
        for name, asked in (("deliver", ops["deliver_to"]), ("take", ops["take_from"])):
            if asked:
                assert int(getattr(dut, f"{name}_ready").value) == answer[f"{name}_ready"], f"cycle {cycle}: {name}"
        for name in ("rx_return", "tx_return"):
            if ops[f"{name}_valid"]:
                assert int(getattr(dut, f"{name}_ready").value) == answer[f"{name}_ready"], f"cycle {cycle}: {name}"
        expected_next = {k.removesuffix("_next"): v for k, v in answer.items() if k.endswith("_next")}
        seen_full += answer["cpu_full"] and ops["cpu_push"]
        seen_wait += bool(ops["take_from"]) and not answer["take_ready"]
        granted[ops["cpu_is_selftest"]] += answer["lock_granted"]
        misused[ops["cpu_is_selftest"], owner] += answer["lock_misused"]
    assert seen_full and seen_shrunk and seen_wait, "the test did not reach what it is about"
    for way in (granted[0], granted[1], misused[0, None], misused[1, None], misused[0, 1], misused[1, 0]):
        assert way, "the test did not reach what it is about"


def test_nic_queues() -> None:
    run_bench("nic_queues_tb", extra_sources=(Path(__file__).with_name("nic_queues_tb.sv"),))
