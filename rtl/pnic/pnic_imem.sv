// SPDX-License-Identifier: Apache-2.0
//
// The instruction memory that the small cores share, in rows of 128 bits: one row a cycle, round robin among the cores'
// instruction caches, which fetch dwords (icache). The second dword of a row waits beside the memory for its core, so a
// line of 32 bytes is two accesses. Bytes lie as on a bus: the one at the lowest address is the top one.
//
// Latency: a request is taken when its row is granted, or when its dword waits already, and answered in the next cycle.
// Beyond BYTES: answered with an error. The host's write goes before everything; it may be at any time, but a core that
// has the old row keeps it until its next line.
//
// Borders: `ready` through gates; answers through one gate from the memory's output or a register.
module pnic_imem #(
  parameter int unsigned BYTES = 131072,
  parameter int unsigned CORES = 6
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic [CORES-1:0]        valid,
  output logic [CORES-1:0]        ready,
  input  logic [CORES-1:0][31:3]  address,
  output logic [CORES-1:0]        rsp_valid,
  output logic [CORES-1:0]        rsp_err,
  output logic [CORES-1:0][63:0]  rsp_data,
  output logic                    used,          // a row is read, for the bandwidth's sum
  input  logic                    write,         // by the host
  input  logic [$clog2(BYTES)-1:2] write_address,
  input  logic [31:0]             write_data
);

  localparam int unsigned ROWS = BYTES / 16;
  localparam int unsigned A_W  = $clog2(BYTES);

  if (BYTES < 16 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("pnic_imem: BYTES must be a power of two of at least 16");
  end

  logic [127:0]       memory [ROWS];
  logic [127:0]       row_q;
  logic [A_W-1:4]     row;
  logic [CORES-1:0]   wanted, grant, held, outside;

  arb_rr #(.N(CORES)) u_turn (.clk, .rst, .request(wanted), .take(!write), .grant);

  always_comb begin
    row = '0;
    for (int unsigned c = 0; c < CORES; c++) if (grant[c]) row |= address[c][A_W-1:4];
  end

  assign used = |wanted && !write;

  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++) begin
      if (write && write_address[3:2] == 2'(3 - i)) memory[write_address[A_W-1:4]][32*i+:32] <= write_data;
    end
    if (!write) row_q <= memory[row];
  end

  for (genvar c = 0; c < CORES; c++) begin : g_core
    logic        from_row_q, second_q, err_q, waits_q;  // the second dword of waits_at_q's row is here
    logic [31:4] waits_at_q;
    logic [63:0] other_q;

    assign outside[c] = address[c][31:A_W] != '0;
    assign held[c]    = waits_q && address[c] == {waits_at_q, 1'b1};
    assign wanted[c]  = valid[c] && !outside[c] && !held[c];
    assign ready[c]   = outside[c] || held[c] || (grant[c] && !write);

    always_ff @(posedge clk) begin
      rsp_valid[c] <= valid[c] && ready[c] && !rst;
      err_q        <= outside[c];
      from_row_q   <= wanted[c] && grant[c];
      second_q     <= address[c][3];
      if (from_row_q) other_q <= row_q[63:0];
      if (wanted[c] && grant[c] && !write) begin
        waits_q    <= !address[c][3];
        waits_at_q <= address[c][31:4];
      end
      if (rst) waits_q <= 1'b0;
    end

    assign rsp_err[c]  = err_q;
    assign rsp_data[c] = !from_row_q ? other_q : second_q ? row_q[63:0] : row_q[127:64];
  end

endmodule
