// SPDX-License-Identifier: Apache-2.0
//
// Takes the VLAN tag with identifier 0 out of a received frame: it says a priority (IEEE 802.1Q, "priority-tagged") and is
// no VLAN. net_rx sees the frame as if it had none. What the tag said goes beside the beats, for net_retag.
//
//     in      b0  b1  b2  b3  b4                64 bits: the tag is bytes 12 to 15, the second half of b1
//     out     o0      o1  o2  o3  o4            o1: four bytes of b1, four of b2; o4: what b4 has more, if it has
//
// Any other frame passes as it is: with another identifier, one that ends before the tag does. Only the outermost tag is
// looked at.
//
// Latency: none; of a tagged frame all from the tag's beat on is a beat later. Throughput: a beat a cycle; the last beat of
// a tagged frame takes two where it has more than four bytes, as its tag's beat has taken none.
// Borders: out behind a multiplexer of in_frame and registers; in_ready through gates from out_ready and in_frame.

`include "types.svh"

module net_untag
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  localparam type beat_t     = `NSOC_BEAT(WIDTH),
  localparam type rx_frame_t = `NSOC_STREAM(rx_user_t, beat_t)
) (
  input  logic      clk,
  input  logic      rst,
  input  rx_frame_t in_frame,
  output logic      in_ready,
  output rx_frame_t out_frame,
  output net_tag_t  out_tag,    // of out_frame: from its byte 12 on
  input  logic      out_ready
);

  localparam int unsigned LANES = WIDTH / 8;
  localparam int unsigned PLACE = TAG_AT / LANES;       // of the tag's beat in its frame
  localparam int unsigned LANE  = TAG_AT % LANES;       // of the tag in its beat
  localparam int unsigned HELD  = LANES - TAG_BYTES;    // bytes of a beat that the next one completes

  logic              second_q;  // the frame's first beat has passed, and no other one
  logic              later_q;   // more have
  logic              here;      // the tag is in this beat
  logic              shifts_q;  // it was in one before
  logic              rest_q;    // of the frame's last beat all but four bytes are left
  logic              splits;    // it has more than them
  logic              take;
  net_tag_t          tag_q;
  logic [31:0]       tag;
  logic [8*HELD-1:0] held_q;    // a beat's for the next one: all but its first four bytes, of the tag's all but it
  logic [8*HELD-1:0] behind;    // this beat's bytes behind the first four
  logic [HELD-1:0]   behind_keep;

  assign behind      = in_frame.beat.tdata[8*HELD-1:0];
  assign behind_keep = in_frame.beat.tkeep[HELD-1:0];
  assign tag         = in_frame.beat.tdata[WIDTH-1 - 8*LANE -: 32];
  assign here        = (PLACE == 0 ? !second_q && !later_q : second_q) && tag[31:16] == TYPE_VLAN && tag[11:0] == '0
                       && in_frame.beat.tkeep[LANES - LANE - TAG_BYTES];
  assign splits      = shifts_q && in_frame.beat.tlast && behind_keep[HELD-1] && !rest_q;
  assign in_ready    = out_ready && !splits;
  assign take        = in_frame.valid && in_ready;

  always_comb begin
    out_frame = in_frame;
    out_tag   = tag_q;
    if (rest_q) begin
      out_frame.beat.tdata = {behind, 32'd0};
      out_frame.beat.tkeep = {behind_keep, TAG_BYTES'(0)};
    end else if (shifts_q) begin
      out_frame.beat.tdata = {held_q, in_frame.beat.tdata[WIDTH-1 -: 8*TAG_BYTES]};
      out_frame.beat.tkeep = {HELD'('1), in_frame.beat.tkeep[LANES-1 -: TAG_BYTES]};
      out_frame.beat.tlast = in_frame.beat.tlast && !splits;
      out_frame.user.bad   = in_frame.user.bad && !splits;
    end
    // Where it ends here, too, what is before the tag and behind it; else nothing of it goes yet.
    if (here) begin
      out_frame.valid                         = in_frame.valid && in_frame.beat.tlast;
      out_frame.beat.tkeep                    = {behind_keep, TAG_BYTES'(0)};
      out_frame.beat.tkeep[LANES-1 -: LANE]   = '1;
      if (LANE != HELD) begin
        out_frame.beat.tdata                    = {behind, 32'd0};
        out_frame.beat.tdata[WIDTH-1 -: 8*LANE] = in_frame.beat.tdata[WIDTH-1 -: 8*LANE];
      end
      out_tag = '{valid: 1'b1, pcp_dei: tag[15:12]};
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      second_q <= !in_frame.beat.tlast && !second_q && !later_q;
      later_q  <= !in_frame.beat.tlast && (second_q || later_q);
      shifts_q <= !in_frame.beat.tlast && (here || shifts_q);
      held_q   <= behind;
      if (!shifts_q) held_q[8*HELD-1 -: 8*LANE] <= in_frame.beat.tdata[WIDTH-1 -: 8*LANE];
      if (here) tag_q <= out_tag;
      if (in_frame.beat.tlast) tag_q.valid <= 1'b0;
    end
    if (in_frame.valid && out_ready) rest_q <= splits;
    if (rst) begin
      second_q    <= 1'b0;
      later_q     <= 1'b0;
      shifts_q    <= 1'b0;
      rest_q      <= 1'b0;
      tag_q.valid <= 1'b0;
    end
  end

endmodule
