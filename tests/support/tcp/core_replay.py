# SPDX-License-Identifier: Apache-2.0
"""Replays the log of an Engine into `tcp_core` and compares each record and each action, bit for bit.

An event that follows by itself in the core (SPAWN, LEAVE) is not given to it, but is expected.
"""

import array
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bench

from tcp import package
from tcp.engine import Logged
from tcp.events import Actions, Arrival, Command, Event, Icmp, Leave, Send, Settings, Spawn, Timer, Turn
from tcp.record import BITS, FIELDS, NEAR, Blocks, Record, pack, unpack

HERE = Path(__file__).parent
CONNECTIONS = 16
NOBODY = 1023
"""An index without a record."""
ROWS = 4
ROW_BITS = -(-BITS // ROWS)
SPARE_BITS = ROWS * ROW_BITS - BITS
ROW_WORDS = -(-ROW_BITS // 32)
EVENT_WORDS = -(-package.WIDTHS["event_t"] // 32)
ACTION_WORDS = -(-package.WIDTHS["actions_t"] // 32)
SETTINGS_WORDS = -(-package.WIDTHS["settings_t"] // 32)
KINDS = {Arrival: 0, Spawn: 1, Leave: 2, Timer: 3, Turn: 4, Command: 5, Icmp: 6}
LATENCY = 12
"""Cycles from taking an event to its actions."""
CHAIN_LATENCY = 8
"""Cycles from an event's actions to those of the one that follows by itself."""
DEADLINE_LATENCY = 3
"""Cycles from an event's actions to its deadline."""
DEADLINE_WORDS = 5
FOLDERS = [bench.RTL / "tcp" / name for name in ("core", "common")]


def build(defines: tuple[str, ...] = ()) -> Path:
    """The harness's program, built only when a source is newer."""
    folder = bench.BUILDS / "tcp_core_harness"
    program = folder / "tcp_core_harness"
    rtl = sorted(path for folder in FOLDERS for path in folder.glob("*.sv"))
    source = HERE / "core_harness.cpp"
    visible = folder / "visible.vlt"
    flags = f"-std=c++20 -O1 -DCONNECTIONS={CONNECTIONS} -DROW_BITS={ROW_BITS}"
    command = ["verilator", "-Wall", "--assert", "--top-module", "tcp_core", "--cc", "--exe", "--build", "-j", "1"]
    command += [
        "--coverage-user",
        "--no-skip-identical",
    ]  # or the program is not made when nothing but this file is newer
    command += ["-o", program.name, "--Mdir", str(folder), "-CFLAGS", flags, "--output-split", "0"]
    command += ["-MAKEFLAGS", "OPT_FAST=-O1", f"-GCONNECTIONS={CONNECTIONS}", *defines]
    command += [arg for folder in FOLDERS for arg in ("-y", str(folder))] + [str(visible), str(bench.WAIVERS)]
    command += [*map(str, sorted(bench.RTL.rglob("*_pkg.sv"))), str(FOLDERS[0] / "tcp_core.sv"), str(source)]
    with bench.locked(folder):
        if not visible.exists():
            visible.write_text('`verilator_config\npublic_flat_rw -module "tcp_core_records" -var "mem"\n')
    return bench.build_harness(program, [*rtl, source, Path(__file__)], command)


# ---- Bits ------------------------------------------------------------------------------------------------------------


def _words(number: int, count: int) -> list[int]:
    return [number >> 32 * at & 0xFFFF_FFFF for at in range(count)]


def _number(words: Sequence[int]) -> int:
    return sum(word << 32 * at for at, word in enumerate(words))


def _blocks(blocks: Blocks) -> dict[str, Any]:
    """As blocks_t, the first block in the lowest bits."""
    return {
        "count": len(blocks),
        "block": sum((begin << 32 | end) << 64 * at for at, (begin, end) in enumerate(blocks)),
    }


def _near_blocks(blocks: Blocks) -> dict[str, Any]:
    """As near_blocks_t."""
    mask = (1 << NEAR) - 1
    return {
        "count": len(blocks),
        "block": sum(((begin & mask) << NEAR | end & mask) << 2 * NEAR * at for at, (begin, end) in enumerate(blocks)),
    }


def _optional(name: str, value: int | None) -> dict[str, int]:
    return {f"{name}_valid": int(value is not None), name: value or 0}


def _arrival(seg: Arrival) -> dict[str, Any]:
    stamp, echo = seg.stamp or (0, 0)
    return {
        "seq": seg.seq, "ack": seg.ack, "flags": seg.flags, "window": seg.window, "length": seg.length,
        "urgent": seg.urgent, **_optional("mss", seg.mss), **_optional("scale", seg.scale),
        "sack_permitted": seg.sack_permitted, "stamp_valid": seg.stamp is not None, "stamp": stamp, "echo": echo,
        "sack": _blocks(seg.sack), "spare": seg.spare, "delivered": seg.delivered, "tried": seg.tried,
    }  # fmt: skip


def event_bits(index: int, event: Event, spawn: tuple[int, Spawn] | None) -> int:
    """As event_t; `spawn` is the event that follows a SYN, and its record."""
    members: dict[str, Any] = {"kind": KINDS[type(event)], "index": index}
    if isinstance(event, Arrival):
        members["arrival"] = _arrival(event)
        if spawn is not None:
            members |= {"child": spawn[0], "isn": spawn[1].isn, "ts_offset": spawn[1].ts_offset}
    elif isinstance(event, Command):
        members |= {"command": {"op": event.op, "a": event.a, "b": event.b}, "turns": event.turns}
    elif isinstance(event, Timer):
        members["gives_up"] = event.gives_up
    elif isinstance(event, Icmp):
        members["icmp"] = {"kind": event.kind, "seq": event.seq, "code": event.code, "mtu": event.mtu}
    return package.pack("event_t", members)


def settings_bits(settings: Settings) -> int:
    return package.pack("settings_t", {name: getattr(settings, name) for name in settings.__dataclass_fields__})


def _send(send: Send) -> dict[str, Any]:
    stamp, echo = send.stamp or (0, 0)
    return {
        "seq": send.seq, "ack": send.ack, "flags": send.flags, "window": send.window, "offset": send.offset,
        "length": send.length, "urgent": send.urgent, **_optional("mss", send.mss),
        **_optional("scale", send.scale), "sack_permitted": send.sack_permitted,
        "stamp_valid": send.stamp is not None, "stamp": stamp, "echo": echo, "sack": _near_blocks(send.sack),
        "again": send.again, "ttl": send.ttl, "dscp": send.dscp, "df": send.df,
    }  # fmt: skip


def actions_bits(actions: Actions) -> int:
    """As actions_t."""
    send, place = actions.send, actions.place
    placed = {} if place is None else {"begin_byte": place.begin, "length": place.length, "offset": place.offset}
    return package.pack(
        "actions_t",
        {
            "send_valid": send is not None, "send": {} if send is None else _send(send),
            "place_valid": place is not None, "place": placed, "notify": actions.notify,
            "schedule": actions.schedule, "index": actions.index, "chain": actions.chain, "pool": actions.pool,
            "answer": actions.answer, "drop": actions.drop, "received": actions.received,
            "acknowledged": actions.acknowledged, "all_read": actions.all_read,
        },
    )  # fmt: skip


def _rows(record: Record) -> list[int]:
    word = pack(record) << SPARE_BITS
    rows = [word >> ROW_BITS * (ROWS - 1 - row) & ((1 << ROW_BITS) - 1) for row in range(ROWS)]
    return [one for row in rows for one in _words(row, ROW_WORDS)]


def _record(words: Sequence[int]) -> int:
    word = 0
    for row in range(ROWS):
        word = word << ROW_BITS | _number(words[row * ROW_WORDS : (row + 1) * ROW_WORDS])
    return word >> SPARE_BITS


# ---- Replaying -------------------------------------------------------------------------------------------------------


@dataclass
class Told:
    """What the core said of an event."""

    after_cycles: int
    kind: int
    index: int
    actions: int
    record: int
    deadline: tuple[int, int, int, int]
    """Cycles behind the actions, index, whether there is one, us."""


@dataclass
class Replay:
    """A log with what the core made of it."""

    counts: Counter[str] = field(default_factory=Counter)
    """Events by kind."""
    differences: list[str] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    """Cover points, "module.point"."""


def _run(
    log: Sequence[Logged], settings: Settings, *, fast: bool, waits: Sequence[int]
) -> tuple[list[Told], list[int], set[str]]:
    script = [*_words(settings_bits(settings), SETTINGS_WORDS), int(fast)]
    records: dict[int, Record] = {}
    for one in log:
        if one.index >= 0:
            records.setdefault(one.index, one.before)
    for index in range(CONNECTIONS):
        script += _rows(records.get(index, Record()))
    given: list[int] = []
    for number, one in enumerate(log):
        index = one.index if one.index >= 0 else NOBODY
        alone = isinstance(one.event, Spawn | Leave)
        known = records.get(index, Record())
        records[index] = one.after if one.index >= 0 else Record()
        if alone:
            assert known == one.before
            continue
        follower = log[number + 1] if number + 1 < len(log) else None
        spawn = (follower.index, follower.event) if follower and isinstance(follower.event, Spawn) else None
        differs = known != one.before
        assert not (differs and fast), "in a log that is played fast each event finds what the one before has left"
        wait = waits[number % len(waits)] if waits else 0
        rows = _rows(one.before) if differs else [0] * ROWS * ROW_WORDS
        given += [*_words(one.now, 2), wait, int(differs), index, *rows]
        given += _words(event_bits(index, one.event, spawn), EVENT_WORDS)
    count = sum(not isinstance(one.event, Spawn | Leave) for one in log)
    with tempfile.TemporaryDirectory() as folder:
        source, result, counts = (Path(folder, name) for name in ("script", "record", "counts"))
        source.write_bytes(array.array("I", [*script, count, *given]).tobytes())
        done = subprocess.run([build(), source, result, counts], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-500:] + done.stderr
        words, reached = array.array("I", result.read_bytes()), bench.reached(counts)
    size = 3 + ACTION_WORDS + ROWS * ROW_WORDS + DEADLINE_WORDS
    told = []
    for at in range(0, len(words) - CONNECTIONS * ROWS * ROW_WORDS, size):
        one_words = words[at : at + size]
        actions = _number(one_words[3 : 3 + ACTION_WORDS])
        after, index, on, *us = one_words[-DEADLINE_WORDS:]
        record = _record(one_words[3 + ACTION_WORDS : -DEADLINE_WORDS])
        told.append(Told(one_words[0], one_words[1], one_words[2], actions, record, (after, index, on, _number(us))))
    rest = words[len(words) - CONNECTIONS * ROWS * ROW_WORDS :]
    return (
        told,
        [_record(rest[at * ROWS * ROW_WORDS : (at + 1) * ROWS * ROW_WORDS]) for at in range(CONNECTIONS)],
        reached,
    )


def replay(log: Sequence[Logged], settings: Settings, *, fast: bool = False, waits: Sequence[int] = ()) -> Replay:
    """Play `log`. `fast`: an event every 8 cycles, or so many later as `waits` says, round and round."""
    told, last, reached = _run(log, settings, fast=fast, waits=waits)
    result = Replay(reached=reached)
    if len(told) != len(log):
        result.differences.append(f"{len(log)} events, {len(told)} told")
    ends: dict[int, Record] = {}
    for number, (one, heard) in enumerate(zip(log, told, strict=False)):
        result.counts[type(one.event).__name__] += 1
        index = one.index if one.index >= 0 else NOBODY
        if one.index >= 0:
            ends[index] = one.after
        wrong = []
        if (heard.kind, heard.index) != (KINDS[type(one.event)], index):
            wrong.append(f"told {heard.kind} of {heard.index}")
        wanted = actions_bits(one.actions)
        if heard.actions != wanted:
            wrong.append(_differences("actions_t", heard.actions, wanted))
        latency = CHAIN_LATENCY if isinstance(one.event, Spawn | Leave) else LATENCY
        if heard.after_cycles != latency:
            wrong.append(f"told {heard.after_cycles} cycles later, not {latency}")
        deadline = one.actions.deadline
        due = (DEADLINE_LATENCY, index, int(deadline is not None), deadline or 0)
        if heard.deadline != due:
            wrong.append(f"deadline (cycles, index, on, us) {heard.deadline}, not {due}")
        if heard.record != pack(one.after):
            wrong.append(_record_differences(heard.record, one.after))
        if wrong:
            result.differences.append(f"{number}: {one.event} at {one.before}, {one.now}: {'; '.join(wrong)}")
    for index, record in ends.items():
        if last[index] != pack(record):
            result.differences.append(f"record {index} at the end: {_record_differences(last[index], record)}")
    return result


def _differences(kind: str, got: int, wanted: int) -> str:
    ours, theirs = package.unpack(kind, got), package.unpack(kind, wanted)
    return ", ".join(f"{name}: {ours[name]}, not {theirs[name]}" for name in ours if ours[name] != theirs[name])


def _record_differences(got: int, wanted: Record) -> str:
    ours, wanted = unpack(got), unpack(pack(wanted))
    names = [one.name for one in FIELDS if getattr(ours, one.name) != getattr(wanted, one.name)]
    text = ", ".join(f"{name}: {getattr(ours, name)}, not {getattr(wanted, name)}" for name in names)
    return text or "bits that do not count"
