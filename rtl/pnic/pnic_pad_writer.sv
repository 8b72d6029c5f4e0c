// SPDX-License-Identifier: Apache-2.0
//
// Writes the beats of pnic_dma_read that go to the scratchpad, a word at a time, those that have bytes; words as
// pnic_pad_reader has them. A descriptor is done when its last word is in line for its bank.
//
// Latency: from a beat to its first request 4 to 5 cycles of both clocks. Throughput: a word a cycle.
// Borders: registers; in_ready is fifo_async's.
module pnic_pad_writer
  import pnic_pkg::*;
(
  input  logic      in_clk,
  input  logic      in_rst,
  input  logic      in_valid,
  output logic      in_ready,
  input  dma_beat_t in,
  input  logic      core_clk,
  input  logic      core_rst,
  output pad_req_t  pad_req,
  /* verilator lint_off UNUSEDSIGNAL */  // nobody waits for the answers of stores
  input  pad_rsp_t  pad_rsp,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic      done_valid,
  input  logic      done_ready,
  output logic      done_refused
);

  /* verilator lint_off UNUSEDSIGNAL */  // it looks at words, and addresses are longer than the scratchpad
  dma_beat_t beat;
  /* verilator lint_on UNUSEDSIGNAL */
  logic      beat_valid, beat_take;

  fifo_async #(.WIDTH($bits(dma_beat_t)), .DEPTH(16)) u_beats (
    .wr_clk(in_clk), .wr_rst(in_rst), .wr_data(in), .wr_valid(in_valid), .wr_ready(in_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data({beat}), .rd_valid(beat_valid), .rd_ready(beat_take)
  );

  logic [3:0]       lanes_q, lanes;  // words that are still to be written; [0] has the lowest address
  logic             begun_q, free, refused_q, ended_q, done_refused_q;
  logic [1:0]       lane;
  logic [3:0][31:0] words;           // [3] has the lowest address
  logic [3:0][3:0]  masks;
  logic [31:0]      word;
  logic [3:0]       mask;
  pad_req_t         req_q;

  assign words = beat.data;
  assign masks = beat.mask;
  assign word  = words[2'd3 - lane];
  assign mask  = masks[2'd3 - lane];

  always_comb begin
    for (int unsigned l = 0; l < 4; l++) lanes[l] = begun_q ? lanes_q[l] : masks[3 - l] != '0;
    lane = lanes[0] ? 2'd0 : lanes[1] ? 2'd1 : lanes[2] ? 2'd2 : 2'd3;
  end

  // Nothing goes on behind a descriptor's end until that is told.
  assign free      = (!req_q.valid || pad_rsp.ready) && !ended_q;
  assign beat_take = beat_valid && free && (lanes & (lanes - 4'd1)) == '0;

  always_ff @(posedge core_clk) begin
    if (pad_rsp.ready) req_q.valid <= 1'b0;
    if (beat_valid && free) begin
      req_q   <= '{valid: lanes != '0, op: PAD_STORE, address: {beat.address[PAD_W-3:0], lane},
                   mask: {mask[0], mask[1], mask[2], mask[3]},
                   data: {word[7:0], word[15:8], word[23:16], word[31:24]}};
      lanes_q <= lanes & ~(4'd1 << lane);
      begun_q <= !beat_take;
    end
    if (beat_take) begin
      refused_q      <= (refused_q || beat.refused) && !beat.ends;
      done_refused_q <= refused_q || beat.refused;
    end
    if (beat_take && beat.ends) ended_q <= 1'b1;
    else if (done_valid && done_ready) ended_q <= 1'b0;
    if (core_rst) begin
      req_q.valid <= 1'b0;
      begun_q     <= 1'b0;
      refused_q   <= 1'b0;
      ended_q     <= 1'b0;
    end
  end

  assign pad_req      = req_q;
  assign done_valid   = ended_q && !req_q.valid;
  assign done_refused = done_refused_q;

endmodule
