// SPDX-License-Identifier: Apache-2.0
//
// net_rx: an ARP packet is told of when its frame has ended well, whoever has the frame.
//
//     ends_now   the frame's last beat goes, and it has a whole packet
//     valid      a cycle later, with `arp`
//
// Borders: out of registers. With 64 bits `arp` is what the frame's headers left, and stands until the next frame's
// second beat is there; above, it is kept here, and ARP_REST cycles lie between the ends of two (`rests`).
module net_rx_arp
  import net_pkg::*;
#(
  parameter bit KEPT = 1'b0  // the next frame's headers may come at once
) (
  input  logic    clk,
  input  logic    rst,
  input  logic    leaves,  // a beat of a frame goes, ...
  input  logic    last,    // ... its last one ...
  input  logic    bad,     // ... and the frame is not good
  input  logic    is_arp,
  input  logic    now,     // an ARP packet ends in this beat, ...
  input  logic    told,    // ... of which the cache is to be told, ...
  input  logic    for_us,  // ... for our address
  input  arp_rx_t news,    // of it, but for whom it is
  output arp_rx_t arp,
  output logic    valid,   // pulses: there is one, ...
  output logic    taken,   // ... for our address and good, ...
  output logic    spoiled, // ... or bad
  output logic    rests    // the frame's last beat waits
);

  logic whole_q, us_q, ends_q, good_q, ends;

  assign ends = leaves && last && (whole_q || (now && told));

  always_ff @(posedge clk) begin
    if (leaves) begin
      whole_q <= !last && (whole_q || (now && told));
      us_q    <= now ? for_us : us_q;
    end
    ends_q <= ends;
    good_q <= !bad;
    if (rst) begin
      whole_q <= 1'b0;
      ends_q  <= 1'b0;
    end
  end

  assign valid   = ends_q && good_q;
  assign taken   = valid && us_q;
  assign spoiled = ends_q && !good_q && us_q;

  if (!KEPT) begin : g_stands
    logic unused;
    assign unused = &{1'b0, is_arp, news.for_us};
    assign arp    = '{reply: news.reply, for_us: us_q, sender_mac: news.sender_mac, sender: news.sender};
    assign rests  = 1'b0;
  end else begin : g_kept
    arp_rx_t    arp_q;
    logic [2:0] rest_q;

    assign rests = is_arp && last && rest_q != '0;

    always_comb begin
      arp        = arp_q;
      arp.for_us = us_q;
    end

    always_ff @(posedge clk) begin
      if (leaves) arp_q <= news;
      if (ends) rest_q <= 3'(ARP_REST);
      else if (rest_q != '0) rest_q <= rest_q - 1'b1;
      if (rst) rest_q <= '0;
    end
  end

endmodule
