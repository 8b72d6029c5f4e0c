# SPDX-License-Identifier: Apache-2.0
"""tcp_siphash is the SipHash of the model, which has the vectors of its authors, in 19 cycles,
whatever was begun before."""

import cocotb
from bench import run_bench
from cocotb.triggers import FallingEdge
from drivers import start
from tcp.siphash import siphash


@cocotb.test()
async def every_key_and_text_has_the_hash_of_the_model(dut) -> None:
    rng = await start(dut)
    dut.start.value = 0
    await FallingEdge(dut.clk)
    texts = [(bytes(range(16)), bytes(range(12))), (bytes(16), bytes(12)), (b"\xff" * 16, b"\xff" * 12)]
    texts += [(rng.randbytes(16), rng.randbytes(12)) for _ in range(200)]
    for key, text in texts:
        # One that is begun before ends, wherever it is.
        dut.key.value, dut.data.value, dut.start.value = rng.getrandbits(128), rng.getrandbits(96), 1
        for _ in range(rng.choice((0, 1, 5, 10, 17, 18, rng.randrange(1, 19)))):
            await FallingEdge(dut.clk)
            dut.start.value = 0
            assert not dut.done.value
        dut.key.value, dut.data.value, dut.start.value = (
            int.from_bytes(key, "little"),
            int.from_bytes(text, "little"),
            1,
        )
        for cycle in range(1, 20):
            await FallingEdge(dut.clk)
            dut.start.value = 0
            dut.key.value, dut.data.value = rng.getrandbits(128), rng.getrandbits(96)
            assert int(dut.done.value) == (cycle == 19)
        assert int(dut.hash.value) == siphash(key, text)
        for _ in range(rng.choice((0, 0, 3))):
            await FallingEdge(dut.clk)
            assert not dut.done.value and int(dut.hash.value) == siphash(key, text)


def test_tcp_siphash() -> None:
    run_bench("tcp_siphash")
