// SPDX-License-Identifier: Apache-2.0
//
// One bank of the scratchpad: words of 32 bits, and whatever changes one in a single step: AMO, LR and SC, set and
// update of order records (pnic_pkg). It sees one request at a time, so whatever it does is one step for all masters.
//
// Cycles that a request keeps the bank, from the one of its grant on, and cycle of the answer behind that:
//   load, LR, store, SC      1   1
//   set, AMO by bits, swap   2   1    read; modify and write
//   AMO with a carry chain   3   1    read; modify; write
//   update                   5   3    read the position, its flags; find the run; write the flags, the position
// `free` says whether a request may come; the memory is read and written in different cycles.
//
// LR reserves a word for its master until anyone writes it, and until that master's next LR in this bank. Whether the
// LR was the last thing before the SC, and in this bank, the master knows (pnic_lsu).
//
// Borders: answer_data through one gate from the memory's output or a register.
module pnic_bank
  import pnic_pkg::*;
#(
  parameter int unsigned WORDS   = 16384,  // a multiple of a row
  parameter int unsigned MASTERS = 6,      // that may LR and SC: the first ones
  parameter int unsigned IDS     = 11
) (
  input  logic                       clk,
  input  logic                       rst,
  output logic                       free,
  input  logic                       valid,    // only while free
  input  logic [$clog2(IDS)-1:0]     id,
  input  pad_op_t                    op,
  input  logic [$clog2(WORDS)-1:0]   address,
  input  logic [3:0]                 mask,
  input  logic [31:0]                data,
  output logic                       answer_valid,
  output logic [$clog2(IDS)-1:0]     answer_id,
  output logic [31:0]                answer_data
);

  localparam int unsigned A_W = $clog2(WORDS);
  localparam int unsigned BIT_W = 5;  // of a flag in its word

  typedef logic [A_W-1:0] address_t;

  if (WORDS % (1 << ROW_W) != 0) begin : g_bad_words
    $error("pnic_bank: WORDS must be a multiple of %0d", 1 << ROW_W);
  end

  typedef enum logic [2:0] {
    IDLE,
    BITS,      // the word read is at the memory's output, and what is made of it is written
    CARRY,     // it is at the memory's output; what is made of it is written in WRITE
    WRITE,
    POSITION,  // of an update: at the memory's output, and its flags are read
    RUN,       // the flags are at the memory's output
    ENCODE     // the flags are written; WRITE writes the position
  } state_t;

  state_t   state_q;
  pad_op_t  op_q;
  address_t address_q;
  logic [31:0] data_q, new_q;
  logic [$clog2(IDS)-1:0] id_q;

  assign free = state_q == IDLE;

  // ---- What kind of request it is
  logic is_bits, is_carry, sc_holds;
  assign is_bits  = op inside {PAD_SET, PAD_SWAP, PAD_XOR, PAD_OR, PAD_AND};
  assign is_carry = op inside {PAD_ADD, PAD_MIN, PAD_MAX, PAD_MINU, PAD_MAXU};

  // ---- Reservations
  logic     [MASTERS-1:0] reserved_q;
  address_t [MASTERS-1:0] reserved_address_q;
  logic                   writes;
  address_t               write_address;

  always_comb begin
    sc_holds = 1'b0;
    for (int unsigned m = 0; m < MASTERS; m++) begin
      if (32'(id) == m) sc_holds = reserved_q[m] && reserved_address_q[m] == address;
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned m = 0; m < MASTERS; m++) begin
      if (writes && write_address == reserved_address_q[m]) reserved_q[m] <= 1'b0;
      if (valid && 32'(id) == m && op == PAD_LR) begin
        reserved_q[m]         <= 1'b1;
        reserved_address_q[m] <= address;
      end
    end
    if (rst) reserved_q <= '0;
  end

  // ---- Memory: one port reads, the other writes, never in the same cycle
  (* ram_style = "block" *) logic [31:0] memory [WORDS];
  logic [31:0] found_q;
  logic        reads;
  address_t    read_address;
  logic [3:0]  write_mask;
  logic [31:0] write_data;
  logic [31:0] in_bits, cleared;  // what is made of the word; the flags without the run
  logic [31:0] run_end_q;  // one-hot: the first flag behind the run; zero if it goes on to the end of the word

  function automatic address_t flags_at(input logic [A_W-1:ROW_W] row, input logic [FLAG_W-1:BIT_W] word);
    return {row, 1'b1, word};
  endfunction

  address_t new_flags;  // where the flags are that the next request is about
  assign new_flags = flags_at(address[A_W-1:ROW_W], data[FLAG_W-1:BIT_W]);

  assign reads        = (valid && op != PAD_STORE && op != PAD_SC) || state_q == POSITION;
  assign read_address = state_q == POSITION ? flags_at(address_q[A_W-1:ROW_W], found_q[FLAG_W-1:BIT_W]) :
                        op == PAD_SET ? new_flags :
                        op == PAD_UPDATE ? {address[A_W-1:ROW_W], ROW_W'(0)} : address;

  always_comb begin
    writes        = valid && (op == PAD_STORE || (op == PAD_SC && sc_holds));
    write_address = address;
    write_mask    = op == PAD_STORE ? mask : 4'hF;
    write_data    = data;
    if (state_q != IDLE) begin
      writes        = state_q inside {BITS, WRITE, ENCODE};
      write_address = state_q == ENCODE ? flags_at(address_q[A_W-1:ROW_W], data_q[FLAG_W-1:BIT_W]) : address_q;
      write_mask    = 4'hF;
      write_data    = state_q == ENCODE ? cleared : state_q == BITS ? in_bits : new_q;
    end
  end

  always_ff @(posedge clk) begin
    for (int b = 0; b < 4; b++) if (writes && write_mask[b]) memory[write_address][8*b+:8] <= write_data[8*b+:8];
    if (reads) found_q <= memory[read_address];
  end

  // ---- What is made of the word. Of an update data_q becomes the position.
  logic [31:0] by_carry, below, run_end;
  logic        less;
  logic [BIT_W-1:0] run_end_at;
  logic [31:0] moved;  // the position behind the run

  assign less    = (found_q[31] == data_q[31]) ? found_q < data_q :
                                                 found_q[31] ^ (op_q == PAD_MINU || op_q == PAD_MAXU);
  assign below   = (32'd1 << data_q[BIT_W-1:0]) - 32'd1;        // flags in front of the position
  assign run_end = ~(found_q | below) & ((found_q | below) + 32'd1);
  assign cleared = found_q & (~(run_end_q - 32'd1) | below);

  always_comb begin
    case (op_q)
      PAD_SET: in_bits = found_q | (32'd1 << data_q[BIT_W-1:0]);
      PAD_XOR: in_bits = found_q ^ data_q;
      PAD_OR:  in_bits = found_q | data_q;
      PAD_AND: in_bits = found_q & data_q;
      default: in_bits = data_q;
    endcase
    case (op_q)
      PAD_MIN, PAD_MINU: by_carry = less ? found_q : data_q;
      PAD_MAX, PAD_MAXU: by_carry = less ? data_q : found_q;
      default:           by_carry = found_q + data_q;
    endcase
  end

  always_comb begin
    run_end_at = '0;
    for (int i = 0; i < 32; i++) if (run_end_q[i]) run_end_at |= BIT_W'(i);
  end
  assign moved = run_end_q == '0 ? {data_q[31:BIT_W] + 27'd1, BIT_W'(0)} : {data_q[31:BIT_W], run_end_at};

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        op_q      <= op;
        data_q    <= data;
        id_q      <= id;
        address_q <= op == PAD_SET ? new_flags :
                     op == PAD_UPDATE ? {address[A_W-1:ROW_W], ROW_W'(0)} : address;
        if (valid && is_bits) state_q <= BITS;
        if (valid && is_carry) state_q <= CARRY;
        if (valid && op == PAD_UPDATE) state_q <= POSITION;
      end
      CARRY: begin
        new_q   <= by_carry;
        state_q <= WRITE;
      end
      POSITION: begin
        data_q  <= found_q;
        state_q <= RUN;
      end
      RUN: begin
        run_end_q <= run_end;
        state_q   <= ENCODE;
      end
      ENCODE: begin
        new_q   <= moved;
        state_q <= WRITE;
      end
      default: state_q <= IDLE;
    endcase
    if (rst) state_q <= IDLE;
  end

  // ---- Answer
  logic answered_q, sc_q, sc_holds_q;

  always_ff @(posedge clk) begin
    answered_q <= valid && op != PAD_UPDATE && !rst;
    sc_q       <= op == PAD_SC;
    sc_holds_q <= sc_holds;
  end

  logic updated;
  assign updated      = state_q == ENCODE;
  assign answer_valid = answered_q || updated;
  assign answer_id    = id_q;
  assign answer_data  = updated ? moved : sc_q ? {31'b0, !sc_holds_q} : found_q;

  a_free : assert property (@(posedge clk) disable iff (rst) valid -> free);
  a_one_answer : assert property (@(posedge clk) disable iff (rst) !(answered_q && updated));
  a_apart : assert property (@(posedge clk) disable iff (rst) !(reads && writes));

endmodule
