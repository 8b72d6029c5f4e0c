// SPDX-License-Identifier: Apache-2.0
//
// dma with a processor that writes and reads its registers as it likes: a command is taken while there is room and
// refused otherwise, which status says; each that was taken has one result, in order; the interrupt is high while one
// waits that wants it. When a copy ends is free here: fv_dma_copy is about that.
module fv_dma
  import acb_pkg::acb_m2s_t, acb_pkg::acb_s2m_t, afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t;
  import dma_regs_pkg::*;
#(
  parameter int unsigned DEPTH = 2
) (
  input logic       clk,
  input logic       follow,
  input logic       access_valid,
  input logic       access_read,
  input logic [2:0] access_id,
  input logic       bit16,  // of what is written
  input logic       acb_likes
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  afb_m2s_t afb_m2s;
  afb_s2m_t afb_s2m;
  acb_m2s_t read_m2s, write_m2s;
  acb_s2m_t memory;
  logic     irq, mark, waits, next;

  dma #(.DEPTH(DEPTH)) dut (.*, .read_s2m(memory), .write_s2m(memory));

  // The followed command is the only one that asks for a CRC, and for an interrupt.
  command_t written;

  always_comb begin
    written           = '0;
    written.crc       = mark;
    written.irq       = mark;
    written.bytes[16] = bit16;
    afb_m2s           = '{req: '0, req_valid: access_valid, rsp_ready: 1'b1};
    afb_m2s.req.read       = access_read;
    afb_m2s.req.byte_mask  = '1;
    afb_m2s.req.address    = 36'({access_id, 2'b00});
    afb_m2s.req.write_data = written;
    memory            = '{req_ready: acb_likes, rsp: '0, rsp_valid: 1'b0};
  end

  localparam int unsigned COUNT_W = $clog2(DEPTH + 2);

  logic               command, asked, taken, result, room;
  logic [COUNT_W-1:0] count;
  result_t            said;
  status_t            status;
  logic               asked_result_q, asked_status_q, commands_q, refused_q, refused_before_q;

  assign command = access_valid && afb_s2m.req_ready && !access_read && 6'(access_id) == ID_COMMAND;
  assign asked   = access_valid && afb_s2m.req_ready && access_read;
  assign said    = afb_s2m.rsp.data;
  assign status  = afb_s2m.rsp.data;
  assign result  = asked_result_q && said.valid;
  assign room    = 32'(count) - 32'(result) < DEPTH;
  assign taken   = command && room;

  fv_order #(.MAX(DEPTH)) order (
    .clk, .rst, .follow, .mark, .in(taken), .out(result), .out_marked(said.with_crc), .count, .waits, .next
  );

  logic irq_seen_q;

  always_ff @(posedge clk) begin
    asked_result_q   <= asked && 6'(access_id) == ID_RESULT && !rst;
    asked_status_q   <= asked && 6'(access_id) == ID_STATUS && !rst;
    refused_before_q <= refused_q;
    if (access_valid && afb_s2m.req_ready && !access_read && 6'(access_id) == ID_STATUS && bit16) refused_q <= 1'b0;
    if (command && !room) refused_q <= 1'b1;
    commands_q       <= command;
    irq_seen_q       <= irq;
    if (rst) begin
      refused_q        <= 1'b0;
      refused_before_q <= 1'b0;
      irq_seen_q       <= 1'b0;
    end
  end

  a_never_waits : assert property (@(posedge clk) disable iff (rst) afb_s2m.req_ready);
  a_status : assert property (@(posedge clk) disable iff (rst)
    asked_status_q -> status.refused == refused_before_q && 32'(status.commands) + 32'(status.results) <= DEPTH);
  a_irq_has_a_reason : assert property (@(posedge clk) disable iff (rst) irq_seen_q && irq -> waits || result);

  logic unused;
  assign unused = &{1'b0, commands_q, next, read_m2s, write_m2s};

endmodule
