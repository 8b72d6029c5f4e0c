// SPDX-License-Identifier: Apache-2.0
// The SoC's addresses and numbers for models of its surroundings.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
#ifndef NSOC_MAP_H
#define NSOC_MAP_H

#include <cstdint>

namespace nsoc_map {

// Memories and devices: base address, and how many bytes there are (of a device those that it claims).
constexpr uint64_t BOOT_ROM_BASE = 0x00000000, BOOT_ROM_BYTES = 0x10000;
constexpr uint64_t DRAM_BASE = 0x40000000, DRAM_BYTES = 0x10000000;
constexpr uint64_t PACKET_MEMORY_BASE = 0x50000000, PACKET_MEMORY_BYTES = 0x40000;
constexpr uint64_t AFB_BASE = 0xFF000000, AFB_BYTES = 0x1000000;
constexpr uint64_t NIC_BASE = 0xFF000000, NIC_BYTES = 0x400;
constexpr uint64_t TOE_BASE = 0xFF000400, TOE_BYTES = 0x400;
constexpr uint64_t TOE_UDP_BASE = 0xFF000800, TOE_UDP_BYTES = 0x100;
constexpr uint64_t INTC_BASE = 0xFFFF3000, INTC_BYTES = 0x100;
constexpr uint64_t TIMER_BASE = 0xFFFF3100, TIMER_BYTES = 0x100;
constexpr uint64_t UART_BASE = 0xFFFF3200, UART_BYTES = 0x100;
constexpr uint64_t L2_BASE = 0xFFFF3300, L2_BYTES = 0x100;
constexpr uint64_t DMA_BASE = 0xFFFF3400, DMA_BYTES = 0x100;

// Byte offsets of registers from their device's base; of several alike the first. Masks of fields.
namespace nic {
constexpr uint32_t CONTROL = 0x000;
constexpr uint32_t SERVERS_ENABLED = 0x004;
constexpr uint32_t DEBUG1 = 0x008;
constexpr uint32_t DEBUG2 = 0x00C;
constexpr uint32_t QUEUE_DEPTH = 0x010;
constexpr uint32_t RXQ_POINTER = 0x020;
constexpr uint32_t RXQ_OCCUPANCY = 0x024;
constexpr uint32_t TXQ_POINTER = 0x040;
constexpr uint32_t TXQ_OCCUPANCY = 0x044;
constexpr uint32_t FREEQ_POINTER = 0x060;
constexpr uint32_t FREEQ_OCCUPANCY = 0x064;
constexpr uint32_t FREEQ_LOCK = 0x068;
constexpr uint32_t PUSH_FAILED = 0x080;
constexpr uint32_t BUFFER_SIZE = 0x084;
constexpr uint32_t IRQ_STATUS = 0x088;
constexpr uint32_t IRQ_MASK = 0x08C;
constexpr uint32_t FREE_COUNTER_HIGH = 0x090;
constexpr uint32_t POINTERS_HELD = 0x094;
constexpr uint32_t IRQ_MODERATION = 0x098;
constexpr uint32_t RX_PATIENCE = 0x09C;
constexpr uint32_t RX_GOOD = 0x0A0;
constexpr uint32_t RX_DROP_FCS = 0x0A4;
constexpr uint32_t RX_DROP_RUNT = 0x0A8;
constexpr uint32_t RX_DROP_OVERSIZE = 0x0AC;
constexpr uint32_t RX_DROP_ERROR = 0x0B0;
constexpr uint32_t RX_DROP_OVERFLOW = 0x0B4;
constexpr uint32_t RX_DROP_DISABLED = 0x0B8;
constexpr uint32_t RX_DROP_TOO_LONG = 0x0BC;
constexpr uint32_t RX_DROP_MEMORY_ERROR = 0x0C0;
constexpr uint32_t TX_TAKEN = 0x0C4;
constexpr uint32_t TX_DROP_BAD_LENGTH = 0x0C8;
constexpr uint32_t TX_DROP_MEMORY_ERROR = 0x0CC;
constexpr uint32_t TX_DROP_ABORT = 0x0D0;
constexpr uint32_t TX_DROP_OVERSIZE = 0x0D4;
constexpr uint32_t RX_DROP_FILTERED = 0x0D8;
constexpr uint32_t RX_PAUSE = 0x0DC;
constexpr uint32_t RX_DROP_NO_BUFFER = 0x0E0;
constexpr uint32_t RX_DROP_NO_SERVER = 0x0E4;
constexpr uint32_t TX_PAUSE = 0x0E8;
constexpr uint32_t TX_DROP_UNDERRUN = 0x0EC;
constexpr uint32_t TX_STAMP_LOST = 0x0F0;
constexpr uint32_t MAC_CONTROL = 0x100;
constexpr uint32_t STEERING = 0x104;
constexpr uint32_t MULTICAST_HASH_LOW = 0x108;
constexpr uint32_t MULTICAST_HASH_HIGH = 0x10C;
constexpr uint32_t PTP_LOW = 0x110;
constexpr uint32_t PTP_HIGH = 0x114;
constexpr uint32_t PTP_INCREMENT = 0x118;
constexpr uint32_t PTP_COMMAND = 0x11C;
constexpr uint32_t TX_STAMP = 0x120;
constexpr uint32_t TX_STAMP_LOW = 0x124;
constexpr uint32_t TX_STAMP_HIGH = 0x128;
constexpr uint32_t SELFTEST_CONTROL = 0x140;
constexpr uint32_t SELFTEST_STATUS = 0x144;
constexpr uint32_t SELFTEST_BASE = 0x148;
constexpr uint32_t SELFTEST_BYTES = 0x14C;
constexpr uint32_t SELFTEST_EXPECTED = 0x150;
constexpr uint32_t SELFTEST_GOT = 0x154;
constexpr uint32_t SELFTEST_CYCLES = 0x158;
constexpr uint32_t SELFTEST_ADDRESS = 0x15C;
constexpr uint32_t QUEUE_FREE_BASE = 0x160;
constexpr uint32_t QUEUE_RECEIVE_BASE = 0x164;
constexpr uint32_t QUEUE_TRANSMIT_BASE = 0x168;
constexpr uint32_t QUEUE_SETUP = 0x16C;
constexpr uint32_t QUEUE_ERRORS = 0x170;
constexpr uint32_t CAPABILITY = 0x174;
constexpr uint32_t RESET = 0x178;
constexpr uint32_t TX_KEPT = 0x17C;
constexpr uint32_t MAX_FRAME = 0x180;
constexpr uint32_t MAC_ADDRESS_LOW = 0x340;
constexpr uint32_t MAC_ADDRESS_HIGH = 0x344;
constexpr uint32_t PACKETS_TRANSMITTED = 0x348;
constexpr uint32_t PACKETS_RECEIVED = 0x34C;
constexpr uint32_t STATUS = 0x350;
constexpr uint32_t TX_SUM_UNFIT = 0x354;
constexpr uint32_t FREE_COUNTER = 0x3FC;
constexpr uint32_t CONTROL_NIC_ENABLE = 0x00000001;
constexpr uint32_t CONTROL_MAC_ENABLE = 0x00000002;
constexpr uint32_t CONTROL_IRQ_ENABLE = 0x00000004;
constexpr uint32_t CONTROL_NIC_LOOPBACK = 0x00000080;
constexpr uint32_t CONTROL_MAC_LOOPBACK = 0x00000100;
constexpr uint32_t SERVERS_ENABLED_MASK = 0x0000000F;
constexpr uint32_t DEBUG2_RX_STATE = 0x00000007;
constexpr uint32_t DEBUG2_RX_COMPLETING = 0x00000700;
constexpr uint32_t DEBUG2_TX_STATE = 0x00070000;
constexpr uint32_t DEBUG2_TX_FRAMES = 0x07000000;
constexpr uint32_t QUEUE_DEPTH_DEPTH = 0x0000007F;
constexpr uint32_t QUEUE_POINTER_EMPTY = 0x00000001;
constexpr uint32_t QUEUE_POINTER_FULL = 0x00000002;
constexpr uint32_t QUEUE_POINTER_ADDRESS = 0xFFFFFFF8;
constexpr uint32_t QUEUE_OCCUPANCY_POINTERS = 0x0000007F;
constexpr uint32_t LOCK_GRANTED = 0x00000001;
constexpr uint32_t LOCK_NOT_OWNED = 0x00000002;
constexpr uint32_t PUSH_FAILED_RXQ = 0x0000000F;
constexpr uint32_t PUSH_FAILED_TXQ = 0x000000F0;
constexpr uint32_t PUSH_FAILED_FREEQ = 0x00000100;
constexpr uint32_t PUSH_FAILED_LOCK = 0x00000200;
constexpr uint32_t BUFFER_SIZE_BYTES = 0x0000FFFF;
constexpr uint32_t IRQ_STATUS_RX_READY = 0x0000000F;
constexpr uint32_t IRQ_STATUS_TX_DONE = 0x00000100;
constexpr uint32_t IRQ_STATUS_ERROR = 0x00000200;
constexpr uint32_t IRQ_MASK_RX_READY = 0x0000000F;
constexpr uint32_t IRQ_MASK_TX_DONE = 0x00000100;
constexpr uint32_t IRQ_MASK_ERROR = 0x00000200;
constexpr uint32_t POINTERS_HELD_RX = 0x000000FF;
constexpr uint32_t POINTERS_HELD_TX = 0x0000FF00;
constexpr uint32_t POINTERS_HELD_QUEUES = 0x00FF0000;
constexpr uint32_t IRQ_MODERATION_FRAMES = 0x000000FF;
constexpr uint32_t IRQ_MODERATION_CYCLES = 0xFFFFFF00;
constexpr uint32_t RX_PATIENCE_CYCLES = 0x00FFFFFF;
constexpr uint32_t MAC_CONTROL_MII = 0x00000001;
constexpr uint32_t MAC_CONTROL_RX_PAUSE = 0x00000002;
constexpr uint32_t MAC_CONTROL_TX_PAUSE = 0x00000004;
constexpr uint32_t MAC_CONTROL_PROMISCUOUS = 0x00000008;
constexpr uint32_t MAC_CONTROL_BROADCAST = 0x00000010;
constexpr uint32_t MAC_CONTROL_RX_STORE = 0x00000020;
constexpr uint32_t STEERING_FLOW = 0x00000001;
constexpr uint32_t PTP_COMMAND_SET = 0x00000001;
constexpr uint32_t PTP_COMMAND_STEP = 0x00000002;
constexpr uint32_t TX_STAMP_TAG = 0x0000FFFF;
constexpr uint32_t TX_STAMP_VALID = 0x80000000;
constexpr uint32_t SELFTEST_CONTROL_TEST = 0x00000007;
constexpr uint32_t SELFTEST_STATUS_BUSY = 0x00000001;
constexpr uint32_t SELFTEST_STATUS_DONE = 0x00000002;
constexpr uint32_t SELFTEST_STATUS_FAILED = 0x00000004;
constexpr uint32_t SELFTEST_STATUS_REFUSED = 0x00000008;
constexpr uint32_t SELFTEST_STATUS_GOT_ERR = 0x00000010;
constexpr uint32_t SELFTEST_STATUS_STEP = 0x00003F00;
constexpr uint32_t SELFTEST_STATUS_QUEUE_NUMBER = 0x000F0000;
constexpr uint32_t SELFTEST_STATUS_INDEX = 0x3F000000;
constexpr uint32_t SELFTEST_BASE_ADDRESS = 0xFFFFFFF8;
constexpr uint32_t SELFTEST_BYTES_BYTES = 0xFFFFFFF8;
constexpr uint32_t SELFTEST_CYCLES_REGISTER_ACCESS = 0x000000FF;
constexpr uint32_t SELFTEST_CYCLES_QUEUE_OP = 0x0000FF00;
constexpr uint32_t SELFTEST_CYCLES_TRAVERSAL = 0x00FF0000;
constexpr uint32_t SELFTEST_ADDRESS_WORD = 0xFFFFFFFC;
constexpr uint32_t QUEUE_FREE_BASE_ADDRESS = 0xFFFFFFF8;
constexpr uint32_t QUEUE_RECEIVE_BASE_ADDRESS = 0xFFFFFFF8;
constexpr uint32_t QUEUE_TRANSMIT_BASE_ADDRESS = 0xFFFFFFF8;
constexpr uint32_t QUEUE_SETUP_ENTRIES = 0x0000007F;
constexpr uint32_t QUEUE_SETUP_PAUSE = 0x00FFFF00;
constexpr uint32_t QUEUE_ERRORS_BUS = 0x00000007;
constexpr uint32_t QUEUE_ERRORS_CONTENT = 0x00000070;
constexpr uint32_t QUEUE_ERRORS_UNSET = 0x00000100;
constexpr uint32_t CAPABILITY_QUEUES_IN_MEMORY = 0x00000001;
constexpr uint32_t CAPABILITY_SELFTEST = 0x00000002;
constexpr uint32_t CAPABILITY_PTP = 0x00000004;
constexpr uint32_t CAPABILITY_STATISTICS = 0x00000008;
constexpr uint32_t CAPABILITY_SERVERS = 0x00000070;
constexpr uint32_t CAPABILITY_LOG2_DEPTH = 0x00000F00;
constexpr uint32_t CAPABILITY_OFFLOADS = 0x00001000;
constexpr uint32_t RESET_SOFT = 0x00000001;
constexpr uint32_t MAX_FRAME_BYTES = 0x000007FF;
constexpr uint32_t MAC_ADDRESS_HIGH_HIGH = 0x0000FFFF;
constexpr uint32_t STATUS_RXQ_NONEMPTY = 0x0000000F;
constexpr uint32_t STATUS_TXQ_NONEMPTY = 0x000000F0;
constexpr uint32_t STATUS_FREEQ_NONEMPTY = 0x00000100;
constexpr uint32_t STATUS_LOCK_HELD = 0x00000200;
constexpr uint32_t STATUS_RX_IDLE = 0x00000400;
constexpr uint32_t STATUS_TX_IDLE = 0x00000800;
constexpr uint32_t STATUS_RXQ_FULL = 0x0000F000;
constexpr uint32_t STATUS_TXQ_FULL = 0x000F0000;
constexpr uint32_t STATUS_FREEQ_FULL = 0x00100000;
}  // namespace nic
namespace toe {
constexpr uint32_t ARGUMENT_A = 0x000;
constexpr uint32_t ARGUMENT_B = 0x004;
constexpr uint32_t COMMAND = 0x008;
constexpr uint32_t ANSWER = 0x00C;
constexpr uint32_t STATUS = 0x010;
constexpr uint32_t EVENT = 0x014;
constexpr uint32_t EVENTS = 0x018;
constexpr uint32_t IRQ_STATUS = 0x01C;
constexpr uint32_t IRQ_MASK = 0x020;
constexpr uint32_t CONNECTION = 0x024;
constexpr uint32_t RECEIVED = 0x028;
constexpr uint32_t ACKNOWLEDGED = 0x02C;
constexpr uint32_t PEER_ADDRESS = 0x030;
constexpr uint32_t PORTS = 0x034;
constexpr uint32_t COUNTED = 0x038;
constexpr uint32_t CONNECTIONS = 0x03C;
constexpr uint32_t NOW_LOW = 0x040;
constexpr uint32_t NOW_HIGH = 0x044;
constexpr uint32_t EARLIEST_LOW = 0x048;
constexpr uint32_t EARLIEST_HIGH = 0x04C;
constexpr uint32_t TIME_SCALE = 0x050;
constexpr uint32_t GROUP = 0x05C;
constexpr uint32_t IP_CONTROL = 0x060;
constexpr uint32_t MAC_LOW = 0x064;
constexpr uint32_t MAC_HIGH = 0x068;
constexpr uint32_t ADDRESS = 0x06C;
constexpr uint32_t MASK = 0x070;
constexpr uint32_t GATEWAY = 0x074;
constexpr uint32_t ARP_LIFETIME = 0x078;
constexpr uint32_t REFUSE_GAP = 0x07C;
constexpr uint32_t KEY0 = 0x080;
constexpr uint32_t KEY1 = 0x084;
constexpr uint32_t KEY2 = 0x088;
constexpr uint32_t KEY3 = 0x08C;
constexpr uint32_t LEAST_RTO = 0x090;
constexpr uint32_t LONGEST_RTO = 0x094;
constexpr uint32_t FIRST_RTO = 0x098;
constexpr uint32_t DELAYED_ACK = 0x09C;
constexpr uint32_t OVERRIDE_TIME = 0x0A0;
constexpr uint32_t MSL = 0x0A4;
constexpr uint32_t PATIENCE = 0x0A8;
constexpr uint32_t FIN_WAIT_2 = 0x0AC;
constexpr uint32_t KEEP_INTERVAL = 0x0B0;
constexpr uint32_t KEEP_PROBES = 0x0B4;
constexpr uint32_t CHALLENGES = 0x0B8;
constexpr uint32_t CHALLENGE_TIME = 0x0BC;
constexpr uint32_t OFFERS = 0x0C0;
constexpr uint32_t ID_KEY = 0x0C4;
constexpr uint32_t SEGMENTS_IN = 0x100;
constexpr uint32_t DATA_SEGMENTS_IN = 0x104;
constexpr uint32_t DROPS = 0x108;
constexpr uint32_t SEGMENTS_OUT = 0x10C;
constexpr uint32_t DATA_SEGMENTS_OUT = 0x110;
constexpr uint32_t SEGMENTS_AGAIN = 0x114;
constexpr uint32_t BYTES_SENT = 0x118;
constexpr uint32_t BYTES_AGAIN = 0x11C;
constexpr uint32_t TCP_DROP_NO_CONNECTION = 0x200;
constexpr uint32_t TCP_DROP_LISTEN_REFUSED = 0x204;
constexpr uint32_t TCP_DROP_LISTEN_FULL = 0x208;
constexpr uint32_t TCP_DROP_OUT_OF_WINDOW = 0x20C;
constexpr uint32_t TCP_DROP_OLD_STAMP = 0x210;
constexpr uint32_t TCP_DROP_NO_STAMP = 0x214;
constexpr uint32_t TCP_DROP_BAD_ACK = 0x218;
constexpr uint32_t TCP_DROP_BAD_RESET = 0x21C;
constexpr uint32_t TCP_DROP_SYN_IN_CONNECTION = 0x220;
constexpr uint32_t TCP_DROP_NO_ACK = 0x224;
constexpr uint32_t TCP_DROP_NO_GAP = 0x228;
constexpr uint32_t TCP_DROP_DUPLICATE = 0x22C;
constexpr uint32_t TCP_DROP_DEAF = 0x230;
constexpr uint32_t TCP_DROP_SMALL_MSS = 0x234;
constexpr uint32_t SEGMENT_TAKEN = 0x238;
constexpr uint32_t SEGMENT_DROP_BAD = 0x23C;
constexpr uint32_t SEGMENT_DROP_SHORT = 0x240;
constexpr uint32_t SEGMENT_DROP_OFFSET = 0x244;
constexpr uint32_t SEGMENT_DROP_SUM = 0x248;
constexpr uint32_t SEGMENT_DROP_ROOM = 0x24C;
constexpr uint32_t NET_RX_NIC = 0x250;
constexpr uint32_t NET_RX_ARP = 0x254;
constexpr uint32_t NET_RX_UDP = 0x258;
constexpr uint32_t NET_RX_TCP = 0x25C;
constexpr uint32_t NET_RX_ECHO = 0x260;
constexpr uint32_t NET_RX_ICMP_ERROR = 0x264;
constexpr uint32_t NET_RX_DROP_BAD = 0x268;
constexpr uint32_t NET_RX_DROP_LENGTH = 0x26C;
constexpr uint32_t NET_RX_DROP_IP_SUM = 0x270;
constexpr uint32_t NET_RX_DROP_ADDRESS = 0x274;
constexpr uint32_t NET_RX_DROP_GROUP = 0x278;
constexpr uint32_t NET_RX_DROP_SUM = 0x27C;
constexpr uint32_t NET_RX_DROP_PORT = 0x280;
constexpr uint32_t NET_RX_DROP_PROTOCOL = 0x284;
constexpr uint32_t NET_RX_DROP_BUSY = 0x288;
constexpr uint32_t NET_TX_SENT = 0x28C;
constexpr uint32_t NET_TX_DROP_LENGTH = 0x290;
constexpr uint32_t NET_TX_DROP_BAD = 0x294;
constexpr uint32_t NET_TX_CUT_BAD = 0x298;
constexpr uint32_t NET_TX_DROP_UNRESOLVED = 0x29C;
constexpr uint32_t NET_TX_DROP_DISABLED = 0x2A0;
constexpr uint32_t NET_ARP_REQUEST = 0x2A4;
constexpr uint32_t NET_ARP_REPLY = 0x2A8;
constexpr uint32_t NET_ARP_BUSY = 0x2AC;
constexpr uint32_t NET_ARP_CONFLICT = 0x2B0;
constexpr uint32_t NET_REFUSED = 0x2B4;
constexpr uint32_t NET_REFUSAL_SAVED = 0x2B8;
constexpr uint32_t TCP_SENT = 0x2BC;
constexpr uint32_t TCP_SENT_AGAIN = 0x2C0;
constexpr uint32_t TCP_FETCH_ERROR = 0x2C4;
constexpr uint32_t TCP_PLACED = 0x2C8;
constexpr uint32_t TCP_PLACE_ERROR = 0x2CC;
constexpr uint32_t COMMAND_REFUSED = 0x2D0;
constexpr uint32_t RECORD_WORD = 0x300;
constexpr uint32_t COMMAND_INDEX = 0x0000FFFF;
constexpr uint32_t COMMAND_OP = 0x00FF0000;
constexpr uint32_t COMMAND_QUIET = 0x80000000;
constexpr uint32_t ANSWER_INDEX = 0x0000FFFF;
constexpr uint32_t ANSWER_OP = 0x00FF0000;
constexpr uint32_t ANSWER_RESULT = 0x03000000;
constexpr uint32_t ANSWER_VALID = 0x80000000;
constexpr uint32_t STATUS_COMMANDS = 0x0000000F;
constexpr uint32_t STATUS_ANSWERS = 0x00000F00;
constexpr uint32_t STATUS_REFUSED = 0x00010000;
constexpr uint32_t STATUS_READY = 0x01000000;
constexpr uint32_t EVENT_INDEX = 0x0000FFFF;
constexpr uint32_t EVENT_ACCEPTED = 0x00010000;
constexpr uint32_t EVENT_CONNECTED = 0x00020000;
constexpr uint32_t EVENT_READABLE = 0x00040000;
constexpr uint32_t EVENT_WRITABLE = 0x00080000;
constexpr uint32_t EVENT_FINISHED = 0x00100000;
constexpr uint32_t EVENT_URGENT = 0x00200000;
constexpr uint32_t EVENT_SOFT_ERROR = 0x00400000;
constexpr uint32_t EVENT_TROUBLE = 0x00800000;
constexpr uint32_t EVENT_CLOSED = 0x01000000;
constexpr uint32_t EVENT_MEMORY_ERROR = 0x02000000;
constexpr uint32_t EVENT_VALID = 0x80000000;
constexpr uint32_t EVENTS_CONNECTIONS = 0x000007FF;
constexpr uint32_t IRQ_STATUS_EVENTS = 0x00000001;
constexpr uint32_t IRQ_STATUS_ANSWERS = 0x00000002;
constexpr uint32_t IRQ_MASK_EVENTS = 0x00000001;
constexpr uint32_t IRQ_MASK_ANSWERS = 0x00000002;
constexpr uint32_t CONNECTION_INDEX = 0x0000FFFF;
constexpr uint32_t PORTS_PORT = 0x0000FFFF;
constexpr uint32_t PORTS_PEER_PORT = 0xFFFF0000;
constexpr uint32_t COUNTED_INDEX = 0x0000FFFF;
constexpr uint32_t CONNECTIONS_COUNT = 0x000007FF;
constexpr uint32_t NOW_HIGH_US = 0x00FFFFFF;
constexpr uint32_t EARLIEST_HIGH_US = 0x000000FF;
constexpr uint32_t EARLIEST_HIGH_VALID = 0x80000000;
constexpr uint32_t TIME_SCALE_SCALE = 0x0000001F;
constexpr uint32_t GROUP_ADDRESS = 0x0FFFFFFF;
constexpr uint32_t GROUP_PLACE = 0x70000000;
constexpr uint32_t GROUP_JOINED = 0x80000000;
constexpr uint32_t IP_CONTROL_ENABLE = 0x00000001;
constexpr uint32_t IP_CONTROL_TCP = 0x00000002;
constexpr uint32_t IP_CONTROL_REFUSE = 0x00000004;
constexpr uint32_t IP_CONTROL_DHCP_TO_NIC = 0x00000008;
constexpr uint32_t IP_CONTROL_STEADY = 0x00000010;
constexpr uint32_t MAC_HIGH_ADDRESS = 0x0000FFFF;
constexpr uint32_t ARP_LIFETIME_SECONDS = 0x0000FFFF;
constexpr uint32_t REFUSE_GAP_US = 0x0000FFFF;
constexpr uint32_t LEAST_RTO_US = 0x07FFFFFF;
constexpr uint32_t LONGEST_RTO_US = 0x07FFFFFF;
constexpr uint32_t FIRST_RTO_US = 0x07FFFFFF;
constexpr uint32_t DELAYED_ACK_US = 0x003FFFFF;
constexpr uint32_t OVERRIDE_TIME_US = 0x003FFFFF;
constexpr uint32_t MSL_MS = 0x003FFFFF;
constexpr uint32_t PATIENCE_SYN = 0x0000FFFF;
constexpr uint32_t PATIENCE_CHILD = 0xFFFF0000;
constexpr uint32_t FIN_WAIT_2_MS = 0x003FFFFF;
constexpr uint32_t KEEP_INTERVAL_MS = 0x003FFFFF;
constexpr uint32_t KEEP_PROBES_PROBES = 0x0000000F;
constexpr uint32_t CHALLENGES_MOST = 0x0000000F;
constexpr uint32_t CHALLENGE_TIME_MS = 0x003FFFFF;
constexpr uint32_t OFFERS_SCALE = 0x00000001;
constexpr uint32_t OFFERS_STAMPS = 0x00000002;
constexpr uint32_t OFFERS_SACK = 0x00000004;
constexpr uint32_t OFFERS_RESET_FULL = 0x00000008;
}  // namespace toe
namespace toe_udp {
constexpr uint32_t CONTROL = 0x000;
constexpr uint32_t IRQ_STATUS = 0x004;
constexpr uint32_t IRQ_MASK = 0x008;
constexpr uint32_t STATUS = 0x00C;
constexpr uint32_t RING = 0x010;
constexpr uint32_t RECEIVED = 0x014;
constexpr uint32_t READ = 0x018;
constexpr uint32_t PEER_ADDRESS = 0x020;
constexpr uint32_t PORTS = 0x024;
constexpr uint32_t OPTIONS = 0x028;
constexpr uint32_t PAYLOAD = 0x02C;
constexpr uint32_t SEND = 0x030;
constexpr uint32_t SENT = 0x034;
constexpr uint32_t RECEIVED_DATAGRAMS = 0x040;
constexpr uint32_t DROP_ROOM = 0x044;
constexpr uint32_t DROP_FULL = 0x048;
constexpr uint32_t DROP_MEMORY = 0x04C;
constexpr uint32_t SEND_MEMORY_ERROR = 0x050;
constexpr uint32_t SEND_REFUSED = 0x054;
constexpr uint32_t DIRECT_DATAGRAMS = 0x058;
constexpr uint32_t DROP_SHARE = 0x05C;
constexpr uint32_t DROP_SLOTS = 0x060;
constexpr uint32_t LOCAL_PORTS_PORT = 0x080;
constexpr uint32_t CONTROL_RECEIVE = 0x00000001;
constexpr uint32_t CONTROL_ALL_PORTS = 0x00000002;
constexpr uint32_t IRQ_STATUS_DATAGRAMS = 0x00000001;
constexpr uint32_t IRQ_STATUS_SENT = 0x00000002;
constexpr uint32_t IRQ_MASK_DATAGRAMS = 0x00000001;
constexpr uint32_t IRQ_MASK_SENT = 0x00000002;
constexpr uint32_t STATUS_SENDS = 0x0000000F;
constexpr uint32_t STATUS_REFUSED = 0x00010000;
constexpr uint32_t STATUS_RECEIVING = 0x01000000;
constexpr uint32_t RING_SIZE = 0x00000007;
constexpr uint32_t RING_BASE = 0xFFFFF800;
constexpr uint32_t PORTS_PORT = 0x0000FFFF;
constexpr uint32_t PORTS_PEER_PORT = 0xFFFF0000;
constexpr uint32_t OPTIONS_TTL = 0x000000FF;
constexpr uint32_t OPTIONS_TOS = 0x0000FF00;
constexpr uint32_t OPTIONS_DF = 0x00010000;
constexpr uint32_t SEND_LENGTH = 0x0000FFFF;
constexpr uint32_t PORT_VALUE = 0x0000FFFF;
constexpr uint32_t PORT_OPEN = 0x00010000;
constexpr uint32_t PORT_DIRECT = 0x00020000;
}  // namespace toe_udp
namespace intc {
constexpr uint32_t PENDING = 0x000;
constexpr uint32_t ENABLE = 0x004;
constexpr uint32_t HIGHEST = 0x008;
}  // namespace intc
namespace timer {
constexpr uint32_t MTIME_LOW = 0x000;
constexpr uint32_t MTIME_HIGH = 0x004;
constexpr uint32_t MTIMECMP_LOW = 0x008;
constexpr uint32_t MTIMECMP_HIGH = 0x00C;
constexpr uint32_t MSIP = 0x010;
constexpr uint32_t MSIP_PENDING = 0x00000001;
}  // namespace timer
namespace uart {
constexpr uint32_t TX_DATA = 0x000;
constexpr uint32_t RX_DATA = 0x004;
constexpr uint32_t STATUS = 0x008;
constexpr uint32_t DIVISOR = 0x00C;
constexpr uint32_t TX_DATA_DATA = 0x000000FF;
constexpr uint32_t RX_DATA_DATA = 0x000000FF;
constexpr uint32_t RX_DATA_VALID = 0x00000100;
constexpr uint32_t STATUS_TX_FULL = 0x00000001;
constexpr uint32_t STATUS_TX_IDLE = 0x00000002;
constexpr uint32_t STATUS_RX_VALID = 0x00000004;
constexpr uint32_t STATUS_RX_OVERRUN = 0x00000008;
constexpr uint32_t STATUS_TX_OVERFLOW = 0x00000010;
constexpr uint32_t STATUS_FRAMING_ERROR = 0x00000020;
constexpr uint32_t DIVISOR_CLOCKS = 0x0000FFFF;
}  // namespace uart
namespace l2 {
constexpr uint32_t HITS = 0x000;
constexpr uint32_t MISSES = 0x004;
constexpr uint32_t WRITE_BACKS = 0x008;
constexpr uint32_t SIZE = 0x00C;
}  // namespace l2
namespace dma {
constexpr uint32_t SOURCE = 0x000;
constexpr uint32_t DESTINATION = 0x004;
constexpr uint32_t COMMAND = 0x008;
constexpr uint32_t RESULT = 0x00C;
constexpr uint32_t RESULT_CRC = 0x010;
constexpr uint32_t STATUS = 0x014;
constexpr uint32_t COMMAND_BYTES = 0x00FFFFFF;
constexpr uint32_t COMMAND_CRC = 0x01000000;
constexpr uint32_t COMMAND_SUM = 0x02000000;
constexpr uint32_t COMMAND_NO_WRITE = 0x04000000;
constexpr uint32_t COMMAND_IRQ = 0x08000000;
constexpr uint32_t RESULT_SUM = 0x0000FFFF;
constexpr uint32_t RESULT_WITH_CRC = 0x10000000;
constexpr uint32_t RESULT_WRITE = 0x20000000;
constexpr uint32_t RESULT_FAILED = 0x40000000;
constexpr uint32_t RESULT_VALID = 0x80000000;
constexpr uint32_t STATUS_COMMANDS = 0x0000001F;
constexpr uint32_t STATUS_RESULTS = 0x00001F00;
constexpr uint32_t STATUS_REFUSED = 0x00010000;
}  // namespace dma

// Packet buffer: byte offsets.
constexpr uint32_t BUFFER_FRAME = 18;
constexpr uint32_t BUFFER_CONTROL = 0;
constexpr uint32_t BUFFER_STAMP = 8;

// Queue in memory (NIC_1.1): byte offsets.
constexpr uint32_t MEMORY_QUEUE_ENTRIES = 16;
constexpr uint32_t MEMORY_QUEUE_LOCK = 0;
constexpr uint32_t MEMORY_QUEUE_INDICES = 8;

// Received datagram: byte offsets.
constexpr uint32_t DATAGRAM_PAYLOAD = 32;
constexpr uint32_t DATAGRAM_ENDS = 0;
constexpr uint32_t DATAGRAM_ABOUT = 8;

// CSRs of the RISC-V core.
namespace csr {
constexpr uint32_t MSTATUS = 0x300;  // Machine status: interrupt enable, before the trap and now
constexpr uint32_t MISA = 0x301;  // Instruction set
constexpr uint32_t MIE = 0x304;  // Interrupts enabled
constexpr uint32_t MTVEC = 0x305;  // Trap handler; bit 0: vectored interrupts
constexpr uint32_t MSTATUSH = 0x310;  // Machine status, high word: zero
constexpr uint32_t MCOUNTINHIBIT = 0x320;  // Bit n: counter n stands still
constexpr uint32_t MSCRATCH = 0x340;  // For the trap handler
constexpr uint32_t MEPC = 0x341;  // Where the trap happened
constexpr uint32_t MCAUSE = 0x342;  // Why; bit 31: an interrupt
constexpr uint32_t MTVAL = 0x343;  // The address or instruction that caused the trap
constexpr uint32_t MIP = 0x344;  // Interrupts pending
constexpr uint32_t MBUSERR = 0x7C0;  // Address of the first posted access that failed; a write clears it. Ours
constexpr uint32_t MBUSCTL = 0x7C1;  // Bit 0: every store is precise. Bit 1: loads overlap. Ours
constexpr uint32_t MCACHECTL = 0x7C2;  // Writing bit 0 = 1 drops the whole data cache. Ours
constexpr uint32_t MCYCLE = 0xB00;  // Cycles, low word
constexpr uint32_t MINSTRET = 0xB02;  // Instructions retired, low word
constexpr uint32_t MHPMCOUNTER3 = 0xB03;  // Cycles in which no instruction retired: the result of a load or atomic is used by the next
constexpr uint32_t MHPMCOUNTER4 = 0xB04;  // ... what was fetched behind a branch or jump was wrong
constexpr uint32_t MHPMCOUNTER5 = 0xB05;  // ... multiply, divide or custom-0 at work, or its result used by the next
constexpr uint32_t MHPMCOUNTER6 = 0xB06;  // ... the instruction cache has nothing
constexpr uint32_t MHPMCOUNTER7 = 0xB07;  // ... a cached access waits for its line, or for the cache
constexpr uint32_t MHPMCOUNTER8 = 0xB08;  // ... round trips of uncached accesses
constexpr uint32_t MHPMCOUNTER9 = 0xB09;  // ... the store buffer is full
constexpr uint32_t MHPMCOUNTER10 = 0xB0A;  // ... CSR access, fence, fence.i, mret, wfi
constexpr uint32_t MHPMCOUNTER11 = 0xB0B;  // ... traps, interrupts, reset
constexpr uint32_t MCYCLEH = 0xB80;  // Cycles, high word
constexpr uint32_t MINSTRETH = 0xB82;  // Instructions retired, high word
constexpr uint32_t CYCLE = 0xC00;  // mcycle, to read
constexpr uint32_t INSTRET = 0xC02;  // minstret, to read
constexpr uint32_t CYCLEH = 0xC80;  // mcycleh, to read
constexpr uint32_t INSTRETH = 0xC82;  // minstreth, to read
constexpr uint32_t MVENDORID = 0xF11;  // Zero
constexpr uint32_t MARCHID = 0xF12;  // Zero
constexpr uint32_t MIMPID = 0xF13;  // Version of the core
constexpr uint32_t MHARTID = 0xF14;  // Number of the hart
constexpr uint32_t MCONFIGPTR = 0xF15;  // Zero
constexpr bool exists(uint32_t number) {
    switch (number) {
        case MSTATUS:
        case MISA:
        case MIE:
        case MTVEC:
        case MSTATUSH:
        case MCOUNTINHIBIT:
        case MSCRATCH:
        case MEPC:
        case MCAUSE:
        case MTVAL:
        case MIP:
        case MBUSERR:
        case MBUSCTL:
        case MCACHECTL:
        case MCYCLE:
        case MINSTRET:
        case MHPMCOUNTER3:
        case MHPMCOUNTER4:
        case MHPMCOUNTER5:
        case MHPMCOUNTER6:
        case MHPMCOUNTER7:
        case MHPMCOUNTER8:
        case MHPMCOUNTER9:
        case MHPMCOUNTER10:
        case MHPMCOUNTER11:
        case MCYCLEH:
        case MINSTRETH:
        case CYCLE:
        case INSTRET:
        case CYCLEH:
        case INSTRETH:
        case MVENDORID:
        case MARCHID:
        case MIMPID:
        case MHARTID:
        case MCONFIGPTR:
            return true;
    }
    return false;
}
}  // namespace csr

}  // namespace nsoc_map

#endif
