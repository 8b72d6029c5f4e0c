// SPDX-License-Identifier: Apache-2.0
//
// Interrupt controller for level interrupts, an AFB slave; the registers are those of regs/periph.rdl. Line 0 goes
// first.
//
// Each of HARTS harts has registers of its own in a window of 32 bytes, and chooses there which lines it wants to hear
// of. A level is not held here: the device takes it back. `irq` must be in this clock domain.
//
// `irq_external`, of each hart the lines that are high and enabled, is a register: one cycle behind the levels.
// Latency: response one cycle after the request. Throughput: one access a cycle (afb_endpoint).
module intc
  import afb_pkg::*;
  import intc_regs_pkg::ID_W, intc_regs_pkg::ID_PENDING, intc_regs_pkg::ID_ENABLE, intc_regs_pkg::ID_HIGHEST,
         intc_regs_pkg::HART_W;
#(
  parameter int unsigned N     = 2,
  parameter int unsigned HARTS = 1
) (
  input  logic                    clk,
  input  logic                    rst,
  input  afb_m2s_t                afb_m2s,
  output afb_s2m_t                afb_s2m,
  input  logic [N-1:0]            irq,
  output logic [HARTS-1:0][N-1:0] irq_external
);

  if (N < 1 || N > 32) begin : g_bad_n
    $error("intc: N must be 1 to 32, the bits of a register");
  end
  if (HARTS < 1 || HARTS > intc_regs_pkg::HARTS) begin : g_bad_harts
    $error("intc: HARTS must be 1 to 8, the windows in its 256 bytes");
  end

  access_t                 access;
  logic [31:0]             read_data, new_data;
  logic                    err;
  logic [ID_W-1:0]         id;
  logic [HART_W-1:0]       hart;
  logic [HARTS-1:0][N-1:0] enable_q, irq_external_q;

  assign {hart, id}   = access.id;
  assign irq_external = irq_external_q;

  afb_endpoint u_endpoint (.*);

  function automatic logic [31:0] lowest(input logic [N-1:0] lines);
    lowest = '1;
    for (int i = int'(N) - 1; i >= 0; i--) if (lines[i]) lowest = 32'(i);
  endfunction

  always_ff @(posedge clk) begin
    for (int unsigned h = 0; h < HARTS; h++) begin
      irq_external_q[h] <= irq & enable_q[h];
      if (access.write && hart == HART_W'(h) && id == ID_ENABLE) enable_q[h] <= N'(new_data);
    end
    if (rst) begin
      irq_external_q <= '0;
      enable_q       <= '0;
    end
  end

  always_comb begin
    read_data = '0;
    err       = 1'b1;
    for (int unsigned h = 0; h < HARTS; h++) begin
      if (hart == HART_W'(h)) begin
        err = 1'b0;
        case (id)
          ID_PENDING: read_data = 32'(irq);
          ID_ENABLE:  read_data = 32'(enable_q[h]);
          ID_HIGHEST: read_data = lowest(irq & enable_q[h]);
          default:    err = 1'b1;
        endcase
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, access, new_data};

endmodule
