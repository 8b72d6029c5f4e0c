// SPDX-License-Identifier: Apache-2.0
//
// net_rx: the last registers of a datagram's words. With the last one its fate is joined by the sum, which is known
// there. The sum of 64 bits is that of the words that were made, one register before `l4`; above, that of the words in
// `beat`, two before it, and up to three datagrams are on their way, each with what belongs to it.
//
// Borders: `l4` is registers, but for its fate, which follows `sum_right`.

`include "types.svh"

module net_rx_out
  import frame_pkg::*;
  import net_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  localparam type beat_t  = `NSOC_BEAT(WIDTH),
  localparam type l4_rx_t = `NSOC_STREAM(l4_rx_user_t, beat_t)
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        go,           // all registers take what is before them
  input  logic        valid,
  input  beat_t       beat,
  input  logic        first,        // of its datagram
  input  fate_t       fate,         // of its last one, but for the sum
  input  logic        no_sum,       // of its datagram: there is none
  input  l4_rx_user_t meta,
  input  logic        sum_right,
  output l4_rx_t      l4,
  output logic [15:0] coming_port   // that of the datagram that is in l4 from the next cycle on, at the soonest
);

  typedef struct packed {
    fate_t fate;
    logic  first;
    logic  no_sum;
    beat_t beat;
    logic  valid;
  } passing_t;

  passing_t    passing, out_q;
  l4_rx_user_t out_meta;
  logic        unsummed;

  assign passing = '{fate: fate, first: first, no_sum: no_sum, beat: beat, valid: valid};

  if (WIDTH == 64) begin : g_one_datagram
    logic unused;
    assign unused      = &{1'b0, out_q.no_sum};
    assign out_meta    = meta;
    assign unsummed    = no_sum;
    assign coming_port = meta.port;

    always_ff @(posedge clk) begin
      if (go) out_q <= passing;
      if (rst) out_q.valid <= 1'b0;
    end
  end else begin : g_datagrams
    passing_t    late_q;
    l4_rx_user_t late_meta_q, out_meta_q;

    assign out_meta    = out_meta_q;
    assign unsummed    = out_q.no_sum;
    assign coming_port = late_meta_q.port;

    always_ff @(posedge clk) begin
      if (go) begin
        late_q      <= passing;
        late_meta_q <= meta;
        out_q       <= late_q;
        out_meta_q  <= late_meta_q;
      end
      if (rst) begin
        late_q.valid <= 1'b0;
        out_q.valid  <= 1'b0;
      end
    end
  end

  always_comb begin
    l4.valid      = out_q.valid;
    l4.beat       = out_q.beat;
    l4.user       = out_meta;
    l4.user.first = out_q.first;
    if (!out_q.beat.tlast) l4.user.fate = FATE_GOOD;
    else l4.user.fate = out_q.fate == FATE_GOOD && !sum_right && !unsummed ? FATE_SUM : out_q.fate;
  end

endmodule
