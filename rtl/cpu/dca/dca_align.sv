// SPDX-License-Identifier: Apache-2.0
//
// Lines moved by bytes: those of a slot or ring to the place of a buffer in its line, those of a buffer to the place of
// a ring. The one barrel of the unit.
//
//     line --turn by dwords--> line_q --by 0, 2, 4 or 6 bytes--> evened --by one--> data
//                                                                  \--> before_q --^
//
// Dword i of `line` goes to place i + turn, modulo 4. A byte moves on by `shift`, from its dword's end into the next
// dword: behind place 3 is place 0, and into the first dword of a line comes the end of the line before. Which place
// the first dword has is `first`:
//
// - A load reads its dwords so that they are those of one line of the buffer, but turned; so they come back, and first
//   is 0.
// - A store turns them to the banks in which the ring has them, so first is turn.
//
// So a line is turned as a whole, and of the first dword as many bytes as `shift` says are those of the line before,
// which was turned alike.
//
// Latency: a cycle. Throughput: a line a cycle.
// Borders: `taken` and `taken_mask` registers; `data` and `mask` two multiplexers behind registers.
module dca_align
  import dca_pkg::*;
(
  input  logic        clk,
  input  logic        clear,       // before a transfer: nothing of the line before counts
  input  logic        take,        // `line`
  input  data_t       line,
  input  logic        masks,       // bytes that do not count become zero
  input  logic [31:0] line_mask,   // bytes that count, of the places where they go to; [31] is the first one
  input  logic [1:0]  turn,        // these three stand from the cycle before the first line on
  input  logic [1:0]  first,
  input  logic [2:0]  shift,
  output data_t       taken,       // the line that was taken last, turned ...
  output logic [31:0] taken_mask,
  output data_t       data,        // ... and shifted
  output logic [31:0] mask
);

  // A byte and whether it counts are moved alike. [31] is the first one.
  typedef logic [31:0][8:0] line_bytes_t;

  data_t       turned;
  line_bytes_t line_q, before_q, evened, shifted;
  logic [31:0] takes_before_q;            // bytes that come from the line before
  logic        odd_q;

  // Each bit is a multiplexer of four twice: one LUT of six inputs each time. Multiplexers whose outputs are a step apart
  // have pairs of inputs in common; Yosys would share these, and need a quarter more LUTs. So they have different copies
  // of the steps, one of them inverted.
  logic [1:0] turn_q, not_turn_q, even_q, not_even_q;

  always_ff @(posedge clk) begin
    turn_q     <= turn;
    not_turn_q <= ~turn;
    even_q     <= shift[2:1];
    not_even_q <= ~shift[2:1];
    odd_q      <= shift[0];
    for (int unsigned i = 0; i < 32; i++) takes_before_q[i] <= ~3'(i) < shift;
    for (int unsigned d = 0; d < 4; d++) if (first != 2'(d)) takes_before_q[24-8*d +: 8] <= '0;
  end

  // What goes on by a step comes from one step above: [31] is the first byte.
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      unique case (i[4] ? ~not_turn_q : turn_q)
        2'd0: turned[8*i +: 8] = line[8*i +: 8];
        2'd1: turned[8*i +: 8] = line[8*((i + 8) % 32) +: 8];
        2'd2: turned[8*i +: 8] = line[8*((i + 16) % 32) +: 8];
        2'd3: turned[8*i +: 8] = line[8*((i + 24) % 32) +: 8];
      endcase
      unique case (i[2] ? ~not_even_q : even_q)
        2'd0: evened[i] = line_q[i];
        2'd1: evened[i] = line_q[(i + 2) % 32];
        2'd2: evened[i] = line_q[(i + 4) % 32];
        2'd3: evened[i] = line_q[(i + 6) % 32];
      endcase
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      before_q <= evened;
      for (int unsigned i = 0; i < 32; i++) begin
        line_q[i] <= {line_mask[i], masks && !line_mask[i] ? 8'd0 : turned[8*i +: 8]};
      end
    end
    if (clear) for (int unsigned i = 0; i < 32; i++) line_q[i][8] <= 1'b0;
  end

  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      shifted[i] = takes_before_q[i] ? (odd_q ? before_q[(i + 1) % 32] : before_q[i])
                   : (odd_q ? evened[(i + 1) % 32] : evened[i]);
      {mask[i], data[8*i +: 8]} = shifted[i];
      {taken_mask[i], taken[8*i +: 8]} = line_q[i];
    end
  end

endmodule
