/* SPDX-License-Identifier: Apache-2.0 */
/* N-SoC memory map, device registers, packet buffer and queues in memory.
 * Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
 *
 * A struct describes a device's registers, NSOC_<device> points to the one in this SoC.
 * NSOC_<device>_<register>_<field> is a field's mask, with _LSB its lowest bit.
 * Where there are several alike, one a hart, NSOC_<device> is hart 0's, NSOC_<device> + h hart h's.
 * [ro] read only, [rw] read and write, [w1c] writing 1 clears, [wo] write only.
 */
#ifndef NSOC_REGS_H
#define NSOC_REGS_H

#include <stddef.h>
#include <stdint.h>

/* ---- Memory map ---- */

/* Boot ROM. */
#define NSOC_BOOT_ROM_BASE 0x00000000u
#define NSOC_BOOT_ROM_BYTES 0x10000u
/* External memory. */
#define NSOC_DRAM_BASE 0x40000000u
#define NSOC_DRAM_BYTES 0x10000000u
/* Fast local packet memory, never cached. */
#define NSOC_PACKET_MEMORY_BASE 0x50000000u
#define NSOC_PACKET_MEMORY_BYTES 0x40000u

/* Lines at the interrupt controller. */
#define NSOC_IRQ_NIC 0
#define NSOC_IRQ_UART 1
#define NSOC_IRQ_DMA 2
#define NSOC_IRQ_TOE 3

/* ---- NIC ---- */

/* Network interface controller NIC_1.2, or NIC_1.1, whose queues are in memory. */
typedef struct {
    /* 0x000: Control. Modes switch between frames. [rw] */
    volatile uint32_t control;
    /* 0x004: Receive spreads frames round robin over the enabled servers whose queue has room (or by flow: see
     * steering). When all enabled ones are full or none is enabled a frame waits as long as rx_patience says.
     * Queues of a server that is disabled keep their frames: the processor still pops its receive queue, and
     * transmit queues are served whether enabled or not, so no queued frame is lost. A NIC_1.1 has server 0 only:
     * there a value with another bit is an error and changes nothing. [rw] */
    volatile uint32_t servers_enabled;
    /* 0x008: Debug register 1: scratch, the NIC does not look at it. [rw] */
    volatile uint32_t debug1;
    /* 0x00C: Debug register 2: what the engines are doing. [ro] */
    volatile const uint32_t debug2;
    /* 0x010: Buffers in each queue: the depth in use, 1 to 64. A value out of range is an error and changes
     * nothing. Reducing it loses no pointer: a queue that holds more refuses pushes until it has fallen below.
     * Buffers that the engines give back to the free queue may use all 64 places. In a NIC_1.1 it means nothing:
     * queue_setup says how long the queues are. [rw] */
    volatile uint32_t queue_depth;
    uint32_t reserved0[3];
    struct {
        /* 0x020: Write: push a pointer. The response carries 0 when it was taken, FULL (2) when the queue is full;
         * a full queue also sets this queue's bit in push_failed. A pointer that is not a multiple of 8 is an error
         * and is not pushed. Read: pop a pointer; the answer is EMPTY (1) when there is none. [rw] */
        volatile uint32_t pointer;
        /* 0x024: How many pointers the queue holds now. [ro] */
        volatile const uint32_t occupancy;
    } rxq[4];
    struct {
        /* 0x040: Like rxq[].pointer. */
        volatile uint32_t pointer;
        /* 0x044: Like rxq[].occupancy. */
        volatile const uint32_t occupancy;
    } txq[4];
    struct {
        /* 0x060: Like rxq[].pointer. */
        volatile uint32_t pointer;
        /* 0x064: Like rxq[].occupancy. */
        volatile const uint32_t occupancy;
        /* 0x068: Free-queue lock, with two possible owners: the processor and the self-test. A read returns 1 when
         * it grants the lock, 0 when the lock is held already (by whomever); writing 1 releases it. While it is
         * held the engines leave the free queue alone, and to whoever is not its owner the free queue answers EMPTY
         * to a pop and FULL to a push. Single pushes and pops are atomic and need no lock. Releasing a lock that is
         * not held (a second release, too) or that another owner holds changes nothing, is answered NOT_OWNED (2)
         * and sets push_failed.lock. Writing 0 does nothing. [rw] */
        volatile uint32_t lock;
    } freeq;
    uint32_t reserved1[5];
    /* 0x080: A push by the processor found the queue full. Sticky; writing 1 clears. [w1c] */
    volatile uint32_t push_failed;
    /* 0x084: Size of every packet buffer in bytes, control word and stamp included: 128 to 65528, a multiple of 8.
     * Anything else is an error and changes nothing. Takes effect with the next frame. The longest frame received
     * or sent is 18 bytes shorter, without FCS, or what max_frame says. [rw] */
    volatile uint32_t buffer_size;
    /* 0x088: Interrupt causes. An unmasked error raises the line at once; rx_ready and tx_done raise it when
     * irq_moderation lets them. The line falls when no unmasked cause is left. [w1c] */
    volatile uint32_t irq_status;
    /* 0x08C: Which causes raise the interrupt; bits as in irq_status. [rw] */
    volatile uint32_t irq_mask;
    /* 0x090: High word of the free-running counter, as it was at the last read of free_counter: read that first and
     * both words belong together. [ro] */
    volatile const uint32_t free_counter_high;
    /* 0x094: Buffer pointers that are inside the engines and in no queue. With the queues' occupancies this
     * accounts for every pointer the NIC was given. [ro] */
    volatile const uint32_t pointers_held;
    /* 0x098: Interrupt moderation for rx_ready and tx_done: the line rises when so many frames (delivered to or
     * back from unmasked causes) have come since no unmasked cause was left, or when the first of them has waited
     * so long, whichever is first. Once risen it stays until no unmasked cause is left. No interrupt is lost:
     * without a time a count would be one that may never be reached, so a time of 0 means at once. [rw] */
    volatile uint32_t irq_moderation;
    /* 0x09C: How long the receive engine goes on waiting for a free buffer, or for room in a receive queue, before
     * it drops the frame it waits with, counted by cause. The time runs from the moment when a frame first had to
     * wait, and all further frames are dropped at once until the shortage ends (there is a free buffer; a server
     * that the frame may go to has had room), so that the MAC's FIFO never stands still behind it. All ones: it
     * waits for ever, and the MAC's FIFO overflows and counts. [rw] */
    volatile uint32_t rx_patience;
    /* 0x0A0: MAC: a good frame, stored in the receive FIFO. Not a drop: each of them goes on to the MAC's user.
     * [ro] */
    volatile const uint32_t rx_good;
    /* 0x0A4: MAC: wrong FCS (a truncated frame of legal length ends here too). [ro] */
    volatile const uint32_t rx_drop_fcs;
    /* 0x0A8: MAC: shorter than 64 bytes with FCS. [ro] */
    volatile const uint32_t rx_drop_runt;
    /* 0x0AC: MAC: longer than the longest legal frame. [ro] */
    volatile const uint32_t rx_drop_oversize;
    /* 0x0B0: MAC: receive error signalled by the PHY, or no SFD among the first nine bytes (XGMII: in its place).
     * [ro] */
    volatile const uint32_t rx_drop_error;
    /* 0x0B4: MAC: no room in the receive FIFO for the whole frame. [ro] */
    volatile const uint32_t rx_drop_overflow;
    /* 0x0B8: MAC: began while the MAC was not enabled. [ro] */
    volatile const uint32_t rx_drop_disabled;
    /* 0x0BC: NIC: longer than the packet buffer. [ro] */
    volatile const uint32_t rx_drop_too_long;
    /* 0x0C0: NIC: the memory refused a write of the frame. [ro] */
    volatile const uint32_t rx_drop_memory_error;
    /* 0x0C4: NIC: a frame was handed to the MAC. Not a drop: each of them is sent, or dropped by the MAC, in the
     * end. [ro] */
    volatile const uint32_t tx_taken;
    /* 0x0C8: NIC: length in the control word below 14, above max_frame less 4 or beyond the packet buffer. [ro] */
    volatile const uint32_t tx_drop_bad_length;
    /* 0x0CC: NIC: the memory refused the read of the control word; nothing was handed to the MAC. [ro] */
    volatile const uint32_t tx_drop_memory_error;
    /* 0x0D0: MAC: aborted by the sender, because the memory refused the read of a part of it. If a sender other
     * than the NIC let it begin on the line before (steady), it ended there with an error and a wrong FCS, for this
     * reason or because it had run dry before (it does not count as an underrun then). [ro] */
    volatile const uint32_t tx_drop_abort;
    /* 0x0D4: MAC: longer than the longest legal frame. [ro] */
    volatile const uint32_t tx_drop_oversize;
    /* 0x0D8: MAC: a good frame for somebody else (settings promiscuous and broadcast, MAC address, multicast hash).
     * [ro] */
    volatile const uint32_t rx_drop_filtered;
    /* 0x0DC: MAC: a pause frame, obeyed and consumed (setting rx_pause). Not a drop. [ro] */
    volatile const uint32_t rx_pause;
    /* 0x0E0: NIC: no free buffer for longer than rx_patience. [ro] */
    volatile const uint32_t rx_drop_no_buffer;
    /* 0x0E4: NIC: no enabled server with room in its queue for longer than rx_patience. Also a frame whose control
     * word is written already, with status 0, when the processor itself has filled the queue chosen for it: its
     * buffer goes back to the free queue. [ro] */
    volatile const uint32_t rx_drop_no_server;
    /* 0x0E8: MAC: a pause frame sent of its own accord (setting tx_pause). Not a drop, and not one of the frames
     * that the MAC was given to send. [ro] */
    volatile const uint32_t tx_pause;
    /* 0x0EC: MAC: begun before it was whole, as its sender had promised the rest in time (steady), and its next
     * word came too late: it ended on the line with an error and a wrong FCS. The NIC keeps its promises: with it
     * this stays 0. [ro] */
    volatile const uint32_t tx_drop_underrun;
    /* 0x0F0: NIC: a transmit stamp was asked for while 16 were outstanding or unread: the frame went to the MAC
     * whole, without a stamp. One that was aborted is not counted. Not a drop. [ro] */
    volatile const uint32_t tx_stamp_lost;
    uint32_t reserved2[3];
    /* 0x100: MAC: speed, pause, address filter. Takes effect between frames; mii only while mac_enable is 0 and no
     * frame is on its way out or in any more (a longest frame takes 12.3 us at 1 Gb/s). [rw] */
    volatile uint32_t mac_control;
    /* 0x104: How received frames are spread over the servers. [rw] */
    volatile uint32_t steering;
    /* 0x108: Multicast filter, low word: bit n accepts group addresses whose hash is n. The hash is bits 0
     * (highest) to 5 (lowest) of the reflected CRC-32 register, begun with ones and not complemented, behind the
     * six address bytes: what Linux calls ether_crc(6, address) >> 26. [rw] */
    volatile uint32_t multicast_hash_low;
    /* 0x10C: Multicast filter, high word. [rw] */
    volatile uint32_t multicast_hash_high;
    /* 0x110: PTP time in nanoseconds, low word. A read keeps the high word for ptp_high; a write waits for
     * ptp_command. [rw] */
    volatile uint32_t ptp_low;
    /* 0x114: PTP time, high word: as it was at the last read of ptp_low. A write waits for ptp_command. [rw] */
    volatile uint32_t ptp_high;
    /* 0x118: By how much the PTP time grows with each cycle of the NIC clock: nanoseconds as a fixed-point number
     * with 28 bits of fraction, 0.47 ppb of 8 ns a unit. [rw] */
    volatile uint32_t ptp_increment;
    /* 0x11C: What to do with the 64 bits written to ptp_low and ptp_high. Reads as 0. Of both bits, set counts.
     * [rw] */
    volatile uint32_t ptp_command;
    /* 0x120: Transmit stamps, oldest first: a read takes the next one, whose time then stands in tx_stamp_low and
     * tx_stamp_high until the next read. [ro] */
    volatile const uint32_t tx_stamp;
    /* 0x124: PTP time when the frame's start of frame delimiter left the MAC, low word. [ro] */
    volatile const uint32_t tx_stamp_low;
    /* 0x128: The same, high word. [ro] */
    volatile const uint32_t tx_stamp_high;
    uint32_t reserved3[5];
    /* 0x140: Self-test of registers, queues and memory, inside the NIC. Writing the number of a test starts it,
     * unless the NIC is in use: it is refused while nic_enable is 1, a queue or an engine holds a pointer, or the
     * free-queue lock is held (in a NIC_1.1 the queues in memory are not looked at). Writing 0 clears
     * selftest_status and selftest_cycles. While a test runs the engines stand still, whatever nic_enable says,
     * writes to the self-test's registers are errors, and the processor's accesses to all others alternate with
     * those of the test; the free-queue lock is not granted to it then, and it must not push pointers. A test ends
     * with the queues empty and the lock released, also when it fails; test 2, and any failed one, clears
     * push_failed and irq_status. Clear push_failed before test 2, which takes old bits for a failure. [rw] */
    volatile uint32_t selftest_control;
    /* 0x144: How the test went. [ro] */
    volatile const uint32_t selftest_status;
    /* 0x148: Where the memory to test begins. [rw] */
    volatile uint32_t selftest_base;
    /* 0x14C: How much memory to test, in bytes: a multiple of 8. [rw] */
    volatile uint32_t selftest_bytes;
    /* 0x150: The answer that was expected; of memory the 32-bit word at selftest_address, first byte highest. [ro]
     * */
    volatile const uint32_t selftest_expected;
    /* 0x154: The answer that came. [ro] */
    volatile const uint32_t selftest_got;
    /* 0x158: Worst times so far, in cycles of the NIC clock from the request to its response; 255: or more. Waiting
     * for an access of the processor counts: it had better leave the NIC alone meanwhile. [ro] */
    volatile const uint32_t selftest_cycles;
    /* 0x15C: Test 4: address of the word that was not as expected. [ro] */
    volatile const uint32_t selftest_address;
    /* 0x160: Where the free queue is in memory (layout: memory_queue). To be changed only while nic_enable is 0 and
     * pointers_held is 0, as the other three; a write to any of the four makes the NIC forget what it has seen of
     * the queues. [rw] */
    volatile uint32_t queue_free_base;
    /* 0x164: Where the receive queue (of server 0) is in memory. [rw] */
    volatile uint32_t queue_receive_base;
    /* 0x168: Where the transmit queue (of server 0) is in memory. [rw] */
    volatile uint32_t queue_transmit_base;
    /* 0x16C: How long the queues in memory are and how often the NIC looks at them. A number of entries that it
     * cannot have is an error and changes nothing. [rw] */
    volatile uint32_t queue_setup;
    /* 0x170: Operations on queues in memory that went wrong. None of them has changed its queue; the NIC tries it
     * again every queue_setup.pause cycles, and goes on when it succeeds. No pointer is lost. Of each field bit 0
     * is about the free queue, bit 1 the receive queue, bit 2 the transmit queue. Sticky; writing 1 clears. [w1c]
     * */
    volatile uint32_t queue_errors;
    /* 0x174: What this NIC is and what was built into it. Registers of what is left out answer with an error. [ro]
     * */
    volatile const uint32_t capability;
    /* 0x178: Soft reset: the way back from any state. Writing 1 resets the NIC and, by mac_restart, the MAC: all
     * registers come to their reset values, counters, times and interrupt causes to 0, all queues are empty and the
     * lock is free, a self-test ends. Buffers then belong to the processor, wherever they were. Requests to memory
     * that are under way are answered first, and an operation on a queue in memory ends: then, 70 cycles later, the
     * reset is over. The MAC goes on by itself: its FIFOs are empty, and frames flow again as soon as it is enabled
     * and done, at most 100 byte times of the line later. A frame that is being sent is cut short with an error on
     * the line, or ends well if all of it had been handed over; a frame that is being received may count as
     * rx_drop_disabled. All other frames inside are gone, and so are the counts of all before. The whole way back,
     * as nic_recover (firmware/lib/nic.h) does it: write 1 here; read until 0; in a NIC_1.1 clear the queues in
     * memory, their locks too, and set the queue_*_base registers and queue_setup; set mac_control, buffer_size and
     * whatever else is not to be as after power-on; push every buffer into the free queue; set servers_enabled,
     * then control. [rw] */
    volatile uint32_t reset;
    /* 0x17C: Buffers that the transmit engine left to the processor (keep in buffer.control.request), sent or not:
     * they come in the order in which they were queued to one server. One whose control word could not be read goes
     * to the free queue. [ro] */
    volatile const uint32_t tx_kept;
    /* 0x180: The longest frame in bytes, FCS included, received (longer ones count as rx_drop_oversize) or sent (as
     * tx_drop_bad_length): 64 to 2034, what buffers of 2048 bytes hold. Anything else is an error and changes
     * nothing. 1518 is IEEE 802.3's basic frame, 1522 one with a tag, 1526 with two (802.1ad), 2000 an envelope
     * frame (802.3as). Takes effect as all settings of the MAC do. See buffer_size, too. [rw] */
    volatile uint32_t max_frame;
    uint32_t reserved4[111];
    /* 0x340: MAC address, low word. [rw] */
    volatile uint32_t mac_address_low;
    /* 0x344: MAC address, high word. [rw] */
    volatile uint32_t mac_address_high;
    /* 0x348: MAC: the last byte of a frame left the MAC. [ro] */
    volatile const uint32_t packets_transmitted;
    /* 0x34C: NIC: a frame was delivered into a receive queue (NIC loopback: into a transmit queue). [ro] */
    volatile const uint32_t packets_received;
    /* 0x350: Status word: live bits. [ro] */
    volatile const uint32_t status;
    /* 0x354: NIC: a sum was asked for that this frame cannot have (no IPv4, no TCP or UDP, a fragment, lengths that
     * do not fit): it went to the MAC as it was. One that was aborted is not counted. Not a drop. [ro] */
    volatile const uint32_t tx_sum_unfit;
    uint32_t reserved5[41];
    /* 0x3FC: Free-running counter: cycles of the NIC clock since reset, low word. [ro] */
    volatile const uint32_t free_counter;
} nsoc_nic_t;
_Static_assert(sizeof(nsoc_nic_t) == 0x400, "layout");

#define NSOC_NIC_BASE 0xFF000000u
#define NSOC_NIC ((nsoc_nic_t *)NSOC_NIC_BASE)
#define NSOC_NIC_RXQ_COUNT 4
#define NSOC_NIC_TXQ_COUNT 4

/* The engines work. Cleared: they stop after the frame at hand and the receive engine returns the buffer it had
 * fetched in advance. */
#define NSOC_NIC_CONTROL_NIC_ENABLE 0x00000001u
/* The MAC receives. */
#define NSOC_NIC_CONTROL_MAC_ENABLE 0x00000002u
/* The interrupt line is driven. */
#define NSOC_NIC_CONTROL_IRQ_ENABLE 0x00000004u
/* NIC loopback: a received frame goes into the transmit queue of the server that would have received it, no
 * processor involved. */
#define NSOC_NIC_CONTROL_NIC_LOOPBACK 0x00000080u
/* MAC loopback: the MAC sends what it receives, the NIC sees nothing. A received frame that already waits for the
 * NIC goes to the NIC first: while that is disabled the switch waits. */
#define NSOC_NIC_CONTROL_MAC_LOOPBACK 0x00000100u
/* Bit s: server s is enabled. */
#define NSOC_NIC_SERVERS_ENABLED_MASK 0x0000000Fu
#define NSOC_NIC_SERVERS_ENABLED_MASK_LSB 0
/* Receive engine: 0 between frames, 1 storing frame bytes, 2 storing the bytes left over, 3 skipping the rest of a
 * frame that is too long, 4 storing the control word (or waiting for room in a receive queue), 5 storing the stamp,
 * 6 skipping a frame for which there is no buffer. */
#define NSOC_NIC_DEBUG2_RX_STATE 0x00000007u
#define NSOC_NIC_DEBUG2_RX_STATE_LSB 0
/* Receive engine: frames stored whose memory responses are still awaited or whose pointer waits for its queue. */
#define NSOC_NIC_DEBUG2_RX_COMPLETING 0x00000700u
#define NSOC_NIC_DEBUG2_RX_COMPLETING_LSB 8
/* Transmit engine, memory side: 0 waits for a pointer, 1 takes it, 2 reads the control word, 3 reads the first
 * dwords, 4 waits for the length, 5 reads the rest, 6 pops the pointer. */
#define NSOC_NIC_DEBUG2_TX_STATE 0x00070000u
#define NSOC_NIC_DEBUG2_TX_STATE_LSB 16
/* Transmit engine: frames begun and not yet finished. */
#define NSOC_NIC_DEBUG2_TX_FRAMES 0x07000000u
#define NSOC_NIC_DEBUG2_TX_FRAMES_LSB 24
/* 1 to 64. */
#define NSOC_NIC_QUEUE_DEPTH_DEPTH 0x0000007Fu
#define NSOC_NIC_QUEUE_DEPTH_DEPTH_LSB 0
/* In a pop's response: the queue is empty. */
#define NSOC_NIC_QUEUE_POINTER_EMPTY 0x00000001u
/* In a push's response: the queue is full, the pointer was not taken. */
#define NSOC_NIC_QUEUE_POINTER_FULL 0x00000002u
/* Address of the buffer, bits 31 to 3; the low three bits are zero. */
#define NSOC_NIC_QUEUE_POINTER_ADDRESS 0xFFFFFFF8u
#define NSOC_NIC_QUEUE_POINTER_ADDRESS_LSB 3
/* 0 to 64. */
#define NSOC_NIC_QUEUE_OCCUPANCY_POINTERS 0x0000007Fu
#define NSOC_NIC_QUEUE_OCCUPANCY_POINTERS_LSB 0
/* 1: granted by this read. */
#define NSOC_NIC_LOCK_GRANTED 0x00000001u
/* In a release's response: the lock was not the caller's. */
#define NSOC_NIC_LOCK_NOT_OWNED 0x00000002u
/* Bit s: receive queue s. */
#define NSOC_NIC_PUSH_FAILED_RXQ 0x0000000Fu
#define NSOC_NIC_PUSH_FAILED_RXQ_LSB 0
/* Bit s: transmit queue s. */
#define NSOC_NIC_PUSH_FAILED_TXQ 0x000000F0u
#define NSOC_NIC_PUSH_FAILED_TXQ_LSB 4
/* Free queue. */
#define NSOC_NIC_PUSH_FAILED_FREEQ 0x00000100u
/* The free-queue lock was released by somebody who did not hold it. */
#define NSOC_NIC_PUSH_FAILED_LOCK 0x00000200u
/* Bytes. */
#define NSOC_NIC_BUFFER_SIZE_BYTES 0x0000FFFFu
#define NSOC_NIC_BUFFER_SIZE_BYTES_LSB 0
/* Bit s: receive queue s holds a frame (level; in a NIC_1.1 as the NIC last saw it, which looks again every
 * queue_setup.pause cycles: a frame shows at once, that the queue is empty a little later). */
#define NSOC_NIC_IRQ_STATUS_RX_READY 0x0000000Fu
#define NSOC_NIC_IRQ_STATUS_RX_READY_LSB 0
/* The transmit engine gave a buffer back to the free queue, or left it to the processor (tx_kept). Sticky; writing
 * 1 clears. */
#define NSOC_NIC_IRQ_STATUS_TX_DONE 0x00000100u
/* A drop counter or tx_stamp_lost counted, push_failed got a bit, or an operation on a queue in memory went wrong
 * (queue_errors). Sticky; writing 1 clears. */
#define NSOC_NIC_IRQ_STATUS_ERROR 0x00000200u
/* Receive queue s holds a frame. */
#define NSOC_NIC_IRQ_MASK_RX_READY 0x0000000Fu
#define NSOC_NIC_IRQ_MASK_RX_READY_LSB 0
/* A buffer is back from transmission. */
#define NSOC_NIC_IRQ_MASK_TX_DONE 0x00000100u
/* Something was dropped or refused. */
#define NSOC_NIC_IRQ_MASK_ERROR 0x00000200u
/* Receive engine. */
#define NSOC_NIC_POINTERS_HELD_RX 0x000000FFu
#define NSOC_NIC_POINTERS_HELD_RX_LSB 0
/* Transmit engine. */
#define NSOC_NIC_POINTERS_HELD_TX 0x0000FF00u
#define NSOC_NIC_POINTERS_HELD_TX_LSB 8
/* NIC_1.1: between an engine and a queue in memory. An operation that is under way counts as a pointer. */
#define NSOC_NIC_POINTERS_HELD_QUEUES 0x00FF0000u
#define NSOC_NIC_POINTERS_HELD_QUEUES_LSB 16
/* Frames; 0 and 1 mean the first. */
#define NSOC_NIC_IRQ_MODERATION_FRAMES 0x000000FFu
#define NSOC_NIC_IRQ_MODERATION_FRAMES_LSB 0
/* Cycles of the NIC clock; 0: at once, whatever the count. */
#define NSOC_NIC_IRQ_MODERATION_CYCLES 0xFFFFFF00u
#define NSOC_NIC_IRQ_MODERATION_CYCLES_LSB 8
/* Cycles of the NIC clock. After reset as long as 16 KB take to arrive at 1 Gb/s. */
#define NSOC_NIC_RX_PATIENCE_CYCLES 0x00FFFFFFu
#define NSOC_NIC_RX_PATIENCE_CYCLES_LSB 0
/* 10 or 100 Mb/s: nibbles on four pins (MII). Cleared: bytes on eight (GMII, 1 Gb/s). */
#define NSOC_NIC_MAC_CONTROL_MII 0x00000001u
/* Obey 802.3x pause frames: consume them, and begin no frame while paused. */
#define NSOC_NIC_MAC_CONTROL_RX_PAUSE 0x00000002u
/* Send pause frames: XOFF while the receive FIFO is more than half full, XON when it is less than a quarter full.
 * */
#define NSOC_NIC_MAC_CONTROL_TX_PAUSE 0x00000004u
/* Accept frames for any address. */
#define NSOC_NIC_MAC_CONTROL_PROMISCUOUS 0x00000008u
/* Accept broadcast frames. */
#define NSOC_NIC_MAC_CONTROL_BROADCAST 0x00000010u
/* A received frame leaves the receive FIFO when it is there whole and good. Cleared: a frame behind no other leaves
 * while it comes in (cut-through). */
#define NSOC_NIC_MAC_CONTROL_RX_STORE 0x00000020u
/* By flow instead of round robin: all frames of one flow, in either direction, go to the same server as long as the
 * set of enabled servers stays. A flow is protocol, addresses and ports of TCP and UDP over IPv4; addresses and
 * protocol of other IPv4 and of fragments; Ethernet addresses of all else. A frame whose server's queue is full
 * waits, and with it all behind it: a small rx_patience suits this. */
#define NSOC_NIC_STEERING_FLOW 0x00000001u
/* Writing 1: they become the time. */
#define NSOC_NIC_PTP_COMMAND_SET 0x00000001u
/* Writing 1: they are added to the time (two's complement: it may step back). */
#define NSOC_NIC_PTP_COMMAND_STEP 0x00000002u
/* The tag in the control word of the frame that was stamped. */
#define NSOC_NIC_TX_STAMP_TAG 0x0000FFFFu
#define NSOC_NIC_TX_STAMP_TAG_LSB 0
/* There was a stamp. */
#define NSOC_NIC_TX_STAMP_VALID 0x80000000u
/* 1: registers (patterns in debug1, which it overwrites; errors). 2: each queue to queue_depth and back, the lock.
 * 3: pointers around, free to receive to transmit to free queue, over every server. 4: memory from selftest_base
 * on, selftest_bytes, which it overwrites: address in address, walking ones, byte masks, an error outside. Others
 * are refused, 2 and 3 in a NIC_1.1, too. */
#define NSOC_NIC_SELFTEST_CONTROL_TEST 0x00000007u
#define NSOC_NIC_SELFTEST_CONTROL_TEST_LSB 0
/* Runs. */
#define NSOC_NIC_SELFTEST_STATUS_BUSY 0x00000001u
/* Came to its end. */
#define NSOC_NIC_SELFTEST_STATUS_DONE 0x00000002u
/* Found an answer that was not the expected one; all fields below are about the first. */
#define NSOC_NIC_SELFTEST_STATUS_FAILED 0x00000004u
/* Did not start: the NIC is in use, there is no such test, or no memory to test. */
#define NSOC_NIC_SELFTEST_STATUS_REFUSED 0x00000008u
/* The error bit of the answer. */
#define NSOC_NIC_SELFTEST_STATUS_GOT_ERR 0x00000010u
/* Tests 1 to 3: the step, see the table in nic_selftest. Test 4: 0 and 1, address in address, write and read; 2 and
 * 3, its complement; 4 and 5, walking ones; 6 and 7, byte masks; 8 and 9, outside. */
#define NSOC_NIC_SELFTEST_STATUS_STEP 0x00003F00u
#define NSOC_NIC_SELFTEST_STATUS_STEP_LSB 8
/* Test 2: the queue, in the order of IDs. Test 3: the server. */
#define NSOC_NIC_SELFTEST_STATUS_QUEUE_NUMBER 0x000F0000u
#define NSOC_NIC_SELFTEST_STATUS_QUEUE_NUMBER_LSB 16
/* Which pattern or place of the queue. */
#define NSOC_NIC_SELFTEST_STATUS_INDEX 0x3F000000u
#define NSOC_NIC_SELFTEST_STATUS_INDEX_LSB 24
/* Bits 31 to 3; the low three bits are zero. */
#define NSOC_NIC_SELFTEST_BASE_ADDRESS 0xFFFFFFF8u
#define NSOC_NIC_SELFTEST_BASE_ADDRESS_LSB 3
/* Bits 31 to 3. */
#define NSOC_NIC_SELFTEST_BYTES_BYTES 0xFFFFFFF8u
#define NSOC_NIC_SELFTEST_BYTES_BYTES_LSB 3
/* A register access (tests 1 to 3). */
#define NSOC_NIC_SELFTEST_CYCLES_REGISTER_ACCESS 0x000000FFu
#define NSOC_NIC_SELFTEST_CYCLES_REGISTER_ACCESS_LSB 0
/* A push or a pop (tests 2 and 3). */
#define NSOC_NIC_SELFTEST_CYCLES_QUEUE_OP 0x0000FF00u
#define NSOC_NIC_SELFTEST_CYCLES_QUEUE_OP_LSB 8
/* One pointer around: six operations back to back (test 3). */
#define NSOC_NIC_SELFTEST_CYCLES_TRAVERSAL 0x00FF0000u
#define NSOC_NIC_SELFTEST_CYCLES_TRAVERSAL_LSB 16
/* Bits 31 to 2. */
#define NSOC_NIC_SELFTEST_ADDRESS_WORD 0xFFFFFFFCu
#define NSOC_NIC_SELFTEST_ADDRESS_WORD_LSB 2
/* Bits 31 to 3; the low three bits are zero. */
#define NSOC_NIC_QUEUE_FREE_BASE_ADDRESS 0xFFFFFFF8u
#define NSOC_NIC_QUEUE_FREE_BASE_ADDRESS_LSB 3
/* Bits 31 to 3; the low three bits are zero. */
#define NSOC_NIC_QUEUE_RECEIVE_BASE_ADDRESS 0xFFFFFFF8u
#define NSOC_NIC_QUEUE_RECEIVE_BASE_ADDRESS_LSB 3
/* Bits 31 to 3; the low three bits are zero. */
#define NSOC_NIC_QUEUE_TRANSMIT_BASE_ADDRESS 0xFFFFFFF8u
#define NSOC_NIC_QUEUE_TRANSMIT_BASE_ADDRESS_LSB 3
/* Entries of each queue: 1, 2, 4, 8, 16, 32 or 64. 0: the NIC has not been told of the queues and does not touch
 * them; it has no free buffer then and no room, and nothing to send. */
#define NSOC_NIC_QUEUE_SETUP_ENTRIES 0x0000007Fu
#define NSOC_NIC_QUEUE_SETUP_ENTRIES_LSB 0
/* Cycles of the NIC clock from one look at a queue to the next while the NIC waits for it to change, and before an
 * operation that found the lock held or failed is tried again. A small one sees changes sooner, but takes the
 * memory's time from the processor. */
#define NSOC_NIC_QUEUE_SETUP_PAUSE 0x00FFFF00u
#define NSOC_NIC_QUEUE_SETUP_PAUSE_LSB 8
/* The memory answered an access with an error. */
#define NSOC_NIC_QUEUE_ERRORS_BUS 0x00000007u
#define NSOC_NIC_QUEUE_ERRORS_BUS_LSB 0
/* tail - head is more than the entries, or an entry is not a multiple of 8. */
#define NSOC_NIC_QUEUE_ERRORS_CONTENT 0x00000070u
#define NSOC_NIC_QUEUE_ERRORS_CONTENT_LSB 4
/* nic_enable is 1 and queue_setup.entries is 0. */
#define NSOC_NIC_QUEUE_ERRORS_UNSET 0x00000100u
/* 1: its queues are in memory, a NIC_1.1. 0: they are in the NIC, a NIC_1.2. */
#define NSOC_NIC_CAPABILITY_QUEUES_IN_MEMORY 0x00000001u
/* The self-test is there. */
#define NSOC_NIC_CAPABILITY_SELFTEST 0x00000002u
/* PTP time and stamps are there. Without them dword 1 of a received buffer is 0, and a frame that wants a stamp
 * counts as tx_stamp_lost. */
#define NSOC_NIC_CAPABILITY_PTP 0x00000004u
/* The counters are there. */
#define NSOC_NIC_CAPABILITY_STATISTICS 0x00000008u
/* Servers, 1 to 4; 1 in a NIC_1.1. */
#define NSOC_NIC_CAPABILITY_SERVERS 0x00000070u
#define NSOC_NIC_CAPABILITY_SERVERS_LSB 4
/* Places in a queue: 2 to the power of this. The most that queue_depth can be, and its reset value. */
#define NSOC_NIC_CAPABILITY_LOG2_DEPTH 0x00000F00u
#define NSOC_NIC_CAPABILITY_LOG2_DEPTH_LSB 8
/* The offloads are there: the NIC looks at IPv4, TCP and UDP sums, puts them in, and leaves buffers to the
 * processor (buffer.control). Without them tx_kept and tx_sum_unfit do not exist. */
#define NSOC_NIC_CAPABILITY_OFFLOADS 0x00001000u
/* Writing 1: begins. Reads 1 until the NIC is reset. */
#define NSOC_NIC_RESET_SOFT 0x00000001u
/* Bytes. The reset value is the preset's max_frame_bytes. */
#define NSOC_NIC_MAX_FRAME_BYTES 0x000007FFu
#define NSOC_NIC_MAX_FRAME_BYTES_LSB 0
/* Bits 47 to 32. */
#define NSOC_NIC_MAC_ADDRESS_HIGH_HIGH 0x0000FFFFu
#define NSOC_NIC_MAC_ADDRESS_HIGH_HIGH_LSB 0
/* Bit s: receive queue s holds a pointer. */
#define NSOC_NIC_STATUS_RXQ_NONEMPTY 0x0000000Fu
#define NSOC_NIC_STATUS_RXQ_NONEMPTY_LSB 0
/* Bit s: transmit queue s holds a pointer. */
#define NSOC_NIC_STATUS_TXQ_NONEMPTY 0x000000F0u
#define NSOC_NIC_STATUS_TXQ_NONEMPTY_LSB 4
/* The free queue holds a pointer. */
#define NSOC_NIC_STATUS_FREEQ_NONEMPTY 0x00000100u
/* The free-queue lock is held. */
#define NSOC_NIC_STATUS_LOCK_HELD 0x00000200u
/* The receive engine is between frames and all frames are delivered. */
#define NSOC_NIC_STATUS_RX_IDLE 0x00000400u
/* The transmit engine has no frame. */
#define NSOC_NIC_STATUS_TX_IDLE 0x00000800u
/* Bit s: receive queue s is full. */
#define NSOC_NIC_STATUS_RXQ_FULL 0x0000F000u
#define NSOC_NIC_STATUS_RXQ_FULL_LSB 12
/* Bit s: transmit queue s is full. */
#define NSOC_NIC_STATUS_TXQ_FULL 0x000F0000u
#define NSOC_NIC_STATUS_TXQ_FULL_LSB 16
/* The free queue is full. */
#define NSOC_NIC_STATUS_FREEQ_FULL 0x00100000u

/* ---- TCP/IP engine ---- */

/* TCP/IP engine, in systems that have it; in others its addresses answer with an error. */
typedef struct {
    /* 0x000: First argument of the next command; it keeps its value. SETUP: the receive ring, bits 31 to 11 its
     * address, bits 2 to 0 its size, 2 KB << that; or bit 4 in both arguments, no address: rings for direct cache
     * access, both of one size: 1 of the first 16 connections, 2 of the even and 3 of each fourth of them, and the
     * next ones have none then. OPTION: which, in the order of options_t in rtl/tcp/common/tcp_pkg.sv. OPEN: the
     * peer's address. LISTEN: backlog. SEND, READ: position in the stream. [rw] */
    volatile uint32_t argument_a;
    /* 0x004: Second argument. SETUP: the send ring as in argument_a; bit 3: into the pool of records that a SYN may
     * take. OPTION: the value. OPEN: bits 31 to 16 the peer's port, bits 15 to 0 ours. LISTEN: bits 15 to 0 the
     * port. SEND: 1: it ends with urgent data. [rw] */
    volatile uint32_t argument_b;
    /* 0x008: A command with the arguments as they are. Eight commands without an answer and answers that nobody has
     * taken have room; one more is not taken: the response carries FULL (2) instead of 0, status.refused is set,
     * and it is counted. Commands are done and answered one after the other. An index or command that does not
     * exist, a ring that is not at a multiple of its size inside packet memory or DRAM, and an mtu above 1500 are
     * answered BAD_VALUE, and nothing happens. [wo] */
    volatile uint32_t command;
    /* 0x00C: The oldest answer; the read takes it. [ro] */
    volatile const uint32_t answer;
    /* 0x010: How commands are doing. [w1c] */
    volatile uint32_t status;
    /* 0x014: What has happened at one connection; the read takes it, and makes it the `connection`. Bits are set
     * once until they are taken, and a connection waits in one place, so nothing is ever lost. All bytes up to
     * `received` are in memory by then. [ro] */
    volatile const uint32_t event;
    /* 0x018: How many connections have events. [ro] */
    volatile const uint32_t events;
    /* 0x01C: Causes of the interrupt, as they are now. [ro] */
    volatile const uint32_t irq_status;
    /* 0x020: Which causes raise the interrupt; bits as in irq_status. [rw] */
    volatile uint32_t irq_mask;
    /* 0x024: Whose positions and ends the next registers show: the connection of the last event, or one that is
     * written here. One that does not exist is an error and changes nothing. [rw] */
    volatile uint32_t connection;
    /* 0x028: Position in the stream behind what may be read. It means nothing before SETUP, as the next three. [ro]
     * */
    volatile const uint32_t received;
    /* 0x02C: Position in the stream behind what the peer has acknowledged: before it, the send ring may be written
     * over. [ro] */
    volatile const uint32_t acknowledged;
    /* 0x030: The peer's IP address; of a listener that of the last one who sent a segment to it. [ro] */
    volatile const uint32_t peer_address;
    /* 0x034: The ports. [ro] */
    volatile const uint32_t ports;
    /* 0x038: Whose counters `segments_in` and the following show. A connection that does not exist is an error and
     * changes nothing. [rw] */
    volatile uint32_t counted;
    /* 0x03C: How many connections this engine has. [ro] */
    volatile const uint32_t connections;
    /* 0x040: The engine's counter of microseconds, low word. A read keeps the high word for now_high. [ro] */
    volatile const uint32_t now_low;
    /* 0x044: High word: as it was at the last read of now_low. [ro] */
    volatile const uint32_t now_high;
    /* 0x048: The earliest deadline of all connections, low word, compared with now_low. A read keeps the rest for
     * earliest_high. [ro] */
    volatile const uint32_t earliest_low;
    /* 0x04C: The rest, as it was at the last read of earliest_low. [ro] */
    volatile const uint32_t earliest_high;
    /* 0x050: For tests: the counter of microseconds goes so much faster. [rw] */
    volatile uint32_t time_scale;
    uint32_t reserved0[2];
    /* 0x05C: A group (multicast) whose UDP the engine takes; it has eight places, all empty after reset, and takes
     * 224.0.0.1 besides. A write gives a place another group, or empties it. Reads as 0. [wo] */
    volatile uint32_t group;
    /* 0x060: What the engine takes. [rw] */
    volatile uint32_t ip_control;
    /* 0x064: Our MAC address, bits 31 to 0. [rw] */
    volatile uint32_t mac_low;
    /* 0x068: Our MAC address, bits 47 to 32. [rw] */
    volatile uint32_t mac_high;
    /* 0x06C: Our IP address. To be changed only while there are no connections. [rw] */
    volatile uint32_t address;
    /* 0x070: The subnet's mask. [rw] */
    volatile uint32_t mask;
    /* 0x074: The gateway's IP address. [rw] */
    volatile uint32_t gateway;
    /* 0x078: How long a neighbour's address counts. [rw] */
    volatile uint32_t arp_lifetime;
    /* 0x07C: The least time between two unreachables. [rw] */
    volatile uint32_t refuse_gap;
    /* 0x080: Key of the hash that initial sequence numbers are made of, bytes 0 to 3, the first one lowest. Reads
     * as 0. To be changed only while there are no connections. [wo] */
    volatile uint32_t key0;
    /* 0x084: Key of the hash that initial sequence numbers are made of, bytes 4 to 7, the first one lowest. Reads
     * as 0. To be changed only while there are no connections. [wo] */
    volatile uint32_t key1;
    /* 0x088: Key of the hash that initial sequence numbers are made of, bytes 8 to 11, the first one lowest. Reads
     * as 0. To be changed only while there are no connections. [wo] */
    volatile uint32_t key2;
    /* 0x08C: Key of the hash that initial sequence numbers are made of, bytes 12 to 15, the first one lowest. Reads
     * as 0. To be changed only while there are no connections. [wo] */
    volatile uint32_t key3;
    /* 0x090: The least retransmission timeout. [rw] */
    volatile uint32_t least_rto;
    /* 0x094: The longest retransmission timeout. [rw] */
    volatile uint32_t longest_rto;
    /* 0x098: The retransmission timeout before there is a round trip. [rw] */
    volatile uint32_t first_rto;
    /* 0x09C: How long an acknowledgement waits for another segment. [rw] */
    volatile uint32_t delayed_ack;
    /* 0x0A0: How long a small segment waits for more window (RFC 9293, 3.8.6.2.1). [rw] */
    volatile uint32_t override_time;
    /* 0x0A4: Longest life of a segment: TIME-WAIT is two of these. [rw] */
    volatile uint32_t msl;
    /* 0x0A8: How long a handshake may take. [rw] */
    volatile uint32_t patience;
    /* 0x0AC: How long FIN-WAIT-2 lasts when nobody reads. [rw] */
    volatile uint32_t fin_wait_2;
    /* 0x0B0: Time between keep-alive probes. [rw] */
    volatile uint32_t keep_interval;
    /* 0x0B4: How many keep-alive probes in vain end a connection. [rw] */
    volatile uint32_t keep_probes;
    /* 0x0B8: Challenge acknowledgements of a connection in challenge_time, at most. The second half is for SYNs and
     * resets. [rw] */
    volatile uint32_t challenges;
    /* 0x0BC: The time that `challenges` is about. [rw] */
    volatile uint32_t challenge_time;
    /* 0x0C0: Options that are offered and taken in handshakes, and what becomes of a SYN that finds no place. [rw]
     * */
    volatile uint32_t offers;
    /* 0x0C4: Key of the permutation that IP identifications are made of. Reads as 0. To be changed only while the
     * stack is off. No part of key0 to key3: a receiver may find it out. [wo] */
    volatile uint32_t id_key;
    uint32_t reserved1[14];
    /* 0x100: Segments that came for the connection, whatever became of them. [ro] */
    volatile const uint32_t segments_in;
    /* 0x104: Of these: those with new data that was taken. [ro] */
    volatile const uint32_t data_segments_in;
    /* 0x108: Of these: those that were dropped (one of the tcp_drop counters). [ro] */
    volatile const uint32_t drops;
    /* 0x10C: Segments sent. [ro] */
    volatile const uint32_t segments_out;
    /* 0x110: Of these: those with data. [ro] */
    volatile const uint32_t data_segments_out;
    /* 0x114: Of these: those with something that was sent before. [ro] */
    volatile const uint32_t segments_again;
    /* 0x118: Bytes of data sent, each as often as it was. [ro] */
    volatile const uint32_t bytes_sent;
    /* 0x11C: Of these: those of segments_again. [ro] */
    volatile const uint32_t bytes_again;
    uint32_t reserved2[56];
    /* 0x200: Segment for nobody; answered by a reset, if it is none. [ro] */
    volatile const uint32_t tcp_drop_no_connection;
    /* 0x204: Segment at a listener that begins nothing. [ro] */
    volatile const uint32_t tcp_drop_listen_refused;
    /* 0x208: SYN at a listener whose backlog is full, or without a record in the pool. [ro] */
    volatile const uint32_t tcp_drop_listen_full;
    /* 0x20C: Segment outside the window; answered. [ro] */
    volatile const uint32_t tcp_drop_out_of_window;
    /* 0x210: Segment with an older timestamp (PAWS). [ro] */
    volatile const uint32_t tcp_drop_old_stamp;
    /* 0x214: Segment without the timestamp that was agreed on. [ro] */
    volatile const uint32_t tcp_drop_no_stamp;
    /* 0x218: Acknowledgement too old, or of what was not sent. [ro] */
    volatile const uint32_t tcp_drop_bad_ack;
    /* 0x21C: Reset that is not at the mark; challenged, or ignored. [ro] */
    volatile const uint32_t tcp_drop_bad_reset;
    /* 0x220: SYN in a connection; challenged. [ro] */
    volatile const uint32_t tcp_drop_syn_in_connection;
    /* 0x224: Segment without acknowledgement. [ro] */
    volatile const uint32_t tcp_drop_no_ack;
    /* 0x228: Data ahead of a fifth gap. [ro] */
    volatile const uint32_t tcp_drop_no_gap;
    /* 0x22C: Data that is there already. [ro] */
    volatile const uint32_t tcp_drop_duplicate;
    /* 0x230: Data that nobody reads. [ro] */
    volatile const uint32_t tcp_drop_deaf;
    /* 0x234: SYN whose segment size leaves less than 8 bytes beside timestamps; answered by a reset. [ro] */
    volatile const uint32_t tcp_drop_small_mss;
    /* 0x238: Segments that came to the core. [ro] */
    volatile const uint32_t segment_taken;
    /* 0x23C: Segment that the line or IP found bad. [ro] */
    volatile const uint32_t segment_drop_bad;
    /* 0x240: Segment shorter than a TCP header. [ro] */
    volatile const uint32_t segment_drop_short;
    /* 0x244: Segment with an impossible data offset. [ro] */
    volatile const uint32_t segment_drop_offset;
    /* 0x248: Segment with a wrong sum. [ro] */
    volatile const uint32_t segment_drop_sum;
    /* 0x24C: Good segment without room in the buffer. [ro] */
    volatile const uint32_t segment_drop_room;
    /* 0x250: Frame that went to the NIC. [ro] */
    volatile const uint32_t net_rx_nic;
    /* 0x254: ARP for our address. [ro] */
    volatile const uint32_t net_rx_arp;
    /* 0x258: UDP datagram delivered. [ro] */
    volatile const uint32_t net_rx_udp;
    /* 0x25C: Segment delivered. [ro] */
    volatile const uint32_t net_rx_tcp;
    /* 0x260: Ping, to be answered. [ro] */
    volatile const uint32_t net_rx_echo;
    /* 0x264: ICMP error told, or about nothing of ours. [ro] */
    volatile const uint32_t net_rx_icmp_error;
    /* 0x268: Frame for the stack that was bad on the line. [ro] */
    volatile const uint32_t net_rx_drop_bad;
    /* 0x26C: Lengths that do not fit each other. [ro] */
    volatile const uint32_t net_rx_drop_length;
    /* 0x270: IPv4 header with a wrong sum. [ro] */
    volatile const uint32_t net_rx_drop_ip_sum;
    /* 0x274: Impossible source, a source route, or to all where one is meant. [ro] */
    volatile const uint32_t net_rx_drop_address;
    /* 0x278: UDP for a group that is not joined. [ro] */
    volatile const uint32_t net_rx_drop_group;
    /* 0x27C: Wrong sum of UDP, TCP or ICMP. [ro] */
    volatile const uint32_t net_rx_drop_sum;
    /* 0x280: UDP port that is not open. [ro] */
    volatile const uint32_t net_rx_drop_port;
    /* 0x284: Protocol that was refused. [ro] */
    volatile const uint32_t net_rx_drop_protocol;
    /* 0x288: Ping without room. [ro] */
    volatile const uint32_t net_rx_drop_busy;
    /* 0x28C: Datagram sent. [ro] */
    volatile const uint32_t net_tx_sent;
    /* 0x290: Datagram whose length was not as said, or too long. [ro] */
    volatile const uint32_t net_tx_drop_length;
    /* 0x294: Datagram whose source said that it is bad. [ro] */
    volatile const uint32_t net_tx_drop_bad;
    /* 0x298: The same inside its frame, which went out as bad. [ro] */
    volatile const uint32_t net_tx_cut_bad;
    /* 0x29C: Datagram whose neighbour has not answered, or that another took the place of before. [ro] */
    volatile const uint32_t net_tx_drop_unresolved;
    /* 0x2A0: Datagram while the stack was off. [ro] */
    volatile const uint32_t net_tx_drop_disabled;
    /* 0x2A4: ARP request sent. [ro] */
    volatile const uint32_t net_arp_request;
    /* 0x2A8: ARP reply sent. [ro] */
    volatile const uint32_t net_arp_reply;
    /* 0x2AC: ARP request that was not answered: the answer before was still there. [ro] */
    volatile const uint32_t net_arp_busy;
    /* 0x2B0: Somebody else has our address. [ro] */
    volatile const uint32_t net_arp_conflict;
    /* 0x2B4: Unreachable sent. [ro] */
    volatile const uint32_t net_refused;
    /* 0x2B8: Unreachable not sent: too soon. [ro] */
    volatile const uint32_t net_refusal_saved;
    /* 0x2BC: Segments sent. [ro] */
    volatile const uint32_t tcp_sent;
    /* 0x2C0: Of these: those with something that was sent before. [ro] */
    volatile const uint32_t tcp_sent_again;
    /* 0x2C4: Segment that was not sent: memory refused its bytes. [ro] */
    volatile const uint32_t tcp_fetch_error;
    /* 0x2C8: Payloads of segments put into memory. [ro] */
    volatile const uint32_t tcp_placed;
    /* 0x2CC: Of these: memory refused bytes. [ro] */
    volatile const uint32_t tcp_place_error;
    /* 0x2D0: Command without room. [ro] */
    volatile const uint32_t command_refused;
    uint32_t reserved3[11];
    struct {
        /* 0x300: The record of a connection at the last STATUS command, in four rows of 16 words, each row's first
         * bit the highest one of its first word; the layout is in toe_record.h. Until the command is answered words
         * may be of other connections. [ro] */
        volatile const uint32_t word;
    } record[64];
} nsoc_toe_t;
_Static_assert(sizeof(nsoc_toe_t) == 0x400, "layout");

#define NSOC_TOE_BASE 0xFF000400u
#define NSOC_TOE ((nsoc_toe_t *)NSOC_TOE_BASE)
#define NSOC_TOE_RECORD_COUNT 64

/* The connection. */
#define NSOC_TOE_COMMAND_INDEX 0x0000FFFFu
#define NSOC_TOE_COMMAND_INDEX_LSB 0
/* 0 SETUP, 1 OPTION, 2 OPEN, 3 LISTEN, 4 ACCEPT, 5 SEND, 6 READ, 7 SHUTDOWN, 8 CLOSE, 9 ABORT, 10 RELEASE, 11
 * STATUS. */
#define NSOC_TOE_COMMAND_OP 0x00FF0000u
#define NSOC_TOE_COMMAND_OP_LSB 16
/* DONE is not answered. */
#define NSOC_TOE_COMMAND_QUIET 0x80000000u
/* The connection, as in the command. */
#define NSOC_TOE_ANSWER_INDEX 0x0000FFFFu
#define NSOC_TOE_ANSWER_INDEX_LSB 0
/* The command. */
#define NSOC_TOE_ANSWER_OP 0x00FF0000u
#define NSOC_TOE_ANSWER_OP_LSB 16
/* 0 DONE, 1 BAD_STATE, 2 BAD_VALUE. */
#define NSOC_TOE_ANSWER_RESULT 0x03000000u
#define NSOC_TOE_ANSWER_RESULT_LSB 24
/* There was one. */
#define NSOC_TOE_ANSWER_VALID 0x80000000u
/* Without an answer so far. */
#define NSOC_TOE_STATUS_COMMANDS 0x0000000Fu
#define NSOC_TOE_STATUS_COMMANDS_LSB 0
/* That nobody has taken. */
#define NSOC_TOE_STATUS_ANSWERS 0x00000F00u
#define NSOC_TOE_STATUS_ANSWERS_LSB 8
/* A command found no room. Sticky; writing 1 clears. */
#define NSOC_TOE_STATUS_REFUSED 0x00010000u
/* The memories are cleared: nothing happens before that. */
#define NSOC_TOE_STATUS_READY 0x01000000u
/* The connection. */
#define NSOC_TOE_EVENT_INDEX 0x0000FFFFu
#define NSOC_TOE_EVENT_INDEX_LSB 0
/* A peer has opened it, to be taken by ACCEPT. */
#define NSOC_TOE_EVENT_ACCEPTED 0x00010000u
/* OPEN has succeeded. */
#define NSOC_TOE_EVENT_CONNECTED 0x00020000u
/* `received` has grown. */
#define NSOC_TOE_EVENT_READABLE 0x00040000u
/* `acknowledged` has grown. */
#define NSOC_TOE_EVENT_WRITABLE 0x00080000u
/* The peer has sent all. */
#define NSOC_TOE_EVENT_FINISHED 0x00100000u
/* There is urgent data. */
#define NSOC_TOE_EVENT_URGENT 0x00200000u
/* An ICMP error that is no end; the record has it. */
#define NSOC_TOE_EVENT_SOFT_ERROR 0x00400000u
/* Three retransmissions in vain. */
#define NSOC_TOE_EVENT_TROUBLE 0x00800000u
/* It is over; the record says why. */
#define NSOC_TOE_EVENT_CLOSED 0x01000000u
/* Memory has refused bytes that were received: below `received` some are missing. */
#define NSOC_TOE_EVENT_MEMORY_ERROR 0x02000000u
/* There was one. */
#define NSOC_TOE_EVENT_VALID 0x80000000u
/* Connections. */
#define NSOC_TOE_EVENTS_CONNECTIONS 0x000007FFu
#define NSOC_TOE_EVENTS_CONNECTIONS_LSB 0
/* There is an event. */
#define NSOC_TOE_IRQ_STATUS_EVENTS 0x00000001u
/* There is an answer. */
#define NSOC_TOE_IRQ_STATUS_ANSWERS 0x00000002u
/* There is an event. */
#define NSOC_TOE_IRQ_MASK_EVENTS 0x00000001u
/* There is an answer. */
#define NSOC_TOE_IRQ_MASK_ANSWERS 0x00000002u
/* Its index. */
#define NSOC_TOE_CONNECTION_INDEX 0x0000FFFFu
#define NSOC_TOE_CONNECTION_INDEX_LSB 0
/* Ours. */
#define NSOC_TOE_PORTS_PORT 0x0000FFFFu
#define NSOC_TOE_PORTS_PORT_LSB 0
/* The peer's. */
#define NSOC_TOE_PORTS_PEER_PORT 0xFFFF0000u
#define NSOC_TOE_PORTS_PEER_PORT_LSB 16
/* Its index. */
#define NSOC_TOE_COUNTED_INDEX 0x0000FFFFu
#define NSOC_TOE_COUNTED_INDEX_LSB 0
/* 4 to 1024. */
#define NSOC_TOE_CONNECTIONS_COUNT 0x000007FFu
#define NSOC_TOE_CONNECTIONS_COUNT_LSB 0
/* Microseconds / 2^32. */
#define NSOC_TOE_NOW_HIGH_US 0x00FFFFFFu
#define NSOC_TOE_NOW_HIGH_US_LSB 0
/* Bits 39 to 32 of the counter. */
#define NSOC_TOE_EARLIEST_HIGH_US 0x000000FFu
#define NSOC_TOE_EARLIEST_HIGH_US_LSB 0
/* There is a deadline. */
#define NSOC_TOE_EARLIEST_HIGH_VALID 0x80000000u
/* 2 to the power of this. */
#define NSOC_TOE_TIME_SCALE_SCALE 0x0000001Fu
#define NSOC_TOE_TIME_SCALE_SCALE_LSB 0
/* The group without its four highest bits. */
#define NSOC_TOE_GROUP_ADDRESS 0x0FFFFFFFu
#define NSOC_TOE_GROUP_ADDRESS_LSB 0
/* Which place. */
#define NSOC_TOE_GROUP_PLACE 0x70000000u
#define NSOC_TOE_GROUP_PLACE_LSB 28
/* The place has this group; else it becomes empty. */
#define NSOC_TOE_GROUP_JOINED 0x80000000u
/* The stack is on; else every frame goes to the NIC. */
#define NSOC_TOE_IP_CONTROL_ENABLE 0x00000001u
/* TCP for our address is the engine's; else it goes to the NIC. */
#define NSOC_TOE_IP_CONTROL_TCP 0x00000002u
/* Other protocols for our address are refused (protocol unreachable); else they go to the NIC. */
#define NSOC_TOE_IP_CONTROL_REFUSE 0x00000004u
/* UDP to port 68 goes to the NIC: firmware is the DHCP client. */
#define NSOC_TOE_IP_CONTROL_DHCP_TO_NIC 0x00000008u
/* A beat of each cycle is in time for the line: frames may begin before they are whole. */
#define NSOC_TOE_IP_CONTROL_STEADY 0x00000010u
/* The first two bytes. */
#define NSOC_TOE_MAC_HIGH_ADDRESS 0x0000FFFFu
#define NSOC_TOE_MAC_HIGH_ADDRESS_LSB 0
/* 1 at least. */
#define NSOC_TOE_ARP_LIFETIME_SECONDS 0x0000FFFFu
#define NSOC_TOE_ARP_LIFETIME_SECONDS_LSB 0
/* Microseconds. */
#define NSOC_TOE_REFUSE_GAP_US 0x0000FFFFu
#define NSOC_TOE_REFUSE_GAP_US_LSB 0
/* us. RFC 6298 would have a second. */
#define NSOC_TOE_LEAST_RTO_US 0x07FFFFFFu
#define NSOC_TOE_LEAST_RTO_US_LSB 0
/* us. */
#define NSOC_TOE_LONGEST_RTO_US 0x07FFFFFFu
#define NSOC_TOE_LONGEST_RTO_US_LSB 0
/* us. */
#define NSOC_TOE_FIRST_RTO_US 0x07FFFFFFu
#define NSOC_TOE_FIRST_RTO_US_LSB 0
/* us. */
#define NSOC_TOE_DELAYED_ACK_US 0x003FFFFFu
#define NSOC_TOE_DELAYED_ACK_US_LSB 0
/* us. */
#define NSOC_TOE_OVERRIDE_TIME_US 0x003FFFFFu
#define NSOC_TOE_OVERRIDE_TIME_US_LSB 0
/* ms; after reset 2 minutes. */
#define NSOC_TOE_MSL_MS 0x003FFFFFu
#define NSOC_TOE_MSL_MS_LSB 0
/* Of an OPEN, s; after reset 3 minutes. */
#define NSOC_TOE_PATIENCE_SYN 0x0000FFFFu
#define NSOC_TOE_PATIENCE_SYN_LSB 0
/* That a peer has begun, s. */
#define NSOC_TOE_PATIENCE_CHILD 0xFFFF0000u
#define NSOC_TOE_PATIENCE_CHILD_LSB 16
/* ms; after reset a minute. */
#define NSOC_TOE_FIN_WAIT_2_MS 0x003FFFFFu
#define NSOC_TOE_FIN_WAIT_2_MS_LSB 0
/* ms; after reset 75 s. */
#define NSOC_TOE_KEEP_INTERVAL_MS 0x003FFFFFu
#define NSOC_TOE_KEEP_INTERVAL_MS_LSB 0
/* Probes. */
#define NSOC_TOE_KEEP_PROBES_PROBES 0x0000000Fu
#define NSOC_TOE_KEEP_PROBES_PROBES_LSB 0
/* Acknowledgements. */
#define NSOC_TOE_CHALLENGES_MOST 0x0000000Fu
#define NSOC_TOE_CHALLENGES_MOST_LSB 0
/* ms; after reset 5 s. */
#define NSOC_TOE_CHALLENGE_TIME_MS 0x003FFFFFu
#define NSOC_TOE_CHALLENGE_TIME_MS_LSB 0
/* Window scale. */
#define NSOC_TOE_OFFERS_SCALE 0x00000001u
/* Timestamps. */
#define NSOC_TOE_OFFERS_STAMPS 0x00000002u
/* Selective acknowledgements. */
#define NSOC_TOE_OFFERS_SACK 0x00000004u
/* A SYN that finds no place is answered by a reset; else its peer says it again. */
#define NSOC_TOE_OFFERS_RESET_FULL 0x00000008u

/* ---- UDP of the TCP/IP engine ---- */

/* UDP datagrams between engine and memory, in systems with a TCP/IP engine; else an error. */
typedef struct {
    /* 0x000: What is taken. What has begun goes on when this changes. [rw] */
    volatile uint32_t control;
    /* 0x004: Causes of the interrupt, as they are now. The line is that of the engine (toe.irq_status). [ro] */
    volatile const uint32_t irq_status;
    /* 0x008: Which causes raise the interrupt; bits as in irq_status. [rw] */
    volatile uint32_t irq_mask;
    /* 0x00C: How it is doing. [w1c] */
    volatile uint32_t status;
    /* 0x010: The receive ring. It lies at a multiple of its size inside packet memory or DRAM, and the 2 KB behind
     * its end belong to it: a datagram that begins in it goes straight on there. A write sets both positions to 0;
     * while control.receive or status.receiving is set, or where no ring can be, it is an error. [rw] */
    volatile uint32_t ring;
    /* 0x014: Position behind the last datagram that is whole in memory. [ro] */
    volatile const uint32_t received;
    /* 0x018: Position up to which the processor has read. A write of another one than `received`, the old one, or
     * one between them is an error, as is no multiple of 32. [rw] */
    volatile uint32_t read;
    uint32_t reserved0[1];
    /* 0x020: Where the next datagram goes; it keeps its value, as the next three. [rw] */
    volatile uint32_t peer_address;
    /* 0x024: The ports. [rw] */
    volatile uint32_t ports;
    /* 0x028: Fields of the IPv4 header. [rw] */
    volatile uint32_t options;
    /* 0x02C: Where the payload is, in packet memory or DRAM. It stays there until `sent` has counted the datagram.
     * [rw] */
    volatile uint32_t payload;
    /* 0x030: Sends a datagram with the four registers before as they are. The response carries 0, or what it was
     * refused for: 1 its length, 2 eight sends are not done (FULL). Then status.refused is set, and it is counted.
     * [wo] */
    volatile uint32_t send;
    /* 0x034: Datagrams that were sent, or were not because memory refused their bytes: in the order of the sends.
     * Their memory may be written over. [ro] */
    volatile const uint32_t sent;
    uint32_t reserved1[2];
    /* 0x040: Datagrams that are in the ring, or were. [ro] */
    volatile const uint32_t received_datagrams;
    /* 0x044: Good datagram that found no room on its way to memory, or is longer than 1472 bytes. [ro] */
    volatile const uint32_t drop_room;
    /* 0x048: Good datagram for which the ring had no room. [ro] */
    volatile const uint32_t drop_full;
    /* 0x04C: Good datagram whose bytes memory refused. [ro] */
    volatile const uint32_t drop_memory;
    /* 0x050: Datagram that was not sent because memory refused its bytes. [ro] */
    volatile const uint32_t send_memory_error;
    /* 0x054: Sends that were refused. [ro] */
    volatile const uint32_t send_refused;
    /* 0x058: Datagrams that are in slots of direct cache access, or were. [ro] */
    volatile const uint32_t direct_datagrams;
    /* 0x05C: Good datagram of a direct port that had as many slots as were free. [ro] */
    volatile const uint32_t drop_share;
    /* 0x060: Good datagram of a direct port when no slot was free, or that is longer than 1472 bytes. [ro] */
    volatile const uint32_t drop_slots;
    uint32_t reserved2[7];
    struct {
        /* 0x080: A port that takes datagrams. All are closed after reset. [rw] */
        volatile uint32_t port;
    } local_ports[16];
} nsoc_toe_udp_t;
_Static_assert(sizeof(nsoc_toe_udp_t) == 0xC0, "layout");

#define NSOC_TOE_UDP_BASE 0xFF000800u
#define NSOC_TOE_UDP ((nsoc_toe_udp_t *)NSOC_TOE_UDP_BASE)
#define NSOC_TOE_UDP_LOCAL_PORTS_COUNT 16

/* Datagrams for open ports go to the receive ring; else no port is open, and the engine refuses them (ICMP). */
#define NSOC_TOE_UDP_CONTROL_RECEIVE 0x00000001u
/* All ports are open. */
#define NSOC_TOE_UDP_CONTROL_ALL_PORTS 0x00000002u
/* A datagram waits: `received` is not `read`. */
#define NSOC_TOE_UDP_IRQ_STATUS_DATAGRAMS 0x00000001u
/* All sends are done. */
#define NSOC_TOE_UDP_IRQ_STATUS_SENT 0x00000002u
/* A datagram waits. */
#define NSOC_TOE_UDP_IRQ_MASK_DATAGRAMS 0x00000001u
/* All sends are done. */
#define NSOC_TOE_UDP_IRQ_MASK_SENT 0x00000002u
/* Sends that are not done; there is room for eight. */
#define NSOC_TOE_UDP_STATUS_SENDS 0x0000000Fu
#define NSOC_TOE_UDP_STATUS_SENDS_LSB 0
/* A send was refused. Sticky; writing 1 clears. */
#define NSOC_TOE_UDP_STATUS_REFUSED 0x00010000u
/* A datagram is on its way to the ring. */
#define NSOC_TOE_UDP_STATUS_RECEIVING 0x01000000u
/* 2 KB << this. */
#define NSOC_TOE_UDP_RING_SIZE 0x00000007u
#define NSOC_TOE_UDP_RING_SIZE_LSB 0
/* The ring's address / 2 KB. */
#define NSOC_TOE_UDP_RING_BASE 0xFFFFF800u
#define NSOC_TOE_UDP_RING_BASE_LSB 11
/* Ours. */
#define NSOC_TOE_UDP_PORTS_PORT 0x0000FFFFu
#define NSOC_TOE_UDP_PORTS_PORT_LSB 0
/* The peer's. */
#define NSOC_TOE_UDP_PORTS_PEER_PORT 0xFFFF0000u
#define NSOC_TOE_UDP_PORTS_PEER_PORT_LSB 16
/* Time to live. */
#define NSOC_TOE_UDP_OPTIONS_TTL 0x000000FFu
#define NSOC_TOE_UDP_OPTIONS_TTL_LSB 0
/* Type of service. */
#define NSOC_TOE_UDP_OPTIONS_TOS 0x0000FF00u
#define NSOC_TOE_UDP_OPTIONS_TOS_LSB 8
/* Do not fragment. */
#define NSOC_TOE_UDP_OPTIONS_DF 0x00010000u
/* Bytes of payload, 0 to 1472. */
#define NSOC_TOE_UDP_SEND_LENGTH 0x0000FFFFu
#define NSOC_TOE_UDP_SEND_LENGTH_LSB 0
/* Our port. */
#define NSOC_TOE_UDP_PORT_VALUE 0x0000FFFFu
#define NSOC_TOE_UDP_PORT_VALUE_LSB 0
/* It is open. */
#define NSOC_TOE_UDP_PORT_OPEN 0x00010000u
/* Its datagrams go to the slots of direct cache access, as UDP socket of the register's number, not to the ring;
 * reads as 0 in systems without. */
#define NSOC_TOE_UDP_PORT_DIRECT 0x00020000u

/* ---- Interrupt controller ---- */

/* Interrupt controller: which of the devices' lines reach the processor. */
typedef struct {
    /* 0x000: The lines as they are now. [ro] */
    volatile const uint32_t pending;
    /* 0x004: Which lines reach the processor. [rw] */
    volatile uint32_t enable;
    /* 0x008: The lowest line that is pending and enabled. [ro] */
    volatile const uint32_t highest;
    uint32_t reserved0[5];
} nsoc_intc_t;
_Static_assert(sizeof(nsoc_intc_t) == 0x20, "layout");

#define NSOC_INTC_BASE 0xFFFF3000u
#define NSOC_INTC ((nsoc_intc_t *)NSOC_INTC_BASE)
#define NSOC_INTC_COUNT 8

/* ---- Timer ---- */

/* Machine timer of the processor, in cycles of the processor clock. The time is the same for all harts. */
typedef struct {
    /* 0x000: Time, low word. [rw] */
    volatile uint32_t mtime_low;
    /* 0x004: Time, high word. [rw] */
    volatile uint32_t mtime_high;
    /* 0x008: Compare value, low word: the timer interrupt is raised while time >= compare value. [rw] */
    volatile uint32_t mtimecmp_low;
    /* 0x00C: Compare value, high word. [rw] */
    volatile uint32_t mtimecmp_high;
    /* 0x010: Software interrupt. [rw] */
    volatile uint32_t msip;
    uint32_t reserved0[3];
} nsoc_timer_t;
_Static_assert(sizeof(nsoc_timer_t) == 0x20, "layout");

#define NSOC_TIMER_BASE 0xFFFF3100u
#define NSOC_TIMER ((nsoc_timer_t *)NSOC_TIMER_BASE)
#define NSOC_TIMER_COUNT 8

/* 1: raised. */
#define NSOC_TIMER_MSIP_PENDING 0x00000001u

/* ---- UART ---- */

/* 8 data bits, no parity, 1 stop bit; FIFOs of 16 bytes. */
typedef struct {
    /* 0x000: A byte to send. When the FIFO is full the byte is dropped and tx_overflow set. [wo] */
    volatile uint32_t tx_data;
    /* 0x004: A received byte; the read takes it. [ro] */
    volatile const uint32_t rx_data;
    /* 0x008: Status. [w1c] */
    volatile uint32_t status;
    /* 0x00C: Clocks a bit, at least 4. The reset value is a parameter of the instance. [rw] */
    volatile uint32_t divisor;
} nsoc_uart_t;
_Static_assert(sizeof(nsoc_uart_t) == 0x10, "layout");

#define NSOC_UART_BASE 0xFFFF3200u
#define NSOC_UART ((nsoc_uart_t *)NSOC_UART_BASE)

/* The byte. */
#define NSOC_UART_TX_DATA_DATA 0x000000FFu
#define NSOC_UART_TX_DATA_DATA_LSB 0
/* The byte. */
#define NSOC_UART_RX_DATA_DATA 0x000000FFu
#define NSOC_UART_RX_DATA_DATA_LSB 0
/* There was a byte. */
#define NSOC_UART_RX_DATA_VALID 0x00000100u
/* The transmit FIFO is full. */
#define NSOC_UART_STATUS_TX_FULL 0x00000001u
/* Everything is sent. */
#define NSOC_UART_STATUS_TX_IDLE 0x00000002u
/* A byte was received. */
#define NSOC_UART_STATUS_RX_VALID 0x00000004u
/* A received byte found the FIFO full. Sticky; writing 1 clears. */
#define NSOC_UART_STATUS_RX_OVERRUN 0x00000008u
/* A written byte found the FIFO full. Sticky; writing 1 clears. */
#define NSOC_UART_STATUS_TX_OVERFLOW 0x00000010u
/* A received byte had no stop bit. Sticky; writing 1 clears. */
#define NSOC_UART_STATUS_FRAMING_ERROR 0x00000020u
/* Processor clocks. */
#define NSOC_UART_DIVISOR_CLOCKS 0x0000FFFFu
#define NSOC_UART_DIVISOR_CLOCKS_LSB 0

/* ---- L2 cache ---- */

/* Counters of the L2 cache in front of DRAM; they wrap around. */
typedef struct {
    /* 0x000: Requests of processor and NIC that found their line. [ro] */
    volatile const uint32_t hits;
    /* 0x004: Requests that did not. [ro] */
    volatile const uint32_t misses;
    /* 0x008: Lines that were written back to DRAM, 64 bytes each. [ro] */
    volatile const uint32_t write_backs;
    /* 0x00C: Size of the cache. [ro] */
    volatile const uint32_t size;
} nsoc_l2_t;
_Static_assert(sizeof(nsoc_l2_t) == 0x10, "layout");

#define NSOC_L2_BASE 0xFFFF3300u
#define NSOC_L2 ((nsoc_l2_t *)NSOC_L2_BASE)

/* ---- Copy engine ---- */

/* Copies bytes between memories, any alignment, and says what their CRC-32 and their Internet checksum are. */
typedef struct {
    /* 0x000: Where the next command reads: packet memory, DRAM or boot ROM. It keeps its value. [rw] */
    volatile uint32_t source;
    /* 0x004: Where the next command writes: packet memory or DRAM. It keeps its value. [rw] */
    volatile uint32_t destination;
    /* 0x008: A command, from `source` to `destination` as they are. Up to 16 commands and results that nobody has
     * taken have room; one more is dropped and `status.refused` set. [wo] */
    volatile uint32_t command;
    /* 0x00C: The oldest result, in the order of the commands; the read takes it. It is there when all that the
     * command has written is in memory. [ro] */
    volatile const uint32_t result;
    /* 0x010: CRC-32 (IEEE 802.3, as in zlib) of the bytes that the command moved whose result was taken last. [ro]
     * */
    volatile const uint32_t result_crc;
    /* 0x014: Status. [w1c] */
    volatile uint32_t status;
} nsoc_dma_t;
_Static_assert(sizeof(nsoc_dma_t) == 0x18, "layout");

#define NSOC_DMA_BASE 0xFFFF3400u
#define NSOC_DMA ((nsoc_dma_t *)NSOC_DMA_BASE)

/* How many; 0: it is done at once. */
#define NSOC_DMA_COMMAND_BYTES 0x00FFFFFFu
#define NSOC_DMA_COMMAND_BYTES_LSB 0
/* The result says the CRC-32. */
#define NSOC_DMA_COMMAND_CRC 0x01000000u
/* The result says the Internet checksum. */
#define NSOC_DMA_COMMAND_SUM 0x02000000u
/* Nothing is written, only read. */
#define NSOC_DMA_COMMAND_NO_WRITE 0x04000000u
/* Its result raises the interrupt until it is taken. */
#define NSOC_DMA_COMMAND_IRQ 0x08000000u
/* Sum of the bytes moved as big-endian 16-bit numbers, an odd one padded with 0, in one's complement (RFC 1071; the
 * checksum is its complement). 0 if the command did not ask, or failed. */
#define NSOC_DMA_RESULT_SUM 0x0000FFFFu
#define NSOC_DMA_RESULT_SUM_LSB 0
/* `result_crc` holds this command's CRC-32. */
#define NSOC_DMA_RESULT_WITH_CRC 0x10000000u
/* What failed was a write, else a read. */
#define NSOC_DMA_RESULT_WRITE 0x20000000u
/* An access was answered with an error; some of the destination may have been written. */
#define NSOC_DMA_RESULT_FAILED 0x40000000u
/* There was a result. */
#define NSOC_DMA_RESULT_VALID 0x80000000u
/* Commands that have no result yet; 0: no copy is under way. */
#define NSOC_DMA_STATUS_COMMANDS 0x0000001Fu
#define NSOC_DMA_STATUS_COMMANDS_LSB 0
/* Results that nobody has taken. */
#define NSOC_DMA_STATUS_RESULTS 0x00001F00u
#define NSOC_DMA_STATUS_RESULTS_LSB 8
/* A command found no room. Sticky; writing 1 clears. */
#define NSOC_DMA_STATUS_REFUSED 0x00010000u

/* ---- Layouts in memory: the bus and the network are big-endian ---- */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NSOC_BE16(x) ((uint16_t)(x))
#define NSOC_BE32(x) ((uint32_t)(x))
#else
#define NSOC_BE16(x) ((uint16_t)((((uint32_t)(x) >> 8) & 0xFFu) | (((uint32_t)(x) & 0xFFu) << 8)))
#define NSOC_BE32(x) __builtin_bswap32((uint32_t)(x))
#endif

/* ---- Packet buffer ---- */

#define NSOC_BUFFER_FRAME_OFFSET 18

/* At a pointer's address: control word, receive stamp, and from byte frame_offset on the frame without FCS. Aligned
 * to 8. */
typedef struct {
    /* Transmit: tag of the stamp (tx_stamp.tag). Big-endian: NSOC_BE16(). */
    uint16_t tag;
    /* Receive: what the NIC says of the frame, NSOC_BUFFER_STATUS_*. It looks at IPv4 frames with one 802.1Q tag or
     * none, at no IPv6. Neither ip_good nor ip_bad: the frame is no IPv4 or has not its whole header. Neither
     * l4_good nor l4_bad: so it is, or it is a fragment, another protocol, a UDP sum of 0, a datagram that the
     * frame has not whole, one shorter than its TCP or UDP header, or a UDP length that is not the IPv4 payload's.
     * 1: The frame was dropped (such a buffer reaches no queue), 2: The sum of its IPv4 header is right, 4: It is
     * wrong, 8: Its TCP or UDP sum is right, 16: It is wrong. */
    uint8_t status;
    /* The server whose queue the frame was meant for. */
    uint8_t server;
    /* Transmit: what is asked for, NSOC_BUFFER_REQUEST_*. What stands in the places of the sums does not matter; a
     * UDP sum of 0 goes out as 0xFFFF. A frame for which one of the sums cannot be made that it asks for (see
     * status) goes out as it is, and counts (nic.tx_sum_unfit). 1: A stamp (nic.tx_stamp), 2: The NIC puts in the
     * sum of the IPv4 header, 4: The NIC puts in the TCP or UDP sum, 8: The buffer is the processor's when the
     * frame is out (nic.tx_kept), and does not go to the free queue. */
    uint8_t request;
    uint8_t reserved0[1];
    /* Length of the frame in bytes, without FCS. Big-endian: NSOC_BE16(). */
    uint16_t length;
    /* Nanoseconds. Big-endian: NSOC_BE32(). */
    uint32_t stamp_ns[2];
    uint8_t reserved1[2];
    /* The frame, without FCS. */
    uint8_t frame[];
} nsoc_buffer_t;
_Static_assert(offsetof(nsoc_buffer_t, frame) == NSOC_BUFFER_FRAME_OFFSET, "layout");

/* A stamp (nic.tx_stamp). */
#define NSOC_BUFFER_REQUEST_STAMP 0x01u
/* The NIC puts in the sum of the IPv4 header. */
#define NSOC_BUFFER_REQUEST_IP_SUM 0x02u
/* The NIC puts in the TCP or UDP sum. */
#define NSOC_BUFFER_REQUEST_L4_SUM 0x04u
/* The buffer is the processor's when the frame is out (nic.tx_kept), and does not go to the free queue. */
#define NSOC_BUFFER_REQUEST_KEEP 0x08u
/* The frame was dropped (such a buffer reaches no queue). */
#define NSOC_BUFFER_STATUS_DROPPED 0x01u
/* The sum of its IPv4 header is right. */
#define NSOC_BUFFER_STATUS_IP_GOOD 0x02u
/* It is wrong. */
#define NSOC_BUFFER_STATUS_IP_BAD 0x04u
/* Its TCP or UDP sum is right. */
#define NSOC_BUFFER_STATUS_L4_GOOD 0x08u
/* It is wrong. */
#define NSOC_BUFFER_STATUS_L4_BAD 0x10u

/* ---- Queue in memory (NIC_1.1) ---- */

#define NSOC_MEMORY_QUEUE_ENTRIES_OFFSET 16

/* At the address in a queue_*_base register: lock, indices, and from byte entries_offset on the ring of entries, 32
 * bits each. An entry is a pointer to a buffer. Pointer number n, counted from 0, is or was in entry n modulo
 * queue_setup.entries. An operation takes the lock, reads head and tail, reads or writes an entry, writes head (a
 * pop) or tail (a push), and clears the lock; who finds the lock held tries again. Empty: head = tail. Full: tail -
 * head = entries. All words are 0 when the NIC is told of the queue. Aligned to 8. */
typedef struct {
    /* 0: free; anything else: held. The NIC writes 2, the processor 1. Big-endian: NSOC_BE32(). */
    uint32_t lock_owner;
    uint8_t reserved0[4];
    /* Pointers that were popped. Big-endian: NSOC_BE32(). */
    uint32_t head;
    /* Pointers that were pushed. Big-endian: NSOC_BE32(). */
    uint32_t tail;
    /* Pointers. Big-endian: NSOC_BE32(). */
    uint32_t entries[];
} nsoc_memory_queue_t;
_Static_assert(offsetof(nsoc_memory_queue_t, entries) == NSOC_MEMORY_QUEUE_ENTRIES_OFFSET, "layout");

/* ---- Received datagram ---- */

#define NSOC_DATAGRAM_PAYLOAD_OFFSET 32

/* In the receive ring of toe_udp, at a position's place: a header line, and from byte payload_offset on the
 * payload, straight on, also where it is longer than the ring's rest. The next datagram's position is the next
 * multiple of 32 behind it. Aligned to 8. */
typedef struct {
    /* The peer's IP address. Big-endian: NSOC_BE32(). */
    uint32_t peer_address;
    /* The peer's port. Big-endian: NSOC_BE16(). */
    uint16_t peer_port;
    /* Ours. Big-endian: NSOC_BE16(). */
    uint16_t port;
    /* When its first bytes came: toe.now_low. Big-endian: NSOC_BE32(). */
    uint32_t us;
    uint8_t reserved0[1];
    /* Whom it was for. 0: us alone, 1: all (limited or subnet broadcast). */
    uint8_t to_all;
    /* Bytes of payload. Big-endian: NSOC_BE16(). */
    uint16_t length;
    uint8_t reserved1[16];
    /* The payload. */
    uint8_t payload[];
} nsoc_datagram_t;
_Static_assert(offsetof(nsoc_datagram_t, payload) == NSOC_DATAGRAM_PAYLOAD_OFFSET, "layout");

#endif
