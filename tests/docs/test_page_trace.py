# SPDX-License-Identifier: Apache-2.0
"""docs/trace.md: its commands run, its tables are what they print."""

from pathlib import Path

import pytest
from docs_pages import Block, check_words, example, run, says, table

from nsoc.machine import build
from nsoc.trace.frames import Stage

PAGE = "docs/trace.md"
SEGMENTS = "Segments in the engine"
INSTALL, PLAIN, FULL, IMAGE, LOOPBACK, WAVES, TOE, PNIC = range(8)


def command(which: int, *words: str) -> str:
    """A command of the page's first block, which has these words."""
    found = example(PAGE, "Following frames", 1).commands
    assert len(found) == 8
    assert found[which].startswith(" ".join(words)), found[which]
    return found[which]


def shows(folder: Path, line: str, block: Block) -> None:
    check_words(block, run(line, folder, variables={"COLUMNS": "120"}))
    assert (folder / "out/nsoc.perfetto-trace").stat().st_size > 0


def test_what_writes_the_timeline_is_installed_by_a_target() -> None:
    run(command(INSTALL, "make .venv/report.stamp") + " -n")


@pytest.mark.slow
def test_the_table_is_what_the_plain_command_prints(tmp_path: Path) -> None:
    shows(tmp_path, command(PLAIN, "nsoc trace"), example(PAGE, "Following frames", 2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "words", "said"),
    [
        (FULL, "nsoc trace --payload 46 --gap 12", "200 frames, 200 came back"),
        (IMAGE, "nsoc trace --image", "238 frames, 238 came back"),
        (LOOPBACK, "nsoc trace --mode nic_loopback", "8 frames, 8 came back"),
    ],
)
def test_the_other_commands_follow_all_their_frames(which: int, words: str, said: str, tmp_path: Path) -> None:
    printed = run(command(which, words), tmp_path)
    assert f"\n{said}\n" in printed
    for stage in (Stage.RX_QUEUE, Stage.PROCESSOR):
        assert (f" {stage} " in printed) == (which != LOOPBACK)


@pytest.mark.long  # another simulator
def test_a_line_has_the_window_traps_of_a_sparc_core(tmp_path: Path) -> None:
    says(PAGE, "`nsoc trace\n--preset ajit-nic12-fast`")
    printed = run("nsoc trace --preset ajit-nic12-fast", tmp_path)
    assert printed.endswith(example(PAGE, "Window traps").text.strip() + "\n")


@pytest.mark.slow
def test_frames_of_the_programmable_nic_are_followed_both_ways(tmp_path: Path) -> None:
    printed = run(command(PNIC, "nsoc trace --preset pnic-rice"), tmp_path)
    assert "8 frames sent" in printed and "8 frames received" in printed


@pytest.mark.long  # a simulator of its own
def test_segments_are_followed_through_the_engine(tmp_path: Path) -> None:
    shows(tmp_path, command(TOE, "nsoc trace --preset toe"), example(PAGE, "Segments in the engine", 1))


@pytest.mark.long  # a simulator that writes waveforms takes minutes to build
def test_a_waveform_is_written(tmp_path: Path) -> None:
    if not build.can_write_waves():
        pytest.skip("the header of liblz4 is not installed (Debian: liblz4-dev)")
    printed = run(command(WAVES, "nsoc trace --frames 1 --fst out/a.fst"), tmp_path)
    assert "waveform  out/a.fst" in printed and "1 frames, 1 came back" in printed
    assert 200_000 < (tmp_path / "out/a.fst").stat().st_size < 25_000 * 20


def test_the_stages_are_those_of_the_library() -> None:
    """Each in the order of a frame's way; the firmware is on the way of both."""
    frames, segments = ([row[0] for row in table(PAGE, section)] for section in ("Stages", SEGMENTS))
    for listed in (frames, segments):
        assert listed == [stage for stage in Stage if stage in listed]
    assert {*frames, *segments} == set(Stage) and {*frames} & {*segments} == {Stage.PROCESSOR}


def test_the_tables_shown_add_up_to_their_round_trips() -> None:
    """As the page says of stages; and each share is that of its mean."""
    says(PAGE, "The stages of a frame follow each other without a gap or an overlap and add up to its round trip")
    for block in (example(PAGE, "Following frames", 2), example(PAGE, "Segments in the engine", 1)):
        rows = [line.replace("│", " ").split() for line in block.text.splitlines() if line.startswith("│")]
        means = [float(row[-4].replace(",", "")) for row in rows[:-1]]
        shares = [float(row[-1].rstrip("%")) for row in rows[:-1]]
        whole = float(rows[-1][-3].replace(",", ""))
        assert sum(means) == pytest.approx(whole, abs=0.5)
        assert shares == [pytest.approx(100 * mean / whole, abs=0.06) for mean in means]
