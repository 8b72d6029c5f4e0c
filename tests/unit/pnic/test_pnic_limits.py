# SPDX-License-Identifier: Apache-2.0
"""Table 2 and figure 3 from traces: sequences whose cycles and hits are known by hand."""

import pytest

from nsoc.pnic.coherence import Hits, about, cache_of, hits
from nsoc.pnic.limits import CORES, NONE, PBP, PBP1, Core, ipc, working
from nsoc.pnic.trace import Access, Left, Retired, Trace

BRANCH = 0x63


def add(rd: int, rs1: int, rs2: int) -> int:
    return 0x33 | rd << 7 | rs1 << 15 | rs2 << 20


def load(rd: int, rs1: int) -> int:
    return 0x03 | rd << 7 | rs1 << 15


def store(rs1: int, rs2: int) -> int:
    return 0x23 | rs1 << 15 | rs2 << 20 | 31 << 7  # bits of the offset where others have rd


INDEPENDENT = [add(1, 0, 0), add(2, 0, 0), add(3, 0, 0), add(4, 0, 0)]
CHAIN = [add(1, 1, 0), add(1, 1, 0), add(1, 1, 0), add(1, 1, 0)]


def cycles(words: list[int], *, in_order: bool = True, width: int = 4, stalls: bool = True, branches: str = PBP) -> int:
    return round(len(words) / ipc(words, Core(in_order, width, stalls, branches)))


def test_width_and_dependences() -> None:
    assert [cycles(INDEPENDENT, width=width) for width in (1, 2, 4)] == [4, 2, 1]
    assert [cycles(CHAIN, width=width) for width in (1, 2, 4)] == [4, 4, 4]
    assert cycles([add(1, 0, 0), add(2, 0, 1), add(3, 0, 0), add(4, 0, 0)], width=2) == 3  # the third waits, too
    assert cycles([add(1, 0, 0), add(2, 0, 1), add(3, 0, 0), add(4, 0, 0)], width=2, in_order=False) == 2
    assert cycles([add(0, 0, 0), add(1, 0, 0)]) == 1  # x0 is nobody's result


def test_loads_and_memory() -> None:
    use = [load(1, 0), add(2, 1, 0)]
    assert (cycles(use), cycles(use, stalls=False)) == (3, 2)
    assert cycles([load(1, 0), add(3, 0, 0), add(2, 1, 0)], width=1) == 3
    assert cycles([load(1, 0), load(2, 0)]) == 2 and cycles([load(1, 0), load(2, 0)], stalls=False) == 1
    assert cycles([store(0, 0), store(0, 0)]) == 2
    assert cycles([store(0, 0), add(1, 31, 0)]) == 1  # a store has no result
    assert cycles([add(2, 0, 0), store(0, 2)]) == 2
    for late in (0x2F, 0x0B):  # an atomic, update
        assert cycles([late | 1 << 7, add(2, 1, 0)]) == 3


def test_branches() -> None:
    two = [BRANCH, BRANCH, add(1, 0, 0)]
    assert cycles(two, branches=PBP) == 1
    assert cycles(two, branches=PBP1) == 2
    assert cycles(two, branches=NONE) == 3
    assert cycles([BRANCH, add(1, 0, 0)], width=1, branches=NONE) == 2  # one a cycle loses nothing
    assert cycles([CHAIN[0], 0x63 | 1 << 15, add(3, 0, 0)], in_order=False, branches=NONE) == 3
    assert cycles([CHAIN[0], 0x63 | 1 << 15, add(3, 0, 0)], in_order=False, branches=PBP1) == 2


def test_system_instructions() -> None:
    """Those that go elsewhere are branches; a CSR instruction with an immediate reads no register."""
    for word in (0x0000_0073, 0x0010_0073, 0x3020_0073):  # ecall, ebreak, mret
        assert cycles([word, word], branches=PBP1) == 2
    assert cycles([0x1050_0073, 0x1050_0073], branches=PBP1) == 1  # wfi
    csrrw, csrrwi = 0x0000_1073, 0x0000_5073
    assert cycles([add(1, 0, 0), csrrw | 1 << 15]) == 2 and cycles([add(1, 0, 0), csrrwi | 1 << 15]) == 1


def test_the_window_holds_back_what_is_too_far_ahead() -> None:
    """Of five instructions the second waits for the load; those behind it go on until the window is full."""
    words = [load(1, 0), add(2, 1, 0), add(3, 0, 0), add(4, 0, 0), add(5, 0, 0)]
    core = Core(False, 1, True, PBP)
    assert [round(len(words) / ipc(words, core, window)) for window in (1, 2, 3, 4, 64)] == [6, 5, 5, 5, 5]
    chained = [load(1, 0), add(2, 1, 0), add(2, 2, 0), add(2, 2, 0), add(3, 0, 0), add(4, 0, 0)]
    wide = Core(False, 2, True, PBP)
    # 0, 2, 3, 4 and the last two: not before the one three ahead, the second instruction, is done; at once with 64
    assert [round(len(chained) / ipc(chained, wide, window)) for window in (1, 3, 64)] == [7, 5, 5]
    # The sixth waits for the second, not just for the third, which was sooner done; the seventh for the sixth.
    overtaken = [load(1, 0), add(2, 1, 0), *(add(n, 0, 0) for n in (3, 4, 5, 6)), add(7, 6, 0)]
    assert round(7 / ipc(overtaken, Core(False, 4, True, PBP), 3)) == 5
    independent = [load(1, 0), add(2, 1, 0), *(add(3, 0, 0) for _ in range(6))]
    assert [round(8 / ipc(independent, Core(False, 4, True, PBP), window)) for window in (2, 4, 64)] == [6, 4, 3]


def test_rounds_without_work_are_left_out() -> None:
    pcs = [0, 8, 4, 8, 12, 4, 16, 4, 12, 4, 20]  # rounds begin at 4, and have found nothing at 12
    retired = [Retired(i, 0, pc, pc + 100) for i, pc in enumerate(pcs)]
    assert working(retired, 4, 12) == [100, 108, 104, 116, 104, 120]
    assert working(retired, 0, 0) == [pc + 100 for pc in pcs]


def test_the_table_has_all_fields_and_none_is_beyond_its_width() -> None:
    assert len(CORES) == len(set(CORES)) == 30
    mixed = (INDEPENDENT + CHAIN + [load(5, 0), add(6, 5, 0), BRANCH, store(6, 5)]) * 5
    values = {core: ipc(mixed, core) for core in CORES}
    for core, value in values.items():
        assert 0 < value <= core.width
        assert values[Core(False, core.width, core.stalls, core.branches)] >= value
    assert ipc([], CORES[0]) == 0


def read(master: int, word: int) -> Access:
    return Access(0, master, word, write=False, data=0)


def write(master: int, word: int) -> Access:
    return Access(0, master, word, write=True, data=0)


def test_a_line_is_found_until_it_is_the_oldest_or_written_elsewhere() -> None:
    assert hits([read(0, 0), read(0, 3), read(0, 4)], 6, 32) == Hits(3, 1, 0, 0)
    # Two lines: 0 is used again, so 4 goes when 8 comes.
    assert hits([read(0, 0), read(0, 4), read(0, 0), read(0, 8), read(0, 0), read(0, 4)], 6, 32).hits == 2
    assert hits([read(0, 0), read(1, 1), write(1, 0), read(0, 2)], 6, 1024) == Hits(4, 1, 1, 1)
    assert hits([write(0, 0), write(0, 1)], 6, 16) == Hits(2, 1, 2, 0)
    assert hits([read(0, 0), read(0, 0)], 6, 16).ratio == 0.5
    assert hits([write(0, 0), write(1, 0)], 6, 16).invalidating_share == 0.5
    assert hits([], 6, 16).ratio == hits([], 6, 16).invalidating_share == 0


def test_what_fills_the_caches_does_not_count_and_words_can_be_chosen() -> None:
    accesses = [write(0, 0), write(1, 0), write(1, 1), read(1, 2)]
    assert hits(accesses, 6, 64, warm=0.5) == Hits(2, 2, 1, 0)
    assert hits(accesses, 6, 64, warm=0.25) == Hits(3, 2, 2, 1)
    assert about(accesses, [range(1, 2), range(2, 9)]) == accesses[2:]


def test_assists_share_a_cache_in_pairs_and_the_host_has_none() -> None:
    assert [cache_of(master, 6) for master in range(11)] == [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, None]
    assert hits([read(6, 0), read(7, 0), read(8, 0), read(10, 0)], 6, 64) == Hits(3, 1, 0, 0)


def test_a_trace_is_read_as_it_was_written(tmp_path: pytest.TempPathFactory) -> None:
    file = tmp_path / "trace"  # type: ignore[operator]
    file.write_text("i 64 2 1a0 13\na 65 a ffff 1 b\na 66 0 10 0 0\nt c8 7 40\n")
    accesses = (Access(101, 10, 0xFFFF, True, 11), Access(102, 0, 16, False, 0))
    assert Trace.read(file) == Trace((Retired(100, 2, 0x1A0, 0x13),), accesses, (Left(200, 7, 64),))
