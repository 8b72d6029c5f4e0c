// SPDX-License-Identifier: Apache-2.0
//
// tcp_stream with flat ports, for stream_harness.cpp.

`include "types.svh"

module tcp_stream_tb
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,
  parameter int unsigned PORT        = 64,
  parameter int unsigned CONNECTIONS = 16,
  parameter int unsigned RING_BYTES  = 4096,
  parameter int unsigned BASE        = 'h5000_0000
) (
  input  logic               clk,
  input  logic               rst,

  input  logic               acb_valid,
  output logic               acb_ready,
  input  logic               acb_read,
  input  logic [PORT/8-1:0]  acb_mask,
  input  logic [35:0]        acb_address,
  input  logic [PORT-1:0]    acb_write_data,
  output logic               acb_answered,
  output logic               acb_err,
  output logic [PORT-1:0]    acb_data,

  input  logic               told_valid,
  input  index_t             told_index,
  input  logic               told_begins,
  input  logic               told_closed,
  input  logic [31:0]        told_received,
  input  logic [31:0]        told_acknowledged,
  input  logic               told_all_read,
  output logic               request_valid,
  input  logic               request_ready,
  output logic               request_sends,
  output logic               request_reads,
  output index_t             request_index,
  output logic [31:0]        request_position,

  input  logic [WIDTH-1:0]   s_tdata,
  input  logic [WIDTH/8-1:0] s_tkeep,
  input  logic               s_tlast,
  input  logic               s_tvalid,
  output logic               s_tready,
  input  index_t             s_tdest,
  input  logic [15:0]        s_tlength,
  input  logic               s_thold,
  output logic [31:0]        s_position,
  input  logic               doorbell_valid,
  input  index_t             doorbell_dest,
  output logic               doorbell_ready,

  output logic [WIDTH-1:0]   m_tdata,
  output logic [WIDTH/8-1:0] m_tkeep,
  output logic               m_tlast,
  output logic               m_tvalid,
  input  logic               m_tready,
  output index_t             m_tdest,

  input  index_t             look_index,
  output logic [31:0]        look_delivered,
  output logic               look_open,
  input  logic               hold_valid,
  input  index_t             hold_index,
  output logic               busy_valid,
  output index_t             busy_index,
  input  logic               fast_valid,
  input  index_t             fast_index,
  input  logic [31:0]        fast_position,

  output logic               wrote,
  output index_t             wrote_index,
  output logic [31:0]        wrote_position,
  output logic               drop_length,
  output logic               drop_closed,
  output logic               idle
);

  typedef `NSOC_BUS_M2S(PORT) m2s_t;
  typedef `NSOC_BUS_S2M(PORT) s2m_t;

  m2s_t     acb_m2s, acb_read_m2s;
  s2m_t     acb_s2m, acb_read_s2m;
  direct_t  told;
  /* verilator lint_off UNUSEDSIGNAL */
  request_t request;
  /* verilator lint_on UNUSEDSIGNAL */

  assign acb_m2s          = '{req: '{lock: 1'b0, read: acb_read, byte_mask: acb_mask, address: acb_address,
                                     write_data: acb_write_data}, req_valid: acb_valid && !acb_read, rsp_ready: 1'b1};

  always_comb begin
    acb_read_m2s           = acb_m2s;
    acb_read_m2s.req_valid = acb_valid && acb_read;
  end

  assign acb_ready        = acb_s2m.req_ready && acb_read_s2m.req_ready;
  assign acb_answered     = acb_s2m.rsp_valid || acb_read_s2m.rsp_valid;
  assign acb_err          = acb_read_s2m.rsp_valid ? acb_read_s2m.rsp.err : acb_s2m.rsp.err;
  assign acb_data         = acb_read_s2m.rsp.data;
  assign told             = '{index: ~told_index[DIRECT_W-1:0], begins: told_begins, finished: 1'b0,
                              closed: told_closed, received: told_received, acknowledged: told_acknowledged,
                              all_read: told_all_read};
  assign request_sends    = request.command.op == OP_SEND;
  assign request_reads    = request.command.op == OP_READ;
  assign request_index    = request.index;
  assign request_position = request.command.a;

  tcp_stream #(
    .WIDTH(WIDTH), .PORT(PORT), .CONNECTIONS(CONNECTIONS), .RING_BYTES(RING_BYTES), .BASE(BASE)
  ) u_stream (.*);

endmodule
