// SPDX-License-Identifier: Apache-2.0
//
// UDP datagrams out of memory to net, one after the other, as the processor asked for them. The sending half of
// toe_udp.
//
//     send --> queue --> fetch --> tcp_rings_fetch --ask, read--> memory
//                 \                        \--fetched--> udp
//                  +--- addresses, ports -------------->
//
// A datagram's sum is not known before it is read, and memory may stall: net stores it, makes the sum, and sends it
// when it is whole. One whose bytes memory has refused is called bad with its last beat, so net forgets it. `sent` when
// its last beat is taken: its memory may be written over.
//
//     cycle      0    1    2    3          k   k+1  k+2  k+3           (k: memory's first answer)
//     send       s
//     fetch           f
//     ask                       d0   d1
//     udp                                      w0   w1   w2
//
// Latency: 3 cycles from `send` to `ask`. Throughput: a beat a cycle, less 6 cycles and memory's latency for each
// datagram: with 20 cycles of latency 64 bytes each 34; of long ones IN_FLIGHT dwords in memory's latency and 3 cycles.
// Borders: registers; udp's `bad` and `valid` through a gate.
module toe_udp_tx
  import acb_pkg::acb_req_t, acb_pkg::acb_rsp_t;
  import net_pkg::*;
  import tcp_pkg::*;
#(
  parameter int unsigned SENDS     = 8,  // that wait or are under way
  parameter int unsigned IN_FLIGHT = 16  // reads
) (
  input  logic         clk,
  input  logic         rst,

  input  logic         send_valid,       // while there is room
  input  ip_t          send_address,
  input  logic [15:0]  send_peer_port,
  input  logic [15:0]  send_port,
  input  logic [7:0]   send_ttl,
  input  logic [7:0]   send_tos,
  input  logic         send_df,
  input  logic [31:0]  send_payload,     // where in memory
  input  logic [10:0]  send_length,
  output logic [$clog2(SENDS+1)-1:0] sends,

  output logic         ask,              // see tcp_rings
  output acb_req_t     read,
  output ring_note_t   note,
  input  logic         go,
  input  logic         answer,
  input  ring_note_t   answer_note,
  input  acb_rsp_t     answer_rsp,

  output udp_tx_t      udp,
  input  logic         udp_ready,
  output logic         sent,             // pulse; as it is ...
  output logic         memory_error      // ... but net forgets it
);

  localparam int unsigned COUNT_W = $clog2(SENDS + 1);

  typedef struct packed {
    ip_t         address;
    logic [15:0] peer_port;
    logic [15:0] port;
    logic [7:0]  ttl;
    logic [7:0]  tos;
    logic        df;
    logic [31:0] payload;
    logic [10:0] length;
  } udp_send_t;

  typedef enum logic [1:0] {FETCH, STREAM, EMPTY} state_t;

  udp_send_t              new_send, oldest;
  state_t                 state_q;
  logic                   oldest_valid, room, fetch_valid, fetch_ready, fetched_valid, fetched_error, ends, idle;
  frame_pkg::frame_beat_t fetched;
  logic [COUNT_W-1:0]     sends_q;

  assign new_send = '{address: send_address, peer_port: send_peer_port, port: send_port, ttl: send_ttl, tos: send_tos,
                      df: send_df, payload: send_payload, length: send_length};

  /* verilator lint_off PINCONNECTEMPTY */  // sends_q counts
  fifo_lut #(.WIDTH($bits(udp_send_t)), .DEPTH(SENDS)) u_sends (
    .clk, .rst, .in_data(new_send), .in_valid(send_valid), .in_ready(room), .out_data(oldest), .out_valid(oldest_valid),
    .out_ready(ends), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign fetch_valid = state_q == FETCH && oldest_valid && oldest.length != '0;
  assign ends        = udp.valid && udp_ready && udp.beat.tlast;

  tcp_pkg::ring_t whole_units;

  // Any address: that of a ring of the least size, and the place in it.
  assign whole_units = '{base: RING_BASE_W'(oldest.payload[31:LEAST_RING]), size: '0};

  tcp_rings_fetch #(.STRAIGHT(1'b1), .IN_FLIGHT(IN_FLIGHT)) u_fetch (
    .clk, .rst, .fetch_valid, .fetch_ready, .offset(RING_W'(oldest.payload[LEAST_RING-1:0])),
    .length(16'(oldest.length)), .ring(whole_units), .fetched, .fetched_valid,
    .fetched_ready(udp_ready && state_q == STREAM), .fetched_error, .ask, .read, .note, .go, .answer, .answer_note,
    .answer_rsp, .idle
  );

  always_ff @(posedge clk) begin
    unique case (state_q)
      FETCH: if (oldest_valid) begin
        if (oldest.length == '0) state_q <= EMPTY;
        else if (fetch_ready) state_q <= STREAM;
      end
      default: if (ends) state_q <= FETCH;
    endcase
    sends_q <= sends_q + COUNT_W'(send_valid) - COUNT_W'(ends);
    if (rst) begin
      state_q <= FETCH;
      sends_q <= '0;
    end
  end

  always_comb begin
    udp.user = '{
      ip: '{bad: state_q == STREAM && fetched_error, steady: 1'b0, destination: oldest.address,
            length: 16'(oldest.length), ttl: oldest.ttl, tos: oldest.tos, df: oldest.df},
      source_port: oldest.port, port: oldest.peer_port, sum_known: 1'b0, sum: '0
    };
    udp.beat  = fetched;
    udp.valid = state_q == STREAM && fetched_valid;
    if (state_q == EMPTY) begin
      udp.beat  = '{tlast: 1'b1, tdata: '0, tkeep: '0};
      udp.valid = 1'b1;
    end
  end

  logic sent_q, memory_error_q;

  always_ff @(posedge clk) begin
    sent_q         <= ends && !rst;
    memory_error_q <= ends && udp.user.ip.bad && !rst;
  end

  assign sends        = sends_q;
  assign sent         = sent_q;
  assign memory_error = memory_error_q;

  a_room : assert property (@(posedge clk) disable iff (rst) send_valid -> room && sends_q < COUNT_W'(SENDS));
  a_alone : assert property (@(posedge clk) disable iff (rst) state_q == FETCH -> idle);
  a_sends : assert property (@(posedge clk) disable iff (rst) ends -> sends_q != '0);

endmodule
