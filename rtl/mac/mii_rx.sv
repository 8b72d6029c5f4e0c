// SPDX-License-Identifier: Apache-2.0
//
// From the PHY's pins to bytes, for GMII and MII alike: the first register on a received frame's way, before gmii_rx.
//
// GMII: a byte a cycle, as it comes. MII (`mii`): nibbles at gmii_rxd[3:0], the low one of a byte first. Where bytes
// begin only the SFD tells, as a PHY may lose any number of nibbles of the preamble: up to it every nibble is a step of
// its own, a byte whose low nibble is 5 (so 5 gives 0x55, D gives the SFD and anything else what no preamble has).
//
//   nibbles  | 5  | 5  | 5  | D  | 3  | 1  | 4  | 2  | 7  | (end)
//   rxd      | 55 | 55 | 55 | D5 |    | 13 |    | 24 |    |
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

  localparam logic [3:0] PREAMBLE_NIBBLE = 4'h5;
  localparam logic [3:0] SFD_NIBBLE      = 4'hD;

  logic [7:0] rxd_q;
  logic       dv_q, er_q;
  logic       aligned_q;  // the SFD was seen: nibbles go in pairs
  logic       half_q;     // a low nibble was the last: rxd_q waits for the high one
  logic [3:0] low_q;

  assign rxd  = rxd_q;
  assign dv   = dv_q;
  assign er   = er_q;
  assign step = !half_q;

  always_ff @(posedge clk) begin
    dv_q      <= gmii_rx_dv && !rst;
    er_q      <= gmii_rx_er;
    low_q     <= gmii_rxd[3:0];
    aligned_q <= gmii_rx_dv && !rst && (aligned_q || gmii_rxd[3:0] == SFD_NIBBLE);
    half_q    <= mii && gmii_rx_dv && aligned_q && !half_q;
    if (!mii) rxd_q <= gmii_rxd;
    else rxd_q <= {gmii_rxd[3:0], aligned_q ? low_q : PREAMBLE_NIBBLE};
  end

  // What must hold: an event is seen from its first cycle and its end at once, whatever is in it; no two cycles without
  // a step.
  a_first : assert property (@(posedge clk) disable iff (rst) $rose(dv) -> step);
  a_end : assert property (@(posedge clk) disable iff (rst) !dv && !$past(rst) -> step);
  a_pairs : assert property (@(posedge clk) disable iff (rst) $past(!step) && !$past(rst) -> step);

endmodule
