// SPDX-License-Identifier: Apache-2.0
//
// Interrupt controller for level interrupts; number 0 goes first. `irq` must be in this clock domain. An AFB slave;
// address bits [7:2] choose the register:
//
//   0x00 pending   the levels as they are, enabled or not (read only: the device takes its level back)
//   0x04 enable    a bit for each interrupt, reset 0
//   0x08 next      the lowest number that is pending and enabled, 0xFFFF_FFFF if there is none (read only)
//
// Any other offset is answered err = 1. irq_external is a register: one cycle behind the levels.
// Latency: response one cycle after the request. Throughput one access a cycle.
module intc
  import afb_pkg::*;
#(
  parameter int unsigned N = 2
) (
  input  logic         clk,
  input  logic         rst,
  input  afb_m2s_t     afb_m2s,
  output afb_s2m_t     afb_s2m,
  input  logic [N-1:0] irq,
  output logic         irq_external
);

  if (N < 1 || N > 32) begin : g_bad_n
    $error("intc: N must be 1 to 32, the bits of a register");
  end

  typedef enum logic [5:0] {PENDING = 0, ENABLE = 1, NEXT = 2} register_t;

  logic [5:0]   offset;
  logic         writes;
  logic [N-1:0] enable_q, active;
  logic         irq_external_q;
  logic [31:0]  next;
  afb_rsp_t     response;

  assign offset       = afb_m2s.req.address[7:2];
  assign writes       = afb_m2s.req_valid && afb_s2m.req_ready && !afb_m2s.req.read;
  assign active       = irq & enable_q;
  assign irq_external = irq_external_q;

  always_ff @(posedge clk) begin
    irq_external_q <= |active;
    if (writes && offset == ENABLE) enable_q <= N'(merged(32'(enable_q), afb_m2s.req.write_data, afb_m2s.req.byte_mask));
    if (rst) begin
      irq_external_q <= 1'b0;
      enable_q       <= '0;
    end
  end

  always_comb begin
    next = '1;
    for (int i = int'(N) - 1; i >= 0; i--) if (active[i]) next = 32'(i);
  end

  always_comb begin
    response = '0;
    case (offset)
      PENDING: response.data = 32'(irq);
      ENABLE:  response.data = 32'(enable_q);
      NEXT:    response.data = next;
      default: response.err = 1'b1;
    endcase
    if (!afb_m2s.req.read) response.data = '0;
  end

  skid_buffer #(.WIDTH($bits(afb_rsp_t))) u_response (
    .clk,
    .rst,
    .in_data  (response),
    .in_valid (afb_m2s.req_valid),
    .in_ready (afb_s2m.req_ready),
    .out_data (afb_s2m.rsp),
    .out_valid(afb_s2m.rsp_valid),
    .out_ready(afb_m2s.rsp_ready)
  );

  // The router has looked at the upper address bits, and nothing here is locked.
  logic unused;
  assign unused = &{afb_m2s.req.lock, afb_m2s.req.address};

endmodule
