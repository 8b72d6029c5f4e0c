// SPDX-License-Identifier: Apache-2.0
//
// A slave of either bus, as the proofs know it: it takes requests when it likes, answers them in order when it likes, a
// cycle after it took them at the earliest, and its answer to a marked request (fv_order) is marked. With STALL it is
// fair: it likes to after at most STALL cycles of not liking.
module fv_slave #(
  parameter int unsigned DEPTH = 4,  // requests it can hold; it takes no more
  parameter int unsigned STALL = 0,  // 0: no bound
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1)
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               likes_request,  // free
  input  logic               likes_answer,   // free
  input  logic               req_valid,
  output logic               req_ready,
  input  logic               req_marked,
  output logic               rsp_valid,
  input  logic               rsp_ready,
  output logic               rsp_marked,
  output logic [COUNT_W-1:0] count           // requests it has taken and not answered
);

  logic [COUNT_W-1:0] count_q, ahead_q;
  logic               marked_q, take, give;
  logic [3:0]         request_stall_q, answer_stall_q;
  logic               request_due, answer_due;

  assign request_due = STALL != 0 && 32'(request_stall_q) >= STALL;
  assign answer_due  = STALL != 0 && 32'(answer_stall_q) >= STALL;
  assign req_ready   = (likes_request || request_due) && 32'(count_q) < DEPTH;
  assign rsp_valid   = (likes_answer || answer_due) && count_q != '0;
  assign rsp_marked  = marked_q && ahead_q == '0;
  assign take        = req_valid && req_ready;
  assign give        = rsp_valid && rsp_ready;
  assign count       = count_q;

  always_ff @(posedge clk) begin
    count_q <= count_q + COUNT_W'(take) - COUNT_W'(give);
    if (give) begin
      ahead_q <= ahead_q - 1'b1;
      if (rsp_marked) marked_q <= 1'b0;
    end
    if (take && req_marked) begin
      marked_q <= 1'b1;
      ahead_q  <= count_q - COUNT_W'(give);
    end
    if (STALL == 0 || take || !req_valid) request_stall_q <= '0;
    else if (!request_due) request_stall_q <= request_stall_q + 1'b1;
    if (STALL == 0 || rsp_valid || count_q == '0) answer_stall_q <= '0;
    else if (!answer_due) answer_stall_q <= answer_stall_q + 1'b1;
    if (rst) begin
      count_q         <= '0;
      marked_q        <= 1'b0;
      request_stall_q <= '0;
      answer_stall_q  <= '0;
    end
  end

endmodule
