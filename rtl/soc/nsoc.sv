// SPDX-License-Identifier: Apache-2.0
//
// The network-centric SoC: processor slots, NIC, MAC, local packet memory, boot ROM, a port to external DRAM, and the
// peripherals. This file only says what is wired to what; who reaches what at which address is in nsoc_pkg.
//
//   GMII <-> mac <-frames-> nic --ACB--> acb_cdc --+                   +--> boot ROM
//   gmii clk  |nic_clk       |      nic_clk|cpu_clk|                   +--> local memory: a port for cores, one for devices
//                            |                     +--> acb_crossbar --+--> l2_level --> dram_port --> dram
//                            |                     |          |        +--> acb_to_afb --> afb_router
//                            |                     |          +------- dma (with DMA)           |
//                            |  cpu_slots --> cpu_join --> acb_side_port                        +--> intc, timer, uart, dma
//                            |                                   |
//                            +---AFB--- afb_cdc <----------------+
//
// With CONNECTIONS the TCP/IP engine, toe, lies between mac and nic: frames for its address end there, all others pass. It has
// a way of its own to the memories (an acb_cdc), and its registers lie beside the NIC's, behind the same port.
//
// Clock domains: cpu_clk (processors, memories, peripherals), nic_clk (NIC, the MAC's user side), gmii_rx_clk and
// gmii_tx_clk (the MAC's line side). They may have any phase and ratio; every crossing is one of rtl/common. With ONE_CLOCK
// NIC and MAC's user side run on cpu_clk, too, and nothing lies between them and the processor. `arst` resets them all.
module nsoc
  import acb_pkg::*;
  import afb_pkg::*;
  import cpu_slot_pkg::*;
  import frame_pkg::*;
  import memory_map_pkg::IRQ_DMA, memory_map_pkg::IRQ_LINES, memory_map_pkg::IRQ_NIC, memory_map_pkg::IRQ_TOE,
         memory_map_pkg::IRQ_UART, memory_map_pkg::NIC_BASE, memory_map_pkg::NIC_MASK, memory_map_pkg::TOE_BASE,
         memory_map_pkg::TOE_MASK, memory_map_pkg::TOE_UDP_BASE, memory_map_pkg::TOE_UDP_MASK;
  import nsoc_pkg::*;
#(
  parameter string       CORE             = "rv32",     // what is in the processor slots, see cpu_slot
  parameter int unsigned CORES            = 1,          // how many of them there are, 1 to 4; core i is hart i
  parameter string       UNIT             = "none",     // what is attached for coprocessor instructions
  parameter int unsigned ICACHE_BYTES     = 8192,       // caches of each core, powers of two of 1 to 64 KB
  parameter int unsigned DCACHE_BYTES     = 8192,
  parameter int unsigned RX_FIFO_BYTES    = 16384,
  parameter int unsigned TX_FIFO_BYTES    = 16384,
  parameter int unsigned MAX_FRAME_BYTES  = 1522,       // with FCS, what the NIC's max_frame is behind a reset
  parameter int unsigned LOCAL_MEM_BYTES  = 262144,
  parameter int unsigned BOOT_ROM_BYTES   = 65536,
  parameter              BOOT_ROM_INIT    = "",         // hex file of 64-bit words for the boot ROM
  parameter longint unsigned DRAM_BYTES   = 268435456,
  parameter int unsigned UART_DIVISOR     = 694,        // cpu_clk cycles a bit after reset: 115200 baud at 80 MHz
  parameter bit          QUEUES_IN_MEMORY = 1'b0,       // NIC_1.1: three rings in memory instead of queues in the NIC
  parameter int unsigned L2_BYTES         = 0,          // cache in front of DRAM, for all masters; 0: none
  parameter bit          ONE_CLOCK        = 1'b0,       // nic_clk is not used: cpu_clk is its net, too
  parameter bit          DMA              = 1'b0,       // there is a copy engine
  parameter bit          OFFLOADS         = 1'b0,       // the NIC has those of nic
  parameter int unsigned CONNECTIONS      = 0,          // of the TCP/IP engine, 4 to 1024; 0: there is none
  parameter int unsigned NIC_HZ           = 125000000,  // nic_clk's frequency, for the engine's microseconds
  parameter bit          TRACE            = 1'b0        // taps, see nsoc_pkg
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

  // External memory, in cpu_clk
  output acb_m2s_t   dram_m2s,
  input  acb_s2m_t   dram_s2m,

  input  logic       uart_rxd,
  output logic       uart_txd,
  output nsoc_taps_t taps
);

  // ---- Clocks, and a reset for each domain ---------------------------------------------------------------------------
  logic user_clk, user_rst;  // NIC, and the MAC's user side
  logic cpu_rst, gmii_rx_rst, gmii_tx_rst;

  assign user_clk = ONE_CLOCK ? cpu_clk : nic_clk;  // a constant choice: one net or the other

  reset_sync u_cpu_reset     (.clk(cpu_clk),     .arst(arst), .rst(cpu_rst));
  reset_sync u_user_reset    (.clk(user_clk),    .arst(arst), .rst(user_rst));
  reset_sync u_gmii_rx_reset (.clk(gmii_rx_clk), .arst(arst), .rst(gmii_rx_rst));
  reset_sync u_gmii_tx_reset (.clk(gmii_tx_clk), .arst(arst), .rst(gmii_tx_rst));

  // ---- Channels ------------------------------------------------------------------------------------------------------
  // Of the tables in nsoc_pkg, without a copy engine what comes before it.
  localparam bit          TOE         = CONNECTIONS != 0;
  localparam bit          DCA         = UNIT == "dca";
  localparam logic [35:0] ENGINE_MASK = NIC_MASK & ~(NIC_BASE ^ TOE_BASE) & ~(NIC_BASE ^ TOE_UDP_BASE);
  localparam int unsigned MASTER_TOE  = DMA ? MASTERS : MASTER_DMA_READ;  // the last one
  localparam int unsigned ACB_MASTERS = MASTER_TOE + 32'(TOE);
  localparam int unsigned DEVICES     = DMA ? AFB_SLAVES : AFB_DMA;
  localparam int unsigned LINES       = TOE ? IRQ_TOE + 1 : DMA ? IRQ_DMA + 1 : IRQ_DMA;

  function automatic logic [ACB_MASTERS-1:0][ACB_SLAVES-1:0] reaches();
    for (int unsigned i = 0; i < ACB_MASTERS; i++) reaches[i] = i == MASTER_TOE ? DEVICES_REACH : REACHES[i];
  endfunction

  acb_m2s_t [ACB_MASTERS-1:0] master_m2s;  // all of these in cpu_clk
  acb_s2m_t [ACB_MASTERS-1:0] master_s2m;
  acb_m2s_t [ACB_SLAVES-1:0]  slave_m2s;
  acb_s2m_t [ACB_SLAVES-1:0]  slave_s2m;
  /* verilator lint_off UNUSEDSIGNAL */  // only DRAM asks whose request it is, and in the cycle in which it is taken
  logic [ACB_SLAVES-1:0][ACB_MASTERS-1:0] slave_master, slave_taken;
  /* verilator lint_on UNUSEDSIGNAL */
  afb_m2s_t                   afb_m2s;
  afb_s2m_t                   afb_s2m;
  afb_m2s_t [DEVICES-1:0]     io_m2s;
  afb_s2m_t [DEVICES-1:0]     io_s2m;
  logic [LINES-1:0]           irq_lines;

  // ---- The wire's side: MAC and NIC, in user_clk ---------------------------------------------------------------------
  rx_frame_t  rx_frame, nic_rx_frame;
  tx_frame_t  tx_frame, nic_tx_frame;
  logic       rx_frame_ready, tx_frame_ready, nic_rx_frame_ready, nic_tx_frame_ready, mac_enable, mac_loopback;
  logic       mac_restart, line_tick, tx_stamp_valid, nic_irq;
  logic [31:0] time_now, tx_stamp;
  mac_pkg::mac_settings_t mac_settings;
  mac_fates_pkg::mac_stat_t mac_stat;
  mac_pkg::mac_taps_t mac_taps;
  nic_pkg::nic_taps_t nic_taps;
  toe_pkg::toe_taps_t toe_taps;
  dca_pkg::dca_slots_m2s_t dca_m2s;     // between the unit beside the first core and its slots, in cpu_clk
  dca_pkg::dca_slots_s2m_t dca_s2m;
  dca_pkg::dca_rings_m2s_t dca_rings_m2s;
  dca_pkg::dca_rings_s2m_t dca_rings_s2m;
  logic                    dca_irq;     // of the unit
  acb_m2s_t   nic_m2s;
  acb_s2m_t   nic_s2m;
  afb_m2s_t   side_m2s, user_m2s, nic_afb_m2s;  // the processors' port to registers, in cpu_clk and behind the crossing
  afb_s2m_t   side_s2m, user_s2m, nic_afb_s2m;

  mac #(
    .RX_FIFO_BYTES(RX_FIFO_BYTES), .TX_FIFO_BYTES(TX_FIFO_BYTES), .MAX_FRAME_BYTES(nic_pkg::LONGEST_FRAME),
    .TRACE(TRACE)
  ) u_mac (
    .gmii_rx_clk, .gmii_rx_rst, .gmii_rxd, .gmii_rx_dv, .gmii_rx_er, .gmii_tx_clk, .gmii_tx_rst, .gmii_txd, .gmii_tx_en,
    .gmii_tx_er, .user_clk, .user_rst, .rx_frame, .rx_frame_ready, .tx_frame, .tx_frame_ready, .enable(mac_enable),
    .loopback(mac_loopback), .settings(mac_settings), .time_now, .restart(mac_restart), .line_tick, .tx_stamp,
    .tx_stamp_valid, .stat(mac_stat), .taps(mac_taps)
  );

  // The NIC's port of the local memory serves nobody else: what it holds comes a dword a cycle of cpu_clk, and the NIC sees
  // how fast that is. In a NIC_1.1 the queues' accesses may go to DRAM in between; the TCP/IP
  // engine takes cycles of its own.
  logic [3:0] memory_cycles_q;
  always_ff @(posedge cpu_clk) memory_cycles_q <= cpu_rst ? '0 : memory_cycles_q + 1'b1;

  nic #(
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY), .OFFLOADS(OFFLOADS), .MAX_FRAME_BYTES(MAX_FRAME_BYTES),
    .STEADY_BASE(memory_map_pkg::PACKET_MEMORY_BASE[31:0]),
    .STEADY_BYTES(QUEUES_IN_MEMORY || TOE ? 0 : LOCAL_MEM_BYTES), .TRACE(TRACE)
  ) u_nic (
    .nic_clk(user_clk), .nic_rst(user_rst), .rx_frame(nic_rx_frame), .rx_frame_ready(nic_rx_frame_ready),
    .tx_frame(nic_tx_frame), .tx_frame_ready(nic_tx_frame_ready), .mac_enable, .mac_loopback, .mac_settings, .time_now,
    .mac_restart, .line_tick, .memory_tick(memory_cycles_q[3]), .tx_stamp, .tx_stamp_valid, .stat(mac_stat),
    .afb_m2s(nic_afb_m2s), .afb_s2m(nic_afb_s2m), .acb_m2s(nic_m2s), .acb_s2m(nic_s2m), .irq(nic_irq), .taps(nic_taps)
  );

  acb_cdc #(.ONE_CLOCK(ONE_CLOCK)) u_nic_acb_cdc (
    .in_clk(user_clk), .in_rst(user_rst), .in_m2s(nic_m2s), .in_s2m(nic_s2m),
    .out_clk(cpu_clk), .out_rst(cpu_rst), .out_m2s(master_m2s[MASTER_NIC]), .out_s2m(master_s2m[MASTER_NIC])
  );

  afb_cdc #(.ONE_CLOCK(ONE_CLOCK)) u_nic_afb_cdc (
    .in_clk(cpu_clk), .in_rst(cpu_rst), .in_m2s(side_m2s), .in_s2m(side_s2m),
    .out_clk(user_clk), .out_rst(user_rst), .out_m2s(user_m2s), .out_s2m(user_s2m)
  );

  sync_bits u_nic_irq_sync (.clk(cpu_clk), .rst(cpu_rst), .d(nic_irq), .q(irq_lines[IRQ_NIC]));

  // ---- The TCP/IP engine, in user_clk --------------------------------------------------------------------------------
  if (TOE) begin : g_toe
    acb_m2s_t toe_m2s;
    acb_s2m_t toe_s2m;
    afb_m2s_t toe_afb_m2s, udp_afb_m2s;
    afb_s2m_t toe_afb_s2m, udp_afb_s2m;
    logic     toe_irq, toe_irq_cpu;

    afb_router #(
      .N(3), .BASE({TOE_UDP_BASE, TOE_BASE, NIC_BASE}), .MASK({TOE_UDP_MASK, TOE_MASK, NIC_MASK})
    ) u_router (
      .clk(user_clk), .rst(user_rst), .in_m2s(user_m2s), .in_s2m(user_s2m),
      .out_m2s({udp_afb_m2s, toe_afb_m2s, nic_afb_m2s}), .out_s2m({udp_afb_s2m, toe_afb_s2m, nic_afb_s2m})
    );

    toe #(
      .CONNECTIONS(CONNECTIONS), .CLOCK_HZ(NIC_HZ), .DCA(DCA), .PACKET_BASE(memory_map_pkg::PACKET_MEMORY_BASE[31:0]),
      .PACKET_BYTES(LOCAL_MEM_BYTES), .DRAM_BASE(memory_map_pkg::DRAM_BASE[31:0]), .DRAM_BYTES(32'(DRAM_BYTES)),
      .TRACE(TRACE)
    ) u_toe (
      .clk(user_clk), .rst(user_rst), .rx_frame, .rx_frame_ready, .tx_frame, .tx_frame_ready, .nic_rx_frame,
      .nic_rx_frame_ready, .nic_tx_frame, .nic_tx_frame_ready, .afb_m2s(toe_afb_m2s), .afb_s2m(toe_afb_s2m),
      .udp_afb_m2s, .udp_afb_s2m, .acb_m2s(toe_m2s), .acb_s2m(toe_s2m), .irq(toe_irq),
      .cpu_clk, .cpu_rst, .dca_m2s, .dca_s2m, .dca_rings_m2s, .dca_rings_s2m,
      .taps(toe_taps)
    );

    acb_cdc #(.ONE_CLOCK(ONE_CLOCK)) u_acb_cdc (
      .in_clk(user_clk), .in_rst(user_rst), .in_m2s(toe_m2s), .in_s2m(toe_s2m),
      .out_clk(cpu_clk), .out_rst(cpu_rst), .out_m2s(master_m2s[MASTER_TOE]), .out_s2m(master_s2m[MASTER_TOE])
    );

    sync_bits u_irq_sync (.clk(cpu_clk), .rst(cpu_rst), .d(toe_irq), .q(toe_irq_cpu));
    assign irq_lines[IRQ_TOE] = toe_irq_cpu || dca_irq;  // the program asks the unit first: that is faster

    if (!DMA) begin : g_no_dma_irq
      assign irq_lines[IRQ_DMA] = 1'b0;
    end
  end else begin : g_no_toe
    assign nic_rx_frame       = rx_frame;
    assign rx_frame_ready     = nic_rx_frame_ready;
    assign tx_frame           = nic_tx_frame;
    assign nic_tx_frame_ready = tx_frame_ready;
    assign nic_afb_m2s        = user_m2s;
    assign user_s2m           = nic_afb_s2m;
    assign toe_taps           = '0;
    assign dca_s2m            = '0;
    assign dca_rings_s2m      = '0;
  end

  // ---- Processors ----------------------------------------------------------------------------------------------------
  acb_m2s_t [CORES-1:0] core_m2s;
  acb_s2m_t [CORES-1:0] core_s2m;
  acb_m2s_t             cores_m2s;  // all of them
  acb_s2m_t             cores_s2m;
  logic     [CORES-1:0] irq_timer, irq_software, snoop_valid, dram_owner, reserved_lost;
  logic     [CORES-1:0][31:2]      reserved;  // words of LR
  logic     [CORES-1:0][LINES-1:0] irq_external;
  logic     [31:5]      snoop_address;

  if ($bits(cpu_irq_lines_t) != IRQ_LINES) begin : g_bad_lines
    $error("nsoc: cpu_irq_lines_t does not have the lines of regs/periph.rdl");
  end
  if (CORES < 1 || CORES > MAX_CORES) begin : g_bad_cores
    $error("nsoc: CORES must be 1 to 4");
  end
  if (UNIT != "none" && UNIT != "dca") begin : g_bad_unit
    $error("nsoc: there is no unit of the name in UNIT; there are \"none\" and \"dca\"");
  end
  if (DCA && !TOE) begin : g_bad_dca
    $error("nsoc: the unit \"dca\" moves what the TCP/IP engine has: CONNECTIONS must not be 0");
  end
  if (!is_cache_size(ICACHE_BYTES) || !is_cache_size(DCACHE_BYTES)) begin : g_bad_caches
    $error("nsoc: ICACHE_BYTES and DCACHE_BYTES must be powers of two from 1024 to 65536");
  end

  for (genvar i = 0; i < int'(CORES); i++) begin : g_slot
    localparam bit HAS_UNIT = DCA && i == 0;

    cpu_unit_req_t  unit_req;
    cpu_unit_rsp_t  unit_rsp;
    cpu_line_req_t  line_req;
    cpu_line_rsp_t  line_rsp;
    cpu_retire_t    retire;
    logic           halted, error, unused;
    logic [7:0]     error_cause;
    logic [31:0]    error_pc;
    assign unused = &{1'b0, halted, retire, error, error_cause, error_pc};  // a simulator looks at them

    cpu_slot #(
      .CORE(CORE), .HART_ID(i), .ICACHE_BYTES(ICACHE_BYTES), .DCACHE_BYTES(DCACHE_BYTES), .UNIT(HAS_UNIT),
      .SHARED(CORES > 1)
    ) u_cpu_slot (
      .cpu_clk, .cpu_rst, .run(1'b1), .halted,
      .acb_m2s(core_m2s[i]), .acb_s2m(core_s2m[i]), .snoop('{valid: snoop_valid[i], address: snoop_address}),
      .reserved(reserved[i]), .reserved_lost(reserved_lost[i]),
      .irq('{external: IRQ_LINES'(irq_external[i]), timer: irq_timer[i], software: irq_software[i]}),
      .unit_req, .unit_rsp, .line_req, .line_rsp, .retire, .error, .error_cause, .error_pc
    );

    if (HAS_UNIT) begin : g_dca
      dca_unit #(
        .PACKET_BASE(memory_map_pkg::PACKET_MEMORY_BASE[31:0]), .PACKET_BYTES(LOCAL_MEM_BYTES),
        .DRAM_BASE(memory_map_pkg::DRAM_BASE[31:0]), .DRAM_BYTES(32'(DRAM_BYTES))
      ) u_dca_unit (
        .cpu_clk, .cpu_rst, .unit_req, .unit_rsp, .line_req, .line_rsp, .m2s(dca_m2s), .s2m(dca_s2m),
        .rings_m2s(dca_rings_m2s), .rings_s2m(dca_rings_s2m), .irq(dca_irq)
      );
    end else begin : g_no_unit
      logic unused_unit;
      assign unused_unit = &{1'b0, unit_req, line_rsp};
      assign unit_rsp    = '0;
      assign line_req    = '0;
    end
  end

  if (!DCA) begin : g_no_dca
    logic unused_dca;
    assign unused_dca    = &{1'b0, dca_s2m, dca_m2s, dca_rings_s2m, dca_rings_m2s, dca_irq};
    assign dca_m2s       = '0;
    assign dca_rings_m2s = '0;
    assign dca_irq       = 1'b0;
  end

  cpu_join #(.N(CORES), .DRAM_BASE(ACB_SLAVE_BASE[ACB_DRAM]), .DRAM_MASK(ACB_SLAVE_MASK[ACB_DRAM])) u_cpu_join (
    .clk(cpu_clk), .rst(cpu_rst), .in_m2s(core_m2s), .in_s2m(core_s2m), .out_m2s(cores_m2s),
    .out_s2m(cores_s2m), .dram_taken(slave_taken[ACB_DRAM][MASTER_CORES]), .dram_owner
  );

  // The engine's registers follow the NIC's.
  acb_side_port #(.BASE(NIC_BASE), .MASK(TOE ? ENGINE_MASK : NIC_MASK)) u_nic_port (
    .clk(cpu_clk), .rst(cpu_rst), .acb_m2s(cores_m2s), .acb_s2m(cores_s2m),
    .bus_m2s(master_m2s[MASTER_CORES]), .bus_s2m(master_s2m[MASTER_CORES]), .afb_m2s(side_m2s), .afb_s2m(side_s2m)
  );

  // ---- Memories ------------------------------------------------------------------------------------------------------
  acb_m2s_t below_m2s;  // the L2 cache's way to DRAM
  acb_s2m_t below_s2m;

  acb_crossbar #(
    .MASTERS(ACB_MASTERS), .SLAVES(ACB_SLAVES), .BASE(ACB_SLAVE_BASE), .MASK(ACB_SLAVE_MASK),
    .REACHES(reaches())
  ) u_crossbar (
    .clk(cpu_clk), .rst(cpu_rst), .in_m2s(master_m2s), .in_s2m(master_s2m),
    .out_m2s(slave_m2s), .out_s2m(slave_s2m), .out_master(slave_master), .out_taken(slave_taken)
  );

  boot_rom #(.BYTES(BOOT_ROM_BYTES), .INIT_FILE(BOOT_ROM_INIT)) u_boot_rom (
    .clk(cpu_clk), .rst(cpu_rst), .acb_m2s(slave_m2s[ACB_BOOT_ROM]), .acb_s2m(slave_s2m[ACB_BOOT_ROM])
  );

  local_mem #(.BYTES(LOCAL_MEM_BYTES)) u_local_mem (
    .clk(cpu_clk), .rst(cpu_rst), .a_m2s(slave_m2s[ACB_LOCAL_CORES]), .a_s2m(slave_s2m[ACB_LOCAL_CORES]),
    .b_m2s(slave_m2s[ACB_LOCAL_DEVICES]), .b_s2m(slave_s2m[ACB_LOCAL_DEVICES])
  );

  // Where harts and devices meet, and their accesses get their order
  cpu_reservations #(.HARTS(CORES), .PORTS(3)) u_reservations (
    .clk(cpu_clk),
    .m2s({slave_m2s[ACB_LOCAL_CORES], slave_m2s[ACB_LOCAL_DEVICES], slave_m2s[ACB_DRAM]}),
    .s2m({slave_s2m[ACB_LOCAL_CORES], slave_s2m[ACB_LOCAL_DEVICES], slave_s2m[ACB_DRAM]}),
    .reserved, .lost(reserved_lost)
  );

  l2_level #(.BYTES(L2_BYTES), .MASTERS(CORES + ACB_MASTERS - 1), .CORES(CORES)) u_l2 (
    .clk(cpu_clk), .rst(cpu_rst), .acb_m2s(slave_m2s[ACB_DRAM]), .acb_s2m(slave_s2m[ACB_DRAM]), .acb_req_master(
      {slave_master[ACB_DRAM][ACB_MASTERS-1:1], dram_owner & {CORES{slave_master[ACB_DRAM][MASTER_CORES]}}}),
    .mem_m2s(below_m2s), .mem_s2m(below_s2m), .snoop_valid, .snoop_address,
    .afb_m2s(io_m2s[AFB_L2]), .afb_s2m(io_s2m[AFB_L2])
  );

  dram_port #(.DRAM_BYTES(DRAM_BYTES)) u_dram_port (
    .clk(cpu_clk), .rst(cpu_rst), .acb_m2s(below_m2s), .acb_s2m(below_s2m), .dram_m2s, .dram_s2m
  );

  // ---- Registers: peripherals on the AFB -----------------------------------------------------------------------------
  acb_to_afb u_acb_to_afb (
    .clk(cpu_clk), .rst(cpu_rst), .acb_m2s(slave_m2s[ACB_AFB]), .acb_s2m(slave_s2m[ACB_AFB]), .afb_m2s, .afb_s2m
  );

  afb_router #(.N(DEVICES), .BASE(AFB_SLAVE_BASE[DEVICES-1:0]), .MASK(AFB_SLAVE_MASK[DEVICES-1:0])) u_afb_router (
    .clk(cpu_clk), .rst(cpu_rst), .in_m2s(afb_m2s), .in_s2m(afb_s2m), .out_m2s(io_m2s), .out_s2m(io_s2m)
  );

  intc #(.N(LINES), .HARTS(CORES)) u_intc (
    .clk(cpu_clk), .rst(cpu_rst), .afb_m2s(io_m2s[AFB_INTC]), .afb_s2m(io_s2m[AFB_INTC]), .irq(irq_lines), .irq_external
  );

  timer #(.HARTS(CORES)) u_timer (
    .clk(cpu_clk), .rst(cpu_rst), .afb_m2s(io_m2s[AFB_TIMER]), .afb_s2m(io_s2m[AFB_TIMER]), .irq_timer, .irq_software
  );

  uart #(.DIVISOR_RESET(UART_DIVISOR)) u_uart (
    .clk(cpu_clk), .rst(cpu_rst), .afb_m2s(io_m2s[AFB_UART]), .afb_s2m(io_s2m[AFB_UART]),
    .uart_rxd, .uart_txd, .irq(irq_lines[IRQ_UART])
  );

  // ---- Copy engine ---------------------------------------------------------------------------------------------------
  if (DMA) begin : g_dma
    dma u_dma (
      .clk(cpu_clk), .rst(cpu_rst), .afb_m2s(io_m2s[AFB_DMA]), .afb_s2m(io_s2m[AFB_DMA]),
      .read_m2s(master_m2s[MASTER_DMA_READ]), .read_s2m(master_s2m[MASTER_DMA_READ]),
      .write_m2s(master_m2s[MASTER_DMA_WRITE]), .write_s2m(master_s2m[MASTER_DMA_WRITE]), .irq(irq_lines[IRQ_DMA])
    );
  end

  // ---- Taps: MAC, NIC and engine have their own ------------------------------------------------------------------------------
  if (TRACE) begin : g_trace
    trace_pkg::use_t [MAX_CORES-1:0] cpu_acb_q;
    trace_pkg::use_t                 dram_q;

    always_ff @(posedge cpu_clk) begin
      cpu_acb_q <= '0;
      for (int i = 0; i < int'(CORES); i++) begin
        cpu_acb_q[i] <= trace_pkg::bus_use(core_m2s[i].req_valid, core_s2m[i].req_ready);
      end
      dram_q <= trace_pkg::bus_use(dram_m2s.req_valid, dram_s2m.req_ready);
    end

    assign taps = '{mac: mac_taps, nic: nic_taps, toe: toe_taps, cpu_acb: cpu_acb_q, dram: dram_q};
  end else begin : g_no_trace
    logic unused_taps;
    assign unused_taps = &{1'b0, mac_taps, nic_taps, toe_taps};
    assign taps        = '0;
  end

endmodule
