// SPDX-License-Identifier: Apache-2.0
//
// Commands of two on their way to tcp_events: those of tcp_commands, and those of the rings' owner (see tcp_socket_pkg).
//
//     tcp_commands --a--+--> one, until it is answered --> tcp_events
//     owner --------b---+
//
// One request is under way at a time, as tcp_commands wants it, and its answer goes to who has asked: b's answers are
// not looked at. b goes first: what a program has stored is sent before its next command, which may end the connection.
// But a waits for AHEAD of b at most, as many as can have been on their way before it.
//
// Latency: none while nothing is under way. Borders: request, its valid and ready through gates.
module tcp_requests
  import tcp_pkg::request_t;
#(
  parameter int unsigned AHEAD = 8  // of b, those that wait: places of dca_rings' FIFO; a power of two
) (
  input  logic     clk,
  input  logic     rst,
  input  logic     a_valid,
  output logic     a_ready,
  input  request_t a,
  output logic     a_answer_valid,
  input  logic     b_valid,
  output logic     b_ready,
  input  request_t b,
  output logic     request_valid,
  input  logic     request_ready,
  output request_t request,
  input  logic     answer_valid
);

  typedef enum logic [1:0] {CHOOSE, OFFER, WAIT} state_t;

  localparam int unsigned AHEAD_W = $clog2(AHEAD);

  state_t           state_q;
  logic             is_b, is_b_q;
  logic             offers;
  logic [AHEAD_W:0] passed_q;  // of b while a waits

  // Who was offered stands.
  assign is_b   = state_q == CHOOSE ? b_valid && !(a_valid && passed_q[AHEAD_W]) : is_b_q;
  assign offers = state_q == OFFER || (state_q == CHOOSE && (a_valid || b_valid));

  always_ff @(posedge clk) begin
    is_b_q <= is_b;
    unique case (state_q)
      CHOOSE: if (offers) state_q <= request_ready ? WAIT : OFFER;
      OFFER:  if (request_ready) state_q <= WAIT;
      default: if (answer_valid) state_q <= CHOOSE;
    endcase
    if (a_ready || !a_valid) passed_q <= '0;
    else if (b_ready) passed_q <= passed_q + 1'b1;
    if (rst) begin
      state_q  <= CHOOSE;
      passed_q <= '0;
    end
  end

  assign request_valid  = offers;
  assign request        = is_b ? b : a;
  assign a_ready        = offers && request_ready && !is_b;
  assign b_ready        = offers && request_ready && is_b;
  assign a_answer_valid = answer_valid && !is_b_q;

  a_stands : assert property (@(posedge clk) disable iff (rst) state_q == OFFER -> (is_b_q ? b_valid : a_valid));
  a_answer : assert property (@(posedge clk) disable iff (rst) answer_valid -> state_q == WAIT);

endmodule
