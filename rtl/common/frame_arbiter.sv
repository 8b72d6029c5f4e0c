// SPDX-License-Identifier: Apache-2.0
//
// N frame streams onto one, by whole frames: no beat of another frame comes between the beats of one. It stands where two
// sources transmit over one MAC, the NIC and a TCP engine for example.
//
// The turn goes round robin, work-conserving: when a frame has ended, the next stream behind it that offers a beat goes. A
// stream that never stops waits for at most one frame of each other. While the stream whose turn it is has no beat to
// offer, inside its frame, all others wait: a source had better hand over frames that it has whole.
//
// `frame_t` is the stream's bundle {user, beat, valid} of frame_pkg, with a beat of any width. What belongs to a frame
// stays with it.
//
//     cycle        0     1     2     3     4
//     in_frame[0]  A1    A2    A3            tlast in A3
//     in_frame[1]  B1                B1    B2
//     out_frame          A1    A2    A3    B1  ...   no cycle between two frames
//
// Latency: one cycle. Throughput: one beat a cycle, also from one frame to the next.
// Borders: `out_frame` is a register. `in_frame_ready` comes out of registers inside a frame; between frames it depends on
// which streams are valid, by the gates of arb_rr. `in_frame_inside` is the same inside a frame and 0 else, through one
// gate: for a stream that knows that its beat is not a frame's first. `in_frame_begins` is `valid` of first beats, for a
// stream whose `valid` comes late inside its frames; else it may be `valid` itself.
module frame_arbiter #(
  parameter type         frame_t = frame_pkg::rx_frame_t,
  parameter int unsigned N       = 2
) (
  input  logic           clk,
  input  logic           rst,
  input  frame_t [N-1:0] in_frame,
  input  logic [N-1:0]   in_frame_begins,  // a frame's first beat is offered; looked at between frames only
  output logic [N-1:0]   in_frame_ready,
  output logic [N-1:0]   in_frame_inside,
  output frame_t         out_frame,
  input  logic           out_frame_ready
);

  typedef logic [$clog2(N+1)-1:0] stream_choice_t;  // a stream, or N: the beat that has been taken and waits

  logic [N-1:0]   offered, turn, grant, owner_q;
  logic           inside_q;  // of a frame of owner_q
  logic           room, pass, valid;
  stream_choice_t choice;
  frame_t [N:0]   choices;
  frame_t         picked, out_q, skid_q;
  logic           out_valid_q, skid_valid_q;

  arb_rr #(.N(N)) u_turn (.clk, .rst, .request(in_frame_begins), .take(pass && !inside_q), .grant(turn));

  always_comb begin
    for (int unsigned i = 0; i < N; i++) offered[i] = in_frame[i].valid;
  end

  // The multiplexer in front of the output is that of the streams, too.
  assign choices = {skid_q, in_frame};
  assign picked  = choices[choice];

  always_comb begin
    choice = '0;
    for (int unsigned i = 0; i < N; i++) if (grant[i]) choice |= stream_choice_t'(i);
    if (!room) choice = stream_choice_t'(N);
  end

  assign grant           = inside_q ? owner_q : turn;
  assign valid           = inside_q ? |(owner_q & offered) : |in_frame_begins;  // whose turn it is comes later
  assign pass            = valid && room;
  assign in_frame_ready  = grant & {N{room}};
  assign in_frame_inside = owner_q & {N{inside_q && room}};

  always_ff @(posedge clk) begin
    if (pass) begin
      inside_q <= !picked.beat.tlast;
      owner_q  <= grant;
    end
    if (rst) inside_q <= 1'b0;
  end

  // Two places, as in a skid_buffer: the output, and the beat that was taken while that stood still.
  assign room = !skid_valid_q;

  always_ff @(posedge clk) begin
    skid_q <= picked;
    if (out_frame_ready || !out_valid_q) begin
      out_q        <= picked;
      out_valid_q  <= !room || valid;
      skid_valid_q <= 1'b0;
    end else if (valid) begin
      skid_valid_q <= 1'b1;
    end
    if (rst) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end
  end

  always_comb begin
    out_frame       = out_q;
    out_frame.valid = out_valid_q;
  end

  a_inside : assert property (@(posedge clk) disable iff (rst)
    inside_q ? in_frame_inside == in_frame_ready : in_frame_inside == '0);
  a_begins : assert property (@(posedge clk) disable iff (rst) !inside_q -> in_frame_begins == offered);
  a_valid : assert property (@(posedge clk) disable iff (rst) room -> valid == picked.valid);
  a_one_stream : assert property (@(posedge clk) disable iff (rst) $onehot0(grant));

endmodule
