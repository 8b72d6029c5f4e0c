// SPDX-License-Identifier: Apache-2.0
//
// Adds the 16-bit words of a beat, for the sums of tcp_rx and tcp_tx: two parts that together are their sum, so that who
// adds them up over a segment has one addition of three numbers.
//
//     in_*    --> groups of 2 or 4 words --register--> [groups of groups --register--]--> part, valid, first
//
// What `tkeep` does not have counts as 0; `extra` is added, too.
//
// Latency: a cycle at 64 and 128 bits, two at 256 and 512. Throughput: a beat a cycle. Borders: registers.
module tcp_sum #(
  parameter int unsigned WIDTH = 64
) (
  input  logic               clk,
  input  logic [WIDTH-1:0]   in_data,
  input  logic [WIDTH/8-1:0] in_keep,
  input  logic [6:0]         in_extra,
  input  logic               in_valid,
  input  logic               in_first,  // of its segment
  output logic [1:0][21:0]   part,
  output logic               valid,
  output logic               first
);

  localparam int unsigned GROUPS = WIDTH < 256 ? 2 : WIDTH / 64;
  localparam int unsigned WORDS  = WIDTH / 16 / GROUPS;  // in a group

  logic [WIDTH-1:0]        counted;
  logic [GROUPS-1:0][19:0] group, group_q;
  logic                    valid_q, first_q;

  always_comb begin
    for (int unsigned i = 0; i < WIDTH / 8; i++) counted[8*i +: 8] = in_data[8*i +: 8] & {8{in_keep[i]}};
    for (int unsigned i = 0; i < GROUPS; i++) begin
      group[i] = 20'(net_pkg::sum_of_words(64'(counted[16*WORDS*i +: 16*WORDS]))) + (i == 0 ? 20'(in_extra) : '0);
    end
  end

  always_ff @(posedge clk) begin
    group_q <= group;
    valid_q <= in_valid;
    first_q <= in_first;
  end

  if (GROUPS == 2) begin : g_two
    assign part  = {22'(group_q[1]), 22'(group_q[0])};
    assign valid = valid_q;
    assign first = first_q;
  end else begin : g_many
    logic [1:0][21:0] half, half_q;
    logic             half_valid_q, half_first_q;

    always_comb begin
      half = '0;
      for (int unsigned i = 0; i < GROUPS; i++) half[i % 2] += 22'(group_q[i]);
    end

    always_ff @(posedge clk) begin
      half_q       <= half;
      half_valid_q <= valid_q;
      half_first_q <= first_q;
    end

    assign part  = half_q;
    assign valid = half_valid_q;
    assign first = half_first_q;
  end

endmodule
