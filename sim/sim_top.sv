// SPDX-License-Identifier: Apache-2.0
//
// What the simulator builds: the SoC with its external DRAM, the controller in its own clock domain and the model of
// the memory behind it. Clocks, wire and UART terminal are on the C++ side (sim.cpp); parameters come from the preset.
module sim_top
  import acb_pkg::*;
  import ddr3_pkg::*;
#(
  parameter string       CORE            = "rv32",
  parameter int unsigned CORES           = 1,
  parameter string       UNIT            = "none",
  parameter int unsigned ICACHE_BYTES    = 8192,
  parameter int unsigned DCACHE_BYTES    = 8192,
  parameter int unsigned RX_FIFO_BYTES   = 16384,
  parameter int unsigned TX_FIFO_BYTES   = 16384,
  parameter int unsigned MAX_FRAME_BYTES = 1522,
  parameter int unsigned LOCAL_MEM_BYTES = 262144,
  parameter int unsigned UART_DIVISOR    = 8,
  parameter bit          QUEUES_IN_MEMORY = 1'b0,
  parameter int unsigned L2_BYTES        = 0,
  parameter int unsigned DRAM_CLK_PS     = 5000,
  parameter bit          ONE_CLOCK       = 1'b0,  // nic_clk is cpu_clk: the C++ side gives both the same edges
  parameter bit          DMA             = 1'b0,
  parameter bit          OFFLOADS        = 1'b0,
  parameter int unsigned CONNECTIONS     = 0,
  parameter int unsigned NIC_HZ          = 125000000,
  parameter bit          TRACE           = 1'b0
) (
  input  logic       arst,
  input  logic       cpu_clk,
  input  logic       dram_clk,
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
  // Something is under way between the SoC and the memory. When it has been low for some edges of dram_clk, another one
  // changes nothing but u_controller's refi_q and u_memory's now_q.
  output logic       dram_busy,
  // The debugger's: see debug_port.sv. A clock for each core, at rest otherwise.
  input  logic [CORES-1:0] debug_clk,
  input  logic [3:0]  debug_what,
  input  logic [11:0] debug_number,
  input  logic [31:0] debug_value,
  input  logic [31:0] debug_data
);

  localparam longint unsigned DRAM_BYTES = 268435456;

  // Longer would only be longer: the memory's 700 us from power-up to its first command.
  localparam int unsigned POWER_UP_CYCLES = 16;

  acb_m2s_t dram_m2s, mem_m2s;
  acb_s2m_t dram_s2m, mem_s2m;
  logic     dram_cpu_rst, dram_rst;

  dram_command_t      command;
  logic [BURST_W-1:0] write_data, read_data;
  logic [MASK_W-1:0]  write_mask;
  logic               read_data_valid, controller_idle;

  nsoc_pkg::nsoc_taps_t taps;

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
    .DRAM_BYTES      (DRAM_BYTES),
    .UART_DIVISOR    (UART_DIVISOR),
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY),
    .L2_BYTES        (L2_BYTES),
    .ONE_CLOCK       (ONE_CLOCK),
    .DMA             (DMA),
    .OFFLOADS        (OFFLOADS),
    .CONNECTIONS     (CONNECTIONS),
    .NIC_HZ          (NIC_HZ),
    .TRACE           (TRACE)
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
    .dram_m2s,
    .dram_s2m,
    .uart_rxd,
    .uart_txd,
    .taps
  );

  reset_sync u_dram_cpu_reset (.clk(cpu_clk), .arst(arst), .rst(dram_cpu_rst));
  reset_sync u_dram_reset (.clk(dram_clk), .arst(arst), .rst(dram_rst));

  acb_cdc u_dram_cdc (
    .in_clk (cpu_clk),
    .in_rst (dram_cpu_rst),
    .in_m2s (dram_m2s),
    .in_s2m (dram_s2m),
    .out_clk(dram_clk),
    .out_rst(dram_rst),
    .out_m2s(mem_m2s),
    .out_s2m(mem_s2m)
  );

  if (TRACE) begin : g_trace
    trace_log #(.CORES(CORES)) u_trace_log (.cpu_clk, .nic_clk, .gmii_rx_clk, .gmii_tx_clk, .taps);
    for (genvar i = 0; i < int'(CORES); i++) begin : g_core
      if (CORE == "sparc") begin : g_sparc
        trace_core #($sformatf("core%0d", i)) u_core (
          .clk   (cpu_clk),
          .leaves(u_nsoc.g_slot[i].u_cpu_slot.g_sparc.u_v8_slot.u_debug_port.m_valid &&
                  !u_nsoc.g_slot[i].u_cpu_slot.g_sparc.u_v8_slot.u_debug_port.mem_stall &&
                  !u_nsoc.g_slot[i].u_cpu_slot.g_sparc.u_v8_slot.u_debug_port.m_annulled &&
                  u_nsoc.g_slot[i].u_cpu_slot.g_sparc.u_v8_slot.u_debug_port.m_ends),
          .pc    (u_nsoc.g_slot[i].u_cpu_slot.g_sparc.u_v8_slot.u_debug_port.m_pc)
        );
      end else begin : g_rv32
        trace_core #($sformatf("core%0d", i)) u_core (
          .clk   (cpu_clk),
          .leaves(u_nsoc.g_slot[i].u_cpu_slot.g_rv32.u_rv_slot.u_core.m_valid_q &&
                  !u_nsoc.g_slot[i].u_cpu_slot.g_rv32.u_rv_slot.u_core.mem_stall),
          .pc    (u_nsoc.g_slot[i].u_cpu_slot.g_rv32.u_rv_slot.u_core.m_pc_q[31:2])
        );
      end
    end
  end

  dram_controller #(
    .CLK_PS      (DRAM_CLK_PS),
    .RESET_CYCLES(POWER_UP_CYCLES),
    .CKE_CYCLES  (POWER_UP_CYCLES)
  ) u_controller (
    .clk    (dram_clk),
    .rst    (dram_rst),
    .acb_m2s(mem_m2s),
    .acb_s2m(mem_s2m),
    .command,
    .write_data,
    .write_mask,
    .read_data,
    .read_data_valid,
    .idle   (controller_idle)
  );

  ddr3_model #(
    .CLK_PS(DRAM_CLK_PS),
    .BYTES (DRAM_BYTES)
  ) u_memory (
    .clk(dram_clk),
    .rst(dram_rst),
    .command,
    .write_data,
    .write_mask,
    .read_data,
    .read_data_valid
  );

  assign dram_busy = dram_m2s.req_valid || dram_s2m.rsp_valid || mem_m2s.req_valid || !controller_idle || dram_rst;

  bind rv_slot debug_port u_debug_port (.debug_clk(sim_top.debug_clk[HART_ID]), .what(sim_top.debug_what),
    .number(sim_top.debug_number), .value(sim_top.debug_value), .data(sim_top.debug_data));
  bind rv_slot debug_lsu_port u_debug_lsu (.debug_clk(sim_top.debug_clk[HART_ID]), .what(sim_top.debug_what));
  bind v8_slot v8_debug_port u_debug_port (.debug_clk(sim_top.debug_clk[HART_ID]), .what(sim_top.debug_what),
    .number(sim_top.debug_number), .value(sim_top.debug_value), .data(sim_top.debug_data));
  bind v8_slot debug_lsu_port u_debug_lsu (.debug_clk(sim_top.debug_clk[HART_ID]), .what(sim_top.debug_what));

endmodule
