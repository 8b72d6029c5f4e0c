// SPDX-License-Identifier: Apache-2.0
//
// From AXI4-Lite, 32 bits, to the peripheral bus. The word keeps its value and each byte its strobe: wdata[31:24] and
// wstrb[3] are write_data[31:24] and byte_mask[3]. A read asks for the whole word. err = 1 becomes SLVERR, and so the
// data of a write's response, which AXI4-Lite has no place for, are lost.
//
// Reads and writes take turns where both wait; AXI4-Lite promises no order between the two. Up to IN_FLIGHT of each are
// under way, and for each of them there is room for the response: a master may leave R untaken for as long as it likes
// and still get its B.
//
// Latency: request two cycles (address and data may come in any order; the later one counts), response one cycle, both
// directions registered. Throughput: one access a cycle.
module axil_to_afb
  import afb_pkg::*;
#(
  parameter int unsigned AXIL_ADDR_W = 12,
  parameter int unsigned IN_FLIGHT   = 4
) (
  input  logic                   clk,
  input  logic                   rst,

  /* verilator lint_off UNUSEDSIGNAL */  // the address inside the word; who may access what is decided elsewhere
  input  logic [AXIL_ADDR_W-1:0] s_axil_awaddr,
  input  logic [2:0]             s_axil_awprot,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                   s_axil_awvalid,
  output logic                   s_axil_awready,
  input  logic [31:0]            s_axil_wdata,
  input  logic [3:0]             s_axil_wstrb,
  input  logic                   s_axil_wvalid,
  output logic                   s_axil_wready,
  output logic [1:0]             s_axil_bresp,
  output logic                   s_axil_bvalid,
  input  logic                   s_axil_bready,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [AXIL_ADDR_W-1:0] s_axil_araddr,
  input  logic [2:0]             s_axil_arprot,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                   s_axil_arvalid,
  output logic                   s_axil_arready,
  output logic [31:0]            s_axil_rdata,
  output logic [1:0]             s_axil_rresp,
  output logic                   s_axil_rvalid,
  input  logic                   s_axil_rready,

  output afb_m2s_t               afb_m2s,
  input  afb_s2m_t               afb_s2m
);

  if (AXIL_ADDR_W < 3 || AXIL_ADDR_W > ADDR_W) begin : g_bad_address
    $error("axil_to_afb: AXIL_ADDR_W must be 3 to 36, an AFB address has no more bits");
  end
  if (IN_FLIGHT < 2 || (IN_FLIGHT & (IN_FLIGHT - 1)) != 0) begin : g_bad_in_flight
    $error("axil_to_afb: IN_FLIGHT must be a power of two of at least 2");
  end

  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);

  // ---- Requests ----------------------------------------------------------------------------------------------------

  logic [AXIL_ADDR_W-1:2] aw_word, ar_word;
  logic [31:0]            w_data;
  logic [3:0]             w_strobe;
  logic                   aw_valid, w_valid, ar_valid, room;
  logic                   can_read, can_write, read, accept, read_last_q;
  logic [COUNT_W-1:0]     reading_q, writing_q;  // requests whose response the master has not taken
  afb_req_t               request;

  skid_buffer #(.WIDTH(AXIL_ADDR_W - 2)) u_aw (
    .clk,
    .rst,
    .in_data  (s_axil_awaddr[AXIL_ADDR_W-1:2]),
    .in_valid (s_axil_awvalid),
    .in_ready (s_axil_awready),
    .out_data (aw_word),
    .out_valid(aw_valid),
    .out_ready(accept && !read)
  );

  skid_buffer #(.WIDTH(36)) u_w (
    .clk,
    .rst,
    .in_data  ({s_axil_wstrb, s_axil_wdata}),
    .in_valid (s_axil_wvalid),
    .in_ready (s_axil_wready),
    .out_data ({w_strobe, w_data}),
    .out_valid(w_valid),
    .out_ready(accept && !read)
  );

  skid_buffer #(.WIDTH(AXIL_ADDR_W - 2)) u_ar (
    .clk,
    .rst,
    .in_data  (s_axil_araddr[AXIL_ADDR_W-1:2]),
    .in_valid (s_axil_arvalid),
    .in_ready (s_axil_arready),
    .out_data (ar_word),
    .out_valid(ar_valid),
    .out_ready(accept && read)
  );

  assign can_read  = ar_valid && !reading_q[COUNT_W-1];              // fewer than IN_FLIGHT
  assign can_write = aw_valid && w_valid && !writing_q[COUNT_W-1];
  assign read      = can_read && !(can_write && read_last_q);
  assign accept    = (can_read || can_write) && room;

  always_comb begin
    request.lock       = 1'b0;
    request.read       = read;
    request.byte_mask  = read ? '1 : w_strobe;
    request.address    = ADDR_W'({read ? ar_word : aw_word, 2'b00});
    request.write_data = w_data;
  end

  skid_buffer #(.WIDTH($bits(afb_req_t))) u_request (
    .clk,
    .rst,
    .in_data  (request),
    .in_valid (can_read || can_write),
    .in_ready (room),
    .out_data (afb_m2s.req),
    .out_valid(afb_m2s.req_valid),
    .out_ready(afb_s2m.req_ready)
  );

  always_ff @(posedge clk) begin
    if (accept) read_last_q <= read;
    reading_q <= reading_q + COUNT_W'(accept && read) - COUNT_W'(s_axil_rvalid && s_axil_rready);
    writing_q <= writing_q + COUNT_W'(accept && !read) - COUNT_W'(s_axil_bvalid && s_axil_bready);
    if (rst) begin
      read_last_q <= 1'b0;
      reading_q   <= '0;
      writing_q   <= '0;
    end
  end

  // ---- Responses ---------------------------------------------------------------------------------------------------

  logic next_read, next_valid, ids_room, r_room, b_room, r_err, b_err;

  /* verilator lint_off PINCONNECTEMPTY */  // reading_q and writing_q count
  fifo_sync #(.WIDTH(1), .DEPTH(2 * IN_FLIGHT)) u_ids (
    .clk,
    .rst,
    .in_data  (read),
    .in_valid (accept),
    .in_ready (ids_room),
    .out_data (next_read),
    .out_valid(next_valid),
    .out_ready(afb_s2m.rsp_valid),
    .occupancy()
  );

  fifo_sync #(.WIDTH($bits(afb_rsp_t)), .DEPTH(IN_FLIGHT)) u_r (
    .clk,
    .rst,
    .in_data  (afb_s2m.rsp),
    .in_valid (afb_s2m.rsp_valid && next_read),
    .in_ready (r_room),
    .out_data ({r_err, s_axil_rdata}),
    .out_valid(s_axil_rvalid),
    .out_ready(s_axil_rready),
    .occupancy()
  );

  fifo_sync #(.WIDTH(1), .DEPTH(IN_FLIGHT)) u_b (
    .clk,
    .rst,
    .in_data  (afb_s2m.rsp.err),
    .in_valid (afb_s2m.rsp_valid && !next_read),
    .in_ready (b_room),
    .out_data (b_err),
    .out_valid(s_axil_bvalid),
    .out_ready(s_axil_bready),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign afb_m2s.rsp_ready = 1'b1;
  assign s_axil_rresp      = {r_err, 1'b0};  // SLVERR or OKAY
  assign s_axil_bresp      = {b_err, 1'b0};

  a_response_expected : assert property (@(posedge clk) disable iff (rst) !afb_s2m.rsp_valid || next_valid);
  a_id_room : assert property (@(posedge clk) disable iff (rst) !accept || ids_room);
  a_response_room : assert property (@(posedge clk) disable iff (rst)
    !afb_s2m.rsp_valid || (next_read ? r_room : b_room));

endmodule
