// SPDX-License-Identifier: Apache-2.0
//
// The ring of descriptors of an assist that is commanded (pnic_dma_read, pnic_dma_write, pnic_mac_send): its registers,
// the descriptors fetched ahead, and what firmware sees of those that are finished.
//
//   scratchpad --> fetch --> check --> desc --> the assist's work --> done --> progress, errors --> scratchpad
//                              +--------------- in their order --------^
//
// A descriptor is WORDS words. The last one has its length in [15:0], and bit 31, which is set when the descriptor was
// wrong or refused. Its place: REG_BASE + WORDS * (count mod 2^REG_ENTRIES).
//
// Registers (pnic_pkg): REG_BASE, REG_ENTRIES (0 to 15), REG_NEWS and REG_CONTROL, to be written while no descriptor is
// under way; without enable none is fetched, and those fetched are finished.
//   REG_TAIL      count of descriptors handed over, 16 bits without end. A write only counts if it moves forward; other
//                 ones change nothing, so several cores may write it in any order. One for more than the ring has
//                 changes nothing either, and is counted: REG_BEYOND.
//   REG_PROGRESS  count of descriptors finished, 32 bits without end. The word at REG_NEWS gets it, behind all that
//                 those descriptors did; several that finish at once are one write.
//   REG_LENGTH    of these: wrong length (below MIN_BYTES, above MAX_BYTES, or `wrong`), not done
//   REG_REFUSED   of these: `done_refused`
//
// `desc` shows the descriptor to be done; `wrong` says of it, in the same cycle, what the ring does not know. Wrong
// ones are never `desc_valid`. `done`: in the order of the descriptors.
//
// Latency: from a write to REG_TAIL to desc_valid, WORDS + 5 cycles where the scratchpad is free; from `done` to the
// request for the news, 2. Throughput: a word a cycle, so a descriptor in WORDS cycles, and a `done` a cycle.
// AHEAD descriptors are fetched ahead, UNDER_WAY may be between `desc` and `done`.
// Borders: requests out of registers; desc out of a small memory, desc_valid through the check behind it.
module pnic_ring
  import pnic_pkg::*;
#(
  parameter int unsigned WORDS     = 4,
  parameter int unsigned MIN_BYTES = 1,
  parameter int unsigned MAX_BYTES = 9600,
  parameter int unsigned AHEAD     = 8,    // a power of two
  parameter int unsigned UNDER_WAY = 64    // a power of two
) (
  input  logic                   clk,
  input  logic                   rst,
  input  assist_reg_t            regs,
  output logic [31:0]            regs_data,
  output pad_req_t               fetch_req,
  input  pad_rsp_t               fetch_rsp,
  output pad_req_t               news_req,
  /* verilator lint_off UNUSEDSIGNAL */  // nobody waits for the answers of stores
  input  pad_rsp_t               news_rsp,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                   desc_valid,
  input  logic                   desc_ready,
  output logic [WORDS-1:0][31:0] desc,
  input  logic                   wrong,
  input  logic                   done_valid,
  output logic                   done_ready,
  input  logic                   done_refused
);

  localparam int unsigned WORD_W  = $clog2(WORDS);
  localparam int unsigned AHEAD_W = $clog2(AHEAD + 1);

  if (WORDS < 2 || (WORDS & (WORDS - 1)) != 0) begin : g_bad_words
    $error("pnic_ring: WORDS must be a power of two of at least 2");
  end

  // ---- Registers
  logic [PAD_W-1:0] base_q, news_q;
  logic [3:0]       entries_q;
  logic [15:0]      tail_q, tail, fetched_q;
  logic             enable_q, forward, fits;
  logic [31:0]      progress_q, length_q, refused_q, beyond_q;
  logic             write_tail;

  assign tail       = regs.data[15:0];
  assign write_tail = regs.valid && regs.write && regs.number == REG_TAIL;
  assign forward    = 16'(tail - tail_q) != '0 && !(16'(tail - tail_q) >> 15 != '0);
  assign fits       = 17'(16'(tail - progress_q[15:0])) <= 17'd1 << entries_q;

  always_ff @(posedge clk) begin
    if (regs.valid && regs.write) begin
      case (regs.number)
        REG_BASE:    base_q    <= regs.data[PAD_W-1:0];
        REG_ENTRIES: entries_q <= regs.data[3:0];
        REG_NEWS:    news_q    <= regs.data[PAD_W-1:0];
        REG_CONTROL: enable_q  <= regs.data[0];
        default: ;
      endcase
    end
    if (write_tail && forward) begin
      if (fits) tail_q <= tail;
      else beyond_q <= beyond_q + 1'b1;
    end
    case (regs.number)
      REG_BASE:     regs_data <= 32'(base_q);
      REG_ENTRIES:  regs_data <= 32'(entries_q);
      REG_TAIL:     regs_data <= 32'(tail_q);
      REG_NEWS:     regs_data <= 32'(news_q);
      REG_PROGRESS: regs_data <= progress_q;
      REG_LENGTH:   regs_data <= length_q;
      REG_CONTROL:  regs_data <= 32'(enable_q);
      REG_REFUSED:  regs_data <= refused_q;
      REG_BEYOND:   regs_data <= beyond_q;
      default:      regs_data <= '0;
    endcase
    if (rst) begin
      base_q    <= '0;
      entries_q <= '0;
      news_q    <= '0;
      enable_q  <= 1'b0;
      tail_q    <= '0;
      beyond_q  <= '0;
    end
  end

  function automatic logic [PAD_W-1:0] place(input logic [15:0] count, input logic [WORD_W-1:0] word);
    logic [15:0] entry;
    entry = count & ~(16'hFFFF << entries_q);
    return base_q + PAD_W'({entry, word});
  endfunction

  // ---- Fetch. A descriptor that was begun has a place in the FIFO.
  logic [WORD_W-1:0]  word_q, coming_q;
  logic               asks, begins, take, pushed;
  logic [AHEAD_W-1:0] room_q;
  logic [WORDS-1:0][31:0] words;
  logic [WORDS-2:0][31:0] words_q;
  pad_req_t           fetch_req_q;

  assign begins = word_q == '0;
  assign asks   = !begins || (enable_q && fetched_q != tail_q && room_q != '0);
  assign pushed = fetch_rsp.valid && coming_q == '1;
  assign words  = {fetch_rsp.data, words_q};

  always_ff @(posedge clk) begin
    if (!fetch_req_q.valid || fetch_rsp.ready) begin
      fetch_req_q <= '{valid: asks, op: PAD_LOAD, address: place(fetched_q, word_q), mask: 4'hF, data: '0};
      if (asks) word_q <= word_q + 1'b1;
      if (asks && word_q == '1) fetched_q <= fetched_q + 1'b1;
      room_q <= room_q - AHEAD_W'(asks && begins) + AHEAD_W'(take);
    end else begin
      room_q <= room_q + AHEAD_W'(take);
    end
    if (fetch_rsp.valid) begin
      coming_q <= coming_q + 1'b1;
      for (int unsigned w = 0; w < WORDS - 1; w++) if (32'(coming_q) == w) words_q[w] <= fetch_rsp.data;
    end
    if (rst) begin
      fetch_req_q.valid <= 1'b0;
      fetched_q         <= '0;
      word_q            <= '0;
      coming_q          <= '0;
      room_q            <= AHEAD_W'(AHEAD);
    end
  end

  assign fetch_req = fetch_req_q;

  // ---- Check, and those under way in their order: only whether they were wrong
  logic there, is_wrong, order_ready, first_valid, first_wrong, finish;
  logic [15:0] bytes;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(32 * WORDS), .DEPTH(AHEAD)) u_ahead (
    .clk,
    .rst,
    .in_data  (words),
    .in_valid (pushed),
    .in_ready (),        // there is a place
    .out_data ({desc}),
    .out_valid(there),
    .out_ready(take),
    .occupancy()
  );
  fifo_lut #(.WIDTH(1), .DEPTH(UNDER_WAY)) u_order (
    .clk,
    .rst,
    .in_data  (is_wrong),
    .in_valid (take),
    .in_ready (order_ready),
    .out_data (first_wrong),
    .out_valid(first_valid),
    .out_ready(finish),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign bytes      = desc[WORDS-1][15:0];
  assign is_wrong   = wrong || 32'(bytes) < MIN_BYTES || 32'(bytes) > MAX_BYTES;
  assign desc_valid = there && order_ready && !is_wrong;
  assign take       = there && order_ready && (is_wrong || desc_ready);

  // ---- Finished. Bit 31 is set before the progress goes over its descriptor.
  logic     fails, news_free, marks;
  logic [31:0] shown_q;  // progress that the scratchpad has, or gets
  pad_req_t news_req_q;

  assign news_free  = !news_req_q.valid || news_rsp.ready;
  assign fails      = first_wrong || done_refused;
  assign finish     = first_valid && (first_wrong || done_valid) && (!fails || news_free);
  assign done_ready = finish && !first_wrong;
  assign marks      = finish && fails;

  always_ff @(posedge clk) begin
    if (finish) progress_q <= progress_q + 1'b1;
    if (finish && first_wrong) length_q <= length_q + 1'b1;
    if (done_ready && done_refused) refused_q <= refused_q + 1'b1;
    if (news_free) begin
      news_req_q.valid <= marks || shown_q != progress_q;
      news_req_q.op    <= marks ? PAD_OR : PAD_STORE;
      news_req_q.mask  <= 4'hF;
      news_req_q.address <= marks ? place(progress_q[15:0], '1) : news_q;
      news_req_q.data  <= marks ? 32'h8000_0000 : progress_q;
      if (!marks) shown_q <= progress_q;
    end
    if (rst) begin
      progress_q       <= '0;
      shown_q          <= '0;
      length_q         <= '0;
      refused_q        <= '0;
      news_req_q.valid <= 1'b0;
    end
  end

  assign news_req = news_req_q;

  a_tail : assert property (@(posedge clk) disable iff (rst)
    16'(tail_q - progress_q[15:0]) <= 16'h8000 &&
    16'(fetched_q - progress_q[15:0]) <= 16'(tail_q - progress_q[15:0]));
  a_done : assert property (@(posedge clk) disable iff (rst) done_valid -> first_valid);

endmodule
