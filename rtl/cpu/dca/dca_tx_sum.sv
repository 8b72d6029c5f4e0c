// SPDX-License-Identifier: Apache-2.0
//
// The sum of a segment's payload before it is fetched, out of the lines of a direct connection's send ring: so the segment
// may leave while its payload is still read, a dword a cycle. Where it is known already nothing is read. Part of dca_rings.
//
//     cycle      0      1      2      3           n+1    n+2    n+3    n+4    n+5
//     start      1
//     read              l0     l1     l2    ...                                         n lines
//     line_data                l0     l1    ...   last                                  as of the memory
//     valid                                                                   1         until `done`
//
// Latency: n + 5 cycles from `start` to `valid`, 1 with `known`. One at a time: `start` only while neither `busy` nor `valid`.
// Borders: read and line out of registers and an adder; valid and sum out of registers.
module dca_tx_sum
  import dca_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  logic        start,      // pulse
  input  logic        known,      // beside it: the sum is this
  input  logic [15:0] known_sum,
  input  offset_t     offset,     // of the first byte in its ring
  input  length_t     length,     // at least 1
  output logic        busy,       // the sum is made
  output logic        read,       // `line` of the ring, ...
  output ring_line_t  line,
  input  data_t       line_data,  // ... in the next cycle
  output logic        valid,
  output logic [15:0] sum,        // of the payload's 16-bit words, one's complement
  input  logic        done        // pulse: it is used
);

  localparam int unsigned COUNT_W = LINE_W + 1;

  logic               reads_q, first_q, read_q, odd_q, valid_q;
  logic [3:0]         tail_q;     // behind the last line's read
  logic [COUNT_W-1:0] left_q;     // lines to read
  ring_line_t         line_q;
  logic [4:0]         offset_q, end_q;
  logic [31:0]        from, until_end, mask_q;
  logic [SUM_W-1:0]   total;
  logic [16:0]        folding_q;
  logic [15:0]        folded, sum_q;
  logic               last;

  assign last      = left_q == COUNT_W'(1);
  assign from      = '1 >> offset_q;
  assign until_end = end_q == '0 ? '1 : ~('1 >> end_q);
  assign read      = reads_q;
  assign line      = line_q;
  assign busy      = reads_q || tail_q != '0;

  always_ff @(posedge clk) begin
    if (start) begin
      offset_q <= offset[4:0];
      end_q    <= 5'(length_t'(offset[4:0]) + length);
      line_q   <= offset[OFFSET_W-1:5];
      left_q   <= COUNT_W'((length_t'(offset[4:0]) + length + length_t'(31)) >> 5);
      odd_q    <= offset[0];
      first_q  <= 1'b1;
      reads_q  <= !known;
    end else if (reads_q) begin
      line_q  <= line_q + 1'b1;
      left_q  <= left_q - 1'b1;
      first_q <= 1'b0;
      reads_q <= !last;
    end
    read_q    <= reads_q;
    mask_q    <= (first_q ? from : '1) & (last ? until_end : '1);
    tail_q    <= {tail_q[2:0], reads_q && last};
    folding_q <= 17'(total[15:0]) + 17'(total[SUM_W-1:16]);
    if (tail_q[3]) begin
      sum_q   <= odd_q ? {folded[7:0], folded[15:8]} : folded;
      valid_q <= 1'b1;
    end
    if (start && known) begin
      sum_q   <= known_sum;
      valid_q <= 1'b1;
    end
    if (done) valid_q <= 1'b0;
    if (rst) begin
      reads_q <= 1'b0;
      tail_q  <= '0;
      valid_q <= 1'b0;
    end
  end

  assign folded = folding_q[15:0] + 16'(folding_q[16]);

  dca_sum u_sum (.clk, .clear(start), .valid(read_q), .line(line_data), .mask(mask_q), .sum(total));

  assign valid = valid_q;
  assign sum   = sum_q;

  a_start : assert property (@(posedge clk) disable iff (rst) start -> !busy && !valid_q && length != '0);
  a_done : assert property (@(posedge clk) disable iff (rst) done -> valid_q);

endmodule
