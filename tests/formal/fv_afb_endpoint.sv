// SPDX-License-Identifier: Apache-2.0
//
// afb_endpoint before registers that show something or an error: each access is made once and answered once, in order,
// with what the registers showed in its cycle. The answer is offered from the next cycle on. An access is refused only
// with two answers inside.
module fv_afb_endpoint
  import afb_pkg::*;
(
  input logic clk,
  input logic follow,
  input logic is_read,
  input logic req_valid,
  input logic rsp_ready
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  afb_m2s_t    afb_m2s;
  afb_s2m_t    afb_s2m;
  access_t     access;
  logic [31:0] new_data, read_data;
  logic        err, mark;
  logic [1:0]  count;

  afb_endpoint dut (.*);

  // A marked access is one to register 1, which shows 1 to a read and is an error for a write.
  always_comb begin
    afb_m2s                = '{req: '0, req_valid: req_valid, rsp_ready: rsp_ready};
    afb_m2s.req.read       = is_read;
    afb_m2s.req.address[2] = mark;
    read_data              = 32'(access.id[0]);
    err                    = access.id[0] && !is_read;
  end

  fv_order #(.MAX(2)) order (
    .clk, .rst, .follow, .mark, .in(access.read || access.write), .out(afb_s2m.rsp_valid && rsp_ready),
    .out_marked(afb_s2m.rsp.data[0] || afb_s2m.rsp.err), .count, .waits(), .next()
  );

  a_made : assert property (@(posedge clk) disable iff (rst)
    (access.read || access.write) == (req_valid && afb_s2m.req_ready) && !(access.read && access.write));
  a_offered : assert property (@(posedge clk) disable iff (rst) afb_s2m.rsp_valid == (count != '0));
  a_room : assert property (@(posedge clk) disable iff (rst) afb_s2m.req_ready == (count != 2'd2));
  a_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && afb_s2m.rsp_valid && !rsp_ready) -> afb_s2m.rsp_valid && $stable(afb_s2m.rsp));

endmodule
