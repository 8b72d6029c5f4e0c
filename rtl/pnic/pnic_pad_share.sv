// SPDX-License-Identifier: Apache-2.0
//
// One port of the scratchpad for the parts of an assist, CLIENTS of them, round robin. Each shows requests as pnic_pkg
// says and gets its answers in order, but later than from the crossbar: `ready` says that the request is in line for
// the bank. What was taken first is done first, whosever it is. No PAD_UPDATE.
//
// Latency: one cycle to the crossbar. Throughput: a request a cycle. `used`: a word moves, for the bandwidth's sum.
// Borders: requests out of registers, `ready` through gates, answers straight from the crossbar.
module pnic_pad_share
  import pnic_pkg::*;
#(
  parameter int unsigned CLIENTS = 2
) (
  input  logic                   clk,
  input  logic                   rst,
  input  pad_req_t [CLIENTS-1:0] req,
  output pad_rsp_t [CLIENTS-1:0] rsp,
  output pad_req_t               pad_req,
  input  pad_rsp_t               pad_rsp,
  output logic                   used
);

  typedef logic [CLIENTS-1:0] clients_t;

  clients_t wanted, turn, owner, owner_q;
  pad_req_t picked, shown;
  logic     ready, valid;

  for (genvar c = 0; c < CLIENTS; c++) begin : g_client
    assign wanted[c] = req[c].valid;
    assign rsp[c]    = '{ready: turn[c] && ready, valid: owner_q[c] && pad_rsp.valid, data: pad_rsp.data};
  end

  arb_rr #(.N(CLIENTS)) u_turn (.clk, .rst, .request(wanted), .take(ready), .grant(turn));

  always_comb begin
    picked = '0;
    for (int unsigned c = 0; c < CLIENTS; c++) if (turn[c]) picked |= req[c];
  end

  skid_buffer #(.WIDTH(CLIENTS + $bits(pad_req_t))) u_line (
    .clk, .rst, .in_data({turn, picked}), .in_valid(|wanted), .in_ready(ready),
    .out_data({owner, shown}), .out_valid(valid), .out_ready(pad_rsp.ready)
  );

  always_comb begin
    pad_req       = shown;
    pad_req.valid = valid;
  end

  // The answer comes in the cycle behind the grant.
  assign used = valid && pad_rsp.ready;
  always_ff @(posedge clk) if (used) owner_q <= owner;

  a_no_update : assert property (@(posedge clk) disable iff (rst) valid -> shown.valid && shown.op != PAD_UPDATE);

endmodule
