// SPDX-License-Identifier: Apache-2.0
//
// The NIC's frame counters: each counts the cycles with its `event_pulse` and wraps at 2^32.
// Latency: a pulse is in the count in the next cycle. `count` follows `index` without a register.
module nic_counters #(
  parameter int unsigned N = 16
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic [N-1:0]         event_pulse,
  input  logic [$clog2(N)-1:0] index,
  output logic [31:0]          count
);

  logic [31:0] count_q [N];

  assign count = count_q[index];

  always_ff @(posedge clk) begin
    if (rst) begin
      for (int unsigned i = 0; i < N; i++) count_q[i] <= '0;
    end else if (event_pulse != '0) begin  // rare: simulation need not look at each counter in every cycle
      for (int unsigned i = 0; i < N; i++) if (event_pulse[i]) count_q[i] <= count_q[i] + 1'b1;
    end
  end

endmodule
