// SPDX-License-Identifier: Apache-2.0
//
// From the core bus to an AXI4 memory: each ACB access becomes one AXI transfer of one beat of 64 bits (ID 0).
// AXI counts lanes from the other end: the lowest address is wdata[7:0] here and write_data[63:56] there, so that a
// byte has the same address on both buses.
//
//     ACB request --+--> AW          ids: read or write, in the order of the requests
//                   +--> W            |
//                   +--> AR           v
//     ACB response <--------------- next <--+-- FIFO <-- R
//                                           +-- FIFO <-- B
//
// Up to IN_FLIGHT accesses are under way, reads and writes in any mix. AXI orders neither against the other: a read may
// overtake a write to the same address that has not been answered. Whoever needs an order waits for the response, as
// the NIC does. R and B are always taken at once, for a request goes out only when there is room for its response: a
// memory that serves reads and writes by one pipeline is never stuck between the two.
//
// A read is of the whole dword whatever its byte_mask says. SLVERR and DECERR become err = 1. AXI4 has no locked
// accesses: a request must not have `lock` set.
//
// Latency: request one cycle, response one cycle, registered; the response comes out of the registers by one choice.
// Throughput: one access a cycle.
module acb_to_axi
  import acb_pkg::*;
#(
  parameter int unsigned IN_FLIGHT  = 64,
  parameter int unsigned AXI_ADDR_W = 36,
  parameter logic [3:0]  CACHE      = 4'b0010,  // AxCACHE: B means that the data are where everybody sees them
  parameter logic [2:0]  PROT       = 3'b000
) (
  input  logic                  clk,
  input  logic                  rst,

  /* verilator lint_off UNUSEDSIGNAL */  // the lock bit, and the address inside the dword
  input  acb_m2s_t              acb_m2s,
  /* verilator lint_on UNUSEDSIGNAL */
  output acb_s2m_t              acb_s2m,

  output logic [0:0]            m_axi_awid,
  output logic [AXI_ADDR_W-1:0] m_axi_awaddr,
  output logic [7:0]            m_axi_awlen,
  output logic [2:0]            m_axi_awsize,
  output logic [1:0]            m_axi_awburst,
  output logic                  m_axi_awlock,
  output logic [3:0]            m_axi_awcache,
  output logic [2:0]            m_axi_awprot,
  output logic                  m_axi_awvalid,
  input  logic                  m_axi_awready,
  output logic [63:0]           m_axi_wdata,
  output logic [7:0]            m_axi_wstrb,
  output logic                  m_axi_wlast,
  output logic                  m_axi_wvalid,
  input  logic                  m_axi_wready,
  /* verilator lint_off UNUSEDSIGNAL */  // one ID, one beat; OKAY or EXOKAY
  input  logic [0:0]            m_axi_bid,
  input  logic [1:0]            m_axi_bresp,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                  m_axi_bvalid,
  output logic                  m_axi_bready,
  output logic [0:0]            m_axi_arid,
  output logic [AXI_ADDR_W-1:0] m_axi_araddr,
  output logic [7:0]            m_axi_arlen,
  output logic [2:0]            m_axi_arsize,
  output logic [1:0]            m_axi_arburst,
  output logic                  m_axi_arlock,
  output logic [3:0]            m_axi_arcache,
  output logic [2:0]            m_axi_arprot,
  output logic                  m_axi_arvalid,
  input  logic                  m_axi_arready,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [0:0]            m_axi_rid,
  input  logic [63:0]           m_axi_rdata,
  input  logic [1:0]            m_axi_rresp,
  input  logic                  m_axi_rlast,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                  m_axi_rvalid,
  output logic                  m_axi_rready
);

  if (AXI_ADDR_W < ADDR_W) begin : g_bad_address
    $error("acb_to_axi: AXI_ADDR_W must be at least 36, the width of an ACB address");
  end

  localparam logic [1:0] INCR  = 2'b01;
  localparam logic [2:0] DWORD = 3'd3;

  // ---- Requests ----------------------------------------------------------------------------------------------------
  // Ready whatever the request is: whether it is a read need not be looked at for that.

  logic [ADDR_W-1:3] aw_dword, ar_dword;
  logic [63:0]       write_data;
  logic [7:0]        write_strobe;
  logic              accept, aw_ready, w_ready, ar_ready, ids_ready;

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      write_data[8*i +: 8] = acb_m2s.req.write_data[8*(7-i) +: 8];
      write_strobe[i]      = acb_m2s.req.byte_mask[7-i];
    end
  end

  assign acb_s2m.req_ready = aw_ready && w_ready && ar_ready && ids_ready;
  assign accept            = acb_m2s.req_valid && acb_s2m.req_ready;

  skid_buffer #(.WIDTH(ADDR_W - 3)) u_aw (
    .clk,
    .rst,
    .in_data  (acb_m2s.req.address[ADDR_W-1:3]),
    .in_valid (accept && !acb_m2s.req.read),
    .in_ready (aw_ready),
    .out_data (aw_dword),
    .out_valid(m_axi_awvalid),
    .out_ready(m_axi_awready)
  );

  skid_buffer #(.WIDTH(72)) u_w (
    .clk,
    .rst,
    .in_data  ({write_strobe, write_data}),
    .in_valid (accept && !acb_m2s.req.read),
    .in_ready (w_ready),
    .out_data ({m_axi_wstrb, m_axi_wdata}),
    .out_valid(m_axi_wvalid),
    .out_ready(m_axi_wready)
  );

  skid_buffer #(.WIDTH(ADDR_W - 3)) u_ar (
    .clk,
    .rst,
    .in_data  (acb_m2s.req.address[ADDR_W-1:3]),
    .in_valid (accept && acb_m2s.req.read),
    .in_ready (ar_ready),
    .out_data (ar_dword),
    .out_valid(m_axi_arvalid),
    .out_ready(m_axi_arready)
  );

  assign m_axi_awid    = '0;
  assign m_axi_awaddr  = AXI_ADDR_W'({aw_dword, 3'b0});
  assign m_axi_awlen   = '0;
  assign m_axi_awsize  = DWORD;
  assign m_axi_awburst = INCR;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = CACHE;
  assign m_axi_awprot  = PROT;
  assign m_axi_wlast   = 1'b1;
  assign m_axi_arid    = '0;
  assign m_axi_araddr  = AXI_ADDR_W'({ar_dword, 3'b0});
  assign m_axi_arlen   = '0;
  assign m_axi_arsize  = DWORD;
  assign m_axi_arburst = INCR;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = CACHE;
  assign m_axi_arprot  = PROT;

  // ---- Responses: which kind is next -------------------------------------------------------------------------------

  acb_rsp_t r_in, r_out;
  logic     next_read, next_valid, take, r_room, r_valid, b_room, b_valid, b_err;

  always_comb begin
    r_in.err = m_axi_rresp[1];
    for (int i = 0; i < 8; i++) r_in.data[8*i +: 8] = m_axi_rdata[8*(7-i) +: 8];
  end

  /* verilator lint_off PINCONNECTEMPTY */  // nobody asks how many are under way
  fifo_sync #(.WIDTH(1), .DEPTH(IN_FLIGHT)) u_ids (
    .clk,
    .rst,
    .in_data  (acb_m2s.req.read),
    .in_valid (accept),
    .in_ready (ids_ready),
    .out_data (next_read),
    .out_valid(next_valid),
    .out_ready(take),
    .occupancy()
  );

  fifo_sync #(.WIDTH($bits(acb_rsp_t)), .DEPTH(IN_FLIGHT)) u_r (
    .clk,
    .rst,
    .in_data  (r_in),
    .in_valid (m_axi_rvalid),
    .in_ready (r_room),
    .out_data ({r_out}),
    .out_valid(r_valid),
    .out_ready(take && next_read),
    .occupancy()
  );

  fifo_sync #(.WIDTH(1), .DEPTH(IN_FLIGHT)) u_b (
    .clk,
    .rst,
    .in_data  (m_axi_bresp[1]),
    .in_valid (m_axi_bvalid),
    .in_ready (b_room),
    .out_data (b_err),
    .out_valid(b_valid),
    .out_ready(take && !next_read),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign m_axi_rready = 1'b1;
  assign m_axi_bready = 1'b1;

  assign acb_s2m.rsp_valid = next_valid && (next_read ? r_valid : b_valid);
  assign acb_s2m.rsp       = next_read ? r_out : '{err: b_err, data: '0};
  assign take              = acb_s2m.rsp_valid && acb_m2s.rsp_ready;

  a_no_lock : assert property (@(posedge clk) disable iff (rst) !accept || !acb_m2s.req.lock);
  a_read_has_room : assert property (@(posedge clk) disable iff (rst) !m_axi_rvalid || r_room);
  a_write_has_room : assert property (@(posedge clk) disable iff (rst) !m_axi_bvalid || b_room);

endmodule
