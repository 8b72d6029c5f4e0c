// SPDX-License-Identifier: Apache-2.0
//
// Instruction fetch: chooses the next address, and predicts branches with a small branch target buffer.
//
// Two cycles: in the first an address goes to the instruction cache's memories (`read`, `read_address`), in the second
// the instruction comes out (`ic_valid`) together with the prediction for it, which chooses the next address in that
// same cycle: a correctly predicted taken branch costs nothing. The cache holds its answer until the next `read`.
//
// With COMPRESSED a word is not an instruction: cpu_align makes instructions of words, and tells when the next word is
// needed. The target buffer is looked up by the word's address, and says in which half the branch ends. Two branches that
// end in the same word share an entry.
//
// One instruction waits in a buffer of its own when DECODE cannot take it, so that DECODE's readiness (which hangs on
// the data cache's hit) ends there, instead of going on into the instruction cache.
//
// The target buffer is direct mapped, has partial tags (a wrong hit is only a wrong prediction: EX judges every
// instruction, not only branches) and a two-bit counter in each entry. It is distributed RAM, read by the registered
// pc. The way out of reset walks over the entries, for BTB_ENTRIES cycles without prediction. EX does not read an entry
// again: what was read goes along with the instruction.
//
// An entry for a return names no target: that is the top of a small return-address stack, which EX maintains. A return
// that is fetched less than three instructions after its call comes too early for it and is mispredicted.
module cpu_fetch
  import cpu_core_pkg::*;
#(
  parameter int unsigned BTB_ENTRIES = 64,
  parameter int unsigned BTB_TAG_W   = 8,
  parameter int unsigned RAS_DEPTH   = 8,
  parameter bit          COMPRESSED  = 1'b0
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // The instruction now at the cache's output is dropped and fetching goes on at the target: `restart` after a flush,
  // which comes early, or `redirect` by a branch, which comes late. Never both.
  input  logic        restart,
  input  logic [31:1] restart_target,   // without COMPRESSED, bit 1 of this and of all that follow is zero
  input  logic        redirect,
  input  logic [31:1] redirect_target,
  // To DECODE, which drops what it is given in the cycle of a redirection
  output logic        out_valid,
  input  logic        out_ready,
  output fetched_t    out,
  // Instruction cache
  output logic        read,
  output logic [31:2] read_address,
  input  logic        ic_valid,
  input  logic [31:0] ic_instr,
  input  logic        ic_fault,
  // Training
  input  btb_update_t update,
  input  ras_update_t ras_update
);

  if (BTB_ENTRIES < 2 || (BTB_ENTRIES & (BTB_ENTRIES - 1)) != 0) begin : g_bad_entries
    $error("cpu_fetch: BTB_ENTRIES must be a power of two of at least 2");
  end
  if (RAS_DEPTH < 2 || (RAS_DEPTH & (RAS_DEPTH - 1)) != 0) begin : g_bad_depth
    $error("cpu_fetch: RAS_DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned INDEX_W = $clog2(BTB_ENTRIES);
  localparam int unsigned LSB     = COMPRESSED ? 1 : 2;  // of addresses that are kept

  typedef struct packed {
    logic                 valid;
    logic [BTB_TAG_W-1:0] tag;
    logic                 is_return;
    logic [1:0]           count;
    logic [31:LSB]        target;
  } btb_entry_t;

  btb_entry_t             btb [BTB_ENTRIES];
  logic [INDEX_W-1:0]     walk_q;
  logic                   walking_q;
  logic [31:1]            pc_q;  // the first thing of interest in the word at the cache's output
  btb_entry_t             entry;
  pred_t                  pred;

  fetched_t fetched, waiting_q;
  logic     fetched_valid, waiting_valid_q;

  logic [31:LSB]                ras [RAS_DEPTH];
  logic [$clog2(RAS_DEPTH)-1:0] ras_top_q;
  logic [31:LSB]                target;

  assign entry  = btb[pc_q[INDEX_W+1:2]];
  assign target = entry.is_return ? ras[ras_top_q] : entry.target;
  always_comb begin
    pred.hit    = entry.valid && !walking_q && entry.tag == pc_q[INDEX_W+2+:BTB_TAG_W];
    pred.taken  = pred.hit && entry.count[1];
    pred.count  = entry.count;
    pred.target = '0;
    pred.target[31:LSB] = target;
  end

  assign out_valid = waiting_valid_q || fetched_valid;
  always_comb begin
    out = waiting_valid_q ? waiting_q : fetched;
    if (!COMPRESSED) begin  // said once more, so that synthesis sees it
      out.pc[1]          = 1'b0;
      out.pred.target[1] = 1'b0;
      out.fault_second   = 1'b0;
    end
  end

  logic        next, to_target;         // without a redirection: go on, and not just to the next word
  logic [31:2] previous;                 // if so, the word before that
  logic [31:1] next_pc, fetch_pc;
  assign read         = redirect || restart || next;
  assign next_pc      = restart ? restart_target : to_target ? pred.target : {previous + 30'd1, 1'b0};
  assign fetch_pc     = redirect ? redirect_target : next_pc;
  assign read_address = fetch_pc[31:2];

  if (COMPRESSED) begin : g_align
    logic        btb_high [BTB_ENTRIES];  // the branch ends in the word's upper half
    logic        steered, again;
    logic [31:2] left_word;

    always_ff @(posedge cpu_clk) begin
      if (update.write) btb_high[update.last[INDEX_W+1:2]] <= update.last[1];
    end

    cpu_align u_align (
      .cpu_clk,
      .cpu_rst,
      .drop          (restart || redirect),
      .word          (pc_q[31:2]),
      .skip          (pc_q[1]),
      .word_valid    (ic_valid),
      .word_data     (ic_instr),
      .word_fault    (ic_fault),
      .word_pred     (pred),
      .word_pred_high(btb_high[pc_q[INDEX_W+1:2]]),
      .out_valid     (fetched_valid),
      .out_ready     (!waiting_valid_q),
      .out           (fetched),
      .next,
      .to_target     (steered),
      .again,
      .left_word
    );
    assign to_target = steered && !again;
    assign previous  = again ? left_word : pc_q[31:2];
  end else begin : g_words
    assign fetched_valid = ic_valid;
    assign fetched       = '{pc: pc_q, instr: ic_instr, fault: ic_fault, fault_second: 1'b0, pred: pred};
    assign next          = ic_valid && !waiting_valid_q;
    assign to_target     = pred.taken;
    assign previous      = pc_q[31:2];
  end

  always_ff @(posedge cpu_clk) begin
    if (read) pc_q <= {fetch_pc[31:2], COMPRESSED && fetch_pc[1]};
    if (!waiting_valid_q) waiting_q <= fetched;
    if (cpu_rst || restart || redirect || out_ready) waiting_valid_q <= 1'b0;
    else if (fetched_valid) waiting_valid_q <= 1'b1;
  end

  always_ff @(posedge cpu_clk) begin
    if (walking_q || update.write) begin
      btb[walking_q ? walk_q : update.last[INDEX_W+1:2]] <= '{
        valid: update.valid && !walking_q, tag: update.last[INDEX_W+2+:BTB_TAG_W], is_return: update.is_return,
        count: update.count, target: update.target[31:LSB]};
    end
  end

  always_ff @(posedge cpu_clk) begin
    if (walking_q) walk_q <= walk_q + 1'b1;
    if (walk_q == '1) walking_q <= 1'b0;
    if (cpu_rst) begin
      walk_q    <= '0;
      walking_q <= 1'b1;
    end
  end

  a_at_rest : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !walking_q -> walk_q == '0);

  a_one_way : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !(restart && redirect));

  // The stack wraps around: what is deeper than RAS_DEPTH is mispredicted, no more.
  always_ff @(posedge cpu_clk) begin
    if (ras_update.push) ras[ras_top_q + 1'b1] <= ras_update.address[31:LSB];
  end

  always_ff @(posedge cpu_clk) begin
    if (ras_update.push) ras_top_q <= ras_top_q + 1'b1;
    else if (ras_update.pop) ras_top_q <= ras_top_q - 1'b1;
    if (cpu_rst) ras_top_q <= '0;
  end

endmodule
