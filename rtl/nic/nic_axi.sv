// SPDX-License-Identifier: Apache-2.0
//
// The NIC for a SoC that speaks AXI: plain ports, bytes in AXI's lane order, one clock. docs/integration.md shows it in
// a design and says which registers to write.
//
//     s_axil  registers --> axil_to_afb --> AFB +-----+ ACB --> acb_to_axi --> m_axi  memory, 64 bits
//                                               | nic |
//     s_axis_rx  from the MAC ----------------> |     | ----------------> m_axis_tx  to the MAC
//                                               +-----+
//
// Registers: ID i at byte address 4*i of 1 KB; higher address bits are the interconnect's business. SLVERR: a register
// that does not exist, a write to a read-only one or of a part of the word, a value that it cannot take. AXI4-Lite
// cannot say whether a push was taken: look at the queue's bit in push_failed, or at its occupancy before.
//
// Frames: the first byte on the wire is tdata[7:0]. Only the last beat may be partial, its bytes kept from tkeep[0] up,
// one at least; no FCS. tuser: see the ports.
//
// Memory: aligned single beats, several in flight (acb_to_axi). SLVERR or DECERR drops the frame, and counts it.
//
// Latency: that of nic, and besides it: a register access three cycles, a memory access two; the streams are wires to
// nic, which registers them. Throughput: one dword a cycle; line rate both ways at once for every frame length with a
// memory that answers within 60 cycles (60 bytes: a frame every 71 cycles then, of 84 at line rate).
module nic_axi #(
  parameter int unsigned SERVERS    = 4,        // these six as nic
  parameter int unsigned DEPTH      = 64,
  parameter bit          SELFTEST   = 1'b1,
  parameter bit          PTP        = 1'b1,
  parameter bit          STATISTICS = 1'b1,
  parameter bit          OFFLOADS   = 1'b0,
  parameter int unsigned AXI_ADDR_W = 36,
  parameter logic [3:0]  AXI_CACHE  = 4'b0010,  // as acb_to_axi
  parameter logic [2:0]  AXI_PROT   = 3'b000
) (
  input  logic                  nic_clk,
  input  logic                  nic_rst,  // synchronous, active high

  // Registers, AXI4-Lite
  input  logic [9:0]            s_axil_awaddr,
  input  logic [2:0]            s_axil_awprot,
  input  logic                  s_axil_awvalid,
  output logic                  s_axil_awready,
  input  logic [31:0]           s_axil_wdata,
  input  logic [3:0]            s_axil_wstrb,
  input  logic                  s_axil_wvalid,
  output logic                  s_axil_wready,
  output logic [1:0]            s_axil_bresp,
  output logic                  s_axil_bvalid,
  input  logic                  s_axil_bready,
  input  logic [9:0]            s_axil_araddr,
  input  logic [2:0]            s_axil_arprot,
  input  logic                  s_axil_arvalid,
  output logic                  s_axil_arready,
  output logic [31:0]           s_axil_rdata,
  output logic [1:0]            s_axil_rresp,
  output logic                  s_axil_rvalid,
  input  logic                  s_axil_rready,
  output logic                  irq,      // level

  // Memory, AXI4
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
  input  logic [0:0]            m_axi_bid,
  input  logic [1:0]            m_axi_bresp,
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
  input  logic [0:0]            m_axi_rid,
  input  logic [63:0]           m_axi_rdata,
  input  logic [1:0]            m_axi_rresp,
  input  logic                  m_axi_rlast,
  input  logic                  m_axi_rvalid,
  output logic                  m_axi_rready,

  // Received frames, AXI4-Stream
  input  logic [63:0]           s_axis_rx_tdata,
  input  logic [7:0]            s_axis_rx_tkeep,
  input  logic                  s_axis_rx_tlast,
  input  logic [32:0]           s_axis_rx_tuser,   // [0] with the last beat: discard; [32:1] time_now at SFD, stable
  input  logic                  s_axis_rx_tvalid,
  output logic                  s_axis_rx_tready,

  // Frames to send, AXI4-Stream
  output logic [63:0]           m_axis_tx_tdata,
  output logic [7:0]            m_axis_tx_tkeep,
  output logic                  m_axis_tx_tlast,
  output logic [1:0]            m_axis_tx_tuser,   // [0] with the last beat: discard; [1] a stamp is wanted, stable
  output logic                  m_axis_tx_tvalid,
  input  logic                  m_axis_tx_tready,

  // Time: the MAC stamps with this counter (+1 each nic_clk)
  output logic [31:0]           time_now,
  input  logic [31:0]           tx_stamp,          // time_now at the SFD, in the order of the frames that want it
  input  logic                  tx_stamp_valid,    // pulse

  // What the registers say to the MAC; a MAC that has no such feature leaves it open
  output logic                  mac_enable,
  output logic                  mac_loopback,
  output logic                  mac_restart,         // level: the NIC is reset by software, the MAC is to be reset, too
  output logic [47:0]           mac_address,
  output logic [63:0]           mac_multicast_hash,
  output logic                  mac_rx_store,
  output logic                  mac_broadcast,
  output logic                  mac_promiscuous,
  output logic                  mac_tx_pause,
  output logic                  mac_rx_pause,
  output logic                  mac_mii,
  output logic [10:0]           mac_max_frame,       // bytes with FCS of the longest frame received

  // What the MAC counts, one pulse each; what it does not count is 0. For a MAC of another make: bit i is the i-th of
  // the ends listed in mac_fates_pkg.
  input  mac_pkg::mac_stat_t    mac_stat
);

  // ---- Registers ---------------------------------------------------------------------------------------------------

  afb_pkg::afb_m2s_t afb_m2s;
  afb_pkg::afb_s2m_t afb_s2m;

  axil_to_afb #(.AXIL_ADDR_W(10)) u_registers (
    .clk(nic_clk),
    .rst(nic_rst),
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .afb_m2s,
    .afb_s2m
  );

  // ---- Memory ------------------------------------------------------------------------------------------------------

  acb_pkg::acb_m2s_t acb_m2s;
  acb_pkg::acb_s2m_t acb_s2m;

  acb_to_axi #(
    .AXI_ADDR_W(AXI_ADDR_W),
    .CACHE     (AXI_CACHE),
    .PROT      (AXI_PROT)
  ) u_memory (
    .clk(nic_clk),
    .rst(nic_rst),
    .acb_m2s,
    .acb_s2m,
    .m_axi_awid,
    .m_axi_awaddr,
    .m_axi_awlen,
    .m_axi_awsize,
    .m_axi_awburst,
    .m_axi_awlock,
    .m_axi_awcache,
    .m_axi_awprot,
    .m_axi_awvalid,
    .m_axi_awready,
    .m_axi_wdata,
    .m_axi_wstrb,
    .m_axi_wlast,
    .m_axi_wvalid,
    .m_axi_wready,
    .m_axi_bid,
    .m_axi_bresp,
    .m_axi_bvalid,
    .m_axi_bready,
    .m_axi_arid,
    .m_axi_araddr,
    .m_axi_arlen,
    .m_axi_arsize,
    .m_axi_arburst,
    .m_axi_arlock,
    .m_axi_arcache,
    .m_axi_arprot,
    .m_axi_arvalid,
    .m_axi_arready,
    .m_axi_rid,
    .m_axi_rdata,
    .m_axi_rresp,
    .m_axi_rlast,
    .m_axi_rvalid,
    .m_axi_rready
  );

  // ---- Frames: lanes and keep bits the other way round -------------------------------------------------------------

  frame_pkg::rx_frame_t rx_frame;
  frame_pkg::tx_frame_t tx_frame;

  always_comb begin
    rx_frame.user       = '{bad: s_axis_rx_tuser[0], stamp: s_axis_rx_tuser[32:1]};
    rx_frame.valid      = s_axis_rx_tvalid;
    rx_frame.beat.tlast = s_axis_rx_tlast;
    for (int i = 0; i < 8; i++) begin
      rx_frame.beat.tdata[8*i +: 8] = s_axis_rx_tdata[8*(7-i) +: 8];
      rx_frame.beat.tkeep[i]        = s_axis_rx_tkeep[7-i];
      m_axis_tx_tdata[8*i +: 8]     = tx_frame.beat.tdata[8*(7-i) +: 8];
      m_axis_tx_tkeep[i]            = tx_frame.beat.tkeep[7-i];
    end
  end

  assign m_axis_tx_tlast  = tx_frame.beat.tlast;
  assign m_axis_tx_tuser  = {tx_frame.user.stamp_wanted, tx_frame.user.bad};
  assign m_axis_tx_tvalid = tx_frame.valid;

  // ---- The NIC -----------------------------------------------------------------------------------------------------

  mac_pkg::mac_settings_t settings;

  assign mac_address        = settings.mac_address;
  assign mac_multicast_hash = settings.multicast_hash;
  assign mac_rx_store       = settings.rx_store;
  assign mac_broadcast      = settings.broadcast;
  assign mac_promiscuous    = settings.promiscuous;
  assign mac_tx_pause       = settings.tx_pause;
  assign mac_rx_pause       = settings.rx_pause;
  assign mac_mii            = settings.mii;
  assign mac_max_frame      = settings.max_frame;

  nic #(.SERVERS(SERVERS), .DEPTH(DEPTH), .SELFTEST(SELFTEST), .PTP(PTP), .STATISTICS(STATISTICS),
        .OFFLOADS(OFFLOADS)) u_nic (
    .nic_clk,
    .nic_rst,
    .afb_m2s,
    .afb_s2m,
    .acb_m2s,
    .acb_s2m,
    .rx_frame,
    .rx_frame_ready(s_axis_rx_tready),
    .tx_frame,
    .tx_frame_ready(m_axis_tx_tready),
    .line_tick     (1'b0),
    .memory_tick   (1'b0),
    .tx_stamp,
    .tx_stamp_valid,
    .stat          (mac_stat),
    .mac_enable,
    .mac_loopback,
    .mac_settings  (settings),
    .time_now,
    .mac_restart,
    .irq,
    /* verilator lint_off PINCONNECTEMPTY */
    .taps          ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

endmodule
