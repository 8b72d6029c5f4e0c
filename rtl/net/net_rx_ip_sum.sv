// SPDX-License-Identifier: Apache-2.0
//
// net_rx: the sum of the IPv4 header, as its beats pass. Whether it is right holds two cycles behind the header's last
// beat, until the next header.
//
//     take, seen, data   b1  b2  b3             the header ends in b3
//     right                          =====
//
// Throughput: a beat a cycle. Borders: `right` is a comparison behind registers.
module net_rx_ip_sum
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64
) (
  input  logic             clk,
  input  logic             take,   // this is a frame's beat, ...
  input  logic [3:0]       seen,   // ... at this place in it, which stops at its end
  input  logic [WIDTH-1:0] data,
  output logic             right
);

  localparam int unsigned HALVES = WIDTH / 16;
  localparam int unsigned WORDS  = WIDTH / 64;
  localparam int unsigned FIRST  = ETHERNET_BYTES / 2;  // the first half that has any of it
  localparam bit          AHEAD  = WIDTH > 64;

  logic [HALVES-1:0][15:0] halves;
  /* verilator lint_off UNUSEDSIGNAL */  // with 64 bits the third is as the second
  logic [HALVES-1:0]       has;       // they are the header's
  /* verilator lint_on UNUSEDSIGNAL */
  logic                    parts_q, begins_q;
  logic [20:0]             sum_q;     // up to 30 words
  logic [20:0]             all;       // what a beat has
  logic [3:0]              ihl;
  logic [5:0]              here, stop, stop_q;  // the first one behind it

  // Its length is in the beat with its first byte, and with 512 bits alone its end may be, too.
  assign ihl  = data[WIDTH-53 - 64*(1 % WORDS) -: 4];
  assign here = 6'(FIRST) + 6'({ihl, 1'b0});
  assign stop = WORDS == 8 && seen == '0 ? here : stop_q;

  always_comb begin
    for (int unsigned i = 0; i < HALVES; i++) begin
      halves[i] = data[WIDTH-1 - 16*i -: 16];
      has[i]    = HALVES * 32'(seen) + i >= FIRST;
      if (WORDS == 8 || seen > 4'(1 / WORDS)) begin
        if (HALVES * 32'(seen) + i >= 32'(stop)) has[i] = 1'b0;
      end
    end
  end

  if (!AHEAD) begin : g_halves
    // It ends behind the first or the third half of a beat.
    logic [15:0] first_q, last_q;
    logic [16:0] between_q;

    always_ff @(posedge clk) begin
      first_q   <= halves[0];
      between_q <= 17'(halves[1]) + 17'(halves[2]);
      last_q    <= halves[3];
      if (!has[0]) first_q   <= '0;
      if (!has[1]) between_q <= '0;
      if (!has[3]) last_q    <= '0;
    end

    assign all = 21'(first_q) + 21'(last_q) + 21'(between_q);
  end else begin : g_beat
    logic [WIDTH-1:0] mine;

    always_comb begin
      for (int unsigned i = 0; i < HALVES; i++) mine[WIDTH-1 - 16*i -: 16] = has[i] ? halves[i] : '0;
    end

    net_word_sum #(.WIDTH(WIDTH)) u_beat (.clk, .step(1'b1), .data(mine), .sum(all));
  end

  always_ff @(posedge clk) begin
    if (seen == 4'(1 / WORDS) && (!AHEAD || take)) stop_q <= here;
    parts_q  <= take;
    begins_q <= seen == '0;
    if (parts_q) sum_q <= (begins_q ? '0 : sum_q) + all;
    if (parts_q && begins_q && !AHEAD) sum_q <= '0;  // with 64 bits the first beat has none of it
  end

  // All ones when the halves are complements: the upper one is never all ones.
  assign right = (sum_q[15:0] ^ 16'(sum_q[20:16])) == '1;

endmodule
