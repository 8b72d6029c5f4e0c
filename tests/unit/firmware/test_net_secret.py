# SPDX-License-Identifier: Apache-2.0
"""What an outsider must not foretell: lwIP's initial sequence numbers, on this machine; where a program has its
secret, and what of it is seen on the wire."""

import random
import re
import struct
import subprocess
from ctypes import CDLL, c_uint32
from pathlib import Path

import needs
import pytest
from bench import ROOT
from net_frames import OUR_MAC, OURS, PEER, PEER_MAC, address, resolve
from net_hw import identification
from net_native import Native
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from tcp.siphash import siphash

from nsoc.errors import NsocError
from nsoc.machine import firmware, presets
from nsoc.machine.soc import Soc, secret_of

NO_SECRET = bytes(firmware.SECRET_BYTES)
"""Of a program that nobody has given one."""
CLOCK = 250
"""Steps a millisecond."""


def number(net: Native, port: int, peer_port: int, ms: int = 0) -> int:
    """The first one of a connection that is reset at once."""
    mac = ":".join(f"{byte:02x}" for byte in OUR_MAC)
    head = Ether(src=":".join(f"{byte:02x}" for byte in PEER_MAC), dst=mac) / IP(src=PEER, dst=OURS)
    (answer,) = net.exchange([bytes(head / TCP(sport=peer_port, dport=port, seq=7, flags="S"))], ms=ms)
    said = Ether(answer)[TCP]
    assert said.flags == "SA"
    net.exchange([bytes(head / TCP(sport=peer_port, dport=port, seq=8, ack=said.seq + 1, flags="RA"))])
    return int(said.seq)


def hashed(port: int, peer_port: int) -> int:
    return siphash(NO_SECRET, address(OURS) + address(PEER) + struct.pack("<HH", peer_port, port)) & 0xFFFFFFFF


@needs.lwip()
def test_an_initial_number_is_a_hash_of_the_ends_and_a_clock() -> None:
    """RFC 6528: another one for each ends, none that goes back for the same."""
    rng = random.Random(1)
    with Native(lwip=True) as net:
        net.exchange([resolve()])
        begun = (number(net, 80, 4000) - hashed(80, 4000)) % 2**32
        assert begun % CLOCK == 0 and begun < 100 * CLOCK
        for _ in range(20):
            port, peer_port, ms = rng.choice((7, 9, 80)), rng.randrange(1024, 65536), rng.randrange(200)
            now = (number(net, port, peer_port, ms) - hashed(port, peer_port)) % 2**32
            assert now == begun + ms * CLOCK
            begun = now


def test_numbers_on_the_wire_are_made_of_the_secret_but_tell_nothing_of_it(tmp_path: Path) -> None:
    lib = ROOT / "firmware" / "lib"
    (tmp_path / "used.c").write_text(
        '#include "ip_id.h"\nuint32_t id_of(uint32_t number, uint32_t key) { return ip_id(number, key); }\n'
    )
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{lib}", "used.c"]
    subprocess.run([*command, lib / "siphash.c", lib / "secret.c", "-o", "used.so"], cwd=tmp_path, check=True)
    used = CDLL(str(tmp_path / "used.so"))
    used.id_of.restype = used.secret_word.restype = c_uint32
    rng = random.Random(1)
    for _ in range(200):
        at, key = rng.getrandbits(32), rng.getrandbits(32)
        assert used.id_of(c_uint32(at), c_uint32(key)) == identification(at, key)
        assert used.secret_word(c_uint32(at), c_uint32(key)) == siphash(
            NO_SECRET, struct.pack("<III", 0xFFFFFFFF, at, key)
        ) % (1 << 32)


def test_no_word_of_the_secret_is_given_away() -> None:
    """Whoever reads it hashes, or gives it to the engine as the key of a hash."""
    firmware_ = ROOT / "firmware"
    found = {
        str(file.relative_to(firmware_)): re.findall(r"\bsecret\[[^]]*\][^;]*;", file.read_text())
        for file in sorted(firmware_.rglob("*.[ch]"))
    }
    assert {name for name, uses in found.items() if uses} == {
        "lib/secret.c",
        "lib/secret.h",
        "lib/siphash.c",
        "lib/toe/toe.c",
    }
    keys = {
        file.name: re.findall(r"config->key\[.*", file.read_text())
        for file in sorted(firmware_.rglob("*.c"))
        if "config->key[" in file.read_text()
    }
    assert keys == {"toe.c": [f"config->key[{i}];" for i in range(4)]}


@pytest.mark.parametrize(("preset", "application", "has"), [
    ("nic12-fast", "forward", False), ("nic12-fast", "net", True), ("toe", "toe_net", True), ("toe", "pubsub", True),
])  # fmt: skip
def test_a_program_has_a_secret_where_it_needs_one(preset: str, application: str, has: bool) -> None:
    elf = firmware.build_for(presets.load_soc(preset), application)
    place = firmware.secret_address(elf)
    assert (place is not None) == has
    if place is None:
        return
    (segment,) = (
        one for one in firmware.image(elf).segments if one.address <= place < one.address + len(one.data)
    )  # fmt: skip
    at = place - segment.address
    assert segment.data[at : at + firmware.SECRET_BYTES] == NO_SECRET


def test_a_program_without_a_table_of_sections_has_none(tmp_path: Path) -> None:
    whole = firmware.build_for(presets.load_soc("nic12-fast"), "net").read_bytes()
    (table,) = struct.unpack_from("<I", whole, 32)
    changed = tmp_path / "changed.elf"
    for data in (whole[:32] + bytes(4) + whole[36:], whole[:table], whole[: table + 100]):
        changed.write_bytes(data)
        assert firmware.secret_address(changed) is None


@pytest.mark.parametrize("size", [0, 15, 17])
def test_a_secret_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(NsocError, match=f"^a secret has 16 bytes, not {size}$"):
        Soc(secret=bytes(size))


def test_secrets_differ() -> None:
    assert len({secret_of(str(seed).encode()) for seed in range(100)}) == 100
    assert len(secret_of(b"")) == firmware.SECRET_BYTES
