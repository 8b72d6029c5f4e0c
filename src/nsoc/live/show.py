# SPDX-License-Identifier: Apache-2.0
"""What `nsoc up` shows: who is there, how it goes, what it came to."""

from nsoc.live.running import Info
from nsoc.live.session import Tally


def addresses(info: Info) -> list[str]:
    """Who is there."""
    socs = ", ".join(soc.address for soc in info.socs)
    return [f"{info.interface}: Linux is {info.address}, {info.preset} with {info.firmware} is {socs}"]


def speed(cycles: int, seconds: float, nic_mhz: float) -> str:
    """Of SoCs that have something to do."""
    if not cycles or not seconds:
        return "asleep"
    mhz = cycles / seconds / 1e6
    return f"{mhz:.2f} MHz, {nic_mhz / mhz:,.0f} times slower than real time"


def line(before: Tally, now: Tally, nic_mhz: float) -> str:
    """How it goes: since `before`, and in all."""
    worked_s = now.work_wall_s - before.work_wall_s
    busy = min(1.0, worked_s / max(1e-9, now.wall_s - before.wall_s))
    rate = speed(now.work_cycles - before.work_cycles, worked_s, nic_mhz)
    return (
        f"{now.simulated_s:,.3f} s simulated · {rate}, busy {busy:.0%} · frames from Linux {now.from_linux:,}, "
        f"to Linux {now.to_linux:,} · {drops(now)}"
    )


def drops(tally: Tally) -> str:
    """Frames that got lost, by cause."""
    causes = ", ".join(f"{count:,} ({cause})" for cause, count in tally.drops.items())
    return f"dropped {causes}" if causes else "none dropped"


def summary(tally: Tally, nic_mhz: float) -> list[str]:
    """What it came to."""
    return [
        f"{tally.simulated_s:,.3f} s simulated in {tally.wall_s:,.1f} s; with something to do: "
        f"{speed(tally.work_cycles, tally.work_wall_s, nic_mhz)}",
        f"{tally.from_linux:,} frames from Linux, {tally.to_linux:,} to Linux, {drops(tally)}",
    ]
