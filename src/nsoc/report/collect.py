# SPDX-License-Identifier: Apache-2.0
"""Facts from measurements, system by system: what is on disk is taken from there, what is not is measured.

Every bench keeps what it measures (nsoc.bench.store), so a report that is stopped goes on where it was. Where nothing
was measured, figures that are kept with the sources stand in, marked as such.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from nsoc import systems as systems_
from nsoc.errors import NsocError
from nsoc.progress import Progress
from nsoc.report import facts, work
from nsoc.report import kept as kept_
from nsoc.report.facts import STAGE_PAYLOADS, Facts

Bar = Callable[[str], AbstractContextManager[Progress]]
"""Shows how far a piece of work is, by its name."""


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """Systems of these names, all that are there when there is none. Raises NsocError for one that cannot be shown."""
    return tuple(system.name for system in systems_.find(names))


def measured(
    systems: Sequence[str] = (),
    *,
    seed: int = 1,
    quick: bool = False,
    fresh: bool = False,
    measure: bool = True,
    workers: int | None = None,
    bar: Bar = lambda what: nullcontext(lambda done, total: None),
    say: Callable[[str], None] = lambda text: None,
) -> Facts:
    """Measures what is not on disk, unless `measure` is False; system by system, `workers` at a time.

    What cannot be measured is missing, with the reason. Raises NsocError when there is no figure at all.
    """
    names = chosen(systems)
    found = Facts([], kept=list(kept_.rows()), systems=names)
    how = work.How(seed, quick, fresh, measure, workers or len(os.sched_getaffinity(0)))
    plan = [(name, one) for name in names for one in work.plan(name, how)]
    if measure:
        say(work.told([one for _, one in plan], how))
    for name, one in plan:
        with bar(one.what) as progress:
            try:
                one.do(found, progress)
            except NsocError as problem:
                why = f"{one.what}: {problem}".partition("\n")[0]
                found.failures.setdefault(name, []).append(why)
                say(why)
    there = {facts.system_of(one.preset, one.suite) for one in found.records}
    there |= {facts.system_of(row.preset, row.bench) for row in found.kept}
    if not there & set(names):
        raise NsocError(
            f"there is no measurement of {', '.join(names)} on disk, and none is kept with the sources: "
            "nsoc report --quick measures some of each"
        )
    found.about |= facts.surroundings(seed)
    if quick:
        found.about["quick"] = "fewer presets and payloads, no windows and shorter bursts than usual"
    return complete(found)


def from_records(path: Path, systems: Sequence[str] = ()) -> Facts:
    """The facts in a file of records, as `nsoc bench ... --json` writes it, and nothing else; of what it has chapters.

    Raises NsocError when it has nothing of a system that is asked for.
    """
    names = chosen(systems)
    found = Facts(facts.read(path))
    if not found.records:
        raise NsocError(f"there is no record in {path}")
    there = {facts.system_of(record.preset, record.suite) for record in found.records}
    found.systems = tuple(name for name in names if name in there)
    absent = [name for name in (names if systems else ()) if name not in there]
    if absent or not found.systems:
        raise NsocError(f"there is no record of {', '.join(absent or names)} in {path}: take a file that has some")
    words = f"from the file {path.name}; what follows is where this page was made"
    found.about = {"records": words, **facts.surroundings()}
    return complete(found)


def complete(found: Facts) -> Facts:
    """With what does not come from records: stages, area."""
    found.stages = {payload: facts.stages(found, payload) for payload in STAGE_PAYLOADS}
    found.stages_how = facts.STAGES_HOW
    if not any(found.stages.values()):
        found.stages = {payload: facts.parts(found, payload) for payload in STAGE_PAYLOADS}
        found.stages_how = facts.PARTS_HOW
    found.area = facts.measured_area()
    return found


def sentences(found: Facts) -> Iterable[str]:
    """What to tell on the command line."""
    for preset, why in found.absent().items() if not found.systems or "nic" in found.systems else ():
        yield f"{preset} is missing: {why}"
