// SPDX-License-Identifier: Apache-2.0
//
// One way of a cable between two XGMII of COLUMNS times 64 bits, in the sender's clock. While `corrupt` is high, byte
// `corrupt_at` of the next frame that has so many (0 is the first one behind the preamble) is XORed with
// `corrupt_mask`, once: `corrupted`.
//
// `replace`: what leaves the cable is `replacement`, whatever goes in. xgmii_line.h makes it, of what goes in or of its
// own.
//
// Latency: CYCLES of the sender's clock, 0 by default. Throughput: the line's.
module lat_cable
  import xgmii_pkg::*;
#(
  parameter int unsigned COLUMNS = 1,
  parameter int unsigned CYCLES  = 0,
  localparam int unsigned LANES  = 8 * COLUMNS
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic [LANES-1:0]     near_c,
  input  logic [8*LANES-1:0]   near_d,
  output logic [LANES-1:0]     far_c,
  output logic [8*LANES-1:0]   far_d,

  input  logic                 corrupt,
  input  logic [10:0]          corrupt_at,
  input  logic [7:0]           corrupt_mask,
  output logic                 corrupted,

  input  logic                 replace,
  input  logic [LANES-1:0]     replacement_c,
  input  logic [8*LANES-1:0]   replacement_d
);

  // ---- The fault ----------------------------------------------------------------------------------------------------

  logic [8*LANES-1:0] spoilt;
  logic               in_frame, in_frame_q, corrupted_q, hit;
  logic signed [12:0] at, at_q;  // which byte a lane has; lane 0

  always_comb begin
    spoilt = near_d;
    hit    = 1'b0;
    at     = at_q;
    in_frame = in_frame_q;
    for (int i = 0; i < int'(LANES); i++) begin
      if (near_c[i]) begin
        in_frame = corrupt && near_d[8*i+:8] == START_CHAR;
        at     = -13'sd8;
      end else if (in_frame && !corrupted_q && !hit && at == $signed({2'b0, corrupt_at})) begin
        spoilt[8*i+:8] = near_d[8*i+:8] ^ corrupt_mask;
        hit            = 1'b1;
      end
      at += 13'sd1;
    end
  end

  always_ff @(posedge clk) begin
    at_q        <= at;
    in_frame_q    <= in_frame;
    corrupted_q <= corrupt && (corrupted_q || hit);
    if (rst) begin
      in_frame_q    <= 1'b0;
      corrupted_q <= 1'b0;
    end
  end

  assign corrupted = corrupted_q;

  // ---- The length ---------------------------------------------------------------------------------------------------

  logic [LANES-1:0]   way_c;
  logic [8*LANES-1:0] way_d;

  if (CYCLES == 0) begin : g_short
    assign {way_c, way_d} = {near_c, spoilt};
  end else begin : g_long
    logic [CYCLES-1:0][9*LANES-1:0] way_q;

    always_ff @(posedge clk) begin
      for (int i = 0; i < int'(CYCLES); i++) way_q[i] <= i == 0 ? {near_c, spoilt} : way_q[i-1];
      if (rst) way_q <= {CYCLES{{{LANES{1'b1}}, {LANES{IDLE_CHAR}}}}};
    end

    assign {way_c, way_d} = way_q[CYCLES-1];
  end

  assign {far_c, far_d} = replace ? {replacement_c, replacement_d} : {way_c, way_d};

endmodule
