// SPDX-License-Identifier: Apache-2.0
//
// Graphics memory with its controller, behind the port of pnic_frame_memory. Simulation only.
//
// Beats are served in order, one a cycle at best. The first bits of an address above a row's beats are its bank, so
// that a stream goes from bank to bank. Each bank has one row open:
//
//   beat of the open row                     CAS cycles to its data
//   of another row                           PRECHARGE + ACTIVATE + CAS, 27 by default: the published latency
//   a write behind a read, or the reverse    TURN cycles in which no data moves
//
// The controller looks DEPTH beats ahead: a bank gets its next row open while others move data, once its own beats
// before have moved. Not modelled: refresh, and limits on how often rows are opened.
module gddr_model
  import pnic_pkg::*;
#(
  parameter int unsigned BYTES     = 4194304,  // a power of two
  parameter int unsigned BANKS     = 4,        // a power of two
  parameter int unsigned ROW_BEATS = 128,      // a power of two
  parameter int unsigned CAS       = 9,
  parameter int unsigned ACTIVATE  = 9,
  parameter int unsigned PRECHARGE = 9,
  parameter int unsigned TURN      = 4,
  parameter int unsigned DEPTH     = 32        // beats that wait
) (
  input  logic    clk,
  input  logic    rst,
  /* verilator lint_off UNUSEDSIGNAL */  // it looks ahead by itself
  input  fm_req_t req,
  /* verilator lint_on UNUSEDSIGNAL */
  output fm_rsp_t rsp
);

  localparam int unsigned WORDS  = BYTES / 16;
  localparam int unsigned BANK_W = $clog2(BANKS);
  localparam int unsigned FLIGHT = DEPTH + CAS;  // reads between being taken and their answer

  typedef logic [BANK_W-1:0] bank_t;

  logic [127:0] memory [WORDS];

  longint unsigned now_q, moves_q;             // when the last beat moves
  longint unsigned moved_q [BANKS];            // likewise of each bank
  longint          row_q [BANKS];              // open; -1: none
  logic            wrote_q;

  typedef struct packed {
    longint unsigned at;    // when its answer is there
    logic [127:0]    data;
  } answer_t;
  answer_t answers [FLIGHT];
  int unsigned first_q, count_q;

  // Contents change and are read in the order of the requests, so it may be done when they come.
  always_ff @(posedge clk) begin : serve
    automatic longint unsigned moves;
    automatic int unsigned     count, word;
    automatic bank_t           bank;
    automatic longint          row;
    now_q <= now_q + 1;
    rsp.valid <= 1'b0;
    count = count_q;
    if (count != 0 && answers[first_q].at <= now_q + 1) begin
      rsp.valid <= 1'b1;
      rsp.data  <= answers[first_q].data;
      first_q   <= (first_q + 1) % FLIGHT;
      count     = count - 1;
    end
    moves = moves_q;
    if (req.valid && rsp.ready) begin
      word  = 32'(req.address) % WORDS;
      bank  = bank_t'(word / ROW_BEATS);
      row   = longint'(word) / longint'(ROW_BEATS * BANKS);
      moves = now_q + 1;
      if (row != row_q[bank]) begin
        // From when the bank is free, and it is not known before it is here.
        if (moved_q[bank] > moves) moves = moved_q[bank];
        moves += longint'(ACTIVATE) + (row_q[bank] < 0 ? 0 : longint'(PRECHARGE));
      end
      if (moves <= moves_q) moves = moves_q + 1;
      if (wrote_q != req.write && moves <= moves_q + longint'(TURN)) moves = moves_q + longint'(TURN) + 1;
      row_q[bank]   <= row;
      moved_q[bank] <= moves;
      wrote_q       <= req.write;
      if (req.write) begin
        for (int b = 0; b < 16; b++) if (req.mask[b]) memory[word][8*b+:8] <= req.data[8*b+:8];
      end else begin
        answers[(first_q + count_q) % FLIGHT] <= '{at: moves + longint'(CAS) - 1, data: memory[word]};
        count = count + 1;
      end
    end
    moves_q <= moves;
    count_q <= count;
    // Room for one more, and it is not further ahead than the controller looks.
    rsp.ready <= count + 1 < FLIGHT && moves < now_q + longint'(DEPTH) && !rst;
    if (rst) begin
      now_q     <= 64'd1;
      moves_q   <= '0;
      first_q   <= 0;
      count_q   <= 0;
      wrote_q   <= 1'b0;
      rsp.valid <= 1'b0;
      for (int unsigned b = 0; b < BANKS; b++) begin
        row_q[b]   <= -1;
        moved_q[b] <= '0;
      end
    end
  end

endmodule
