// SPDX-License-Identifier: Apache-2.0
//
// Measures whether the NIC's clock and the memory's are fast enough, beside the line, for a frame to begin before it is
// whole: nobody has to say what the clocks are. Beside nic_tx_engine, which says what a frame needs.
//
//   line_tick    _____/-------------------------\__________      turns every 64 byte times of the line
//   memory_tick  _/-\_/-\_/-\_/-\_/-\_/-\_/-\_/-\_/-\_/-\_       turns every eight cycles of the memory's clock
//
// In each window of 256 byte times (2048 ns at 1 Gb/s) it counts cycles of its own and turns of `memory_tick`. `paced`
// says that there were enough of both in the last one. It is low until the first has passed since reset, which the
// MAC's `enable` ends too: the line's rate changes only without that.
//
// What it promises: with B a byte time of the line, a cycle of this clock takes at most 1.72 B (13.8 ns at 1 Gb/s, 73
// MHz), a cycle of the memory's at most 1.72 B (73 MHz). (Turns may be seen a cycle late, and 19 spans of eight cycles
// lie between 20 turns of the memory.) It always says yes above 75 and 79 MHz. A memory_tick that turns more often than
// once a cycle here is not seen as often as it turns: this errs to the safe side.
module nic_tx_pace (
  input  logic clk,
  input  logic rst,
  input  logic line_tick,    // in clk
  input  logic memory_tick,  // in any clock
  output logic paced
);

  localparam int unsigned WINDOW       = 4;    // turns of line_tick
  localparam int unsigned NIC_CYCLES   = 150;  // at least that many in a window
  localparam int unsigned MEMORY_TURNS = 20;

  logic       memory_tick_here, line_q, memory_q;
  logic [1:0] window_q;
  logic [7:0] cycles_q;  // still wanted in this window
  logic [4:0] turns_q;
  logic       window_ends, paced_q;

  sync_bits u_memory_tick (.clk, .rst, .d(memory_tick), .q(memory_tick_here));

  assign window_ends = line_tick != line_q && window_q == 2'(WINDOW - 1);
  assign paced       = paced_q;

  always_ff @(posedge clk) begin
    line_q   <= line_tick;
    memory_q <= memory_tick_here;
    if (line_tick != line_q) window_q <= window_q + 1'b1;
    if (cycles_q != '0) cycles_q <= cycles_q - 1'b1;
    if (memory_tick_here != memory_q && turns_q != '0) turns_q <= turns_q - 1'b1;
    if (window_ends) begin
      paced_q  <= cycles_q == '0 && turns_q == '0;
      cycles_q <= 8'(NIC_CYCLES);
      turns_q  <= 5'(MEMORY_TURNS);
    end
    if (rst) begin
      line_q   <= 1'b0;
      memory_q <= 1'b0;
      window_q <= '0;
      cycles_q <= '1;
      turns_q  <= '1;
      paced_q  <= 1'b0;
    end
  end

endmodule
