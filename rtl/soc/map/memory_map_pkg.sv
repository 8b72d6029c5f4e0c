// SPDX-License-Identifier: Apache-2.0
//
// Where the processor and the NIC find everything, on the buses' 36-bit addresses.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package memory_map_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // What a router compares (bus_router's BASE and MASK), and how many bytes there are: of a memory its size,
  // of a device what it claims.

  // Boot ROM.
  localparam logic [35:0] BOOT_ROM_BASE = 36'h0_0000_0000;
  localparam logic [35:0] BOOT_ROM_MASK = 36'hF_F000_0000;
  localparam longint unsigned BOOT_ROM_BYTES = 64'h10000;

  // External memory.
  localparam logic [35:0] DRAM_BASE = 36'h0_4000_0000;
  localparam logic [35:0] DRAM_MASK = 36'hF_F000_0000;
  localparam longint unsigned DRAM_BYTES = 64'h10000000;

  // Fast local packet memory, never cached.
  localparam logic [35:0] PACKET_MEMORY_BASE = 36'h0_5000_0000;
  localparam logic [35:0] PACKET_MEMORY_MASK = 36'hF_F000_0000;
  localparam longint unsigned PACKET_MEMORY_BYTES = 64'h40000;

  // Registers, over the AFB.
  localparam logic [35:0] AFB_BASE = 36'h0_FF00_0000;
  localparam logic [35:0] AFB_MASK = 36'hF_FF00_0000;
  localparam longint unsigned AFB_BYTES = 64'h1000000;

  // Network interface controller NIC_1.2, or NIC_1.1, whose queues are in memory.
  localparam logic [35:0] NIC_BASE = 36'h0_FF00_0000;
  localparam logic [35:0] NIC_MASK = 36'hF_FFFF_FC00;
  localparam longint unsigned NIC_BYTES = 64'h400;

  // TCP/IP engine, in systems that have it; in others its addresses answer with an error.
  localparam logic [35:0] TOE_BASE = 36'h0_FF00_0400;
  localparam logic [35:0] TOE_MASK = 36'hF_FFFF_FC00;
  localparam longint unsigned TOE_BYTES = 64'h400;

  // UDP datagrams between engine and memory, in systems with a TCP/IP engine; else an error.
  localparam logic [35:0] TOE_UDP_BASE = 36'h0_FF00_0800;
  localparam logic [35:0] TOE_UDP_MASK = 36'hF_FFFF_FF00;
  localparam longint unsigned TOE_UDP_BYTES = 64'h100;

  // Interrupt controller: which of the devices' lines reach the processor.
  localparam logic [35:0] INTC_BASE = 36'h0_FFFF_3000;
  localparam logic [35:0] INTC_MASK = 36'hF_FFFF_FF00;
  localparam longint unsigned INTC_BYTES = 64'h100;

  // Machine timer of the processor, in cycles of the processor clock. The time is the same for all harts.
  localparam logic [35:0] TIMER_BASE = 36'h0_FFFF_3100;
  localparam logic [35:0] TIMER_MASK = 36'hF_FFFF_FF00;
  localparam longint unsigned TIMER_BYTES = 64'h100;

  // 8 data bits, no parity, 1 stop bit; FIFOs of 16 bytes.
  localparam logic [35:0] UART_BASE = 36'h0_FFFF_3200;
  localparam logic [35:0] UART_MASK = 36'hF_FFFF_FF00;
  localparam longint unsigned UART_BYTES = 64'h100;

  // Counters of the L2 cache in front of DRAM; they wrap around.
  localparam logic [35:0] L2_BASE = 36'h0_FFFF_3300;
  localparam logic [35:0] L2_MASK = 36'hF_FFFF_FF00;
  localparam longint unsigned L2_BYTES = 64'h100;

  // Copies bytes between memories, any alignment, and says what their CRC-32 and their Internet checksum are.
  localparam logic [35:0] DMA_BASE = 36'h0_FFFF_3400;
  localparam logic [35:0] DMA_MASK = 36'hF_FFFF_FF00;
  localparam longint unsigned DMA_BYTES = 64'h100;

  // Lines at the interrupt controller.
  localparam int unsigned IRQ_NIC = 0;
  localparam int unsigned IRQ_UART = 1;
  localparam int unsigned IRQ_DMA = 2;
  localparam int unsigned IRQ_TOE = 3;
  localparam int unsigned IRQ_LINES = 4;

  /* verilator lint_on UNUSEDPARAM */

endpackage
