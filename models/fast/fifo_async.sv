// SPDX-License-Identifier: Apache-2.0
//
// What stands for rtl/common/fifo_async.sv in a simulator without checks: the same word in the same cycle wherever
// rd_valid is high, a tenth faster to simulate.
//
// The word is read at the edge of rd_clk, from the address that the pointer takes there. So what the reader makes of it
// need not be evaluated when only wr_clk rises. A word that is shown was written more than an edge of rd_clk before, so
// the last edge has read it.
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
  assign rd_ptr_d = rd_ptr_q + (PTR_W + 1)'(rd_valid && rd_ready);

  always_ff @(posedge rd_clk) rd_data <= mem[rd_ptr_d[PTR_W-1:0]];

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

endmodule
