// SPDX-License-Identifier: Apache-2.0
//
// The scratchpad: 256 KB in BANKS banks (1 to 8, any number), and the crossbar of 32 bits between them and MASTERS
// masters. A row of 32 words is in one bank; the rows of eight slices, by the low three bits of their number, are dealt
// out to the banks in turn: with 4 banks rows 0 and 4, 8, 12 .. are in the first. (Words dealt out one by one would put
// the first word of every 16-byte descriptor into the same bank.)
//
//   master --> request --> round robin of each bank --> pnic_bank --> answer --> master
//
// One request a bank and cycle, granted round robin: nobody waits for more than MASTERS - 1 others, each of which keeps
// the bank for five cycles at most. Latency 2 cycles: a request is granted in the cycle in which it is shown, if its
// bank is free, and answered in the next (pnic_bank: update later). `conflict`: it was shown and not granted.
//
// Borders: grants and answers through gates; masters show requests out of registers.
module pnic_crossbar
  import pnic_pkg::*;
#(
  parameter int unsigned BANKS   = 4,
  parameter int unsigned MASTERS = 11,
  parameter int unsigned CORES   = 6    // the first masters: they may LR and SC
) (
  input  logic                   clk,
  input  logic                   rst,
  input  pad_req_t [MASTERS-1:0] req,
  output pad_rsp_t [MASTERS-1:0] rsp,
  output logic [MASTERS-1:0]     conflict
);

  localparam int unsigned SLICES      = 8;
  localparam int unsigned SLICE_W     = 3;
  localparam int unsigned SLICE_WORDS = (1 << PAD_W) / SLICES;
  localparam int unsigned PLACES      = (SLICES + BANKS - 1) / BANKS;  // slices in a bank, at most
  localparam int unsigned BANK_WORDS  = PLACES * SLICE_WORDS;
  localparam int unsigned A_W         = $clog2(BANK_WORDS);
  localparam int unsigned ID_W        = $clog2(MASTERS);

  if (BANKS < 1 || BANKS > SLICES) begin : g_bad_banks
    $error("pnic_crossbar: BANKS must be 1 to 8");
  end
  if (MASTERS < 2 || CORES < 1 || CORES > MASTERS) begin : g_bad_masters
    $error("pnic_crossbar: CORES must be 1 to MASTERS, and MASTERS 2 at least");
  end

  typedef logic [SLICE_W-1:0] slice_t;

  logic [MASTERS-1:0]            answered;
  logic [MASTERS-1:0][31:0]      answers;
  logic [BANKS-1:0][MASTERS-1:0] grants;
  logic [BANKS-1:0]              answer_valid;
  logic [BANKS-1:0][ID_W-1:0]    answer_id;
  logic [BANKS-1:0][31:0]        answer_data;

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [MASTERS-1:0] wanted, pick;
    logic               free, valid;
    logic [ID_W-1:0]    id;
    pad_op_t            op;
    logic [PAD_W-1:0]   address;
    logic [3:0]         mask;
    logic [31:0]        data;
    slice_t             place;

    for (genvar m = 0; m < MASTERS; m++) begin : g_wanted
      assign wanted[m] = req[m].valid && 32'(req[m].address[ROW_W+:SLICE_W]) % BANKS == b;
    end

    arb_rr #(.N(MASTERS)) u_turn (.clk, .rst, .request(wanted), .take(free), .grant(pick));

    assign valid     = free && |wanted;
    assign grants[b] = pick & {MASTERS{free}};

    always_comb begin
      id      = '0;
      op      = PAD_LOAD;
      address = '0;
      mask    = '0;
      data    = '0;
      for (int unsigned m = 0; m < MASTERS; m++) begin
        if (pick[m]) begin
          id      |= ID_W'(m);
          op      = pad_op_t'(op | req[m].op);
          address |= req[m].address;
          mask    |= req[m].mask;
          data    |= req[m].data;
        end
      end
    end

    assign place = slice_t'(32'(address[ROW_W+:SLICE_W]) / BANKS);

    pnic_bank #(.WORDS(BANK_WORDS), .MASTERS(CORES), .IDS(MASTERS)) u_bank (
      .clk,
      .rst,
      .free,
      .valid,
      .id,
      .op,
      .address     (A_W'({place, address[PAD_W-1:ROW_W+SLICE_W], address[ROW_W-1:0]})),
      .mask,
      .data,
      .answer_valid(answer_valid[b]),
      .answer_id   (answer_id[b]),
      .answer_data (answer_data[b])
    );
  end

  always_comb begin
    answered = '0;
    answers  = '0;
    for (int unsigned m = 0; m < MASTERS; m++) begin
      for (int unsigned b = 0; b < BANKS; b++) begin
        if (answer_valid[b] && 32'(answer_id[b]) == m) begin
          answered[m] = 1'b1;
          answers[m] |= answer_data[b];
        end
      end
    end
  end

  for (genvar m = 0; m < MASTERS; m++) begin : g_master
    logic granted;

    always_comb begin
      granted = 1'b0;
      for (int unsigned b = 0; b < BANKS; b++) granted |= grants[b][m];
    end
    assign rsp[m]      = '{ready: granted, valid: answered[m], data: answers[m]};
    assign conflict[m] = req[m].valid && !granted;
  end

endmodule
