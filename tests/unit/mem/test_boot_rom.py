# SPDX-License-Identifier: Apache-2.0
"""boot_rom answers reads from its contents in the next cycle and refuses writes and what is beyond its end."""

import random

import cocotb
from bench import ROOT, run_bench
from drivers import ACB, Master, Port, Request, Response, read, start, within

BYTES = 512


def contents() -> list[int]:
    rng = random.Random(20)
    return [rng.getrandbits(64) for _ in range(BYTES // 8)]


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.3, 0.6)])
async def reads_give_the_contents_and_writes_are_refused(dut, stalls) -> None:
    rng = await start(dut)
    words = contents()
    master = Master(Port(dut, "acb", ACB), rng, *stalls)
    requests = [Request(rng.randrange(BYTES + 64), rng.random() < 0.8, 0xFF, 1, rng.random() < 0.1) for _ in range(400)]
    expected = [
        Response(words[r.address // 8]) if r.read and r.address < BYTES else Response(0, err=True) for r in requests
    ]
    master.send(requests)
    assert await within(dut, 4000, master.all_done()) == expected


@cocotb.test()
async def one_read_a_cycle_answered_in_the_next(dut) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([read(8 * n) for n in range(40)])
    await within(dut, 100, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in master.sent_at] == list(range(40))
    assert [t - first for t in master.done_at] == list(range(1, 41))


def test_boot_rom() -> None:
    image = ROOT / "build" / "unit" / "boot_rom.hex"
    image.parent.mkdir(parents=True, exist_ok=True)
    image.write_text("".join(f"{word:016x}\n" for word in contents()))
    run_bench("boot_rom", {"BYTES": BYTES, "INIT_FILE": f'"{image}"'})
