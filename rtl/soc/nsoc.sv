// SPDX-License-Identifier: Apache-2.0
//
// The network-centric SoC: processor slot, NIC, MAC, local packet memory, boot ROM, a port to external DRAM, and the
// peripherals. This file only says what is wired to what.
//
//   GMII <-> mac <-frames-> nic --ACB--> acb_cdc --> router --> local memory, port b
//   gmii clk  |nic_clk       |      nic_clk|cpu_clk         \-> DRAM arbiter --> l2_level --> dram_port --> dram
//                            |                               /
//                        afb_cdc <- afb_router <- acb_to_afb <- router <--ACB-- cpu_slot
//                                       |                          |-> boot ROM
//                              intc, timer, uart, l2_level         \-> local memory, port a
//
// Clock domains: cpu_clk (processor, memories, peripherals), nic_clk (NIC, MAC user side), gmii_rx_clk and gmii_tx_clk
// (MAC line side). They may have any phase and ratio; every crossing is one of rtl/common. `arst` resets them all.
//
// Memory map (36-bit bus addresses): memory_map_pkg, made from regs/nsoc.rdl. An address in none of them answers with err = 1.
module nsoc
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned LOCAL_MEM_BYTES = 262144,
  parameter int unsigned BOOT_ROM_BYTES  = 65536,
  parameter              BOOT_ROM_INIT   = "",        // hex file of 64-bit words for the boot ROM
  parameter longint unsigned DRAM_BYTES  = 268435456,
  parameter int unsigned UART_DIVISOR    = 694,       // cpu_clk cycles a bit after reset: 115200 baud at 80 MHz
  parameter bit          QUEUES_IN_MEMORY = 1'b0,     // NIC_1.1: three rings in memory instead of queues in the NIC
  parameter int unsigned L2_BYTES        = 0,         // cache in front of DRAM, shared by processor and NIC; 0: none
  parameter bit          TRACE           = 1'b0       // taps, see trace_pkg
) (
  input  logic       arst,  // asynchronous, active high
  input  logic       cpu_clk,
  input  logic       nic_clk,

  // PHY, GMII
  input  logic       gmii_rx_clk,
  input  logic [7:0] gmii_rxd,
  input  logic       gmii_rx_dv,
  input  logic       gmii_rx_er,
  input  logic       gmii_tx_clk,
  output logic [7:0] gmii_txd,
  output logic       gmii_tx_en,
  output logic       gmii_tx_er,

  // External memory, ACB in cpu_clk
  output acb_req_t   dram_req,
  output logic       dram_req_valid,
  input  logic       dram_req_ready,
  input  acb_rsp_t   dram_rsp,
  input  logic       dram_rsp_valid,
  output logic       dram_rsp_ready,

  input  logic       uart_rxd,
  output logic       uart_txd,
  output nsoc_pkg::nsoc_taps_t taps
);

  // Resets, one for each clock domain.
  logic cpu_rst, nic_rst, gmii_rx_rst, gmii_tx_rst;

  reset_sync u_cpu_reset     (.clk(cpu_clk),     .arst(arst), .rst(cpu_rst));
  reset_sync u_nic_reset     (.clk(nic_clk),     .arst(arst), .rst(nic_rst));
  reset_sync u_gmii_rx_reset (.clk(gmii_rx_clk), .arst(arst), .rst(gmii_rx_rst));
  reset_sync u_gmii_tx_reset (.clk(gmii_tx_clk), .arst(arst), .rst(gmii_tx_rst));

  // ---- The wire's side: MAC and NIC ---------------------------------------------------------------------------------
  frame_beat_t        rx_frame, tx_frame;
  logic               rx_frame_valid, rx_frame_ready, tx_frame_valid, tx_frame_ready, tx_frame_abort;
  logic               rx_frame_bad, tx_frame_stamp, tx_stamp_valid;
  logic [31:0]        rx_time, time_now, tx_stamp;
  mac_pkg::mac_stat_t mac_stat;
  mac_pkg::mac_taps_t mac_taps;
  nic_pkg::nic_taps_t nic_taps;
  mac_pkg::mac_settings_t mac_settings;
  logic               mac_enable, mac_loopback, nic_irq;

  mac #(
    .RX_FIFO_BYTES(RX_FIFO_BYTES),
    .TX_FIFO_BYTES(TX_FIFO_BYTES),
    .TRACE        (TRACE)
  ) u_mac (
    .gmii_rx_clk,
    .gmii_rx_rst,
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .gmii_tx_clk,
    .gmii_tx_rst,
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er,
    .nic_clk,
    .nic_rst,
    .enable  (mac_enable),
    .loopback(mac_loopback),
    .settings(mac_settings),
    .time_now,
    .rx_frame,
    .rx_frame_valid,
    .rx_frame_ready,
    .rx_frame_bad,
    .rx_time,
    .tx_frame,
    .tx_frame_valid,
    .tx_frame_ready,
    .tx_frame_abort,
    .tx_frame_stamp,
    .tx_stamp,
    .tx_stamp_valid,
    .stat    (mac_stat),
    .taps    (mac_taps)
  );

  afb_req_t nic_afb_req;
  afb_rsp_t nic_afb_rsp;
  logic     nic_afb_req_valid, nic_afb_req_ready, nic_afb_rsp_valid, nic_afb_rsp_ready;
  acb_req_t nic_acb_req;
  acb_rsp_t nic_acb_rsp;
  logic     nic_acb_req_valid, nic_acb_req_ready, nic_acb_rsp_valid, nic_acb_rsp_ready;

  nic #(
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY),
    .TRACE           (TRACE)
  ) u_nic (
    .nic_clk,
    .nic_rst,
    .afb_req      (nic_afb_req),
    .afb_req_valid(nic_afb_req_valid),
    .afb_req_ready(nic_afb_req_ready),
    .afb_rsp      (nic_afb_rsp),
    .afb_rsp_valid(nic_afb_rsp_valid),
    .afb_rsp_ready(nic_afb_rsp_ready),
    .acb_req      (nic_acb_req),
    .acb_req_valid(nic_acb_req_valid),
    .acb_req_ready(nic_acb_req_ready),
    .acb_rsp      (nic_acb_rsp),
    .acb_rsp_valid(nic_acb_rsp_valid),
    .acb_rsp_ready(nic_acb_rsp_ready),
    .rx_frame,
    .rx_frame_valid,
    .rx_frame_ready,
    .rx_frame_bad,
    .rx_time,
    .tx_frame,
    .tx_frame_valid,
    .tx_frame_ready,
    .tx_frame_abort,
    .tx_frame_stamp,
    .tx_stamp,
    .tx_stamp_valid,
    .stat         (mac_stat),
    .mac_enable,
    .mac_loopback,
    .mac_settings,
    .time_now,
    .irq          (nic_irq),
    .taps         (nic_taps)
  );

  // ---- The NIC's way to memory: nic_clk to cpu_clk, then local memory or DRAM ----------------------------------------
  localparam int unsigned NIC_SLAVES = 2;
  localparam int unsigned NIC_DRAM = 0, NIC_LOCAL = 1;

  acb_req_t                  dma_req;
  acb_rsp_t                  dma_rsp;
  logic                      dma_req_valid, dma_req_ready, dma_rsp_valid, dma_rsp_ready;
  acb_req_t [NIC_SLAVES-1:0] dma_s_req;
  acb_rsp_t [NIC_SLAVES-1:0] dma_s_rsp;
  logic     [NIC_SLAVES-1:0] dma_s_req_valid, dma_s_req_ready, dma_s_rsp_valid, dma_s_rsp_ready;

  acb_cdc u_nic_acb_cdc (
    .in_clk       (nic_clk),
    .in_rst       (nic_rst),
    .in_req       (nic_acb_req),
    .in_req_valid (nic_acb_req_valid),
    .in_req_ready (nic_acb_req_ready),
    .in_rsp       (nic_acb_rsp),
    .in_rsp_valid (nic_acb_rsp_valid),
    .in_rsp_ready (nic_acb_rsp_ready),
    .out_clk      (cpu_clk),
    .out_rst      (cpu_rst),
    .out_req      (dma_req),
    .out_req_valid(dma_req_valid),
    .out_req_ready(dma_req_ready),
    .out_rsp      (dma_rsp),
    .out_rsp_valid(dma_rsp_valid),
    .out_rsp_ready(dma_rsp_ready)
  );

  acb_router #(
    .N   (NIC_SLAVES),
    .BASE({memory_map_pkg::PACKET_MEMORY_BASE, memory_map_pkg::DRAM_BASE}),
    .MASK({memory_map_pkg::PACKET_MEMORY_MASK, memory_map_pkg::DRAM_MASK})
  ) u_nic_router (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .in_req       (dma_req),
    .in_req_valid (dma_req_valid),
    .in_req_ready (dma_req_ready),
    .in_rsp       (dma_rsp),
    .in_rsp_valid (dma_rsp_valid),
    .in_rsp_ready (dma_rsp_ready),
    .out_req      (dma_s_req),
    .out_req_valid(dma_s_req_valid),
    .out_req_ready(dma_s_req_ready),
    .out_rsp      (dma_s_rsp),
    .out_rsp_valid(dma_s_rsp_valid),
    .out_rsp_ready(dma_s_rsp_ready)
  );

  // ---- The processor and what it reaches -----------------------------------------------------------------------------
  localparam int unsigned CPU_SLAVES = 4;
  localparam int unsigned CPU_ROM = 0, CPU_DRAM = 1, CPU_LOCAL = 2, CPU_AFB = 3;

  logic                      irq_external, irq_timer, irq_software, snoop_valid;
  logic [31:5]               snoop_address;
  acb_req_t                  cpu_req;
  acb_rsp_t                  cpu_rsp;
  logic                      cpu_req_valid, cpu_req_ready, cpu_rsp_valid, cpu_rsp_ready;
  acb_req_t [CPU_SLAVES-1:0] cpu_s_req;
  acb_rsp_t [CPU_SLAVES-1:0] cpu_s_rsp;
  logic     [CPU_SLAVES-1:0] cpu_s_req_valid, cpu_s_req_ready, cpu_s_rsp_valid, cpu_s_rsp_ready;

  // Nothing is attached for custom-0 instructions, and nobody else looks into the data cache.
  logic                custom_req_valid, probe_ready, probe_rsp_valid, unused_unit;
  rv_pkg::custom_req_t custom_req;
  rv_pkg::probe_rsp_t  probe_rsp;
  assign unused_unit = &{1'b0, custom_req_valid, custom_req, probe_ready, probe_rsp_valid, probe_rsp};

  cpu_slot #(
    .RESET_VECTOR(memory_map_pkg::BOOT_ROM_BASE[31:0])
  ) u_cpu_slot (
    .cpu_clk,
    .cpu_rst,
    .acb_req      (cpu_req),
    .acb_req_valid(cpu_req_valid),
    .acb_req_ready(cpu_req_ready),
    .acb_rsp      (cpu_rsp),
    .acb_rsp_valid(cpu_rsp_valid),
    .acb_rsp_ready(cpu_rsp_ready),
    .snoop_valid,
    .snoop_address,
    .irq_external,
    .irq_timer,
    .irq_software,
    .custom_req_valid,
    .custom_req_ready(1'b0),
    .custom_req,
    .custom_rsp_valid(1'b0),
    .custom_rsp      ('0),
    .probe_valid     (1'b0),
    .probe_ready,
    .probe_address   ('0),
    .probe_rsp_valid,
    .probe_rsp
  );

  acb_router #(
    .N   (CPU_SLAVES),
    .BASE({memory_map_pkg::AFB_BASE, memory_map_pkg::PACKET_MEMORY_BASE, memory_map_pkg::DRAM_BASE,
           memory_map_pkg::BOOT_ROM_BASE}),
    .MASK({memory_map_pkg::AFB_MASK, memory_map_pkg::PACKET_MEMORY_MASK, memory_map_pkg::DRAM_MASK,
           memory_map_pkg::BOOT_ROM_MASK})
  ) u_cpu_router (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .in_req       (cpu_req),
    .in_req_valid (cpu_req_valid),
    .in_req_ready (cpu_req_ready),
    .in_rsp       (cpu_rsp),
    .in_rsp_valid (cpu_rsp_valid),
    .in_rsp_ready (cpu_rsp_ready),
    .out_req      (cpu_s_req),
    .out_req_valid(cpu_s_req_valid),
    .out_req_ready(cpu_s_req_ready),
    .out_rsp      (cpu_s_rsp),
    .out_rsp_valid(cpu_s_rsp_valid),
    .out_rsp_ready(cpu_s_rsp_ready)
  );

  boot_rom #(
    .BYTES    (BOOT_ROM_BYTES),
    .INIT_FILE(BOOT_ROM_INIT)
  ) u_boot_rom (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .acb_req      (cpu_s_req[CPU_ROM]),
    .acb_req_valid(cpu_s_req_valid[CPU_ROM]),
    .acb_req_ready(cpu_s_req_ready[CPU_ROM]),
    .acb_rsp      (cpu_s_rsp[CPU_ROM]),
    .acb_rsp_valid(cpu_s_rsp_valid[CPU_ROM]),
    .acb_rsp_ready(cpu_s_rsp_ready[CPU_ROM])
  );

  // ---- What answers on the AFB: the wires of each slave ------------------------------------------------------------------
  localparam int unsigned AFB_SLAVES = 5;
  localparam int unsigned AFB_NIC = 0, AFB_INTC = 1, AFB_TIMER = 2, AFB_UART = 3, AFB_L2 = 4;

  afb_req_t                  io_req;
  afb_rsp_t                  io_rsp;
  logic                      io_req_valid, io_req_ready, io_rsp_valid, io_rsp_ready;
  afb_req_t [AFB_SLAVES-1:0] io_s_req;
  afb_rsp_t [AFB_SLAVES-1:0] io_s_rsp;
  logic     [AFB_SLAVES-1:0] io_s_req_valid, io_s_req_ready, io_s_rsp_valid, io_s_rsp_ready;

  // ---- Memories that processor and NIC share -------------------------------------------------------------------------
  local_mem #(
    .BYTES(LOCAL_MEM_BYTES)
  ) u_local_mem (
    .clk        (cpu_clk),
    .rst        (cpu_rst),
    .a_req      (cpu_s_req[CPU_LOCAL]),
    .a_req_valid(cpu_s_req_valid[CPU_LOCAL]),
    .a_req_ready(cpu_s_req_ready[CPU_LOCAL]),
    .a_rsp      (cpu_s_rsp[CPU_LOCAL]),
    .a_rsp_valid(cpu_s_rsp_valid[CPU_LOCAL]),
    .a_rsp_ready(cpu_s_rsp_ready[CPU_LOCAL]),
    .b_req      (dma_s_req[NIC_LOCAL]),
    .b_req_valid(dma_s_req_valid[NIC_LOCAL]),
    .b_req_ready(dma_s_req_ready[NIC_LOCAL]),
    .b_rsp      (dma_s_rsp[NIC_LOCAL]),
    .b_rsp_valid(dma_s_rsp_valid[NIC_LOCAL]),
    .b_rsp_ready(dma_s_rsp_ready[NIC_LOCAL])
  );

  acb_req_t   shared_req;
  acb_rsp_t   shared_rsp;
  logic       shared_req_valid, shared_req_ready, shared_rsp_valid, shared_rsp_ready;
  logic [1:0] shared_master;
  logic       unused_master;
  assign unused_master = shared_master[0];
  acb_req_t   below_req;  // at the DRAM port
  acb_rsp_t   below_rsp;
  logic       below_req_valid, below_req_ready, below_rsp_valid, below_rsp_ready;

  acb_arbiter #(
    .N(2)
  ) u_dram_arbiter (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .in_req       ({dma_s_req[NIC_DRAM], cpu_s_req[CPU_DRAM]}),
    .in_req_valid ({dma_s_req_valid[NIC_DRAM], cpu_s_req_valid[CPU_DRAM]}),
    .in_req_ready ({dma_s_req_ready[NIC_DRAM], cpu_s_req_ready[CPU_DRAM]}),
    .in_rsp       ({dma_s_rsp[NIC_DRAM], cpu_s_rsp[CPU_DRAM]}),
    .in_rsp_valid ({dma_s_rsp_valid[NIC_DRAM], cpu_s_rsp_valid[CPU_DRAM]}),
    .in_rsp_ready ({dma_s_rsp_ready[NIC_DRAM], cpu_s_rsp_ready[CPU_DRAM]}),
    .out_req      (shared_req),
    .out_master   (shared_master),
    .out_req_valid(shared_req_valid),
    .out_req_ready(shared_req_ready),
    .out_rsp      (shared_rsp),
    .out_rsp_valid(shared_rsp_valid),
    .out_rsp_ready(shared_rsp_ready)
  );

  l2_level #(
    .BYTES(L2_BYTES)
  ) u_l2 (
    .clk           (cpu_clk),
    .rst           (cpu_rst),
    .acb_req       (shared_req),
    .acb_req_by_nic(shared_master[1]),
    .acb_req_valid (shared_req_valid),
    .acb_req_ready (shared_req_ready),
    .acb_rsp       (shared_rsp),
    .acb_rsp_valid (shared_rsp_valid),
    .acb_rsp_ready (shared_rsp_ready),
    .mem_req       (below_req),
    .mem_req_valid (below_req_valid),
    .mem_req_ready (below_req_ready),
    .mem_rsp       (below_rsp),
    .mem_rsp_valid (below_rsp_valid),
    .mem_rsp_ready (below_rsp_ready),
    .snoop_valid,
    .snoop_address,
    .afb_req       (io_s_req[AFB_L2]),
    .afb_req_valid (io_s_req_valid[AFB_L2]),
    .afb_req_ready (io_s_req_ready[AFB_L2]),
    .afb_rsp       (io_s_rsp[AFB_L2]),
    .afb_rsp_valid (io_s_rsp_valid[AFB_L2]),
    .afb_rsp_ready (io_s_rsp_ready[AFB_L2])
  );

  dram_port #(
    .DRAM_BYTES(DRAM_BYTES)
  ) u_dram_port (
    .clk           (cpu_clk),
    .rst           (cpu_rst),
    .acb_req       (below_req),
    .acb_req_valid (below_req_valid),
    .acb_req_ready (below_req_ready),
    .acb_rsp       (below_rsp),
    .acb_rsp_valid (below_rsp_valid),
    .acb_rsp_ready (below_rsp_ready),
    .dram_req,
    .dram_req_valid,
    .dram_req_ready,
    .dram_rsp,
    .dram_rsp_valid,
    .dram_rsp_ready
  );

  // ---- Registers: NIC and peripherals on the AFB ---------------------------------------------------------------------
  acb_to_afb u_acb_to_afb (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .acb_req      (cpu_s_req[CPU_AFB]),
    .acb_req_valid(cpu_s_req_valid[CPU_AFB]),
    .acb_req_ready(cpu_s_req_ready[CPU_AFB]),
    .acb_rsp      (cpu_s_rsp[CPU_AFB]),
    .acb_rsp_valid(cpu_s_rsp_valid[CPU_AFB]),
    .acb_rsp_ready(cpu_s_rsp_ready[CPU_AFB]),
    .afb_req      (io_req),
    .afb_req_valid(io_req_valid),
    .afb_req_ready(io_req_ready),
    .afb_rsp      (io_rsp),
    .afb_rsp_valid(io_rsp_valid),
    .afb_rsp_ready(io_rsp_ready)
  );

  afb_router #(
    .N   (AFB_SLAVES),
    .BASE({memory_map_pkg::L2_BASE, memory_map_pkg::UART_BASE, memory_map_pkg::TIMER_BASE, memory_map_pkg::INTC_BASE,
           memory_map_pkg::NIC_BASE}),
    .MASK({memory_map_pkg::L2_MASK, memory_map_pkg::UART_MASK, memory_map_pkg::TIMER_MASK, memory_map_pkg::INTC_MASK,
           memory_map_pkg::NIC_MASK})
  ) u_afb_router (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .in_req       (io_req),
    .in_req_valid (io_req_valid),
    .in_req_ready (io_req_ready),
    .in_rsp       (io_rsp),
    .in_rsp_valid (io_rsp_valid),
    .in_rsp_ready (io_rsp_ready),
    .out_req      (io_s_req),
    .out_req_valid(io_s_req_valid),
    .out_req_ready(io_s_req_ready),
    .out_rsp      (io_s_rsp),
    .out_rsp_valid(io_s_rsp_valid),
    .out_rsp_ready(io_s_rsp_ready)
  );

  afb_cdc u_nic_afb_cdc (
    .in_clk       (cpu_clk),
    .in_rst       (cpu_rst),
    .in_req       (io_s_req[AFB_NIC]),
    .in_req_valid (io_s_req_valid[AFB_NIC]),
    .in_req_ready (io_s_req_ready[AFB_NIC]),
    .in_rsp       (io_s_rsp[AFB_NIC]),
    .in_rsp_valid (io_s_rsp_valid[AFB_NIC]),
    .in_rsp_ready (io_s_rsp_ready[AFB_NIC]),
    .out_clk      (nic_clk),
    .out_rst      (nic_rst),
    .out_req      (nic_afb_req),
    .out_req_valid(nic_afb_req_valid),
    .out_req_ready(nic_afb_req_ready),
    .out_rsp      (nic_afb_rsp),
    .out_rsp_valid(nic_afb_rsp_valid),
    .out_rsp_ready(nic_afb_rsp_ready)
  );

  logic nic_irq_cpu, uart_irq;

  sync_bits u_nic_irq_sync (.clk(cpu_clk), .rst(cpu_rst), .d(nic_irq), .q(nic_irq_cpu));

  logic [memory_map_pkg::IRQ_LINES-1:0] irq_lines;

  always_comb begin
    irq_lines = '0;
    irq_lines[memory_map_pkg::IRQ_NIC] = nic_irq_cpu;
    irq_lines[memory_map_pkg::IRQ_UART] = uart_irq;
  end

  intc #(
    .N(memory_map_pkg::IRQ_LINES)
  ) u_intc (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .afb_req      (io_s_req[AFB_INTC]),
    .afb_req_valid(io_s_req_valid[AFB_INTC]),
    .afb_req_ready(io_s_req_ready[AFB_INTC]),
    .afb_rsp      (io_s_rsp[AFB_INTC]),
    .afb_rsp_valid(io_s_rsp_valid[AFB_INTC]),
    .afb_rsp_ready(io_s_rsp_ready[AFB_INTC]),
    .irq          (irq_lines),
    .irq_external
  );

  timer u_timer (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .afb_req      (io_s_req[AFB_TIMER]),
    .afb_req_valid(io_s_req_valid[AFB_TIMER]),
    .afb_req_ready(io_s_req_ready[AFB_TIMER]),
    .afb_rsp      (io_s_rsp[AFB_TIMER]),
    .afb_rsp_valid(io_s_rsp_valid[AFB_TIMER]),
    .afb_rsp_ready(io_s_rsp_ready[AFB_TIMER]),
    .irq_timer,
    .irq_software
  );

  uart #(
    .DIVISOR_RESET(UART_DIVISOR)
  ) u_uart (
    .clk          (cpu_clk),
    .rst          (cpu_rst),
    .afb_req      (io_s_req[AFB_UART]),
    .afb_req_valid(io_s_req_valid[AFB_UART]),
    .afb_req_ready(io_s_req_ready[AFB_UART]),
    .afb_rsp      (io_s_rsp[AFB_UART]),
    .afb_rsp_valid(io_s_rsp_valid[AFB_UART]),
    .afb_rsp_ready(io_s_rsp_ready[AFB_UART]),
    .uart_rxd,
    .uart_txd,
    .irq          (uart_irq)
  );

  // ---- Taps: MAC and NIC have their own ------------------------------------------------------------------------------
  if (TRACE) begin : g_trace
    trace_pkg::use_t cpu_acb_q, dram_q;

    always_ff @(posedge cpu_clk) begin
      cpu_acb_q <= trace_pkg::bus_use(cpu_req_valid, cpu_req_ready);
      dram_q    <= trace_pkg::bus_use(dram_req_valid, dram_req_ready);
    end

    assign taps = '{mac: mac_taps, nic: nic_taps, cpu_acb: cpu_acb_q, dram: dram_q};
  end else begin : g_no_trace
    logic unused_taps;
    assign unused_taps = &{1'b0, mac_taps, nic_taps};
    assign taps        = '0;
  end

endmodule
