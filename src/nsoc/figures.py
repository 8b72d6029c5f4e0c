# SPDX-License-Identifier: Apache-2.0
"""Exact figures and goals: docs/data/figures.json, a row a line, sorted.

A figure is exact when the same tree gives it to the last digit on every machine: simulated cycles, Mb/s, ns, shares,
counts. Those of the clock on the wall are not kept; a goal for one of them is a row without value. `make figures`
measures and writes the rows (nsoc.docs.figures), benches read their goals here, pages are made from both.

docs/data/missed.toml is the short list of goals that are missed, each with its reason.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from nsoc.errors import NsocError
from nsoc.machine.build import checkout
from nsoc.records import Record

FILE = Path("docs") / "data" / "figures.json"
MISSED = Path("docs") / "data" / "missed.toml"
COMMAND = "make figures"

Key = tuple[str, str | None, str | None, str, int | None]
"""bench, preset, mode, metric, payload."""
Value = int | float | bool

Better = Literal["high", "low"]
HIGH: Better = "high"
LOW: Better = "low"
BETTER: Mapping[str, Better] = {
    **dict.fromkeys(
        (
            "goodput_mbps", "throughput_mbps", "mbps", "line_share", "least_line_share", "images_per_s",
            "images_per_s_end_to_end", "requests_per_s", "frames_per_s", "throughput_ratio", "loss_free_burst",
            "loss_free_burst_unlimited", "receiver_mbps", "bit_exact", "sim_s_per_wall_s", "ipc", "coremark_per_mhz",
            "served", "opened",
        ),
        HIGH,
    ),
    **dict.fromkeys(
        (
            "echo_cycles", "echo_gmii_ns", "latency_cycles", "latency_ns", "latency_least_ns", "latency_most_ns",
            "first_first_ns", "last_last_ns", "cpu_cycles", "processor_busy", "retransmissions", "loss", "frames_lost",
            "rtt_cycles", "rtt_most_cycles", "rtt_us", "rtt_host_model_us", "rtt_ratio", "sim_time_us", "lut", "ff",
            "bram", "register_access_cycles", "queue_op_cycles", "traversal_cycles", "register_load_ns",
            "register_load_cycles", "queues_cycles", "forward_cycles", "least_cpu_mhz", "order_cycles", "step_cycles",
            "cycles_per_frame", "instructions_per_frame", "accesses_per_frame", "cpi", "late_frames",
            "cycles", "instructions", "share_cycles", "lost_beyond", "core_mhz", "worst_wait_us",
        ),
        LOW,
    ),
}  # fmt: skip
"""Which way a metric is better, where that can be said."""


class Missing(NsocError):
    """A figure was not measured yet."""


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure with its goal, or either alone."""

    bench: str
    preset: str | None
    mode: str | None
    metric: str
    payload: int | None
    unit: str | None
    better: Better | None
    value: Value | None
    """As measured; None: not exact, or not measured yet."""
    goal: Value | None
    """At least where high is better, else at most."""
    commit: str | None
    """The tree on which the value was measured that was not so before."""

    @property
    def key(self) -> Key:
        """What no other row has."""
        return self.bench, self.preset, self.mode, self.metric, self.payload

    @property
    def name(self) -> str:
        """For people, as in `toe tcp-both-1 goodput_mbps`."""
        return named(self.key)

    @property
    def met(self) -> bool:
        """Whether the goal is reached; True where value or goal is not known."""
        return self.value is None or self.goal is None or reached(self.value, self.goal, self.better)


class Excuse(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A goal that is missed, and why."""

    bench: str
    metric: str
    reason: str
    preset: str | None = None
    mode: str | None = None
    payload: int | None = None

    @property
    def key(self) -> Key:
        """Of the row."""
        return self.bench, self.preset, self.mode, self.metric, self.payload


def named(key: Key) -> str:
    """A key for people."""
    bench, preset, mode, metric, payload = key
    words = [bench, preset, mode, metric, None if payload is None else f"{payload} B"]
    return " ".join(word for word in words if word is not None)


def reached(value: Value, goal: Value, better: str | None) -> bool:
    """Whether a value is as good as the goal."""
    return value >= goal if better == HIGH else value <= goal


def order(key: Key) -> tuple[tuple[bool, str], ...]:
    """By which rows are sorted: what is None comes first, numbers by size."""
    return tuple((part is not None, f"{part:09}" if isinstance(part, int) else part or "") for part in key)


# ---- Files -----------------------------------------------------------------------------------------------------------


@cache
def load() -> Mapping[Key, Row]:
    """docs/data/figures.json, in its order. Raises NsocError when it is not as it should be."""
    path = checkout() / FILE
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[Row])
    except (OSError, msgspec.MsgspecError) as problem:
        raise NsocError(f"cannot read the figures in {path}: {problem}; take the file of the last commit") from None
    return {row.key: row for row in rows}


def write(rows: Iterable[Row]) -> None:
    """To docs/data/figures.json, sorted. The file is a whole one at any time."""
    text = to_text(rows)
    path = checkout() / FILE
    unfinished = path.with_suffix(".new")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as problem:
        raise NsocError(f"cannot write the figures to {path}: {problem.strerror}") from None
    load.cache_clear()


def to_text(rows: Iterable[Row]) -> str:
    """A row a line, sorted."""
    lines = (msgspec.json.encode(row).decode() for row in sorted(rows, key=lambda row: order(row.key)))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def excuses() -> list[Excuse]:
    """docs/data/missed.toml."""
    path = checkout() / MISSED
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("missed", [])
        return msgspec.convert(found, list[Excuse])
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as problem:
        raise NsocError(f"cannot read the list of missed goals in {path}: {problem}") from None


# ---- Goals -----------------------------------------------------------------------------------------------------------


def goal(bench: str, preset: str | None, mode: str | None, metric: str, payload: int | None = None) -> Value | None:
    """What this project wants of a figure; None when there is no goal."""
    row = load().get((bench, preset, mode, metric, payload))
    return None if row is None else row.goal


def goals(bench: str) -> list[Row]:
    """All rows of a bench that have a goal."""
    return [row for row in load().values() if row.bench == bench and row.goal is not None]


def value(bench: str, preset: str | None, mode: str | None, metric: str, payload: int | None = None) -> Value:
    """A figure. Raises Missing when it was not measured."""
    row = load().get(key := (bench, preset, mode, metric, payload))
    if row is None or row.value is None:
        raise Missing(f"{FILE} has no figure {named(key)}: run `{COMMAND} ARGS='--only {bench}'`")
    return row.value


def problems(rows: Mapping[Key, Row], excused: Sequence[Excuse]) -> list[str]:
    """Goals that are missed and not on the list, and what is on it without need, a sentence each."""
    listed = {one.key: one for one in excused}
    found = [
        f"{row.name} is {row.value:g}, the goal is {row.goal:g}"
        for row in rows.values()
        if not row.met and row.key not in listed and row.value is not None and row.goal is not None
    ]
    for key in listed:
        row_of = rows.get(key)
        if row_of is None or row_of.goal is None:
            found.append(f"{MISSED} lists {named(key)}, which has no goal")
        elif row_of.value is not None and row_of.met:
            found.append(f"{MISSED} lists {named(key)}, whose goal is met: take it off the list")
    return found


# ---- What is measured ------------------------------------------------------------------------------------------------


class Moved(msgspec.Struct, frozen=True):
    """A figure that is not what it was; `old` None: it is new, `new` None: it is gone."""

    key: Key
    old: Value | None
    new: Value | None
    better: str | None
    goal: Value | None

    @property
    def text(self) -> str:
        """A line for people."""
        if self.old is None or self.new is None:
            return f"{named(self.key)}: {'new' if self.old is None else 'gone'}{_shown(self.new, ' ')}{self._verdict}"
        change = f" ({100 * (self.new - self.old) / self.old:+.2f} %)" if self.old else ""
        way = "" if self.better is None else ", better" if (self.new > self.old) == (self.better == HIGH) else ", worse"
        return f"{named(self.key)}: {_shown(self.old)} -> {_shown(self.new)}{change}{way}{self._verdict}"

    @property
    def _verdict(self) -> str:
        if self.goal is None or self.new is None:
            return ""
        met = reached(self.new, self.goal, self.better)
        return f"; goal {_shown(self.goal)} {'met' if met else 'MISSED'}"


def _shown(value: Value | None, before: str = "") -> str:
    return "" if value is None else f"{before}{value:.8g}"


def row_of(record: Record) -> Row:
    """A record as a row without goal and commit."""
    if isinstance(record.value, str):
        raise NsocError(f"{record.suite} {record.metric} is no number: {record.value!r}")
    return Row(
        bench=record.suite, preset=record.preset, mode=record.mode, metric=record.metric, payload=record.payload,
        unit=record.unit, better=BETTER.get(record.metric), value=record.value, goal=None, commit=None,
    )  # fmt: skip


def merged(
    old: Mapping[Key, Row],
    records: Sequence[Record],
    commit: str,
    *,
    gone: Callable[[Row], bool] = lambda row: False,
) -> tuple[dict[Key, Row], list[Moved]]:
    """`old` with what was measured on the tree `commit`, and what moved. A value that stays keeps its commit.

    `gone`: whether a row that is not in `records` has no value any more.
    """
    rows, moved = dict(old), []
    measured = {row.key: row for row in map(row_of, records)}
    for key, new in measured.items():
        before = old.get(key)
        goal = None if before is None else before.goal
        if before is not None and before.value == new.value:
            commit_of = before.commit
        else:
            commit_of = commit
            moved.append(Moved(key, None if before is None else before.value, new.value, new.better, goal))
        rows[key] = msgspec.structs.replace(new, goal=goal, commit=commit_of)
    for key, before in old.items():
        if key not in measured and before.value is not None and gone(before):
            moved.append(Moved(key, before.value, None, before.better, before.goal))
            del rows[key]
            if before.goal is not None:
                rows[key] = msgspec.structs.replace(before, value=None, commit=None)
    return rows, moved
