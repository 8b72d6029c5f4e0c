// SPDX-License-Identifier: Apache-2.0
//
// The far ports of all cores: one access at a time, round robin, to the registers or to the frame memory.
//
//   FRAME_MEMORY + address         frame memory, `frames` (16 MB)
//   REGISTERS + 0x100 * block      registers of a block; each register 4 bytes, only as whole words
// Anything else is answered with an error.
//
// Latency: of a register 3 cycles from the request to its answer, and a round in between goes to the next core; of the
// frame memory, its own and 2. Throughput one access in 3 cycles. Borders: `regs` and `frames` out of registers.
module pnic_far
  import pnic_pkg::*;
#(
  parameter int unsigned CORES  = 6,
  parameter int unsigned BLOCKS = 5
) (
  input  logic                     clk,
  input  logic                     rst,
  input  far_req_t [CORES-1:0]     req,
  output far_rsp_t [CORES-1:0]     rsp,
  output assist_reg_t [BLOCKS-1:0] regs,
  input  logic [BLOCKS-1:0][31:0]  regs_data,
  output logic [2:0]               regs_core,  // who writes
  output far_req_t                 frames,     // address in the frame memory
  input  far_rsp_t                 frames_rsp
);

  localparam int unsigned CORE_W = 3;

  typedef enum logic [1:0] {IDLE, REGISTER, ANSWER, FRAMES} state_t;

  state_t            state_q;
  logic [CORES-1:0]  wanted, grant;
  logic [CORE_W-1:0] core_q, core;
  far_req_t          picked, req_q;
  logic              take, is_register, is_frames, error_q;
  logic [31:0]       data_q;
  logic [7:0]        block;

  for (genvar c = 0; c < CORES; c++) begin : g_core
    assign wanted[c] = req[c].valid;
  end

  arb_rr #(.N(CORES)) u_turn (.clk, .rst, .request(wanted), .take, .grant);

  always_comb begin
    picked = '0;
    core   = '0;
    for (int unsigned c = 0; c < CORES; c++) begin
      if (grant[c]) begin
        picked |= req[c];
        core   |= CORE_W'(c);
      end
    end
  end

  assign take        = state_q == IDLE;
  assign block       = picked.address[15:8];
  assign is_register = picked.address[31:16] == REGISTERS[31:16] && 32'(block) < BLOCKS && picked.mask == 4'hF;
  assign is_frames   = picked.address[31:24] == FRAME_MEMORY[31:24];

  always_ff @(posedge clk) begin
    for (int unsigned b = 0; b < BLOCKS; b++) regs[b].valid <= 1'b0;
    unique case (state_q)
      IDLE: if (|wanted) begin
        core_q  <= core;
        req_q   <= picked;
        error_q <= 1'b0;
        state_q <= ANSWER;
        if (is_register) begin
          for (int unsigned b = 0; b < BLOCKS; b++) begin
            regs[b] <= '{valid: 32'(block) == b, write: picked.write, number: picked.address[7:2], data: picked.data};
          end
          state_q <= REGISTER;
        end else if (is_frames) begin
          state_q <= FRAMES;
        end else begin
          error_q <= 1'b1;
        end
      end
      REGISTER: state_q <= ANSWER;
      FRAMES: begin
        if (frames_rsp.ready) req_q.valid <= 1'b0;
        if (frames_rsp.valid) begin
          data_q  <= frames_rsp.data;
          error_q <= frames_rsp.error;
          state_q <= ANSWER;
        end
      end
      default: state_q <= IDLE;
    endcase
    if (rst) begin
      state_q     <= IDLE;
      req_q.valid <= 1'b0;
    end
  end

  always_comb begin
    frames       = req_q;
    frames.valid = state_q == FRAMES && req_q.valid;
    frames.address[31:24] = '0;
  end
  assign regs_core = core_q;

  logic [31:0] register_data;
  always_comb begin
    register_data = '0;
    for (int unsigned b = 0; b < BLOCKS; b++) if (32'(req_q.address[15:8]) == b) register_data |= regs_data[b];
  end

  for (genvar c = 0; c < CORES; c++) begin : g_answer
    assign rsp[c] = '{ready: take && grant[c], valid: state_q == ANSWER && 32'(core_q) == c, error: error_q,
                      data: req_q.address[31:24] == FRAME_MEMORY[31:24] ? data_q : register_data};
  end

endmodule
