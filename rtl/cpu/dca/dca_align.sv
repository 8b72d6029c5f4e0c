// SPDX-License-Identifier: Apache-2.0
//
// Lines moved by bytes: those of a slot or ring to the place of a buffer in its line, those of a buffer to the place of
// a ring. The one barrel of the unit.
//
//     line --turn by dwords--> line_q, carry_q --shift by bytes--> data
//
// Dword i of `line` goes to place i + turn, modulo 4. A byte moves on by `shift`, from its dword's end into the next
// dword: behind place 3 is place 0, and into the first dword of a line comes the end of the line before (carry_q). Which
// place the first dword has is `first`:
//
// - A load reads its dwords so that they are those of one line of the buffer, but turned; so they come back, and first
//   is 0.
// - A store turns them to the banks in which the ring has them, so first is turn.
//
// Latency: a cycle. Throughput: a line a cycle.
// Borders: `data` and `mask` three multiplexers behind registers.
module dca_align
  import dca_pkg::*;
(
  input  logic        clk,
  input  logic        clear,      // before a transfer: nothing of the line before counts
  input  logic        take,       // `line`
  input  data_t       line,
  input  logic [31:0] line_mask,  // bytes that count; [31] is the first one
  input  logic [1:0]  turn,       // these three stand while one transfer's lines pass
  input  logic [1:0]  first,
  input  logic [2:0]  shift,
  output data_t       data,       // of the line that was taken last
  output logic [31:0] mask
);

  // A byte and whether it counts are moved alike. Place 0 is in the highest bits.
  typedef logic [7:0][8:0]      dword_t;  // [7] is the first byte
  typedef logic [3:0][7:0][8:0] bytes_t;

  /* verilator lint_off UNUSEDSIGNAL */  // its first byte
  function automatic logic [6:0][8:0] last_seven(input dword_t dword);
    return dword[6:0];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  bytes_t          given, turned, line_q, shifted;
  logic [6:0][8:0] carry_q;

  always_comb begin
    for (int unsigned d = 0; d < 4; d++) begin
      for (int unsigned b = 0; b < 8; b++) given[d][b] = {line_mask[8*d+b], line[64*d+8*b +: 8]};
    end
    // Place p is [3 - p]: a turn by one takes [0] to [3], [3] to [2].
    unique case (turn)
      2'd0: turned = given;
      2'd1: turned = {given[0], given[3:1]};
      2'd2: turned = {given[1:0], given[3:2]};
      2'd3: turned = {given[2:0], given[3]};
    endcase
  end

  always_ff @(posedge clk) begin
    if (take) begin
      line_q  <= turned;
      carry_q <= last_seven(line_q[2'(first - 2'd1) ^ 2'd3]);  // of the last dword's place, one before the first's
    end
    if (clear) begin
      for (int unsigned d = 0; d < 4; d++) for (int unsigned b = 0; b < 8; b++) line_q[d][b][8] <= 1'b0;
    end
  end

  // By 0, 2, 4 or 6 bytes, then by one.
  function automatic dword_t shifted_by(input logic [6:0][8:0] prior, input dword_t dword, input logic [2:0] bytes);
    logic [8:0][8:0] pair;  // one byte more in front
    unique case (bytes[2:1])
      2'd0: pair = {prior[0], dword};
      2'd1: pair = {prior[2:0], dword[7:2]};
      2'd2: pair = {prior[4:0], dword[7:4]};
      2'd3: pair = {prior[6:0], dword[7:6]};
    endcase
    return bytes[0] ? pair[8:1] : pair[7:0];
  endfunction

  always_comb begin
    for (int unsigned d = 0; d < 4; d++) begin
      shifted[d] = shifted_by((2'(d) ^ 2'd3) == first ? carry_q : last_seven(line_q[2'(d + 1)]), line_q[d], shift);
      for (int unsigned b = 0; b < 8; b++) {mask[8*d+b], data[64*d+8*b +: 8]} = shifted[d][b];
    end
  end

endmodule
