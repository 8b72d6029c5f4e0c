// SPDX-License-Identifier: Apache-2.0
//
// net_rx: is there a source route among the options of an IPv4 header? They are walked, a byte a cycle: a beat that has
// another option than "no operation" waits in `front` until the walk is past it. An option that cannot be, or the
// list's end, ends the walk. Offsets are bytes of the frame. The walk is past a beat that has only "no operation" at
// once.
//
//     take    /-\_________/-\     the beat is in `front` from the next cycle on
//     walks   ___/-------\____     no other one is to be taken
//     route   _______/---------     from there on, until the next frame's first beat
//
// Throughput: two cycles an option, at most 40 a datagram.
// Borders: `walks` through gates from registers; `route` is a register.
module net_rx_options
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64
) (
  input  logic             clk,
  input  logic             rst,
  input  logic             take,   // this is a frame's beat, ...
  input  logic [3:0]       seen,   // ... at this place in it, which stops at its end
  input  logic [WIDTH-1:0] data,
  input  logic [WIDTH-1:0] front,  // the beat that was taken last
  input  logic             looks,  // of an IPv4 frame for the stack, as far
  output logic             walks,
  output logic             route
);

  localparam int unsigned LANES  = WIDTH / 8;
  localparam int unsigned LANE_W = $clog2(LANES);
  localparam int unsigned WORDS  = LANES / 8;  // of 64 bits in a beat

  localparam int unsigned OPTIONS_AT   = ETHERNET_BYTES + IP_BYTES;
  localparam logic [7:0]  OPTION_END   = 8'd0;
  localparam logic [7:0]  OPTION_NONE  = 8'd1;
  localparam logic [7:0]  LOOSE_ROUTE  = 8'd131;
  localparam logic [7:0]  STRICT_ROUTE = 8'd137;
  localparam logic [7:0]  OPTION_MOST  = 8'd40;  // bytes

  logic [3:0]         ihl;            // in the beat that has the header's first byte
  logic [3:0]         front_place_q;  // of `front` in its frame
  logic [6:0]         walk_q;         // the next byte that is looked at
  logic [6:0]         options_end_q;
  logic               walk_ends_q;    // there is no more to look at
  logic               length_q;       // the next byte is a length
  logic               nothing_q;      // what `front` has of options is "no operation"
  logic               route_q;        // there is a source route
  logic [6:0]         coming_at;      // the first byte of `data`
  logic [6:0]         coming_end;     // where its options end
  logic               nothing;
  logic [7:0]         looked_at;

  assign coming_at  = 7'(seen) << LANE_W;
  assign ihl        = data[WIDTH-53 - 64*(1 % WORDS) -: 4];
  assign coming_end = WORDS == 8 && seen == '0 ? 7'(ETHERNET_BYTES) + {1'b0, ihl, 2'b00} : options_end_q;
  assign looked_at  = front[WIDTH-1 - 8 * 32'(walk_q[LANE_W-1:0]) -: 8];
  assign walks      = looks && !walk_ends_q && walk_q < options_end_q
                      && front_place_q == 4'(walk_q >> LANE_W) && (length_q || !nothing_q);

  always_comb begin
    nothing = 1'b1;
    for (int unsigned i = 0; i < LANES; i++) begin
      if (32'(coming_at) + i >= OPTIONS_AT && 32'(coming_at) + i < 32'(coming_end)
          && data[WIDTH-1 - 8*i -: 8] != OPTION_NONE) nothing = 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (seen == 4'(1 / WORDS) && (WIDTH == 64 || take)) options_end_q <= 7'(ETHERNET_BYTES) + {1'b0, ihl, 2'b00};
    if (walks) begin
      walk_q   <= walk_q + 7'd1;
      length_q <= 1'b0;
      if (length_q) begin
        walk_q <= walk_q + looked_at[6:0] - 7'd1;
        if (looked_at < 8'd2 || looked_at > OPTION_MOST) walk_ends_q <= 1'b1;
      end else if (looked_at == LOOSE_ROUTE || looked_at == STRICT_ROUTE) begin
        route_q     <= 1'b1;
        walk_ends_q <= 1'b1;
      end else if (looked_at == OPTION_END) begin
        walk_ends_q <= 1'b1;
      end else begin
        length_q <= looked_at != OPTION_NONE;
      end
    end
    if (take) begin
      front_place_q <= seen;
      nothing_q     <= nothing;
      if (seen == '0) begin
        walk_q      <= 7'(OPTIONS_AT);
        walk_ends_q <= 1'b0;
        length_q    <= 1'b0;
        route_q     <= 1'b0;
      end else if (walk_q < coming_at) begin
        walk_q <= coming_at;
      end
    end
    if (rst) walk_ends_q <= 1'b1;
  end

  assign route = route_q;

endmodule
