// SPDX-License-Identifier: Apache-2.0
//
// Packed beats (frame_pkg) to words of frames, each frame's from the first lane of a word on. With a frame's last word
// but one its last one comes, too, in out_rest_*: so a beat in makes one word, or these two, and the next frame's may
// follow in the cycle behind.
//
//   in_tdata    a0..a7   a8 b0..b6   b7 b8 c0..c5                    units of 8 bytes, frames of nine
//   out_tdata                        a0..a7         b0..b7
//   out_rest                         a8             b8
//
// Latency: a cycle from the beat with a word's last byte; a word that a frame's end could follow waits for the next
// beat. Throughput: a beat a cycle. A beat that gives no word is taken while one waits for the reader.
// Borders: registers; in_ready through gates from out_ready and in_ends.
module frame_split #(
  parameter int unsigned WIDTH  = 512,
  localparam int unsigned UNITS = WIDTH / 64
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   in_tdata,   // the first byte on top
  input  logic [WIDTH/8-1:0] in_tkeep,
  input  logic [UNITS-1:0]   in_starts,  // the first unit on top
  input  logic [UNITS-1:0]   in_ends,
  input  logic               in_bad,     // with in_ends
  input  logic               in_valid,
  output logic               in_ready,

  output logic [WIDTH-1:0]   out_tdata,
  output logic [WIDTH/8-1:0] out_tkeep,
  output logic               out_tlast,
  output logic               out_bad,    // the frame's, with out_tlast or out_two
  output logic               out_two,    // the frame's last word is out_rest_*, and not this one
  output logic [WIDTH-1:0]   out_rest_tdata,
  output logic [WIDTH/8-1:0] out_rest_tkeep,
  output logic               out_valid,
  input  logic               out_ready
);

  localparam int unsigned LANES  = WIDTH / 8;
  localparam int unsigned TURN_W = $clog2(UNITS);

  typedef logic [TURN_W-1:0] turn_t;

  logic [WIDTH-1:0]   before_q;        // the beat before
  logic               inside_q;        // a frame began in it or earlier, and is under way
  turn_t              turn_q;          // unit of its first byte
  logic               take, gives, moves, ends, whole, fits;
  turn_t              start, turn;
  logic [UNITS-1:0]   behind;          // units behind the end
  logic [LANES-1:0]   kept;            // bytes of the frame that ends here, or of all
  logic [2*WIDTH-1:0] both, turned;
  logic [2*LANES-1:0] both_keep, turned_keep;

  assign ends     = in_ends != '0;
  assign gives    = inside_q || ends;
  assign moves    = !out_valid || out_ready;
  assign in_ready = moves || !gives;
  assign take     = in_valid && in_ready;
  assign whole    = !inside_q && ends;  // of a frame all is in this beat

  always_comb begin
    start = '0;
    for (int unsigned n = 0; n < UNITS; n++) if (in_starts[UNITS-1-n]) start = start | turn_t'(n);
    behind = '0;
    for (int unsigned n = 1; n < UNITS; n++) begin
      behind[UNITS-1-n] = behind[UNITS-n] || in_ends[UNITS-n];
    end
    for (int unsigned n = 0; n < UNITS; n++) kept[8*n+:8] = in_tkeep[8*n+:8] & {8{!behind[n]}};
    turn        = whole ? start : turn_q;
    both        = whole ? {in_tdata, WIDTH'(0)} : {before_q, in_tdata};
    both_keep   = whole ? {kept, LANES'(0)} : {{LANES{1'b1}}, kept};
    turned      = both << {turn, 6'd0};
    turned_keep = both_keep << {turn, 3'd0};
    fits        = !turned_keep[LANES-1];
  end

  always_ff @(posedge clk) begin
    if (moves) begin
      out_valid      <= in_valid && gives;
      out_tdata      <= turned[2*WIDTH-1-:WIDTH];
      out_tkeep      <= turned_keep[2*LANES-1-:LANES];
      out_tlast      <= ends && fits;
      out_two        <= ends && !fits;
      out_bad        <= ends && in_bad;
      out_rest_tdata <= turned[WIDTH-1:0];
      out_rest_tkeep <= turned_keep[LANES-1:0];
    end
    if (take) begin
      before_q <= in_tdata;
      inside_q <= in_starts != '0 ? !whole : inside_q && !ends;
      if (in_starts != '0) turn_q <= start;
    end
    if (rst) begin
      out_valid <= 1'b0;
      inside_q  <= 1'b0;
    end
  end

  // What packed beats are.
  a_one : assert property (@(posedge clk) disable iff (rst) in_valid -> $onehot0(in_starts) && $onehot0(in_ends));
  a_first : assert property (@(posedge clk) disable iff (rst) in_valid && in_starts != '0 && inside_q -> ends);
  a_inside : assert property (@(posedge clk) disable iff (rst)
    in_valid && in_tkeep != '0 -> inside_q || in_starts != '0);
  a_full : assert property (@(posedge clk) disable iff (rst) in_valid && inside_q && !ends -> in_tkeep == '1);

endmodule
