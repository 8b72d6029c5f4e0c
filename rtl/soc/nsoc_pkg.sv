// SPDX-License-Identifier: Apache-2.0
//
// The SoC as tables: who is a master of memory, what answers on the ACB, what answers on the AFB. Addresses and interrupt
// lines are in memory_map_pkg, which is generated from regs/. A row more here, and its instance in nsoc.sv, adds a master or
// a slave.
package nsoc_pkg;

  import memory_map_pkg::*;

  // ---- Masters of the ACB beside the cores, which come first.
  typedef enum int unsigned {DEVICE_NIC, DEVICES} device_t;

  // ---- Slaves of the ACB. The local packet memory has a port for the cores and one for the devices.
  typedef enum int unsigned {ACB_BOOT_ROM, ACB_DRAM, ACB_LOCAL_CORES, ACB_LOCAL_DEVICES, ACB_AFB, ACB_SLAVES} acb_slave_t;

  localparam logic [ACB_SLAVES-1:0][35:0] ACB_BASE = {
    AFB_BASE, PACKET_MEMORY_BASE, PACKET_MEMORY_BASE, DRAM_BASE, BOOT_ROM_BASE
  };
  localparam logic [ACB_SLAVES-1:0][35:0] ACB_MASK = {
    AFB_MASK, PACKET_MEMORY_MASK, PACKET_MEMORY_MASK, DRAM_MASK, BOOT_ROM_MASK
  };

  localparam logic [ACB_SLAVES-1:0] CORE_REACHES   = 5'b1_0_1_1_1;
  localparam logic [ACB_SLAVES-1:0] DEVICE_REACHES = 5'b0_1_0_1_0;

  // ---- Slaves of the AFB.
  typedef enum int unsigned {AFB_NIC, AFB_INTC, AFB_TIMER, AFB_UART, AFB_L2, AFB_SLAVES} afb_slave_t;

  localparam logic [AFB_SLAVES-1:0][35:0] AFB_SLAVE_BASE = {L2_BASE, UART_BASE, TIMER_BASE, INTC_BASE, NIC_BASE};
  localparam logic [AFB_SLAVES-1:0][35:0] AFB_SLAVE_MASK = {L2_MASK, UART_MASK, TIMER_MASK, INTC_MASK, NIC_MASK};

  // ---- Taps (trace_pkg) of the SoC and of the blocks that have some.
  typedef struct packed {
    mac_pkg::mac_taps_t mac;
    nic_pkg::nic_taps_t nic;
    trace_pkg::use_t    cpu_acb;  // cpu_clk: the port of core 0
    trace_pkg::use_t    dram;     // cpu_clk: the port to external memory
  } nsoc_taps_t;

endpackage
