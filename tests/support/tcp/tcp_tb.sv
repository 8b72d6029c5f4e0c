// SPDX-License-Identifier: Apache-2.0
//
// The TCP engine with a port for each signal of its channels, for engine_harness.cpp. `busy`: something is under way
// inside, or was not long ago; else nothing moves but time until the earliest deadline. `buffered`: words in tcp_rx's
// buffer.
module tcp_tb
  import acb_pkg::*;
  import afb_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_socket_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 16,
  parameter int unsigned CLOCK_HZ    = 125_000_000,
  parameter int unsigned PACKET_BYTES = 1048576
) (
  input  logic        clk,
  input  logic        rst,

  input  logic [63:0] in_data,
  input  logic [7:0]  in_keep,
  input  logic        in_last,
  input  logic        in_valid,
  output logic        in_ready,
  input  logic [31:0] in_source,
  input  logic [15:0] in_length,

  output logic [63:0] out_data,
  output logic [7:0]  out_keep,
  output logic        out_last,
  output logic        out_valid,
  input  logic        out_ready,
  output logic [31:0] out_destination,
  output logic [15:0] out_length,
  output logic [7:0]  out_ttl,
  output logic [7:0]  out_tos,

  input  logic        icmp_valid,
  input  logic [7:0]  icmp_kind,
  input  logic [7:0]  icmp_code,
  input  logic [15:0] icmp_mtu,
  input  logic [31:0] icmp_destination,
  input  logic [15:0] icmp_source_port,
  input  logic [15:0] icmp_port,
  input  logic [31:0] icmp_seq,

  input  logic        reg_valid,
  output logic        reg_ready,
  input  logic        reg_read,
  input  logic [31:0] reg_address,
  input  logic [31:0] reg_write_data,
  output logic        reg_answered,
  output logic        reg_err,
  output logic [31:0] reg_data,

  output logic        mem_valid,
  input  logic        mem_ready,
  output logic        mem_read,
  output logic [7:0]  mem_mask,
  output logic [35:0] mem_address,
  output logic [63:0] mem_write_data,
  input  logic        mem_answered,
  output logic        mem_taken,
  input  logic        mem_err,
  input  logic [63:0] mem_data,

  output logic        irq,
  output logic        busy,
  output logic        earliest_valid,
  output logic [39:0] earliest,
  output logic [55:0] now,
  output logic [15:0] buffered
);

  localparam int unsigned CALM = 96;  // cycles: longer than any answer of the table to a short chain

  /* verilator lint_off UNUSEDSIGNAL */
  net_settings_t net_settings;
  tcp_tx_t       out_segment;
  logic          tick;
  logic [31:0]   us;
  ring_answer_t  guest_answer;
  /* verilator lint_on UNUSEDSIGNAL */
  tcp_rx_t       segment;
  icmp_event_t   icmp_event;
  afb_m2s_t      afb_m2s;
  afb_s2m_t      afb_s2m;
  acb_m2s_t      acb_m2s;
  acb_s2m_t      acb_s2m;
  acb_m2s_t      ring_m2s;
  acb_s2m_t      ring_s2m;
  owner_rings_t  owned;
  owner_told_t   told;
  owner_request_t request;
  owner_fetch_t  fetch;
  owner_step_t   fetch_step;
  owner_sum_t    sum;
  core_told_t    core_told;
  logic          request_ready, fetch_held;

  assign segment    = '{user: '{bad: 1'b0, source: in_source, length: in_length, tos: '0},
                        beat: '{tlast: in_last, tdata: in_data, tkeep: in_keep}, valid: in_valid};
  assign icmp_event = '{valid: icmp_valid, kind: icmp_kind, code: icmp_code, mtu: icmp_mtu, protocol: PROTOCOL_TCP,
                        destination: icmp_destination, source_port: icmp_source_port, port: icmp_port,
                        sequence_number: icmp_seq};
  assign afb_m2s    = '{req: '{lock: 1'b0, read: reg_read, byte_mask: '1, address: 36'(reg_address),
                               write_data: reg_write_data}, req_valid: reg_valid, rsp_ready: 1'b1};
  assign acb_s2m    = '{req_ready: mem_ready, rsp: '{err: mem_err, data: mem_data}, rsp_valid: mem_answered};

  tcp_engine #(
    .CONNECTIONS(CONNECTIONS), .CLOCK_HZ(CLOCK_HZ), .PACKET_BASE(memory_map_pkg::PACKET_MEMORY_BASE[31:0]),
    .PACKET_BYTES(PACKET_BYTES)
  ) u_tcp (  // verilator lint_off PINCONNECTEMPTY
    .clk, .rst, .net_settings, .net_stat('0), .tick, .us, .segment, .segment_ready(in_ready), .out_segment,
    .out_segment_ready(out_ready), .icmp_event, .afb_m2s, .afb_s2m, .irq, .ring_m2s, .ring_s2m, .guests('0),
    .guest_answer, .owned, .told_owner(told), .owner_request(request), .owner_request_ready(request_ready),
    .fetch_next(fetch), .fetch_held, .fetch_step, .sum, .view(), .core_told, .core_rest(core_told), .sent(1'b0),
    .fast('0), .fast_ready(), .taps()
  );  // verilator lint_on PINCONNECTEMPTY

  tcp_memory u_memory (
    .ring_m2s, .ring_s2m, .memory_m2s(acb_m2s), .memory_s2m(acb_s2m), .owned, .told, .request, .request_ready, .fetch,
    .fetch_held, .fetch_step, .sum
  );

  assign out_data        = out_segment.beat.tdata;
  assign out_keep        = out_segment.beat.tkeep;
  assign out_last        = out_segment.beat.tlast;
  assign out_valid       = out_segment.valid;
  assign out_destination = out_segment.user.destination;
  assign out_length      = out_segment.user.length;
  assign out_ttl         = out_segment.user.ttl;
  assign out_tos         = out_segment.user.tos;

  assign reg_ready    = afb_s2m.req_ready;
  assign reg_answered = afb_s2m.rsp_valid;
  assign reg_err      = afb_s2m.rsp.err;
  assign reg_data     = afb_s2m.rsp.data;

  assign mem_valid      = acb_m2s.req_valid;
  assign mem_read       = acb_m2s.req.read;
  assign mem_mask       = acb_m2s.req.byte_mask;
  assign mem_address    = acb_m2s.req.address;
  assign mem_write_data = acb_m2s.req.write_data;
  assign mem_taken      = acb_m2s.rsp_ready;

  // ---- Whether anything moves -------------------------------------------------------------------------------------

  logic       moves;
  logic [6:0] calm_q;

  assign moves = rst || in_valid || out_valid || icmp_valid || mem_valid || mem_answered
                 || u_tcp.arrival_valid || u_tcp.request_valid || u_tcp.timer_valid || u_tcp.turn_valid
                 || u_tcp.ev_valid || !u_tcp.core_idle || u_tcp.told_valid || !u_tcp.rings_idle
                 || !u_tcp.tx_idle || u_tcp.ask_valid || u_tcp.u_timers.read_valid_q;

  always_ff @(posedge clk) begin
    if (moves) calm_q <= '0;
    else if (calm_q != 7'(CALM)) calm_q <= calm_q + 1'b1;
  end

  assign busy           = moves || calm_q != 7'(CALM);
  assign earliest_valid = u_tcp.earliest_valid;
  assign earliest       = u_tcp.earliest;
  assign now            = u_tcp.now;
  assign buffered       = 16'(u_tcp.u_rx.write_q - u_tcp.u_rx.free_q);

endmodule
