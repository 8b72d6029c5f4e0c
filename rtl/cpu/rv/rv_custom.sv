// SPDX-License-Identifier: Apache-2.0
//
// A custom-0 instruction in EX: its request to the unit, once MEM is empty, and the wait for the answer, which is held
// until the instruction leaves. Without UNIT there is none, and nothing waits. rv_core has the whole of the pipeline.
//
//     custom, alone   ____/------------------\___
//     unit_req.valid  ____/--\________________      until `unit_rsp.ready`
//     unit_rsp.valid  _______________/--\_____
//     done            __________________/--\__      `result` with it
module rv_custom
  import cpu_slot_pkg::*;
#(
  parameter bit UNIT = 1'b0
) (
  input  logic          cpu_clk,
  input  logic          cpu_rst,
  input  logic          custom,       // such an instruction is in EX
  input  logic          alone,        // MEM is empty: there is no flush, so a request stands until it is taken
  input  logic [6:0]    funct7,
  input  logic [2:0]    funct3,
  input  logic [31:0]   a,
  input  logic [31:0]   b,
  input  logic          interrupted,  // an interrupt waits, or the core is to stop
  input  logic          leaves,       // what is in EX does
  output cpu_unit_req_t unit_req,
  input  cpu_unit_rsp_t unit_rsp,
  output logic          done,
  output logic [31:0]   result
);

  if (UNIT) begin : g_unit
    logic        sent_q, done_q;
    logic [31:0] result_q;

    assign unit_req = '{valid: custom && alone && !sent_q, funct7: funct7, funct3: funct3, operand_a: a, operand_b: b,
                        interrupted: interrupted};
    assign done     = done_q;
    assign result   = result_q;

    always_ff @(posedge cpu_clk) begin
      if (unit_req.valid && unit_rsp.ready) sent_q <= 1'b1;
      if (unit_rsp.valid) begin
        done_q   <= 1'b1;
        result_q <= unit_rsp.data;
      end
      if (cpu_rst || leaves) begin
        sent_q <= 1'b0;
        done_q <= 1'b0;
      end
    end

    a_once : assert property (@(posedge cpu_clk) disable iff (cpu_rst) unit_rsp.valid -> sent_q && !done_q);
    a_request_holds : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
      $past(!cpu_rst && unit_req.valid && !unit_rsp.ready) ->
        unit_req.valid && $stable({unit_req.funct7, unit_req.funct3, unit_req.operand_a, unit_req.operand_b}));
  end else begin : g_no_unit
    logic unused;
    assign unused   = &{1'b0, cpu_clk, cpu_rst, custom, alone, funct7, funct3, a, b, interrupted, leaves, unit_rsp};
    assign unit_req = '0;
    assign done     = 1'b1;
    assign result   = '0;
  end

endmodule
