// SPDX-License-Identifier: Apache-2.0
//
// tcp_fast_rx: a frame's payload in beats. The words' lanes are moved by the place of the payload's first one, so that a
// dword begins in a word and ends in the next; the last may need one more cycle than the frame has words.
//
//     word        w0 .. wf  wf+1 .. wn          wf: the payload begins in it
//     writes                =   =   =   =       a beat a dword, or WIDTH / LINE dwords
//
// Throughput: a word a cycle. Borders: beats through gates from `word`, which is a register.
module tcp_fast_beats #(
  parameter int unsigned WIDTH = 64,      // of a beat
  parameter int unsigned LINE  = 64,      // of the frame's words
  parameter int unsigned SPLIT = 6,       // the payload's first lane in its word
  localparam int unsigned KEEP  = WIDTH / 8,
  localparam int unsigned LANES = LINE / 8
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [LINE-1:0]  word,
  input  logic             valid,
  input  logic             last,
  input  logic             first,         // of its frame
  input  logic             header,        // no payload is in it
  input  logic             behind,        // it is behind the word with the payload's first lane
  input  logic             plain,         // the frame's header is one that is known here
  input  logic [16:0]      length,        // of the payload, in bytes
  output logic [WIDTH-1:0] beat,
  output logic [KEEP-1:0]  beat_keep,
  output logic             beat_last,
  output logic             writes
);

  localparam int unsigned LANE_W = $clog2(LANES);
  localparam int unsigned WORDS  = WIDTH / LINE;  // dwords of a beat
  localparam int unsigned WORD_W = WORDS == 1 ? 1 : $clog2(WORDS);

  logic             makes, flush_q, done_q, last_dword;
  logic [LINE-8*SPLIT-1:0] before_q;     // of the word before, what is in the next dword
  logic [16:0]      left_q;              // bytes of the payload from the next dword on
  logic             last_q;              // that is the last
  logic [LINE-1:0]  dword;
  logic [LANES-1:0] dword_keep;
  logic [WORD_W-1:0] slot_q;

  assign makes      = (valid && behind && plain && !done_q) || flush_q;
  assign last_dword = last_q || flush_q;
  assign dword      = flush_q ? {before_q, (8*SPLIT)'(0)}
                              : {before_q, word[LINE-1 -: 8*SPLIT]};
  assign dword_keep = left_q >= 17'(LANES) ? '1 : ~({LANES{1'b1}} >> left_q[LANE_W-1:0]);
  assign beat_last  = last_dword;
  assign writes     = makes && (last_dword || slot_q == WORD_W'(WORDS - 1));

  always_ff @(posedge clk) begin
    // The last word's remainder, also where it has none.
    flush_q <= valid && last && plain && !header
               && !(behind && (done_q || last_dword)) && !rst;
    if (valid) before_q <= word[LINE-8*SPLIT-1:0];
    if (valid && first) done_q <= 1'b0;
    else if (makes && last_dword) done_q <= 1'b1;
    if (valid && !behind) begin
      left_q <= length;
      last_q <= length <= 17'(LANES);
      slot_q <= '0;
    end else if (makes) begin
      left_q <= left_q - 17'(LANES);
      last_q <= left_q <= 17'(2 * LANES);
      slot_q <= writes ? '0 : slot_q + 1'b1;
    end
  end

  if (WORDS == 1) begin : g_narrow
    assign beat      = dword;
    assign beat_keep = dword_keep;
  end else begin : g_wide
    logic [WIDTH-1:0] pack_q;

    always_comb begin
      beat      = pack_q;
      beat_keep = '0;
      for (int unsigned i = 0; i < WORDS; i++) begin
        if (slot_q == WORD_W'(i)) beat[WIDTH-1 - LINE*i -: LINE] = dword;
        if (slot_q == WORD_W'(i)) beat_keep[KEEP-1 - LANES*i -: LANES] = dword_keep;
        if (slot_q > WORD_W'(i)) beat_keep[KEEP-1 - LANES*i -: LANES] = '1;
      end
    end

    always_ff @(posedge clk) if (makes) pack_q <= beat;
  end

endmodule
