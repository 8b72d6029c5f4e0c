// SPDX-License-Identifier: Apache-2.0
//
// The CRC of crc32_pkg over BYTES bytes at once, the first one on top: `crc` before, `behind` them.
//
// Latency: none (combinational; an XOR of about half of all bits).
module crc32_block #(
  parameter int unsigned BYTES = 16  // four or more
) (
  input  logic [31:0]        crc,
  input  logic [8*BYTES-1:0] bytes,
  output logic [31:0]        behind
);

  // With a register of 0, bit i behind the bytes is ^(bytes & ROWS[i]). What is in the register comes in as crc32_step has it,
  // byte by byte from its lowest on: with the first four bytes.
  typedef logic [31:0][8*BYTES-1:0] block_rows_t;

  function automatic block_rows_t rows();
    logic [7:0][31:0] columns;
    for (int k = 0; k < 8; k++) columns[k] = crc32_pkg::crc32_step('0, 8'(1 << k));
    for (int n = 0; n < int'(BYTES); n++) begin
      for (int k = 0; k < 8; k++) begin
        for (int i = 0; i < 32; i++) rows[i][8*n+k] = columns[k][i];
        columns[k] = crc32_pkg::crc32_step(columns[k], 8'h00);
      end
    end
  endfunction

  localparam block_rows_t ROWS = rows();

  logic [8*BYTES-1:0] sum;

  always_comb begin
    sum = bytes;
    for (int n = 0; n < 4; n++) sum[8*(int'(BYTES)-1-n)+:8] = bytes[8*(int'(BYTES)-1-n)+:8] ^ crc[8*n+:8];
    for (int i = 0; i < 32; i++) behind[i] = ^(sum & ROWS[i]);
  end

endmodule
