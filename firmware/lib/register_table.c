// SPDX-License-Identifier: Apache-2.0
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
#include "register_table.h"

#include "in_dram.h"

const char register_names[] =
    "control\0"
    "servers_enabled\0"
    "debug1\0"
    "debug2\0"
    "queue_depth\0"
    "rxq[0].pointer\0"
    "rxq[0].occupancy\0"
    "rxq[1].pointer\0"
    "rxq[1].occupancy\0"
    "rxq[2].pointer\0"
    "rxq[2].occupancy\0"
    "rxq[3].pointer\0"
    "rxq[3].occupancy\0"
    "txq[0].pointer\0"
    "txq[0].occupancy\0"
    "txq[1].pointer\0"
    "txq[1].occupancy\0"
    "txq[2].pointer\0"
    "txq[2].occupancy\0"
    "txq[3].pointer\0"
    "txq[3].occupancy\0"
    "freeq.pointer\0"
    "freeq.occupancy\0"
    "freeq.lock\0"
    "push_failed\0"
    "buffer_size\0"
    "irq_status\0"
    "irq_mask\0"
    "free_counter_high\0"
    "pointers_held\0"
    "irq_moderation\0"
    "rx_patience\0"
    "rx_good\0"
    "rx_drop_fcs\0"
    "rx_drop_runt\0"
    "rx_drop_oversize\0"
    "rx_drop_error\0"
    "rx_drop_overflow\0"
    "rx_drop_disabled\0"
    "rx_drop_too_long\0"
    "rx_drop_memory_error\0"
    "tx_taken\0"
    "tx_drop_bad_length\0"
    "tx_drop_memory_error\0"
    "tx_drop_abort\0"
    "tx_drop_oversize\0"
    "rx_drop_filtered\0"
    "rx_pause\0"
    "rx_drop_no_buffer\0"
    "rx_drop_no_server\0"
    "tx_pause\0"
    "tx_drop_underrun\0"
    "tx_stamp_lost\0"
    "mac_control\0"
    "steering\0"
    "multicast_hash_low\0"
    "multicast_hash_high\0"
    "ptp_low\0"
    "ptp_high\0"
    "ptp_increment\0"
    "ptp_command\0"
    "tx_stamp\0"
    "tx_stamp_low\0"
    "tx_stamp_high\0"
    "selftest_control\0"
    "selftest_status\0"
    "selftest_base\0"
    "selftest_bytes\0"
    "selftest_expected\0"
    "selftest_got\0"
    "selftest_cycles\0"
    "selftest_address\0"
    "queue_free_base\0"
    "queue_receive_base\0"
    "queue_transmit_base\0"
    "queue_setup\0"
    "queue_errors\0"
    "capability\0"
    "reset\0"
    "tx_kept\0"
    "mac_address_low\0"
    "mac_address_high\0"
    "packets_transmitted\0"
    "packets_received\0"
    "status\0"
    "tx_sum_unfit\0"
    "free_counter\0"
    "pending\0"
    "enable\0"
    "highest\0"
    "mtime_low\0"
    "mtime_high\0"
    "mtimecmp_low\0"
    "mtimecmp_high\0"
    "msip\0"
    "tx_data\0"
    "rx_data\0"
    "status\0"
    "divisor";

static const register_entry_t nic_registers[] = {
    {0, 0x000, 0},
    {8, 0x004, 0},
    {24, 0x008, 0},
    {31, 0x00C, 0},
    {38, 0x010, 0},
    {50, 0x020, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {65, 0x024, REGISTER_PART_QUEUES << 4},
    {82, 0x028, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {97, 0x02C, REGISTER_PART_QUEUES << 4},
    {114, 0x030, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {129, 0x034, REGISTER_PART_QUEUES << 4},
    {146, 0x038, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {161, 0x03C, REGISTER_PART_QUEUES << 4},
    {178, 0x040, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {193, 0x044, REGISTER_PART_QUEUES << 4},
    {210, 0x048, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {225, 0x04C, REGISTER_PART_QUEUES << 4},
    {242, 0x050, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {257, 0x054, REGISTER_PART_QUEUES << 4},
    {274, 0x058, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {289, 0x05C, REGISTER_PART_QUEUES << 4},
    {306, 0x060, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {320, 0x064, REGISTER_PART_QUEUES << 4},
    {336, 0x068, REGISTER_HIDDEN | REGISTER_PART_QUEUES << 4},
    {347, 0x080, 0},
    {359, 0x084, 0},
    {371, 0x088, 0},
    {382, 0x08C, 0},
    {391, 0x090, 0},
    {409, 0x094, 0},
    {423, 0x098, 0},
    {438, 0x09C, 0},
    {450, 0x0A0, REGISTER_COUNTER},
    {458, 0x0A4, REGISTER_COUNTER},
    {470, 0x0A8, REGISTER_COUNTER},
    {483, 0x0AC, REGISTER_COUNTER},
    {500, 0x0B0, REGISTER_COUNTER},
    {514, 0x0B4, REGISTER_COUNTER},
    {531, 0x0B8, REGISTER_COUNTER},
    {548, 0x0BC, REGISTER_COUNTER},
    {565, 0x0C0, REGISTER_COUNTER},
    {586, 0x0C4, REGISTER_COUNTER},
    {595, 0x0C8, REGISTER_COUNTER},
    {614, 0x0CC, REGISTER_COUNTER},
    {635, 0x0D0, REGISTER_COUNTER},
    {649, 0x0D4, REGISTER_COUNTER},
    {666, 0x0D8, REGISTER_COUNTER},
    {683, 0x0DC, REGISTER_COUNTER},
    {692, 0x0E0, REGISTER_COUNTER},
    {710, 0x0E4, REGISTER_COUNTER},
    {728, 0x0E8, REGISTER_COUNTER},
    {737, 0x0EC, REGISTER_COUNTER},
    {754, 0x0F0, REGISTER_COUNTER},
    {768, 0x100, 0},
    {780, 0x104, 0},
    {789, 0x108, 0},
    {808, 0x10C, 0},
    {828, 0x110, REGISTER_PART_PTP << 4},
    {836, 0x114, REGISTER_PART_PTP << 4},
    {845, 0x118, REGISTER_PART_PTP << 4},
    {859, 0x11C, REGISTER_PART_PTP << 4},
    {871, 0x120, REGISTER_HIDDEN | REGISTER_PART_PTP << 4},
    {880, 0x124, REGISTER_PART_PTP << 4},
    {893, 0x128, REGISTER_PART_PTP << 4},
    {907, 0x140, REGISTER_PART_SELFTEST << 4},
    {924, 0x144, REGISTER_PART_SELFTEST << 4},
    {940, 0x148, REGISTER_PART_SELFTEST << 4},
    {954, 0x14C, REGISTER_PART_SELFTEST << 4},
    {969, 0x150, REGISTER_PART_SELFTEST << 4},
    {987, 0x154, REGISTER_PART_SELFTEST << 4},
    {1000, 0x158, REGISTER_PART_SELFTEST << 4},
    {1016, 0x15C, REGISTER_PART_SELFTEST << 4},
    {1033, 0x160, REGISTER_PART_MEMORY_QUEUES << 4},
    {1049, 0x164, REGISTER_PART_MEMORY_QUEUES << 4},
    {1068, 0x168, REGISTER_PART_MEMORY_QUEUES << 4},
    {1088, 0x16C, REGISTER_PART_MEMORY_QUEUES << 4},
    {1100, 0x170, REGISTER_PART_MEMORY_QUEUES << 4},
    {1113, 0x174, 0},
    {1124, 0x178, 0},
    {1130, 0x17C, REGISTER_PART_OFFLOADS << 4},
    {1138, 0x340, 0},
    {1154, 0x344, 0},
    {1171, 0x348, REGISTER_COUNTER},
    {1191, 0x34C, REGISTER_COUNTER},
    {1208, 0x350, 0},
    {1215, 0x354, REGISTER_COUNTER | REGISTER_PART_OFFLOADS << 4},
    {1228, 0x3FC, 0},
};

static const register_entry_t intc_registers[] = {
    {1241, 0x000, 0},
    {1249, 0x004, 0},
    {1256, 0x008, 0},
};

static const register_entry_t timer_registers[] = {
    {1264, 0x000, 0},
    {1274, 0x004, 0},
    {1285, 0x008, 0},
    {1298, 0x00C, 0},
    {1312, 0x010, 0},
};

static const register_entry_t uart_registers[] = {
    {1317, 0x000, REGISTER_HIDDEN},
    {1325, 0x004, REGISTER_HIDDEN},
    {1333, 0x008, 0},
    {1340, 0x00C, 0},
};

const register_block_t register_blocks[] = {
    {"nic", NSOC_NIC_BASE, nic_registers, sizeof nic_registers / sizeof *nic_registers},
    {"intc", NSOC_INTC_BASE, intc_registers, sizeof intc_registers / sizeof *intc_registers},
    {"timer", NSOC_TIMER_BASE, timer_registers, sizeof timer_registers / sizeof *timer_registers},
    {"uart", NSOC_UART_BASE, uart_registers, sizeof uart_registers / sizeof *uart_registers},
};
const uint32_t register_block_count = sizeof register_blocks / sizeof *register_blocks;
