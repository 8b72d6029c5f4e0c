// SPDX-License-Identifier: Apache-2.0
//
// A small core where the bench expects a processor slot: what it fetches and its far port share the ACB; the scratchpad
// is here, cleared at the start, and somebody else reads in it all the time, so that banks are not granted at once.
module small_slot
  import acb_pkg::*;
  import pnic_pkg::*;
#(
  parameter int unsigned ICACHE_BYTES = 8192
) (
  input  logic     cpu_clk,
  input  logic     cpu_rst,
  input  logic     run,
  output logic     halted,
  output acb_m2s_t acb_m2s,
  input  acb_s2m_t acb_s2m,
  output cpu_slot_pkg::cpu_retire_t retire
);

  localparam int unsigned BANKS = 4;

  pad_req_t [1:0] pad_req;
  pad_rsp_t [1:0] pad_rsp;
  logic [1:0]     conflict;
  logic           core_halted;
  logic [3:0]     under_way_q;  // at the bus: instructions may still come
  far_req_t       far_req;
  far_rsp_t       far_rsp;
  logic           fetch_valid, fetch_ready, fetch_rsp_valid, fetch_rsp_err;
  logic [31:3]    fetch_address;
  logic [63:0]    fetch_rsp_data;

  pnic_core #(
    .ICACHE_BYTES(ICACHE_BYTES), .COUNTERS(1'b1), .RETIRE(1'b1), .RVFI(1'b1)
  ) u_core (
    .clk(cpu_clk),
    .rst(cpu_rst),
    .run,
    .halted(core_halted),
    .pad_req(pad_req[0]),
    .pad_rsp(pad_rsp[0]),
    .far_req,
    .far_rsp,
    .fetch_valid,
    .fetch_ready,
    .fetch_address,
    .fetch_rsp_valid,
    .fetch_rsp_err,
    .fetch_rsp_data,
    .retire
  );

  pnic_crossbar #(.BANKS(BANKS), .MASTERS(2), .CORES(1)) u_crossbar (
    .clk(cpu_clk), .rst(cpu_rst), .req(pad_req), .rsp(pad_rsp), .conflict
  );

  for (genvar b = 0; b < BANKS; b++) begin : g_clear
    initial for (int i = 0; i < 65536 / BANKS; i++) u_crossbar.g_bank[b].u_bank.memory[i] = '0;
  end

  // Somebody else
  logic [15:0] noise_q;
  always_ff @(posedge cpu_clk) begin
    noise_q <= {noise_q[14:0], noise_q[15] ^ noise_q[13] ^ noise_q[12] ^ noise_q[10]};
    if (cpu_rst) noise_q <= 16'hACE1;
  end
  assign pad_req[1] = '{valid: noise_q[0], op: PAD_LOAD, address: noise_q, mask: '0, data: '0};

  logic unused;
  assign unused = &{1'b0, pad_rsp[1], conflict};

  // ---- To the ACB: memory has a byte in the lane of its address, a device its word as a number
  acb_m2s_t [1:0] in_m2s;
  acb_s2m_t [1:0] in_s2m;
  logic           device, device_q, high_q;
  logic [3:0]     nibble;
  logic [31:0]    word, answer;

  function automatic logic [31:0] swapped(input logic [31:0] bytes);
    return {bytes[7:0], bytes[15:8], bytes[23:16], bytes[31:24]};
  endfunction

  assign device = far_req.address[31:24] == 8'hFF;
  assign nibble = device ? far_req.mask : {far_req.mask[0], far_req.mask[1], far_req.mask[2], far_req.mask[3]};
  assign word   = device ? far_req.data : swapped(far_req.data);

  always_ff @(posedge cpu_clk) begin
    if (far_req.valid) {device_q, high_q} <= {device, !far_req.address[2]};
  end
  assign answer = high_q ? in_s2m[0].rsp.data[63:32] : in_s2m[0].rsp.data[31:0];

  assign in_m2s[0] = '{
    req: '{lock: 1'b0, read: !far_req.write, byte_mask: far_req.address[2] ? {4'b0, nibble} : {nibble, 4'b0},
           address: {4'b0, far_req.address}, write_data: {2{word}}},
    req_valid: far_req.valid, rsp_ready: 1'b1};
  assign far_rsp = '{ready: in_s2m[0].req_ready, valid: in_s2m[0].rsp_valid, error: in_s2m[0].rsp.err,
                     data: device_q ? answer : swapped(answer)};

  assign in_m2s[1] = '{
    req: '{lock: 1'b0, read: 1'b1, byte_mask: '1, address: {4'b0, fetch_address, 3'b000}, write_data: '0},
    req_valid: fetch_valid, rsp_ready: 1'b1};
  assign fetch_ready     = in_s2m[1].req_ready;
  assign fetch_rsp_valid = in_s2m[1].rsp_valid;
  assign fetch_rsp_err   = in_s2m[1].rsp.err;
  assign fetch_rsp_data  = in_s2m[1].rsp.data;

  always_ff @(posedge cpu_clk) begin
    under_way_q <= under_way_q + 4'(in_m2s[0].req_valid && in_s2m[0].req_ready) - 4'(in_s2m[0].rsp_valid)
                   + 4'(in_m2s[1].req_valid && in_s2m[1].req_ready) - 4'(in_s2m[1].rsp_valid);
    if (cpu_rst) under_way_q <= '0;
  end
  assign halted = core_halted && under_way_q == '0;

  acb_arbiter #(.N(2)) u_arbiter (
    .clk(cpu_clk),
    .rst(cpu_rst),
    .in_m2s,
    .in_s2m,
    .out_m2s(acb_m2s),
    .out_s2m(acb_s2m),
    /* verilator lint_off PINCONNECTEMPTY */
    .out_master()
    /* verilator lint_on PINCONNECTEMPTY */
  );

endmodule
