// SPDX-License-Identifier: Apache-2.0
//
// From the PHY's pins to bytes, for GMII and MII alike: the first register on a received frame's way, before gmii_rx.
//
// GMII: a byte a cycle, as it comes. MII (`mii`): nibbles at gmii_rxd[3:0], the low one of a byte first. Where bytes
// begin only the SFD tells, as a PHY may lose any number of nibbles of the preamble: up to it every nibble is a step of
// its own, a byte with the nibble before it (0 before the first one). So the SFD is the first D behind a 5, at an even
// nibble or an odd one.
//
//   nibbles  | 5  | 5  | 5  | D  | 3  | 1  | 4  | 2  | 7  | (end)
//   rxd      | 50 | 55 | 55 | D5 |    | 13 |    | 24 |    |
//   step     | 1  | 1  | 1  | 1  | 0  | 1  | 0  | 1  | 0  | 1        the odd nibble at the end vanishes, as 802.3 has it
//
// `dv` and `er` are those of every cycle, steps or not. Behind the end of an event every cycle is a step again.
//
// Latency: one cycle. `mii` must not change within a frame that matters.
module mii_rx (
  input  logic       clk,
  input  logic       rst,
  input  logic       mii,
  input  logic [7:0] gmii_rxd,
  input  logic       gmii_rx_dv,
  input  logic       gmii_rx_er,

  output logic [7:0] rxd,
  output logic       dv,
  output logic       er,
  output logic       step  // rxd is whole
);

  localparam logic [7:0] SFD_BYTE = 8'hD5;

  logic [7:0] rxd_q;
  logic       dv_q, er_q;
  logic       aligned_q;  // the SFD was seen: nibbles go in pairs
  logic       half_q;     // a low nibble was the last: rxd_q waits for the high one
  logic [3:0] low_q;      // the nibble before this one

  assign rxd  = rxd_q;
  assign dv   = dv_q;
  assign er   = er_q;
  assign step = !half_q;

  always_ff @(posedge clk) begin
    dv_q      <= gmii_rx_dv && !rst;
    er_q      <= gmii_rx_er;
    low_q     <= gmii_rxd[3:0] & {4{gmii_rx_dv}};
    aligned_q <= gmii_rx_dv && !rst && (aligned_q || {gmii_rxd[3:0], low_q} == SFD_BYTE);
    half_q    <= mii && gmii_rx_dv && aligned_q && !half_q;
    rxd_q     <= mii ? {gmii_rxd[3:0], low_q} : gmii_rxd;
  end

  // What must hold: an event is seen from its first cycle and its end at once, whatever is in it; no two cycles without
  // a step.
  a_first : assert property (@(posedge clk) disable iff (rst) $rose(dv) -> step);
  a_end : assert property (@(posedge clk) disable iff (rst) !dv && !$past(rst) -> step);
  a_pairs : assert property (@(posedge clk) disable iff (rst) $past(!step) && !$past(rst) -> step);

endmodule
