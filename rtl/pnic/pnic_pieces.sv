// SPDX-License-Identifier: Apache-2.0
//
// Cuts a descriptor of the DMA assists into pieces, each one request to the host: at most HOST_BURST bytes, none
// crosses a multiple of 4096 at the host, and at the local end each is in HOST_BURST / 16 beats at most: all but the
// first begin at a beat, as far as 4096 lets them.
//
// A descriptor:
//   w0, w1  address at the host, low and high
//   w2      local address of a byte; [31] set: in the scratchpad (a multiple of 4), else in the frame memory
//   w3      [15:0] bytes
//
// Latency: 2 cycles to the first piece. Throughput: a piece a cycle, and a cycle more for each descriptor.
// Borders: out of registers.
module pnic_pieces
  import pnic_pkg::*;
(
  input  logic             clk,
  input  logic             rst,
  input  logic             desc_valid,
  output logic             desc_ready,
  /* verilator lint_off UNUSEDSIGNAL */  // addresses are longer than the memories
  input  logic [3:0][31:0] desc,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             piece_valid,
  input  logic             piece_ready,
  output dma_piece_t       piece
);

  localparam int unsigned PAGE_W = 12;
  localparam int unsigned LEFT_W = 14;

  logic [63:0]        address_q;
  logic [LOCAL_W-1:0] local_q;
  logic [LEFT_W-1:0]  left_q;
  logic               pad_q, busy, free;
  logic [PAGE_W:0]    page_room;
  logic [8:0]         local_room, bytes;
  logic               last;

  assign busy       = left_q != '0;
  assign desc_ready = !busy;
  assign free       = !piece_valid || piece_ready;
  assign page_room  = (PAGE_W + 1)'(1 << PAGE_W) - (PAGE_W + 1)'(address_q[PAGE_W-1:0]);
  assign local_room = 9'(HOST_BURST) - 9'(local_q[3:0]);

  always_comb begin
    bytes = local_room;
    if (page_room < (PAGE_W + 1)'(bytes)) bytes = 9'(page_room);
    last = left_q <= LEFT_W'(bytes);
    if (last) bytes = 9'(left_q);
  end

  always_ff @(posedge clk) begin
    if (!busy) begin
      address_q <= {desc[1], desc[0]};
      pad_q     <= desc[2][31];
      local_q   <= desc[2][31] ? {desc[2][LOCAL_W-1:2], 2'b00} : desc[2][LOCAL_W-1:0];
      if (desc_valid) left_q <= desc[3][LEFT_W-1:0];
    end else if (free) begin
      address_q <= address_q + 64'(bytes);
      local_q   <= local_q + LOCAL_W'(bytes);
      left_q    <= left_q - LEFT_W'(bytes);
    end
    if (free) begin
      piece_valid <= busy;
      piece       <= '{address: address_q, bytes: bytes, pad: pad_q, local_address: local_q, last: last};
    end
    if (rst) begin
      left_q      <= '0;
      piece_valid <= 1'b0;
    end
  end

  a_piece : assert property (@(posedge clk) disable iff (rst)
    piece_valid -> piece.bytes != '0 && 32'(piece.bytes) <= HOST_BURST);

endmodule
