// SPDX-License-Identifier: Apache-2.0
//
// Puts the tag back that net_untag took out of a frame which turned out to be the NIC's: it is as it came from the line.
//
//     in      a0  a1  a2  a3              64 bits: the tag comes behind four bytes of a1
//     out     o0  o1  o2  o3  (o4)        o4: where a3 has more than four bytes
//
// Latency: none. Throughput: a beat a cycle, and one for the end of a tagged frame where it needs one.
// Borders: out behind a multiplexer of in_frame and registers; in_ready through gates from out_ready and in_frame.

`include "types.svh"

module net_retag
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
  input  net_tag_t  in_tag,     // of in_frame: from its byte 12 on
  output logic      in_ready,
  output rx_frame_t out_frame,
  input  logic      out_ready
);

  localparam int unsigned LANES = WIDTH / 8;
  localparam int unsigned LANE  = TAG_AT % LANES;
  localparam int unsigned KEPT  = LANES - TAG_BYTES;  // bytes of a beat that go out with it

  logic                   shifts_q;  // the tag is in an earlier beat of the frame
  logic                   rest_q;    // of the frame's last beat only the last four bytes are left
  logic                   splits;    // it has one of them
  logic [8*TAG_BYTES-1:0] held_q;    // a beat's last bytes

  assign splits   = in_tag.valid && in_frame.beat.tlast && in_frame.beat.tkeep[TAG_BYTES-1] && !rest_q;
  assign in_ready = out_ready && !splits;

  always_comb begin
    out_frame = in_frame;
    if (rest_q) begin
      out_frame.beat.tdata = {in_frame.beat.tdata[8*TAG_BYTES-1:0], {8*KEPT{1'b0}}};
      out_frame.beat.tkeep = {in_frame.beat.tkeep[TAG_BYTES-1:0], KEPT'(0)};
    end else if (in_tag.valid) begin
      out_frame.beat.tdata = {held_q, in_frame.beat.tdata[WIDTH-1 -: 8*KEPT]};
      if (!shifts_q) begin
        out_frame.beat.tdata[WIDTH-1 -: 8*LANE] = in_frame.beat.tdata[WIDTH-1 -: 8*LANE];
        out_frame.beat.tdata[WIDTH-1 - 8*LANE -: 8*TAG_BYTES] = {TYPE_VLAN, in_tag.pcp_dei, 12'd0};
      end
      out_frame.beat.tkeep = {TAG_BYTES'('1), in_frame.beat.tkeep[LANES-1 -: KEPT]};
      out_frame.beat.tlast = in_frame.beat.tlast && !splits;
      out_frame.user.bad   = in_frame.user.bad && !splits;
    end
  end

  always_ff @(posedge clk) begin
    if (in_frame.valid && out_ready) begin
      held_q <= in_frame.beat.tdata[8*TAG_BYTES-1:0];
      rest_q <= splits;
      shifts_q <= in_tag.valid && !in_frame.beat.tlast;
    end
    if (rst) begin
      shifts_q <= 1'b0;
      rest_q   <= 1'b0;
    end
  end

endmodule
