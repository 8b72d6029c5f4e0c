# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench images` and `nsoc bench bursts` make of what they measured; nothing is simulated."""

from io import StringIO

import pytest

from nsoc.bench import bursts, images
from nsoc.bench.bursts import Found
from nsoc.bench.images import ImagesResult, Run
from nsoc.errors import NsocError
from nsoc.network.image import Size
from nsoc.records import MEBI

ECHO = Run(
    "nic12-fast", "scheme4-small", 355_840, True, "", 2950.0, 0.99, 978.0, 339.0, 170.5,
    {"send": 984.0, "receive": 983.0}, 3,
)  # fmt: skip
SINK = Run("nic12-dma", "sink-large", 16_672_358, True, "", 140_000.0, 0.98, 960.0, 7.1, None, processor={"sink": 0.5})
BURST = Found("nic12-fast", "burst-16k", 16_384, 18, 652.0, 0.66, 4, "rx_drop_overflow", 661.0)


def values(result: ImagesResult) -> dict[tuple[str | None, str], object]:
    return {(record.mode, record.metric): record.value for record in images.records(result)}


def test_records_have_both_directions_apart_beside_the_published() -> None:
    records = {(r.mode, r.metric): r for r in images.records(ImagesResult([ECHO], []))}
    assert records["scheme4-small", "line_share"].value == 0.99 and records["scheme4-small", "line_share"].limit == 1.0
    send, receive = (records[f"scheme4-small-{way}", "throughput_mbps"] for way in ("send", "receive"))
    assert (send.value, receive.value) == (984.0, 983.0)
    # Table 6.7, times 2^20 / 10^6.
    assert send.published == pytest.approx(647.79 * MEBI) and receive.published == pytest.approx(647.31 * MEBI)
    pictures = records["scheme4-small", "images_per_s"]
    assert (pictures.value, pictures.published) == (170.5, 113.8)
    assert "Table 6.7" in (pictures.source or "") and "scheme 4" in (pictures.source or "")


def test_scheme_3_has_its_own_published_figures() -> None:
    one = Run("nic12-fast", "scheme3-small", 1, True, "", 1.0, 0.99, 1.0, 1.0, 170.0, {"send": 1.0})
    records = {(r.mode, r.metric): r for r in images.records(ImagesResult([one], []))}
    assert records["scheme3-small-send", "throughput_mbps"].published == pytest.approx(659.12 * MEBI)
    assert records["scheme3-small", "images_per_s"].published == 115.6


def test_what_has_no_published_counterpart_has_none() -> None:
    found = images.records(ImagesResult([SINK], []))
    assert all(record.published is None and record.source is None for record in found)
    assert values(ImagesResult([SINK], []))["sink-large-sink", "processor_busy"] == 0.5
    assert values(ImagesResult([SINK], []))["sink-large", "images_per_s"] == 7.1


def test_a_burst_is_beside_the_longer_published_one() -> None:
    records = {r.metric: r for r in images.records(ImagesResult([], [BURST]))}
    assert (records["loss_free_burst"].value, records["loss_free_burst"].published) == (18, 18)
    assert bursts.published(4096) == (4, 5) and bursts.published(8192) is None


@pytest.mark.parametrize(
    ("run", "missed"),
    [
        (ECHO, ""),
        (Run("p", "scheme4-small", 1, False, "it broke", 1.0, 0.99, 1.0, 1.0, 170.0), "missed: scheme4-small"),
        (Run("p", "scheme4-small", 1, True, "", 1.0, 0.9849, 1.0, 1.0, 170.0), "scheme4-small (line_share 0.9849"),
        (Run("p", "scheme4-small", 1, True, "", 1.0, 0.99, 1.0, 1.0, 164.9), "scheme4-small (images_per_s 164.9"),
        (Run("p", "sink-large", 1, True, "", 1.0, 0.96, 1.0, 1.0, None), "sink-large (line_share 0.96, wanted 0.97)"),
        (Run("p", "scheme4-faults", 1, False, "", 1.0, 0.1, 1.0, 1.0, None), "missed: scheme4-faults"),
    ],
)
def test_a_missed_goal_is_a_failure(run: Run, missed: str) -> None:
    failure = ImagesResult([run], []).failure
    assert failure == "" if not missed else missed in failure


def test_pictures_have_the_published_sizes_and_still_are_pictures() -> None:
    from io import BytesIO

    from PIL import Image

    data = images.picture(Size.SMALL)
    assert len(data) == 355_840
    assert Image.open(BytesIO(data)).size == (680, 680)


def test_tables_and_lines_say_what_was_found() -> None:
    from rich.console import Console

    console = Console(width=100, record=True, file=StringIO())
    result = ImagesResult([ECHO, SINK], [BURST])
    for table in images.tables(result):
        console.print(table)
    text = console.export_text()
    for words in ("99.00%", "98.5%", "50%", "scheme4-small, receive, Mb/s", "678.75", "113.80", "16 to 18"):
        assert words in text, words
    lines = " ".join(images.lines(result))
    assert "Tables 6.7 and 6.8" in lines and "661 Mb/s" in lines


def test_a_mode_that_there_is_not_is_one_sentence() -> None:
    with pytest.raises(NsocError, match="there is no mode 'sink-small', only scheme3-small"):
        images.run(["sink-small"])
