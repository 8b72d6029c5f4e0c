// SPDX-License-Identifier: Apache-2.0
//
// A datagram's lines, as they are in their slot, moved to the place of a buffer in its line. The one barrel of the
// unit.
//
//     line (banks) --turn by dwords--> line_q, carry_q --shift by bytes--> data
//
// The slot is read so that its four dwords are those of one line of the buffer, but turned (dca_slots, rx_turn): dword
// i of `line` belongs to place i + turn, modulo 4. A shift by bytes needs one more, the last one of the line before:
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
  logic [63:0]  carry_q;
  logic [303:0] shifted;

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
      carry_q <= line_q[63:0];
    end
  end

  // By 0, 2, 4 or 6 bytes, then by one.
  assign shifted = 304'({carry_q, line_q} >> {shift[2:1], 4'd0});
  assign data    = shift[0] ? shifted[263:8] : shifted[255:0];

  logic unused;
  assign unused = &{1'b0, shifted[303:264]};

endmodule
