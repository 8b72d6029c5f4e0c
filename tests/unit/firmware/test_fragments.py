# SPDX-License-Identifier: Apache-2.0
"""firmware/lib/fragments.c, compiled for this machine: what it joins of random fragments, in any order and with
everything that happens to them, is what a model joins that keeps bytes by their place."""

import random
import subprocess
from collections import Counter
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    c_bool,
    c_char_p,
    c_uint16,
    c_uint32,
    c_void_p,
    create_string_buffer,
    string_at,
)
from dataclasses import dataclass, field

import pytest
from bench import ROOT

LIB = ROOT / "firmware" / "lib"
PLACES, LIVE_MS, MOST = 4, 15_000, 65515
NAMES = (
    "taken", "drop_length", "drop_overlap", "drop_duplicate", "drop_dead", "drop_room", "joined", "killed", "late",
    "crowded_out",
)  # fmt: skip


class Fragment(Structure):
    _fields_ = (
        ("source", c_uint32), ("destination", c_uint32), ("id", c_uint32), ("protocol", c_uint32),
        ("offset", c_uint32), ("bytes", c_uint32), ("more", c_bool), ("header", c_void_p), ("payload", c_void_p),
        ("header_bytes", c_uint32), ("sender", c_uint16 * 3),
    )  # fmt: skip


class Datagram(Structure):
    _fields_ = (
        ("state", c_uint32), ("source", c_uint32), ("destination", c_uint32), ("id", c_uint32), ("protocol", c_uint32),
        ("bytes", c_uint32), ("begun_ms", c_uint32), ("units", c_uint32), ("sender", c_uint16 * 3),
        ("header_bytes", c_uint32), ("header", c_uint32 * 15), ("payload", c_void_p),
    )  # fmt: skip


LATE = CFUNCTYPE(None, POINTER(Datagram))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("fragments")
    includes = [LIB, ROOT / "firmware" / "arch", ROOT / "tests" / "unit" / "machine" / "firmware_arch"]
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fsanitize=bounds",
               "-fsanitize-undefined-trap-on-error", *(f"-I{path}" for path in includes)]  # fmt: skip
    subprocess.run([*command, LIB / "fragments.c", "-o", "fragments.so"], cwd=folder, check=True)
    return str(folder / "fragments.so")


class Joiner:
    """The C file, with its counters from 0 on."""

    def __init__(self, built: str, folder: str) -> None:
        copy = f"{folder}/{random.getrandbits(64)}.so"  # a library is loaded once: its state would stay
        subprocess.run(["cp", built, copy], check=True)
        self._c = CDLL(copy)
        self._c.fragments_take.restype = POINTER(Datagram)
        self.late: list[tuple[int, bytes, bytes]] = []
        self._counters = (c_uint32 * len(NAMES)).in_dll(self._c, "fragments_counters")
        names = (c_char_p * len(NAMES)).in_dll(self._c, "fragments_counter_names")
        assert tuple(name.decode() for name in names if name) == NAMES

    def take(self, id: int, offset: int, data: bytes, more: bool, now_ms: int) -> "tuple[bytes, Datagram] | None":
        header, payload = create_string_buffer(bytes([id & 255] * 20)), create_string_buffer(data + b"\xa5" * 8)
        fragment = Fragment(
            1, 2, id, 17, offset, len(data), more, addressof(header), addressof(payload), 20, (c_uint16 * 3)(id, 0, 0)
        )
        whole = self._c.fragments_take(fragment_pointer(fragment), c_uint32(now_ms))
        if not whole:
            return None
        return string_at(whole.contents.payload, whole.contents.bytes), whole.contents

    def free(self, whole: Datagram) -> None:
        self._c.fragments_free(fragment_pointer(whole))

    def tick(self, now_ms: int) -> int:
        def late(found: "POINTER[Datagram]") -> None:  # type: ignore[valid-type]
            one = found.contents  # type: ignore[attr-defined]
            self.late.append((one.id, bytes(one.header)[: one.header_bytes], string_at(one.payload, 8)))

        return int(self._c.fragments_tick(c_uint32(now_ms), LATE(late)))

    @property
    def counters(self) -> dict[str, int]:
        return {name: count for name, count in zip(NAMES, self._counters, strict=True) if count}


def fragment_pointer(of: Structure) -> c_void_p:
    return c_void_p(addressof(of))


@pytest.fixture
def joiner(built: str, tmp_path: "object") -> Joiner:
    return Joiner(built, str(tmp_path))


def cut(data: bytes, rng: random.Random, most: int) -> list[tuple[int, bytes, bool]]:
    """The data as fragments: offset, bytes, whether more follow."""
    made, at = [], 0
    while at < len(data):
        size = rng.randrange(8, most + 8, 8)
        made.append((at, data[at : at + size], at + size < len(data)))
        at += size
    return made


@dataclass
class Model:
    """One datagram after RFC 791, by bytes; an overlap kills it (RFC 5722), the same bytes again do not."""

    begun: int
    held: dict[int, int] = field(default_factory=dict)
    end: int | None = None
    dead: bool = False

    def take(self, offset: int, data: bytes, more: bool) -> str:
        if self.dead:
            return "drop_dead"
        places = range(offset, offset + len(data))
        behind = any(place >= places.stop for place in self.held)
        wrong_end = (self.end is not None and (places.stop > self.end or (not more and places.stop != self.end))) or (
            not more and behind
        )
        # A last fragment has its unit of eight bytes for itself.
        if not wrong_end and all(self.held.get(place) == byte for place, byte in zip(places, data, strict=True)):
            return "drop_duplicate"
        if wrong_end or any(place in self.held for place in range(offset, offset + -(-len(data) // 8) * 8)):
            self.dead = True
            return "drop_overlap"
        self.held |= dict(zip(places, data, strict=True))
        self.end = self.end if more else places.stop
        return "taken"

    @property
    def whole(self) -> bytes | None:
        return bytes(self.held[at] for at in range(self.end)) if self.end == len(self.held) else None


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_to_fragments_a_datagram_is_joined_right_or_not_at_all(joiner: Joiner, seed: int) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    expected: Counter[str] = Counter()
    for batch in range(60):
        now = (batch * 20_000 + 2**32 - 500_000) % 2**32  # round the end of the clock, too
        models = {batch * 4 + n: Model(now) for n in range(rng.randint(1, PLACES))}
        sent = []
        for id in models:
            data = rng.randbytes(rng.randint(1, rng.choice((40, 4000))))
            pieces = [piece for piece in cut(data, rng, rng.choice((16, 64, 1480))) if rng.random() < 0.97]
            pieces += [piece for piece in pieces if rng.random() < rng.choice((0, 0.3))]  # once more
            if rng.random() < 0.2 and pieces:  # other content, or another cut of it
                offset, piece, more = rng.choice(pieces)
                pieces.append(rng.choice([
                    (offset, bytes([piece[0] ^ 1]) + piece[1:], more),
                    (max(offset - 8, 0), piece, True) if len(piece) % 8 == 0 else (offset, piece + b"!", False),
                    (offset, piece, False),
                ]))  # fmt: skip
            if rng.random() < 0.9:
                rng.shuffle(pieces)
            sent += [(id, *piece) for piece in pieces]
        if rng.random() < 0.7:
            rng.shuffle(sent)
        for id, offset, data, more in sent:
            if id in expected:  # it was whole: this one begins another
                continue
            if more and len(data) % 8:
                expected["drop_length"] += 1
                assert joiner.take(id, offset, data, more, now) is None
                continue
            expected[models[id].take(offset, data, more)] += 1
            got = joiner.take(id, offset, data, more, now)
            whole = None if models[id].dead else models[id].whole
            assert (got and got[0]) == whole, (seed, batch, id)
            if got:
                assert bytes(got[1].header)[:20] == bytes([id & 255] * 20) and got[1].sender[0] == id & 0xFFFF
                expected["joined"] += 1
                expected[id] = 1  # type: ignore[index]
                joiner.free(got[1])
        for model in models.values():
            expected["killed"] += model.dead
        left = [id for id, model in models.items() if id not in expected and not model.dead and model.held]
        expected["late"] += len(left)
        begun = [model for id, model in models.items() if id not in expected and (model.held or model.dead)]
        assert joiner.tick(now + LIVE_MS - 1) == bool(begun) and not joiner.late
        assert joiner.tick(now + LIVE_MS) == 0
        assert sorted(one[0] for one in joiner.late) == sorted(left)
        joiner.late.clear()
    counts = {name: expected[name] for name in NAMES if expected[name]}
    assert joiner.counters == counts and len(counts) >= 7


def test_the_longest_datagram_is_joined_backwards_and_no_byte_more_is_taken(joiner: Joiner) -> None:
    data = random.Random(1).randbytes(MOST)
    pieces = [(at, data[at : at + 1480], at + 1480 < MOST) for at in range(0, MOST, 1480)]
    for offset, piece, more in pieces[:0:-1]:
        assert joiner.take(1, offset, piece, more, 0) is None
    got = joiner.take(1, *pieces[0], 0)
    assert got is not None and got[0] == data
    joiner.free(got[1])
    for offset, size in ((65512, 8), (65512, 4), (65528, 8)):
        assert joiner.take(2, offset, bytes(size), size == 8, 0) is None
    assert joiner.take(2, 0, b"", False, 0) is None
    for size in (9, 12):
        assert joiner.take(2, 0, bytes(size), True, 0) is None
    assert joiner.counters == {"taken": len(pieces), "joined": 1, "drop_length": 6}


def test_the_oldest_makes_room_but_a_dead_one_first_and_none_that_is_in_use(joiner: Joiner) -> None:
    for id in range(PLACES):
        joiner.take(id, 0, bytes(8), True, id)
    joiner.take(2, 0, b"other 8b", True, 5)  # dead
    joiner.take(10, 0, bytes(8), True, 6)  # in its place
    assert joiner.counters.get("crowded_out") is None
    joiner.take(11, 0, bytes(8), True, 7)  # in that of 0
    assert joiner.counters["crowded_out"] == 1
    whole = {}
    for id in (1, 3, 10, 11):
        got = joiner.take(id, 8, b"end", False, 8)
        assert got is not None and got[0] == bytes(8) + b"end"
        whole[id] = got[1]
    assert joiner.take(12, 0, bytes(8), True, 9) is None
    assert joiner.counters["drop_room"] == 1 and joiner.tick(LIVE_MS * 2) == 0 and not joiner.late
    joiner.free(whole[3])
    joiner.take(13, 0, b"its data", True, 40_000)
    assert joiner.tick(40_001) == LIVE_MS - 1
    joiner.tick(40_000 + LIVE_MS)
    assert joiner.late == [(13, bytes([13] * 20), b"its data")]


def test_the_oldest_is_the_oldest_when_the_clock_wraps(joiner: Joiner) -> None:
    for id, now_ms in ((1, 3), (2, 2**32 - 2), (3, 2), (4, 2**32 - 1), (5, 4)):
        joiner.take(id, 0, bytes(8), True, now_ms)
    assert [id for id in (1, 3, 4, 5) if joiner.take(id, 8, b"end", False, 5)] == [1, 3, 4, 5]
