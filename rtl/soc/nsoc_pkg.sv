// SPDX-License-Identifier: Apache-2.0
//
// The SoC as tables: who is a master of the ACB, what answers on the ACB and on the AFB. Addresses and interrupt lines
// are in memory_map_pkg, which is generated from regs/. A row here and an instance in nsoc.sv add a master or a slave,
// a line in regs/ and a wire in nsoc.sv add an interrupt.
package nsoc_pkg;

  import memory_map_pkg::*;

  // ---- Slaves of the ACB. The local packet memory has two ports, one for the cores and one for the devices.
  typedef enum int unsigned {
    ACB_BOOT_ROM, ACB_DRAM, ACB_LOCAL_CORES, ACB_LOCAL_DEVICES, ACB_AFB, ACB_SLAVES
  } acb_slave_t;

  localparam logic [ACB_SLAVES-1:0][35:0] ACB_SLAVE_BASE = {
    AFB_BASE, PACKET_MEMORY_BASE, PACKET_MEMORY_BASE, DRAM_BASE, BOOT_ROM_BASE
  };
  localparam logic [ACB_SLAVES-1:0][35:0] ACB_SLAVE_MASK = {
    AFB_MASK, PACKET_MEMORY_MASK, PACKET_MEMORY_MASK, DRAM_MASK, BOOT_ROM_MASK
  };

  // ---- Masters of the ACB, and which of these slaves each reaches. All cores are one master (cpu_join). The copy
  // engine's two come last: a system without it has the masters up to there. It goes to the local memory where the
  // cores do, so the devices' port stays the NIC's alone.
  typedef enum int unsigned {MASTER_CORES, MASTER_NIC, MASTER_DMA_READ, MASTER_DMA_WRITE, MASTERS} master_t;

  localparam logic [ACB_SLAVES-1:0] CORES_REACH =
    1 << ACB_BOOT_ROM | 1 << ACB_DRAM | 1 << ACB_LOCAL_CORES | 1 << ACB_AFB;
  localparam logic [ACB_SLAVES-1:0] DEVICES_REACH = 1 << ACB_DRAM | 1 << ACB_LOCAL_DEVICES;

  localparam logic [ACB_SLAVES-1:0] DMA_READS  = 1 << ACB_BOOT_ROM | 1 << ACB_DRAM | 1 << ACB_LOCAL_CORES;
  localparam logic [ACB_SLAVES-1:0] DMA_WRITES = 1 << ACB_DRAM | 1 << ACB_LOCAL_CORES;

  localparam logic [MASTERS-1:0][ACB_SLAVES-1:0] REACHES = {DMA_WRITES, DMA_READS, DEVICES_REACH, CORES_REACH};

  // ---- Slaves of the AFB. The NIC has a port of its own (acb_side_port), which claims its addresses before the ACB
  // does. The copy engine is the last one, too.
  typedef enum int unsigned {AFB_INTC, AFB_TIMER, AFB_UART, AFB_L2, AFB_DMA, AFB_SLAVES} afb_slave_t;

  localparam logic [AFB_SLAVES-1:0][35:0] AFB_SLAVE_BASE = {DMA_BASE, L2_BASE, UART_BASE, TIMER_BASE, INTC_BASE};
  localparam logic [AFB_SLAVES-1:0][35:0] AFB_SLAVE_MASK = {DMA_MASK, L2_MASK, UART_MASK, TIMER_MASK, INTC_MASK};

  // ---- Caches of the cores
  function automatic bit is_cache_size(input int unsigned bytes);
    return bytes >= 1024 && bytes <= 65536 && (bytes & (bytes - 1)) == 0;
  endfunction

  // ---- Taps (trace_pkg) of the SoC and of the blocks that have some.
  typedef struct packed {
    mac_pkg::mac_taps_t mac;
    nic_pkg::nic_taps_t nic;
    toe_pkg::toe_taps_t toe;                                 // 0 without the engine
    trace_pkg::use_t [cpu_slot_pkg::MAX_CORES-1:0] cpu_acb;  // cpu_clk: each core's port
    trace_pkg::use_t    dram;                                // cpu_clk: the port to external memory
  } nsoc_taps_t;

endpackage
