// SPDX-License-Identifier: Apache-2.0
//
// The IPv4 groups (multicast) that are joined, eight besides 224.0.0.1. Beside net_rx, which asks with a frame's destination.
//
// One comparator walks over the places, for the header is still under way: it takes less than one for each place.
//
//     cycle      0     1     2     3
//     look     __/---\_________________
//     group      | g |
//     busy     ______/-----------\_____      found in the second place
//     joined   ------\___________/-----      until the next look
//
// Latency: 2 to 9 cycles from `look` to `joined`. A look begins anew whatever was under way.
// Borders: registers.
module net_groups
  import net_pkg::*;
(
  input  logic         clk,
  input  logic         rst,
  input  group_write_t write,

  input  logic         look,    // pulse
  input  logic [27:0]  group,   // behind the four bits that all have
  output logic         busy,
  output logic         joined
);

  localparam int unsigned PLACES    = 8;
  localparam logic [27:0] ALL_HOSTS = 28'd1;  // 224.0.0.1

  (* ram_style = "distributed" *) logic [27:0] groups [PLACES];
  logic [PLACES-1:0] used_q;
  logic [2:0]        place_q;
  logic [27:0]       group_q;
  logic              busy_q, joined_q, hit;

  assign hit    = (used_q[place_q] && same(ip_t'(groups[place_q]), ip_t'(group_q))) || group_q == ALL_HOSTS;
  assign busy   = busy_q;
  assign joined = joined_q;

  always_ff @(posedge clk) begin
    if (write.valid) begin
      groups[write.place] <= write.address;
      used_q[write.place] <= write.joined;
    end
    if (look) begin
      busy_q   <= 1'b1;
      joined_q <= 1'b0;
      place_q  <= '0;
      group_q  <= group;
    end else if (busy_q) begin
      busy_q   <= !hit && place_q != 3'(PLACES - 1);
      joined_q <= hit;
      place_q  <= place_q + 1'b1;
    end
    if (rst) begin
      used_q <= '0;
      busy_q <= 1'b0;
    end
  end

endmodule
