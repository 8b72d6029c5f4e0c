// SPDX-License-Identifier: Apache-2.0
//
// The programmable part of the NIC: CORES small cores over one instruction memory, the scratchpad's banks, and the far
// port. Assists and the host are further masters of the scratchpad (`others`).
//
//   pnic_core --> pnic_imem                          instructions
//   pnic_core --> pnic_crossbar <-- others           words
//   pnic_core --> pnic_far --> regs, frames          registers, frame memory
//
// The cores' addresses: pnic_lsu, pnic_far. While `run` is low no core leaves an instruction's DECODE.
module pnic_cluster
  import pnic_pkg::*;
#(
  parameter int unsigned CORES         = 6,
  parameter int unsigned BANKS         = 4,
  parameter int unsigned OTHERS        = 5,       // masters that are no cores
  parameter int unsigned BLOCKS        = 5,       // of registers
  parameter int unsigned ICACHE_BYTES  = 8192,    // of each core
  parameter int unsigned IMEM_BYTES    = 131072,
  parameter bit          COUNTERS      = 1'b0,
  parameter bit          RETIRE        = 1'b0
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic                     run,
  output logic                     halted,        // all are
  input  logic                     imem_write,
  input  logic [$clog2(IMEM_BYTES)-1:2] imem_address,
  input  logic [31:0]              imem_data,
  input  pad_req_t [OTHERS-1:0]    others_req,
  output pad_rsp_t [OTHERS-1:0]    others_rsp,
  output assist_reg_t [BLOCKS-1:0] regs,
  input  logic [BLOCKS-1:0][31:0]  regs_data,
  output logic [2:0]               regs_core,
  output far_req_t                 frames,
  input  far_rsp_t                 frames_rsp,
  output logic [CORES+OTHERS-1:0]  granted,       // a word moves, by master, for the bandwidth's sum
  output logic                     imem_used,
  output cpu_slot_pkg::cpu_retire_t [CORES-1:0] retire
);

  localparam int unsigned MASTERS = CORES + OTHERS;

  logic [CORES-1:0]       fetch_valid, fetch_ready, fetch_rsp_valid, fetch_rsp_err, halts;
  logic [CORES-1:0][31:3] fetch_address;
  logic [CORES-1:0][63:0] fetch_rsp_data;
  pad_req_t [MASTERS-1:0] pad_req;
  pad_rsp_t [MASTERS-1:0] pad_rsp;
  logic [MASTERS-1:0]     conflict;
  far_req_t [CORES-1:0]   far_req;
  far_rsp_t [CORES-1:0]   far_rsp;

  assign halted = &halts;

  for (genvar c = 0; c < CORES; c++) begin : g_core
    pnic_core #(
      .HART_ID      (c),
      .ICACHE_BYTES (ICACHE_BYTES),
      .COUNTERS     (COUNTERS),
      .RETIRE       (RETIRE)
    ) u_core (
      .clk,
      .rst,
      .run,
      .halted         (halts[c]),
      .pad_req        (pad_req[c]),
      .pad_rsp        (pad_rsp[c]),
      .far_req        (far_req[c]),
      .far_rsp        (far_rsp[c]),
      .fetch_valid    (fetch_valid[c]),
      .fetch_ready    (fetch_ready[c]),
      .fetch_address  (fetch_address[c]),
      .fetch_rsp_valid(fetch_rsp_valid[c]),
      .fetch_rsp_err  (fetch_rsp_err[c]),
      .fetch_rsp_data (fetch_rsp_data[c]),
      .retire         (retire[c])
    );
  end

  pnic_imem #(.BYTES(IMEM_BYTES), .CORES(CORES)) u_imem (
    .clk,
    .rst,
    .valid        (fetch_valid),
    .ready        (fetch_ready),
    .address      (fetch_address),
    .rsp_valid    (fetch_rsp_valid),
    .rsp_err      (fetch_rsp_err),
    .rsp_data     (fetch_rsp_data),
    .used         (imem_used),
    .write        (imem_write),
    .write_address(imem_address),
    .write_data   (imem_data)
  );

  assign pad_req[MASTERS-1:CORES] = others_req;
  assign others_rsp               = pad_rsp[MASTERS-1:CORES];

  pnic_crossbar #(.BANKS(BANKS), .MASTERS(MASTERS), .CORES(CORES)) u_crossbar (
    .clk, .rst, .req(pad_req), .rsp(pad_rsp), .conflict
  );

  for (genvar m = 0; m < MASTERS; m++) begin : g_granted
    assign granted[m] = pad_req[m].valid && !conflict[m];
  end

  pnic_far #(.CORES(CORES), .BLOCKS(BLOCKS)) u_far (
    .clk, .rst, .req(far_req), .rsp(far_rsp), .regs, .regs_data, .regs_core, .frames, .frames_rsp
  );

endmodule
