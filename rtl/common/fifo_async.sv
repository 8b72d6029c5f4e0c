// SPDX-License-Identifier: Apache-2.0
//
// Dual-clock FIFO: the crossing that every multi-bit channel between clock domains uses. Gray-coded pointers, two-flop
// synchronizers, for small depths (distributed RAM).
//
// What crosses starts from registers, the memory's words and the Gray pointers. The reader has no register more:
// rd_valid is one comparison behind the synchronizer, rd_data the memory's output. Take both into registers.
//
// Latency from a write into the empty FIFO to rd_valid: two to three rd_clk edges. A freed place is seen by the
// writer three to four wr_clk edges later (wr_ready is a register); DEPTH 8 keeps one beat a cycle of the slower clock
// for similar clocks.
// Capacity: DEPTH beats.
//
// Both resets must be asserted together, each long enough for the slower clock to see it (reset_sync does this).
// Timing constraint: the Gray pointers need the one of sync_bits; a word stands in the memory for more than a cycle of
// rd_clk before rd_valid shows it.
module fifo_async #(
  parameter int unsigned WIDTH = 8,
  parameter int unsigned DEPTH = 8
) (
  input  logic             wr_clk,
  input  logic             wr_rst,
  input  logic [WIDTH-1:0] wr_data,
  input  logic             wr_valid,
  output logic             wr_ready,

  input  logic             rd_clk,
  input  logic             rd_rst,
  output logic [WIDTH-1:0] rd_data,
  output logic             rd_valid,
  input  logic             rd_ready
);

  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("fifo_async: DEPTH must be a power of two of at least 4");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  function automatic logic [PTR_W:0] gray(input logic [PTR_W:0] binary);
    return binary ^ (binary >> 1);
  endfunction

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [DEPTH];

  // Writer: full when the pointers' Gray codes differ in exactly the two top bits. A register, as `wr_ready` often has
  // a long way to go: late to fall by a cycle, never late to rise.
  logic [PTR_W:0] wr_ptr_q, wr_ptr_d, wr_gray_q, rd_gray_in_wr;
  logic [PTR_W:0] full_gray;
  logic           full_q, push;

  assign full_gray = rd_gray_in_wr ^ ((PTR_W + 1)'(3) << (PTR_W - 1));
  assign push      = wr_valid && !full_q;
  assign wr_ready  = !full_q;
  assign wr_ptr_d  = wr_ptr_q + (PTR_W + 1)'(push);

  always_ff @(posedge wr_clk) if (push) mem[wr_ptr_q[PTR_W-1:0]] <= wr_data;

  always_ff @(posedge wr_clk) begin
    if (wr_rst) begin
      wr_ptr_q  <= '0;
      wr_gray_q <= '0;
      full_q    <= 1'b0;
    end else begin
      wr_ptr_q  <= wr_ptr_d;
      wr_gray_q <= gray(wr_ptr_d);
      full_q    <= (push ? gray(wr_ptr_q + 1'b1) : wr_gray_q) == full_gray;
    end
  end

  // Reader.
  logic [PTR_W:0] rd_ptr_q, rd_ptr_d, rd_gray_q, wr_gray_in_rd;

  assign rd_valid = rd_gray_q != wr_gray_in_rd;
  assign rd_data  = mem[rd_ptr_q[PTR_W-1:0]];
  assign rd_ptr_d = rd_ptr_q + (PTR_W + 1)'(rd_valid && rd_ready);

  always_ff @(posedge rd_clk) begin
    if (rd_rst) begin
      rd_ptr_q  <= '0;
      rd_gray_q <= '0;
    end else begin
      rd_ptr_q  <= rd_ptr_d;
      rd_gray_q <= gray(rd_ptr_d);
    end
  end

  sync_bits #(.WIDTH(PTR_W + 1)) u_rd_gray_in_wr (.clk(wr_clk), .rst(wr_rst), .d(rd_gray_q), .q(rd_gray_in_wr));
  sync_bits #(.WIDTH(PTR_W + 1)) u_wr_gray_in_rd (.clk(rd_clk), .rst(rd_rst), .d(wr_gray_q), .q(wr_gray_in_rd));

  // What must hold: no bit but one changes at an edge, so that whoever samples in between sees the old pointer or the
  // new.
  a_wr_gray : assert property (@(posedge wr_clk) disable iff (wr_rst) $onehot0(wr_gray_q ^ $past(wr_gray_q)));
  a_rd_gray : assert property (@(posedge rd_clk) disable iff (rd_rst) $onehot0(rd_gray_q ^ $past(rd_gray_q)));

endmodule
