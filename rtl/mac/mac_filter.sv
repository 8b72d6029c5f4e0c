// SPDX-License-Identifier: Apache-2.0
//
// Address filter: whose frame is this? Part of mac_rx, which shows it the destination address and the CRC behind it for
// one cycle of each frame; the answers stand from then to the next frame's. All settings that matter are looked at in
// that one cycle, so that no frame is judged by half of a change.
//
// A frame is wanted when the filter is promiscuous, the address is our own, or it is a broadcast one and those are
// accepted, or it is another group address whose bit of `multicast_hash` is set.
//
// Latency: one cycle.
module mac_filter
  import mac_pkg::*;
(
  input  logic          clk,
  /* verilator lint_off UNUSEDSIGNAL */  // the filter's part of them
  input  mac_settings_t settings,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic          judge,     // the next two are those of a frame
  input  logic [47:0]   address,   // its destination, the first byte on the wire on top
  input  logic [5:0]    hash,      // bits 0 (on top) to 5 of the CRC register behind the destination

  output logic          wanted,
  output logic          may_pause  // a pause frame to this address is to be obeyed
);

  localparam logic [47:0] PAUSE_ADDRESS = 48'h01_80_C2_00_00_01;

  logic own_q, broadcast_q, group_q, pause_address_q;
  logic promiscuous_q, take_broadcast_q, hash_hit_q, rx_pause_q;

  assign wanted    = promiscuous_q || own_q || (broadcast_q ? take_broadcast_q : group_q && hash_hit_q);
  assign may_pause = rx_pause_q && (own_q || pause_address_q);

  always_ff @(posedge clk) begin
    if (judge) begin
      own_q            <= address == settings.mac_address;
      broadcast_q      <= &address;
      group_q          <= address[40];
      pause_address_q  <= address == PAUSE_ADDRESS;
      promiscuous_q    <= settings.promiscuous;
      take_broadcast_q <= settings.broadcast;
      hash_hit_q       <= settings.multicast_hash[hash];
      rx_pause_q       <= settings.rx_pause;
    end
  end

endmodule
