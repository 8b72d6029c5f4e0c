// SPDX-License-Identifier: Apache-2.0
//
// Notes the time of each transfer on one or more valid/ready channels. Bound into the blocks of the SoC by
// src/nsoc/docs/watch.py; channel_watch.cpp keeps what it notes.
//
// `valid` and `ready` may be bundles, or arrays of bundles (acb_pkg, afb_pkg): each has its STRIDE in bits, and the BIT
// in each that counts.
module channel_watch #(
  parameter              NAME         = "",
  parameter int unsigned VALID_WIDTH  = 1,
  parameter int unsigned READY_WIDTH  = 1,
  parameter int unsigned VALID_STRIDE = 1,
  parameter int unsigned READY_STRIDE = 1,
  parameter int unsigned VALID_BIT    = 0,
  parameter int unsigned READY_BIT    = 0
) (
  input logic                   clk,
  input logic [VALID_WIDTH-1:0] valid,
  input logic [READY_WIDTH-1:0] ready
);

  import "DPI-C" function int nsoc_watch_open(input string name);
  import "DPI-C" function void nsoc_watch_transfer(input int channel, input int index, input longint time_ps);

  int channel;

  initial channel = nsoc_watch_open($sformatf("%m.%s", NAME));

  always_ff @(posedge clk) begin
    for (int i = 0; i < int'(VALID_WIDTH / VALID_STRIDE); i++) begin
      if (valid[i*VALID_STRIDE+VALID_BIT] && ready[i*READY_STRIDE+READY_BIT]) nsoc_watch_transfer(channel, i, $time);
    end
  end

endmodule
