// SPDX-License-Identifier: Apache-2.0
//
// The engine's counters: each counts the cycles with its pulse, 32 bits, wraps around. They lie in one memory; a pulse
// waits in a small count of its own until its turn.
//
//     pulse[i] --> SMALL_W bits --> turn i of 64: memory --> + --> memory
//
// Any pulses may come in one cycle. Of one kind at most 2 ** SMALL_W - 1 may come in the 64 cycles (and one for each read)
// between two of its turns. 5: an access takes 4 cycles, an event 8, and so does a frame with words of 64 bits. 7: for wider
// words, as frames may be one each.
//
// It rests while there is nothing to add.
//
// Latency: `count` follows `read` by a cycle, a pulse is in it a round and two cycles later. After reset they are
// cleared: 66 cycles until `ready`, reads aside; pulses count from the beginning.
module tcp_stats #(
  parameter int unsigned N       = 51,
  parameter int unsigned SMALL_W = 5
) (
  input  logic         clk,
  input  logic         rst,
  output logic         ready,
  input  logic [N-1:0] pulse,
  input  logic         read,
  input  logic [5:0]   number,
  output logic [31:0]  count   // in the next cycle
);

  if (N < 2 || N > 64) begin : g_bad_n
    $error("tcp_stats: N must be 2 to 64");
  end

  typedef logic [SMALL_W-1:0] small_t;

  small_t [63:0] small_q;
  logic   [5:0]  turn_q, adds_q, writes_q;
  small_t        amount_q;
  logic          goes, some_q, add_valid_q, write_valid_q, first_q, first_adds_q, ready_q;
  logic   [31:0] count_q, sum_q;
  (* ram_style = "block" *) logic [31:0] counters [64];

  assign count = count_q;
  assign ready = ready_q;
  assign goes  = !read && (some_q || first_q);

  always_ff @(posedge clk) begin
    if (write_valid_q) counters[writes_q] <= sum_q;
    count_q <= counters[read ? number : turn_q];
  end

  for (genvar i = 0; i < 64; i++) begin : g_small
    if (i < N) begin : g_is
      always_ff @(posedge clk) begin
        if (rst) small_q[i] <= '0;
        else small_q[i] <= (goes && turn_q == 6'(i) ? '0 : small_q[i]) + small_t'(pulse[i]);
      end

      a_room : assert property (@(posedge clk) disable iff (rst)
        pulse[i] -> small_q[i] != '1 || (goes && turn_q == 6'(i)));
    end else begin : g_is_not
      assign small_q[i] = '0;
    end
  end

  always_ff @(posedge clk) begin
    some_q        <= small_q != '0;
    add_valid_q   <= goes;
    adds_q        <= turn_q;
    amount_q      <= small_q[turn_q];
    first_adds_q  <= first_q || rst;
    ready_q       <= !first_q && !first_adds_q;  // the last one is written
    write_valid_q <= add_valid_q;
    writes_q      <= adds_q;
    sum_q         <= (first_adds_q ? '0 : count_q) + 32'(amount_q);
    if (goes) begin
      turn_q <= turn_q + 1'b1;
      if (turn_q == '1) first_q <= 1'b0;
    end
    if (rst) begin
      turn_q        <= '0;
      first_q       <= 1'b1;
      ready_q       <= 1'b0;
      add_valid_q   <= 1'b0;
      write_valid_q <= 1'b0;
    end
  end

endmodule
