// SPDX-License-Identifier: Apache-2.0
//
// The frame stream between MAC and NIC: 73 bits a beat, valid/ready. The first byte on the wire is tdata[63:56] and
// tkeep[7] of the first beat; only the last beat of a frame may have fewer than eight bytes, kept from the top down.
// A frame on this stream has neither preamble nor FCS. Bit positions: thesis, Table A.1.
package frame_pkg;

  typedef struct packed {
    logic        tlast;  // [72]
    logic [63:0] tdata;  // [71:8]
    logic [7:0]  tkeep;  // [7:0]
  } frame_beat_t;

endpackage
