# SPDX-License-Identifier: Apache-2.0
"""docs/fifo.md: its sentences follow from the data, whatever they are, and the page in the tree shows its data."""

from nsoc.bench import measure
from nsoc.docs import fifo
from nsoc.machine.build import checkout


def _bursts(enough_mhz: int, frames_per_kb: float = 10) -> dict[tuple[int, int], int]:
    """A processor that keeps up from a clock on, and below it loses the first frame behind a FIFO's worth of them."""
    return {
        (size, clock): measure.MOST if clock >= enough_mhz else round(100 + frames_per_kb * clock / 20 * size / 1024)
        for size in fifo.FIFOS
        for clock in fifo.CLOCKS
    }


def test_the_sentences_name_the_clock_that_is_enough_and_what_a_kilobyte_gives_below_it() -> None:
    words = fifo.words(_bursts(120))
    assert "From 120 MHz on (at 80 MHz not yet)" in words
    assert "0.816 us later" in words  # 102 byte times of 8 ns
    assert "for a KB more: 10 at 20 MHz, 15 at 30 MHz, 20 at 40 MHz" in words
    # 100 frames, and clock / 2 for each KB: 64 KB give 740 at 20 MHz, 1060 at 30, 1380 at 40; 32 KB 1060 at 60.
    assert (
        "needs more than 64 KB at 20 MHz, 64 KB at 30 MHz, 64 KB at 40 MHz, 64 KB at 50 MHz, 32 KB at 60 MHz" in words
    )
    assert "At 80 MHz, as published, the step from 4 to 16 KB takes the longest burst from 260 to 740 frames." in words


def test_the_sentences_follow_data_of_any_shape() -> None:
    assert "changes nothing here: with neither a frame of 4096 is lost." in fifo.words(_bursts(80))
    assert "from 1240 to 4096+ frames." in fifo.words(_bursts(120, 71.25))
    capped = fifo.words(_bursts(120, 100))
    assert "200 at 40 MHz" in capped, "what all frames came through of says nothing of a KB"
    assert "At none of these clocks up to 200 MHz" in fifo.words(_bursts(1000))
    always = fifo.words(_bursts(20))
    assert always.startswith("From 20 MHz on the processor") and "KB of FIFO do as well" in always
    assert "Below that" not in always


def test_the_table_has_a_row_for_each_fifo() -> None:
    rows = fifo.table(_bursts(60)).splitlines()
    assert rows[2] == "| 2 KB | 120 | 130 | 140 | 150 | 4096+ | 4096+ | 4096+ | 4096+ |"
    assert len(rows) == 2 + len(fifo.FIFOS)


def test_the_page_in_the_tree_shows_the_data_in_the_tree() -> None:
    page = (checkout() / fifo.PAGE).read_text(encoding="utf-8")
    if not (checkout() / fifo.DATA).exists():
        assert "<!-- generated: fifo -->\n\n<!-- end -->" in page, "nothing was measured, and the page says nothing"
        return
    assert fifo.fill(page, fifo.load()) == page, f"run `{fifo.COMMAND}`"
    svg = (checkout() / fifo.FIGURE).read_text(encoding="utf-8")
    assert svg.startswith("<svg") and "CPU clock, MHz" in svg and "64 KB" in svg
