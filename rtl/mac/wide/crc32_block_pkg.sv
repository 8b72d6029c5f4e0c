// SPDX-License-Identifier: Apache-2.0
//
// The CRC of crc32_pkg over blocks of up to 64 bytes, and the way back over bytes that should not have been in it.
package crc32_block_pkg;

  localparam int unsigned MOST = 64;

  // The first byte on top; a shorter block stands at the lower end, with zeros above: with a register of 0 they change
  // nothing. Bit i behind the block is ^(bytes & rows[i]). The register from before comes in as crc32_step has it: add (xor)
  // it, lowest byte first, to the block's first four bytes.
  typedef logic [31:0][8*MOST-1:0] rows_t;

  function automatic rows_t rows();
    logic [7:0][31:0] columns;
    for (int n = 0; n < 8; n++) columns[n] = crc32_pkg::crc32_step('0, 8'(1 << n));
    for (int n = 0; n < int'(MOST); n++) begin
      for (int bit_index = 0; bit_index < 8; bit_index++) begin
        for (int i = 0; i < 32; i++) rows[i][8*n+bit_index] = columns[bit_index][i];
        columns[bit_index] = crc32_pkg::crc32_step(columns[bit_index], 8'h00);
      end
    end
  endfunction

  localparam rows_t ROWS = rows();

  function automatic logic [31:0] crc32_block(input logic [8*MOST-1:0] bytes);
    for (int i = 0; i < 32; i++) crc32_block[i] = ^(bytes & ROWS[i]);
  endfunction

  // The register as it comes in, see above.
  function automatic logic [31:0] on_top(input logic [31:0] crc);
    return {crc[7:0], crc[15:8], crc[23:16], crc[31:24]};
  endfunction

  // Row i of BACK[n]: which bits of the register make bit i of what it was before n * STEP bytes of 0.
  typedef logic [7:0][31:0][31:0] back_t;

  function automatic back_t back(input int unsigned step);
    logic [31:0] crc;
    for (int bit_index = 0; bit_index < 32; bit_index++) begin
      crc = 32'd1 << bit_index;
      for (int n = 0; n < 8; n++) begin
        for (int i = 0; i < 32; i++) back[n][i][bit_index] = crc[i];
        for (int k = 0; k < int'(step); k++) crc = crc32_words_pkg::crc32_step_back(crc);
      end
    end
  endfunction

  localparam back_t BACK = back(1), BACK_EIGHT = back(8);

  // What the register was before so many bytes of 0.
  function automatic logic [31:0] crc32_before(input logic [31:0] crc, input logic [5:0] zeros);
    logic [31:0] some;
    for (int i = 0; i < 32; i++) some[i] = ^(crc & BACK[zeros[2:0]][i]);
    for (int i = 0; i < 32; i++) crc32_before[i] = ^(some & BACK_EIGHT[zeros[5:3]][i]);
  endfunction

  // Behind a frame and its FCS, and so many bytes of 0.
  typedef logic [MOST:0][31:0] residues_t;

  function automatic residues_t residues();
    logic [31:0] crc;
    crc = crc32_pkg::CRC32_RESIDUE;
    for (int n = 0; n <= int'(MOST); n++) begin
      residues[n] = crc;
      crc         = crc32_pkg::crc32_step(crc, 8'h00);
    end
  endfunction

  localparam residues_t RESIDUES = residues();

endpackage
