# SPDX-License-Identifier: Apache-2.0
"""What is generated from regs/ is up to date and says what the thesis and the memory map say."""

import subprocess
import sys

from bench import ROOT

sys.path.insert(0, str(ROOT / "src"))

from nsoc import regs


def test_generated_files_are_up_to_date() -> None:
    script = ROOT / "src" / "nsoc" / "regs_gen.py"
    run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_ids_are_those_of_the_thesis() -> None:
    # Tables A.6 and A.7
    expected = {"control": 0, "servers_enabled": 1, "debug1": 2, "debug2": 3, "queue_depth": 4}
    for server in range(4):
        expected[f"rxq{server}.pointer"] = 8 + 2 * server
        expected[f"rxq{server}.occupancy"] = 9 + 2 * server
        expected[f"txq{server}.pointer"] = 16 + 2 * server
        expected[f"txq{server}.occupancy"] = 17 + 2 * server
    expected |= {"freeq.pointer": 24, "freeq.occupancy": 25, "freeq.lock": 26}
    expected |= {"mac_address_low": 208, "mac_address_high": 209, "packets_transmitted": 210}
    expected |= {"packets_received": 211, "status": 212, "free_counter": 255}
    registers = regs.BLOCKS["nic"].registers
    assert {name: registers[name].id for name in expected} == expected
    others = {r.id for name, r in registers.items() if name not in expected}
    assert all(32 <= i < 208 for i in others), "our own registers stay in the reserved IDs"
    assert all(r.offset == 4 * r.id for r in registers.values())


def test_control_bits_are_those_of_the_design() -> None:
    bits = {f.name: f.lsb for f in regs.BLOCKS["nic"].registers["control"].fields}
    assert bits == {"nic_enable": 0, "mac_enable": 1, "irq_enable": 2, "nic_loopback": 7, "mac_loopback": 8}


def test_no_two_registers_or_fields_overlap() -> None:
    for block in regs.BLOCKS.values():
        offsets = [r.offset for r in block.registers.values()]
        assert len(set(offsets)) == len(offsets)
        for register in block.registers.values():
            used = 0
            for field in register.fields:
                mask = ((1 << field.width) - 1) << field.lsb
                assert not used & mask and mask < 1 << 32, f"{block.name}.{register.name}.{field.name}"
                used |= mask


def test_memory_map_is_that_of_the_design() -> None:
    bases = {name: memory.base for name, memory in regs.MEMORIES.items()}
    bases |= {name: block.base for name, block in regs.BLOCKS.items()}
    assert bases == {
        "boot_rom": 0x0000_0000,
        "dram": 0x4000_0000,
        "packet_memory": 0x5000_0000,
        "nic": 0xFF00_0000,
        "intc": 0xFFFF_3000,
        "timer": 0xFFFF_3100,
        "uart": 0xFFFF_3200,
    }


def test_ip_header_in_a_buffer_is_word_aligned() -> None:
    assert (regs.BUFFER_FRAME_OFFSET + 14) % 4 == 0
