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

#if NSOC_CONNECTIONS
static const register_entry_t toe_registers[] = {
    {1348, 0x000, 0},
    {1359, 0x004, 0},
    {1370, 0x008, REGISTER_HIDDEN},
    {1378, 0x00C, REGISTER_HIDDEN},
    {1385, 0x010, 0},
    {1392, 0x014, REGISTER_HIDDEN},
    {1398, 0x018, 0},
    {1405, 0x01C, 0},
    {1416, 0x020, 0},
    {1425, 0x024, 0},
    {1436, 0x028, 0},
    {1445, 0x02C, 0},
    {1458, 0x030, 0},
    {1471, 0x034, 0},
    {1477, 0x038, 0},
    {1485, 0x03C, 0},
    {1497, 0x040, 0},
    {1505, 0x044, 0},
    {1514, 0x048, 0},
    {1527, 0x04C, 0},
    {1541, 0x050, 0},
    {1552, 0x05C, REGISTER_HIDDEN},
    {1558, 0x060, 0},
    {1569, 0x064, 0},
    {1577, 0x068, 0},
    {1586, 0x06C, 0},
    {1594, 0x070, 0},
    {1599, 0x074, 0},
    {1607, 0x078, 0},
    {1620, 0x07C, 0},
    {1631, 0x080, REGISTER_HIDDEN},
    {1636, 0x084, REGISTER_HIDDEN},
    {1641, 0x088, REGISTER_HIDDEN},
    {1646, 0x08C, REGISTER_HIDDEN},
    {1651, 0x090, 0},
    {1661, 0x094, 0},
    {1673, 0x098, 0},
    {1683, 0x09C, 0},
    {1695, 0x0A0, 0},
    {1709, 0x0A4, 0},
    {1713, 0x0A8, 0},
    {1722, 0x0AC, 0},
    {1733, 0x0B0, 0},
    {1747, 0x0B4, 0},
    {1759, 0x0B8, 0},
    {1770, 0x0BC, 0},
    {1785, 0x0C0, 0},
    {1792, 0x0C4, REGISTER_HIDDEN},
    {1799, 0x100, REGISTER_COUNTER},
    {1811, 0x104, REGISTER_COUNTER},
    {1828, 0x108, REGISTER_COUNTER},
    {1834, 0x10C, REGISTER_COUNTER},
    {1847, 0x110, REGISTER_COUNTER},
    {1865, 0x114, REGISTER_COUNTER},
    {1880, 0x118, REGISTER_COUNTER},
    {1891, 0x11C, REGISTER_COUNTER},
    {1903, 0x200, REGISTER_COUNTER},
    {1926, 0x204, REGISTER_COUNTER},
    {1950, 0x208, REGISTER_COUNTER},
    {1971, 0x20C, REGISTER_COUNTER},
    {1994, 0x210, REGISTER_COUNTER},
    {2013, 0x214, REGISTER_COUNTER},
    {2031, 0x218, REGISTER_COUNTER},
    {2048, 0x21C, REGISTER_COUNTER},
    {2067, 0x220, REGISTER_COUNTER},
    {2094, 0x224, REGISTER_COUNTER},
    {2110, 0x228, REGISTER_COUNTER},
    {2126, 0x22C, REGISTER_COUNTER},
    {2145, 0x230, REGISTER_COUNTER},
    {2159, 0x234, REGISTER_COUNTER},
    {2178, 0x238, REGISTER_COUNTER},
    {2192, 0x23C, REGISTER_COUNTER},
    {2209, 0x240, REGISTER_COUNTER},
    {2228, 0x244, REGISTER_COUNTER},
    {2248, 0x248, REGISTER_COUNTER},
    {2265, 0x24C, REGISTER_COUNTER},
    {2283, 0x250, REGISTER_COUNTER},
    {2294, 0x254, REGISTER_COUNTER},
    {2305, 0x258, REGISTER_COUNTER},
    {2316, 0x25C, REGISTER_COUNTER},
    {2327, 0x260, REGISTER_COUNTER},
    {2339, 0x264, REGISTER_COUNTER},
    {2357, 0x268, REGISTER_COUNTER},
    {2373, 0x26C, REGISTER_COUNTER},
    {2392, 0x270, REGISTER_COUNTER},
    {2411, 0x274, REGISTER_COUNTER},
    {2431, 0x278, REGISTER_COUNTER},
    {2449, 0x27C, REGISTER_COUNTER},
    {2465, 0x280, REGISTER_COUNTER},
    {2482, 0x284, REGISTER_COUNTER},
    {2503, 0x288, REGISTER_COUNTER},
    {2520, 0x28C, REGISTER_COUNTER},
    {2532, 0x290, REGISTER_COUNTER},
    {2551, 0x294, REGISTER_COUNTER},
    {2567, 0x298, REGISTER_COUNTER},
    {2582, 0x29C, REGISTER_COUNTER},
    {2605, 0x2A0, REGISTER_COUNTER},
    {2626, 0x2A4, REGISTER_COUNTER},
    {2642, 0x2A8, REGISTER_COUNTER},
    {2656, 0x2AC, REGISTER_COUNTER},
    {2669, 0x2B0, REGISTER_COUNTER},
    {2686, 0x2B4, REGISTER_COUNTER},
    {2698, 0x2B8, REGISTER_COUNTER},
    {2716, 0x2BC, REGISTER_COUNTER},
    {2725, 0x2C0, REGISTER_COUNTER},
    {2740, 0x2C4, REGISTER_COUNTER},
    {2756, 0x2C8, REGISTER_COUNTER},
    {2767, 0x2CC, REGISTER_COUNTER},
    {2783, 0x2D0, REGISTER_COUNTER},
};

static const register_entry_t toe_udp_registers[] = {
    {2799, 0x000, 0},
    {2807, 0x004, 0},
    {2818, 0x008, 0},
    {2827, 0x00C, 0},
    {2834, 0x010, 0},
    {2839, 0x014, 0},
    {2848, 0x018, 0},
    {2853, 0x020, 0},
    {2866, 0x024, 0},
    {2872, 0x028, 0},
    {2880, 0x02C, 0},
    {2888, 0x030, REGISTER_HIDDEN},
    {2893, 0x034, 0},
    {2898, 0x040, REGISTER_COUNTER},
    {2917, 0x044, REGISTER_COUNTER},
    {2927, 0x048, REGISTER_COUNTER},
    {2937, 0x04C, REGISTER_COUNTER},
    {2949, 0x050, REGISTER_COUNTER},
    {2967, 0x054, REGISTER_COUNTER},
    {2980, 0x058, REGISTER_COUNTER},
    {2997, 0x05C, REGISTER_COUNTER},
    {3008, 0x060, REGISTER_COUNTER},
    {3019, 0x080, 0},
    {3039, 0x084, 0},
    {3059, 0x088, 0},
    {3079, 0x08C, 0},
    {3099, 0x090, 0},
    {3119, 0x094, 0},
    {3139, 0x098, 0},
    {3159, 0x09C, 0},
    {3179, 0x0A0, 0},
    {3199, 0x0A4, 0},
    {3219, 0x0A8, 0},
    {3240, 0x0AC, 0},
    {3261, 0x0B0, 0},
    {3282, 0x0B4, 0},
    {3303, 0x0B8, 0},
    {3324, 0x0BC, 0},
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
