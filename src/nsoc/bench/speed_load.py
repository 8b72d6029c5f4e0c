# SPDX-License-Identifier: Apache-2.0
"""The loads of `nsoc bench speed`: each simulates a certain amount, and prints as JSON what that took.

It is run as a file, with the tree that is measured in PYTHONPATH: maybe an older one. So it takes only what all of them
have, and of nsoc.bench nothing that measures speed.

    python -P speed_load.py ROW PART

A LOAD gives processor seconds of this process and those that it starts, between two points of simulated time: boot,
pictures and frames that are made before are not in it. A JOB gives seconds of something done as a whole.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

SEED = 1
FS_PER_US = 10**9
Figures = dict[str, Any]

PACKETS, WINDOW = 3000, 32
"""Of the large image; data frames under way, as `nsoc demo` has them."""
ECHOED = 25_000
POLLED_US = 10_000
STREAMED_US, LOOK_US, AT_ONCE = 4000, 50, 1 << 18
"""Of a TCP connection; how often its peer looks, and how much it has ready."""
PASSED, PASSED_TYPE = 2000, 0x88B5
SMALLEST = 60
"""Bytes of the smallest frame, without FCS."""
PNIC_FRAME, PNIC_US = 1518, 400
"""With FCS; of simulated time, a tenth of it to warm up."""
GOODPUT, DATAGRAMS, LAT_WINDOWS = (1460, 6), (18,), 3
"""Payloads of `nsoc bench latency` for streams and datagrams: so many windows."""
PAGE_BYTES = 1_048_576
HOST, SOC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")


# ---- What it took ----------------------------------------------------------------------------------------------------


def processor_s() -> float:
    """Of this process, and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def measured(soc: Any) -> Iterator[Figures]:
    """What the block takes of a simulated SoC; the figures are there behind it."""
    from nsoc.machine.soc import boot_config

    config = boot_config(soc.preset, soc.seed)
    periods = [config.nic_period_fs, config.dram_period_fs, config.rx_period_fs, config.tx_period_fs]
    periods += [] if config.one_clock else [config.cpu_period_fs]
    simulation, found = soc.simulation, Figures()
    before = simulation.cycle, simulation.evaluations, simulation.time_fs
    began = processor_s()
    yield found
    found["seconds"] = processor_s() - began
    found["cycles"], found["evaluations"], passed_fs = (
        after - first
        for after, first in zip((simulation.cycle, simulation.evaluations, simulation.time_fs), before, strict=True)
    )
    found["edges"] = sum(passed_fs // period for period in periods)


# ---- Loads -----------------------------------------------------------------------------------------------------------


class _Enough(Exception):
    pass


def demo(part: float) -> Figures:
    from nsoc.demo import FAULTS, FIRMWARE
    from nsoc.network import image
    from nsoc.network.cabled import CabledSoc
    from nsoc.network.faults import Wiring
    from nsoc.transfer.echo import Transfer

    packets = _share(PACKETS, part)

    def look(done: int, total: int) -> None:
        if done >= packets:
            raise _Enough

    data = image.generated(image.Size.LARGE).data
    with CabledSoc("nic12-fast", FIRMWARE, SEED, wiring=Wiring(FAULTS)) as soc:
        soc.boot()
        transfer = Transfer(soc, data, window=WINDOW, progress=look)
        with measured(soc.soc) as found, suppress(_Enough):
            transfer.run()
        return found


def echo(part: float) -> Figures:
    from nsoc.machine.soc import Soc

    with Soc("nic12-fast", "forward", SEED) as soc:
        soc.boot()
        for _ in range(_share(ECHOED, part)):
            soc.wire.send(SOC + HOST + bytes(SMALLEST - 12))
        with measured(soc) as found:
            soc.run(sent=0)
        return found


def polling(part: float) -> Figures:
    from nsoc.machine.soc import Soc

    with Soc("nic12-fast", "forward", SEED) as soc:
        soc.boot()
        with measured(soc) as found:
            soc.run(us=_share(POLLED_US, part))
        return found


def toe_tcp(part: float) -> Figures:
    from nsoc.bench.toe_measure import SOURCE_PORT, Bench

    with Bench("toe", 1, False, SEED, timestamps=False) as bench:
        (stream,) = bench.connect(SOURCE_PORT)

        def work() -> bool:
            stream.receive()
            room = AT_ONCE - stream.connection.unsent
            if room >= AT_ONCE // 2:
                stream.send(bytes(room))
            return False

        def run(us: float) -> None:
            bench.peer.run(us, until=work, every_us=LOOK_US)

        us = _share(STREAMED_US, part)
        run(us / 2)
        with measured(bench.soc) as found:
            run(us)
        return found


def toe_frames(part: float) -> Figures:
    from nsoc.machine.soc import Soc

    with Soc("toe", "toe_net", SEED) as soc:
        soc.boot()
        head = SOC + HOST + PASSED_TYPE.to_bytes(2, "big")
        for _ in range(_share(PASSED, part)):
            soc.wire.send(head + bytes(SMALLEST - len(head)))
        with measured(soc) as found:
            soc.run(sent=0)
        return found


def pnic(part: float) -> Figures:
    from nsoc.machine import presets
    from nsoc.pnic import nic

    setup = nic.setup_of(presets.load("pnic-rice"))
    us = _share(PNIC_US, part)
    warm_us = max(1, us // 10)
    began = processor_s()
    found = nic.run(setup, PNIC_FRAME, warm_us=warm_us, window_us=us - warm_us or 1, seed=SEED)
    return _of_program(found, processor_s() - began, us * setup.core_mhz)


def lat(preset: str, part: float) -> Figures:
    from nsoc.bench import latency_measure
    from nsoc.machine import presets

    system = presets.load(preset)
    window_us = _share(latency_measure.WINDOW_US, part)
    warm_us = _share(latency_measure.WARM_UP_US, part)
    began = processor_s()
    found = latency_measure.simulate(
        system, goodput=GOODPUT, udp=DATAGRAMS, seed=SEED, warm_fs=warm_us * FS_PER_US, window_fs=window_us * FS_PER_US
    )
    return _of_program(found, processor_s() - began, LAT_WINDOWS * (warm_us + window_us) * system.nic_mhz)


def _of_program(found: Any, seconds: float, cycles: float) -> Figures:
    """Of a program that says what it has simulated over all, boot too; that of an old tree does not."""
    figures: Figures = {"seconds": seconds, "cycles": round(cycles)}
    if simulated := getattr(found, "simulated", ()):
        all_cycles, evaluations, edges = simulated
        figures["evaluations"] = round(evaluations * cycles / all_cycles)
        figures["edges"] = round(edges * cycles / all_cycles)
    return figures


# ---- Jobs ------------------------------------------------------------------------------------------------------------


def up_curl(part: float) -> Figures:
    url = f"http://10.0.0.2/bytes/{_share(PAGE_BYTES, part)}"
    curl = ["curl", "-sS", "--fail", "-o", os.devnull, "-w", "%{time_total}", url]
    done = _done([sys.executable, "-m", "nsoc", "up", "--preset", "toe", "--", *curl])
    times = re.findall(r"^\d+\.\d+$", done, re.MULTILINE)
    if not times:
        raise _failure(f"curl has not said how long it took: {done.strip()}")
    return {"seconds": float(times[-1])}


def build_toe(part: float) -> Figures:
    code = "from nsoc.machine import build, presets; build.simulator(presets.load_soc('toe'))"
    with tempfile.TemporaryDirectory() as cache:
        began = processor_s()
        _done([sys.executable, "-c", code], environment={**os.environ, "NSOC_CACHE": cache})
        return {"seconds": processor_s() - began}


def first_demo(part: float) -> Figures:
    return _in_clone(["make", "demo"])


def make_test(part: float) -> Figures:
    return _in_clone(["make", "test"])


def _in_clone(command: list[str]) -> Figures:
    """On the wall. Nothing is built, of the compiler's own libraries neither; packages may have been fetched before."""
    tree = Path(sys.modules["nsoc"].__file__ or "").parents[2]
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        _done(["git", "clone", "-q", str(tree), str(clone)])
        left_out = ("NSOC_CACHE", "NSOC_QUICK", "PYTHONPATH", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        environment["ZIG_GLOBAL_CACHE_DIR"] = str(Path(folder) / "zig")
        began = time.monotonic()
        _done(command, clone, environment)
        return {"seconds": time.monotonic() - began}


def _done(command: list[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    if shutil.which(command[0]) is None:
        raise _failure(f"the program {command[0]} is missing")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise _failure(f"{' '.join(command[:4])} ended with {done.returncode}{''.join(f': {line}' for line in last)}")
    return done.stdout


def _failure(why: str) -> Exception:
    from nsoc.errors import NsocError

    return NsocError(why)


def _share(amount: float, part: float) -> int:
    return max(1, round(amount * part))


LOADS: dict[str, Callable[[float], Figures]] = {
    "demo": demo,
    "echo-64": echo,
    "polling": polling,
    "toe-tcp": toe_tcp,
    "toe-frames": toe_frames,
    "pnic": pnic,
    "lat-10g": lambda part: lat("lat-10g", part),
    "lat-100g": lambda part: lat("lat-100g", part),
}
JOBS: dict[str, Callable[[float], Figures]] = {
    "up-curl": up_curl,
    "build-toe": build_toe,
    "first-demo": first_demo,
    "make-test": make_test,
}


def main(name: str, part: float) -> None:
    """Prints one line: what the row took, or why there is nothing."""
    import nsoc
    from nsoc.errors import NsocError

    try:
        found = {**LOADS, **JOBS}[name](part)
    except NsocError as problem:
        found = {"error": str(problem)}
    except (ImportError, AttributeError, TypeError) as problem:
        found = {"error": f"that tree has not what this load takes ({problem}): compare with a newer one"}
    print(json.dumps({"tree": str(Path(nsoc.__file__).parents[1]), **found}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
