// SPDX-License-Identifier: Apache-2.0
//
// Who may send: a bit for each connection that wants a turn, and the next one of them round robin. Part of tcp_tx.
//
// The core tells a connection's bit with each event. Bits are kept in words of about the square root of CONNECTIONS, in
// distributed memory; beside each word a flip-flop says whether there is any bit in it, so that neither search is wide:
//
//     LOOK   read the word of the last turn              told: the word is written a cycle later, and LOOK waits until it is
//     PICK   the lowest bit behind the last turn's       found, and `go`: offered
//     NEXT   none: the next word that has any, from its lowest bit on
//
// A turn is offered only to a connection whose bit is set in that moment, and stands until it is taken, even when the core
// clears the bit meanwhile: then the turn finds nothing. There is one turn at a time: the next one is looked for when the core
// has told what came of it, which sets the bit again or clears it.
//
//     cycle        0    1    2    3    4    5    6    7
//     told_valid   1                                       what came of a turn, or the first bit that is set
//     turn_valid                       1                   a bit in the same word, behind the last one
//     turn_valid                            1              the first one that is set at all
//     turn_valid                                      1    a bit in another word
//
// A bit that is set waits for at most one turn of each other connection.
// Borders: registers.
module tcp_turns
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic   clk,
  input  logic   rst,

  input  logic   told_valid,     // pulse, with some cycles in between: an event of a connection is over
  input  index_t told_index,
  input  logic   told_schedule,  // it wants a turn
  input  logic   told_turn,      // it was the turn

  input  logic   go,             // there may be a turn; one that is on offer stands
  output logic   turn_valid,
  output index_t turn_index,
  input  logic   turn_ready,
  output logic   idle            // nobody wants a turn, or has one
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_turns: CONNECTIONS must be 4 to 1024");
  end

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);
  localparam int unsigned LOW_W  = (SHORT_W + 1) / 2;  // of a bit in its word
  localparam int unsigned HIGH_W = SHORT_W - LOW_W;    // of a word
  localparam int unsigned BITS   = 1 << LOW_W;
  localparam int unsigned WORDS  = 1 << HIGH_W;

  typedef enum logic [2:0] {LOOK, PICK, NEXT, OFFER, UNDER_WAY} state_t;

  // ---- The bits ----------------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) logic [BITS-1:0] words [WORDS];
  logic [WORDS-1:0]  some_q;   // else the word is none, whatever the memory holds
  logic              told_q, schedule_q;
  logic [LOW_W-1:0]  told_low_q;
  logic [HIGH_W-1:0] told_high_q;
  logic [BITS-1:0]   new_word;

  always_comb begin
    new_word = words[told_high_q] & {BITS{some_q[told_high_q]}};
    new_word[told_low_q] = schedule_q;
  end

  always_ff @(posedge clk) begin
    told_q                    <= told_valid;
    {told_high_q, told_low_q} <= SHORT_W'(told_index);
    schedule_q                <= told_schedule;
    if (told_q) some_q[told_high_q] <= |new_word;
    if (rst) begin
      told_q <= 1'b0;
      some_q <= '0;
    end
  end

  always_ff @(posedge clk) if (told_q) words[told_high_q] <= new_word;

  // ---- The next one ------------------------------------------------------------------------------------------------

  state_t            state_q;
  logic [LOW_W-1:0]  low_q, low;     // the connection of the last turn, or that is on offer
  logic [HIGH_W-1:0] high_q, high;
  logic [BITS-1:0]   word_q, in_turn_q, behind;
  logic [WORDS-1:0]  others;

  assign behind = word_q & in_turn_q;
  // The words behind that of the last turn, all of them where there is none behind it.
  always_comb begin
    others = some_q & ~((WORDS'(2) << high_q) - 1'b1);
    if (others == '0) others = some_q;
  end

  // The lowest.
  always_comb begin
    low  = '0;
    high = '0;
    for (int unsigned i = BITS; i > 0; i--) if (behind[i-1]) low = LOW_W'(i - 1);
    for (int unsigned i = WORDS; i > 0; i--) if (others[i-1]) high = HIGH_W'(i - 1);
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      LOOK: if (!told_valid && !told_q) state_q <= PICK;
      PICK: begin
        if (told_valid) state_q <= LOOK;
        else if (behind == '0) state_q <= NEXT;
        else if (go) state_q <= OFFER;
        low_q <= low;
      end
      NEXT: if (some_q != '0) begin
        state_q   <= LOOK;
        high_q    <= high;
        in_turn_q <= '1;
      end
      OFFER: if (turn_ready) begin
        state_q   <= UNDER_WAY;
        in_turn_q <= ~((BITS'(2) << low_q) - 1'b1);
      end
      default: if (told_valid && told_turn) state_q <= LOOK;
    endcase
    if (state_q == LOOK) word_q <= words[high_q] & {BITS{some_q[high_q]}};
    if (rst) begin
      state_q   <= NEXT;
      high_q    <= '0;
      in_turn_q <= '1;
    end
  end

  assign turn_valid = state_q == OFFER;
  assign turn_index = index_t'({high_q, low_q});
  assign idle       = some_q == '0 && !told_q && state_q != OFFER && state_q != UNDER_WAY;

  a_told : assert property (@(posedge clk) disable iff (rst) told_valid -> 32'(told_index) < CONNECTIONS);
  a_turn : assert property (@(posedge clk) disable iff (rst) told_valid && told_turn -> state_q == UNDER_WAY);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && turn_valid && !turn_ready) -> turn_valid && $stable(turn_index));

endmodule
