# SPDX-License-Identifier: Apache-2.0
"""Addresses, interrupt lines and CSR numbers, as constants; registers are in nsoc.machine.regs.

Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
"""

# Memories and devices: base address, and how many bytes there are (of a device those that it claims).
BOOT_ROM_BASE, BOOT_ROM_BYTES = 0x00000000, 0x10000
DRAM_BASE, DRAM_BYTES = 0x40000000, 0x10000000
PACKET_MEMORY_BASE, PACKET_MEMORY_BYTES = 0x50000000, 0x40000
AFB_BASE, AFB_BYTES = 0xFF000000, 0x1000000
NIC_BASE, NIC_BYTES = 0xFF000000, 0x400
TOE_BASE, TOE_BYTES = 0xFF000400, 0x400
TOE_UDP_BASE, TOE_UDP_BYTES = 0xFF000800, 0x100
INTC_BASE, INTC_BYTES = 0xFFFF3000, 0x100
TIMER_BASE, TIMER_BYTES = 0xFFFF3100, 0x100
UART_BASE, UART_BYTES = 0xFFFF3200, 0x100
L2_BASE, L2_BYTES = 0xFFFF3300, 0x100
DMA_BASE, DMA_BYTES = 0xFFFF3400, 0x100

# Lines at the interrupt controller.
IRQ_NIC = 0
IRQ_UART = 1
IRQ_DMA = 2
IRQ_TOE = 3

CSRS = {
    "mstatus": 0x300,
    "misa": 0x301,
    "mie": 0x304,
    "mtvec": 0x305,
    "mstatush": 0x310,
    "mcountinhibit": 0x320,
    "mscratch": 0x340,
    "mepc": 0x341,
    "mcause": 0x342,
    "mtval": 0x343,
    "mip": 0x344,
    "mbuserr": 0x7C0,
    "mbusctl": 0x7C1,
    "mcachectl": 0x7C2,
    "mcycle": 0xB00,
    "minstret": 0xB02,
    "mhpmcounter3": 0xB03,
    "mhpmcounter4": 0xB04,
    "mhpmcounter5": 0xB05,
    "mhpmcounter6": 0xB06,
    "mhpmcounter7": 0xB07,
    "mhpmcounter8": 0xB08,
    "mhpmcounter9": 0xB09,
    "mhpmcounter10": 0xB0A,
    "mhpmcounter11": 0xB0B,
    "mcycleh": 0xB80,
    "minstreth": 0xB82,
    "cycle": 0xC00,
    "instret": 0xC02,
    "cycleh": 0xC80,
    "instreth": 0xC82,
    "mvendorid": 0xF11,
    "marchid": 0xF12,
    "mimpid": 0xF13,
    "mhartid": 0xF14,
    "mconfigptr": 0xF15,
}
"""Control and status registers of the RISC-V core, by number."""
