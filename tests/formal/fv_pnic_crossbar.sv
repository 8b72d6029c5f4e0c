// SPDX-License-Identifier: Apache-2.0
//
// pnic_crossbar: each request is granted once and answered once, to the master that has asked: in the cycle behind the
// grant, of an update three behind it. Nobody waits for longer than it takes the request that has the bank, and one of
// each other master: 4 + 5 * (MASTERS - 1) cycles. Masters ask as pnic_pkg says they do, for anything, anywhere. What
// the memories hold is left open (see fv_pnic_bank).
module fv_pnic_crossbar
  import pnic_pkg::*;
#(
  parameter int unsigned BANKS   = 2,
  parameter int unsigned MASTERS = 3
) (
  input logic                   clk,
  input pad_req_t [MASTERS-1:0] next
);

  localparam int unsigned MOST = 4 + 5 * (MASTERS - 1);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  pad_req_t [MASTERS-1:0] req;
  pad_rsp_t [MASTERS-1:0] rsp;
  logic [MASTERS-1:0]     conflict;

  pnic_crossbar #(.BANKS(BANKS), .MASTERS(MASTERS), .CORES(2)) dut (.*);

  for (genvar m = 0; m < MASTERS; m++) begin : g_master
    logic       outstanding_q, update_q;
    logic [1:0] age_q;
    logic [$clog2(MOST+2)-1:0] waited_q;
    logic       granted, may_ask;

    m_op : assume property (@(posedge clk) 4'(next[m].op) <= 4'(PAD_MAXU));

    assign granted = req[m].valid && rsp[m].ready;
    // Behind an update nothing is shown until it is answered.
    assign may_ask = granted ? req[m].op != PAD_UPDATE
                             : !req[m].valid && (!(outstanding_q && update_q) || rsp[m].valid);

    always_ff @(posedge clk) begin
      if (granted || !req[m].valid) begin
        req[m]       <= next[m];
        req[m].valid <= next[m].valid && may_ask;
      end
      if (rsp[m].valid) outstanding_q <= 1'b0;
      age_q <= age_q + 2'd1;
      if (granted) begin
        outstanding_q <= 1'b1;
        update_q      <= req[m].op == PAD_UPDATE;
        age_q         <= 2'd1;
      end
      waited_q <= (req[m].valid && !granted) ? waited_q + 1'b1 : '0;
      if (rst) begin
        req[m].valid  <= 1'b0;
        outstanding_q <= 1'b0;
        waited_q      <= '0;
      end
    end

    a_answer_in_its_cycle : assert property (@(posedge clk) disable iff (rst)
      rsp[m].valid == (outstanding_q && age_q == (update_q ? 2'd3 : 2'd1)));
    a_one_at_a_time : assert property (@(posedge clk) disable iff (rst) granted -> !outstanding_q || rsp[m].valid);
    a_bounded_wait : assert property (@(posedge clk) disable iff (rst) 32'(waited_q) <= MOST);
    a_conflict : assert property (@(posedge clk) disable iff (rst) conflict[m] == (req[m].valid && !granted));
    a_grant_is_asked_for : assert property (@(posedge clk) disable iff (rst) rsp[m].ready -> req[m].valid);
  end

endmodule
