// SPDX-License-Identifier: Apache-2.0
//
// A unit for custom-0 instructions as a test wants it: slow to take, slow to answer, and with a memory of its own.
//   funct3 0   (rs1 ^ (rs2 << 1)) + funct7, after funct7[4:0] cycles
//          1   a sum of all rs1 so far, with this one: shows whether each instruction is executed exactly once
//          3   the word at address rs1 in the data cache, or rs2 if it is not there
//          else 0
module custom_unit
  import rv_pkg::*;
(
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        custom_req_valid,
  output logic        custom_req_ready,
  input  custom_req_t custom_req,
  output logic        custom_rsp_valid,
  output logic [31:0] custom_rsp,
  output logic        probe_valid,
  input  logic        probe_ready,
  output logic [31:3] probe_address,
  input  logic        probe_rsp_valid,
  input  probe_rsp_t  probe_rsp
);

  logic [15:0] lfsr_q;
  logic [31:0] sum_q;
  custom_req_t req_q;
  logic        busy_q, asks_q;
  logic [4:0]  wait_q;
  logic [31:0] half;

  // Between instructions it asks for anything: the answers must not disturb anybody.
  assign custom_req_ready = !busy_q && lfsr_q[1:0] == 2'b00;
  assign probe_valid      = busy_q ? asks_q : lfsr_q[1:0] == 2'b10;
  assign probe_address    = busy_q ? req_q.rs1[31:3] : {20'h40020, lfsr_q[8:0]};
  assign half             = req_q.rs1[2] ? probe_rsp.data[31:0] : probe_rsp.data[63:32];

  always_comb begin
    custom_rsp_valid = busy_q && wait_q == '0;
    custom_rsp       = '0;
    case (req_q.funct3)
      3'd0: custom_rsp = (req_q.rs1 ^ (req_q.rs2 << 1)) + 32'(req_q.funct7);
      3'd1: custom_rsp = sum_q;
      3'd3: begin
        custom_rsp_valid = busy_q && !asks_q && probe_rsp_valid;
        custom_rsp       = probe_rsp.hit ? swap_bytes(half) : req_q.rs2;
      end
      default: ;
    endcase
  end

  always_ff @(posedge cpu_clk) begin
    lfsr_q <= {lfsr_q[14:0], lfsr_q[15] ^ lfsr_q[13] ^ lfsr_q[12] ^ lfsr_q[10]};
    if (wait_q != '0) wait_q <= wait_q - 5'd1;
    if (probe_valid && probe_ready) asks_q <= 1'b0;
    if (custom_req_valid && custom_req_ready) begin
      req_q  <= custom_req;
      busy_q <= 1'b1;
      wait_q <= custom_req.funct7[4:0];
      asks_q <= custom_req.funct3 == 3'd3;
      if (custom_req.funct3 == 3'd1) sum_q <= sum_q + custom_req.rs1;
    end
    if (custom_rsp_valid) busy_q <= 1'b0;
    if (cpu_rst) begin
      lfsr_q <= 16'hACE1;
      sum_q  <= '0;
      busy_q <= 1'b0;
      asks_q <= 1'b0;
      wait_q <= '0;
    end
  end

endmodule
