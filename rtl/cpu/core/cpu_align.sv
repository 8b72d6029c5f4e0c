// SPDX-License-Identifier: Apache-2.0
//
// Cuts the instruction cache's words into instructions of 16 and 32 bits, one a cycle, in the cycle in which the word
// is there. Of an instruction it knows the length: two low bits that are both set make it 32 bits long. A 32-bit
// instruction may begin in a word's upper half and end in the next one, on another line, or where nothing can be
// fetched.
//
// What is left over of a word, its upper half, goes into a register, and the word is used up. There are three states:
//
//   nothing left      the word's instruction (the one in its upper half, if `skip`) is handed out. If that half is the
//                     first one of a 32-bit instruction, nothing is: a jump to it costs a cycle.
//   16 bits left      that instruction is handed out, the word stays
//   half of 32 left   together with the word's lower half it is handed out
//
// Whether a word is used up thus depends on registers alone, and never on what is in it.
//
// A prediction is for a word, and says in which half the branch ends. If it ends in the lower one, and is taken, the
// upper one is dropped. The prediction goes with whatever instruction is found to end there: EX judges it. (For 32 bits
// in one word it does not matter where it says they end.) There is one case in which no instruction is found: an alias,
// or instructions that have changed, may predict a taken branch to end in what is the first half of a 32-bit
// instruction. The word that comes then is not the second half, and is dropped: the prediction is undone (`again`).
//
// A word that could not be fetched makes one instruction, which traps: nothing that comes behind it matters.
module cpu_align
  import cpu_core_pkg::*;
(
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        drop,          // a redirection: what is left over, too
  // The word at the cache's output
  input  logic [31:2] word,          // its address
  input  logic        skip,          // its lower half is not wanted
  input  logic        word_valid,
  input  logic [31:0] word_data,
  input  logic        word_fault,
  input  pred_t       word_pred,
  input  logic        word_pred_high,
  // The instruction
  output logic        out_valid,
  input  logic        out_ready,
  output fetched_t    out,
  // Where to go on
  output logic        next,          // the word is used up
  output logic        to_target,     // with next: at the prediction's target
  output logic        again,         // with next: behind the word `left_word`
  output logic [31:2] left_word
);

  logic        left_valid_q, left_hit_q, left_taken_q;
  logic [1:0]  left_count_q;
  logic [15:0] left_q;
  logic [31:2] left_word_q;

  logic left_long, whole_left, low_long, high_long;
  assign left_long  = left_q[1:0] == 2'b11;
  assign low_long   = word_data[1:0] == 2'b11;
  assign high_long  = word_data[17:16] == 2'b11;
  assign whole_left = left_valid_q && !left_long;

  assign again     = left_valid_q && left_long && left_taken_q;
  assign left_word = left_word_q;
  assign next      = word_valid && out_ready && !whole_left;
  assign to_target = word_pred.taken && (word_pred_high || !skip);

  logic pred_here;  // the word's prediction is for the instruction that is handed out
  always_comb begin
    out.pc           = left_valid_q ? {left_word_q, 1'b1} : {word, skip};
    out.fault        = word_fault && !whole_left;
    out.fault_second = word_fault && left_valid_q && !whole_left;
    if (left_valid_q) out.instr = {word_data[15:0], left_q};
    else if (skip) out.instr = {16'b0, word_data[31:16]};
    else out.instr = word_data;

    if (left_valid_q) pred_here = !word_pred_high;
    else if (skip) pred_here = word_pred_high;
    else pred_here = !word_pred_high || low_long;

    out.pred       = word_pred;
    out.pred.hit   = word_pred.hit && pred_here;
    out.pred.taken = word_pred.taken && pred_here;
    if (whole_left) begin
      // If it is predicted to be taken, its target is what has been fetched since.
      out.pred = '{hit: left_hit_q, taken: left_taken_q, count: left_count_q, target: {word, skip}};
    end

    if (whole_left) out_valid = 1'b1;
    else if (left_valid_q) out_valid = word_valid && !again;
    else out_valid = word_valid && !(skip && high_long && !word_fault);
  end

  logic keep_high;
  always_comb begin
    if (left_valid_q) keep_high = 1'b1;
    else if (skip) keep_high = high_long;
    else keep_high = !low_long;
    if (to_target && !word_pred_high) keep_high = 1'b0;
  end

  always_ff @(posedge cpu_clk) begin
    if (next) begin
      left_taken_q <= word_pred.taken && word_pred_high && !again;
      if (!again) begin
        left_valid_q <= keep_high;
        left_q       <= word_data[31:16];
        left_word_q  <= word;
        left_hit_q   <= word_pred.hit && word_pred_high;
        left_count_q <= word_pred.count;
      end
    end else if (whole_left && out_ready) begin
      left_valid_q <= 1'b0;
    end
    if (cpu_rst || drop) left_valid_q <= 1'b0;
  end

  // The halves of an instruction are neighbours.
  a_neighbours : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    left_valid_q && !left_taken_q -> word == left_word_q + 30'd1 && !skip);
  // Where a prediction has been followed, an instruction goes along with it, or is undone.
  a_not_forgotten : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    next && to_target && !again && !word_fault -> (out_valid && out.pred.taken) != (keep_high && word_pred_high));

endmodule
