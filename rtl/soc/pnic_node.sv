// SPDX-License-Identifier: Apache-2.0
//
// The programmable NIC: small cores around a banked scratchpad (pnic_cluster), the frame memory, four assists between
// it and the host and the MAC. The processor's frames never pass the cores; what they do is to command the assists.
//
//           host_read, host_answer --> pnic_dma_read ---+           +--> pnic_mac_send -----> mac_xgmii --> line
//                                                       |  frame    |
//           host_write <-------------- pnic_dma_write <-+- memory <-+--- pnic_mac_receive <-- mac_xgmii <-- line
//                                          |                 |                  |
//   access, answer, irq <--> pnic_host_port +--- scratchpad: pnic_cluster ------+
//
// Four clocks: core_clk (cores, scratchpad), fm_clk (frame memory), host_clk, and mac_clk (line and MAC; what the line
// brings in line_rx_clk). `rst` is asynchronous, for all; it must be there until all clocks have run for four cycles.
// Nothing goes to the host behind it.
//
// Register blocks of the cores (pnic_far): 0 pnic_system, 1 DMA read, 2 DMA write, 3 MAC send, 4 MAC receive,
// 5 pnic_mac_regs.
// Clients of the frame memory and bits of `moved`: DMA read, DMA write, MAC send, MAC receive, the cores.
module pnic_node
  import pnic_pkg::*;
#(
  parameter int unsigned CORES        = 6,
  parameter int unsigned BANKS        = 4,
  parameter int unsigned ICACHE_BYTES = 8192,
  parameter int unsigned FRAME_BYTES  = 262144,  // of the frame memory on the chip
  parameter int unsigned FRAME_LATENCY = 3,
  parameter bit          EXTERNAL     = 1'b0,    // the frame memory is outside, at `mem_req`
  parameter int unsigned MAX_FRAME    = 9600,    // with FCS
  parameter bit          COUNTERS     = 1'b0,
  parameter bit          RETIRE       = 1'b0
) (
  input  logic         rst,
  input  logic         core_clk,
  input  logic         fm_clk,
  input  logic         host_clk,
  input  logic         mac_clk,
  input  logic         line_rx_clk,

  // Line
  input  logic [63:0]  xgmii_rxd,
  input  logic [7:0]   xgmii_rxc,
  output logic [63:0]  xgmii_txd,
  output logic [7:0]   xgmii_txc,

  // Host
  input  host_access_t access,
  output logic         access_ready,
  output logic         answer_valid,
  output logic [31:0]  answer,
  output host_read_t   host_read,
  input  logic         host_read_ready,
  input  host_answer_t host_answer,
  output host_write_t  host_write,
  input  logic         host_write_ready,
  output logic         irq,              // level, in host_clk

  // Frame memory outside
  output fm_req_t      mem_req,
  input  fm_rsp_t      mem_rsp,

  // What there is to see: in core_clk messages of firmware, words of the scratchpad that move by master (cores, then
  // the four assists and the host), rows of instructions; in fm_clk beats of the frame memory by client; in mac_clk the
  // MAC's counters
  output logic         message_valid,
  output logic [2:0]   message_core,
  output logic [31:0]  message,
  output logic [CORES+4:0] granted,
  output logic         imem_used,
  output logic [4:0]   moved,
  output mac_pkg::mac_stat_t mac_stat,
  output cpu_slot_pkg::cpu_retire_t [CORES-1:0] retire
);

  localparam int unsigned ASSISTS = 4;
  localparam int unsigned BLOCKS = ASSISTS + 2;  // of registers
  localparam int unsigned READ = 0, WRITE = 1, SEND = 2, RECEIVE = 3, OTHER = 4;  // masters, clients; blocks less one

  logic core_rst, fm_rst, host_rst, mac_rst, line_rx_rst;

  reset_sync u_core_rst (.clk(core_clk), .arst(rst), .rst(core_rst));
  reset_sync u_fm_rst (.clk(fm_clk), .arst(rst), .rst(fm_rst));
  reset_sync u_host_rst (.clk(host_clk), .arst(rst), .rst(host_rst));
  reset_sync u_mac_rst (.clk(mac_clk), .arst(rst), .rst(mac_rst));
  reset_sync u_line_rx_rst (.clk(line_rx_clk), .arst(rst), .rst(line_rx_rst));

  // ---- Cores
  logic                    run, halted, imem_write, core_irq, seen;
  logic [16:2]             imem_address;
  logic [31:0]             imem_data;
  pad_req_t [ASSISTS:0]    pad_req;
  pad_rsp_t [ASSISTS:0]    pad_rsp;
  assist_reg_t [BLOCKS-1:0] regs;
  logic [BLOCKS-1:0][31:0] regs_data;
  logic [2:0]              regs_core;
  far_req_t                frames;
  far_rsp_t                frames_rsp;

  pnic_cluster #(
    .CORES       (CORES),
    .BANKS       (BANKS),
    .OTHERS      (ASSISTS + 1),
    .BLOCKS      (BLOCKS),
    .ICACHE_BYTES(ICACHE_BYTES),
    .COUNTERS    (COUNTERS),
    .RETIRE      (RETIRE)
  ) u_cluster (
    .clk       (core_clk),
    .rst       (core_rst),
    .run,
    .halted,
    .imem_write,
    .imem_address,
    .imem_data,
    .others_req(pad_req),
    .others_rsp(pad_rsp),
    .regs,
    .regs_data,
    .regs_core,
    .frames,
    .frames_rsp,
    .granted,
    .imem_used,
    .retire
  );

  pnic_system u_system (
    .clk(core_clk), .rst(core_rst), .regs(regs[0]), .regs_core, .regs_data(regs_data[0]),
    .message_valid, .message_core, .message, .irq(core_irq), .seen
  );

  pnic_host_port u_host_port (
    .host_clk, .host_rst, .access, .access_ready, .answer_valid, .answer, .clk(core_clk), .rst(core_rst),
    .pad_req(pad_req[OTHER]), .pad_rsp(pad_rsp[OTHER]), .imem_write, .imem_address, .imem_data, .run,
    .irq(core_irq), .seen
  );

  sync_bits #(.WIDTH(1)) u_irq (.clk(host_clk), .rst(host_rst), .d(core_irq), .q(irq));

  // ---- Frame memory
  fm_req_t [ASSISTS:0] fm_req;
  fm_rsp_t [ASSISTS:0] fm_rsp;

  pnic_frame_memory #(
    .CLIENTS(ASSISTS + 1), .BYTES(FRAME_BYTES), .LATENCY(FRAME_LATENCY), .EXTERNAL(EXTERNAL)
  ) u_frame_memory (
    .clk(fm_clk), .rst(fm_rst), .req(fm_req), .rsp(fm_rsp), .moved, .mem_req, .mem_rsp
  );

  pnic_frame_port #(.BYTES(EXTERNAL ? 1 << LOCAL_W : FRAME_BYTES)) u_frame_port (
    .core_clk, .core_rst, .req(frames), .rsp(frames_rsp), .fm_clk, .fm_rst, .fm_req(fm_req[OTHER]),
    .fm_rsp(fm_rsp[OTHER])
  );

  // ---- Assists
  logic [ASSISTS-1:0]    pad_used;
  frame_pkg::rx_frame_t  rx_frame;
  frame_pkg::tx_frame_t  tx_frame;
  logic                  rx_frame_ready, tx_frame_ready;

  pnic_dma_read u_dma_read (
    .core_clk, .core_rst, .regs(regs[1+READ]), .regs_data(regs_data[1+READ]), .pad_req(pad_req[READ]),
    .pad_rsp(pad_rsp[READ]), .pad_used(pad_used[READ]), .fm_clk, .fm_rst, .fm_req(fm_req[READ]),
    .fm_rsp(fm_rsp[READ]), .host_clk, .host_rst, .host_read, .host_read_ready, .host_answer
  );

  pnic_dma_write u_dma_write (
    .core_clk, .core_rst, .regs(regs[1+WRITE]), .regs_data(regs_data[1+WRITE]), .pad_req(pad_req[WRITE]),
    .pad_rsp(pad_rsp[WRITE]), .pad_used(pad_used[WRITE]), .fm_clk, .fm_rst, .fm_req(fm_req[WRITE]),
    .fm_rsp(fm_rsp[WRITE]), .host_clk, .host_rst, .host_write, .host_write_ready
  );

  pnic_mac_send u_mac_send (
    .core_clk, .core_rst, .regs(regs[1+SEND]), .regs_data(regs_data[1+SEND]), .pad_req(pad_req[SEND]),
    .pad_rsp(pad_rsp[SEND]), .pad_used(pad_used[SEND]), .fm_clk, .fm_rst, .fm_req(fm_req[SEND]),
    .fm_rsp(fm_rsp[SEND]), .user_clk(mac_clk), .user_rst(mac_rst), .tx_frame, .tx_frame_ready
  );

  pnic_mac_receive #(.MAX_BYTES(MAX_FRAME - 4)) u_mac_receive (
    .core_clk, .core_rst, .regs(regs[1+RECEIVE]), .regs_data(regs_data[1+RECEIVE]), .pad_req(pad_req[RECEIVE]),
    .pad_rsp(pad_rsp[RECEIVE]), .pad_used(pad_used[RECEIVE]), .fm_clk, .fm_rst, .fm_req(fm_req[RECEIVE]),
    .fm_rsp(fm_rsp[RECEIVE]), .user_clk(mac_clk), .user_rst(mac_rst), .rx_frame, .rx_frame_ready
  );

  // ---- MAC
  mac_pkg::mac_settings_t   settings;
  logic [31:0]              time_q, tx_stamp;
  logic                     line_tick, tx_stamp_valid;
  xgmii_pkg::link_fault_t   link_fault;
  mac_pkg::mac_taps_t       taps;

  pnic_mac_regs u_mac_regs (
    .clk(core_clk), .rst(core_rst), .regs(regs[BLOCKS-1]), .regs_data(regs_data[BLOCKS-1]), .mac_clk, .mac_rst,
    .settings, .link_fault, .stat(mac_stat)
  );

  always_ff @(posedge mac_clk) time_q <= mac_rst ? '0 : time_q + 32'd1;

  mac_xgmii #(.MAX_FRAME_BYTES(MAX_FRAME)) u_mac (
    .xgmii_rx_clk(line_rx_clk),
    .xgmii_rx_rst(line_rx_rst),
    .xgmii_rxd,
    .xgmii_rxc,
    .xgmii_tx_clk(mac_clk),
    .xgmii_tx_rst(mac_rst),
    .xgmii_txd,
    .xgmii_txc,
    .user_clk    (mac_clk),
    .user_rst    (mac_rst),
    .enable      (1'b1),
    .loopback    (1'b0),
    .settings,
    .time_now    (time_q),
    .restart     (1'b0),
    .rx_frame,
    .rx_frame_ready,
    .tx_frame,
    .tx_frame_ready,
    .line_tick,
    .tx_stamp,
    .tx_stamp_valid,
    .link_fault,
    .stat        (mac_stat),
    .taps
  );

  logic unused;
  assign unused = &{1'b0, halted, pad_used, line_tick, tx_stamp, tx_stamp_valid, taps};

endmodule
