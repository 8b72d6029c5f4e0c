// SPDX-License-Identifier: Apache-2.0
//
// Instruction cache controller: direct mapped or of two WAYS (of these the one that was not used last is filled),
// 32-byte lines, filled from the bus by four 64-bit reads.
//
// `read` takes an address; the instruction comes with `valid` in the next cycle on a hit, after a fill on a miss
// (bus latency + 7 cycles), and stays until the next `read`. A `read` during a fill changes what is asked for: the fill
// ends first. An address outside executable memory, or a bus error in the line, is answered with `fault` (an erroneous
// line is never kept).
module icache
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
#(
  parameter int unsigned BYTES = 8192,  // of all ways
  parameter int unsigned WAYS  = 1,
  parameter bit          LITTLE_ENDIAN = 1'b1  // 0: an instruction's first byte is its most significant one
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        read,
  input  logic        redirect,    // this read gives up what was asked for before
  input  logic [31:2] read_address,
  output logic        valid,
  output logic [31:0] instr,
  output logic        fault,
  input  logic        invalidate,  // drops everything; a `read` after it sees memory as it is then
  // Bus: 64-bit reads, answered in order
  output logic        bus_valid,
  input  logic        bus_ready,
  output logic [31:3] bus_address,
  input  logic        rsp_valid,
  input  logic        rsp_err,
  input  logic [63:0] rsp_data
);

  logic [31:2] address_q;      // what is asked for
  logic        asked_q;        // it has been, since reset
  logic        fresh_q;        // the memories' output belongs to it
  logic        fault_q;        // its line could not be filled
  logic        filling_q, fill_wanted_q, fill_err_q;
  logic [31:5] fill_line_q;
  logic [2:0]  fill_sent_q;    // 4: all
  logic [1:0]  fill_received_q;
  logic        invalidate_q;   // waits for the fill to end

  logic        array_busy, array_read, hit, idle, miss, last, drop_all;
  logic        fill_way_q, victim;
  logic [31:0] array_address;
  logic [63:0] line_data;
  logic [31:0] word;

  logic [WAYS-1:0]       way_busy, way_hit;
  logic [WAYS-1:0][63:0] way_data;

  if (WAYS < 1 || WAYS > 2) begin : g_bad_ways
    $error("icache: WAYS must be 1 or 2");
  end

  assign idle = !filling_q && !invalidate_q && !array_busy;

  // Without a new address, an idle controller reads again what is asked for: after a fill, after an invalidation. Until
  // then there is no answer, so that only a redirection can bring a new one. (`read` would say the same, later.)
  assign array_read    = idle && (read || !fresh_q);
  assign array_address = {(redirect || fresh_q || fault_q) ? read_address : address_q, 2'b00};
  assign last          = filling_q && rsp_valid && fill_received_q == 2'd3;
  assign drop_all      = invalidate_q && !filling_q;

  for (genvar w = 0; w < WAYS; w++) begin : g_way
    logic mine;
    assign mine = WAYS == 1 || 32'(fill_way_q) == w;

    cache_array #(.BYTES(BYTES / WAYS)) u_array (
      .cpu_clk,
      .cpu_rst,
      .drop_all,
      .busy         (way_busy[w]),
      .read         (array_read),
      .read_address (array_address),
      .address      ({address_q, 2'b00}),
      .hit          (way_hit[w]),
      .read_data    (way_data[w]),
      .write_address({fill_line_q, fill_received_q, 3'b000}),
      .write_mask   ({8{filling_q && rsp_valid && mine}}),
      .write_data   (rsp_data),
      .read_spare   ('0),
      .write_spare  ('0),
      .line_write   (1'b0),
      .line_mask    ('0),
      .line_data    ('0),
      .tag_write    (last && mine),
      .tag_valid    (!fill_err_q && !rsp_err),
      .clear        (1'b0),
      .clear_address('0),
      .snoop_address('0),
      /* verilator lint_off PINCONNECTEMPTY */  // without LINE and SNOOP
      .read_line    (),
      .snoop_hit    ()
      /* verilator lint_on PINCONNECTEMPTY */
    );
  end

  assign array_busy = |way_busy;
  assign hit        = |way_hit;

  if (WAYS == 2) begin : g_two
    localparam int unsigned SETS  = BYTES / 64;
    localparam int unsigned SET_W = $clog2(SETS);
    logic second [SETS];  // was used last; of a set that never was, either will do

    assign line_data = way_hit[1] ? way_data[1] : way_data[0];
    assign victim    = !second[address_q[SET_W+4:5]];

    always_ff @(posedge cpu_clk) if (fresh_q && hit) second[address_q[SET_W+4:5]] <= way_hit[1];
  end else begin : g_one
    assign line_data = way_data[0];
    assign victim    = 1'b0;
  end

  assign word  = address_q[2] ? line_data[31:0] : line_data[63:32];
  assign instr = LITTLE_ENDIAN ? swap_bytes(word) : word;
  assign fault = fault_q;
  assign valid = asked_q && ((fresh_q && hit) || fault_q);
  assign miss  = asked_q && fresh_q && !hit && !fault_q;

  assign bus_valid   = filling_q && !fill_sent_q[2];
  assign bus_address = {fill_line_q, fill_sent_q[1:0]};

  always_ff @(posedge cpu_clk) begin
    if (read) begin
      asked_q   <= 1'b1;
      address_q <= read_address;
      fault_q   <= !is_executable(read_address[31:29]);
    end

    if (array_read) fresh_q <= 1'b1;
    else if (read) fresh_q <= 1'b0;

    if (invalidate) invalidate_q <= 1'b1;
    else if (!filling_q) invalidate_q <= 1'b0;

    // (Without an answer there is no read but a redirection: `read` would be right here, too, but comes late.)
    if (miss && !redirect && idle) begin
      filling_q       <= 1'b1;
      fill_wanted_q   <= 1'b1;
      fill_err_q      <= 1'b0;
      fill_line_q     <= address_q[31:5];
      fill_way_q      <= victim;
      fill_sent_q     <= '0;
      fill_received_q <= '0;
      fresh_q         <= 1'b0;
    end
    if (read) fill_wanted_q <= 1'b0;
    if (bus_valid && bus_ready) fill_sent_q <= fill_sent_q + 3'd1;
    if (filling_q && rsp_valid) begin
      fill_received_q <= fill_received_q + 2'd1;
      fill_err_q      <= fill_err_q || rsp_err;
    end
    if (last) begin
      filling_q <= 1'b0;
      if (fill_wanted_q && !read) fault_q <= fill_err_q || rsp_err;
    end

    if (cpu_rst) begin
      asked_q      <= 1'b0;
      fresh_q      <= 1'b0;
      fault_q      <= 1'b0;
      filling_q    <= 1'b0;
      invalidate_q <= 1'b0;
    end
  end

  a_response_expected : assert property (@(posedge cpu_clk) disable iff (cpu_rst) rsp_valid -> filling_q);

endmodule
