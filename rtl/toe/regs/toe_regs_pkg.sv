// SPDX-License-Identifier: Apache-2.0
//
// The registers of toe: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package toe_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 8;
  localparam logic [7:0] ID_ARGUMENT_A = 8'd0;
  localparam logic [7:0] ID_ARGUMENT_B = 8'd1;
  localparam logic [7:0] ID_COMMAND = 8'd2;
  localparam logic [7:0] ID_ANSWER = 8'd3;
  localparam logic [7:0] ID_STATUS = 8'd4;
  localparam logic [7:0] ID_EVENT = 8'd5;
  localparam logic [7:0] ID_EVENTS = 8'd6;
  localparam logic [7:0] ID_IRQ_STATUS = 8'd7;
  localparam logic [7:0] ID_IRQ_MASK = 8'd8;
  localparam logic [7:0] ID_CONNECTION = 8'd9;
  localparam logic [7:0] ID_RECEIVED = 8'd10;
  localparam logic [7:0] ID_ACKNOWLEDGED = 8'd11;
  localparam logic [7:0] ID_PEER_ADDRESS = 8'd12;
  localparam logic [7:0] ID_PORTS = 8'd13;
  localparam logic [7:0] ID_COUNTED = 8'd14;
  localparam logic [7:0] ID_CONNECTIONS = 8'd15;
  localparam logic [7:0] ID_NOW_LOW = 8'd16;
  localparam logic [7:0] ID_NOW_HIGH = 8'd17;
  localparam logic [7:0] ID_EARLIEST_LOW = 8'd18;
  localparam logic [7:0] ID_EARLIEST_HIGH = 8'd19;
  localparam logic [7:0] ID_TIME_SCALE = 8'd20;
  localparam logic [7:0] ID_GROUP = 8'd23;
  localparam logic [7:0] ID_IP_CONTROL = 8'd24;
  localparam logic [7:0] ID_MAC_LOW = 8'd25;
  localparam logic [7:0] ID_MAC_HIGH = 8'd26;
  localparam logic [7:0] ID_ADDRESS = 8'd27;
  localparam logic [7:0] ID_MASK = 8'd28;
  localparam logic [7:0] ID_GATEWAY = 8'd29;
  localparam logic [7:0] ID_ARP_LIFETIME = 8'd30;
  localparam logic [7:0] ID_REFUSE_GAP = 8'd31;
  localparam logic [7:0] ID_KEY0 = 8'd32;
  localparam logic [7:0] ID_KEY1 = 8'd33;
  localparam logic [7:0] ID_KEY2 = 8'd34;
  localparam logic [7:0] ID_KEY3 = 8'd35;
  localparam logic [7:0] ID_LEAST_RTO = 8'd36;
  localparam logic [7:0] ID_LONGEST_RTO = 8'd37;
  localparam logic [7:0] ID_FIRST_RTO = 8'd38;
  localparam logic [7:0] ID_DELAYED_ACK = 8'd39;
  localparam logic [7:0] ID_OVERRIDE_TIME = 8'd40;
  localparam logic [7:0] ID_MSL = 8'd41;
  localparam logic [7:0] ID_PATIENCE = 8'd42;
  localparam logic [7:0] ID_FIN_WAIT_2 = 8'd43;
  localparam logic [7:0] ID_KEEP_INTERVAL = 8'd44;
  localparam logic [7:0] ID_KEEP_PROBES = 8'd45;
  localparam logic [7:0] ID_CHALLENGES = 8'd46;
  localparam logic [7:0] ID_CHALLENGE_TIME = 8'd47;
  localparam logic [7:0] ID_OFFERS = 8'd48;
  localparam logic [7:0] ID_ID_KEY = 8'd49;
  localparam logic [7:0] ID_SEGMENTS_IN = 8'd64;
  localparam logic [7:0] ID_DATA_SEGMENTS_IN = 8'd65;
  localparam logic [7:0] ID_DROPS = 8'd66;
  localparam logic [7:0] ID_SEGMENTS_OUT = 8'd67;
  localparam logic [7:0] ID_DATA_SEGMENTS_OUT = 8'd68;
  localparam logic [7:0] ID_SEGMENTS_AGAIN = 8'd69;
  localparam logic [7:0] ID_BYTES_SENT = 8'd70;
  localparam logic [7:0] ID_BYTES_AGAIN = 8'd71;
  localparam logic [7:0] ID_TCP_DROP_NO_CONNECTION = 8'd128;
  localparam logic [7:0] ID_TCP_DROP_LISTEN_REFUSED = 8'd129;
  localparam logic [7:0] ID_TCP_DROP_LISTEN_FULL = 8'd130;
  localparam logic [7:0] ID_TCP_DROP_OUT_OF_WINDOW = 8'd131;
  localparam logic [7:0] ID_TCP_DROP_OLD_STAMP = 8'd132;
  localparam logic [7:0] ID_TCP_DROP_NO_STAMP = 8'd133;
  localparam logic [7:0] ID_TCP_DROP_BAD_ACK = 8'd134;
  localparam logic [7:0] ID_TCP_DROP_BAD_RESET = 8'd135;
  localparam logic [7:0] ID_TCP_DROP_SYN_IN_CONNECTION = 8'd136;
  localparam logic [7:0] ID_TCP_DROP_NO_ACK = 8'd137;
  localparam logic [7:0] ID_TCP_DROP_NO_GAP = 8'd138;
  localparam logic [7:0] ID_TCP_DROP_DUPLICATE = 8'd139;
  localparam logic [7:0] ID_TCP_DROP_DEAF = 8'd140;
  localparam logic [7:0] ID_TCP_DROP_SMALL_MSS = 8'd141;
  localparam logic [7:0] ID_SEGMENT_TAKEN = 8'd142;
  localparam logic [7:0] ID_SEGMENT_DROP_BAD = 8'd143;
  localparam logic [7:0] ID_SEGMENT_DROP_SHORT = 8'd144;
  localparam logic [7:0] ID_SEGMENT_DROP_OFFSET = 8'd145;
  localparam logic [7:0] ID_SEGMENT_DROP_SUM = 8'd146;
  localparam logic [7:0] ID_SEGMENT_DROP_ROOM = 8'd147;
  localparam logic [7:0] ID_NET_RX_NIC = 8'd148;
  localparam logic [7:0] ID_NET_RX_ARP = 8'd149;
  localparam logic [7:0] ID_NET_RX_UDP = 8'd150;
  localparam logic [7:0] ID_NET_RX_TCP = 8'd151;
  localparam logic [7:0] ID_NET_RX_ECHO = 8'd152;
  localparam logic [7:0] ID_NET_RX_ICMP_ERROR = 8'd153;
  localparam logic [7:0] ID_NET_RX_DROP_BAD = 8'd154;
  localparam logic [7:0] ID_NET_RX_DROP_LENGTH = 8'd155;
  localparam logic [7:0] ID_NET_RX_DROP_IP_SUM = 8'd156;
  localparam logic [7:0] ID_NET_RX_DROP_ADDRESS = 8'd157;
  localparam logic [7:0] ID_NET_RX_DROP_GROUP = 8'd158;
  localparam logic [7:0] ID_NET_RX_DROP_SUM = 8'd159;
  localparam logic [7:0] ID_NET_RX_DROP_PORT = 8'd160;
  localparam logic [7:0] ID_NET_RX_DROP_PROTOCOL = 8'd161;
  localparam logic [7:0] ID_NET_RX_DROP_BUSY = 8'd162;
  localparam logic [7:0] ID_NET_TX_SENT = 8'd163;
  localparam logic [7:0] ID_NET_TX_DROP_LENGTH = 8'd164;
  localparam logic [7:0] ID_NET_TX_DROP_BAD = 8'd165;
  localparam logic [7:0] ID_NET_TX_CUT_BAD = 8'd166;
  localparam logic [7:0] ID_NET_TX_DROP_UNRESOLVED = 8'd167;
  localparam logic [7:0] ID_NET_TX_DROP_DISABLED = 8'd168;
  localparam logic [7:0] ID_NET_ARP_REQUEST = 8'd169;
  localparam logic [7:0] ID_NET_ARP_REPLY = 8'd170;
  localparam logic [7:0] ID_NET_ARP_BUSY = 8'd171;
  localparam logic [7:0] ID_NET_ARP_CONFLICT = 8'd172;
  localparam logic [7:0] ID_NET_REFUSED = 8'd173;
  localparam logic [7:0] ID_NET_REFUSAL_SAVED = 8'd174;
  localparam logic [7:0] ID_TCP_SENT = 8'd175;
  localparam logic [7:0] ID_TCP_SENT_AGAIN = 8'd176;
  localparam logic [7:0] ID_TCP_FETCH_ERROR = 8'd177;
  localparam logic [7:0] ID_TCP_PLACED = 8'd178;
  localparam logic [7:0] ID_TCP_PLACE_ERROR = 8'd179;
  localparam logic [7:0] ID_COMMAND_REFUSED = 8'd180;
  localparam logic [7:0] ID_RECORD_WORD = 8'd192;
  localparam int unsigned RECORD_COUNT = 64;
  localparam int unsigned RECORD_STRIDE = 1;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] ARGUMENT_A_RESET = 32'h00000000;
  localparam logic [31:0] ARGUMENT_A_WRITABLE = 32'hffffffff;
  localparam logic [31:0] ARGUMENT_B_RESET = 32'h00000000;
  localparam logic [31:0] ARGUMENT_B_WRITABLE = 32'hffffffff;
  localparam logic [31:0] COMMAND_RESET = 32'h00000000;
  localparam logic [31:0] COMMAND_WRITABLE = 32'h80ffffff;
  localparam logic [31:0] ANSWER_RESET = 32'h00000000;
  localparam logic [31:0] STATUS_RESET = 32'h00000000;
  localparam logic [31:0] STATUS_WRITABLE = 32'h00010000;
  localparam logic [31:0] EVENT_RESET = 32'h00000000;
  localparam logic [31:0] EVENTS_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_STATUS_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_MASK_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_MASK_WRITABLE = 32'h00000003;
  localparam logic [31:0] CONNECTION_RESET = 32'h00000000;
  localparam logic [31:0] CONNECTION_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] RECEIVED_RESET = 32'h00000000;
  localparam logic [31:0] ACKNOWLEDGED_RESET = 32'h00000000;
  localparam logic [31:0] PEER_ADDRESS_RESET = 32'h00000000;
  localparam logic [31:0] PORTS_RESET = 32'h00000000;
  localparam logic [31:0] COUNTED_RESET = 32'h00000000;
  localparam logic [31:0] COUNTED_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] NOW_LOW_RESET = 32'h00000000;
  localparam logic [31:0] NOW_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] EARLIEST_LOW_RESET = 32'h00000000;
  localparam logic [31:0] EARLIEST_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] TIME_SCALE_RESET = 32'h00000000;
  localparam logic [31:0] TIME_SCALE_WRITABLE = 32'h0000001f;
  localparam logic [31:0] GROUP_RESET = 32'h00000000;
  localparam logic [31:0] GROUP_WRITABLE = 32'hffffffff;
  localparam logic [31:0] IP_CONTROL_RESET = 32'h00000010;
  localparam logic [31:0] IP_CONTROL_WRITABLE = 32'h0000001f;
  localparam logic [31:0] MAC_LOW_RESET = 32'h00000000;
  localparam logic [31:0] MAC_LOW_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MAC_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] MAC_HIGH_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] ADDRESS_RESET = 32'h00000000;
  localparam logic [31:0] ADDRESS_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MASK_RESET = 32'h00000000;
  localparam logic [31:0] MASK_WRITABLE = 32'hffffffff;
  localparam logic [31:0] GATEWAY_RESET = 32'h00000000;
  localparam logic [31:0] GATEWAY_WRITABLE = 32'hffffffff;
  localparam logic [31:0] ARP_LIFETIME_RESET = 32'h0000003c;
  localparam logic [31:0] ARP_LIFETIME_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] REFUSE_GAP_RESET = 32'h000003e8;
  localparam logic [31:0] REFUSE_GAP_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] KEY0_RESET = 32'h00000000;
  localparam logic [31:0] KEY0_WRITABLE = 32'hffffffff;
  localparam logic [31:0] KEY1_RESET = 32'h00000000;
  localparam logic [31:0] KEY1_WRITABLE = 32'hffffffff;
  localparam logic [31:0] KEY2_RESET = 32'h00000000;
  localparam logic [31:0] KEY2_WRITABLE = 32'hffffffff;
  localparam logic [31:0] KEY3_RESET = 32'h00000000;
  localparam logic [31:0] KEY3_WRITABLE = 32'hffffffff;
  localparam logic [31:0] LEAST_RTO_RESET = 32'h00030d40;
  localparam logic [31:0] LEAST_RTO_WRITABLE = 32'h07ffffff;
  localparam logic [31:0] LONGEST_RTO_RESET = 32'h03938700;
  localparam logic [31:0] LONGEST_RTO_WRITABLE = 32'h07ffffff;
  localparam logic [31:0] FIRST_RTO_RESET = 32'h000f4240;
  localparam logic [31:0] FIRST_RTO_WRITABLE = 32'h07ffffff;
  localparam logic [31:0] DELAYED_ACK_RESET = 32'h00009c40;
  localparam logic [31:0] DELAYED_ACK_WRITABLE = 32'h003fffff;
  localparam logic [31:0] OVERRIDE_TIME_RESET = 32'h00030d40;
  localparam logic [31:0] OVERRIDE_TIME_WRITABLE = 32'h003fffff;
  localparam logic [31:0] MSL_RESET = 32'h0001c9c4;
  localparam logic [31:0] MSL_WRITABLE = 32'h003fffff;
  localparam logic [31:0] PATIENCE_RESET = 32'h001e00ac;
  localparam logic [31:0] PATIENCE_WRITABLE = 32'hffffffff;
  localparam logic [31:0] FIN_WAIT_2_RESET = 32'h0000e4e2;
  localparam logic [31:0] FIN_WAIT_2_WRITABLE = 32'h003fffff;
  localparam logic [31:0] KEEP_INTERVAL_RESET = 32'h00011e1a;
  localparam logic [31:0] KEEP_INTERVAL_WRITABLE = 32'h003fffff;
  localparam logic [31:0] KEEP_PROBES_RESET = 32'h00000009;
  localparam logic [31:0] KEEP_PROBES_WRITABLE = 32'h0000000f;
  localparam logic [31:0] CHALLENGES_RESET = 32'h0000000a;
  localparam logic [31:0] CHALLENGES_WRITABLE = 32'h0000000f;
  localparam logic [31:0] CHALLENGE_TIME_RESET = 32'h00001313;
  localparam logic [31:0] CHALLENGE_TIME_WRITABLE = 32'h003fffff;
  localparam logic [31:0] OFFERS_RESET = 32'h00000007;
  localparam logic [31:0] OFFERS_WRITABLE = 32'h0000000f;
  localparam logic [31:0] ID_KEY_RESET = 32'h00000000;
  localparam logic [31:0] ID_KEY_WRITABLE = 32'hffffffff;

  // Registers of several fields.
  typedef struct packed {
    logic quiet;  // [31]
    logic [6:0] reserved0;
    logic [7:0] op;  // [23:16]
    logic [15:0] index;  // [15:0]
  } command_t;

  typedef struct packed {
    logic valid;  // [31]
    logic [4:0] reserved0;
    logic [1:0] result;  // [25:24]
    logic [7:0] op;  // [23:16]
    logic [15:0] index;  // [15:0]
  } answer_t;

  typedef struct packed {
    logic [6:0] reserved0;
    logic ready;  // [24]
    logic [6:0] reserved1;
    logic refused;  // [16]
    logic [3:0] reserved2;
    logic [3:0] answers;  // [11:8]
    logic [3:0] reserved3;
    logic [3:0] commands;  // [3:0]
  } status_t;

  typedef struct packed {
    logic valid;  // [31]
    logic [4:0] reserved0;
    logic memory_error;  // [25]
    logic closed;  // [24]
    logic trouble;  // [23]
    logic soft_error;  // [22]
    logic urgent;  // [21]
    logic finished;  // [20]
    logic writable;  // [19]
    logic readable;  // [18]
    logic connected;  // [17]
    logic accepted;  // [16]
    logic [15:0] index;  // [15:0]
  } event_t;

  typedef struct packed {
    logic [29:0] reserved0;
    logic answers;  // [1]
    logic events;  // [0]
  } irq_status_t;

  typedef struct packed {
    logic [29:0] reserved0;
    logic answers;  // [1]
    logic events;  // [0]
  } irq_mask_t;

  typedef struct packed {
    logic [15:0] peer_port;  // [31:16]
    logic [15:0] port;  // [15:0]
  } ports_t;

  typedef struct packed {
    logic valid;  // [31]
    logic [22:0] reserved0;
    logic [7:0] us;  // [7:0]
  } earliest_high_t;

  typedef struct packed {
    logic joined;  // [31]
    logic [2:0] place;  // [30:28]
    logic [27:0] address;  // [27:0]
  } group_t;

  typedef struct packed {
    logic [26:0] reserved0;
    logic steady;  // [4]
    logic dhcp_to_nic;  // [3]
    logic refuse;  // [2]
    logic tcp;  // [1]
    logic enable;  // [0]
  } ip_control_t;

  typedef struct packed {
    logic [15:0] child;  // [31:16]
    logic [15:0] syn;  // [15:0]
  } patience_t;

  typedef struct packed {
    logic [27:0] reserved0;
    logic reset_full;  // [3]
    logic sack;  // [2]
    logic stamps;  // [1]
    logic scale;  // [0]
  } offers_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
