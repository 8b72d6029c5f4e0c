// SPDX-License-Identifier: Apache-2.0
//
// Reads bytes of a ring and hands them as beats, the first byte in the top lane of the first one. The part of tcp_rings
// that asks for reads.
//
//     fetch --> look --> ask, read --> go: it is on its way
//     ring -----^                          answer, one for each, in order --> u_words --> shifter (carry_q) --> fetched
//
// Each line of WIDTH bits (at 64: a dword) that has wanted bytes is read once. With each answer comes what was noted when it was asked for, so that
// the shifter needs to know nothing else: the first byte's lane, which line is the last, the bytes in the last beat.
//
//     cycle          0    1    2    3          k   k+1  k+2  k+3  k+4
//     fetch_valid    1
//     ring                r                                               of fetch.index, out of the memory
//     ask                      d0   d1                                    and `go` in the same cycle, if it is its turn
//     answer                              ...  d0  d1   d2
//     fetched_valid                                     b0   b1   b2      two lines in each beat; b2: what d2 has left
//
// Reads are asked for only when there is room for their answers: an answer is always taken.
//
// STRAIGHT: the ring says only where a fetch begins; from there on it goes straight on, over the ring's end, too.
//
// Latency: 2 cycles from a taken fetch to `ask`, 2 from an answer to the beat that it completes, 3 to what it has left.
// Throughput: a line a cycle, also from one fetch to the next, of which one may wait. A fetch each two cycles.
// Borders: out of registers.

`include "types.svh"

module tcp_rings_fetch
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH     = 64,  // of beats and lines
  parameter bit          STRAIGHT  = 1'b0,
  parameter int unsigned IN_FLIGHT = 32,  // reads without an answer, and answers that wait
  localparam int unsigned LANES    = WIDTH / 8,
  localparam int unsigned LANE_W   = $clog2(LANES),
  localparam type beat_t = `NSOC_BEAT(WIDTH),
  localparam type req_t  = `NSOC_BUS_REQ(WIDTH),
  localparam type rsp_t  = `NSOC_BUS_RSP(WIDTH),
  localparam type note_t = `NSOC_RING_NOTE(WIDTH)
) (
  input  logic        clk,
  input  logic        rst,

  input  logic        fetch_valid,
  output logic        fetch_ready,
  input  logic [RING_W-1:0] offset,
  input  logic [15:0] length,
  input  ring_t       ring,              // whose, from the cycle after the fetch was taken until fetch_ready

  output beat_t       fetched,
  output logic        fetched_valid,
  input  logic        fetched_ready,
  output logic        fetched_error,

  output logic        ask,
  output req_t        read,
  output note_t       note,
  input  logic        go,
  input  logic        answer,            // to the oldest read under way
  input  note_t       answer_note,
  input  rsp_t        answer_rsp,

  output logic        idle
);

  `NSOC_CHECK_WIDTH(tcp_rings_fetch)

  localparam int unsigned DWORDS  = WIDTH / 64;  // in a line
  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);
  localparam int unsigned LINES_W = 17 - LANE_W;  // 2^16 - 1 bytes in any lanes

  // ---- Reads -------------------------------------------------------------------------------------------------------

  logic                look_q, asking_q;
  logic [RING_W-1:0]   look_offset_q;
  logic [15:0]         look_length_q;
  logic                begins;
  ring_dword_t         dword_address;    // of the next one
  logic [LANE_W-1:0]   shift_q, tail_q;
  logic [LINES_W-1:0]  left_q;           // lines to ask for
  logic                last;
  logic [COUNT_W-1:0]  reading_q;        // asked for and not in the shifter
  logic                take;             // a word goes into it

  assign fetch_ready = !look_q;
  assign last        = left_q == LINES_W'(1);
  assign begins      = look_q && (!asking_q || (go && last));
  assign ask         = asking_q && reading_q != COUNT_W'(IN_FLIGHT);
  assign note        = '{last: last, early: 1'b0, shift: shift_q, tail: tail_q};

  always_comb begin
    read           = '0;
    read.read      = 1'b1;
    read.byte_mask = '1;
    read.address   = {dword_address, 3'b0};
  end

  always_ff @(posedge clk) begin
    if (fetch_ready) begin
      look_q        <= fetch_valid;
      look_offset_q <= offset;
      look_length_q <= length;
    end else if (begins) begin
      look_q <= 1'b0;
    end
    if (begins) begin
      asking_q <= 1'b1;
      shift_q  <= look_offset_q[LANE_W-1:0];
      tail_q   <= look_length_q[LANE_W-1:0] - 1'b1;
      left_q   <= LINES_W'((17'(look_offset_q[LANE_W-1:0]) + 17'(look_length_q) + 17'(LANES - 1)) >> LANE_W);
    end else if (go) begin
      asking_q <= !last;
      left_q   <= left_q - 1'b1;
    end
    reading_q <= reading_q + COUNT_W'(go) - COUNT_W'(take);
    if (rst) begin
      look_q    <= 1'b0;
      asking_q  <= 1'b0;
      reading_q <= '0;
    end
  end

  if (STRAIGHT) begin : g_straight
    ring_dword_t dword_q;

    always_ff @(posedge clk) begin
      if (begins) dword_q <= ring_dword(ring, ring_place_t'(look_offset_q[RING_W-1:LANE_W]) << (LANE_W - 3));
      else if (go) dword_q <= dword_q + ring_dword_t'(DWORDS);
    end

    assign dword_address = dword_q;
  end else begin : g_round
    ring_t                  ring_q;
    logic [RING_W-1:LANE_W] line_q;

    always_ff @(posedge clk) begin
      if (begins) begin
        ring_q <= ring;
        line_q <= look_offset_q[RING_W-1:LANE_W];
      end else if (go) begin
        line_q <= line_q + 1'b1;
      end
    end

    assign dword_address = ring_dword(ring_q, ring_place_t'(line_q) << (LANE_W - 3));
  end

  // ---- Answers -----------------------------------------------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */  // not `early`
  note_t word;
  /* verilator lint_on UNUSEDSIGNAL */
  rsp_t  line;
  logic  word_valid, words_room;

  /* verilator lint_off PINCONNECTEMPTY */  // reading_q counts
  fifo_sync #(.WIDTH($bits(note_t) + $bits(rsp_t)), .DEPTH(IN_FLIGHT)) u_words (
    .clk, .rst, .in_data({answer_note, answer_rsp}), .in_valid(answer), .in_ready(words_room),
    .out_data({word, line}), .out_valid(word_valid), .out_ready(take), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Shifter -----------------------------------------------------------------------------------------------------
  // In carry_q is the word before; what is left of a fetch's last one goes alone (rest_q), and in the same cycle the
  // next fetch's first word comes in.

  beat_t             beat, beat_q;
  logic              carry_valid_q, rest_q, error_q;
  logic [WIDTH-1:0]  carry_q;
  logic [LANE_W-1:0] carry_shift_q, carry_tail_q;
  logic              free, first, make, rests, error;
  logic [LANE_W-1:0] tail;
  logic              beat_valid_q, beat_error_q;

  assign free  = !beat_valid_q || fetched_ready;
  assign take  = word_valid && free;
  assign first = !carry_valid_q || rest_q;          // of a fetch is the word that comes
  assign make  = free && (rest_q || (word_valid && carry_valid_q));
  // The last byte is not in the lanes before the first one's.
  assign rests = (LANE_W + 1)'(word.shift) + (LANE_W + 1)'(word.tail) <= (LANE_W + 1)'(LANES - 1);
  assign tail  = rest_q ? carry_tail_q : word.tail;
  assign error = error_q || (!rest_q && line.err);

  always_comb begin
    beat.tlast = rest_q || (word.last && !rests);
    beat.tdata = WIDTH'({carry_q, line.data} >> ((LANE_W + 4)'(WIDTH) - (LANE_W + 4)'({carry_shift_q, 3'b0})));
    beat.tkeep = beat.tlast ? ~({1'b0, {LANES - 1{1'b1}}} >> tail) : '1;
  end

  always_ff @(posedge clk) begin
    if (take) begin
      carry_q       <= line.data;
      carry_shift_q <= word.shift;
      carry_tail_q  <= word.tail;
      error_q       <= line.err || (error_q && !first);
      carry_valid_q <= !word.last || rests;
      rest_q        <= word.last && rests;
    end else if (make) begin             // the rest, and nothing follows at once
      carry_valid_q <= 1'b0;
      rest_q        <= 1'b0;
    end
    if (free) begin
      beat_q       <= beat;
      beat_valid_q <= make;
      beat_error_q <= beat.tlast && error;
    end
    if (rst) begin
      carry_valid_q <= 1'b0;
      rest_q        <= 1'b0;
      beat_valid_q  <= 1'b0;
    end
  end

  assign fetched       = beat_q;
  assign fetched_valid = beat_valid_q;
  assign fetched_error = beat_error_q;
  assign idle          = !look_q && !asking_q && reading_q == '0 && !carry_valid_q && !beat_valid_q;

  a_go : assert property (@(posedge clk) disable iff (rst) go -> ask);
  a_room : assert property (@(posedge clk) disable iff (rst) answer -> words_room && reading_q != '0);
  a_length : assert property (@(posedge clk) disable iff (rst) fetch_valid -> length != '0);
  a_rest : assert property (@(posedge clk) disable iff (rst) rest_q -> carry_valid_q);
  a_one_fetch : assert property (@(posedge clk) disable iff (rst)
    word_valid && !first -> word.shift == carry_shift_q && word.tail == carry_tail_q);

endmodule
