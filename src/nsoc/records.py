# SPDX-License-Identifier: Apache-2.0
"""Measurements for machines: one flat record a figure, the same shape for everything that prints a table."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.files import cannot_write

MEBI = 1.048576
"""2^20 bit/s in Mb/s."""
PUBLISHED_UNIT = (
    "The thesis does not say whether its Mb/s are of 10^6 or 2^20 bit/s: the host programs that its authors publish "
    "divide by 2^20, its Tables 6.7 and 6.8 fit 10^6. Published figures stand as printed and times 1.048576; a ratio "
    "is to the latter, which is the less favourable to us."
)
"""To be said where a published throughput is shown."""
RATES = ("goodput_mbps", "throughput_mbps", "frames_per_s")
"""Metrics that the line limits: `limit` says to how much."""
SHARES = ("line_share", "processor_busy")
"""Metrics that are parts of a whole."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Record:
    """One figure. What does not apply is None (null in the file).

    Raises NsocError for one that is physically too large: no bench shows it, and none makes it smaller.
    """

    suite: str
    """The bench."""
    preset: str | None
    """The system that was measured."""
    metric: str
    """What was measured."""
    value: float | int | bool | str
    """The figure."""
    mode: str | None = None
    """In which way it was measured."""
    payload: int | None = None
    """Payload bytes of a frame, where the figure depends on it."""
    unit: str | None = None
    """Of the value."""
    limit: float | None = None
    """What the line allows, in the unit of `value`; of other metrics than RATES what is wanted."""
    published: float | None = None
    """The published figure, in the unit of `value`; a throughput taken as 2^20 bit/s, the less favourable to us."""
    source: str | None = None
    """Where the published figure stands."""

    def __post_init__(self) -> None:
        most = self.limit if self.metric in RATES else 1.0 if self.metric in SHARES else None
        if most is not None and float(self.value) > most * (1 + ROUNDING):
            what = " ".join(str(word) for word in (self.preset, self.mode, self.payload) if word is not None)
            whole = "what the line allows" if self.metric != "processor_busy" else "all that there is"
            raise NsocError(
                f"bench error: {self.metric} of {self.suite} {what} is {self.value}, above {whole}, {most}: what "
                "is counted is not what came in the time that it is divided by; please report it"
            )


_ORDER = ("suite", "preset", "mode", "metric", "payload", "value", "unit", "limit", "published", "source")


def to_json(records: Sequence[Record]) -> str:
    """A JSON list, one record a line."""
    rows = [json.dumps({key: asdict(record)[key] for key in _ORDER}) for record in records]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def write(records: Sequence[Record], where: str) -> None:
    """Write to the file `where`, or to standard output for `-`."""
    text = to_json(records)
    if where == "-":
        sys.stdout.write(text)
        return
    try:
        Path(where).parent.mkdir(parents=True, exist_ok=True)
        Path(where).write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(Path(where), "the records to", "--json", error) from error
