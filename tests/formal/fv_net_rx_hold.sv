// SPDX-License-Identifier: Apache-2.0
//
// net_rx_hold between a free source of frames, each decided freely at one of its beats, and a free sink. Beats of
// frames that are kept come out in order, with what came with them, none lost, twice or invented; of forgotten frames
// none. A beat on offer stands still. A frame that is kept and taken comes out.
module fv_net_rx_hold (
  input logic       clk,
  input logic       follow,
  input logic       valid,
  input logic       last,
  input logic       decides,
  input logic       keeps,
  input logic       out_frame_ready
);

  localparam int unsigned DEPTH = 4;

  typedef struct packed {
    logic [3:0] number;  // of the beat, among those of kept frames
  } user_t;

  typedef struct packed {
    logic tlast;
    logic tdata;         // the followed one
  } beat_t;

  typedef struct packed {
    user_t user;
    beat_t beat;
    logic  valid;
  } frame_t;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  frame_t in_frame, out_frame;
  logic   in_ready, take, out, keep, forget, undecided_q, dropping_q, must, chosen;

  net_rx_hold #(.frame_t(frame_t), .DEPTH(DEPTH)) dut (.*);

  // A frame of at most DEPTH - 1 beats before it is decided, as net_rx's; its last beat decides if none did.
  logic [1:0] waits_q;
  assign must   = last || waits_q == 2'(DEPTH - 2);
  assign chosen = undecided_q && (decides || must);
  assign keep   = chosen && keeps;
  assign forget = chosen && !keeps;

  logic [3:0] kept_q, next_q, out_q;  // beats of kept frames, the next beat's number should its frame be, beats out
  logic       mark, marked_q, marked_last_q;
  logic [3:0] marked_number_q;

  assign mark     = follow && !marked_q;
  assign in_frame = '{user: '{number: next_q}, beat: '{tlast: last, tdata: mark}, valid: take && !dropping_q};
  assign take     = valid && in_ready;
  assign out      = out_frame.valid && out_frame_ready;

  always_ff @(posedge clk) begin
    if (take) begin
      undecided_q <= last || (undecided_q && !chosen);
      dropping_q  <= !last && (dropping_q || forget);
      waits_q     <= last || !undecided_q || chosen ? '0 : waits_q + 1'b1;
      if (!dropping_q) begin
        next_q <= forget ? kept_q : next_q + 1'b1;
        if (keep || !undecided_q) kept_q <= next_q + 1'b1;
        if (mark) begin
          marked_q        <= 1'b1;
          marked_last_q   <= last;
          marked_number_q <= next_q;
        end
      end
    end
    if (out) out_q <= out_q + 1'b1;
    if (rst) begin
      undecided_q <= 1'b1;
      dropping_q  <= 1'b0;
      waits_q     <= '0;
      kept_q      <= '0;
      next_q      <= '0;
      out_q       <= '0;
      marked_q    <= 1'b0;
    end
  end

  a_in_order : assert property (@(posedge clk) disable iff (rst)
    out -> out_frame.user.number == out_q && out_q != kept_q);
  a_as_it_came : assert property (@(posedge clk) disable iff (rst)
    out && out_frame.beat.tdata -> out_frame.beat.tlast == marked_last_q && out_q == marked_number_q);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_frame.valid && !out_frame_ready) -> out_frame.valid && $stable(out_frame));

  // What is kept comes: two cycles later at the latest something is on offer.
  logic [1:0] quiet_q;
  always_ff @(posedge clk) quiet_q <= rst || out_frame.valid || out_q == kept_q ? '0 : quiet_q + 1'b1;
  a_soon : assert property (@(posedge clk) disable iff (rst) quiet_q < 2'd2);
  // And room comes back: with nothing inside there is some.
  a_room : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && out_q == next_q) && out_q == next_q -> in_ready);

endmodule
