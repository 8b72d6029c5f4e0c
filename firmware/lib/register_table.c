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
    "max_frame\0"
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
    "divisor\0"
#if NSOC_CONNECTIONS
    "argument_a\0"
    "argument_b\0"
    "command\0"
    "answer\0"
    "status\0"
    "event\0"
    "events\0"
    "irq_status\0"
    "irq_mask\0"
    "connection\0"
    "received\0"
    "acknowledged\0"
    "peer_address\0"
    "ports\0"
    "counted\0"
    "connections\0"
    "now_low\0"
    "now_high\0"
    "earliest_low\0"
    "earliest_high\0"
    "time_scale\0"
    "group\0"
    "ip_control\0"
    "mac_low\0"
    "mac_high\0"
    "address\0"
    "mask\0"
    "gateway\0"
    "arp_lifetime\0"
    "refuse_gap\0"
    "key0\0"
    "key1\0"
    "key2\0"
    "key3\0"
    "least_rto\0"
    "longest_rto\0"
    "first_rto\0"
    "delayed_ack\0"
    "override_time\0"
    "msl\0"
    "patience\0"
    "fin_wait_2\0"
    "keep_interval\0"
    "keep_probes\0"
    "challenges\0"
    "challenge_time\0"
    "offers\0"
    "id_key\0"
    "segments_in\0"
    "data_segments_in\0"
    "drops\0"
    "segments_out\0"
    "data_segments_out\0"
    "segments_again\0"
    "bytes_sent\0"
    "bytes_again\0"
    "tcp_drop_no_connection\0"
    "tcp_drop_listen_refused\0"
    "tcp_drop_listen_full\0"
    "tcp_drop_out_of_window\0"
    "tcp_drop_old_stamp\0"
    "tcp_drop_no_stamp\0"
    "tcp_drop_bad_ack\0"
    "tcp_drop_bad_reset\0"
    "tcp_drop_syn_in_connection\0"
    "tcp_drop_no_ack\0"
    "tcp_drop_no_gap\0"
    "tcp_drop_duplicate\0"
    "tcp_drop_deaf\0"
    "tcp_drop_small_mss\0"
    "segment_taken\0"
    "segment_drop_bad\0"
    "segment_drop_short\0"
    "segment_drop_offset\0"
    "segment_drop_sum\0"
    "segment_drop_room\0"
    "net_rx_nic\0"
    "net_rx_arp\0"
    "net_rx_udp\0"
    "net_rx_tcp\0"
    "net_rx_echo\0"
    "net_rx_icmp_error\0"
    "net_rx_drop_bad\0"
    "net_rx_drop_length\0"
    "net_rx_drop_ip_sum\0"
    "net_rx_drop_address\0"
    "net_rx_drop_group\0"
    "net_rx_drop_sum\0"
    "net_rx_drop_port\0"
    "net_rx_drop_protocol\0"
    "net_rx_drop_busy\0"
    "net_tx_sent\0"
    "net_tx_drop_length\0"
    "net_tx_drop_bad\0"
    "net_tx_cut_bad\0"
    "net_tx_drop_unresolved\0"
    "net_tx_drop_disabled\0"
    "net_arp_request\0"
    "net_arp_reply\0"
    "net_arp_busy\0"
    "net_arp_conflict\0"
    "net_refused\0"
    "net_refusal_saved\0"
    "tcp_sent\0"
    "tcp_sent_again\0"
    "tcp_fetch_error\0"
    "tcp_placed\0"
    "tcp_place_error\0"
    "command_refused\0"
    "control\0"
    "irq_status\0"
    "irq_mask\0"
    "status\0"
    "ring\0"
    "received\0"
    "read\0"
    "peer_address\0"
    "ports\0"
    "options\0"
    "payload\0"
    "send\0"
    "sent\0"
    "received_datagrams\0"
    "drop_room\0"
    "drop_full\0"
    "drop_memory\0"
    "send_memory_error\0"
    "send_refused\0"
    "direct_datagrams\0"
    "drop_share\0"
    "drop_slots\0"
    "local_ports[0].port\0"
    "local_ports[1].port\0"
    "local_ports[2].port\0"
    "local_ports[3].port\0"
    "local_ports[4].port\0"
    "local_ports[5].port\0"
    "local_ports[6].port\0"
    "local_ports[7].port\0"
    "local_ports[8].port\0"
    "local_ports[9].port\0"
    "local_ports[10].port\0"
    "local_ports[11].port\0"
    "local_ports[12].port\0"
    "local_ports[13].port\0"
    "local_ports[14].port\0"
    "local_ports[15].port\0"
#endif
    "";

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
    {1138, 0x180, 0},
    {1148, 0x340, 0},
    {1164, 0x344, 0},
    {1181, 0x348, REGISTER_COUNTER},
    {1201, 0x34C, REGISTER_COUNTER},
    {1218, 0x350, 0},
    {1225, 0x354, REGISTER_COUNTER | REGISTER_PART_OFFLOADS << 4},
    {1238, 0x3FC, 0},
};

static const register_entry_t intc_registers[] = {
    {1251, 0x000, 0},
    {1259, 0x004, 0},
    {1266, 0x008, 0},
};

static const register_entry_t timer_registers[] = {
    {1274, 0x000, 0},
    {1284, 0x004, 0},
    {1295, 0x008, 0},
    {1308, 0x00C, 0},
    {1322, 0x010, 0},
};

static const register_entry_t uart_registers[] = {
    {1327, 0x000, REGISTER_HIDDEN},
    {1335, 0x004, REGISTER_HIDDEN},
    {1343, 0x008, 0},
    {1350, 0x00C, 0},
};

#if NSOC_CONNECTIONS
static const register_entry_t toe_registers[] = {
    {1358, 0x000, 0},
    {1369, 0x004, 0},
    {1380, 0x008, REGISTER_HIDDEN},
    {1388, 0x00C, REGISTER_HIDDEN},
    {1395, 0x010, 0},
    {1402, 0x014, REGISTER_HIDDEN},
    {1408, 0x018, 0},
    {1415, 0x01C, 0},
    {1426, 0x020, 0},
    {1435, 0x024, 0},
    {1446, 0x028, 0},
    {1455, 0x02C, 0},
    {1468, 0x030, 0},
    {1481, 0x034, 0},
    {1487, 0x038, 0},
    {1495, 0x03C, 0},
    {1507, 0x040, 0},
    {1515, 0x044, 0},
    {1524, 0x048, 0},
    {1537, 0x04C, 0},
    {1551, 0x050, 0},
    {1562, 0x05C, REGISTER_HIDDEN},
    {1568, 0x060, 0},
    {1579, 0x064, 0},
    {1587, 0x068, 0},
    {1596, 0x06C, 0},
    {1604, 0x070, 0},
    {1609, 0x074, 0},
    {1617, 0x078, 0},
    {1630, 0x07C, 0},
    {1641, 0x080, REGISTER_HIDDEN},
    {1646, 0x084, REGISTER_HIDDEN},
    {1651, 0x088, REGISTER_HIDDEN},
    {1656, 0x08C, REGISTER_HIDDEN},
    {1661, 0x090, 0},
    {1671, 0x094, 0},
    {1683, 0x098, 0},
    {1693, 0x09C, 0},
    {1705, 0x0A0, 0},
    {1719, 0x0A4, 0},
    {1723, 0x0A8, 0},
    {1732, 0x0AC, 0},
    {1743, 0x0B0, 0},
    {1757, 0x0B4, 0},
    {1769, 0x0B8, 0},
    {1780, 0x0BC, 0},
    {1795, 0x0C0, 0},
    {1802, 0x0C4, REGISTER_HIDDEN},
    {1809, 0x100, REGISTER_COUNTER},
    {1821, 0x104, REGISTER_COUNTER},
    {1838, 0x108, REGISTER_COUNTER},
    {1844, 0x10C, REGISTER_COUNTER},
    {1857, 0x110, REGISTER_COUNTER},
    {1875, 0x114, REGISTER_COUNTER},
    {1890, 0x118, REGISTER_COUNTER},
    {1901, 0x11C, REGISTER_COUNTER},
    {1913, 0x200, REGISTER_COUNTER},
    {1936, 0x204, REGISTER_COUNTER},
    {1960, 0x208, REGISTER_COUNTER},
    {1981, 0x20C, REGISTER_COUNTER},
    {2004, 0x210, REGISTER_COUNTER},
    {2023, 0x214, REGISTER_COUNTER},
    {2041, 0x218, REGISTER_COUNTER},
    {2058, 0x21C, REGISTER_COUNTER},
    {2077, 0x220, REGISTER_COUNTER},
    {2104, 0x224, REGISTER_COUNTER},
    {2120, 0x228, REGISTER_COUNTER},
    {2136, 0x22C, REGISTER_COUNTER},
    {2155, 0x230, REGISTER_COUNTER},
    {2169, 0x234, REGISTER_COUNTER},
    {2188, 0x238, REGISTER_COUNTER},
    {2202, 0x23C, REGISTER_COUNTER},
    {2219, 0x240, REGISTER_COUNTER},
    {2238, 0x244, REGISTER_COUNTER},
    {2258, 0x248, REGISTER_COUNTER},
    {2275, 0x24C, REGISTER_COUNTER},
    {2293, 0x250, REGISTER_COUNTER},
    {2304, 0x254, REGISTER_COUNTER},
    {2315, 0x258, REGISTER_COUNTER},
    {2326, 0x25C, REGISTER_COUNTER},
    {2337, 0x260, REGISTER_COUNTER},
    {2349, 0x264, REGISTER_COUNTER},
    {2367, 0x268, REGISTER_COUNTER},
    {2383, 0x26C, REGISTER_COUNTER},
    {2402, 0x270, REGISTER_COUNTER},
    {2421, 0x274, REGISTER_COUNTER},
    {2441, 0x278, REGISTER_COUNTER},
    {2459, 0x27C, REGISTER_COUNTER},
    {2475, 0x280, REGISTER_COUNTER},
    {2492, 0x284, REGISTER_COUNTER},
    {2513, 0x288, REGISTER_COUNTER},
    {2530, 0x28C, REGISTER_COUNTER},
    {2542, 0x290, REGISTER_COUNTER},
    {2561, 0x294, REGISTER_COUNTER},
    {2577, 0x298, REGISTER_COUNTER},
    {2592, 0x29C, REGISTER_COUNTER},
    {2615, 0x2A0, REGISTER_COUNTER},
    {2636, 0x2A4, REGISTER_COUNTER},
    {2652, 0x2A8, REGISTER_COUNTER},
    {2666, 0x2AC, REGISTER_COUNTER},
    {2679, 0x2B0, REGISTER_COUNTER},
    {2696, 0x2B4, REGISTER_COUNTER},
    {2708, 0x2B8, REGISTER_COUNTER},
    {2726, 0x2BC, REGISTER_COUNTER},
    {2735, 0x2C0, REGISTER_COUNTER},
    {2750, 0x2C4, REGISTER_COUNTER},
    {2766, 0x2C8, REGISTER_COUNTER},
    {2777, 0x2CC, REGISTER_COUNTER},
    {2793, 0x2D0, REGISTER_COUNTER},
};

static const register_entry_t toe_udp_registers[] = {
    {2809, 0x000, 0},
    {2817, 0x004, 0},
    {2828, 0x008, 0},
    {2837, 0x00C, 0},
    {2844, 0x010, 0},
    {2849, 0x014, 0},
    {2858, 0x018, 0},
    {2863, 0x020, 0},
    {2876, 0x024, 0},
    {2882, 0x028, 0},
    {2890, 0x02C, 0},
    {2898, 0x030, REGISTER_HIDDEN},
    {2903, 0x034, 0},
    {2908, 0x040, REGISTER_COUNTER},
    {2927, 0x044, REGISTER_COUNTER},
    {2937, 0x048, REGISTER_COUNTER},
    {2947, 0x04C, REGISTER_COUNTER},
    {2959, 0x050, REGISTER_COUNTER},
    {2977, 0x054, REGISTER_COUNTER},
    {2990, 0x058, REGISTER_COUNTER},
    {3007, 0x05C, REGISTER_COUNTER},
    {3018, 0x060, REGISTER_COUNTER},
    {3029, 0x080, 0},
    {3049, 0x084, 0},
    {3069, 0x088, 0},
    {3089, 0x08C, 0},
    {3109, 0x090, 0},
    {3129, 0x094, 0},
    {3149, 0x098, 0},
    {3169, 0x09C, 0},
    {3189, 0x0A0, 0},
    {3209, 0x0A4, 0},
    {3229, 0x0A8, 0},
    {3250, 0x0AC, 0},
    {3271, 0x0B0, 0},
    {3292, 0x0B4, 0},
    {3313, 0x0B8, 0},
    {3334, 0x0BC, 0},
};
#endif

const register_block_t register_blocks[] = {
    {"nic", NSOC_NIC_BASE, nic_registers, sizeof nic_registers / sizeof *nic_registers},
    {"intc", NSOC_INTC_BASE, intc_registers, sizeof intc_registers / sizeof *intc_registers},
    {"timer", NSOC_TIMER_BASE, timer_registers, sizeof timer_registers / sizeof *timer_registers},
    {"uart", NSOC_UART_BASE, uart_registers, sizeof uart_registers / sizeof *uart_registers},
#if NSOC_CONNECTIONS
    {"toe", NSOC_TOE_BASE, toe_registers, sizeof toe_registers / sizeof *toe_registers},
    {"toe_udp", NSOC_TOE_UDP_BASE, toe_udp_registers, sizeof toe_udp_registers / sizeof *toe_udp_registers},
#endif
};
const uint32_t register_block_count = sizeof register_blocks / sizeof *register_blocks;
