// SPDX-License-Identifier: Apache-2.0
//
// The SoC on an ECP5 board with an RGMII PHY: clocks, resets, the PHY's interface, and block RAM in the place of DRAM.
// Boards differ in parameters and pins only: boards/<name>/.
//
// Reset: the button or a PLL out of lock holds everything. When the PLL has locked, the PHY is held for
// PHY_RESET_CLOCKS of clk_in (10 ms, which every PHY is content with); the SoC starts with it, a link takes seconds
// anyway.
//
// The PHY's management port (MDC, MDIO) is not driven: the PHY runs as its strapping pins say, and the link must come
// up at 1000 Mb/s, the only rate of the MAC.
// The LED is lit when the PLL has locked and the PHY is out of reset.
module nsoc_ecp5
  import acb_pkg::*;
#(
  // clocks: see board_clocks
  parameter int unsigned DIVIDE_IN        = 1,
  parameter int unsigned MULTIPLY         = 5,
  parameter int unsigned DIVIDE_NIC       = 5,
  parameter int unsigned DIVIDE_CPU       = 10,
  parameter int unsigned PHY_RESET_CLOCKS = 250_000,
  parameter int unsigned RX_DELAY         = 0,
  parameter int unsigned TXC_DELAY        = 0,
  // the SoC: see nsoc
  parameter string       CORE             = "rv32",
  parameter int unsigned CORES            = 1,
  parameter string       UNIT             = "none",
  parameter int unsigned ICACHE_BYTES     = 8192,
  parameter int unsigned DCACHE_BYTES     = 8192,
  parameter bit          QUEUES_IN_MEMORY = 1'b0,
  parameter int unsigned L2_BYTES         = 0,
  parameter bit          DMA              = 1'b0,
  parameter bit          OFFLOADS         = 1'b0,
  parameter int unsigned CONNECTIONS      = 0,
  parameter int unsigned NIC_HZ           = 125_000_000,
  parameter int unsigned RX_FIFO_BYTES    = 16384,
  parameter int unsigned TX_FIFO_BYTES    = 16384,
  parameter int unsigned MAX_FRAME_BYTES  = 1522,
  parameter int unsigned LOCAL_MEM_BYTES  = 65536,
  parameter int unsigned BOOT_ROM_BYTES   = 16384,
  parameter              BOOT_ROM_INIT    = "",
  parameter int unsigned RAM_BYTES        = 32768,  // block RAM in the place of DRAM
  parameter int unsigned UART_DIVISOR     = 543
) (
  input  logic       clk_in,
  input  logic       reset_n,  // button, low when pressed

  input  logic       rgmii_rxc,
  input  logic [3:0] rgmii_rxd,
  input  logic       rgmii_rx_ctl,
  output logic       rgmii_txc,
  output logic [3:0] rgmii_txd,
  output logic       rgmii_tx_ctl,
  output logic       phy_reset_n,

  input  logic       uart_rxd,
  output logic       uart_txd,
  output logic       led_n
);

  // A program is linked for this much (firmware/lib/link.ld); the block RAM repeats in it.
  localparam longint unsigned LINKED_RAM_BYTES = 1048576;

  logic       nic_clk, cpu_clk, locked, arst, in_rst, cpu_rst;
  logic       gmii_rx_clk, gmii_rx_dv, gmii_rx_er, gmii_tx_en, gmii_tx_er;
  logic [7:0] gmii_rxd, gmii_txd;
  acb_m2s_t   ram_m2s;
  acb_s2m_t   ram_s2m;

  board_clocks #(
    .DIVIDE_IN (DIVIDE_IN),
    .MULTIPLY  (MULTIPLY),
    .DIVIDE_NIC(DIVIDE_NIC),
    .DIVIDE_CPU(DIVIDE_CPU)
  ) u_clocks (
    .clk_in,
    .rst(!reset_n),
    .nic_clk,
    .cpu_clk,
    .locked
  );

  assign arst = !locked || !reset_n;

  reset_sync u_in_reset  (.clk(clk_in),  .arst(arst), .rst(in_rst));
  reset_sync u_cpu_reset (.clk(cpu_clk), .arst(arst), .rst(cpu_rst));

  logic [$clog2(PHY_RESET_CLOCKS + 1)-1:0] phy_wait_q;
  logic                                    phy_reset_n_q;

  always_ff @(posedge clk_in) begin
    if (phy_wait_q == $bits(phy_wait_q)'(PHY_RESET_CLOCKS)) phy_reset_n_q <= 1'b1;
    else phy_wait_q <= phy_wait_q + 1'b1;
    if (in_rst) begin
      phy_wait_q    <= '0;
      phy_reset_n_q <= 1'b0;
    end
  end

  assign phy_reset_n = phy_reset_n_q;
  assign led_n       = !phy_reset_n_q;

  rgmii #(
    .RX_DELAY (RX_DELAY),
    .TXC_DELAY(TXC_DELAY)
  ) u_rgmii (
    .rgmii_rxc,
    .rgmii_rxd,
    .rgmii_rx_ctl,
    .rgmii_txc,
    .rgmii_txd,
    .rgmii_tx_ctl,
    .gmii_rx_clk,
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .gmii_tx_clk(nic_clk),
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er
  );

  nsoc #(
    .CORE            (CORE),
    .CORES           (CORES),
    .UNIT            (UNIT),
    .ICACHE_BYTES    (ICACHE_BYTES),
    .DCACHE_BYTES    (DCACHE_BYTES),
    .RX_FIFO_BYTES   (RX_FIFO_BYTES),
    .TX_FIFO_BYTES   (TX_FIFO_BYTES),
    .MAX_FRAME_BYTES (MAX_FRAME_BYTES),
    .LOCAL_MEM_BYTES (LOCAL_MEM_BYTES),
    .BOOT_ROM_BYTES  (BOOT_ROM_BYTES),
    .BOOT_ROM_INIT   (BOOT_ROM_INIT),
    .DRAM_BYTES      (LINKED_RAM_BYTES),
    .UART_DIVISOR    (UART_DIVISOR),
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY),
    .L2_BYTES        (L2_BYTES),
    .DMA             (DMA),
    .OFFLOADS        (OFFLOADS),
    .CONNECTIONS     (CONNECTIONS),
    .NIC_HZ          (NIC_HZ)
  ) u_nsoc (
    .arst,
    .cpu_clk,
    .nic_clk,
    .gmii_rx_clk,
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .gmii_tx_clk(nic_clk),
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er,
    .dram_m2s   (ram_m2s),
    .dram_s2m   (ram_s2m),
    .uart_rxd,
    .uart_txd,
    /* verilator lint_off PINCONNECTEMPTY */
    .taps       ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  acb_ram #(
    .BYTES(RAM_BYTES)
  ) u_ram (
    .clk    (cpu_clk),
    .rst    (cpu_rst),
    .acb_m2s(ram_m2s),
    .acb_s2m(ram_s2m)
  );

endmodule
