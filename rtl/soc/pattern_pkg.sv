// SPDX-License-Identifier: Apache-2.0
//
// The frames that frame_generator makes and frame_checker knows again, by 8-byte beats, bytes in the order of the wire:
//
//     beat 0   destination (6), source (0..1)
//     beat 1   source (2..5), Ethertype 88B5, sequence number (0..1)
//     beat 2   sequence number (2..3), time (4), 4E53
//     beat 3   pattern: next(seed), beat 4: next(next(seed)), ...; the last beat begins with as much as belongs into it
//
// Time is the generator's counter when the frame began. The pattern grows out of sequence number and time by a
// one-to-one map, so that a changed bit of either does not fit to any whole beat of the pattern that follows.
package pattern_pkg;

  localparam logic [15:0] ETHERTYPE = 16'h88B5;  // local experiments
  localparam logic [15:0] MARK      = 16'h4E53;

  localparam int unsigned HEADER_BYTES = 14;
  localparam int unsigned LINE_BYTES   = 24;    // preamble and SFD, FCS, shortest gap
  localparam int unsigned MIN_PAYLOAD  = 46;
  localparam int unsigned MAX_PAYLOAD  = 1500;

  localparam int unsigned PAYLOAD_W = 11;
  localparam int unsigned BEAT_W    = 8;

  // What a payload's length means for the frame that carries it.
  typedef struct packed {
    logic [BEAT_W-1:0] last_beat;  // its index
    logic [7:0]        last_keep;
  } shape_t;

  function automatic shape_t shape(input logic [PAYLOAD_W-1:0] payload_bytes);
    logic [PAYLOAD_W-1:0] last_byte;  // its index
    last_byte       = payload_bytes + PAYLOAD_W'(HEADER_BYTES - 1);
    shape.last_beat = last_byte[PAYLOAD_W-1:3];
    shape.last_keep = ~(8'h7F >> last_byte[2:0]);
  endfunction

  function automatic logic [63:0] seed(input logic [31:0] sequence_number, input logic [31:0] sent_at);
    return {sequence_number, sent_at} ^ 64'h9E37_79B9_7F4A_7C15;
  endfunction

  // An xorshift generator of 64 bits: every state but zero leads to every other one in the end, zero to itself.
  function automatic logic [63:0] next(input logic [63:0] state);
    logic [63:0] x;
    x = state ^ (state << 13);
    x = x ^ (x >> 7);
    return x ^ (x << 17);
  endfunction

endpackage
