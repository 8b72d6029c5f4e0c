// SPDX-License-Identifier: Apache-2.0
//
// A unit for custom-0 instructions as a test wants it: slow to take, slow to answer, and with a memory of its own.
// With the operands a and b:
//   funct3 0   (a ^ (b << 1)) + funct7, after funct7[4:0] cycles
//          1   a sum of all a so far, with this one: shows whether each instruction is executed exactly once
//          3   the word at address a in the data cache, or b if it is not there
//          else 0
module custom_unit
  import cpu_slot_pkg::*;
(
  input  logic           cpu_clk,
  input  logic           cpu_rst,
  input  cpu_unit_req_t  unit_req,
  output cpu_unit_rsp_t  unit_rsp,
  output cpu_probe_req_t probe_req,
  input  cpu_probe_rsp_t probe_rsp
);

  logic [15:0] lfsr_q;
  logic [31:0] sum_q;
  cpu_unit_req_t req_q;
  logic        busy_q, asks_q, ready, valid;
  logic [4:0]  wait_q;
  logic [31:0] half, answer;

  logic unused;
  assign unused = req_q.valid;

  // Between instructions it asks for anything: the answers must not disturb anybody.
  assign ready     = !busy_q && lfsr_q[1:0] == 2'b00;
  assign probe_req = busy_q ? '{valid: asks_q, address: req_q.operand_a[31:3]} :
                              '{valid: lfsr_q[1:0] == 2'b10, address: {20'h40020, lfsr_q[8:0]}};
  assign half      = req_q.operand_a[2] ? probe_rsp.data[31:0] : probe_rsp.data[63:32];
  assign unit_rsp  = '{ready: ready, valid: valid, data: answer};

  always_comb begin
    valid  = busy_q && wait_q == '0;
    answer = '0;
    case (req_q.funct3)
      3'd0: answer = (req_q.operand_a ^ (req_q.operand_b << 1)) + 32'(req_q.funct7);
      3'd1: answer = sum_q;
      3'd3: begin
        valid  = busy_q && !asks_q && probe_rsp.valid;
        answer = probe_rsp.hit ? {half[7:0], half[15:8], half[23:16], half[31:24]} : req_q.operand_b;
      end
      default: ;
    endcase
  end

  always_ff @(posedge cpu_clk) begin
    lfsr_q <= {lfsr_q[14:0], lfsr_q[15] ^ lfsr_q[13] ^ lfsr_q[12] ^ lfsr_q[10]};
    if (wait_q != '0) wait_q <= wait_q - 5'd1;
    if (probe_req.valid && probe_rsp.ready) asks_q <= 1'b0;
    if (unit_req.valid && ready) begin
      req_q  <= unit_req;
      busy_q <= 1'b1;
      wait_q <= unit_req.funct7[4:0];
      asks_q <= unit_req.funct3 == 3'd3;
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
