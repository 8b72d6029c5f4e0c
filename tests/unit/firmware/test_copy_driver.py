# SPDX-License-Identifier: Apache-2.0
"""firmware/lib/copy.c without the engine, and crc32.c, compiled for this machine: they move what was asked and nothing
else, with the sums that zlib and RFC 1071 give."""

import random
import subprocess
import zlib
from ctypes import CDLL, Structure, addressof, byref, c_bool, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import pytest
from bench import ROOT

from nsoc.machine.regs import BLOCKS

LIB = ROOT / "firmware" / "lib"
COMMAND = {field.name: 1 << field.lsb for field in BLOCKS["dma"].registers["command"].fields}
MOST = 16


class Result(Structure):
    _fields_ = (("crc", c_uint32), ("sum", c_uint16), ("failed", c_bool))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    folder = tmp_path_factory.mktemp("copy")
    includes = [LIB, ROOT / "firmware" / "arch", ROOT / "tests" / "unit" / "machine" / "firmware_arch"]
    command = ["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    command += [f"-I{path}" for path in includes]
    subprocess.run([*command, LIB / "copy.c", LIB / "crc32.c", "-o", "copy.so"], cwd=folder, check=True)
    library = CDLL(str(folder / "copy.so"))
    library.copy_start.restype = library.copy_take.restype = c_bool
    library.crc32_add.restype = c_uint32
    return library


def take(library: CDLL) -> Result | None:
    result = Result()
    return result if library.copy_take(byref(result)) else None


def internet_sum(data: bytes) -> int:
    """RFC 1071, without the complement at the end."""
    total = sum(int.from_bytes((data[i : i + 2] + b"\0")[:2], "big") for i in range(0, len(data), 2))
    return total if total == 0 else (total - 1) % 0xFFFF + 1


def copied(library: CDLL, begin: bytes, source: int, destination: int, count: int, flags: int) -> tuple[bytes, Result]:
    """Memory after a copy within `begin`, and its result."""
    memory = (c_uint64 * (len(begin) // 8)).from_buffer_copy(begin)
    base = addressof(memory)
    assert library.copy_start(c_void_p(base + destination), c_void_p(base + source), c_uint32(count), c_uint32(flags))
    result = take(library)
    assert result and not take(library)
    return bytes(memory), result


def test_every_alignment_and_short_length(library: CDLL) -> None:
    begin = random.Random(1).randbytes(128)
    for source in range(8):
        for destination in range(64, 72):
            for count in range(20):
                flags = [0, COMMAND["crc"], COMMAND["sum"], COMMAND["crc"] | COMMAND["sum"]][count % 4]
                data = begin[source : source + count]
                after, result = copied(library, begin, source, destination, count, flags)
                assert after == begin[:destination] + data + begin[destination + count :], (source, destination, count)
                assert result.crc == (zlib.crc32(data) if flags & COMMAND["crc"] else 0)
                assert result.sum == (internet_sum(data) if flags & COMMAND["sum"] else 0)
                assert not result.failed


def test_long_copies_and_sums_without_writing(library: CDLL) -> None:
    rng = random.Random(2)
    both = COMMAND["crc"] | COMMAND["sum"]
    for begin in (rng.randbytes(1 << 17), bytes([0xFF]) * (1 << 17), bytes(1 << 17)):
        for _ in range(20):
            source, destination, count = rng.randrange(8), 65536 + rng.randrange(8), rng.randrange(60000)
            flags = rng.choice((0, both, both | COMMAND["no_write"]))
            data = begin[source : source + count]
            after, result = copied(library, begin, source, destination, count, flags)
            write = not flags & COMMAND["no_write"]
            assert after == (begin[:destination] + data + begin[destination + count :] if write else begin)
            assert (result.crc, result.sum) == ((zlib.crc32(data), internet_sum(data)) if flags else (0, 0))


def test_a_destination_below_the_source_may_overlap_it(library: CDLL) -> None:
    begin = random.Random(3).randbytes(256)
    for distance in range(1, 20):
        for source in range(distance, distance + 4):
            after, _ = copied(library, begin, source, source - distance, 200, 0)
            assert after[source - distance :][:200] == begin[source : source + 200], (source, distance)


def test_results_come_in_order_and_a_copy_without_room_is_refused(library: CDLL) -> None:
    memory = (c_uint8 * 256)(*range(256))
    base, flags = addressof(memory), COMMAND["no_write"] | COMMAND["crc"]
    assert not take(library)
    for round in range(3):
        for i in range(MOST):
            assert library.copy_start(None, c_void_p(base), c_uint32(i + round), c_uint32(flags))
        assert not library.copy_start(c_void_p(base + 9), c_void_p(base), c_uint32(9), c_uint32(0))
        assert bytes(memory) == bytes(range(256)), "a refused copy does nothing"
        for i in range(MOST):
            result = take(library)
            assert result and result.crc == zlib.crc32(bytes(range(i + round)))
        assert not take(library)


def test_crc_goes_on_where_it_was(library: CDLL) -> None:
    data = random.Random(4).randbytes(100)
    for first in range(9):
        for cut in range(first, 100, 7):
            crc = library.crc32_add(c_uint32(zlib.crc32(data[:first])), data[first:cut], c_uint32(cut - first))
            assert crc == zlib.crc32(data[:cut])
