// SPDX-License-Identifier: Apache-2.0
//
// Types that depend on a width, each said once: of beats, of streams of them, and of what lies between the blocks of
// tcp_engine and its owner. A package cannot hold them, for it has no parameters. A line declares one:
//
//     localparam type beat_t   = `NSOC_BEAT(WIDTH),                     // among a module's parameters
//     localparam type udp_rx_t = `NSOC_STREAM(udp_rx_user_t, beat_t)
//
//     typedef `NSOC_STREAM(udp_rx_user_t, beat_t) udp_rx_t;             // inside it
//
// The beat in a stream has a name, for Verilator of Debian 12 takes no struct without one inside a parameter. Whose
// packages are named here need be read by those alone who use the line.
`ifndef NSOC_TYPES_SVH
`define NSOC_TYPES_SVH

// ---- Streams of beats: frame_pkg says what a beat is, and its `frame_beat_t` is the one of 64 bits ------------------

`define NSOC_BEAT(WIDTH) \
  struct packed {logic tlast; logic [(WIDTH)-1:0] tdata; logic [(WIDTH)/8-1:0] tkeep;}

// Beats with what belongs to their frame, datagram or segment.
`define NSOC_STREAM(USER, BEAT) \
  struct packed {USER user; BEAT beat; logic valid;}

// Inside net: a datagram from its first beat behind the IPv4 header; bad with the last beat.
`define NSOC_L4_TX(BEAT) \
  struct packed {logic bad; BEAT beat; logic valid;}

// Inside net: the first words of a datagram, for what a refusal quotes.
`define NSOC_L4_HEAD(WIDTH) \
  struct packed {logic valid; logic [2:0] place; logic [(WIDTH)-1:0] data; logic ends;}

// Words of frames as the line has them, the first lane on top; bad with last.
`define NSOC_LINE_WORD(WIDTH) \
  struct packed {logic valid; logic bad; logic last; logic [(WIDTH)/8-1:0] keep; logic [(WIDTH)-1:0] data;}

// ---- A core bus as wide as memory is: acb_pkg says how it works, and its types are those of 64 bits -----------------

`define NSOC_BUS_REQ(WIDTH) \
  struct packed { \
    logic lock; logic read; logic [(WIDTH)/8-1:0] byte_mask; logic [acb_pkg::ADDR_W-1:0] address; \
    logic [(WIDTH)-1:0] write_data; \
  }

`define NSOC_BUS_RSP(WIDTH) \
  struct packed {logic err; logic [(WIDTH)-1:0] data;}

`define NSOC_BUS_M2S(WIDTH) \
  struct packed {`NSOC_BUS_REQ(WIDTH) req; logic req_valid; logic rsp_ready;}

`define NSOC_BUS_S2M(WIDTH) \
  struct packed {logic req_ready; `NSOC_BUS_RSP(WIDTH) rsp; logic rsp_valid;}

// ---- A TCP connection's rings and streams ---------------------------------------------------------------------------

// A segment's payload on its way to the ring.
`define NSOC_PAYLOAD(BEAT) \
  struct packed { \
    logic early; tcp_pkg::index_t index; tcp_pkg::place_t place; BEAT beat; logic valid; \
  }

// Goes with a request for a ring's line, and comes back with its answer.
`define NSOC_RING_NOTE(WIDTH) \
  struct packed { \
    logic last; logic early; logic [$clog2((WIDTH)/8)-1:0] shift; logic [$clog2((WIDTH)/8)-1:0] tail; \
  }

// What an application hands over, and what it gets.
`define NSOC_TCP_WRITE(WIDTH) \
  struct packed { \
    logic tvalid; logic tpromise; logic thold; logic tlast; tcp_pkg::index_t tdest; logic [15:0] tlength; \
    logic [(WIDTH)/8-1:0] tkeep; logic [(WIDTH)-1:0] tdata; \
  }

`define NSOC_TCP_READ(WIDTH) \
  struct packed { \
    logic tvalid; logic tlast; logic tabort; tcp_pkg::index_t tdest; logic [(WIDTH)/8-1:0] tkeep; \
    logic [(WIDTH)-1:0] tdata; \
  }

// ---- What a WIDTH may be, for a block that asks no more of it -------------------------------------------------------

`define NSOC_CHECK_WIDTH(BLOCK) \
  if (WIDTH != 64 && WIDTH != 128 && WIDTH != 256 && WIDTH != 512) begin : g_bad_width \
    $error(`"BLOCK: WIDTH must be 64, 128, 256 or 512`"); \
  end

`endif  // NSOC_TYPES_SVH
