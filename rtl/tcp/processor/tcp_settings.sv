// SPDX-License-Identifier: Apache-2.0
//
// The settings of the TCP/IP engine: registers of tcp_commands that do nothing but keep what was written, as `net` and
// `tcp` have them. Keys are written, never read.
//
// Borders: a write takes effect in the cycle behind `write`; outputs out of registers, but for net_settings.group, a
// pulse through a comparison of `id`.
module tcp_settings
  import tcp_pkg::settings_t;
  import toe_regs_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  logic        write,               // pulse
  input  logic [7:0]  id,                  // of the register
  input  logic [31:0] data,
  output settings_t   settings,
  output logic [15:0][7:0] key,
  output logic [4:0]  time_scale,
  output ip_control_t ip_control,
  output net_pkg::net_settings_t net_settings
);

  logic [31:0]      mac_low_q, address_q, mask_q, gateway_q, id_key_q;
  logic [15:0]      mac_high_q, arp_lifetime_q, refuse_gap_q;
  logic [3:0][31:0] key_q;
  logic [4:0]       time_scale_q;
  ip_control_t      ip_control_q;
  settings_t        settings_q;

  always_ff @(posedge clk) begin
    if (write) begin
      unique case (id)
        ID_TIME_SCALE:    time_scale_q                <= data[4:0];
        ID_IP_CONTROL:    ip_control_q                <= data & IP_CONTROL_WRITABLE;
        ID_MAC_LOW:       mac_low_q                   <= data;
        ID_MAC_HIGH:      mac_high_q                  <= data[15:0];
        ID_ADDRESS:       address_q                   <= data;
        ID_MASK:          mask_q                      <= data;
        ID_GATEWAY:       gateway_q                   <= data;
        ID_ARP_LIFETIME:  arp_lifetime_q              <= data[15:0];
        ID_REFUSE_GAP:    refuse_gap_q                <= data[15:0];
        ID_KEY0:          key_q[0]                    <= data;
        ID_KEY1:          key_q[1]                    <= data;
        ID_KEY2:          key_q[2]                    <= data;
        ID_KEY3:          key_q[3]                    <= data;
        ID_ID_KEY:        id_key_q                    <= data;
        ID_LEAST_RTO:     settings_q.least_rto_us     <= data[26:0];
        ID_LONGEST_RTO:   settings_q.longest_rto_us   <= data[26:0];
        ID_FIRST_RTO:     settings_q.first_rto_us     <= data[26:0];
        ID_DELAYED_ACK:   settings_q.delayed_ack_us   <= data[21:0];
        ID_OVERRIDE_TIME: settings_q.override_us      <= data[21:0];
        ID_MSL:           settings_q.msl_ms           <= data[21:0];
        ID_PATIENCE:      {settings_q.child_patience_s, settings_q.syn_patience_s} <= data;
        ID_FIN_WAIT_2:    settings_q.fin_wait_2_ms    <= data[21:0];
        ID_KEEP_INTERVAL: settings_q.keep_interval_ms <= data[21:0];
        ID_KEEP_PROBES:   settings_q.keep_probes      <= data[3:0];
        ID_CHALLENGES:    settings_q.challenges       <= data[3:0];
        ID_CHALLENGE_TIME: settings_q.challenge_ms    <= data[21:0];
        ID_OFFERS: {settings_q.reset_full, settings_q.sack, settings_q.stamps, settings_q.scale} <= data[3:0];
        default: ;
      endcase
    end
    if (rst) begin
      time_scale_q   <= TIME_SCALE_RESET[4:0];
      ip_control_q   <= IP_CONTROL_RESET;
      mac_low_q      <= MAC_LOW_RESET;
      mac_high_q     <= MAC_HIGH_RESET[15:0];
      address_q      <= ADDRESS_RESET;
      mask_q         <= MASK_RESET;
      gateway_q      <= GATEWAY_RESET;
      arp_lifetime_q <= ARP_LIFETIME_RESET[15:0];
      refuse_gap_q   <= REFUSE_GAP_RESET[15:0];
      key_q          <= '0;
      id_key_q       <= '0;
      settings_q     <= '{
        least_rto_us:     LEAST_RTO_RESET[26:0],
        longest_rto_us:   LONGEST_RTO_RESET[26:0],
        first_rto_us:     FIRST_RTO_RESET[26:0],
        delayed_ack_us:   DELAYED_ACK_RESET[21:0],
        override_us:      OVERRIDE_TIME_RESET[21:0],
        msl_ms:           MSL_RESET[21:0],
        syn_patience_s:   PATIENCE_RESET[15:0],
        child_patience_s: PATIENCE_RESET[31:16],
        fin_wait_2_ms:    FIN_WAIT_2_RESET[21:0],
        keep_interval_ms: KEEP_INTERVAL_RESET[21:0],
        keep_probes:      KEEP_PROBES_RESET[3:0],
        challenges:       CHALLENGES_RESET[3:0],
        challenge_ms:     CHALLENGE_TIME_RESET[21:0],
        scale:            OFFERS_RESET[0],
        stamps:           OFFERS_RESET[1],
        sack:             OFFERS_RESET[2],
        reset_full:       OFFERS_RESET[3]
      };
    end
  end

  assign settings     = settings_q;
  assign key          = key_q;
  assign time_scale   = time_scale_q;
  assign ip_control   = ip_control_q;
  assign net_settings = '{
    enable:       ip_control_q.enable,
    tcp:          ip_control_q.tcp,
    refuse:       ip_control_q.refuse,
    dhcp_to_nic:  ip_control_q.dhcp_to_nic,
    steady:       ip_control_q.steady,
    mac:          {mac_high_q, mac_low_q},
    address:      address_q,
    mask:         mask_q,
    gateway:      gateway_q,
    arp_lifetime: arp_lifetime_q,
    refuse_gap:   refuse_gap_q,
    key:          key_q,
    id_key:       id_key_q,
    group:        '{valid: write && id == ID_GROUP, joined: data[31], place: data[30:28],
                    address: data[27:0]}
  };

endmodule
