// SPDX-License-Identifier: Apache-2.0
//
// Instruction fetch: chooses the next address, and predicts branches with a small branch target buffer.
//
// Two cycles: in the first an address goes to the instruction cache's memories (`read`, `read_address`), in the second
// the instruction comes out (`ic_valid`) together with the prediction for it, which chooses the next address in that
// same cycle: a correctly predicted taken branch costs nothing. The cache holds its answer until the next `read`.
//
// One instruction waits in a buffer of its own when DECODE cannot take it, so that DECODE's readiness (which hangs on
// the data cache's hit) ends there, instead of going on into the instruction cache.
//
// The target buffer is direct mapped, has partial tags (a wrong hit is only a wrong prediction: EX judges every
// instruction, not only branches) and a two-bit counter in each entry. It is distributed RAM, read by the registered
// pc. Only the valid bits are reset. EX does not read it again: what was read goes along with the instruction.
//
// An entry for a return names no target: that is the top of a small return-address stack, which EX maintains. A return
// that is fetched less than three instructions after its call comes too early for it and is mispredicted.
module rv_fetch
  import rv_pkg::*;
#(
  parameter int unsigned BTB_ENTRIES = 64,
  parameter int unsigned BTB_TAG_W   = 8,
  parameter int unsigned RAS_DEPTH   = 8
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // The instruction now at the cache's output is dropped and fetching goes on at the target: `restart` after a flush,
  // which comes early, or `redirect` by a branch, which comes late. Never both.
  input  logic        restart,
  input  logic [31:2] restart_target,
  input  logic        redirect,
  input  logic [31:2] redirect_target,
  // To DECODE, which drops what it is given in the cycle of a redirection
  output logic        out_valid,
  input  logic        out_ready,
  output logic [31:2] out_pc,
  output logic [31:0] out_instr,
  output logic        out_fault,
  output pred_t       out_pred,
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
    $error("rv_fetch: BTB_ENTRIES must be a power of two of at least 2");
  end
  if (RAS_DEPTH < 2 || (RAS_DEPTH & (RAS_DEPTH - 1)) != 0) begin : g_bad_depth
    $error("rv_fetch: RAS_DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned INDEX_W = $clog2(BTB_ENTRIES);

  typedef struct packed {
    logic [BTB_TAG_W-1:0] tag;
    logic                 is_return;
    logic [1:0]           count;
    logic [31:2]          target;
  } entry_t;

  entry_t                 btb [BTB_ENTRIES];
  logic [BTB_ENTRIES-1:0] btb_valid_q;
  logic [31:2]            pc_q;  // of the instruction at the cache's output
  entry_t                 entry;

  typedef struct packed {
    logic [31:2] pc;
    logic [31:0] instr;
    logic        fault;
    pred_t       pred;
  } fetched_t;

  fetched_t fetched, waiting_q;
  logic     waiting_valid_q;

  logic [31:2]                  ras [RAS_DEPTH];
  logic [$clog2(RAS_DEPTH)-1:0] ras_top_q;
  logic [31:2]                  target;

  assign entry  = btb[pc_q[INDEX_W+1:2]];
  assign target = entry.is_return ? ras[ras_top_q] : entry.target;
  always_comb begin
    fetched.pc          = pc_q;
    fetched.instr       = ic_instr;
    fetched.fault       = ic_fault;
    fetched.pred.hit    = btb_valid_q[pc_q[INDEX_W+1:2]] && entry.tag == pc_q[INDEX_W+2+:BTB_TAG_W];
    fetched.pred.taken  = fetched.pred.hit && entry.count[1];
    fetched.pred.count  = entry.count;
    fetched.pred.target = target;
  end

  assign out_valid = waiting_valid_q || ic_valid;
  assign {out_pc, out_instr, out_fault, out_pred} = waiting_valid_q ? waiting_q : fetched;

  logic [31:2] next_address;  // without a redirection
  assign read         = redirect || restart || (ic_valid && !waiting_valid_q);
  assign next_address = restart ? restart_target : fetched.pred.taken ? target : pc_q + 30'd1;
  assign read_address = redirect ? redirect_target : next_address;

  always_ff @(posedge cpu_clk) begin
    if (read) pc_q <= read_address;
    if (!waiting_valid_q) waiting_q <= fetched;
    if (cpu_rst || restart || redirect || out_ready) waiting_valid_q <= 1'b0;
    else if (ic_valid) waiting_valid_q <= 1'b1;
  end

  always_ff @(posedge cpu_clk) begin
    if (update.write) begin
      btb[update.pc[INDEX_W+1:2]] <= '{
        tag: update.pc[INDEX_W+2+:BTB_TAG_W], is_return: update.is_return, count: update.count,
        target: update.target};
      btb_valid_q[update.pc[INDEX_W+1:2]] <= update.valid;
    end
    if (cpu_rst) btb_valid_q <= '0;
  end

  a_one_way : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !(restart && redirect));

  // The stack wraps around: what is deeper than RAS_DEPTH is mispredicted, no more.
  always_ff @(posedge cpu_clk) begin
    if (ras_update.push) ras[ras_top_q + 1'b1] <= ras_update.address;
  end

  always_ff @(posedge cpu_clk) begin
    if (ras_update.push) ras_top_q <= ras_top_q + 1'b1;
    else if (ras_update.pop) ras_top_q <= ras_top_q - 1'b1;
    if (cpu_rst) ras_top_q <= '0;
  end

endmodule
