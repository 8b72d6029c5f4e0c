// SPDX-License-Identifier: Apache-2.0
//
// The TCP engine's one counter of microseconds; all its times are slices of it (tcp_pkg).
//
// A tick comes each microsecond of CLOCK_HZ: exactly so many a second whatever the clock, each to the cycle above. It adds
// 2^scale microseconds, so that tests of long timers need not wait: 0 is real time, 10 goes 1024 times as fast, in steps of
// that size. `scale` may change at any time; the counter never goes back.
//
// Latency: `now` and `tick` out of registers, `tick` a cycle ahead. It begins at 0.
module tcp_time
  import tcp_pkg::*;
#(
  parameter int unsigned CLOCK_HZ = 125_000_000
) (
  input  logic       clk,
  input  logic       rst,
  input  logic [4:0] scale,
  output now_t       now,
  output logic       tick    // pulse, each microsecond: real ones, whatever the scale
);

  localparam int unsigned TICK_HZ = 1_000_000;

  if (CLOCK_HZ <= TICK_HZ) begin : g_bad_clock
    $error("tcp_time: CLOCK_HZ must be more than 1000000: there is at most one tick a cycle");
  end

  localparam int unsigned PHASE_W = $clog2(CLOCK_HZ);

  logic [PHASE_W-1:0] phase_q;  // of CLOCK_HZ: each cycle adds TICK_HZ, a round is a tick
  logic               tick_q;
  logic [31:0]        step_q;
  now_t               now_q;

  assign now  = now_q;
  assign tick = tick_q;

  always_ff @(posedge clk) begin
    tick_q  <= phase_q >= PHASE_W'(CLOCK_HZ - TICK_HZ);
    phase_q <= phase_q >= PHASE_W'(CLOCK_HZ - TICK_HZ) ? phase_q - PHASE_W'(CLOCK_HZ - TICK_HZ)
                                                       : phase_q + PHASE_W'(TICK_HZ);
    step_q  <= 32'd1 << scale;
    if (tick_q) now_q <= now_q + now_t'(step_q);
    if (rst) begin
      phase_q <= '0;
      tick_q  <= 1'b0;
      now_q   <= '0;
    end
  end

endmodule
