// SPDX-License-Identifier: Apache-2.0
//
// nic_tx_engine with offloads, a frame in the steady memory and a MAC that is always ready: how long behind the first
// beat the others come, at the latest; a frame that asks for sums makes no promise. The memory takes a request and
// gives an answer in every cycle at first and then, from one of the events below on, in every second one (the other is
// the receive engine's), requests and answers each for themselves. This is the part of the bound in nic_tx_engine.sv
// that is the engine's; the rest is the way to the memory and back (acb_arbiter, acb_cdc, acb_router, local_mem), whose
// cycles their headers say.
module fv_nic_tx_promise
  import acb_pkg::*;
  import frame_pkg::*;
  import nic_pkg::*;
#(
  parameter int unsigned REST = 27,  // cycles, to the first dword of the rest
  parameter int unsigned BEAT = 2    // cycles, a beat behind that
) (
  input logic       clk,
  input logic [1:0] slow_requests,  // from 0: the start, 1: the length's arrival, 2: the first beat; 3: never
  input logic [1:0] slow_answers,
  input logic       long_frame,
  input logic [1:0] asks
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic begun_q = 1'b0;
  always_ff @(posedge clk) begun_q <= 1'b1;

  m_one_of_each : assume property (@(posedge clk)
    begun_q -> $stable(slow_requests) && $stable(slow_answers) && $stable(long_frame) && $stable(asks));

  acb_rsp_t mem_rsp;
  assign mem_rsp = '{err: 1'b0, data: {37'b0, asks, 1'b0, 8'b0, long_frame ? 16'd2030 : 16'd79}};  // the control word

  tx_frame_t      tx_frame;
  tx_queues_req_t queues_req;
  acb_m2s_t       mem_m2s;
  logic           mem_req_ready, mem_rsp_valid, taken_q;
  logic [1:0]     event_q;

  // One pointer.
  always_ff @(posedge clk) taken_q <= !rst && (taken_q || queues_req.take_from != '0);

  nic_tx_engine #(.OFFLOADS(1'b1), .STEADY_BASE(32'h0), .STEADY_BYTES(32'h8000_0000)) dut (
    .clk, .rst, .enable(1'b1), .max_length(16'd2030), .max_sent(11'd2030), .paced(1'b1), .rx_elsewhere(1'b0),
    .claims(), .tx_frame,
    .tx_frame_ready(1'b1), .mem_m2s, .mem_s2m('{req_ready: mem_req_ready, rsp: mem_rsp, rsp_valid: mem_rsp_valid}),
    .queues('{occupancy: '0, empty: {4'b0111, taken_q, 4'b0}, room: '0, room_in_each: '0, held: '0, lock_held: '0}),
    .queues_req, .queues_rsp('{take_ready: 1'b1, taken: '0, return_ready: 1'b1}),
    .stamp_req(), .stamp_room(1'b1), .kept(), .fates(), .status()
  );

  always_ff @(posedge clk) begin
    if (dut.known && event_q == 2'd0) event_q <= 2'd1;
    if (tx_frame.valid) event_q <= 2'd2;
    if (rst) event_q <= 2'd0;
  end

  fv_slave #(.DEPTH(80), .STALL(1)) memory (
    .clk, .rst, .likes_request(event_q < slow_requests), .likes_answer(event_q < slow_answers),
    .req_valid(mem_m2s.req_valid), .req_ready(mem_req_ready), .req_marked(1'b0),
    .rsp_valid(mem_rsp_valid), .rsp_ready(mem_m2s.rsp_ready), .rsp_marked(), .count()
  );

  logic       inside_q;  // a frame that began early is on its way
  logic [7:0] age_q;     // cycles since its first beat
  logic [7:0] beats_q;   // that came, that one too

  always_ff @(posedge clk) begin
    if (tx_frame.valid) inside_q <= tx_frame.user.steady && !tx_frame.beat.tlast;
    age_q   <= inside_q ? age_q + 8'(!(&age_q)) : 8'd1;
    beats_q <= (inside_q ? beats_q : '0) + 8'(tx_frame.valid);
    if (rst) inside_q <= 1'b0;
  end

  a_steady : assert property (@(posedge clk) disable iff (rst)
    tx_frame.valid -> tx_frame.user.steady == (asks == '0));
  a_first : assert property (@(posedge clk) disable iff (rst)
    inside_q && beats_q < 8'd9 && !tx_frame.valid -> 32'(age_q) < BEAT * 32'(beats_q) + 4);
  a_rest : assert property (@(posedge clk) disable iff (rst)
    inside_q && beats_q >= 8'd9 && !tx_frame.valid -> 32'(age_q) < REST + BEAT * (32'(beats_q) - 9));

endmodule
