// SPDX-License-Identifier: Apache-2.0
//
// A datagram's lines, as they are in their slot, moved to the place of a buffer in its line. The one barrel of the
// unit.
//
//     line (banks) --turn by dwords--> line_q, carry_q --shift by bytes--> data
//
// The slot is read so that its four dwords are those of one line of the buffer, but turned (dca_slots, rx_turn): dword
// i of `line` belongs to place i + turn, modulo 4. A shift by bytes needs the end of the line before, too:
// carry_q.
//
// Latency: a cycle. Throughput: a line a cycle.
// Borders: `data` two multiplexers behind registers.
module dca_align
  import dca_pkg::*;
(
  input  logic       clk,
  input  logic       take,   // `line`
  input  data_t      line,
  input  logic [1:0] turn,   // dwords, stable in a datagram
  input  logic [2:0] shift,  // bytes, stable in a datagram
  output data_t      data    // of the line that was taken last
);

  data_t        line_q, turned;
  logic [55:0]  carry_q;
  logic [263:0] shifted;

  always_comb begin
    unique case (turn)
      2'd0: turned = line;
      2'd1: turned = {line[63:0], line[255:64]};
      2'd2: turned = {line[127:0], line[255:128]};
      2'd3: turned = {line[191:0], line[255:192]};
    endcase
  end

  always_ff @(posedge clk) begin
    if (take) begin
      line_q  <= turned;
      carry_q <= line_q[55:0];
    end
  end

  // By 0, 2, 4 or 6 bytes, then by one.
  always_comb begin
    unique case (shift[2:1])
      2'd0: shifted = {carry_q[7:0], line_q};
      2'd1: shifted = {carry_q[23:0], line_q[255:16]};
      2'd2: shifted = {carry_q[39:0], line_q[255:32]};
      2'd3: shifted = {carry_q[55:0], line_q[255:48]};
    endcase
  end

  assign data = shift[0] ? shifted[263:8] : shifted[255:0];

endmodule
