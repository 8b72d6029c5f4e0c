// SPDX-License-Identifier: Apache-2.0
//
// Words of frames to packed beats: one frame may end and the next one begin in a beat (frame_pkg). It stands behind
// a MAC's crossing: with `in_two` a frame's last word is there with the one before.
//
//   in_tdata      a0..a7    b0..b7    c0..c7                         units of 8 bytes, frames of nine
//   in_rest       a8        b8        c8
//   out_tdata               a0..a7    a8 b0..b6   b7 b8 c0..c5   c6 c7 c8
//
// A beat goes when it is full. One in which the last frame has ended goes as it is when no word is there: nothing waits
// for another frame. A frame has UNITS units at least, so that a beat has at most one end and one start.
//
// Latency: a cycle, and the wait for a full beat within a frame. Throughput: a beat a cycle. A word is taken in each
// cycle, with `in_two` two, but in one behind which more than a beat is left over: that one only gives.
// Borders: beats from registers, out_valid through a gate from in_valid. Nobody waits for the reader.
module frame_pack #(
  parameter int unsigned WIDTH  = 512,
  localparam int unsigned UNITS = WIDTH / 64
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   in_tdata,    // the first byte on top
  input  logic [WIDTH/8-1:0] in_tkeep,
  input  logic               in_tlast,
  input  logic               in_bad,      // with in_tlast
  input  logic               in_two,      // the frame's last word is in_rest_*, and not this one
  input  logic [WIDTH-1:0]   in_rest_tdata,
  input  logic [WIDTH/8-1:0] in_rest_tkeep,
  input  logic               in_valid,
  output logic               in_ready,

  output logic [WIDTH-1:0]   out_tdata,
  output logic [WIDTH/8-1:0] out_tkeep,
  output logic [UNITS-1:0]   out_starts,  // the first unit on top
  output logic [UNITS-1:0]   out_ends,
  output logic               out_bad,     // with out_ends
  output logic               out_valid
);

  if (WIDTH < 128 || (WIDTH & (WIDTH - 1)) != 0) begin : g_bad
    $error("frame_pack: WIDTH must be a power of two of at least 128");
  end

  localparam int unsigned MOST    = 3 * UNITS - 1;  // units: what is left of a beat, and two words
  localparam int unsigned TURN_W  = $clog2(UNITS);
  localparam int unsigned COUNT_W = $clog2(3 * UNITS);

  typedef struct packed {
    logic        start;
    logic        last;
    logic        bad;
    logic [7:0]  tkeep;
    logic [63:0] tdata;
  } unit_t;
  typedef logic [COUNT_W-1:0] count_t;

  unit_t [MOST-1:0]    units_q;   // [0] goes first; behind count_q of them nothing is kept
  count_t              count_q;
  logic                closed_q;  // the last one taken ended its frame
  logic                take, gives, full;
  unit_t [2*UNITS-1:0] came;
  count_t              came_count;
  logic [TURN_W-1:0]   turn;      // units that are left when a word is taken

  assign full      = count_q >= count_t'(UNITS);
  assign in_ready  = count_q < count_t'(2 * UNITS);
  assign take      = in_valid && in_ready;
  assign gives     = full || (count_q != '0 && closed_q && !in_valid);
  assign out_valid = gives;
  assign turn      = count_q[TURN_W-1:0];

  // The units of both words.
  always_comb begin
    logic [2*UNITS:0] filled;
    filled     = '0;
    came       = '0;
    came_count = '0;
    for (int unsigned n = 0; n < UNITS; n++) begin
      came[n].tdata       = in_tdata[64*(UNITS-1-n)+:64];
      came[n].tkeep       = in_tkeep[8*(UNITS-1-n)+:8];
      came[UNITS+n].tdata = in_rest_tdata[64*(UNITS-1-n)+:64];
      came[UNITS+n].tkeep = in_rest_tkeep[8*(UNITS-1-n)+:8] & {8{in_two}};
    end
    came[0].start = closed_q;
    for (int unsigned n = 0; n < 2 * UNITS; n++) filled[n] = came[n].tkeep[7];
    for (int unsigned n = 0; n < 2 * UNITS; n++) begin
      if (filled[n] && !filled[n+1]) came_count = came_count | count_t'(n + 1);
      came[n].last = (in_tlast || in_two) && filled[n] && !filled[n+1];
      came[n].bad  = in_bad && came[n].last;
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      for (int unsigned n = 0; n < MOST; n++) units_q[n] <= '0;
      for (int unsigned k = 0; k < UNITS; k++) begin
        if (turn == TURN_W'(k)) begin
          for (int unsigned n = 0; n < 2 * UNITS; n++) units_q[k+n] <= came[n];
        end
      end
      for (int unsigned n = 0; n < UNITS - 1; n++) begin
        if (TURN_W'(n) < turn) units_q[n] <= full ? units_q[UNITS+n] : units_q[n];
      end
      count_q  <= count_t'(turn) + came_count;
      closed_q <= in_tlast || in_two;
    end else if (gives) begin
      for (int unsigned n = 0; n < MOST; n++) units_q[n] <= n + UNITS < MOST ? units_q[(n+UNITS)%MOST] : '0;
      count_q <= full ? count_q - count_t'(UNITS) : '0;
    end
    if (rst) begin
      units_q  <= '0;
      count_q  <= '0;
      closed_q <= 1'b1;
    end
  end

  always_comb begin
    out_bad = 1'b0;
    for (int unsigned n = 0; n < UNITS; n++) begin
      out_tdata[64*(UNITS-1-n)+:64] = units_q[n].tdata;
      out_tkeep[8*(UNITS-1-n)+:8]   = units_q[n].tkeep;
      out_starts[UNITS-1-n]         = units_q[n].start;
      out_ends[UNITS-1-n]           = units_q[n].last;
      out_bad                       = out_bad | units_q[n].bad;
    end
  end

  a_word : assert property (@(posedge clk) disable iff (rst)
    in_valid && !in_tlast -> in_tkeep == '1);
  a_last : assert property (@(posedge clk) disable iff (rst) in_valid -> !(in_tlast && in_two));
  a_one : assert property (@(posedge clk) disable iff (rst) out_valid -> $onehot0(out_starts) && $onehot0(out_ends));
  a_count : assert property (@(posedge clk) disable iff (rst) count_q <= count_t'(MOST));

endmodule
