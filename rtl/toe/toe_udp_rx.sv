// SPDX-License-Identifier: Apache-2.0
//
// Received UDP datagrams from net into the ring in memory: a header line of 32 bytes (regs/datagram.rdl), the payload behind
// it. The receiving half of toe_udp.
//
//     udp --+--> fifo_rewind (words) --+
//           +--> header (queue) -------+--> header line, payload --> tcp_rings_place --> ask, write --> memory
//                                             place: received_q            placed --> received_q
//
// A datagram is written while it comes in, and net never waits: one for which the store has no room when it begins is dropped
// whole, and so is one for which the ring has none when its turn comes. `received` moves on when all bytes of a datagram are
// in memory and its last beat was good; else the next one is written to the same place. The next one begins when the one before
// is in memory, so a write that is refused costs only its own datagram.
//
//     cycle      0    1    2    3    4    5    6    7    8    9   10   11         nothing under way, memory takes all at once
//     udp        w0   w1   w2
//     head            h0                                                          and LOOK in cycle 2
//     placement                  h0   h0   h0   h1   h2   h3   w0   w1   w2       first beat, in tcp_rings_place
//     ask                                  h0   h1   h2   h3   w0   w1   w2
//
// What is good and is dropped is counted: by drop_room (store), drop_full (ring) or drop_memory (refused). What is bad net
// has counted.
//
// Latency: 5 cycles from the first beat to `ask` (if memory is free). From the last answer to `received` 2.
// Throughput: a beat a cycle, less 10 cycles and memory's latency for each datagram: with 20 cycles of latency 64
// bytes each 38; of long ones IN_FLIGHT dwords in memory's latency and 2 cycles.
// Borders: registers; `ask` as that of tcp_rings_place.
module toe_udp_rx
  import acb_pkg::acb_req_t;
  import net_pkg::*;
  import tcp_pkg::*;
  import toe_udp_regs_pkg::DATAGRAM_PAYLOAD_OFFSET, toe_udp_regs_pkg::datagram_about_t,
         toe_udp_regs_pkg::datagram_ends_t;
#(
  parameter int unsigned IN_FLIGHT = 16  // writes
) (
  input  logic        clk,
  input  logic        rst,
  input  ip_t         address,        // ours
  input  logic [31:0] us,

  input  udp_rx_t     udp,            // never waits

  input  tcp_pkg::ring_t ring,        // changes while nothing is received, with `restart`
  input  logic        restart,        // pulse: positions begin at 0
  input  logic [31:0] read,           // position up to which the ring may be written over
  output logic [31:0] received,
  output logic        receiving,      // a datagram is under way

  output logic        ask,            // see tcp_rings
  output acb_req_t    write,
  output ring_note_t  note,
  input  logic        go,
  input  logic        answer,
  input  logic        answer_last,
  input  logic        answer_error,

  output logic        done,           // pulses: a datagram is in the ring, ...
  output logic        drop_room,      // ... a good one is not
  output logic        drop_full,
  output logic        drop_memory
);

  localparam int unsigned MAX_BYTES  = 1472;
  localparam int unsigned WORDS      = 512;  // in the store
  localparam int unsigned DATAGRAMS  = 16;
  localparam int unsigned LENGTH_W   = $clog2(MAX_BYTES + 1);
  localparam int unsigned LINE_W     = 5;    // bytes of a line, as a power of two
  localparam int unsigned LINES_W    = LENGTH_W - LINE_W;
  localparam int unsigned RING_LINES = RING_W - LINE_W;
  localparam int unsigned USED_W     = $clog2(WORDS + 1);

  // ---- In ------------------------------------------------------------------------------------------------------------

  typedef struct packed {
    ip_t                 peer_address;
    logic [15:0]         peer_port;
    logic [15:0]         port;
    logic                to_all;
    logic [LENGTH_W-1:0] length;
    logic [31:0]         us;
  } datagram_head_t;

  typedef struct packed {
    logic        bad;
    logic        last;
    logic [63:0] data;
  } datagram_word_t;

  datagram_head_t     new_head, head;
  datagram_word_t     word;
  logic               first, inside_q, taken_q, fits, takes, heads_room, head_valid, head_goes;
  logic               word_valid, word_goes, words_room;
  logic [USED_W-1:0]  free_words_q; // in the store
  logic [LENGTH_W-1:0] new_length;

  assign first     = udp.valid && !inside_q;
  assign new_length = LENGTH_W'(udp.user.length);
  assign fits      = heads_room && udp.user.length <= 16'(MAX_BYTES)
                     && free_words_q != '0 && udp.user.length <= 16'({free_words_q, 3'b0});
  assign takes     = first ? fits : taken_q;
  assign new_head  = '{peer_address: udp.user.source, peer_port: udp.user.source_port, port: udp.user.port,
                       to_all: udp.user.destination != address, length: new_length, us: us};

  always_ff @(posedge clk) begin
    if (udp.valid) begin
      inside_q <= !udp.beat.tlast;
      taken_q  <= takes;
    end
    free_words_q <= free_words_q - USED_W'(udp.valid && takes) + USED_W'(word_goes);
    if (rst) begin
      inside_q <= 1'b0;
      free_words_q <= USED_W'(WORDS);
    end
  end

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH($bits(datagram_head_t)), .DEPTH(DATAGRAMS)) u_heads (
    .clk, .rst, .in_data(new_head), .in_valid(first && fits), .in_ready(heads_room), .out_data(head),
    .out_valid(head_valid), .out_ready(head_goes), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  fifo_rewind #(.WIDTH($bits(datagram_word_t)), .DEPTH(WORDS)) u_words (
    .clk, .rst, .in_data({udp.user.bad, udp.beat.tlast, udp.beat.tdata}), .in_valid(udp.valid && takes),
    .in_ready(words_room), .in_show(1'b1), .in_rewind(1'b0), .out_data(word), .out_valid(word_valid),
    .out_ready(word_goes)
  );

  // ---- One after the other into the ring -----------------------------------------------------------------------------

  typedef enum logic [2:0] {WAIT, LOOK, HEADER, PAYLOAD, ANSWERS, SKIP} state_t;

  state_t                  state_q;
  logic [31:0]             received_q;
  logic [RING_LINES:0]     free_q;      // lines
  logic [LINES_W-1:0]      lines;       // that the datagram has
  logic [1:0]              dword_q;     // of the header
  logic                    bad_q, empty, placed, placed_error, commits;
  datagram_ends_t          ends;
  datagram_about_t         about;
  frame_pkg::frame_beat_t  beat;
  logic                    beat_valid, beat_ready;

  assign lines = LINES_W'((LENGTH_W'(head.length) + LENGTH_W'(DATAGRAM_PAYLOAD_OFFSET + 31)) >> LINE_W);
  assign empty = head.length == '0;

  assign commits   = state_q == ANSWERS && placed && !placed_error && !bad_q;
  assign word_goes = state_q == SKIP ? word_valid
                     : beat_valid && beat_ready && (state_q == PAYLOAD || (empty && dword_q == '1));
  assign head_goes = (state_q == ANSWERS && placed) || (state_q == SKIP && word_valid && word.last);

  always_comb begin
    ends  = '{peer_address: head.peer_address, peer_port: head.peer_port, port: head.port};
    about = '{us: head.us, to_all: 8'(head.to_all), length: 16'(head.length), default: '0};
    beat  = '{tlast: word.last, tdata: word.data, tkeep: '1};
    if (state_q == HEADER) begin
      unique case (dword_q)
        2'd0:    beat.tdata = ends;
        2'd1:    beat.tdata = about;
        default: beat.tdata = '0;
      endcase
      beat.tlast = empty && dword_q == '1;
      beat_valid = !beat.tlast || word_valid;  // an empty payload is a word, too: it has the verdict
    end else begin
      if (word.last && head.length[2:0] != '0) beat.tkeep = ~(8'hFF >> head.length[2:0]);
      beat_valid = state_q == PAYLOAD && word_valid;
    end
  end

  always_ff @(posedge clk) begin
    free_q <= ((RING_LINES + 1)'(1) << (32'(LEAST_RING - LINE_W) + 32'(ring.size)))
              - (RING_LINES + 1)'((received_q - read) >> LINE_W);
    unique case (state_q)
      WAIT: if (head_valid) state_q <= LOOK;
      LOOK: state_q <= free_q >= (RING_LINES + 1)'(lines) ? HEADER : SKIP;
      HEADER: if (beat_ready && beat_valid) begin
        dword_q <= dword_q + 1'b1;
        if (dword_q == '1) state_q <= empty ? ANSWERS : PAYLOAD;
      end
      PAYLOAD: if (beat_ready && word_valid && word.last) state_q <= ANSWERS;
      ANSWERS: if (placed) state_q <= WAIT;
      default: if (word_valid && word.last) state_q <= WAIT;
    endcase
    if (word_goes) bad_q <= word.bad;
    if (commits) received_q <= received_q + (32'(lines) << LINE_W);
    if (restart || rst) received_q <= '0;
    if (rst) begin
      state_q <= WAIT;
      dword_q <= '0;
    end
  end

  assign received  = received_q;
  assign receiving = head_valid || state_q != WAIT;

  logic idle;

  /* verilator lint_off PINCONNECTEMPTY */  // nothing is early
  tcp_rings_place #(.STRAIGHT(1'b1), .IN_FLIGHT(IN_FLIGHT)) u_place (
    .clk, .rst, .beat, .beat_valid, .beat_ready, .early(1'b0), .offset(received_q[RING_W-1:0]), .ring, .ask, .write,
    .note, .go, .answer, .answer_last, .answer_early(1'b0), .answer_error, .placed, .early_placed(), .placed_error,
    .idle
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- What became of it ---------------------------------------------------------------------------------------------

  logic done_q, drop_room_q, drop_full_q, drop_memory_q;

  always_ff @(posedge clk) begin
    done_q        <= commits && !rst;
    drop_memory_q <= state_q == ANSWERS && placed && placed_error && !bad_q && !rst;
    drop_full_q   <= state_q == SKIP && word_valid && word.last && !word.bad && !rst;
    drop_room_q   <= udp.valid && udp.beat.tlast && !udp.user.bad && !takes && !rst;
  end

  assign done        = done_q;
  assign drop_room   = drop_room_q;
  assign drop_full   = drop_full_q;
  assign drop_memory = drop_memory_q;

  // A datagram has no more words than its length says, so what fits when it begins always fits.
  a_room : assert property (@(posedge clk) disable iff (rst) udp.valid && takes -> words_room);
  a_free : assert property (@(posedge clk) disable iff (rst) free_words_q <= USED_W'(WORDS));
  a_lines : assert property (@(posedge clk) disable iff (rst)
    state_q != WAIT && state_q != SKIP && state_q != LOOK -> free_q >= (RING_LINES + 1)'(lines));
  a_alone : assert property (@(posedge clk) disable iff (rst) state_q == LOOK || state_q == SKIP -> idle);
  a_restart : assert property (@(posedge clk) disable iff (rst) restart -> !receiving);
  a_read : assert property (@(posedge clk) disable iff (rst)
    !restart -> 32'(received_q - read) <= (32'd1 << LEAST_RING) << ring.size);

  logic unused;
  assign unused = &{1'b0, udp.beat.tkeep};

endmodule
