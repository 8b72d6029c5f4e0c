// SPDX-License-Identifier: Apache-2.0
//
// What the simulator builds: the SoC with its external DRAM. Clocks, wire and UART terminal are on the C++ side
// (sim.cpp); parameters come from the preset.
module sim_top
  import acb_pkg::*;
#(
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned LOCAL_MEM_BYTES = 262144,
  parameter int unsigned UART_DIVISOR    = 8,
  parameter bit          QUEUES_IN_MEMORY = 1'b0,
  parameter int unsigned L2_BYTES        = 0,
  parameter bit          TRACE           = 1'b0
) (
  input  logic       arst,
  input  logic       cpu_clk,
  input  logic       nic_clk,
  input  logic       gmii_rx_clk,
  input  logic [7:0] gmii_rxd,
  input  logic       gmii_rx_dv,
  input  logic       gmii_rx_er,
  input  logic       gmii_tx_clk,
  output logic [7:0] gmii_txd,
  output logic       gmii_tx_en,
  output logic       gmii_tx_er,
  input  logic       uart_rxd,
  output logic       uart_txd,
  // The debugger's: see debug_port.sv. At rest otherwise.
  input  logic        debug_clk,
  input  logic [31:0] debug_pc
);

  localparam longint unsigned DRAM_BYTES = 268435456;

  acb_req_t dram_req;
  acb_rsp_t dram_rsp;
  logic     dram_req_valid, dram_req_ready, dram_rsp_valid, dram_rsp_ready, dram_rst;

  trace_pkg::nsoc_taps_t taps;

  nsoc #(
    .RX_FIFO_BYTES  (RX_FIFO_BYTES),
    .TX_FIFO_BYTES  (TX_FIFO_BYTES),
    .LOCAL_MEM_BYTES(LOCAL_MEM_BYTES),
    .DRAM_BYTES     (DRAM_BYTES),
    .UART_DIVISOR   (UART_DIVISOR),
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY),
    .L2_BYTES       (L2_BYTES),
    .TRACE          (TRACE)
  ) u_nsoc (
    .arst,
    .cpu_clk,
    .nic_clk,
    .gmii_rx_clk,
    .gmii_rxd,
    .gmii_rx_dv,
    .gmii_rx_er,
    .gmii_tx_clk,
    .gmii_txd,
    .gmii_tx_en,
    .gmii_tx_er,
    .dram_req,
    .dram_req_valid,
    .dram_req_ready,
    .dram_rsp,
    .dram_rsp_valid,
    .dram_rsp_ready,
    .uart_rxd,
    .uart_txd,
    .taps
  );

  reset_sync u_dram_reset (.clk(cpu_clk), .arst(arst), .rst(dram_rst));

  dram_model #(
    .BYTES(DRAM_BYTES)
  ) u_dram (
    .clk          (cpu_clk),
    .rst          (dram_rst),
    .acb_req      (dram_req),
    .acb_req_valid(dram_req_valid),
    .acb_req_ready(dram_req_ready),
    .acb_rsp      (dram_rsp),
    .acb_rsp_valid(dram_rsp_valid),
    .acb_rsp_ready(dram_rsp_ready)
  );

  if (TRACE) begin : g_trace
    trace_log u_trace_log (.cpu_clk, .nic_clk, .gmii_rx_clk, .gmii_tx_clk, .taps);
  end

  debug_port u_debug_port (.debug_clk, .debug_pc);

endmodule
