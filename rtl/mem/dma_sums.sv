// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 and Internet checksum of bytes that pass by as dwords, the first byte on top: what `dma` says of a copy. Bytes
// of the first and of the last dword that do not belong to them are 0.
//
// `start` begins a new sum, `skip` is how many bytes of the first dword do not belong to it. `last` comes with the last
// dword, `trim` then is how many of its bytes do not.
//
// The CRC takes eight bytes a step, never fewer. Bytes 0 in front are made up for at the beginning: the register is set
// to what they turn into CRC32_INIT. Those behind are taken back at the end, one a cycle. For the checksum neither
// matters, but that an odd `skip` swaps its two bytes.
//
//     cycle          0       1       2       3       4      ...     9
//     valid, last   ---
//     parts of CRC and sum   ===
//     CRC                            === taken back ===============
//     sum                                    === carries fold
//     done                                                          ---
//
// Throughput: a dword a cycle. `crc` and `sum` are right while `done`: 9 cycles after `last`, or once `start` was
// given.
// Borders: `crc` is the complement of a register, `sum` comes through one gate, `done` through the compare of a
// counter.
module dma_sums (
  input  logic        clk,
  input  logic        rst,
  input  logic        start,
  input  logic [2:0]  skip,   // of this dword on; stays until `done`
  input  logic        valid,
  input  logic        last,
  input  logic [2:0]  trim,   // stays until `done`
  input  logic [63:0] data,
  output logic        done,
  output logic [31:0] crc,
  output logic [15:0] sum
);

  import crc32_pkg::CRC32_INIT;
  import crc32_words_pkg::*;

  localparam crc32_rows_t ROWS = crc32_rows();

  localparam int unsigned COUNT_W   = 4;
  localparam logic [COUNT_W-1:0] TAIL = 4'd8;  // cycles behind `last` until all is right: one, and seven steps back

  // What the register is before so many bytes 0 turn it into CRC32_INIT.
  function automatic logic [7:0][31:0] starts();
    logic [31:0] state;
    state = CRC32_INIT;
    for (int n = 0; n < 8; n++) begin
      starts[n] = state;
      state     = crc32_step_back(state);
    end
  endfunction

  localparam logic [7:0][31:0] STARTS = starts();

  function automatic logic [31:0] eight_bytes(input logic [63:0] bytes);
    for (int i = 0; i < 32; i++) eight_bytes[i] = ^(bytes & ROWS[i]);
  endfunction

  logic               valid_q;
  logic [31:0]        part_q, crc_q;
  logic [16:0]        upper_q, lower_q;
  logic [17:0]        dword_q;  // sum of a dword's four numbers
  logic [19:0]        sum_q;    // carries of 16 bits wait on top of it
  logic [COUNT_W-1:0] left_q;

  always_ff @(posedge clk) begin
    valid_q <= valid && !rst;
    if (valid) part_q <= eight_bytes(data);
    if (start) crc_q <= STARTS[skip];
    else if (valid_q) crc_q <= part_q ^ eight_bytes({crc_q[7:0], crc_q[15:8], crc_q[23:16], crc_q[31:24], 32'b0});
    else if (left_q != '0 && left_q <= COUNT_W'(trim)) crc_q <= crc32_step_back(crc_q);

    upper_q <= {1'b0, data[63:48]} + {1'b0, data[47:32]};
    lower_q <= {1'b0, data[31:16]} + {1'b0, data[15:0]};
    dword_q <= valid_q ? {1'b0, upper_q} + {1'b0, lower_q} : '0;
    sum_q   <= start ? '0 : {4'b0, sum_q[15:0]} + {16'b0, sum_q[19:16]} + {2'b0, dword_q};

    if (valid && last) left_q <= TAIL;
    else if (left_q != '0) left_q <= left_q - 1'b1;
    if (rst || start) left_q <= '0;
  end

  assign done = left_q == '0;
  assign crc  = ~crc_q;
  assign sum  = skip[0] ? {sum_q[7:0], sum_q[15:8]} : sum_q[15:0];

endmodule
