// SPDX-License-Identifier: Apache-2.0
//
// frame_arbiter between free sources and a free sink. The beats of each stream come out in order, none lost, twice or
// invented, none between the beats of another stream's frame. No cycle is wasted. Who waits is passed over by at most
// one frame of each other stream.
module fv_frame_arbiter #(
  parameter int unsigned N = 3
) (
  input logic         clk,
  input logic         follow,
  input logic [N-1:0] valid,
  input logic [N-1:0] last,
  input logic         out_frame_ready
);

  localparam int unsigned ID_W = $clog2(N);

  typedef struct packed {
    logic [ID_W-1:0] source;
  } user_t;

  typedef struct packed {
    logic tlast;
    logic tdata;
  } beat_t;

  typedef struct packed {
    user_t user;
    beat_t beat;
    logic  valid;
  } frame_t;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  frame_t [N-1:0] in_frame;
  logic [N-1:0]   in_frame_begins, in_frame_ready, in_frame_inside, taken;

  assign in_frame_begins = valid;
  frame_t         out_frame;

  frame_arbiter #(.frame_t(frame_t), .N(N)) dut (.*);

  // One of the streams, freely chosen, is looked at.
  logic [ID_W-1:0] who_q;
  logic            mark, out;
  logic [2:0]      count;

  always_ff @(posedge clk) who_q <= who_q;
  m_who : assume property (@(posedge clk) 32'(who_q) < N);

  for (genvar i = 0; i < N; i++) begin : g_stream
    assign in_frame[i] = '{user: '{source: ID_W'(i)}, beat: '{tlast: last[i], tdata: mark && who_q == ID_W'(i)},
                           valid: valid[i]};
    assign taken[i]    = valid[i] && in_frame_ready[i];
  end

  assign out = out_frame.valid && out_frame_ready;

  fv_order #(.MAX(4)) order (
    .clk, .rst, .follow, .mark, .in(taken[who_q]), .out(out && out_frame.user.source == who_q),
    .out_marked(out_frame.beat.tdata), .count, .waits(), .next()
  );

  // Frames, as the sink sees them.
  logic            inside_q;
  logic [ID_W-1:0] owner_q;
  always_ff @(posedge clk) begin
    if (out) begin
      inside_q <= !out_frame.beat.tlast;
      owner_q  <= out_frame.user.source;
    end
    if (rst) inside_q <= 1'b0;
  end

  // As they go in: whose the frame is, and how many have begun while the stream looked at has waited.
  logic [N-1:0]           within_q;
  logic [$clog2(N+1)-1:0] passed_q;
  always_ff @(posedge clk) begin
    if (|taken) within_q <= (last & taken) != '0 ? '0 : taken;
    if (taken[who_q] || !valid[who_q]) passed_q <= '0;
    else if (|taken && within_q == '0) passed_q <= passed_q + 1'b1;
    if (rst) begin
      within_q <= '0;
      passed_q <= '0;
    end
  end

  a_whole : assert property (@(posedge clk) disable iff (rst)
    out_frame.valid && inside_q -> out_frame.user.source == owner_q);
  a_one : assert property (@(posedge clk) disable iff (rst) $onehot0(taken));
  a_work_conserving : assert property (@(posedge clk) disable iff (rst)
    dut.room && valid != '0 && within_q == '0 -> taken != '0);
  a_no_starvation : assert property (@(posedge clk) disable iff (rst) 32'(passed_q) < N);
  a_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_frame.valid && !out_frame_ready) -> out_frame.valid && $stable(out_frame));

endmodule
