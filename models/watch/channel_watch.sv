// SPDX-License-Identifier: Apache-2.0
//
// Notes the time of each transfer on WIDTH valid/ready channels. Bound into the blocks of the SoC by src/nsoc/docs/watch.py;
// channel_watch.cpp keeps what it notes.
module channel_watch #(
  parameter              NAME  = "",
  parameter int unsigned WIDTH = 1
) (
  input logic             clk,
  input logic [WIDTH-1:0] valid,
  input logic [WIDTH-1:0] ready
);

  import "DPI-C" function int nsoc_watch_open(input string name);
  import "DPI-C" function void nsoc_watch_transfer(input int channel, input int index, input longint time_ps);

  int channel;

  initial channel = nsoc_watch_open($sformatf("%m.%s", NAME));

  always_ff @(posedge clk) begin
    for (int i = 0; i < int'(WIDTH); i++) begin
      if (valid[i] && ready[i]) nsoc_watch_transfer(channel, i, $time);
    end
  end

endmodule
