// SPDX-License-Identifier: Apache-2.0
//
// nic_tx_engine between queues that give and take when they like, a memory that answers when and what it likes and a
// MAC that takes beats when it likes: a taken pointer is returned or kept exactly once, in the order of taking, and no
// other one is; `held` is exact in every cycle; each pointer ends in exactly one of sent, bad length and memory error.
// With OFFLOADS the control words ask for what they like, without for nothing that is heard.
module fv_nic_tx_engine
  import acb_pkg::*;
  import frame_pkg::*;
  import nic_pkg::*;
#(
  parameter  bit          OFFLOADS = 1'b0,
  localparam int unsigned SERVERS  = MAX_SERVERS
) (
  input logic               clk,
  input logic               follow,
  input logic               enable,
  input logic [15:0]        max_length,
  input logic [10:0]        max_sent,
  input logic               tx_frame_ready,
  input logic               likes_request,
  input logic               likes_answer,
  input acb_rsp_t           mem_rsp,
  input logic [SERVERS-1:0] nonempty,
  input logic               take_ready,
  input logic               return_ready,
  input logic               stamp_room,
  input logic               paced,
  input logic               rx_elsewhere
);

  // As nic_regfile keeps it: a frame of max_frame without its FCS.
  m_max_sent : assume property (@(posedge clk) max_sent >= 11'd60 && max_sent <= 11'd2030);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  tx_frame_t          tx_frame;
  logic               claims;
  logic               mem_req_valid, mem_req_ready, mem_rsp_valid, mem_rsp_ready;
  acb_m2s_t           mem_m2s;
  tx_queues_req_t     queues_req;
  nic_fates_pkg::nic_tx_fates_t fates;
  engine_status_t     status;
  logic [SERVERS-1:0] take_from;
  logic [31:3]        taken, returned;
  logic               return_valid, taken_event, bad_length_event, memory_error_event;
  logic [7:0]         held;
  logic               kept;

  assign mem_req_valid      = mem_m2s.req_valid;
  assign mem_rsp_ready      = mem_m2s.rsp_ready;
  assign take_from          = queues_req.take_from;
  assign return_valid       = queues_req.return_valid;
  assign returned           = queues_req.returned;
  assign taken_event        = fates.tx_taken;
  assign bad_length_event   = fates.tx_drop_bad_length;
  assign memory_error_event = fates.tx_drop_memory_error;
  assign held               = status.held;

  // Of the pointers only the marked one is outside the steady memory.
  nic_tx_engine #(.OFFLOADS(OFFLOADS), .STEADY_BASE(32'h0), .STEADY_BYTES(32'h8000_0000)) dut (
    .clk, .rst, .enable, .max_length, .max_sent, .paced, .rx_elsewhere, .claims, .tx_frame, .tx_frame_ready,
    .mem_m2s, .mem_s2m('{req_ready: mem_req_ready, rsp: mem_rsp, rsp_valid: mem_rsp_valid}),
    .queues('{occupancy: '0, empty: {1'b0, ~nonempty, 4'b0}, room: '0, room_in_each: '0, held: '0, lock_held: '0}),
    .queues_req, .queues_rsp('{take_ready: take_ready, taken: taken, return_ready: return_ready}),
    .stamp_req(), .stamp_room, .kept, .fates, .status
  );

  fv_slave #(.DEPTH(80)) memory (
    .clk, .rst, .likes_request, .likes_answer, .req_valid(mem_req_valid), .req_ready(mem_req_ready), .req_marked(1'b0),
    .rsp_valid(mem_rsp_valid), .rsp_ready(mem_rsp_ready), .rsp_marked(), .count()
  );

  logic       take, give, mark, mark_q;
  logic [2:0] count, ended_q;

  assign take  = take_from != '0 && take_ready;
  assign give  = (return_valid && return_ready) || kept;
  assign taken = {mark_q, 28'b0};
  always_ff @(posedge clk) mark_q <= mark && take;

  fv_order #(.MAX(4)) order (
    .clk, .rst, .follow, .mark, .in(take), .out(give), .out_marked(returned[31]), .count, .waits(), .next()
  );

  // Frames whose end is known and whose pointer is not back yet.
  always_ff @(posedge clk) begin
    ended_q <= rst ? '0 : ended_q + 3'(taken_event) + 3'(bad_length_event) + 3'(memory_error_event) - 3'(give);
  end

  a_held : assert property (@(posedge clk) disable iff (rst) held == 8'(count));
  a_one_end : assert property (@(posedge clk) disable iff (rst)
    $onehot0({taken_event, bad_length_event, memory_error_event}) && ended_q <= count && (give -> ended_q != '0));
  a_returns_ended : assert property (@(posedge clk) disable iff (rst)
    (return_valid || kept) == (ended_q != '0) && !(return_valid && kept) && (OFFLOADS || !kept));

  // Kept where the control word could be read and asked for that, and only there.
  logic [3:0][7:0] asked_q;  // by the order of their control words
  logic [2:0] words_q, back_q;
  always_ff @(posedge clk) begin
    if (dut.known) asked_q[words_q[1:0]] <= dut.rsp_q.err ? '0 : dut.rsp_q.data[31:24];
    words_q <= rst ? '0 : words_q + 3'(dut.known);
    back_q  <= rst ? '0 : back_q + 3'(give);
  end
  a_kept : assert property (@(posedge clk) disable iff (rst)
    give -> kept == (OFFLOADS && asked_q[back_q[1:0]][3]));

  // A promise is made for no frame elsewhere, and only behind a claim of three cycles that the receive engine has seen.
  logic outside_q;  // where the reader's frame is
  always_ff @(posedge clk) if (dut.taking) outside_q <= taken[31];

  a_promise : assert property (@(posedge clk) disable iff (rst)
    dut.known && dut.steady -> !rx_elsewhere && claims && $past(claims) && $past(claims, 2) && !outside_q);
  // It stands until the frame's last dword is there.
  a_claim_holds : assert property (@(posedge clk) disable iff (rst)
    $past(claims && dut.flows_q && !rst) && dut.expected_q != '0 && !dut.awaits_control_q -> claims);

endmodule
