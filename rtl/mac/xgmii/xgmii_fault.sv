// SPDX-License-Identifier: Apache-2.0
//
// Link fault signaling, the receive side of it (IEEE 802.3, 46.3.4): four fault sequences of one kind, fewer than 128
// columns from one to the next and none of the other kind between, are a fault of that kind; 128 columns without a
// fault sequence end it. A fault gives way to one of the other kind without an end between.
//
// Latency: one cycle from the pins. Throughput: two columns a cycle.
module xgmii_fault
  import xgmii_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  xgmii_t      xgmii,
  output link_fault_t fault
);

  typedef struct packed {
    logic [6:0]  quiet;   // columns without a fault sequence, stops at 127
    logic [1:0]  count;   // fault sequences of a kind so far less one, stops at 3
    logic        kind;    // of them: local
    logic        counts;  // there were some
    link_fault_t fault;
  } fault_state_t;

  function automatic fault_state_t column(input fault_state_t was, input logic [3:0] control, input logic [31:0] data);
    logic is_local, is_fault, again;
    is_local = is_local_fault(control, data);
    is_fault = is_local || is_remote_fault(control, data);
    again    = was.counts && was.kind == is_local;
    column   = was;
    if (is_fault) begin
      column.quiet  = '0;
      column.counts = 1'b1;
      column.kind   = is_local;
      column.count  = !again ? 2'd0 : was.count + 2'(was.count != 2'd3);
      if (column.count == 2'd3) column.fault = '{any: 1'b1, local_fault: is_local};
    end else if (was.quiet != 7'd127) begin
      column.quiet = was.quiet + 1'b1;
    end else begin
      column.counts = 1'b0;
      column.fault  = '0;
    end
  endfunction

  fault_state_t state_q;

  always_ff @(posedge clk) begin
    state_q <= column(column(state_q, xgmii.control[3:0], xgmii.data[31:0]), xgmii.control[7:4], xgmii.data[63:32]);
    if (rst) state_q <= '0;
  end

  assign fault = state_q.fault;

endmodule
