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

  // Eight bytes a step, the first one on top: with a register of 0, bit i behind them is ^(bytes & rows[i]). The register
  // from before comes in as crc32_step has it, byte by byte from its lowest on: add (xor) it to the first four bytes.
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

endpackage
