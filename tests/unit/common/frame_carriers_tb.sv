// SPDX-License-Identifier: Apache-2.0
//
// What carries frames in rtl/common, with beats of 64 or 512 bits: N streams through frame_arbiter, then through a
// register slice, a FIFO and a clock crossing. `data` is {user, beat} of a stream.

`include "types.svh"

module frame_carriers_tb
  import frame_pkg::*;
#(
  parameter int unsigned LANES = 64,
  parameter int unsigned N     = 3,
  localparam int unsigned USER_W = $bits(rx_user_t),
  localparam int unsigned WIDTH  = USER_W + 9 * LANES + 1
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic [N-1:0][WIDTH-1:0] in_data,
  input  logic [N-1:0]            in_valid,
  output logic [N-1:0]            in_ready,
  output logic [WIDTH-1:0]        merged_data,  // out of the arbiter
  output logic                    merged_valid,
  input  logic                    merged_ready,

  input  logic [WIDTH-1:0]        wr_data,      // into slice, FIFO and crossing
  input  logic                    wr_valid,
  output logic                    wr_ready,
  input  logic                    rd_clk,
  output logic [WIDTH-1:0]        rd_data,
  output logic                    rd_valid,
  input  logic                    rd_ready
);

  typedef `NSOC_BEAT(512) beat_t;
  typedef `NSOC_STREAM(rx_user_t, beat_t) frame512_t;

  /* verilator lint_off UNUSEDSIGNAL */  // in_ready says it, too
  logic [N-1:0] in_inside;
  /* verilator lint_on UNUSEDSIGNAL */

  if (LANES == 64) begin : g_512
    frame512_t [N-1:0] in_frame;
    frame512_t         out_frame;

    for (genvar i = 0; i < int'(N); i++) begin : g_stream
      assign in_frame[i] = {in_data[i], in_valid[i]};
    end

    frame_arbiter #(.frame_t(frame512_t), .N(N)) dut (
      .clk,
      .rst,
      .in_frame,
      .in_frame_begins(in_valid),
      .in_frame_ready (in_ready),
      .in_frame_inside(in_inside),
      .out_frame,
      .out_frame_ready(merged_ready)
    );

    assign {merged_data, merged_valid} = out_frame;
  end else begin : g_64
    rx_frame_t [N-1:0] in_frame;
    rx_frame_t         out_frame;

    for (genvar i = 0; i < int'(N); i++) begin : g_stream
      assign in_frame[i] = {in_data[i], in_valid[i]};
    end

    frame_arbiter #(.N(N)) dut (
      .clk,
      .rst,
      .in_frame,
      .in_frame_begins(in_valid),
      .in_frame_ready (in_ready),
      .in_frame_inside(in_inside),
      .out_frame,
      .out_frame_ready(merged_ready)
    );

    assign {merged_data, merged_valid} = out_frame;
  end

  logic [WIDTH-1:0] slice_data, fifo_data;
  logic             slice_valid, slice_ready, fifo_valid, fifo_ready;

  skid_buffer #(.WIDTH(WIDTH)) u_slice (
    .clk,
    .rst,
    .in_data  (wr_data),
    .in_valid (wr_valid),
    .in_ready (wr_ready),
    .out_data (slice_data),
    .out_valid(slice_valid),
    .out_ready(slice_ready)
  );

  fifo_sync #(.WIDTH(WIDTH), .DEPTH(4)) u_fifo (
    .clk,
    .rst,
    .in_data  (slice_data),
    .in_valid (slice_valid),
    .in_ready (slice_ready),
    .out_data (fifo_data),
    .out_valid(fifo_valid),
    .out_ready(fifo_ready),
    /* verilator lint_off PINCONNECTEMPTY */
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  fifo_async #(.WIDTH(WIDTH), .DEPTH(8)) u_crossing (
    .wr_clk  (clk),
    .wr_rst  (rst),
    .wr_data (fifo_data),
    .wr_valid(fifo_valid),
    .wr_ready(fifo_ready),
    .rd_clk,
    .rd_rst  (rst),
    .rd_data,
    .rd_valid,
    .rd_ready
  );

endmodule
