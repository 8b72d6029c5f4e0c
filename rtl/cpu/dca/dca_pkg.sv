// SPDX-License-Identifier: Apache-2.0
//
// Direct cache access: the instructions of the unit behind custom-0, and what it agrees on with the slots that
// datagrams cross in, and with the rings of direct connections. docs/dca.md says what a program writes.
//
//     funct3              rs1             rs2                              rd
//     TCP_STORE           buffer          [31:16] socket, [15:0] bytes     bytes moved, or -errno: from memory to the peer
//     TCP_LOAD            buffer          the same                         the same: ... from the peer to memory
//     UDP_STORE           buffer          the same                         the same: a datagram from memory to the network
//     UDP_LOAD            buffer          the same                         the same: ... from the network to memory
//     NEXT_EVENT          cycles to wait  mask                             event, 0 none, -EINTR
//     COMMAND             argument        [31:16] socket, [15:0] opcode    0, or -errno
//     STATUS              -               [31:16] socket, [15:0] item      value, or -errno
//
// `bytes` are bytes of payload: with HEADER the buffer has a line of 32 bytes more, in front (regs/datagram.rdl).
//
// A TCP socket is the connection of that index. An event is [31:16] what, [15:0] at which socket. Of the mask, bits
// [15:0] are UDP sockets with a datagram; [31:16] TCP sockets at which bytes wait, or the end.
package dca_pkg;

  localparam int unsigned SOCKETS   = 16;
  localparam int unsigned RX_SLOTS  = 16;
  localparam int unsigned TX_SLOTS  = 4;
  localparam int unsigned LINES     = 64;    // of 32 bytes, in a slot
  localparam int unsigned MAX_BYTES = 1472;  // of payload
  localparam int unsigned SOCKET_W  = $clog2(SOCKETS);
  localparam int unsigned RX_SLOT_W = $clog2(RX_SLOTS);
  localparam int unsigned TX_SLOT_W = $clog2(TX_SLOTS);
  localparam int unsigned LINE_W    = $clog2(LINES);
  localparam int unsigned LENGTH_W  = $clog2(MAX_BYTES + 1);
  localparam int unsigned SUM_W     = 26;    // of 16-bit words of a payload: 736 at most
  localparam int unsigned WORDS_W   = 8;     // of 64 bit of a payload: 184 at most

  typedef logic [SOCKET_W-1:0] socket_t;
  typedef logic [LENGTH_W-1:0] length_t;
  typedef logic [LINE_W-1:0]   line_t;
  typedef logic [255:0]        data_t;  // [255:248] is the byte at the lowest address

  // ---- Instructions.

  typedef enum logic [2:0] {
    TCP_STORE, TCP_LOAD, UDP_STORE, UDP_LOAD, NEXT_EVENT, COMMAND, STATUS, NOTHING
  } operation_t;

  typedef struct packed {  // funct7
    logic [3:0] zero;      // other units' room
    logic       header;    // a header line is in front of the payload
    logic       peek;      // a load leaves what it reads; of a TCP store: more comes, what is stored goes with it, or
                           // when there is no room for more
    logic       no_wait;
  } modifier_t;

  localparam logic [15:0] EVENT_UDP = 16'd1;  // a datagram waits at a UDP socket
  localparam logic [15:0] EVENT_TCP = 16'd2;  // bytes wait at a TCP socket, or nothing more will come

  localparam logic [15:0] SET_PEER_ADDRESS = 16'd0;  // of a UDP socket; 0: it has no peer
  localparam logic [15:0] SET_PEER_PORT    = 16'd1;
  localparam logic [15:0] SET_OPTIONS      = 16'd2;  // as toe_udp.options: [7:0] TTL, [15:8] TOS, [16] DF
  localparam logic [15:0] SET_IRQ          = 16'd3;  // mask as NEXT_EVENT's: the interrupt while one of these is there
  localparam logic [15:0] SET_IRQ_ROOM     = 16'd4;  // the same for TCP sockets of which half of the send ring is free

  localparam logic [15:0] GET_WAITING = 16'd0;  // datagrams of a UDP socket
  localparam logic [15:0] GET_LENGTH  = 16'd1;  // of the first one; -EAGAIN
  localparam logic [15:0] GET_DROPS   = 16'd2;  // good ones for which there was no slot, modulo 2^16
  localparam logic [15:0] GET_TO_LOAD = 16'd4;  // bytes that wait at a TCP socket, MAX_BYTES at most
  localparam logic [15:0] GET_ROOM    = 16'd5;  // bytes that it takes now, MAX_BYTES at most
  localparam logic [15:0] GET_STATE   = 16'd6;  // [0] the peer has sent all, [1] it is closed
  localparam logic [15:0] GET_STREAM  = 16'd7;  // the same, [16:2] all the room there is, [31:17] all bytes that wait

  localparam logic [6:0] ERR_INTR        = 7'd4;
  localparam logic [6:0] ERR_BADF        = 7'd9;
  localparam logic [6:0] ERR_AGAIN       = 7'd11;
  localparam logic [6:0] ERR_FAULT       = 7'd14;
  localparam logic [6:0] ERR_INVAL       = 7'd22;
  localparam logic [6:0] ERR_PIPE        = 7'd32;
  localparam logic [6:0] ERR_NOSYS       = 7'd38;
  localparam logic [6:0] ERR_DESTADDRREQ = 7'd89;
  localparam logic [6:0] ERR_MSGSIZE     = 7'd90;
  localparam logic [6:0] ERR_CONNRESET   = 7'd104;

  // ---- Between unit and slots, all in cpu_clk.

  // A datagram to send, beside its bytes: the lines of the buffer as they are, from its slot's line 0 on.
  typedef struct packed {
    socket_t          socket;
    net_pkg::ip_t     peer_address;  // these two: not with `header`, then they are in the first line
    logic [15:0]      peer_port;
    logic             header;
    logic [4:0]       offset;        // of the first byte in its line
    length_t          length;        // of payload
    logic [7:0]       ttl;
    logic [7:0]       tos;
    logic             df;
    logic [SUM_W-1:0] total;         // sum of the lines' 16-bit words, payload only; its bytes in the other order
                                     // if offset is odd
  } dca_send_t;

  typedef struct packed {
    socket_t               socket;     // whose front and status is looked at
    logic                  rx_read;    // a line of a slot: in rx_data from the next cycle on, until the next read
    logic [RX_SLOT_W-1:0]  rx_slot;
    line_t                 rx_line;
    logic [1:0]            rx_turn;    // the last so many dwords of the line are those of the line before
    logic                  rx_done;    // pulse: the socket's first datagram is read
    logic                  tx_write;   // a line into the slot that is next
    line_t                 tx_line;
    data_t                 tx_data;
    logic                  tx_send;    // pulse: that slot goes; while tx_room
    dca_send_t             send;
  } dca_slots_m2s_t;

  // The first datagram of a socket: it is whole and good, or (not `whole`) it comes in.
  typedef struct packed {
    logic                 valid;
    logic                 whole;
    logic [RX_SLOT_W-1:0] slot;
    length_t              length;
  } dca_front_t;

  typedef struct packed {
    dca_front_t           front;     // as of the cycle before
    logic                 good;      // pulses: the one that came in is whole, ...
    logic                 bad;       // ... is as if it had never been
    logic [WORDS_W-1:0]   words;     // of payload, of the one that comes in: so many are in its slot
    data_t                rx_data;
    logic [SOCKETS-1:0]   readable;  // a whole datagram waits
    logic [SOCKETS-1:0]   direct;    // the port is open, its datagrams come here
    logic [RX_SLOT_W:0]   waiting;   // at `socket`, as of the cycle before, as the next
    logic [15:0]          drops;
    logic                 tx_room;
  } dca_slots_s2m_t;

  // ---- Between unit and the rings of direct connections, all in cpu_clk.

  localparam int unsigned PLACE_LINES = 128;  // 4 KB each way, a connection; one whose index is a multiple of 4 may
  localparam int unsigned RING_LINES  = 512;  // have the places of the next ones, too: 16 KB at most
  localparam int unsigned PLACE_W     = $clog2(PLACE_LINES);
  localparam int unsigned RING_LINE_W = $clog2(RING_LINES);
  localparam int unsigned OFFSET_W    = RING_LINE_W + 5;

  typedef logic [RING_LINE_W-1:0] ring_line_t;
  typedef logic [OFFSET_W-1:0]    offset_t;    // of a byte in its ring

  // Dwords are turned on their way between ring and unit, as those of a slot (rx_turn): place i of a line is dword
  // i - turn of the ring's line, those before its begin are of the line before (read), or of the next one (write).
  typedef struct packed {
    socket_t     socket;       // whose ring, front and status
    logic        read;         // a line of the receive ring: in `data` from the next cycle on, until the next read
    ring_line_t  read_line;
    logic        write;        // a line into the send ring
    ring_line_t  write_line;   // of place `turn`
    logic [1:0]  turn;
    data_t       write_data;
    logic [31:0] write_mask;   // [31] is the byte at [255:248]
    logic        loaded;       // pulse: `bytes` of the receive ring are read
    logic        stored;       // pulse: ... of the send ring are written
    logic        tells;        // beside these: the engine is told, by absolute position; only while `room`
    length_t     bytes;
    logic        odd;          // of `stored`: the buffer began at an odd address, ...
    logic [SUM_W-1:0] total;   // ... the sum of its 16-bit words as they lay there
  } dca_rings_m2s_t;

  typedef struct packed {      // a direct connection, as of the cycle before; MAX_BYTES at most
    logic        direct;       // there is one, from its begin on
    logic        finished;     // the peer has sent all
    logic        closed;       // ... it is no more
    length_t     to_load;      // bytes that wait
    length_t     to_store;     // bytes for which there is room
    offset_t     load_at;      // where they are in their rings
    offset_t     store_at;
    logic [14:0] all_to_load;  // not only MAX_BYTES
    logic [14:0] all_to_store;
  } dca_stream_t;

  typedef struct packed {
    dca_stream_t        stream;
    data_t              data;
    logic               room;      // the engine may be told of one more
    logic [SOCKETS-1:0] readable;  // bytes wait, or the end
    logic [SOCKETS-1:0] writable;  // half of the send ring is free
  } dca_rings_s2m_t;

  typedef struct packed {          // from cpu_clk to nic_clk: how far the program is
    socket_t     socket;
    logic        store;            // it has given so much; else it has read so much
    logic [31:0] position;
    logic        alone;            // of a store: nothing is told besides its `bytes`; the rest as in dca_rings_m2s_t
    length_t     bytes;
    logic        odd;
    logic [SUM_W-1:0] total;
  } dca_moved_t;

  // ---- From nic_clk to cpu_clk: what becomes of received datagrams, in order.

  typedef enum logic [1:0] {
    HEAD,  // one begins
    GOOD,  // it is whole
    BAD,   // it is not: forget it
    DROP   // a good one for `socket` had no slot; forget it, if it has begun
  } rx_event_kind_t;

  typedef struct packed {
    rx_event_kind_t       kind;
    socket_t              socket;  // with HEAD and DROP; the others with HEAD
    logic [RX_SLOT_W-1:0] slot;
    length_t              length;
    logic [WORDS_W-1:0]   start;   // the count of words before it
  } rx_event_t;

endpackage
