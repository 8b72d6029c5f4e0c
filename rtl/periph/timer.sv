// SPDX-License-Identifier: Apache-2.0
//
// Timer as the RISC-V privileged architecture wants it: a 64-bit time that counts every clock, a compare value, and a
// software interrupt. An AFB slave; address bits [7:2] choose the register:
//
//   0x00, 0x04  mtime, low and high word     0x08, 0x0C  mtimecmp, low and high word (reset: all ones)
//   0x10        msip: bit 0 is irq_software
//
// Any other offset is answered err = 1. irq_timer is high while mtime >= mtimecmp, one cycle later (a register).
// A reader takes the high word, the low word, and the high word again, until both high words are equal.
// Latency: response one cycle after the request. Throughput one access a cycle.
module timer
  import afb_pkg::*;
(
  input  logic     clk,
  input  logic     rst,
  input  afb_m2s_t afb_m2s,
  output afb_s2m_t afb_s2m,
  output logic     irq_timer,
  output logic     irq_software
);

  typedef enum logic [5:0] {TIME_LO = 0, TIME_HI = 1, COMPARE_LO = 2, COMPARE_HI = 3, SOFTWARE = 4} register_t;

  logic [5:0]  offset;
  logic        writes;
  logic [63:0] time_q, compare_q;
  logic        irq_timer_q, irq_software_q;
  afb_rsp_t    response;

  assign offset = afb_m2s.req.address[7:2];
  assign writes = afb_m2s.req_valid && afb_s2m.req_ready && !afb_m2s.req.read;

  assign irq_timer    = irq_timer_q;
  assign irq_software = irq_software_q;

  always_ff @(posedge clk) begin
    time_q      <= time_q + 1'b1;
    irq_timer_q <= time_q >= compare_q;
    if (writes) begin
      case (offset)
        TIME_LO:    time_q[31:0]     <= merged(time_q[31:0], afb_m2s.req.write_data, afb_m2s.req.byte_mask);
        TIME_HI:    time_q[63:32]    <= merged(time_q[63:32], afb_m2s.req.write_data, afb_m2s.req.byte_mask);
        COMPARE_LO: compare_q[31:0]  <= merged(compare_q[31:0], afb_m2s.req.write_data, afb_m2s.req.byte_mask);
        COMPARE_HI: compare_q[63:32] <= merged(compare_q[63:32], afb_m2s.req.write_data, afb_m2s.req.byte_mask);
        SOFTWARE:   if (afb_m2s.req.byte_mask[0]) irq_software_q <= afb_m2s.req.write_data[0];
        default: ;
      endcase
    end
    if (rst) begin
      time_q         <= '0;
      compare_q      <= '1;
      irq_timer_q    <= 1'b0;
      irq_software_q <= 1'b0;
    end
  end

  always_comb begin
    response = '0;
    case (offset)
      TIME_LO:    response.data = time_q[31:0];
      TIME_HI:    response.data = time_q[63:32];
      COMPARE_LO: response.data = compare_q[31:0];
      COMPARE_HI: response.data = compare_q[63:32];
      SOFTWARE:   response.data = 32'(irq_software_q);
      default:    response.err = 1'b1;
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
