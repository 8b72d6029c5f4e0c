// SPDX-License-Identifier: Apache-2.0
//
// A unit for custom-0 instructions as a test wants it: slow to take, slow to answer, and with a memory of its own.
// With the operands a and b:
//   funct3 0   (a ^ (b << 1)) + funct7, after funct7[4:0] cycles
//          1   a sum of all a so far, with this one: shows whether each instruction is executed exactly once
//          2   writes b to the word at address a through the line port; 0
//          3   the word at address a, through the line port
//          4   writes the line at address a: b, b + 1 ... b + 7; 0
//          else 0
module custom_unit
  import cpu_slot_pkg::*;
(
  input  logic          cpu_clk,
  input  logic          cpu_rst,
  input  cpu_unit_req_t unit_req,
  output cpu_unit_rsp_t unit_rsp,
  output cpu_line_req_t line_req,
  input  cpu_line_rsp_t line_rsp
);

  logic [15:0] lfsr_q;
  logic [31:0] sum_q;
  cpu_unit_req_t req_q;
  logic        busy_q, asks_q, ready, valid;
  logic [4:0]  wait_q;
  logic [31:0] word, answer;

  function automatic logic [31:0] swapped(input logic [31:0] value);
    return {value[7:0], value[15:8], value[23:16], value[31:24]};
  endfunction

  logic unused;
  assign unused = &{1'b0, req_q.valid, req_q.interrupted, line_rsp.err};

  // The line port's lanes have the lowest address at the top.
  always_comb begin
    line_req         = '0;
    line_req.valid   = busy_q && asks_q;
    line_req.write   = req_q.funct3 != 3'd3;
    line_req.address = req_q.operand_a[31:5];
    for (int unsigned i = 0; i < 8; i++) begin
      line_req.data[32*(7-i)+:32] = swapped(req_q.operand_b + (req_q.funct3 == 3'd4 ? i : 0));
      if (req_q.funct3 == 3'd4 || req_q.operand_a[4:2] == 3'(i)) line_req.mask[4*(7-i)+:4] = '1;
    end
  end

  assign ready    = !busy_q && lfsr_q[1:0] == 2'b00;
  assign word     = line_rsp.data[32*(7-32'(req_q.operand_a[4:2]))+:32];
  assign unit_rsp = '{ready: ready, valid: valid, data: answer};

  always_comb begin
    valid  = busy_q && wait_q == '0 && !asks_q;
    answer = '0;
    case (req_q.funct3)
      3'd0: answer = (req_q.operand_a ^ (req_q.operand_b << 1)) + 32'(req_q.funct7);
      3'd1: answer = sum_q;
      3'd3: begin
        valid  = busy_q && line_rsp.valid;
        answer = swapped(word);
      end
      default: ;
    endcase
  end

  always_ff @(posedge cpu_clk) begin
    lfsr_q <= {lfsr_q[14:0], lfsr_q[15] ^ lfsr_q[13] ^ lfsr_q[12] ^ lfsr_q[10]};
    if (wait_q != '0) wait_q <= wait_q - 5'd1;
    if (line_req.valid && line_rsp.ready) asks_q <= 1'b0;
    if (unit_req.valid && ready) begin
      req_q  <= unit_req;
      busy_q <= 1'b1;
      wait_q <= unit_req.funct7[4:0];
      asks_q <= unit_req.funct3 inside {3'd2, 3'd3, 3'd4};
      if (unit_req.funct3 == 3'd1) sum_q <= sum_q + unit_req.operand_a;
    end
    if (valid) busy_q <= 1'b0;
    if (cpu_rst) begin
      lfsr_q <= 16'hACE1;
      sum_q  <= '0;
      busy_q <= 1'b0;
      asks_q <= 1'b0;
      wait_q <= '0;
    end
  end

endmodule
