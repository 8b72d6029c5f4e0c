// SPDX-License-Identifier: Apache-2.0
//
// Writes payload into a ring: beats of any alignment become dwords with byte masks. The part of tcp_rings that asks for
// writes.
//
//     payload --> shifter (carry_q) --> ask, write --> go: it is on its way
//     ring    --> ring_q, place_q -------^                  answer, one for each, in order --> placed
//
// A dword of the ring is the end of one beat and the begin of the next; behind the last beat, what it has left goes
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
// Throughput: a beat a cycle. n bytes from lane s on take 2 + ceil((s + n) / 8) cycles; then the next may begin, while
// answers are still to come.
// Borders: `ask` and what it asks for come from registers and `beat` through the shifter; `placed` out of registers.
module tcp_rings_place
  import acb_pkg::acb_req_t;
  import frame_pkg::*;
  import tcp_pkg::*;
#(
  parameter bit          STRAIGHT  = 1'b0,
  parameter int unsigned IN_FLIGHT = 32  // writes without an answer
) (
  input  logic        clk,
  input  logic        rst,

  input  frame_beat_t beat,
  input  logic        beat_valid,
  output logic        beat_ready,
  input  logic        early,             // it is not decided yet; stands beside all beats, as this:
  input  logic [RING_W-1:0] offset,      // of the first byte
  input  ring_t       ring,              // whose, a cycle after the first beat was there

  output logic        ask,
  output acb_req_t    write,
  output ring_note_t  note,
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

  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);

  typedef enum logic [1:0] {WAIT, LOOK, WRITE, REST} state_t;

  state_t             state_q;
  ring_dword_t        dword;             // the address of the next one
  logic [2:0]         shift_q;           // lanes to the right
  logic [55:0]        carry_q;           // the beat before, but for its first byte, which has always gone
  logic [6:0]         carry_keep_q;
  logic [63:0]        data;
  logic [7:0]         keep, mask;
  logic               spills;            // some of the last beat belongs into one more dword
  logic [COUNT_W-1:0] writing_q;
  logic               early_q;           // the stream is at the next placement when the last dword goes

  assign data   = state_q == REST ? '0 : beat.tdata;
  assign keep   = state_q == REST ? '0 : beat.tkeep;
  assign mask   = 8'({carry_keep_q, keep} >> shift_q);
  assign spills = (beat.tkeep & ~(8'hFF << shift_q)) != '0;

  assign ask        = ((state_q == WRITE && beat_valid) || state_q == REST) && writing_q != COUNT_W'(IN_FLIGHT);
  assign beat_ready = state_q == WRITE && go;
  assign note       = '{last: state_q == REST || (beat.tlast && !spills), early: early_q, default: '0};

  always_comb begin
    write            = '0;
    write.byte_mask  = mask;
    write.address    = {dword, 3'b0};
    write.write_data = 64'({carry_q, data} >> {shift_q, 3'b0});
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
      shift_q      <= offset[2:0];
      carry_keep_q <= '0;
    end else if (go) begin
      carry_q      <= beat.tdata[55:0];
      carry_keep_q <= beat.tkeep[6:0];
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
      if (state_q == LOOK) dword_q <= ring_dword(ring, offset[RING_W-1:3]);
      else if (go) dword_q <= dword_q + 1'b1;
    end

    assign dword = dword_q;
  end else begin : g_round
    ring_t       ring_q;
    ring_place_t place_q;

    always_ff @(posedge clk) begin
      if (state_q == LOOK) begin
        ring_q  <= ring;
        place_q <= offset[RING_W-1:3];
      end else if (go) begin
        place_q <= place_q + 1'b1;
      end
    end

    assign dword = ring_dword(ring_q, place_q);
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
    beat_valid -> beat.tkeep[7] && (beat.tlast || beat.tkeep == '1));
  a_stays : assert property (@(posedge clk) disable iff (rst) state_q == LOOK -> beat_valid);
  a_some : assert property (@(posedge clk) disable iff (rst) ask -> mask != '0);

endmodule
