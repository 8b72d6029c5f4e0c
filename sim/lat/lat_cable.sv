// SPDX-License-Identifier: Apache-2.0
//
// One way of a cable between two XGMII of 64 bits, in the sender's clock. While `corrupt` is high, byte `corrupt_at` of the next
// frame that has so many (0 is the first one behind the preamble) is XORed with `corrupt_mask`, once: `corrupted`.
//
// Latency: CYCLES of the sender's clock, 0 by default. Throughput: the line's.
module lat_cable
  import xgmii_pkg::*;
#(
  parameter int unsigned CYCLES = 0
) (
  input  logic        clk,
  input  logic        rst,
  input  xgmii_t      near,
  output xgmii_t      far,

  input  logic        corrupt,
  input  logic [10:0] corrupt_at,
  input  logic [7:0]  corrupt_mask,
  output logic        corrupted
);

  // ---- The fault -------------------------------------------------------------------------------------------------------

  xgmii_t             spoilt;
  logic               inside_q, corrupted_q, hit, starts_0, starts_4, ends;
  logic signed [12:0] at_q;  // which byte lane 0 has

  assign starts_0 = near.control[0] && near.data[7:0] == START_CHAR;
  assign starts_4 = near.control[4] && near.data[39:32] == START_CHAR;

  always_comb begin
    spoilt = near;
    hit    = 1'b0;
    ends   = 1'b0;
    for (int i = 0; i < 8; i++) begin
      if (near.control[i]) ends = 1'b1;
      else if (inside_q && !corrupted_q && at_q + 13'(i) == $signed({2'b0, corrupt_at})) begin
        spoilt.data[8*i+:8] = near.data[8*i+:8] ^ corrupt_mask;
        hit                 = 1'b1;
      end
    end
  end

  always_ff @(posedge clk) begin
    at_q <= starts_0 ? '0 : starts_4 ? -13'sd4 : at_q + 13'sd8;
    if (starts_0 || starts_4) inside_q <= corrupt;
    else if (ends) inside_q <= 1'b0;
    corrupted_q <= corrupt && (corrupted_q || hit);
    if (rst) begin
      inside_q    <= 1'b0;
      corrupted_q <= 1'b0;
    end
  end

  assign corrupted = corrupted_q;

  // ---- The length ------------------------------------------------------------------------------------------------------

  if (CYCLES == 0) begin : g_short
    assign far = spoilt;
  end else begin : g_long
    xgmii_t [CYCLES-1:0] way_q;

    always_ff @(posedge clk) begin
      for (int i = 0; i < int'(CYCLES); i++) way_q[i] <= i == 0 ? spoilt : way_q[i-1];
      if (rst) way_q <= {CYCLES{{8'hFF, {8{IDLE_CHAR}}}}};
    end

    assign far = way_q[CYCLES-1];
  end

endmodule
