// SPDX-License-Identifier: Apache-2.0
//
// The application's streams onto the TCP engine, without a processor: rings beside the engine, WIDTH bits wide, and who
// fills and empties them.
//
//     s_* --> tcp_stream_send ----lines--> send rings ----reads---> tcp_rings        tcp_stream_rings
//             |       ^
//             SEND    told
//             READ    told
//             |       v
//     m_* <-- tcp_stream_receive <-lines-- receive rings <-writes-- tcp_rings
//
// It is for a node what dca_rings is for a processor: told of every connection (tcp_engine with STREAM), it alone sends and
// reads; commands that open and close are somebody else's. Positions are absolute and count from the begin of a connection, so
// a SEND or READ that the engine refuses (the connection has just ended) does no harm. A connection is open from its
// begin until it is closed, and then neither sends nor reads; what was received until then is delivered even so. Its
// index is used again only when all of that has been taken.
//
// - A packet from s_* is one write, a packet to m_* are bytes of one connection as they come in. See tcp_stream_send and
//   tcp_stream_receive, there also about the other path that may deliver before: look, hold, busy, fast.
// - `wrote`: the engine has taken the SEND of what was given up to wrote_position.
//
// Latency: from a packet's last beat to its SEND 3 cycles, 2 more than the ring needs; from told_valid to the first beat
// 6 to 7. From told_valid to READ 3. Throughput: a beat a cycle each way; a cycle a packet from s_*, 8 a packet to m_*.
// Borders: request, wrote and stat out of registers; the others as in tcp_stream_send, _receive and _rings.

`include "types.svh"

module tcp_stream
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,           // 64, 128, 256 or 512
  parameter int unsigned PORT        = 64,           // of tcp_rings' port: 64 or WIDTH
  parameter int unsigned CONNECTIONS = 64,           // a power of two, 4 to 1024
  parameter int unsigned RING_BYTES  = 4096,         // a power of two, 2 KB to 256 KB
  parameter int unsigned BASE        = 0,            // of the rings, see tcp_stream_rings
  localparam type m2s_t = `NSOC_BUS_M2S(PORT),
  localparam type s2m_t = `NSOC_BUS_S2M(PORT)
) (
  input  logic               clk,
  input  logic               rst,

  input  m2s_t               acb_m2s,                // tcp_rings asks to write, ...
  output s2m_t               acb_s2m,
  input  m2s_t               acb_read_m2s,           // ... to read
  output s2m_t               acb_read_s2m,
  input  logic               told_valid,             // pulse, at most each second cycle
  input  index_t             told_index,
  input  direct_t            told,                   // whose `index` is not looked at
  output logic               request_valid,
  input  logic               request_ready,
  output request_t           request,

  input  logic [WIDTH-1:0]   s_tdata,
  input  logic [WIDTH/8-1:0] s_tkeep,
  input  logic               s_tlast,
  input  logic               s_tvalid,
  output logic               s_tready,
  input  index_t             s_tdest,                // beside all beats, as these:
  input  logic [15:0]        s_tlength,              // bytes of the packet
  input  logic               s_thold,                // it waits for its doorbell
  output logic [31:0]        s_position,             // in the cycle behind its first beat: bytes given before it
  input  logic               doorbell_valid,
  input  index_t             doorbell_dest,
  output logic               doorbell_ready,

  output logic [WIDTH-1:0]   m_tdata,
  output logic [WIDTH/8-1:0] m_tkeep,
  output logic               m_tlast,
  output logic               m_tvalid,
  input  logic               m_tready,
  output index_t             m_tdest,

  input  index_t             look_index,             // another path delivers, too
  output logic [31:0]        look_delivered,         // in the next cycle
  output logic               look_open,
  input  logic               hold_valid,
  input  index_t             hold_index,
  output logic               busy_valid,
  output index_t             busy_index,
  input  logic               fast_valid,             // pulse, at most each second cycle
  input  index_t             fast_index,
  input  logic [31:0]        fast_position,

  output logic               wrote,                  // pulse
  output index_t             wrote_index,
  output logic [31:0]        wrote_position,
  output logic               drop_length,            // pulse: a packet from s_* without its length, or too long
  output logic               drop_closed,            // pulse: for a connection that is not open
  output logic               idle                    // nothing waits, nothing is under way
);

  `NSOC_CHECK_WIDTH(tcp_stream)
  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W || (CONNECTIONS & (CONNECTIONS - 1)) != 0) begin : g_bad_count
    $error("tcp_stream: CONNECTIONS must be a power of two from 4 to 1024");
  end
  if (RING_BYTES < 1 << LEAST_RING || RING_BYTES > 1 << RING_W
      || (RING_BYTES & (RING_BYTES - 1)) != 0) begin : g_bad_ring
    $error("tcp_stream: RING_BYTES must be a power of two from 2 KB to 256 KB");
  end
  if (BASE % (2 * CONNECTIONS * RING_BYTES) != 0) begin : g_bad_base
    $error("tcp_stream: BASE must be a multiple of all rings together");
  end

  localparam int unsigned LINE_W = $clog2(CONNECTIONS * RING_BYTES / (WIDTH / 8));

  logic               read;
  logic [LINE_W-1:0]  read_line, write_line;
  logic [WIDTH-1:0]   read_data, write_data;
  logic [WIDTH/8-1:0] write;

  tcp_stream_rings #(
    .WIDTH(WIDTH), .PORT(PORT), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES), .BASE(BASE)
  ) u_rings (
    .clk, .rst, .acb_m2s, .acb_s2m, .acb_read_m2s, .acb_read_s2m,
    .read, .read_line, .read_data, .write, .write_line, .write_data
  );

  logic        send_asks, send_valid, send_ready, send_idle, read_asks, read_valid, read_ready, receive_idle;
  index_t      send_index, read_index;
  logic [31:0] send_position, read_position;

  tcp_stream_send #(.WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES)) u_send (
    .clk, .rst, .told_valid, .told_index, .told, .s_tdata, .s_tkeep, .s_tlast, .s_tvalid, .s_tready, .s_tdest,
    .s_tlength, .s_thold, .s_position, .doorbell_valid,
    .doorbell_dest, .doorbell_ready, .write, .write_line, .write_data,
    .send_asks, .send_valid, .send_ready, .send_index, .send_position, .drop_length, .drop_closed, .idle(send_idle)
  );

  tcp_stream_receive #(.WIDTH(WIDTH), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES)) u_receive (
    .clk, .rst, .told_valid, .told_index, .told, .read, .read_line, .read_data, .m_tdata, .m_tkeep, .m_tlast,
    .m_tvalid, .m_tready, .m_tdest, .look_index, .look_delivered, .look_open, .hold_valid, .hold_index, .busy_valid,
    .busy_index, .fast_valid, .fast_index, .fast_position, .read_asks, .read_valid, .read_ready, .read_index,
    .read_position, .idle(receive_idle)
  );

  // ---- Commands, in turns: behind a SEND who may have a READ --------------------------------------------------------

  logic     free, sends, request_valid_q, wrote_q;
  request_t request_q, next;
  index_t   wrote_index_q;
  logic [31:0] wrote_position_q;

  assign free       = request_ready || !request_valid_q;
  assign sends      = send_asks && !(read_asks && request_valid_q && request_q.command.op == OP_SEND);
  assign send_ready = free && sends;
  assign read_ready = free && !sends;

  always_comb begin
    next = '{index: read_index, command: '{op: OP_READ, a: read_position, b: '0}, ends: '0};
    if (sends) begin
      next.index      = send_index;
      next.command.op = OP_SEND;
      next.command.a  = send_position;
    end
  end

  always_ff @(posedge clk) begin
    if (free) begin
      request_q       <= next;
      request_valid_q <= sends ? send_valid : read_valid;
    end
    wrote_q          <= request_valid_q && request_ready && request_q.command.op == OP_SEND && !rst;
    wrote_index_q    <= request_q.index;
    wrote_position_q <= request_q.command.a;
    if (rst) request_valid_q <= 1'b0;
  end

  assign request        = request_q;
  assign request_valid  = request_valid_q;
  assign wrote          = wrote_q;
  assign wrote_index    = wrote_index_q;
  assign wrote_position = wrote_position_q;
  assign idle           = send_idle && receive_idle && !request_valid_q;

endmodule
