# SPDX-License-Identifier: Apache-2.0
"""Sender and receiver of the numbered format, with a network between them that is as bad as one likes: bit-exact or
reported as failed, never hung, never silently wrong."""

import filecmp
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lossy import HEAVY, Mix, Network, exchange
from runs import seeds

from nsoc.transfer.message import PACKET_BYTES, Open
from nsoc.transfer.published import State
from nsoc.transfer.receiver import Receiver
from nsoc.transfer.sender import Sender
from nsoc.transfer.storage import FileSource, FileStore, MemorySource, MemoryStore

BOOT = 7
SIZES = [0, 1, 1479, 1480, 1481, 2960, 2961, 11_840, 100_000]


@dataclass
class Pair:
    """Both ends of a transfer of `data`."""

    data: bytes
    sender: Sender
    receiver: Receiver

    def check(self) -> None:
        """Whoever is done has been told the truth; who is not says why."""
        for end in (self.sender, self.receiver):
            assert (end.state is State.FAILED) == bool(end.failure)
        if self.sender.state is State.DONE:
            assert self.receiver.state is State.DONE
        if self.receiver.state is State.DONE:
            assert received(self.receiver) == self.data


def received(receiver: Receiver) -> bytes:
    assert isinstance(receiver.store, MemoryStore)
    return bytes(receiver.store.data)


def pair(data: bytes, get: bool, *, credit: int = 32, transfer: int = 5, patience_us: float = 10e6) -> Pair:
    """The one that does not open has been made by the first Open."""
    if get:
        receiver = Receiver.get("x", MemoryStore, transfer=transfer, boot=BOOT, credit=credit, patience_us=patience_us)
        sender = Sender.serve(
            MemorySource(data), Open(transfer, 1, True, 0, bytes(6), credit, "x"), patience_us=patience_us
        )
    else:
        sender = Sender.put(MemorySource(data), transfer=transfer, name="x", patience_us=patience_us)
        offer = Open(transfer, 1, False, len(data), name="x")
        receiver = Receiver.accept(offer, MemoryStore, boot=BOOT, credit=credit, patience_us=patience_us)
    return Pair(data, sender, receiver)


def contents(size: int) -> bytes:
    return random.Random(size).randbytes(size)


@pytest.mark.parametrize("get", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_over_a_good_network_nothing_goes_twice(size: int, get: bool) -> None:
    ends = pair(contents(size), get)
    exchange([(ends.sender, ends.receiver)], Network(Mix(), random.Random(0)))
    ends.check()
    assert ends.sender.state is State.DONE, ends.sender.failure
    packets = -(-size // PACKET_BYTES)
    assert (ends.sender.packets, ends.receiver.packets) == (packets, packets)
    assert ends.sender.sent["Packet"] == ends.sender.arrived == ends.receiver.arrived == packets
    assert (ends.sender.retransmissions, ends.sender.timeouts, ends.sender.sent["Finish"]) == (0, 0, 1)
    assert ends.receiver.sent["Progress"] <= 1 + packets // 8 + 1
    assert ends.sender.missing() == ends.receiver.missing() == []


@pytest.mark.parametrize("seed", seeds(20, 1000))
def test_the_heavy_mix_is_survived(seed: int) -> None:
    rng = random.Random(seed)
    ends = pair(
        rng.randbytes(rng.choice([*SIZES, rng.randrange(60_000)])), seed % 2 == 0, credit=rng.choice([1, 2, 8, 32, 64])
    )
    exchange([(ends.sender, ends.receiver)], Network(HEAVY, rng))
    ends.check()
    assert ends.sender.state is State.DONE, ends.sender.failure


@given(
    seed=st.integers(0, 2**32),
    size=st.one_of(st.sampled_from(SIZES[:-1]), st.integers(0, 20_000)),
    get=st.booleans(),
    credit=st.integers(1, 40),
    loss=st.floats(0, 0.6),
    duplicate=st.floats(0, 0.5),
    reorder=st.floats(0, 0.5),
    wrong_bytes=st.floats(0, 0.5),
)
@settings(max_examples=60, deadline=None)
def test_any_mix_of_faults_gives_the_data_or_a_reason(
    seed: int, size: int, get: bool, credit: int, loss: float, duplicate: float, reorder: float, wrong_bytes: float
) -> None:
    rng = random.Random(seed)
    ends = pair(rng.randbytes(size), get, credit=credit)
    exchange([(ends.sender, ends.receiver)], Network(Mix(loss, duplicate, reorder, 0.0, wrong_bytes), rng))
    ends.check()


@pytest.mark.long
def test_a_hundred_megabytes_with_losses_go_from_file_to_file(tmp_path: Path) -> None:
    """Sparse: neither end has it in memory, and what was sent is what there is, holes and all."""
    source, target = tmp_path / "source", tmp_path / "target"
    with source.open("wb") as file:
        file.truncate(100_000_000)
        for place in range(0, 100_000_000, 9_999_991):
            file.seek(place)
            file.write(place.to_bytes(4, "big"))
    sender = Sender.put(FileSource(source), transfer=5, name="x")
    offer = Open(5, 1, False, 100_000_000, name="x")
    receiver = Receiver.accept(offer, lambda total: FileStore(target, total), boot=BOOT)
    exchange([(sender, receiver)], Network(Mix(loss=0.01, wrong_bytes=0.001), random.Random(1)))
    assert (sender.state, receiver.state, sender.failure) == (State.DONE, State.DONE, "")
    assert sender.retransmissions > 0 and filecmp.cmp(source, target, shallow=False)
