// SPDX-License-Identifier: Apache-2.0
//
// What the top of the SoC and those around it agree on.
package nsoc_pkg;

  // Taps (trace_pkg) of the SoC and of the blocks that have some.
  typedef struct packed {
    mac_pkg::mac_taps_t mac;
    nic_pkg::nic_taps_t nic;
    trace_pkg::use_t [cpu_slot_pkg::MAX_CORES-1:0] cpu_acb;  // cpu_clk: the processors' ports, by core
    trace_pkg::use_t    dram;     // cpu_clk: the port to external memory
  } nsoc_taps_t;

endpackage
