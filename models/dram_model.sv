// SPDX-License-Identifier: Apache-2.0
//
// External DRAM with its controller, as an ACB slave. Simulation only. The defaults are near a 64-bit DDR3-1600 module
// behind an FPGA's controller, seen from an 80 MHz bus: 150 ns for an access to an open row, 225 ns with precharge and
// activate, a refresh of 160 ns every 7.8 us.
//
// What is modelled:
// - BANKS banks, a row of ROW_BYTES open in each; address bits are row : bank : byte in row.
// - An access to the open row is answered HIT_CYCLES after its request, one such access a cycle.
// - An access to another row is answered MISS_CYCLES after its request and takes its bank for the MISS_CYCLES -
//   HIT_CYCLES that opening the row needs; other banks work meanwhile.
// - Every REFRESH_EVERY cycles (0: never) all rows close and all banks are busy for REFRESH_CYCLES.
// - Responses in order, at most one a cycle; QUEUE requests under way. A write is answered as a read is.
// What is not: reordering, four-activate windows, bus turn-around. "n cycles after" is from the edge that transfers the
// request to the edge that can transfer the response. The contents change in the order of the requests.
//
// The contents are in C++, see dram_store.h.
module dram_model
  import acb_pkg::*;
#(
  parameter longint unsigned BYTES          = 268435456,
  parameter int unsigned     BANKS          = 8,
  parameter int unsigned     ROW_BYTES      = 8192,
  parameter longint unsigned HIT_CYCLES     = 12,
  parameter longint unsigned MISS_CYCLES    = 18,
  parameter longint unsigned REFRESH_EVERY  = 624,
  parameter longint unsigned REFRESH_CYCLES = 13,
  parameter int unsigned     QUEUE          = 32
) (
  input  logic     clk,
  input  logic     rst,
  input  acb_req_t acb_req,
  input  logic     acb_req_valid,
  output logic     acb_req_ready,
  output acb_rsp_t acb_rsp,
  output logic     acb_rsp_valid,
  input  logic     acb_rsp_ready
);

  if (HIT_CYCLES < 1 || MISS_CYCLES < HIT_CYCLES) begin : g_bad_latency
    $error("dram_model: needs 1 <= HIT_CYCLES <= MISS_CYCLES");
  end
  if ((BYTES & (BYTES - 1)) != 0 || BYTES <= longint'(BANKS * ROW_BYTES)) begin : g_bad_bytes
    $error("dram_model: BYTES must be a power of two with room for two rows in each bank");
  end
  if (BANKS < 2 || (BANKS & (BANKS - 1)) != 0 || ROW_BYTES < 8 || (ROW_BYTES & (ROW_BYTES - 1)) != 0
      || QUEUE < 2 || (QUEUE & (QUEUE - 1)) != 0) begin : g_bad_shape
    $error("dram_model: BANKS, ROW_BYTES and QUEUE must be powers of two, at least 2, 8 and 2");
  end

  import "DPI-C" function chandle nsoc_dram_new(input longint unsigned bytes);
  import "DPI-C" function void nsoc_dram_delete(input chandle dram, input longint unsigned bytes);
  import "DPI-C" function longint unsigned nsoc_dram_read(input chandle dram, input longint unsigned offset);
  import "DPI-C" function void nsoc_dram_write(
    input chandle dram, input longint unsigned offset, input longint unsigned data, input byte unsigned mask
  );

  chandle store;
  initial store = nsoc_dram_new(BYTES);
  final nsoc_dram_delete(store, BYTES);

  localparam int unsigned ROW_W    = $clog2(ROW_BYTES);
  localparam int unsigned BANK_W   = $clog2(BANKS);
  localparam int unsigned OFFSET_W = $clog2(BYTES);

  typedef longint unsigned cycle_t;
  typedef logic [OFFSET_W-ROW_W-BANK_W-1:0] row_t;

  cycle_t           now_q;              // counts clock edges
  cycle_t           refresh_in_q;       // cycles to the next refresh
  cycle_t           due_q;              // when the newest response is due
  cycle_t           free_at_q [BANKS];  // when a bank can begin its next access
  row_t             row_q     [BANKS];
  logic [BANKS-1:0] open_q;             // row_q is open

  typedef struct packed {
    cycle_t   due;
    acb_rsp_t rsp;
  } pending_t;

  localparam int unsigned PTR_W = $clog2(QUEUE);

  pending_t           queue_q [QUEUE];
  logic [PTR_W-1:0]   head_q, tail_q;
  logic [PTR_W:0]     count_q;
  logic               accept, answer, refresh;

  assign acb_req_ready = count_q != (PTR_W + 1)'(QUEUE);
  assign acb_rsp_valid = count_q != '0 && queue_q[head_q].due <= now_q;
  assign acb_rsp       = queue_q[head_q].rsp;
  assign accept        = acb_req_valid && acb_req_ready;
  assign answer        = acb_rsp_valid && acb_rsp_ready;
  assign refresh       = REFRESH_EVERY != 0 && refresh_in_q == 0;

  function automatic cycle_t later(input cycle_t a, input cycle_t b);
    return a > b ? a : b;
  endfunction

  always_ff @(posedge clk) begin
    automatic logic [OFFSET_W-1:0] offset;
    automatic logic [BANK_W-1:0]   bank;
    automatic row_t                row;
    automatic cycle_t              begins, due;
    automatic logic                hit;
    automatic acb_rsp_t            rsp;

    now_q        <= now_q + 1;
    refresh_in_q <= refresh ? REFRESH_EVERY - 1 : refresh_in_q - 1;
    if (refresh) begin
      for (int b = 0; b < int'(BANKS); b++) free_at_q[b] <= later(free_at_q[b], now_q) + REFRESH_CYCLES;
      open_q <= '0;
    end

    if (accept) begin
      offset = {acb_req.address[OFFSET_W-1:3], 3'b000};
      bank   = offset[ROW_W +: BANK_W];
      row    = offset[OFFSET_W-1:ROW_W+BANK_W];
      hit    = open_q[bank] && row_q[bank] == row && !refresh;
      begins = later(now_q, free_at_q[bank]) + (refresh ? REFRESH_CYCLES : 0);
      due    = later(begins + (hit ? HIT_CYCLES : MISS_CYCLES), due_q + 1);

      free_at_q[bank] <= begins + 1 + (hit ? 0 : MISS_CYCLES - HIT_CYCLES);
      row_q[bank]     <= row;
      open_q[bank]    <= 1'b1;
      due_q           <= due;

      rsp = '0;
      if (acb_req.read) rsp.data = nsoc_dram_read(store, 64'(offset));
      else nsoc_dram_write(store, 64'(offset), acb_req.write_data, acb_req.byte_mask);
      queue_q[tail_q] <= '{due: due, rsp: rsp};
      tail_q          <= tail_q + 1'b1;
    end
    if (answer) head_q <= head_q + 1'b1;
    count_q <= count_q + (PTR_W + 1)'(accept) - (PTR_W + 1)'(answer);

    if (rst) begin
      now_q        <= '0;
      refresh_in_q <= REFRESH_EVERY;
      due_q        <= '0;
      open_q       <= '0;
      head_q       <= '0;
      tail_q       <= '0;
      count_q      <= '0;
      for (int b = 0; b < int'(BANKS); b++) free_at_q[b] <= '0;
    end
  end

  // A lock is kept by the arbiter in front, the address is checked by dram_port.
  logic unused;
  assign unused = &{acb_req.lock, acb_req.address};

endmodule
