// SPDX-License-Identifier: Apache-2.0
//
// Soft reset of the NIC (regs/nic.rdl, `reset`), and of the MAC with it, in an order that leaves both buses as they
// must be.
//
//   start      | 1 |
//   soft_rst       |  1     engines, settings, counters, interrupt, times, self-test; mac_restart      ...   |
//   queues_rst     |                                                                                 |  1    |
//                      ^ requests to memory that are under way are answered, nobody cares for the answers
//
// From `soft_rst` on no engine makes a request. acb_arbiter goes on: what it holds goes out to memory, what memory
// answers is taken. Queues in memory end the operation that is under way (`entries` is 0 by then, so they begin none):
// the lock of the bus and the lock word of the queue are released. When the port to memory has been quiet for QUIET
// cycles, longer than any of them waits between an answer and its next request, all is over; the queues are reset, the
// engines come back.
//
// The register file's own states are not reset: accesses are answered all the time.
//
// Latency: from `start` to the end, QUIET + 3 cycles and as long as memory takes to answer what is under way.
module nic_reset
  import acb_pkg::*;
#(
  parameter int unsigned IN_FLIGHT = 128  // the most requests at a time
) (
  input  logic     clk,
  input  logic     rst,
  input  logic     start,       // pulse

  /* verilator lint_off UNUSEDSIGNAL */  // only what is valid and ready
  input  acb_m2s_t acb_m2s,     // the NIC's port to memory
  input  acb_s2m_t acb_s2m,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic     soft_rst,    // a register
  output logic     queues_rst   // the same, at its end
);

  localparam int unsigned QUIET   = 64;
  localparam int unsigned COUNT_W = $clog2(IN_FLIGHT + 1);
  localparam int unsigned QUIET_W = $clog2(QUIET);

  logic [COUNT_W-1:0] flying_q;  // requests without answer
  logic [QUIET_W-1:0] quiet_q;
  logic               soft_q, queues_q;

  always_ff @(posedge clk) begin
    flying_q <= flying_q + COUNT_W'(acb_m2s.req_valid && acb_s2m.req_ready)
                - COUNT_W'(acb_s2m.rsp_valid && acb_m2s.rsp_ready);
    quiet_q  <= soft_q && flying_q == '0 && !acb_m2s.req_valid ? quiet_q + 1'b1 : '0;
    queues_q <= &quiet_q;
    soft_q   <= start || (soft_q && !queues_q);
    if (rst) begin
      flying_q <= '0;
      queues_q <= 1'b0;
      soft_q   <= 1'b0;
    end
  end

  assign soft_rst   = soft_q;
  assign queues_rst = queues_q;

  a_counts : assert property (@(posedge clk) disable iff (rst) 32'(flying_q) <= IN_FLIGHT);

endmodule
