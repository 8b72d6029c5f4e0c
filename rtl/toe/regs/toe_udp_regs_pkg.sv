// SPDX-License-Identifier: Apache-2.0
//
// The registers of toe_udp: IDs, which are byte offsets / 4, reset values, layouts.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package toe_udp_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs, and how many bits of the address say them: [2 +: ID_W].
  localparam int unsigned ID_W = 6;
  localparam logic [5:0] ID_CONTROL = 6'd0;
  localparam logic [5:0] ID_IRQ_STATUS = 6'd1;
  localparam logic [5:0] ID_IRQ_MASK = 6'd2;
  localparam logic [5:0] ID_STATUS = 6'd3;
  localparam logic [5:0] ID_RING = 6'd4;
  localparam logic [5:0] ID_RECEIVED = 6'd5;
  localparam logic [5:0] ID_READ = 6'd6;
  localparam logic [5:0] ID_PEER_ADDRESS = 6'd8;
  localparam logic [5:0] ID_PORTS = 6'd9;
  localparam logic [5:0] ID_OPTIONS = 6'd10;
  localparam logic [5:0] ID_PAYLOAD = 6'd11;
  localparam logic [5:0] ID_SEND = 6'd12;
  localparam logic [5:0] ID_SENT = 6'd13;
  localparam logic [5:0] ID_RECEIVED_DATAGRAMS = 6'd16;
  localparam logic [5:0] ID_DROP_ROOM = 6'd17;
  localparam logic [5:0] ID_DROP_FULL = 6'd18;
  localparam logic [5:0] ID_DROP_MEMORY = 6'd19;
  localparam logic [5:0] ID_SEND_MEMORY_ERROR = 6'd20;
  localparam logic [5:0] ID_SEND_REFUSED = 6'd21;
  localparam logic [5:0] ID_DIRECT_DATAGRAMS = 6'd22;
  localparam logic [5:0] ID_DROP_SHARE = 6'd23;
  localparam logic [5:0] ID_DROP_SLOTS = 6'd24;
  localparam logic [5:0] ID_LOCAL_PORTS_PORT = 6'd32;
  localparam int unsigned LOCAL_PORTS_COUNT = 16;
  localparam int unsigned LOCAL_PORTS_STRIDE = 1;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] CONTROL_RESET = 32'h00000000;
  localparam logic [31:0] CONTROL_WRITABLE = 32'h00000003;
  localparam logic [31:0] IRQ_STATUS_RESET = 32'h00000002;
  localparam logic [31:0] IRQ_MASK_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_MASK_WRITABLE = 32'h00000003;
  localparam logic [31:0] STATUS_RESET = 32'h00000000;
  localparam logic [31:0] STATUS_WRITABLE = 32'h00010000;
  localparam logic [31:0] RING_RESET = 32'h00000000;
  localparam logic [31:0] RING_WRITABLE = 32'hfffff807;
  localparam logic [31:0] RECEIVED_RESET = 32'h00000000;
  localparam logic [31:0] READ_RESET = 32'h00000000;
  localparam logic [31:0] READ_WRITABLE = 32'hffffffff;
  localparam logic [31:0] PEER_ADDRESS_RESET = 32'h00000000;
  localparam logic [31:0] PEER_ADDRESS_WRITABLE = 32'hffffffff;
  localparam logic [31:0] PORTS_RESET = 32'h00000000;
  localparam logic [31:0] PORTS_WRITABLE = 32'hffffffff;
  localparam logic [31:0] OPTIONS_RESET = 32'h00000040;
  localparam logic [31:0] OPTIONS_WRITABLE = 32'h0001ffff;
  localparam logic [31:0] PAYLOAD_RESET = 32'h00000000;
  localparam logic [31:0] PAYLOAD_WRITABLE = 32'hffffffff;
  localparam logic [31:0] SEND_RESET = 32'h00000000;
  localparam logic [31:0] SEND_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] SENT_RESET = 32'h00000000;

  // Registers of several fields.
  typedef struct packed {
    logic [29:0] reserved0;
    logic all_ports;  // [1]
    logic receive;  // [0]
  } control_t;

  typedef struct packed {
    logic [29:0] reserved0;
    logic sent;  // [1]
    logic datagrams;  // [0]
  } irq_status_t;

  typedef struct packed {
    logic [29:0] reserved0;
    logic sent;  // [1]
    logic datagrams;  // [0]
  } irq_mask_t;

  typedef struct packed {
    logic [6:0] reserved0;
    logic receiving;  // [24]
    logic [6:0] reserved1;
    logic refused;  // [16]
    logic [11:0] reserved2;
    logic [3:0] sends;  // [3:0]
  } status_t;

  typedef struct packed {
    logic [20:0] base;  // [31:11]
    logic [7:0] reserved0;
    logic [2:0] size;  // [2:0]
  } ring_t;

  typedef struct packed {
    logic [15:0] peer_port;  // [31:16]
    logic [15:0] port;  // [15:0]
  } ports_t;

  typedef struct packed {
    logic [14:0] reserved0;
    logic df;  // [16]
    logic [7:0] tos;  // [15:8]
    logic [7:0] ttl;  // [7:0]
  } options_t;

  typedef struct packed {
    logic [13:0] reserved0;
    logic direct;  // [17]
    logic open;  // [16]
    logic [15:0] value;  // [15:0]
  } port_t;

  // Received datagram: byte offsets, and dwords of several fields as the bus carries them.
  localparam int unsigned DATAGRAM_PAYLOAD_OFFSET = 32;
  localparam int unsigned DATAGRAM_ENDS_OFFSET = 0;
  localparam int unsigned DATAGRAM_ABOUT_OFFSET = 8;

  typedef struct packed {
    logic [31:0] peer_address;  // [63:32]
    logic [15:0] peer_port;  // [31:16]
    logic [15:0] port;  // [15:0]
  } datagram_ends_t;

  typedef struct packed {
    logic [31:0] us;  // [63:32]
    logic [7:0] reserved0;
    logic [7:0] to_all;  // [23:16]
    logic [15:0] length;  // [15:0]
  } datagram_about_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
