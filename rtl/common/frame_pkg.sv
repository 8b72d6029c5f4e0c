// SPDX-License-Identifier: Apache-2.0
//
// The frame stream: frames as beats of 64 to 512 bits, valid/ready. The first byte on the wire is in the most
// significant lane of `tdata` and `tkeep` of the first beat. Only the last beat of a frame may have fewer bytes than
// lanes, kept from the top down: a frame may end in any lane, and two frames never share a beat. A frame on this stream
// has neither preamble nor FCS. Bit positions of the 64-bit beat, 73 bits: thesis, Table A.1.
//
// *Packed* beats are for a line whose frames begin more often than beats of their own are there for: a MAC of 100 Gb/s
// (mac_xgmii_wide, PACKED). In such a beat one frame may end and the next one begin. It has units of 64 bits; a frame
// begins with a unit, `starts`, and ends in any byte of one, `ends`: a bit a unit, the first one on top, at most one of
// each in a beat. Bytes are kept without a hole from a frame's start to its end; only behind an end lanes may be empty.
// `bad` is with the end. frame_pack makes them, frame_unpack makes beats with one frame of them.
//
// What belongs to a frame travels with it in `user`, beside the beat. The `ready` of the other direction is a signal of
// its own. What only carries frames (FIFOs, slices, arbiters) takes the type of what it carries as a parameter.
package frame_pkg;

  // ---- A beat of 64 bits; types.svh has those of other widths.

  typedef struct packed {
    logic        tlast;  // [72]
    logic [63:0] tdata;  // [71:8]
    logic [7:0]  tkeep;  // [7:0]
  } frame_beat_t;

  // ---- What belongs to a frame.

  // From the line.
  typedef struct packed {
    logic        bad;    // with the last beat: the frame turned out bad, discard it; 0 with all others
    logic [31:0] stamp;  // the free-running counter at the SFD; the same in all beats of a frame
  } rx_user_t;

  // To the line.
  typedef struct packed {
    logic bad;           // with the last beat: discard the frame; 0 with all others
    logic stamp_wanted;  // a transmit stamp; the same in all beats of a frame
    logic steady;        // from this beat to the last: those behind it come in time for the line, as mac.sv says, and
                         // the frame is not bad; it may begin before it is whole
  } tx_user_t;

  // ---- Streams of 64-bit beats, from and to the line.
  typedef struct packed {
    rx_user_t    user;
    frame_beat_t beat;
    logic        valid;
  } rx_frame_t;

  typedef struct packed {
    tx_user_t    user;
    frame_beat_t beat;
    logic        valid;
  } tx_frame_t;

endpackage
