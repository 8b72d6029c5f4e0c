// SPDX-License-Identifier: Apache-2.0
//
// How a processor treats an address: what it may do with a region of the memory map.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package cpu_regions_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Data that the data cache may hold. 0x00000000-0x4FFFFFFF.
  function automatic logic is_cached(input logic [31:28] address);
    return address[31:30] == 2'b00 || address[31:28] == 4'h4;
  endfunction

  // Memory that instructions may come from. Elsewhere a fetch faults without a bus access, so that no wrong path
  // can ever read (pop) a device register. 0x00000000-0x5FFFFFFF.
  function automatic logic is_executable(input logic [31:29] address);
    return address[31:30] == 2'b00 || address[31:29] == 3'b010;
  endfunction

  // Device registers: value-preserving lanes, side effects, an atomic swap is a single write.
  // 0xFF000000-0xFFFFFFFF.
  function automatic logic is_device(input logic [31:24] address);
    return address[31:24] == 8'hFF;
  endfunction

  // Where a store need not wait for its response. 0x40000000-0x5FFFFFFF, 0xFF000000-0xFFFFFFFF.
  function automatic logic is_postable(input logic [31:24] address);
    return address[31:29] == 3'b010 || address[31:24] == 8'hFF;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
