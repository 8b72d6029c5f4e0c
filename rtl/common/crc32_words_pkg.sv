// SPDX-License-Identifier: Apache-2.0
//
// The CRC of crc32_pkg, eight bytes a step, and the way back over bytes that should not have been in it.
package crc32_words_pkg;

  // Takes a step back over a byte 0: of what crc32_pkg::crc32_step makes of `crc` and 0 this makes `crc` again.
  function automatic logic [31:0] crc32_step_back(input logic [31:0] crc);
    crc32_step_back = crc;
    for (int n = 0; n < 8; n++) begin
      crc32_step_back = {crc32_step_back[30:0], 1'b0} ^ ({32{crc32_step_back[31]}} & 32'hDB71_0641);
    end
  endfunction

  // Eight bytes a step, the first one on top: with a register of 0, bit i behind them is ^(bytes & rows[i]). The
  // register from before comes in as crc32_step has it, byte by byte from its lowest on: add (xor) it to the first four
  // bytes.
  typedef logic [31:0][63:0] crc32_rows_t;

  function automatic crc32_rows_t crc32_rows();
    logic [31:0] crc;
    for (int bit_index = 0; bit_index < 64; bit_index++) begin
      crc = '0;
      for (int n = 7; n >= 0; n--) begin
        crc = crc32_pkg::crc32_step(crc, n == bit_index / 8 ? 8'(1 << bit_index % 8) : 8'h00);
      end
      for (int i = 0; i < 32; i++) crc32_rows[i][bit_index] = crc[i];
    end
  endfunction

  typedef logic [5:0][47:0] hash_rows_t;

  function automatic logic [5:0] hash_by_bytes(input logic [47:0] address);
    logic [31:0] crc;
    crc = crc32_pkg::CRC32_INIT;
    for (int n = 5; n >= 0; n--) crc = crc32_pkg::crc32_step(crc, address[8*n +: 8]);
    return {crc[0], crc[1], crc[2], crc[3], crc[4], crc[5]};
  endfunction

  localparam logic [5:0] HASH_ZEROS = hash_by_bytes('0);

  function automatic hash_rows_t hash_rows();
    logic [5:0] one;
    for (int k = 0; k < 48; k++) begin
      one = hash_by_bytes(48'd1 << k) ^ HASH_ZEROS;
      for (int i = 0; i < 6; i++) hash_rows[i][k] = one[i];
    end
  endfunction

  localparam hash_rows_t HASH_ROWS = hash_rows();

  // Bits 0 (on top) to 5 of the CRC behind a destination address (its first byte on the wire on top): which of the 64
  // bits of a multicast filter is meant. Equal to Linux's ether_crc(6, address) >> 26. For a front that has no CRC of
  // six bytes. Each bit is the parity of some of the address, the same way for all: said so, it is two levels of logic.
  function automatic logic [5:0] address_hash(input logic [47:0] address);
    for (int i = 0; i < 6; i++) address_hash[i] = HASH_ZEROS[i] ^ ^(address & HASH_ROWS[i]);
  endfunction

endpackage
