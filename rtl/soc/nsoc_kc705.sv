// SPDX-License-Identifier: Apache-2.0
//
// The SoC on a KC705 (XC7K325T, PHY 88E1111 over GMII): clocks, resets, pins, and block RAM in the place of DRAM.
// Nobody has run this on a board; what is known of it is that Yosys elaborates and synthesizes it.
//
// Reset: the button or an MMCM out of lock holds everything; the PHY is held PHY_RESET_CLOCKS of nic_clk longer
// (10 ms). Its management port is not driven: it runs as strapped, and the link must come up at 1000 Mb/s.
// The LED is lit when the PHY is out of reset.
module nsoc_kc705
  import acb_pkg::*;
#(
  // clocks: see board_clocks
  parameter int unsigned DIVIDE_IN        = 8,
  parameter int unsigned MULTIPLY         = 5,
  parameter int unsigned DIVIDE_NIC       = 8,
  parameter int unsigned DIVIDE_CPU       = 13,
  parameter int unsigned PHY_RESET_CLOCKS = 1_250_000,
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
  parameter int unsigned LOCAL_MEM_BYTES  = 262144,
  parameter int unsigned BOOT_ROM_BYTES   = 65536,
  parameter              BOOT_ROM_INIT    = "",
  parameter int unsigned RAM_BYTES        = 262144,  // block RAM in the place of DRAM
  parameter int unsigned UART_DIVISOR     = 668
) (
  input  logic       clk_in_p,
  input  logic       clk_in_n,
  input  logic       reset,  // button, high when pressed

  input  logic       phy_rx_clk,
  input  logic [7:0] phy_rxd,
  input  logic       phy_rx_dv,
  input  logic       phy_rx_er,
  output logic       phy_gtx_clk,
  output logic [7:0] phy_txd,
  output logic       phy_tx_en,
  output logic       phy_tx_er,
  output logic       phy_reset_n,

  input  logic       uart_rxd,
  output logic       uart_txd,
  output logic       led
);

  // A program is linked for this much (firmware/lib/link.ld); the block RAM repeats in it.
  localparam longint unsigned LINKED_RAM_BYTES = 1048576;

  logic       clk_in, nic_clk, cpu_clk, locked, arst, nic_rst, cpu_rst;
  logic       gmii_rx_clk, gmii_rx_dv, gmii_rx_er, gmii_tx_en, gmii_tx_er;
  logic [7:0] gmii_rxd, gmii_txd;
  acb_m2s_t   ram_m2s;
  acb_s2m_t   ram_s2m;

  clock_input u_clock_input (.pin_p(clk_in_p), .pin_n(clk_in_n), .clk(clk_in));

  board_clocks #(
    .DIVIDE_IN (DIVIDE_IN),
    .MULTIPLY  (MULTIPLY),
    .DIVIDE_NIC(DIVIDE_NIC),
    .DIVIDE_CPU(DIVIDE_CPU)
  ) u_clocks (
    .clk_in,
    .rst(reset),
    .nic_clk,
    .cpu_clk,
    .locked
  );

  assign arst = !locked || reset;

  reset_sync u_nic_reset (.clk(nic_clk), .arst(arst), .rst(nic_rst));
  reset_sync u_cpu_reset (.clk(cpu_clk), .arst(arst), .rst(cpu_rst));

  logic [$clog2(PHY_RESET_CLOCKS + 1)-1:0] phy_wait_q;
  logic                                    phy_reset_n_q;

  always_ff @(posedge nic_clk) begin
    if (phy_wait_q == $bits(phy_wait_q)'(PHY_RESET_CLOCKS)) phy_reset_n_q <= 1'b1;
    else phy_wait_q <= phy_wait_q + 1'b1;
    if (nic_rst) begin
      phy_wait_q    <= '0;
      phy_reset_n_q <= 1'b0;
    end
  end

  assign phy_reset_n = phy_reset_n_q;
  assign led         = phy_reset_n_q;

  gmii_input u_gmii_input (
    .rx_clk_pin(phy_rx_clk),
    .rxd_pins  (phy_rxd),
    .rx_dv_pin (phy_rx_dv),
    .rx_er_pin (phy_rx_er),
    .gmii_rx_clk,
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er
  );

  // GMII transmit: registers at the pins; their clock leaves inverted, so that its rising edge is amid the data.
  (* IOB = "TRUE" *) logic [9:0] tx_pins_q;

  always_ff @(posedge nic_clk) tx_pins_q <= {gmii_tx_er, gmii_tx_en, gmii_txd};

  assign {phy_tx_er, phy_tx_en, phy_txd} = tx_pins_q;

  ddr_output u_gtx_clk (.clk(nic_clk), .rise(1'b0), .fall(1'b1), .pins(phy_gtx_clk));

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
