// SPDX-License-Identifier: Apache-2.0
//
// The Ethernet CRC, one byte a step, in the bit order of the wire (least significant bit first).
//
// Start with CRC32_INIT, step through the bytes from the destination address on. The FCS is the complement of the
// result, its least significant byte sent first. A receiver that steps through the FCS too ends at CRC32_RESIDUE.
package crc32_pkg;

  localparam logic [31:0] CRC32_INIT    = 32'hFFFF_FFFF;
  localparam logic [31:0] CRC32_RESIDUE = 32'hDEBB_20E3;

  // The usual 256-entry table is linear, so its eight entries for one-bit indices say everything: each bit of the
  // index adds its entry. That is a plain XOR of 40 bits for simulator and synthesis alike, without a table.
  function automatic logic [31:0] crc32_step(input logic [31:0] crc, input logic [7:0] data);
    logic [7:0] index;
    index = crc[7:0] ^ data;
    return {8'h00, crc[31:8]}
         ^ ({32{index[0]}} & 32'h7707_3096) ^ ({32{index[1]}} & 32'hEE0E_612C)
         ^ ({32{index[2]}} & 32'h076D_C419) ^ ({32{index[3]}} & 32'h0EDB_8832)
         ^ ({32{index[4]}} & 32'h1DB7_1064) ^ ({32{index[5]}} & 32'h3B6E_20C8)
         ^ ({32{index[6]}} & 32'h76DC_4190) ^ ({32{index[7]}} & 32'hEDB8_8320);
  endfunction

endpackage
