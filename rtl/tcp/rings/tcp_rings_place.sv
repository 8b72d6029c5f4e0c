// SPDX-License-Identifier: Apache-2.0
//
// Writes payload into a ring: beats of any alignment become lines of WIDTH bits with byte masks (at 64 bits: dwords). The
// part of tcp_rings that asks for writes.
//
//     payload --> shifter (carry_q) --> ask, write --> go: it is on its way
//     ring    --> ring_q, place_q -------^                  answer, one for each, in order --> placed
//
// A line of the ring is the end of one beat and the begin of the next; behind the last beat, what it has left goes
// alone. Of each beat's bytes those that `tkeep` has are in a mask, shifted as the bytes are, and no others.
//
//     cycle          0     1     2     3                 state
//     payload.valid  b0    b0    b0    b1
//     ring                 r                             of payload.index, out of the memory
//     state          WAIT  LOOK  WRITE WRITE
//     ask                        w0    w1                and `go` in the same cycle, if it is its turn
//
// STRAIGHT: the ring says only where a placement begins; from there on it goes straight on, over the ring's end, too.
//
// Latency: 2 cycles from the first beat to `ask`. `placed` is out a cycle behind the last answer.
// Throughput: a beat a cycle. n bytes from lane s on take 2 + ceil((s + n) / LANES) cycles; then the next may begin, while
// answers are still to come.
// Borders: `ask` and what it asks for come from registers and `beat` through the shifter; `placed` out of registers.

`include "types.svh"

module tcp_rings_place
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH     = 64,  // of beats and lines
  parameter bit          STRAIGHT  = 1'b0,
  parameter int unsigned IN_FLIGHT = 32,  // writes without an answer
  localparam int unsigned LANES    = WIDTH / 8,
  localparam int unsigned LANE_W   = $clog2(LANES),
  localparam type beat_t = `NSOC_BEAT(WIDTH),
  localparam type req_t  = `NSOC_BUS_REQ(WIDTH),
  localparam type note_t = `NSOC_RING_NOTE(WIDTH)
) (
  input  logic        clk,
  input  logic        rst,

  input  beat_t       beat,
  input  logic        beat_valid,
  output logic        beat_ready,
  input  logic        early,             // it is not decided yet; stands beside all beats, as this:
  input  logic [RING_W-1:0] offset,      // of the first byte
  input  ring_t       ring,              // whose, a cycle after the first beat was there

  output logic        ask,
  output req_t        write,
  output note_t       note,
  input  logic        go,
  input  logic        answer,            // to the oldest write under way
  input  logic        answer_last,       // that was a placement's last, ...
  input  logic        answer_early,      // ... of an early one
  input  logic        answer_error,

  output logic        placed,            // pulse: one is in memory, ...
  output logic        early_placed,      // ... or an early one
  output logic        placed_error,      // with either: memory has refused some of it
  output logic        idle
);

  `NSOC_CHECK_WIDTH(tcp_rings_place)

  localparam int unsigned DWORDS  = WIDTH / 64;  // in a line
  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);

  typedef enum logic [1:0] {WAIT, LOOK, WRITE, REST} state_t;

  state_t             state_q;
  ring_dword_t        dword;             // the address of the next line
  logic [LANE_W-1:0]  shift_q;           // lanes to the right
  logic [WIDTH-9:0]   carry_q;           // the beat before, but for its first byte, which has always gone
  logic [LANES-2:0]   carry_keep_q;
  logic [WIDTH-1:0]   data;
  logic [LANES-1:0]   keep, mask, over;  // over [n]: byte LANES - n is there
  logic               spills;            // some of the last beat belongs into one more line
  logic [COUNT_W-1:0] writing_q;
  logic               early_q;           // the stream is at the next placement when the last line goes

  assign data   = state_q == REST ? '0 : beat.tdata;
  assign keep   = state_q == REST ? '0 : beat.tkeep;
  assign mask   = LANES'({carry_keep_q, keep} >> shift_q);
  assign over   = {beat.tkeep[LANES-2:0], 1'b0};
  assign spills = over[shift_q];

  assign ask        = ((state_q == WRITE && beat_valid) || state_q == REST) && writing_q != COUNT_W'(IN_FLIGHT);
  assign beat_ready = state_q == WRITE && go;
  assign note       = '{last: state_q == REST || (beat.tlast && !spills), early: early_q, default: '0};

  always_comb begin
    write            = '0;
    write.byte_mask  = mask;
    write.address    = {dword, 3'b0};
    write.write_data = WIDTH'({carry_q, data} >> {shift_q, 3'b0});
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      WAIT: if (beat_valid) state_q <= LOOK;
      LOOK: state_q <= WRITE;
      WRITE: if (go && beat.tlast) state_q <= spills ? REST : WAIT;
      default: if (go) state_q <= WAIT;
    endcase
    if (state_q == LOOK) begin
      early_q      <= early;
      shift_q      <= offset[LANE_W-1:0];
      carry_keep_q <= '0;
    end else if (go) begin
      carry_q      <= beat.tdata[WIDTH-9:0];
      carry_keep_q <= beat.tkeep[LANES-2:0];
    end
    writing_q <= writing_q + COUNT_W'(go) - COUNT_W'(answer);
    if (rst) begin
      state_q   <= WAIT;
      writing_q <= '0;
    end
  end

  if (STRAIGHT) begin : g_straight
    ring_dword_t dword_q;

    always_ff @(posedge clk) begin
      if (state_q == LOOK) dword_q <= ring_dword(ring, ring_place_t'(offset[RING_W-1:LANE_W]) << (LANE_W - 3));
      else if (go) dword_q <= dword_q + ring_dword_t'(DWORDS);
    end

    assign dword = dword_q;
  end else begin : g_round
    ring_t                ring_q;
    logic [RING_W-1:LANE_W] line_q;

    always_ff @(posedge clk) begin
      if (state_q == LOOK) begin
        ring_q  <= ring;
        line_q  <= offset[RING_W-1:LANE_W];
      end else if (go) begin
        line_q  <= line_q + 1'b1;
      end
    end

    assign dword = ring_dword(ring_q, ring_place_t'(line_q) << (LANE_W - 3));
  end

  // ---- Answers -----------------------------------------------------------------------------------------------------

  logic placed_q, early_placed_q, placed_error_q;
  logic error_q;                     // an answer to the placement that comes to its end next

  always_ff @(posedge clk) begin
    placed_q       <= answer && answer_last && !answer_early && !rst;
    early_placed_q <= answer && answer_last && answer_early && !rst;
    placed_error_q <= answer && answer_last && (answer_error || error_q);
    if (answer) error_q <= (answer_error || error_q) && !answer_last;
    if (rst) error_q <= 1'b0;
  end

  assign placed       = placed_q;
  assign early_placed = early_placed_q;
  assign placed_error = placed_error_q;
  assign idle         = state_q == WAIT && writing_q == '0 && !placed_q && !early_placed_q;

  a_go : assert property (@(posedge clk) disable iff (rst) go -> ask);
  a_answer : assert property (@(posedge clk) disable iff (rst) answer -> writing_q != '0);
  a_beat : assert property (@(posedge clk) disable iff (rst)
    beat_valid -> beat.tkeep[LANES-1] && (beat.tlast || beat.tkeep == '1));
  a_stays : assert property (@(posedge clk) disable iff (rst) state_q == LOOK -> beat_valid);
  a_some : assert property (@(posedge clk) disable iff (rst) ask -> mask != '0);

endmodule
