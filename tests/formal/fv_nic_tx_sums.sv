// SPDX-License-Identifier: Apache-2.0
//
// nic_tx_sums and the register behind it, as in nic_tx_engine, with frames of up to four beats (which no sum fits
// into): beats in order, none lost and none twice, with the bytes, the end and the marks that they came with; a beat on
// offer stands still; nothing comes in between while a frame is stored, and what is stored comes out.
module fv_nic_tx_sums
  import frame_pkg::*;
  import nic_pkg::*;
(
  input logic         clk,
  input logic         follow,
  input tx_frame_t    in_frame,
  input sums_wanted_t wanted,
  input logic         out_ready
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  tx_frame_t  marked, summed;
  tx_user_t   out_user;
  frame_beat_t out_beat;
  logic       in_ready, summed_ready, out_valid, unfit, mark, take, give;
  logic [2:0] count;
  logic [7:0] lost;

  assign take = in_frame.valid && in_ready;
  assign give = out_valid && out_ready;

  always_comb begin
    marked            = in_frame;
    marked.beat.tdata = {63'b0, mark};  // no more: what nic_sums adds would be all that the solver does
  end

  nic_tx_sums #(.MAX_BYTES(32)) dut (
    .clk, .rst, .in_frame(marked), .in_ready, .wanted, .out_frame(summed), .out_ready(summed_ready), .unfit
  );

  skid_buffer #(.WIDTH($bits(tx_user_t) + $bits(frame_beat_t))) u_output (
    .clk, .rst, .in_data({summed.user, summed.beat}), .in_valid(summed.valid), .in_ready(summed_ready),
    .out_data({out_user, out_beat}), .out_valid, .out_ready
  );

  fv_order #(.MAX(6)) order (
    .clk, .rst, .follow, .mark, .in(take), .out(give), .out_marked(out_beat.tdata[0]), .count, .waits(), .next()
  );

  // A shifter: beats wait, what a frame asks for stays, and it ends.
  logic       inside_q;  // the last beat taken was not its frame's last
  logic [1:0] beats_q;
  sums_wanted_t wanted_q;
  tx_user_t   user_q;
  always_ff @(posedge clk) begin
    if (take) begin
      inside_q <= !in_frame.beat.tlast;
      beats_q  <= in_frame.beat.tlast ? '0 : beats_q + 1'b1;
      wanted_q <= wanted;
      user_q   <= in_frame.user;
    end
    if (rst) begin
      inside_q <= 1'b0;
      beats_q  <= '0;
    end
  end
  assign lost = ~in_frame.beat.tkeep;
  m_keep : assume property (@(posedge clk)
    in_frame.beat.tkeep[7] && (lost & (lost + 8'd1)) == '0 && (in_frame.beat.tlast || lost == '0));
  m_waits : assume property (@(posedge clk)
    $past(!rst && in_frame.valid && !in_ready) -> $stable(in_frame) && $stable(wanted));
  m_same : assume property (@(posedge clk)
    inside_q -> wanted == wanted_q && in_frame.user.stamp_wanted == user_q.stamp_wanted
                && in_frame.user.steady == user_q.steady);
  m_ends : assume property (@(posedge clk) beats_q == 2'd3 -> in_frame.beat.tlast);
  m_bad : assume property (@(posedge clk) in_frame.user.bad -> in_frame.beat.tlast);
  m_asks : assume property (@(posedge clk) wanted != '0 -> !in_frame.user.steady);

  // What the followed beat came with.
  frame_beat_t beat_q;
  tx_user_t    with_q;
  always_ff @(posedge clk) begin
    if (take && mark) begin
      beat_q <= marked.beat;
      with_q <= marked.user;
    end
  end
  a_as_it_came : assert property (@(posedge clk) disable iff (rst)
    give && out_beat.tdata[0] -> out_beat == beat_q && out_user == with_q);

  // But for the bit that is the followed one's.
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && summed.valid && !summed_ready)
      -> summed.valid && $stable({summed.user, summed.beat.tlast, summed.beat.tkeep}));

  // Once its last beat is there, a stored frame's first is offered five cycles later, and the others follow each other.
  logic       stored_q;
  logic [2:0] quiet_q;
  always_ff @(posedge clk) begin
    if (take && wanted != '0 && in_frame.beat.tlast) stored_q <= 1'b1;
    else if (summed.valid && summed_ready && summed.beat.tlast) stored_q <= 1'b0;
    quiet_q <= !stored_q || summed.valid ? '0 : quiet_q + 1'b1;
    if (rst) begin
      stored_q <= 1'b0;
      quiet_q  <= '0;
    end
  end
  a_soon : assert property (@(posedge clk) disable iff (rst) quiet_q < 3'd6);
  a_alone : assert property (@(posedge clk) disable iff (rst) stored_q -> !in_ready);
  a_unfit : assert property (@(posedge clk) disable iff (rst) unfit -> stored_q && !user_q.bad);

endmodule
