// SPDX-License-Identifier: Apache-2.0
//
// afb_endpoint with four registers behind it. They count what is done to them: `reads` and `writes`.
module afb_endpoint_tb
  import afb_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  afb_m2s_t    afb_m2s,
  output afb_s2m_t    afb_s2m,
  output logic [31:0] reads,
  output logic [31:0] writes
);

  access_t          access;
  logic [31:0]      new_data, read_data;
  logic             err;
  logic [3:0][31:0] register_q;

  afb_endpoint dut (.*);

  assign err       = access.id >= 6'd4;
  assign read_data = err ? '0 : register_q[access.id[1:0]];

  always_ff @(posedge clk) begin
    reads  <= reads + 32'(access.read);
    writes <= writes + 32'(access.write);
    if (access.write && !err) register_q[access.id[1:0]] <= new_data;
    if (rst) {reads, writes, register_q} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, access};

endmodule
