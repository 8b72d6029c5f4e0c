# SPDX-License-Identifier: Apache-2.0
"""The registers of the SoC's devices, the memory map and the layouts in memory, as plain data.

Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
"""

# ruff: noqa: E501 - one line a register field
# fmt: off
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """Bits `lsb` to `lsb + width - 1` of a register. `access`: "ro", "rw", "wo" or "w1c" (writing 1 clears)."""

    name: str
    lsb: int
    width: int
    access: str
    reset: int
    description: str


@dataclass(frozen=True)
class Register:
    """A 32-bit register; `offset` in bytes from its block's base, `id` = offset / 4. Access as in Field.

    `reset`: None where the value depends on what was built. `counter`: it counts frames from reset on and wraps.
    """

    name: str
    id: int
    offset: int
    access: str
    reset: int | None
    counter: bool
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Block:
    """A device: its registers by name, in the order of their offsets.

    There are `count` alike, one for each hart, `stride` bytes from one to the next; `base` is the first one's.
    """

    name: str
    base: int
    description: str
    registers: dict[str, Register]
    count: int = 1
    stride: int = 0


@dataclass(frozen=True)
class Memory:
    """A memory: `base` address and size in bytes."""

    name: str
    base: int
    bytes: int
    description: str


MEMORIES: dict[str, Memory] = {
    "boot_rom": Memory("boot_rom", 0x00000000, 0x10000, "Boot ROM."),
    "dram": Memory("dram", 0x40000000, 0x10000000, "External memory."),
    "packet_memory": Memory("packet_memory", 0x50000000, 0x40000, "Fast local packet memory, never cached."),
}

BLOCKS: dict[str, Block] = {
    "nic": Block(
        "nic",
        0xFF000000,
        "Network interface controller NIC_1.2, or NIC_1.1, whose queues are in memory.",
        {
            "control": Register(
                "control",
                0,
                0x000,
                "rw",
                0x00000000,
                False,
                "Control. Modes switch between frames.",
                (
                    Field("nic_enable", 0, 1, "rw", 0x0, "The engines work. Cleared: they stop after the frame at hand and the receive engine returns the buffer it had fetched in advance."),
                    Field("mac_enable", 1, 1, "rw", 0x0, "The MAC receives."),
                    Field("irq_enable", 2, 1, "rw", 0x0, "The interrupt line is driven."),
                    Field("nic_loopback", 7, 1, "rw", 0x0, "NIC loopback: a received frame goes into the transmit queue of the server that would have received it, no processor involved."),
                    Field("mac_loopback", 8, 1, "rw", 0x0, "MAC loopback: the MAC sends what it receives, the NIC sees nothing. A received frame that already waits for the NIC goes to the NIC first: while that is disabled the switch waits."),
                ),
            ),
            "servers_enabled": Register(
                "servers_enabled",
                1,
                0x004,
                "rw",
                0x00000000,
                False,
                "Receive spreads frames round robin over the enabled servers whose queue has room (or by flow: see steering). When all enabled ones are full or none is enabled a frame waits as long as rx_patience says. Queues of a server that is disabled keep their frames: the processor still pops its receive queue, and transmit queues are served whether enabled or not, so no queued frame is lost. A NIC_1.1 has server 0 only: there a value with another bit is an error and changes nothing.",
                (
                    Field("mask", 0, 4, "rw", 0x0, "Bit s: server s is enabled."),
                ),
            ),
            "debug1": Register(
                "debug1",
                2,
                0x008,
                "rw",
                0x00000000,
                False,
                "Debug register 1: scratch, the NIC does not look at it.",
                (
                    Field("value", 0, 32, "rw", 0x0, "Anything."),
                ),
            ),
            "debug2": Register(
                "debug2",
                3,
                0x00C,
                "ro",
                0x00000000,
                False,
                "Debug register 2: what the engines are doing.",
                (
                    Field("rx_state", 0, 3, "ro", 0x0, "Receive engine: 0 between frames, 1 storing frame bytes, 2 storing the bytes left over, 3 skipping the rest of a frame that is too long, 4 storing the control word (or waiting for room in a receive queue), 5 storing the stamp, 6 skipping a frame for which there is no buffer."),
                    Field("rx_completing", 8, 3, "ro", 0x0, "Receive engine: frames stored whose memory responses are still awaited or whose pointer waits for its queue."),
                    Field("tx_state", 16, 3, "ro", 0x0, "Transmit engine, memory side: 0 waits for a pointer, 1 takes it, 2 reads the control word, 3 reads the first dwords, 4 waits for the length, 5 reads the rest, 6 pops the pointer."),
                    Field("tx_frames", 24, 3, "ro", 0x0, "Transmit engine: frames begun and not yet finished."),
                ),
            ),
            "queue_depth": Register(
                "queue_depth",
                4,
                0x010,
                "rw",
                0x00000040,
                False,
                "Buffers in each queue: the depth in use, 1 to 64. A value out of range is an error and changes nothing. Reducing it loses no pointer: a queue that holds more refuses pushes until it has fallen below. Buffers that the engines give back to the free queue may use all 64 places. In a NIC_1.1 it means nothing: queue_setup says how long the queues are.",
                (
                    Field("depth", 0, 7, "rw", 0x40, "1 to 64."),
                ),
            ),
            "rxq0.pointer": Register(
                "rxq0.pointer",
                8,
                0x020,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "rxq0.occupancy": Register(
                "rxq0.occupancy",
                9,
                0x024,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "rxq1.pointer": Register(
                "rxq1.pointer",
                10,
                0x028,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "rxq1.occupancy": Register(
                "rxq1.occupancy",
                11,
                0x02C,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "rxq2.pointer": Register(
                "rxq2.pointer",
                12,
                0x030,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "rxq2.occupancy": Register(
                "rxq2.occupancy",
                13,
                0x034,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "rxq3.pointer": Register(
                "rxq3.pointer",
                14,
                0x038,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "rxq3.occupancy": Register(
                "rxq3.occupancy",
                15,
                0x03C,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "txq0.pointer": Register(
                "txq0.pointer",
                16,
                0x040,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "txq0.occupancy": Register(
                "txq0.occupancy",
                17,
                0x044,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "txq1.pointer": Register(
                "txq1.pointer",
                18,
                0x048,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "txq1.occupancy": Register(
                "txq1.occupancy",
                19,
                0x04C,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "txq2.pointer": Register(
                "txq2.pointer",
                20,
                0x050,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "txq2.occupancy": Register(
                "txq2.occupancy",
                21,
                0x054,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "txq3.pointer": Register(
                "txq3.pointer",
                22,
                0x058,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "txq3.occupancy": Register(
                "txq3.occupancy",
                23,
                0x05C,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "freeq.pointer": Register(
                "freeq.pointer",
                24,
                0x060,
                "rw",
                0x00000000,
                False,
                "Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full; a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none.",
                (
                    Field("empty", 0, 1, "ro", 0x0, "In a pop's response: the queue is empty."),
                    Field("full", 1, 1, "ro", 0x0, "In a push's response: the queue is full, the pointer was not taken."),
                    Field("address", 3, 29, "rw", 0x0, "Address of the buffer, bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "freeq.occupancy": Register(
                "freeq.occupancy",
                25,
                0x064,
                "ro",
                0x00000000,
                False,
                "How many pointers the queue holds now.",
                (
                    Field("pointers", 0, 7, "ro", 0x0, "0 to 64."),
                ),
            ),
            "freeq.lock": Register(
                "freeq.lock",
                26,
                0x068,
                "rw",
                0x00000000,
                False,
                "Free-queue lock, with two possible owners: the processor and the self-test. A read returns 1 when it grants the lock, 0 when the lock is held already (by whomever); writing 1 releases it. While it is held the engines leave the free queue alone, and to whoever is not its owner the free queue answers EMPTY to a pop and FULL to a push. Single pushes and pops are atomic and need no lock. Releasing a lock that is not held (a second release, too) or that another owner holds changes nothing, is answered NOT_OWNED (2) and sets push_failed.lock. Writing 0 does nothing.",
                (
                    Field("granted", 0, 1, "rw", 0x0, "1: granted by this read."),
                    Field("not_owned", 1, 1, "ro", 0x0, "In a release's response: the lock was not the caller's."),
                ),
            ),
            "push_failed": Register(
                "push_failed",
                32,
                0x080,
                "w1c",
                0x00000000,
                False,
                "A push by the processor found the queue full. Sticky; writing 1 clears.",
                (
                    Field("rxq", 0, 4, "w1c", 0x0, "Bit s: receive queue s."),
                    Field("txq", 4, 4, "w1c", 0x0, "Bit s: transmit queue s."),
                    Field("freeq", 8, 1, "w1c", 0x0, "Free queue."),
                    Field("lock", 9, 1, "w1c", 0x0, "The free-queue lock was released by somebody who did not hold it."),
                ),
            ),
            "buffer_size": Register(
                "buffer_size",
                33,
                0x084,
                "rw",
                0x00000800,
                False,
                "Size of every packet buffer in bytes, control word and stamp included: 128 to 65528, a multiple of 8. Anything else is an error and changes nothing. Takes effect with the next frame. The longest frame received is 18 bytes shorter.",
                (
                    Field("bytes", 0, 16, "rw", 0x800, "Bytes."),
                ),
            ),
            "irq_status": Register(
                "irq_status",
                34,
                0x088,
                "w1c",
                0x00000000,
                False,
                "Interrupt causes. An unmasked error raises the line at once; rx_ready and tx_done raise it when irq_moderation lets them. The line falls when no unmasked cause is left.",
                (
                    Field("rx_ready", 0, 4, "ro", 0x0, "Bit s: receive queue s holds a frame (level; in a NIC_1.1 as the NIC last saw it, which looks again every queue_setup.pause cycles: a frame shows at once, that the queue is empty a little later)."),
                    Field("tx_done", 8, 1, "w1c", 0x0, "The transmit engine gave a buffer back to the free queue, or left it to the processor (tx_kept). Sticky; writing 1 clears."),
                    Field("error", 9, 1, "w1c", 0x0, "A drop counter or tx_stamp_lost counted, push_failed got a bit, or an operation on a queue in memory went wrong (queue_errors). Sticky; writing 1 clears."),
                ),
            ),
            "irq_mask": Register(
                "irq_mask",
                35,
                0x08C,
                "rw",
                0x00000000,
                False,
                "Which causes raise the interrupt; bits as in irq_status.",
                (
                    Field("rx_ready", 0, 4, "rw", 0x0, "Receive queue s holds a frame."),
                    Field("tx_done", 8, 1, "rw", 0x0, "A buffer is back from transmission."),
                    Field("error", 9, 1, "rw", 0x0, "Something was dropped or refused."),
                ),
            ),
            "free_counter_high": Register(
                "free_counter_high",
                36,
                0x090,
                "ro",
                0x00000000,
                False,
                "High word of the free-running counter, as it was at the last read of free_counter: read that first and both words belong together.",
                (
                    Field("cycles", 0, 32, "ro", 0x0, "Cycles of the NIC clock / 2^32."),
                ),
            ),
            "pointers_held": Register(
                "pointers_held",
                37,
                0x094,
                "ro",
                0x00000000,
                False,
                "Buffer pointers that are inside the engines and in no queue. With the queues' occupancies this accounts for every pointer the NIC was given.",
                (
                    Field("rx", 0, 8, "ro", 0x0, "Receive engine."),
                    Field("tx", 8, 8, "ro", 0x0, "Transmit engine."),
                    Field("queues", 16, 8, "ro", 0x0, "NIC_1.1: between an engine and a queue in memory. An operation that is under way counts as a pointer."),
                ),
            ),
            "irq_moderation": Register(
                "irq_moderation",
                38,
                0x098,
                "rw",
                0x00000000,
                False,
                "Interrupt moderation for rx_ready and tx_done: the line rises when so many frames (delivered to or back from unmasked causes) have come since no unmasked cause was left, or when the first of them has waited so long, whichever is first. Once risen it stays until no unmasked cause is left. No interrupt is lost: without a time a count would be one that may never be reached, so a time of 0 means at once.",
                (
                    Field("frames", 0, 8, "rw", 0x0, "Frames; 0 and 1 mean the first."),
                    Field("cycles", 8, 24, "rw", 0x0, "Cycles of the NIC clock; 0: at once, whatever the count."),
                ),
            ),
            "rx_patience": Register(
                "rx_patience",
                39,
                0x09C,
                "rw",
                0x00004000,
                False,
                "How long the receive engine goes on waiting for a free buffer, or for room in a receive queue, before it drops the frame it waits with, counted by cause. The time runs from the moment when a frame first had to wait, and all further frames are dropped at once until the shortage ends (there is a free buffer; a server that the frame may go to has had room), so that the MAC's FIFO never stands still behind it. All ones: it waits for ever, and the MAC's FIFO overflows and counts.",
                (
                    Field("cycles", 0, 24, "rw", 0x4000, "Cycles of the NIC clock. After reset as long as 16 KB take to arrive at 1 Gb/s."),
                ),
            ),
            "rx_good": Register(
                "rx_good",
                40,
                0x0A0,
                "ro",
                0x00000000,
                True,
                "MAC: a good frame, stored in the receive FIFO. Not a drop: each of them goes on to the MAC's user.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_fcs": Register(
                "rx_drop_fcs",
                41,
                0x0A4,
                "ro",
                0x00000000,
                True,
                "MAC: wrong FCS (a truncated frame of legal length ends here too).",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_runt": Register(
                "rx_drop_runt",
                42,
                0x0A8,
                "ro",
                0x00000000,
                True,
                "MAC: shorter than 64 bytes with FCS.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_oversize": Register(
                "rx_drop_oversize",
                43,
                0x0AC,
                "ro",
                0x00000000,
                True,
                "MAC: longer than the longest legal frame.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_error": Register(
                "rx_drop_error",
                44,
                0x0B0,
                "ro",
                0x00000000,
                True,
                "MAC: receive error signalled by the PHY, or a broken preamble.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_overflow": Register(
                "rx_drop_overflow",
                45,
                0x0B4,
                "ro",
                0x00000000,
                True,
                "MAC: no room in the receive FIFO for the whole frame.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_disabled": Register(
                "rx_drop_disabled",
                46,
                0x0B8,
                "ro",
                0x00000000,
                True,
                "MAC: began while the MAC was not enabled.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_too_long": Register(
                "rx_drop_too_long",
                47,
                0x0BC,
                "ro",
                0x00000000,
                True,
                "NIC: longer than the packet buffer.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_memory_error": Register(
                "rx_drop_memory_error",
                48,
                0x0C0,
                "ro",
                0x00000000,
                True,
                "NIC: the memory refused a write of the frame.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_taken": Register(
                "tx_taken",
                49,
                0x0C4,
                "ro",
                0x00000000,
                True,
                "NIC: a frame was handed to the MAC. Not a drop: each of them is sent, or dropped by the MAC, in the end.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_drop_bad_length": Register(
                "tx_drop_bad_length",
                50,
                0x0C8,
                "ro",
                0x00000000,
                True,
                "NIC: length in the control word below 14, above 1518 or beyond the packet buffer.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_drop_memory_error": Register(
                "tx_drop_memory_error",
                51,
                0x0CC,
                "ro",
                0x00000000,
                True,
                "NIC: the memory refused the read of the control word; nothing was handed to the MAC.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_drop_abort": Register(
                "tx_drop_abort",
                52,
                0x0D0,
                "ro",
                0x00000000,
                True,
                "MAC: aborted by the sender, because the memory refused the read of a part of it. If a sender other than the NIC let it begin on the line before (steady), it ended there with an error and a wrong FCS, for this reason or because it had run dry before (it does not count as an underrun then).",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_drop_oversize": Register(
                "tx_drop_oversize",
                53,
                0x0D4,
                "ro",
                0x00000000,
                True,
                "MAC: longer than the longest legal frame.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_filtered": Register(
                "rx_drop_filtered",
                54,
                0x0D8,
                "ro",
                0x00000000,
                True,
                "MAC: a good frame for somebody else (settings promiscuous and broadcast, MAC address, multicast hash).",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_pause": Register(
                "rx_pause",
                55,
                0x0DC,
                "ro",
                0x00000000,
                True,
                "MAC: a pause frame, obeyed and consumed (setting rx_pause). Not a drop.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_no_buffer": Register(
                "rx_drop_no_buffer",
                56,
                0x0E0,
                "ro",
                0x00000000,
                True,
                "NIC: no free buffer for longer than rx_patience.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "rx_drop_no_server": Register(
                "rx_drop_no_server",
                57,
                0x0E4,
                "ro",
                0x00000000,
                True,
                "NIC: no enabled server with room in its queue for longer than rx_patience. Also a frame whose control word is written already, with status 0, when the processor itself has filled the queue chosen for it: its buffer goes back to the free queue.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_pause": Register(
                "tx_pause",
                58,
                0x0E8,
                "ro",
                0x00000000,
                True,
                "MAC: a pause frame sent of its own accord (setting tx_pause). Not a drop, and not one of the frames that the MAC was given to send.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_drop_underrun": Register(
                "tx_drop_underrun",
                59,
                0x0EC,
                "ro",
                0x00000000,
                True,
                "MAC: begun before it was whole, as its sender had promised the rest in time (steady), and its next word came too late: it ended on the line with an error and a wrong FCS. The NIC keeps its promises: with it this stays 0.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "tx_stamp_lost": Register(
                "tx_stamp_lost",
                60,
                0x0F0,
                "ro",
                0x00000000,
                True,
                "NIC: a transmit stamp was asked for while 16 were outstanding or unread: the frame went to the MAC whole, without a stamp. One that was aborted is not counted. Not a drop.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "mac_control": Register(
                "mac_control",
                64,
                0x100,
                "rw",
                0x00000018,
                False,
                "MAC: speed, pause, address filter. Takes effect between frames; mii only while mac_enable is 0 and no frame is on its way out or in any more (a longest frame takes 12.3 us at 1 Gb/s).",
                (
                    Field("mii", 0, 1, "rw", 0x0, "10 or 100 Mb/s: nibbles on four pins (MII). Cleared: bytes on eight (GMII, 1 Gb/s)."),
                    Field("rx_pause", 1, 1, "rw", 0x0, "Obey 802.3x pause frames: consume them, and begin no frame while paused."),
                    Field("tx_pause", 2, 1, "rw", 0x0, "Send pause frames: XOFF while the receive FIFO is more than half full, XON when it is less than a quarter full."),
                    Field("promiscuous", 3, 1, "rw", 0x1, "Accept frames for any address."),
                    Field("broadcast", 4, 1, "rw", 0x1, "Accept broadcast frames."),
                ),
            ),
            "steering": Register(
                "steering",
                65,
                0x104,
                "rw",
                0x00000000,
                False,
                "How received frames are spread over the servers.",
                (
                    Field("flow", 0, 1, "rw", 0x0, "By flow instead of round robin: all frames of one flow, in either direction, go to the same server as long as the set of enabled servers stays. A flow is protocol, addresses and ports of TCP and UDP over IPv4; addresses and protocol of other IPv4 and of fragments; Ethernet addresses of all else. A frame whose server's queue is full waits, and with it all behind it: a small rx_patience suits this."),
                ),
            ),
            "multicast_hash_low": Register(
                "multicast_hash_low",
                66,
                0x108,
                "rw",
                0x00000000,
                False,
                "Multicast filter, low word: bit n accepts group addresses whose hash is n. The hash is bits 0 (highest) to 5 (lowest) of the reflected CRC-32 register, begun with ones and not complemented, behind the six address bytes: what Linux calls ether_crc(6, address) >> 26.",
                (
                    Field("low", 0, 32, "rw", 0x0, "Bits 31 to 0."),
                ),
            ),
            "multicast_hash_high": Register(
                "multicast_hash_high",
                67,
                0x10C,
                "rw",
                0x00000000,
                False,
                "Multicast filter, high word.",
                (
                    Field("high", 0, 32, "rw", 0x0, "Bits 63 to 32."),
                ),
            ),
            "ptp_low": Register(
                "ptp_low",
                68,
                0x110,
                "rw",
                0x00000000,
                False,
                "PTP time in nanoseconds, low word. A read keeps the high word for ptp_high; a write waits for ptp_command.",
                (
                    Field("ns", 0, 32, "rw", 0x0, "Nanoseconds."),
                ),
            ),
            "ptp_high": Register(
                "ptp_high",
                69,
                0x114,
                "rw",
                0x00000000,
                False,
                "PTP time, high word: as it was at the last read of ptp_low. A write waits for ptp_command.",
                (
                    Field("ns", 0, 32, "rw", 0x0, "Nanoseconds / 2^32."),
                ),
            ),
            "ptp_increment": Register(
                "ptp_increment",
                70,
                0x118,
                "rw",
                0x80000000,
                False,
                "By how much the PTP time grows with each cycle of the NIC clock: nanoseconds as a fixed-point number with 28 bits of fraction, 0.47 ppb of 8 ns a unit.",
                (
                    Field("ns", 0, 32, "rw", 0x80000000, "4.28 fixed point; after reset 8 ns, for 125 MHz."),
                ),
            ),
            "ptp_command": Register(
                "ptp_command",
                71,
                0x11C,
                "rw",
                0x00000000,
                False,
                "What to do with the 64 bits written to ptp_low and ptp_high. Reads as 0. Of both bits, set counts.",
                (
                    Field("set", 0, 1, "rw", 0x0, "Writing 1: they become the time."),
                    Field("step", 1, 1, "rw", 0x0, "Writing 1: they are added to the time (two's complement: it may step back)."),
                ),
            ),
            "tx_stamp": Register(
                "tx_stamp",
                72,
                0x120,
                "ro",
                0x00000000,
                False,
                "Transmit stamps, oldest first: a read takes the next one, whose time then stands in tx_stamp_low and tx_stamp_high until the next read.",
                (
                    Field("tag", 0, 16, "ro", 0x0, "The tag in the control word of the frame that was stamped."),
                    Field("valid", 31, 1, "ro", 0x0, "There was a stamp."),
                ),
            ),
            "tx_stamp_low": Register(
                "tx_stamp_low",
                73,
                0x124,
                "ro",
                0x00000000,
                False,
                "PTP time when the frame's start of frame delimiter left the MAC, low word.",
                (
                    Field("ns", 0, 32, "ro", 0x0, "Nanoseconds."),
                ),
            ),
            "tx_stamp_high": Register(
                "tx_stamp_high",
                74,
                0x128,
                "ro",
                0x00000000,
                False,
                "The same, high word.",
                (
                    Field("ns", 0, 32, "ro", 0x0, "Nanoseconds / 2^32."),
                ),
            ),
            "selftest_control": Register(
                "selftest_control",
                80,
                0x140,
                "rw",
                0x00000000,
                False,
                "Self-test of registers, queues and memory, inside the NIC. Writing the number of a test starts it, unless the NIC is in use: it is refused while nic_enable is 1, a queue or an engine holds a pointer, or the free-queue lock is held (in a NIC_1.1 the queues in memory are not looked at). Writing 0 clears selftest_status and selftest_cycles. While a test runs the engines stand still, whatever nic_enable says, writes to the self-test's registers are errors, and the processor's accesses to all others alternate with those of the test; the free-queue lock is not granted to it then, and it must not push pointers. A test ends with the queues empty and the lock released, also when it fails; test 2, and any failed one, clears push_failed and irq_status. Clear push_failed before test 2, which takes old bits for a failure.",
                (
                    Field("test", 0, 3, "rw", 0x0, "1: registers (patterns in debug1, which it overwrites; errors). 2: each queue to queue_depth and back, the lock. 3: pointers around, free to receive to transmit to free queue, over every server. 4: memory from selftest_base on, selftest_bytes, which it overwrites: address in address, walking ones, byte masks, an error outside. Others are refused, 2 and 3 in a NIC_1.1, too."),
                ),
            ),
            "selftest_status": Register(
                "selftest_status",
                81,
                0x144,
                "ro",
                0x00000000,
                False,
                "How the test went.",
                (
                    Field("busy", 0, 1, "ro", 0x0, "Runs."),
                    Field("done", 1, 1, "ro", 0x0, "Came to its end."),
                    Field("failed", 2, 1, "ro", 0x0, "Found an answer that was not the expected one; all fields below are about the first."),
                    Field("refused", 3, 1, "ro", 0x0, "Did not start: the NIC is in use, there is no such test, or no memory to test."),
                    Field("got_err", 4, 1, "ro", 0x0, "The error bit of the answer."),
                    Field("step", 8, 6, "ro", 0x0, "Tests 1 to 3: the step, see the table in nic_selftest. Test 4: 0 and 1, address in address, write and read; 2 and 3, its complement; 4 and 5, walking ones; 6 and 7, byte masks; 8 and 9, outside."),
                    Field("queue_number", 16, 4, "ro", 0x0, "Test 2: the queue, in the order of IDs. Test 3: the server."),
                    Field("index", 24, 6, "ro", 0x0, "Which pattern or place of the queue."),
                ),
            ),
            "selftest_base": Register(
                "selftest_base",
                82,
                0x148,
                "rw",
                0x00000000,
                False,
                "Where the memory to test begins.",
                (
                    Field("address", 3, 29, "rw", 0x0, "Bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "selftest_bytes": Register(
                "selftest_bytes",
                83,
                0x14C,
                "rw",
                0x00000000,
                False,
                "How much memory to test, in bytes: a multiple of 8.",
                (
                    Field("bytes", 3, 29, "rw", 0x0, "Bits 31 to 3."),
                ),
            ),
            "selftest_expected": Register(
                "selftest_expected",
                84,
                0x150,
                "ro",
                0x00000000,
                False,
                "The answer that was expected; of memory the 32-bit word at selftest_address, first byte highest.",
                (
                    Field("data", 0, 32, "ro", 0x0, "Data."),
                ),
            ),
            "selftest_got": Register(
                "selftest_got",
                85,
                0x154,
                "ro",
                0x00000000,
                False,
                "The answer that came.",
                (
                    Field("data", 0, 32, "ro", 0x0, "Data."),
                ),
            ),
            "selftest_cycles": Register(
                "selftest_cycles",
                86,
                0x158,
                "ro",
                0x00000000,
                False,
                "Worst times so far, in cycles of the NIC clock from the request to its response; 255: or more. Waiting for an access of the processor counts: it had better leave the NIC alone meanwhile.",
                (
                    Field("register_access", 0, 8, "ro", 0x0, "A register access (tests 1 to 3)."),
                    Field("queue_op", 8, 8, "ro", 0x0, "A push or a pop (tests 2 and 3)."),
                    Field("traversal", 16, 8, "ro", 0x0, "One pointer around: six operations back to back (test 3)."),
                ),
            ),
            "selftest_address": Register(
                "selftest_address",
                87,
                0x15C,
                "ro",
                0x00000000,
                False,
                "Test 4: address of the word that was not as expected.",
                (
                    Field("word", 2, 30, "ro", 0x0, "Bits 31 to 2."),
                ),
            ),
            "queue_free_base": Register(
                "queue_free_base",
                88,
                0x160,
                "rw",
                0x00000000,
                False,
                "Where the free queue is in memory (layout: memory_queue). To be changed only while nic_enable is 0 and pointers_held is 0, as the other three; a write to any of the four makes the NIC forget what it has seen of the queues.",
                (
                    Field("address", 3, 29, "rw", 0x0, "Bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "queue_receive_base": Register(
                "queue_receive_base",
                89,
                0x164,
                "rw",
                0x00000000,
                False,
                "Where the receive queue (of server 0) is in memory.",
                (
                    Field("address", 3, 29, "rw", 0x0, "Bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "queue_transmit_base": Register(
                "queue_transmit_base",
                90,
                0x168,
                "rw",
                0x00000000,
                False,
                "Where the transmit queue (of server 0) is in memory.",
                (
                    Field("address", 3, 29, "rw", 0x0, "Bits 31 to 3; the low three bits are zero."),
                ),
            ),
            "queue_setup": Register(
                "queue_setup",
                91,
                0x16C,
                "rw",
                0x00002000,
                False,
                "How long the queues in memory are and how often the NIC looks at them. A number of entries that it cannot have is an error and changes nothing.",
                (
                    Field("entries", 0, 7, "rw", 0x0, "Entries of each queue: 1, 2, 4, 8, 16, 32 or 64. 0: the NIC has not been told of the queues and does not touch them; it has no free buffer then and no room, and nothing to send."),
                    Field("pause", 8, 16, "rw", 0x20, "Cycles of the NIC clock from one look at a queue to the next while the NIC waits for it to change, and before an operation that found the lock held or failed is tried again. A small one sees changes sooner, but takes the memory's time from the processor."),
                ),
            ),
            "queue_errors": Register(
                "queue_errors",
                92,
                0x170,
                "w1c",
                0x00000000,
                False,
                "Operations on queues in memory that went wrong. None of them has changed its queue; the NIC tries it again every queue_setup.pause cycles, and goes on when it succeeds. No pointer is lost. Of each field bit 0 is about the free queue, bit 1 the receive queue, bit 2 the transmit queue. Sticky; writing 1 clears.",
                (
                    Field("bus", 0, 3, "w1c", 0x0, "The memory answered an access with an error."),
                    Field("content", 4, 3, "w1c", 0x0, "tail - head is more than the entries, or an entry is not a multiple of 8."),
                    Field("unset", 8, 1, "w1c", 0x0, "nic_enable is 1 and queue_setup.entries is 0."),
                ),
            ),
            "capability": Register(
                "capability",
                93,
                0x174,
                "ro",
                None,
                False,
                "What this NIC is and what was built into it. Registers of what is left out answer with an error.",
                (
                    Field("queues_in_memory", 0, 1, "ro", 0x0, "1: its queues are in memory, a NIC_1.1. 0: they are in the NIC, a NIC_1.2."),
                    Field("selftest", 1, 1, "ro", 0x0, "The self-test is there."),
                    Field("ptp", 2, 1, "ro", 0x0, "PTP time and stamps are there. Without them dword 1 of a received buffer is 0, and a frame that wants a stamp counts as tx_stamp_lost."),
                    Field("statistics", 3, 1, "ro", 0x0, "The counters are there."),
                    Field("servers", 4, 3, "ro", 0x0, "Servers, 1 to 4; 1 in a NIC_1.1."),
                    Field("log2_depth", 8, 4, "ro", 0x0, "Places in a queue: 2 to the power of this. The most that queue_depth can be, and its reset value."),
                    Field("offloads", 12, 1, "ro", 0x0, "The offloads are there: the NIC looks at IPv4, TCP and UDP sums, puts them in, and leaves buffers to the processor (buffer.control). Without them tx_kept and tx_sum_unfit do not exist."),
                ),
            ),
            "reset": Register(
                "reset",
                94,
                0x178,
                "rw",
                0x00000000,
                False,
                "Soft reset: the way back from any state. Writing 1 resets the NIC and, by mac_restart, the MAC: all registers come to their reset values, counters, times and interrupt causes to 0, all queues are empty and the lock is free, a self-test ends. Buffers then belong to the processor, wherever they were. Requests to memory that are under way are answered first, and an operation on a queue in memory ends: then, 70 cycles later, the reset is over. The MAC goes on by itself: its FIFOs are empty, and frames flow again as soon as it is enabled and done, at most 100 byte times of the line later. A frame that is being sent is cut short with an error on the line, or ends well if all of it had been handed over; a frame that is being received may count as rx_drop_disabled. All other frames inside are gone, and so are the counts of all before. The whole way back, as nic_recover (firmware/lib/nic.h) does it: write 1 here; read until 0; in a NIC_1.1 clear the queues in memory, their locks too, and set the queue_*_base registers and queue_setup; set mac_control, buffer_size and whatever else is not to be as after power-on; push every buffer into the free queue; set servers_enabled, then control.",
                (
                    Field("soft", 0, 1, "rw", 0x0, "Writing 1: begins. Reads 1 until the NIC is reset."),
                ),
            ),
            "tx_kept": Register(
                "tx_kept",
                95,
                0x17C,
                "ro",
                0x00000000,
                False,
                "Buffers that the transmit engine left to the processor (keep in buffer.control.request), sent or not: they come in the order in which they were queued to one server. One whose control word could not be read goes to the free queue.",
                (
                    Field("buffers", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "mac_address_low": Register(
                "mac_address_low",
                208,
                0x340,
                "rw",
                0x00000000,
                False,
                "MAC address, low word.",
                (
                    Field("low", 0, 32, "rw", 0x0, "Bits 31 to 0."),
                ),
            ),
            "mac_address_high": Register(
                "mac_address_high",
                209,
                0x344,
                "rw",
                0x00000000,
                False,
                "MAC address, high word.",
                (
                    Field("high", 0, 16, "rw", 0x0, "Bits 47 to 32."),
                ),
            ),
            "packets_transmitted": Register(
                "packets_transmitted",
                210,
                0x348,
                "ro",
                0x00000000,
                True,
                "MAC: the last byte of a frame left the MAC.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "packets_received": Register(
                "packets_received",
                211,
                0x34C,
                "ro",
                0x00000000,
                True,
                "NIC: a frame was delivered into a receive queue (NIC loopback: into a transmit queue).",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "status": Register(
                "status",
                212,
                0x350,
                "ro",
                0x00000C00,
                False,
                "Status word: live bits.",
                (
                    Field("rxq_nonempty", 0, 4, "ro", 0x0, "Bit s: receive queue s holds a pointer."),
                    Field("txq_nonempty", 4, 4, "ro", 0x0, "Bit s: transmit queue s holds a pointer."),
                    Field("freeq_nonempty", 8, 1, "ro", 0x0, "The free queue holds a pointer."),
                    Field("lock_held", 9, 1, "ro", 0x0, "The free-queue lock is held."),
                    Field("rx_idle", 10, 1, "ro", 0x1, "The receive engine is between frames and all frames are delivered."),
                    Field("tx_idle", 11, 1, "ro", 0x1, "The transmit engine has no frame."),
                    Field("rxq_full", 12, 4, "ro", 0x0, "Bit s: receive queue s is full."),
                    Field("txq_full", 16, 4, "ro", 0x0, "Bit s: transmit queue s is full."),
                    Field("freeq_full", 20, 1, "ro", 0x0, "The free queue is full."),
                ),
            ),
            "tx_sum_unfit": Register(
                "tx_sum_unfit",
                213,
                0x354,
                "ro",
                0x00000000,
                True,
                "NIC: a sum was asked for that this frame cannot have (no IPv4, no TCP or UDP, a fragment, lengths that do not fit): it went to the MAC as it was. One that was aborted is not counted. Not a drop.",
                (
                    Field("frames", 0, 32, "ro", 0x0, "Counts up from reset, wraps at 2^32."),
                ),
            ),
            "free_counter": Register(
                "free_counter",
                255,
                0x3FC,
                "ro",
                0x00000000,
                False,
                "Free-running counter: cycles of the NIC clock since reset, low word.",
                (
                    Field("cycles", 0, 32, "ro", 0x0, "Cycles."),
                ),
            ),
        },
    ),
    "intc": Block(
        "intc",
        0xFFFF3000,
        "Interrupt controller: which of the devices' lines reach the processor.",
        {
            "pending": Register(
                "pending",
                0,
                0x000,
                "ro",
                0x00000000,
                False,
                "The lines as they are now.",
                (
                    Field("lines", 0, 32, "ro", 0x0, "Bit i: line i is high."),
                ),
            ),
            "enable": Register(
                "enable",
                1,
                0x004,
                "rw",
                0x00000000,
                False,
                "Which lines reach the processor.",
                (
                    Field("lines", 0, 32, "rw", 0x0, "Bit i: line i is enabled."),
                ),
            ),
            "highest": Register(
                "highest",
                2,
                0x008,
                "ro",
                0xFFFFFFFF,
                False,
                "The lowest line that is pending and enabled.",
                (
                    Field("line", 0, 32, "ro", 0xFFFFFFFF, "Line number; 0xFFFFFFFF: none. 0: NIC, 1: UART: a received byte waits, 2: Copy engine: a result waits whose command asked for it."),
                ),
            ),
        },
        8,
        0x20,
    ),
    "timer": Block(
        "timer",
        0xFFFF3100,
        "Machine timer of the processor, in cycles of the processor clock. The time is the same for all harts.",
        {
            "mtime_low": Register(
                "mtime_low",
                0,
                0x000,
                "rw",
                0x00000000,
                False,
                "Time, low word.",
                (
                    Field("cycles", 0, 32, "rw", 0x0, "Cycles."),
                ),
            ),
            "mtime_high": Register(
                "mtime_high",
                1,
                0x004,
                "rw",
                0x00000000,
                False,
                "Time, high word.",
                (
                    Field("cycles", 0, 32, "rw", 0x0, "Cycles / 2^32."),
                ),
            ),
            "mtimecmp_low": Register(
                "mtimecmp_low",
                2,
                0x008,
                "rw",
                0xFFFFFFFF,
                False,
                "Compare value, low word: the timer interrupt is raised while time >= compare value.",
                (
                    Field("cycles", 0, 32, "rw", 0xFFFFFFFF, "Cycles."),
                ),
            ),
            "mtimecmp_high": Register(
                "mtimecmp_high",
                3,
                0x00C,
                "rw",
                0xFFFFFFFF,
                False,
                "Compare value, high word.",
                (
                    Field("cycles", 0, 32, "rw", 0xFFFFFFFF, "Cycles / 2^32."),
                ),
            ),
            "msip": Register(
                "msip",
                4,
                0x010,
                "rw",
                0x00000000,
                False,
                "Software interrupt.",
                (
                    Field("pending", 0, 1, "rw", 0x0, "1: raised."),
                ),
            ),
        },
        8,
        0x20,
    ),
    "uart": Block(
        "uart",
        0xFFFF3200,
        "8 data bits, no parity, 1 stop bit; FIFOs of 16 bytes.",
        {
            "tx_data": Register(
                "tx_data",
                0,
                0x000,
                "wo",
                0x00000000,
                False,
                "A byte to send. When the FIFO is full the byte is dropped and tx_overflow set.",
                (
                    Field("data", 0, 8, "wo", 0x0, "The byte."),
                ),
            ),
            "rx_data": Register(
                "rx_data",
                1,
                0x004,
                "ro",
                0x00000000,
                False,
                "A received byte; the read takes it.",
                (
                    Field("data", 0, 8, "ro", 0x0, "The byte."),
                    Field("valid", 8, 1, "ro", 0x0, "There was a byte."),
                ),
            ),
            "status": Register(
                "status",
                2,
                0x008,
                "w1c",
                0x00000002,
                False,
                "Status.",
                (
                    Field("tx_full", 0, 1, "ro", 0x0, "The transmit FIFO is full."),
                    Field("tx_idle", 1, 1, "ro", 0x1, "Everything is sent."),
                    Field("rx_valid", 2, 1, "ro", 0x0, "A byte was received."),
                    Field("rx_overrun", 3, 1, "w1c", 0x0, "A received byte found the FIFO full. Sticky; writing 1 clears."),
                    Field("tx_overflow", 4, 1, "w1c", 0x0, "A written byte found the FIFO full. Sticky; writing 1 clears."),
                    Field("framing_error", 5, 1, "w1c", 0x0, "A received byte had no stop bit. Sticky; writing 1 clears."),
                ),
            ),
            "divisor": Register(
                "divisor",
                3,
                0x00C,
                "rw",
                0x00000008,
                False,
                "Clocks a bit, at least 4. The reset value is a parameter of the instance.",
                (
                    Field("clocks", 0, 16, "rw", 0x8, "Processor clocks."),
                ),
            ),
        },
    ),
    "l2": Block(
        "l2",
        0xFFFF3300,
        "Counters of the L2 cache in front of DRAM; they wrap around.",
        {
            "hits": Register(
                "hits",
                0,
                0x000,
                "ro",
                0x00000000,
                False,
                "Requests of processor and NIC that found their line.",
                (
                    Field("count", 0, 32, "ro", 0x0, "Requests."),
                ),
            ),
            "misses": Register(
                "misses",
                1,
                0x004,
                "ro",
                0x00000000,
                False,
                "Requests that did not.",
                (
                    Field("count", 0, 32, "ro", 0x0, "Requests."),
                ),
            ),
            "write_backs": Register(
                "write_backs",
                2,
                0x008,
                "ro",
                0x00000000,
                False,
                "Lines that were written back to DRAM, 64 bytes each.",
                (
                    Field("count", 0, 32, "ro", 0x0, "Lines."),
                ),
            ),
            "size": Register(
                "size",
                3,
                0x00C,
                "ro",
                0x00000000,
                False,
                "Size of the cache.",
                (
                    Field("bytes", 0, 32, "ro", 0x0, "Bytes; 0: there is no L2 cache, and nothing is counted."),
                ),
            ),
        },
    ),
    "dma": Block(
        "dma",
        0xFFFF3400,
        "Copies bytes between memories, any alignment, and says what their CRC-32 and their Internet checksum are.",
        {
            "source": Register(
                "source",
                0,
                0x000,
                "rw",
                0x00000000,
                False,
                "Where the next command reads: packet memory, DRAM or boot ROM. It keeps its value.",
                (
                    Field("address", 0, 32, "rw", 0x0, "Byte address."),
                ),
            ),
            "destination": Register(
                "destination",
                1,
                0x004,
                "rw",
                0x00000000,
                False,
                "Where the next command writes: packet memory or DRAM. It keeps its value.",
                (
                    Field("address", 0, 32, "rw", 0x0, "Byte address."),
                ),
            ),
            "command": Register(
                "command",
                2,
                0x008,
                "wo",
                0x00000000,
                False,
                "A command, from `source` to `destination` as they are. Up to 16 commands and results that nobody has taken have room; one more is dropped and `status.refused` set.",
                (
                    Field("bytes", 0, 24, "wo", 0x0, "How many; 0: it is done at once."),
                    Field("crc", 24, 1, "wo", 0x0, "The result says the CRC-32."),
                    Field("sum", 25, 1, "wo", 0x0, "The result says the Internet checksum."),
                    Field("no_write", 26, 1, "wo", 0x0, "Nothing is written, only read."),
                    Field("irq", 27, 1, "wo", 0x0, "Its result raises the interrupt until it is taken."),
                ),
            ),
            "result": Register(
                "result",
                3,
                0x00C,
                "ro",
                0x00000000,
                False,
                "The oldest result, in the order of the commands; the read takes it. It is there when all that the command has written is in memory.",
                (
                    Field("sum", 0, 16, "ro", 0x0, "Sum of the bytes moved as big-endian 16-bit numbers, an odd one padded with 0, in one's complement (RFC 1071; the checksum is its complement). 0 if the command did not ask, or failed."),
                    Field("with_crc", 28, 1, "ro", 0x0, "`result_crc` holds this command's CRC-32."),
                    Field("write", 29, 1, "ro", 0x0, "What failed was a write, else a read."),
                    Field("failed", 30, 1, "ro", 0x0, "An access was answered with an error; some of the destination may have been written."),
                    Field("valid", 31, 1, "ro", 0x0, "There was a result."),
                ),
            ),
            "result_crc": Register(
                "result_crc",
                4,
                0x010,
                "ro",
                0x00000000,
                False,
                "CRC-32 (IEEE 802.3, as in zlib) of the bytes that the command moved whose result was taken last.",
                (
                    Field("crc", 0, 32, "ro", 0x0, "The CRC; 0 if the command did not ask, or failed."),
                ),
            ),
            "status": Register(
                "status",
                5,
                0x014,
                "w1c",
                0x00000000,
                False,
                "Status.",
                (
                    Field("commands", 0, 5, "ro", 0x0, "Commands that have no result yet; 0: no copy is under way."),
                    Field("results", 8, 5, "ro", 0x0, "Results that nobody has taken."),
                    Field("refused", 16, 1, "w1c", 0x0, "A command found no room. Sticky; writing 1 clears."),
                ),
            ),
        },
    ),
}

# Packet buffer: fields of the big-endian 64-bit words at these byte offsets (bit 63: first byte).
BUFFER_FRAME_OFFSET = 18
BUFFER_CONTROL_OFFSET = 0
BUFFER_CONTROL: tuple[Field, ...] = (
    Field("length", 0, 16, "rw", 0x0, "Length of the frame in bytes, without FCS."),
    Field("request", 24, 8, "rw", 0x0, "Transmit: what is asked for, NSOC_BUFFER_REQUEST_*. What stands in the places of the sums does not matter; a UDP sum of 0 goes out as 0xFFFF. A frame for which one of the sums cannot be made that it asks for (see status) goes out as it is, and counts (nic.tx_sum_unfit). 1: A stamp (nic.tx_stamp), 2: The NIC puts in the sum of the IPv4 header, 4: The NIC puts in the TCP or UDP sum, 8: The buffer is the processor's when the frame is out (nic.tx_kept), and does not go to the free queue."),
    Field("server", 32, 8, "rw", 0x0, "The server whose queue the frame was meant for."),
    Field("status", 40, 8, "rw", 0x0, "Receive: what the NIC says of the frame, NSOC_BUFFER_STATUS_*. It looks at IPv4 frames with one 802.1Q tag or none, at no IPv6. Neither ip_good nor ip_bad: the frame is no IPv4 or has not its whole header. Neither l4_good nor l4_bad: so it is, or it is a fragment, another protocol, a UDP sum of 0, a datagram that the frame has not whole, one shorter than its TCP or UDP header, or a UDP length that is not the IPv4 payload's. 1: The frame was dropped (such a buffer reaches no queue), 2: The sum of its IPv4 header is right, 4: It is wrong, 8: Its TCP or UDP sum is right, 16: It is wrong."),
    Field("tag", 48, 16, "rw", 0x0, "Transmit: tag of the stamp (tx_stamp.tag)."),
)
BUFFER_STAMP_OFFSET = 8
BUFFER_STAMP: tuple[Field, ...] = (
    Field("ns", 0, 64, "rw", 0x0, "Nanoseconds."),
)
BUFFER_REQUEST_STAMP = 0x01
BUFFER_REQUEST_IP_SUM = 0x02
BUFFER_REQUEST_L4_SUM = 0x04
BUFFER_REQUEST_KEEP = 0x08
BUFFER_STATUS_DROPPED = 0x01
BUFFER_STATUS_IP_GOOD = 0x02
BUFFER_STATUS_IP_BAD = 0x04
BUFFER_STATUS_L4_GOOD = 0x08
BUFFER_STATUS_L4_BAD = 0x10

# Queue in memory (NIC_1.1): fields of the big-endian 64-bit words at these byte offsets (bit 63: first byte).
MEMORY_QUEUE_ENTRIES_OFFSET = 16
MEMORY_QUEUE_LOCK_OFFSET = 0
MEMORY_QUEUE_LOCK: tuple[Field, ...] = (
    Field("owner", 32, 32, "rw", 0x0, "0: free; anything else: held. The NIC writes 2, the processor 1."),
)
MEMORY_QUEUE_INDICES_OFFSET = 8
MEMORY_QUEUE_INDICES: tuple[Field, ...] = (
    Field("tail", 0, 32, "rw", 0x0, "Pointers that were pushed."),
    Field("head", 32, 32, "rw", 0x0, "Pointers that were popped."),
)
